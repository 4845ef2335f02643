//! Everything that a body is made of, shared and unchanging.

use crate::{
    Affine, Binding, ChannelId, ChannelKind, Clip, ClipId, Image, JointId, Material, Mesh,
    PaletteLayout, Pose, Rig, Skin, Texture, vertex,
};
use glam::Vec3;
use thiserror::Error;

/// Who made it and what one may do with it; every field as its file has it, empty where it has
/// none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Title of the work.
    pub title: String,
    /// Version of the work.
    pub version: String,
    /// Authors.
    pub authors: Vec<String>,
    /// Name or address of the licence.
    pub license: String,
    /// Copyright line.
    pub copyright: String,
    /// The program that wrote the file.
    pub generator: String,
    /// Everything else that the file says of its use: name and value, in file order.
    pub terms: Vec<(String, String)>,
}

/// A rig with meshes, materials and clips. Immutable once made: share it with `Arc`, give every
/// copy its own [`Pose`].
#[derive(Clone, Debug)]
pub struct Character {
    /// Name, as its file has it, or the file's stem.
    pub name: String,
    /// Joints, channels, regions.
    pub rig: Rig,
    /// What is drawn, in file order.
    pub meshes: Vec<Mesh>,
    /// What skinned meshes are bound to.
    pub skins: Vec<Skin>,
    /// How meshes look; never empty.
    pub materials: Vec<Material>,
    /// Images with samplers.
    pub textures: Vec<Texture>,
    /// Decoded pictures.
    pub images: Vec<Image>,
    /// Recorded motion.
    pub clips: Vec<Clip>,
    /// Authors and licence.
    pub meta: Meta,
    layout: PaletteLayout,
    /// Channels of which each must show a mesh, and where those of each mesh end.
    switches: Vec<ChannelId>,
    switch_ends: Vec<u32>,
}

/// The parts of a [`Character`], before they are checked against each other.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // As in `Character`.
pub struct CharacterParts {
    pub name: String,
    pub rig: Rig,
    pub meshes: Vec<Mesh>,
    pub skins: Vec<Skin>,
    pub materials: Vec<Material>,
    pub textures: Vec<Texture>,
    pub images: Vec<Image>,
    pub clips: Vec<Clip>,
    pub meta: Meta,
}

impl CharacterParts {
    /// A body of joints alone: no meshes, no clips.
    pub fn of(name: impl Into<String>, rig: Rig) -> Self {
        Self {
            name: name.into(),
            rig,
            meshes: Vec::new(),
            skins: Vec::new(),
            materials: Vec::new(),
            textures: Vec::new(),
            images: Vec::new(),
            clips: Vec::new(),
            meta: Meta::default(),
        }
    }
}

/// Parts that do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what} {index} {problem}")]
pub struct CharacterError {
    /// `"mesh"`, `"skin"`, `"clip"`, `"texture"` or `"image"`.
    pub what: &'static str,
    /// Which one.
    pub index: usize,
    /// What is wrong with it.
    pub problem: &'static str,
}

impl Character {
    /// From this value on a channel of visibility shows.
    pub const SHOWN_FROM: f32 = 0.5;

    /// Puts the parts together. A missing material list gets glTF's default material.
    ///
    /// # Errors
    /// Where an index points outside its list, arrays of one geometry differ in length, an
    /// influence points outside its skin, or a track does not fit its target. After this nothing
    /// in the per-frame path can fail.
    pub fn new(parts: CharacterParts) -> Result<Self, CharacterError> {
        let mut parts = parts;
        if parts.materials.is_empty() {
            parts.materials.push(Material::default());
        }
        check(&parts)?;
        let CharacterParts { name, rig, meshes, skins, materials, textures, images, clips, meta } =
            parts;
        let layout = PaletteLayout::new(&meshes, &skins, rig.skeleton.len());
        let (switches, switch_ends) = switches(&rig, &meshes);
        Ok(Self {
            name,
            rig,
            meshes,
            skins,
            materials,
            textures,
            images,
            clips,
            meta,
            layout,
            switches,
            switch_ends,
        })
    }

    /// The parts, to edit and put together again.
    pub fn into_parts(self) -> CharacterParts {
        let Self { name, rig, meshes, skins, materials, textures, images, clips, meta, .. } = self;
        CharacterParts { name, rig, meshes, skins, materials, textures, images, clips, meta }
    }

    /// Which matrices the palette holds.
    #[inline]
    pub fn palette_layout(&self) -> &PaletteLayout {
        &self.layout
    }

    /// The channels that can hide a mesh: those of its joint and of all joints above.
    ///
    /// # Panics
    /// Where `mesh` is not of this character.
    #[inline]
    pub fn switches(&self, mesh: usize) -> &[ChannelId] {
        let start = mesh.checked_sub(1).map_or(0, |before| self.switch_ends[before]);
        &self.switches[start as usize..self.switch_ends[mesh] as usize]
    }

    /// Whether a mesh is drawn in a pose with these channels: it is in the scene, and nothing hides
    /// it.
    ///
    /// # Panics
    /// Where `mesh` or `channels` are not of this character.
    #[inline]
    pub fn is_drawn(&self, mesh: usize, channels: &[f32]) -> bool {
        self.meshes[mesh].shown
            && self.switches(mesh).iter().all(|c| channels[c.index()] >= Self::SHOWN_FROM)
    }

    /// The first clip of that name, exactly; else the first that equals it without regard to case.
    pub fn find_clip(&self, name: &str) -> Option<ClipId> {
        let clips = || self.clips.iter();
        clips()
            .position(|c| c.name == name)
            .or_else(|| clips().position(|c| c.name.eq_ignore_ascii_case(name)))
            .map(ClipId::new)
    }

    /// One clip.
    ///
    /// # Panics
    /// Where `id` is not of this character.
    #[inline]
    pub fn clip(&self, id: ClipId) -> &Clip {
        &self.clips[id.index()]
    }

    /// Lowest and highest corner of all drawn meshes in a pose, exact, in model space moved by
    /// `pose.root`. `None` where nothing is shown. Visits every vertex.
    pub fn bounds(&self, pose: &Pose) -> Option<(Vec3, Vec3)> {
        let mut model = vec![Affine::IDENTITY; self.rig.skeleton.len()];
        pose.to_model(&self.rig.skeleton, &mut model);
        let mut palette = vec![Affine::IDENTITY; self.layout.len()];
        self.layout.write(&model, &mut palette);
        let mut out: Option<(Vec3, Vec3)> = None;
        for (i, mesh) in self.meshes.iter().enumerate() {
            if !self.is_drawn(i, pose.channels()) {
                continue;
            }
            let stage = vertex::VertexStage::new(self, i, &palette, pose.channels(), &pose.root);
            for v in 0..mesh.geometry.vertex_count() {
                let p = stage.position(v);
                if p.is_finite() {
                    let (lo, hi) = out.unwrap_or((p, p));
                    out = Some((lo.min(p), hi.max(p)));
                }
            }
        }
        out
    }
}

fn switches(rig: &Rig, meshes: &[Mesh]) -> (Vec<ChannelId>, Vec<u32>) {
    let all: Vec<(ChannelId, JointId)> = rig
        .channels
        .iter()
        .filter_map(|(id, c)| match c.kind {
            ChannelKind::Visibility(joint) => Some((id, joint)),
            _ => None,
        })
        .collect();
    // The nearest joint at or above each that a channel hides.
    let mut nearest: Vec<Option<JointId>> = vec![None; rig.skeleton.len()];
    for joint in rig.skeleton.joints() {
        let own = all.iter().any(|c| c.1 == joint).then_some(joint);
        let above = || rig.skeleton.parent(joint).and_then(|p| nearest[p.index()]);
        nearest[joint.index()] = own.or_else(above);
    }
    let (mut list, mut ends) = (Vec::new(), Vec::with_capacity(meshes.len()));
    for mesh in meshes {
        let mut at = nearest[mesh.joint.index()];
        while let Some(joint) = at {
            list.extend(all.iter().filter(|c| c.1 == joint).map(|c| c.0));
            at = rig.skeleton.parent(joint).and_then(|p| nearest[p.index()]);
        }
        ends.push(list.len() as u32);
    }
    (list, ends)
}

fn check(parts: &CharacterParts) -> Result<(), CharacterError> {
    let fail = |what, index, problem| Err(CharacterError { what, index, problem });
    let joints = parts.rig.skeleton.len();
    let channels = parts.rig.channels.len();
    for (i, skin) in parts.skins.iter().enumerate() {
        if skin.joints.len() != skin.inverse_binds.len() {
            return fail("skin", i, "has another number of inverse binds than joints");
        }
        if skin.joints.is_empty() {
            return fail("skin", i, "has no joints");
        }
        if skin.joints.iter().chain(&skin.root).any(|j| j.index() >= joints) {
            return fail("skin", i, "names a joint that does not exist");
        }
    }
    for (i, mesh) in parts.meshes.iter().enumerate() {
        let g = &mesh.geometry;
        let n = g.vertex_count();
        let fits = |len: usize| len == 0 || len == n;
        let morphs_fit = g
            .morphs
            .iter()
            .all(|m| fits(m.positions.len()) && fits(m.normals.len()) && fits(m.tangents.len()));
        if !(fits(g.normals.len())
            && fits(g.tangents.len())
            && fits(g.colors.len())
            && g.uvs.iter().all(|u| fits(u.len()))
            && morphs_fit)
        {
            return fail("mesh", i, "has attributes of different lengths");
        }
        if g.indices.iter().any(|&v| v as usize >= n) {
            return fail("mesh", i, "has an index beyond its vertices");
        }
        if mesh.morphs.len() != g.morphs.len() || mesh.morphs.end as usize > channels {
            return fail("mesh", i, "has another number of morph channels than morph targets");
        }
        if mesh.material.index() >= parts.materials.len() {
            return fail("mesh", i, "names a material that does not exist");
        }
        if mesh.joint.index() >= joints {
            return fail("mesh", i, "is carried by a joint that does not exist");
        }
        match mesh.binding {
            Binding::Rigid(joint) if joint.index() >= joints => {
                return fail("mesh", i, "follows a joint that does not exist");
            }
            Binding::Rigid(_) => {}
            Binding::Skin(skin) => {
                let Some(skin) = parts.skins.get(skin.index()) else {
                    return fail("mesh", i, "names a skin that does not exist");
                };
                let Some(f) = &g.influences else {
                    return fail("mesh", i, "has a skin but no influences");
                };
                if !matches!(f.per_vertex, 4 | 8)
                    || f.joints.len() != n * f.per_vertex
                    || f.weights.len() != n * f.per_vertex
                {
                    return fail("mesh", i, "has influences of a wrong length");
                }
                if f.joints.iter().any(|&j| usize::from(j) >= skin.joints.len()) {
                    return fail("mesh", i, "has an influence beyond its skin");
                }
            }
        }
    }
    for (i, texture) in parts.textures.iter().enumerate() {
        if texture.image.is_some_and(|t| t.index() >= parts.images.len()) {
            return fail("texture", i, "names an image that does not exist");
        }
    }
    for (i, image) in parts.images.iter().enumerate() {
        if image.rgba.len() as u64 != u64::from(image.width) * u64::from(image.height) * 4 {
            return fail("image", i, "has another number of bytes than its size says");
        }
    }
    for (i, clip) in parts.clips.iter().enumerate() {
        if !clip.fits(joints, channels) {
            return fail("clip", i, "has a track that names no joint or channel of the rig");
        }
    }
    for (i, m) in parts.materials.iter().enumerate() {
        if m.textures().any(|r| r.texture.index() >= parts.textures.len()) {
            return fail("material", i, "names a texture that does not exist");
        }
    }
    Ok(())
}

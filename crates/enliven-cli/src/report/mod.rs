//! What `enliven inspect` tells: one plain structure, written as JSON or as text.

mod person;
mod schema;
mod text;

use enliven::{
    AlphaMode, Binding, ChannelKind, Character, Diagnostic, Interpolation, JointId, Material, Pose,
    Property, Region, Shading, Side, Target, TextureRef, Topology, Wrap,
};

use crate::subject::Subject;

pub use person::*;
pub use schema::*;
pub use text::write;

/// How many moments of a clip are looked at for the extents of the posed body.
const EXTENT_SAMPLES: usize = 16;

impl Report {
    /// Gathers everything about a character that was read.
    #[must_use]
    pub fn new(subject: &Subject) -> Self {
        let (source, character) = (subject.source.clone(), &*subject.character);
        let diagnostics = &subject.diagnostics;
        let meshes: Vec<Mesh> = (0..character.meshes.len()).map(|i| mesh(character, i)).collect();
        let channels: Vec<Channel> = character.rig.channels.iter().map(channel).collect();
        let findings: Vec<Finding> = diagnostics.iter().map(finding).collect();
        let of_kind = |kind| channels.iter().filter(|channel| channel.kind == kind).count();
        let severe = |word| findings.iter().filter(|finding| finding.severity == word).count();
        let counts = Counts {
            joints: character.rig.skeleton.len(),
            meshes: meshes.len(),
            vertices: meshes.iter().map(|mesh| mesh.vertices).sum(),
            triangles: meshes.iter().map(|mesh| mesh.triangles).sum(),
            skins: character.skins.len(),
            morphs: of_kind("morph"),
            expressions: of_kind("expression"),
            clips: character.clips.len(),
            materials: character.materials.len(),
            textures: character.textures.len(),
            images: character.images.len(),
            errors: severe("error"),
            warnings: severe("warning"),
        };
        Self {
            file: source.file,
            format: source.format,
            bytes: source.bytes,
            name: character.name.clone(),
            meta: meta(&character.meta),
            extensions: source.extensions,
            counts,
            extents: extents(character),
            joints: joints(character),
            regions: regions(character),
            meshes,
            skins: skins(character),
            channels,
            clips: character.clips.iter().enumerate().map(clip).collect(),
            materials: character.materials.iter().enumerate().map(material).collect(),
            textures: textures(character),
            images: images(character),
            person: subject.person.as_ref().map(|p| PersonInfo::new(p, character)),
            motions: subject.motions.iter().map(MotionInfo::new).collect(),
            diagnostics: findings,
        }
    }
}

fn meta(meta: &enliven::Meta) -> Meta {
    let term = |(name, value): &(String, String)| Term { name: name.clone(), value: value.clone() };
    Meta {
        title: meta.title.clone(),
        version: meta.version.clone(),
        authors: meta.authors.clone(),
        license: meta.license.clone(),
        copyright: meta.copyright.clone(),
        generator: meta.generator.clone(),
        terms: meta.terms.iter().map(term).collect(),
    }
}

impl Extent {
    fn new((min, max): (enliven::glam::Vec3, enliven::glam::Vec3)) -> Self {
        Self { min: min.to_array(), max: max.to_array(), size: (max - min).to_array() }
    }
}

/// At rest, and over the whole of the first clip.
fn extents(character: &Character) -> Extents {
    let mut pose = Pose::rest(&character.rig);
    let rest = character.bounds(&pose);
    let mut posed = rest;
    if let Some(clip) = character.clips.first() {
        posed = None;
        let mut hints = vec![0; clip.tracks.len()];
        for sample in 0..EXTENT_SAMPLES {
            let time = clip.duration * sample as f32 / EXTENT_SAMPLES as f32;
            clip.sample(time, &mut hints, &mut pose);
            let Some((min, max)) = character.bounds(&pose) else { continue };
            let (low, high) = posed.unwrap_or((min, max));
            posed = Some((low.min(min), high.max(max)));
        }
    }
    Extents {
        rest: rest.map(Extent::new),
        posed: posed.map(Extent::new),
        height: character.rig.height,
    }
}

fn joints(character: &Character) -> Vec<Joint> {
    let skeleton = &character.rig.skeleton;
    let joint = |id: JointId| Joint {
        index: id.index(),
        name: skeleton.name(id).to_owned(),
        parent: skeleton.parent(id).map(JointId::index),
    };
    skeleton.joints().map(joint).collect()
}

fn regions(character: &Character) -> Vec<RegionPart> {
    let regions = &character.rig.regions;
    let own = Region::ALL.into_iter().filter(|region| regions.has(*region));
    let part = |region: Region| {
        let share =
            |part: &enliven::RegionJoint| Share { joint: part.joint.index(), share: part.share };
        let joints = regions.own_joints(region).iter().map(share).collect();
        RegionPart { region: region_name(region), joints }
    };
    own.map(part).collect()
}

/// `head`, `left-hand` and so on.
fn region_name(region: Region) -> String {
    let side = |side| if side == Side::Left { "left" } else { "right" };
    match region {
        Region::Eye(s) => format!("{}-eye", side(s)),
        Region::Pupil(s) => format!("{}-pupil", side(s)),
        Region::Ear(s) => format!("{}-ear", side(s)),
        Region::Shoulder(s) => format!("{}-shoulder", side(s)),
        Region::Arm(s) => format!("{}-arm", side(s)),
        Region::Forearm(s) => format!("{}-forearm", side(s)),
        Region::Hand(s) => format!("{}-hand", side(s)),
        Region::Leg(s) => format!("{}-leg", side(s)),
        Region::Shin(s) => format!("{}-shin", side(s)),
        Region::Foot(s) => format!("{}-foot", side(s)),
        whole => format!("{whole:?}").to_ascii_lowercase(),
    }
}

fn mesh(character: &Character, index: usize) -> Mesh {
    let mesh = &character.meshes[index];
    let geometry = &mesh.geometry;
    let (binding, skin) = match mesh.binding {
        Binding::Rigid(_) => ("rigid", None),
        Binding::Skin(skin) => ("skin", Some(skin.index())),
    };
    let corners =
        if geometry.indices.is_empty() { geometry.positions.len() } else { geometry.indices.len() };
    let (topology, triangles) = match geometry.topology {
        Topology::Points => ("points", 0),
        Topology::Lines => ("lines", 0),
        Topology::Triangles => ("triangles", corners / 3),
    };
    let mut attributes = vec!["position".to_owned()];
    for (there, name) in
        [(!geometry.normals.is_empty(), "normal"), (!geometry.tangents.is_empty(), "tangent")]
    {
        if there {
            attributes.push(name.to_owned());
        }
    }
    attributes.extend((0..geometry.uvs.len()).map(|set| format!("uv{set}")));
    if !geometry.colors.is_empty() {
        attributes.push("color".to_owned());
    }
    let (mut influences, mut influences_used) = (0, 0);
    if let Some(list) = &geometry.influences {
        influences = list.per_vertex;
        let used = |vertex: &[f32]| vertex.iter().filter(|weight| **weight > 0.0).count();
        let vertices = list.weights.chunks_exact(list.per_vertex.max(1));
        influences_used = vertices.map(used).max().unwrap_or(0);
    }
    Mesh {
        index,
        name: mesh.name.clone(),
        joint: mesh.joint.index(),
        material: mesh.material.index(),
        binding,
        skin,
        topology,
        vertices: geometry.vertex_count(),
        triangles,
        attributes,
        influences,
        influences_used,
        morphs: geometry.morphs.iter().map(|morph| morph.name.clone()).collect(),
        shown: mesh.shown,
    }
}

fn skins(character: &Character) -> Vec<Skin> {
    let skin = |(index, skin): (usize, &enliven::Skin)| Skin {
        index,
        name: skin.name.clone(),
        joints: skin.joints.len(),
        root: skin.root.map(JointId::index),
    };
    character.skins.iter().enumerate().map(skin).collect()
}

fn channel((id, channel): (enliven::ChannelId, &enliven::Channel)) -> Channel {
    let kind = match channel.kind {
        ChannelKind::Morph => "morph",
        ChannelKind::Expression => "expression",
        ChannelKind::Material => "material",
        ChannelKind::Visibility(_) => "visibility",
        ChannelKind::Deformer => "deformer",
        _ => "custom",
    };
    let name = channel.name.clone();
    Channel { index: id.index(), name, kind, default: channel.default, range: channel.range }
}

fn clip((index, clip): (usize, &enliven::Clip)) -> Clip {
    let interpolation = |track: &enliven::Track| match track.curve.interpolation() {
        Interpolation::Step => "step",
        Interpolation::Linear => "linear",
        Interpolation::CubicSpline => "cubic-spline",
        _ => "other",
    };
    let property = |property| match property {
        Property::Translation => "translation",
        Property::Rotation => "rotation",
        Property::Scale => "scale",
        Property::Euler => "euler",
        _ => "other",
    };
    let target = |track: &enliven::Track| match track.target {
        Target::Root(p) | Target::Joint(_, p) | Target::Component(_, p, _) => property(p),
        Target::Channel(_) => "channel",
        _ => "other",
    };
    let distinct = |mut words: Vec<&'static str>| {
        words.sort_unstable();
        words.dedup();
        words
    };
    Clip {
        index,
        name: clip.name.clone(),
        duration: clip.duration,
        tracks: clip.tracks.len(),
        keys: clip.key_count(),
        interpolations: distinct(clip.tracks.iter().map(interpolation).collect()),
        targets: distinct(clip.tracks.iter().map(target).collect()),
    }
}

fn material((index, material): (usize, &Material)) -> MaterialInfo {
    let toon = &material.toon;
    let slots: [(&'static str, Option<TextureRef>); 11] = [
        ("base-color", material.base_color_texture),
        ("metallic-roughness", material.metallic_roughness_texture),
        ("normal", material.normal_texture),
        ("occlusion", material.occlusion_texture),
        ("emissive", material.emissive_texture),
        ("shade", toon.shade_texture),
        ("shading-shift", toon.shading_shift_texture),
        ("matcap", toon.matcap_texture),
        ("rim", toon.rim_texture),
        ("outline-width", toon.outline_width_texture),
        ("uv-animation-mask", toon.uv_animation_mask),
    ];
    let textures = slots.into_iter().filter_map(|(slot, texture)| {
        let texture = texture?;
        Some(TextureUse { slot, texture: texture.texture.index(), uv_set: texture.uv_set })
    });
    let (alpha_mode, alpha_cutoff) = match material.alpha_mode {
        AlphaMode::Opaque => ("opaque", None),
        AlphaMode::Mask { cutoff } => ("mask", Some(cutoff)),
        AlphaMode::Blend => ("blend", None),
    };
    MaterialInfo {
        index,
        name: material.name.clone(),
        shading: match material.shading {
            Shading::Pbr => "pbr",
            Shading::Unlit => "unlit",
            Shading::Toon => "toon",
        },
        base_color: material.base_color.to_array(),
        metallic: material.metallic,
        roughness: material.roughness,
        emissive: material.emissive.to_array(),
        alpha_mode,
        alpha_cutoff,
        double_sided: material.double_sided,
        textures: textures.collect(),
    }
}

fn textures(character: &Character) -> Vec<Texture> {
    let wrap = |wrap| match wrap {
        Wrap::Repeat => "repeat",
        Wrap::Mirror => "mirror",
        Wrap::Clamp => "clamp",
    };
    let texture = |(index, texture): (usize, &enliven::Texture)| Texture {
        index,
        name: texture.name.clone(),
        image: texture.image.map(enliven::ImageId::index),
        wrap: [wrap(texture.sampler.wrap_u), wrap(texture.sampler.wrap_v)],
    };
    character.textures.iter().enumerate().map(texture).collect()
}

fn images(character: &Character) -> Vec<Image> {
    let image = |(index, image): (usize, &enliven::Image)| Image {
        index,
        name: image.name.clone(),
        width: image.width,
        height: image.height,
    };
    character.images.iter().enumerate().map(image).collect()
}

fn finding(diagnostic: &Diagnostic) -> Finding {
    Finding {
        code: diagnostic.code.to_owned(),
        severity: diagnostic.severity.as_str(),
        place: diagnostic.place.clone(),
        message: diagnostic.message.clone(),
    }
}

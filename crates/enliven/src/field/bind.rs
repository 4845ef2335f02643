//! A static character and its anatomy → a skinned character.

use super::{Anatomy, Eye, Surface, breath, prop};
use crate::{
    Affine, Binding, Character, CharacterError, CharacterParts, Diagnostic, Geometry, Influences,
    JointId, Mesh, Region, Regions, Rig, Severity, Side, Skeleton, Skin, SkinId, Target, Transform,
    math,
};
use glam::{Quat, Vec3};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How far a joint chain may stray from the exact turn, of the height.
const CHAIN_ERROR: f32 = 0.005;

/// Loose pieces smaller than this, of the height, keep their shape.
const STIFF: f32 = 0.3;

/// How far a lid behind an inset eye bulges, of the eye: a shut eye is not flat.
const LID_BULGE: f32 = 0.35;

/// A character that follows joints now, and what was noticed on the way.
#[derive(Debug)]
pub struct Bound {
    /// The skinned character. Its front is +Z.
    pub character: Character,
    /// What could not be bound.
    pub diagnostics: Vec<Diagnostic>,
}

/// How many joints a chain needs that turns by `limit` rad in all, so that vertices up to
/// `radius` metres from its pivot stay within half a hundredth of `height` of the exact turn.
///
/// A vertex between two joints of the chain is moved along the chord of an arc of limit/n, which
/// lies radius·(1 − cos(limit/2n)) inside the arc at most.
pub fn chain_length(limit: f32, radius: f32, height: f32) -> usize {
    // A fifth of the allowance is left to rounding and to turns about several axes.
    let allowed = (CHAIN_ERROR * 0.8 * height / radius.max(1e-9)).min(1.0);
    let step = 2.0 * math::acos(1.0 - allowed);
    libm::ceilf(limit / step.max(1e-3)).clamp(1.0, 16.0) as usize
}

/// Gives a static body joints: a root, a chain for the head, one for each eye, pupil, ear, arm and
/// leg, with skin weights from the anatomy's falloffs, and a morph target `breath`. Meshes that a
/// skin moves already are left alone; clips and names are kept.
///
/// # Errors
/// Where the parts do not fit together; not for a character that was checked before.
pub fn bind(character: &Character, anatomy: &Anatomy) -> Result<Bound, CharacterError> {
    let mut binder = Binder::new(character, anatomy);
    binder.head();
    binder.limbs();
    binder.prop();
    binder.eyes();
    binder.finish()
}

struct Binder<'a> {
    anatomy: &'a Anatomy,
    surface: Surface,
    parts: CharacterParts,
    /// Turns the file's front to +Z.
    turn: Quat,
    skeleton: Skeleton,
    model: Vec<Affine>,
    /// Joints and weights of each vertex of the surface.
    weights: Vec<Vec<(JointId, f32)>>,
    regions: Vec<(Region, Vec<(JointId, f32)>)>,
    lids: Vec<Mesh>,
    /// Morphs of the held blade.
    blade: Option<[Vec<(Vec3, Vec3)>; 7]>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Binder<'a> {
    fn new(character: &Character, anatomy: &'a Anatomy) -> Self {
        let surface = Surface::new(character);
        let parts = character.clone().into_parts();
        let front = Vec3::new(anatomy.front.x, 0.0, anatomy.front.z).normalize_or(Vec3::Z);
        let turn = math::rotation(Vec3::Y, -math::atan2(front.x, front.z));
        let old = &parts.rig.skeleton;
        let mut out = Self {
            anatomy,
            surface,
            turn,
            skeleton: Skeleton::new(),
            model: Vec::new(),
            weights: Vec::new(),
            regions: Vec::new(),
            lids: Vec::new(),
            blade: None,
            diagnostics: Vec::new(),
            parts: parts.clone(),
        };
        out.push("body".into(), None, Transform::from_rotation(turn));
        for j in old.joints() {
            let parent = old.parent(j).map_or(JointId(0), shifted);
            out.push(old.name(j).to_owned(), Some(parent), old.rest()[j.index()]);
        }
        // Vertices follow the node that a clip moves; else the root, so that a node's uneven
        // scale never meets a turn.
        let mut moved = vec![false; old.len()];
        for t in parts.clips.iter().flat_map(|c| &c.tracks) {
            if let Target::Joint(j, _) = t.target {
                moved[j.index()] = true;
            }
        }
        for j in old.joints() {
            moved[j.index()] |= old.parent(j).is_some_and(|p| moved[p.index()]);
        }
        let carriers: Vec<JointId> = parts
            .meshes
            .iter()
            .map(|m| match m.binding {
                Binding::Rigid(j) if moved[j.index()] => shifted(j),
                _ => JointId(0),
            })
            .collect();
        out.weights = out.surface.mesh.iter().map(|m| vec![(carriers[*m as usize], 1.0)]).collect();
        out.regions.push((Region::Body, vec![(JointId(0), 1.0)]));
        for region in Region::ALL {
            let own = parts.rig.regions.own_joints(region);
            if region != Region::Body && !own.is_empty() {
                let own = own.iter().map(|r| (shifted(r.joint), r.share)).collect();
                out.regions.push((region, own));
            }
        }
        out
    }

    /// Adds a joint. A parent always stands before it here, so adding cannot fail.
    fn push(&mut self, name: String, parent: Option<JointId>, rest: Transform) -> JointId {
        let parent = parent.filter(|p| p.index() < self.skeleton.len());
        let up = parent.map_or(Affine::IDENTITY, |p| self.model[p.index()]);
        self.model.push(up * Affine::from(&rest));
        self.skeleton
            .push(name, parent, rest)
            .unwrap_or_else(|_| JointId::new(self.model.len() - 1))
    }

    /// Adds a joint at a point of the file's space, with the axes of the bound model.
    fn joint(&mut self, name: String, parent: JointId, at: Vec3) -> JointId {
        let want = Affine::from(&Transform::from_translation(self.turn * at));
        let local = self.model[parent.index()].inverse().map_or(want, |up| up * want);
        self.push(name, Some(parent), local.to_transform())
    }

    /// The joint that a part hangs on: the one that its vertices follow most.
    fn carrier(&self, field: &[f32]) -> Option<JointId> {
        let mut sums: BTreeMap<JointId, f32> = BTreeMap::new();
        for (w, f) in self.weights.iter().zip(field).filter(|(_, f)| **f > 0.0) {
            for (j, w) in w {
                *sums.entry(*j).or_default() += w * f;
            }
        }
        sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(j, _)| j)
    }

    /// Takes its part of each vertex from the joints that have it so far.
    fn follow(&mut self, field: &[f32], joint: JointId) {
        for (list, &f) in self.weights.iter_mut().zip(field).filter(|(_, f)| **f > 0.0) {
            list.iter_mut().for_each(|(_, w)| *w *= 1.0 - f);
            list.push((joint, f));
        }
    }

    fn missing(&mut self, what: String) {
        self.diagnostics.push(Diagnostic::new(
            Severity::Warning,
            "FIELD_EMPTY",
            what,
            "the falloff reaches no vertex: the part does not move",
        ));
    }

    /// A small loose piece does not shear: a button, a tooth, an eye follows as a whole.
    fn stiffen(&self, field: &mut [f32]) {
        let s = &self.surface;
        let mut sums = vec![(0.0f32, 0u32); s.pieces.len()];
        for (piece, f) in s.piece.iter().zip(field.iter()) {
            let sum = &mut sums[*piece as usize];
            *sum = (sum.0 + f, sum.1 + 1);
        }
        for (piece, f) in s.piece.iter().zip(field) {
            let size = s.pieces[*piece as usize].size().max_element();
            if size < STIFF * self.anatomy.height {
                let (sum, n) = sums[*piece as usize];
                *f = sum / n as f32;
            }
        }
    }

    fn head(&mut self) {
        let Some(head) = &self.anatomy.head else { return };
        let mut field = head.field.weights(&self.surface);
        self.stiffen(&mut field);
        let Some(parent) = self.carrier(&field) else { return self.missing("head".into()) };
        let reach = self
            .surface
            .points
            .iter()
            .zip(&field)
            .filter(|(_, f)| **f > 0.0 && **f < 1.0)
            .map(|(p, _)| p.distance(head.pivot))
            .fold(0.0, f32::max);
        let n = chain_length(head.limit, reach, self.anatomy.height);
        let mut chain = vec![parent];
        for i in 0..n {
            let name = if n == 1 { "head".into() } else { format!("head.{}", i + 1) };
            chain.push(self.joint(name, chain[i], head.pivot));
        }
        for (list, &f) in self.weights.iter_mut().zip(&field).filter(|(_, f)| **f > 0.0) {
            let x = f * n as f32;
            let k = (x as usize).min(n - 1);
            let part = x - k as f32;
            let stays: f32 = list.iter().filter(|(j, _)| *j != parent).map(|(_, w)| w).sum();
            let w = 1.0 - stays;
            list.retain(|(j, _)| *j != parent);
            list.push((chain[k], w * (1.0 - part)));
            list.push((chain[k + 1], w * part));
        }
        let share = 1.0 / n as f32;
        let joints = chain[1..].iter().map(|j| (*j, share)).collect();
        self.regions.push((Region::Head, joints));
    }

    fn limbs(&mut self) {
        let anatomy = self.anatomy;
        let ears = anatomy.ears.iter().map(|e| {
            (Region::Ear(e.side.unwrap_or(Side::Left)), name("ear", e.side), e.base, &e.field)
        });
        let arms = anatomy
            .arms
            .iter()
            .map(|a| (Region::Arm(a.side), name("arm", Some(a.side)), a.shoulder, &a.field));
        let legs = anatomy
            .legs
            .iter()
            .map(|l| (Region::Leg(l.side), name("leg", Some(l.side)), l.knee, &l.field));
        for (region, name, at, field) in ears.chain(arms).chain(legs) {
            let field = field.weights(&self.surface);
            let Some(parent) = self.carrier(&field) else {
                self.missing(name);
                continue;
            };
            let joint = self.joint(name, parent, at);
            self.follow(&field, joint);
            self.regions.push((region, vec![(joint, 1.0)]));
        }
    }

    /// A stem of joints from the grip up; the blade rides its tip.
    fn prop(&mut self) {
        let Some(held) = &self.anatomy.prop else { return };
        let stem = held.stem.weights(&self.surface);
        let blade = held.blade.weights(&self.surface);
        let any = |w: &[f32]| w.iter().any(|w| *w > 0.0);
        if !any(&stem) && !any(&blade) {
            return self.missing("prop".into());
        }
        // It goes with the hand that holds it.
        let reach = |hand: Vec3| hand.distance(held.grip);
        let hands = self.anatomy.arms.iter().filter(|a| reach(a.hand) < 0.1 * self.anatomy.height);
        let hand = hands.min_by(|a, b| reach(a.hand).total_cmp(&reach(b.hand))).and_then(|a| {
            let arm = self.regions.iter().find(|(r, _)| *r == Region::Arm(a.side));
            arm.and_then(|(_, j)| Some(j.first()?.0))
        });
        let Some(hand) = hand.or_else(|| self.carrier(&blade)).or_else(|| self.carrier(&stem))
        else {
            return;
        };
        let mut links = Vec::with_capacity(prop::LINKS);
        let mut parent = hand;
        for i in 0..prop::LINKS {
            let at = held.grip + (held.top - held.grip) * (i as f32 / prop::LINKS as f32);
            parent = self.joint(format!("stem.{}", i + 1), parent, at);
            links.push(parent);
        }
        for (v, f) in stem.iter().enumerate().filter(|(_, f)| **f > 0.0) {
            let (below, above, part) = prop::along(held, self.surface.points[v]);
            let w = &mut self.weights[v];
            w.iter_mut().for_each(|(_, w)| *w *= 1.0 - f);
            w.push((below.map_or(hand, |b| links[b]), f * (1.0 - part)));
            w.push((links[above], f * part));
        }
        self.follow(&blade, links[prop::LINKS - 1]);
        let share = 1.0 / prop::LINKS as f32;
        self.regions.push((Region::Prop, links.iter().map(|j| (*j, share)).collect()));
        self.blade = Some(prop::shapes(&self.surface, held, &blade));
    }

    fn eyes(&mut self) {
        let anatomy = self.anatomy;
        for eye in &anatomy.eyes {
            let side = eye.side.unwrap_or(Side::Left);
            let ball = eye.field.weights(&self.surface);
            let pupil = eye.pupil.as_ref().map(|p| p.field.weights(&self.surface));
            let Some(parent) = self.carrier(&ball) else {
                self.missing(name("eye", eye.side));
                continue;
            };
            if eye.inset {
                self.lid(eye, &ball, parent);
            }
            let joint = self.joint(name("eye", eye.side), parent, eye.center);
            self.follow(&ball, joint);
            self.regions.push((Region::Eye(side), vec![(joint, 1.0)]));
            if let Some(field) = pupil {
                if field.iter().any(|f| *f > 0.0) {
                    let pupil = self.joint(name("pupil", eye.side), joint, eye.center);
                    self.follow(&field, pupil);
                    self.regions.push((Region::Pupil(side), vec![(pupil, 1.0)]));
                } else {
                    self.missing(name("pupil", eye.side));
                }
            }
        }
    }

    /// A lid behind an eye that is let into the skin: the eye's own faces, flatter and a little
    /// behind, in the look of what surrounds them.
    fn lid(&mut self, eye: &Eye, ball: &[f32], parent: JointId) {
        let s = &self.surface;
        // What lies around the eye, by place.
        let mut around: BTreeMap<u32, usize> = BTreeMap::new();
        for (v, f) in ball.iter().enumerate() {
            if *f < 0.5 {
                around.entry(s.weld[v]).or_insert(v);
            }
        }
        let neighbour = |v: usize| around.get(&s.weld[v]).copied();
        // A socket of its own does not touch the eye: then the nearest skin.
        let nearest = || {
            let d = |v: &usize| s.points[*v].distance_squared(eye.center);
            (0..ball.len()).filter(|v| ball[*v] < 0.5).min_by(|a, b| d(a).total_cmp(&d(b)))
        };
        let touching = (0..ball.len()).filter(|v| ball[*v] > 0.5).find_map(neighbour);
        let Some(sample) = touching.or_else(nearest) else { return };
        let skin = &self.parts.meshes[s.mesh[sample] as usize];
        let start = s.starts[s.mesh[sample] as usize].unwrap_or(0);
        let mut g = Geometry::default();
        let mut places: BTreeMap<u32, u32> = BTreeMap::new();
        g.uvs = vec![Vec::new(); skin.geometry.uvs.len()];
        let back = -eye.forward * (0.002 * self.anatomy.height);
        let ahead = |v: usize| s.points[v].dot(eye.forward);
        let rim = (0..ball.len()).filter(|v| ball[*v] > 0.5).map(ahead).fold(f32::MAX, f32::min);
        for t in &s.triangles {
            if t.iter().any(|v| ball[*v as usize] <= 0.5) {
                continue;
            }
            for &v in t {
                let i = *places.entry(v).or_insert_with(|| {
                    let v = v as usize;
                    let sink = eye.forward * ((rim - ahead(v)) * (1.0 - LID_BULGE));
                    g.positions.push(self.turn * (s.points[v] + back + sink));
                    g.normals.push(self.turn * s.normals[v]);
                    let like =
                        neighbour(v).filter(|n| s.mesh[*n] == s.mesh[sample]).unwrap_or(sample)
                            - start;
                    for (to, from) in g.uvs.iter_mut().zip(&skin.geometry.uvs) {
                        to.extend(from.get(like));
                    }
                    g.colors.extend(skin.geometry.colors.get(like));
                    g.positions.len() as u32 - 1
                });
                g.indices.push(i);
            }
        }
        let n = g.positions.len();
        g.influences = Some(Influences {
            per_vertex: 4,
            // Joint numbers become places in the skin at the end.
            joints: (0..4 * n).map(|i| if i % 4 == 0 { parent.0 as u16 } else { 0 }).collect(),
            weights: (0..4 * n).map(|i| f32::from(i % 4 == 0)).collect(),
        });
        self.lids.push(Mesh {
            name: name("lid", eye.side),
            joint: JointId(0),
            geometry: Arc::new(g),
            material: skin.material,
            binding: Binding::Rigid(JointId(0)),
            morphs: 0..0,
            shown: true,
        });
    }

    fn finish(mut self) -> Result<Bound, CharacterError> {
        let breathing = breath::deltas(&self.surface, self.anatomy);
        let channel = self.parts.rig.channels.len() as u32;
        let leaf = channel + u32::from(breathing.is_some());
        // Which joints the skin lists: every one that a vertex follows.
        let mut places: BTreeMap<JointId, u16> = BTreeMap::new();
        let lid_joints = self.lids.iter().flat_map(|m| m.geometry.influences.iter());
        let lid_joints = lid_joints.flat_map(|f| f.joints.iter().map(|j| JointId(u32::from(*j))));
        let all = self.weights.iter().flatten().filter(|(_, w)| *w > 0.0).map(|(j, _)| *j);
        for j in all.chain(lid_joints) {
            places.entry(j).or_insert(0);
        }
        places.values_mut().enumerate().for_each(|(i, p)| *p = i as u16);
        let skin_id = SkinId::new(self.parts.skins.len());
        let old_model = self.parts.rig.skeleton.rest_model();
        let mut used = false;
        for (i, mesh) in self.parts.meshes.iter_mut().enumerate() {
            mesh.joint = shifted(mesh.joint);
            let Binding::Rigid(joint) = mesh.binding else { continue };
            mesh.binding = Binding::Rigid(shifted(joint));
            let Some(start) = self.surface.starts[i] else { continue };
            let span = start..start + mesh.geometry.vertex_count();
            let lists = &self.weights[span.clone()];
            let breath = breathing.as_ref().map(|b| &b[span.clone()]);
            let breath = breath
                .filter(|b| mesh.geometry.morphs.is_empty() && b.iter().any(|d| d.0 != Vec3::ZERO));
            let carried = lists.iter().all(|l| l.len() == 1);
            if carried && breath.is_none() {
                continue;
            }
            let to = Affine::from(&Transform::from_rotation(self.turn)) * old_model[joint.index()];
            let mut g = baked(&mesh.geometry, &to);
            g.influences = Some(influences(lists, &places));
            if let Some(b) = breath {
                g.morphs.push(breath::target(b, self.turn));
                mesh.morphs = channel..channel + 1;
            } else if let Some(shapes) = &self.blade
                && g.morphs.is_empty()
                && shapes[2][span.clone()].iter().any(|d| d.0 != Vec3::ZERO)
            {
                g.morphs = prop::targets(shapes, span.clone(), self.turn);
                mesh.morphs = leaf..leaf + g.morphs.len() as u32;
            }
            mesh.geometry = Arc::new(g);
            mesh.binding = Binding::Skin(skin_id);
            used = true;
        }
        for mut lid in self.lids.drain(..) {
            let g = Arc::make_mut(&mut lid.geometry);
            if let Some(f) = &mut g.influences {
                for j in &mut f.joints {
                    *j = places.get(&JointId(u32::from(*j))).copied().unwrap_or(0);
                }
            }
            lid.binding = Binding::Skin(skin_id);
            self.parts.meshes.push(lid);
            used = true;
        }
        for skin in &mut self.parts.skins {
            skin.joints.iter_mut().for_each(|j| *j = shifted(*j));
            skin.root = skin.root.map(shifted);
        }
        if used {
            let joints: Vec<JointId> = places.keys().copied().collect();
            let inverse_binds = joints
                .iter()
                .map(|j| self.model[j.index()].inverse().unwrap_or(Affine::IDENTITY))
                .collect();
            let root = Some(JointId(0));
            self.parts.skins.push(Skin { name: "body".into(), joints, inverse_binds, root });
        }
        for track in self.parts.clips.iter_mut().flat_map(|c| &mut c.tracks) {
            if let Target::Joint(j, p) = track.target {
                track.target = Target::Joint(shifted(j), p);
            }
        }
        let mut channels = self.parts.rig.channels.clone();
        if breathing.is_some() {
            channels.push(breath::channel());
        }
        if self.blade.is_some() {
            for c in prop::channels() {
                channels.push(c);
            }
        }
        let regions: Vec<(Region, &[(JointId, f32)])> =
            self.regions.iter().map(|(r, j)| (*r, &j[..])).collect();
        let regions = Regions::new(&self.skeleton, &regions);
        self.parts.rig = Rig::new(self.skeleton, channels, regions, self.anatomy.height);
        let character = Character::new(self.parts)?;
        Ok(Bound { character, diagnostics: self.diagnostics })
    }
}

/// Every joint moves up by one: the new root stands first.
fn shifted(j: JointId) -> JointId {
    JointId(j.0 + 1)
}

fn name(part: &str, side: Option<Side>) -> String {
    match side {
        Some(Side::Left) => format!("{part}.L"),
        Some(Side::Right) => format!("{part}.R"),
        None => part.into(),
    }
}

/// The geometry in another space.
fn baked(from: &Geometry, to: &Affine) -> Geometry {
    let mut g = from.clone();
    let mirror = to.determinant() < 0.0;
    let flip = if mirror { -1.0 } else { 1.0 };
    let normal = |n: &mut Vec3| *n = (to.transform_normal(*n) * flip).normalize_or(Vec3::Y);
    g.positions.iter_mut().for_each(|p| *p = to.transform_point(*p));
    g.normals.iter_mut().for_each(normal);
    for t in &mut g.tangents {
        let v = to.transform_vector(t.truncate()).normalize_or(Vec3::X);
        *t = v.extend(t.w * flip);
    }
    for m in &mut g.morphs {
        m.positions.iter_mut().for_each(|p| *p = to.transform_vector(*p));
        m.tangents.iter_mut().for_each(|t| *t = to.transform_vector(*t));
        // Differences of unit normals: exact for turns and even scale.
        let size = math::pow(to.determinant().abs(), -2.0 / 3.0);
        m.normals.iter_mut().for_each(|n| *n = to.transform_normal(*n) * (flip * size));
    }
    if mirror {
        g.indices.chunks_exact_mut(3).for_each(|t| t.swap(1, 2));
    }
    g
}

/// The strongest four influences a vertex, or eight where any vertex has need of them.
fn influences(lists: &[Vec<(JointId, f32)>], places: &BTreeMap<JointId, u16>) -> Influences {
    let count = |l: &Vec<(JointId, f32)>| l.iter().filter(|(_, w)| *w > 1e-4).count();
    let per_vertex = if lists.iter().any(|l| count(l) > 4) { 8 } else { 4 };
    let mut out = Influences { per_vertex, joints: Vec::new(), weights: Vec::new() };
    for list in lists {
        let mut list: Vec<(JointId, f32)> =
            list.iter().copied().filter(|(_, w)| *w > 0.0).collect();
        list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        list.truncate(per_vertex);
        for i in 0..per_vertex {
            let (j, w) = list.get(i).copied().unwrap_or((JointId(0), 0.0));
            // A place without weight is never read; 0 is always one.
            out.joints.push(places.get(&j).copied().unwrap_or(0));
            out.weights.push(w);
        }
    }
    out.normalize(1e-3);
    out
}

//! From names to indices: what a track path means on one body.

use crate::{
    Axis, Binding, ChannelId, Character, Clip, Curve, CurveKind, Diagnostic, JointId, NamedClip,
    PathError, Property, Severity, Skeleton, Target, Track, TrackPath,
};
use thiserror::Error;

/// Why a path binds to nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BindError {
    /// The text is no path.
    #[error(transparent)]
    Path(#[from] PathError),
    /// There is no such node.
    #[error("there is no node {0:?}")]
    NoNode(String),
    /// The node has no such object.
    #[error("the node has no {0:?}")]
    NoObject(String),
    /// There is no such property, or no such part of it.
    #[error("there is no property {0:?}")]
    NoProperty(String),
}

impl BindError {
    /// Stable code for a [`Diagnostic`].
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Path(_) => "TRACK_PATH_INVALID",
            Self::NoNode(_) => "TRACK_NODE_MISSING",
            Self::NoObject(_) => "TRACK_OBJECT_MISSING",
            Self::NoProperty(_) => "TRACK_PROPERTY_MISSING",
        }
    }
}

/// What a path is bound to.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// One target of one or more numbers.
    One(Target),
    /// Several channels, one number each.
    Channels(Vec<ChannelId>),
}

impl Bound {
    /// Numbers that a value has.
    pub fn width(&self) -> usize {
        match self {
            Self::One(t) => t.shape().0,
            Self::Channels(c) => c.len(),
        }
    }

    /// Its targets, in the order of the value's numbers.
    pub fn targets(&self) -> Vec<Target> {
        match self {
            Self::One(t) => vec![*t],
            Self::Channels(c) => c.iter().map(|c| Target::Channel(*c)).collect(),
        }
    }
}

/// Texts as numbers: the value of a channel that carries one is an index into this list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    list: Vec<String>,
}

impl Labels {
    /// The number of a text; a new text gets the next one.
    pub fn intern(&mut self, text: &str) -> f32 {
        let known = self.list.iter().position(|l| l == text);
        known.unwrap_or_else(|| {
            self.list.push(text.to_owned());
            self.list.len() - 1
        }) as f32
    }

    /// The text of a number.
    pub fn get(&self, number: f32) -> Option<&str> {
        if number >= 0.0 { self.list.get(number as usize).map(String::as_str) } else { None }
    }
}

/// A property that a host or an importer defines beside those of a transform.
#[derive(Clone, Debug)]
struct Custom {
    object: String,
    object_index: Option<String>,
    property: String,
    channels: Vec<ChannelId>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    id: String,
    skin: Vec<JointId>,
    morphs: Vec<(String, ChannelId)>,
    customs: Vec<Custom>,
}

/// What paths can name on one body: its nodes (joints), their transforms, morphs and skins, and
/// properties that are channels. Binding happens once, by name; what comes out is indices.
///
/// Where several nodes have one name, a path's directory (`parent/node.position`) chooses: the
/// first node in depth-first order whose ancestors have these names, else the first of all.
#[derive(Clone, Debug)]
pub struct Namespace<'a> {
    skeleton: &'a Skeleton,
    nodes: Vec<Node>,
    /// Joints, depth first from the root.
    order: Vec<JointId>,
    root: Option<JointId>,
    /// Texts of [`ValueKind::String`](crate::ValueKind::String) tracks bound so far.
    pub labels: Labels,
}

impl<'a> Namespace<'a> {
    /// The names of a skeleton, seen from `root`. Without one the body itself is the root: a path
    /// without a node moves [`Pose::root`](crate::Pose::root).
    pub fn new(skeleton: &'a Skeleton, root: Option<JointId>) -> Self {
        let mut children: Vec<Vec<JointId>> = vec![Vec::new(); skeleton.len()];
        let mut open = Vec::new();
        for j in skeleton.joints() {
            match skeleton.parent(j) {
                Some(p) => children[p.index()].push(j),
                None => open.push(j),
            }
        }
        if let Some(root) = root {
            open = vec![root];
        }
        open.reverse();
        let mut order = Vec::with_capacity(skeleton.len());
        while let Some(j) = open.pop() {
            order.push(j);
            open.extend(children[j.index()].iter().rev());
        }
        let nodes = vec![Node::default(); skeleton.len()];
        Self { skeleton, nodes, order, root, labels: Labels::default() }
    }

    /// The names of a character: nodes with their skins and morph targets.
    pub fn of(character: &'a Character) -> Self {
        let mut out = Self::new(&character.rig.skeleton, None);
        for mesh in &character.meshes {
            let node = &mut out.nodes[mesh.joint.index()];
            if let (Binding::Skin(skin), true) = (mesh.binding, node.skin.is_empty()) {
                node.skin.clone_from(&character.skins[skin.index()].joints);
            }
            if node.morphs.is_empty() {
                let names = mesh.geometry.morphs.iter().enumerate();
                let named = names.map(|(i, m)| (m.name.clone(), mesh.morph_channel(i)));
                node.morphs = named.collect();
            }
        }
        out
    }

    /// Gives a node a second, unique name (a UUID), by which a path may call it too.
    ///
    /// # Panics
    /// Where `joint` is not of the skeleton; the same holds for the other setters.
    pub fn set_id(&mut self, joint: JointId, id: impl Into<String>) {
        self.nodes[joint.index()].id = id.into();
    }

    /// Sets the joints that `node.bones[…]` means.
    pub fn set_skin(&mut self, joint: JointId, joints: &[JointId]) {
        self.nodes[joint.index()].skin = joints.to_vec();
    }

    /// Adds a morph target to a node, after its others.
    pub fn add_morph(&mut self, joint: JointId, name: impl Into<String>, channel: ChannelId) {
        self.nodes[joint.index()].morphs.push((name.into(), channel));
    }

    /// Defines a property of a node that is one or more channels: `visible`, or with an object
    /// `material.opacity`, `material[0].color`. An earlier definition of the same goes.
    pub fn define(
        &mut self,
        joint: JointId,
        object: &str,
        object_index: Option<&str>,
        property: &str,
        channels: &[ChannelId],
    ) {
        let customs = &mut self.nodes[joint.index()].customs;
        customs.retain(|c| !c.is(object, object_index, property));
        customs.push(Custom {
            object: object.to_owned(),
            object_index: object_index.map(str::to_owned),
            property: property.to_owned(),
            channels: channels.to_vec(),
        });
    }

    /// The node of that name or id: the root for none, for an empty one and for `.`; then the
    /// joints of the root's skin by name, then all nodes below it, depth first.
    pub fn find(&self, name: Option<&str>) -> Option<JointId> {
        match self.place("", name)? {
            Some(joint) => Some(joint),
            None => self.root,
        }
    }

    /// The node of a name with its directory; `Some(None)` is the body.
    fn place(&self, directory: &str, name: Option<&str>) -> Option<Option<JointId>> {
        let name = match name {
            None | Some("" | ".") => return Some(self.root),
            Some(name) => name,
        };
        let called = |j: JointId| self.skeleton.name(j) == name;
        if let Some(root) = self.root {
            if called(root) || self.nodes[root.index()].id == name {
                return Some(Some(root));
            }
            let bones = &self.nodes[root.index()].skin;
            if let Some(bone) = bones.iter().find(|j| called(**j)) {
                return Some(Some(*bone));
            }
        }
        let matches = |j: &&JointId| called(**j) || self.nodes[j.index()].id == name;
        let mut found = self.order.iter().filter(matches);
        let first = *found.next()?;
        if directory.is_empty() || self.is_below(first, directory) {
            return Some(Some(first));
        }
        Some(Some(found.find(|j| self.is_below(**j, directory)).copied().unwrap_or(first)))
    }

    /// Whether the names of the directory, from the last to the first, are those of ancestors.
    fn is_below(&self, joint: JointId, directory: &str) -> bool {
        let mut at = self.skeleton.parent(joint);
        let names = directory.split_terminator(['/', ':']).rev();
        for name in names {
            while at.is_some_and(|j| self.skeleton.name(j) != name) {
                at = at.and_then(|j| self.skeleton.parent(j));
            }
            let Some(found) = at else { return false };
            at = self.skeleton.parent(found);
        }
        true
    }

    /// What a path means here.
    ///
    /// # Errors
    /// [`BindError`] where it means nothing.
    pub fn bind(&self, path: &str) -> Result<Bound, BindError> {
        let p = TrackPath::parse(path)?;
        let no_node = || BindError::NoNode(p.node.unwrap_or("").to_owned());
        let mut place = self.place(p.directory, p.node).ok_or_else(no_node)?;
        let no_object = |name: &str| BindError::NoObject(name.to_owned());
        let mut object = p.object;
        if object == Some("bones") {
            let bones = place.map_or(&[][..], |j| &self.nodes[j.index()].skin);
            let index = p.object_index.ok_or_else(|| no_object("bones"))?;
            let named = bones.iter().find(|j| self.skeleton.name(**j) == index);
            let bone = named.or_else(|| bones.get(number(index)?));
            place = Some(*bone.ok_or_else(|| no_object(index))?);
            object = None;
        }
        let missing = || {
            let index = p.property_index.map(|i| format!("[{i}]")).unwrap_or_default();
            BindError::NoProperty(format!("{}{index}", p.property))
        };
        if let Some(joint) = place {
            let node = &self.nodes[joint.index()];
            let object_index = if p.object == object { p.object_index } else { None };
            let custom =
                node.customs.iter().find(|c| c.is(object.unwrap_or(""), object_index, p.property));
            if let Some(c) = custom {
                let channels = c.channels.iter().map(|c| ("", *c));
                return part(channels, p.property_index).ok_or_else(missing);
            }
            if let (None, "morphTargetInfluences") = (object, p.property) {
                let morphs = node.morphs.iter().map(|(name, c)| (name.as_str(), *c));
                return part(morphs, p.property_index)
                    .filter(|b| b.width() > 0)
                    .ok_or_else(missing);
            }
        }
        if let Some(object) = object {
            return Err(no_object(object));
        }
        let property = match p.property {
            "position" => Property::Translation,
            "quaternion" => Property::Rotation,
            "scale" => Property::Scale,
            "rotation" => Property::Euler,
            _ => return Err(missing()),
        };
        match (place, p.property_index) {
            (Some(j), None) => Ok(Bound::One(Target::Joint(j, property))),
            (None, None) => Ok(Bound::One(Target::Root(property))),
            (Some(j), Some(index)) if property != Property::Rotation => {
                let axis = match index {
                    "x" => Axis::X,
                    "y" => Axis::Y,
                    "z" => Axis::Z,
                    _ => return Err(missing()),
                };
                Ok(Bound::One(Target::Component(j, property, axis)))
            }
            _ => Err(missing()),
        }
    }

    /// Binds every track of a clip. A track whose path means nothing here, or whose values do not
    /// fit its target, is left out and reported; nothing else moves.
    pub fn bind_clip(&mut self, clip: &NamedClip) -> (Clip, Vec<Diagnostic>) {
        let mut report = Vec::new();
        let mut tracks = Vec::with_capacity(clip.tracks.len());
        for (i, track) in clip.tracks.iter().enumerate() {
            let path = &track.target.path;
            let mut skip = |code, message: String| {
                let place = format!("{}[{i}] {path}", clip.name);
                report.push(Diagnostic::new(Severity::Warning, code, place, message));
            };
            let bound = match self.bind(path) {
                Ok(bound) => bound,
                Err(e) => {
                    skip(e.code(), format!("{e}: the track is left out"));
                    continue;
                }
            };
            let curve = self.relabelled(&track.curve, &track.target.labels);
            match fitted(&bound, curve) {
                Some(fitted) => tracks.extend(fitted),
                None => skip(
                    "TRACK_SHAPE_MISMATCH",
                    format!(
                        "values of {} numbers do not fit a target of {}: the track is left out",
                        track.curve.width(),
                        bound.width()
                    ),
                ),
            }
        }
        let out = Clip {
            name: clip.name.clone(),
            duration: clip.duration,
            additive: clip.additive,
            marks: clip.marks.clone(),
            tracks,
        };
        (out, report)
    }

    /// The numbers of a track's own labels become those of all.
    fn relabelled(&mut self, curve: &Curve, labels: &[String]) -> Curve {
        let mut out = curve.clone();
        if !labels.is_empty() {
            for v in &mut out.values {
                if let Some(label) = labels.get(*v as usize) {
                    *v = self.labels.intern(label);
                }
            }
        }
        out
    }
}

impl Custom {
    fn is(&self, object: &str, object_index: Option<&str>, property: &str) -> bool {
        self.object == object
            && self.object_index.as_deref() == object_index
            && self.property == property
    }
}

/// All channels of a list, or the one that an index names: by its name, a letter of a vector or
/// colour, or a number.
fn part<'n>(
    channels: impl Iterator<Item = (&'n str, ChannelId)> + Clone,
    index: Option<&str>,
) -> Option<Bound> {
    let Some(index) = index else {
        return Some(Bound::Channels(channels.map(|c| c.1).collect()));
    };
    let named = channels.clone().find(|c| !c.0.is_empty() && c.0 == index);
    let letter = |set: &str| if index.len() == 1 { set.find(index) } else { None };
    let at = || number(index).or_else(|| letter("xyzw")).or_else(|| letter("rgb"));
    let found = named.or_else(|| channels.clone().nth(at()?))?;
    Some(Bound::One(Target::Channel(found.1)))
}

/// A decimal number without sign or leading zeros.
fn number(text: &str) -> Option<usize> {
    let plain = text.bytes().all(|b| b.is_ascii_digit());
    if plain && (text.len() == 1 || !text.starts_with('0')) { text.parse().ok() } else { None }
}

/// A curve as tracks of what it is bound to; `None` where its shape does not fit.
fn fitted(bound: &Bound, mut curve: Curve) -> Option<Vec<Track>> {
    if curve.width() != bound.width() {
        return None;
    }
    match bound {
        Bound::One(target) => {
            let (_, rotation) = target.shape();
            if rotation && curve.kind == CurveKind::Numbers {
                // Four numbers on a rotation are one.
                curve.kind = CurveKind::Rotation;
                if curve.interpolation == crate::Interpolation::Smooth {
                    curve.interpolation = crate::Interpolation::Linear;
                }
            }
            let fits = rotation == curve.is_rotation();
            fits.then(|| vec![Track { target: *target, curve }])
        }
        Bound::Channels(channels) => channels
            .iter()
            .enumerate()
            .map(|(i, c)| Some(Track { target: Target::Channel(*c), curve: curve.component(i)? }))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interpolation, NamedTarget, Transform, ValueKind};

    fn skeleton() -> Skeleton {
        let mut s = Skeleton::new();
        let mut push = |name: &str, parent: Option<u32>| {
            s.push(name, parent.map(JointId), Transform::IDENTITY).expect("joint")
        };
        push("root", None);
        push("left", Some(0));
        push("right", Some(0));
        push("hand", Some(2));
        push("hand", Some(1));
        s
    }

    #[test]
    fn a_directory_chooses_among_namesakes() {
        let s = skeleton();
        let names = Namespace::new(&s, None);
        let at = |path: &str| names.bind(path).expect("bound");
        let hand = |j| Bound::One(Target::Joint(JointId(j), Property::Rotation));
        assert_eq!(at("hand.quaternion"), hand(4), "depth first: below left");
        assert_eq!(at("right/hand.quaternion"), hand(3));
        assert_eq!(at("root/left/hand.quaternion"), hand(4));
        assert_eq!(at("elsewhere/hand.quaternion"), hand(4));
        assert_eq!(at(".position"), Bound::One(Target::Root(Property::Translation)));
    }

    #[test]
    fn a_missing_target_is_skipped_and_reported() {
        let s = skeleton();
        let mut names = Namespace::new(&s, None);
        let track = |path: &str, width: usize| {
            let values = vec![0.0; width];
            let curve = Curve::new(vec![0.0], values, width, Interpolation::Linear);
            let target = NamedTarget::new(path, ValueKind::Vector);
            Track { target, curve: curve.expect("curve") }
        };
        let tracks =
            vec![track("tail.position", 3), track("left.position", 2), track("left.scale", 3)];
        let (clip, report) = names.bind_clip(&Clip::new("c", tracks));
        assert_eq!(clip.tracks.len(), 1);
        assert_eq!(clip.tracks[0].target, Target::Joint(JointId(1), Property::Scale));
        let codes: Vec<_> = report.iter().map(|d| d.code).collect();
        assert_eq!(codes, ["TRACK_NODE_MISSING", "TRACK_SHAPE_MISMATCH"]);
        assert!(report[0].place.contains("tail.position"));
    }

    #[test]
    fn labels_of_two_clips_share_one_list() {
        let s = skeleton();
        let mut names = Namespace::new(&s, None);
        names.define(JointId(1), "", None, "label", &[ChannelId(0)]);
        let mut bind = |texts: [&str; 2]| {
            let track = Track::labels("left.label", vec![0.0, 1.0], &texts).expect("track");
            names.bind_clip(&Clip::new("c", vec![track])).0
        };
        let (a, b) = (bind(["x", "y"]), bind(["y", "z"]));
        assert_eq!(a.tracks[0].curve.values(), [0.0, 1.0]);
        assert_eq!(b.tracks[0].curve.values(), [1.0, 2.0]);
        assert_eq!(names.labels.get(2.0), Some("z"));
        assert_eq!(names.labels.get(f32::NAN), None);
    }
}

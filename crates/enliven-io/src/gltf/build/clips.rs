//! Animations → clips.

use std::{ops::Range, sync::Arc};

use enliven::{
    ChannelId, ChannelKind, Channels, Clip, Curve, Interpolation, JointId, Material, Property,
    Target, Track,
};

use super::super::{
    accessor::{Component, Data, Fault},
    schema::{Animation, AnimationSampler, Channel, Document, Uint},
};
use super::{
    meshes::Meshes,
    pointers::{self, Factors},
};
use crate::{Diagnostic, Severity, findings::Findings};

/// What a track costs beside its keys, as a number of `f32`s.
const NUMBERS_A_TRACK: usize = 32;

/// Times of the keys of a sampler that can be used.
#[derive(Clone)]
struct Times {
    seconds: Arc<[f32]>,
    /// Keys in the file.
    written: usize,
    /// Which of them stay, when not all.
    kept: Option<Arc<[usize]>>,
}

/// What a channel of an animation moves.
enum Path {
    Joint(usize, Property),
    Weights(usize),
    Factors(Factors),
    Switch(ChannelId),
}

struct Reader<'a, 'b> {
    document: &'a Document,
    joints: &'a [JointId],
    /// Morph channels of each node.
    morphs: &'a [Range<u32>],
    materials: &'a [Material],
    channels: &'a mut Channels,
    /// Channels of nodes whose visibility is animated.
    switches: Vec<(usize, ChannelId)>,
    data: &'a Data<'b>,
    /// Of each accessor that was read as times.
    times: Vec<Option<Result<Times, ()>>>,
    found: &'a mut Findings,
}

pub(super) fn build(
    document: &Document,
    joints: &[JointId],
    meshes: &mut Meshes,
    materials: &[Material],
    data: &Data<'_>,
    found: &mut Findings,
) -> Vec<Clip> {
    let times = vec![None; document.accessors.len()];
    let Meshes { channels, morphs, .. } = meshes;
    let switches: Vec<(usize, ChannelId)> = pointers::switches(document)
        .into_iter()
        .map(|node| {
            let source = &document.nodes[node];
            let name = format!("{} visible", source.name.as_deref().unwrap_or_default());
            let rest = if pointers::is_hidden(source) { 0.0 } else { 1.0 };
            let kind = ChannelKind::Visibility(joints[node]);
            (node, channels.push(enliven::Channel::new(name, kind).with_default(rest)))
        })
        .collect();
    let mut reader =
        Reader { document, joints, morphs, materials, channels, switches, data, times, found };
    document
        .animations
        .iter()
        .enumerate()
        .map(|(a, animation)| {
            let mut tracks = Vec::with_capacity(animation.channels.len());
            for (c, channel) in animation.channels.iter().enumerate() {
                reader.channel(animation, channel, (a, c), &mut tracks);
            }
            Clip::new(animation.name.clone().unwrap_or_default(), tracks)
        })
        .collect()
}

impl Reader<'_, '_> {
    fn say(&mut self, severity: Severity, code: &'static str, place: String, message: String) {
        self.found.push(Diagnostic::new(severity, code, place, message));
    }

    fn fail(&mut self, code: &'static str, place: String, message: String) {
        self.say(Severity::Error, code, place, message);
    }

    fn channel(
        &mut self,
        animation: &Animation,
        channel: &Channel,
        (a, c): (usize, usize),
        tracks: &mut Vec<Track>,
    ) {
        let pointer = || format!("/animations/{a}/channels/{c}");
        let Some(path) = self.path(channel, &pointer) else { return };
        let index = channel.sampler.map(Uint::index);
        let Some(sampler) = index.and_then(|index| animation.samplers.get(index)) else {
            let message = "the channel names no sampler; left out".into();
            return self.fail("UNRESOLVED_REFERENCE", pointer() + "/sampler", message);
        };
        let place = || format!("/animations/{a}/samplers/{}", index.unwrap_or_default());
        let (Some(input), Some(output)) = (sampler.input, sampler.output) else {
            let message = "a sampler needs input and output; left out".into();
            return self.fail("UNDEFINED_PROPERTY", place(), message);
        };
        let interpolation = self.interpolation(sampler, &place);
        let Some(times) = self.times(input) else { return };
        let before = tracks.len();
        let made = match path {
            Path::Joint(node, property) => {
                let target = Target::Joint(self.joints[node], property);
                self.joint(target, property, output, times, interpolation, &place, tracks)
            }
            Path::Weights(node) => {
                let channels: Vec<_> = self.morphs[node].clone().map(ChannelId).collect();
                let values = self.data.floats::<1>(output).map(|values| values.into_flattened());
                values.and_then(|values| {
                    self.channels(&channels, values, times, interpolation, &place, tracks)
                })
            }
            Path::Switch(channel) => {
                let values = self.data.floats::<1>(output).map(|values| values.into_flattened());
                // A switch knows no middle, whatever the file says.
                let how = Interpolation::Step;
                values.and_then(|values| {
                    self.channels(&[channel], values, times, how, &place, tracks)
                })
            }
            Path::Factors(factors) => self.factor_values(factors, output).and_then(|values| {
                let channels = factors.channels(self.materials, self.channels);
                self.channels(&channels, values, times, interpolation, &place, tracks)
            }),
        };
        if let Err(Fault { code, pointer, message }) = made {
            tracks.truncate(before);
            let code = match code {
                "ACCESSOR_INVALID_FORMAT" => "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT",
                code => code,
            };
            self.fail(code, pointer, format!("{message}; the track is left out"));
        }
    }

    /// What the channel moves, when that is something.
    fn path(&mut self, channel: &Channel, pointer: &dyn Fn() -> String) -> Option<Path> {
        let target = &channel.target;
        let place = |property: &str| format!("{}/target{property}", pointer());
        let nodes = self.document.nodes.len();
        let (node, path) = match target.path.as_deref() {
            Some("pointer") => {
                let to = pointers::pointer(target);
                if let Some(factors) = pointers::factors(to, self.document, self.materials) {
                    return Some(Path::Factors(factors));
                }
                let known = |n: usize| self.switches.iter().find(|s| s.0 == n);
                if let Some((_, channel)) = pointers::switch(to).and_then(known) {
                    return Some(Path::Switch(*channel));
                }
                let Some((node, path)) = pointers::node(to) else {
                    let message =
                        format!("{to:?} is not animated; the track is kept with the document");
                    let place = place("/extensions/KHR_animation_pointer");
                    self.say(Severity::Warning, "ANIMATION_POINTER_NOT_APPLIED", place, message);
                    return None;
                };
                (node, path)
            }
            Some(path) => match target.node {
                Some(node) => (node.index(), path),
                None => {
                    let message = "the channel names no node; left out".into();
                    self.say(Severity::Warning, "ANIMATION_NO_TARGET", place(""), message);
                    return None;
                }
            },
            None => {
                let message = "the channel names no path; left out".into();
                self.fail("UNDEFINED_PROPERTY", place(""), message);
                return None;
            }
        };
        if node >= nodes {
            let message = format!("there is no node {node}; the track is left out");
            self.fail("UNRESOLVED_REFERENCE", place("/node"), message);
            return None;
        }
        match path {
            "translation" => Some(Path::Joint(node, Property::Translation)),
            "rotation" => Some(Path::Joint(node, Property::Rotation)),
            "scale" => Some(Path::Joint(node, Property::Scale)),
            "weights" if self.morphs[node].is_empty() => {
                let message = format!("node {node} has no morph targets; the track is left out");
                let code = "ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS";
                self.fail(code, place("/path"), message);
                None
            }
            "weights" => Some(Path::Weights(node)),
            other => {
                let message = format!("{other:?} is no path; the track is left out");
                self.fail("VALUE_NOT_IN_LIST", place("/path"), message);
                None
            }
        }
    }

    fn interpolation(
        &mut self,
        sampler: &AnimationSampler,
        place: &dyn Fn() -> String,
    ) -> Interpolation {
        match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => Interpolation::Linear,
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::CubicSpline,
            Some(other) => {
                let message = format!("{other:?} is no interpolation; linear stands in");
                self.fail("VALUE_NOT_IN_LIST", place() + "/interpolation", message);
                Interpolation::Linear
            }
        }
    }

    /// The keys' times, rising; keys that do not rise are left out.
    fn times(&mut self, index: Uint) -> Option<Times> {
        if let Some(Some(known)) = self.times.get(index.index()) {
            // Said when they were first read.
            return known.clone().ok();
        }
        let pointer = format!("/accessors/{}", index.0);
        let read = self.data.floats::<1>(index);
        let result = match read {
            Err(Fault { code, pointer, message }) => {
                let code = match code {
                    "ACCESSOR_INVALID_FORMAT" => "ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT",
                    code => code,
                };
                self.fail(code, pointer, format!("{message}; its tracks are left out"));
                Err(())
            }
            Ok(times) if times.is_empty() => {
                let message = "no keys; its tracks are left out".into();
                self.fail("ANIMATION_NO_KEYS", pointer, message);
                Err(())
            }
            Ok(times) => {
                let times = times.into_flattened();
                let rising = times[0] >= 0.0 && times.is_sorted_by(|a, b| a < b);
                let written = times.len();
                if rising {
                    Ok(Times { seconds: times.into(), written, kept: None })
                } else {
                    let mut kept: Vec<usize> = Vec::with_capacity(written);
                    let mut negative = 0usize;
                    for (k, time) in times.iter().enumerate() {
                        if *time < 0.0 {
                            negative += 1;
                        } else if kept.last().is_none_or(|last| times[*last] < *time) {
                            kept.push(k);
                        }
                    }
                    if negative > 0 {
                        let message = format!("{negative} keys before 0 s; left out");
                        let code = "ACCESSOR_ANIMATION_INPUT_NEGATIVE";
                        self.fail(code, pointer.clone(), message);
                    }
                    let same = written - negative - kept.len();
                    if same > 0 {
                        let message = format!("{same} keys not after the one before; left out");
                        let code = "ACCESSOR_ANIMATION_INPUT_NON_INCREASING";
                        self.fail(code, pointer, message);
                    }
                    let seconds = kept.iter().map(|k| times[*k]).collect();
                    let some = !kept.is_empty();
                    let times = Times { seconds, written, kept: Some(kept.into()) };
                    if some { Ok(times) } else { Err(()) }
                }
            }
        };
        if let Some(place) = self.times.get_mut(index.index()) {
            *place = Some(result.clone());
        }
        result.ok()
    }

    #[allow(clippy::too_many_arguments)] // One call; a struct of these would name them twice.
    fn joint(
        &mut self,
        target: Target,
        property: Property,
        output: Uint,
        times: Times,
        interpolation: Interpolation,
        place: &dyn Fn() -> String,
        tracks: &mut Vec<Track>,
    ) -> Result<(), Fault> {
        let mut values = match property {
            Property::Rotation => self.data.floats::<4>(output)?.into_flattened(),
            _ => self.data.floats::<3>(output)?.into_flattened(),
        };
        let (width, rotation) = target.shape();
        let parts = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let values_of_a_key = width * parts;
        counted(values.len(), times.written * values_of_a_key, width, place)?;
        if let Some(kept) = &times.kept {
            let key = |k: &usize| &values[k * values_of_a_key..][..values_of_a_key];
            values = kept.iter().flat_map(key).copied().collect();
        }
        if rotation {
            self.unit(&mut values, parts, output);
        }
        let curve = if rotation {
            Curve::rotation(times.seconds, values, interpolation)
        } else {
            Curve::new(times.seconds, values, width, interpolation)
        };
        let curve =
            curve.map_err(|error| Fault::new("ANIMATION_NO_CURVE", place(), error.to_string()))?;
        tracks.push(Track { target, curve });
        Ok(())
    }

    /// Makes key rotations unit quaternions; small errors stay as they are written, and those that
    /// come of integers' rounding are not said.
    fn unit(&mut self, values: &mut [f32], parts: usize, output: Uint) {
        let mut changed = 0usize;
        // Of a spline's key the value is the middle part.
        for key in values.chunks_exact_mut(4).skip(parts / 2).step_by(parts) {
            let length = key.iter().map(|number| number * number).sum::<f32>();
            if (length - 1.0).abs() <= 2e-3 {
                continue;
            }
            changed += 1;
            if length > 1e-30 && length < 1e30 {
                let by = length.sqrt();
                key.iter_mut().for_each(|number| *number /= by);
            } else {
                key.copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
            }
        }
        let float = self.data.format(output).is_ok_and(|format| format.component == Component::F32);
        if changed > 0 && float {
            let message = format!("{changed} rotations are not of unit length; made so");
            let place = format!("/accessors/{}", output.0);
            self.say(Severity::Error, "ACCESSOR_NON_UNIT", place, message);
        }
    }

    /// The numbers of a material over time.
    fn factor_values(&self, factors: Factors, output: Uint) -> Result<Vec<f32>, Fault> {
        let mut values = match factors.width {
            2 => self.data.floats::<2>(output)?.into_flattened(),
            3 => self.data.floats::<3>(output)?.into_flattened(),
            _ => self.data.floats::<4>(output)?.into_flattened(),
        };
        for value in &mut values {
            *value = (*value * factors.gain).clamp(f32::MIN, f32::MAX);
        }
        Ok(values)
    }

    /// One track a channel.
    fn channels(
        &self,
        channels: &[ChannelId],
        values: Vec<f32>,
        times: Times,
        interpolation: Interpolation,
        place: &dyn Fn() -> String,
        tracks: &mut Vec<Track>,
    ) -> Result<(), Fault> {
        let count = channels.len();
        let parts = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        counted(values.len(), times.written * count * parts, 1, place)?;
        let charge = count.saturating_mul(NUMBERS_A_TRACK);
        self.data.spend(charge, "/animations")?;
        for (k, channel) in channels.iter().enumerate() {
            // A key holds all in-tangents, then all values, then all out-tangents.
            let key = |key: usize| {
                let values = &values;
                (0..parts).map(move |part| values[(key * parts + part) * count + k])
            };
            let values: Vec<f32> = match &times.kept {
                Some(kept) => kept.iter().flat_map(|k| key(*k)).collect(),
                None => (0..times.written).flat_map(key).collect(),
            };
            let curve = Curve::new(times.seconds.clone(), values, 1, interpolation)
                .map_err(|error| Fault::new("ANIMATION_NO_CURVE", place(), error.to_string()))?;
            tracks.push(Track { target: Target::Channel(*channel), curve });
        }
        Ok(())
    }
}

fn counted(
    found: usize,
    needed: usize,
    width: usize,
    place: &dyn Fn() -> String,
) -> Result<(), Fault> {
    if found == needed {
        return Ok(());
    }
    let message = format!("{} values where {} are needed", found / width, needed / width);
    let code = "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT";
    Err(Fault::new(code, place() + "/output", message))
}

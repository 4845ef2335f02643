//! Animations: samplers, channels and what they move.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    codes::*,
    core::ANIMATION_PATHS,
    data::{Check, DataCheck},
    doc::objects,
    formats::{ANIMATION_INPUT, animation_output, describe},
    meshes::MeshFacts,
    model::{AccessorUse, Model},
    schema::{Json, Target, index},
    walk::Walker,
};

/// A sampler: existing accessors, and the interpolation where it is text.
struct Sampler<'a> {
    input: Option<usize>,
    output: Option<usize>,
    interpolation: Option<&'a str>,
    used: bool,
}

/// Checks all animations.
pub(super) fn check(
    walker: &mut Walker<'_>,
    model: &mut Model,
    meshes: &[Option<MeshFacts<'_>>],
    data: &mut Vec<DataCheck>,
) {
    let list = walker.report.enter("animations");
    let count = walker.doc.list(Target::Nodes).len();
    // Where a node's path was last animated, to find the ones before.
    let mut targets = BTreeMap::new();
    for (at, animation) in walker.doc.list_of("animations").iter().enumerate() {
        let Some(animation) = animation.as_object() else { continue };
        let (Some(channels), Some(samplers)) =
            (objects(animation, "channels"), objects(animation, "samplers"))
        else {
            continue;
        };
        let mark = walker.report.enter_index(at);
        let mut samplers = check_samplers(walker, model, data, samplers);
        targets.clear();
        let list = walker.report.enter("channels");
        for (at, channel) in channels.into_iter().enumerate() {
            let mark = walker.report.enter_index(at);
            check_channel(walker, model, meshes, data, &mut samplers, channel);
            walker.report.leave(mark);
            let has_sampler = index(channel, "sampler").is_some();
            if let Some(target) = channel_target(channel).filter(|(node, _)| *node < count)
                && let Some((before, true)) = targets.insert(target, (at, has_sampler))
            {
                let mark = walker.report.enter_index(before);
                walker.report.add_at("target", ANIMATION_DUPLICATE_TARGETS, || {
                    format!("channel {at} moves the same")
                });
                walker.report.leave(mark);
            }
        }
        walker.report.leave(list);
        let list = walker.report.enter("samplers");
        for (at, sampler) in samplers.iter().enumerate() {
            if !sampler.used {
                let mark = walker.report.enter_index(at);
                walker.report.add(UNUSED_OBJECT, || "no channel uses this sampler".into());
                walker.report.leave(mark);
            }
        }
        walker.report.leave(list);
        walker.report.leave(mark);
    }
    walker.report.leave(list);
}

fn check_samplers<'a>(
    walker: &mut Walker<'a>,
    model: &mut Model,
    data: &mut Vec<DataCheck>,
    samplers: Vec<&'a Json>,
) -> Vec<Sampler<'a>> {
    let list = walker.report.enter("samplers");
    let mut out = Vec::with_capacity(samplers.len());
    for (at, sampler) in samplers.into_iter().enumerate() {
        let mark = walker.report.enter_index(at);
        let accessor = |key| index(sampler, key).filter(|at| model.accessor(*at).is_some());
        let read = Sampler {
            input: accessor("input"),
            output: accessor("output"),
            interpolation: match sampler.get("interpolation") {
                None => Some("LINEAR"),
                Some(value) => value.as_str(),
            },
            used: false,
        };
        for (key, accessor, use_) in [
            ("input", read.input, AccessorUse::AnimationInput),
            ("output", read.output, AccessorUse::AnimationOutput),
        ] {
            let Some(accessor) = accessor else { continue };
            model.use_accessor(&mut walker.report, accessor, use_, key);
            if model.view_of(accessor).is_some_and(|view| view.stride.is_some()) {
                walker.report.add_at(key, ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE, || {
                    "a view of keys has no stride".into()
                });
            }
        }
        if let Some(input) = read.input {
            check_input(walker, model, data, input, read.interpolation);
        }
        out.push(read);
        walker.report.leave(mark);
    }
    walker.report.leave(list);
    out
}

fn check_input(
    walker: &mut Walker<'_>,
    model: &Model,
    data: &mut Vec<DataCheck>,
    at: usize,
    interpolation: Option<&str>,
) {
    let Some(accessor) = model.accessor(at) else { return };
    let report = &mut walker.report;
    let mark = report.enter("input");
    match accessor.format() {
        Some(ANIMATION_INPUT) => {
            data.push(DataCheck { accessor: at, place: report.place().into(), check: Check::Times })
        }
        format => report.add(ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT, || {
            format!("{} is no format for times", describe(format))
        }),
    }
    if !accessor.has_bounds() {
        report.add(ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS, || {
            "times need 'min' and 'max'".into()
        });
    }
    if interpolation == Some("CUBICSPLINE") && accessor.count.is_none_or(|count| count < 2) {
        report.add(ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS, || {
            "a cubic spline has at least 2 keys".into()
        });
    }
    report.leave(mark);
}

/// The node and path that a channel moves.
fn channel_target(channel: &Json) -> Option<(usize, &str)> {
    let target = channel.get("target")?.as_object()?;
    Some((index(target, "node")?, target.get("path")?.as_str()?))
}

fn check_channel<'a>(
    walker: &mut Walker<'a>,
    model: &Model,
    meshes: &[Option<MeshFacts<'_>>],
    data: &mut Vec<DataCheck>,
    samplers: &mut [Sampler<'_>],
    channel: &'a Json,
) {
    let target = channel.get("target").and_then(Value::as_object);
    let path = target.and_then(|target| target.get("path")).and_then(Value::as_str);
    let node = target.and_then(|target| index(target, "node"));
    let node_json = node.and_then(|node| walker.doc.get(Target::Nodes, node));
    let morphs = node_json
        .and_then(|node| index(node, "mesh"))
        .and_then(|mesh| meshes.get(mesh)?.as_ref())
        .and_then(|mesh| mesh.targets);
    if let (Some(node), Some(path)) = (node_json, path) {
        let mark = walker.report.enter("target");
        check_target(walker, node, path, morphs);
        walker.report.leave(mark);
    }

    let Some(at) = index(channel, "sampler") else { return };
    let mark = walker.report.enter("sampler");
    match samplers.get_mut(at) {
        None => walker.report.add(UNRESOLVED_REFERENCE, || format!("no element {at} in samplers")),
        Some(sampler) => {
            sampler.used = true;
            if let Some(output) = sampler.output
                && let Some(path) = path
            {
                check_output(walker, model, data, sampler, output, path, morphs);
            }
        }
    }
    walker.report.leave(mark);
}

fn check_target(walker: &mut Walker<'_>, node: &Json, path: &str, morphs: Option<usize>) {
    if path == "weights" {
        if morphs.is_none() {
            walker.report.add(ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS, || {
                "the node's mesh has no morph targets".into()
            });
        }
        return;
    }
    if !ANIMATION_PATHS.contains(&path) {
        return;
    }
    if super::rules::numbers::<16>(node, "matrix").is_some() {
        walker.report.add(ANIMATION_CHANNEL_TARGET_NODE_MATRIX, || {
            "a node with a matrix cannot be animated".into()
        });
    }
    let skin = index(node, "skin");
    if skin.is_some_and(|skin| walker.doc.get(Target::Skins, skin).is_some()) {
        walker.report.add_at("path", ANIMATION_CHANNEL_TARGET_NODE_SKIN, || {
            "moving the node of a skinned mesh has no effect".into()
        });
    }
}

fn check_output(
    walker: &mut Walker<'_>,
    model: &Model,
    data: &mut Vec<DataCheck>,
    sampler: &Sampler<'_>,
    output: usize,
    path: &str,
    morphs: Option<usize>,
) {
    let report = &mut walker.report;
    let Some(accessor) = model.accessor(output) else { return };
    let cubic = sampler.interpolation == Some("CUBICSPLINE");
    let Some(takes) = animation_output(path) else { return };
    let format = accessor.format();
    if path == "rotation" && format.is_some_and(|format| format.0.components() == 4) {
        data.push(DataCheck {
            accessor: output,
            place: report.place().into(),
            check: Check::Rotations { cubic },
        });
    }
    if !format.is_some_and(takes) {
        report.add(ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT, || {
            format!("{} is no format for {path}", describe(format))
        });
    }
    let input = sampler.input.and_then(|input| model.accessor(input)).and_then(|input| input.count);
    if let (Some(keys), Some(count), Some(_)) = (input, accessor.count, sampler.interpolation) {
        let a_key = if cubic { 3 } else { 1 };
        let values = if path == "weights" { morphs.unwrap_or(0) as u128 } else { 1 };
        let expected = u128::from(keys) * a_key * values;
        if expected != 0 && expected != count.into() {
            report.add(ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT, || {
                format!("{count} values where {expected} are expected")
            });
        }
    }
}

//! The rules of glTF 2.0, checked on the JSON as it was written.
//!
//! Tables describe every object and each extension (`core`, `extensions`); one walker checks a
//! document by them (`walk`). Rules between the properties of one object hang on the tables
//! (`rules`, `uri`); rules between objects are passes of their own (`model` for views and
//! accessors, `meshes`, `nodes`, `animations`); what the data hold comes last (`data`,
//! `images`).

mod animations;
mod codes;
mod core;
mod data;
mod doc;
mod extensions;
mod formats;
mod images;
mod meshes;
mod model;
mod nodes;
mod report;
mod rules;
mod schema;
mod tree;
mod uri;
mod walk;

use serde_json::Value;

pub(super) use self::rules::version;
use self::{
    codes::*,
    doc::Doc,
    model::Model,
    report::Report,
    schema::{Target, uint},
    walk::Walker,
};
use super::{Container, Resources, accessor::Data};
use crate::{Diagnostic, Limits, findings::Findings};

/// How many times as many numbers as an import may read the checks may read: they go over an
/// accessor once for its own bounds and once for each kind of use.
const NUMBERS_FACTOR: u64 = 3;

/// Everything in `json` and in the data that it refers to which breaks a rule of glTF 2.0, part by
/// part. Codes, severities and pointers are the Khronos validator's; of equal findings at one place
/// only the first is listed, and of one code the first hundred places.
///
/// Makes no assumption about `json`; takes time in proportion to the file and stops after
/// [`Limits::diagnostics`] findings.
pub fn validate(json: &Value, resources: &Resources, limits: &Limits) -> Vec<Diagnostic> {
    let read = |root| super::schema::Document::read(root, &mut Findings::new(0));
    let document = json.as_object().map(read).unwrap_or_default();
    check(json, &document, resources, limits)
}

/// As [`validate`], with the document read already.
pub(super) fn check(
    json: &Value,
    document: &super::schema::Document,
    resources: &Resources,
    limits: &Limits,
) -> Vec<Diagnostic> {
    let mut report = Report::new(limits.diagnostics);
    let Some(root) = json.as_object() else {
        report.add(TYPE_MISMATCH, || "the document is no object".into());
        return report.finish();
    };
    let glb = matches!(resources.container, Container::Glb { .. });
    let mut walker = Walker::new(Doc::new(root), report, glb);
    if !check_asset(&mut walker) {
        return walker.report.finish();
    }
    walker.object(root, &core::GLTF, root);

    let mut model = Model::new(&walker.doc);
    let mut checks = Vec::new();
    model::check_views(&mut walker, &model);
    model::check_accessors(&mut walker, &mut model);
    images::check_views(&mut walker, &mut model);
    let mut meshes = meshes::check(&mut walker, &mut model, &mut checks);
    let tree = nodes::check_nodes(&mut walker, &mut meshes);
    let skins = nodes::check_skins(&mut walker, &mut model, &tree, &mut checks);
    animations::check(&mut walker, &mut model, &meshes, &mut checks);
    nodes::check_scenes(&mut walker, &tree);
    nodes::check_hierarchy(&mut walker, &tree, &skins);
    meshes::unused_weights(&mut walker, &meshes);
    walker.unused();

    check_buffers(&mut walker, resources);
    let limits = Limits {
        numbers: limits.numbers.saturating_mul(NUMBERS_FACTOR),
        zeros: limits.zeros.saturating_mul(NUMBERS_FACTOR),
        ..limits.clone()
    };
    let reader = Data::new(document, &resources.buffers, &resources.views, &limits);
    data::check(&mut walker, &model, reader, &checks, &meshes, &skins);
    images::check_data(&mut walker, &resources.images);
    walker.report.finish()
}

/// Whether the document says that it is glTF 2. Nothing else is looked at in one that does not.
fn check_asset(walker: &mut Walker<'_>) -> bool {
    let root = walker.doc.root;
    match root.get("asset") {
        None => walker.report.add(UNDEFINED_PROPERTY, || "'asset' must be defined".into()),
        Some(value) => {
            let mark = walker.report.enter("asset");
            match value.as_object() {
                None => walker.mismatch(value, "object"),
                Some(asset) => walker.object(asset, &core::ASSET, root),
            }
            walker.report.leave(mark);
        }
    }
    rules::major_version(root) == Some(2)
}

/// Buffers against the bytes that there are.
fn check_buffers(walker: &mut Walker<'_>, resources: &Resources) {
    let list = walker.report.enter("buffers");
    for (at, buffer) in walker.doc.each(Target::Buffers) {
        let mark = walker.report.enter_index(at);
        // The first buffer of a GLB is its binary chunk, unless it says otherwise.
        let chunk = walker.glb && at == 0 && !buffer.contains_key("uri");
        let declared = uint(buffer, "byteLength", 1);
        match (declared, resources.buffers.get(at).and_then(Option::as_deref)) {
            (Some(_), None) if chunk => {
                walker.report.add(BUFFER_MISSING_GLB_DATA, || "the GLB has no binary chunk".into());
            }
            (Some(declared), Some(bytes)) => {
                let found = bytes.len() as u64;
                if found < declared {
                    walker.report.add(BUFFER_BYTE_LENGTH_MISMATCH, || {
                        format!("{declared} bytes declared, {found} found")
                    });
                } else if chunk && found > declared.next_multiple_of(4) {
                    walker.report.add(BUFFER_GLB_CHUNK_TOO_BIG, || {
                        format!("{} bytes more than declared", found - declared)
                    });
                }
            }
            _ => {}
        }
        walker.report.leave(mark);
    }
    walker.report.leave(list);
}

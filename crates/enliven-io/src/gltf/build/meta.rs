//! Who made the file and what one may do with it.

use enliven::Meta;
use serde_json::{Map, Value};

use super::super::schema::Document;

/// From `asset`, its extras as Sketchfab writes them, and VRM's own metadata.
pub(super) fn build(document: &Document, root: &Map<String, Value>) -> Meta {
    let asset = &document.asset;
    let mut meta = Meta {
        copyright: asset.copyright.clone().unwrap_or_default(),
        generator: asset.generator.clone().unwrap_or_default(),
        ..Meta::default()
    };
    let extension = |name: &str| root.get("extensions")?.get(name)?.get("meta")?.as_object();
    if let Some(vrm) = extension("VRMC_vrm") {
        take(&mut meta, vrm, &VRM1);
    }
    if let Some(vrm) = extension("VRM") {
        take(&mut meta, vrm, &VRM0);
    }
    if let Some(extras) = asset.extras.as_object() {
        take(&mut meta, extras, &EXTRAS);
    }
    meta
}

/// Names that a source has for the fields of [`Meta`].
struct Names {
    title: &'static [&'static str],
    version: &'static [&'static str],
    authors: &'static [&'static str],
    license: &'static [&'static str],
    copyright: &'static [&'static str],
}

const VRM1: Names = Names {
    title: &["name"],
    version: &["version"],
    authors: &["authors"],
    license: &["licenseUrl"],
    copyright: &["copyrightInformation"],
};
const VRM0: Names = Names {
    title: &["title"],
    version: &["version"],
    authors: &["author"],
    license: &["licenseName"],
    copyright: &[],
};
const EXTRAS: Names = Names {
    title: &["title"],
    version: &[],
    authors: &["author"],
    license: &["license"],
    copyright: &["copyright"],
};

/// Fills the fields that are still empty; everything else becomes a term.
fn take(meta: &mut Meta, source: &Map<String, Value>, names: &Names) {
    for (name, value) in source {
        let is = |names: &[&str]| names.contains(&name.as_str());
        let field = if is(names.title) {
            Some(&mut meta.title)
        } else if is(names.version) {
            Some(&mut meta.version)
        } else if is(names.license) {
            Some(&mut meta.license)
        } else if is(names.copyright) {
            Some(&mut meta.copyright)
        } else {
            None
        };
        let text = text(value);
        match field {
            Some(field) if field.is_empty() => *field = text,
            _ if is(names.authors) && meta.authors.is_empty() => match value {
                Value::Array(authors) => meta.authors = authors.iter().map(self::text).collect(),
                _ if text.is_empty() => {}
                _ => meta.authors = vec![text],
            },
            _ => meta.terms.push((name.clone(), text)),
        }
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(values) => values.iter().map(self::text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

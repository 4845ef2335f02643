//! The one checker that walks a document by the tables.

use serde_json::Value;

use super::{
    codes::*,
    doc::{Doc, list_name},
    extensions::{self, Extension},
    report::Report,
    schema::{Json, Kind, Object, Range, Target, integer, member},
};

/// The state of a check: what is read, what was found, and what later passes need to know.
pub(super) struct Walker<'a> {
    pub(super) doc: Doc<'a>,
    pub(super) report: Report,
    /// The JSON came out of a GLB.
    pub(super) glb: bool,
    /// One an element of `/materials`.
    pub(super) materials: Vec<MaterialFacts>,
    /// The material whose properties are being walked.
    pub(super) material: Option<usize>,
    /// `extensionsUsed`, where it is a list of texts.
    pub(super) declared: Vec<&'a str>,
    /// The declared extensions that have a table.
    loaded: Vec<&'static Extension>,
    used: Vec<Vec<bool>>,
}

/// What meshes must know of a material.
#[derive(Default)]
pub(super) struct MaterialFacts {
    /// A normal map or anisotropy texture needs a tangent space.
    pub(super) needs_tangents: bool,
    /// A normal map is there to make a tangent space for.
    pub(super) has_normal_map: bool,
    /// The texture coordinate sets that it reads, with the pointer to who reads.
    pub(super) uv_sets: Vec<(String, u64)>,
}

/// The lists whose elements may be unused, in the order of their findings.
const COUNTED: [Target; 13] = [
    Target::Accessors,
    Target::Buffers,
    Target::BufferViews,
    Target::Cameras,
    Target::Images,
    Target::Materials,
    Target::Meshes,
    Target::Nodes,
    Target::Samplers,
    Target::Skins,
    Target::Textures,
    Target::Lights,
    Target::Variants,
];

impl<'a> Walker<'a> {
    pub(super) fn new(doc: Doc<'a>, report: Report, glb: bool) -> Self {
        let declared: Option<Vec<&str>> = doc
            .root
            .get("extensionsUsed")
            .and_then(Value::as_array)
            .and_then(|list| list.iter().map(Value::as_str).collect());
        let declared = declared.unwrap_or_default();
        let loaded =
            extensions::ALL.iter().copied().filter(|e| declared.contains(&e.name)).collect();
        let used = COUNTED.map(|target| vec![false; doc.list(target).len()]).into();
        let mut materials = Vec::new();
        materials.resize_with(doc.list(Target::Materials).len(), MaterialFacts::default);
        Self { doc, report, glb, materials, material: None, declared, loaded, used }
    }

    /// Whether an extension is declared and has a table here.
    pub(super) fn is_loaded(&self, name: &str) -> bool {
        self.loaded.iter().any(|extension| extension.name == name)
    }

    /// Whether an extension has a table and that table knows no home of this name.
    pub(super) fn is_misplaced(&self, name: &str, home: &str) -> bool {
        let extension = self.loaded.iter().find(|extension| extension.name == name);
        extension.is_some_and(|extension| extension.homes.iter().all(|(name, _)| *name != home))
    }

    /// Notes that something refers to an element.
    pub(super) fn mark_used(&mut self, target: Target, index: usize) {
        if let Some(list) = COUNTED.iter().position(|t| *t == target)
            && let Some(used) = self.used[list].get_mut(index)
        {
            *used = true;
        }
    }

    /// Whether something referred to an element.
    pub(super) fn is_used(&self, target: Target, index: usize) -> bool {
        COUNTED
            .iter()
            .position(|t| *t == target)
            .and_then(|list| self.used[list].get(index))
            .copied()
            .unwrap_or(false)
    }

    /// Reports the elements of all lists that nothing refers to.
    pub(super) fn unused(&mut self) {
        for (target, used) in COUNTED.iter().zip(std::mem::take(&mut self.used)) {
            let start = self.report.mark();
            let steps = match target {
                Target::Lights => vec!["extensions", "KHR_lights_punctual", "lights"],
                Target::Variants => vec!["extensions", "KHR_materials_variants", "variants"],
                _ => vec![list_name(*target)],
            };
            if steps.len() > 1 && !self.is_loaded(steps[1]) {
                continue;
            }
            for step in steps {
                self.report.enter(step);
            }
            for (index, used) in used.into_iter().enumerate() {
                if !used && self.doc.get(*target, index).is_some() {
                    let mark = self.report.enter_index(index);
                    self.report.add(UNUSED_OBJECT, || "nothing refers to this object".into());
                    self.report.leave(mark);
                }
            }
            self.report.leave(start);
        }
    }

    /// Checks one object by its table. `holder` is the object that holds it.
    pub(super) fn object(&mut self, map: &'a Json, table: &'static Object, holder: &'a Json) {
        for key in map.keys() {
            let known = key == "extensions"
                || key == "extras"
                || table.properties.iter().any(|property| property.name == key);
            if !known {
                self.report.add_at(key, UNEXPECTED_PROPERTY, || {
                    format!("a {} has no such property", table.name)
                });
            }
        }
        for property in table.properties {
            if let Some((key, text)) = property.when
                && member(map, key).and_then(Value::as_str) != Some(text)
            {
                continue;
            }
            let value = member(map, property.name);
            if let Some(value) = value {
                let mark = self.report.enter(property.name);
                self.value(value, &property.kind, map);
                self.report.leave(mark);
            }
            if property.required && value.is_none_or(Value::is_null) {
                self.report
                    .add(UNDEFINED_PROPERTY, || format!("'{}' must be defined", property.name));
            }
        }
        self.extensions(map, table);
        if member(map, "extras").is_some_and(|extras| !extras.is_object() && !extras.is_null()) {
            self.report.add_at("extras", NON_OBJECT_EXTRAS, || "extras should be an object".into());
        }
        if let Some(rule) = table.rule {
            rule(self, map, holder);
        }
    }

    fn value(&mut self, value: &'a Value, kind: &'static Kind, holder: &'a Json) {
        match kind {
            Kind::Elsewhere => {}
            Kind::Bool => {
                if !value.is_boolean() {
                    self.mismatch(value, "boolean");
                }
            }
            Kind::Text | Kind::Pattern(..) | Kind::OneOf(_) | Kind::OneOfMore(..) => {
                self.text(value, kind);
            }
            Kind::Texts => self.texts(value),
            Kind::Integer(min, max) => match integer(value) {
                None => self.mismatch(value, "integer"),
                Some(number) if number < (*min).into() || number > (*max).into() => {
                    self.out_of_range(value);
                }
                Some(_) => {}
            },
            Kind::IntegerOf(allowed) => match integer(value) {
                None => self.mismatch(value, "integer"),
                Some(number) if !allowed.iter().any(|a| i128::from(*a) == number) => {
                    self.report
                        .add(VALUE_NOT_IN_LIST, || format!("{number} is none of {allowed:?}"));
                }
                Some(_) => {}
            },
            Kind::Number(range) => match value.as_f64() {
                None => self.mismatch(value, "number"),
                Some(number) if !range.holds(number) => self.out_of_range(value),
                Some(_) => {}
            },
            Kind::Numbers(length, range) => {
                self.numbers(value, *length, *range);
            }
            Kind::Ref(target) => self.reference(value, *target, true),
            Kind::Mention(target) => self.reference(value, *target, false),
            Kind::Refs(target) => self.references(value, *target),
            Kind::Object(table) => match value.as_object() {
                Some(map) => self.object(map, table, holder),
                None => self.mismatch(value, "object"),
            },
            Kind::List(table) => {
                if let Some(list) = self.list(value) {
                    let mut whole = true;
                    for element in list {
                        if !element.is_object() {
                            whole = false;
                            self.element_mismatch(element, "object");
                        }
                    }
                    if whole {
                        self.elements(list, table, holder);
                    }
                }
            }
            Kind::Collection(table) => {
                if let Some(list) = self.list(value) {
                    self.elements(list, table, holder);
                }
            }
        }
    }

    fn elements(&mut self, list: &'a [Value], table: &'static Object, holder: &'a Json) {
        let material = table.name == "material";
        for (index, element) in list.iter().enumerate() {
            let mark = self.report.enter_index(index);
            if material {
                self.material = Some(index);
            }
            match element.as_object() {
                Some(map) => self.object(map, table, holder),
                None => self.mismatch(element, "object"),
            }
            self.report.leave(mark);
        }
        if material {
            self.material = None;
        }
    }

    /// The elements of a list that is not empty.
    pub(super) fn list(&mut self, value: &'a Value) -> Option<&'a [Value]> {
        let Some(list) = value.as_array() else {
            self.mismatch(value, "array");
            return None;
        };
        if list.is_empty() {
            self.report.add(EMPTY_ENTITY, || "a list must not be empty".into());
            return None;
        }
        Some(list)
    }

    fn text(&mut self, value: &'a Value, kind: &'static Kind) {
        let Some(text) = value.as_str() else {
            self.mismatch(value, "string");
            return;
        };
        match kind {
            Kind::Pattern(accepts, what) if !accepts(text) => {
                self.report.add(PATTERN_MISMATCH, || format!("'{}' is not {what}", shorten(text)));
            }
            Kind::OneOf(allowed) if !allowed.contains(&text) => {
                self.report.add(VALUE_NOT_IN_LIST, || {
                    format!("'{}' is none of {}", shorten(text), allowed.join(", "))
                });
            }
            Kind::OneOfMore(allowed, more)
                if !allowed.contains(&text)
                    && !more.iter().any(|(e, more)| text == *more && self.is_loaded(e)) =>
            {
                self.report.add(VALUE_NOT_IN_LIST, || {
                    format!("'{}' is none of {}", shorten(text), allowed.join(", "))
                });
            }
            _ => {}
        }
    }

    fn texts(&mut self, value: &'a Value) {
        let Some(list) = self.list(value) else { return };
        let mut seen = std::collections::BTreeSet::new();
        for (index, element) in list.iter().enumerate() {
            let mark = self.report.enter_index(index);
            match element.as_str() {
                None => self.element_mismatch(element, "string"),
                Some(text) if !seen.insert(text) => {
                    self.report.add(DUPLICATE_ELEMENTS, || format!("'{}' again", shorten(text)));
                }
                Some(_) => {}
            }
            self.report.leave(mark);
        }
    }

    /// A list of numbers; `length` 0 means any. Says whether all is well.
    pub(super) fn numbers(&mut self, value: &'a Value, length: usize, range: Range) -> bool {
        let Some(list) = self.list(value) else { return false };
        if length != 0 && list.len() != length {
            self.report.add(ARRAY_LENGTH_NOT_IN_LIST, || {
                format!("{} numbers where {length} are expected", list.len())
            });
            return false;
        }
        let mut well = true;
        for (index, element) in list.iter().enumerate() {
            match element.as_f64() {
                None => {
                    well = false;
                    self.element_mismatch(element, "number");
                }
                Some(number) if !range.holds(number) => {
                    well = false;
                    let mark = self.report.enter_index(index);
                    self.out_of_range(element);
                    self.report.leave(mark);
                }
                Some(_) => {}
            }
        }
        well
    }

    fn reference(&mut self, value: &'a Value, target: Target, uses: bool) {
        match integer(value) {
            None => self.mismatch(value, "integer"),
            Some(number) => self.resolve(number, target, uses),
        }
    }

    fn references(&mut self, value: &'a Value, target: Target) {
        let Some(list) = self.list(value) else { return };
        let mut seen = std::collections::BTreeSet::new();
        for (index, element) in list.iter().enumerate() {
            let mark = self.report.enter_index(index);
            let number = integer(element).unwrap_or(-1);
            if number >= 0 && !seen.insert(number) {
                self.report.add(DUPLICATE_ELEMENTS, || format!("{number} again"));
            }
            self.resolve(number, target, true);
            self.report.leave(mark);
        }
    }

    /// Checks that an index at the current place points at an object.
    pub(super) fn resolve(&mut self, number: i128, target: Target, uses: bool) {
        if number < 0 {
            self.report.add(INVALID_INDEX, || "an index is an integer of at least 0".into());
            return;
        }
        let home = match target {
            Target::AnimationSamplers => return,
            Target::Lights => self.doc.extension("KHR_lights_punctual"),
            Target::Variants => self.doc.extension("KHR_materials_variants"),
            _ => Some(self.doc.root),
        };
        // An extension's rule reports that its root object is missing.
        if home.is_none() {
            return;
        }
        match usize::try_from(number).ok().filter(|index| self.doc.get(target, *index).is_some()) {
            None => self.report.add(UNRESOLVED_REFERENCE, || {
                format!("no element {number} in {}", list_name(target))
            }),
            Some(index) if uses => self.mark_used(target, index),
            Some(_) => {}
        }
    }

    fn extensions(&mut self, map: &'a Json, table: &'static Object) {
        let Some(value) = member(map, "extensions") else { return };
        let mark = self.report.enter("extensions");
        match value.as_object() {
            None => self.mismatch(value, "object"),
            Some(extensions) => {
                for (name, value) in extensions {
                    let mark = self.report.enter(name);
                    self.extension(name, value, extensions.len(), map, table);
                    self.report.leave(mark);
                }
            }
        }
        self.report.leave(mark);
    }

    fn extension(
        &mut self,
        name: &str,
        value: &'a Value,
        beside: usize,
        holder: &'a Json,
        table: &'static Object,
    ) {
        let map = value.as_object();
        if map.is_none() {
            self.mismatch(value, "object");
        }
        let Some(extension) = self.loaded.iter().find(|e| e.name == name).copied() else {
            if !self.declared.contains(&name) {
                self.report.add(UNDECLARED_EXTENSION, || {
                    format!("'{}' is not listed in extensionsUsed", shorten(name))
                });
            }
            return;
        };
        let Some((_, own)) = extension.homes.iter().find(|(home, _)| *home == table.name) else {
            self.report.add(UNEXPECTED_EXTENSION_OBJECT, || {
                format!("{name} does not belong on a {}", table.name)
            });
            return;
        };
        if extension.alone && beside > 1 {
            self.report
                .add(MULTIPLE_EXTENSIONS, || "may not go with the other extensions here".into());
        }
        if let Some(map) = map {
            self.object(map, own, holder);
        }
    }

    /// TYPE_MISMATCH at the current place.
    pub(super) fn mismatch(&mut self, value: &Value, expected: &str) {
        self.report.add(TYPE_MISMATCH, || format!("{} is no {expected}", shown(value)));
    }

    /// ARRAY_TYPE_MISMATCH at the current place.
    pub(super) fn element_mismatch(&mut self, value: &Value, expected: &str) {
        self.report
            .add(ARRAY_TYPE_MISMATCH, || format!("element {} is no {expected}", shown(value)));
    }

    fn out_of_range(&mut self, value: &Value) {
        self.report.add(VALUE_NOT_IN_RANGE, || format!("{} is out of range", shown(value)));
    }
}

/// Text for a message: 40 characters at most.
pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A value for a message, without what is inside it.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => shorten(&value.to_string()),
        Value::String(text) => format!("'{}'", shorten(text)),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(map) => format!("an object of {}", map.len()),
    }
}

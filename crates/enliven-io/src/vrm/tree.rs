//! Reading values out of JSON that may be anything: each part fails alone.

use enliven::glam::{Quat, Vec3};
use serde_json::{Map, Value};

use crate::{Diagnostic, Severity};

/// A value with its place, and where findings go.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) value: &'a Value,
    path: &'a Path<'a>,
}

/// A JSON pointer as a chain on the stack: text is made only where something is wrong.
pub(super) enum Path<'a> {
    Root(&'a str),
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl Path<'_> {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Root(text) => (*text).to_owned(),
            Self::Key(up, key) => {
                format!("{}/{}", up.text(), key.replace('~', "~0").replace('/', "~1"))
            }
            Self::Index(up, index) => format!("{}/{index}", up.text()),
        }
    }
}

impl<'a> At<'a> {
    pub(super) fn new(value: &'a Value, path: &'a Path<'a>) -> Self {
        Self { value, path }
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.value.get(key).filter(|v| !v.is_null())
    }

    pub(super) fn path(&self) -> &'a Path<'a> {
        self.path
    }

    pub(super) fn say(
        &self,
        found: &mut Vec<Diagnostic>,
        code: &'static str,
        message: impl Into<String>,
    ) {
        found.push(Diagnostic::new(Severity::Error, code, self.path.text(), message));
    }

    /// Says what works, but probably not as meant.
    pub(super) fn warn(
        &self,
        found: &mut Vec<Diagnostic>,
        code: &'static str,
        message: impl Into<String>,
    ) {
        found.push(Diagnostic::new(Severity::Warning, code, self.path.text(), message));
    }

    /// A finite number; one that is not, or no number at all, is the default with a finding.
    pub(super) fn number(&self, key: &str, default: f32, found: &mut Vec<Diagnostic>) -> f32 {
        let Some(value) = self.get(key) else { return default };
        match value.as_f64().map(|v| v as f32).filter(|v| v.is_finite()) {
            Some(v) => v,
            None => {
                let path = Path::Key(self.path, key);
                let message = format!("{value} is no usable number; {default} stands in");
                found.push(Diagnostic::new(
                    Severity::Error,
                    "VRM_VALUE_INVALID",
                    path.text(),
                    message,
                ));
                default
            }
        }
    }

    /// A number that is not negative.
    pub(super) fn positive(&self, key: &str, default: f32, found: &mut Vec<Diagnostic>) -> f32 {
        let v = self.number(key, default, found);
        if v >= 0.0 {
            return v;
        }
        let path = Path::Key(self.path, key);
        let message = format!("{v} is negative; 0 stands in");
        found.push(Diagnostic::new(Severity::Error, "VRM_VALUE_INVALID", path.text(), message));
        0.0
    }

    pub(super) fn text(&self, key: &str) -> Option<&'a str> {
        self.get(key)?.as_str()
    }

    pub(super) fn flag(&self, key: &str) -> bool {
        self.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    /// An index; `None` where there is none, or −1, which VRM 0.x writes for none.
    pub(super) fn index(&self, key: &str) -> Option<usize> {
        index(self.get(key)?)
    }

    /// `[x, y, z]`, or VRM 0.x's `{x, y, z}`.
    pub(super) fn vector(&self, key: &str) -> Option<Vec3> {
        let v = self.get(key)?;
        let part = |i: usize, name: &str| {
            let n = v.get(i).or_else(|| v.get(name)).map_or(Some(0.0), Value::as_f64)?;
            Some(n as f32)
        };
        let v = Vec3::new(part(0, "x")?, part(1, "y")?, part(2, "z")?);
        v.is_finite().then_some(v)
    }

    pub(super) fn quaternion(&self, key: &str) -> Option<Quat> {
        let v = self.get(key)?.as_array()?;
        let n: Vec<f32> = v.iter().filter_map(Value::as_f64).map(|v| v as f32).collect();
        let [x, y, z, w] = n[..] else { return None };
        let q = Quat::from_xyzw(x, y, z, w);
        (q.is_finite() && q.length_squared() > 1e-12).then(|| q.normalize())
    }
}

/// A non-negative whole number.
pub(super) fn index(value: &Value) -> Option<usize> {
    if let Some(i) = value.as_u64() {
        return usize::try_from(i).ok();
    }
    let f = value.as_f64()?;
    (f >= 0.0 && f.fract() == 0.0 && f < 9e15).then_some(f as usize)
}

pub(super) fn entries(value: Option<&Value>) -> impl Iterator<Item = (usize, &Value)> {
    value.and_then(Value::as_array).into_iter().flatten().enumerate()
}

pub(super) fn pairs(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    static NONE: std::sync::OnceLock<Map<String, Value>> = std::sync::OnceLock::new();
    value.and_then(Value::as_object).unwrap_or_else(|| NONE.get_or_init(Map::new)).iter()
}

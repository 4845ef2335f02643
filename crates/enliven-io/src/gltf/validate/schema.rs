//! A compact way to describe the shape of JSON objects, for tables.

use serde_json::{Map, Value};

use super::walk::Walker;

/// A JSON object as it was written.
pub(super) type Json = Map<String, Value>;

/// The description of one kind of object.
pub(super) struct Object {
    /// What extensions call it: where they may stand is told by this.
    pub(super) name: &'static str,
    pub(super) properties: &'static [Property],
    /// Rules between the properties of one object, run after the properties.
    pub(super) rule: Option<Rule>,
}

/// A rule on one object: the walker, the object, and the object that holds it.
pub(super) type Rule = for<'w, 'a> fn(&'w mut Walker<'a>, &'a Json, &'a Json);

/// One property of an object.
pub(super) struct Property {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) required: bool,
    /// Applies only where another property has this text: `("type", "spot")`.
    pub(super) when: Option<(&'static str, &'static str)>,
}

/// What a value must be.
pub(super) enum Kind {
    Bool,
    Text,
    /// Text that a function accepts; the second member says what it accepts.
    Pattern(fn(&str) -> bool, &'static str),
    OneOf(&'static [&'static str]),
    /// As `OneOf`, with the values that loaded extensions add.
    OneOfMore(&'static [&'static str], &'static [(&'static str, &'static str)]),
    /// A list of different texts.
    Texts,
    /// An integer in a range, ends included.
    Integer(u64, u64),
    IntegerOf(&'static [u64]),
    Number(Range),
    /// A list of numbers of this length; 0: any length.
    Numbers(usize, Range),
    /// An index into a list.
    Ref(Target),
    /// An index that does not count as a use of what it points at.
    Mention(Target),
    /// A list of different indices.
    Refs(Target),
    Object(&'static Object),
    /// A list of objects; one that is no object spoils the list.
    List(&'static Object),
    /// A list of objects at the root; one that is no object is only itself spoilt.
    Collection(&'static Object),
    /// Known here, checked by a pass of its own.
    Elsewhere,
}

/// The lists that indices point into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Accessors,
    Buffers,
    BufferViews,
    Cameras,
    Images,
    Materials,
    Meshes,
    Nodes,
    Samplers,
    Scenes,
    Skins,
    Textures,
    /// `/extensions/KHR_lights_punctual/lights`
    Lights,
    /// `/extensions/KHR_materials_variants/variants`
    Variants,
    /// The samplers of the same animation: resolved by the animation pass.
    AnimationSamplers,
}

/// The numbers that are allowed.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) without_min: bool,
    pub(super) without_max: bool,
    /// Allowed although outside.
    pub(super) also: Option<f64>,
}

impl Range {
    pub(super) const ANY: Self = Self::new(f64::MIN, f64::MAX);
    pub(super) const UNIT: Self = Self::new(0.0, 1.0);
    pub(super) const SIGNED_UNIT: Self = Self::new(-1.0, 1.0);
    pub(super) const NOT_NEGATIVE: Self = Self::new(0.0, f64::MAX);
    pub(super) const POSITIVE: Self = Self { without_min: true, ..Self::NOT_NEGATIVE };

    pub(super) const fn new(min: f64, max: f64) -> Self {
        Self { min, max, without_min: false, without_max: false, also: None }
    }

    pub(super) fn holds(&self, value: f64) -> bool {
        let above = if self.without_min { value > self.min } else { value >= self.min };
        let below = if self.without_max { value < self.max } else { value <= self.max };
        (above && below) || self.also == Some(value)
    }
}

/// A property that may be left out.
pub(super) const fn optional(name: &'static str, kind: Kind) -> Property {
    Property { name, kind, required: false, when: None }
}

/// A property that must be there.
pub(super) const fn required(name: &'static str, kind: Kind) -> Property {
    Property { name, kind, required: true, when: None }
}

/// A property that must be there where property `key` has the text `value`, and is not looked at
/// elsewhere.
pub(super) const fn required_when(
    key: &'static str,
    value: &'static str,
    name: &'static str,
    kind: Kind,
) -> Property {
    Property { name, kind, required: true, when: Some((key, value)) }
}

/// An integer however it is written (`7`, `7.0`, `7e0`), as the Khronos validator takes it.
pub(super) fn integer(value: &Value) -> Option<i128> {
    let number = value.as_number()?;
    if let Some(value) = number.as_u64() {
        return Some(value.into());
    }
    if let Some(value) = number.as_i64() {
        return Some(value.into());
    }
    let value = number.as_f64()?;
    // Larger floats are integers too, yet no index or length that any file can hold.
    (value.trunc() == value && value.abs() < 9.0e18).then_some(value as i128)
}

/// Objects of so many members are looked through sooner than a name is hashed.
const FEW: usize = 12;

/// A member of an object.
pub(super) fn member<'v>(object: &'v Json, key: &str) -> Option<&'v serde_json::Value> {
    if object.len() > FEW {
        return object.get(key);
    }
    object.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
}

/// A property that is an integer of at least `min`; `None` when absent or wrong.
pub(super) fn uint(object: &Json, key: &str, min: u64) -> Option<u64> {
    let value = u64::try_from(integer(member(object, key)?)?).ok()?;
    (value >= min).then_some(value)
}

/// A property that is an index; `None` when absent or wrong.
pub(super) fn index(object: &Json, key: &str) -> Option<usize> {
    usize::try_from(uint(object, key, 0)?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn integers_however_written() {
        assert_eq!(integer(&json!(7)), Some(7));
        assert_eq!(integer(&json!(7.0)), Some(7));
        assert_eq!(integer(&json!(-1)), Some(-1));
        assert_eq!(integer(&json!(u64::MAX)), Some(u64::MAX.into()));
        for wrong in [json!(1.5), json!(1e300), json!("7"), json!(null), json!(true), json!([7])] {
            assert_eq!(integer(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn ranges_know_their_ends() {
        assert!(Range::UNIT.holds(0.0) && Range::UNIT.holds(1.0) && !Range::UNIT.holds(1.1));
        assert!(!Range::POSITIVE.holds(0.0) && Range::POSITIVE.holds(1e-9));
        assert!(!Range::ANY.holds(f64::INFINITY) && !Range::ANY.holds(f64::NAN));
        let ior = Range { also: Some(0.0), ..Range::new(1.0, f64::MAX) };
        assert!(ior.holds(0.0) && ior.holds(1.0) && !ior.holds(0.5));
    }
}

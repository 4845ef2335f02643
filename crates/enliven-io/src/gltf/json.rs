//! JSON text → tree of values, within limits.

use std::{cell::RefCell, fmt};

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value, map::Entry};

use crate::{Diagnostic, Error, LimitKind, Limits, Place, Severity, findings::Findings};

/// Parses `text`, which starts at byte `offset` of the file. Of a key written twice the last value
/// stays, as in browsers, with a diagnostic.
pub(super) fn parse(
    text: &[u8],
    offset: u64,
    limits: &Limits,
    diagnostics: &mut Findings,
) -> Result<Value, Error> {
    if text.len() as u64 > limits.json_bytes {
        return Err(Error::Limit {
            what: LimitKind::JsonBytes,
            allowed: limits.json_bytes,
            place: Place::Byte(offset),
        });
    }
    let mut text = text;
    let mut offset = offset;
    let mut found = |code: &'static str, severity, place: Place, message: String| {
        diagnostics.push(Diagnostic::new(severity, code, place.to_string(), message));
    };
    if let Some(rest) = text.strip_prefix(&[0xEF, 0xBB, 0xBF]) {
        let message = "the JSON starts with a byte-order mark, skipped".into();
        found("INVALID_JSON", Severity::Error, Place::Byte(offset), message);
        text = rest;
        offset += 3;
    }
    if text.last() == Some(&0) {
        let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let message = "the JSON is padded with NUL instead of spaces".into();
        found("INVALID_JSON", Severity::Error, Place::Byte(offset + end as u64), message);
        text = &text[..end];
    }

    let state = State {
        limits,
        inner: RefCell::default(),
        items: RefCell::default(),
        entries: RefCell::default(),
    };
    let mut parser = serde_json::Deserializer::from_slice(text);
    let parsed = Tree { state: &state, depth: 0 }.deserialize(&mut parser).and_then(|value| {
        parser.end()?;
        Ok(value)
    });
    let inner = state.inner.into_inner();
    match parsed {
        Ok(value) => {
            for mut path in inner.duplicates {
                path.push(String::new());
                path.reverse();
                let message = "the key is written more than once; the last value stays".into();
                found("DUPLICATE_KEY", Severity::Error, Place::Pointer(path.join("/")), message);
            }
            Ok(value)
        }
        Err(error) => {
            let offset = offset + position(text, error.line(), error.column());
            Err(match inner.over {
                Some((what, allowed)) => Error::Limit { what, allowed, place: Place::Byte(offset) },
                None => Error::Json { offset, message: error.to_string() },
            })
        }
    }
}

/// Bytes before the 1-based `line` and `column` (bytes) that serde_json counts.
fn position(text: &[u8], line: usize, column: usize) -> u64 {
    let before: usize = text
        .split_inclusive(|byte| *byte == b'\n')
        .take(line.saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    ((before + column.saturating_sub(1)).min(text.len())) as u64
}

/// A name as a segment of a JSON pointer (RFC 6901).
pub(super) fn escaped(key: &str) -> String {
    if key.contains(['~', '/']) { key.replace('~', "~0").replace('/', "~1") } else { key.into() }
}

/// Keys written twice that are listed; each costs its whole path.
const DUPLICATES: usize = 100;

struct State<'a> {
    limits: &'a Limits,
    inner: RefCell<Inner>,
    /// Items and entries of the containers that are still open, so that each container is made at
    /// its exact size when it closes.
    items: RefCell<Vec<Value>>,
    entries: RefCell<Vec<(String, Value)>>,
}

#[derive(Default)]
struct Inner {
    values: usize,
    /// Pointers of keys written twice, innermost segment first.
    duplicates: Vec<Vec<String>>,
    over: Option<(LimitKind, u64)>,
}

impl State<'_> {
    /// Counts one value; the depth is that of the containers around it.
    fn count<E: serde::de::Error>(&self, depth: usize) -> Result<(), E> {
        let mut inner = self.inner.borrow_mut();
        inner.values += 1;
        let over = if inner.values > self.limits.json_values {
            (LimitKind::JsonValues, self.limits.json_values)
        } else if depth > self.limits.json_depth {
            (LimitKind::JsonDepth, self.limits.json_depth)
        } else {
            return Ok(());
        };
        inner.over = Some((over.0, over.1 as u64));
        Err(E::custom("beyond the limit"))
    }

    fn duplicates(&self) -> usize {
        self.inner.borrow().duplicates.len()
    }

    /// Puts `segment` before the pointers found since there were `before` of them.
    fn extend(&self, before: usize, segment: impl Fn() -> String) {
        let mut inner = self.inner.borrow_mut();
        for path in &mut inner.duplicates[before..] {
            path.push(segment());
        }
    }
}

#[derive(Clone, Copy)]
struct Tree<'a> {
    state: &'a State<'a>,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.state.count(self.depth)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.into()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inside = Tree { depth: self.depth + 1, ..self };
        let start = self.state.items.borrow().len();
        let mut before = self.state.duplicates();
        while let Some(item) = items.next_element_seed(inside)? {
            let mut items = self.state.items.borrow_mut();
            let after = self.state.duplicates();
            if after > before {
                self.state.extend(before, || (items.len() - start).to_string());
                before = after;
            }
            items.push(item);
        }
        let mut items = self.state.items.borrow_mut();
        let mut list = Vec::with_capacity(items.len() - start);
        list.extend(items.drain(start..));
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inside = Tree { depth: self.depth + 1, ..self };
        let start = self.state.entries.borrow().len();
        while let Some(key) = entries.next_key::<String>()? {
            self.state.count(self.depth)?;
            let before = self.state.duplicates();
            let value = entries.next_value_seed(inside)?;
            if self.state.duplicates() > before {
                self.state.extend(before, || escaped(&key));
            }
            self.state.entries.borrow_mut().push((key, value));
        }
        let mut entries = self.state.entries.borrow_mut();
        let mut map = Map::with_capacity(entries.len() - start);
        for (key, value) in entries.drain(start..) {
            match map.entry(key) {
                Entry::Vacant(place) => {
                    place.insert(value);
                }
                Entry::Occupied(mut place) => {
                    let mut inner = self.state.inner.borrow_mut();
                    if inner.duplicates.len() < DUPLICATES {
                        inner.duplicates.push(vec![escaped(place.key())]);
                    }
                    drop(inner);
                    place.insert(value);
                }
            }
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> (Result<Value, (&'static str, Place)>, Vec<String>) {
        let mut diagnostics = Findings::new(99);
        let parsed = parse(text.as_bytes(), 100, &Limits::default(), &mut diagnostics);
        (
            parsed.map_err(|error| (error.code(), error.place())),
            diagnostics
                .list()
                .iter()
                .map(|found| format!("{} {}", found.code, found.place))
                .collect(),
        )
    }

    #[test]
    fn keys_keep_their_order_and_the_last_of_two_stays() {
        let (value, found) = check(r#"{"b":[0,{"x/y":1,"x/y":2}],"a":1,"a":3}"#);
        let value = value.expect("valid");
        assert_eq!(value.to_string(), r#"{"b":[0,{"x/y":2}],"a":3}"#);
        assert_eq!(found, ["DUPLICATE_KEY /b/1/x~1y", "DUPLICATE_KEY /a"]);
    }

    #[test]
    fn faults_name_their_byte() {
        assert_eq!(check("{\n\"a\": x}").0, Err(("INVALID_JSON", Place::Byte(107))));
        assert_eq!(check("").0, Err(("INVALID_JSON", Place::Byte(100))));
        assert_eq!(check(r#""\ud800""#).0.map_err(|error| error.0), Err("INVALID_JSON"));
        assert_eq!(check("1e400").0.map_err(|error| error.0), Err("INVALID_JSON"));
        assert_eq!(check("{} {}").0.map_err(|error| error.0), Err("INVALID_JSON"));
    }

    #[test]
    fn depth_and_count_are_limited() {
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(check(&deep(120)).0.is_ok());
        assert_eq!(check(&deep(122)).0, Err(("LIMIT_JSON_DEPTH", Place::Byte(100 + 120))));
        assert_eq!(check(&deep(100_000)).0.map_err(|error| error.0), Err("LIMIT_JSON_DEPTH"));
        let limits = Limits { json_values: 3, ..Default::default() };
        let error = parse(b"[1,2,3]", 0, &limits, &mut Findings::new(99)).expect_err("too many");
        assert_eq!(error.code(), "LIMIT_JSON_VALUES");
    }

    #[test]
    fn marks_and_padding_are_skipped_and_said() {
        let (value, found) = check("\u{feff}{}\0\0");
        assert_eq!(value, Ok(Value::Object(Map::new())));
        assert_eq!(found, ["INVALID_JSON @100", "INVALID_JSON @105"]);
    }
}

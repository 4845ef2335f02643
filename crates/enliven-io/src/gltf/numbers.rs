//! Floats in JSON.

use serde_json::Value;

/// A float as the shortest decimal that reads back as the same float.
pub(crate) fn number(v: f32) -> Value {
    let short: Option<f64> = v.to_string().parse().ok();
    short.and_then(serde_json::Number::from_f64).map_or(Value::from(0), Value::Number)
}

/// Floats as shortest decimals.
pub(crate) fn numbers(values: &[f32]) -> Value {
    Value::Array(values.iter().copied().map(number).collect())
}

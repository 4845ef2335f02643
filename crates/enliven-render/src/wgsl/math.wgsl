// What every stage needs.

// Unit vector along v at any scale, or `otherwise` when v has no direction.
fn direction_or(v: vec3<f32>, otherwise: vec3<f32>) -> vec3<f32> {
    let size = max(max(abs(v.x), abs(v.y)), abs(v.z));
    if !(size > 0.0) {
        return otherwise;
    }
    return normalize(v / size);
}

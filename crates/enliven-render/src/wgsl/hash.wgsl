// Three numbers in 0..1 for a cell (pcg3d: Jarzynski and Olano, "Hash Functions for GPU Rendering",
// 2020).
fn hash(cell: vec3<i32>) -> vec3<f32> {
    var v = vec3<u32>(cell) * 1664525u + 1013904223u;
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v ^= v >> vec3<u32>(16u);
    v.x += v.y * v.z;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    return vec3<f32>(v >> vec3<u32>(8u)) / 16777216.0;
}

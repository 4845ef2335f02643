// What the vertex function made of each vertex, one texel a vertex: the bits of the numbers, since
// WebGL2 draws onto whole numbers but not onto floats.
#import vertex

struct Captured {
    // xyz in the world; w: 1, so that a texel never written shows.
    @location(0) position: vec4<u32>,
    // xyz unit length; w: facing.
    @location(1) normal: vec4<u32>,
}

@fragment
fn fragment(in: VertexOut) -> Captured {
    return Captured(
        bitcast<vec4<u32>>(vec4<f32>(in.position, 1.0)),
        bitcast<vec4<u32>>(vec4<f32>(in.normal, in.facing)),
    );
}

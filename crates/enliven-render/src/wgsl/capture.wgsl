// What the vertex function made of each vertex, one texel a vertex.
#import vertex

struct Captured {
    // xyz in the world; w: 1, so that a texel never written shows.
    @location(0) position: vec4<f32>,
    // xyz unit length; w: facing.
    @location(1) normal: vec4<f32>,
}

@fragment
fn fragment(in: VertexOut) -> Captured {
    return Captured(vec4<f32>(in.position, 1.0), vec4<f32>(in.normal, in.facing));
}

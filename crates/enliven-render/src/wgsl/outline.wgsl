// The hull's inside, in one colour.
#import surface

@fragment
fn fragment(in: VertexOut, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    if outside(in, front) || in.outline.w <= 0.0 {
        discard;
    }
@if(mask)
    if base_colour(in).a < material.extra.x {
        discard;
    }
@end
    return vec4<f32>(in.outline.rgb, 1.0);
}

// Which body and mesh a pixel shows; both counted from 1, 0 is the background.
#import surface

@fragment
fn fragment(in: VertexOut, @builtin(front_facing) front: bool) -> @location(0) vec2<u32> {
    cull(in, front);
@if(mask)
    if base_colour(in).a < material.extra.x {
        discard;
    }
@end
    return in.id + 1u;
}

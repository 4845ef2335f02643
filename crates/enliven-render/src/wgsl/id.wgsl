// Which body, mesh and joint of the mesh a pixel shows, counted from 1; 0 is the background.
#import surface

@fragment
fn fragment(in: VertexOut, @builtin(front_facing) front: bool) -> @location(0) vec4<u32> {
    cull(in, front);
@if(mask)
    if base_colour(in).a < material.extra.x {
        discard;
    }
@end
    return vec4<u32>(in.id + 1u, 0u);
}

// Depth only, for surfaces with holes: the shadow of a leaf or of hair.
#import surface
@if(shell)
#import fur
@end

@fragment
fn fragment(in: VertexOut, @builtin(front_facing) front: bool) {
@if(shell)
    if strand(in).cover * smoothstep(0.02, 0.1, in.colour.a) < 0.5 {
        discard;
    }
@end
    let alpha = base_colour(in).a;
    if alpha < material.extra.x {
        discard;
    }
}

// Depth only, for surfaces with holes: the shadow of a leaf or of hair.
#import surface

@fragment
fn fragment(in: VertexOut, @builtin(front_facing) front: bool) {
    let alpha = base_colour(in).a;
    if alpha < material.extra.x {
        discard;
    }
}

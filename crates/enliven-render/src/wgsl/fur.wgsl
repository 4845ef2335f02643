// What a fragment of a shell shows of the hairs that pass through it.
#import surface
#import hash

struct Strand {
    // How much of the pixel hairs cover, 0..1.
    cover: f32,
    // Brightness of the hair against its neighbours', about 1.
    shade: f32,
}

@if(shell)
// Hairs stand at points strewn through the space of the geometry, one a cell; where the surface
// cuts the ball about such a point there is a hair, thinner the farther up it is looked at.
fn strand(in: VertexOut) -> Strand {
    let at = in.local * material.fur_look.x;
    let grain = length(fwidth(at));
    let height = in.hair.w;
    // Radius of the ball, in cells: a cone with a blunt tip.
    let thick = 0.62 * material.fur_look.y * sqrt(1.0 - height) + 0.02;
    var out = Strand(0.0, 1.0);
    let corner = vec3<i32>(floor(at - 0.5));
    for (var i = 0; i < 8; i++) {
        let cell = corner + vec3<i32>(i & 1, (i >> 1u) & 1, i >> 2u);
        let dice = hash(cell);
        let d = length(vec3<f32>(cell) + 0.2 + 0.6 * dice - at);
        // Hairs end at different heights.
        let own = thick * (0.7 + 0.5 * dice.z) - 0.22 * dice.y * height;
        let cover = clamp((own - d) / max(grain, 0.12) + 0.5, 0.0, 1.0);
        if cover > out.cover {
            out = Strand(cover, 0.78 + 0.44 * dice.x);
        }
    }
    // Finer than a pixel: what all of them cover on average.
    let fine = 0.85 * smoothstep(1.1, 3.0, grain);
    let mean = clamp(1.25 * material.fur_look.y * (1.0 - height) * (1.0 - 0.4 * height), 0.0, 1.0);
    return Strand(mix(out.cover, mean, fine), mix(out.shade, 1.0, fine));
}
@end

// Light that finds its way down to this height between the hairs.
fn between_hairs(height: f32) -> f32 {
    return mix(material.fur_look.z, 1.0, smoothstep(-0.1, 1.0, height));
}

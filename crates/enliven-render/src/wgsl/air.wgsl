// What the air does to a posed surface. The CPU twins are enliven's `Breeze`, `Sway` and `Water`.
#import frame
#import material
#import math

const TURN: f32 = 6.28318531;

// A sine that makes `beats` swings in the air's period, `ahead` swings before its time.
fn swing(beats: f32, ahead: f32) -> f32 {
    let turns = beats * frame.air.w + ahead;
    return sin((fract(turns + 0.5) - 0.5) * TURN);
}

// Share of the wind at a place.
fn gust(at: vec3<f32>) -> f32 {
    return 0.7 + 0.2 * swing(20.0, -0.21 * at.x - 0.14 * at.z)
        + 0.1 * swing(53.0, 0.27 * at.x - 0.33 * at.z);
}

struct Aired {
    position: vec3<f32>,
    normal: vec3<f32>,
}

@if(sway)
const FARTHEST: f32 = 0.6;

// `height`: y of the vertex in the geometry's space.
fn swayed(position: vec3<f32>, normal: vec3<f32>, height: f32) -> Aired {
    let tall = material.sway.y - material.sway.x;
    if tall == 0.0 {
        return Aired(position, normal);
    }
    let up = clamp((height - material.sway.x) / tall, 0.0, 1.0);
    let wind = frame.air.xyz;
    let across = vec3<f32>(-wind.z, 0.0, wind.x);
    let tremble = swing(97.0, 0.41 * position.x + 0.37 * position.z);
    var far = wind * (material.sway.z * gust(position)) + across * (material.sway.w * tremble);
    far /= 1.0 + length(far) / (abs(tall) * FARTHEST);
    let step = far * (up * up);
    let drop = dot(step, step) / (2.0 * tall);
    let slope = far * (2.0 * up / tall);
    let turned = normal - vec3<f32>(0.0, dot(slope, normal) / (1.0 + slope.y), 0.0);
    return Aired(position + step - vec3<f32>(0.0, drop, 0.0), direction_or(turned, normal));
}
@end

@if(water)
// Height above the level (x) and slope along x and z.
fn waves_at(at: vec2<f32>) -> vec3<f32> {
    var out = vec3<f32>(0.0);
    for (var i = 0; i < 4; i++) {
        let wave = material.waves[i].value;
        let ahead = -dot(wave.xy, at);
        out.x += wave.w * swing(wave.z, ahead);
        let slope = TURN * wave.w * swing(wave.z, ahead + 0.25);
        out -= vec3<f32>(0.0, wave.xy * slope);
    }
    return out;
}
@end

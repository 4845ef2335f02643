// The sun with its shadow, and a sky that lights without any image.
#import frame
#import hash
#import air

@group(0) @binding(3) var shadow_compare: texture_depth_2d;
@group(0) @binding(4) var shadow_sampler: sampler_comparison;
// The same map once more, to be read plainly: WebGL2 cannot do both through one binding.
@group(0) @binding(5) var shadow_depth: texture_2d<f32>;

const PI: f32 = 3.14159265;
// Cosine and sine of the golden angle, by which a spiral turns from tap to tap.
const GOLDEN: vec2<f32> = vec2<f32>(-0.73736888, 0.67549029);
@if(shell)
// Hair has so much grain of its own that a few taps are enough.
const BLOCKER_TAPS: i32 = 4;
const SHADOW_TAPS: i32 = 6;
@else
const BLOCKER_TAPS: i32 = 12;
const SHADOW_TAPS: i32 = 24;
@end
// Narrowest penumbra, in texels of the shadow map: hides its grid.
const NARROWEST: f32 = 1.6;
// Steepest slope of a receiver, in shadow-map space, that is still followed.
const STEEPEST: f32 = 2.5;

// How much of its sky a surface sees on average: bodies stand in their own way. Chosen by eye.
const SKY_SHARE: f32 = 0.48;

// How far a direction's colour has gone from the horizon's to the zenith's: quickly out of the
// haze, then slowly up the dome.
fn sky_height(up: f32) -> f32 {
    let y = max(up, 0.0);
    return 0.62 * (1.0 - exp(-16.0 * y)) + 0.38 * (1.0 - exp(-2.2 * y));
}

// Sky seen in a direction: pale at the horizon, deeper overhead; the haze goes on below.
fn sky(direction: vec3<f32>) -> vec3<f32> {
    var colour = mix(frame.sky_horizon.rgb, frame.sky_zenith.rgb, sky_height(direction.y));
    // A warm glow round the sun, wide and faint.
    let glow = max(dot(direction, frame.sun_direction.xyz), 0.0);
    colour += frame.sun_colour.rgb * (0.012 * pow(glow, 6.0) + 0.02 * pow(glow, 48.0));
    return colour;
}

// Smooth noise in 0..1.
fn cloud_noise(at: vec2<f32>) -> f32 {
    let cell = floor(at);
    let t = at - cell;
    let w = t * t * (3.0 - 2.0 * t);
    let c = vec2<i32>(cell);
    let a = hash(vec3<i32>(c, 3)).x;
    let b = hash(vec3<i32>(c + vec2<i32>(1, 0), 3)).x;
    let d = hash(vec3<i32>(c + vec2<i32>(0, 1), 3)).x;
    let e = hash(vec3<i32>(c + vec2<i32>(1, 1), 3)).x;
    return mix(mix(a, b, w.x), mix(d, e, w.x), w.y);
}

// Points of light that keep their place on the dome and twinkle.
fn stars(direction: vec3<f32>) -> vec3<f32> {
    let at = direction * 70.0;
    let cell = vec3<i32>(floor(at));
    let dice = hash(cell);
    let more = hash(cell + vec3<i32>(917, 0, 0));
    let place = vec3<f32>(cell) + 0.3 + 0.4 * more;
    let d = length(at - place);
    let bright = smoothstep(0.9, 1.0, dice.x);
    let twinkle = 0.8 + 0.2 * swing(40.0 + floor(60.0 * dice.y), dice.z);
    let glow = exp(-d * d * mix(120.0, 40.0, bright * bright)) * bright * bright * twinkle;
    return mix(vec3<f32>(1.0, 0.82, 0.62), vec3<f32>(0.7, 0.82, 1.0), dice.z) * glow;
}

// Everything that the sky shows: also its clouds, stars, and the disc of the sun or moon.
fn whole_sky(direction: vec3<f32>) -> vec3<f32> {
    var colour = sky(direction);
    let l = frame.sun_direction.xyz;
    let towards = dot(direction, l);
    if frame.ambience.z > 0.0 {
        colour += stars(direction) * frame.ambience.z * smoothstep(0.02, 0.22, direction.y);
    }
    if frame.ambience.w > 0.0 {
        // Radians from the middle of the disc, for small angles.
        let off = sqrt(max(2.0 - 2.0 * towards, 0.0));
        let soft = 0.04 * frame.ambience.w + 0.002;
        let disc = 1.0 - smoothstep(frame.ambience.w - soft, frame.ambience.w + soft, off);
        let hue = frame.sun_colour.rgb / max(max(frame.sun_colour.r, frame.sun_colour.g), max(frame.sun_colour.b, 1e-4));
        // The moon has its seas.
        let seas = 1.0 - 0.3 * frame.ambience.x * cloud_noise(direction.xy * 34.0 + 5.0);
        colour += hue * disc * seas * 2.6;
        colour += hue * 0.45 * exp(-off / (2.2 * frame.ambience.w));
        colour += hue * 0.16 * exp(-off / (9.0 * frame.ambience.w));
    }
    if frame.ambience.y > 0.0 {
        // A flat layer of clouds far up.
        let at = direction.xz / (max(direction.y, 0.0) + 0.11) * 1.15
            + vec2<f32>(3.7, 1.3) + frame.air.w * vec2<f32>(0.8, 0.35);
        let stretched = at * vec2<f32>(0.8, 1.5);
        var n = 0.5 * cloud_noise(stretched) + 0.25 * cloud_noise(stretched * 2.13 + 7.1)
            + 0.125 * cloud_noise(stretched * 4.31 + 3.3) + 0.0625 * cloud_noise(stretched * 8.7);
        let cover = smoothstep(0.62 - 0.3 * frame.ambience.y, 0.86, n * 1.07);
        let thick = smoothstep(0.4, 0.9, n * 1.07);
        let low = smoothstep(-0.01, 0.16, direction.y);
        let lit = frame.sun_colour.rgb * (0.20 + 0.26 * pow(max(towards, 0.0), 3.0));
        let cloud = mix(frame.sky_horizon.rgb * 0.75 + lit, sky_diffuse(vec3<f32>(0.0, -0.3, 0.0)) * 1.1 + lit * 0.35, thick * 0.7);
        colour = mix(colour, cloud, cover * low * (0.9 - 0.45 * frame.ambience.x));
    }
    return colour;
}

// Share of the light from a place that mist lets through.
fn misty_share(position: vec3<f32>) -> f32 {
    return exp(-frame.fog.w * length(position - frame.eye.xyz));
}

// What mist leaves of the light that comes from a place.
fn misty(light: vec3<f32>, position: vec3<f32>) -> vec3<f32> {
    let ray = position - frame.eye.xyz;
    let far = length(ray);
    let mist = 1.0 - misty_share(position);
    let towards = max(dot(ray / max(far, 1e-6), frame.sun_direction.xyz), 0.0);
    let glow = frame.sun_colour.rgb * (0.05 * pow(towards, 6.0));
    return mix(light, frame.fog.rgb + glow, mist);
}

// Sky light on a matt surface: horizon ring, dome and ground, each by how much of it the surface sees.
fn sky_diffuse(normal: vec3<f32>) -> vec3<f32> {
    let up = normal.y * 0.5 + 0.5;
    let dome = mix(frame.sky_horizon.rgb, frame.sky_zenith.rgb, 0.65);
    let ring = 1.0 - normal.y * normal.y;
    let hemisphere = mix(frame.sky_ground.rgb, dome, up * up * (3.0 - 2.0 * up));
    return mix(hemisphere, frame.sky_horizon.rgb, 0.2 * ring) * SKY_SHARE;
}

// Sky mirrored by a surface: its horizon grows softer with roughness.
fn sky_specular(direction: vec3<f32>, roughness: f32) -> vec3<f32> {
    let soft = 0.05 + roughness * roughness;
    let below = smoothstep(-soft, soft, -direction.y);
    let high = 1.0 - exp(-(3.2 / (1.0 + 4.0 * roughness)) * max(direction.y, 0.0));
    let above = mix(frame.sky_horizon.rgb, frame.sky_zenith.rgb, high);
    return mix(above, frame.sky_ground.rgb, below) * 0.7;
}

// How much of the sun a point sees, 0..1: search for blockers, then filter as wide as their
// distance asks (percentage-closer soft shadows, Fernando 2005). The taps lie on a spiral that is
// turned from pixel to pixel by a fixed pattern (interleaved gradient noise, Jimenez 2014), so that
// their steps become a fine grain that holds still.
fn sun_visibility(position: vec3<f32>, normal: vec3<f32>, pixel: vec2<f32>) -> f32 {
    let facing = dot(normal, frame.sun_direction.xyz);
    if frame.shadow.z == 0.0 || facing <= 0.0 {
        return select(0.0, 1.0, frame.shadow.z == 0.0);
    }
    let size = frame.shadow.x;
    let half_extent = frame.shadow_right.w;
    let range = frame.shadow.y;
    let texel = 2.0 * half_extent / size;
    var lifted = position + normal * texel * (1.0 + 1.5 * (1.0 - facing));
@if(fur)
    // A body's own fur is in the map too: it shades itself by its height instead.
    lifted += frame.sun_direction.xyz * material.fur_shape.x * 1.3;
@end
    let at = (frame.shadow_from_world * vec4<f32>(lifted, 1.0)).xyz;
    let margin = frame.shadow.w / (2.0 * half_extent);
    if any(at.xy < vec2<f32>(-margin)) || any(at.xy > vec2<f32>(1.0 + margin)) {
        return 1.0;
    }
    // The receiver is a plane: its depth changes across the filter.
    let along = vec2<f32>(dot(normal, frame.shadow_right.xyz), dot(normal, frame.shadow_up.xyz));
    var slope = along / max(facing, 0.05);
    slope *= min(1.0, STEEPEST / max(length(slope), 1e-6));
    slope = slope / range;
    let bias = 0.6 * texel / range;

    let grain = fract(52.9829189 * fract(dot(floor(pixel), vec2<f32>(0.06711056, 0.00583715))));
    let start = vec2<f32>(cos(grain * 2.0 * PI), sin(grain * 2.0 * PI));
    var turn = start;
    let widest = frame.shadow.w;
    var blockers = 0.0;
    var sum = 0.0;
    for (var i = 0; i < BLOCKER_TAPS; i++) {
        let r = sqrt((f32(i) + 0.5) / f32(BLOCKER_TAPS)) * widest;
        let offset = turn * r;
        turn = vec2<f32>(turn.x * GOLDEN.x - turn.y * GOLDEN.y, turn.x * GOLDEN.y + turn.y * GOLDEN.x);
        let uv = at.xy + vec2<f32>(offset.x, -offset.y) / (2.0 * half_extent);
        let texel_at = clamp(vec2<i32>(floor(uv * size)), vec2<i32>(0), vec2<i32>(i32(size) - 1));
        let depth = textureLoad(shadow_depth, texel_at, 0).x;
        let limit = at.z + dot(slope, offset) - bias - r * 0.15 / range;
        if depth < limit {
            blockers += 1.0;
            sum += depth;
        }
    }
    if blockers == 0.0 {
        return 1.0;
    }
    let distance = max((at.z - sum / blockers) * range, 0.0);
    let radius = clamp(distance * frame.sun_direction.w, NARROWEST * texel, widest);
    var lit = 0.0;
    turn = start;
    for (var i = 0; i < SHADOW_TAPS; i++) {
        let r = sqrt((f32(i) + 0.5) / f32(SHADOW_TAPS)) * radius;
        let offset = turn * r;
        turn = vec2<f32>(turn.x * GOLDEN.x - turn.y * GOLDEN.y, turn.x * GOLDEN.y + turn.y * GOLDEN.x);
        let uv = at.xy + vec2<f32>(offset.x, -offset.y) / (2.0 * half_extent);
        // Nothing lies beyond the far end, which is where the map is empty.
        let depth = min(at.z + dot(slope, offset) - bias, 1.0);
        lit += textureSampleCompareLevel(shadow_compare, shadow_sampler, uv, depth);
    }
    return lit / f32(SHADOW_TAPS);
}

// The sun with its shadow, and a sky that lights without any image.
#import frame

@group(0) @binding(3) var shadow_compare: texture_depth_2d;
@group(0) @binding(4) var shadow_sampler: sampler_comparison;
// The same map once more, to be read plainly: WebGL2 cannot do both through one binding.
@group(0) @binding(5) var shadow_depth: texture_2d<f32>;

const PI: f32 = 3.14159265;
// Cosine and sine of the golden angle, by which a spiral turns from tap to tap.
const GOLDEN: vec2<f32> = vec2<f32>(-0.73736888, 0.67549029);
const BLOCKER_TAPS: i32 = 12;
const SHADOW_TAPS: i32 = 24;
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
    let lifted = position + normal * texel * (1.0 + 1.5 * (1.0 - facing));
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

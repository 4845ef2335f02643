// The drawn look: MToon, as VRMC_materials_mtoon 1.0 has it. Tones keep the colours that the artist
// chose: of the scene's light they take its hue and not its brightness.
#import surface
#import light

@if(shift_texture)
@group(2) @binding(13) var shift_texture: texture_2d<f32>;
@group(2) @binding(14) var shift_sampler: sampler;
@end
@if(matcap)
@group(2) @binding(15) var matcap_texture: texture_2d<f32>;
@group(2) @binding(16) var matcap_sampler: sampler;
@end
@if(rim_texture)
@group(2) @binding(17) var rim_texture: texture_2d<f32>;
@group(2) @binding(18) var rim_sampler: sampler;
@end

const MATCAP_SLOT: u32 = 7u;

// How much of the light's hue drawn colours take. By eye.
const HUE: f32 = 0.5;
// Drawn colours know no dusk: the night is laid over them. By eye.
const NIGHT: vec3<f32> = vec3<f32>(0.20, 0.24, 0.36);
// Up to this cosine a surface counts as more and more open to the shadow of others: about the line
// where it turns away from the sun the shadow map knows only itself.
const SHADOW_FROM: f32 = 0.25;

fn brightest(light: vec3<f32>) -> f32 {
    return max(light.r, max(light.g, light.b));
}

// Light of about brightness 1 against another of which the brightest is `whole`.
fn hue_of(light: vec3<f32>, whole: f32) -> vec3<f32> {
    let night = mix(vec3<f32>(1.0), NIGHT, frame.ambience.x);
    if whole < 1e-4 {
        return night;
    }
    return mix(vec3<f32>(1.0), light / whole, HUE) * night;
}

// How far a surface is on the lit side, 0..1.
fn tone(in: VertexOut, n: vec3<f32>, plain: vec3<f32>) -> f32 {
    let l = frame.sun_direction.xyz;
    var shading = dot(n, l) + material.tones.x;
@if(shift_texture)
    shading += material.tones.z * textureSample(shift_texture, shift_sampler, uv_of(in, 6u)).r;
@end
    // From −1 + toony to 1 − toony; an edge without width still takes a pixel.
    let width = max(2.0 - 2.0 * material.tones.y, max(fwidth(shading), 1e-4));
    let lit = clamp(shading / width + 0.5, 0.0, 1.0);
    let open = dot(plain, l);
    if lit == 0.0 || open <= 0.0 {
        return lit;
    }
    let seen = smoothstep(0.15, 0.85, sun_visibility(in.position, plain, in.clip.xy));
    return lit * mix(1.0, seen, smoothstep(0.0, SHADOW_FROM, open));
}

fn shade_factor(in: VertexOut) -> vec3<f32> {
@if(driven)
    return vec3<f32>(factor_pair(in, 3u).y, factor_pair(in, 4u));
@else
    return material.shade_colour.rgb;
@end
}

// What is added along the silhouette and by the way that a surface faces the eye.
fn rim(in: VertexOut, n: vec3<f32>, lighting: vec3<f32>) -> vec3<f32> {
    var colour = vec3<f32>(0.0);
    let v = to_eye(in);
@if(matcap)
    let x = direction_or(vec3<f32>(v.z, 0.0, -v.x), vec3<f32>(1.0, 0.0, 0.0));
    let y = cross(v, x);
    // A picture's v grows downward.
    let ball = vec2<f32>(dot(x, n), -dot(y, n)) * 0.495 + 0.5;
    let lit = textureSample(matcap_texture, matcap_sampler, uv_placed(ball, MATCAP_SLOT)).rgb;
@if(driven)
    colour += vec3<f32>(factor_pair(in, 9u), factor_pair(in, 10u).x) * lit;
@else
    colour += material.matcap_colour.rgb * lit;
@end
@end
@if(rim)
    let edge = clamp(1.0 - dot(n, v) + material.rim_shape.y, 0.0, 1.0);
    let strength = pow(edge, max(material.rim_shape.x, 1e-5));
@if(driven)
    colour += vec3<f32>(factor_pair(in, 10u).y, factor_pair(in, 11u)) * strength;
@else
    colour += material.rim_colour.rgb * strength;
@end
@end
@if(rim_texture) colour *= textureSample(rim_texture, rim_sampler, uv_of(in, 8u)).rgb;
    return colour * mix(vec3<f32>(1.0), lighting, material.rim_shape.z);
}

fn toon(in: VertexOut, base: vec3<f32>, n: vec3<f32>, plain: vec3<f32>) -> vec3<f32> {
    let lit = tone(in, n, plain);
    let up = vec3<f32>(0.0, 1.0, 0.0);
    let even = 0.5 * (sky_diffuse(up) + sky_diffuse(-up));
    let around = hue_of(mix(sky_diffuse(n), even, material.tones.w), brightest(even));
    let sun = hue_of(frame.sun_colour.rgb, brightest(frame.sun_colour.rgb));
    var shade = shade_factor(in);
@if(shade_texture) shade *= textureSample(shade_texture, shade_sampler, uv_of(in, 5u)).rgb;
    return mix(shade * around, base * sun, lit) + rim(in, n, mix(around, sun, lit));
}

@if(ink)
// The outline's colour beside a surface of this colour.
fn ink_colour(in: VertexOut, surface: vec3<f32>) -> vec3<f32> {
@if(driven)
    let own = vec3<f32>(factor_pair(in, 12u), factor_pair(in, 13u).x);
@else
    let own = material.ink_colour.rgb;
@end
    return own * mix(vec3<f32>(1.0), surface, material.ink_colour.w);
}
@end

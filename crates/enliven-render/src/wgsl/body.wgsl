// Colour of a character's surface: physically based, unlit or toon; each with fur, a drawn face,
// light through a leaf, in any combination. A feature adds its step to the one `fragment` below and
// replaces nothing, so that no two can be in each other's way.
#import surface
#import light
#import tone
@if(toon)
#import toon
@end
@if(fur)
#import fur
@end
@if(face)
#import face
@end
@if(leaf)
#import leaf
@end
@if(water)
#import river
@end

fn emissive(in: VertexOut) -> vec3<f32> {
@if(driven)
    var light = vec3<f32>(factor_pair(in, 2u), factor_pair(in, 3u).x);
@else
    var light = material.emissive.rgb;
@end
@if(emissive_texture) light *= textureSample(emissive_texture, emissive_sampler, uv_of(in, 4u)).rgb;
    return light;
}

fn occlusion(in: VertexOut) -> f32 {
@if(occlusion_texture)
    let open = textureSample(occlusion_texture, occlusion_sampler, uv_of(in, 3u)).r;
    return 1.0 + material.factors.w * (open - 1.0);
@else
    return 1.0;
@end
}

@if(!unlit && !toon && !water && !shell)
// Metallic-roughness as in glTF 2.0, appendix B: GGX, Smith's height-correlated visibility, Schlick.
fn physical(in: VertexOut, base: vec3<f32>, n: vec3<f32>, plain: vec3<f32>) -> vec3<f32> {
    var metallic = material.factors.x;
    var roughness = material.factors.y;
@if(metallic_roughness_texture)
    let texel = textureSample(
        metallic_roughness_texture,
        metallic_roughness_sampler,
        uv_of(in, 1u),
    );
    roughness *= texel.g;
    metallic *= texel.b;
@end
    roughness = clamp(roughness, 0.06, 1.0);
    let v = to_eye(in);
    let l = frame.sun_direction.xyz;
    let h = normalize(v + l);
    let nv = clamp(abs(dot(n, v)), 1e-3, 1.0);
    let nl = clamp(dot(n, l), 0.0, 1.0);
    let nh = clamp(dot(n, h), 0.0, 1.0);
    let vh = clamp(dot(v, h), 0.0, 1.0);

    let diffuse = base * (1.0 - metallic);
    let f0 = mix(vec3<f32>(0.04), base, metallic);
    let alpha = roughness * roughness;
    let alpha2 = alpha * alpha;
    let d0 = nh * nh * (alpha2 - 1.0) + 1.0;
    let spread = alpha2 / (PI * d0 * d0);
    let smith = 0.5 / (nl * sqrt(nv * nv * (1.0 - alpha2) + alpha2)
        + nv * sqrt(nl * nl * (1.0 - alpha2) + alpha2) + 1e-5);
    let fresnel = f0 + (1.0 - f0) * pow(1.0 - vh, 5.0);

    // The shading normal's terminator must not reach past the triangle's own.
    let grazing = smoothstep(0.0, 0.12, dot(plain, l));
    var direct = vec3<f32>(0.0);
    if nl > 0.0 && grazing > 0.0 {
        let seen = sun_visibility(in.position, plain, in.clip.xy) * grazing;
        let mirrored = min(spread * smith * PI, 24.0) * fresnel;
        direct = (diffuse * (1.0 - fresnel) + mirrored) * frame.sun_colour.rgb * nl * seen;
    }

    // Sky in the mirror direction through an analytic fit of the split sum (Lazarov / Karis 2014).
    let c0 = vec4<f32>(-1.0, -0.0275, -0.572, 0.022);
    let c1 = vec4<f32>(1.0, 0.0425, 1.04, -0.04);
    let r4 = roughness * c0 + c1;
    let a004 = min(r4.x * r4.x, exp2(-9.28 * nv)) * r4.x + r4.y;
    let scale = vec2<f32>(-1.04, 1.04) * a004 + r4.zw;
    let open = occlusion(in);
    let around = diffuse * sky_diffuse(n)
        + (f0 * scale.x + scale.y) * sky_specular(reflect(-v, n), roughness);
    return direct + around * open;
}
@end

@if(shell && !unlit && !toon)
// Hair: light wraps round it, a soft band of shine runs across it (Kajiya and Kay, "Rendering Fur
// with Three Dimensional Textures", 1989), and the tips glow against the light.
fn furry(in: VertexOut, base: vec3<f32>, n: vec3<f32>) -> vec3<f32> {
    let v = to_eye(in);
    let l = frame.sun_direction.xyz;
    let height = in.hair.w;
    let along = direction_or(in.hair.xyz, n);
    let facing = dot(n, l);
    let wrapped = clamp((facing + 0.4) / 1.4, 0.0, 1.0);
    var seen = 1.0;
    if facing > 0.0 {
        seen = sun_visibility(in.position, n, in.clip.xy);
    }
    let lit = seen * wrapped * wrapped * (1.6 - 0.6 * wrapped);
    let h = normalize(v + l);
    let th = dot(along, h);
    let shine = pow(max(1.0 - th * th, 0.0), 22.0) * 0.10 * height * seen * clamp(facing + 0.2, 0.0, 1.0);
    let edge = pow(1.0 - clamp(dot(n, v), 0.0, 1.0), 3.0) * material.fur_look.w * height;
    let against = pow(clamp(dot(-v, l), 0.0, 1.0), 2.0);
    let rim = edge * (sky_diffuse(n) * 1.3 + frame.sun_colour.rgb * (0.10 + 0.9 * against));
    return base * (frame.sun_colour.rgb * lit + sky_diffuse(normalize(n + 0.4 * along)) * 1.05)
        + frame.sun_colour.rgb * shine + (0.7 * base + 0.14) * rim;
}
@end

@fragment
fn fragment(in: VertexOut, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    cull(in, front);
@if(shell)
    let hairs = strand(in);
    var cover = hairs.cover * smoothstep(0.02, 0.1, in.colour.a);
@end
@if(face)
    let drawn = drawn_face(in);
@if(shell) cover *= 1.0 - clamp(drawn.hole + drawn.rim, 0.0, 1.0);
@end
@if(shell)
    if cover < 0.06 {
        discard;
    }
@end
    var base = base_colour(in);
    let alpha = opacity(base.a);
@if(shell)
    base = vec4<f32>(base.rgb * (hairs.shade * between_hairs(in.hair.w)), base.a);
@else
@if(fur) base = vec4<f32>(base.rgb * mix(1.0, between_hairs(0.0), in.colour.a), base.a);
@end
    var glow = emissive(in);
@if(face)
    // A carved edge: its lower side catches the light, its upper one lies in shade.
    let carved = base.rgb * (1.0 - 0.35 * drawn.rim * (0.35 + 0.65 * drawn.above));
    base = vec4<f32>(mix(carved, material.face_hollow.rgb, drawn.hole), base.a);
    glow *= 1.0 - drawn.hole;
@end
@if(unlit)
    // Shown as authored.
    var colour = base.rgb + glow;
@else
@if(flat_normals)
    var n = shading_normal(in, front);
    let plain = flat_normal(in);
@else
    var n = shading_normal(in, front);
    let plain = direction_or(in.normal, n) * side_of(in, front);
@end
@if(leaf) n = veined(in, n);
@if(water)
    var light = water(in) + glow;
@else
@if(toon)
    var colour = toon(in, base.rgb, n, n) + glow;
    var light = vec3<f32>(0.0);
@else
@if(shell)
    var light = furry(in, base.rgb, n) + glow;
@else
    var light = physical(in, base.rgb, n, plain) + glow;
@end
@end
@if(leaf) light += through_leaf(in, n, plain);
@end
@if(ink && toon && !water) colour = ink_colour(in, colour);
@if(toon && !water)
    // Drawn colours stand as they are; what is lit besides is added as it would be seen.
    colour += display(light);
    colour = mix(colour, display(frame.fog.rgb), 1.0 - misty_share(in.position));
@else
    var colour = display(misty(light, in.position));
@end
@end
@if(face)
    // Rim light, mist and bloom lift a dark hollow to grey: last of all it is made dark again.
    colour *= 1.0 - 0.9 * drawn.hole;
@end
@if(shell)
    return vec4<f32>(colour * (cover * alpha), cover * alpha);
@else
@if(blend)
    // Premultiplied.
    return vec4<f32>(colour * alpha, alpha);
@else
    // Where the background is transparent an edge's colour must weigh as its coverage.
    return vec4<f32>(colour * mix(1.0, alpha, frame.misc.x), alpha);
@end
@end
}

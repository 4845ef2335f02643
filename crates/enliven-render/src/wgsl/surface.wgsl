// What a material says of the surface at one fragment.
#import vertex

@if(base_texture)
@group(2) @binding(1) var base_texture: texture_2d<f32>;
@group(2) @binding(2) var base_sampler: sampler;
@end
@if(metallic_roughness_texture)
@group(2) @binding(3) var metallic_roughness_texture: texture_2d<f32>;
@group(2) @binding(4) var metallic_roughness_sampler: sampler;
@end
@if(normal_texture)
@group(2) @binding(5) var normal_texture: texture_2d<f32>;
@group(2) @binding(6) var normal_sampler: sampler;
@end
@if(occlusion_texture)
@group(2) @binding(7) var occlusion_texture: texture_2d<f32>;
@group(2) @binding(8) var occlusion_sampler: sampler;
@end
@if(emissive_texture)
@group(2) @binding(9) var emissive_texture: texture_2d<f32>;
@group(2) @binding(10) var emissive_sampler: sampler;
@end
@if(shade_texture)
@group(2) @binding(11) var shade_texture: texture_2d<f32>;
@group(2) @binding(12) var shade_sampler: sampler;
@end

@if(driven)
// Two numbers of the material as the body's channels have them: base colour (0, 1), emissive and
// shade (2, 3, 4), offset and scale of all uv against the material's (5, 6), face (7, 8), matcap,
// rim and outline (9 … 13).
fn factor_pair(in: VertexOut, index: u32) -> vec2<f32> {
    return weight_texel(in.factors + index);
}
@end

fn uv_of(in: VertexOut, texture: u32) -> vec2<f32> {
@if(uv_mask)
    let still = uv_placed(uv_in(in.uv, UV_MASK_SLOT, 0.0), UV_MASK_SLOT);
    let share = textureSample(uv_mask_texture, uv_mask_sampler, still).b;
@else
    let share = 1.0;
@end
    let uv = uv_in(in.uv, texture, share);
@if(driven)
    return uv_placed(uv * factor_pair(in, 6u), texture) + factor_pair(in, 5u);
@else
    return uv_placed(uv, texture);
@end
}

// Colour and opacity before light.
fn base_colour(in: VertexOut) -> vec4<f32> {
@if(driven)
    var colour = vec4<f32>(factor_pair(in, 0u), factor_pair(in, 1u));
@else
    var colour = material.base_colour;
@end
@if(base_texture) colour *= textureSample(base_texture, base_sampler, uv_of(in, 0u));
@if(vertex_colour && !toon)
@if(fur || water)
    // Alpha is the length of the hair, or the nearness of a bank.
    colour *= vec4<f32>(in.colour.rgb, 1.0);
@else
    colour *= in.colour;
@end
@end
    return colour;
}

// Opacity by the material's alpha mode; discards what the cutoff removes.
fn opacity(alpha: f32) -> f32 {
@if(coverage)
    // A ramp one pixel wide about the cutoff, for the samples of the pixel to share.
    let width = max(fwidth(alpha), 1e-4);
    let ramp = clamp((alpha - material.extra.x) / width + 0.5, 0.0, 1.0);
    if ramp <= 0.0 {
        discard;
    }
    return ramp;
@else
@if(mask)
    if alpha < material.extra.x {
        discard;
    }
@end
@if(blend)
    return alpha;
@else
    return 1.0;
@end
@end
}

// True where the outside of the surface is seen.
fn outside(in: VertexOut, front: bool) -> bool {
@if(mixed_facing)
    return front == (in.facing >= 0.0);
@else
@if(mirrored)
    return !front;
@else
    return front;
@end
@end
}

// Single-sided surfaces are culled by the rasteriser, unless one draw mixes mirrored and plain.
fn cull(in: VertexOut, front: bool) {
@if(mixed_facing && ink)
    if outside(in, front) {
        discard;
    }
@end
@if(mixed_facing && !double_sided && !ink)
    if !outside(in, front) {
        discard;
    }
@end
}

// 1 where the outside is seen or shown from within, −1 where it is the inside that is seen.
fn side_of(in: VertexOut, front: bool) -> f32 {
@if(ink)
    return 1.0;
@else
    return select(-1.0, 1.0, outside(in, front));
@end
}

// Normal of the triangle itself, towards the viewer.
fn flat_normal(in: VertexOut) -> vec3<f32> {
    let n = direction_or(cross(dpdx(in.position), dpdy(in.position)), vec3<f32>(0.0, 1.0, 0.0));
    return n * select(1.0, -1.0, dot(n, to_eye(in)) < 0.0);
}

fn to_eye(in: VertexOut) -> vec3<f32> {
    let ray = frame.eye.xyz - in.position;
    return normalize(select(-frame.view_forward.xyz, ray, frame.eye.w > 0.5));
}

// Normal to shade with: interpolated or flat, towards the viewer's side, bent by the normal map.
fn shading_normal(in: VertexOut, front: bool) -> vec3<f32> {
@if(flat_normals)
    let plain = flat_normal(in);
@else
    let side = side_of(in, front);
    let plain = direction_or(in.normal, vec3<f32>(0.0, 1.0, 0.0)) * side;
@end
@if(normal_texture)
    let uv = uv_of(in, 2u);
    var bent = textureSample(normal_texture, normal_sampler, uv).xyz * 2.0 - 1.0;
    bent = vec3<f32>(bent.xy * material.factors.z, bent.z);
@if(tangents && !flat_normals)
    let t = direction_or(in.tangent.xyz - plain * dot(plain, in.tangent.xyz), vec3<f32>(1.0, 0.0, 0.0));
    let b = cross(plain, t) * in.tangent.w * side;
@else
    // Frame from derivatives (Schüler, "Followup: Normal Mapping Without Precomputed Tangents", 2013).
    let dp1 = dpdx(in.position);
    let dp2 = dpdy(in.position);
    let du1 = dpdx(uv);
    let du2 = dpdy(uv);
    let p1 = cross(plain, dp1);
    let p2 = cross(dp2, plain);
    let t0 = p2 * du1.x + p1 * du2.x;
    let b0 = p2 * du1.y + p1 * du2.y;
    // Right whichever way the picture's rows run. Both of unit length, as in stored tangents. A texture's v grows downward, a normal map's
    // green upward.
    let turn = select(1.0, -1.0, dot(cross(dp1, dp2), plain) < 0.0);
    let t = direction_or(t0, vec3<f32>(0.0)) * turn;
    let b = direction_or(b0, vec3<f32>(0.0)) * -turn;
@end
    return direction_or(t * bent.x + b * bent.y + plain * bent.z, plain);
@else
    return plain;
@end
}

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

fn uv_of(in: VertexOut, texture: u32) -> vec2<f32> {
    let second = (u32(material.extra.y) >> texture) & 1u;
    var uv = vec3<f32>(select(in.uv.xy, in.uv.zw, second == 1u), 1.0);
@if(driven) uv = vec3<f32>(uv.xy * in.uv_change.zw, 1.0);
    let u = material.uv_transforms[texture * 2u].xyz;
    let v = material.uv_transforms[texture * 2u + 1u].xyz;
@if(driven)
    return vec2<f32>(dot(u, uv), dot(v, uv)) + in.uv_change.xy;
@else
    return vec2<f32>(dot(u, uv), dot(v, uv));
@end
}

// Colour and opacity before light.
fn base_colour(in: VertexOut) -> vec4<f32> {
@if(driven)
    var colour = in.base_colour;
@else
    var colour = material.base_colour;
@end
@if(base_texture) colour *= textureSample(base_texture, base_sampler, uv_of(in, 0u));
@if(vertex_colour)
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
@if(mixed_facing && !double_sided)
    if !outside(in, front) {
        discard;
    }
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
    let side = select(-1.0, 1.0, outside(in, front));
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

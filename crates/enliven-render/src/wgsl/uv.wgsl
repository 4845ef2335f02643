// Where on its pictures a surface lies.
#import material

const UV_MASK_SLOT: u32 = 10u;
const INK_SLOT: u32 = 9u;

@if(ink_texture)
@group(2) @binding(19) var ink_texture: texture_2d<f32>;
@group(2) @binding(20) var ink_sampler: sampler;
@end
@if(uv_mask)
@group(2) @binding(21) var uv_mask_texture: texture_2d<f32>;
@group(2) @binding(22) var uv_mask_sampler: sampler;
@end

// The uv set that a texture reads, after a share of MToon's motion: turned counter-clockwise about
// the middle where v grows downward, then moved.
fn uv_in(sets: vec4<f32>, texture: u32, share: f32) -> vec2<f32> {
    let second = (u32(material.extra.y) >> texture) & 1u;
    let uv = select(sets.xy, sets.zw, second == 1u);
@if(uv_motion)
    let turn = fract(material.uv_motion.z * share) * 6.28318531;
    let c = cos(turn);
    let s = sin(turn);
    let d = uv - 0.5;
    return vec2<f32>(c * d.x + s * d.y, c * d.y - s * d.x) + 0.5 + material.uv_motion.xy * share;
@else
    return uv;
@end
}

// After the texture's own transform.
fn uv_placed(uv: vec2<f32>, texture: u32) -> vec2<f32> {
    let at = vec3<f32>(uv, 1.0);
    return vec2<f32>(
        dot(material.uv_transforms[texture * 2u].xyz, at),
        dot(material.uv_transforms[texture * 2u + 1u].xyz, at),
    );
}

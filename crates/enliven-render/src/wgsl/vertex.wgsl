// THE vertex function: morph → skin → root → air → fur. Every pass that draws a character takes
// its vertex stage from here and from nowhere else; a stage that a mesh lacks is the identity.
// The CPU twin is enliven's `vertex` module.
#import frame
#import math
#import material
#import air
#import uv
@if(shell)
#import hair
@end

// Joint matrices of every body in the frame: three texels an entry, the rows of a 3 × 4 matrix.
@group(0) @binding(1) var palette_texture: texture_2d<f32>;
// Numbers that each body's channels drive. Morph weights: per list one texel (count, 0), then
// (target, weight). Material factors: fourteen texels a material, see `factor_pair`.
@group(0) @binding(2) var weight_texture: texture_2d<f32>;

struct Mesh {
    // Entry of the body's palette that joint index 0 stands for.
    palette_base: u32,
    // Texel of the body's weights at which this mesh's list begins.
    weight_base: u32,
    // Texels a vertex in the morph texture: 1 position, 2 also normal, 3 also tangent.
    morph_stride: u32,
    // Index shown by the id pass.
    index: u32,
    // Texel of the body's numbers at which this mesh's material factors begin.
    factor_base: u32,
}

@group(1) @binding(0) var<uniform> mesh: Mesh;
@if(morph)
// A header texel a target (first texel, first vertex, vertex count), then the deltas.
@group(1) @binding(1) var morph_texture: texture_2d<f32>;
@end

// Entries, weights and texels a row; TEXTURE_WIDTH of data.rs.
const ENTRIES_A_ROW: u32 = 512u;
const WEIGHTS_A_ROW: u32 = 1024u;
const MORPHS_A_ROW: u32 = 2048u;

struct VertexIn {
    @builtin(vertex_index) index: u32,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) tangent: vec4<f32>,
    @location(3) uv: vec4<f32>,
    @location(4) colour: vec4<f32>,
    // The instance: rows of the root transform, then (palette entry, weight texel, body id, shell
    // of the fur).
    @location(5) root_x: vec4<f32>,
    @location(6) root_y: vec4<f32>,
    @location(7) root_z: vec4<f32>,
    @location(8) bases: vec4<u32>,
    // Linear display colour of the outline; w: its width, a fraction of the picture's height.
    @location(9) outline: vec4<f32>,
@if(skin4 || skin8)
    @location(10) joints: vec4<u32>,
    @location(11) weights: vec4<f32>,
@end
@if(skin8)
    @location(12) more_joints: vec4<u32>,
    @location(13) more_weights: vec4<f32>,
@end
}

struct VertexOut {
    @invariant @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) tangent: vec4<f32>,
    @location(3) uv: vec4<f32>,
    @location(4) colour: vec4<f32>,
    // Body, mesh, and which of the mesh's joints the vertex follows most.
    @location(5) @interpolate(flat, either) id: vec3<u32>,
    // −1 where the matrices mirror, so that inside and outside change places.
    @location(6) facing: f32,
@if(outline)
    @location(7) outline: vec4<f32>,
@end
@if(driven)
    // Texel at which the body's own material factors begin.
    @location(8) @interpolate(flat, either) factors: u32,
@end
@if(local)
    // The vertex as the geometry has it: what a pattern on the surface holds on to.
    @location(9) local: vec3<f32>,
@end
@if(shell)
    // Along the hair; w: 0 at its root, 1 at its tip.
    @location(10) hair: vec4<f32>,
@end
}

struct Posed {
    position: vec3<f32>,
    normal: vec3<f32>,
    tangent: vec3<f32>,
    facing: f32,
@if(shell)
    // Direction of the comb, with the scale of what the vertex follows.
    lie: vec3<f32>,
@end
}

struct Affine {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

fn palette(entry: u32) -> Affine {
    let at = vec2<i32>(i32(entry % ENTRIES_A_ROW) * 3, i32(entry / ENTRIES_A_ROW));
    return Affine(
        textureLoad(palette_texture, at, 0),
        textureLoad(palette_texture, at + vec2<i32>(1, 0), 0),
        textureLoad(palette_texture, at + vec2<i32>(2, 0), 0),
    );
}

// Positions by the matrix; directions along the surface too; normals by its cofactors, which stay
// right under uneven and negative scale, and the sign of the determinant, which keeps them outward.
fn transform(by: Affine, v: Posed) -> Posed {
    let p = vec4<f32>(v.position, 1.0);
    let position = vec3<f32>(dot(by.x, p), dot(by.y, p), dot(by.z, p));
    let yz = cross(by.y.xyz, by.z.xyz);
    let zx = cross(by.z.xyz, by.x.xyz);
    let xy = cross(by.x.xyz, by.y.xyz);
    let sign = select(1.0, -1.0, dot(by.x.xyz, yz) < 0.0);
    let normal = vec3<f32>(dot(yz, v.normal), dot(zx, v.normal), dot(xy, v.normal)) * sign;
    let tangent = vec3<f32>(
        dot(by.x.xyz, v.tangent),
        dot(by.y.xyz, v.tangent),
        dot(by.z.xyz, v.tangent),
    );
    return Posed(
        position,
        direction_or(normal, vec3<f32>(0.0, 1.0, 0.0)),
        direction_or(tangent, v.tangent),
        v.facing * sign,
@if(shell) vec3<f32>(dot(by.x.xyz, v.lie), dot(by.y.xyz, v.lie), dot(by.z.xyz, v.lie)),
    );
}

@if(morph || driven)
fn weight_texel(at: u32) -> vec2<f32> {
    return textureLoad(
        weight_texture,
        vec2<i32>(i32(at % WEIGHTS_A_ROW), i32(at / WEIGHTS_A_ROW)),
        0,
    ).xy;
}
@end

@if(morph)
fn morph_texel(at: u32) -> vec4<f32> {
    return textureLoad(
        morph_texture,
        vec2<i32>(i32(at % MORPHS_A_ROW), i32(at / MORPHS_A_ROW)),
        0,
    );
}

fn morph(in: VertexIn, v: Posed) -> Posed {
    var out = v;
    let list = in.bases.y + mesh.weight_base;
    let count = u32(weight_texel(list).x);
    for (var i = 1u; i <= count; i++) {
        let entry = weight_texel(list + i);
        let header = morph_texel(u32(entry.x));
        let first = u32(header.y);
        if in.index >= first && in.index < first + u32(header.z) {
            let at = u32(header.x) + (in.index - first) * mesh.morph_stride;
            out.position += entry.y * morph_texel(at).xyz;
            if mesh.morph_stride > 1u {
                out.normal += entry.y * morph_texel(at + 1u).xyz;
            }
            if mesh.morph_stride > 2u {
                out.tangent += entry.y * morph_texel(at + 2u).xyz;
            }
        }
    }
    return out;
}
@end

// Shapes that no joint makes, in the world.
fn deform(in: VertexIn, v: Posed) -> Posed {
    var out = v;
@if(sway)
    let blown = swayed(out.position, out.normal, in.position.y);
    out.position = blown.position;
    out.normal = blown.normal;
@end
@if(water)
    let wave = waves_at(out.position.xz);
    out.position.y += wave.x;
    out.normal = normalize(vec3<f32>(-wave.y, 1.0, -wave.z));
@end
    return out;
}

fn skin(in: VertexIn, v: Posed) -> Posed {
    let base = in.bases.x + mesh.palette_base;
@if(skin4 || skin8)
    var sum = Affine(vec4<f32>(0.0), vec4<f32>(0.0), vec4<f32>(0.0));
    for (var i = 0u; i < 4u; i++) {
        let weight = in.weights[i];
        if weight != 0.0 {
            let joint = palette(base + in.joints[i]);
            sum.x += weight * joint.x;
            sum.y += weight * joint.y;
            sum.z += weight * joint.z;
        }
    }
@if(skin8)
    for (var i = 0u; i < 4u; i++) {
        let weight = in.more_weights[i];
        if weight != 0.0 {
            let joint = palette(base + in.more_joints[i]);
            sum.x += weight * joint.x;
            sum.y += weight * joint.y;
            sum.z += weight * joint.z;
        }
    }
@end
    return transform(sum, v);
@else
    return transform(palette(base), v);
@end
}

// Which of the mesh's joints the vertex follows most.
fn leader(in: VertexIn) -> u32 {
    var joint = 0u;
@if(skin4 || skin8)
    var most = -1.0;
    for (var i = 0u; i < 4u; i++) {
        if in.weights[i] > most {
            most = in.weights[i];
            joint = in.joints[i];
        }
    }
@if(skin8)
    for (var i = 0u; i < 4u; i++) {
        if in.more_weights[i] > most {
            most = in.more_weights[i];
            joint = in.more_joints[i];
        }
    }
@end
@end
    return joint;
}

fn pose(in: VertexIn) -> Posed {
    var v = Posed(
        in.position,
        in.normal,
        in.tangent.xyz,
        1.0,
@if(shell) material.fur_lie.xyz,
    );
@if(morph) v = morph(in, v);
    v = skin(in, v);
    v = transform(Affine(in.root_x, in.root_y, in.root_z), v);
    return deform(in, v);
}

@if(ink)
// How far the outline of MToon lies outside: metres, or parts of the picture's height.
fn ink_width(in: VertexIn) -> f32 {
@if(ink_texture)
@if(uv_mask)
    let still = uv_placed(uv_in(in.uv, UV_MASK_SLOT, 0.0), UV_MASK_SLOT);
    let share = textureSampleLevel(uv_mask_texture, uv_mask_sampler, still, 0.0).b;
@else
    let share = 1.0;
@end
    let uv = uv_placed(uv_in(in.uv, INK_SLOT, share), INK_SLOT);
    return material.ink_shape.x * textureSampleLevel(ink_texture, ink_sampler, uv, 0.0).g;
@else
    return material.ink_shape.x;
@end
}
@end

@vertex
fn vertex(in: VertexIn) -> VertexOut {
    var posed = pose(in);
    var out: VertexOut;
@if(shell)
    // The outline runs round the tips.
@if(outline)
    let height = 1.0;
@else
    let height = f32(in.bases.w) / material.fur_shape.y;
@end
    let grown = hair(posed.position, posed.normal, posed.lie, in.colour.a, height);
    posed.position = grown.position;
    out.hair = vec4<f32>(grown.along, height);
@end
@if(local) out.local = in.position;
    out.position = posed.position;
    out.normal = posed.normal;
    out.tangent = vec4<f32>(posed.tangent, in.tangent.w * posed.facing);
    out.uv = in.uv;
    out.colour = in.colour;
    out.id = vec3<u32>(in.bases.z, mesh.index, leader(in));
    out.facing = posed.facing;
@if(driven) out.factors = in.bases.y + mesh.factor_base;
    out.clip = frame.clip_from_world * vec4<f32>(posed.position, 1.0);
@if(outline)
    // The hull is the posed body itself, its clip position moved outward on the screen.
    out.outline = in.outline;
    let normal = frame.clip_from_world * vec4<f32>(posed.normal, 0.0);
    let outward = normal.xy * frame.misc.zw;
    if dot(outward, outward) > 0.0 {
        let pixels = normalize(outward) * in.outline.w * frame.misc.w;
        let moved = out.clip.xy + pixels * 2.0 / frame.misc.zw * out.clip.w;
        out.clip = vec4<f32>(moved, out.clip.zw);
    }
@end
@if(ink)
    // The same along the normal: metres, or parts of the picture's height.
    let seen = 2.0 * out.clip.w * length(frame.view_up.xyz);
    let view = select(1.0, seen, material.ink_shape.y > 0.5);
    let hull = posed.position + posed.normal * (ink_width(in) * view);
    out.clip = frame.clip_from_world * vec4<f32>(hull, 1.0);
@end
@if(capture)
    // One texel a vertex: what a test reads back is what every pass draws.
    let across = u32(frame.misc.z);
    let texel = vec2<f32>(f32(in.index % across), f32(in.index / across)) + 0.5;
    let ndc = texel / frame.misc.zw * 2.0 - 1.0;
    out.clip = vec4<f32>(ndc.x, -ndc.y, 0.5, 1.0);
@end
    return out;
}

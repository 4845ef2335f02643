// A thin leaf: veins that stand up from it, and the sun that comes through.
#import surface
#import light

// How much of a vein there is.
fn vein(uv: vec2<f32>) -> f32 {
@if(base_texture)
    return textureSample(base_texture, base_sampler, uv).a;
@else
    return 0.0;
@end
}

// The normal bent by the veins' height (Mikkelsen, "Bump Mapping Unparametrized Surfaces on the
// GPU", 2010).
fn veined(in: VertexOut, n: vec3<f32>) -> vec3<f32> {
@if(base_texture)
    let uv = uv_of(in, 0u);
    let height = material.leaf_veins.x;
    let here = vein(uv);
    let across = height * (vein(uv + dpdx(uv)) - here);
    let down = height * (vein(uv + dpdy(uv)) - here);
    let dp1 = dpdx(in.position);
    let dp2 = dpdy(in.position);
    let r1 = cross(dp2, n);
    let r2 = cross(n, dp1);
    let det = dot(dp1, r1);
    return direction_or(abs(det) * n - sign(det) * (across * r1 + down * r2), n);
@else
    return n;
@end
}

// Sun through the leaf: brightest where one looks towards it and the side that is seen lies away
// from it. n: normal of the side that is seen.
fn through_leaf(in: VertexOut, n: vec3<f32>, plain: vec3<f32>) -> vec3<f32> {
    let l = frame.sun_direction.xyz;
    let look = -to_eye(in);
    let towards = pow(clamp(dot(look, l) * 0.5 + 0.5, 0.0, 1.0), 3.0);
    let lit = clamp(-dot(n, l) * 1.4 + 0.2, 0.0, 1.0);
@if(base_texture)
    let open = 1.0 - material.leaf_veins.y * vein(uv_of(in, 0u));
@else
    let open = 1.0;
@end
    let day = 1.0 - 0.85 * frame.ambience.x;
    // The leaf itself lies in its own shadow: what counts is what stands between it and the sun.
    let side = select(1.0, -1.0, dot(plain, l) < 0.0);
    let seen = sun_visibility(in.position, plain * side, in.clip.xy);
    // A leaf also scatters a little of the light every way, and of the sky's.
    let scattered = DIFFUSE_SHARE * clamp(-dot(n, l), 0.0, 1.0);
    let sun = frame.sun_colour.rgb * seen * (material.leaf_light.w * towards * lit + scattered);
    let sky = sky_diffuse(-n) * SKY_THROUGH;
    return material.leaf_light.rgb * open * (sun * day + sky);
}

// Shares of light that come through whichever way one looks. By eye.
const DIFFUSE_SHARE: f32 = 0.22;
const SKY_THROUGH: f32 = 0.35;

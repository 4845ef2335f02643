// A face drawn from the place on the head: two hollows and a mouth as signed distances.
#import surface

struct Drawn {
    // 1 inside a hollow.
    hole: f32,
    // 1 at the rim outside of it, fading outward.
    rim: f32,
    // 1 above a hollow's middle … −1 below: which side of the rim catches the light.
    above: f32,
}

// Signed distance to an ellipse, near its edge (I. Quilez, first order).
fn oval(p: vec2<f32>, half: vec2<f32>) -> f32 {
    let k0 = length(p / half);
    let k1 = length(p / (half * half));
    return k0 * (k0 - 1.0) / max(k1, 1e-4);
}

// Distance of the eyes from the middle and their half axes, units of the drawing. By eye.
const EYE_APART: f32 = 0.36;
const EYE_HALF: vec2<f32> = vec2<f32>(0.15, 0.215);
const MOUTH_BELOW: f32 = 0.40;
const MOUTH_ROUND: vec2<f32> = vec2<f32>(0.095, 0.125);
const MOUTH_SLIT: vec2<f32> = vec2<f32>(0.24, 0.026);
const RIM_WIDTH: f32 = 0.075;

fn drawn_face(in: VertexOut) -> Drawn {
@if(driven)
    let variant = vec4<f32>(factor_pair(in, 7u), factor_pair(in, 8u));
@else
    let variant = material.face_variant;
@end
    let forward = material.face_forward.xyz;
    let right = direction_or(cross(vec3<f32>(0.0, 1.0, 0.0), forward), vec3<f32>(1.0, 0.0, 0.0));
    let up = cross(forward, right);
    let d = in.local - material.face_at.xyz;
    let p = vec2<f32>(dot(d, right), dot(d, up)) / (material.face_at.w * max(variant.w, 1e-3));
    // Both eyes are one, mirrored.
    let e = vec2<f32>(abs(p.x) - EYE_APART, p.y - variant.y);
    let c = cos(variant.x);
    let s = sin(variant.x);
    let eye = oval(vec2<f32>(c * e.x + s * e.y, c * e.y - s * e.x), EYE_HALF);
    let m = p + vec2<f32>(0.0, MOUTH_BELOW - 0.5 * variant.y);
    let mouth = oval(m, mix(MOUTH_ROUND, MOUTH_SLIT, clamp(variant.z, 0.0, 1.0)));
    let distance = min(eye, mouth);
    let width = max(fwidth(distance), 1e-5);
    let front = smoothstep(0.0, 0.15, dot(d, forward) / material.face_at.w);
    let hole = clamp(0.5 - distance / width, 0.0, 1.0) * front;
    let rim = (1.0 - smoothstep(0.0, RIM_WIDTH, distance)) * (1.0 - hole) * front;
    let above = select(m.y / MOUTH_ROUND.y, e.y / EYE_HALF.y, eye < mouth);
    return Drawn(hole, rim, clamp(above, -1.0, 1.0));
}

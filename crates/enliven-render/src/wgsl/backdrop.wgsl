// Sky and ground, behind and under the bodies. No character is drawn here.
#import light
#import tone

struct SkyOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) ray: vec3<f32>,
}

@vertex
fn sky_vertex(@builtin(vertex_index) index: u32) -> SkyOut {
    // One triangle that covers the picture, at the far end of a reversed depth.
    let corner = vec2<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    var out: SkyOut;
    out.clip = vec4<f32>(corner, 0.0, 1.0);
    out.ray = frame.view_forward.xyz
        + frame.eye.w * (corner.x * frame.view_right.xyz + corner.y * frame.view_up.xyz);
    return out;
}

@fragment
fn sky_fragment(in: SkyOut) -> @location(0) vec4<f32> {
    return vec4<f32>(display(whole_sky(normalize(in.ray))), 1.0);
}

struct GroundOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
}

@vertex
fn ground_vertex(@builtin(vertex_index) index: u32) -> GroundOut {
    // Two triangles round the middle.
    let corner = vec2<f32>(f32((26u >> index) & 1u), f32((52u >> index) & 1u));
    let flat = (corner * 2.0 - 1.0) * frame.ground_centre.w;
    var out: GroundOut;
    out.position = frame.ground_centre.xyz + vec3<f32>(flat.x, 0.0, flat.y);
    out.clip = frame.clip_from_world * vec4<f32>(out.position, 1.0);
    return out;
}

// Coverage of thin lines at whole numbers, each `width` of a cell wide, antialiased.
fn lines(at: vec2<f32>, width: f32) -> f32 {
    let reach = fwidth(at);
    let distance = abs(fract(at - 0.5) - 0.5);
    let line = clamp((vec2<f32>(width) - distance) / max(reach, vec2<f32>(1e-6)) + 0.5, vec2<f32>(0.0), vec2<f32>(1.0));
    // Far off, where a pixel spans a cell, lines fade instead of flickering.
    let near = 1.0 - smoothstep(vec2<f32>(0.15), vec2<f32>(0.6), reach);
    return max(line.x * near.x, line.y * near.y);
}

@fragment
fn ground_fragment(in: GroundOut) -> @location(0) vec4<f32> {
    let away = in.position - frame.ground_centre.xyz;
    let radius = length(away.xz) / frame.ground_centre.w;
    let normal = vec3<f32>(0.0, 1.0, 0.0);
    let seen = sun_visibility(in.position, normal, in.clip.xy);
    // Solid underfoot, gone at the rim.
    let fade = 1.0 - smoothstep(0.12, 1.0, sqrt(radius));
    if frame.misc.x > 0.5 {
        // Only the shadow falls on a transparent background.
        let dark = (1.0 - seen) * 0.55 * fade;
        return vec4<f32>(0.0, 0.0, 0.0, dark);
    }
    let cell = in.position.xz / frame.ground_colour.w;
    let grid = max(0.5 * lines(cell, 0.012), lines(cell / 5.0, 0.003));
    let albedo = frame.ground_colour.rgb * (1.0 - 0.2 * grid);
    let sun = frame.sun_colour.rgb * frame.sun_direction.y * seen;
    let lit = albedo * (sun + sky_diffuse(normal));
    let ray = in.position - frame.eye.xyz;
    let towards = normalize(select(frame.view_forward.xyz, ray, frame.eye.w > 0.5));
    if frame.background.w > 0.5 {
        return vec4<f32>(mix(frame.background.rgb, display(lit), fade), 1.0);
    }
    return vec4<f32>(display(misty(mix(sky(towards), lit, fade), in.position)), 1.0);
}

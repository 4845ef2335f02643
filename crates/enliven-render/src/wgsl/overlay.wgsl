// Lines of an even width on top of everything: joints and bones. No character is drawn here.
#import frame

struct LineIn {
    @builtin(vertex_index) index: u32,
    // Ends in the world; w of the first: width in pixels, w of the second: 1 for round dots.
    @location(0) start: vec4<f32>,
    @location(1) end: vec4<f32>,
    @location(2) colour: vec4<f32>,
}

struct LineOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) colour: vec4<f32>,
}

@vertex
fn line_vertex(in: LineIn) -> LineOut {
    let a = frame.clip_from_world * vec4<f32>(in.start.xyz, 1.0);
    let b = frame.clip_from_world * vec4<f32>(in.end.xyz, 1.0);
    let size = frame.misc.zw;
    let step = (b.xy / max(b.w, 1e-6) - a.xy / max(a.w, 1e-6)) * size;
    let long = dot(step, step) > 1e-6;
    let along = select(vec2<f32>(1.0, 0.0), normalize(select(vec2<f32>(1.0, 0.0), step, long)), long);
    let across = vec2<f32>(-along.y, along.x);
    let corner = vec2<f32>(f32((26u >> in.index) & 1u), f32((52u >> in.index) & 1u));
    let half_width = 0.5 * in.start.w;
    // A line without length is a square of its width.
    let reach = select(half_width, 0.0, long) * (corner.x * 2.0 - 1.0);
    let offset = along * reach + across * half_width * (corner.y * 2.0 - 1.0);
    let end = mix(a, b, corner.x);
    var out: LineOut;
    out.clip = vec4<f32>(end.xy + offset * 2.0 / size * end.w, 0.5 * end.w, end.w);
    out.colour = in.colour;
    return out;
}

@fragment
fn line_fragment(in: LineOut) -> @location(0) vec4<f32> {
    return vec4<f32>(in.colour.rgb * in.colour.a, in.colour.a);
}

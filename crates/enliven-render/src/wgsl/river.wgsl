// A surface of water: the sky in it, its own colour where one looks into it, glints and foam.
#import surface
#import light
#import hash

// Heights of ripples that only the light shows: slope along x and z.
fn ripples(at: vec2<f32>) -> vec2<f32> {
    var out = vec2<f32>(0.0);
    // Directions and lengths that never fall into step; swings a metre.
    out += vec2<f32>(2.1, 1.3) * swing(61.0, dot(vec2<f32>(2.1, 1.3), at));
    out += vec2<f32>(-1.7, 3.1) * swing(83.0, dot(vec2<f32>(-1.7, 3.1), at) + 0.3);
    out += vec2<f32>(4.7, -2.6) * swing(97.0, dot(vec2<f32>(4.7, -2.6), at) + 0.7) * 0.6;
    out += vec2<f32>(-6.1, -5.3) * swing(131.0, dot(vec2<f32>(-6.1, -5.3), at) + 0.1) * 0.4;
    return out;
}

struct Wake {
    slope: vec2<f32>,
    foam: f32,
}

// Behind a boat two crests open like a V, and the water between them is smooth and foamy.
fn wake(at: vec2<f32>) -> Wake {
    let speed = length(frame.wake.zw);
    if speed < 0.02 {
        return Wake(vec2<f32>(0.0), 0.0);
    }
    let ahead = frame.wake.zw / speed;
    let side = vec2<f32>(-ahead.y, ahead.x);
    let d = at - frame.wake.xy;
    let behind = -dot(d, ahead);
    let aside = dot(d, side);
    let strength = clamp(speed * 0.9, 0.0, 1.0);
    // Half of Kelvin's angle looks right for something so small.
    let arm = abs(aside) - 0.26 - 0.22 * max(behind, 0.0);
    let reach = smoothstep(-0.7, 0.2, behind) * exp(-max(behind, 0.0) * 0.42);
    let crest = exp(-arm * arm * 55.0) * reach * strength;
    let slope = side * sign(aside) * (-arm * 9.0 * crest);
    let trail = exp(-aside * aside * 14.0) * smoothstep(0.3, 0.8, behind) * exp(-max(behind, 0.0) * 0.9);
    return Wake(slope, clamp(0.75 * crest + 0.5 * trail * strength, 0.0, 1.0));
}

fn water(in: VertexOut) -> vec3<f32> {
    let at = in.position.xz;
    let v = to_eye(in);
    let wave = waves_at(at);
    let away = length(frame.eye.xyz - in.position);
    let behind = wake(at);
    // Far off ripples are finer than a pixel: they fade into roughness.
    let fine = 1.0 / (1.0 + 0.02 * away * away);
    let slope = wave.yz + behind.slope + ripples(at) * (0.028 * material.water_deep.w * fine);
    var n = normalize(vec3<f32>(-slope.x, 1.0, -slope.y));
    let nv = clamp(dot(n, v), 0.02, 1.0);
    // Water mirrors 2 % straight down and all of it at a glance (Schlick); waves that hide each
    // other keep it below that.
    let fresnel = 0.02 + 0.9 * pow(1.0 - nv, 5.0);
    var mirrored = reflect(-v, n);
    mirrored.y = abs(mirrored.y);
    let l = frame.sun_direction.xyz;
    let seen = sun_visibility(in.position, vec3<f32>(0.0, 1.0, 0.0), in.clip.xy);
    let around = sky(normalize(mirrored));
    // Light from within: more of it where a crest is thin and lies against the sun.
    let crest = clamp(wave.x * 6.0 + 0.35, 0.0, 1.0) * (0.6 + 0.4 * pow(clamp(dot(-v, l), 0.0, 1.0), 2.0));
    let light = sky_diffuse(vec3<f32>(0.0, 1.0, 0.0)) + frame.sun_colour.rgb * 0.3 * max(l.y, 0.0) * seen;
    let bank = 1.0 - in.colour.a;
    let body = mix(material.water_deep.rgb, material.water_shallow.rgb, clamp(0.55 * crest + bank, 0.0, 1.0));
    var colour = mix(body * light, around, fresnel);
    // Glints of the sun or moon: narrow near by, broad far away.
    let h = normalize(v + l);
    let sharp = mix(90.0, 700.0, fine);
    let glint = pow(clamp(dot(n, h), 0.0, 1.0), sharp) * (0.02 + 0.98 * pow(1.0 - clamp(dot(v, h), 0.0, 1.0), 5.0));
    colour += frame.sun_colour.rgb * seen * min(glint * sharp * 0.35, 6.0);
    // Foam: in bands along the bank that come and go with the waves, and behind the boat.
    let band = bank * 2.4 - 0.75 + 0.5 * wave.x / max(abs(material.waves[0].value.w) * 2.0, 1e-4);
    let lace = lace_at(at * 5.0 + 0.3 * slope);
    let foam = clamp(max(smoothstep(0.25, 1.2, band), behind.foam) * material.water_shallow.w, 0.0, 1.0);
    // Where there is no foam there is no lace either.
    let flecks = smoothstep(1.0 - foam, 1.25 - foam, lace + 0.12) * smoothstep(0.0, 0.25, foam);
    let white = vec3<f32>(0.8, 0.85, 0.85) * (sky_diffuse(vec3<f32>(0.0, 1.0, 0.0)) + frame.sun_colour.rgb * max(l.y, 0.0) * seen * 0.6);
    return mix(colour, white, flecks * 0.75);
}

// Smooth noise in 0..1 that looks like lace: bright lines between dark cells.
fn lace_at(at: vec2<f32>) -> f32 {
    let p = at + vec2<f32>(swing(7.0, 0.17 * at.y), swing(9.0, 0.13 * at.x)) * 0.25;
    let cell = floor(p);
    var first = 9.0;
    var second = 9.0;
    for (var i = 0; i < 9; i++) {
        let c = cell + vec2<f32>(f32(i % 3) - 1.0, f32(i / 3) - 1.0);
        let dice = hash(vec3<i32>(vec2<i32>(c), 7));
        let d = length(c + 0.15 + 0.7 * dice.xy - p);
        second = min(second, max(first, d));
        first = min(first, d);
    }
    return 1.0 - smoothstep(0.02, 0.42, second - first);
}

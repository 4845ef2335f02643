// From scene light to the light that a display shows.
#import frame

// Filmic curve: Stephen Hill's fit of the ACES reference and output transforms (2016).
fn filmic(scene: vec3<f32>) -> vec3<f32> {
    let into = mat3x3<f32>(
        0.59719, 0.07600, 0.02840,
        0.35458, 0.90834, 0.13383,
        0.04823, 0.01566, 0.83777,
    );
    let out_of = mat3x3<f32>(
        1.60475, -0.10208, -0.00327,
        -0.53108, 1.10813, -0.07276,
        -0.07367, -0.00605, 1.07602,
    );
    let v = into * scene;
    let a = v * (v + 0.0245786) - 0.000090537;
    let b = v * (0.983729 * v + 0.4329510) + 0.238081;
    return clamp(out_of * (a / b), vec3<f32>(0.0), vec3<f32>(1.0));
}

// Half-way between the curve on each channel, which bleaches bright colours, and the curve on
// brightness alone, which keeps them.
const KEEP_HUE: f32 = 0.45;

fn display(scene: vec3<f32>) -> vec3<f32> {
    let light = max(scene, vec3<f32>(0.0)) * frame.sun_colour.w;
    let brightness = dot(light, vec3<f32>(0.2126, 0.7152, 0.0722));
    let bleached = filmic(light);
    let kept = light * (filmic(vec3<f32>(brightness)).g / max(brightness, 1e-6));
    return clamp(mix(bleached, kept, KEEP_HUE), vec3<f32>(0.0), vec3<f32>(1.0));
}

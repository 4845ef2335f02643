// A material's numbers. Layout: material.rs, `MaterialUniform`.
struct Wave {
    // xy: swings a metre along x and z, z: swings in the air's period, w: amplitude.
    value: vec4<f32>,
}

struct Material {
    base_colour: vec4<f32>,
    // rgb times strength
    emissive: vec4<f32>,
    // x metallic, y roughness, z normal scale, w occlusion strength
    factors: vec4<f32>,
    // x alpha cutoff, y: which textures use the second uv set (bits 0..10)
    extra: vec4<f32>,
    // MToon. rgb of the shaded side
    shade_colour: vec4<f32>,
    // x shading shift, y toony, z factor of the shift texture, w equalisation of the light around
    tones: vec4<f32>,
    // rgb
    matcap_colour: vec4<f32>,
    // rgb
    rim_colour: vec4<f32>,
    // x exponent, y lift, z share of the scene's light in it
    rim_shape: vec4<f32>,
    // rgb of the outline, w: share of the surface's colour in it
    ink_colour: vec4<f32>,
    // x width, y: 1 where it is in parts of the picture's height and not in metres
    ink_shape: vec4<f32>,
    // Per texture two rows of a 2 × 3 matrix on (u, v, 1).
    uv_transforms: array<vec4<f32>, 22>,
    // Fur. xyz: unit direction that it is combed to, w: how far.
    fur_lie: vec4<f32>,
    // x length, y shells, z weight, w wind
    fur_shape: vec4<f32>,
    // x hairs a metre, y thickness, z light at the roots, w rim
    fur_look: vec4<f32>,
    // Drawn face. xyz: middle of the head, w: size of a unit
    face_at: vec4<f32>,
    // xyz: unit direction out of the face
    face_forward: vec4<f32>,
    // tilt, eye height, mouth, scale
    face_variant: vec4<f32>,
    // rgb of the hollows
    face_hollow: vec4<f32>,
    // Leaf. rgb: tint of what comes through, w: gain
    leaf_light: vec4<f32>,
    // x: height of the veins, metres, y: light that they keep back
    leaf_veins: vec4<f32>,
    // Sway. x base, y top, z give, w flutter
    sway: vec4<f32>,
    // Water. rgb, w: ripples
    water_deep: vec4<f32>,
    // rgb, w: foam
    water_shallow: vec4<f32>,
    waves: array<Wave, 4>,
    // MToon. xy: how far the textures have moved, z: turns that they have made
    uv_motion: vec4<f32>,
}

@group(2) @binding(0) var<uniform> material: Material;

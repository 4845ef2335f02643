// What one pass knows of the frame: where the eye is, the sun, the sky, the ground.
// Layout: frame.rs, `FrameUniform`.
struct Frame {
    clip_from_world: mat4x4<f32>,
    // World → shadow map: xy in 0..1 texture coordinates, z depth (0 nearest to the sun).
    shadow_from_world: mat4x4<f32>,
    // Eye position; w: 1 for perspective, 0 for parallel projection.
    eye: vec4<f32>,
    // Half-widths of the view at distance 1 (perspective) along right and up; forward.
    view_right: vec4<f32>,
    view_up: vec4<f32>,
    view_forward: vec4<f32>,
    // To the sun; w: penumbra width per unit of distance between blocker and receiver.
    sun_direction: vec4<f32>,
    // Radiance times π of the sun on a surface that faces it; w: exposure.
    sun_colour: vec4<f32>,
    sky_zenith: vec4<f32>,
    sky_horizon: vec4<f32>,
    // Light that comes back from the ground.
    sky_ground: vec4<f32>,
    // Axes of the shadow map in the world; w: its half-extent along them.
    shadow_right: vec4<f32>,
    shadow_up: vec4<f32>,
    // x: texels a side, y: depth range in the world, z: 1 when there is a shadow map,
    // w: widest penumbra in the world.
    shadow: vec4<f32>,
    // Where the ground's middle is; w: the radius at which it has faded into the sky.
    ground_centre: vec4<f32>,
    // Albedo; w: size of a grid cell.
    ground_colour: vec4<f32>,
    // Linear display colour behind everything; w: 1 when it stands in for the sky.
    background: vec4<f32>,
    // x: 1 when the background is transparent, y: height of the water that the wake lies on,
    // z, w: width and height of the target in pixels.
    misc: vec4<f32>,
    // xyz: wind, m/s; w: part of the air's period that has gone by.
    air: vec4<f32>,
    // Radiance of the mist; w: how much of it lies in a metre.
    fog: vec4<f32>,
    // x: night, 0..1, y: clouds, 0..1, z: stars, 0..1, w: size of the disc in the sky, radians
    // (0: none).
    ambience: vec4<f32>,
    // Of a boat on the water, xy: its place (x, z), zw: its speed along x and z, m/s.
    wake: vec4<f32>,
}

@group(0) @binding(0) var<uniform> frame: Frame;

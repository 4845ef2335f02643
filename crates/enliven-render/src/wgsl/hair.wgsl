// Where fur grows. The CPU twin is enliven's `Fur::hair`.
#import air

struct Hair {
    position: vec3<f32>,
    // Along the hair, not of unit length.
    along: vec3<f32>,
}

// `lie`: the direction of the comb, turned and scaled as the vertex was; `share`: of the length;
// `height`: 0 the root, 1 the tip.
fn hair(position: vec3<f32>, normal: vec3<f32>, lie: vec3<f32>, share: f32, height: f32) -> Hair {
    let scale = length(lie);
    if scale == 0.0 || height == 0.0 {
        return Hair(position, normal);
    }
    var blown = frame.air.xyz * (material.fur_shape.w * gust(position));
    blown /= 1.0 + length(blown);
    var bend = lie / scale * material.fur_lie.w + blown;
    bend.y -= material.fur_shape.z;
    bend -= normal * min(dot(bend, normal), 0.0);
    let along = direction_or(normal + bend * height, normal);
    // The hair curves: at its end it points farther over than the line from its root.
    return Hair(
        position + along * (material.fur_shape.x * scale * share * height),
        normal + bend * (2.0 * height),
    );
}

//! How much two pictures differ to a person.
//!
//! A difference is a distance in YCbCr, brightness weighing most; what counts is its percentiles
//! over the picture, so that a moved edge pixel is nothing and a missing limb is much.

/// The perceived difference of each pixel of two pictures of one size (RGBA, 8 bits each, alpha not
/// premultiplied), sorted, 0..=255.
pub fn differences(a: &[u8], b: &[u8]) -> Vec<f32> {
    let pixels = a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0);
    let mut out: Vec<f32> = pixels
        .map(|(a, b)| {
            // Each over black and alpha itself: what is invisible does not differ.
            let over = |p: &[u8; 4], c: usize| f32::from(p[c]) * f32::from(p[3]) / 255.0;
            let [r, g, b2] = [0, 1, 2].map(|c| over(a, c) - over(b, c));
            let alpha = f32::from(a[3]) - f32::from(b[3]);
            // ITU-R BT.601 on the difference; chroma at half weight.
            let y = 0.299 * r + 0.587 * g + 0.114 * b2;
            let (cb, cr) = ((b2 - y) * 0.564, (r - y) * 0.713);
            (y * y + 0.25 * (cb * cb + cr * cr) + 0.25 * alpha * alpha).sqrt()
        })
        .collect();
    out.sort_unstable_by(f32::total_cmp);
    out
}

/// The value below which that percentage of a sorted list lies.
///
/// # Panics
/// Where the list is empty.
pub fn percentile(sorted: &[f32], percent: f32) -> f32 {
    let at = (sorted.len() as f32 * percent / 100.0).floor() as usize;
    sorted[at.min(sorted.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brightness_weighs_more_than_hue_and_what_is_invisible_nothing() {
        let of = |a: [u8; 4], b: [u8; 4]| differences(&a, &b)[0];
        assert_eq!(of([9, 9, 9, 255], [9, 9, 9, 255]), 0.0);
        assert!((of([0, 0, 0, 255], [100, 100, 100, 255]) - 100.0).abs() < 1e-3);
        // As bright as each other, by BT.601.
        let hue = of([100, 100, 0, 255], [100, 75, 128, 255]);
        assert!((20.0..45.0).contains(&hue), "{hue}");
        assert_eq!(of([255, 0, 0, 0], [0, 255, 0, 0]), 0.0);
        let sorted = differences(&[0; 40], &[[7, 7, 7, 255]; 10].concat());
        assert_eq!((sorted.len(), percentile(&sorted, 0.0)), (10, percentile(&sorted, 100.0)));
    }
}

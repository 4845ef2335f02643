//! 255 colours for a whole film, and a dither that does not flicker.
//!
//! One palette serves all frames, and whether a pixel takes the nearer or the farther of its two
//! colours depends only on its place and its colour. So what stands still in the film stands
//! still in the GIF, grain included.

/// Bits a channel that colours are told apart by.
const BITS: u32 = 7;
const SHIFT: u32 = 8 - BITS;
const BINS: usize = 1 << (3 * BITS);

/// Most colours of a palette: one of the 256 entries is kept for "transparent".
pub(super) const MOST: usize = 255;

/// How much a difference in red, green and blue counts, after the eye's sensitivity.
const WEIGHTS: [f32; 3] = [2.0, 4.0, 3.0];
/// Rounds of moving each colour to the mean of what it stands for.
const ROUNDS: usize = 4;
/// How much a mixture of two colours far apart is avoided: 0 mixes any two, 1 hardly ever mixes.
const GRAIN: f32 = 0.12;

/// The order in which the pixels of an 8×8 tile turn to the second colour as its share grows
/// (Bayer 1973), 0 to 63.
const TILE: [[u8; 8]; 8] = [
    [0, 32, 8, 40, 2, 34, 10, 42],
    [48, 16, 56, 24, 50, 18, 58, 26],
    [12, 44, 4, 36, 14, 46, 6, 38],
    [60, 28, 52, 20, 62, 30, 54, 22],
    [3, 35, 11, 43, 1, 33, 9, 41],
    [51, 19, 59, 27, 49, 17, 57, 25],
    [15, 47, 7, 39, 13, 45, 5, 37],
    [63, 31, 55, 23, 61, 29, 53, 21],
];

/// Counts the colours of a film.
pub(super) struct Histogram {
    counts: Vec<u32>,
}

impl Histogram {
    pub(super) fn new() -> Self {
        Self { counts: vec![0; BINS] }
    }

    /// Counts one pixel.
    pub(super) fn add(&mut self, [r, g, b]: [u8; 3]) {
        let count = &mut self.counts[bin([r, g, b])];
        *count = count.saturating_add(1);
    }

    /// Chooses at most [`MOST`] colours for what was counted.
    pub(super) fn palette(self) -> Palette {
        let colours: Vec<Sample> = self
            .counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(bin, count)| Sample { colour: centre(bin), weight: *count as f32 })
            .collect();
        let mut chosen = split(colours.clone());
        if colours.len() > chosen.len() {
            refine(&mut chosen, &colours);
        }
        let colours: Vec<[u8; 3]> =
            chosen.iter().map(|c| c.map(|v| v.round().clamp(0.0, 255.0) as u8)).collect();
        Palette { colours, mixtures: vec![None; BINS] }
    }
}

fn bin([r, g, b]: [u8; 3]) -> usize {
    let part = |value: u8, place: u32| (usize::from(value) >> SHIFT) << (place * BITS);
    part(r, 2) | part(g, 1) | part(b, 0)
}

/// The colour in the middle of a bin, 0 and 255 exactly at the ends.
fn centre(bin: usize) -> [f32; 3] {
    let most = (1 << BITS) - 1;
    let part = |place: u32| ((bin >> (place * BITS)) & most) as f32 * 255.0 / most as f32;
    [part(2), part(1), part(0)]
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|i| WEIGHTS[i] * (a[i] - b[i]) * (a[i] - b[i])).sum()
}

#[derive(Clone, Copy)]
struct Sample {
    colour: [f32; 3],
    weight: f32,
}

/// A group of colours with its mean and its error along each channel.
struct Group {
    samples: Vec<Sample>,
    mean: [f32; 3],
    errors: [f64; 3],
}

impl Group {
    fn new(samples: Vec<Sample>) -> Self {
        let mut sums = [0.0f64; 4];
        for sample in &samples {
            let weight = f64::from(sample.weight);
            for (sum, value) in sums.iter_mut().zip(sample.colour) {
                *sum += weight * f64::from(value);
            }
            sums[3] += weight;
        }
        let mean = [0, 1, 2].map(|i| (sums[i] / sums[3].max(1.0)) as f32);
        let mut errors = [0.0f64; 3];
        for sample in &samples {
            for i in 0..3 {
                let difference = f64::from(sample.colour[i] - mean[i]);
                errors[i] +=
                    f64::from(sample.weight) * f64::from(WEIGHTS[i]) * difference * difference;
            }
        }
        Self { samples, mean, errors }
    }

    fn error(&self) -> f64 {
        self.errors.iter().sum()
    }

    fn widest(&self) -> usize {
        (1..3).fold(0, |best, i| if self.errors[i] > self.errors[best] { i } else { best })
    }
}

/// Splits the group with the greatest error at its mean until there are enough colours.
fn split(samples: Vec<Sample>) -> Vec<[f32; 3]> {
    if samples.is_empty() {
        return vec![[0.0; 3]];
    }
    let mut groups = vec![Group::new(samples)];
    while groups.len() < MOST {
        let worst = (1..groups.len())
            .fold(0, |best, i| if groups[i].error() > groups[best].error() { i } else { best });
        let channel = groups[worst].widest();
        let cut = groups[worst].mean[channel];
        if groups[worst].error() <= 0.0 {
            break;
        }
        let group = groups.swap_remove(worst);
        let (low, high): (Vec<_>, Vec<_>) =
            group.samples.iter().partition(|sample| sample.colour[channel] <= cut);
        if low.is_empty() || high.is_empty() {
            // Rounding put everything on one side: this group cannot be told apart further.
            groups.push(Group { errors: [0.0; 3], ..group });
            continue;
        }
        groups.extend([Group::new(low), Group::new(high)]);
    }
    groups.iter().map(|group| group.mean).collect()
}

/// Moves each colour to the mean of the samples that are nearest to it, a few times.
fn refine(chosen: &mut [[f32; 3]], samples: &[Sample]) {
    for _ in 0..ROUNDS {
        let mut sums = vec![[0.0f64; 4]; chosen.len()];
        for sample in samples {
            let sum = &mut sums[nearest(chosen, sample.colour)];
            let weight = f64::from(sample.weight);
            for (sum, value) in sum.iter_mut().zip(sample.colour) {
                *sum += weight * f64::from(value);
            }
            sum[3] += weight;
        }
        for (colour, sum) in chosen.iter_mut().zip(&sums) {
            if sum[3] > 0.0 {
                *colour = [0, 1, 2].map(|i| (sum[i] / sum[3]) as f32);
            }
        }
    }
}

fn nearest(colours: &[[f32; 3]], colour: [f32; 3]) -> usize {
    let mut best = (f32::INFINITY, 0);
    for (index, candidate) in colours.iter().enumerate() {
        let found = distance(*candidate, colour);
        if found < best.0 {
            best = (found, index);
        }
    }
    best.1
}

/// A palette, and for each colour the two entries that stand for it.
pub(super) struct Palette {
    colours: Vec<[u8; 3]>,
    mixtures: Vec<Option<Mixture>>,
}

#[derive(Clone, Copy)]
struct Mixture {
    first: u8,
    second: u8,
    /// Pixels of 64 that take the second colour.
    share: u8,
}

impl Palette {
    /// Red, green and blue of each entry.
    pub(super) fn colours(&self) -> &[[u8; 3]] {
        &self.colours
    }

    /// The entry for a pixel of this colour at this place.
    pub(super) fn index(&mut self, colour: [u8; 3], x: usize, y: usize) -> u8 {
        let bin = bin(colour);
        let mixture = match self.mixtures[bin] {
            Some(mixture) => mixture,
            None => *self.mixtures[bin].insert(mix(&self.colours, centre(bin))),
        };
        if TILE[y % 8][x % 8] < mixture.share { mixture.second } else { mixture.first }
    }
}

/// Finds the nearest entry, and a second one that together with it comes closest to `colour`.
fn mix(colours: &[[u8; 3]], colour: [f32; 3]) -> Mixture {
    let entry = |i: usize| colours[i].map(f32::from);
    let first = (0..colours.len()).fold((f32::INFINITY, 0), |best, i| {
        let found = distance(entry(i), colour);
        if found < best.0 { (found, i) } else { best }
    });
    let (mut least, first) = first;
    let base = entry(first);
    let (mut second, mut share) = (first, 0.0);
    for candidate in 0..colours.len() {
        let other = entry(candidate);
        let length = distance(base, other);
        if length <= 0.0 {
            continue;
        }
        let along: f32 =
            (0..3).map(|i| WEIGHTS[i] * (colour[i] - base[i]) * (other[i] - base[i])).sum();
        let t = (along / length).clamp(0.0, 0.5);
        let mixed = [0, 1, 2].map(|i| base[i] + t * (other[i] - base[i]));
        let cost = distance(mixed, colour) + GRAIN * t * (1.0 - t) * length;
        if cost < least {
            (least, second, share) = (cost, candidate, t);
        }
    }
    Mixture { first: first as u8, second: second as u8, share: (share * 64.0).round() as u8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn palette(colours: &[[u8; 3]]) -> Palette {
        let mut histogram = Histogram::new();
        colours.iter().for_each(|colour| histogram.add(*colour));
        histogram.palette()
    }

    #[test]
    fn the_tile_holds_each_step_once() {
        let mut seen = [0; 64];
        TILE.iter().flatten().for_each(|step| seen[usize::from(*step)] += 1);
        assert_eq!(seen, [1; 64]);
    }

    #[test]
    fn few_colours_are_kept_nearly_exactly_and_undithered() {
        let colours = [[0, 0, 0], [255, 255, 255], [200, 30, 40], [12, 180, 90]];
        let mut palette = palette(&colours);
        assert_eq!(palette.colours().len(), colours.len());
        for colour in colours {
            let first = palette.index(colour, 0, 0);
            for (x, y) in [(1, 0), (3, 5), (7, 7)] {
                assert_eq!(palette.index(colour, x, y), first);
            }
            let found = palette.colours()[usize::from(first)];
            for i in 0..3 {
                assert!(found[i].abs_diff(colour[i]) <= 2, "{found:?} for {colour:?}");
            }
        }
    }

    #[test]
    fn a_ramp_is_dithered_to_its_true_mean() {
        // A ramp in three channels has far more colours than fit.
        let mut colours = Vec::new();
        for i in 0..=255u8 {
            for j in 0..16u8 {
                colours.push([i, 255 - i, j * 16]);
            }
        }
        let mut palette = palette(&colours);
        assert!(palette.colours().len() <= MOST);
        let mut worst = 0.0f32;
        for colour in colours {
            let mut mean = [0.0; 3];
            for y in 0..8 {
                for x in 0..8 {
                    let index = palette.index(colour, x, y);
                    let entry = palette.colours()[usize::from(index)];
                    (0..3).for_each(|i| mean[i] += f32::from(entry[i]) / 64.0);
                }
            }
            let error = (0..3).map(|i| (mean[i] - f32::from(colour[i])).abs()).fold(0.0, f32::max);
            worst = worst.max(error);
        }
        assert!(worst < 9.0, "a tile is {worst} of 255 away from the colour it stands for");
    }

    #[test]
    fn nothing_counted_gives_a_palette_all_the_same() {
        assert_eq!(palette(&[]).colours().len(), 1);
    }
}

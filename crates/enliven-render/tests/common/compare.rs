//! Pictures against goldens in `tests/out`, by how a person sees differences.
//!
//! `ENLIVEN_BLESS=1` writes the goldens anew.

use std::path::{Path, PathBuf};

use enliven_render::Picture;
pub(crate) use enliven_testing::percentile;

/// Largest allowed difference (0..=255) at a percentile of the pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowed {
    /// Percent of the pixels.
    pub(crate) percentile: f32,
    pub(crate) difference: f32,
}

/// For drivers other than the one that made the goldens: rounding, edge coverage, filtering.
const USUAL: &[Allowed] = &[
    Allowed { percentile: 50.0, difference: 1.5 },
    Allowed { percentile: 95.0, difference: 5.0 },
    Allowed { percentile: 99.0, difference: 20.0 },
];

/// Goldens that need other limits, each with its reason. None so far.
const EXCEPTIONS: &[(&str, &[Allowed])] = &[];

/// Compares with the golden of that name, or writes it.
pub(crate) fn check(name: &str, picture: &Picture) {
    let golden =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/out").join(format!("{name}.png"));
    if std::env::var_os("ENLIVEN_BLESS").is_some() {
        save(&golden, picture);
        return;
    }
    let expected = load(&golden);
    let expected = expected.unwrap_or_else(|error| panic!("{}: {error}", golden.display()));
    let size = (picture.width, picture.height);
    assert_eq!(size, (expected.width, expected.height), "{name}: size");
    let differences = differences(&expected, picture);
    let limits = EXCEPTIONS.iter().find(|(known, _)| *known == name).map_or(USUAL, |e| e.1);
    for limit in limits {
        let found = percentile(&differences, limit.percentile);
        if found > limit.difference {
            let actual = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
            save(&actual, picture);
            panic!(
                "{name}: {found:.1} at the {} % percentile, {} is allowed; see {} and {}",
                limit.percentile,
                limit.difference,
                actual.display(),
                golden.display()
            );
        }
    }
}

/// The perceived difference of each pixel, sorted, 0..=255.
pub(crate) fn differences(a: &Picture, b: &Picture) -> Vec<f32> {
    enliven_testing::differences(&a.rgba, &b.rgba)
}

pub(crate) fn load(path: &Path) -> Result<Picture, image::ImageError> {
    let image = image::open(path)?.into_rgba8();
    Ok(Picture { width: image.width(), height: image.height(), rgba: image.into_raw() })
}

pub(crate) fn save(path: &Path, picture: &Picture) {
    let folder = path.parent().expect("a file in a folder");
    std::fs::create_dir_all(folder).expect("a writable folder");
    let size = (picture.width, picture.height);
    image::save_buffer(path, &picture.rgba, size.0, size.1, image::ColorType::Rgba8)
        .expect("a writable file");
}

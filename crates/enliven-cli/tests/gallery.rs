//! The pictures of docs/gallery are what `enliven render` draws today.

mod support;

use enliven_render::Picture;
use enliven_testing::{differences, percentile};
use support::{Scratch, program, repository, run};

/// Largest difference (0..=255) at a percentile: other drivers round otherwise, and cover edges
/// otherwise; a limb in another place is far beyond this.
const ALLOWED: [(f32, f32); 3] = [(50.0, 1.5), (95.0, 6.0), (99.0, 24.0)];

fn load(path: &std::path::Path) -> Picture {
    let image = image::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let image = image.into_rgba8();
    Picture { width: image.width(), height: image.height(), rgba: image.into_raw() }
}

#[test]
fn every_picture_is_drawn_again_as_it_is() {
    let gallery = repository().join("docs/gallery");
    let list = std::fs::read_to_string(gallery.join("list.txt")).unwrap();
    let scratch = Scratch::new();
    let mut faults = Vec::new();
    let mut count = 0;
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let Some((file, arguments)) = line.split_once(':') else { continue };
        let out = scratch.path(file);
        let rig = arguments.trim().starts_with("rig ");
        let sheet = arguments.trim().starts_with("sheet ");
        let mut command = program(if rig || sheet { &[] } else { &["render"] });
        command.args(arguments.split_whitespace()).current_dir(repository());
        let result = run(command.args([if rig { "--picture" } else { "-o" }, &out]));
        assert_eq!(result.code, 0, "{file}: {}", result.err);
        let (kept, fresh) = (load(&gallery.join(file)), load(out.as_ref()));
        assert_eq!((kept.width, kept.height), (fresh.width, fresh.height), "{file}: size");
        let differences = differences(&kept.rgba, &fresh.rgba);
        for (percent, most) in ALLOWED {
            let found = percentile(&differences, percent);
            if found > most {
                faults.push(format!("{file}: {found:.1} at {percent} %, {most} is allowed"));
            }
        }
        count += 1;
    }
    assert!(count >= 5, "the list holds {count} pictures");
    assert!(faults.is_empty(), "draw again with `cargo xtask gallery`?\n{}", faults.join("\n"));
}

#[test]
fn the_measure_tells_a_moved_body_from_a_rounded_one() {
    let square = |from: u32, to: u32, shade: u8| {
        let pixel = |i: u32| {
            let inside = (from..to).contains(&(i % 100)) && (from..to).contains(&(i / 100));
            if inside { [shade, 40, 40, 255] } else { [90, 90, 90, 255] }
        };
        Picture { width: 100, height: 100, rgba: (0..10_000).flat_map(pixel).collect() }
    };
    let within = |a: &Picture, b: &Picture| {
        let differences = differences(&a.rgba, &b.rgba);
        ALLOWED.iter().all(|(percent, most)| percentile(&differences, *percent) <= *most)
    };
    assert!(within(&square(30, 60, 200), &square(30, 60, 202)));
    assert!(!within(&square(30, 60, 200), &square(34, 64, 200)));
}

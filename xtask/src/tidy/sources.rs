//! Rules for the source files themselves.

use super::{Finding, Tree};

/// A file with more code than this holds more than one noun: split it. Tests at its bottom do not
/// count.
const MOST_LINES: usize = 800;

/// Where the tests of a file begin.
const TESTS: &str = "#[cfg(test)]\nmod ";

/// Words that the core must not use, each with what to use instead. Its results must not depend
/// on the machine, and it knows no file, clock or thread.
const CORE_BANS: &[(&str, &str)] = &[
    ("std::fs", "the core knows no files"),
    ("std::net", "the core knows no network"),
    ("std::time", "the core knows no clock: time comes in the moment"),
    ("std::thread", "the core knows no threads"),
    ("std::env", "the core knows no environment"),
    ("HashMap", "its order differs from run to run: use BTreeMap or a sorted Vec"),
    ("HashSet", "its order differs from run to run: use BTreeSet or a sorted Vec"),
    (".mul_add(", "without FMA hardware it gives other bits, slowly: write a * b + c"),
    (".sin()", "std's trigonometry differs between platforms: use enliven::math"),
    (".cos()", "std's trigonometry differs between platforms: use enliven::math"),
    (".sin_cos()", "std's trigonometry differs between platforms: use enliven::math"),
    (".tan()", "std's trigonometry differs between platforms: use enliven::math"),
    (".asin()", "std's trigonometry differs between platforms: use enliven::math"),
    (".acos()", "std's trigonometry differs between platforms: use enliven::math"),
    (".atan2(", "std's trigonometry differs between platforms: use enliven::math"),
    (".exp()", "std's exponential differs between platforms: use enliven::math"),
    (".powf(", "std's power differs between platforms: use enliven::math"),
    (".ln()", "std's logarithm differs between platforms: use enliven::math"),
];

const CORE: &str = "crates/enliven/src/";

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for extension in ["rs", "wgsl"] {
        for file in tree.with_extension(extension) {
            let text = tree.text(file).unwrap_or_default();
            let lines = text.split(TESTS).next().unwrap_or_default().lines().count();
            if lines > MOST_LINES {
                let message = format!("{lines} lines, the most is {MOST_LINES}: one noun a file");
                findings.push(Finding::new(file, message));
            }
            if file.starts_with(CORE) {
                check_core(file, &text, findings);
            }
        }
    }
}

fn check_core(file: &str, text: &str, findings: &mut Vec<Finding>) {
    // Tests stand at the bottom of a file and may use whatever they like.
    let code = text.split(TESTS).next().unwrap_or_default();
    for (number, line) in code.lines().enumerate() {
        let line = line.split("//").next().unwrap_or_default();
        for (word, why) in CORE_BANS {
            if line.contains(word) {
                let place = format!("{file}:{}", number + 1);
                findings.push(Finding::new(place, format!("`{word}`: {why}")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Scratch;
    use super::check;

    #[test]
    fn a_long_file_is_found() {
        let tests = format!("#[cfg(test)]\nmod tests {{{}}}", "\n".repeat(500));
        let (long, fits) = ("\n".repeat(801), "\n".repeat(800) + &tests);
        let scratch = Scratch::new(&[("crates/x/src/long.rs", &long), ("xtask/fits.rs", &fits)]);
        let findings = scratch.findings(check);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].starts_with("crates/x/src/long.rs: 801 lines"));
    }

    #[test]
    fn the_core_is_held_to_portable_pure_code() {
        let text = "use std::collections::HashMap;\n// .sin() in a comment\nfn f() { x.sin() }\n\
                    #[cfg(test)]\nmod tests { use std::fs; }";
        let files = [("crates/enliven/src/a.rs", text), ("crates/enliven-io/src/a.rs", text)];
        let findings = Scratch::new(&files).findings(check);
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings[0].starts_with("crates/enliven/src/a.rs:1: `HashMap`"));
        assert!(findings[1].starts_with("crates/enliven/src/a.rs:3: `.sin()`"));
    }
}

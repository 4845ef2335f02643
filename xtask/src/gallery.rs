//! Draws the pictures of docs/gallery again.

use std::process::Command;

use crate::demo;
use crate::setup;
use crate::step::{Failure, Outcome, root, run as run_command, step};

/// The list of pictures, one a line: `FILE: ARGUMENTS OF enliven render`, or `FILE: rig MODEL` for
/// the findings over a model, or `FILE: sheet SHOTS` for a contact sheet. The test that compares the
/// pictures with fresh ones reads the same list.
const LIST: &str = "docs/gallery/list.txt";

/// `cargo xtask gallery`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::new("usage: cargo xtask gallery"));
    }
    setup::install(&[setup::Need::Vulkan])?;
    let list = std::fs::read_to_string(root().join(LIST))
        .map_err(|error| Failure::new(format!("cannot read {LIST}: {error}")))?;
    let program = demo::build(true)?;
    for (file, arguments) in entries(&list) {
        step(file, || {
            let mut command = Command::new(&program);
            command.current_dir(root()).args(full(arguments, &format!("docs/gallery/{file}")));
            demo::quiet_drivers(&mut command);
            run_command(&mut command)
        })?;
    }
    Ok(())
}

/// The whole command line for one entry of the list.
fn full<'a>(arguments: impl Iterator<Item = &'a str>, out: &str) -> Vec<String> {
    let mut words: Vec<String> = arguments.map(str::to_owned).collect();
    if words.first().is_some_and(|word| word == "rig") {
        // The rig file itself goes to the standard output, where nobody keeps it.
        words.extend(["--picture".to_owned(), out.to_owned()]);
    } else {
        if words.first().is_none_or(|word| word != "sheet") {
            words.insert(0, "render".to_owned());
        }
        words.extend(["-o".to_owned(), out.to_owned()]);
    }
    words
}

fn entries(list: &str) -> impl Iterator<Item = (&str, std::str::SplitWhitespace<'_>)> {
    list.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (file, arguments) = line.split_once(':')?;
        Some((file.trim(), arguments.split_whitespace()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_picture_of_a_body_or_of_findings() {
        let words = |entry: &str| full(entry.split_whitespace(), "a.png").join(" ");
        assert_eq!(words("rabbit --strip 2"), "render rabbit --strip 2 -o a.png");
        assert_eq!(words("rig mob.glb"), "rig mob.glb --picture a.png");
        assert_eq!(words("sheet shots.txt"), "sheet shots.txt -o a.png");
    }

    #[test]
    fn the_list_is_read_line_by_line() {
        let list = "# pictures\n\nfox.png: assets/Fox.glb --clip Run:0.5\n";
        let entries: Vec<_> =
            entries(list).map(|(file, arguments)| (file, arguments.collect::<Vec<_>>())).collect();
        assert_eq!(entries, [("fox.png", vec!["assets/Fox.glb", "--clip", "Run:0.5"])]);
    }
}

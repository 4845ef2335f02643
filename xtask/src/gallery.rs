//! Draws the pictures of docs/gallery again.

use std::process::Command;

use crate::demo;
use crate::setup;
use crate::step::{Failure, Outcome, root, run as run_command, step};

/// The list of pictures, one a line: `FILE: ARGUMENTS OF enliven render`. The test that compares
/// the pictures with fresh ones reads the same list.
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
            command.current_dir(root()).arg("render").args(arguments);
            demo::quiet_drivers(&mut command);
            run_command(command.arg("-o").arg(format!("docs/gallery/{file}")))
        })?;
    }
    Ok(())
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
    fn the_list_is_read_line_by_line() {
        let list = "# pictures\n\nfox.png: assets/Fox.glb --clip Run:0.5\n";
        let entries: Vec<_> =
            entries(list).map(|(file, arguments)| (file, arguments.collect::<Vec<_>>())).collect();
        assert_eq!(entries, [("fox.png", vec!["assets/Fox.glb", "--clip", "Run:0.5"])]);
    }
}

//! JavaScript programs that enliven is held against.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{repository, skip};

/// Whether a program answers when it is asked for its version.
pub fn has(program: impl AsRef<std::ffi::OsStr>) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success())
}

/// A folder of `tools/` with its npm packages, of which `package` is one, installed; `None` (said)
/// where there is no node.
///
/// # Panics
/// Where they cannot be installed.
#[track_caller]
pub fn npm(tool: &str, package: &str) -> Option<PathBuf> {
    if !has("node") || !has("npm") {
        return skip("node and npm: `cargo xtask setup` installs them");
    }
    let folder = repository().join("tools").join(tool);
    let installed = install(&folder, tool, package);
    installed.unwrap_or_else(|error| panic!("npm ci in {}: {error}", folder.display()));
    Some(folder)
}

fn install(folder: &std::path::Path, tool: &str, package: &str) -> io::Result<()> {
    // Tests run beside each other, also as processes: the first one installs.
    let lock = File::create(std::env::temp_dir().join(format!("enliven-npm-{tool}.lock")))?;
    lock.lock()?;
    if folder.join("node_modules").join(package).join("package.json").is_file() {
        return Ok(());
    }
    let status = Command::new("npm")
        .args(["ci", "--silent", "--no-audit", "--no-fund"])
        .current_dir(folder)
        .status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(status.to_string())) }
}

/// Gives lines to a script of a folder of `tools/` and returns the lines that it prints; `None`
/// (said) where there is no node.
///
/// # Panics
/// Where the script fails.
#[track_caller]
pub fn node(
    tool: &str,
    package: &str,
    script: &str,
    arguments: &[&str],
    lines: &[String],
) -> Option<Vec<String>> {
    let folder = npm(tool, package)?;
    let run = || -> io::Result<Vec<String>> {
        let mut node = Command::new("node")
            .arg(script)
            .args(arguments)
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (stdin, text) = (node.stdin.take(), lines.join("\n"));
        // Beside reading, or both would wait for each other.
        let feed = std::thread::spawn(move || match stdin {
            Some(mut stdin) => stdin.write_all(text.as_bytes()),
            None => Ok(()),
        });
        let output = node.wait_with_output()?;
        if !output.status.success() {
            return Err(io::Error::other(output.status.to_string()));
        }
        feed.join().map_err(|_| io::Error::other("its input was not written"))??;
        let text = String::from_utf8(output.stdout).map_err(io::Error::other)?;
        Ok(text.lines().map(str::to_owned).collect())
    };
    Some(run().unwrap_or_else(|error| panic!("{script} of tools/{tool}: {error}")))
}

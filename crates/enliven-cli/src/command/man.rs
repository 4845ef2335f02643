//! `enliven man`.

use std::path::PathBuf;

use clap::Args;

use super::print;
use crate::failure::Failure;

/// Print the manual page, or write one page a subcommand into a folder.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  enliven man | man -l -
  enliven man ~/.local/share/man/man1")]
pub(super) struct Man {
    /// Folder to write `enliven.1`, `enliven-render.1` and so on into.
    folder: Option<PathBuf>,
}

impl Man {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut command = super::command();
        // Gives the subcommands their full names: `enliven-render`.
        command.build();
        match &self.folder {
            Some(folder) => {
                let written = std::fs::create_dir_all(folder)
                    .and_then(|()| clap_mangen::generate_to(command, folder));
                written.map_err(|error| Failure::output(folder, &error))
            }
            None => {
                let mut page = Vec::new();
                clap_mangen::Man::new(command)
                    .render(&mut page)
                    .map_err(|error| Failure::output("the standard output".as_ref(), &error))?;
                print(&String::from_utf8_lossy(&page))
            }
        }
    }
}

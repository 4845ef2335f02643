//! `enliven completions`.

use clap::Args;
use clap_complete::Shell;

use super::print;
use crate::failure::Failure;

/// Print what makes a shell complete this command's options.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  enliven completions bash > ~/.local/share/bash-completion/completions/enliven
  enliven completions zsh > ~/.zfunc/_enliven
  enliven completions fish > ~/.config/fish/completions/enliven.fish")]
pub(super) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut super::command(), "enliven", &mut script);
        print(&String::from_utf8_lossy(&script))
    }
}

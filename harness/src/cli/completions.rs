//! `completions`: what a shell needs to complete this program's arguments.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Command};
use clap_complete::{Shell, generate};
use streamjoin_datasets::catalogue::find_data_dir;

use super::output::print;
use crate::error::Result;
use crate::scenario::shipped;

/// The program's name.
const PROGRAM: &str = "streamjoin";

/// Print what a shell needs to complete arguments
///
/// For bash: streamjoin completions bash > ~/.local/share/bash-completion/completions/streamjoin
///
/// For zsh: streamjoin completions zsh > _streamjoin, in a folder of $fpath
///
/// For fish: streamjoin completions fish > ~/.config/fish/completions/streamjoin.fish
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,

    /// Folder with shipped scenarios, whose names are completed too [default: $STREAMJOIN_DATA, or
    /// `datasets` in this folder or one above it]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

impl CompletionsArgs {
    pub(super) fn execute(self, description: &Command) -> Result<()> {
        // Without shipped data there are files to complete.
        let names: Vec<String> = find_data_dir(self.data_dir.as_deref())
            .map(|data| shipped(&data).into_iter().map(|(name, _)| name).collect())
            .unwrap_or_default();
        print(&script(description, self.shell, &names))
    }
}

/// The script, with the names of scenarios where one is expected.
fn script(description: &Command, shell: Shell, scenarios: &[String]) -> String {
    let seen = description.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    // Generators list hidden commands too.
    let mut command = Command::new(PROGRAM).version(env!("CARGO_PKG_VERSION")).subcommands(seen);
    if shell == Shell::Bash && !scenarios.is_empty() {
        // Where no name fits, bash goes on to files.
        command = command.mut_subcommands(|command| {
            let takes = command.get_positionals().any(|arg| arg.get_id() == "scenario");
            match takes {
                true => command.mut_arg("scenario", |arg| {
                    arg.value_parser(PossibleValuesParser::new(scenarios.to_vec()))
                }),
                false => command,
            }
        });
    }
    let mut script = Vec::new();
    generate(shell, &mut command, PROGRAM, &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let names = scenarios.join(" ");
    match shell {
        Shell::Zsh if !scenarios.is_empty() => with_names_in_zsh(&script, &names),
        Shell::Fish if !scenarios.is_empty() => {
            let commands = "run explain check watermark";
            format!(
                "{script}complete -c {PROGRAM} -n \"__fish_seen_subcommand_from {commands}\" -a \"{names}\" -d \"shipped scenario\"\n"
            )
        }
        _ => script,
    }
}

/// Names and files, where the generated script has files only.
fn with_names_in_zsh(script: &str, names: &str) -> String {
    let both = format!(
        ":{{_alternative \"names\\:shipped scenario\\:({names})\" \"files\\:file\\:_files\"}}' \\"
    );
    let line = |line: &str| match line.starts_with("'::scenario ") {
        true => line.replace(":_default' \\", &both).replace(":_files' \\", &both),
        false => line.to_owned(),
    };
    script.lines().map(|text| line(text) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    fn description() -> Command {
        Cli::command()
    }

    #[test]
    fn names_of_scenarios_are_completed() {
        let names = ["nyc-enrich".to_owned(), "ad-clicks".to_owned()];
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let with = script(&description(), shell, &names);
            assert!(with.contains("ad-clicks"), "{shell}");
            assert!(!script(&description(), shell, &[]).contains("ad-clicks"), "{shell}");
        }
        for shell in [Shell::Elvish, Shell::PowerShell] {
            assert!(script(&description(), shell, &names).contains("--event-time"), "{shell}");
        }
    }

    #[test]
    fn hidden_commands_stay_hidden() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let script = script(&description(), shell, &[]);
            assert!(script.contains("watermark"), "{shell}");
            assert!(!script.contains("measure-one"), "{shell}");
        }
    }
}

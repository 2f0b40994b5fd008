//! `evenhand completions` and `evenhand man`: what shells, `man` and the documentation are given, made of the arguments themselves.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, Command, CommandFactory as _, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::Cli;
use crate::failure::Usage;
use crate::outputs::Outputs;
use crate::reference;
use crate::{Ending, files, output};

/// Print a script with which a shell completes the commands and options of evenhand.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_BELOW)]
pub(crate) struct CompletionsArgs {
    /// The shell to print it for.
    #[arg(value_enum)]
    shell: Shell,
}

const COMPLETIONS_BELOW: &str = "\
Examples:
  evenhand completions bash > ~/.local/share/bash-completion/completions/evenhand
  evenhand completions zsh > ~/.zfunc/_evenhand          (with ~/.zfunc in $fpath)
  evenhand completions fish > ~/.config/fish/completions/evenhand.fish";

/// Print the manual of evenhand, or of one of its commands.
#[derive(Debug, Args)]
#[command(after_help = MAN_BELOW)]
pub(crate) struct ManArgs {
    /// The command whose page to print [default: the page of evenhand itself].
    #[arg(value_name = "COMMAND", conflicts_with = "into")]
    command: Vec<String>,

    /// Write the pages of all commands into this folder, a file each.
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,

    /// Write for `man`, or as Markdown.
    #[arg(long, value_enum, default_value_t = Format::Man)]
    format: Format,
}

/// What a manual is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Man,
    Markdown,
}

const MAN_BELOW: &str = "\
Examples:
  evenhand man fit | man -l -
  evenhand man --into ~/.local/share/man/man1";

pub(crate) fn completions(args: &CompletionsArgs) -> Result<Ending> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "evenhand", &mut script);
    output::text(&String::from_utf8_lossy(&script))?;
    Ok(Ending::Fine)
}

pub(crate) fn man(args: &ManArgs) -> Result<Ending> {
    let program = built();
    match &args.into {
        Some(folder) => write_all(&program, folder, args.format)?,
        None => output::text(&page(find(&program, &args.command)?, args.format)?)?,
    }
    Ok(Ending::Fine)
}

/// The program with names such as `evenhand-fit` for its commands, and without the one called `help`.
fn built() -> Command {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    program
}

/// The command that these words lead to.
fn find<'a>(program: &'a Command, words: &[String]) -> Result<&'a Command> {
    words.iter().try_fold(program, |command, word| {
        let known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        let unknown =
            || Usage::new(format!("there is no command `{word}`")).hint(format!("one of: {}", known.join(", ")));
        Ok(command.find_subcommand(word).ok_or_else(unknown)?)
    })
}

fn page(command: &Command, format: Format) -> Result<String> {
    Ok(match format {
        Format::Markdown => reference::markdown(command),
        Format::Man => {
            let mut text = Vec::new();
            let source = concat!("evenhand ", env!("CARGO_PKG_VERSION"));
            Man::new(command.clone()).source(source).render(&mut text)?;
            String::from_utf8(text)?
        }
    })
}

/// Writes a page for each command, those of commands included.
fn write_all(program: &Command, folder: &Path, format: Format) -> Result<()> {
    let mut outputs = Outputs::without_tables();
    let extension = if format == Format::Man { "1" } else { "md" };
    for command in with_subcommands(program) {
        let path = folder.join(format!("{}.{extension}", command.get_display_name().unwrap_or(command.get_name())));
        files::check_output(&path, &[])?;
        outputs.text(&path, &page(command, format)?)?;
    }
    outputs.commit()
}

fn with_subcommands(command: &Command) -> Vec<&Command> {
    let below = command.get_subcommands().flat_map(with_subcommands);
    std::iter::once(command).chain(below).collect()
}

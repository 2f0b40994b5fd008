//! A command as a page of Markdown: what the site's reference of commands is made of.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};

/// What it does, how it is called, every option under its heading, and what stands below them.
pub(crate) fn markdown(command: &Command) -> String {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let mut page = format!("# {name}\n\n{}\n", prose(command.get_long_about().or(command.get_about())));
    let usage = command.clone().render_usage().to_string();
    let _ = write!(page, "\n```text\n{}\n```\n", usage.trim_start_matches("Usage: ").replace("\n       ", "\n"));
    write_commands(&mut page, command);
    for heading in headings(command) {
        let _ = write!(page, "\n## {}\n", heading.unwrap_or("Options"));
        command
            .get_arguments()
            .filter(|arg| arg.get_help_heading() == heading && is_shown(arg))
            .for_each(|arg| write_option(&mut page, arg));
    }
    if let Some(below) = command.get_after_long_help().or(command.get_after_help()) {
        let _ = write!(page, "\n## Details\n\n```text\n{}\n```\n", below.to_string().trim_end());
    }
    page
}

/// The commands below it, each with a link to its page.
fn write_commands(page: &mut String, command: &Command) {
    if command.has_subcommands() {
        page.push_str("\n## Commands\n\n");
    }
    for below in command.get_subcommands() {
        let file = below.get_display_name().unwrap_or(below.get_name());
        let _ = writeln!(page, "- [`{}`]({file}.md): {}", below.get_name(), text(below.get_about()));
    }
}

/// The headings of its options in their order, those without one first.
fn headings(command: &Command) -> Vec<Option<&str>> {
    let mut found: Vec<Option<&str>> = Vec::new();
    for arg in command.get_arguments().filter(|arg| is_shown(arg)) {
        if !found.contains(&arg.get_help_heading()) {
            found.push(arg.get_help_heading());
        }
    }
    found.sort_by_key(Option::is_some);
    found
}

/// Help is about all the others.
fn is_shown(arg: &Arg) -> bool {
    !arg.is_hide_set() && !matches!(arg.get_action(), ArgAction::HelpShort | ArgAction::HelpLong)
}

fn write_option(page: &mut String, arg: &Arg) {
    let names = arg.get_value_names().filter(|_| arg.get_action().takes_values()).unwrap_or_default();
    let mut values = String::new();
    for name in names {
        let _ = write!(values, " <{name}>");
    }
    let named = match (arg.get_long(), arg.get_short()) {
        (Some(long), Some(short)) => format!("-{short}, --{long}{values}"),
        (Some(long), None) => format!("--{long}{values}"),
        _ => values.trim_start().to_owned(),
    };
    let _ = write!(page, "\n### `{named}`\n\n{}\n", prose(arg.get_long_help().or(arg.get_help())));
    let possible: Vec<String> =
        arg.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if !possible.is_empty() && arg.get_action().takes_values() {
        let _ = write!(page, "\nOne of {}.\n", possible.join(", "));
    }
    let default: Vec<String> =
        arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    if !default.is_empty() && arg.get_action().takes_values() {
        let _ = write!(page, "\nDefault: `{}`.\n", default.join(","));
    }
}

/// Paragraphs, with what Markdown would take for tags and brackets shown as written.
fn prose(styled: Option<&StyledStr>) -> String {
    let mut in_code = false;
    let mut shown = String::new();
    for character in text(styled).chars() {
        in_code ^= character == '`';
        if !in_code && matches!(character, '<' | '[' | ']' | '*' | '_' | '|') {
            shown.push('\\');
        }
        shown.push(character);
    }
    shown
}

fn text(styled: Option<&StyledStr>) -> String {
    styled.map(ToString::to_string).unwrap_or_default().trim_end().to_owned()
}

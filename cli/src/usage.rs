//! Parses the arguments: prints help on request, or one line that names the invalid flag.

use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, FromArgMatches};
use gbac_engine::model::Operation;
use gbac_formats::table::OutputFormat;

use crate::commands::{self, Cli, serve};
use crate::help;
use crate::input;
use crate::output::{self, Failure, Format};
use crate::process::Process;
use crate::secrets::{redacted, refuse_tokens};
use crate::serve_options;

/// Parses the arguments. A token in place of a name is refused before any message repeats it.
pub(crate) fn parse(process: &Process) -> Result<Cli, u8> {
    let words = process.words();
    if words.is_empty() {
        // A closed terminal is ignored.
        let _ = process.print_error(help::START);
        return Err(output::INVALID_USAGE);
    }
    if let Err(message) = refuse_tokens(&words) {
        return Err(failed(process, &Failure::usage(message)));
    }
    let mut grammar = commands::grammar();
    let mut serving = match serve_options::complete(process, &grammar) {
        Ok(serving) => serving,
        Err(failure) => return Err(failed(process, &failure)),
    };
    serving.arguments.insert(0, "gbac".into());
    let mut parsed = grammar.try_get_matches_from_mut(&serving.arguments);
    if let Err(error) = &parsed
        && asks_for_help(error)
    {
        parsed = commands::command_line().try_get_matches_from(&serving.arguments);
    }
    if !serving.faults.is_empty() {
        let mut faults = serving.faults;
        if serving.is_check {
            match parsed {
                Ok(matches) => faults.extend(serve::faults(process, &matches)),
                Err(error) => faults.push(sentence(error, &words)),
            }
        }
        return Err(failed(process, &serve_options::invalid(&faults)));
    }
    let matches = parsed.map_err(|error| report(process, error))?;
    let checked = refuse_shared_input(&matches).and_then(|()| refuse_groups_without_user(&matches));
    checked.map_err(|failure| failed(process, &failure))?;
    Cli::from_arg_matches(&matches).map_err(|error| report(process, error))
}

fn failed(process: &Process, failure: &Failure) -> u8 {
    failure.report(process, requested_format(&process.words()))
}

fn asks_for_help(error: &clap::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    )
}

/// Flags with an output file.
const OUTPUTS: [&str; 3] = ["out", "junit", "audit"];

/// The matches of the command itself, below those of the commands that contain it.
fn innermost(mut matches: &ArgMatches) -> &ArgMatches {
    while let Some((_, subcommand)) = matches.subcommand() {
        matches = subcommand;
    }
    matches
}

/// Refuses the groups of a user without the user: they can be meant as consumer groups.
fn refuse_groups_without_user(matches: &ArgMatches) -> Result<(), Failure> {
    let matches = innermost(matches);
    if !has_value(matches, "user_groups") || has_value(matches, "user") {
        return Ok(());
    }
    let alone = if matches.try_contains_id("principal").is_ok() {
        ", or ask about a whole group with --principal Group:NAME"
    } else {
        ""
    };
    // `permissions` has no resources.
    let consumers = if matches.try_contains_id("consumer_group").is_ok() {
        "; a consumer group is --consumer-group"
    } else {
        ""
    };
    Err(Failure::usage(format!(
        "--group names groups of --user, and there is no --user; pass --user{alone}{consumers}"
    )))
}

fn has_value(matches: &ArgMatches, id: &str) -> bool {
    matches.try_contains_id(id).is_ok_and(|has| has)
}

/// Refuses `-` for two inputs before anything reads the first one.
fn refuse_shared_input(matches: &ArgMatches) -> Result<(), Failure> {
    let matches = innermost(matches);
    let mut standard_inputs = 0;
    for id in matches.ids() {
        if OUTPUTS.contains(&id.as_str()) {
            continue;
        }
        if let Ok(Some(paths)) = matches.try_get_many::<PathBuf>(id.as_str()) {
            standard_inputs += paths.filter(|path| path.as_os_str() == "-").count();
        }
    }
    if standard_inputs > 1 {
        Err(input::shared_standard_input())
    } else {
        Ok(())
    }
}

/// Prints `--help` and the like unchanged, and invalid usage in one line.
fn report(process: &Process, error: clap::Error) -> u8 {
    let helps = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    if helps || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let text = error.render().ansi().to_string();
        // A closed terminal is ignored.
        let _ = if error.use_stderr() {
            process.print_error(&text)
        } else {
            process.print(&text)
        };
        return if helps {
            output::SUCCESS
        } else {
            output::INVALID_USAGE
        };
    }
    let words = process.words();
    failed(process, &Failure::usage(sentence(error, &words)))
}

/// An error in one line, with what to do.
fn sentence(mut error: clap::Error, words: &[String]) -> String {
    remove_usage_and_useless_tips(&mut error);
    let text = redacted(&error.render().to_string());
    let lines: Vec<&str> = text
        .trim_start_matches("error: ")
        .trim_end_matches("For more information, try '--help'.\n")
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let lines = lines.join("; ").replace(":; ", ": ");
    let below = match misplaced(&error) {
        Some(line) => format!("; did you mean `{line}`?"),
        None => String::new(),
    };
    let flag = flag_of_argument(&error, words)
        .or_else(|| export_of_format(&error))
        .unwrap_or_default();
    format!("{lines}{below}{flag}; see --help")
}

/// Removes the usage, the suggestion of a flag that is not similar, and the tip to pass an unknown
/// flag after `--`, which would make it a value and is never meant.
fn remove_usage_and_useless_tips(error: &mut clap::Error) {
    error.remove(ContextKind::Usage);
    if is_suggestion_far(error) {
        error.remove(ContextKind::SuggestedArg);
    }
    if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
        // Tips have no kinds of their own.
        tips.retain(|tip| !tip.to_string().starts_with("to pass "));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}

fn text_of(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

/// Whether the flag that the parser suggests is not similar: `--quiet` for `--request`.
fn is_suggestion_far(error: &clap::Error) -> bool {
    let (Some(word), Some(suggestion)) = (
        text_of(error, ContextKind::InvalidArg),
        text_of(error, ContextKind::SuggestedArg),
    ) else {
        return false;
    };
    let (word, suggestion) = (
        word.trim_start_matches('-'),
        suggestion.trim_start_matches('-'),
    );
    strsim::normalized_levenshtein(word, suggestion) < 0.5
}

/// The flag that an argument without one belongs to.
fn flag_of_argument(error: &clap::Error, words: &[String]) -> Option<String> {
    let word = text_of(error, ContextKind::InvalidArg)?;
    if word.starts_with('-') || error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let root = commands::grammar();
    let mut command = &root;
    for word in words {
        command = command.find_subcommand(word).unwrap_or(command);
    }
    if has_flag(command, "operation") && word.parse::<Operation>().is_ok() {
        return Some(format!("; an operation is --operation {word}"));
    }
    if has_flag(command, word) {
        return Some(format!("; did you mean `--{word}`?"));
    }
    match (has_flag(command, "policy"), has_flag(command, "changes")) {
        (false, false) => None,
        (true, false) => Some("; a policy is --policy FILE".to_owned()),
        (false, true) => Some("; changes are --changes FILE".to_owned()),
        (true, true) => {
            Some("; a policy is --policy FILE, and changes are --changes FILE".to_owned())
        }
    }
}

fn has_flag(command: &Command, name: &str) -> bool {
    let mut arguments = command.get_arguments();
    arguments.any(|argument| argument.get_long() == Some(name))
}

/// The command that writes a format which is no format of output.
fn export_of_format(error: &clap::Error) -> Option<String> {
    let flag = text_of(error, ContextKind::InvalidArg)?;
    let value = text_of(error, ContextKind::InvalidValue)?;
    let is_export = OutputFormat::converted().any(|format| format.word.eq_ignore_ascii_case(value));
    if !flag.starts_with("--format") || !is_export {
        return None;
    }
    Some(format!(
        "; `gbac policy convert FILE --to {value}` exports a policy"
    ))
}

/// The command line of a command that was written above the command that contains it, such as
/// `acl`.
fn misplaced(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let command = commands::grammar();
    if command.find_subcommand(word).is_some() {
        return None;
    }
    let path = find(&command, word)?;
    Some(format!("gbac {path}"))
}

/// The path of a command below this one.
fn find(command: &Command, word: &str) -> Option<String> {
    for below in command.get_subcommands() {
        let name = below.get_name();
        if below.is_hide_set() {
            continue;
        }
        if name == word {
            return Some(name.to_owned());
        }
        if let Some(path) = find(below, word) {
            return Some(format!("{name} {path}"));
        }
    }
    None
}

/// The output format in the arguments, even if they are otherwise invalid.
fn requested_format(words: &[String]) -> Format {
    match value_of_format(words) {
        Some("json") => Format::Json,
        Some("yaml") => Format::Yaml,
        _ => Format::Text,
    }
}

fn value_of_format(words: &[String]) -> Option<&str> {
    for pair in words.windows(2) {
        if let [flag, value] = pair
            && (flag == "--format" || flag == "-o")
        {
            return Some(value);
        }
    }
    for word in words {
        if let Some(value) = word.strip_prefix("--format=").or(word.strip_prefix("-o")) {
            return Some(value.trim_start_matches('='));
        }
    }
    None
}

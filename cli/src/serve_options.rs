//! The options of `gbac serve` from the environment and from a configuration file, as arguments of
//! the command line.
//!
//! An option on the command line comes first, then the variable `GBAC_SERVE_` with its name, then
//! the file. So every option has one definition, and its value one reader.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, ArgAction, Command};
use toml::{Spanned, Value};

use crate::input;
use crate::output::{Failure, plain};
use crate::process::Process;
use crate::suggest::hint;

/// The beginning of the variables.
const PREFIX: &str = "GBAC_SERVE_";
/// The option that names the file.
pub(crate) const CONFIG: &str = "config";
/// The options that are not for a file, and not for variables.
const COMMAND_LINE_ONLY: [&str; 4] = ["check-config", "help", "open", "version"];

/// The arguments of the program with the options from elsewhere, and the faults of these.
#[derive(Default)]
pub(crate) struct ServeArguments {
    /// The arguments; options with faults are left out.
    pub(crate) arguments: Vec<OsString>,
    /// What is wrong, each with its place.
    pub(crate) faults: Vec<String>,
    /// Whether all faults are to be named.
    pub(crate) is_check: bool,
}

/// The arguments of the program, completed if its command is `serve`.
pub(crate) fn complete(process: &Process, grammar: &Command) -> Result<ServeArguments, Failure> {
    let mut arguments = process.arguments.clone();
    let (Some(at), Some(command)) = (serve(&arguments), grammar.find_subcommand("serve")) else {
        return Ok(ServeArguments {
            arguments,
            ..ServeArguments::default()
        });
    };
    let own = arguments.split_off(at);
    let options = Options {
        process,
        command,
        own: &own,
    };
    let mut faults = Vec::new();
    let mut variables = options.of_environment(&mut faults);
    let config = match options.given(CONFIG) {
        true => options.value(CONFIG),
        false => variables.remove(CONFIG).into_iter().flatten().next(),
    };
    let mut added = variables;
    if let Some(path) = config {
        for (name, values) in options.of_file(Path::new(&path), &mut faults)? {
            added.entry(name).or_insert(values);
        }
    }
    let is_check = options.given("check-config");
    arguments.extend(own.iter().cloned());
    for (name, values) in added {
        for value in values {
            let mut argument = OsString::from(format!("--{name}"));
            if !options.is_flag(&name) {
                argument.push("=");
                argument.push(value);
            }
            arguments.push(argument);
        }
    }
    Ok(ServeArguments {
        arguments,
        faults,
        is_check,
    })
}

/// The failure with every fault, each in its own line.
pub(crate) fn invalid(faults: &[String]) -> Failure {
    let message = match faults {
        [fault] => fault.clone(),
        faults => format!("{} faults:\n{}", faults.len(), faults.join("\n")),
    };
    Failure::new("config_invalid", message)
}

/// Where the arguments of `serve` begin.
fn serve(arguments: &[OsString]) -> Option<usize> {
    let mut at = 0;
    while let Some(argument) = arguments.get(at).and_then(|argument| argument.to_str()) {
        match argument {
            "serve" => return Some(at + 1),
            "--format" | "-o" => at += 2,
            flag if flag.starts_with('-') => at += 1,
            _ => return None,
        }
    }
    None
}

/// The options of the command, and those that the command line has.
struct Options<'a> {
    process: &'a Process,
    command: &'a Command,
    own: &'a [OsString],
}

/// Values of options by their names.
type Values = BTreeMap<String, Vec<OsString>>;

impl Options<'_> {
    /// The options that a variable or a file can set.
    fn all(&self) -> impl Iterator<Item = &Arg> {
        self.command.get_arguments().filter(|arg| {
            arg.get_long()
                .is_some_and(|name| !COMMAND_LINE_ONLY.contains(&name))
        })
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.all().filter_map(Arg::get_long)
    }

    fn is_flag(&self, name: &str) -> bool {
        self.all().any(|arg| {
            arg.get_long() == Some(name) && matches!(arg.get_action(), ArgAction::SetTrue)
        })
    }

    fn is_list(&self, name: &str) -> bool {
        self.all().any(|arg| {
            arg.get_long() == Some(name) && matches!(arg.get_action(), ArgAction::Append)
        })
    }

    fn is_path(&self, name: &str) -> bool {
        let path = std::any::TypeId::of::<PathBuf>();
        self.all()
            .any(|arg| arg.get_long() == Some(name) && arg.get_value_parser().type_id() == path)
    }

    /// Whether the command line has an option.
    fn given(&self, name: &str) -> bool {
        let (flag, tied) = (format!("--{name}"), format!("--{name}="));
        self.own
            .iter()
            .any(|word| word == OsStr::new(&flag) || word.to_string_lossy().starts_with(&tied))
    }

    /// The value of an option on the command line.
    fn value(&self, name: &str) -> Option<OsString> {
        let (flag, tied) = (format!("--{name}"), format!("--{name}="));
        let at = self.own.iter().position(|word| word == OsStr::new(&flag));
        if let Some(at) = at
            && let Some(value) = self.own.get(at + 1)
        {
            return Some(value.clone());
        }
        self.own
            .iter()
            .find_map(|word| word.to_str()?.strip_prefix(&tied).map(OsString::from))
    }

    /// The options that the environment sets and the command line does not. An unknown variable is
    /// a fault: it may be a misspelt limit.
    fn of_environment(&self, faults: &mut Vec<String>) -> Values {
        let mut values = Values::new();
        for (variable, value) in &self.process.environment {
            let Some(variable) = variable.to_str() else {
                continue;
            };
            if !variable.starts_with(PREFIX) {
                continue;
            }
            let name = variable
                .trim_start_matches(PREFIX)
                .to_ascii_lowercase()
                .replace('_', "-");
            if !self.names().any(|known| known == name) {
                let known = self.names().map(variable_of).collect::<Vec<_>>();
                let hint = hint(variable, known.iter().map(String::as_str));
                faults.push(format!(
                    "`{}` is the variable of no option{hint}",
                    plain(variable)
                ));
                continue;
            }
            if self.given(&name) {
                continue;
            }
            let text = value.to_string_lossy();
            match (self.is_flag(&name), text.as_ref()) {
                (true, "true") => drop(values.insert(name, vec![OsString::new()])),
                (true, "false") => drop(values.insert(name, Vec::new())),
                (true, _) => faults.push(format!("{variable}: expected `true` or `false`")),
                (false, text) => match self.refusal(&name, text) {
                    Some(why) => faults.push(format!("{variable}: {why}")),
                    None => drop(values.insert(name, vec![value.clone()])),
                },
            }
        }
        values
    }

    /// The options that a file sets and the command line does not. Every fault has its line.
    fn of_file(&self, path: &Path, faults: &mut Vec<String>) -> Result<Values, Failure> {
        let file = path.display().to_string();
        let text = input::small_text(self.process, path)?;
        let file = plain(&file);
        let mut places: Vec<(usize, String)> = Vec::new();
        let tables: BTreeMap<Spanned<String>, Spanned<Value>> = match toml::from_str(&text) {
            Ok(tables) => tables,
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                faults.push(format!(
                    "{file}: line {}: {}; correct the TOML",
                    line_of(&text, at),
                    error.message()
                ));
                return Ok(Values::new());
            }
        };
        for (name, table) in &tables {
            if name.get_ref() != "serve" {
                let message = format!(
                    "`{}` is unknown; the options belong to the table `[serve]`",
                    plain(name.get_ref())
                );
                places.push((name.span().start, message));
            } else if !table.get_ref().is_table() {
                places.push((name.span().start, "expected the table `[serve]`".into()));
            }
        }
        let parsed: Result<File, toml::de::Error> = toml::from_str(&text);
        let mut values = Values::new();
        for (name, value) in parsed.map(|file| file.serve).unwrap_or_default() {
            let (at, name) = (name.span().start, name.into_inner());
            if name == CONFIG || !self.names().any(|known| known == name) {
                let hint = hint(&name, self.names().filter(|known| *known != CONFIG));
                let message = format!("`{}` is not an option{hint}", plain(&name));
                places.push((at, message));
                continue;
            }
            match self.arguments(&name, value.get_ref()) {
                Ok(_) if self.given(&name) => {}
                // This variable has another name, too.
                Ok(_)
                    if name == "admin-user"
                        && self.process.variable_os("GBAC_ADMIN_USER").is_some() => {}
                Ok(arguments) if self.is_path(&name) => {
                    // A path belongs to the file that names it.
                    let folder = path.parent().unwrap_or(Path::new(""));
                    let arguments = arguments
                        .iter()
                        .map(|argument| folder.join(argument).into_os_string())
                        .collect();
                    values.insert(name, arguments);
                }
                Ok(arguments) => drop(values.insert(name, arguments)),
                Err(why) => places.push((at, format!("`{name}`: {why}"))),
            }
        }
        places.sort();
        for (at, message) in places {
            faults.push(format!("{file}: line {}: {message}", line_of(&text, at)));
        }
        Ok(values)
    }

    /// The arguments of a value in a file.
    fn arguments(&self, name: &str, value: &Value) -> Result<Vec<OsString>, String> {
        match (self.is_flag(name), self.is_list(name), value) {
            (true, _, Value::Boolean(true)) => Ok(vec![OsString::new()]),
            (true, _, Value::Boolean(false)) => Ok(Vec::new()),
            (true, ..) => Err("expected `true` or `false`".into()),
            (false, true, Value::Array(entries)) => entries
                .iter()
                .map(|entry| self.scalar(name, entry))
                .collect(),
            (false, _, value) => Ok(vec![self.scalar(name, value)?]),
        }
    }

    /// The argument of a text or number in a file.
    fn scalar(&self, name: &str, value: &Value) -> Result<OsString, String> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            _ => return Err("expected a text or a whole number".to_owned()),
        };
        match self.refusal(name, &text) {
            Some(why) => Err(why),
            None => Ok(text.into()),
        }
    }

    /// Why the parser of the command line refuses a value.
    fn refusal(&self, name: &str, value: &str) -> Option<String> {
        let error = self
            .command
            .clone()
            .no_binary_name(true)
            .try_get_matches_from([format!("--{name}={value}")])
            .err()?;
        if !matches!(
            error.kind(),
            ErrorKind::InvalidValue | ErrorKind::ValueValidation
        ) {
            return None;
        }
        if let Some(cause) = std::error::Error::source(&error) {
            return Some(cause.to_string());
        }
        Some(match error.get(ContextKind::ValidValue) {
            Some(values) => format!("expected one of {values}"),
            None => "the value is not valid".into(),
        })
    }
}

/// The part of a file that is for `serve`.
#[derive(serde::Deserialize)]
struct File {
    #[serde(default)]
    serve: BTreeMap<Spanned<String>, Spanned<Value>>,
}

/// The number of the line at a byte.
fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}

/// The variable of an option.
fn variable_of(name: &str) -> String {
    format!("{PREFIX}{}", name.to_ascii_uppercase().replace('-', "_"))
}

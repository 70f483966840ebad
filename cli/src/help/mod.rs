//! Help texts: groups of commands, and for each command examples, exit codes and the variables that
//! it reads.

mod pages;

use std::fmt::Write;

use clap::{Arg, Command};

use crate::args::format::FormatArg;
use crate::render::pipeline_report;
use pages::{Page, page};

/// What `gbac` alone prints.
pub(crate) const START: &str = "\
Group-based access control for streaming platforms: test and explain who can do what.

To begin:
  # A console with a sample policy, in the browser
  gbac serve --demo
  # A question about a policy document, with the files in `examples/`
  gbac who-can --policy policy.json --operation write --topic payments-events
  # The policy of an existing cluster; --help lists the tools that it reads
  gbac policy import --help

`gbac --help` lists every command, and `gbac COMMAND --help` has examples.
";

/// The commands at the top level, in groups.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Answer questions",
        &[
            "check",
            "who-can",
            "permissions",
            "least-grant",
            "revoke",
            "compare",
            "what-if",
            "collisions",
            "requests",
        ],
    ),
    (
        "Work with policies and tokens",
        &["policy", "token", "doctor", "test"],
    ),
    (
        "Run and manage a service",
        &[
            "serve", "ready", "security", "cluster", "watch", "export", "import", "backup",
            "restore", "audit",
        ],
    ),
    (
        "Set up this command line",
        &[
            "whoami",
            "profile",
            "completions",
            "man",
            "version",
            "admin",
            "help",
        ],
    ),
];

/// The command line with its help texts.
pub(crate) fn with_texts(grammar: Command) -> Command {
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{}\nOptions:\n{{options}}{{after-help}}",
        groups(&grammar)
    );
    explained(grammar, "", &[]).help_template(template)
}

/// The commands that write reports, with their own list of formats in place of the general one.
pub(crate) fn with_report_formats(mut command: Command) -> Command {
    let formats = command
        .get_arguments()
        .find(|argument| argument.get_id() == "format");
    let Some(format) = formats.cloned() else {
        return command;
    };
    for (path, reports) in pipeline_report::WRITERS {
        let argument = format.clone().value_parser(FormatArg::parser(reports));
        command = at(command, path, argument);
    }
    command
}

/// Adds an argument to a command at a path.
fn at(command: Command, path: &[&'static str], argument: Arg) -> Command {
    match path {
        [] => command.arg(argument),
        [name, path @ ..] => command.mut_subcommand(*name, |command| at(command, path, argument)),
    }
}

/// The groups of commands, each command with its summary.
fn groups(command: &Command) -> String {
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "\n{title}:");
        for name in names {
            let about = match command.find_subcommand(name).and_then(Command::get_about) {
                Some(about) => about.to_string(),
                None => "Print the help of a command".to_owned(),
            };
            let _ = writeln!(text, "  {name:<12} {about}");
        }
    }
    text
}

/// A command and those below it, with their pages. `variables` are those of options that a command
/// above passes on.
fn explained(command: Command, path: &str, variables: &[&'static Variable]) -> Command {
    let variables: Vec<&Variable> = VARIABLES
        .iter()
        .filter(|known| variables.contains(known) || known.is_read_by(&command, path))
        .collect();
    let names: Vec<String> = command
        .get_subcommands()
        .map(|below| below.get_name().to_owned())
        .collect();
    let page = page(path);
    let mut command = command.after_long_help(after_help(page, &variables));
    if let Some(page) = page {
        command = command.after_help(examples(page));
    }
    for name in names {
        let below = if path.is_empty() {
            name.clone()
        } else {
            format!("{path} {name}")
        };
        command = command.mut_subcommand(name, |command| explained(command, &below, &variables));
    }
    command
}

fn examples(page: &Page) -> String {
    let mut text = String::from("Examples:\n");
    for line in page.examples {
        let _ = writeln!(text, "  {line}");
    }
    text
}

fn after_help(page: Option<&Page>, variables: &[&Variable]) -> String {
    let mut text = String::new();
    if let Some(page) = page {
        let _ = write!(text, "{}\nExit codes:\n", examples(page));
        for (code, meaning) in page.exit_codes {
            let _ = writeln!(text, "  {code:<3} {meaning}");
        }
    }
    if !variables.is_empty() {
        let _ = writeln!(text, "\nEnvironment:");
        for variable in variables {
            let _ = writeln!(text, "  {:<20} {}", variable.name, variable.meaning);
        }
    }
    text
}

/// An environment variable, and the options that it stands for.
#[derive(PartialEq, Eq)]
struct Variable {
    name: &'static str,
    meaning: &'static str,
    /// IDs of arguments, any of which means that the command reads the variable.
    arguments: &'static [&'static str],
    /// Paths of commands that read it without an argument.
    commands: &'static [&'static str],
}

impl Variable {
    fn is_read_by(&self, command: &Command, path: &str) -> bool {
        self.commands.contains(&path)
            || command
                .get_arguments()
                .any(|argument| self.arguments.contains(&argument.get_id().as_str()))
    }
}

const VARIABLES: [Variable; 14] = [
    Variable {
        name: "GBAC_CHECK_TOKEN",
        meaning: "Access token to examine",
        arguments: &["token_file", "token"],
        commands: &[],
    },
    Variable {
        name: "GBAC_POLICY",
        meaning: "Policy document, instead of --policy",
        arguments: &["policy_file"],
        commands: &[],
    },
    Variable {
        name: "GBAC_URL",
        meaning: "URL of the service",
        arguments: &["connect_user", "online"],
        commands: &[],
    },
    Variable {
        name: "GBAC_USER",
        meaning: "User to sign in with",
        arguments: &["connect_user", "online"],
        commands: &[],
    },
    Variable {
        name: "GBAC_PASSWORD",
        meaning: "Password of that user",
        arguments: &["connect_user", "online"],
        commands: &[],
    },
    Variable {
        name: "GBAC_TOKEN",
        meaning: "Your own access token, to sign in with",
        arguments: &["connect_user", "online"],
        commands: &[],
    },
    Variable {
        name: "GBAC_PROFILE",
        meaning: "Connection profile",
        arguments: &["connect_user", "online"],
        commands: &[],
    },
    Variable {
        name: "GBAC_TLS_CA",
        meaning: "Certificates of trusted authorities, instead of --tls-ca",
        arguments: &["tls_ca"],
        commands: &[],
    },
    Variable {
        name: "HTTPS_PROXY",
        meaning: "Proxy for https, such as http://proxy.example:3128; NO_PROXY lists hosts without it",
        arguments: &["tls_ca"],
        commands: &[],
    },
    Variable {
        name: "GBAC_SERVE_CONFIG",
        meaning: "File with options (TOML); every option has such a variable, such as GBAC_SERVE_LISTEN",
        arguments: &["check_config"],
        commands: &[],
    },
    Variable {
        name: "GBAC_ADMIN_USER",
        meaning: "Name of the local account",
        arguments: &["admin_user"],
        commands: &[],
    },
    Variable {
        name: "GBAC_ADMIN_PASSWORD",
        meaning: "Password of the local account",
        arguments: &["admin_user"],
        commands: &[],
    },
    Variable {
        name: "XDG_CONFIG_HOME",
        meaning: "Folder of gbac/profiles.json [default: ~/.config]",
        arguments: &["connect_user", "online"],
        commands: &[
            "profile",
            "profile create",
            "profile use",
            "profile list",
            "profile current",
            "profile delete",
        ],
    },
    Variable {
        name: "NO_COLOR",
        meaning: "No colors, whatever its value",
        arguments: &[],
        commands: &[""],
    },
];

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::commands::Cli;

    fn paths(command: &Command, path: &str, found: &mut Vec<String>) {
        for below in command
            .get_subcommands()
            .filter(|below| below.get_name() != "help")
        {
            let path = format!("{path} {}", below.get_name()).trim().to_owned();
            paths(below, &path, found);
            found.push(path);
        }
    }

    #[test]
    fn every_command_has_a_page_and_every_page_a_command() {
        let mut found = vec![String::new()];
        paths(&Cli::command(), "", &mut found);
        found.sort_unstable();
        let mut pages: Vec<String> = pages::paths().map(str::to_owned).collect();
        pages.sort_unstable();
        assert_eq!(pages, found);
    }

    #[test]
    fn every_command_is_in_one_group() {
        let command = Cli::command();
        let mut named: Vec<&str> = command
            .get_subcommands()
            .map(Command::get_name)
            .chain(["help"])
            .collect();
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        named.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, named);
    }
}

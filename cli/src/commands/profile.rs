//! `gbac profile`: connection profiles.

use std::path::PathBuf;

use clap::Subcommand;
use gbac_engine::model::RoleSpelling;
use gbac_words::commands::service;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::client;
use crate::client::brokers;
use crate::client::connection::SpellingArg;
use crate::client::credentials::is_valid_user_name;
use crate::client::saved_profiles::{Profile, Profiles};
use crate::output::{self, Failure, Format, plain, sentence};
use crate::process::Process;
use crate::render::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// Save a service's URL and user name, or the brokers of a Kafka cluster, under a name. Passwords
    /// and tokens are never saved.
    ///
    /// The first profile becomes the current one.
    Create {
        /// Profile name.
        #[arg(value_name = "NAME")]
        name: String,
        /// URL of the service: https, or http to this machine.
        #[arg(long, value_name = "URL", required_unless_present = "servers")]
        url: Option<String>,
        /// User name to sign in with.
        #[arg(long, value_name = "NAME", requires = "url")]
        user: Option<String>,
        /// Brokers of a Kafka cluster, instead of --url: HOST:PORT, comma-separated.
        #[arg(
            id = "servers",
            long = "bootstrap-servers",
            value_name = "HOST:PORT",
            conflicts_with = "url"
        )]
        bootstrap_servers: Option<String>,
        /// File with Kafka's client properties for --bootstrap-servers: TLS, and the account to sign
        /// in with. The profile has only its path.
        #[arg(long, value_name = "FILE", requires = "servers")]
        command_config: Option<PathBuf>,
        /// Prefix of role principals in output and requests.
        #[arg(long, value_name = "WORD", value_enum)]
        role_spelling: Option<SpellingArg>,
        /// Replace an existing profile with this name.
        #[arg(long)]
        replace: bool,
        /// Allow the URL to be plain http to another machine. Commands that use the profile need
        /// --insecure too.
        #[arg(id = "insecure_profile", long = "insecure")]
        insecure: bool,
    },
    /// Set the current profile.
    Use {
        /// Profile name.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Show the profile that commands use, and where it is selected.
    Current,
    /// List the profiles; an asterisk marks the current one.
    #[command(visible_alias = "ls")]
    List,
    /// Delete a profile.
    Delete {
        /// Profile name.
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// A connection profile that was created, selected or deleted.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ChangedProfile<'a> {
    /// Its name.
    profile: &'a str,
    /// The name of the current profile; null if there is none.
    current: Option<&'a str>,
}

/// The current connection profile.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct CurrentProfile<'a> {
    /// Its name.
    name: &'a str,
    /// The URL of the service, or the brokers of the Kafka cluster.
    url: &'a str,
    /// The user to sign in with, if the profile names one.
    user: Option<&'a str>,
    /// The prefix of role principals, if it is not `Role`.
    role_spelling: Option<&'a str>,
    /// What selects it: `GBAC_PROFILE` or `gbac profile use`.
    selected_by: &'a str,
}

/// The connection profiles.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ProfileList<'a> {
    /// The profiles, sorted by name.
    profiles: Vec<ListedProfile<'a>>,
}

/// A connection profile.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ListedProfile<'a> {
    /// Its name.
    name: &'a str,
    /// The URL of the service, or the brokers of the Kafka cluster.
    url: &'a str,
    /// The user to sign in with, if the profile names one.
    user: Option<&'a str>,
    /// The prefix of role principals, if it is not `Role`.
    role_spelling: Option<&'a str>,
    /// Whether it is the current profile.
    current: bool,
}

pub(crate) fn run(
    process: &Process,
    command: &ProfileCommand,
    format: Format,
) -> Result<u8, Failure> {
    let mut profiles = Profiles::load(process)?;
    let done = match command {
        ProfileCommand::List => return list(process, &profiles, format),
        ProfileCommand::Current => return current(process, &profiles, format),
        ProfileCommand::Create {
            name,
            url,
            user,
            bootstrap_servers,
            command_config,
            role_spelling,
            replace,
            insecure,
        } => {
            if name.is_empty() || name.chars().any(char::is_control) {
                return Err(Failure::usage(service::INVALID_PROFILE_NAME));
            }
            if let Some(url) = url {
                client::parse_base_url("--url", url, *insecure)?;
            }
            if let Some(servers) = bootstrap_servers {
                brokers::parse_servers(servers)?;
            }
            // Commands that use the profile can run in another folder.
            let command_config = command_config.as_ref().map(|path| process.path(path));
            if let Some(user) = user
                && !is_valid_user_name(user)
            {
                return Err(Failure::usage(
                    "--user: the name is empty or contains a colon",
                ));
            }
            if !replace && profiles.profiles.contains_key(name) {
                let message = format!("profile `{name}` already exists; replace it with --replace");
                return Err(Failure::new("profile_exists", message));
            }
            let role_spelling = match role_spelling {
                Some(SpellingArg::RedpandaRole) => Some(RoleSpelling::RedpandaRole),
                Some(SpellingArg::Role) | None => None,
            };
            let role_spelling = role_spelling.map(|spelling| spelling.prefix().to_owned());
            let profile = Profile {
                url: url.clone().unwrap_or_default(),
                user: user.clone(),
                role_spelling,
                bootstrap_servers: bootstrap_servers.clone(),
                command_config,
            };
            profiles.profiles.insert(name.clone(), profile);
            profiles.current.get_or_insert_with(|| name.clone());
            "Created"
        }
        ProfileCommand::Use { name } => {
            profiles.get(name)?;
            profiles.current = Some(name.clone());
            "Using"
        }
        ProfileCommand::Delete { name } => {
            profiles.get(name)?;
            profiles.profiles.remove(name);
            profiles.current = profiles.current.filter(|current| current != name);
            "Deleted"
        }
    };
    profiles.store(process)?;
    let (ProfileCommand::Create { name, .. }
    | ProfileCommand::Use { name }
    | ProfileCommand::Delete { name }) = command
    else {
        return Ok(output::SUCCESS);
    };
    match format {
        Format::Json | Format::Yaml => {
            let changed = ChangedProfile {
                profile: name,
                current: profiles.current.as_deref(),
            };
            output::value(process, format, &changed)?;
        }
        Format::Text => output::text(process, &format!("{done} profile {}\n", plain(name)))?,
    }
    Ok(output::SUCCESS)
}

/// The profile that a command without `--profile` uses, and what selects it.
fn current(process: &Process, profiles: &Profiles, format: Format) -> Result<u8, Failure> {
    let of_variable = process.variable("GBAC_PROFILE");
    let selected_by = if of_variable.is_some() {
        "GBAC_PROFILE"
    } else {
        "gbac profile use"
    };
    let Some(name) = of_variable.or_else(|| profiles.current.clone()) else {
        let message =
            "there is no current profile; create one with `gbac profile create NAME --url URL`";
        return Err(Failure::new("profile_unknown", message));
    };
    let profile = profiles.get(&name)?;
    match format {
        Format::Json | Format::Yaml => {
            let current = CurrentProfile {
                name: &name,
                url: profile.place(),
                user: profile.user.as_deref(),
                role_spelling: profile.role_spelling.as_deref(),
                selected_by,
            };
            output::value(process, format, &current)?;
        }
        Format::Text => {
            let user = profile.user.as_deref();
            let current = service::profile(&name, profile.place(), user, selected_by);
            output::text(process, &format!("{}\n", sentence(&current)))?;
        }
    }
    Ok(output::SUCCESS)
}

fn list(process: &Process, profiles: &Profiles, format: Format) -> Result<u8, Failure> {
    let current = profiles.current.as_ref();
    match format {
        Format::Json | Format::Yaml => {
            let mut listed = Vec::new();
            for (name, profile) in &profiles.profiles {
                listed.push(ListedProfile {
                    name,
                    url: profile.place(),
                    user: profile.user.as_deref(),
                    role_spelling: profile.role_spelling.as_deref(),
                    current: current == Some(name),
                });
            }
            output::value(process, format, &ProfileList { profiles: listed })?;
        }
        Format::Text => {
            let mut rows = Vec::new();
            for (name, profile) in &profiles.profiles {
                let mark = if current == Some(name) { "*" } else { "" };
                rows.push(vec![
                    format!("{name}{mark}"),
                    profile.place().to_owned(),
                    profile.user.clone().unwrap_or_default(),
                    profile.role_spelling.clone().unwrap_or_default(),
                ]);
            }
            let head = ["NAME", "URL", "USER", "ROLE-SPELLING"];
            output::text(process, &table(process, &head, rows))?;
        }
    }
    Ok(output::SUCCESS)
}

//! `gbac profile`: connection profiles.

use gbac_engine::model::RoleSpelling;
use gbac_words::commands::service;

use crate::args::Format;
use crate::args::online::ProfileCommand;
use crate::client;
use crate::credentials::is_valid_user_name;
use crate::output::{self, Failure, plain, sentence};
use crate::process::Process;
use crate::profile::{Profile, Profiles};
use crate::results::{ChangedProfile, CurrentProfile, ListedProfile, ProfileList};
use crate::table::table;

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
            role_spelling,
            replace,
            insecure,
        } => {
            if name.is_empty() || name.chars().any(char::is_control) {
                return Err(Failure::usage(service::INVALID_PROFILE_NAME));
            }
            client::parse_base_url("--url", url, *insecure)?;
            if user
                .as_deref()
                .is_some_and(|user| !is_valid_user_name(user))
            {
                return Err(Failure::usage(
                    "--user: the name is empty or contains a colon",
                ));
            }
            if !replace && profiles.profiles.contains_key(name) {
                let message = format!("profile `{name}` already exists; replace it with --replace");
                return Err(Failure::new("profile_exists", message));
            }
            let role_spelling = role_spelling
                .map(RoleSpelling::from)
                .filter(|spelling| *spelling != RoleSpelling::default());
            let role_spelling = role_spelling.map(|spelling| spelling.prefix().to_owned());
            let profile = Profile {
                url: url.clone(),
                user: user.clone(),
                role_spelling,
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
            output::value(
                process,
                format,
                &ChangedProfile {
                    profile: name,
                    current: profiles.current.as_deref(),
                },
            )?;
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
                url: &profile.url,
                user: profile.user.as_deref(),
                role_spelling: profile.role_spelling.as_deref(),
                selected_by,
            };
            output::value(process, format, &current)?;
        }
        Format::Text => {
            let user = profile.user.as_deref();
            let current = service::profile(&name, &profile.url, user, selected_by);
            output::text(process, &format!("{}\n", sentence(&current)))?;
        }
    }
    Ok(output::SUCCESS)
}

fn list(process: &Process, profiles: &Profiles, format: Format) -> Result<u8, Failure> {
    let is_current = |name: &str| profiles.current.as_deref() == Some(name);
    match format {
        Format::Json | Format::Yaml => {
            let each = profiles
                .profiles
                .iter()
                .map(|(name, profile)| ListedProfile {
                    name,
                    url: &profile.url,
                    user: profile.user.as_deref(),
                    role_spelling: profile.role_spelling.as_deref(),
                    current: is_current(name),
                });
            output::value(
                process,
                format,
                &ProfileList {
                    profiles: each.collect(),
                },
            )?;
        }
        Format::Text => {
            let row = |(name, profile): (&String, &Profile)| {
                let name = if is_current(name) {
                    format!("{name}*")
                } else {
                    name.clone()
                };
                let spelling = profile.role_spelling.clone().unwrap_or_default();
                vec![
                    name,
                    profile.url.clone(),
                    profile.user.clone().unwrap_or_default(),
                    spelling,
                ]
            };
            let rows: Vec<_> = profiles.profiles.iter().map(row).collect();
            output::text(
                process,
                &table(process, &["NAME", "URL", "USER", "ROLE-SPELLING"], rows),
            )?;
        }
    }
    Ok(output::SUCCESS)
}

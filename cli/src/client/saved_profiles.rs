//! Connection profiles: URLs and user names of services, and the brokers of Kafka clusters, in one
//! file of the user, without passwords and tokens.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gbac_engine::escape::escaped;
use gbac_engine::model::RoleSpelling;
use gbac_server::private_file::{self, PrivateTo};
use gbac_words::commands::cluster as words;
use serde::{Deserialize, Serialize};

use crate::input;
use crate::output::{self, Failure, sentence};
use crate::process::Process;
use crate::suggest;

/// The URL of a service and the user to sign in with, or the brokers of a Kafka cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// URL of the service; empty for a Kafka cluster.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) url: String,
    /// User name to sign in with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) user: Option<String>,
    /// Prefix of role principals, if it is not `Role`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) role_spelling: Option<String>,
    /// The brokers of a Kafka cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bootstrap_servers: Option<String>,
    /// File with the client properties for them, which has the secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) command_config: Option<PathBuf>,
}

impl Profile {
    /// The URL of the service; an error for a Kafka cluster.
    pub(crate) fn service_url(&self) -> Result<&str, Failure> {
        match &self.bootstrap_servers {
            Some(servers) => Err(Failure::usage(sentence(&words::needs_service(servers)))),
            None => Ok(&self.url),
        }
    }

    /// Where it is: the URL of a service, or the brokers of a Kafka cluster.
    pub(crate) fn place(&self) -> &str {
        self.bootstrap_servers.as_deref().unwrap_or(&self.url)
    }

    /// The prefix of role principals.
    pub(crate) fn spelling(&self) -> Result<RoleSpelling, Failure> {
        let Some(word) = &self.role_spelling else {
            return Ok(RoleSpelling::default());
        };
        for spelling in RoleSpelling::ALL {
            if spelling.prefix() == word {
                return Ok(*spelling);
            }
        }
        Err(Failure::new(
            "profile_invalid",
            format!("a profile has the unknown role prefix `{word}`; create the profile again"),
        ))
    }
}

/// All profiles, and the current one.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profiles {
    /// The profile that is used unless a flag or variable names another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) current: Option<String>,
    /// The profiles, by name.
    #[serde(default)]
    pub(crate) profiles: BTreeMap<String, Profile>,
}

impl Profiles {
    /// Reads the file; empty if there is none.
    pub(crate) fn load(process: &Process) -> Result<Self, Failure> {
        let Some(path) = path(process) else {
            return Ok(Self::default());
        };
        warn_about_others(process, &path);
        if fs::symlink_metadata(&path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Ok(Self::default());
        }
        match input::small_text(process, &path)? {
            // An array would be read as an object whose members are all omitted.
            text if text.trim_start().starts_with('[') => {
                Err(invalid(&path, &"it is a list, not an object"))
            }
            text => serde_json::from_str(&text).map_err(|error| invalid(&path, &error)),
        }
    }

    /// Writes the file atomically, readable only by its owner.
    pub(crate) fn store(&self, process: &Process) -> Result<(), Failure> {
        let Some(path) = path(process) else {
            return Err(Failure::new(
                "no_config_folder",
                "there is no configuration folder; set XDG_CONFIG_HOME or HOME",
            ));
        };
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| Failure::new("profile", error.to_string()))?;
        write(&path, &format!("{text}\n"))
            .map_err(|error| Failure::io(&path.display().to_string(), &error))
    }

    /// One profile by name.
    pub(crate) fn get(&self, name: &str) -> Result<&Profile, Failure> {
        if let Some(profile) = self.profiles.get(name) {
            return Ok(profile);
        }
        let near = suggest::hint(name, self.profiles.keys().map(String::as_str));
        let message = format!(
            "there is no profile `{}`; list the profiles with `gbac profile list`{near}",
            escaped(name)
        );
        Err(Failure::new("profile_unknown", message))
    }
}

/// The error of a damaged file.
fn invalid(path: &Path, problem: &dyn std::fmt::Display) -> Failure {
    let message = format!(
        "{}: {problem}; fix it, or delete it and create the profiles again",
        path.display()
    );
    Failure::new("profile_invalid", message)
}

/// The profile to use: the named one, that of `GBAC_PROFILE`, or the current one.
pub(crate) fn selected(process: &Process, named: Option<&str>) -> Result<Option<Profile>, Failure> {
    let profiles = Profiles::load(process)?;
    let named = match named {
        Some(name) => Some(name.to_owned()),
        None => process
            .variable("GBAC_PROFILE")
            .or(profiles.current.clone()),
    };
    match named {
        Some(name) => Ok(Some(profiles.get(&name)?.clone())),
        None => Ok(None),
    }
}

/// Path of the file (XDG Base Directory Specification).
fn path(process: &Process) -> Option<PathBuf> {
    let folder = match (
        absolute(process, "XDG_CONFIG_HOME"),
        absolute(process, "HOME"),
    ) {
        (Some(folder), _) => folder,
        (None, Some(home)) => home.join(".config"),
        (None, None) => absolute(process, "APPDATA")?,
    };
    Some(folder.join("gbac").join("profiles.json"))
}

/// The absolute path in a variable.
fn absolute(process: &Process, variable: &str) -> Option<PathBuf> {
    let path = PathBuf::from(process.variable_os(variable)?);
    path.is_absolute().then_some(path)
}

/// Says so if others than the user can read or change the file: they could send a password to a
/// service of theirs.
fn warn_about_others(process: &Process, path: &Path) {
    if let Some(exposure) = private_file::exposure(path, PrivateTo::Owner) {
        let file = path.display();
        let notice = format!(
            "warning: {file} {exposure}, and it says where you sign in; {}",
            exposure.hint()
        );
        output::note(process, &notice);
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    // A new file is renamed, so that readers never see a partial file and its permissions are ours.
    let draft = folder.join(format!("profiles.{}.new", std::process::id()));
    let done = write_draft(&draft, text).and_then(|()| fs::rename(&draft, path));
    if done.is_err() {
        // Only the first error is reported.
        let _ = fs::remove_file(&draft);
    }
    done
}

fn write_draft(draft: &Path, text: &str) -> io::Result<()> {
    let options = &mut fs::OpenOptions::new();
    options.write(true).create_new(true);
    let mut file = private_file::open(draft, options, PrivateTo::Owner)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

//! The policy that a question is about: a document, or the policy of a running service with its
//! state.

use std::collections::BTreeSet;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use gbac_analysis::brokers::{BrokerRules, BrokerSettings};
use gbac_engine::model::Principal;
use gbac_engine::policy::Policy;
use gbac_formats::quote::shell;
use gbac_json::{policy_from_json, policy_to_text};
use gbac_words::commands::{cluster, policy as words};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::client::brokers::{self, BrokerArgs, Brokers, Cluster};
use crate::client::connection::{ConnectArgs, TlsArgs};
use crate::client::saved_profiles::Profiles;
use crate::client::{CallError, Client};
use crate::input;
use crate::output::{self, Failure, Format, plain, sentence};
use crate::process::Process;

/// The policy of a question: a document, or that of a running service.
#[derive(Debug, Args)]
pub(crate) struct PolicySourceArgs {
    /// Policy document, `-` for standard input [env: GBAC_POLICY].
    #[arg(
        id = "policy_file",
        long = "policy",
        value_name = "FILE",
        conflicts_with = "online"
    )]
    pub(crate) policy_file: Option<PathBuf>,
    /// Use the policy of a running service instead of a document. The caller signs in with the
    /// variables below, or the user of the profile.
    #[arg(long)]
    pub(crate) online: bool,
    /// URL of the service: https, or http to this machine [env: GBAC_URL] [default:
    /// http://127.0.0.1:8420].
    #[arg(
        long,
        value_name = "URL",
        requires = "online",
        help_heading = "Service"
    )]
    pub(crate) url: Option<String>,
    /// Connection profile to use, see `gbac profile` [env: GBAC_PROFILE].
    #[arg(
        long,
        value_name = "NAME",
        requires = "online",
        help_heading = "Service"
    )]
    pub(crate) profile: Option<String>,
    /// Request timeout, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "online", help_heading = "Service",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) timeout: u32,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
    #[command(flatten)]
    pub(crate) brokers: BrokerArgs,
}

impl PolicySourceArgs {
    /// The Kafka cluster of the flags, if they name one.
    pub(crate) fn cluster(&self, process: &Process) -> Result<Option<Brokers>, Failure> {
        let names_brokers = self.brokers.bootstrap_servers.is_some();
        if names_brokers && self.policy_file.is_some() {
            return Err(Failure::usage(cluster::POLICY_AND_CLUSTER));
        }
        if !names_brokers && !self.online {
            if self.brokers.broker_properties.is_some() {
                return Err(Failure::usage(cluster::PROPERTIES_OF_SERVICE));
            }
            return Ok(None);
        }
        let (url, profile) = (self.url.as_deref(), self.profile.as_deref());
        brokers::selected(process, &self.brokers, url, profile)
    }

    /// Whether the flags name a service, a cluster or a document.
    pub(crate) fn is_named(&self) -> bool {
        self.online || self.policy_file.is_some() || self.brokers.bootstrap_servers.is_some()
    }

    /// The document of a file, or the policy of a service, for completions.
    pub(crate) fn for_completion(
        file: Option<&Path>,
        url: Option<String>,
        profile: Option<String>,
        timeout: u32,
    ) -> Self {
        let tls = TlsArgs {
            tls_ca: None,
            tls_cert: None,
            tls_key: None,
            insecure: false,
        };
        Self {
            policy_file: file.map(Path::to_owned),
            online: file.is_none(),
            url,
            profile,
            timeout,
            tls,
            brokers: BrokerArgs::default(),
        }
    }

    /// The flags that name the same service or cluster in a command that changes it; empty for a
    /// document, and for what the environment names.
    pub(crate) fn target_flags(&self) -> String {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let mut flags = String::new();
        for (flag, value) in [
            (
                "--bootstrap-servers",
                self.brokers.bootstrap_servers.clone(),
            ),
            ("--command-config", path(&self.brokers.command_config)),
            ("--role-file", path(&self.brokers.role_file)),
            ("--url", self.url.clone()),
            ("--profile", self.profile.clone()),
            ("--tls-ca", path(&self.tls.tls_ca)),
            ("--tls-cert", path(&self.tls.tls_cert)),
            ("--tls-key", path(&self.tls.tls_key)),
        ] {
            if let Some(value) = value {
                let _ = write!(flags, " {flag} {}", shell(&value));
            }
        }
        flags
    }

    /// The connection to the service. In these commands, `--user` and `--token-file` name the user
    /// of the question.
    pub(crate) fn connection(&self) -> ConnectArgs {
        ConnectArgs {
            url: self.url.clone(),
            connect_user: None,
            password_file: None,
            connect_token: None,
            profile: self.profile.clone(),
            role_spelling: None,
            timeout: self.timeout,
            tls: self.tls.clone(),
        }
    }
}

/// A result, and the state of the policy that it was decided at.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct AtState<'a, T> {
    /// The result.
    #[serde(flatten)]
    pub(crate) result: T,
    /// The state of the service's policy that the result was decided at; absent without `--online`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) policy_state: Option<&'a str>,
}

/// The text of a policy document.
pub(crate) struct PolicyText {
    /// The document.
    pub(crate) text: String,
    /// The name of the file or of the service.
    pub(crate) name: String,
    /// The state of the service's policy, if it is one.
    pub(crate) state: Option<PolicyState>,
}

/// The state of a service's policy.
pub(crate) struct PolicyState {
    tag: String,
    client: Client,
}

impl PolicyState {
    /// Its name, as `--if-match` takes it.
    pub(crate) fn tag(&self) -> &str {
        &self.tag
    }

    /// The service.
    pub(crate) const fn client(&self) -> &Client {
        &self.client
    }
}

impl fmt::Display for PolicyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Decided at state {} of {}",
            plain(&self.tag),
            plain(self.client.url())
        )
    }
}

/// A policy, and its state if a service has it.
pub(crate) struct LoadedPolicy {
    pub(crate) policy: Policy,
    pub(crate) state: Option<PolicyState>,
    /// What brokers decide with besides the policy.
    pub(crate) rules: BrokerRules,
    /// Their settings, if it is the policy of a Kafka cluster.
    pub(crate) settings: Option<BrokerSettings>,
}

impl LoadedPolicy {
    /// The policy of a Kafka cluster, with the super users and the rules for groups of its brokers.
    fn of_cluster(process: &Process, brokers: &Brokers) -> Result<Self, Failure> {
        let of_cluster = Cluster::open(process, brokers)?.policy(process)?;
        of_cluster.warn_of_unknown(process);
        of_cluster.note_settings(process);
        let (mut policy, settings) = (of_cluster.policy, of_cluster.settings);
        let rules = BrokerRules::new(&mut policy, &settings);
        Ok(Self {
            policy,
            state: None,
            rules,
            settings: Some(settings),
        })
    }
}

/// A policy with the name of its file, service or profile.
pub(crate) struct NamedPolicy {
    pub(crate) name: String,
    pub(crate) is_profile: bool,
    pub(crate) policy: Policy,
    pub(crate) state: Option<PolicyState>,
}

impl NamedPolicy {
    fn parse(text: PolicyText) -> Result<Self, Failure> {
        let name = text.name.clone();
        let LoadedPolicy { policy, state, .. } = parse(text)?;
        Ok(Self {
            name,
            is_profile: false,
            policy,
            state,
        })
    }

    /// Loads the policy of the flags.
    pub(crate) fn of_flags(process: &Process, args: &PolicySourceArgs) -> Result<Self, Failure> {
        Self::parse(read(process, args, None)?)
    }

    /// Loads a policy document.
    pub(crate) fn of_file(process: &Process, path: &Path) -> Result<Self, Failure> {
        Self::parse(of_file(process, path)?)
    }

    /// Loads the policy of a profile's service, or a policy document. The flags of the connection
    /// are for every profile.
    pub(crate) fn of_profile_or_file(
        process: &Process,
        args: &PolicySourceArgs,
        name: &Path,
    ) -> Result<Self, Failure> {
        let Some(profile) = name.to_str() else {
            return Self::of_file(process, name);
        };
        let profiles = Profiles::load(process)?;
        let Some(found) = profiles.profiles.get(profile) else {
            return Self::of_file(process, name);
        };
        if process.path(name).is_file() {
            let both = words::profile_and_file(profile);
            output::note(process, &format!("note: {}", sentence(&both)));
        }
        let of_profile = PolicySourceArgs {
            policy_file: None,
            online: true,
            url: None,
            profile: Some(profile.to_owned()),
            timeout: args.timeout,
            tls: args.tls.clone(),
            brokers: BrokerArgs {
                // A service has its own roles.
                role_file: match found.bootstrap_servers {
                    Some(_) => args.brokers.role_file.clone(),
                    None => None,
                },
                ..BrokerArgs::default()
            },
        };
        let loaded = Self::of_flags(process, &of_profile)?;
        Ok(Self {
            name: profile.to_owned(),
            is_profile: true,
            ..loaded
        })
    }

    /// The state that it was read at, as a line; empty for a file.
    pub(crate) fn at(&self) -> String {
        at(self.state.as_ref())
    }
}

/// Loads the policy of the flags.
pub(crate) fn load(process: &Process, args: &PolicySourceArgs) -> Result<LoadedPolicy, Failure> {
    match args.cluster(process)? {
        Some(brokers) => LoadedPolicy::of_cluster(process, &brokers),
        None => parse(read(process, args, None)?),
    }
}

fn parse(PolicyText { text, name, state }: PolicyText) -> Result<LoadedPolicy, Failure> {
    let policy = policy_from_json(&text).map_err(|problems| Failure::problems(&name, problems))?;
    Ok(LoadedPolicy {
        policy,
        state,
        rules: BrokerRules::default(),
        settings: None,
    })
}

/// Loads the policy of the flags. The client is for a caller who can sign in to the service, but
/// not read its policy.
pub(crate) fn load_or_client(
    process: &Process,
    args: &PolicySourceArgs,
) -> Result<Result<LoadedPolicy, Client>, Failure> {
    if !args.online || args.cluster(process)?.is_some() {
        return load(process, args).map(Ok);
    }
    let client = Client::open(process, &args.connection())?;
    match client.policy_text() {
        Err(error) if is_without_access(&error) => Ok(Err(client)),
        Err(error) => Err(error.into()),
        Ok((text, tag)) => parse(of_service(client, text, &tag)).map(Ok),
    }
}

/// Reads the policy of the flags as text; `file` takes the place of `--policy`.
pub(crate) fn read(
    process: &Process,
    args: &PolicySourceArgs,
    file: Option<&Path>,
) -> Result<PolicyText, Failure> {
    if let Some(brokers) = args.cluster(process)? {
        let mut cluster = Cluster::open(process, &brokers)?;
        let of_cluster = cluster.policy(process)?;
        of_cluster.warn_of_unknown(process);
        return Ok(PolicyText {
            text: policy_to_text(&of_cluster.policy),
            name: cluster.name().to_owned(),
            state: None,
        });
    }
    if args.online {
        let client = Client::open(process, &args.connection())?;
        let (text, tag) = client.policy_text().map_err(|error| unreadable(&error))?;
        return Ok(of_service(client, text, &tag));
    }
    let path = file
        .or(args.policy_file.as_deref())
        .map(Path::to_owned)
        .or_else(|| of_environment(process));
    let path = path.ok_or_else(|| {
        Failure::usage("no policy; name a document with --policy or GBAC_POLICY, or ask a service with --online")
    })?;
    of_file(process, &path)
}

fn of_file(process: &Process, path: &Path) -> Result<PolicyText, Failure> {
    Ok(PolicyText {
        text: input::document(process, path)?,
        name: path.display().to_string(),
        state: None,
    })
}

/// The document that the environment names.
fn of_environment(process: &Process) -> Option<PathBuf> {
    process.path_variable("GBAC_POLICY")
}

/// Whether the environment names a document.
pub(crate) fn is_in_environment(process: &Process) -> bool {
    of_environment(process).is_some()
}

/// What a client read of its service.
fn of_service(client: Client, text: String, tag: &str) -> PolicyText {
    let name = client.url().to_owned();
    // As `gbac export --out` writes it, for `gbac import --if-match`.
    let tag = tag.trim_matches('"').to_owned();
    PolicyText {
        text,
        name,
        state: Some(PolicyState { tag, client }),
    }
}

/// Whether the caller is signed in and has no access to the policy.
fn is_without_access(error: &CallError) -> bool {
    matches!(error, CallError::Refused(refusal) if refusal.status == 403)
}

fn unreadable(error: &CallError) -> Failure {
    let message = error.to_string();
    if is_without_access(error) {
        let needed =
            "--online reads the policy, which requires a superuser or the access `read_only`";
        return Failure::new(error.code(), format!("{message}; {needed}"));
    }
    Failure::new(error.code(), message)
}

/// Writes text, and the state that it was decided at.
pub(crate) fn write_text(
    process: &Process,
    state: Option<&PolicyState>,
    text: &str,
) -> Result<(), Failure> {
    output::text(process, &format!("{text}{}", at(state)))
}

/// The state that a result was decided at, as a line.
fn at(state: Option<&PolicyState>) -> String {
    state.map_or_else(String::new, |state| format!("{state}\n"))
}

/// Writes a result; its member `policy_state` is the state that it was decided at.
pub(crate) fn write_value(
    process: &Process,
    state: Option<&PolicyState>,
    format: Format,
    result: impl Serialize,
) -> Result<(), Failure> {
    output::value(
        process,
        format,
        &AtState {
            result,
            policy_state: state.map(|state| state.tag.as_str()),
        },
    )
}

/// The users, groups and roles that a policy names; `User:*` is everyone and no name.
pub(crate) fn principals(policy: &Policy) -> BTreeSet<Principal> {
    let mut named: BTreeSet<Principal> = policy.acls().map(|acl| acl.principal).collect();
    for role in policy.roles() {
        named.insert(Principal::role(&role.name));
        named.extend(role.members);
    }
    named.extend(policy.settings().superusers.iter().map(Principal::user));
    named.retain(|principal| !principal.is_everyone());
    named
}

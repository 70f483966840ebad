//! The policy that a question is about: a document, or the policy of a running service with its
//! state.

use std::fmt;
use std::path::{Path, PathBuf};

use gbac_engine::policy::Policy;
use gbac_json::policy_from_json;
use serde::Serialize;

use crate::args::Format;
use crate::args::policy::PolicySourceArgs;
use crate::client::{CallError, Client};
use crate::input;
use crate::output::{self, Failure, plain};
use crate::process::Process;
use crate::results::AtState;

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
}

/// Loads the policy of the flags.
pub(crate) fn load(process: &Process, args: &PolicySourceArgs) -> Result<LoadedPolicy, Failure> {
    parse(read(process, args, None)?)
}

fn parse(PolicyText { text, name, state }: PolicyText) -> Result<LoadedPolicy, Failure> {
    let policy = policy_from_json(&text).map_err(|problems| Failure::problems(&name, problems))?;
    Ok(LoadedPolicy { policy, state })
}

/// Loads the policy of the flags. The client is for a caller who can sign in to the service, but
/// not read its policy.
pub(crate) fn load_or_client(
    process: &Process,
    args: &PolicySourceArgs,
) -> Result<Result<LoadedPolicy, Client>, Failure> {
    if !args.online {
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
    Ok(PolicyText {
        text: input::document(process, &path)?,
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
    let at = state.map_or_else(String::new, |state| format!("{state}\n"));
    output::text(process, &format!("{text}{at}"))
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

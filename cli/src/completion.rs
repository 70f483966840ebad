//! Completions of shells: besides commands and flags, the names of roles, principals, resources, properties and profiles.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::{Arg, Command, ValueHint};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::{CompleteEnv, Shells};
use gbac_analysis::known_names;
use gbac_engine::escape::is_hidden;
use gbac_engine::model::{Operation, Principal, PrincipalType, ResourceType};
use gbac_engine::policy::Policy;

use crate::args::policy::PolicySourceArgs;
use crate::help;
use crate::output::Failure;
use crate::policy_source;
use crate::profile::Profiles;

/// The variable with which a completion script calls this program.
const VARIABLE: &str = "GBAC_COMPLETE";
/// The longest time that a service may take to answer while somebody waits for a completion, in seconds.
const TIMEOUT: u32 = 2;
/// The properties that a policy document states, and the one of the audit log.
const PROPERTIES: [&str; 5] =
    ["audit_enabled", "nested_group_behavior", "oidc_group_claim_path", "oidc_principal_mapping", "superusers"];

/// Writes the candidates, if a completion script called this program; returns whether it did.
pub(crate) fn complete() -> bool {
    let Some(shell) = env::var_os(VARIABLE) else { return false };
    let line = Line::of(&shell);
    let done = CompleteEnv::with_factory(|| completed(help::command(), "", line))
        .var(VARIABLE)
        .try_complete(env::args_os(), env::current_dir().ok().as_deref());
    // A shell shows nothing instead of an error in the middle of a line.
    done.unwrap_or(true)
}

/// The script of a shell, which calls this program for each completion.
pub(crate) fn script(shell: &str) -> Result<String, Failure> {
    let failed = || Failure::new("completions", format!("there is no script for {shell}"));
    let shells = Shells::builtins();
    let mut script = Vec::new();
    let writer = shells.completer(shell).ok_or_else(failed)?;
    writer.write_registration(VARIABLE, "gbac", "gbac", "gbac", &mut script).map_err(|_| failed())?;
    Ok(String::from_utf8_lossy(&script).into_owned())
}

/// The names that an argument takes.
#[derive(Debug, Clone, Copy)]
enum Names {
    Operations,
    Principals,
    Profiles,
    Properties,
    /// Without their type.
    Bare(PrincipalType),
    Resources(ResourceType),
}

/// How a shell inserts a candidate into the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// It quotes what it would interpret.
    Quoted,
    /// As it is.
    Raw,
    /// As it is, and `\` is part of paths.
    RawWithBackslash,
}

impl Line {
    fn of(shell: &OsStr) -> Self {
        match Path::new(shell).file_stem().and_then(OsStr::to_str) {
            Some("zsh" | "fish") => Self::Quoted,
            Some("powershell" | "pwsh" | "powershell_ise") => Self::RawWithBackslash,
            _ => Self::Raw,
        }
    }

    /// Whether a candidate means itself there. Names come from documents, services and folders of others, so one that a shell
    /// would interpret is not offered (D-118).
    fn takes(self, candidate: &str, typed: &str) -> bool {
        let is_plain = |one: char| match one {
            '.' | '_' | '/' | ':' | '+' | ',' | '-' | '@' => true,
            '\\' => self == Self::RawWithBackslash,
            one => one.is_alphanumeric(),
        };
        // The user's own `~/` is meant as the home folder.
        let added = if typed.starts_with("~/") { candidate.strip_prefix('~').unwrap_or(candidate) } else { candidate };
        // A flag, a list of PowerShell, and a home folder, which fish does not quote.
        let begins_like_a_value = !added.starts_with(['-', '@', '~']);
        begins_like_a_value && !added.chars().any(is_hidden) && (self == Self::Quoted || added.chars().all(is_plain))
    }

    fn taken(self, mut candidates: Vec<CompletionCandidate>, typed: &OsStr) -> Vec<CompletionCandidate> {
        let Some(typed) = typed.to_str() else { return Vec::new() };
        candidates.retain(|one| one.get_value().to_str().is_some_and(|candidate| self.takes(candidate, typed)));
        candidates
    }
}

/// A command whose arguments complete names and paths, and those below it.
fn completed(command: Command, path: &str, line: Line) -> Command {
    let command = command.mut_args(|argument| {
        let names = names_of(path, &argument);
        let is_path =
            matches!(argument.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath);
        match (names, is_path) {
            (Some(names), _) => {
                argument.add(ArgValueCompleter::new(move |typed: &OsStr| line.taken(candidates(names, typed), typed)))
            }
            (None, true) => argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
                line.taken(PathCompleter::any().complete(typed), typed)
            })),
            (None, false) => argument,
        }
    });
    let below: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    below.into_iter().fold(command, |command, name| {
        let path = format!("{path} {name}");
        command.mut_subcommand(name, |command| completed(command, &path, line))
    })
}

fn names_of(path: &str, argument: &Arg) -> Option<Names> {
    let is_role = path.starts_with(" security role");
    Some(match argument.get_id().as_str() {
        "operation" => Names::Operations,
        "principal" | "allow_principal" | "deny_principal" => Names::Principals,
        "allow_role" | "deny_role" => Names::Bare(PrincipalType::Role),
        "role" if is_role => Names::Bare(PrincipalType::Role),
        "user" | "other_user" => Names::Bare(PrincipalType::User),
        "user_groups" | "other_groups" | "join" | "leave" | "expect_group" => Names::Bare(PrincipalType::Group),
        "topic" => Names::Resources(ResourceType::Topic),
        "group" | "consumer_group" => Names::Resources(ResourceType::Group),
        "transactional_id" => Names::Resources(ResourceType::TransactionalId),
        "registry_subject" => Names::Resources(ResourceType::Subject),
        "profile" => Names::Profiles,
        "name" if path == " profile use" || path == " profile delete" => Names::Profiles,
        "name" | "assignments" if path.starts_with(" cluster config") => Names::Properties,
        _ => return None,
    })
}

/// The entries of a list that begin like the last one; the entries before it stay.
fn candidates(names: Names, current: &OsStr) -> Vec<CompletionCandidate> {
    let Some(current) = current.to_str() else { return Vec::new() };
    let (before, last) = current.rsplit_once(',').map_or(("", current), |(before, last)| (before, last));
    let before = if before.is_empty() { String::new() } else { format!("{before},") };
    // A quote or a comma would need the quotes of lists and those of the shell.
    let fitting = names.all().into_iter().filter(|name| name.starts_with(last) && !name.contains([',', '"']));
    fitting.map(|name| CompletionCandidate::new(format!("{before}{name}"))).collect()
}

impl Names {
    fn all(self) -> BTreeSet<String> {
        let of_policy = |read: &dyn Fn(&Policy) -> BTreeSet<String>| policy().as_ref().map(read).unwrap_or_default();
        match self {
            Self::Operations => {
                Operation::ALL.iter().map(|one| one.spelling().label.to_lowercase().replace(' ', "-")).collect()
            }
            Self::Profiles => Profiles::load().map(|all| all.profiles.into_keys().collect()).unwrap_or_default(),
            Self::Properties => PROPERTIES.iter().map(|name| (*name).to_owned()).collect(),
            Self::Principals => {
                of_policy(&|policy| principals(policy).map(|principal| principal.to_string()).collect())
            }
            Self::Bare(kind) => of_policy(&|policy| {
                principals(policy).filter(|one| one.kind() == kind).map(|one| one.name().to_owned()).collect()
            }),
            Self::Resources(kind) => {
                of_policy(&|policy| known_names(policy, kind).into_iter().map(str::to_owned).collect())
            }
        }
    }
}

/// The users, groups and roles that a policy names.
fn principals(policy: &Policy) -> impl Iterator<Item = Principal> {
    let of_acls = policy.acls().map(|acl| acl.principal);
    let of_roles = policy.roles().flat_map(|role| {
        let members: Vec<Principal> = role.members.into_iter().collect();
        std::iter::once(Principal::role(&role.name)).chain(members)
    });
    of_acls.chain(of_roles).filter(|principal| !principal.is_everyone())
}

/// The policy that the command line names, read once: the document of `--policy` or `GBAC_POLICY`, else that of the service.
/// Nothing is asked of a user who would have to type a password.
fn policy() -> Option<Policy> {
    thread_local! {
        static POLICY: OnceCell<Option<Policy>> = const { OnceCell::new() };
    }
    POLICY.with(|policy| policy.get_or_init(|| read().ok()).clone())
}

fn read() -> Result<Policy, Failure> {
    let words: Vec<OsString> = env::args_os().collect();
    let after = |flag: &str| {
        let found = words.iter().zip(words.iter().skip(1)).find(|(word, _)| *word == flag);
        found.map(|(_, value)| value.clone())
    };
    let has_secret = ["GBAC_PASSWORD", "GBAC_TOKEN"].iter().any(|name| env::var_os(name).is_some());
    let file = after("--policy").or_else(|| env::var_os("GBAC_POLICY")).filter(|name| !name.is_empty() && name != "-");
    if file.is_none() && !has_secret {
        return Err(Failure::usage("no policy"));
    }
    let text = |flag: &str| after(flag).and_then(|value| value.into_string().ok());
    let source =
        PolicySourceArgs::for_completion(file.as_deref().map(Path::new), text("--url"), text("--profile"), TIMEOUT);
    policy_source::load(&source).map(|loaded| loaded.policy)
}

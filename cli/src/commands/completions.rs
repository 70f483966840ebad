//! `gbac completions`: the completion script of a shell, and what it completes: besides commands and
//! flags, the names of roles, principals, resources, properties and profiles.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clap_complete::env::Shells;
use gbac_analysis::known_names;
use gbac_engine::escape::is_hidden;
use gbac_engine::model::{Operation, Principal, PrincipalType, ResourceType};
use gbac_engine::policy::Policy;
use gbac_words::commands::files;

use super::command_line;
use crate::args::policy_source;
use crate::args::policy_source::PolicySourceArgs;
use crate::client::saved_profiles::Profiles;
use crate::output::{self, Failure};
use crate::process::Process;

/// The variable with which a completion script calls this program.
const VARIABLE: &str = "GBAC_COMPLETE";
/// The longest time that a service may take to answer while somebody waits for a completion, in
/// seconds.
const TIMEOUT: u32 = 2;
/// The properties that a policy document states, and the one of the audit log.
const PROPERTIES: [&str; 5] = [
    "audit_enabled",
    "nested_group_behavior",
    "oidc_group_claim_path",
    "oidc_principal_mapping",
    "superusers",
];

/// Writes the candidates, if a completion script called this program; returns whether it did.
pub(crate) fn complete(process: &Process) -> bool {
    let Some(shell) = process.variable_os(VARIABLE) else {
        return false;
    };
    if shell.is_empty() || shell == "0" {
        return false;
    }
    // A shell shows nothing instead of an error in the middle of a line.
    let _ = write_candidates(process, Path::new(shell));
    true
}

fn write_candidates(process: &Process, shell: &Path) -> io::Result<()> {
    let name = shell.file_stem().unwrap_or_default().to_string_lossy();
    let shells = Shells::builtins();
    let completer = shells.completer(&name).ok_or(io::ErrorKind::NotFound)?;
    let words: Vec<OsString> = process
        .arguments
        .iter()
        .skip_while(|word| *word != "--")
        .skip(1)
        .cloned()
        .collect();
    let mut written = Vec::new();
    if words.is_empty() {
        completer.write_registration(VARIABLE, "gbac", "gbac", "gbac", &mut written)?;
    } else {
        let run = CompletionRun {
            process: process.clone(),
            policy: Arc::default(),
        };
        let mut command = completed(command_line(), "", Line::for_shell(&name), &run);
        command.build();
        completer.write_complete(&mut command, words, Some(&run.folder()), &mut written)?;
    }
    process.output().write_all(&written)
}

/// Prints the script of a shell, which calls this program for each completion.
pub(crate) fn run(process: &Process, shell: Shell) -> Result<u8, Failure> {
    output::document(process, &script(&shell.to_string())?)?;
    Ok(output::SUCCESS)
}

fn script(shell: &str) -> Result<String, Failure> {
    let shells = Shells::builtins();
    let mut script = Vec::new();
    let written = match shells.completer(shell) {
        Some(writer) => writer.write_registration(VARIABLE, "gbac", "gbac", "gbac", &mut script),
        None => Err(io::ErrorKind::NotFound.into()),
    };
    if written.is_err() {
        return Err(Failure::new("completions", files::no_script(shell)));
    }
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
    fn for_shell(shell: &str) -> Self {
        match shell {
            "zsh" | "fish" => Self::Quoted,
            "powershell" | "pwsh" | "powershell_ise" => Self::RawWithBackslash,
            _ => Self::Raw,
        }
    }

    /// Whether a candidate means itself there. Names come from documents, services and folders of
    /// others, so one that a shell would interpret is not offered (D-118).
    fn takes(self, candidate: &str, typed: &str) -> bool {
        // The user's own `~/` is meant as the home folder.
        let added = if typed.starts_with("~/") {
            candidate.strip_prefix('~').unwrap_or(candidate)
        } else {
            candidate
        };
        // A flag, a list of PowerShell, and a home folder, which fish does not quote.
        let begins_like_a_value = !added.starts_with(['-', '@', '~']);
        begins_like_a_value
            && !added.chars().any(is_hidden)
            && (self == Self::Quoted || added.chars().all(|one| self.is_plain(one)))
    }

    /// Whether a shell takes a character for itself without quotes.
    fn is_plain(self, character: char) -> bool {
        match character {
            '.' | '_' | '/' | ':' | '+' | ',' | '-' | '@' => true,
            '\\' => self == Self::RawWithBackslash,
            other => other.is_alphanumeric(),
        }
    }

    fn taken(
        self,
        mut candidates: Vec<CompletionCandidate>,
        typed: &OsStr,
    ) -> Vec<CompletionCandidate> {
        let Some(typed) = typed.to_str() else {
            return Vec::new();
        };
        candidates.retain(|one| {
            one.get_value()
                .to_str()
                .is_some_and(|candidate| self.takes(candidate, typed))
        });
        candidates
    }
}

/// A command whose arguments complete names and paths, and those below it.
fn completed(command: Command, path: &str, line: Line, run: &CompletionRun) -> Command {
    let mut command = command.mut_args(|argument| {
        let run = run.clone();
        let names = names_of(path, &argument);
        let is_path = matches!(
            argument.get_value_hint(),
            ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath
        );
        match (names, is_path) {
            (Some(names), _) => argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
                line.taken(run.candidates(names, typed), typed)
            })),
            (None, true) => argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
                line.taken(
                    PathCompleter::any()
                        .current_dir(run.folder())
                        .complete(typed),
                    typed,
                )
            })),
            (None, false) => argument,
        }
    });
    let below: Vec<String> = command
        .get_subcommands()
        .map(|below| below.get_name().to_owned())
        .collect();
    for name in below {
        let path = format!("{path} {name}");
        command = command.mut_subcommand(name, |below| completed(below, &path, line, run));
    }
    command
}

fn names_of(path: &str, argument: &Arg) -> Option<Names> {
    let is_role = path.starts_with(" security role");
    Some(match argument.get_id().as_str() {
        "operation" => Names::Operations,
        "principal" | "allow_principal" | "deny_principal" => Names::Principals,
        "allow_role" | "deny_role" => Names::Bare(PrincipalType::Role),
        "role" if is_role => Names::Bare(PrincipalType::Role),
        "user" | "other_user" => Names::Bare(PrincipalType::User),
        "user_groups" | "line_groups" | "other_groups" | "add_to_group" | "remove_from_group"
        | "expect_group" => Names::Bare(PrincipalType::Group),
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

/// A run of this program for a completion script, with the policy that its command line names.
#[derive(Clone)]
struct CompletionRun {
    process: Process,
    policy: Arc<OnceLock<Option<Policy>>>,
}

impl CompletionRun {
    /// Where paths start.
    fn folder(&self) -> PathBuf {
        self.process.path(Path::new("."))
    }

    /// The entries of a list that begin like the last one; the entries before it stay.
    fn candidates(&self, names: Names, current: &OsStr) -> Vec<CompletionCandidate> {
        let Some(current) = current.to_str() else {
            return Vec::new();
        };
        let (before, last) = match current.rsplit_once(',') {
            Some((before, last)) if !before.is_empty() => (format!("{before},"), last),
            Some((_, last)) => (String::new(), last),
            None => (String::new(), current),
        };
        let mut candidates = Vec::new();
        for name in self.all(names) {
            // A quote or a comma would need the quotes of lists and those of the shell.
            if name.starts_with(last) && !name.contains([',', '"']) {
                candidates.push(CompletionCandidate::new(format!("{before}{name}")));
            }
        }
        candidates
    }

    fn all(&self, names: Names) -> BTreeSet<String> {
        match names {
            Names::Operations => Operation::ALL
                .iter()
                .map(|one| one.spelling().label.to_lowercase().replace(' ', "-"))
                .collect(),
            Names::Profiles => match Profiles::load(&self.process) {
                Ok(all) => all.profiles.into_keys().collect(),
                Err(_) => BTreeSet::new(),
            },
            Names::Properties => PROPERTIES.iter().map(|name| (*name).to_owned()).collect(),
            Names::Principals | Names::Bare(_) | Names::Resources(_) => match self.policy() {
                Some(policy) => names_in(policy, names),
                None => BTreeSet::new(),
            },
        }
    }

    /// The policy, read once: the document of `--policy` or `GBAC_POLICY`, else that of the
    /// service.
    fn policy(&self) -> Option<&Policy> {
        self.policy
            .get_or_init(|| read(&self.process).ok())
            .as_ref()
    }
}

/// The names of principals or resources that a policy has.
fn names_in(policy: &Policy, names: Names) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if let Names::Resources(kind) = names {
        found.extend(known_names(policy, kind).into_iter().map(str::to_owned));
        return found;
    }
    for principal in principals(policy) {
        match names {
            Names::Bare(kind) if kind != principal.kind() => {}
            Names::Bare(_) => drop(found.insert(principal.name().to_owned())),
            _ => drop(found.insert(principal.to_string())),
        }
    }
    found
}

/// The users, groups and roles that a policy names.
fn principals(policy: &Policy) -> Vec<Principal> {
    let mut principals: Vec<Principal> = policy.acls().map(|acl| acl.principal).collect();
    for role in policy.roles() {
        principals.push(Principal::role(&role.name));
        principals.extend(role.members);
    }
    principals.retain(|principal| !principal.is_everyone());
    principals
}

/// The word after a flag.
fn value_of(words: &[OsString], flag: &str) -> Option<OsString> {
    for pair in words.windows(2) {
        if let [word, value] = pair
            && word == flag
        {
            return Some(value.clone());
        }
    }
    None
}

fn text_of(words: &[OsString], flag: &str) -> Option<String> {
    value_of(words, flag)?.into_string().ok()
}

/// The policy that the command line names. Nothing is asked of a user who would have to type a
/// password.
fn read(process: &Process) -> Result<Policy, Failure> {
    let words = &process.arguments;
    let has_secret = ["GBAC_PASSWORD", "GBAC_TOKEN"]
        .iter()
        .any(|name| process.variable_os(name).is_some());
    let of_environment = process.variable_os("GBAC_POLICY").map(OsStr::to_owned);
    let file = value_of(words, "--policy")
        .or(of_environment)
        .filter(|name| !name.is_empty() && name != "-");
    if file.is_none() && !has_secret {
        return Err(Failure::usage("no policy"));
    }
    let source = PolicySourceArgs::for_completion(
        file.as_deref().map(Path::new),
        text_of(words, "--url"),
        text_of(words, "--profile"),
        TIMEOUT,
    );
    policy_source::load(process, &source).map(|loaded| loaded.policy)
}

//! The flags of a question, and how they are read: a user, and an operation or API request.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use gbac_analysis::check::{Check, CheckError, Query, TokenRefusal};
use gbac_analysis::requests::ResourceNames;
use gbac_engine::decide::At;
use gbac_engine::identity::Identity;
use gbac_engine::model::{
    CLUSTER_NAME, Dialect, Host, Operation, Principal, PrincipalType, ResourceType,
};
use gbac_engine::policy::Policy;
use gbac_engine::{ResolvedIdentity, Subject};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::policy_source::PolicyState;
use crate::client::{CallError, Client};
use crate::input::{self, KeyArgs, Verifier};
use crate::output::{self, Failure, plain};
use crate::process::Process;
use crate::suggest;

/// A group or user alone, in place of a user with a token or groups.
#[derive(Debug, Args)]
pub(crate) struct PrincipalArgs {
    /// One principal alone, such as Group:engineering: what every member of the group may do,
    /// whatever else applies to them.
    #[arg(long, value_name = "TYPE:NAME", conflicts_with_all = ["user", "token_file", "user_groups"])]
    pub(crate) principal: Option<String>,
}

/// The user of a question: a token, or a name with groups.
#[derive(Debug, Args)]
pub(crate) struct SubjectArgs {
    /// File with the access token to examine, `-` for standard input [env: GBAC_CHECK_TOKEN].
    #[arg(long, value_name = "FILE", conflicts_with = "user")]
    pub(crate) token_file: Option<PathBuf>,
    /// User name, instead of a token.
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Groups of --user, comma-separated and without the prefix `Group:`; quote a name that
    /// contains a comma: '"a,b"'.
    #[arg(long = "group", alias = "member-of", value_name = "GROUPS")]
    pub(crate) user_groups: Vec<String>,
    /// User-info document, if the policy's SSO mapping reads groups or the user from it.
    #[arg(long, value_name = "FILE")]
    pub(crate) userinfo: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) keys: KeyArgs,
    /// Time of the decision, which matters if the token expires: seconds since 1970, or a date and
    /// time such as 2026-01-01T00:00:00Z [default: now].
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = parse_instant)]
    pub(crate) at: Option<f64>,
}

/// The question: an operation on a resource, or an API request.
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// Operation, such as read or describe-configs.
    #[arg(long, value_name = "OPERATION", conflicts_with = "request")]
    pub(crate) operation: Option<String>,
    /// API of --request: kafka, schema_registry or http_proxy.
    #[arg(
        long,
        value_name = "API",
        requires = "request",
        default_value = "kafka"
    )]
    pub(crate) api: String,
    /// API request, such as Produce, instead of --operation; checks every permission that it needs.
    #[arg(long, value_name = "NAME")]
    pub(crate) request: Option<String>,
    #[command(flatten)]
    pub(crate) resources: ResourceArgs,
    /// IP address of the client. Without it, ACLs limited to one host do not allow, but still deny.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) host: Option<String>,
}

/// The resources of a question.
#[derive(Debug, Args)]
pub(crate) struct ResourceArgs {
    #[command(flatten)]
    named: NamedResourceArgs,
    /// Kafka consumer groups, comma-separated; these are not groups of users.
    #[arg(long, value_name = "NAMES")]
    consumer_group: Vec<String>,
}

/// The resources whose flags have the same name in every command: all but consumer groups.
#[derive(Debug, Args)]
pub(crate) struct NamedResourceArgs {
    /// Topics, comma-separated; quote a name that contains a comma: '"a,b"'.
    #[arg(long, value_name = "NAMES")]
    pub(crate) topic: Vec<String>,
    /// The cluster.
    #[arg(long)]
    pub(crate) cluster: bool,
    /// Transactional IDs, comma-separated.
    #[arg(long, value_name = "NAMES")]
    pub(crate) transactional_id: Vec<String>,
    /// Schema Registry subjects, comma-separated.
    #[arg(long, value_name = "NAMES")]
    pub(crate) registry_subject: Vec<String>,
    /// The Schema Registry as a whole.
    #[arg(long)]
    pub(crate) registry_global: bool,
}

/// Reads the value of `--at` as seconds since 1970.
fn parse_instant(text: &str) -> Result<f64, String> {
    let seconds = if text.contains(['T', 't']) {
        date_time(text)
    } else {
        text.parse().ok()
    };
    let seconds: f64 = seconds.filter(|seconds: &f64| seconds.is_finite()).ok_or_else(|| {
        "neither seconds since 1970 nor a date and time; write one such as `1767225600` or `2026-01-01T00:00:00Z`"
            .to_owned()
    })?;
    At::from_seconds(seconds)
        .map(|_| seconds)
        .map_err(|error| format!("{error}; {}", error.hint()))
}

fn date_time(text: &str) -> Option<f64> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    Some(time.unix_timestamp() as f64 + f64::from(time.nanosecond()) / 1e9)
}

/// The verifier of tokens, if the flags contain keys, and the time of the decision.
pub(crate) fn verifier(
    process: &Process,
    args: &SubjectArgs,
) -> Result<(Option<Verifier>, At), Failure> {
    let seconds = args.at.unwrap_or_else(input::now);
    let verifier = Verifier::from_args(process, &args.keys, seconds)?;
    Ok((verifier, At::seconds(seconds)))
}

/// Who signs in, by the keys of the flags and by the service whose policy is asked about.
#[derive(Clone, Copy)]
pub(crate) struct SignIn<'a> {
    verifier: Option<&'a Verifier>,
    service: Option<&'a Client>,
}

/// An identity, or why there is none because its token is refused.
pub(crate) type SignedIn = Result<ResolvedIdentity, TokenRefusal>;

impl<'a> SignIn<'a> {
    pub(crate) fn new(verifier: Option<&'a Verifier>, state: Option<&'a PolicyState>) -> Self {
        Self {
            verifier,
            service: state.map(PolicyState::client),
        }
    }

    /// Whether keys verify tokens.
    pub(crate) const fn has_keys(self) -> bool {
        self.verifier.is_some()
    }

    /// Resolves the subject of a command that answers nothing about a refused token.
    pub(crate) fn accepted(
        self,
        policy: &Policy,
        who: &Subject,
    ) -> Result<ResolvedIdentity, Failure> {
        match self.resolve(policy, who)? {
            Ok(resolved) => Ok(resolved),
            Err(TokenRefusal { code, message }) => Err(Failure::new(
                code,
                format!("the token is refused: {message}"),
            )),
        }
    }

    /// Resolves the subject of a check.
    pub(crate) fn resolve(self, policy: &Policy, who: &Subject) -> Result<SignedIn, SignInError> {
        let mut is_accepted = false;
        if let (
            Some(service),
            Subject::Token { token, .. } | Subject::UnverifiedToken { token, .. },
        ) = (self.service, who)
        {
            if let Some(refusal) = service.token_refusal(token).map_err(SignInError::Call)? {
                return Ok(Err(refusal));
            }
            is_accepted = true;
        }
        match resolve(policy, who, self.verifier) {
            Ok(mut resolved) => {
                if is_accepted {
                    resolved.identity = resolved.identity.accepted_elsewhere();
                }
                Ok(Ok(resolved))
            }
            Err(CheckError::Subject(error)) => match TokenRefusal::from_error(who, &error) {
                Some(refusal) => Ok(Err(refusal)),
                None => Err(SignInError::Check(error.into())),
            },
            Err(error) => Err(SignInError::Check(error)),
        }
    }
}

/// Why it is not known who signs in.
pub(crate) enum SignInError {
    Check(CheckError),
    Call(CallError),
}

impl From<SignInError> for Failure {
    fn from(error: SignInError) -> Self {
        match error {
            SignInError::Check(error) => error.into(),
            SignInError::Call(error) => error.into(),
        }
    }
}

impl From<CheckError> for Failure {
    /// A check that cannot be evaluated. An unknown API request is an invalid flag value.
    fn from(error: CheckError) -> Self {
        let CheckError::Request(error) = &error else {
            return Self::new(error.code(), error.to_string());
        };
        let mut faults = Vec::new();
        for fault in error.faults() {
            faults.push(format!("{fault}; {}", fault.hint()));
        }
        Self::usage(format!("--api, --request: {}", faults.join("; ")))
    }
}

/// The check of the flags about a subject.
pub(crate) fn check_by(who: Subject, query: &QueryArgs) -> Result<Check, Failure> {
    let host = parse_host(query.host.as_deref())?;
    Ok(Check {
        id: None,
        subject: who,
        query: parse_query(query)?,
        host,
        at: None,
    })
}

/// The check of the flags for a user; `None` without its flags.
pub(crate) fn optional_check(who: &Subject, query: &QueryArgs) -> Result<Option<Check>, Failure> {
    if query.operation.is_some() || query.request.is_some() {
        return Ok(Some(check_by(who.clone(), query)?));
    }
    if query.host.is_some()
        || !Resources::from(&query.resources)
            .possibly_empty()?
            .is_empty()
    {
        return Err(Failure::usage(
            "a resource or --host was given without an operation; pass --operation or --request",
        ));
    }
    Ok(None)
}

/// Resolves an identity; with a verifier, its token is verified first.
pub(crate) fn resolve(
    policy: &Policy,
    who: &Subject,
    verifier: Option<&Verifier>,
) -> Result<ResolvedIdentity, CheckError> {
    let resolved = match verifier {
        Some(verifier) => gbac_engine::resolve(policy, who, Some(&|token| verifier.verify(token)))?,
        None => gbac_engine::resolve(policy, who, None)?,
    };
    Ok(resolved)
}

/// The user of the flags, not resolved yet.
pub(crate) fn subject(
    process: &Process,
    args: &SubjectArgs,
    verified: bool,
) -> Result<Subject, Failure> {
    if let Some(user) = &args.user {
        return by_name(process, "--", user, &args.user_groups);
    }
    by_token(
        process,
        args.token_file.as_deref(),
        args.userinfo.as_deref(),
        verified,
    )
}

/// The principal alone, or the user of the flags.
pub(crate) fn subject_or_principal(
    process: &Process,
    principal: &PrincipalArgs,
    args: &SubjectArgs,
    verified: bool,
) -> Result<Subject, Failure> {
    match &principal.principal {
        Some(text) => alone(&parse_principal(text)?),
        None => subject(process, args, verified),
    }
}

/// Parses the value of `--principal`.
pub(crate) fn parse_principal(text: &str) -> Result<Principal, Failure> {
    Principal::parse(text)
        .map_err(|error| Failure::usage(format!("--principal: {error}; {}", error.hint())))
}

/// A principal as a subject. A group is one without a user: only its ACLs, those of its roles and
/// those of everyone apply.
fn alone(principal: &Principal) -> Result<Subject, Failure> {
    let name = plain(&principal.to_string());
    match principal.kind() {
        _ if principal.is_everyone() => Err(Failure::usage(format!(
            "--principal: `{name}` is everyone and no single user; `gbac permissions --principal '{name}'` lists what everyone \
             may do, and `gbac security acl list --allow-principal '{name}'` the ACLs"
        ))),
        PrincipalType::Group => Ok(Subject::Names {
            user: String::new(),
            groups: vec![principal.name().to_owned()],
        }),
        PrincipalType::Role => Err(Failure::usage(format!(
            "--principal: nobody signs in as a role; ask about one of its members, `Group:NAME` or `User:NAME`; \
             `gbac permissions --principal {name}` lists what the role may do, and `gbac security acl list` and `delete` with \
             --allow-role its ACLs"
        ))),
        PrincipalType::User | PrincipalType::Other => Ok(Subject::Principal {
            principal: principal.clone(),
            groups: Vec::new(),
        }),
    }
}

/// The group, if an identity is a group alone. No user has an empty name.
pub(crate) fn group_alone(identity: &Identity) -> Option<Principal> {
    match identity.groups() {
        [group] if identity.user().is_empty() => Some(Principal::group(group)),
        _ => None,
    }
}

/// The principal that a question is about: the user, or the group alone.
pub(crate) fn principal_of(identity: &Identity) -> Principal {
    group_alone(identity).unwrap_or_else(|| identity.principal())
}

/// A user by name; `prefix` is the prefix of the flags.
pub(crate) fn by_name(
    process: &Process,
    prefix: &str,
    user: &str,
    groups: &[String],
) -> Result<Subject, Failure> {
    check_bare(&format!("{prefix}user"), user, PrincipalType::User)?;
    // A user can have such a name, but hardly ever does.
    if let Some(kind @ ("group" | "role")) = typed(user) {
        let user = plain(user);
        output::note(
            process,
            &format!(
                "note: this is about a user named `{user}`; `gbac permissions --principal {user}` is about the {kind}"
            ),
        );
    }
    Ok(Subject::Names {
        user: user.to_owned(),
        groups: group_names(&format!("{prefix}group"), groups)?,
    })
}

/// The type that a group or role has in front of its name.
fn typed(name: &str) -> Option<&'static str> {
    match Principal::parse(name).ok()?.kind() {
        PrincipalType::Group => Some("group"),
        PrincipalType::Role => Some("role"),
        PrincipalType::User | PrincipalType::Other => None,
    }
}

/// The bare names of groups in a list.
pub(crate) fn group_names(flag: &str, values: &[String]) -> Result<Vec<String>, Failure> {
    let names = input::bare_names(flag, values)?;
    for name in &names {
        check_bare(flag, name, PrincipalType::Group)?;
    }
    Ok(names)
}

/// The user of a token.
pub(crate) fn by_token(
    process: &Process,
    file: Option<&Path>,
    userinfo: Option<&Path>,
    verified: bool,
) -> Result<Subject, Failure> {
    let token = input::token(process, file)?;
    let userinfo = input::optional_object(process, userinfo)?;
    Ok(if verified {
        Subject::Token { token, userinfo }
    } else {
        Subject::UnverifiedToken { token, userinfo }
    })
}

/// Refuses a name with a type: `Group:eng` here would be the group `Group:Group:eng`.
fn check_bare(flag: &str, name: &str, kind: PrincipalType) -> Result<(), Failure> {
    if name.is_empty() {
        return Err(Failure::usage(format!(
            "{flag}: the name is empty; write the name"
        )));
    }
    kind.check_bare(name)
        .map_err(|error| Failure::usage(format!("{flag}: {error}; {}", error.hint())))
}

/// Parses the value of `--host`.
pub(crate) fn parse_host(text: Option<&str>) -> Result<Option<IpAddr>, Failure> {
    let Some(text) = text else { return Ok(None) };
    match Host::parse_address(text) {
        Ok(host) => Ok(Some(host)),
        Err(error) => Err(Failure::usage(format!("--host: {error}; {}", error.hint()))),
    }
}

/// Parses an operation.
pub(crate) fn parse_operation(text: &str) -> Result<Operation, Failure> {
    if let Ok(operation) = text.parse() {
        return Ok(operation);
    }
    let mut all = Vec::new();
    for operation in Dialect::Platform.operations() {
        // Written as in help; both spellings are read.
        all.push(operation.spelling().audit.replace('_', "-"));
    }
    Err(Failure::usage(format!(
        "--operation: `{text}` is not an operation; one of {}{}",
        all.join(", "),
        suggest::hint(text, all.iter().map(String::as_str))
    )))
}

fn parse_query(args: &QueryArgs) -> Result<Query, Failure> {
    let resources = Resources::from(&args.resources);
    if let Some(name) = &args.request {
        return Ok(Query::Api {
            api: args.api.clone(),
            name: name.clone(),
            resources: resources.by_word()?,
        });
    }
    let Some(operation) = &args.operation else {
        return Err(Failure::usage(
            "no operation given; pass --operation and a resource, or --request",
        ));
    };
    let operation = parse_operation(operation)?;
    let (resource_type, resource_name) = resources.single()?;
    Ok(Query::Access {
        operation,
        resource_type,
        resource_name,
    })
}

/// The resources of the flags; the flag of consumer groups depends on the command.
#[derive(Clone, Copy)]
pub(crate) struct Resources<'a> {
    pub(crate) named: &'a NamedResourceArgs,
    pub(crate) consumer_groups: &'a [String],
    pub(crate) consumer_group_flag: &'static str,
}

impl<'a> From<&'a ResourceArgs> for Resources<'a> {
    fn from(args: &'a ResourceArgs) -> Self {
        Self {
            named: &args.named,
            consumer_groups: &args.consumer_group,
            consumer_group_flag: "--consumer-group",
        }
    }
}

/// The names of one type of resources.
struct NameList<'a> {
    kind: ResourceType,
    /// The type in an API request.
    word: &'static str,
    flag: &'static str,
    values: &'a [String],
}

impl<'a> Resources<'a> {
    fn lists(self) -> [NameList<'a>; 4] {
        [
            NameList {
                kind: ResourceType::Topic,
                word: "topic",
                flag: "--topic",
                values: &self.named.topic,
            },
            NameList {
                kind: ResourceType::Group,
                word: "group",
                flag: self.consumer_group_flag,
                values: self.consumer_groups,
            },
            NameList {
                kind: ResourceType::TransactionalId,
                word: "transactional_id",
                flag: "--transactional-id",
                values: &self.named.transactional_id,
            },
            NameList {
                kind: ResourceType::Subject,
                word: "subject",
                flag: "--registry-subject",
                values: &self.named.registry_subject,
            },
        ]
    }

    /// All resources.
    pub(crate) fn all(self) -> Result<Vec<(ResourceType, String)>, Failure> {
        let mut all = Vec::new();
        for list in self.lists() {
            for name in input::entries(list.flag, list.values)? {
                all.push((list.kind, name));
            }
        }
        all.extend(self.unnamed());
        Ok(all)
    }

    /// The cluster and the registry as a whole, if the flags name them.
    fn unnamed(self) -> Vec<(ResourceType, String)> {
        let mut unnamed = Vec::new();
        if self.named.cluster {
            unnamed.push((ResourceType::Cluster, CLUSTER_NAME.into()));
        }
        if self.named.registry_global {
            unnamed.push((ResourceType::Registry, String::new()));
        }
        unnamed
    }

    /// All resources; a single name may be empty, like in a check.
    fn possibly_empty(self) -> Result<Vec<(ResourceType, String)>, Failure> {
        let mut values = Vec::new();
        for list in self.lists() {
            for value in list.values {
                values.push((list.kind, value.clone()));
            }
        }
        match values.as_slice() {
            [(_, name)] if name.is_empty() => {
                values.extend(self.unnamed());
                Ok(values)
            }
            _ => self.all(),
        }
    }

    /// The only resource.
    pub(crate) fn single(self) -> Result<(ResourceType, String), Failure> {
        let mut named = self.possibly_empty()?;
        match (named.pop(), named.is_empty()) {
            (Some(resource), true) => Ok(resource),
            (None, _) => Err(Failure::usage(format!(
                "no resource given; pass --topic, {}, --cluster, --transactional-id, --registry-subject or --registry-global",
                self.consumer_group_flag
            ))),
            (Some(_), false) => Err(Failure::usage(
                "more than one resource given; for several use `gbac check --checks`, and quote a name that contains a comma",
            )),
        }
    }

    /// The names for an API request, which has no unnamed resources.
    fn by_word(self) -> Result<ResourceNames, Failure> {
        let mut names = ResourceNames::default();
        for list in self.lists() {
            let entries = input::entries(list.flag, list.values)?;
            if !entries.is_empty() {
                names.insert(list.word, entries);
            }
        }
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates_are_read() {
        for (text, seconds) in [
            ("0", 0.0),
            ("1767225600", 1_767_225_600.0),
            ("1767225600.5", 1_767_225_600.5),
            ("2026-01-01T00:00:00Z", 1_767_225_600.0),
            ("2026-01-01t01:30:00.25+01:30", 1_767_225_600.25),
            ("2025-12-31T19:00:00-05:00", 1_767_225_600.0),
            ("2024-02-29T00:00:00Z", 1_709_164_800.0),
            ("1969-12-31T23:59:59Z", -1.0),
        ] {
            assert_eq!(parse_instant(text).unwrap(), seconds, "{text}");
        }
        for bad in [
            "",
            "soon",
            "nan",
            "inf",
            "1e400",
            "1767225600000",
            "2026-01-01",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:00",
            "2026-1-1T00:00:00Z",
            "2026-01-01T00:00Z",
            "2026-01-01T00:00:00+0100",
            "é-T",
            "T",
            "2026-01-01T00:00:00.xZ",
        ] {
            assert!(parse_instant(bad).is_err(), "{bad}");
        }
    }
}

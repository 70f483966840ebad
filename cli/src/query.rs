//! The query of the flags: a user, and an operation or API request.

use gbac_analysis::check::{Answer, Check, CheckError, Query, TokenRefusal};
use gbac_analysis::requests::ResourceNames;
use gbac_engine::decide::{At, Request};
use gbac_engine::identity::Identity;
use gbac_engine::model::{
    CLUSTER_NAME, Dialect, Host, Operation, Principal, PrincipalType, ResourceType,
};
use gbac_engine::policy::Policy;
use gbac_engine::{ResolvedIdentity, Subject};
use std::net::IpAddr;
use std::path::Path;

use crate::args::simulate::OtherSubjectArgs;
use crate::args::{
    CheckArgs, NamedResourceArgs, PolicyQueryArgs, PrincipalArgs, QueryArgs, ResourceArgs,
    SubjectArgs,
};
use crate::client::{CallError, Client};
use crate::input::{self, Verifier};
use crate::lists;
use crate::output::{self, Failure, plain};
use crate::policy_source::{self, LoadedPolicy, PolicyState};
use crate::process::Process;
use crate::suggest;

/// The resources of the flags; the flag of consumer groups depends on the command.
#[derive(Clone, Copy)]
pub(crate) struct Resources<'a> {
    named: &'a NamedResourceArgs,
    consumer_groups: &'a [String],
    consumer_group_flag: &'static str,
}

impl<'a> From<&'a ResourceArgs> for Resources<'a> {
    fn from(args: &'a ResourceArgs) -> Self {
        Self {
            named: &args.named,
            consumer_groups: &args.group,
            consumer_group_flag: "--group",
        }
    }
}

impl<'a> From<&'a QueryArgs> for Resources<'a> {
    fn from(args: &'a QueryArgs) -> Self {
        Self {
            named: &args.resources,
            consumer_groups: &args.consumer_group,
            consumer_group_flag: "--consumer-group",
        }
    }
}

/// One operation on one resource, from a host.
pub(crate) struct AccessQuery {
    operation: Operation,
    resource_type: ResourceType,
    name: String,
    host: Option<IpAddr>,
}

impl AccessQuery {
    /// Parses the flags of an operation, a resource and a host.
    pub(crate) fn from_args(
        operation: &str,
        resources: &ResourceArgs,
        from: Option<&str>,
    ) -> Result<Self, Failure> {
        let (operation, host) = (parse_operation(operation)?, parse_host(from)?);
        let (resource_type, name) = single_resource(resources.into())?;
        Ok(Self {
            operation,
            resource_type,
            name,
            host,
        })
    }

    /// The request to the engine.
    pub(crate) fn request(&self) -> Request<'_> {
        Request::new(
            self.operation,
            self.resource_type,
            &self.name,
            At::IgnoringExpiry,
        )
        .with_host(self.host)
    }
}

/// The verifier of tokens, if the flags contain keys, and the time of the decision.
pub(crate) fn verifier(
    process: &Process,
    args: &SubjectArgs,
) -> Result<(Option<Verifier>, At), Failure> {
    let seconds = args.at.unwrap_or_else(input::now);
    Ok((
        Verifier::from_args(process, &args.keys, seconds)?,
        At::seconds(seconds),
    ))
}

/// The check that the flags describe; `verified` if keys verify its token.
pub(crate) fn unresolved_check(
    process: &Process,
    args: &CheckArgs,
    verified: bool,
) -> Result<Check, Failure> {
    check_by(
        subject_or_principal(process, &args.principal, &args.subject, verified)?,
        &args.query,
    )
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

    /// Resolves the subject of a command that answers nothing about a refused token.
    pub(crate) fn accepted(
        self,
        policy: &Policy,
        who: &Subject,
    ) -> Result<ResolvedIdentity, Failure> {
        let refused = |refusal: TokenRefusal| {
            Failure::new(
                refusal.code,
                format!("the token is refused: {}", refusal.message),
            )
        };
        self.resolve(policy, who)?.map_err(refused)
    }

    /// Resolves the subject of a check.
    pub(crate) fn resolve(self, policy: &Policy, who: &Subject) -> Result<SignedIn, SignInError> {
        if let (
            Some(service),
            Subject::Token { token, .. } | Subject::UnverifiedToken { token, .. },
        ) = (self.service, who)
            && let Some(refusal) = service.token_refusal(token).map_err(SignInError::Call)?
        {
            return Ok(Err(refusal));
        }
        match resolve(policy, who, self.verifier) {
            Ok(resolved) => Ok(Ok(resolved)),
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
            SignInError::Check(error) => failure(&error),
            SignInError::Call(error) => error.into(),
        }
    }
}

/// A query about a policy document, with its result.
pub(crate) struct EvaluatedQuery {
    pub(crate) policy: Policy,
    pub(crate) state: Option<PolicyState>,
    pub(crate) opened: ResolvedIdentity,
    check: Check,
    answer: Answer,
    at: At,
}

impl EvaluatedQuery {
    /// Reads the inputs of the flags, and evaluates the query.
    pub(crate) fn evaluate(process: &Process, args: &PolicyQueryArgs) -> Result<Self, Failure> {
        let LoadedPolicy { policy, state } = policy_source::load(process, &args.policy)?;
        let (verifier, at) = verifier(process, &args.subject)?;
        let check = check_by(
            subject_or_principal(process, &args.principal, &args.subject, verifier.is_some())?,
            &args.query,
        )?;
        let opened =
            SignIn::new(verifier.as_ref(), state.as_ref()).accepted(&policy, &check.subject)?;
        let answer = gbac_analysis::check::evaluate(&policy, &opened.identity, &check, at)
            .map_err(|error| failure(&error))?;
        Ok(Self {
            policy,
            state,
            opened,
            check,
            answer,
            at,
        })
    }

    /// The access requests of the check: one, or all that an API request requires.
    pub(crate) fn requests<'a>(&'a self) -> Result<Vec<Request<'a>>, Failure> {
        let now = self.at;
        match (&self.check.query, &self.answer) {
            (Query::Access { .. }, _) => Ok(self.check.access(now).into_iter().collect()),
            (Query::Api { .. }, Answer::Api { requires, .. }) if requires.has_choice() => {
                Err(Failure::usage(
                    "--request: any one of several permissions allows this request; name one with --operation and a resource",
                ))
            }
            (Query::Api { .. }, Answer::Api { decisions, .. }) => {
                let ask = |(check, _): &'a (gbac_analysis::requests::RequiredCheck, _)| {
                    self.check.request(
                        check.operation,
                        check.resource_type,
                        &check.resource_name,
                        now,
                    )
                };
                Ok(decisions.iter().map(ask).collect())
            }
            (Query::Api { .. }, Answer::Access(_)) => Ok(Vec::new()),
        }
    }
}

fn check_by(who: Subject, query: &QueryArgs) -> Result<Check, Failure> {
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
    let has_query = query.operation.is_some() || query.request.is_some();
    if !has_query && (query.host.is_some() || !named_resources(query.into())?.is_empty()) {
        return Err(Failure::usage(
            "a resource or --host was given without an operation; pass --operation or --request",
        ));
    }
    has_query.then(|| check_by(who.clone(), query)).transpose()
}

/// Resolves an identity; with a verifier, its token is verified first.
pub(crate) fn resolve(
    policy: &Policy,
    who: &Subject,
    verifier: Option<&Verifier>,
) -> Result<ResolvedIdentity, CheckError> {
    match verifier {
        Some(verifier) => Ok(gbac_engine::resolve(
            policy,
            who,
            Some(&|token| verifier.verify(token)),
        )?),
        None => Ok(gbac_engine::resolve(policy, who, None)?),
    }
}

/// A check that cannot be evaluated. An unknown API request is an invalid flag value.
pub(crate) fn failure(error: &CheckError) -> Failure {
    match error {
        CheckError::Request(error) => {
            let faults = error
                .faults()
                .iter()
                .map(|fault| format!("{fault}; {}", fault.hint()));
            Failure::usage(format!(
                "--api, --request: {}",
                faults.collect::<Vec<_>>().join("; ")
            ))
        }
        error => Failure::new(error.code(), error.to_string()),
    }
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
fn subject_or_principal(
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

/// The other user of the flags.
pub(crate) fn other_subject(
    process: &Process,
    args: &OtherSubjectArgs,
    verified: bool,
) -> Result<Subject, Failure> {
    match &args.other_user {
        Some(user) => by_name(process, "--other-", user, &args.other_groups),
        None => by_token(
            process,
            args.other_token_file.as_deref(),
            args.other_userinfo.as_deref(),
            verified,
        ),
    }
}

/// A user by name; `prefix` is the prefix of the flags.
fn by_name(
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
    let names = lists::bare_names(flag, values)?;
    names
        .iter()
        .try_for_each(|group| check_bare(flag, group, PrincipalType::Group))?;
    Ok(names)
}

fn by_token(
    process: &Process,
    file: Option<&Path>,
    userinfo: Option<&Path>,
    verified: bool,
) -> Result<Subject, Failure> {
    let token = input::token(process, file)?;
    let userinfo = userinfo
        .map(|path| input::object(process, path))
        .transpose()?;
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

fn parse_host(text: Option<&str>) -> Result<Option<IpAddr>, Failure> {
    let host = text.map(Host::parse_address).transpose();
    host.map_err(|error| Failure::usage(format!("--host: {error}; {}", error.hint())))
}

/// Parses an operation.
pub(crate) fn parse_operation(text: &str) -> Result<Operation, Failure> {
    text.parse::<Operation>().ok().ok_or_else(|| {
        // Written as in help; both spellings are read.
        let name = |operation: &Operation| operation.spelling().audit.replace('_', "-");
        let all: Vec<String> = Dialect::Platform.operations().iter().map(name).collect();
        Failure::usage(format!(
            "--operation: `{text}` is not an operation; one of {}{}",
            all.join(", "),
            suggest::hint(text, all.iter().map(String::as_str))
        ))
    })
}

fn parse_query(args: &QueryArgs) -> Result<Query, Failure> {
    if let Some(name) = &args.request {
        return Ok(Query::Api {
            api: args.api.clone(),
            name: name.clone(),
            resources: resource_lists(args.into())?,
        });
    }
    let Some(operation) = &args.operation else {
        return Err(Failure::usage(
            "no operation given; pass --operation and a resource, or --request",
        ));
    };
    let operation = parse_operation(operation)?;
    let (resource_type, resource_name) = single_resource(args.into())?;
    Ok(Query::Access {
        operation,
        resource_type,
        resource_name,
    })
}

/// The only resource of the flags.
fn single_resource(args: Resources<'_>) -> Result<(ResourceType, String), Failure> {
    let mut named = named_resources(args)?;
    match (named.pop(), named.is_empty()) {
        (Some(resource), true) => Ok(resource),
        (None, _) => Err(Failure::usage(format!(
            "no resource given; pass --topic, {}, --cluster, --transactional-id, --registry-subject or --registry-global",
            args.consumer_group_flag
        ))),
        (Some(_), false) => Err(Failure::usage(
            "more than one resource given; for several use `gbac check --requests`, and quote a name that contains a comma",
        )),
    }
}

/// The resources of the query. Names may be empty here, like in a check.
fn named_resources(args: Resources<'_>) -> Result<Vec<(ResourceType, String)>, Failure> {
    if let [name] = [
        &args.named.topic,
        args.consumer_groups,
        &args.named.transactional_id,
        &args.named.registry_subject,
    ]
    .concat()
    .as_slice()
        && name.is_empty()
    {
        let kinds = [
            (ResourceType::Topic, args.named.topic.as_slice()),
            (ResourceType::Group, args.consumer_groups),
            (ResourceType::TransactionalId, &args.named.transactional_id),
            (ResourceType::Subject, &args.named.registry_subject),
        ];
        let kind = kinds
            .into_iter()
            .find(|(_, names)| !names.is_empty())
            .map(|(kind, _)| (kind, String::new()));
        return Ok(kind
            .into_iter()
            .chain(unnamed_resources(args.named))
            .collect());
    }
    all_resources(args)
}

/// The cluster and the registry as a whole, if the flags name them.
fn unnamed_resources(args: &NamedResourceArgs) -> impl Iterator<Item = (ResourceType, String)> {
    let cluster = args
        .cluster
        .then(|| (ResourceType::Cluster, CLUSTER_NAME.into()));
    cluster.into_iter().chain(
        args.registry_global
            .then(|| (ResourceType::Registry, String::new())),
    )
}

/// A resource type, its name in an API request, and the names of its resources.
type NamesOfType = (ResourceType, &'static str, Vec<String>);

fn names_by_type(args: Resources<'_>) -> Result<[NamesOfType; 4], Failure> {
    let entries = |flag: &str, names: &[String]| lists::entries(flag, names);
    Ok([
        (
            ResourceType::Topic,
            "topic",
            entries("--topic", &args.named.topic)?,
        ),
        (
            ResourceType::Group,
            "group",
            entries(args.consumer_group_flag, args.consumer_groups)?,
        ),
        (
            ResourceType::TransactionalId,
            "transactional_id",
            entries("--transactional-id", &args.named.transactional_id)?,
        ),
        (
            ResourceType::Subject,
            "subject",
            entries("--registry-subject", &args.named.registry_subject)?,
        ),
    ])
}

/// The resources of the flags.
pub(crate) fn resources(args: &ResourceArgs) -> Result<Vec<(ResourceType, String)>, Failure> {
    all_resources(args.into())
}

fn all_resources(args: Resources<'_>) -> Result<Vec<(ResourceType, String)>, Failure> {
    let lists = names_by_type(args)?.into_iter();
    let named = lists.flat_map(|(kind, _, names)| names.into_iter().map(move |name| (kind, name)));
    Ok(named.chain(unnamed_resources(args.named)).collect())
}

fn resource_lists(args: Resources<'_>) -> Result<ResourceNames, Failure> {
    let lists = names_by_type(args)?
        .into_iter()
        .filter(|(.., names)| !names.is_empty());
    Ok(lists
        .map(|(_, kind, names)| (kind.to_owned(), names))
        .collect())
}

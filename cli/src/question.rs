//! What the flags ask: who, and what of the policy.

use gbac_analysis::check::{Answer, Check, CheckError, Query};
use gbac_analysis::requests::ResourceNames;
use gbac_engine::decide::{At, Request};
use gbac_engine::model::{CLUSTER_NAME, Host, Operation, PrincipalType, ResourceType};
use gbac_engine::policy::Policy;
use gbac_engine::{ResolvedIdentity, Subject as Who};
use std::net::IpAddr;
use std::path::Path;

use crate::args::simulate::OtherArgs;
use crate::args::{AskArgs, QuestionArgs, ResourceArgs, WhoArgs};
use crate::input::{self, Verifier};
use crate::lists;
use crate::output::Failure;

/// One operation on one resource, from a host.
pub(crate) struct Access {
    operation: Operation,
    resource_type: ResourceType,
    name: String,
    host: Option<IpAddr>,
}

impl Access {
    /// Reads the flags of an operation, a resource and a host.
    pub(crate) fn of(operation: &str, resources: &ResourceArgs, from: Option<&str>) -> Result<Self, Failure> {
        let (operation, host) = (operation_of(operation)?, host(from)?);
        let (resource_type, name) = one(resources)?;
        Ok(Self { operation, resource_type, name, host })
    }

    /// As the engine is asked.
    pub(crate) fn request(&self) -> Request<'_> {
        Request::new(self.operation, self.resource_type, &self.name, At::IgnoringExpiry).with_host(self.host)
    }
}

/// Opens whom the flags name.
pub(crate) fn person(who: &WhoArgs, policy: &Policy, verifier: Option<&Verifier>) -> Result<ResolvedIdentity, Failure> {
    open(policy, &who_of(who, verifier.is_some())?, verifier).map_err(|error| refused(&error))
}

/// The check that the flags ask, and its identity.
pub(crate) fn ask(
    who: &WhoArgs,
    question: &QuestionArgs,
    policy: &Policy,
    verifier: Option<&Verifier>,
) -> Result<(Check, ResolvedIdentity), Failure> {
    let check = check_of(who_of(who, verifier.is_some())?, question)?;
    let opened = open(policy, &check.subject, verifier).map_err(|error| refused(&error))?;
    Ok((check, opened))
}

/// A question about a policy document, with its answer.
pub(crate) struct Answered {
    pub(crate) policy: Policy,
    pub(crate) opened: ResolvedIdentity,
    check: Check,
    answer: Answer,
    at: At,
}

impl Answered {
    /// Reads what the flags name, and answers.
    pub(crate) fn to(args: &AskArgs) -> Result<Self, Failure> {
        let policy = input::policy(&args.policy)?;
        let seconds = args.who.seconds();
        let (verifier, at) = (Verifier::of(&args.who.keys, seconds)?, At::seconds(seconds));
        let (check, opened) = ask(&args.who, &args.question, &policy, verifier.as_ref())?;
        let answer =
            gbac_analysis::check::evaluate(&policy, &opened.identity, &check, at).map_err(|error| refused(&error))?;
        Ok(Self { policy, opened, check, answer, at })
    }

    /// The questions of the check: one, or those that a request needs, all of them.
    pub(crate) fn requests<'a>(&'a self) -> Result<Vec<Request<'a>>, Failure> {
        let now = self.at;
        match (&self.check.query, &self.answer) {
            (Query::Access { .. }, _) => Ok(self.check.access(now).into_iter().collect()),
            (Query::Api { .. }, Answer::Api { need, .. }) if need.has_choice() => Err(Failure::usage(
                "--request: one of several permissions is enough for it; ask about one with --operation and a resource",
            )),
            (Query::Api { .. }, Answer::Api { decisions, .. }) => {
                let ask = |(check, _): &'a (gbac_analysis::requests::RequiredCheck, _)| {
                    self.check.request(check.operation, check.resource_type, &check.resource_name, now)
                };
                Ok(decisions.iter().map(ask).collect())
            }
            (Query::Api { .. }, Answer::Access(_)) => Ok(Vec::new()),
        }
    }
}

/// The check that the flags ask of somebody.
fn check_of(who: Who, question: &QuestionArgs) -> Result<Check, Failure> {
    let host = host(question.host.as_deref())?;
    Ok(Check { id: None, subject: who, query: question_of(question)?, host, at: None })
}

/// The check that the flags ask of somebody, where they ask anything.
pub(crate) fn asked(who: &Who, question: &QuestionArgs) -> Result<Option<Check>, Failure> {
    let asks = question.operation.is_some() || question.request.is_some();
    if !asks && (question.host.is_some() || !named(&question.resources)?.is_empty()) {
        return Err(Failure::usage("say what is asked of it as well: --operation, or --request"));
    }
    asks.then(|| check_of(who.clone(), question)).transpose()
}

/// Opens an identity; with a verifier its token is verified first.
pub(crate) fn open(policy: &Policy, who: &Who, verifier: Option<&Verifier>) -> Result<ResolvedIdentity, CheckError> {
    match verifier {
        Some(verifier) => Ok(gbac_engine::resolve(policy, who, Some(&|token| verifier.verify(token)))?),
        None => Ok(gbac_engine::resolve(policy, who, None)?),
    }
}

/// A check that cannot be answered. That there is no such request is a fault of the flags.
pub(crate) fn refused(error: &CheckError) -> Failure {
    match error {
        CheckError::Request(error) => {
            let faults = error.faults().iter().map(|fault| format!("{fault}; {}", fault.hint()));
            Failure::usage(format!("--api, --request: {}", faults.collect::<Vec<_>>().join("; ")))
        }
        error => Failure::new(error.code(), error.to_string()),
    }
}

/// Whom the flags name, not opened yet.
pub(crate) fn who_of(args: &WhoArgs, verified: bool) -> Result<Who, Failure> {
    if let Some(user) = &args.user {
        return names("--", user, &args.member_of);
    }
    token(args.token_file.as_deref(), args.userinfo.as_deref(), verified)
}

/// Whom the flags of the other person name.
pub(crate) fn other_of(args: &OtherArgs, verified: bool) -> Result<Who, Failure> {
    match &args.other_user {
        Some(user) => names("--other-", user, &args.other_member_of),
        None => token(args.other_token_file.as_deref(), args.other_userinfo.as_deref(), verified),
    }
}

/// Somebody by name; `flags` is what the flags begin with.
fn names(flags: &str, user: &str, groups: &[String]) -> Result<Who, Failure> {
    bare(&format!("{flags}user"), user, PrincipalType::User)?;
    Ok(Who::Names { user: user.to_owned(), groups: group_names(&format!("{flags}member-of"), groups)? })
}

/// The bare names of groups in a list.
pub(crate) fn group_names(flag: &str, values: &[String]) -> Result<Vec<String>, Failure> {
    let names = lists::bare_names(flag, values)?;
    names.iter().try_for_each(|group| bare(flag, group, PrincipalType::Group))?;
    Ok(names)
}

fn token(file: Option<&Path>, userinfo: Option<&Path>, verified: bool) -> Result<Who, Failure> {
    let token = input::token(file)?;
    let userinfo = userinfo.map(input::object).transpose()?;
    Ok(if verified { Who::Token { token, userinfo } } else { Who::UnverifiedToken { token, userinfo } })
}

/// A name without its type: `Group:eng` here would be the group `Group:Group:eng`.
fn bare(flag: &str, name: &str, kind: PrincipalType) -> Result<(), Failure> {
    if name.is_empty() {
        return Err(Failure::usage(format!("{flag}: the name is empty; write the name")));
    }
    kind.check_bare(name).map_err(|error| Failure::usage(format!("{flag}: {error}; {}", error.hint())))
}

fn host(text: Option<&str>) -> Result<Option<IpAddr>, Failure> {
    let host = text.map(Host::parse_address).transpose();
    host.map_err(|error| Failure::usage(format!("--host: {error}; {}", error.hint())))
}

fn operation_of(text: &str) -> Result<Operation, Failure> {
    text.parse::<Operation>().ok().ok_or_else(|| {
        let all: Vec<&str> = Operation::ALL.iter().map(|operation| operation.spelling().cli).collect();
        Failure::usage(format!("--operation: `{text}` is not an operation; one of {}", all.join(", ")))
    })
}

fn question_of(args: &QuestionArgs) -> Result<Query, Failure> {
    if let Some(name) = &args.request {
        return Ok(Query::Api { api: args.api.clone(), name: name.clone(), resources: kinds(&args.resources)? });
    }
    let Some(operation) = &args.operation else {
        return Err(Failure::usage("no question given; pass --operation and a resource, or --request"));
    };
    let operation = operation_of(operation)?;
    let (resource_type, resource_name) = one(&args.resources)?;
    Ok(Query::Access { operation, resource_type, resource_name })
}

/// The one resource that the flags name.
fn one(args: &ResourceArgs) -> Result<(ResourceType, String), Failure> {
    let mut named = named(args)?;
    match (named.pop(), named.is_empty()) {
        (Some(resource), true) => Ok(resource),
        (None, _) => Err(Failure::usage(
            "name the resource: --topic, --group, --cluster, --transactional-id, --registry-subject or --registry-global",
        )),
        (Some(_), false) => Err(Failure::usage(
            "one resource at a time; for several use `gbac check --requests`, and quote a name that contains a comma",
        )),
    }
}

/// The resources that are asked about. A name may be empty here, as in a check.
fn named(args: &ResourceArgs) -> Result<Vec<(ResourceType, String)>, Failure> {
    if let [name] = [&args.topic, &args.group, &args.transactional_id, &args.registry_subject]
        .map(Vec::as_slice)
        .concat()
        .as_slice()
        && name.is_empty()
    {
        let kinds = [
            (ResourceType::Topic, &args.topic),
            (ResourceType::Group, &args.group),
            (ResourceType::TransactionalId, &args.transactional_id),
            (ResourceType::Subject, &args.registry_subject),
        ];
        let kind = kinds.into_iter().find(|(_, names)| !names.is_empty()).map(|(kind, _)| (kind, String::new()));
        return Ok(kind.into_iter().chain(single(args)).collect());
    }
    resources(args)
}

/// The cluster and the registry as a whole, where they are named.
fn single(args: &ResourceArgs) -> impl Iterator<Item = (ResourceType, String)> {
    let cluster = args.cluster.then(|| (ResourceType::Cluster, CLUSTER_NAME.into()));
    cluster.into_iter().chain(args.registry_global.then(|| (ResourceType::Registry, String::new())))
}

/// The names of one kind of resource, and the kind's name in a request.
type Names = (ResourceType, &'static str, Vec<String>);

fn lists_of(args: &ResourceArgs) -> Result<[Names; 4], Failure> {
    let entries = |flag: &str, names: &[String]| lists::entries(flag, names);
    Ok([
        (ResourceType::Topic, "topic", entries("--topic", &args.topic)?),
        (ResourceType::Group, "group", entries("--group", &args.group)?),
        (ResourceType::TransactionalId, "transactional_id", entries("--transactional-id", &args.transactional_id)?),
        (ResourceType::Subject, "subject", entries("--registry-subject", &args.registry_subject)?),
    ])
}

/// The resources that the flags name, each list taken apart.
pub(crate) fn resources(args: &ResourceArgs) -> Result<Vec<(ResourceType, String)>, Failure> {
    let lists = lists_of(args)?.into_iter();
    let named = lists.flat_map(|(kind, _, names)| names.into_iter().map(move |name| (kind, name)));
    Ok(named.chain(single(args)).collect())
}

fn kinds(args: &ResourceArgs) -> Result<ResourceNames, Failure> {
    let lists = lists_of(args)?.into_iter().filter(|(.., names)| !names.is_empty());
    Ok(lists.map(|(_, kind, names)| (kind.to_owned(), names)).collect())
}

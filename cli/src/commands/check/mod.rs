//! `gbac check`: one check with its explanation, or a file of checks.

mod audit_log;
mod requests;

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use gbac_analysis::brokers::{BrokerSetting, BrokerSettings, opens_resource};
use gbac_analysis::check::{Answer, CANDIDATES, Query, TokenRefusal, explain};
use gbac_api::paths;
use gbac_engine::decide::{
    AccessPath, At, Candidate, CandidateStatus, Decision, Explanation, HostMatch, Outcome,
    PreparedIdentity, PrincipalMatch, Reason, Request,
};
use gbac_engine::groups::{ClaimFinding, MissingReason, Readability};
use gbac_engine::model::CLUSTER_NAME;
use gbac_engine::policy::Policy;
use gbac_engine::{ResolvedIdentity, Subject};
use gbac_json::{AnswerJson, ExplanationJson, TokenRefusalJson};
use gbac_words::commands::access;
use gbac_words::{acl, decision};
use reqwest::Method;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::args::policy_source::{self, LoadedPolicy, PolicySourceArgs, PolicyState};
use crate::args::question::{self, PrincipalArgs, QueryArgs, SignIn, SubjectArgs};
use crate::client::{CallError, Client, stated_refusal};
use crate::output::{self, BAD, Failure, Format, paint, plain, sentence};
use crate::process::Process;
use crate::render::table::{Cell, table};
use crate::render::verdicts::{self, because, subject, token};
use audit_log::AuditLog;
#[cfg(all(test, feature = "schema"))]
pub(crate) use requests::OfRequest;

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    policy: PolicySourceArgs,
    /// File with one check per line (JSON Lines), `-` for standard input. The output has one
    /// decision per line, in the same order; empty lines are skipped.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["user", "token_file", "principal", "operation", "request", "host"])]
    checks: Option<PathBuf>,
    #[command(flatten)]
    principal: PrincipalArgs,
    #[command(flatten)]
    subject: SubjectArgs,
    #[command(flatten)]
    query: QueryArgs,
    /// Exit with 2 also if the request is allowed to a user who does not come from a token that passed
    /// every check: its signature, issuer, audience and times.
    #[arg(long, conflicts_with = "checks")]
    require_verified: bool,
    /// Maximum number of ACLs in the explanation. Those that decide, match or almost match come
    /// first.
    #[arg(long, value_name = "N", default_value_t = CANDIDATES, conflicts_with = "checks")]
    limit: usize,
    /// Append an audit event for each decision to this file, one JSON object per line (OCSF 1.0.0).
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
}

/// A decision about a Kafka cluster, with what else its brokers decide with.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct OnCluster<T> {
    /// The decision.
    #[serde(flatten)]
    result: T,
    /// The setting of the brokers that allows it although no ACL does: absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_by_setting: Option<&'static str>,
    /// The settings of the brokers that the decision does not know; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown_settings: Vec<&'static str>,
}

impl<T> OnCluster<T> {
    fn new(result: T, settings: Option<&BrokerSettings>, decisions: &[Decision]) -> Self {
        let is_open = decisions.iter().any(opens_resource);
        let mut unknown_settings = Vec::new();
        for (setting, value) in settings.into_iter().flat_map(BrokerSettings::iter) {
            if !value.is_known() && !setting.is_of_plugin() {
                unknown_settings.push(setting.name());
            }
        }
        Self {
            result,
            allowed_by_setting: is_open.then(|| BrokerSetting::AllowEveryone.name()),
            unknown_settings,
        }
    }
}

pub(crate) fn run(process: &Process, args: &CheckArgs, format: Format) -> Result<u8, Failure> {
    let loaded = match policy_source::load_or_client(process, &args.policy)? {
        Ok(loaded) => loaded,
        Err(client) => return ask_service(process, args, &client, format),
    };
    let (verifier, at) = question::verifier(process, &args.subject)?;
    let sign_in = SignIn::new(verifier.as_ref(), loaded.state.as_ref());
    let mut log = match &args.audit {
        Some(path) => Some(AuditLog::append_to(process, path)?),
        None => None,
    };
    match &args.checks {
        Some(path) => requests::run(process, path, &loaded, sign_in, log.as_mut(), at, format),
        None => one(process, args, &loaded, sign_in, log.as_mut(), at, format),
    }
}

/// Evaluates the check of the flags.
fn one(
    process: &Process,
    args: &CheckArgs,
    loaded: &LoadedPolicy,
    sign_in: SignIn<'_>,
    log: Option<&mut AuditLog>,
    at: At,
    format: Format,
) -> Result<u8, Failure> {
    let LoadedPolicy {
        policy,
        state,
        rules,
        settings,
    } = loaded;
    let state = state.as_ref();
    let who = question::subject_or_principal(
        process,
        &args.principal,
        &args.subject,
        sign_in.has_keys(),
    )?;
    let check = question::check_by(who, &args.query)?;
    let resolved = match sign_in.resolve(policy, &check.subject)? {
        Ok(resolved) => resolved,
        Err(refusal) => {
            if let Some(log) = log {
                log.record_refusal(&refusal, &check, at)?;
            }
            return deny_refused(process, &refusal, state, format);
        }
    };
    let identity = &resolved.identity;
    let mut prepared = PreparedIdentity::new(policy, identity.clone());
    let answer = rules.evaluate(policy, &mut prepared, &check, at)?;
    if let Some(log) = log {
        if question::group_alone(identity).is_some() {
            return Err(Failure::usage(
                "--audit records decisions about users; pass --user or a token",
            ));
        }
        log.record(&resolved, &check, &answer, at)?;
    }
    let mut explained = explain(policy, identity, &check, at, args.limit).zip(check.access(at));
    if let (Some((explanation, _)), Answer::Access(decision)) = (&mut explained, &answer) {
        explanation.decision.clone_from(decision);
    }
    let settings = settings.as_ref();
    match (format, &explained) {
        (Format::Json | Format::Yaml, Some((explanation, _))) => {
            let decision = std::slice::from_ref(&explanation.decision);
            let result = OnCluster::new(ExplanationJson::from(explanation), settings, decision);
            policy_source::write_value(process, state, format, result)?;
        }
        (Format::Json | Format::Yaml, None) => {
            let mut decided = Vec::new();
            if let Answer::Api { decisions, .. } = &answer {
                decided.extend(decisions.iter().map(|(_, decision)| decision.clone()));
            }
            let result = OnCluster::new(AnswerJson::from(&answer), settings, &decided);
            policy_source::write_value(process, state, format, result)?;
        }
        (Format::Text, Some((explanation, request))) => {
            let text = render_explanation(process, policy, &resolved, request, explanation);
            policy_source::write_text(process, state, &text)?;
        }
        (Format::Text, None) => {
            let text = render_answer(process, policy, &resolved, &answer);
            policy_source::write_text(process, state, &text)?;
        }
    }
    let is_enough = !args.require_verified || is_verified(&resolved, &answer);
    Ok(match answer.outcome() {
        Outcome::Allow if is_enough => output::SUCCESS,
        Outcome::Allow | Outcome::Deny => output::DENIED,
    })
}

/// Whether the user comes from a token that passed every check.
fn is_verified(resolved: &ResolvedIdentity, answer: &Answer) -> bool {
    let assumed = match answer {
        Answer::Access(decision) => decision.assumed,
        Answer::Api { assumed, .. } => *assumed,
    };
    resolved.extraction.is_some() && assumed.is_empty()
}

/// Asks the service, for callers who can evaluate requests but not read the policy; its decision
/// has no explanation.
fn ask_service(
    process: &Process,
    args: &CheckArgs,
    client: &Client,
    format: Format,
) -> Result<u8, Failure> {
    let local = [
        ("--checks", args.checks.is_some()),
        ("--principal", args.principal.principal.is_some()),
        ("--audit", args.audit.is_some()),
        ("--at", args.subject.at.is_some()),
        ("--jwks", args.subject.keys.jwks.is_some()),
        ("--userinfo", args.subject.userinfo.is_some()),
        ("--require-verified", args.require_verified),
    ];
    for (flag, given) in local {
        if given {
            let message = format!(
                "{flag} with --online requires a superuser or the access `read_only`; omit it"
            );
            return Err(Failure::new("access_missing", message));
        }
    }
    let who = question::subject_or_principal(process, &args.principal, &args.subject, false)?;
    let check = question::check_by(who, &args.query)?;
    let subject = match &check.subject {
        Subject::Names { user, groups } => {
            json!({ "type": "user", "id": user, "properties": { "groups": groups } })
        }
        Subject::UnverifiedToken { token, .. } | Subject::Token { token, .. } => {
            json!({ "type": "token", "id": token })
        }
        Subject::Principal { .. } | Subject::Claims { .. } => {
            return Err(Failure::usage(
                "the service evaluates users and tokens; pass --user or --token-file",
            ));
        }
    };
    let (action, resource) = match &check.query {
        Query::Access {
            operation,
            resource_type,
            resource_name,
        } => (
            json!({ "name": operation.spelling().cli }),
            json!({ "type": resource_type.spelling().cli, "id": resource_name }),
        ),
        Query::Api {
            api,
            name,
            resources,
        } => {
            let mut names = Map::new();
            for (kind, of_kind) in resources.iter() {
                names.insert(kind.to_owned(), json!(of_kind));
            }
            (
                json!({ "name": format!("{api}:{name}"), "properties": { "resources": names } }),
                json!({ "type": "cluster", "id": CLUSTER_NAME }),
            )
        }
    };
    let context = match check.host {
        Some(host) => json!({ "host": host }),
        None => json!({}),
    };
    let body =
        json!({ "subject": subject, "action": action, "resource": resource, "context": context });
    let answer: Value = client.change(Method::POST, paths::ACCESS_EVALUATION, &body)?;
    let (Some(allowed), Some(reason)) = (answer["decision"].as_bool(), answer.get("context"))
    else {
        return Err(CallError::NotJson(paths::ACCESS_EVALUATION.into()).into());
    };
    if let Some(refusal) = stated_refusal(&answer) {
        return deny_refused(process, &refusal, None, format);
    }
    match format {
        Format::Json | Format::Yaml => output::value(process, format, reason)?,
        Format::Text => output::text(process, &render_answer_of_service(client, allowed, reason))?,
    }
    Ok(if allowed {
        output::SUCCESS
    } else {
        output::DENIED
    })
}

fn render_answer_of_service(client: &Client, allowed: bool, reason: &Value) -> String {
    let verdict = output::outcome(match allowed {
        true => Outcome::Allow,
        false => Outcome::Deny,
    });
    let code = reason["reason"]
        .as_str()
        .or(reason["error"]["code"].as_str());
    let because = match code {
        Some(code) => format!(": {}", plain(code)),
        None => String::new(),
    };
    let decided_by = access::evaluated_by(&plain(client.url()));
    format!("{verdict}{because}\n{decided_by}\n")
}

/// Writes the denial of a check whose token is refused.
fn deny_refused(
    process: &Process,
    refusal: &TokenRefusal,
    state: Option<&PolicyState>,
    format: Format,
) -> Result<u8, Failure> {
    match format {
        Format::Json | Format::Yaml => {
            policy_source::write_value(process, state, format, TokenRefusalJson::from(refusal))?;
        }
        Format::Text => {
            let TokenRefusal { code, message } = refusal;
            let verdict = format!("{}: {}", paint(BAD, "Denied"), access::TOKEN_REFUSED);
            let reason = format!("{} ({})", plain(message), plain(code));
            let text = format!("{verdict}\n{reason}\n");
            policy_source::write_text(process, state, &text)?;
        }
    }
    Ok(output::DENIED)
}

/// The verdict, its reason, and every candidate ACL on the resource.
fn render_explanation(
    process: &Process,
    policy: &Policy,
    resolved: &ResolvedIdentity,
    request: &Request<'_>,
    explanation: &Explanation,
) -> String {
    let mut text = String::new();
    let decision = &explanation.decision;
    let asked = sentence(&access::request(
        request.operation,
        request.resource_type,
        Some(request.resource_name),
    ));
    let (verdict, style) = output::assuming(
        decision::verdict_of(decision),
        decision.outcome,
        decision.assumed,
    );
    let verdict = paint(style, &verdict);
    let _ = writeln!(text, "{verdict}: {} {asked}", subject(resolved));
    let _ = writeln!(text, "{}", because(resolved, decision));
    if decision.host_unknown
        && let Some(unknown) = decision::host_unknown(decision.reason, request)
    {
        let _ = writeln!(text, "{unknown} {}", access::OTHER_HOST);
    }
    text.push_str(&token(resolved, policy.settings().dialect));
    let mut rows = Vec::new();
    for candidate in &explanation.candidates {
        if candidate.is_on_resource() {
            rows.push(row(candidate));
        }
    }
    let unlisted = explanation.candidates.len() - rows.len();
    if !rows.is_empty() {
        let head = [
            "RESULT",
            "PERMISSION",
            "PRINCIPAL",
            "RESOURCE",
            "OPERATION",
            "HOST",
        ];
        let _ = write!(text, "\n{}", table(process, &head, rows));
    }
    let acls = unlisted + explanation.omitted;
    if acls > 0 {
        let at_limit = explanation.omitted > 0;
        let _ = writeln!(text, "{}", access::acls_not_listed(acls, at_limit));
    }
    if decision.reason == Reason::NoMatch && !opens_resource(decision) {
        let _ = writeln!(text, "{}", what_to_do(resolved));
    }
    text
}

/// What to do about a denial that nothing allows. Where the groups are unknown, a grant may not be
/// needed.
fn what_to_do(resolved: &ResolvedIdentity) -> &'static str {
    let Some(extraction) = &resolved.extraction else {
        return access::FIND_LEAST_GRANT;
    };
    match (&extraction.claim, extraction.readability) {
        (
            ClaimFinding::Missing {
                reason: MissingReason::Overage,
            },
            _,
        ) => access::GROUPS_LEFT_OUT,
        (
            ClaimFinding::Missing {
                reason: MissingReason::IdToken,
            },
            _,
        )
        | (_, Readability::Unreadable) => access::GROUPS_UNREADABLE,
        (_, Readability::Readable | Readability::Missing) => access::FIND_LEAST_GRANT,
    }
}

/// The verdict on an API request, with each permission that it requires.
fn render_answer(
    process: &Process,
    policy: &Policy,
    resolved: &ResolvedIdentity,
    answer: &Answer,
) -> String {
    let Answer::Api {
        outcome,
        decisions,
        assumed,
        ..
    } = answer
    else {
        return String::new();
    };
    let (verdict, style) = output::assuming(decision::outcome(*outcome), *outcome, *assumed);
    let mut text = format!("{}: {}\n", paint(style, &verdict), subject(resolved));
    text.push_str(&token(resolved, policy.settings().dialect));
    let mut rows = Vec::new();
    for (check, decision) in decisions {
        rows.push(vec![
            verdicts::verdict(decision),
            check.operation.spelling().label.into(),
            sentence(&acl::resource_or_any(
                check.resource_type,
                check.resource_name.as_deref(),
            ))
            .into(),
            because(resolved, decision).into(),
        ]);
    }
    if rows.is_empty() {
        let _ = writeln!(text, "{}", access::NO_PERMISSION_NEEDED);
    } else {
        let head = ["VERDICT", "OPERATION", "RESOURCE", "REASON"];
        text.push_str(&table(process, &head, rows));
    }
    text
}

fn row(candidate: &Candidate) -> Vec<Cell> {
    let acl = &candidate.acl;
    let paths: Vec<String> = candidate.paths.iter().map(access_path).collect();
    let principal = match &candidate.principal {
        PrincipalMatch::MemberLetterCase(near) | PrincipalMatch::MemberSlashes(near) => {
            format!(
                "{} > {}",
                plain(&near.member.to_string()),
                plain(&acl.principal.to_string())
            )
        }
        _ if paths.is_empty() => plain(&acl.principal.to_string()),
        _ => paths.join("; "),
    };
    let host = match candidate.host {
        HostMatch::Unknown => format!("{} (client host unknown)", acl.host),
        _ => acl.host.to_string(),
    };
    vec![
        status_label(candidate.status).into(),
        Cell::styled(
            acl.permission.spelling().label,
            output::permission_style(acl.permission),
        ),
        principal.into(),
        sentence(&acl::pattern(acl)).into(),
        acl.operation.spelling().label.into(),
        host.into(),
    ]
}

fn access_path(path: &AccessPath) -> String {
    match (&path.group, &path.role) {
        (Some(group), Some(role)) => format!("Group:{} > Role:{}", plain(group), plain(role)),
        (None, Some(role)) => format!("User > Role:{}", plain(role)),
        _ => plain(&path.principal.to_string()),
    }
}

fn status_label(status: CandidateStatus) -> String {
    let label = decision::candidate_status(status);
    match status {
        CandidateStatus::Near(near) => format!("{label}: {}", decision::near_miss(near)),
        _ => label.to_owned(),
    }
}

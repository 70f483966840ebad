//! `gbac check`: one question with its explanation, or a file of them.

use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use gbac_engine::check::{Answer, Check, CheckError, Opened, Question, Who, ask, explain, open};
use gbac_engine::decide::Outcome;
use gbac_engine::model::{CLUSTER_NAME, Host, Operation, ResourceType};
use gbac_engine::policy::Policy;
use gbac_engine::requests::Resources;
use gbac_engine::wire::{AnswerJson, ExplanationJson, Problems, check_from_json};
use serde_json::{Value, json};

use super::explain as words;
use crate::args::{CheckArgs, Format, ResourceArgs};
use crate::audit::Log;
use crate::input::{self, Verifier};
use crate::output::{self, Failure};

pub(crate) fn run(args: &CheckArgs, format: Format) -> Result<ExitCode, Failure> {
    let policy = input::policy(&args.policy)?;
    let verifier = Verifier::of(&args.keys)?;
    let mut log = args.audit.as_deref().map(Log::append_to).transpose()?;
    match &args.requests {
        Some(path) => many(path, &policy, verifier.as_ref(), log.as_mut()),
        None => one(args, &policy, verifier.as_ref(), log.as_mut(), format),
    }
}

/// One decision a line, in order; a line that cannot be answered gives its error in its place.
fn many(
    path: &Path,
    policy: &Policy,
    verifier: Option<&Verifier>,
    mut log: Option<&mut Log>,
) -> Result<ExitCode, Failure> {
    let what = path.display().to_string();
    let lines: Box<dyn BufRead> = if path == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        Box::new(BufReader::new(std::fs::File::open(path).map_err(|error| Failure::io(&what, &error))?))
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut failed = false;
    for text in lines.lines() {
        let text = text.map_err(|error| Failure::io(&what, &error))?;
        if text.trim().is_empty() {
            continue;
        }
        let (id, answered) = match check_from_json(&text) {
            Ok(check) => (check.id.clone(), evaluate(policy, &check, verifier, log.as_deref_mut())),
            Err(problems) => (id_of(&text), Err(malformed(&problems))),
        };
        let mut value = match answered {
            Ok(answer) => json!(AnswerJson::from(&answer)),
            Err(Refusal::Check(error)) => {
                failed = true;
                json!({ "error": error })
            }
            Err(Refusal::Audit(failure)) => return Err(failure),
        };
        if let (Some(id), Value::Object(members)) = (id, &mut value) {
            members.insert("id".into(), id);
        }
        output::line(&mut out, &value)?;
    }
    out.flush().map_err(|error| Failure::io("standard output", &error))?;
    Ok(if failed { ExitCode::from(output::ERROR) } else { ExitCode::SUCCESS })
}

/// Why a line has no answer: its own fault, or that the decision could not be logged.
enum Refusal {
    Check(Value),
    Audit(Failure),
}

fn evaluate(
    policy: &Policy,
    check: &Check,
    verifier: Option<&Verifier>,
    log: Option<&mut Log>,
) -> Result<Answer, Refusal> {
    let refused = |error: CheckError| Refusal::Check(json!({ "code": error.code(), "message": error.to_string() }));
    let opened = opened(policy, &check.who, verifier).map_err(refused)?;
    let answer = ask(policy, &opened.identity, check).map_err(refused)?;
    if let Some(log) = log {
        log.record(&opened, check, &answer).map_err(Refusal::Audit)?;
    }
    Ok(answer)
}

fn opened(policy: &Policy, who: &Who, verifier: Option<&Verifier>) -> Result<Opened, CheckError> {
    match verifier {
        Some(verifier) => open(policy, who, Some(&|token| verifier.verify(token))),
        None => open(policy, who, None),
    }
}

fn malformed(problems: &Problems) -> Refusal {
    let code = problems.0.first().map_or("check_invalid", |problem| problem.code);
    let message = problems.to_string().replace('\n', "; ");
    Refusal::Check(json!({ "code": code, "message": message }))
}

/// The id of a line that is JSON but no check, so that its error can be told apart.
fn id_of(text: &str) -> Option<Value> {
    serde_json::from_str::<Value>(text).ok()?.get("id").cloned()
}

/// One question from the flags.
fn one(
    args: &CheckArgs,
    policy: &Policy,
    verifier: Option<&Verifier>,
    log: Option<&mut Log>,
    format: Format,
) -> Result<ExitCode, Failure> {
    let check = check_of(args, verifier.is_some())?;
    let opened = opened(policy, &check.who, verifier).map_err(|error| Failure::new(error.code(), error.to_string()))?;
    let answer =
        ask(policy, &opened.identity, &check).map_err(|error| Failure::new(error.code(), error.to_string()))?;
    if let Some(log) = log {
        log.record(&opened, &check, &answer)?;
    }
    let explanation = explain(policy, &opened.identity, &check);
    match (format, &explanation) {
        (Format::Json, Some(explanation)) => {
            output::line(&mut io::stdout(), &json!(ExplanationJson::from(explanation)))?;
        }
        (Format::Json, None) => output::line(&mut io::stdout(), &json!(AnswerJson::from(&answer)))?,
        (Format::Text, Some(explanation)) => output::text(&words::explanation(&opened, &check, explanation))?,
        (Format::Text, None) => output::text(&words::request(&opened, &answer))?,
    }
    Ok(match answer.outcome() {
        Outcome::Allow => ExitCode::SUCCESS,
        Outcome::Deny => ExitCode::from(output::DENIED),
    })
}

fn check_of(args: &CheckArgs, verified: bool) -> Result<Check, Failure> {
    let who = if let Some(user) = &args.user {
        Who::Names { user: user.clone(), groups: args.member_of.clone() }
    } else {
        let token = input::token(args.token_file.as_deref())?;
        let userinfo = args.userinfo.as_deref().map(input::object).transpose()?;
        if verified { Who::Token { token, userinfo } } else { Who::UnverifiedToken { token, userinfo } }
    };
    let host = args
        .host
        .as_deref()
        .map(Host::parse_address)
        .transpose()
        .map_err(|error| Failure::usage(format!("--host: {error}; {}", error.hint())))?;
    let now = matches!(who, Who::Names { .. }).then_some(()).map_or_else(|| Some(input::now()), |()| None);
    Ok(Check { id: None, who, question: question_of(args)?, host, now })
}

fn question_of(args: &CheckArgs) -> Result<Question, Failure> {
    if let Some(name) = &args.request {
        return Ok(Question::Api { api: args.api.clone(), name: name.clone(), resources: kinds(&args.resources) });
    }
    let Some(operation) = &args.operation else {
        return Err(Failure::usage("say what is asked: --operation and a resource, or --request"));
    };
    let operation = Operation::from_any(operation).ok_or_else(|| {
        let all: Vec<&str> = Operation::ALL.iter().map(|operation| operation.spelling().cli).collect();
        Failure::usage(format!("--operation: `{operation}` is not an operation; one of {}", all.join(", ")))
    })?;
    let mut named = named(&args.resources);
    match (named.pop(), named.is_empty()) {
        (Some((resource_type, resource_name)), true) => {
            Ok(Question::Access { operation, resource_type, resource_name })
        }
        (None, _) => Err(Failure::usage(
            "name the resource: --topic, --group, --cluster, --transactional-id, --registry-subject or --registry-global",
        )),
        (Some(_), false) => Err(Failure::usage("one resource at a time; for several write --requests")),
    }
}

fn named(args: &ResourceArgs) -> Vec<(ResourceType, String)> {
    let all = |kind, names: &[String]| names.iter().map(|name| (kind, name.clone())).collect::<Vec<_>>();
    let mut named = all(ResourceType::Topic, &args.topic);
    named.extend(all(ResourceType::Group, &args.group));
    named.extend(args.cluster.then(|| (ResourceType::Cluster, CLUSTER_NAME.into())));
    named.extend(all(ResourceType::TransactionalId, &args.transactional_id));
    named.extend(all(ResourceType::Subject, &args.registry_subject));
    named.extend(args.registry_global.then(|| (ResourceType::Registry, String::new())));
    named
}

fn kinds(args: &ResourceArgs) -> Resources {
    [
        ("topic", &args.topic),
        ("group", &args.group),
        ("transactional_id", &args.transactional_id),
        ("subject", &args.registry_subject),
    ]
    .into_iter()
    .filter(|(_, names)| !names.is_empty())
    .map(|(kind, names)| (kind.to_owned(), names.clone()))
    .collect()
}

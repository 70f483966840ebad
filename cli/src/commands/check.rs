//! `gbac check`: one question with its explanation, or a file of them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use gbac_engine::check::{Answer, Check, CheckError, Opened, Who, ask, ask_open, explain};
use gbac_engine::decide::{OpenIdentity, Outcome};
use gbac_engine::policy::Policy;
use gbac_engine::wire::{AnswerJson, ExplanationJson, Problems, check_from_json};
use serde_json::{Map, Value, json};

use super::explain as words;
use crate::args::{CheckArgs, Format};
use crate::audit::Log;
use crate::input::{self, Verifier};
use crate::output::{self, Failure};
use crate::question;

pub(crate) fn run(args: &CheckArgs, format: Format) -> Result<ExitCode, Failure> {
    let policy = input::policy(&args.policy)?;
    let verifier = Verifier::of(&args.who.keys)?;
    let mut log = args.audit.as_deref().map(Log::append_to).transpose()?;
    match &args.requests {
        Some(path) => many(path, &policy, verifier.as_ref(), log.as_mut(), format),
        None => one(args, &policy, verifier.as_ref(), log.as_mut(), format),
    }
}

/// One decision a line, in order; a line that cannot be answered gives its error in its place.
fn many(
    path: &Path,
    policy: &Policy,
    verifier: Option<&Verifier>,
    log: Option<&mut Log>,
    format: Format,
) -> Result<ExitCode, Failure> {
    let what = path.display().to_string();
    let lines: Box<dyn BufRead> = if path == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        Box::new(BufReader::new(std::fs::File::open(path).map_err(|error| Failure::io(&what, &error))?))
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut evaluator = Evaluator { policy, verifier, log, open: HashMap::new() };
    let mut failed = false;
    for bytes in lines.split(b'\n') {
        let bytes = bytes.map_err(|error| Failure::io(&what, &error))?;
        let text = std::str::from_utf8(&bytes).map(str::trim);
        let (id, answered) = match text.map(check_from_json) {
            Ok(_) if text == Ok("") => continue,
            Ok(Ok(check)) => (check.id.clone(), evaluator.evaluate(&check)),
            Ok(Err(problems)) => (id_of(&bytes), Err(malformed(&problems))),
            Err(error) => (None, Err(not_text(error))),
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
        output::one_of_many(&mut out, format, &value)?;
    }
    out.flush().map_err(|error| Failure::io("standard output", &error))?;
    Ok(if failed { ExitCode::from(output::ERROR) } else { ExitCode::SUCCESS })
}

/// Why a line has no answer: its own fault, or that the decision could not be logged.
enum Refusal {
    Check(Value),
    Audit(Failure),
}

/// How many identities are kept open; a file of requests has the same people again and again.
const OPEN: usize = 4096;

/// The identities of a file of requests, each opened once.
struct Evaluator<'a> {
    policy: &'a Policy,
    verifier: Option<&'a Verifier>,
    log: Option<&'a mut Log>,
    open: HashMap<String, (Opened, OpenIdentity)>,
}

impl Evaluator<'_> {
    fn evaluate(&mut self, check: &Check) -> Result<Answer, Refusal> {
        let refused = |error: CheckError| Refusal::Check(json!({ "code": error.code(), "message": error.to_string() }));
        if self.open.len() > OPEN {
            self.open.clear();
        }
        let (opened, open) = match self.open.entry(key(&check.who)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => {
                let opened = question::open(self.policy, &check.who, self.verifier).map_err(refused)?;
                let open = OpenIdentity::new(self.policy, opened.identity.clone());
                free.insert((opened, open))
            }
        };
        let answer = ask_open(self.policy, open, check).map_err(refused)?;
        if let Some(log) = &mut self.log {
            log.record(opened, check, &answer).map_err(Refusal::Audit)?;
        }
        Ok(answer)
    }
}

/// A text that two checks share only when they say the same of who asks.
fn key(who: &Who) -> String {
    let parts = |kind: &str, parts: &mut dyn Iterator<Item = &str>| {
        // With lengths, since a name may hold anything.
        parts.fold(kind.to_owned(), |mut key, part| {
            let _ = write!(key, "{}:{part}", part.len());
            key
        })
    };
    let object = |kind: &str, first: &str, userinfo: &Option<Map<String, Value>>| {
        let userinfo = userinfo.as_ref().map(|members| json!(members).to_string());
        parts(kind, &mut std::iter::once(first).chain(userinfo.as_deref()))
    };
    match who {
        Who::Names { user, groups } => {
            parts("names", &mut std::iter::once(user.as_str()).chain(groups.iter().map(String::as_str)))
        }
        Who::Claims { claims, userinfo } => object("claims", &json!(claims).to_string(), userinfo),
        Who::UnverifiedToken { token, userinfo } => object("unverified", token, userinfo),
        Who::Token { token, userinfo } => object("token", token, userinfo),
    }
}

fn malformed(problems: &Problems) -> Refusal {
    let code = problems.0.first().map_or("check_invalid", |problem| problem.code);
    let message = problems.to_string().replace('\n', "; ");
    Refusal::Check(json!({ "code": code, "message": message }))
}

/// The id of a line that is JSON but no check, so that its error can be told apart.
fn id_of(line: &[u8]) -> Option<Value> {
    serde_json::from_slice::<Value>(line).ok()?.get("id").cloned()
}

fn not_text(error: std::str::Utf8Error) -> Refusal {
    Refusal::Check(json!({ "code": "not_utf8", "message": format!("the line is not UTF-8: {error}") }))
}

/// One question from the flags.
fn one(
    args: &CheckArgs,
    policy: &Policy,
    verifier: Option<&Verifier>,
    log: Option<&mut Log>,
    format: Format,
) -> Result<ExitCode, Failure> {
    let (check, opened) = question::ask(&args.who, &args.question, policy, verifier)?;
    let answer = ask(policy, &opened.identity, &check).map_err(|error| question::refused(&error))?;
    if let Some(log) = log {
        log.record(&opened, &check, &answer)?;
    }
    let explanation = explain(policy, &opened.identity, &check);
    match (format, &explanation) {
        (Format::Json | Format::Yaml, Some(explanation)) => {
            output::value(format, &json!(ExplanationJson::from(explanation)))?;
        }
        (Format::Json | Format::Yaml, None) => output::value(format, &json!(AnswerJson::from(&answer)))?,
        (Format::Text, Some(explanation)) => output::text(&words::explanation(&opened, &check, explanation))?,
        (Format::Text, None) => output::text(&words::request(&opened, &answer))?,
    }
    Ok(match answer.outcome() {
        Outcome::Allow => ExitCode::SUCCESS,
        Outcome::Deny => ExitCode::from(output::DENIED),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gbac_engine::wire::check_from_json;

    use super::*;

    #[test]
    fn who_is_told_apart_whatever_names_hold() {
        let of = |who: Value| {
            let mut check = json!({ "operation": "read", "resource_type": "topic", "resource_name": "x" });
            check.as_object_mut().unwrap().extend(who.as_object().unwrap().clone());
            key(&check_from_json(&check.to_string()).unwrap().who)
        };
        let all = [
            json!({ "identity": { "user": "a", "groups": ["b", "c"] } }),
            json!({ "identity": { "user": "a", "groups": ["c", "b"] } }),
            json!({ "identity": { "user": "a", "groups": ["b1:c"] } }),
            json!({ "identity": { "user": "a1:b1:c" } }),
            json!({ "identity": { "user": "a", "groups": ["bc"] } }),
            json!({ "claims": { "sub": "a", "groups": ["b"] } }),
            json!({ "claims": { "sub": "a", "groups": ["b"] }, "userinfo": {} }),
            json!({ "claims": { "sub": "a", "groups": ["b"] }, "userinfo": { "groups": [] } }),
            json!({ "unverified_token": "x" }),
            json!({ "token": "x" }),
            json!({ "token": "x", "userinfo": {} }),
        ];
        let keys: BTreeSet<String> = all.iter().cloned().map(of).collect();
        assert_eq!(keys.len(), all.len());
        assert_eq!(of(all[0].clone()), of(all[0].clone()));
    }
}

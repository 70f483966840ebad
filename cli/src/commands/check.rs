//! `gbac check`: one question with its explanation, or a file of them.

use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use gbac_engine::check::{Answer, Check, CheckError, ask, explain};
use gbac_engine::decide::Outcome;
use gbac_engine::policy::Policy;
use gbac_engine::wire::{AnswerJson, ExplanationJson, Problems, check_from_json};
use serde_json::{Value, json};

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
    for bytes in lines.split(b'\n') {
        let bytes = bytes.map_err(|error| Failure::io(&what, &error))?;
        let text = std::str::from_utf8(&bytes).map(str::trim);
        let (id, answered) = match text.map(check_from_json) {
            Ok(_) if text == Ok("") => continue,
            Ok(Ok(check)) => (check.id.clone(), evaluate(policy, &check, verifier, log.as_deref_mut())),
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
    let opened = question::open(policy, &check.who, verifier).map_err(refused)?;
    let answer = ask(policy, &opened.identity, check).map_err(refused)?;
    if let Some(log) = log {
        log.record(&opened, check, &answer).map_err(Refusal::Audit)?;
    }
    Ok(answer)
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

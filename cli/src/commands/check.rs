//! `gbac check`: one check with its explanation, or a file of checks.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use gbac_analysis::check::{
    Answer, Check, CheckError, TokenRefusal, evaluate as ask, evaluate_with,
};
use gbac_engine::decide::{At, Outcome, PreparedIdentity};
use gbac_engine::policy::Policy;
use gbac_engine::{ResolvedIdentity, Subject};
use gbac_json::{AnswerJson, ExplanationJson, Problems, TokenRefusalJson, check_from_json};
use gbac_words::commands::files;
use serde_json::Value;

use super::{evaluation, explain};
use crate::args::{CheckArgs, Format};
use crate::audit::AuditLog;
use crate::input::{self, Verifier};
use crate::output::{self, Failure};
use crate::policy_source::{self, LoadedPolicy};
use crate::process::Process;
use crate::progress::Progress;
use crate::query::{self, SignIn, SignInError};
use crate::results::{CommandError, ErrorResult, OfRequest};
use crate::secrets::redacted;
use crate::yaml;

pub(crate) fn run(process: &Process, args: &CheckArgs, format: Format) -> Result<u8, Failure> {
    let LoadedPolicy { policy, state } = match policy_source::load_or_client(process, &args.policy)?
    {
        Ok(loaded) => loaded,
        Err(client) => return evaluation::run(process, args, &client, format),
    };
    let (verifier, at) = query::verifier(process, &args.subject)?;
    let mut log = args
        .audit
        .as_deref()
        .map(|path| AuditLog::append_to(process, path))
        .transpose()?;
    match &args.requests {
        Some(path) => {
            let evaluator = Evaluator {
                policy: &policy,
                sign_in: SignIn::new(verifier.as_ref(), state.as_ref()),
                log: log.as_mut(),
                identities: HashMap::new(),
                at,
            };
            if let Some(state) = &state {
                output::note(process, &format!("note: {state}"));
            }
            many(process, path, evaluator, format)
        }
        None => one(
            process,
            args,
            &LoadedPolicy { policy, state },
            verifier.as_ref(),
            log.as_mut(),
            at,
            format,
        ),
    }
}

/// Writes one decision per line, in order. A line that cannot be evaluated has an error instead.
fn many(
    process: &Process,
    path: &Path,
    mut evaluator: Evaluator<'_>,
    format: Format,
) -> Result<u8, Failure> {
    let what = path.display().to_string();
    let mut out = BufWriter::new(process.output());
    let mut failed = false;
    let mut progress = Progress::of_results(process, "check");
    for line in requests(process, path, &what)? {
        let Line {
            bytes,
            is_last_so_far,
        } = line.map_err(|error| Failure::io(&what, &error))?;
        let text = std::str::from_utf8(&bytes).map(str::trim);
        let (id, answered) = match text.map(check_from_json) {
            Ok(_) if text == Ok("") => continue,
            Ok(Ok(check)) => (
                check.id.as_deref().and_then(|id| gbac_json::parse(id).ok()),
                evaluator.evaluate(&check),
            ),
            Ok(Err(problems)) => (id_of(&bytes), Err(invalid_check(&problems))),
            Err(error) => (None, Err(not_text(error))),
        };
        match answered {
            Ok(Ok(answer)) => {
                output::stream_value(
                    &mut out,
                    format,
                    &OfRequest {
                        result: AnswerJson::from(&answer),
                        id,
                    },
                )?;
            }
            Ok(Err(refusal)) => {
                output::stream_value(
                    &mut out,
                    format,
                    &OfRequest {
                        result: TokenRefusalJson::from(&refusal),
                        id,
                    },
                )?;
            }
            Err(LineError::Check { code, message }) => {
                failed = true;
                let error = CommandError {
                    code,
                    message: &message,
                    problems: None,
                };
                output::stream_value(
                    &mut out,
                    format,
                    &OfRequest {
                        result: ErrorResult { error },
                        id,
                    },
                )?;
            }
            Err(LineError::Fatal(failure)) => return Err(failure),
        }
        if is_last_so_far {
            // The next line can take long, and its writer can wait for this answer.
            out.flush()
                .map_err(|error| Failure::standard_output(&error))?;
        }
        progress.step();
    }
    drop(progress);
    out.flush()
        .map_err(|error| Failure::standard_output(&error))?;
    Ok(if failed {
        output::ERROR
    } else {
        output::SUCCESS
    })
}

/// A line of a file of checks.
struct Line {
    bytes: Vec<u8>,
    /// Whether no other line was read yet.
    is_last_so_far: bool,
}

type Lines = Box<dyn Iterator<Item = io::Result<Line>>>;

fn next_line(lines: &mut BufReader<Box<dyn Read>>) -> io::Result<Option<Line>> {
    let line = input::next_line(lines)?;
    Ok(line.map(|bytes| Line {
        bytes,
        is_last_so_far: !lines.buffer().contains(&b'\n'),
    }))
}

/// The checks of a file: its lines, or its YAML documents as lines of JSON.
fn requests(process: &Process, path: &Path, what: &str) -> Result<Lines, Failure> {
    let failed = |error: io::Error| Failure::io(what, &error);
    let mut lines = input::lines(process, path)?;
    let mut first = loop {
        match next_line(&mut lines).map_err(failed)? {
            Some(line) if line.bytes.trim_ascii().is_empty() => {}
            Some(line) => break line,
            None => {
                let message =
                    format!("--requests: there are no checks in {what}; write one check per line");
                return Err(Failure::usage(message));
            }
        }
    };
    let is_yaml = std::str::from_utf8(&first.bytes).is_ok_and(|line| {
        line.trim_start().starts_with('#') || gbac_formats::yaml::looks_like_yaml(line)
    });
    if !is_yaml {
        return Ok(Box::new(std::iter::once(Ok(first)).chain(
            std::iter::from_fn(move || next_line(&mut lines).transpose()),
        )));
    }
    first.bytes.push(b'\n');
    first.bytes.extend(input::rest(&mut lines).map_err(failed)?);
    let text =
        String::from_utf8(first.bytes).map_err(|_| failed(io::ErrorKind::InvalidData.into()))?;
    let line = |check: Value| {
        Ok(Line {
            bytes: check.to_string().into_bytes(),
            is_last_so_far: false,
        })
    };
    Ok(Box::new(yaml::stream(&text, what)?.into_iter().map(line)))
}

/// The error of a line: an invalid check, or an audit event or a service that failed.
enum LineError {
    Check { code: &'static str, message: String },
    Fatal(Failure),
}

/// Maximum number of cached identities; most files repeat users.
const MAX_IDENTITIES: usize = 4096;

/// Evaluates a file of checks, and caches prepared identities.
struct Evaluator<'a> {
    policy: &'a Policy,
    sign_in: SignIn<'a>,
    log: Option<&'a mut AuditLog>,
    identities: HashMap<String, Result<(ResolvedIdentity, PreparedIdentity), TokenRefusal>>,
    /// The time of decisions about checks without a time.
    at: At,
}

impl Evaluator<'_> {
    fn evaluate(&mut self, check: &Check) -> Result<Result<Answer, TokenRefusal>, LineError> {
        let invalid = |error: CheckError| LineError::Check {
            code: error.code(),
            message: redacted(&error.to_string()),
        };
        if self.identities.len() > MAX_IDENTITIES {
            self.identities.clear();
        }
        let known = match self.identities.entry(key(&check.subject)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => {
                let signed_in = self.sign_in.resolve(self.policy, &check.subject).map_err(
                    |error| match error {
                        SignInError::Check(error) => invalid(error),
                        SignInError::Call(error) => LineError::Fatal(error.into()),
                    },
                )?;
                free.insert(signed_in.map(|opened| {
                    let open = PreparedIdentity::new(self.policy, opened.identity.clone());
                    (opened, open)
                }))
            }
        };
        let (opened, open) = match known {
            Ok(known) => known,
            Err(refusal) => {
                if let Some(log) = &mut self.log {
                    log.record_refusal(refusal, check, self.at)
                        .map_err(LineError::Fatal)?;
                }
                return Ok(Err(refusal.clone()));
            }
        };
        let answer = evaluate_with(self.policy, open, check, self.at).map_err(invalid)?;
        if let Some(log) = &mut self.log {
            log.record(opened, check, &answer, self.at)
                .map_err(LineError::Fatal)?;
        }
        Ok(Ok(answer))
    }
}

/// A cache key: equal only for subjects that name the same user in the same way.
fn key(who: &Subject) -> String {
    let parts = |kind: &str, parts: &mut dyn Iterator<Item = &str>| {
        // Includes the lengths, because names may contain any character.
        parts.fold(kind.to_owned(), |mut key, part| {
            let _ = write!(key, "{}:{part}", part.len());
            key
        })
    };
    let object = |kind: &str, first: &str, userinfo: &Option<gbac_engine::ClaimSet>| {
        let userinfo = userinfo.as_ref().map(ToString::to_string);
        parts(kind, &mut std::iter::once(first).chain(userinfo.as_deref()))
    };
    match who {
        Subject::Names { user, groups } => parts(
            "names",
            &mut std::iter::once(user.as_str()).chain(groups.iter().map(String::as_str)),
        ),
        Subject::Principal { principal, groups } => {
            let principal = principal.to_string();
            parts(
                "principal",
                &mut std::iter::once(principal.as_str()).chain(groups.iter().map(String::as_str)),
            )
        }
        Subject::Claims { claims, userinfo } => object("claims", &claims.to_string(), userinfo),
        Subject::UnverifiedToken { token, userinfo } => object("unverified", token, userinfo),
        Subject::Token { token, userinfo } => object("token", token, userinfo),
    }
}

fn invalid_check(problems: &Problems) -> LineError {
    let code = problems
        .0
        .first()
        .map_or("check_invalid", |problem| problem.code.as_str());
    let message = redacted(&problems.to_string()).replace('\n', "; ");
    LineError::Check { code, message }
}

/// The ID of a line that is JSON but not a check, for its error.
fn id_of(line: &[u8]) -> Option<Value> {
    serde_json::from_slice::<Value>(line)
        .ok()?
        .get("id")
        .cloned()
}

fn not_text(error: std::str::Utf8Error) -> LineError {
    LineError::Check {
        code: "not_utf8",
        message: files::not_utf8(error),
    }
}

/// Evaluates the check of the flags.
fn one(
    process: &Process,
    args: &CheckArgs,
    loaded: &LoadedPolicy,
    verifier: Option<&Verifier>,
    log: Option<&mut AuditLog>,
    at: At,
    format: Format,
) -> Result<u8, Failure> {
    let LoadedPolicy { policy, state } = loaded;
    let state = state.as_ref();
    let check = query::unresolved_check(process, args, verifier.is_some())?;
    let opened = match SignIn::new(verifier, state).resolve(policy, &check.subject)? {
        Ok(opened) => opened,
        Err(refusal) => {
            log.map_or(Ok(()), |log| log.record_refusal(&refusal, &check, at))?;
            return explain::deny_refused(process, &refusal, state, format);
        }
    };
    let answer =
        ask(policy, &opened.identity, &check, at).map_err(|error| query::failure(&error))?;
    if let Some(log) = log {
        if query::group_alone(&opened.identity).is_some() {
            return Err(Failure::usage(
                "--audit records decisions about users; pass --user or a token",
            ));
        }
        log.record(&opened, &check, &answer, at)?;
    }
    let explanation =
        gbac_analysis::check::explain(policy, &opened.identity, &check, at, args.limit);
    match (format, &explanation.zip(check.access(at))) {
        (Format::Json | Format::Yaml, Some((explanation, _))) => {
            policy_source::write_value(process, state, format, ExplanationJson::from(explanation))?;
        }
        (Format::Json | Format::Yaml, None) => {
            policy_source::write_value(process, state, format, AnswerJson::from(&answer))?;
        }
        (Format::Text, Some((explanation, request))) => {
            policy_source::write_text(
                process,
                state,
                &explain::explanation(process, &opened, request, explanation),
            )?;
        }
        (Format::Text, None) => {
            policy_source::write_text(
                process,
                state,
                &explain::request(process, &opened, &answer),
            )?;
        }
    }
    Ok(match answer.outcome() {
        Outcome::Allow => output::SUCCESS,
        Outcome::Deny => output::DENIED,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gbac_json::check_from_json;
    use serde_json::json;

    use super::*;

    #[test]
    fn every_way_to_name_a_user_has_its_own_key() {
        let of = |who: Value| {
            let mut check =
                json!({ "operation": "read", "resource_type": "topic", "resource_name": "x" });
            check
                .as_object_mut()
                .unwrap()
                .extend(who.as_object().unwrap().clone());
            key(&check_from_json(&check.to_string()).unwrap().subject)
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

//! `gbac check --checks`: a file of checks, and one decision for each.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::str::Utf8Error;

use gbac_analysis::brokers::BrokerRules;
use gbac_analysis::check::{Answer, Check, CheckError, TokenRefusal};
use gbac_engine::decide::{At, PreparedIdentity};
use gbac_engine::policy::Policy;
use gbac_engine::{ClaimSet, ResolvedIdentity, Subject};
use gbac_json::{AnswerJson, Problems, TokenRefusalJson, check_from_json};
use gbac_words::commands::files;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::audit_log::AuditLog;
use crate::args::policy_source::LoadedPolicy;
use crate::args::question::{SignIn, SignInError};
use crate::input;
use crate::output::{self, CommandError, ErrorResult, Failure, Format};
use crate::process::Process;
use crate::progress::Progress;
use crate::secrets::redacted;
use crate::yaml;

/// The result of one check of `--checks`.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct OfRequest<T> {
    /// The result.
    #[serde(flatten)]
    result: T,
    /// The member `id` of the check, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
}

/// Writes one decision per line, in order. A line that cannot be evaluated has an error instead.
pub(super) fn run(
    process: &Process,
    path: &Path,
    loaded: &LoadedPolicy,
    sign_in: SignIn<'_>,
    log: Option<&mut AuditLog>,
    at: At,
    format: Format,
) -> Result<u8, Failure> {
    if let Some(state) = &loaded.state {
        output::note(process, &format!("note: {state}"));
    }
    let mut evaluator = Evaluator {
        policy: &loaded.policy,
        rules: &loaded.rules,
        sign_in,
        log,
        identities: HashMap::new(),
        at,
    };
    let what = path.display().to_string();
    let mut out = BufWriter::new(process.output());
    let mut exit = output::SUCCESS;
    let mut requests = Requests::open(process, path, &what)?;
    let mut progress = Progress::of_results(process, "check");
    while let Some(line) = requests
        .next_line()
        .map_err(|error| Failure::io(&what, &error))?
    {
        let (id, answered) = match std::str::from_utf8(&line.bytes) {
            Ok(text) if text.trim().is_empty() => continue,
            Ok(text) => evaluator.evaluate_line(text.trim()),
            Err(error) => (None, Err(not_text(error))),
        };
        match answered {
            Ok(Ok(answer)) => write(&mut out, format, id, AnswerJson::from(&answer))?,
            Ok(Err(refusal)) => write(&mut out, format, id, TokenRefusalJson::from(&refusal))?,
            Err(LineError::Check { code, message }) => {
                exit = output::ERROR;
                let error = CommandError {
                    code,
                    message: &message,
                    problems: None,
                };
                write(&mut out, format, id, ErrorResult { error })?;
            }
            Err(LineError::Fatal(failure)) => return Err(failure),
        }
        if line.is_last_so_far {
            // The next line can take long, and its writer can wait for this answer.
            out.flush()
                .map_err(|error| Failure::standard_output(&error))?;
        }
        progress.step();
    }
    drop(progress);
    out.flush()
        .map_err(|error| Failure::standard_output(&error))?;
    Ok(exit)
}

fn write(
    out: &mut impl Write,
    format: Format,
    id: Option<Value>,
    result: impl Serialize,
) -> Result<(), Failure> {
    output::stream_value(out, format, &OfRequest { result, id })
}

/// A line of a file of checks.
struct Line {
    bytes: Vec<u8>,
    /// Whether no other line was read yet.
    is_last_so_far: bool,
}

/// The checks of a file: its lines, or its YAML documents.
enum Requests {
    Lines {
        first: Option<Line>,
        rest: BufReader<Box<dyn Read>>,
    },
    Yaml(std::vec::IntoIter<Value>),
}

impl Requests {
    fn open(process: &Process, path: &Path, what: &str) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::io(what, &error);
        let mut rest = input::lines(process, path)?;
        let mut first = loop {
            match read_line(&mut rest).map_err(failed)? {
                Some(line) if line.bytes.trim_ascii().is_empty() => {}
                Some(line) => break line,
                None => {
                    return Err(Failure::usage(format!(
                        "--checks: there are no checks in {what}; write one check per line"
                    )));
                }
            }
        };
        if !is_yaml(&first.bytes) {
            let first = Some(first);
            return Ok(Self::Lines { first, rest });
        }
        first.bytes.push(b'\n');
        first.bytes.extend(input::rest(&mut rest).map_err(failed)?);
        let text = String::from_utf8(first.bytes)
            .map_err(|_| failed(io::ErrorKind::InvalidData.into()))?;
        Ok(Self::Yaml(yaml::stream(&text, what)?.into_iter()))
    }

    /// The next check as a line of JSON.
    fn next_line(&mut self) -> io::Result<Option<Line>> {
        match self {
            Self::Lines { first, rest } => match first.take() {
                Some(line) => Ok(Some(line)),
                None => read_line(rest),
            },
            Self::Yaml(checks) => Ok(checks.next().map(|check| Line {
                bytes: check.to_string().into_bytes(),
                is_last_so_far: false,
            })),
        }
    }
}

fn read_line(lines: &mut BufReader<Box<dyn Read>>) -> io::Result<Option<Line>> {
    let Some(bytes) = input::next_line(lines)? else {
        return Ok(None);
    };
    Ok(Some(Line {
        bytes,
        is_last_so_far: !lines.buffer().contains(&b'\n'),
    }))
}

/// Whether a file begins with YAML.
fn is_yaml(first_line: &[u8]) -> bool {
    match std::str::from_utf8(first_line) {
        Ok(line) => line.trim_start().starts_with('#') || gbac_formats::yaml::looks_like_yaml(line),
        Err(_) => false,
    }
}

/// The error of a line: an invalid check, or an audit event or a service that failed.
enum LineError {
    Check { code: &'static str, message: String },
    Fatal(Failure),
}

impl From<CheckError> for LineError {
    fn from(error: CheckError) -> Self {
        Self::Check {
            code: error.code(),
            message: redacted(&error.to_string()),
        }
    }
}

impl From<SignInError> for LineError {
    fn from(error: SignInError) -> Self {
        match error {
            SignInError::Check(error) => error.into(),
            SignInError::Call(error) => Self::Fatal(error.into()),
        }
    }
}

/// Maximum number of cached identities; most files repeat users.
const MAX_IDENTITIES: usize = 4096;

/// Evaluates a file of checks, and caches prepared identities.
struct Evaluator<'a> {
    policy: &'a Policy,
    rules: &'a BrokerRules,
    sign_in: SignIn<'a>,
    log: Option<&'a mut AuditLog>,
    identities: HashMap<String, Result<(ResolvedIdentity, PreparedIdentity), TokenRefusal>>,
    /// The time of decisions about checks without a time.
    at: At,
}

/// The answer to a check, or the refusal of its token.
type Answered = Result<Result<Answer, TokenRefusal>, LineError>;

impl Evaluator<'_> {
    /// The ID of a check, and its answer.
    fn evaluate_line(&mut self, line: &str) -> (Option<Value>, Answered) {
        match check_from_json(line) {
            Ok(check) => {
                let id = match &check.id {
                    Some(id) => gbac_json::parse(id).ok(),
                    None => None,
                };
                (id, self.evaluate(&check))
            }
            Err(problems) => (id_of(line), Err(invalid_check(&problems))),
        }
    }

    fn evaluate(&mut self, check: &Check) -> Answered {
        if self.identities.len() > MAX_IDENTITIES {
            self.identities.clear();
        }
        let known = match self.identities.entry(key(&check.subject)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => {
                let signed_in = self.sign_in.resolve(self.policy, &check.subject)?;
                free.insert(signed_in.map(|resolved| {
                    let prepared = PreparedIdentity::new(self.policy, resolved.identity.clone());
                    (resolved, prepared)
                }))
            }
        };
        let (resolved, prepared) = match known {
            Ok(known) => known,
            Err(refusal) => {
                if let Some(log) = &mut self.log {
                    log.record_refusal(refusal, check, self.at)
                        .map_err(LineError::Fatal)?;
                }
                return Ok(Err(refusal.clone()));
            }
        };
        let rules = self.rules;
        let answer = rules.evaluate(self.policy, prepared, check, self.at)?;
        if let Some(log) = &mut self.log {
            log.record(resolved, check, &answer, self.at)
                .map_err(LineError::Fatal)?;
        }
        Ok(Ok(answer))
    }
}

/// A cache key: equal only for subjects that name the same user in the same way.
fn key(who: &Subject) -> String {
    match who {
        Subject::Names { user, groups } => joined("names", user, groups),
        Subject::Principal { principal, groups } => {
            joined("principal", &principal.to_string(), groups)
        }
        Subject::Claims { claims, userinfo } => {
            with_userinfo("claims", &claims.to_string(), userinfo.as_ref())
        }
        Subject::UnverifiedToken { token, userinfo } => {
            with_userinfo("unverified", token, userinfo.as_ref())
        }
        Subject::Token { token, userinfo } => with_userinfo("token", token, userinfo.as_ref()),
    }
}

fn with_userinfo(kind: &str, first: &str, userinfo: Option<&ClaimSet>) -> String {
    match userinfo {
        Some(userinfo) => joined(kind, first, &[userinfo.to_string()]),
        None => joined(kind, first, &[]),
    }
}

/// The parts with their lengths, because names may contain any character.
fn joined(kind: &str, first: &str, others: &[String]) -> String {
    let mut key = format!("{kind}{}:{first}", first.len());
    for part in others {
        key.push_str(&format!("{}:{part}", part.len()));
    }
    key
}

fn invalid_check(problems: &Problems) -> LineError {
    let code = match problems.0.first() {
        Some(problem) => problem.code.as_str(),
        None => "check_invalid",
    };
    let message = redacted(&problems.to_string()).replace('\n', "; ");
    LineError::Check { code, message }
}

/// The ID of a line that is JSON but not a check, for its error.
fn id_of(line: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(line).ok()?;
    value.get("id").cloned()
}

fn not_text(error: Utf8Error) -> LineError {
    LineError::Check {
        code: "not_utf8",
        message: files::not_utf8(error),
    }
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

//! Tests of malformed requests against the built `gbac serve`: every error response has a code, no
//! error allows anything, and no response repeats a secret.
//!
//! `GBAC_CASES` is the number of requests, `GBAC_SEED` the seed of the generator.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::support::program;
use gbac_engine::model::{Operation, ResourceType};
use gbac_json::policy_from_json;
use gbac_tests::bad_requests::{BadRequest, Credentials, Random, Target};
use gbac_tests::oracle::{Facts, OracleQuestion, decide};
use serde_json::Value;
use tempfile::TempDir;

/// The number of the short form. The long form has more, limited to an hour.
const CASES: u64 = 2_000;
const MOST: u64 = 20_000;

/// A service that ends with the test.
struct Service {
    child: Child,
    folder: TempDir,
    target: Target,
    is_demo: bool,
}

/// A response.
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Service {
    fn start(mode: &str, may_be_right: bool) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let password = format!("correct-horse-battery-{mode}");
        let mut command = program::process();
        let is_demo = mode == "demo";
        command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .env("GBAC_ADMIN_PASSWORD", &password);
        if is_demo {
            command.arg("--demo");
        } else {
            command.arg("--data").arg(folder.path().join("data"));
        }
        let log = File::create(folder.path().join("log")).expect("a file");
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("gbac starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("a pipe"))
            .read_line(&mut line)
            .expect("a line");
        let address = line
            .trim()
            .strip_prefix("listening on http://")
            .expect("an address")
            .to_owned();
        let target = Target {
            address,
            password,
            token: None,
            may_be_right,
        };
        let mut service = Self {
            child,
            folder,
            target,
            is_demo,
        };
        for logger in [
            "main", "audit", "oidc", "request", "security", "store", "upstream",
        ] {
            let path = format!("/v1/config/log_level/{logger}?level=trace&expires=0");
            assert_eq!(service.admin("PUT", &path, "").status, 200);
        }
        let audit = r#"{"upsert":{"audit_enabled":true},"remove":[]}"#;
        assert_eq!(
            service.admin("PUT", "/v1/cluster_config", audit).status,
            200
        );
        if is_demo {
            let people: Value =
                serde_json::from_slice(&service.admin("GET", "/demo/idp/people", "").body)
                    .expect("JSON");
            service.target.token = people[0]["token"].as_str().map(str::to_owned);
        }
        service
    }

    /// Sends bytes on a new connection.
    fn send(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = TcpStream::connect(&self.target.address).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("a timeout");
        // A service that refuses early may not read the rest.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let read = stream.read_to_end(&mut answer);
        let end = answer.windows(4).position(|window| window == b"\r\n\r\n");
        let Some(end) = end else {
            assert!(
                read.is_err() || answer.is_empty(),
                "half an answer: {}",
                String::from_utf8_lossy(&answer)
            );
            return None;
        };
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .expect("a status");
        Some(Answer {
            status,
            head,
            body: answer[end + 4..].to_vec(),
        })
    }

    fn admin(&self, method: &str, path: &str, body: &str) -> Answer {
        let Target {
            address, password, ..
        } = &self.target;
        let credentials = STANDARD.encode(format!("admin:{password}"));
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Basic {credentials}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        self.send(request.as_bytes()).expect("an answer")
    }

    fn policy(&self) -> String {
        String::from_utf8(self.admin("GET", "/gbac/v1/policy", "").body).expect("text")
    }

    /// Everything that the service wrote: its log and its audit log.
    fn written(&self) -> String {
        let files = ["log", "data/audit.jsonl", "data/changes.jsonl"]
            .map(|name| self.folder.path().join(name));
        files
            .iter()
            .filter_map(|file| fs::read(file).ok())
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .collect()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Public paths.
const PUBLIC: [&str; 4] = [
    "/gbac/v1/service",
    "/v1/cluster_config/schema",
    "/.well-known/authzen-configuration",
    "/metrics",
];
const READS: [&str; 2] = ["GetRole", "ListRoles"];

/// Whether a request without the superuser's credentials may succeed.
fn may_succeed(request: &BadRequest, is_demo: bool) -> bool {
    let path = request.path();
    let path = path.strip_prefix("http://evil.example").unwrap_or(&path);
    let is_safe = ["GET", "HEAD", "OPTIONS"].contains(&request.method.as_str());
    let is_api = ["/v1/", "/gbac/", "/access/"]
        .iter()
        .any(|api| path.starts_with(api))
        || path.contains("SecurityService/");
    let is_read =
        is_safe || path.starts_with("/access/") || READS.iter().any(|read| path.ends_with(read));
    // Given credentials must be valid, even if none are required.
    let reads = is_demo && is_read && request.credentials == Credentials::None;
    PUBLIC.contains(&path) || !is_api || reads
}

/// The fault of an error response without a code.
fn without_code(path: &str, body: &[u8]) -> Option<String> {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return Some("the refusal is not JSON".into());
    };
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    let coded = |value: &Value| {
        (is_text(&value["code"]) || value["code"].is_u64()) && is_text(&value["message"])
    };
    // The platform's format: the errors by property.
    let by_property = path.starts_with("/v1/cluster_config")
        && value
            .as_object()
            .is_some_and(|members| !members.is_empty() && members.values().all(is_text));
    if !coded(&value) && !by_property {
        return Some(format!("no code: {value}"));
    }
    let problems = value["problems"].as_array().into_iter().flatten();
    problems
        .filter(|problem| !coded(problem))
        .map(|problem| format!("no code: {problem}"))
        .next()
}

/// Compares a permitted AuthZEN evaluation with the oracle; returns the fault if it should be
/// denied.
fn wrongly_allowed(request: &BadRequest, body: &[u8], facts: &Facts) -> Option<String> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    let answers = answer["evaluations"]
        .as_array()
        .cloned()
        .unwrap_or_else(|| vec![answer.clone()]);
    let sent = std::str::from_utf8(&request.body)
        .ok()
        .and_then(|text| gbac_json::parse(text).ok());
    for (place, answer) in answers.iter().enumerate() {
        let context = &answer["context"];
        if answer["decision"] != true {
            let has_code = context["error"]["code"].is_string() || context["outcome"] == "deny";
            if !has_code {
                return Some(format!("a denial without a code: {answer}"));
            }
            continue;
        }
        let Some(sent) = &sent else {
            return Some("permitted, and the question cannot be read".into());
        };
        let part = |name: &str| {
            let own = sent["evaluations"]
                .get(place)
                .and_then(|one| one.get(name))
                .filter(|value| !value.is_null());
            own.unwrap_or(&sent[name]).clone()
        };
        let Some(query) = query_of(
            &part("subject"),
            &part("action"),
            &part("resource"),
            &part("context"),
        ) else {
            return Some(format!("permitted, and the oracle cannot read it: {sent}"));
        };
        if decide(facts, &query).outcome != "allow" {
            return Some(format!("permitted, and the oracle denies it: {query:?}"));
        }
    }
    None
}

/// Converts an evaluation for the oracle, which supports users with groups, and one operation on
/// one resource.
fn query_of(
    subject: &Value,
    action: &Value,
    resource: &Value,
    context: &Value,
) -> Option<OracleQuestion> {
    let groups = match &subject["properties"]["groups"] {
        Value::Null => Vec::new(),
        Value::Array(groups) => groups
            .iter()
            .map(|group| group.as_str().map(str::to_owned))
            .collect::<Option<_>>()?,
        _ => return None,
    };
    let resource_type = resource["type"].as_str()?.parse::<ResourceType>().ok()?;
    let name = resource["id"].as_str()?;
    Some(OracleQuestion {
        user: (subject["type"] == "user").then(|| subject["id"].as_str().map(str::to_owned))??,
        groups,
        operation: action["name"].as_str()?.parse::<Operation>().ok()?,
        resource_type,
        name: if name.is_empty() && resource_type == ResourceType::Cluster {
            "kafka-cluster"
        } else {
            name
        }
        .to_owned(),
        host: match &context["host"] {
            Value::Null => None,
            host => Some(host.as_str()?.parse().ok()?),
        },
    })
}

/// All faults of a service's response to a request.
fn faults(service: &Service, request: &BadRequest, answer: Option<&Answer>) -> Vec<String> {
    let mut faults = Vec::new();
    let Some(Answer { status, head, body }) = answer else {
        // The service may close the connection before a large request is sent.
        if request.bytes().len() < 60_000 && !request.breaks_http {
            faults.push("no answer".into());
        }
        return faults;
    };
    let path = request.path();
    let ours = match status {
        501 => !path.contains("SecurityService"),
        // There is no provider whose keys could be refreshed.
        503 => !path.ends_with("RefreshOidcKeys"),
        status => *status >= 500,
    };
    if ours {
        faults.push(format!("status {status}"));
    }
    if *status >= 400 && request.method != "HEAD" {
        // Responses to invalid HTTP have no body.
        let is_own = body.is_empty() && (request.breaks_http || request.bytes().len() > 60_000);
        faults.extend((!is_own).then(|| without_code(&path, body)).flatten());
    }
    let succeeded = *status < 400;
    if succeeded
        && request.credentials != Credentials::Right
        && !request.breaks_http
        && !may_succeed(request, service.is_demo)
    {
        faults.push(format!(
            "status {status} without the superuser's credentials"
        ));
    }
    if succeeded && path.contains("/access/v1/evaluation") {
        let policy = policy_from_json(&service.policy()).expect("a policy");
        let superusers = policy.settings().superusers.iter().cloned().collect();
        let facts = Facts {
            acls: policy.acls().collect(),
            roles: policy.roles().collect(),
            superusers,
        };
        faults.extend(wrongly_allowed(request, body, &facts));
    }
    // A success may return accepted names; an error repeats nothing.
    let shown = if succeeded {
        head.clone()
    } else {
        format!("{head}\n{}", String::from_utf8_lossy(body))
    };
    let secrets = request.secrets.iter().chain([&service.target.password]);
    faults.extend(
        secrets
            .filter(|secret| shown.contains(secret.as_str()))
            .map(|secret| format!("repeats `{secret}`: {shown}")),
    );
    faults
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
}

#[test]
fn whatever_is_sent_is_refused_with_a_code_and_keeps_secrets() {
    let seed = number("GBAC_SEED", 20_270_115);
    eprintln!("GBAC_SEED={seed}");
    let mut random = Random::new(seed);
    // The closed service never gets valid credentials, so nothing may change there.
    let services = [
        Service::start("demo", true),
        Service::start("open", true),
        Service::start("closed", false),
    ];
    let before = services[2].policy();
    let (mut secrets, mut found, mut refused, mut answered) = (Vec::new(), Vec::new(), 0, 0);
    for case in 0..number("GBAC_CASES", CASES).min(MOST) {
        let service = random.pick(&services);
        let request = BadRequest::new(&mut random, &service.target);
        let answer = service.send(&request.bytes());
        refused += u32::from(answer.as_ref().is_some_and(|answer| answer.status >= 400));
        answered += u32::from(answer.as_ref().is_some_and(|answer| answer.status < 400));
        for fault in faults(service, &request, answer.as_ref()) {
            let bytes = String::from_utf8_lossy(&request.bytes())
                .chars()
                .take(600)
                .collect::<String>();
            found.push(format!(
                "case {case}: {}\n{bytes}\n",
                fault.chars().take(600).collect::<String>()
            ));
        }
        secrets.extend(request.secrets);
    }
    assert!(
        found.is_empty(),
        "{} faults:\n{}",
        found.len(),
        found[..found.len().min(8)].join("\n")
    );
    assert!(
        refused > 500 && answered > 50,
        "{refused} refused, {answered} answered"
    );
    assert_eq!(
        services[2].policy(),
        before,
        "nobody with the right credentials was there"
    );
    for service in &services {
        assert_eq!(service.admin("GET", "/readyz", "").status, 200);
        let written = service.written();
        assert!(!written.contains("panicked"), "{written}");
        assert!(written.contains(" request "), "what is asked is logged");
        for secret in secrets.iter().chain([&service.target.password]) {
            let line = written.lines().find(|line| line.contains(secret.as_str()));
            assert_eq!(line, None, "`{secret}` is in the log");
        }
    }
}

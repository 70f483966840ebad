//! `gbac watch`: changes of the policy and denied decisions of a service, filtered, until Ctrl-C.

use std::io::{BufRead, BufReader, Lines, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, ChildStdout, Stdio};

use crate::support::program::{self, program};
use crate::support::schemas::checked;
use crate::support::service::Service;
use serde_json::{Value, json};

/// A running `gbac watch`.
struct Watch {
    child: Child,
    out: Lines<BufReader<ChildStdout>>,
    err: Lines<BufReader<ChildStderr>>,
}

impl Watch {
    fn start(service: &Service, args: &[&str]) -> Self {
        let mut command = program::process();
        command
            .arg("watch")
            .args(args)
            .env("XDG_CONFIG_HOME", service.folder.path());
        command.envs([
            ("GBAC_URL", service.url.as_str()),
            ("GBAC_USER", "admin"),
            ("GBAC_PASSWORD", "demo"),
        ]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("gbac starts");
        let out = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut err = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let first = err.next().expect("a line").expect("text");
        assert!(
            first.starts_with(&format!("Watching {} from state ", service.url)),
            "{first}"
        );
        assert!(
            first.ends_with(
                ": changes of the policy, and denied decisions in the audit log; Ctrl-C ends it"
            ),
            "{first}"
        );
        Self { child, out, err }
    }

    fn line(&mut self) -> String {
        self.out.next().expect("a line").expect("text")
    }

    fn value(&mut self) -> Value {
        let line = self.line();
        let args = ["watch", "--format", "json"];
        assert_eq!(checked(&args, 0, &line).len(), 1, "{line}");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Presses Ctrl-C; returns the exit code and the other lines.
    fn interrupt(mut self) -> (Option<i32>, Vec<String>) {
        let interrupted = program("kill")
            .args(["-INT", &self.child.id().to_string()])
            .status();
        assert!(interrupted.expect("kill").success());
        let lines = self
            .out
            .by_ref()
            .chain(self.err.by_ref())
            .map(|line| line.expect("text"))
            .collect();
        (self.child.wait().expect("it ends").code(), lines)
    }
}

/// Asks the service for a decision, as a gateway does.
fn evaluate(service: &Service, user: &str, topic: &str) {
    let body = json!({ "subject": { "type": "user", "id": user }, "action": { "name": "read" },
        "resource": { "type": "topic", "id": topic } })
    .to_string();
    let address = service.url.strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(address).expect("it listens");
    let length = body.len();
    // admin:demo
    write!(
        stream,
        "POST /access/v1/evaluation HTTP/1.1\r\nhost: {address}\r\nauthorization: Basic YWRtaW46ZGVtbw==\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .expect("a request");
    let answer = BufReader::new(stream)
        .lines()
        .map_while(Result::ok)
        .collect::<Vec<_>>()
        .join("\n");
    assert!(answer.contains("\"decision\":false"), "{answer}");
}

const CREATE: [&str; 8] = [
    "create",
    "--allow-principal",
    "User:watched",
    "--operation",
    "read",
    "--topic",
    "watched-topic",
    "--allow-host=*",
];

#[test]
fn a_change_and_a_denied_decision_are_shown_and_control_c_ends_with_zero() {
    let service = Service::start();
    let mut watch = Watch::start(&service, &[]);
    let _ = service.acl(&CREATE).done();
    assert!(watch.line().starts_with("The policy changed from state "));
    assert_eq!(
        watch.line(),
        "  Add Allow Read, topic watched-topic literal, of User:watched"
    );
    assert_eq!(watch.line(), "The new policy only adds access.");
    assert_eq!(watch.line(), "");
    assert!(watch.line().starts_with("PRINCIPAL "));
    assert!(watch.line().starts_with("User:watched  Gains "));
    evaluate(&service, "stranger", "orders");
    let denied = watch.line();
    assert!(
        denied.contains(" UTC Denied: User:stranger ") && denied.contains(" orders"),
        "{denied}"
    );
    assert_eq!(watch.interrupt(), (Some(0), Vec::new()));
}

#[test]
fn turning_auditing_off_and_on_is_shown() {
    let service = Service::start();
    let mut watch = Watch::start(&service, &[]);
    for (value, says) in [
        ("false", "Auditing was turned off: "),
        ("true", "Auditing was turned on: "),
    ] {
        assert_eq!(
            service
                .run(&["cluster", "config", "set", "audit_enabled", value])
                .exit,
            0
        );
        let line = watch.err.next().expect("a line").expect("text");
        assert!(line.starts_with(says), "{line}");
    }
    assert_eq!(watch.interrupt(), (Some(0), Vec::new()));
}

#[test]
fn only_what_concerns_the_principal_or_the_resource_is_shown() {
    let service = Service::start();
    let mut of_principal = Watch::start(&service, &["--principal", "User:watched", "-o", "json"]);
    let mut of_topic = Watch::start(&service, &["--topic", "watched-topic", "-o", "json"]);
    // Neither concerns them.
    let other = [
        "create",
        "--allow-principal",
        "User:other",
        "--operation",
        "read",
        "--topic",
        "other-topic",
    ];
    let _ = service.acl(&other).done();
    evaluate(&service, "other", "payments-none");
    // Each concerns one of them.
    evaluate(&service, "watched", "payments-none");
    evaluate(&service, "other", "watched-topic");
    let denied = of_principal.value();
    assert_eq!(
        (&denied["event"], &denied["user"]),
        (&json!("denied"), &json!("watched")),
        "{denied}"
    );
    let denied = of_topic.value();
    assert_eq!(
        (&denied["resource_name"], &denied["user"]),
        (&json!("watched-topic"), &json!("other")),
        "{denied}"
    );
    let _ = service.acl(&CREATE).done();
    for watch in [&mut of_principal, &mut of_topic] {
        let changed = watch.value();
        assert_eq!(changed["event"], "policy_changed", "{changed}");
        assert_eq!(
            changed["changes"].as_array().expect("changes").len(),
            1,
            "{changed}"
        );
        assert_eq!(
            changed["changes"][0]["acl"]["principal"], "User:watched",
            "{changed}"
        );
        assert_eq!(
            changed["effect"]["differences"]
                .as_array()
                .expect("differences")
                .len(),
            1,
            "{changed}"
        );
    }
    // A role whose name is the principal's is another principal.
    let _ = service.role(&["create", "watched"]).done();
    let _ = service
        .acl(&[
            "delete",
            "--allow-principal",
            "User:watched",
            "--no-confirm",
        ])
        .done();
    let changed = of_principal.value();
    assert_eq!(changed["changes"][0]["change"], "remove_acl", "{changed}");
    for watch in [of_principal, of_topic] {
        assert_eq!(watch.interrupt().0, Some(0));
    }
}

#[test]
fn a_service_that_cannot_be_reached_at_first_is_an_error() {
    let nobody = program::Nobody::there();
    let folder = tempfile::tempdir().expect("a folder");
    let failed =
        crate::support::service::run(&folder, &[("GBAC_URL", &nobody.url())], &["watch"]).failed(1);
    assert!(failed.contains("cannot reach"), "{failed}");
}

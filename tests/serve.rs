//! Tests of `gbac serve`: refused options, and the output of a first start.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::program;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gbac_tests::folder::Folder;
use serde_json::Value;

fn serve(args: &[&str]) -> Command {
    let mut command = program::process();
    command.arg("serve").args(args);
    command
}

/// The exit code and standard error of a refused start.
fn refused(args: &[&str]) -> (i32, String) {
    // The port is in use, so other errors must be reported before it is opened.
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let listen = ["--listen", address.as_str()];
    let listen = if args.contains(&"--listen") {
        &[][..]
    } else {
        &listen
    };
    let run = program::run_program(serve(&[args, listen].concat()), Path::new("."));
    assert!(run.out.is_empty(), "{args:?}");
    (run.exit, run.err)
}

/// A service that runs until the test ends.
struct Running(Child);

impl Running {
    /// Starts it, and waits for the ready line.
    fn start(data: &Path, password: Option<&str>) -> (Self, String) {
        let mut command = serve(&["--listen", "127.0.0.1:0", "--data"]);
        command
            .arg(data)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(password) = password {
            command.env("GBAC_ADMIN_PASSWORD", password);
        }
        let mut child = command.spawn().expect("gbac starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("a pipe"))
            .read_line(&mut line)
            .expect("a line");
        (Self(child), line)
    }

    /// Ends it and returns its standard error.
    fn end(mut self) -> String {
        self.0.kill().expect("it can be killed");
        self.0.wait().expect("it ends");
        let mut text = String::new();
        self.0
            .stderr
            .take()
            .expect("a pipe")
            .read_to_string(&mut text)
            .expect("text");
        text
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn flags_that_exclude_or_need_each_other_are_wrong_usage() {
    for (args, named) in [
        (&[][..], &["--data"][..]),
        (&["--demo", "--data", "x"], &["--demo", "--data"]),
        (
            &["--demo", "--oidc-discovery-url", "https://id.example"],
            &["--demo", "--oidc-discovery-url"],
        ),
        (
            &["--demo", "--oidc-audience", "x"],
            &["--demo", "--oidc-audience"],
        ),
        (
            &["--demo", "--oidc-client-id", "x"],
            &["--demo", "--oidc-client-id"],
        ),
        (
            &["--data", "x", "--oidc-client-secret-file", "f"],
            &["--oidc-client-id"],
        ),
        (
            &["--data", "x", "--oidc-scope", "openid"],
            &["--oidc-client-id"],
        ),
        (
            &["--demo", "--admin-user", "x"],
            &["--demo", "--admin-user"],
        ),
        (
            &["--demo", "--insecure-listen"],
            &["--demo", "--insecure-listen"],
        ),
        (&["--data", "x", "--tls-cert", "c.pem"], &["--tls-key"]),
        (&["--data", "x", "--tls-key", "k.pem"], &["--tls-cert"]),
        (
            &["--data", "x", "--license", "trial"],
            &["trial", "expired"],
        ),
    ] {
        let (exit, text) = refused(args);
        assert_eq!(exit, 64, "{args:?}: {text}");
        assert!(
            named.iter().all(|flag| text.contains(flag)),
            "{args:?}: {text}"
        );
    }
}

#[test]
fn faults_are_said_with_what_to_do() {
    let folder = Folder::new("serve-faults");
    let data = folder.text();
    for (args, exit, says) in [
        (
            &["--data", data, "--listen", "0.0.0.0:0"][..],
            64,
            "--insecure-listen",
        ),
        (
            &["--data", data, "--oidc-discovery-url", "http://id.example"],
            64,
            "--oidc-discovery-url",
        ),
        (
            &["--data", data, "--oidc-client-id", ""],
            64,
            "the client ID is empty",
        ),
        (
            &[
                "--data",
                data,
                "--oidc-client-id",
                "x",
                "--oidc-scope",
                "groups",
            ],
            64,
            "do not include `openid`",
        ),
        (
            &[
                "--data",
                data,
                "--oidc-client-id",
                "x",
                "--public-url",
                "http://gbac.example",
            ],
            64,
            "--public-url",
        ),
        (
            &[
                "--data",
                data,
                "--oidc-client-id",
                "x",
                "--oidc-client-secret-file",
                "/no/secret",
            ],
            1,
            "`/no/secret`",
        ),
        (
            &["--data", data, "--public-url", "gbac.example"],
            64,
            "`gbac.example` is not a public URL",
        ),
        (
            &["--demo", "--public-url", "gbac.example"],
            64,
            "`gbac.example` is not a public URL",
        ),
        (
            &["--demo", "--public-host", "gbac.example,https://x"],
            64,
            "`https://x` is not a public host",
        ),
        (
            &["--demo", "--trusted-proxy", "10.0.0.0/8,proxy.example"],
            64,
            "`proxy.example` is not an IP address or network",
        ),
        (
            &["--demo", "--trusted-proxy", "0.0.0.0/0"],
            64,
            "`0.0.0.0/0` is not an IP address or network",
        ),
        (
            &["--demo", "--max-connections", "0"],
            64,
            "`--max-connections` is 0",
        ),
        (
            &[
                "--demo",
                "--max-connections",
                "9",
                "--max-connections-per-address",
                "9",
            ],
            64,
            "must be less than the total of 9",
        ),
        (
            &["--demo", "--max-connections", "1000000000000"],
            1,
            "ulimit -n",
        ),
        (
            &["--demo", "--upstream-admin", "cluster.example"],
            64,
            "--upstream-",
        ),
        (&["--demo"], 1, "is already in use"),
        (
            &[
                "--data",
                data,
                "--tls-cert",
                "/no/cert.pem",
                "--tls-key",
                "/no/key.pem",
            ],
            1,
            "`/no/cert.pem`",
        ),
        (
            &["--demo", "--listen", "0.0.0.0:0"],
            64,
            "a demo listens on loopback only",
        ),
    ] {
        let (found, text) = refused(args);
        assert_eq!(found, exit, "{args:?}: {text}");
        assert!(text.contains(says), "{args:?}: {text}");
    }
    assert!(
        !folder.path().exists(),
        "nothing is made before everything is right"
    );
}

#[test]
fn a_first_start_shows_the_password_once_and_the_folder_is_its_own() {
    let folder = Folder::new("serve-first");
    let (first, line) = Running::start(folder.path(), None);
    assert!(line.starts_with("listening on http://127.0.0.1:"), "{line}");
    let (exit, text) = refused(&["--listen", "127.0.0.1:0", "--data", folder.text()]);
    assert_eq!(exit, 1);
    assert!(text.contains("another process uses the folder"), "{text}");
    let output = first.end();
    assert!(
        output.contains("the password of `admin` is `") && output.contains("it is shown only once"),
        "{output}"
    );
    let (second, _) = Running::start(folder.path(), None);
    assert!(!second.end().contains("password"));
    let (third, _) = Running::start(folder.path(), Some("a password, and a new one"));
    assert!(!third.end().contains("a new one"));
}

/// Sends one request on a new connection, and returns the whole response.
fn ask(address: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let length = body.len();
    let rest = format!(
        "content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    let (line, headers) = head.split_once('\n').unwrap_or((head, ""));
    let headers = headers
        .lines()
        .map(|header| format!("{header}\r\n"))
        .collect::<String>();
    write!(
        stream,
        "{line} HTTP/1.1\r\nhost: {address}\r\n{headers}{rest}"
    )
    .expect("it takes a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer
}

#[test]
fn security_at_debug_writes_the_claims_of_validated_tokens_and_no_token() {
    let mut child = serve(&["--demo", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("gbac starts");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("a pipe"))
        .read_line(&mut line)
        .expect("a line");
    let (service, address) = (
        Running(child),
        line.trim()
            .strip_prefix("listening on http://")
            .expect("an address"),
    );
    let people = ask(address, "GET /demo/idp/people", "");
    let (_, people) = people.split_once("\r\n\r\n").expect("a body");
    let people: Value = serde_json::from_str(people).expect("JSON");
    let token = people[0]["token"].as_str().expect("a token");
    let path = "POST /service.core.admin.v2.SecurityService/ResolveOidcIdentity";
    let resolve = || {
        ask(
            address,
            &format!("{path}\nauthorization: Bearer {token}"),
            "{}",
        )
    };
    assert!(resolve().contains("\"principal\":\"maya.okafor\""));
    let admin = STANDARD.encode("admin:demo");
    let debug =
        format!("PUT /v1/config/log_level/security?level=debug\nauthorization: Basic {admin}");
    assert!(ask(address, &debug, "").contains("\"new_level\":\"debug\",\"expiration\":300"));
    assert!(resolve().starts_with("HTTP/1.1 200 "));
    assert!(
        ask(
            address,
            &format!("{path}\nauthorization: Bearer {token}x"),
            "{}"
        )
        .starts_with("HTTP/1.1 401 ")
    );
    let written = service.end();
    let log_lines: Vec<&str> = written
        .lines()
        .filter(|line| line.contains(" security "))
        .collect();
    let [line] = log_lines.as_slice() else {
        panic!("one line, of the token that was validated at debug: {written}")
    };
    assert!(
        line.contains(r#" DEBUG security claims of a validated token: {""#),
        "{line}"
    );
    assert!(
        line.contains(r#""sub":"maya.okafor""#)
            && line.contains(r#""groups":"engineering, analytics"#),
        "{line}"
    );
    assert!(
        token.split('.').all(|part| !written.contains(part)),
        "{written}"
    );
}

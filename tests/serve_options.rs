//! Where the options of `gbac serve` come from: the command line, variables, a file and systemd;
//! and its log.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::process::{Child, Command, Stdio};

use crate::support::program::gbac;
use crate::support::program::{Run, command, process, program, run};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tempfile::TempDir;

/// `gbac serve` with arguments and variables.
fn serve(folder: &TempDir, environment: &[(&str, &str)], args: &[&str]) -> Run {
    let mut command = command();
    command
        .arg("serve")
        .args(args)
        .envs(environment.iter().copied());
    run(command, folder.path(), "")
}

/// A service that runs until the test ends.
struct Running {
    child: Child,
    address: String,
}

impl Running {
    /// Starts it and reads its address.
    fn start(mut command: Command, folder: &TempDir) -> Self {
        command
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("gbac starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("a pipe"))
            .read_line(&mut line)
            .expect("a line");
        let address = line
            .trim()
            .strip_prefix("listening on http://")
            .map(str::to_owned);
        let Some(address) = address else {
            let mut error = String::new();
            let _ = child
                .stderr
                .take()
                .expect("a pipe")
                .read_to_string(&mut error);
            panic!("{line}{error}");
        };
        Self { child, address }
    }

    /// The status line and the body of a request.
    fn get(&self, path: &str, authorization: &str) -> String {
        let mut connection = TcpStream::connect(&self.address).expect("a connection");
        write!(
            connection,
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: {authorization}\r\nConnection: close\r\n\r\n",
            self.address
        )
        .expect("a request");
        let mut text = String::new();
        connection.read_to_string(&mut text).expect("a response");
        text
    }

    /// Stops it as systemd does, and returns its standard error.
    fn stop(mut self) -> String {
        let pid = self.child.id().to_string();
        assert!(
            program("kill")
                .args(["-TERM", &pid])
                .status()
                .expect("kill")
                .success()
        );
        assert!(self.child.wait().expect("it ends").success());
        let mut text = String::new();
        self.child
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
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

#[test]
fn a_file_starts_a_service_that_logs_json_and_signs_in_with_a_password_file() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("password"), "correct horse battery\n").expect("a file");
    let file = "# The options of this service\n[serve]\ndata = \"data\"\nlisten = \"127.0.0.1:0\"\nadmin-user = \"ann\"\n\
                admin-password-file = \"password\"\nlog-format = \"json\"\nlog-level = [\"warn\", \"main=info\", \"request=debug\"]\n\
                insecure-listen = false\nmax-requests-per-address = 7\npublic-host = [\"gbac.example\", \"other.example\"]\n";
    fs::write(folder.path().join("gbac.toml"), file).expect("a file");
    let valid = serve(&folder, &[], &["--config", "gbac.toml", "--check-config"]).done();
    let data = folder.path().canonicalize().expect("a folder").join("data");
    assert_eq!(
        valid,
        format!(
            "The options are valid. The service keeps its data in `{}` and listens on 127.0.0.1:0.\n",
            data.display()
        )
    );
    // A relative path belongs to the file, wherever the program runs.
    fs::create_dir(folder.path().join("elsewhere")).expect("a folder");
    let mut check = command();
    check.args(["serve", "--config", "../gbac.toml", "--check-config"]);
    let said = run(check, &folder.path().join("elsewhere"), "").done();
    assert!(said.contains("elsewhere/../data`"), "{said}");
    let mut command = process();
    command.args(["serve", "--config", "gbac.toml"]);
    let service = Running::start(command, &folder);
    assert!(
        service
            .get("/gbac/v1/policy", &basic("ann", "correct horse battery"))
            .starts_with("HTTP/1.1 200")
    );
    assert!(
        service
            .get("/gbac/v1/policy", &basic("ann", "wrong"))
            .starts_with("HTTP/1.1 401")
    );
    let metrics = service.get("/metrics", &basic("ann", "correct horse battery"));
    for line in [
        "gbac_failed_sign_ins_total{credentials=\"basic\"} 1",
        "gbac_build_info{version=",
    ] {
        assert!(
            metrics.lines().any(|known| known.starts_with(line)),
            "{line}: {metrics}"
        );
    }
    let log = service.stop();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect();
    let denied = lines
        .iter()
        .find(|line| line["status"] == 401)
        .expect("the refused request");
    assert_eq!(
        (&denied["level"], &denied["logger"]),
        (&"DEBUG".into(), &"request".into())
    );
    assert_eq!(
        (&denied["client"], &denied["path"]),
        (&"127.0.0.1".into(), &"/gbac/v1/policy".into())
    );
    assert!(
        lines.iter().any(|line| line["message"] == "stopped"),
        "{log}"
    );
    assert!(!log.contains("correct horse battery"), "{log}");
}

#[test]
fn the_command_line_comes_before_variables_and_variables_before_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let levels = |environment: &[(&str, &str)], args: &[&str]| {
        let all = [&["--config", "gbac.toml", "--check-config"], args].concat();
        serve(&folder, environment, &all)
    };
    fs::write(
        folder.path().join("gbac.toml"),
        "[serve]\ndemo = true\nlog-level = \"file\"\n",
    )
    .expect("a file");
    let of = |run: Run| run.failed(1);
    assert!(of(levels(&[], &[])).contains("`file` is not a log level"));
    assert!(
        of(levels(&[("GBAC_SERVE_LOG_LEVEL", "variable")], &[]))
            .contains("`variable` is not a log level")
    );
    let line = ["--log-level", "line"];
    assert!(
        of(levels(&[("GBAC_SERVE_LOG_LEVEL", "variable")], &line))
            .contains("`line` is not a log level")
    );
    let valid = levels(&[("GBAC_SERVE_LOG_LEVEL", "warn,oidc=trace")], &[]).done();
    assert!(
        valid.starts_with("The options are valid. A demo listens on "),
        "{valid}"
    );
    // The variable that names the file, and a flag that a variable takes back.
    let named = [
        ("GBAC_SERVE_CONFIG", "gbac.toml"),
        ("GBAC_SERVE_DEMO", "false"),
        ("GBAC_SERVE_LOG_LEVEL", "warn"),
    ];
    assert!(
        serve(&folder, &named, &["--check-config"])
            .failed(64)
            .contains("--data")
    );
    let admin = "[serve]\ndata = \"data\"\nadmin-user = \"a:b\"\n";
    fs::write(folder.path().join("gbac.toml"), admin).expect("a file");
    assert!(of(levels(&[], &[])).contains("`a:b`"));
    levels(&[("GBAC_ADMIN_USER", "ann")], &[]).done();
}

#[test]
fn every_mistake_is_named_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = "[serve]\ndata = 1.5\nlistn = \"127.0.0.1:0\"\nconfig = \"other.toml\"\nlicense = \"gone\"\n\
                audit-file-mib = \"many\"\ndemo = \"yes\"\ntrusted-proxy = [true]\n\n[service]\nx = 1\n";
    fs::write(folder.path().join("gbac.toml"), file).expect("a file");
    let environment = [
        ("GBAC_SERVE_LISTN", "x"),
        ("GBAC_SERVE_MAX_CONNECTIONS", "few"),
        ("GBAC_SERVE_INSECURE_LISTEN", "1"),
    ];
    let said = serve(
        &folder,
        &environment,
        &["--config", "gbac.toml", "--check-config"],
    )
    .failed(1);
    // What is wrong elsewhere is named at the same time.
    assert!(
        said.starts_with("error: 12 faults:\n") && said.contains("--data"),
        "{said}"
    );
    for part in [
        "`GBAC_SERVE_LISTN` is the variable of no option; did you mean `GBAC_SERVE_LISTEN`?",
        "GBAC_SERVE_MAX_CONNECTIONS: invalid digit found in string",
        "GBAC_SERVE_INSECURE_LISTEN: expected `true` or `false`",
        "gbac.toml: line 2: `data`: expected a text or a whole number",
        "gbac.toml: line 3: `listn` is not an option; did you mean `listen`?",
        "gbac.toml: line 4: `config` is not an option",
        "gbac.toml: line 5: `license`: expected one of valid, expired, missing",
        "gbac.toml: line 6: `audit-file-mib`: invalid digit found in string",
        "gbac.toml: line 7: `demo`: expected `true` or `false`",
        "gbac.toml: line 8: `trusted-proxy`: expected a text or a whole number",
        "gbac.toml: line 10: `service` is unknown; the options belong to the table `[serve]`",
    ] {
        assert!(said.contains(part), "{part}\nis not in\n{said}");
    }
    // What only the service can judge, all at once.
    let file = "[serve]\ndata = \"data\"\nlisten = \"0.0.0.0:0\"\noidc-audience = \"\"\noidc-max-token-lifetime = 0\n\
                public-url = \"x\"\ntrusted-proxy = [\"y\"]\nadmin-password-file = \"missing\"\nlog-level = \"z\"\n";
    fs::write(folder.path().join("gbac.toml"), file).expect("a file");
    let said = serve(&folder, &[], &["--config", "gbac.toml", "--check-config"]).failed(1);
    for part in [
        "TLS is not configured",
        "the audience",
        "lifetime",
        "`x`",
        "`y`",
        "/missing`",
        "`z` is not a log level",
    ] {
        assert!(said.contains(part), "{part}\nis not in\n{said}");
    }
    assert!(
        !folder.path().join("data").exists(),
        "a check opens nothing"
    );
    // A generated password would be a line of text between objects, and stay in the collected log.
    for check in [&["--check-config"][..], &[]] {
        let args = [
            "--data",
            "data",
            "--log-format",
            "json",
            "--listen",
            "127.0.0.1:0",
        ];
        let said = serve(&folder, &[], &[&args, check].concat()).failed(1);
        assert!(said.contains("--admin-password-file"), "{said}");
        assert!(
            !folder.path().join("data").exists(),
            "nothing is left behind"
        );
    }
    fs::write(folder.path().join("gbac.toml"), "[serve\n").expect("a file");
    assert!(
        serve(&folder, &[], &["--config", "gbac.toml"])
            .failed(1)
            .contains("gbac.toml: line 1: ")
    );
    let said = serve(
        &folder,
        &[("GBAC_ADMIN_PASSWORD", "11 of them.")],
        &["--data", "data"],
    )
    .failed(64);
    assert!(
        said.contains("fewer than 12 characters") && said.contains("--admin-password-file"),
        "{said}"
    );
    fs::write(folder.path().join("short"), "short\n").expect("a file");
    let said = serve(
        &folder,
        &[],
        &["--data", "data", "--admin-password-file", "short"],
    )
    .failed(64);
    assert!(said.contains("fewer than 12 characters"), "{said}");
    assert!(!folder.path().join("data").exists());
    let both = [("GBAC_ADMIN_PASSWORD", "x")];
    let said = serve(
        &folder,
        &both,
        &["--data", "data", "--admin-password-file", "gbac.toml"],
    )
    .failed(64);
    assert!(
        said.contains("GBAC_ADMIN_PASSWORD") && said.contains("--admin-password-file"),
        "{said}"
    );
}

#[test]
fn systemd_passes_a_socket_and_learns_when_the_service_is_ready_and_stops() {
    let folder = tempfile::tempdir().expect("a folder");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let messages = UnixDatagram::bind(folder.path().join("notify")).expect("a socket");
    // The socket is the third descriptor, as systemd passes it; LISTEN_PID names the process that
    // it is for.
    let mut command = program("sh");
    command
        .args([
            "-c",
            "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$GBAC_BIN\" serve --demo 3<&0 </dev/null",
        ])
        .env("GBAC_BIN", gbac())
        .env("NOTIFY_SOCKET", folder.path().join("notify"))
        .stdin(Stdio::from(OwnedFd::from(listener)));
    let service = Running::start(command, &folder);
    assert_eq!(service.address, address);
    assert!(
        service
            .get("/gbac/v1/service", "")
            .starts_with("HTTP/1.1 200")
    );
    let message = || {
        let mut bytes = [0; 256];
        let length = messages.recv(&mut bytes).expect("a message");
        String::from_utf8_lossy(&bytes[..length]).trim().to_owned()
    };
    assert_eq!(message(), "READY=1");
    service.stop();
    assert_eq!(message(), "STOPPING=1");
}

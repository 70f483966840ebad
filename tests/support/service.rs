//! Starts the built `gbac serve --demo` and runs `gbac` against it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread::{self, JoinHandle};

use serde_json::Value;
use tempfile::TempDir;

use super::program::{self, Run};

/// A demo that runs until the test ends, and a folder for the test's files.
#[derive(Debug)]
pub(crate) struct Service {
    child: Child,
    /// The URL.
    pub(crate) url: String,
    /// The folder in which its commands run.
    pub(crate) folder: TempDir,
}

/// Runs `gbac` with only these environment variables, separate profiles, and without a terminal.
///
/// # Panics
/// If it cannot be started, or does not end.
#[must_use]
pub(crate) fn run(folder: &TempDir, environment: &[(&str, &str)], args: &[&str]) -> Run {
    let mut command = program::command();
    command.env("XDG_CONFIG_HOME", folder.path().join("config"));
    command.args(args).envs(environment.iter().copied());
    program::run(command, folder.path(), "")
}

impl Service {
    /// Starts a demo.
    ///
    /// # Panics
    /// If it does not start.
    #[must_use]
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts a demo with additional flags.
    ///
    /// # Panics
    /// If it does not start.
    #[must_use]
    pub(crate) fn start_with(args: &[&str]) -> Self {
        let mut command = program::process();
        command
            .args(["serve", "--demo", "--listen", "127.0.0.1:0"])
            .args(args);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("gbac starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("a pipe"))
            .read_line(&mut line)
            .expect("a line");
        let url = line
            .trim()
            .strip_prefix("listening on ")
            .expect("an address")
            .to_owned();
        Self {
            child,
            url,
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    /// Runs a command against it with these environment variables.
    #[must_use]
    pub(crate) fn with(&self, environment: &[(&str, &str)], args: &[&str]) -> Run {
        run(
            &self.folder,
            &[&[("GBAC_URL", self.url.as_str())], environment].concat(),
            args,
        )
    }

    /// Runs a command as the superuser.
    #[must_use]
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.with(&[("GBAC_USER", "admin"), ("GBAC_PASSWORD", "demo")], args)
    }

    /// `gbac security acl`, as the superuser.
    #[must_use]
    pub(crate) fn acl(&self, args: &[&str]) -> Run {
        self.run(&[&["security", "acl"], args].concat())
    }

    /// `gbac security role`, as the superuser.
    #[must_use]
    pub(crate) fn role(&self, args: &[&str]) -> Run {
        self.run(&[&["security", "role"], args].concat())
    }

    /// The JSON output of a successful command.
    ///
    /// # Panics
    /// If it fails.
    #[must_use]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.run(&[&["--format", "json"], args].concat()).done())
            .expect("JSON")
    }

    /// The number of ACLs that match a filter.
    ///
    /// # Panics
    /// If it fails.
    #[must_use]
    pub(crate) fn count(&self, args: &[&str]) -> usize {
        let listed = self.json(&[&["security", "acl", "list"], args].concat());
        listed["matches"].as_array().expect("matches").len()
    }

    /// The path of a file in the folder.
    #[must_use]
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The body of a response to a request without credentials.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub(crate) fn get(&self, path: &str) -> String {
        let answer = self.ask(&format!("GET {path}"), "", "");
        answer.split_once("\r\n\r\n").expect("a body").1.to_owned()
    }

    /// Replaces what is at a path by a JSON value, as the superuser, whatever its state.
    ///
    /// # Panics
    /// If it is refused.
    pub(crate) fn replace(&self, path: &str, value: &Value) {
        // admin:demo
        let headers = "authorization: Basic YWRtaW46ZGVtbw==\r\nif-match: *\r\ncontent-type: application/json\r\n";
        let answer = self.ask(&format!("PUT {path}"), headers, &value.to_string());
        assert!(answer.starts_with("HTTP/1.1 204 "), "{answer}");
    }

    /// The response to a request with these header lines.
    fn ask(&self, target: &str, headers: &str, body: &str) -> String {
        let address = self.url.strip_prefix("http://").expect("an address");
        let mut stream = TcpStream::connect(address).expect("it listens");
        write!(
            stream,
            "{target} HTTP/1.1\r\nhost: {address}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
        .expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// A new token of the demo's provider.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub(crate) fn token(&self) -> String {
        let people: Value = serde_json::from_str(&self.get("/demo/idp/people")).expect("JSON");
        people[0]["token"].as_str().expect("a token").to_owned()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A service that responds to each connection with the next of these responses, then ends; returns
/// the received requests.
///
/// # Panics
/// If it cannot listen.
#[must_use]
pub(crate) fn answering(answers: &[&str]) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let answers: Vec<String> = answers.iter().map(|answer| (*answer).to_owned()).collect();
    let requests = thread::spawn(move || {
        let ask = |answer: String| {
            let (mut stream, _) = listener.accept().expect("a connection");
            let head = read_request(&stream);
            stream.write_all(answer.as_bytes()).expect("an answer");
            head
        };
        answers.into_iter().map(ask).collect()
    });
    (url, requests)
}

/// Reads a request to its end, and returns its head.
///
/// # Panics
/// If it is not a request.
pub(crate) fn read_request(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        head.push_str(&line);
        if line.trim().is_empty() {
            break;
        }
    }
    reader.read_exact(&mut vec![0; length]).expect("a body");
    head
}

/// An HTTP response.
#[must_use]
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

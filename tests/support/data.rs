//! The built `gbac serve --data`, and a client with a persistent connection, for tests of the
//! stored data.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::program;

/// A service with a data folder, which ends with the test.
#[derive(Debug)]
pub(crate) struct DataService {
    child: Child,
    /// Its address and port.
    pub(crate) address: String,
}

impl DataService {
    /// Starts it; a given password becomes the admin's.
    ///
    /// # Panics
    /// If it does not start.
    #[must_use]
    pub(crate) fn start(folder: &Path, password: Option<&str>) -> Self {
        Self::start_with(folder, password, &[])
    }

    /// The same with more options.
    ///
    /// # Panics
    /// If it does not start.
    #[must_use]
    pub(crate) fn start_with(folder: &Path, password: Option<&str>, options: &[&str]) -> Self {
        Self::start_in(folder, password, options, &[])
    }

    /// The same with more variables.
    ///
    /// # Panics
    /// If it does not start.
    #[must_use]
    pub(crate) fn start_in(
        folder: &Path,
        password: Option<&str>,
        options: &[&str],
        variables: &[(&str, &Path)],
    ) -> Self {
        let mut command = program::process();
        command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(options)
            .arg("--data")
            .arg(folder);
        command.envs(variables.iter().copied());
        if let Some(password) = password {
            command.env("GBAC_ADMIN_PASSWORD", password);
        }
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("gbac starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe"))
            .read_line(&mut line)
            .expect("a line");
        let address = line
            .trim()
            .strip_prefix("listening on http://")
            .expect("an address")
            .to_owned();
        Self { child, address }
    }

    /// The URL.
    #[must_use]
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for DataService {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection of the admin.
#[derive(Debug)]
pub(crate) struct DataClient {
    stream: BufReader<TcpStream>,
    head: String,
}

impl DataClient {
    /// Connects to a service.
    ///
    /// # Errors
    /// Nothing listens.
    pub(crate) fn connect(service: &DataService, password: &str) -> io::Result<Self> {
        let stream = BufReader::new(TcpStream::connect(&service.address)?);
        let credentials = STANDARD.encode(format!("admin:{password}"));
        let head = format!(
            "host: {}\r\nauthorization: Basic {credentials}\r\ncontent-type: application/json\r\n",
            service.address
        );
        Ok(Self { stream, head })
    }

    /// Sends a request, and returns the status and the body of the response.
    ///
    /// # Errors
    /// The service has ended.
    ///
    /// # Panics
    /// If the response is not HTTP.
    pub(crate) fn ask(
        &mut self,
        method: &str,
        path: &str,
        body: &str,
    ) -> io::Result<(u16, Vec<u8>)> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{}content-length: {}\r\n\r\n{body}",
            self.head,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut status, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end();
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest[..3].parse().expect("a status");
            } else if let Some((name, value)) = line.split_once(':') {
                if name.eq_ignore_ascii_case("content-length") {
                    length = value.trim().parse().expect("a length");
                }
            } else {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok((status, body))
    }

    /// The policy document.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub(crate) fn policy(&mut self) -> Value {
        let (status, body) = self.ask("GET", "/gbac/v1/policy", "").expect("an answer");
        assert_eq!(status, 200);
        serde_json::from_slice(&body).expect("JSON")
    }
}

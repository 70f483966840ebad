//! HTTP/1.1 with one request for each connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// A request.
#[derive(Debug, Clone)]
pub struct HttpRequest {
    /// The method.
    pub method: String,
    /// The path with its query, as it was sent.
    pub target: String,
    /// The segments of the path, decoded.
    pub segments: Vec<String>,
    /// The parameters of the query, decoded.
    pub query: Vec<(String, String)>,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl HttpRequest {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// The value of a parameter.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub struct HttpAnswer {
    /// The status.
    pub status: u16,
    /// The headers besides the length.
    pub headers: String,
    /// The body.
    pub body: String,
}

impl HttpAnswer {
    /// An answer in JSON.
    #[must_use]
    pub fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            headers: "content-type: application/json\r\n".into(),
            body: body.to_string(),
        }
    }

    /// An answer without a body.
    #[must_use]
    pub const fn empty(status: u16) -> Self {
        Self {
            status,
            headers: String::new(),
            body: String::new(),
        }
    }

    /// A page.
    #[must_use]
    pub fn html(page: &str) -> Self {
        Self {
            status: 200,
            headers: "content-type: text/html; charset=utf-8\r\n".into(),
            body: page.into(),
        }
    }

    /// A redirect.
    #[must_use]
    pub fn redirect(location: &str) -> Self {
        Self {
            status: 302,
            headers: format!("location: {location}\r\n"),
            body: String::new(),
        }
    }
}

/// An error in the general form of the Admin API.
pub(super) fn admin_error(status: u16, message: &str) -> HttpAnswer {
    HttpAnswer::json(status, &json!({ "message": message, "code": status }))
}

/// The value of `Authorization` for a password.
#[must_use]
pub fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

/// Reads a request; `None` if the client has gone.
pub(super) fn read(mut stream: &TcpStream) -> Option<HttpRequest> {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut text = String::new();
        (reader.read_line(&mut text).ok()? > 0).then(|| text.trim_end().to_owned())
    };
    let first = line()?;
    let mut headers = Vec::new();
    loop {
        let text = line()?;
        if text.is_empty() {
            break;
        }
        let (name, value) = text.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let header = |name: &str| {
        headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    };
    if header("expect").is_some() {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").ok()?;
    }
    let mut body = vec![0; header("content-length").map_or(Some(0), |length| length.parse().ok())?];
    reader.read_exact(&mut body).ok()?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (path, query) = target.split_once('?').unwrap_or((target.as_str(), ""));
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (
            decoded(&name.replace('+', " ")),
            decoded(&value.replace('+', " ")),
        )
    };
    let segments = path.split('/').skip(1).map(decoded).collect();
    let query = query
        .split('&')
        .filter(|text| !text.is_empty())
        .map(pair)
        .collect();
    Some(HttpRequest {
        method,
        segments,
        query,
        body: String::from_utf8_lossy(&body).into_owned(),
        headers,
        target,
    })
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = (*first == b'%').then(|| after.get(..2)).flatten();
        let byte =
            code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn text(answer: &HttpAnswer) -> String {
    let HttpAnswer {
        status,
        headers,
        body,
    } = answer;
    // A 204 has no length.
    let length = if *status == 204 {
        String::new()
    } else {
        format!("content-length: {}\r\n", body.len())
    };
    format!("HTTP/1.1 {status} -\r\n{headers}{length}connection: close\r\n\r\n{body}")
}

/// Sends an answer.
pub(super) fn write(mut stream: &TcpStream, answer: &HttpAnswer) {
    // The client may have gone.
    let _ = stream.write_all(text(answer).as_bytes());
}

/// Sends the first half of an answer's body, then closes the connection.
pub(super) fn write_half(mut stream: &TcpStream, answer: &HttpAnswer) {
    let whole = text(answer);
    let half = whole.len() - answer.body.len() / 2 - 1;
    let _ = stream.write_all(whole.as_bytes().get(..half).unwrap_or_default());
    let _ = stream.shutdown(Shutdown::Both);
}

/// Waits until the client closes the connection.
pub(super) fn wait_for_end(mut stream: &TcpStream) {
    while stream.read(&mut [0; 64]).is_ok_and(|read| read > 0) {}
}

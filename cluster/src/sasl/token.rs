//! Gets the token for OAUTHBEARER: from the caller, a file, or a token endpoint.

use std::error::Error;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use reqwest::{Client, Response, redirect};

use crate::error::{KafkaError, said};
use crate::files;
use crate::options::{TokenEndpoint, TokenSource};
use crate::secret::Secret;

/// The maximum size of a token and of the answer with it, in bytes.
const MAX_BYTES: usize = 256 * 1024;

pub(super) async fn get(source: &TokenSource, timeout: Duration) -> Result<Secret, KafkaError> {
    let token = match source {
        TokenSource::Missing => {
            return Err(KafkaError::Token(
                "set `sasl.oauthbearer.token.endpoint.url` to a token endpoint or to the file of a token".into(),
            ));
        }
        TokenSource::Given(token) => token.expose().to_owned(),
        TokenSource::File(path) => {
            files::read("sasl.oauthbearer.token.endpoint.url", path, MAX_BYTES)?
        }
        TokenSource::Endpoint(endpoint) => fetch(endpoint, timeout).await?,
    };
    let token = token.trim();
    // RFC 6750 section 2.1.
    let is_token = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
    match !token.is_empty() && token.chars().all(is_token) {
        true => Ok(Secret::new(token.to_owned())),
        false => Err(KafkaError::Token(
            "what was read is not a token: it contains other characters than a token has".into(),
        )),
    }
}

async fn fetch(endpoint: &TokenEndpoint, timeout: Duration) -> Result<String, KafkaError> {
    let failed = |error: reqwest::Error| {
        let reason = said(&root_cause(&error));
        KafkaError::Token(format!("the token endpoint does not answer: {reason}"))
    };
    // Fails if a provider is installed already, which is then the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .redirect(redirect::Policy::none())
        .timeout(timeout)
        .no_proxy()
        .build()
        .map_err(failed)?;
    let response = client
        .post(&endpoint.url)
        .header(ACCEPT, "application/json")
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(AUTHORIZATION, authorization(endpoint))
        .body(form(endpoint))
        .send()
        .await
        .map_err(failed)?;
    let status = response.status();
    let body = body(response).await.map_err(failed)?;
    let answer: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    match answer.get("access_token").and_then(|token| token.as_str()) {
        Some(token) if status.is_success() => Ok(token.to_owned()),
        _ => Err(refusal(status.as_u16(), &answer)),
    }
}

/// RFC 6749 section 5.2.
fn refusal(status: u16, answer: &serde_json::Value) -> KafkaError {
    let text = |name| answer.get(name).and_then(|text| text.as_str()).map(said);
    let mut reason = format!("the token endpoint answers {status}");
    if let Some(error) = text("error") {
        reason.push_str(&format!(", {error}"));
    }
    if let Some(description) = text("error_description") {
        reason.push_str(&format!(" ({description})"));
    }
    KafkaError::Token(reason)
}

async fn body(mut response: Response) -> reqwest::Result<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_BYTES {
            // Not JSON any more, and so no token.
            body.clear();
            break;
        }
    }
    Ok(body)
}

fn authorization(endpoint: &TokenEndpoint) -> String {
    let (id, secret) = (&endpoint.client_id, endpoint.client_secret.expose());
    let pair = match endpoint.is_encoded {
        true => format!("{}:{}", encoded(id), encoded(secret)),
        false => format!("{id}:{secret}"),
    };
    format!("Basic {}", BASE64.encode(pair))
}

fn form(endpoint: &TokenEndpoint) -> String {
    let mut form = String::from("grant_type=client_credentials");
    if let Some(scope) = &endpoint.scope {
        form.push_str(&format!("&scope={}", encoded(scope)));
    }
    form
}

/// `application/x-www-form-urlencoded`.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'*' => {
                encoded.push(byte.into());
            }
            b' ' => encoded.push('+'),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// The innermost cause of an error; the outermost message contains the address.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

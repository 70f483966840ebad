//! The client of a running service: its URL, calls and their errors.

use std::env;
use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

use gbac_api::address::{BaseUrl, address};
use gbac_api::paths;
use gbac_api::problem::Refusal;
use gbac_api::security::OidcIdentity;
use gbac_api::spelling::RoleSpelling;
use gbac_console_model::phrases::duration;
use gbac_engine::escape::escaped;
use gbac_engine::policy::Policy;
use gbac_json::{policy_from_json, policy_to_text};
use reqwest::header::{CONTENT_TYPE, ETAG, IF_MATCH};
use reqwest::{Method, RequestBuilder, Response, StatusCode, redirect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::args::online::ConnectArgs;
use crate::credentials::Credentials;
use crate::output::Failure;
use crate::profile;

/// URL of the service if none is given.
const LOCAL: &str = "http://127.0.0.1:8420";
/// Concurrent calls; concurrent writes share a commit.
const AT_ONCE: usize = 16;
/// Timeout of a connection attempt.
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// Why a call failed.
#[derive(Debug)]
pub(crate) enum CallError {
    /// TLS is not available, for example because the machine has no root certificates.
    Tls(String),
    /// The name cannot be part of a URL path, such as `..`.
    Path(String),
    /// No connection to this URL, for this reason.
    Unreachable(String, String),
    /// No response from this URL within so many seconds.
    Timeout(String, u32),
    /// The response from this URL ended too early, for this reason.
    Incomplete(String, String),
    /// Authentication failed. The identity whose credentials were sent.
    Credentials(Option<String>),
    /// A redirect, with its status.
    Redirect(u16),
    /// The response to this path is not the expected JSON.
    NotJson(String),
    /// The service refused the call.
    Refused(Refusal),
}

impl CallError {
    /// Stable code of the error.
    pub(crate) fn code(&self) -> String {
        match self {
            Self::Tls(_) => "tls_unavailable".into(),
            Self::Path(_) => "path_invalid".into(),
            Self::Unreachable(..) => "unreachable".into(),
            Self::Timeout(..) => "too_slow".into(),
            Self::Incomplete(..) => "answer_incomplete".into(),
            Self::Credentials(_) => "unauthenticated".into(),
            Self::Redirect(_) => "redirected".into(),
            Self::NotJson(_) => "answer_not_json".into(),
            Self::Refused(refusal) if refusal.code.is_empty() => "refused".into(),
            Self::Refused(refusal) => refusal.code.to_ascii_lowercase(),
        }
    }

    /// The message without the hint.
    pub(crate) fn message(&self) -> String {
        let text = self.to_string();
        text.strip_suffix(self.hint()).unwrap_or(&text).to_owned()
    }

    /// The recommended action; empty if the message contains it.
    const fn hint(&self) -> &'static str {
        match self {
            Self::Tls(_) => "; install the machine's root certificates",
            Self::Path(_) => "; rename it in an exported policy document",
            Self::Unreachable(..) => "; check that the service is running, and set its URL with --url or GBAC_URL",
            Self::Timeout(..) => "; set a longer --timeout",
            Self::Incomplete(..) => "; try again",
            Self::Credentials(None) => "; set GBAC_USER and GBAC_PASSWORD, or GBAC_TOKEN",
            Self::Credentials(Some(_)) => "; check GBAC_USER and GBAC_PASSWORD, or whether GBAC_TOKEN has expired",
            Self::Redirect(_) => ", and redirects are not followed; set the service's own URL with --url or GBAC_URL",
            Self::NotJson(_) => "; check that --url or GBAC_URL is the service",
            Self::Refused(_) => "",
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tls(text) => write!(f, "TLS is not available: {text}"),
            Self::Path(path) => write!(f, "`{}` contains a name that a URL path cannot contain", escaped(path)),
            Self::Unreachable(url, text) => write!(f, "cannot reach `{url}`: {text}"),
            Self::Timeout(url, seconds) => {
                write!(f, "`{url}` did not respond within {}", duration(f64::from(*seconds)))
            }
            Self::Incomplete(url, text) => write!(f, "the response of `{url}` is incomplete: {text}"),
            Self::Credentials(None) => f.write_str("authentication required"),
            Self::Credentials(Some(identity)) => write!(f, "credentials rejected: {identity}"),
            Self::Redirect(status) => write!(f, "the service responded with status {status}"),
            Self::NotJson(path) => write!(f, "the response to `{path}` is not the expected JSON"),
            Self::Refused(Refusal { message, fields, .. }) => match fields.as_slice() {
                [] => f.write_str(message),
                [fault] => write!(f, "{message}: {}: {}", fault.field, fault.description),
                faults => {
                    write!(f, "{message}:")?;
                    faults.iter().try_for_each(|fault| write!(f, "\n  {}: {}", fault.field, fault.description))
                }
            },
        }?;
        f.write_str(self.hint())
    }
}

impl std::error::Error for CallError {}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

/// Parses the URL of a service. Plain HTTP is accepted only for this machine, because credentials are sent there.
pub(crate) fn parse_base_url(what: &str, url: &str) -> Result<BaseUrl, Failure> {
    let base = BaseUrl::parse(url).map_err(|error| Failure::usage(format!("{what}: {error}; {}", error.hint())))?;
    address(url).map_err(|error| Failure::usage(format!("{what}: {error}; {}", error.hint())))?;
    Ok(base)
}

/// One call of several.
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: String,
}

/// A successful response.
struct Success {
    text: String,
    tag: Option<String>,
}

/// A running service.
pub(crate) struct Client {
    base: BaseUrl,
    url: String,
    timeout: u32,
    credentials: Credentials,
    roles: RoleSpelling,
    http: reqwest::Client,
    runtime: Runtime,
}

impl Client {
    /// Reads the URL and the credentials: flags, then the environment, then a profile.
    pub(crate) fn open(args: &ConnectArgs) -> Result<Self, Failure> {
        let profile = profile::selected(args.profile.as_deref())?;
        let from_profile = || profile.as_ref().map(|profile| profile.url.clone());
        let named = args.url.clone().or_else(|| args.profile.is_none().then(|| env::var("GBAC_URL").ok())?);
        let url = named.or_else(from_profile).unwrap_or_else(|| LOCAL.into());
        let base = parse_base_url("--url, GBAC_URL", &url)?;
        let roles = match (args.role_spelling, &profile) {
            (Some(spelling), _) => spelling.into(),
            (None, Some(profile)) => profile.spelling()?,
            (None, None) => RoleSpelling::default(),
        };
        let credentials = Credentials::read(args, profile.as_ref())?;
        // An error means that the same provider is already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .user_agent(concat!("gbac/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT_TIME.min(Duration::from_secs(args.timeout.into())))
            .read_timeout(Duration::from_secs(args.timeout.into()))
            .build()
            .map_err(|error| CallError::Tls(error.to_string()))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::io("the runtime", &error))?;
        Ok(Self { base, url, timeout: args.timeout, credentials, roles, http, runtime })
    }

    /// The same client with another URL.
    pub(crate) fn with_url(self, what: &str, url: &str) -> Result<Self, Failure> {
        Ok(Self { base: parse_base_url(what, url)?, url: url.into(), ..self })
    }

    /// The URL of the service, as the caller wrote it.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The credentials of the caller, as a message names them; `None` without credentials.
    pub(crate) fn caller(&self) -> Option<String> {
        self.credentials.identity(paths::POLICY)
    }

    /// The user that the caller signs in as with a password.
    pub(crate) fn caller_user(&self) -> Option<&str> {
        self.credentials.user()
    }

    /// The caller's own token.
    pub(crate) fn caller_token(&self) -> Option<&str> {
        self.credentials.token()
    }

    /// The prefix of role principals for this service.
    pub(crate) const fn roles(&self) -> RoleSpelling {
        self.roles
    }

    /// Makes calls concurrently; passes each result to `each`, and stops if it breaks.
    pub(crate) fn make_all(
        &self,
        calls: impl IntoIterator<Item = Call>,
        mut each: impl FnMut(usize, Result<(), CallError>) -> ControlFlow<()>,
    ) {
        let mut calls = calls.into_iter().enumerate();
        self.runtime.block_on(async {
            let mut pending = JoinSet::new();
            loop {
                while pending.len() < AT_ONCE {
                    let Some((place, call)) = calls.next() else { break };
                    match self.request(call.method, &call.path) {
                        Ok(request) => {
                            let request = request.header(CONTENT_TYPE, "application/json").body(call.body);
                            let path = call.path;
                            pending.spawn(async move { (place, path, execute(request).await) });
                        }
                        Err(error) => {
                            if each(place, Err(error)).is_break() {
                                return;
                            }
                        }
                    }
                }
                // These tasks do not panic and are not aborted.
                let Some(Ok((place, path, answer))) = pending.join_next().await else { return };
                if each(place, self.interpret(&path, answer).map(|_| ())).is_break() {
                    return;
                }
            }
        });
    }

    /// The user and groups in a token, resolved by the service (specification 4.3).
    pub(crate) fn resolve(&self, token: &str) -> Result<OidcIdentity, CallError> {
        let path = paths::security(paths::RESOLVE_OIDC_IDENTITY);
        let url = self.base.with(&path, "").ok_or_else(|| CallError::Path(path.clone()))?;
        let request = self.http.post(url).bearer_auth(token).header(CONTENT_TYPE, "application/json").body("{}");
        let answer = self.runtime.block_on(execute(request));
        read(&path, &self.interpret_as(&path, Some("the examined token".into()), answer)?)
    }

    /// Sends a GET request and parses the response.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, CallError> {
        read(path, &self.send(path, self.request(Method::GET, path)?)?)
    }

    /// Downloads a file.
    pub(crate) fn download(&self, path: &str) -> Result<Vec<u8>, CallError> {
        let answer = self.runtime.block_on(execute(self.request(Method::GET, path)?));
        self.successful(self.credentials.identity(path), answer).map(|(_, body)| body)
    }

    /// Sends a request with a body and parses the response.
    pub(crate) fn change<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, CallError> {
        let text = serde_json::to_string(body).map_err(|_| CallError::NotJson(path.into()))?;
        let request = self.request(method, path)?.header(CONTENT_TYPE, "application/json").body(text);
        read(path, &self.send(path, request)?)
    }

    /// Sends a PUT request without a body and parses the response.
    pub(crate) fn put<T: DeserializeOwned>(&self, path: &str) -> Result<T, CallError> {
        read(path, &self.send(path, self.request(Method::PUT, path)?)?)
    }

    /// Sends a DELETE request and parses the response.
    pub(crate) fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, CallError> {
        read(path, &self.send(path, self.request(Method::DELETE, path)?)?)
    }

    /// Sends a DELETE request; the response is empty.
    pub(crate) fn remove(&self, path: &str) -> Result<(), CallError> {
        self.send(path, self.request(Method::DELETE, path)?).map(|_| ())
    }

    /// The policy document and its state.
    pub(crate) fn policy_text(&self) -> Result<(String, String), CallError> {
        let answer = self.send(paths::POLICY, self.request(Method::GET, paths::POLICY)?)?;
        Ok((answer.text, answer.tag.ok_or_else(|| CallError::NotJson(paths::POLICY.into()))?))
    }

    /// The policy and its state.
    pub(crate) fn policy(&self) -> Result<(Policy, String), CallError> {
        let (text, tag) = self.policy_text()?;
        let policy = policy_from_json(&text).map_err(|_| CallError::NotJson(paths::POLICY.into()))?;
        Ok((policy, tag))
    }

    /// Replaces the policy if it is still in this state; returns the new state.
    pub(crate) fn replace_policy(&self, policy: &Policy, state: &str) -> Result<Option<String>, CallError> {
        self.put_policy(paths::POLICY, policy, state)
    }

    /// Runs the checks of [`Client::replace_policy`] without changing anything.
    pub(crate) fn validate_policy(&self, policy: &Policy, state: &str) -> Result<(), CallError> {
        self.put_policy(&paths::policy_dry_run(), policy, state).map(drop)
    }

    fn put_policy(&self, path: &str, policy: &Policy, state: &str) -> Result<Option<String>, CallError> {
        let request = self.request(Method::PUT, path)?;
        let request = request.header(CONTENT_TYPE, "application/json").header(IF_MATCH, state);
        self.send(paths::POLICY, request.body(policy_to_text(policy))).map(|answer| answer.tag)
    }

    /// Whether a URL can contain this path.
    pub(crate) fn check_path(&self, path: &str) -> Result<(), CallError> {
        self.request(Method::GET, path).map(drop)
    }

    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, CallError> {
        let (path, query) = path.find('?').map_or((path, ""), |place| path.split_at(place));
        let url = self.base.with(path, query).ok_or_else(|| CallError::Path(path.into()))?;
        Ok(self.credentials.authorize(path, self.http.request(method, url)))
    }

    fn send(&self, path: &str, request: RequestBuilder) -> Result<Success, CallError> {
        let answer = self.runtime.block_on(execute(request));
        self.interpret(path, answer)
    }

    fn interpret(&self, path: &str, answer: Result<RawResponse, reqwest::Error>) -> Result<Success, CallError> {
        self.interpret_as(path, self.credentials.identity(path), answer)
    }

    fn interpret_as(
        &self,
        path: &str,
        identity: Option<String>,
        answer: Result<RawResponse, reqwest::Error>,
    ) -> Result<Success, CallError> {
        let (tag, body) = self.successful(identity, answer)?;
        let text = String::from_utf8(body).map_err(|_| CallError::NotJson(path.into()))?;
        Ok(Success { text, tag })
    }

    /// The state and the body of a successful response.
    fn successful(
        &self,
        identity: Option<String>,
        answer: Result<RawResponse, reqwest::Error>,
    ) -> Result<(Option<String>, Vec<u8>), CallError> {
        let (status, tag, body) = answer.map_err(|error| self.transport_error(&error))?;
        if status.is_success() {
            return Ok((tag, body));
        }
        if status.is_redirection() {
            return Err(CallError::Redirect(status.as_u16()));
        }
        if status == StatusCode::UNAUTHORIZED {
            return Err(CallError::Credentials(identity));
        }
        let mut refusal = Refusal::read(status.as_u16(), &String::from_utf8(body).unwrap_or_default());
        if let (StatusCode::FORBIDDEN, Some(identity)) = (status, identity) {
            refusal.message = format!("{}; signed in with {identity}", refusal.message);
        }
        Err(CallError::Refused(refusal))
    }

    fn transport_error(&self, error: &reqwest::Error) -> CallError {
        if error.is_timeout() {
            return CallError::Timeout(self.url.clone(), self.timeout);
        }
        // Only the innermost message is specific.
        let mut cause: &dyn std::error::Error = error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        let cause = cause.to_string();
        let cause = cause.split(" (os error").next().unwrap_or_default();
        let of = if error.is_body() || error.is_decode() { CallError::Incomplete } else { CallError::Unreachable };
        of(self.url.clone(), cause.to_owned())
    }
}

/// Status, state and body.
type RawResponse = (StatusCode, Option<String>, Vec<u8>);

async fn execute(request: RequestBuilder) -> Result<RawResponse, reqwest::Error> {
    let response = request.send().await?;
    let (status, tag) = (response.status(), tag(&response));
    Ok((status, tag, response.bytes().await?.into()))
}

fn tag(response: &Response) -> Option<String> {
    response.headers().get(ETAG)?.to_str().ok().map(str::to_owned)
}

fn read<T: DeserializeOwned>(path: &str, answer: &Success) -> Result<T, CallError> {
    let path = path.split('?').next().unwrap_or(path);
    serde_json::from_str(&answer.text).map_err(|_| CallError::NotJson(path.into()))
}

#[cfg(test)]
mod tests {
    use gbac_api::problem::FieldViolation;

    use super::*;

    #[test]
    fn a_refusal_is_one_line_unless_it_has_several_faults() {
        let refusal = |fields: &[&str]| {
            let fields = fields.iter().map(|field| FieldViolation::new(*field, "bad")).collect();
            CallError::Refused(Refusal { status: 400, code: "INVALID_ARGUMENT".into(), message: "no".into(), fields })
        };
        assert_eq!(refusal(&[]).to_string(), "no");
        assert_eq!(refusal(&["host"]).to_string(), "no: host: bad");
        assert_eq!(refusal(&["host", "principal"]).to_string(), "no:\n  host: bad\n  principal: bad");
        assert_eq!(refusal(&[]).code(), "invalid_argument");
    }
}

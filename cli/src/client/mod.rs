//! The client of a running service: its URL, calls, retries and Ctrl-C.

pub(crate) mod brokers;
pub(crate) mod cluster_changes;
pub(crate) mod connection;
pub(crate) mod credentials;
mod error;
mod exchange;
pub(crate) mod platform;
mod proxy;
pub(crate) mod saved_profiles;
mod tls;
mod transport;

use std::cell::RefCell;
use std::future::{self, Future};
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use gbac_analysis::check::TokenRefusal;
use gbac_analysis::sign_in::{check_sign_in, first_failure};
use gbac_api::address::{AddressError, BaseUrl, address};
use gbac_api::paths;
use gbac_api::problem::{FieldViolation, Refusal};
use gbac_api::reason::{ChangeReason, REASON};
use gbac_api::security::OidcIdentity;
use gbac_api::service::{ServiceInfo, accepted_tokens};
use gbac_api::target::Probe;
use gbac_engine::model::{CLUSTER_NAME, RoleSpelling};
use gbac_engine::policy::Policy;
use gbac_engine::token::{UnverifiedToken, VerifyError};
use gbac_json::{policy_from_json, policy_to_text};
use reqwest::header::{CONTENT_TYPE, IF_MATCH, IF_NONE_MATCH};
use reqwest::{Method, RequestBuilder, StatusCode, redirect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::input;
use crate::output::{self, Failure, plain};
use crate::process::Process;
use crate::progress::Waiting;
use connection::ConnectArgs;
use credentials::{Credentials, Sent, SentKind};
pub(crate) use error::CallError;
pub(crate) use exchange::HeldBytes;
use exchange::{ExchangeError, RawResponse, execute};
use proxy::Proxy;
use transport::{Unreachable, root_cause};

/// URL of the service if none is given.
const LOCAL: &str = "http://127.0.0.1:8420";
/// Concurrent calls; concurrent writes share a commit.
pub(crate) const AT_ONCE: usize = 16;
/// Timeout of a connection attempt.
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// Parses the URL of a service. Plain HTTP to another machine needs `--insecure`, because
/// credentials are sent there.
pub(crate) fn parse_base_url(what: &str, url: &str, insecure: bool) -> Result<BaseUrl, Failure> {
    let base = BaseUrl::parse(url)
        .map_err(|error| Failure::usage(format!("{what}: {error}; {}", error.hint())))?;
    match address(url) {
        Ok(_) => Ok(base),
        // A base URL is http or https.
        Err(AddressError::NotSafe(_)) if insecure => Ok(base),
        Err(error @ AddressError::NotSafe(_)) => {
            let hint = "or pass --insecure on a network that you trust with your credentials";
            Err(Failure::usage(format!(
                "{what}: {error}; {}; {hint}",
                error.hint()
            )))
        }
        Err(error) => Err(Failure::usage(format!("{what}: {error}; {}", error.hint()))),
    }
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
    process: Process,
    base: BaseUrl,
    url: String,
    timeout: u32,
    credentials: Credentials,
    roles: RoleSpelling,
    insecure: bool,
    http: reqwest::Client,
    /// Why the changes are made.
    reason: Option<ChangeReason>,
    /// The address of the proxy in the environment.
    proxy: Option<String>,
    runtime: Runtime,
    /// Ctrl-C, once a command looks for it; before that, it ends the process.
    interrupt: RefCell<Option<Interrupt>>,
}

/// Completes at Ctrl-C.
type Interrupt = Pin<Box<dyn Future<Output = ()>>>;

impl Client {
    /// Reads the URL and the credentials: flags, then the environment, then a profile.
    pub(crate) fn open(process: &Process, args: &ConnectArgs) -> Result<Self, Failure> {
        let profile = saved_profiles::selected(process, args.profile.as_deref())?;
        let variable = match &args.profile {
            None => process.variable("GBAC_URL"),
            Some(_) => None,
        };
        let url = match (args.url.clone().or(variable), &profile) {
            (Some(url), _) => url,
            (None, Some(profile)) => profile.service_url()?.to_owned(),
            (None, None) => LOCAL.into(),
        };
        let base = parse_base_url("--url, GBAC_URL", &url, args.tls.insecure)?;
        let roles = match (args.role_spelling, &profile) {
            (Some(spelling), _) => spelling.into(),
            (None, Some(profile)) => profile.spelling()?,
            (None, None) => RoleSpelling::default(),
        };
        let credentials = Credentials::read(process, args, profile.as_ref())?;
        // An error means that the same provider is already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .user_agent(concat!("gbac/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT_TIME.min(Duration::from_secs(args.timeout.into())));
        let proxy = Proxy::of_environment(process)?;
        let http = match &proxy {
            Some(proxy) => http.proxy(proxy.for_https().map_err(tls_error)?),
            None => http,
        };
        let http = tls::configured(process, http, &args.tls)?
            .build()
            .map_err(tls_error)?;
        let proxy = proxy.map(|proxy| proxy.address());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::io("the runtime", &error))?;
        let (timeout, insecure, interrupt) = (args.timeout, args.tls.insecure, RefCell::default());
        let process = process.clone();
        Ok(Self {
            process,
            base,
            url,
            timeout,
            credentials,
            roles,
            insecure,
            http,
            reason: None,
            proxy,
            runtime,
            interrupt,
        })
    }

    /// The same client, which says why it changes something.
    pub(crate) fn with_reason(self, reason: Option<ChangeReason>) -> Self {
        Self { reason, ..self }
    }

    /// The same client with another URL.
    pub(crate) fn with_url(self, what: &str, url: &str) -> Result<Self, Failure> {
        Ok(Self {
            base: parse_base_url(what, url, self.insecure)?,
            url: url.into(),
            ..self
        })
    }

    /// From now on, Ctrl-C ends the call that runs with [`CallError::Interrupted`] instead of the
    /// process.
    pub(crate) fn catch_interrupts(&self) {
        if !self.process.terminal.interrupts {
            return;
        }
        let mut interrupt: Interrupt = Box::pin(async {
            if tokio::signal::ctrl_c().await.is_err() {
                future::pending::<()>().await;
            }
        });
        // The first look installs the handler.
        self.runtime.block_on(future::poll_fn(|context| {
            let _ = interrupt.as_mut().poll(context);
            Poll::Ready(())
        }));
        *self.interrupt.borrow_mut() = Some(interrupt);
    }

    /// Waits; Ctrl-C ends it earlier with an error.
    pub(crate) fn pause(&self, time: Duration) -> Result<(), CallError> {
        self.until_interrupted(async { tokio::time::sleep(time).await })
            .ok_or(CallError::Interrupted)
    }

    /// Runs until the end, or until Ctrl-C: then the result is `None`.
    fn until_interrupted<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut interrupt = self.interrupt.borrow_mut();
        self.runtime.block_on(async {
            let Some(interrupt) = interrupt.as_mut() else {
                return Some(work.await);
            };
            tokio::select! {
                biased;
                () = interrupt => None,
                done = work => Some(done),
            }
        })
    }

    /// The URL of the service, as the caller wrote it.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The credentials of the caller, as a message names them; `None` without credentials.
    pub(crate) fn caller(&self) -> Option<String> {
        self.credentials
            .sent(paths::POLICY)
            .map(|sent| sent.identity)
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
        let process = Arc::new(self.process.clone());
        let ended = self.until_interrupted(async {
            let mut pending = JoinSet::new();
            loop {
                while pending.len() < AT_ONCE {
                    let Some((place, call)) = calls.next() else {
                        break;
                    };
                    match self.request(call.method, &call.path) {
                        Ok(request) => {
                            let request = request
                                .header(CONTENT_TYPE, "application/json")
                                .body(call.body);
                            let (path, time, process) =
                                (call.path, self.time(), Arc::clone(&process));
                            pending.spawn(async move {
                                (place, path, execute(&process, request, time).await)
                            });
                        }
                        Err(error) => {
                            if each(place, Err(error)).is_break() {
                                return;
                            }
                        }
                    }
                }
                // These tasks do not panic and are not aborted.
                let Some(Ok((place, path, answer))) = pending.join_next().await else {
                    return;
                };
                if each(place, self.interpret(&path, answer).map(|_| ())).is_break() {
                    return;
                }
            }
        });
        if ended.is_none() {
            // Nothing is left to stop.
            let _ = each(usize::MAX, Err(CallError::Interrupted));
        }
    }

    /// The user and groups in a token, resolved by the service (specification 4.3).
    pub(crate) fn resolve(&self, token: &str) -> Result<OidcIdentity, CallError> {
        let path = paths::security(paths::RESOLVE_OIDC_IDENTITY);
        let url = self
            .base
            .with(&path, "")
            .ok_or_else(|| CallError::Path(path.clone()))?;
        let request = self
            .http
            .post(url)
            .bearer_auth(token)
            .header(CONTENT_TYPE, "application/json")
            .body("{}");
        let answer = self.exchange(request)?;
        read(
            &path,
            &self.interpret_as(&path, Some(Sent::token("the examined token")), answer)?,
        )
    }

    /// Why sign-in refuses a token; `None` if the service accepts it.
    pub(crate) fn token_refusal(&self, token: &str) -> Result<Option<TokenRefusal>, CallError> {
        // A text that is no token may not even fit into a header.
        let decoded = match UnverifiedToken::decode(token) {
            Ok(decoded) => decoded,
            Err(error) => {
                return Ok(Some(TokenRefusal {
                    code: error.code().to_owned(),
                    message: error.to_string(),
                }));
            }
        };
        match self.resolve(token) {
            Ok(_) => Ok(None),
            Err(CallError::Credentials(_)) => Ok(Some(self.reason_of_refusal(token, &decoded)?)),
            Err(error) => Err(error),
        }
    }

    /// The reason as an access evaluation states it. A caller who cannot evaluate learns what the
    /// token itself shows.
    fn reason_of_refusal(
        &self,
        token: &str,
        decoded: &UnverifiedToken,
    ) -> Result<TokenRefusal, CallError> {
        let question = json!({ "subject": { "type": "token", "id": token }, "action": { "name": "describe" },
            "resource": { "type": "cluster", "id": CLUSTER_NAME } });
        match self.change::<Value>(Method::POST, paths::ACCESS_EVALUATION, &question) {
            Ok(answer) => stated_refusal(&answer)
                .ok_or_else(|| CallError::NotJson(paths::ACCESS_EVALUATION.into())),
            Err(CallError::Refused(refusal)) if matches!(refusal.status, 403 | 404) => {
                let properties: Map<String, Value> =
                    self.get(paths::CLUSTER_CONFIG).unwrap_or_default();
                let accepted = accepted_tokens(&properties, self.get(paths::SERVICE).ok().as_ref());
                let now = Some(input::now().into());
                let checks = check_sign_in(Some(&decoded.header), &decoded.claims, &accepted, now);
                Ok(match first_failure(&checks) {
                    Some(check) => TokenRefusal {
                        code: check.error.as_ref().map_or("unauthenticated", VerifyError::code).to_owned(),
                        message: check.finding.clone(),
                    },
                    None => TokenRefusal {
                        code: "unauthenticated".to_owned(),
                        message: "the service refuses the token; the access `evaluate` is needed to see why".to_owned(),
                    },
                })
            }
            Err(error) => Err(error),
        }
    }

    /// The status and the body of the answer to a probe, unless it refuses the credentials or is a
    /// redirect.
    pub(crate) fn probe(&self, probe: &Probe) -> Result<(u16, String), CallError> {
        let method = if probe.body.is_some() {
            Method::POST
        } else {
            Method::GET
        };
        let mut request = self.request(method, probe.path)?;
        if let Some(body) = probe.body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        let answer = self
            .runtime
            .block_on(execute(&self.process, request, self.time()));
        match &answer {
            Ok((status, _, body))
                if !status.is_redirection() && *status != StatusCode::UNAUTHORIZED =>
            {
                Ok((status.as_u16(), String::from_utf8_lossy(body).into_owned()))
            }
            _ => Err(self
                .interpret(probe.path, answer)
                .err()
                .unwrap_or_else(|| CallError::NotJson(probe.path.into()))),
        }
    }

    /// As [`Client::get`]; what several responses may hold together is taken from `held`.
    pub(crate) fn get_within<T: DeserializeOwned>(
        &self,
        held: &mut HeldBytes,
        path: &str,
    ) -> Result<T, CallError> {
        let answer = self.send(path, self.request(Method::GET, path)?)?;
        held.take(answer.text.len())
            .ok_or_else(|| CallError::TooLong(self.url.clone()))?;
        read(path, &answer)
    }

    /// Sends a GET request and parses the response.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, CallError> {
        read(path, &self.send(path, self.request(Method::GET, path)?)?)
    }

    /// Downloads a file.
    pub(crate) fn download(&self, path: &str) -> Result<Vec<u8>, CallError> {
        let request = self.request(Method::GET, path)?;
        let answer = self.exchange(request)?;
        match self.successful(self.credentials.sent(path), answer) {
            Ok((_, body)) => Ok(body),
            Err(error) => Err(self.explained(error)),
        }
    }

    /// Sends a request with a body and parses the response.
    pub(crate) fn change<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, CallError> {
        let text = serde_json::to_string(body).map_err(|_| CallError::NotJson(path.into()))?;
        let request = self
            .request(method, path)?
            .header(CONTENT_TYPE, "application/json")
            .body(text);
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
        self.send(path, self.request(Method::DELETE, path)?)?;
        Ok(())
    }

    /// The policy document and its state.
    pub(crate) fn policy_text(&self) -> Result<(String, String), CallError> {
        let _waiting = Waiting::for_operation(&self.process, "Reading the policy".into());
        let answer = self.send(paths::POLICY, self.request(Method::GET, paths::POLICY)?)?;
        match answer.tag {
            Some(tag) => Ok((answer.text, tag)),
            None => Err(CallError::NotJson(paths::POLICY.into())),
        }
    }

    /// The policy and its state.
    pub(crate) fn policy(&self) -> Result<(Policy, String), CallError> {
        let (text, tag) = self.policy_text()?;
        let policy =
            policy_from_json(&text).map_err(|_| CallError::NotJson(paths::POLICY.into()))?;
        Ok((policy, tag))
    }

    /// The policy and its state, if it is in another state than this one.
    pub(crate) fn policy_after(&self, state: &str) -> Result<Option<(Policy, String)>, CallError> {
        let request = self
            .request(Method::GET, paths::POLICY)?
            .header(IF_NONE_MATCH, state);
        let answer = self.exchange(request)?;
        if matches!(answer, Ok((StatusCode::NOT_MODIFIED, ..))) {
            return Ok(None);
        }
        let answer = self.interpret(paths::POLICY, answer)?;
        match (policy_from_json(&answer.text), answer.tag) {
            (Ok(policy), Some(tag)) => Ok(Some((policy, tag))),
            _ => Err(CallError::NotJson(paths::POLICY.into())),
        }
    }

    /// Replaces the policy if it is still in this state; returns the new state.
    pub(crate) fn replace_policy(
        &self,
        policy: &Policy,
        state: &str,
    ) -> Result<Option<String>, CallError> {
        self.put_policy(paths::POLICY, policy, state)
    }

    /// Runs the checks of [`Client::replace_policy`] without changing anything.
    pub(crate) fn validate_policy(&self, policy: &Policy, state: &str) -> Result<(), CallError> {
        self.put_policy(&paths::policy_dry_run(), policy, state)?;
        Ok(())
    }

    fn put_policy(
        &self,
        path: &str,
        policy: &Policy,
        state: &str,
    ) -> Result<Option<String>, CallError> {
        let request = self.request(Method::PUT, path)?;
        let request = request
            .header(CONTENT_TYPE, "application/json")
            .header(IF_MATCH, state);
        let _waiting = Waiting::for_operation(
            &self.process,
            format!("Sending {}", output::contents(policy)),
        );
        self.catch_interrupts();
        let answer = self.send(paths::POLICY, request.body(policy_to_text(policy)))?;
        Ok(answer.tag)
    }

    /// Whether a URL can contain this path.
    pub(crate) fn check_path(&self, path: &str) -> Result<(), CallError> {
        self.request(Method::GET, path).map(drop)
    }

    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, CallError> {
        let (path, query) = match path.find('?') {
            Some(place) => path.split_at(place),
            None => (path, ""),
        };
        let url = self
            .base
            .with(path, query)
            .ok_or_else(|| CallError::Path(path.into()))?;
        let mut request = self.http.request(method, url);
        if let Some(reason) = &self.reason {
            request = request.header(REASON, reason.to_header());
        }
        Ok(self.credentials.authorize(path, request))
    }

    /// The most time of a whole call.
    fn time(&self) -> Duration {
        Duration::from_secs(self.timeout.into())
    }

    fn exchange(
        &self,
        request: RequestBuilder,
    ) -> Result<Result<RawResponse, ExchangeError>, CallError> {
        self.until_interrupted(execute(&self.process, request, self.time()))
            .ok_or(CallError::Interrupted)
    }

    fn send(&self, path: &str, request: RequestBuilder) -> Result<Success, CallError> {
        let answer = self.exchange(request)?;
        self.interpret(path, answer)
            .map_err(|error| self.explained(error))
    }

    /// The error about a rejected token; if the service verifies none, it says so.
    fn explained(&self, error: CallError) -> CallError {
        match error {
            CallError::Credentials(Some(Sent {
                identity,
                kind: SentKind::Token,
            })) if self.is_without_provider() => CallError::Credentials(Some(Sent {
                identity,
                kind: SentKind::TokenWithoutProvider,
            })),
            error => error,
        }
    }

    /// Whether the service says that it has no identity provider, or none whose keys it could read.
    fn is_without_provider(&self) -> bool {
        let Some(url) = self.base.with(paths::SERVICE, "") else {
            return false;
        };
        let Ok(Ok((status, _, body))) = self.exchange(self.http.get(url)) else {
            return false;
        };
        if !status.is_success() {
            return false;
        }
        match serde_json::from_slice::<ServiceInfo>(&body) {
            Ok(service) => service.tokens.issuer.is_none() && service.provider.is_none(),
            Err(_) => false,
        }
    }

    fn interpret(
        &self,
        path: &str,
        answer: Result<RawResponse, ExchangeError>,
    ) -> Result<Success, CallError> {
        self.interpret_as(path, self.credentials.sent(path), answer)
    }

    fn interpret_as(
        &self,
        path: &str,
        sent: Option<Sent>,
        answer: Result<RawResponse, ExchangeError>,
    ) -> Result<Success, CallError> {
        let (tag, body) = self.successful(sent, answer)?;
        let text = String::from_utf8(body).map_err(|_| CallError::NotJson(path.into()))?;
        Ok(Success { text, tag })
    }

    /// The state and the body of a successful response.
    fn successful(
        &self,
        sent: Option<Sent>,
        answer: Result<RawResponse, ExchangeError>,
    ) -> Result<(Option<String>, Vec<u8>), CallError> {
        let (status, tag, body) = answer.map_err(|error| self.exchange_error(&error))?;
        if status.is_success() {
            return Ok((tag, body));
        }
        if status.is_redirection() {
            return Err(CallError::Redirect(status.as_u16()));
        }
        if status == StatusCode::UNAUTHORIZED {
            return Err(CallError::Credentials(sent));
        }
        let mut refusal = visible(Refusal::read(
            status.as_u16(),
            &String::from_utf8(body).unwrap_or_default(),
        ));
        if let (StatusCode::FORBIDDEN, Some(sent)) = (status, sent) {
            refusal.message = format!("{}; signed in with {}", refusal.message, sent.identity);
        }
        Err(CallError::Refused(refusal))
    }

    fn exchange_error(&self, error: &ExchangeError) -> CallError {
        let error = match error {
            ExchangeError::Timeout => return CallError::Timeout(self.url.clone(), self.timeout),
            ExchangeError::TooLong => return CallError::TooLong(self.url.clone()),
            ExchangeError::Transport(error) => error,
        };
        if error.is_body() || error.is_decode() {
            return CallError::Incomplete(self.url.clone(), root_cause(error));
        }
        CallError::Unreachable(
            self.url.clone(),
            Unreachable::from_error(error, self.proxy.as_deref()),
        )
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it converts errors of `Result`s"
)]
fn tls_error(error: reqwest::Error) -> CallError {
    CallError::Tls(error.to_string())
}

fn read<T: DeserializeOwned>(path: &str, answer: &Success) -> Result<T, CallError> {
    let path = path.split('?').next().unwrap_or(path);
    serde_json::from_str(&answer.text).map_err(|_| CallError::NotJson(path.into()))
}

/// The denial of a refused token, if an access evaluation states it (D-119).
pub(crate) fn stated_refusal(answer: &Value) -> Option<TokenRefusal> {
    let context = answer.get("context")?;
    if context["reason"] != TokenRefusal::REASON {
        return None;
    }
    Some(TokenRefusal {
        code: plain(context["code"].as_str()?),
        message: plain(context["message"].as_str()?),
    })
}

/// A refusal without characters that would end or move a line of our output.
fn visible(refusal: Refusal) -> Refusal {
    let fields = refusal.fields.into_iter().map(|fault| FieldViolation {
        field: plain(&fault.field),
        description: plain(&fault.description),
    });
    Refusal {
        message: plain(&refusal.message),
        fields: fields.collect(),
        ..refusal
    }
}

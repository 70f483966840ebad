//! The client of a running service: where it is, who asks, one call, and everything that can go wrong with it.

use std::env;
use std::fmt;
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::time::Duration;

use gbac_api::address::{BaseUrl, address};
use gbac_api::paths;
use gbac_api::problem::Refusal;
use gbac_api::security::OidcIdentity;
use gbac_api::spelling::RoleSpelling;
use gbac_engine::escape::escaped;
use gbac_engine::policy::Policy;
use gbac_engine::token;
use gbac_json::{policy_from_json, policy_to_text};
use reqwest::header::{CONTENT_TYPE, ETAG, IF_MATCH};
use reqwest::{Method, RequestBuilder, Response, StatusCode, redirect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::args::online::ConnectArgs;
use crate::input;
use crate::output::{Failure, plain};
use crate::profile::{self, Profile};

/// Where a service is when nobody says.
const LOCAL: &str = "http://127.0.0.1:8420";
/// How many of many calls are under way at once; writes that come together share a commit.
const AT_ONCE: usize = 16;
/// How long a connection may take.
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// The Data Plane and the Control Plane; everything else is the Admin API's.
const DATA_PLANE: [&str; 3] = [paths::ACLS, paths::ROLES, paths::CLUSTERS];

/// Why a call has no answer.
#[derive(Debug)]
pub(crate) enum CallError {
    /// There is no TLS here, for example because the machine has no root certificates.
    Tls(String),
    /// A name that no address can hold, such as `..`.
    Path(String),
    /// Nobody answers there.
    Unreachable(String, String),
    /// Nobody said anything for so many seconds.
    TooSlow(String, u32),
    /// The service does not know who asks; whether credentials were sent.
    Credentials(bool),
    /// The service sends elsewhere.
    Redirect(u16),
    /// The answer is not what the service says there.
    NotJson(String),
    /// The service refuses.
    Refused(Refusal),
}

impl CallError {
    /// A stable name of the fault.
    pub(crate) fn code(&self) -> String {
        match self {
            Self::Tls(_) => "tls_unavailable".into(),
            Self::Path(_) => "path_invalid".into(),
            Self::Unreachable(..) => "unreachable".into(),
            Self::TooSlow(..) => "too_slow".into(),
            Self::Credentials(_) => "unauthenticated".into(),
            Self::Redirect(_) => "redirected".into(),
            Self::NotJson(_) => "answer_not_json".into(),
            Self::Refused(refusal) if refusal.code.is_empty() => "refused".into(),
            Self::Refused(refusal) => refusal.code.to_ascii_lowercase(),
        }
    }

    /// What is wrong, without what to do.
    pub(crate) fn words(&self) -> String {
        let text = self.to_string();
        text.strip_suffix(self.hint()).unwrap_or(&text).to_owned()
    }

    /// What to do about it; empty where the service says so itself.
    const fn hint(&self) -> &'static str {
        match self {
            Self::Tls(_) => "; install the machine's root certificates",
            Self::Path(_) => "; rename it in an exported policy document",
            Self::Unreachable(..) => "; see whether it runs, and name it with --url or GBAC_URL",
            Self::TooSlow(..) => "; wait longer with --timeout",
            Self::Credentials(false) => "; set GBAC_USER and GBAC_PASSWORD, or GBAC_TOKEN",
            Self::Credentials(true) => "; see GBAC_USER and GBAC_PASSWORD, or whether GBAC_TOKEN has expired",
            Self::Redirect(_) => ", and redirects are not followed; name the service itself with --url or GBAC_URL",
            Self::NotJson(_) => "; see whether --url or GBAC_URL names the service",
            Self::Refused(_) => "",
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tls(text) => write!(f, "connections cannot be made safe: {text}"),
            Self::Path(path) => write!(f, "`{}` holds a name that no address can hold", escaped(path)),
            Self::Unreachable(url, text) => write!(f, "`{url}` cannot be reached: {text}"),
            Self::TooSlow(url, seconds) => write!(f, "`{url}` was silent for {seconds} seconds"),
            Self::Credentials(false) => f.write_str("the service asks who you are"),
            Self::Credentials(true) => f.write_str("the service does not take the credentials"),
            Self::Redirect(status) => write!(f, "the service answered with status {status}"),
            Self::NotJson(path) => write!(f, "the answer to `{path}` is not the JSON that is expected there"),
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

/// Who asks: what there is of the two kinds of credentials.
#[derive(Debug, Default, PartialEq, Eq)]
struct Credentials {
    token: Option<String>,
    basic: Option<(String, String)>,
}

impl Credentials {
    /// Flags, then the environment, then the profile; a password that nobody gave is asked for at the terminal.
    fn of(args: &ConnectArgs, profile: Option<&Profile>) -> Result<Self, Failure> {
        let password = match &args.password_file {
            Some(path) => Some(input::text(path)?.trim_end_matches(['\r', '\n']).to_owned()),
            None => env::var("GBAC_PASSWORD").ok(),
        };
        let token = match &args.connect_token {
            Some(path) => Some(input::text(path)?),
            None => env::var("GBAC_TOKEN").ok(),
        };
        // A profile's user steps back for a token; one who is named now does not.
        let remembered =
            profile.and_then(|profile| profile.user.clone()).filter(|_| password.is_some() || token.is_none());
        let environment = env::var("GBAC_USER").ok();
        let user = args.connect_user.clone().or(match &args.profile {
            Some(_) => remembered.or(environment),
            None => environment.or(remembered),
        });
        let password = match (&user, password) {
            (Some(user), None) if token.is_none() && io::stdin().is_terminal() && !user.contains(':') => {
                Some(ask_password(user)?)
            }
            (_, password) => password,
        };
        Self::from_parts(user, password, token)
    }

    /// Half of a pair is a slip and never nobody.
    fn from_parts(user: Option<String>, password: Option<String>, token: Option<String>) -> Result<Self, Failure> {
        let basic = match (user, password) {
            (None, None) => None,
            (Some(user), Some(password)) if is_user(&user) => Some((user, password)),
            (Some(_), Some(_)) => return Err(Failure::usage("the user's name is empty or holds a colon")),
            (Some(_), None) => {
                return Err(Failure::usage("the user has no password; set GBAC_PASSWORD or give --password-file"));
            }
            (None, Some(_)) => {
                return Err(Failure::usage("a password was given without a user; set GBAC_USER or pass --user"));
            }
        };
        let token = token.map(|pasted| token::normalize_pasted(&pasted).token);
        if token.as_ref().is_some_and(|token| token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic())) {
            return Err(Failure::usage("--token-file, GBAC_TOKEN: that is not an access token"));
        }
        Ok(Self { token, basic })
    }

    /// Puts on what opens a path (D-26): a token the Data Plane and a password the rest, as far as there are both.
    fn sign(&self, path: &str, request: RequestBuilder) -> RequestBuilder {
        let data_plane = DATA_PLANE.iter().any(|api| path.starts_with(api));
        match (&self.token, &self.basic) {
            (Some(token), None) => request.bearer_auth(token),
            (Some(token), Some(_)) if data_plane => request.bearer_auth(token),
            (_, Some((user, password))) => request.basic_auth(user, Some(password)),
            (None, None) => request,
        }
    }
}

/// Whether a name can stand before a password (RFC 7617).
pub(crate) fn is_user(name: &str) -> bool {
    !name.is_empty() && !name.contains(':')
}

/// Asks at the terminal, without echo.
fn ask_password(user: &str) -> Result<String, Failure> {
    let question = format!("Password of {}: ", plain(user));
    rpassword::prompt_password(question).map_err(|error| Failure::io("the terminal", &error))
}

/// Reads where a service is; credentials go there, so nobody may listen on the way.
pub(crate) fn base(what: &str, url: &str) -> Result<BaseUrl, Failure> {
    let base = BaseUrl::parse(url).map_err(|error| Failure::usage(format!("{what}: {error}; {}", error.hint())))?;
    address(url).map_err(|error| Failure::usage(format!("{what}: {error}; {}", error.hint())))?;
    Ok(base)
}

/// One call of many: how, where and with which body.
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: String,
}

/// An answer that was a success.
struct Answer {
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
    /// Reads where the service is and who asks: flags, then the environment, then a profile.
    pub(crate) fn open(args: &ConnectArgs) -> Result<Self, Failure> {
        let profile = profile::chosen(args.profile.as_deref())?;
        let remembered = || profile.as_ref().map(|profile| profile.url.clone());
        let named = args.url.clone().or_else(|| args.profile.is_none().then(|| env::var("GBAC_URL").ok())?);
        let url = named.or_else(remembered).unwrap_or_else(|| LOCAL.into());
        let base = base("--url, GBAC_URL", &url)?;
        let roles = match (args.role_spelling, &profile) {
            (Some(spelling), _) => spelling.into(),
            (None, Some(profile)) => profile.spelling()?,
            (None, None) => RoleSpelling::default(),
        };
        let credentials = Credentials::of(args, profile.as_ref())?;
        // Fails when somebody chose before, and then it is the same one.
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

    /// The same caller at another address.
    pub(crate) fn at(self, what: &str, url: &str) -> Result<Self, Failure> {
        Ok(Self { base: base(what, url)?, url: url.into(), ..self })
    }

    /// How roles are spelled towards this service.
    pub(crate) const fn roles(&self) -> RoleSpelling {
        self.roles
    }

    /// Makes many calls, some at a time; says how each ended, and stops where `each` says so.
    pub(crate) fn make_all(
        &self,
        calls: impl IntoIterator<Item = Call>,
        mut each: impl FnMut(usize, Result<(), CallError>) -> ControlFlow<()>,
    ) {
        let mut calls = calls.into_iter().enumerate();
        self.runtime.block_on(async {
            let mut under_way = JoinSet::new();
            loop {
                while under_way.len() < AT_ONCE {
                    let Some((place, call)) = calls.next() else { break };
                    match self.request(call.method, &call.path) {
                        Ok(request) => {
                            let request = request.header(CONTENT_TYPE, "application/json").body(call.body);
                            under_way.spawn(async move { (place, ask(request).await) });
                        }
                        Err(error) => {
                            if each(place, Err(error)).is_break() {
                                return;
                            }
                        }
                    }
                }
                // A task of ours does not panic and is not aborted.
                let Some(Ok((place, answer))) = under_way.join_next().await else { return };
                if each(place, self.judge("", answer).map(|_| ())).is_break() {
                    return;
                }
            }
        });
    }

    /// Whom the service sees in a token (specification 4.3).
    pub(crate) fn resolve(&self, token: &str) -> Result<OidcIdentity, CallError> {
        let path = paths::security(paths::RESOLVE_OIDC_IDENTITY);
        let url = self.base.with(&path, "").ok_or_else(|| CallError::Path(path.clone()))?;
        let request = self.http.post(url).bearer_auth(token).header(CONTENT_TYPE, "application/json").body("{}");
        read(&path, &self.send(&path, request)?)
    }

    /// Reads something.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, CallError> {
        read(path, &self.send(path, self.request(Method::GET, path)?)?)
    }

    /// Changes something, and reads the answer.
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

    /// Sets something that has no body.
    pub(crate) fn put<T: DeserializeOwned>(&self, path: &str) -> Result<T, CallError> {
        read(path, &self.send(path, self.request(Method::PUT, path)?)?)
    }

    /// Deletes what the answer names.
    pub(crate) fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, CallError> {
        read(path, &self.send(path, self.request(Method::DELETE, path)?)?)
    }

    /// Deletes something; the answer is empty.
    pub(crate) fn remove(&self, path: &str) -> Result<(), CallError> {
        self.send(path, self.request(Method::DELETE, path)?).map(|_| ())
    }

    /// The policy, and the state that it is in.
    pub(crate) fn policy(&self) -> Result<(Policy, String), CallError> {
        let answer = self.send(paths::POLICY, self.request(Method::GET, paths::POLICY)?)?;
        let not = || CallError::NotJson(paths::POLICY.into());
        let policy = policy_from_json(&answer.text).map_err(|_| not())?;
        Ok((policy, answer.tag.ok_or_else(not)?))
    }

    /// Replaces the policy, if it is still in that state; the state after that.
    pub(crate) fn replace_policy(&self, policy: &Policy, state: &str) -> Result<Option<String>, CallError> {
        self.put_policy(paths::POLICY, policy, state)
    }

    /// Makes every check of [`Client::replace_policy`], and changes nothing.
    pub(crate) fn rehearse_policy(&self, policy: &Policy, state: &str) -> Result<(), CallError> {
        self.put_policy(&paths::policy_dry_run(), policy, state).map(drop)
    }

    fn put_policy(&self, path: &str, policy: &Policy, state: &str) -> Result<Option<String>, CallError> {
        let request = self.request(Method::PUT, path)?;
        let request = request.header(CONTENT_TYPE, "application/json").header(IF_MATCH, state);
        self.send(paths::POLICY, request.body(policy_to_text(policy))).map(|answer| answer.tag)
    }

    /// Whether an address can hold a path.
    pub(crate) fn can_ask(&self, path: &str) -> Result<(), CallError> {
        self.request(Method::GET, path).map(drop)
    }

    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, CallError> {
        let (path, query) = path.find('?').map_or((path, ""), |place| path.split_at(place));
        let url = self.base.with(path, query).ok_or_else(|| CallError::Path(path.into()))?;
        Ok(self.credentials.sign(path, self.http.request(method, url)))
    }

    fn send(&self, path: &str, request: RequestBuilder) -> Result<Answer, CallError> {
        let answer = self.runtime.block_on(ask(request));
        self.judge(path, answer)
    }

    fn judge(&self, path: &str, answer: Result<Raw, reqwest::Error>) -> Result<Answer, CallError> {
        let (status, tag, body) = answer.map_err(|error| self.away(&error))?;
        let text = String::from_utf8(body);
        if status.is_success() {
            let text = text.map_err(|_| CallError::NotJson(path.into()))?;
            return Ok(Answer { text, tag });
        }
        if status.is_redirection() {
            return Err(CallError::Redirect(status.as_u16()));
        }
        if status == StatusCode::UNAUTHORIZED {
            return Err(CallError::Credentials(self.credentials != Credentials::default()));
        }
        Err(CallError::Refused(Refusal::read(status.as_u16(), &text.unwrap_or_default())))
    }

    fn away(&self, error: &reqwest::Error) -> CallError {
        if error.is_timeout() {
            return CallError::TooSlow(self.url.clone(), self.timeout);
        }
        // The outermost message says only that something failed; the innermost says what.
        let mut cause: &dyn std::error::Error = error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        let cause = cause.to_string();
        let cause = cause.split(" (os error").next().unwrap_or_default();
        CallError::Unreachable(self.url.clone(), cause.to_owned())
    }
}

/// Status, state and body.
type Raw = (StatusCode, Option<String>, Vec<u8>);

async fn ask(request: RequestBuilder) -> Result<Raw, reqwest::Error> {
    let response = request.send().await?;
    let (status, tag) = (response.status(), tag(&response));
    Ok((status, tag, response.bytes().await?.into()))
}

fn tag(response: &Response) -> Option<String> {
    response.headers().get(ETAG)?.to_str().ok().map(str::to_owned)
}

fn read<T: DeserializeOwned>(path: &str, answer: &Answer) -> Result<T, CallError> {
    let path = path.split('?').next().unwrap_or(path);
    serde_json::from_str(&answer.text).map_err(|_| CallError::NotJson(path.into()))
}

#[cfg(test)]
mod tests {
    use gbac_api::problem::FieldViolation;

    use super::*;

    #[test]
    fn half_of_a_pair_is_refused() {
        let of = |user: Option<&str>, password: Option<&str>, token: Option<&str>| {
            let own = |text: Option<&str>| text.map(str::to_owned);
            Credentials::from_parts(own(user), own(password), own(token))
        };
        assert_eq!(of(None, None, None).unwrap(), Credentials::default());
        let both = of(Some("admin"), Some(""), Some("Bearer a.b.c\n")).unwrap();
        assert_eq!(both, Credentials { token: Some("a.b.c".into()), basic: Some(("admin".into(), String::new())) });
        for (user, password, token) in [
            (Some("admin"), None, None),
            (None, Some("x"), None),
            (Some("a:b"), Some("x"), None),
            (Some(""), Some("x"), None),
            (None, None, Some("")),
            (None, None, Some("a\u{e9}b")),
        ] {
            assert!(of(user, password, token).is_err(), "{user:?} {password:?} {token:?}");
        }
    }

    #[test]
    fn each_path_has_its_credential() {
        let http = || {
            let _ = rustls::crypto::ring::default_provider().install_default();
            reqwest::Client::new().get("http://127.0.0.1/")
        };
        let signed = |token: bool, basic: bool, path: &str| {
            let token = token.then(|| "t".to_owned());
            let basic = basic.then(|| ("u".to_owned(), "p".to_owned()));
            let request = Credentials { token, basic }.sign(path, http()).build().unwrap();
            let header = request.headers().get("authorization").map(|value| value.to_str().unwrap().to_owned());
            header.map(|text| text.split(' ').next().unwrap().to_owned())
        };
        for (token, basic, path, scheme) in [
            (true, true, "/v1/acls", Some("Bearer")),
            (true, true, "/v1/roles/x", Some("Bearer")),
            (true, true, "/v1/cluster_config", Some("Basic")),
            (true, true, "/gbac/v1/policy", Some("Basic")),
            (true, false, "/v1/loggers", Some("Bearer")),
            (false, true, "/v1/acls", Some("Basic")),
            (false, false, "/v1/acls", None),
        ] {
            assert_eq!(signed(token, basic, path).as_deref(), scheme, "{token} {basic} {path}");
        }
    }

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

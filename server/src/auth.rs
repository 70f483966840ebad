//! Who asks, and who may what (specification 5, D-26, D-30).

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gbac_analysis::audit::SignInResult;
use gbac_api::problem::RpcCode;
use gbac_engine::decide::Outcome;
use gbac_engine::identity::Identity;
use tokio::sync::Semaphore;

use crate::access::{Declared, Required};
use crate::app::App;
use crate::audit::{Asked, Credential};
use crate::body;
use crate::failures::Failures;
use crate::fault::{Fault, Surface};
use crate::password::{Password, same_name};

/// How many passwords are hashed at once; each takes 19 MiB.
const HASHING: usize = 2;

/// The one user with a password here.
pub(crate) struct Admin {
    /// The name.
    pub(crate) name: String,
    password: Password,
    hashing: Arc<Semaphore>,
    failures: Failures,
}

impl Admin {
    /// A user with this password.
    ///
    /// # Errors
    /// As [`Password::new`].
    pub(crate) fn new(name: String, password: &str) -> io::Result<Self> {
        Ok(Self::with(name, Password::new(password)?))
    }

    /// A user whose password was hashed before.
    ///
    /// # Errors
    /// As [`Password::from_stored`].
    pub(crate) fn from_stored(name: String, hash: &str) -> io::Result<Self> {
        Ok(Self::with(name, Password::from_stored(hash)?))
    }

    fn with(name: String, password: Password) -> Self {
        Self { name, password, hashing: Arc::new(Semaphore::new(HASHING)), failures: Failures::default() }
    }

    /// The hash of the password, as text to be stored.
    pub(crate) fn stored(&self) -> &str {
        self.password.stored()
    }
}

/// Someone whose credentials are right.
#[derive(Debug)]
pub(crate) enum Caller {
    /// By password.
    Password(String),
    /// By a token of the provider.
    Token(Identity),
}

impl Caller {
    /// The user's name.
    pub(crate) fn user(&self) -> &str {
        match self {
            Self::Password(name) => name,
            Self::Token(identity) => identity.user(),
        }
    }

    /// The groups of the token.
    pub(crate) fn groups(&self) -> &[String] {
        match self {
            Self::Password(_) => &[],
            Self::Token(identity) => identity.groups(),
        }
    }
}

/// Why nobody is signed in. Which part of the credentials was wrong is never said.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// There are no credentials.
    Missing,
    /// They are not right.
    Wrong(Scheme),
    /// Too many were not right; in how many seconds the next are looked at (D-38).
    TooMany(f64),
    /// They cannot be recorded (D-23).
    Unrecorded(Fault),
}

/// What kind of credentials there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// A name and a password (RFC 7617).
    Basic,
    /// A token (RFC 6750).
    Bearer,
    /// Something else, or more than one.
    Other,
}

impl Refusal {
    /// The answer of a surface; to a page without a challenge that makes a browser ask for a password.
    pub(crate) fn fault(self, surface: Surface, page: bool) -> Fault {
        let scheme = match self {
            Self::Missing => None,
            Self::Wrong(scheme) => Some(scheme),
            Self::TooMany(wait) => {
                let seconds = wait.ceil().max(1.0);
                let message = format!("too many failed sign-ins; try again in {seconds} s");
                let fault = Fault::new(RpcCode::ResourceExhausted, message);
                let wait = HeaderValue::from_str(&seconds.to_string());
                return wait.map_or(Fault::new(RpcCode::ResourceExhausted, "too many failed sign-ins"), |wait| {
                    fault.with_header(header::RETRY_AFTER, wait)
                });
            }
            Self::Unrecorded(fault) => return fault,
        };
        let message = match (scheme, surface) {
            (None, Surface::Admin) => "Forbidden (authentication is required)",
            (Some(_), Surface::Admin) => "Unauthorized",
            (None, _) => "credentials are missing; this takes a superuser's password or token",
            (Some(_), _) => "the credentials are not valid",
        };
        let fault = Fault::new(RpcCode::Unauthenticated, message);
        let bearer = HeaderValue::from_static(match scheme {
            Some(Scheme::Bearer) => "Bearer realm=\"gbac\", error=\"invalid_token\"",
            _ => "Bearer realm=\"gbac\"",
        });
        let basic = HeaderValue::from_static("Basic realm=\"gbac\", charset=\"UTF-8\"");
        match scheme {
            _ if page => fault.with_header(header::WWW_AUTHENTICATE, bearer),
            Some(Scheme::Basic) => fault.with_header(header::WWW_AUTHENTICATE, basic),
            Some(Scheme::Bearer) => fault.with_header(header::WWW_AUTHENTICATE, bearer),
            None | Some(Scheme::Other) => {
                fault.with_header(header::WWW_AUTHENTICATE, bearer).with_header(header::WWW_AUTHENTICATE, basic)
            }
        }
    }
}

/// The credentials of a request, not looked at yet, and what is told of it.
pub(crate) struct Credentials {
    given: Option<(Scheme, String)>,
    peer: Option<IpAddr>,
    /// Whether a page asks, or might.
    pub(crate) page: bool,
    /// The request, for the audit log.
    pub(crate) asked: Asked,
}

impl Credentials {
    /// Those of a request.
    pub(crate) fn of(request: &Request) -> Self {
        let headers = request.headers();
        let agent = headers.get(header::USER_AGENT).is_some_and(|agent| agent.as_bytes().starts_with(b"Mozilla/"));
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
        let page = agent || headers.contains_key("sec-fetch-mode");
        Self { given: given(headers), peer, page, asked: Asked::of(request) }
    }
}

fn given(headers: &HeaderMap) -> Option<(Scheme, String)> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next()?;
    let other = (Scheme::Other, String::new());
    if values.next().is_some() {
        return Some(other);
    }
    let Some((scheme, rest)) = value.to_str().ok().and_then(|text| text.split_once(' ')) else { return Some(other) };
    let rest = rest.trim_matches(' ').to_owned();
    Some(if scheme.eq_ignore_ascii_case("bearer") {
        (Scheme::Bearer, rest)
    } else if scheme.eq_ignore_ascii_case("basic") {
        (Scheme::Basic, rest)
    } else {
        other
    })
}

/// Checks the credentials of a request, and records that they were right or wrong.
///
/// # Errors
/// See [`Refusal`].
pub(crate) async fn authenticate(app: &App, credentials: &Credentials) -> Result<Caller, Refusal> {
    let (scheme, text) = credentials.given.as_ref().ok_or(Refusal::Missing)?;
    let (credential, checked, name) = match scheme {
        Scheme::Bearer => {
            let checked = app.resolve(text).await.map_err(|refused| format!("{}: {refused}", refused.code()));
            (Credential::Token, checked.map(Caller::Token), String::new())
        }
        Scheme::Basic => match named(text) {
            Some((name, password)) => {
                let checked = by_password(app, &name, password, credentials.peer).await?;
                let wrong = "the name or the password is wrong".to_owned();
                (Credential::Password, checked.then(|| Caller::Password(name.clone())).ok_or(wrong), name)
            }
            None => (Credential::Password, Err("the credentials cannot be read".into()), String::new()),
        },
        Scheme::Other => (Credential::Password, Err("the credentials cannot be read".into()), String::new()),
    };
    let audit = app.audit();
    let recorded = match &checked {
        Ok(caller) => {
            let (user, result) = (caller.user(), SignInResult::Success { groups: caller.groups() });
            audit.authentication(&credentials.asked, user, app.is_superuser(caller), credential, result).await
        }
        Err(detail) => {
            let result = SignInResult::Failure { detail };
            // Who types the password where the name goes is no known user, and the password is not kept.
            let name = if same_name(&name, &app.admin().name) { name.as_str() } else { "" };
            audit.authentication(&credentials.asked, name, false, credential, result).await
        }
    };
    recorded.map_err(Refusal::Unrecorded)?;
    checked.map_err(|_| Refusal::Wrong(*scheme))
}

fn named(credentials: &str) -> Option<(String, String)> {
    let decoded = String::from_utf8(STANDARD.decode(credentials).ok()?).ok()?;
    decoded.split_once(':').map(|(name, password)| (name.to_owned(), password.to_owned()))
}

/// Whether this is the user and the password. A wrong name takes as long as a wrong password, and counts as one; who
/// was right before is not made to wait for those who are wrong.
async fn by_password(app: &App, name: &str, password: String, peer: Option<IpAddr>) -> Result<bool, Refusal> {
    let admin = app.admin();
    let known = same_name(name, &admin.name);
    if admin.password.was(&password) && known {
        return Ok(true);
    }
    let wrong = || Refusal::Wrong(Scheme::Basic);
    let turn = Arc::clone(&admin.hashing).acquire_owned().await.map_err(|_| wrong())?;
    // Many who come at once with the right password wait for the first of them only.
    if known && admin.password.was(&password) {
        return Ok(true);
    }
    admin.failures.begin(name, peer, app.now()).map_err(Refusal::TooMany)?;
    let this = app.clone();
    let hash = tokio::task::spawn_blocking(move || {
        // Held by the work itself, which goes on when the request is given up.
        let _turn = turn;
        this.admin().password.is(&password)
    });
    let right = hash.await.map_err(|_| wrong())?;
    if known && right {
        admin.failures.succeed(name, peer);
    }
    Ok(known && right)
}

/// Lets a request through to its handler when its caller may ask it (D-26).
pub(crate) async fn authorize(
    State((app, declared)): State<(App, Arc<Declared>)>,
    request: Request,
    next: Next,
) -> Response {
    let required = declared.access(&request).required(&app, request.method());
    if required == Required::Nothing {
        return next.run(request).await;
    }
    let (surface, credentials) = (Surface::of(request.uri().path()), Credentials::of(&request));
    match admit(&app, required, surface, &credentials).await {
        Ok(()) => next.run(request).await,
        Err(fault) => body::refuse(request, fault).await,
    }
}

async fn admit(app: &App, required: Required, surface: Surface, credentials: &Credentials) -> Result<(), Fault> {
    let (asked, audit) = (&credentials.asked, app.audit());
    let caller = match authenticate(app, credentials).await {
        Ok(caller) => caller,
        Err(Refusal::Missing) if required == Required::RightIfGiven => return Ok(()),
        Err(refusal) => {
            if matches!(refusal, Refusal::Missing) {
                audit.access(asked, "", false, Outcome::Deny, "credentials required").await?;
            }
            return Err(refusal.fault(surface, credentials.page));
        }
    };
    if required == Required::RightIfGiven {
        return Ok(());
    }
    if app.is_superuser(&caller) {
        audit.access(asked, caller.user(), true, Outcome::Allow, "superuser").await?;
        return Ok(());
    }
    audit.access(asked, caller.user(), false, Outcome::Deny, "superuser required").await?;
    let message = match surface {
        Surface::Admin => "Forbidden (superuser role required)",
        _ => "only a superuser may do this",
    };
    Err(Fault::new(RpcCode::PermissionDenied, message))
}

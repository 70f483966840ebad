//! Who asks, and who may what (specification 5, D-26, D-30).

use std::io;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gbac_api::paths;
use gbac_api::problem::RpcCode;
use gbac_engine::identity::Identity;
use tokio::sync::Semaphore;

use crate::app::App;
use crate::body;
use crate::fault::{Fault, Surface};
use crate::password::{Password, same_name};

/// How many passwords are hashed at once; each takes 19 MiB.
const HASHING: usize = 2;

/// The one user with a password here.
pub(crate) struct Admin {
    /// The name.
    pub(crate) name: String,
    password: Password,
    hashing: Semaphore,
}

impl Admin {
    /// A user with this password.
    ///
    /// # Errors
    /// As [`Password::new`].
    pub(crate) fn new(name: String, password: &str) -> io::Result<Self> {
        Ok(Self { name, password: Password::new(password)?, hashing: Semaphore::new(HASHING) })
    }
}

/// Someone whose credentials are right.
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
}

/// Why nobody is signed in. Which part of the credentials was wrong is never said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There are no credentials.
    Missing,
    /// They are not right.
    Wrong,
}

impl Refusal {
    /// The 401 of a surface.
    pub(crate) fn fault(self, surface: Surface) -> Fault {
        let message = match (self, surface) {
            (Self::Missing, Surface::Admin) => "Forbidden (authentication is required)",
            (Self::Wrong, Surface::Admin) => "Unauthorized",
            (Self::Missing, _) => "credentials are missing; this takes a superuser's password or token",
            (Self::Wrong, _) => "the credentials are not valid",
        };
        Fault::new(RpcCode::Unauthenticated, message)
    }
}

/// Reads the credentials of a request and checks them.
///
/// # Errors
/// There are none, or they are not right.
pub(crate) async fn authenticate(app: &App, headers: &HeaderMap) -> Result<Caller, Refusal> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let value = given.next().ok_or(Refusal::Missing)?;
    if given.next().is_some() {
        return Err(Refusal::Wrong);
    }
    let (scheme, rest) = value.to_str().ok().and_then(|text| text.split_once(' ')).ok_or(Refusal::Wrong)?;
    let rest = rest.trim_matches(' ');
    if scheme.eq_ignore_ascii_case("bearer") {
        app.resolve(rest).map(Caller::Token).ok_or(Refusal::Wrong)
    } else if scheme.eq_ignore_ascii_case("basic") {
        by_password(app, rest).await.ok_or(Refusal::Wrong)
    } else {
        Err(Refusal::Wrong)
    }
}

/// Checks Basic credentials (RFC 7617). A wrong name takes as long as a wrong password.
async fn by_password(app: &App, credentials: &str) -> Option<Caller> {
    let decoded = String::from_utf8(STANDARD.decode(credentials).ok()?).ok()?;
    let (name, password) = decoded.split_once(':')?;
    let admin = app.admin();
    let known = same_name(name, &admin.name);
    let right = admin.password.was(password) || {
        let _turn = admin.hashing.acquire().await.ok()?;
        let (app, password) = (app.clone(), password.to_owned());
        tokio::task::spawn_blocking(move || app.admin().password.is(&password)).await.ok()?
    };
    (known && right).then(|| Caller::Password(name.to_owned()))
}

/// What a request takes.
enum Takes {
    /// Nothing, or what its handler says.
    Nothing,
    /// In a demo nothing; credentials that are there must be right.
    Reader,
    /// A superuser.
    Superuser,
}

impl Takes {
    fn of(method: &Method, path: &str) -> Self {
        let open = [paths::SERVICE, paths::CLUSTER_CONFIG_SCHEMA].contains(&path);
        if open || !(path.starts_with("/v1/") || path.starts_with("/gbac/")) {
            Self::Nothing
        } else if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
            Self::Reader
        } else {
            Self::Superuser
        }
    }
}

/// Lets a request through to its handler when its caller may ask it (D-26).
pub(crate) async fn authorize(State(app): State<App>, request: Request, next: Next) -> Response {
    match refusal(&app, request.method(), request.uri().path(), request.headers()).await {
        None => next.run(request).await,
        Some(fault) => body::refuse(request, fault).await,
    }
}

async fn refusal(app: &App, method: &Method, path: &str, headers: &HeaderMap) -> Option<Fault> {
    let surface = Surface::of(path);
    match Takes::of(method, path) {
        Takes::Nothing => None,
        Takes::Reader => match authenticate(app, headers).await {
            Ok(_) | Err(Refusal::Missing) => None,
            Err(refusal) => Some(refusal.fault(surface)),
        },
        Takes::Superuser => match authenticate(app, headers).await {
            Ok(caller) if app.read().policy.settings().superusers.contains(caller.user()) => None,
            Ok(_) => {
                let message = match surface {
                    Surface::Admin => "Forbidden (superuser role required)",
                    _ => "only a superuser may do this",
                };
                Some(Fault::new(RpcCode::PermissionDenied, message))
            }
            Err(refusal) => Some(refusal.fault(surface)),
        },
    }
}

//! The application: what it holds, and the router over it.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use axum::{Router, middleware};
use gbac_api::problem::RpcCode;
use gbac_api::service::SignIn;
use gbac_engine::identity::Identity;
use gbac_engine::policy::ChangeError;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

use crate::auth::{self, Admin};
use crate::clock::{self, Clock};
use crate::console::{self, Console};
use crate::demo::{self, DemoKey, Provider};
use crate::fault::Fault;
use crate::serve::ServeError;
use crate::store::{Plan, Snapshot, Store};
use crate::{acls, body, cluster_config, demo_provider, gate, policy_document, roles, security_service, service_info};

/// What a demo is made from.
#[derive(Debug, Clone)]
pub struct Demo {
    /// Where it listens; the issuer of its provider has this address.
    pub address: SocketAddr,
    /// The password of the user `admin`; `None` is the published `demo`.
    pub admin_password: Option<String>,
    /// The console's files; `None` takes those that were built in.
    pub console: Option<PathBuf>,
    /// The key of its provider; `None` makes a new one, as every start does.
    pub key: Option<DemoKey>,
    /// Tells the time in seconds since 1970; `None` is the machine's.
    pub clock: Option<fn() -> f64>,
}

/// The application; a handle that is cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Parts>);

struct Parts {
    store: Store,
    admin: Admin,
    sign_in: Option<SignIn>,
    provider: Provider,
    console: Console,
    clock: Clock,
}

impl App {
    /// A demo: in memory, with a small policy, a provider with new keys, and reads without credentials.
    ///
    /// # Errors
    /// The password is empty, the console's folder cannot be read, or there are no random numbers.
    pub fn demo(options: Demo) -> Result<Self, ServeError> {
        let policy = demo::policy().map_err(ServeError::DemoPolicy)?;
        if options.admin_password.as_deref() == Some("") {
            return Err(ServeError::EmptyPassword);
        }
        let published = options.admin_password.is_none();
        let password = options.admin_password.unwrap_or_else(|| demo::PASSWORD.into());
        let sign_in = published.then(|| SignIn { user: demo::ADMIN.into(), password: password.clone() });
        let start = || -> io::Result<(Store, Admin, Provider)> {
            let admin = Admin::new(demo::ADMIN.into(), &password)?;
            let key = options.key.map_or_else(DemoKey::new, Ok)?;
            Ok((Store::new(policy)?, admin, Provider::new(options.address, key)?))
        };
        let (store, admin, provider) = start().map_err(ServeError::Start)?;
        let console = match &options.console {
            Some(folder) => {
                Console::from_folder(folder).map_err(|error| ServeError::Console { folder: folder.clone(), error })?
            }
            None => Console::embedded(),
        };
        let clock = options.clock.unwrap_or(clock::system);
        Ok(Self(Arc::new(Parts { store, admin, sign_in, provider, console, clock })))
    }

    pub(crate) fn read(&self) -> Snapshot {
        self.0.store.read()
    }

    pub(crate) fn tag(&self, snapshot: &Snapshot) -> String {
        self.0.store.tag(snapshot)
    }

    pub(crate) fn change<T, E: From<ChangeError>>(
        &self,
        plan: impl FnOnce(&Snapshot) -> Result<Plan<T>, E>,
    ) -> Result<(T, Snapshot), E> {
        self.0.store.change(plan)
    }

    /// Verifies a token of the provider and resolves it under the settings of this moment (D-15); `None` when any
    /// check fails, or when the token names no user.
    pub(crate) fn resolve(&self, token: &str) -> Option<Identity> {
        let claims = self.0.provider.verify(token, self.now())?;
        let rules = self.read().policy.settings().identity_rules();
        Identity::from_verified(&claims, None, &rules).ok().map(|(identity, _)| identity)
    }

    pub(crate) fn admin(&self) -> &Admin {
        &self.0.admin
    }

    pub(crate) fn sign_in(&self) -> Option<&SignIn> {
        self.0.sign_in.as_ref()
    }

    pub(crate) fn provider(&self) -> &Provider {
        &self.0.provider
    }

    pub(crate) fn console(&self) -> &Console {
        &self.0.console
    }

    pub(crate) fn now(&self) -> f64 {
        (self.0.clock)()
    }
}

/// Every route of the service.
pub fn router(app: App) -> Router {
    Router::new()
        .merge(acls::routes())
        .merge(roles::routes())
        .merge(security_service::routes())
        .merge(cluster_config::routes())
        .merge(policy_document::routes())
        .merge(service_info::routes())
        .merge(demo_provider::routes())
        .method_not_allowed_fallback(wrong_method)
        .fallback(console::answer)
        .layer(middleware::from_fn_with_state(app.clone(), auth::authorize))
        // On loopback time counts, not bytes.
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
        .layer(middleware::from_fn(gate::gate))
        .with_state(app)
}

async fn wrong_method(method: Method, request: Request) -> Response {
    let message = format!("`{method}` is not possible here");
    let fault = Fault::with_status(405, RpcCode::Unimplemented, "method_not_allowed", message);
    body::refuse(request, fault).await
}

/// The answer for a path of an API that has nothing there.
pub(crate) async fn nothing(request: Request) -> Response {
    let message = format!("there is nothing at `{}`", request.uri().path().escape_debug());
    body::refuse(request, Fault::new(RpcCode::NotFound, message)).await
}

//! The application: what it holds, and the router over it.

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use axum::{Router, middleware};
use gbac_api::problem::RpcCode;
use gbac_api::service::SignIn;
use gbac_engine::escape::escaped;
use gbac_engine::identity::Identity;
use gbac_engine::token::Claims;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

use crate::access::{Access, Routes};
use crate::audit::{self, Audit};
use crate::auth::{self, Admin, Caller};
use crate::clock::{self, Clock};
use crate::config::{Config, License};
use crate::console::{self, Console};
use crate::demo::{self, DemoKey, Provider};
use crate::fault::Fault;
use crate::loggers::Levels;
use crate::metrics::Metrics;
use crate::oidc::{Oidc, Refused};
use crate::serve::ServeError;
use crate::site::{Site, SiteOptions};
use crate::start;
use crate::store::{Plan, Snapshot, Store};
use crate::upstream::{Upstream, UpstreamOptions};
use crate::{
    acls, authzen, body, cluster_config, control_plane, demo_provider, gate, health, license, loggers, parameters,
    policy_changes, policy_document, roles, security_service, service_info, upstream,
};

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
    /// The licence that it says it has; `None` is a valid one.
    pub license: Option<License>,
    /// What it is known as from outside.
    pub site: SiteOptions,
    /// The cluster that it relays to.
    pub upstream: UpstreamOptions,
    /// The file of its audit events; without one they are in memory only.
    pub audit: Option<PathBuf>,
}

impl Demo {
    /// A demo at an address, with the defaults.
    #[must_use]
    pub fn at(address: SocketAddr) -> Self {
        Self {
            address,
            admin_password: None,
            console: None,
            key: None,
            clock: None,
            license: None,
            site: SiteOptions::default(),
            upstream: UpstreamOptions::default(),
            audit: None,
        }
    }
}

/// What a service on a folder is made from.
#[derive(Debug, Clone)]
pub struct Service {
    /// Where it listens.
    pub address: SocketAddr,
    /// Whether it does so with TLS.
    pub tls: bool,
    /// The folder of its data; made when there is none.
    pub data: PathBuf,
    /// The user with a password, who is made a superuser.
    pub admin_user: String,
    /// The password; `None` is the stored one, or at the first start a new one that is told once.
    pub admin_password: Option<String>,
    /// Pins `oidc_discovery_url`.
    pub oidc_discovery_url: Option<String>,
    /// Pins `oidc_token_audience`.
    pub oidc_audience: Option<String>,
    /// Pins the licence.
    pub license: Option<License>,
    /// What it is known as from outside.
    pub site: SiteOptions,
    /// The cluster that it relays to.
    pub upstream: UpstreamOptions,
    /// The console's files; `None` takes those that were built in.
    pub console: Option<PathBuf>,
    /// Tells the time in seconds since 1970; `None` is the machine's.
    pub clock: Option<fn() -> f64>,
}

impl Service {
    /// A service on a folder, with the defaults.
    #[must_use]
    pub fn at(address: SocketAddr, data: PathBuf) -> Self {
        Self {
            address,
            tls: false,
            data,
            admin_user: demo::ADMIN.into(),
            admin_password: None,
            oidc_discovery_url: None,
            oidc_audience: None,
            license: None,
            site: SiteOptions::default(),
            upstream: UpstreamOptions::default(),
            console: None,
            clock: None,
        }
    }
}

/// The application; a handle that is cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Parts>);

struct Parts {
    store: Store,
    admin: Admin,
    /// A password that was made at this start and is told once.
    first_password: Option<String>,
    demo: Option<DemoParts>,
    oidc: Oidc,
    audit: audit::Log,
    metrics: Metrics,
    site: Site,
    address: SocketAddr,
    upstream: Upstream,
    levels: Levels,
    console: Console,
    clock: Clock,
}

struct DemoParts {
    sign_in: Option<SignIn>,
    provider: Provider,
}

impl App {
    /// A demo: in memory, with a small policy, a provider with new keys, and reads without credentials.
    ///
    /// # Errors
    /// See [`ServeError`].
    pub fn demo(options: Demo) -> Result<Self, ServeError> {
        let policy = demo::policy().map_err(ServeError::DemoPolicy)?;
        start::check_password(options.admin_password.as_deref())?;
        let published = options.admin_password.is_none();
        let password = options.admin_password.unwrap_or_else(|| demo::PASSWORD.into());
        let sign_in = published.then(|| SignIn { user: demo::ADMIN.into(), password: password.clone() });
        let key = options.key.map_or_else(DemoKey::new, Ok).map_err(ServeError::Start)?;
        let provider = Provider::new(options.address, key).map_err(ServeError::Start)?;
        let mut config = Config {
            audit_enabled: true,
            oidc_discovery_url: provider.discovery_address(),
            oidc_token_audience: demo::AUDIENCE.into(),
            ..Config::default()
        };
        config.pinned.extend(["oidc_discovery_url", "oidc_token_audience"]);
        start::pin_license(&mut config, options.license);
        Ok(Self(Arc::new(Parts {
            store: Store::memory(policy, config).map_err(ServeError::Store)?,
            admin: Admin::new(demo::ADMIN.into(), &password).map_err(ServeError::Start)?,
            first_password: None,
            oidc: Oidc::demo(provider.keys()),
            demo: Some(DemoParts { sign_in, provider }),
            audit: start::audit(options.audit)?,
            metrics: Metrics::new(),
            site: Site::new(options.site, options.address, false)?,
            address: options.address,
            upstream: Upstream::new(&options.upstream).map_err(ServeError::Upstream)?,
            levels: Levels::default(),
            console: start::console(options.console)?,
            clock: options.clock.unwrap_or(clock::system),
        })))
    }

    /// A service on a folder: durable, with a provider that runs elsewhere, and nothing without credentials.
    ///
    /// # Errors
    /// See [`ServeError`].
    pub fn open(options: Service) -> Result<Self, ServeError> {
        start::check(&options)?;
        let clock = options.clock.unwrap_or(clock::system);
        let site = Site::new(options.site.clone(), options.address, options.tls)?;
        let upstream = Upstream::new(&options.upstream).map_err(ServeError::Upstream)?;
        let (store, admin, first_password) = start::open(&options)?;
        Ok(Self(Arc::new(Parts {
            store,
            admin,
            first_password,
            demo: None,
            oidc: Oidc::remote(clock),
            audit: start::audit(Some(options.data.join("audit.jsonl")))?,
            metrics: Metrics::new(),
            site,
            address: options.address,
            upstream,
            levels: Levels::default(),
            console: start::console(options.console)?,
            clock,
        })))
    }

    /// The password of the admin, when it was made at this start; it is stored only as a hash.
    #[must_use]
    pub fn first_password(&self) -> Option<(&str, &str)> {
        self.0.first_password.as_deref().map(|password| (self.0.admin.name.as_str(), password))
    }

    pub(crate) fn read(&self) -> Snapshot {
        self.0.store.read()
    }

    pub(crate) fn tag(&self, snapshot: &Snapshot) -> String {
        self.0.store.tag(snapshot)
    }

    /// See [`Store::change`].
    pub(crate) async fn change<T, E>(
        &self,
        plan: impl FnOnce(&Snapshot) -> Result<Plan<T>, E> + Send + 'static,
    ) -> Result<(T, Snapshot), E>
    where
        T: Send + 'static,
        E: From<Fault> + Send + 'static,
    {
        self.0
            .store
            .change(move |held| {
                let plan = plan(held)?;
                Ok(license::check(held, plan)?)
            })
            .await
    }

    /// Verifies a token of the provider and resolves it under the settings of this moment (D-15).
    ///
    /// # Errors
    /// A check failed, or the token names no user.
    pub(crate) async fn resolve(&self, token: &str) -> Result<Identity, Refused> {
        let config = self.read().config;
        let claims = self.0.oidc.verify(token, &config, self.now()).await?;
        let rules = self.read().policy.settings().identity_rules();
        let identity = Identity::from_verified(&claims, None, &rules);
        // Personal data, and never the token itself (D-24). They are written out only where the level is debug.
        tracing::debug!(target: "security", "claims of a validated token: {}", ClaimsText(&claims));
        identity.map(|(identity, _)| identity).map_err(Refused::User)
    }

    /// Whether this caller may do everything.
    pub(crate) fn is_superuser(&self, caller: &Caller) -> bool {
        self.read().policy.settings().superusers.contains(caller.user())
    }

    /// Whether this is a demo.
    pub(crate) fn is_demo(&self) -> bool {
        self.0.demo.is_some()
    }

    pub(crate) fn admin(&self) -> &Admin {
        &self.0.admin
    }

    pub(crate) fn sign_in(&self) -> Option<&SignIn> {
        self.0.demo.as_ref()?.sign_in.as_ref()
    }

    /// The demo's identity provider.
    pub(crate) fn provider(&self) -> Option<&Provider> {
        self.0.demo.as_ref().map(|demo| &demo.provider)
    }

    pub(crate) fn oidc(&self) -> &Oidc {
        &self.0.oidc
    }

    /// The audit log, as the setting of this moment says.
    pub(crate) fn audit(&self) -> Audit<'_> {
        Audit::new(&self.0.audit, self.read().config.audit_enabled, self.now(), self.0.address)
    }

    pub(crate) fn audit_log(&self) -> &audit::Log {
        &self.0.audit
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    pub(crate) fn site(&self) -> &Site {
        &self.0.site
    }

    pub(crate) fn upstream(&self) -> &Upstream {
        &self.0.upstream
    }

    /// Whether writes can become durable.
    pub(crate) fn is_sound(&self) -> bool {
        self.0.store.is_sound()
    }

    /// For how many seconds the provider's keys have been held.
    pub(crate) fn key_age(&self) -> Option<f64> {
        self.0.oidc.key_age(&self.read().config)
    }

    /// How many commits the store made.
    pub(crate) fn commits(&self) -> u64 {
        self.0.store.commits()
    }

    /// The loggers' levels that will revert.
    pub(crate) fn levels(&self) -> &Levels {
        &self.0.levels
    }

    pub(crate) fn console(&self) -> &Console {
        &self.0.console
    }

    pub(crate) fn now(&self) -> f64 {
        (self.0.clock)()
    }
}

/// Claims as JSON, made when they are written.
struct ClaimsText<'c>(&'c Claims);

impl fmt::Display for ClaimsText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.members().to_string())
    }
}

/// Every route of the service, each with what it takes.
pub(crate) fn routes(app: &App) -> Routes {
    Routes::new()
        .folder("v1", Access::SUPERUSER)
        .folder("gbac", Access::SUPERUSER)
        .merge(acls::routes())
        .merge(roles::routes())
        .merge(security_service::routes())
        .merge(cluster_config::routes())
        .merge(policy_document::routes())
        .merge(policy_changes::routes())
        .merge(service_info::routes())
        .merge(health::routes())
        .merge(audit::routes())
        .merge(authzen::routes())
        .merge(control_plane::routes())
        .merge(license::routes())
        .merge(loggers::routes())
        .merge(upstream::routes())
        .merge(if app.is_demo() { demo_provider::routes() } else { Routes::new() })
}

/// What each route takes of its caller, by the route's pattern.
#[must_use]
pub fn declared_access(app: &App) -> BTreeMap<String, Access> {
    let (_, declared) = routes(app).into_parts();
    declared.routes().map(|(route, access)| (route.to_owned(), access)).collect()
}

/// The service, without a port.
pub fn router(app: App) -> Router {
    let routes = routes(&app);
    assemble(app, routes)
}

/// These routes, the console's files, and what every request passes.
pub(crate) fn assemble(app: App, routes: Routes) -> Router {
    let (router, declared) = routes.into_parts();
    router
        .route_layer(middleware::from_fn(parameters::check))
        .method_not_allowed_fallback(wrong_method)
        .fallback(console::answer)
        .layer(middleware::from_fn_with_state((app.clone(), Arc::new(declared)), auth::authorize))
        // On loopback time counts, not bytes.
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
        .layer(middleware::from_fn_with_state(app.clone(), gate::gate))
        .with_state(app)
}

async fn wrong_method(method: Method, request: Request) -> Response {
    let message = format!("`{method}` is not possible here");
    let fault = Fault::with_status(405, RpcCode::Unimplemented, "method_not_allowed", message);
    body::refuse(request, fault).await
}

/// The answer for a path of an API that has nothing there.
pub(crate) async fn nothing(request: Request) -> Response {
    let message = format!("there is nothing at `{}`", escaped(request.uri().path()));
    body::refuse(request, Fault::new(RpcCode::NotFound, message)).await
}

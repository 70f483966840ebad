//! What handlers use; each takes the part that it needs.

use std::sync::Arc;

use axum::extract::FromRef;
use gbac_api::service::SignIn;

use crate::client_address::NetworkSlots;
use crate::console::Console;
use crate::demo::IdentityProvider;
use crate::http::long_read::LongReads;
use crate::http::policy_copies::PolicyCopies;
use crate::identity::provider_sign_in::ProviderSignIn;
use crate::identity::relayed_sign_in::RelayedSignIns;
use crate::identity::sign_in::Authenticator;
use crate::state::service::Service;
use crate::state::superusers;
use crate::upstream::Upstream;

/// The application: the service with everything that its routes need. It is cheap to clone.
#[derive(Clone)]
pub struct App {
    pub(crate) service: Service,
    pub(crate) authenticator: Authenticator,
    /// The requests of each client at once.
    pub(crate) request_slots: NetworkSlots,
    /// The long reads of each caller at once.
    pub(crate) long_reads: LongReads,
    /// The policy documents that are being sent.
    pub(crate) policy_copies: PolicyCopies,
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) relayed_sign_ins: Arc<RelayedSignIns>,
    /// Sign-in with the identity provider, if the service is one of its clients.
    pub(crate) provider_sign_in: Option<Arc<ProviderSignIn>>,
    pub(crate) console: Arc<Console>,
    pub(crate) demo: Option<Arc<DemoAccess>>,
    /// The password of the admin if it was generated at this start.
    pub(crate) generated_password: Option<Arc<str>>,
    /// What this start changed about accounts, in sentences.
    pub(crate) notices: Arc<[String]>,
    /// The service of each Kafka cluster but the first (D-137).
    pub(crate) other_clusters: Arc<[Service]>,
}

impl App {
    /// The name and the password of the admin, if the password was generated at this start. Only
    /// its hash is stored.
    #[must_use]
    pub fn generated_password(&self) -> Option<(&str, &str)> {
        let password = self.generated_password.as_deref()?;
        Some((self.authenticator.admin_name(), password))
    }

    /// What this start changed about accounts, in sentences: names that left the superusers, and
    /// local accounts that were replaced.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Starts to read the ACLs of the Kafka clusters, and to change them, if the service has any.
    /// Requires a tokio runtime, and is done by [`Server::run`](crate::Server::run).
    pub fn start_clusters(&self) {
        for cluster in self.service.clusters() {
            drop(cluster.start());
        }
    }

    /// Logs what this start changed about accounts, and superusers that nobody can sign in as.
    pub(crate) fn log_accounts(&self) {
        for notice in self.notices() {
            tracing::warn!(target: "security", "{notice}");
        }
        superusers::log_problems(&self.service.read());
    }
}

/// What a demo offers without credentials.
pub(crate) struct DemoAccess {
    /// The published user name and password; `None` if another password was given.
    pub(crate) sign_in: Option<SignIn>,
    /// The demo identity provider.
    pub(crate) provider: IdentityProvider,
}

impl FromRef<App> for Service {
    fn from_ref(app: &App) -> Self {
        app.service.clone()
    }
}

impl FromRef<App> for Authenticator {
    fn from_ref(app: &App) -> Self {
        app.authenticator.clone()
    }
}

impl FromRef<App> for LongReads {
    fn from_ref(app: &App) -> Self {
        app.long_reads.clone()
    }
}

impl FromRef<App> for PolicyCopies {
    fn from_ref(app: &App) -> Self {
        app.policy_copies.clone()
    }
}

impl FromRef<App> for Arc<Upstream> {
    fn from_ref(app: &App) -> Self {
        Self::clone(&app.upstream)
    }
}

impl FromRef<App> for Arc<RelayedSignIns> {
    fn from_ref(app: &App) -> Self {
        Self::clone(&app.relayed_sign_ins)
    }
}

impl FromRef<App> for Option<Arc<ProviderSignIn>> {
    fn from_ref(app: &App) -> Self {
        app.provider_sign_in.clone()
    }
}

impl FromRef<App> for Arc<Console> {
    fn from_ref(app: &App) -> Self {
        Self::clone(&app.console)
    }
}

impl FromRef<App> for Option<Arc<DemoAccess>> {
    fn from_ref(app: &App) -> Self {
        app.demo.clone()
    }
}

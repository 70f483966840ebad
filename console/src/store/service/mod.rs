//! The service: the policy last read, its age, and sending of changes.

mod apply;
mod queries;

use std::sync::Arc;

use gbac_api::service::{ListedCluster, Person, ServiceInfo, Upstream};
use gbac_console_model::connection::form::TargetKind;
use gbac_console_model::connection::{
    Abilities, Connection, ConnectionTarget, Credentials, UnreadParts, is_example,
};
use gbac_console_model::failure::Failure;
use gbac_console_model::stored_draft::DraftOwner;
use gbac_engine::policy::Policy;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::{backend, dom};

/// How old the demo people's tokens may get before they are fetched again, in milliseconds; they
/// live an hour.
const PEOPLE_AGE_MS: f64 = 30.0 * 60_000.0;

/// Whether the service answers.
#[derive(Debug, Clone, PartialEq)]
pub enum ServiceStatus {
    /// Nothing was read yet.
    Loading,
    /// The last read succeeded.
    Connected {
        /// What the service is called.
        name: String,
        /// Whether it is a demo: in memory, and the page signs in by itself.
        demo: bool,
        /// When it was read, in milliseconds since 1970.
        read_at_ms: f64,
    },
    /// The last read failed; what was read before stays.
    Away {
        /// What happened, as a sentence without a final period.
        reason: String,
        /// When it was last read, or the first try if it never was, in milliseconds since 1970.
        since: f64,
        /// Whether credentials are missing or refused; otherwise it is tried again by itself.
        sign_in: bool,
        /// Whether the credentials are right, and of nobody who may read it.
        forbidden: bool,
    },
}

/// The service; a context of every page: `expect_context::<Service>()`.
#[derive(Clone, Copy)]
pub struct Service {
    /// What was last read; none while nothing was read yet. A failed read keeps the one before, and
    /// a read that found nothing new changes nothing here.
    pub policy: Signal<Option<Arc<Policy>>>,
    /// Whether the service answers.
    pub status: Signal<ServiceStatus>,
    /// What the service says about itself.
    pub info: Signal<Option<ServiceInfo>>,
    /// The people of the demo identity provider; empty when there is none.
    pub people: Signal<Vec<Person>>,
    /// The keys of the service's identity provider, a JWKS as text; none where the service does not
    /// have them.
    pub keys: Signal<Option<String>>,
    /// The user that this page acts as, if it is signed in.
    pub user: Signal<Option<String>>,
    /// Whose drafts this page can show: the account with which the policy was last read. A rejected
    /// sign-in is none.
    pub owner: Signal<Option<DraftOwner>>,
    /// Which cluster the pages are about.
    pub connection: Signal<Connection>,
    /// The Kafka clusters of the service, once they were read; none if it has its own ACLs.
    pub clusters: Signal<Vec<ListedCluster>>,
    /// The one that was opened; none for the first.
    pub opened: Signal<Option<String>>,
    /// What can be asked of it, and why not.
    pub can: Signal<Abilities>,
    /// What of the policy could not be read.
    pub unread: Signal<UnreadParts>,
    /// The time now, in milliseconds since 1970, kept going by [`Service::tick`].
    pub now: Signal<f64>,
    held: Held,
}

/// The signals behind the public ones.
#[derive(Clone, Copy)]
struct Held {
    policy: RwSignal<Option<Arc<Policy>>>,
    tag: StoredValue<Option<String>>,
    status: RwSignal<ServiceStatus>,
    info: RwSignal<Option<ServiceInfo>>,
    people: RwSignal<Vec<Person>>,
    people_at: StoredValue<f64>,
    keys: RwSignal<Option<String>>,
    credentials: RwSignal<Option<Credentials>>,
    owner: RwSignal<Option<DraftOwner>>,
    connection: RwSignal<Connection>,
    clusters: RwSignal<Vec<ListedCluster>>,
    opened: RwSignal<Option<String>>,
    /// What opens the cluster behind the service, while the pages are about it.
    of_cluster: RwSignal<Option<Credentials>>,
    unread: RwSignal<UnreadParts>,
    now: RwSignal<f64>,
    read_at: StoredValue<Option<f64>>,
    reads: StoredValue<u64>,
}

impl Service {
    /// A service of which nothing is known yet, with this Kafka cluster open; [`Service::reload`]
    /// asks it.
    #[must_use]
    pub fn new(opened: Option<String>) -> Self {
        let held = Held {
            policy: RwSignal::new(None),
            tag: StoredValue::new(None),
            status: RwSignal::new(ServiceStatus::Loading),
            info: RwSignal::new(None),
            people: RwSignal::new(Vec::new()),
            people_at: StoredValue::new(f64::NEG_INFINITY),
            keys: RwSignal::new(None),
            credentials: RwSignal::new(None),
            owner: RwSignal::new(None),
            connection: RwSignal::new(Connection::Service),
            clusters: RwSignal::new(Vec::new()),
            opened: RwSignal::new(opened),
            of_cluster: RwSignal::new(None),
            unread: RwSignal::new(UnreadParts::default()),
            now: RwSignal::new(0.0),
            read_at: StoredValue::new(None),
            reads: StoredValue::new(0),
        };
        Self {
            policy: held.policy.into(),
            status: held.status.into(),
            info: held.info.into(),
            people: held.people.into(),
            keys: held.keys.into(),
            user: Signal::derive(move || match held.connection.get() {
                Connection::Service => held
                    .credentials
                    .with(|given| given.as_ref().map(Credentials::label)),
                Connection::SelfManaged | Connection::Cloud { .. } => held
                    .of_cluster
                    .with(|given| given.as_ref()?.user().map(str::to_owned)),
            }),
            owner: held.owner.into(),
            connection: held.connection.into(),
            clusters: held.clusters.into(),
            opened: held.opened.into(),
            can: Signal::derive(move || {
                let upstream = held
                    .info
                    .with(|info| info.as_ref().map(|info| info.upstream.clone()));
                held.connection
                    .with(|connection| connection.abilities(&upstream.unwrap_or_default()))
            }),
            unread: held.unread.into(),
            now: held.now.into(),
            held,
        }
    }

    /// Tells the time; the page calls it once a second.
    pub fn tick(self, now_ms: f64) {
        self.held.now.set(now_ms);
    }

    /// Reads the service again, in the background.
    pub fn reload(self) {
        spawn_local(self.read());
    }

    /// Takes a password or a token, for this tab only, and reads the service with it.
    pub fn sign_in(self, credentials: Credentials) {
        self.held.credentials.set(Some(credentials));
        self.held.status.set(ServiceStatus::Loading);
        self.reload();
    }

    /// Makes the pages be about another cluster, with these credentials, and reads it. What was
    /// read of the one before is forgotten, and so are its credentials.
    pub fn connect(self, connection: Connection, credentials: Option<Credentials>) {
        let Held {
            policy,
            tag,
            status,
            read_at,
            unread,
            reads,
            ..
        } = self.held;
        // What a read that is under way finds is about the one before.
        reads.update_value(|reads| *reads += 1);
        self.held.of_cluster.set(credentials);
        self.held.connection.set(connection);
        // Whose they are is known when the cluster has taken the credentials.
        self.held.owner.set(None);
        policy.set(None);
        unread.set(UnreadParts::default());
        tag.set_value(None);
        read_at.set_value(None);
        status.set(ServiceStatus::Loading);
        self.reload();
    }

    /// The name of the Kafka cluster that is open.
    #[must_use]
    pub fn cluster(self) -> Option<String> {
        let opened = self.held.opened.get();
        opened.or_else(|| {
            Some(
                self.held
                    .info
                    .read()
                    .as_ref()?
                    .cluster
                    .as_ref()?
                    .name
                    .clone(),
            )
        })
    }

    /// The names of the Kafka clusters of the service.
    #[must_use]
    pub fn cluster_names(self) -> Vec<String> {
        let mut names = Vec::new();
        for listed in self.held.clusters.read().iter() {
            names.push(listed.cluster.name.clone());
        }
        names
    }

    /// The name of the cluster that addresses of pages have; none where there is no other one.
    #[must_use]
    pub fn named_cluster(self) -> Option<String> {
        let has_several = self.held.clusters.read().len() > 1;
        match has_several {
            true => self.cluster(),
            false => self.held.opened.get(),
        }
    }

    /// Makes the pages be about this Kafka cluster of the service, and says whether they were about
    /// another one.
    pub fn open_cluster(self, name: &str) -> bool {
        if untrack(|| self.cluster()).as_deref() == Some(name) {
            return false;
        }
        self.held.opened.set(Some(name.to_owned()));
        self.held.info.update(|info| {
            if let Some(info) = info {
                info.cluster = None;
            }
        });
        self.connect(Connection::Service, None);
        true
    }

    /// What is shown if the service rejects the credentials; none without any.
    pub fn rejection(self) -> Option<String> {
        self.held
            .credentials
            .with_untracked(|given| given.as_ref().and_then(Credentials::rejection))
    }

    /// The user of the entered password, which has to be entered again if it is no longer valid.
    pub fn password_user(self) -> Option<String> {
        self.held.credentials.with_untracked(|given| match given {
            Some(Credentials::Password(given)) => Some(given.user.clone()),
            Some(Credentials::Token(_) | Credentials::Session { .. }) | None => None,
        })
    }

    /// Whether credentials were accepted before, so that a rejection means that they have expired.
    pub fn has_expired(self) -> bool {
        self.held.credentials.with_untracked(Option::is_some)
            && self.held.read_at.with_value(Option::is_some)
    }

    /// What has to be done before such a connection can be used, if anything; a sentence.
    pub fn sign_in_first(self, kind: TargetKind) -> Option<&'static str> {
        let is_signed_in = self.held.credentials.with(Option::is_some);
        self.held
            .info
            .with(|info| kind.sign_in_first(&info.as_ref()?.upstream, is_signed_in))
    }

    /// Forgets the credentials of this service, and ends the session of this browser; what was read
    /// stays until it is read again.
    pub fn sign_out(self) {
        let has_session = self
            .held
            .credentials
            .with_untracked(|given| matches!(given, Some(Credentials::Session { .. })));
        self.held
            .owner
            .update(|owner| *owner = owner.as_ref().map(DraftOwner::signed_out));
        self.held.status.set(ServiceStatus::Loading);
        spawn_local(async move {
            let ended = if has_session {
                backend::end_session().await
            } else {
                Ok(())
            };
            match ended {
                Ok(()) => {
                    self.held.credentials.set(None);
                    dom::announce("Signed out");
                }
                Err(failure) => dom::announce_error(&format!("Not signed out: {failure}")),
            }
            self.read().await;
        });
    }

    /// Calls `ask` when the service is connected, and again for another cluster or user.
    pub fn on_connection(self, ask: impl Fn() + 'static) {
        let connected = Memo::new(move |_| {
            let is_connected = self
                .status
                .with(|status| matches!(status, ServiceStatus::Connected { .. }));
            let opened = self.opened.get();
            (is_connected, self.connection.get(), opened, self.user.get())
        });
        Effect::new(move |_| {
            let (is_connected, ..) = connected.get();
            if is_connected {
                ask();
            }
        });
    }

    /// What the service relays to.
    fn upstream(self) -> Upstream {
        let upstream = |info: &Option<ServiceInfo>| info.as_ref().map(|info| info.upstream.clone());
        self.held.info.with_untracked(upstream).unwrap_or_default()
    }

    /// Whether the pages are about the service itself, not about a cluster behind it.
    #[must_use]
    pub fn is_own(self) -> bool {
        self.connection
            .with(|connection| *connection == Connection::Service)
    }

    /// Whether there is no service, only the example policy of a static site.
    #[must_use]
    pub fn is_example(self) -> bool {
        self.info.with(|info| info.as_ref().is_some_and(is_example))
    }

    /// Where the connection's APIs are, and what opens them.
    fn target(self) -> ConnectionTarget {
        let connection = self.held.connection.get_untracked();
        let credentials = match connection {
            Connection::Service => self.held.credentials.get_untracked(),
            Connection::SelfManaged | Connection::Cloud { .. } => {
                self.held.of_cluster.get_untracked()
            }
        };
        let own = self.held.credentials.get_untracked();
        let target = connection.target(&self.upstream(), credentials, own);
        target.of_cluster(self.held.opened.get_untracked().as_deref())
    }

    /// Reads the service; of reads that overlap, the one that started last counts.
    pub async fn read(self) {
        let Held {
            reads,
            status,
            read_at,
            now,
            ..
        } = self.held;
        reads.update_value(|reads| *reads += 1);
        let mine = reads.get_value();
        let outcome = self.fetch(mine).await;
        if reads.get_value() != mine {
            return;
        }
        let now_ms = dom::now_ms();
        now.set(now_ms);
        let about = self.held.info.read_untracked();
        let has_cluster = about.as_ref().is_some_and(|info| info.cluster.is_some());
        drop(about);
        // The list leads away from a cluster that is not there, too.
        let may_have = has_cluster || self.held.opened.read_untracked().is_some();
        if may_have && self.held.clusters.read_untracked().is_empty() {
            self.reload_clusters();
        }
        match outcome {
            Ok(()) => {
                read_at.set_value(Some(now_ms));
                let target = self.target();
                let owner = self.held.connection.with_untracked(|connection| {
                    self.held.info.with_untracked(|info| {
                        DraftOwner::new(info.as_ref(), connection, target.credentials.as_ref())
                    })
                });
                if self
                    .held
                    .owner
                    .with_untracked(|held| held.as_ref() != Some(&owner))
                {
                    self.held.owner.set(Some(owner));
                }
                let (own, is_demo) = self.held.info.with_untracked(|info| {
                    info.as_ref().map_or_else(
                        || ("service".to_owned(), false),
                        |info| (info.name.clone(), info.demo),
                    )
                });
                let (name, demo) = self.held.connection.with_untracked(|connection| {
                    (
                        connection.name(&own),
                        is_demo && *connection == Connection::Service,
                    )
                });
                status.set(ServiceStatus::Connected {
                    name,
                    demo,
                    read_at_ms: now_ms,
                });
            }
            Err(failure) => {
                let since = read_at.get_value().unwrap_or(now_ms);
                let (sign_in, forbidden) = (failure.is_unauthenticated(), failure.is_forbidden());
                status.set(ServiceStatus::Away {
                    reason: failure.to_string(),
                    since,
                    sign_in,
                    forbidden,
                });
            }
        }
    }

    async fn fetch(self, mine: u64) -> Result<(), Failure> {
        let Held {
            policy,
            tag,
            status,
            info,
            people,
            people_at,
            keys,
            credentials,
            unread,
            reads,
            ..
        } = self.held;
        let is_latest = move || reads.get_value() == mine;
        // A service that was away may be another one now: with other keys, and with other people's
        // tokens.
        let fresh =
            status.with_untracked(|status| matches!(status, ServiceStatus::Connected { .. }));
        let old = dom::now_ms() - people_at.get_value() > PEOPLE_AGE_MS;
        if !fresh || old {
            let about = backend::service_info(&self.target()).await?;
            let is_unknown = credentials.with_untracked(Option::is_none);
            let session = match &about.provider_sign_in {
                Some(_) if is_unknown => backend::current_session().await?,
                _ => None,
            };
            if is_latest() {
                if is_unknown {
                    let session = session.map(|session| Credentials::Session {
                        issuer: session.issuer,
                        user: session.user,
                    });
                    credentials
                        .set(session.or_else(|| about.sign_in.clone().map(Credentials::Password)));
                }
                info.set(Some(about.clone()));
            }
            let jwks = backend::provider_keys(&about).await;
            if is_latest() {
                keys.set(jwks);
            }
            if let Some(provider) = &about.provider {
                let crowd = backend::people(&provider.people).await?;
                if is_latest() {
                    people.set(crowd);
                }
            }
            people_at.set_value(dom::now_ms());
        }
        if let Some(reason) =
            untrack(|| self.sign_in_first(self.held.connection.with(TargetKind::from_connection)))
        {
            return Err(Failure::unauthenticated(reason));
        }
        let target = self.target();
        if !target.is_own {
            let read = backend::read_cluster(target).await?;
            let is_same = policy.with_untracked(|held| held.as_deref() == Some(&read.policy));
            if is_latest() {
                unread.set(read.unread);
                if !is_same {
                    policy.set(Some(Arc::new(read.policy)));
                }
            }
            return Ok(());
        }
        let known = tag.get_value();
        if let Some(read) = backend::policy(known.as_deref(), &target).await?
            && is_latest()
        {
            // A service that was started again meanwhile may have other data.
            if fresh && !old {
                self.read_info().await?;
            }
            if is_latest() {
                tag.set_value(read.tag);
                policy.set(Some(Arc::new(read.policy)));
            }
        }
        Ok(())
    }
}

//! The connection: which cluster the pages show, and what its APIs can read and change.

mod credentials;
pub mod form;
pub mod probe;

pub use credentials::{Credentials, RequestCredentials};

use gbac_api::encode::component;
use gbac_api::paths;
use gbac_api::service::{ServiceInfo, Upstream};
use gbac_words::pages::connection::{
    CLOUD_LICENSE, CLOUD_LOGGERS, CLOUD_SETTINGS, NO_ACLS, NO_AUDIT, NO_LICENSE, NO_LOGGERS,
    NO_ROLES, NO_SETTINGS,
};
use gbac_words::phrases::count;

/// What a page without a service says as its version (`site/simulator.js`).
const NO_SERVICE: &str = "static";

/// Whether it describes a page without a service, over an example policy.
pub fn is_example(info: &ServiceInfo) -> bool {
    info.version == NO_SERVICE
}

/// Which cluster the pages are about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Connection {
    /// The service that serves the page.
    #[default]
    Service,
    /// A self-managed cluster behind it.
    SelfManaged,
    /// A cluster of the managed cloud behind it.
    Cloud {
        /// The cluster's id.
        cluster: String,
    },
}

/// Where a connection's APIs are in the service's own origin, and what opens them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ConnectionTarget {
    /// Whether it is the service itself, which has a whole policy document.
    pub is_own: bool,
    /// What is in front of the paths of the service itself: the path of one of its clusters.
    pub base: String,
    /// What is in front of the Admin API's paths.
    pub admin: Option<String>,
    /// What is in front of the Data Plane's paths.
    pub data_plane: Option<String>,
    /// What opens them.
    pub credentials: Option<Credentials>,
    /// The sign-in to this service, if it relays only for its own users.
    pub own: Option<Credentials>,
}

impl ConnectionTarget {
    /// The same for one of the Kafka clusters of the service; there is none elsewhere.
    #[must_use]
    pub fn of_cluster(self, name: Option<&str>) -> Self {
        let Some(name) = name.filter(|_| self.is_own) else {
            return self;
        };
        let base = paths::of_cluster(name);
        Self {
            admin: Some(base.clone()),
            data_plane: Some(base.clone()),
            base,
            ..self
        }
    }

    /// A path of the service itself.
    pub fn own_path(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}

/// What of a policy could not be read; the rest was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnreadParts {
    /// The roles whose members could not be read.
    pub roles: Vec<UnreadRole>,
    /// How many roles there are.
    pub of_roles: usize,
    /// How many ACLs are of a kind that is not known here.
    pub acls: usize,
}

/// A role whose members could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadRole {
    /// Its name.
    pub name: String,
    /// Why, as part of a sentence.
    pub reason: String,
}

impl UnreadParts {
    /// Whether everything was read.
    pub fn is_nothing(&self) -> bool {
        self.roles.is_empty() && self.acls == 0
    }

    /// What could not be read, as a title: `2 of 40 roles could not be read`.
    pub fn title(&self) -> String {
        let roles = format!("{} of {}", self.roles.len(), count(self.of_roles, "role"));
        let what = match (self.roles.len(), self.acls) {
            (0, acls) => count(acls, "ACL"),
            (_, 0) => roles,
            (_, acls) => format!("{roles} and {}", count(acls, "ACL")),
        };
        format!("{what} could not be read")
    }
}

/// Whether something can be read and changed through a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ability {
    /// It can.
    Yes,
    /// It cannot; why, and what to do, in sentences.
    No(&'static str),
}

impl Ability {
    /// Whether it can.
    pub const fn is_yes(&self) -> bool {
        matches!(self, Self::Yes)
    }

    /// Why it cannot.
    pub const fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Yes => None,
            Self::No(reason) => Some(reason),
        }
    }

    const fn new(there: bool, reason: &'static str) -> Self {
        if there { Self::Yes } else { Self::No(reason) }
    }
}

/// What a connection can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abilities {
    /// ACLs.
    pub acls: Ability,
    /// Roles and their members.
    pub roles: Ability,
    /// The settings of the policy: the group properties, the principal mapping, the superusers.
    pub settings: Ability,
    /// The last audit events.
    pub audit: Ability,
    /// The loggers and their levels.
    pub loggers: Ability,
    /// The state of the license.
    pub license: Ability,
}

impl Connection {
    /// Where its APIs are, among those that the service relays to. `own` is the sign-in to this
    /// service.
    pub fn target(
        &self,
        upstream: &Upstream,
        credentials: Option<Credentials>,
        own: Option<Credentials>,
    ) -> ConnectionTarget {
        let own = own.filter(|_| upstream.requires_sign_in);
        match self {
            Self::Service => ConnectionTarget {
                is_own: true,
                base: String::new(),
                admin: Some(String::new()),
                data_plane: Some(String::new()),
                credentials,
                own: None,
            },
            Self::SelfManaged => {
                let (admin, data_plane) = (upstream.admin.clone(), upstream.dataplane.clone());
                ConnectionTarget {
                    is_own: false,
                    base: String::new(),
                    admin,
                    data_plane,
                    credentials,
                    own,
                }
            }
            Self::Cloud { cluster } => {
                let data_plane = upstream
                    .clusters
                    .as_ref()
                    .map(|path| format!("{path}/{}", component(cluster)));
                ConnectionTarget {
                    is_own: false,
                    base: String::new(),
                    admin: None,
                    data_plane,
                    credentials,
                    own,
                }
            }
        }
    }

    /// Its label.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Service => "this service",
            Self::SelfManaged => "self-managed cluster",
            Self::Cloud { .. } => "managed cloud cluster",
        }
    }

    /// The name of what the pages show: that of the service for the service itself.
    pub fn name(&self, service: &str) -> String {
        match self {
            Self::Service => service.to_owned(),
            Self::SelfManaged => self.label().to_owned(),
            Self::Cloud { cluster } => cluster.clone(),
        }
    }

    /// Its name among the clusters of a service; empty for the service itself.
    pub fn id(&self) -> String {
        match self {
            Self::Service => String::new(),
            Self::SelfManaged => "self-managed".to_owned(),
            Self::Cloud { cluster } => format!("cloud {cluster}"),
        }
    }

    /// What can be done through it, where these APIs are relayed.
    pub fn abilities(&self, upstream: &Upstream) -> Abilities {
        let (admin, data_plane) = (upstream.admin.is_some(), upstream.dataplane.is_some());
        match self {
            Self::Service => Abilities {
                acls: Ability::Yes,
                roles: Ability::Yes,
                settings: Ability::Yes,
                audit: Ability::Yes,
                loggers: Ability::Yes,
                license: Ability::Yes,
            },
            Self::SelfManaged => Abilities {
                acls: Ability::new(data_plane, NO_ACLS),
                roles: Ability::new(admin || data_plane, NO_ROLES),
                settings: Ability::new(admin, NO_SETTINGS),
                audit: Ability::No(NO_AUDIT),
                loggers: Ability::new(admin, NO_LOGGERS),
                license: Ability::No(NO_LICENSE),
            },
            Self::Cloud { .. } => Abilities {
                acls: Ability::Yes,
                roles: Ability::Yes,
                settings: Ability::No(CLOUD_SETTINGS),
                audit: Ability::No(NO_AUDIT),
                loggers: Ability::No(CLOUD_LOGGERS),
                license: Ability::No(CLOUD_LICENSE),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use gbac_words::pages::connection::answering;

    use super::*;

    fn relayed(admin: bool, dataplane: bool) -> Upstream {
        let path = |there: bool, name: &str| there.then(|| format!("/gbac/v1/upstream/{name}"));
        Upstream {
            admin: path(admin, "admin"),
            dataplane: path(dataplane, "dataplane"),
            ..Upstream::default()
        }
    }

    #[test]
    fn a_page_without_a_service_is_not_connected() {
        let about = |version: &str| {
            let text =
                format!(r#"{{"name": "example policy", "version": "{version}", "demo": false}}"#);
            is_example(&serde_json::from_str(&text).unwrap())
        };
        assert!(about("static") && !about("0.1.0"));
        assert_eq!(answering(false, true), "Connected");
        assert_eq!(answering(false, false), "Connected, not signed in");
        assert!(answering(true, false).starts_with("No service"));
    }

    #[test]
    fn an_admin_api_alone_has_no_acls_and_says_so() {
        let can = Connection::SelfManaged.abilities(&relayed(true, false));
        assert!(can.roles.is_yes() && can.settings.is_yes() && can.loggers.is_yes());
        assert!(can.acls.reason().unwrap().contains("--upstream-dataplane"));
        let can = Connection::SelfManaged.abilities(&relayed(false, true));
        assert!(can.acls.is_yes() && can.roles.is_yes());
        assert!(can.settings.reason().unwrap().contains("--upstream-admin"));
    }

    #[test]
    fn the_pages_are_named_after_what_they_show() {
        let cloud = Connection::Cloud {
            cluster: "c1".into(),
        };
        let names = [Connection::Service, Connection::SelfManaged, cloud]
            .map(|connection| connection.name("demo"));
        assert_eq!(names, ["demo", "self-managed cluster", "c1"]);
    }

    #[test]
    fn a_cluster_is_reached_behind_the_service() {
        let upstream = Upstream {
            clusters: Some("/gbac/v1/upstream/clusters".into()),
            ..relayed(true, false)
        };
        let cloud = Connection::Cloud {
            cluster: "a/b".into(),
        }
        .target(&upstream, None, None);
        assert_eq!(
            cloud.data_plane.as_deref(),
            Some("/gbac/v1/upstream/clusters/a%2Fb")
        );
        assert_eq!((cloud.admin, cloud.is_own), (None, false));
        let managed = Connection::SelfManaged.target(&upstream, None, None);
        assert_eq!(managed.admin.as_deref(), Some("/gbac/v1/upstream/admin"));
        assert_eq!((managed.data_plane, managed.is_own), (None, false));
        assert!(Connection::Service.target(&upstream, None, None).is_own);
    }

    #[test]
    fn every_request_goes_to_the_cluster_that_is_open() {
        let own = Connection::Service.target(&Upstream::default(), None, None);
        assert_eq!(own.own_path(paths::POLICY), "/gbac/v1/policy");
        let open = own.of_cluster(Some("a/b"));
        let base = "/gbac/v1/clusters/a%2Fb";
        assert_eq!(
            open.own_path(paths::POLICY),
            format!("{base}/gbac/v1/policy")
        );
        assert_eq!(open.admin.as_deref(), Some(base));
        assert_eq!(open.data_plane.as_deref(), Some(base));
        // The cluster behind the relay is none of them.
        let upstream = relayed(true, true);
        let behind = Connection::SelfManaged.target(&upstream, None, None);
        let admin = behind.admin.clone();
        let still = behind.of_cluster(Some("a"));
        assert_eq!((still.admin, still.base.as_str()), (admin, ""));
    }

    #[test]
    fn what_is_missing_is_counted() {
        let role = |name: &str| UnreadRole {
            name: name.into(),
            reason: "timed out".into(),
        };
        let unread = UnreadParts {
            roles: vec![role("a"), role("b")],
            of_roles: 40,
            acls: 0,
        };
        assert_eq!(unread.title(), "2 of 40 roles could not be read");
        assert!(
            !unread.is_nothing()
                && UnreadParts {
                    of_roles: 40,
                    ..UnreadParts::default()
                }
                .is_nothing()
        );
        assert_eq!(
            UnreadParts { acls: 1, ..unread }.title(),
            "2 of 40 roles and 1 ACL could not be read"
        );
        assert_eq!(
            UnreadParts {
                acls: 3,
                ..UnreadParts::default()
            }
            .title(),
            "3 ACLs could not be read"
        );
    }

    #[test]
    fn the_service_itself_can_do_everything() {
        let can = Connection::Service.abilities(&Upstream::default());
        let all = [
            can.acls,
            can.roles,
            can.settings,
            can.audit,
            can.loggers,
            can.license,
        ];
        assert!(all.iter().all(Ability::is_yes));
    }
}

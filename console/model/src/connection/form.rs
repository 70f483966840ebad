//! The connection form: the cluster, and the credentials for it.

use gbac_api::service::{SignIn, Upstream};
use gbac_engine::token;

use crate::connection::{Connection, Credentials};

/// What a service that relays only for its own users requires, as a sentence.
const SIGN_IN_FIRST: &str =
    "This service connects only its own users to other clusters. Sign in to this service first.";

/// Which of the three it is to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TargetKind {
    /// The service that serves the page.
    #[default]
    Service,
    /// A self-managed cluster.
    SelfManaged,
    /// A cluster of the managed cloud.
    Cloud,
}

impl TargetKind {
    /// Every kind, in the order of the page.
    pub const ALL: [Self; 3] = [Self::Service, Self::SelfManaged, Self::Cloud];

    /// The kind of a connection.
    #[must_use]
    pub const fn from_connection(connection: &Connection) -> Self {
        match connection {
            Connection::Service => Self::Service,
            Connection::SelfManaged => Self::SelfManaged,
            Connection::Cloud { .. } => Self::Cloud,
        }
    }

    /// The label of the choice.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Service => "This service",
            Self::SelfManaged => "A self-managed cluster",
            Self::Cloud => "A managed cloud cluster",
        }
    }

    /// What it is about, or how to start the service so that it can be chosen.
    pub const fn help(self, upstream: &Upstream) -> &'static str {
        match self {
            Self::Service => "Its own settings, roles and ACLs",
            Self::SelfManaged => match (upstream.admin.is_some(), upstream.dataplane.is_some()) {
                (true, true) => "Through its Admin API and its Data Plane",
                (true, false) => "Through its Admin API: settings and roles, no ACLs",
                (false, true) => "Through its Data Plane: roles and ACLs, no settings",
                (false, false) => "Start the service with --upstream-admin or --upstream-dataplane",
            },
            Self::Cloud => match upstream.clusters.is_some() {
                true => "By its ID, through the Control Plane and the Data Plane",
                false => "Start the service with --upstream-controlplane",
            },
        }
    }

    /// What has to be done before one can be reached, if anything.
    pub const fn sign_in_first(
        self,
        upstream: &Upstream,
        is_signed_in: bool,
    ) -> Option<&'static str> {
        match self {
            Self::SelfManaged | Self::Cloud if upstream.requires_sign_in && !is_signed_in => {
                Some(SIGN_IN_FIRST)
            }
            Self::Service | Self::SelfManaged | Self::Cloud => None,
        }
    }

    /// Whether the service can reach one.
    pub const fn is_there(self, upstream: &Upstream) -> bool {
        match self {
            Self::Service => true,
            Self::SelfManaged => upstream.admin.is_some() || upstream.dataplane.is_some(),
            Self::Cloud => upstream.clusters.is_some(),
        }
    }
}

/// A field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionField {
    /// The user's name.
    User,
    /// The password.
    Password,
    /// The cluster's id.
    Cluster,
    /// The access token.
    Token,
}

/// What was entered.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ConnectionForm {
    /// Which cluster.
    pub kind: TargetKind,
    /// The user's name.
    pub user: String,
    /// The password.
    pub password: String,
    /// The cluster's id.
    pub cluster: String,
    /// The access token.
    pub token: String,
}

impl ConnectionForm {
    /// Where it leads, and what opens it.
    ///
    /// # Errors
    /// What is wrong with which field, in sentences.
    pub fn read(&self) -> Result<(Connection, Credentials), Vec<(ConnectionField, &'static str)>> {
        match self.kind {
            TargetKind::Service | TargetKind::SelfManaged => {
                let connection = if self.kind == TargetKind::Service {
                    Connection::Service
                } else {
                    Connection::SelfManaged
                };
                self.by_password()
                    .map(|given| (connection, Credentials::Password(given)))
            }
            TargetKind::Cloud => self.by_token(),
        }
    }

    fn by_password(&self) -> Result<SignIn, Vec<(ConnectionField, &'static str)>> {
        let mut faults = Vec::new();
        if self.user.is_empty() {
            faults.push((ConnectionField::User, "Enter the name of a superuser."));
        } else if self.user.contains(':') {
            faults.push((
                ConnectionField::User,
                "A user name has no colon. Remove `User:`.",
            ));
        }
        if self.password.is_empty() {
            faults.push((ConnectionField::Password, "Enter the password."));
        }
        if faults.is_empty() {
            Ok(SignIn {
                user: self.user.clone(),
                password: self.password.clone(),
            })
        } else {
            Err(faults)
        }
    }

    fn by_token(&self) -> Result<(Connection, Credentials), Vec<(ConnectionField, &'static str)>> {
        let mut faults = Vec::new();
        let cluster = self.cluster.trim();
        if cluster.is_empty() {
            faults.push((ConnectionField::Cluster, "Enter the cluster ID."));
        } else if !cluster
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        {
            faults.push((
                ConnectionField::Cluster,
                "A cluster ID contains only letters, digits and hyphens.",
            ));
        }
        let token = token::normalize_pasted(&self.token).token;
        if token.is_empty() {
            faults.push((ConnectionField::Token, "Paste an access token."));
        } else if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            faults.push((
                ConnectionField::Token,
                "Not an access token: it contains spaces or other invalid characters.",
            ));
        }
        if faults.is_empty() {
            Ok((
                Connection::Cloud {
                    cluster: cluster.into(),
                },
                Credentials::Token(token),
            ))
        } else {
            Err(faults)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(form: &ConnectionForm) -> Vec<ConnectionField> {
        form.read()
            .err()
            .unwrap_or_default()
            .into_iter()
            .map(|(field, _)| field)
            .collect()
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(
            fields(&ConnectionForm::default()),
            [ConnectionField::User, ConnectionField::Password]
        );
        let cloud = ConnectionForm {
            kind: TargetKind::Cloud,
            ..ConnectionForm::default()
        };
        assert_eq!(
            fields(&cloud),
            [ConnectionField::Cluster, ConnectionField::Token]
        );
        assert_eq!(
            fields(&ConnectionForm {
                user: "User:admin".into(),
                password: "x".into(),
                ..ConnectionForm::default()
            }),
            [ConnectionField::User]
        );
        let address = ConnectionForm {
            cluster: "https://x/".into(),
            token: "a b".into(),
            ..cloud
        };
        assert_eq!(
            fields(&address),
            [ConnectionField::Cluster, ConnectionField::Token]
        );
    }

    #[test]
    fn what_was_pasted_around_a_token_goes() {
        let form = ConnectionForm {
            kind: TargetKind::Cloud,
            cluster: " c1 ".into(),
            token: "Authorization: Bearer eyJ.e30.c2ln\n".into(),
            ..ConnectionForm::default()
        };
        let Ok((connection, Credentials::Token(token))) = form.read() else {
            panic!("it reads")
        };
        assert_eq!(
            (connection, token.as_str()),
            (
                Connection::Cloud {
                    cluster: "c1".into()
                },
                "eyJ.e30.c2ln"
            )
        );
    }

    #[test]
    fn a_service_that_relays_for_its_users_wants_their_sign_in_first() {
        let open = Upstream {
            admin: Some("/a".into()),
            ..Upstream::default()
        };
        let strict = Upstream {
            requires_sign_in: true,
            ..open.clone()
        };
        let told = |upstream: &Upstream, is_signed_in: bool| {
            TargetKind::ALL.map(|kind| kind.sign_in_first(upstream, is_signed_in).is_some())
        };
        assert_eq!(told(&strict, false), [false, true, true]);
        assert_eq!(
            (told(&strict, true), told(&open, false)),
            ([false; 3], [false; 3])
        );
        let words = TargetKind::SelfManaged
            .sign_in_first(&strict, false)
            .unwrap();
        assert!(words.contains("Sign in to this service first"), "{words}");
    }

    #[test]
    fn what_the_service_cannot_reach_says_how_to_start_it() {
        let nothing = Upstream::default();
        let reached: Vec<bool> = TargetKind::ALL
            .iter()
            .map(|kind| kind.is_there(&nothing))
            .collect();
        assert_eq!(reached, [true, false, false]);
        assert!(
            TargetKind::SelfManaged
                .help(&nothing)
                .contains("--upstream-admin")
        );
        assert!(
            TargetKind::Cloud
                .help(&nothing)
                .contains("--upstream-controlplane")
        );
    }
}

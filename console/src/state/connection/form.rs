//! What a person enters to connect: which cluster, and what opens it.

use gbac_api::service::{SignIn, Upstream};
use gbac_engine::token;

use super::{Connection, Credentials};

/// Which of the three it is to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// The service that serves the page.
    #[default]
    Service,
    /// A self-managed cluster.
    SelfManaged,
    /// A cluster of the managed cloud.
    Cloud,
}

impl Kind {
    /// Every kind, in the order of the page.
    pub const ALL: [Self; 3] = [Self::Service, Self::SelfManaged, Self::Cloud];

    /// The kind of a connection.
    #[must_use]
    pub const fn of(connection: &Connection) -> Self {
        match connection {
            Connection::Service => Self::Service,
            Connection::SelfManaged => Self::SelfManaged,
            Connection::Cloud { .. } => Self::Cloud,
        }
    }

    /// The words of the choice.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Service => "This service",
            Self::SelfManaged => "A self-managed cluster",
            Self::Cloud => "A managed cloud cluster",
        }
    }

    /// What it is about, or how to start the service so that it can be chosen.
    #[must_use]
    pub const fn help(self, upstream: &Upstream) -> &'static str {
        match self {
            Self::Service => "Its own settings, roles and ACLs",
            Self::SelfManaged => match (upstream.admin.is_some(), upstream.dataplane.is_some()) {
                (true, true) => "Through its Admin API and its Data Plane",
                (true, false) => "Through its Admin API: settings and roles, no ACLs",
                (false, true) => "Through its Data Plane: roles and ACLs, no settings",
                (false, false) => "The service has to be started with --upstream-admin or --upstream-dataplane",
            },
            Self::Cloud => match upstream.clusters.is_some() {
                true => "By its id, through the Control Plane and the Data Plane",
                false => "The service has to be started with --upstream-controlplane",
            },
        }
    }

    /// Whether the service can reach one.
    #[must_use]
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
pub enum Field {
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
pub struct Form {
    /// Which cluster.
    pub kind: Kind,
    /// The user's name.
    pub user: String,
    /// The password.
    pub password: String,
    /// The cluster's id.
    pub cluster: String,
    /// The access token.
    pub token: String,
}

impl Form {
    /// Where it leads, and what opens it.
    ///
    /// # Errors
    /// What is wrong with which field, in sentences.
    pub fn read(&self) -> Result<(Connection, Credentials), Vec<(Field, &'static str)>> {
        match self.kind {
            Kind::Service | Kind::SelfManaged => {
                let connection = if self.kind == Kind::Service { Connection::Service } else { Connection::SelfManaged };
                self.by_password().map(|given| (connection, Credentials::Password(given)))
            }
            Kind::Cloud => self.by_token(),
        }
    }

    fn by_password(&self) -> Result<SignIn, Vec<(Field, &'static str)>> {
        let mut faults = Vec::new();
        if self.user.is_empty() {
            faults.push((Field::User, "Write the name of a superuser."));
        } else if self.user.contains(':') {
            faults.push((Field::User, "A user's name has no colon; write it without User: in front."));
        }
        if self.password.is_empty() {
            faults.push((Field::Password, "Write the password."));
        }
        if faults.is_empty() {
            Ok(SignIn { user: self.user.clone(), password: self.password.clone() })
        } else {
            Err(faults)
        }
    }

    fn by_token(&self) -> Result<(Connection, Credentials), Vec<(Field, &'static str)>> {
        let mut faults = Vec::new();
        let cluster = self.cluster.trim();
        if cluster.is_empty() {
            faults.push((Field::Cluster, "Write the id of the cluster."));
        } else if !cluster.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_') {
            faults.push((Field::Cluster, "An id has letters, digits and hyphens only; it is no name and no address."));
        }
        let token = token::normalize_pasted(&self.token).token;
        if token.is_empty() {
            faults.push((Field::Token, "Paste an access token."));
        } else if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            faults.push((Field::Token, "This is no access token: it has blanks or other signs in it."));
        }
        if faults.is_empty() {
            Ok((Connection::Cloud { cluster: cluster.into() }, Credentials::Token(token)))
        } else {
            Err(faults)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(form: &Form) -> Vec<Field> {
        form.read().err().unwrap_or_default().into_iter().map(|(field, _)| field).collect()
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(fields(&Form::default()), [Field::User, Field::Password]);
        let cloud = Form { kind: Kind::Cloud, ..Form::default() };
        assert_eq!(fields(&cloud), [Field::Cluster, Field::Token]);
        assert_eq!(fields(&Form { user: "User:admin".into(), password: "x".into(), ..Form::default() }), [Field::User]);
        let address = Form { cluster: "https://x/".into(), token: "a b".into(), ..cloud };
        assert_eq!(fields(&address), [Field::Cluster, Field::Token]);
    }

    #[test]
    fn what_was_pasted_around_a_token_goes() {
        let form = Form {
            kind: Kind::Cloud,
            cluster: " c1 ".into(),
            token: "Authorization: Bearer eyJ.e30.c2ln\n".into(),
            ..Form::default()
        };
        let Ok((connection, Credentials::Token(token))) = form.read() else { panic!("it reads") };
        assert_eq!((connection, token.as_str()), (Connection::Cloud { cluster: "c1".into() }, "eyJ.e30.c2ln"));
    }

    #[test]
    fn what_the_service_cannot_reach_says_how_to_start_it() {
        let nothing = Upstream::default();
        let reached: Vec<bool> = Kind::ALL.iter().map(|kind| kind.is_there(&nothing)).collect();
        assert_eq!(reached, [true, false, false]);
        assert!(Kind::SelfManaged.help(&nothing).contains("--upstream-admin"));
        assert!(Kind::Cloud.help(&nothing).contains("--upstream-controlplane"));
    }
}

//! Credentials, and the headers of a request that have them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gbac_api::service::{OWN_AUTHORIZATION, SignIn};
use gbac_api::session::{SESSION_HEADER, SESSION_HEADER_VALUE};
use gbac_engine::mapping::PrincipalMapping;
use gbac_engine::token::UnverifiedToken;

use super::ConnectionTarget;

/// What opens a cluster's APIs; held in the memory of the tab and nowhere else.
#[derive(Clone, PartialEq, Eq)]
pub enum Credentials {
    /// A user and a password.
    Password(SignIn),
    /// An access token.
    Token(String),
    /// The session of a sign-in with the identity provider. The browser holds it in a cookie that
    /// scripts cannot read.
    Session {
        /// The issuer of the user's token.
        issuer: String,
        /// The user's name.
        user: String,
    },
}

impl Credentials {
    /// The user, where it is known.
    pub fn user(&self) -> Option<&str> {
        match self {
            Self::Password(given) => Some(&given.user),
            Self::Token(_) => None,
            Self::Session { user, .. } => Some(user),
        }
    }

    /// The name to show for the caller: the user, or the subject that the token states.
    pub fn label(&self) -> String {
        match self {
            Self::Password(given) => given.user.clone(),
            Self::Token(token) => {
                let read = UnverifiedToken::decode(token).ok();
                let subject = read.and_then(|token| {
                    PrincipalMapping::default()
                        .apply(token.claims.members())
                        .ok()
                });
                subject.unwrap_or_else(|| "access token".to_owned())
            }
            Self::Session { user, .. } => user.clone(),
        }
    }

    /// The account, which owns a draft. A local account, a user of the identity provider, and a
    /// user of another issuer are different accounts, even under one name.
    pub fn account(&self) -> String {
        match self {
            Self::Password(given) => format!("local {}", given.user),
            Self::Session { issuer, user } => format!("token {issuer} {user}"),
            Self::Token(token) => {
                let read = UnverifiedToken::decode(token).ok();
                let issuer = read.as_ref().and_then(|token| token.claims.issuer());
                format!("token {} {}", issuer.unwrap_or_default(), self.label())
            }
        }
    }

    /// The header that has them, by its name; `name` is that for credentials as text.
    fn header(&self, name: &'static str) -> (&'static str, String) {
        match self {
            Self::Password(given) => {
                let pair = STANDARD.encode(format!("{}:{}", given.user, given.password));
                (name, format!("Basic {pair}"))
            }
            Self::Token(token) => (name, format!("Bearer {token}")),
            Self::Session { .. } => (SESSION_HEADER, SESSION_HEADER_VALUE.to_owned()),
        }
    }

    /// What is shown if the service rejects them; nothing for a session, which then has ended.
    pub fn rejection(&self) -> Option<String> {
        match self {
            Self::Password(given) => Some(format!(
                "Credentials rejected. The user name `{}` or the password is wrong.",
                given.user
            )),
            Self::Token(_) => Some(
                "Credentials rejected. The access token is not valid, or has expired.".to_owned(),
            ),
            Self::Session { .. } => None,
        }
    }
}

/// The credentials of one request.
#[derive(Clone, Copy, Default)]
pub struct RequestCredentials<'a> {
    /// Those for the API that the request is for.
    pub api: Option<&'a Credentials>,
    /// Those for this service, if it relays the request and requires a sign-in for that.
    pub own: Option<&'a Credentials>,
}

impl RequestCredentials<'_> {
    /// The headers with them, each by its name.
    pub fn headers(self) -> Vec<(&'static str, String)> {
        let given = [("authorization", self.api), (OWN_AUTHORIZATION, self.own)];
        given
            .into_iter()
            .filter_map(|(name, credentials)| Some(credentials?.header(name)))
            .collect()
    }

    /// Whether the browser has to send the cookie of its session.
    pub fn uses_session(self) -> bool {
        [self.api, self.own]
            .into_iter()
            .flatten()
            .any(|given| matches!(given, Credentials::Session { .. }))
    }
}

impl<'a> From<Option<&'a Credentials>> for RequestCredentials<'a> {
    fn from(api: Option<&'a Credentials>) -> Self {
        Self { api, own: None }
    }
}

impl<'a> From<&'a ConnectionTarget> for RequestCredentials<'a> {
    fn from(target: &'a ConnectionTarget) -> Self {
        Self {
            api: target.credentials.as_ref(),
            own: target.own.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use gbac_api::service::Upstream;

    use super::*;
    use crate::connection::Connection;

    #[test]
    fn an_account_is_told_apart_by_how_it_signs_in_and_by_its_issuer() {
        let password = Credentials::Password(SignIn {
            user: "ana".to_owned(),
            password: "secret".to_owned(),
        });
        let session = |issuer: &str| {
            Credentials::Session {
                issuer: issuer.to_owned(),
                user: "ana".to_owned(),
            }
            .account()
        };
        let token = |issuer: &str| {
            let claims = URL_SAFE_NO_PAD.encode(format!(r#"{{"iss":"{issuer}","sub":"ana"}}"#));
            Credentials::Token(format!(
                "{}.{claims}.c2ln",
                URL_SAFE_NO_PAD.encode(r#"{"alg":"RS256"}"#)
            ))
            .account()
        };
        let (one, two) = ("https://one.example", "https://two.example");
        let all = [password.account(), session(one), session(two)];
        assert!(
            all[0] != all[1] && all[0] != all[2] && all[1] != all[2],
            "{all:?}"
        );
        assert_eq!(
            [token(one), token(two)],
            all[1..],
            "one user, by a token or by a session"
        );
    }

    #[test]
    fn a_relay_for_users_of_the_service_gets_both_sign_ins() {
        let password = |user: &str| {
            Some(Credentials::Password(SignIn {
                user: user.to_owned(),
                password: "pässword:".to_owned(),
            }))
        };
        let token = Some(Credentials::Token("e30.e30.c2ln".to_owned()));
        let open = Upstream {
            dataplane: Some("/p".into()),
            clusters: Some("/c".into()),
            ..Upstream::default()
        };
        let strict = Upstream {
            requires_sign_in: true,
            ..open.clone()
        };
        let cloud = Connection::Cloud {
            cluster: "c1".into(),
        };
        let headers = |connection: &Connection, upstream: &Upstream, own: Option<Credentials>| {
            let given = if *connection == cloud {
                token.clone()
            } else {
                password("them")
            };
            RequestCredentials::from(&connection.target(upstream, given, own)).headers()
        };
        let theirs = ("authorization", "Basic dGhlbTpww6Rzc3dvcmQ6".to_owned());
        let own = (
            "gbac-authorization",
            "Basic dXM6cMOkc3N3b3JkOg==".to_owned(),
        );
        let bearer = "Bearer e30.e30.c2ln".to_owned();
        assert_eq!(
            headers(&Connection::SelfManaged, &strict, password("us")),
            [theirs.clone(), own.clone()]
        );
        assert_eq!(
            headers(&cloud, &strict, password("us")),
            [("authorization", bearer.clone()), own]
        );
        let by_token = headers(&Connection::SelfManaged, &strict, token.clone());
        assert_eq!(by_token, [theirs.clone(), ("gbac-authorization", bearer)]);
        // A relay that does not require a sign-in does not get the credentials.
        assert_eq!(
            headers(&Connection::SelfManaged, &open, password("us")),
            std::slice::from_ref(&theirs)
        );
        assert_eq!(
            headers(&Connection::Service, &strict, password("us")),
            std::slice::from_ref(&theirs)
        );
        assert_eq!(RequestCredentials::default().headers(), []);
        // A session opens the service, and never the cluster.
        let session = Some(Credentials::Session {
            issuer: "https://idp.example".to_owned(),
            user: "us".to_owned(),
        });
        let mark = ("gbac-session", "1".to_owned());
        let target = Connection::SelfManaged.target(&strict, password("them"), session.clone());
        assert_eq!(
            RequestCredentials::from(&target).headers(),
            [theirs.clone(), mark.clone()]
        );
        assert!(RequestCredentials::from(&target).uses_session());
        let target = Connection::SelfManaged.target(&open, password("them"), session.clone());
        assert_eq!(RequestCredentials::from(&target).headers(), [theirs]);
        assert!(!RequestCredentials::from(&target).uses_session());
        let target = Connection::Service.target(&open, session, None);
        assert_eq!(RequestCredentials::from(&target).headers(), [mark]);
    }
}

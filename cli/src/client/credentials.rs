//! The credentials of a caller: where they are read, and which of them a request carries.

use gbac_api::paths;
use gbac_engine::token;
use reqwest::RequestBuilder;

use super::connection::ConnectArgs;
use super::saved_profiles::Profile;
use crate::input;
use crate::output::{Failure, plain};
use crate::process::Process;

/// Paths of the Data Plane and Control Plane APIs; every other path belongs to the Admin API.
const DATA_PLANE: [&str; 3] = [paths::ACLS, paths::ROLES, paths::CLUSTERS];

/// The credentials that a request carries.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    /// The user or the token, as a message names it.
    pub(crate) identity: String,
    pub(crate) kind: SentKind,
}

impl Sent {
    /// An access token.
    pub(crate) fn token(identity: &str) -> Self {
        Self {
            identity: identity.to_owned(),
            kind: SentKind::Token,
        }
    }
}

/// The kind of the credentials that a request carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SentKind {
    /// A user name and a password.
    Password,
    /// An access token.
    Token,
    /// An access token, to a service that verifies none.
    TokenWithoutProvider,
}

/// The credentials of a caller: a token, a user name with a password, or both.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Credentials {
    token: Option<String>,
    basic: Option<(String, String)>,
}

impl Credentials {
    /// Reads flags, then the environment, then the profile; prompts for a missing password on a
    /// terminal.
    pub(crate) fn read(
        process: &Process,
        args: &ConnectArgs,
        profile: Option<&Profile>,
    ) -> Result<Self, Failure> {
        let password = match &args.password_file {
            Some(path) => Some(
                input::secret(process, path)?
                    .trim_end_matches(['\r', '\n'])
                    .to_owned(),
            ),
            None => process.variable("GBAC_PASSWORD"),
        };
        let token = match &args.connect_token {
            Some(path) => Some(input::secret(process, path)?),
            None => process.variable("GBAC_TOKEN"),
        };
        // A token overrides the user of a profile, but not a user from a flag or the environment.
        let from_profile = profile
            .and_then(|profile| profile.user.clone())
            .filter(|_| password.is_some() || token.is_none());
        let environment = process.variable("GBAC_USER");
        let user = args.connect_user.clone().or(match &args.profile {
            Some(_) => from_profile.or(environment),
            None => environment.or(from_profile),
        });
        let password = match (&user, password) {
            (Some(user), None)
                if token.is_none() && process.terminal.input && !user.contains(':') =>
            {
                Some(prompt_for_password(user)?)
            }
            (_, password) => password,
        };
        Self::from_parts(user, password, token)
    }

    /// A user without a password, or the reverse, is an error and never an anonymous caller.
    fn from_parts(
        user: Option<String>,
        password: Option<String>,
        token: Option<String>,
    ) -> Result<Self, Failure> {
        let basic = match (user, password) {
            (None, None) => None,
            (Some(user), Some(password)) if is_valid_user_name(&user) => Some((user, password)),
            (Some(_), Some(_)) => {
                return Err(Failure::usage(
                    "the user name is empty or contains a colon; correct --user or GBAC_USER",
                ));
            }
            (Some(_), None) => {
                return Err(Failure::usage(
                    "the user has no password; set GBAC_PASSWORD or pass --password-file",
                ));
            }
            (None, Some(_)) => {
                return Err(Failure::usage(
                    "a password was given without a user; set GBAC_USER or pass --user",
                ));
            }
        };
        let token = token.map(|pasted| token::normalize_pasted(&pasted).token);
        if token.as_ref().is_some_and(|token| {
            token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic())
        }) {
            return Err(Failure::usage(
                "--token-file, GBAC_TOKEN: not an access token; copy the whole token",
            ));
        }
        Ok(Self { token, basic })
    }

    /// The user name.
    pub(crate) fn user(&self) -> Option<&str> {
        self.basic.as_ref().map(|(user, _)| user.as_str())
    }

    /// The access token.
    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The credentials that a request for this path carries; `None` without credentials.
    pub(crate) fn sent(&self, path: &str) -> Option<Sent> {
        match (&self.token, &self.basic) {
            (None, None) => None,
            (Some(_), None) => Some(Sent::token("the access token")),
            (Some(_), Some(_)) if is_data_plane(path) => Some(Sent::token("the access token")),
            (_, Some((user, _))) => Some(Sent {
                identity: format!("the user `{}`", plain(user)),
                kind: SentKind::Password,
            }),
        }
    }

    /// Adds the credentials for a path: with both kinds, the token for the Data Plane and the
    /// password elsewhere (D-26).
    pub(crate) fn authorize(&self, path: &str, request: RequestBuilder) -> RequestBuilder {
        match (&self.token, &self.basic) {
            (Some(token), None) => request.bearer_auth(token),
            (Some(token), Some(_)) if is_data_plane(path) => request.bearer_auth(token),
            (_, Some((user, password))) => request.basic_auth(user, Some(password)),
            (None, None) => request,
        }
    }
}

/// Whether a path belongs to the Data Plane or the Control Plane.
fn is_data_plane(path: &str) -> bool {
    DATA_PLANE.iter().any(|api| path.starts_with(api))
}

/// Whether a user name can be sent with a password (RFC 7617).
pub(crate) fn is_valid_user_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(':')
}

/// Prompts on the terminal, without echo.
fn prompt_for_password(user: &str) -> Result<String, Failure> {
    let prompt = format!("Password for {}: ", plain(user));
    rpassword::prompt_password(prompt).map_err(|error| Failure::io("the terminal", &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_without_a_password_is_refused() {
        let of = |user: Option<&str>, password: Option<&str>, token: Option<&str>| {
            let own = |text: Option<&str>| text.map(str::to_owned);
            Credentials::from_parts(own(user), own(password), own(token))
        };
        assert_eq!(of(None, None, None).unwrap(), Credentials::default());
        let both = of(Some("admin"), Some(""), Some("Bearer a.b.c\n")).unwrap();
        assert_eq!(
            both,
            Credentials {
                token: Some("a.b.c".into()),
                basic: Some(("admin".into(), String::new()))
            }
        );
        for (user, password, token) in [
            (Some("admin"), None, None),
            (None, Some("x"), None),
            (Some("a:b"), Some("x"), None),
            (Some(""), Some("x"), None),
            (None, None, Some("")),
            (None, None, Some("a\u{e9}b")),
        ] {
            assert!(
                of(user, password, token).is_err(),
                "{user:?} {password:?} {token:?}"
            );
        }
    }

    #[test]
    fn each_path_has_its_credential() {
        let http = || {
            let _ = rustls::crypto::ring::default_provider().install_default();
            reqwest::Client::new().get("http://127.0.0.1/")
        };
        let signed = |token: bool, basic: bool, path: &str| {
            let token = token.then(|| "t".to_owned());
            let basic = basic.then(|| ("u".to_owned(), "p".to_owned()));
            let request = Credentials { token, basic }
                .authorize(path, http())
                .build()
                .unwrap();
            let header = request
                .headers()
                .get("authorization")
                .map(|value| value.to_str().unwrap().to_owned());
            header.map(|text| text.split(' ').next().unwrap().to_owned())
        };
        for (token, basic, path, scheme) in [
            (true, true, "/v1/acls", Some("Bearer")),
            (true, true, "/v1/roles/x", Some("Bearer")),
            (true, true, "/v1/cluster_config", Some("Basic")),
            (true, true, "/gbac/v1/policy", Some("Basic")),
            (true, false, "/v1/loggers", Some("Bearer")),
            (false, true, "/v1/acls", Some("Basic")),
            (false, false, "/v1/acls", None),
        ] {
            assert_eq!(
                signed(token, basic, path).as_deref(),
                scheme,
                "{token} {basic} {path}"
            );
        }
    }
}

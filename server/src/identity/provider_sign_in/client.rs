//! The service as a client of the identity provider: the authorization request, and the exchange of
//! a code for tokens (RFC 6749).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gbac_engine::escape::escaped;
use reqwest::header;
use serde_json::Value;
use thiserror::Error;
use tokio::sync::Semaphore;
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

use crate::http_client::HttpClient;
use crate::identity::oidc::{
    FetchError, ProviderDocument, SignInEndpoints, TIMEOUT, fetch_failed, read_body,
};
use crate::identity::sessions::MAX_TOKEN_BYTES;

/// The number of exchanges at once; further ones wait.
const MAX_EXCHANGES: usize = 16;
/// The longest accepted code in bytes.
const MAX_CODE_BYTES: usize = 8 << 10;

/// The service as a client of the identity provider. Never printed, because it has a secret.
pub(crate) struct OidcClient {
    /// The client ID, which is the audience of ID tokens.
    pub(super) id: String,
    secret: Option<String>,
    scope: String,
    http: HttpClient,
    exchanges: Semaphore,
}

/// The tokens of a user.
pub(super) struct Tokens {
    /// The ID token.
    pub(super) id: String,
    /// The access token.
    pub(super) access: String,
}

/// Why there are no tokens for a code.
#[derive(Debug, Error)]
pub(super) enum ExchangeError {
    /// The provider does not respond, or not as a provider.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The provider refuses the code or the client.
    #[error("the provider refused the code with status {status} and the error `{}`", escaped(.error))]
    Refused {
        /// The status of the response.
        status: u16,
        /// Its `error` (RFC 6749, section 5.2); empty if there is none.
        error: String,
    },
    /// The response has no such token, or one that is too long.
    #[error("the provider's response has no usable `{0}`")]
    NoToken(&'static str),
}

impl ExchangeError {
    /// The stable code of the error.
    pub(super) const fn code(&self) -> &'static str {
        match self {
            Self::Fetch(error) => error.code(),
            Self::Refused { .. } => "code_refused",
            Self::NoToken(_) => "token_missing",
        }
    }

    /// What to do about it.
    pub(super) const fn hint(&self) -> &'static str {
        match self {
            Self::Fetch(error) => error.hint(),
            Self::Refused { .. } => {
                "check `--oidc-client-id`, `--oidc-client-secret-file` and the redirect URI that the provider knows"
            }
            Self::NoToken(_) => {
                "check that `--oidc-scope` contains `openid`, and that tokens are not longer than 64 KiB"
            }
        }
    }
}

/// A token of a response.
fn token(response: &Value, name: &'static str) -> Result<String, ExchangeError> {
    match response.get(name) {
        Some(Value::String(token)) if token.len() <= MAX_TOKEN_BYTES => Ok(token.clone()),
        _ => Err(ExchangeError::NoToken(name)),
    }
}

/// What an authorization request is about, besides the client.
pub(super) struct AuthorizationRequest<'a> {
    /// Where the provider sends the browser back.
    pub(super) redirect_uri: &'a str,
    /// Returned unchanged with the code.
    pub(super) state: &'a str,
    /// Returned unchanged in the ID token.
    pub(super) nonce: &'a str,
    /// The digest of the verifier (RFC 7636).
    pub(super) challenge: &'a str,
}

impl OidcClient {
    /// A client; one without a secret is public.
    pub(crate) fn new(id: String, secret: Option<String>, scope: String) -> Self {
        let exchanges = Semaphore::new(MAX_EXCHANGES);
        Self {
            id,
            secret,
            scope,
            http: HttpClient::default(),
            exchanges,
        }
    }

    /// The URL of the provider on which the user signs in.
    pub(super) fn authorization_url(
        &self,
        endpoints: &SignInEndpoints,
        request: &AuthorizationRequest<'_>,
    ) -> Url {
        let mut url = endpoints.authorization.clone();
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.id)
            .append_pair("redirect_uri", request.redirect_uri)
            .append_pair("scope", &self.scope)
            .append_pair("state", request.state)
            .append_pair("nonce", request.nonce)
            .append_pair("code_challenge", request.challenge)
            .append_pair("code_challenge_method", "S256");
        url
    }

    /// Exchanges a code for the tokens of the user.
    pub(super) async fn exchange(
        &self,
        endpoints: &SignInEndpoints,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
    ) -> Result<Tokens, ExchangeError> {
        if code.len() > MAX_CODE_BYTES {
            return Err(ExchangeError::Refused {
                status: 400,
                error: "code_too_long".into(),
            });
        }
        let document = ProviderDocument::Tokens;
        let in_body = endpoints.secret_in_body || self.secret.is_none();
        let client = self
            .http
            .get(TIMEOUT)
            .map_err(|error| FetchError::Tls(error.to_string()))?;
        let mut request = client
            .post(endpoints.token.clone())
            .header(header::ACCEPT, "application/json")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(self.form(code, verifier, redirect_uri, in_body));
        if let Some(secret) = &self.secret
            && !in_body
        {
            request = request.header(header::AUTHORIZATION, self.basic(secret));
        }
        // Never closed, so that a permit is always given.
        let _permit = self.exchanges.acquire().await;
        let response = request
            .send()
            .await
            .map_err(|error| fetch_failed(document, &error))?;
        let status = response.status().as_u16();
        if status != 200 && !(400..500).contains(&status) {
            return Err(FetchError::Status(document, status).into());
        }
        let text = read_body(response, document).await?;
        let body = gbac_json::parse(&text).map_err(|error| FetchError::Json(document, error));
        if status != 200 {
            let body = body.unwrap_or_default();
            let error = body.get("error").and_then(Value::as_str);
            let error = error.unwrap_or_default().to_owned();
            return Err(ExchangeError::Refused { status, error });
        }
        let body = body?;
        Ok(Tokens {
            id: token(&body, "id_token")?,
            access: token(&body, "access_token")?,
        })
    }

    /// The body of a token request (RFC 6749, section 4.1.3, and RFC 7636, section 4.5), with or
    /// without the client's credentials.
    fn form(
        &self,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
        with_credentials: bool,
    ) -> String {
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", redirect_uri)
            .append_pair("code_verifier", verifier);
        if with_credentials {
            form.append_pair("client_id", &self.id);
            if let Some(secret) = &self.secret {
                form.append_pair("client_secret", secret);
            }
        }
        form.finish()
    }

    /// The credentials of the client (RFC 6749, section 2.3.1).
    fn basic(&self, secret: &str) -> String {
        let id: String = byte_serialize(self.id.as_bytes()).collect();
        let secret: String = byte_serialize(secret.as_bytes()).collect();
        format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
    }
}

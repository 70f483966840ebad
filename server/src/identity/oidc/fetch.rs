//! Fetching the discovery document and the key set of the identity provider (D-19).

use std::fmt;
use std::time::Duration;

use gbac_api::address::{AddressError, address};
use gbac_engine::escape::escaped;
use gbac_engine::json::JsonError;
use gbac_engine::verify::{KeySet, KeySetError};
use serde_json::Value;
use thiserror::Error;
use url::Url;

use super::public_parts::public_parts;
use crate::http_client::{HttpClient, root_cause};

/// The maximum size of a document in bytes.
const MAX_BYTES: usize = 1 << 20;
/// The time limit for a document.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(5);

/// A document of the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProviderDocument {
    /// The discovery document.
    Discovery,
    /// The key set.
    Keys,
    /// The response with the tokens of a user.
    Tokens,
}

impl fmt::Display for ProviderDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Discovery => "the discovery document",
            Self::Keys => "the key set",
            Self::Tokens => "the token response",
        })
    }
}

/// Why the keys could not be fetched.
#[derive(Debug, Error)]
pub(crate) enum FetchError {
    /// TLS cannot be set up, for example because the machine has no root certificates.
    #[error("TLS is not available: {}", escaped(.0))]
    Tls(String),
    /// The address is not allowed.
    #[error("the address of {0} is not allowed: {1}")]
    Address(ProviderDocument, AddressError),
    /// The provider cannot be reached.
    #[error("{document} cannot be fetched: {cause}", document = .0, cause = escaped(.1))]
    Unreachable(ProviderDocument, String),
    /// It took longer than 5 seconds.
    #[error("{document} took longer than {seconds} seconds", document = .0, seconds = TIMEOUT.as_secs())]
    TooSlow(ProviderDocument),
    /// The response has a status other than 200; redirects are not followed.
    #[error("the provider responded with status {1} for {0}")]
    Status(ProviderDocument, u16),
    /// The document is larger than 1 MiB.
    #[error("{0} is larger than {MAX_BYTES} bytes")]
    TooLarge(ProviderDocument),
    /// The document is not UTF-8.
    #[error("{0} is not UTF-8")]
    NotUtf8(ProviderDocument),
    /// The document is not strict JSON.
    #[error("{0} is not valid: {1}")]
    Json(ProviderDocument, JsonError),
    /// The discovery document states another issuer than the expected one.
    #[error("the discovery document states the issuer `{found}`, not `{expected}`", found = escaped(.found), expected = escaped(.expected))]
    Issuer {
        /// The stated issuer.
        found: String,
        /// The issuer of its address, or the configured one.
        expected: String,
    },
    /// The address of the discovery document does not tell the issuer.
    #[error("the address of the discovery document does not end in `{}`, so the issuer is not known", WELL_KNOWN[0])]
    IssuerUnknown,
    /// The discovery document lacks this string.
    #[error("the discovery document has no `{0}`")]
    Missing(&'static str),
    /// The key set has no usable key.
    #[error(transparent)]
    KeySet(#[from] KeySetError),
    /// The settings changed during the fetch, or it was canceled.
    #[error("the settings changed while the keys were fetched")]
    Superseded,
}

impl FetchError {
    /// The stable code of the error.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Tls(_) => "tls_unavailable",
            Self::Address(_, error) => error.code(),
            Self::Unreachable(..) => "provider_unreachable",
            Self::TooSlow(_) => "provider_too_slow",
            Self::Status(..) => "provider_status",
            Self::TooLarge(_) => "document_too_large",
            Self::NotUtf8(_) | Self::Json(..) => "document_not_json",
            Self::Issuer { .. } => "discovery_issuer_mismatch",
            Self::IssuerUnknown => "discovery_issuer_unknown",
            Self::Missing(_) => "discovery_incomplete",
            Self::KeySet(error) => error.code(),
            Self::Superseded => "fetch_dropped",
        }
    }

    /// What to do about it.
    pub(crate) const fn hint(&self) -> &'static str {
        match self {
            Self::Tls(_) => "install the machine's root certificates",
            Self::Address(_, error) => error.hint(),
            Self::Unreachable(..) | Self::TooSlow(_) => {
                "check that this machine can reach the identity provider"
            }
            Self::Status(..) => {
                "set `oidc_discovery_url` to the URL of the document itself; redirects are not followed"
            }
            Self::TooLarge(_) | Self::NotUtf8(_) | Self::Json(..) | Self::Missing(_) => {
                "check that `oidc_discovery_url` is the URL of the provider's discovery document"
            }
            Self::Issuer { .. } | Self::IssuerUnknown => {
                "check `oidc_discovery_url`; if the provider is known to have another issuer, state it with `--oidc-issuer`"
            }
            Self::KeySet(error) => error.hint(),
            Self::Superseded => "try again",
        }
    }
}

/// The paths of discovery documents below an issuer (OpenID Connect Discovery 4, RFC 8414 section
/// 3).
const WELL_KNOWN: [&str; 2] = [
    "/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server",
];

/// Checks that a discovery document states the issuer of its address, or the configured one (OpenID
/// Connect Discovery 4.3). Without this check, a provider could state the issuer of another one.
fn check_issuer(discovery: &str, found: &str, configured: Option<&str>) -> Result<(), FetchError> {
    let (expected, is_same) = match configured {
        Some(expected) => (expected.to_owned(), found == expected),
        None => {
            let expected = issuer_of_address(discovery).ok_or(FetchError::IssuerUnknown)?;
            // An issuer with a slash at its end has the same address.
            let is_same = found == expected || found.strip_suffix('/') == Some(expected.as_str());
            (expected, is_same)
        }
    };
    if is_same {
        return Ok(());
    }
    Err(FetchError::Issuer {
        found: found.into(),
        expected,
    })
}

/// The issuer whose discovery document has this address.
fn issuer_of_address(discovery: &str) -> Option<String> {
    let address = discovery.split(['?', '#']).next().unwrap_or_default();
    for path in WELL_KNOWN {
        // The path comes last, or between the host and the path of the issuer (RFC 8414).
        if let Some(issuer) = address.strip_suffix(path) {
            return Some(issuer.to_owned());
        }
        if let Some((host, rest)) = address.split_once(&format!("{path}/")) {
            return Some(format!("{host}/{rest}"));
        }
    }
    None
}

/// The issuer and the keys of a provider.
pub(super) struct ProviderKeys {
    /// The required `iss` of tokens.
    pub(super) issuer: String,
    /// The keys.
    pub(super) set: KeySet,
    /// Their public parts, as a JWKS.
    pub(super) published: String,
    /// Where users sign in, if they can.
    pub(super) sign_in: Option<SignInEndpoints>,
}

/// Where users sign in at a provider (OpenID Connect Discovery 1.0, section 3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SignInEndpoints {
    /// The page on which users sign in.
    pub(crate) authorization: Url,
    /// Where codes are exchanged for tokens.
    pub(crate) token: Url,
    /// Whether the secret of a client has to be in the body, because the provider does not support
    /// `client_secret_basic`.
    pub(crate) secret_in_body: bool,
    /// Whether answers name their issuer (RFC 9207).
    pub(crate) states_issuer: bool,
}

/// An endpoint of a document, if it is safe.
fn endpoint(document: &Value, name: &str) -> Option<Url> {
    address(document.get(name)?.as_str()?).ok()
}

/// A text of a document.
fn member<'d>(document: &'d Value, name: &'static str) -> Result<&'d str, FetchError> {
    match document.get(name) {
        Some(Value::String(text)) if !text.is_empty() => Ok(text),
        _ => Err(FetchError::Missing(name)),
    }
}

impl SignInEndpoints {
    /// Those of a discovery document; `None` if it lacks one, or one is not safe.
    fn from_discovery(document: &Value) -> Option<Self> {
        let secret_in_body = match document.get("token_endpoint_auth_methods_supported") {
            Some(Value::Array(methods)) => {
                !methods.contains(&"client_secret_basic".into())
                    && methods.contains(&"client_secret_post".into())
            }
            _ => false,
        };
        Some(Self {
            authorization: endpoint(document, "authorization_endpoint")?,
            token: endpoint(document, "token_endpoint")?,
            secret_in_body,
            states_issuer: document.get("authorization_response_iss_parameter_supported")
                == Some(&Value::Bool(true)),
        })
    }
}

/// Fetches the documents.
#[derive(Debug)]
pub(super) struct Fetcher {
    client: HttpClient,
    /// The issuer that a discovery document must state; `None` is that of its address.
    issuer: Option<String>,
}

impl Fetcher {
    pub(super) fn new(issuer: Option<String>) -> Self {
        Self {
            client: HttpClient::default(),
            issuer,
        }
    }

    /// Fetches the discovery document at this address, and the key set that it names.
    pub(super) async fn keys(&self, discovery: &str) -> Result<ProviderKeys, FetchError> {
        let document = ProviderDocument::Discovery;
        let text = self.text(discovery, document).await?;
        let value = gbac_json::parse(&text).map_err(|error| FetchError::Json(document, error))?;
        let (issuer, keys) = (member(&value, "issuer")?, member(&value, "jwks_uri")?);
        check_issuer(discovery, issuer, self.issuer.as_deref())?;
        let keys = self.text(keys, ProviderDocument::Keys).await?;
        Ok(ProviderKeys {
            issuer: issuer.to_owned(),
            set: KeySet::parse(&keys)?,
            published: public_parts(&keys),
            sign_in: SignInEndpoints::from_discovery(&value),
        })
    }

    async fn text(&self, from: &str, document: ProviderDocument) -> Result<String, FetchError> {
        let url = address(from).map_err(|error| FetchError::Address(document, error))?;
        let client = self
            .client
            .get(TIMEOUT)
            .map_err(|error| FetchError::Tls(error.to_string()))?;
        let response = client
            .get(url)
            .send()
            .await
            .map_err(|error| fetch_failed(document, &error))?;
        if response.status() != reqwest::StatusCode::OK {
            return Err(FetchError::Status(document, response.status().as_u16()));
        }
        read_body(response, document).await
    }
}

/// Why a request to the provider failed.
pub(crate) fn fetch_failed(document: ProviderDocument, error: &reqwest::Error) -> FetchError {
    if error.is_timeout() {
        FetchError::TooSlow(document)
    } else {
        FetchError::Unreachable(document, root_cause(error))
    }
}

/// Reads the body of a response, up to the maximum size.
pub(crate) async fn read_body(
    mut response: reqwest::Response,
    document: ProviderDocument,
) -> Result<String, FetchError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| fetch_failed(document, &error))?
    {
        if bytes.len() + chunk.len() > MAX_BYTES {
            return Err(FetchError::TooLarge(document));
        }
        bytes.extend_from_slice(&chunk);
    }
    String::from_utf8(bytes).map_err(|_| FetchError::NotUtf8(document))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_discovery_document_states_the_issuer_of_its_address() {
        let code = |address: &str, issuer: &str, configured: Option<&str>| {
            check_issuer(address, issuer, configured).map_err(|error| error.code())
        };
        let of = "https://idp.example/realms/a/.well-known/openid-configuration";
        for (address, issuer) in [
            (of, "https://idp.example/realms/a"),
            (of, "https://idp.example/realms/a/"),
            (
                "https://idp.example/.well-known/openid-configuration?appid=1",
                "https://idp.example",
            ),
            (
                "https://idp.example/.well-known/oauth-authorization-server",
                "https://idp.example/",
            ),
            (
                "https://idp.example/.well-known/oauth-authorization-server/tenant/a",
                "https://idp.example/tenant/a",
            ),
        ] {
            assert_eq!(code(address, issuer, None), Ok(()), "{address} {issuer}");
        }
        for issuer in [
            "https://idp.example",
            "https://idp.example/realms/b",
            "https://idp.example/realms/a//",
            "http://idp.example/realms/a",
            "https://IDP.example/realms/a",
            "https://evil.example/realms/a",
            "https://idp.example/realms/a/.well-known/openid-configuration",
        ] {
            assert_eq!(
                code(of, issuer, None),
                Err("discovery_issuer_mismatch"),
                "{issuer}"
            );
        }
        assert_eq!(
            code("https://idp.example/keys.json", "https://idp.example", None),
            Err("discovery_issuer_unknown")
        );
        let configured = Some("https://sts.example/{tenant}/");
        assert_eq!(
            code(
                "https://idp.example/keys.json",
                "https://sts.example/{tenant}/",
                configured
            ),
            Ok(())
        );
        assert_eq!(
            code(of, "https://sts.example/{tenant}/", configured),
            Ok(())
        );
        assert_eq!(
            code(of, "https://idp.example/realms/a", configured),
            Err("discovery_issuer_mismatch")
        );
        assert_eq!(
            code(of, "https://sts.example/{tenant}", configured),
            Err("discovery_issuer_mismatch"),
            "exactly"
        );
    }

    #[test]
    fn users_sign_in_where_the_provider_says_if_that_is_safe() {
        let of = |change: serde_json::Value| {
            let mut document = serde_json::json!({ "authorization_endpoint": "https://idp.example/auth?x=1",
                "token_endpoint": "https://idp.example/token" });
            document
                .as_object_mut()
                .unwrap()
                .extend(change.as_object().unwrap().clone());
            SignInEndpoints::from_discovery(&document)
        };
        let found = of(serde_json::json!({})).unwrap();
        assert_eq!(found.authorization.as_str(), "https://idp.example/auth?x=1");
        assert!(
            !found.secret_in_body && !found.states_issuer,
            "`client_secret_basic` is the default"
        );
        let methods = |methods: serde_json::Value| {
            of(serde_json::json!({ "token_endpoint_auth_methods_supported": methods }))
                .unwrap()
                .secret_in_body
        };
        assert!(!methods(serde_json::json!([
            "client_secret_post",
            "client_secret_basic"
        ])));
        assert!(
            methods(serde_json::json!(["client_secret_post"]))
                && !methods(serde_json::json!(["none"]))
        );
        assert!(
            of(serde_json::json!({ "authorization_response_iss_parameter_supported": true }))
                .unwrap()
                .states_issuer
        );
        for unsafe_document in [
            serde_json::json!({ "authorization_endpoint": "http://idp.example/auth" }),
            serde_json::json!({ "authorization_endpoint": "javascript:alert(1)" }),
            serde_json::json!({ "token_endpoint": "http://10.0.0.1/token" }),
            serde_json::json!({ "token_endpoint": null }),
        ] {
            assert_eq!(of(unsafe_document.clone()), None, "{unsafe_document}");
        }
    }
}

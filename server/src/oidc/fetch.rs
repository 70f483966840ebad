//! Fetching the discovery document and the key set of the identity provider (D-19).

use std::fmt;
use std::time::Duration;

use gbac_api::address::{AddressError, address};
use gbac_engine::escape::escaped;
use gbac_engine::json::JsonError;
use gbac_engine::verify::{KeySet, KeySetError};
use serde_json::Value;

use crate::outward::Outward;

/// How many bytes a document may have.
const BYTES: usize = 1 << 20;
/// How long a document may take.
const TIME: Duration = Duration::from_secs(5);

/// Which document is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Document {
    /// The discovery document.
    Discovery,
    /// The key set.
    Keys,
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Discovery => "the discovery document",
            Self::Keys => "the key set",
        })
    }
}

/// Why the keys could not be fetched.
#[derive(Debug)]
pub(crate) enum FetchError {
    /// There is no TLS here, for example because the machine has no root certificates.
    Tls(String),
    /// The address is refused.
    Address(Document, AddressError),
    /// Nobody answers there.
    Unreachable(Document, String),
    /// It took longer than 5 seconds.
    TooSlow(Document),
    /// The answer has another status than 200; redirects are not followed.
    Status(Document, u16),
    /// It has more than 1 MiB.
    TooLarge(Document),
    /// It is no strict JSON in UTF-8.
    Json(Document, Option<JsonError>),
    /// The discovery document has no such text.
    Missing(&'static str),
    /// The key set has no key that can be used.
    KeySet(KeySetError),
    /// The settings changed, or the work was given up, while it was under way.
    Dropped,
}

impl FetchError {
    /// A stable name of the fault.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Tls(_) => "tls_unavailable",
            Self::Address(_, error) => error.code(),
            Self::Unreachable(..) => "provider_unreachable",
            Self::TooSlow(_) => "provider_too_slow",
            Self::Status(..) => "provider_status",
            Self::TooLarge(_) => "document_too_large",
            Self::Json(..) => "document_not_json",
            Self::Missing(_) => "discovery_incomplete",
            Self::KeySet(error) => error.code(),
            Self::Dropped => "fetch_dropped",
        }
    }

    /// What to do about it.
    pub(crate) const fn hint(&self) -> &'static str {
        match self {
            Self::Tls(_) => "install the machine's root certificates",
            Self::Address(_, error) => error.hint(),
            Self::Unreachable(..) | Self::TooSlow(_) => "see whether this machine reaches the identity provider",
            Self::Status(..) => "set `oidc_discovery_url` to the address that answers with the document itself",
            Self::TooLarge(_) | Self::Json(..) | Self::Missing(_) => {
                "see whether `oidc_discovery_url` names the provider's discovery document"
            }
            Self::KeySet(error) => error.hint(),
            Self::Dropped => "try again",
        }
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tls(text) => write!(f, "connections cannot be made safe: {}", escaped(text)),
            Self::Address(document, error) => write!(f, "the address of {document} is refused: {error}"),
            Self::Unreachable(document, text) => write!(f, "{document} cannot be had: {}", escaped(text)),
            Self::TooSlow(document) => write!(f, "{document} took longer than {} seconds", TIME.as_secs()),
            Self::Status(document, status) => write!(f, "the provider answered with status {status} for {document}"),
            Self::TooLarge(document) => write!(f, "{document} is larger than {BYTES} bytes"),
            Self::Json(document, None) => write!(f, "{document} is not UTF-8"),
            Self::Json(document, Some(error)) => write!(f, "{document} cannot be read: {error}"),
            Self::Missing(member) => write!(f, "the discovery document has no `{member}`"),
            Self::KeySet(error) => error.fmt(f),
            Self::Dropped => f.write_str("the settings changed while the keys were fetched"),
        }
    }
}

impl std::error::Error for FetchError {}

/// What a provider says: who it is, and its keys.
pub(super) struct Found {
    /// What `iss` must be.
    pub(super) issuer: String,
    /// The keys.
    pub(super) set: KeySet,
}

/// Fetches; the client is made when it is needed first, since it reads the machine's root certificates.
#[derive(Debug, Default)]
pub(super) struct Fetch(Outward);

impl Fetch {
    /// Fetches the discovery document at an address, then the keys that it names.
    pub(super) async fn keys(&self, discovery: &str) -> Result<Found, FetchError> {
        let document = Document::Discovery;
        let text = self.text(discovery, document).await?;
        let value = gbac_json::parse(&text).map_err(|error| FetchError::Json(document, Some(error)))?;
        let member = |name| {
            let text = value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
            text.ok_or(FetchError::Missing(name))
        };
        let (issuer, keys) = (member("issuer")?, member("jwks_uri")?);
        let set = KeySet::parse(&self.text(keys, Document::Keys).await?).map_err(FetchError::KeySet)?;
        Ok(Found { issuer: issuer.to_owned(), set })
    }

    async fn text(&self, from: &str, document: Document) -> Result<String, FetchError> {
        let url = address(from).map_err(|error| FetchError::Address(document, error))?;
        let failed = |error: reqwest::Error| {
            if error.is_timeout() {
                return FetchError::TooSlow(document);
            }
            // The outermost message says only that something failed; the innermost says what.
            let mut cause: &dyn std::error::Error = &error;
            while let Some(inner) = cause.source() {
                cause = inner;
            }
            FetchError::Unreachable(document, cause.to_string())
        };
        let client = self.0.client(TIME).map_err(|error| FetchError::Tls(error.to_string()))?;
        let mut response = client.get(url).send().await.map_err(failed)?;
        if response.status() != reqwest::StatusCode::OK {
            return Err(FetchError::Status(document, response.status().as_u16()));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if bytes.len() + chunk.len() > BYTES {
                return Err(FetchError::TooLarge(document));
            }
            bytes.extend_from_slice(&chunk);
        }
        String::from_utf8(bytes).map_err(|_| FetchError::Json(document, None))
    }
}

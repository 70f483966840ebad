//! From a subject, in one of the ways in which callers can name one, to an identity.

use crate::claims::ClaimSet;
use crate::code::{Codes, merged};
use crate::groups::Extraction;
use crate::identity::{self, Identity, IdentityError, IdentityRules};
use crate::model::{DialectError, Principal, PrincipalError};
use crate::policy::Policy;
use crate::token::{Claims, Header, TokenError, UnverifiedClaims, UnverifiedToken};
use crate::warning::{Warning, WarningCode};

/// Whose request it is, in one of the ways to state it.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// A user and groups by name.
    Names {
        /// The bare user name.
        user: String,
        /// The bare group names.
        groups: Vec<String>,
    },
    /// A user, or a principal of another type of Kafka, and groups by name.
    Principal {
        /// The principal.
        principal: Principal,
        /// The bare group names.
        groups: Vec<String>,
    },
    /// The claims of a token; extraction runs with the policy's settings.
    Claims {
        /// The token's payload.
        claims: ClaimSet,
        /// The user-info document, where the settings ask for it.
        userinfo: Option<ClaimSet>,
    },
    /// A token whose signature is not verified.
    UnverifiedToken {
        /// A compact JWS.
        token: String,
        /// The user-info document, where the settings ask for it.
        userinfo: Option<ClaimSet>,
    },
    /// A token that is verified first.
    Token {
        /// A compact JWS.
        token: String,
        /// The user-info document, where the settings ask for it.
        userinfo: Option<ClaimSet>,
    },
}

impl Subject {
    /// Whether the decision depends on the time: there are claims, and they have an `exp`, even one that is not a number.
    #[must_use]
    pub fn has_expiry(&self) -> bool {
        match self {
            Self::Names { .. } | Self::Principal { .. } => false,
            Self::Claims { claims, .. } => identity::has_expiry(claims),
            Self::UnverifiedToken { token, .. } | Self::Token { token, .. } => {
                UnverifiedToken::decode(token).is_ok_and(|decoded| identity::has_expiry(decoded.claims.members()))
            }
        }
    }
}

/// An identity, with how it was resolved.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResolvedIdentity {
    /// The identity.
    pub identity: Identity,
    /// How its groups came out of the claims; none for names.
    pub extraction: Option<Extraction>,
    /// The token's header, where there was a token.
    pub header: Option<Header>,
    /// What to know about the token's header, or about names that were given by hand.
    before: Vec<Warning>,
}

impl ResolvedIdentity {
    /// What to know about the token and its groups, whichever way they came.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        self.before.iter().chain(self.extraction.iter().flat_map(|extraction| &extraction.warnings))
    }

    /// The groups' names as the claim has them, before anything is cut off; those that were given by name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let of_token = self.extraction.iter().flat_map(|extraction| &extraction.elements);
        let given = if self.extraction.is_none() { self.identity.groups() } else { &[] };
        of_token.map(|element| element.raw.as_str()).chain(given.iter().map(String::as_str))
    }
}

/// Why a subject has no identity. Nothing is decided, so nothing is allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// The token cannot be read.
    #[error("{0}")]
    Token(#[source] TokenError),
    /// `token` was given, but no keys to verify it with.
    #[error("`token` needs keys to verify it, and there are none; add a JWKS or write `unverified_token`")]
    NoKeys,
    /// The token was refused; a stable code and a message.
    #[error("{1}")]
    Refused(&'static str, String),
    /// The claims name no user.
    #[error("{0}")]
    Identity(#[source] IdentityError),
    /// The principal sends no requests, or not under the policy's dialect.
    #[error("{0}")]
    Principal(#[source] PrincipalError),
}

impl ResolveError {
    /// A stable name of the error; of a refused token, the one that the caller's verifier gave.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Token(error) => error.code(),
            Self::NoKeys => "no_keys",
            Self::Refused(code, _) => code,
            Self::Identity(error) => error.code(),
            Self::Principal(error) => error.code(),
        }
    }
}

impl Codes for ResolveError {
    fn codes() -> Vec<&'static str> {
        merged(&["no_keys"], &[TokenError::codes, IdentityError::codes, PrincipalError::codes])
    }
}

/// Verifies a token for [`resolve`]; there is none where no keys were given.
pub type TokenVerifier<'a> = Option<&'a dyn Fn(&str) -> Result<Claims, ResolveError>>;

/// Resolves a subject to its identity, under a policy's settings.
///
/// # Errors
/// A token that cannot be read or is refused, or claims that name no user.
pub fn resolve(
    policy: &Policy,
    subject: &Subject,
    verify: TokenVerifier<'_>,
) -> Result<ResolvedIdentity, ResolveError> {
    if let Subject::Principal { principal, .. } = subject
        && let Err(DialectError::Principal(error)) =
            policy.settings().dialect.check_principal((principal.kind(), principal.name()))
    {
        return Err(ResolveError::Principal(error));
    }
    resolve_by(&|| policy.settings().identity_rules(), subject, verify)
}

/// As [`resolve`], under these rules instead of a policy's.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_with(
    rules: &IdentityRules,
    subject: &Subject,
    verify: TokenVerifier<'_>,
) -> Result<ResolvedIdentity, ResolveError> {
    resolve_by(&|| rules.clone(), subject, verify)
}

/// The rules are made only if there are claims.
fn resolve_by(
    rules: &dyn Fn() -> IdentityRules,
    subject: &Subject,
    verify: TokenVerifier<'_>,
) -> Result<ResolvedIdentity, ResolveError> {
    match subject {
        Subject::Names { user, groups } => {
            let (identity, before) = Identity::with_warnings(user, groups);
            Ok(ResolvedIdentity { identity, extraction: None, header: None, before })
        }
        Subject::Principal { principal, groups } => {
            let (identity, before) = Identity::of_principal(principal, groups).map_err(ResolveError::Principal)?;
            Ok(ResolvedIdentity { identity, extraction: None, header: None, before })
        }
        Subject::Claims { claims, userinfo } => {
            let claims = UnverifiedClaims::from(claims.clone());
            resolve_claims(&rules(), Stated::Unverified(&claims, None), userinfo.as_ref())
        }
        Subject::UnverifiedToken { token, userinfo } => {
            let UnverifiedToken { claims, header } = UnverifiedToken::decode(token).map_err(ResolveError::Token)?;
            resolve_claims(&rules(), Stated::Unverified(&claims, Some(header)), userinfo.as_ref())
        }
        Subject::Token { token, userinfo } => {
            let claims = verify.ok_or(ResolveError::NoKeys)?(token)?;
            resolve_claims(&rules(), Stated::Verified(&claims), userinfo.as_ref())
        }
    }
}

/// Claims, and the header of the token that they were in.
enum Stated<'a> {
    Verified(&'a Claims),
    Unverified(&'a UnverifiedClaims, Option<Header>),
}

/// Not inlined: in wasm a function is compiled when it is first called, and names need none of this.
#[inline(never)]
fn resolve_claims(
    rules: &IdentityRules,
    stated: Stated<'_>,
    userinfo: Option<&ClaimSet>,
) -> Result<ResolvedIdentity, ResolveError> {
    let (identity, header) = match stated {
        Stated::Verified(claims) => (Identity::from_verified(claims, userinfo, rules), None),
        Stated::Unverified(claims, header) => (Identity::from_unverified(claims, userinfo, rules), header),
    };
    let (identity, extraction) = identity.map_err(ResolveError::Identity)?;
    let mut before = header.as_ref().map(Header::warnings).unwrap_or_default();
    if identity.has_unreadable_expiry() {
        let message = "`exp` is not a number, so the identity counts as expired";
        before.push(Warning::new(WarningCode::EXPIRY_UNREADABLE, message, Some("exp".into())));
    }
    Ok(ResolvedIdentity { identity, extraction: Some(extraction), header, before })
}

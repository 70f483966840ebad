//! Resolves subjects (names, claims or tokens) to identities.

use crate::claims::ClaimSet;
use crate::code::{Coded, merged};
use crate::groups::Extraction;
use crate::identity::{self, Identity, IdentityError, IdentityRules};
use crate::model::{DialectError, Principal, PrincipalError};
use crate::policy::Policy;
use crate::token::{Claims, Header, TokenError, UnverifiedClaims, UnverifiedToken};
use crate::warning::{Warning, WarningCode};

/// The subject of a request, in one of several forms.
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
    /// The claims of a token. The user and groups are extracted with the policy's settings.
    Claims {
        /// The token's payload.
        claims: ClaimSet,
        /// The user-info document, if the settings require it.
        userinfo: Option<ClaimSet>,
    },
    /// A token whose signature is not verified.
    UnverifiedToken {
        /// A compact JWS.
        token: String,
        /// The user-info document, if the settings require it.
        userinfo: Option<ClaimSet>,
    },
    /// A token that is verified first.
    Token {
        /// A compact JWS.
        token: String,
        /// The user-info document, if the settings require it.
        userinfo: Option<ClaimSet>,
    },
}

impl Subject {
    /// Whether decisions depend on the time: the subject has claims with an `exp`, or a limit that
    /// is not a time.
    #[must_use]
    pub fn has_expiry(&self) -> bool {
        match self {
            Self::Names { .. } | Self::Principal { .. } => false,
            Self::Claims { claims, .. } => identity::has_expiry(claims),
            Self::UnverifiedToken { token, .. } | Self::Token { token, .. } => {
                UnverifiedToken::decode(token)
                    .is_ok_and(|decoded| identity::has_expiry(decoded.claims.members()))
            }
        }
    }
}

/// An identity with details about its origin.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResolvedIdentity {
    /// The identity.
    pub identity: Identity,
    /// The extraction of its groups from claims; `None` for names.
    pub extraction: Option<Extraction>,
    /// The header of an unverified token; `None` for other subjects.
    pub header: Option<Header>,
    /// The warnings about the token's header, its expiry, or names.
    own_warnings: Vec<Warning>,
}

impl ResolvedIdentity {
    /// The warnings about the token or names, then about the extraction of groups.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        self.own_warnings.iter().chain(
            self.extraction
                .iter()
                .flat_map(|extraction| &extraction.warnings),
        )
    }

    /// The names of the groups as in the claim, before extraction shortens them. For a subject with
    /// names, its group names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let elements = self
            .extraction
            .iter()
            .flat_map(|extraction| &extraction.elements);
        let groups = if self.extraction.is_none() {
            self.identity.groups()
        } else {
            &[]
        };
        elements
            .map(|element| element.raw.as_str())
            .chain(groups.iter().map(String::as_str))
    }
}

/// Why a subject has no identity. Its requests are not decided, so nothing is allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// The token cannot be decoded.
    #[error("{0}")]
    Token(#[source] TokenError),
    /// The subject is a token to verify, but there are no keys.
    #[error(
        "`token` needs keys to verify it, and there are none; add a JWKS or write `unverified_token`"
    )]
    NoKeys,
    /// The verifier refused the token; a stable code and a message.
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
    /// The stable code of the error. For a refused token, the code of the caller's verifier.
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

impl Coded for ResolveError {
    fn code(&self) -> &'static str {
        Self::code(self)
    }

    fn codes() -> Vec<&'static str> {
        merged(
            &["no_keys"],
            &[
                TokenError::codes,
                IdentityError::codes,
                PrincipalError::codes,
            ],
        )
    }
}

/// A function that verifies a token for [`resolve`]; `None` if there are no keys.
pub type TokenVerifier<'a> = Option<&'a dyn Fn(&str) -> Result<Claims, ResolveError>>;

/// Resolves a subject to its identity, with a policy's settings.
///
/// # Errors
/// The token cannot be decoded or is refused, or the claims do not name a user.
///
/// ```
/// use gbac_engine::{Policy, ResolveError, Subject, resolve};
///
/// let policy = Policy::default();
/// let subject = Subject::Names { user: "alice".into(), groups: vec!["eng".into()] };
/// assert_eq!(resolve(&policy, &subject, None)?.identity.groups(), ["eng"]);
///
/// // A token that must be verified is never accepted without keys.
/// let subject = Subject::Token { token: "e30.e30.c2ln".into(), userinfo: None };
/// assert!(resolve(&policy, &subject, None).is_err());
/// # Ok::<(), ResolveError>(())
/// ```
pub fn resolve(
    policy: &Policy,
    subject: &Subject,
    verify: TokenVerifier<'_>,
) -> Result<ResolvedIdentity, ResolveError> {
    if let Subject::Principal { principal, .. } = subject
        && let Err(DialectError::Principal(error)) = policy
            .settings()
            .dialect
            .check_principal((principal.kind(), principal.name()))
    {
        return Err(ResolveError::Principal(error));
    }
    resolve_by(&|| policy.settings().identity_rules(), subject, verify)
}

/// As [`resolve`], with these rules instead of a policy's.
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

/// `rules` is called only for claims and tokens.
fn resolve_by(
    rules: &dyn Fn() -> IdentityRules,
    subject: &Subject,
    verify: TokenVerifier<'_>,
) -> Result<ResolvedIdentity, ResolveError> {
    match subject {
        Subject::Names { user, groups } => {
            let (identity, own_warnings) = Identity::with_warnings(user, groups);
            Ok(ResolvedIdentity {
                identity,
                extraction: None,
                header: None,
                own_warnings,
            })
        }
        Subject::Principal { principal, groups } => {
            let (identity, own_warnings) =
                Identity::of_principal(principal, groups).map_err(ResolveError::Principal)?;
            Ok(ResolvedIdentity {
                identity,
                extraction: None,
                header: None,
                own_warnings,
            })
        }
        Subject::Claims { claims, userinfo } => {
            let claims = UnverifiedClaims::from(claims.clone());
            resolve_claims(
                &rules(),
                ResolvedClaims::Unverified(&claims, None),
                userinfo.as_ref(),
            )
        }
        Subject::UnverifiedToken { token, userinfo } => {
            let UnverifiedToken { claims, header } =
                UnverifiedToken::decode(token).map_err(ResolveError::Token)?;
            resolve_claims(
                &rules(),
                ResolvedClaims::Unverified(&claims, Some(header)),
                userinfo.as_ref(),
            )
        }
        Subject::Token { token, userinfo } => {
            let claims = verify.ok_or(ResolveError::NoKeys)?(token)?;
            resolve_claims(
                &rules(),
                ResolvedClaims::Verified(&claims),
                userinfo.as_ref(),
            )
        }
    }
}

/// Claims, with the header of an unverified token.
enum ResolvedClaims<'a> {
    Verified(&'a Claims),
    Unverified(&'a UnverifiedClaims, Option<Header>),
}

/// Not inlined, so that wasm engines compile it only for claims and tokens.
#[inline(never)]
fn resolve_claims(
    rules: &IdentityRules,
    claims: ResolvedClaims<'_>,
    userinfo: Option<&ClaimSet>,
) -> Result<ResolvedIdentity, ResolveError> {
    let (identity, header, members) = match claims {
        ResolvedClaims::Verified(claims) => (
            Identity::from_verified(claims, userinfo, rules),
            None,
            claims.members(),
        ),
        ResolvedClaims::Unverified(claims, header) => (
            Identity::from_unverified(claims, userinfo, rules),
            header,
            claims.members(),
        ),
    };
    let (identity, extraction) = identity.map_err(ResolveError::Identity)?;
    let mut own_warnings = header.as_ref().map(Header::warnings).unwrap_or_default();
    for claim in identity::unreadable_times(members) {
        let message = format!(
            "`{claim}` is not a time in seconds since 1970, so the identity counts as expired"
        );
        own_warnings.push(Warning::new(
            WarningCode::ExpiryUnreadable,
            message,
            Some(claim.into()),
        ));
    }
    Ok(ResolvedIdentity {
        identity,
        extraction: Some(extraction),
        header,
        own_warnings,
    })
}

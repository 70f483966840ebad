//! Identities: a user, groups and an expiry. Later changes of the settings do not change an
//! identity (D-15).

use crate::assumption::{Assumption, Assumptions};
use crate::claims::ClaimSet;
use crate::groups::{Extraction, ExtractionRule, extract};
use crate::hash::first_equals;
use crate::mapping::{PrincipalClaimError, PrincipalMapping};
use crate::model::{Principal, PrincipalError, PrincipalType};
use crate::time::Timestamp;
pub use crate::time::{At, InstantError};
use crate::token::{Claims, UnverifiedClaims};
use crate::warning::{Warning, WarningCode};

/// A user with groups, as of one authentication.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// The type of the principal; a user, or another one of Kafka.
    kind: PrincipalType,
    /// The name of the principal.
    user: String,
    groups: Vec<String>,
    expiry: Expiry,
    verified: bool,
    /// What was not checked of the token.
    assumed: Assumptions,
}

/// When an identity expires.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expiry {
    /// The claims have no expiry.
    Never,
    /// Seconds since 1970.
    After(f64),
    /// The claims have an `exp` or `nbf` that is not a time, so the identity always counts as
    /// expired.
    Unreadable,
}

impl Expiry {
    /// Whether the expiry is in the past (D-32). At a time that is not a number, every expiry
    /// counts as past.
    #[must_use]
    pub fn is_past(self, at: At) -> bool {
        match (at, self) {
            (At::IgnoringExpiry, _) | (_, Self::Never) => false,
            (At::Instant(_), Self::Unreadable) => true,
            (At::Instant(now), Self::After(end)) => {
                let now = now.as_seconds();
                now > end || now.is_nan()
            }
        }
    }
}

/// The name of the claim with the expiry of a token (RFC 7519, section 4.1.4).
const EXPIRY: &str = "exp";

/// The claims that limit when a token is valid (RFC 7519, sections 4.1.4 and 4.1.5).
const LIMITS: [&str; 2] = [EXPIRY, "nbf"];

/// Whether claims have an expiry, or a limit that is not a time and therefore counts as past
/// (D-32).
pub(crate) fn has_expiry(claims: &ClaimSet) -> bool {
    claims.contains(EXPIRY) || unreadable_times(claims).next().is_some()
}

/// The names of the limits that are not times.
pub(crate) fn unreadable_times(claims: &ClaimSet) -> impl Iterator<Item = &'static str> {
    LIMITS
        .into_iter()
        .filter(|name| claims.contains(name) && claims.time(name).is_none())
}

/// The rules for creating an identity from claims: `oidc_principal_mapping` (D-13) and the
/// extraction of groups.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IdentityRules {
    /// The rule for the user's name.
    pub mapping: PrincipalMapping,
    /// The rule for the groups.
    pub extraction: ExtractionRule,
}

/// Why claims are not an identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// The claims do not name a user (D-13).
    #[error("{0}")]
    User(#[from] PrincipalClaimError),
    /// A name in a verified token has a control character (D-57).
    #[error("the name of a {} in the token has a control character", .0.label())]
    ControlCharacter(NamedParty),
}

/// The party that a name in a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedParty {
    /// The user.
    User,
    /// One of the groups.
    Group,
    /// The client that requested the token (`azp` or `client_id`).
    Client,
}

impl NamedParty {
    const fn label(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Group => "group",
            Self::Client => "client",
        }
    }
}

/// The names of the claims with the client that requested a token (OpenID Connect Core 2, RFC 9068
/// 2.2).
const CLIENTS: [&str; 2] = ["azp", "client_id"];

codes! {
    pub IdentityError {
        Self::ControlCharacter(_) => "name_control_character",
    } of {
        Self::User(error) => error: PrincipalClaimError,
    }
}

impl IdentityError {
    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::User(error) => error.hint(),
            Self::ControlCharacter(_) => "correct the name in the identity provider",
        }
    }
}

impl Identity {
    /// Creates an unverified identity without expiry. All names are accepted (D-27), except that
    /// empty and duplicate group names are dropped.
    ///
    /// ```
    /// use gbac_engine::Identity;
    ///
    /// let alice = Identity::new("alice", ["eng", "ops", "eng", ""]);
    /// assert_eq!(alice.groups(), ["eng", "ops"]);
    /// assert!(!alice.is_verified() && !alice.has_expiry());
    /// ```
    pub fn new(
        user: impl Into<String>,
        groups: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self::with_warnings(user, groups).0
    }

    /// As [`Identity::new`], with a warning (`empty_name`) if empty group names were dropped.
    pub fn with_warnings(
        user: impl Into<String>,
        groups: impl IntoIterator<Item = impl Into<String>>,
    ) -> (Self, Vec<Warning>) {
        Self::named(user.into(), groups.into_iter().map(Into::into).collect())
    }

    /// As [`Identity::with_warnings`], for a user or a principal of another type of Kafka.
    ///
    /// # Errors
    /// A group or a role: a connection is never one of these.
    pub fn of_principal(
        principal: &Principal,
        groups: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<(Self, Vec<Warning>), PrincipalError> {
        let kind = principal.kind();
        if matches!(kind, PrincipalType::Group | PrincipalType::Role) {
            return Err(PrincipalError::NotAnIdentity(kind));
        }
        let (identity, warnings) = Self::with_warnings(principal.name(), groups);
        Ok((Self { kind, ..identity }, warnings))
    }

    fn named(user: String, groups: Vec<String>) -> (Self, Vec<Warning>) {
        let first_equals = first_equals(&groups);
        let mut names: Vec<String> = Vec::new();
        let mut empty: Option<(usize, usize)> = None;
        for ((index, name), first) in groups.into_iter().enumerate().zip(first_equals) {
            if name.is_empty() {
                let (_, count) = empty.get_or_insert((index, 0));
                *count += 1;
            } else if first == index {
                names.push(name);
            }
        }
        let warnings = empty.map(|(first, count)| {
            let message = if count == 1 {
                "an empty name is dropped".to_owned()
            } else {
                format!("{count} empty names are dropped")
            };
            Warning::new(
                WarningCode::EmptyName,
                message,
                Some(format!("groups[{first}]")),
            )
        });
        let identity = Self {
            kind: PrincipalType::User,
            user,
            groups: names,
            expiry: Expiry::Never,
            verified: false,
            assumed: Assumptions::default(),
        };
        (identity, warnings.into_iter().collect())
    }

    /// Creates an unverified identity from claims, for simulation. The user-info document is read
    /// if the rules say so (D-25).
    ///
    /// # Errors
    /// The claims do not name a user. Missing groups are not an error (D-12); the [`Extraction`]
    /// has the reason.
    ///
    /// ```
    /// use gbac_engine::identity::{Identity, IdentityRules};
    /// use gbac_engine::token::UnverifiedClaims;
    ///
    /// let claims = UnverifiedClaims::parse(r#"{ "sub": "alice", "groups": ["eng"], "exp": 100 }"#)?;
    /// let (alice, extraction) = Identity::from_unverified(&claims, None, &IdentityRules::default())?;
    /// assert_eq!((alice.user(), alice.has_expiry()), ("alice", true));
    /// assert_eq!(extraction.groups[0].location, "groups[0]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_unverified(
        claims: &UnverifiedClaims,
        userinfo: Option<&ClaimSet>,
        rules: &IdentityRules,
    ) -> Result<(Self, Extraction), IdentityError> {
        let (claims, assumed) = (claims.members(), Assumptions::UNVERIFIED);
        Self::from_members(claims, userinfo, rules, false, assumed)
    }

    /// Creates an identity from the claims of a verified token.
    ///
    /// # Errors
    /// As [`Identity::from_unverified`], and names of users, groups or clients with a control
    /// character. Such a group is not just dropped, because an ACL may deny it access.
    pub fn from_verified(
        claims: &Claims,
        userinfo: Option<&ClaimSet>,
        rules: &IdentityRules,
    ) -> Result<(Self, Extraction), IdentityError> {
        let (members, assumed) = (claims.members(), claims.assumed());
        let (identity, extraction) = Self::from_members(members, userinfo, rules, true, assumed)?;
        let clients = CLIENTS
            .iter()
            .filter_map(|name| claims.members().members().get(*name)?.as_str());
        let names = std::iter::once((NamedParty::User, identity.user()))
            .chain(
                identity
                    .groups()
                    .iter()
                    .map(|group| (NamedParty::Group, group.as_str())),
            )
            .chain(clients.map(|client| (NamedParty::Client, client)));
        match names
            .into_iter()
            .find(|(_, name)| name.chars().any(char::is_control))
        {
            Some((party, _)) => Err(IdentityError::ControlCharacter(party)),
            None => Ok((identity, extraction)),
        }
    }

    fn from_members(
        claims: &ClaimSet,
        userinfo: Option<&ClaimSet>,
        rules: &IdentityRules,
        verified: bool,
        assumed: Assumptions,
    ) -> Result<(Self, Extraction), IdentityError> {
        let user = rules.mapping.apply(claims)?;
        let extraction = extract(&rules.extraction, claims, userinfo);
        let groups = extraction.names().map(str::to_owned).collect();
        let expiry = if unreadable_times(claims).next().is_some() {
            Expiry::Unreadable
        } else {
            claims.time(EXPIRY).map_or(Expiry::Never, Expiry::After)
        };
        Ok((
            Self {
                kind: PrincipalType::User,
                user,
                groups,
                expiry,
                verified,
                assumed,
            },
            extraction,
        ))
    }

    /// The same user and expiry with other groups, unverified, for simulation. Group names are
    /// treated as in [`Identity::new`].
    #[must_use]
    pub fn with_groups(&self, groups: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            kind: self.kind,
            expiry: self.expiry,
            assumed: self.assumed,
            ..Self::new(self.user.as_str(), groups)
        }
    }

    /// The principal: the user, or in Kafka a principal of another type. ACLs of it and of `User:*`
    /// match.
    #[must_use]
    pub fn principal(&self) -> Principal {
        Principal::new(self.kind, &self.user)
    }

    /// The type of the principal: [`PrincipalType::User`], or in Kafka [`PrincipalType::Other`].
    #[must_use]
    pub const fn principal_type(&self) -> PrincipalType {
        self.kind
    }

    /// The user's name, as in ACLs after `User:`; for another principal the whole text.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The group names in the order of the token, without empty names and duplicates.
    #[must_use]
    pub fn groups(&self) -> &[String] {
        &self.groups
    }

    /// The expiry: the token's `exp`. `None` also if the expiry cannot be read.
    #[must_use]
    pub const fn expires_at(&self) -> Option<Timestamp> {
        match self.expiry {
            Expiry::After(seconds) => Some(Timestamp::from_seconds(seconds)),
            Expiry::Never | Expiry::Unreadable => None,
        }
    }

    /// Whether decisions depend on the time, because the claims had an `exp`, or a limit that is
    /// not a time.
    #[must_use]
    pub const fn has_expiry(&self) -> bool {
        !matches!(self.expiry, Expiry::Never)
    }

    /// Whether the claims had an `exp` or `nbf` that is not a time; the identity then always counts
    /// as expired.
    #[must_use]
    pub const fn has_unreadable_expiry(&self) -> bool {
        matches!(self.expiry, Expiry::Unreadable)
    }

    /// Whether the identity has expired (D-32). At a time that is not a number, every identity with
    /// an `exp` has expired.
    #[must_use]
    pub fn is_expired(&self, at: At) -> bool {
        self.expiry.is_past(at)
    }

    /// The expiry.
    #[must_use]
    pub const fn expiry(&self) -> Expiry {
        self.expiry
    }

    /// The same identity, of whose token somebody else, such as a service, checked signature, issuer
    /// and audience.
    #[must_use]
    pub fn accepted_elsewhere(self) -> Self {
        Self {
            assumed: Assumptions::default(),
            ..self
        }
    }

    /// What a decision at this time takes for granted about the token; nothing for names.
    #[must_use]
    pub fn assumed(&self, at: At) -> Assumptions {
        let is_ignored = at == At::IgnoringExpiry && self.has_expiry();
        self.assumed.with_if(is_ignored, Assumption::Expiry)
    }

    /// Whether the token's signature and claims were verified.
    #[must_use]
    pub const fn is_verified(&self) -> bool {
        self.verified
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Coded;
    use crate::claim_path::ClaimPath;
    use crate::groups::{ClaimSource, NestedGroupBehavior};

    fn claims(value: serde_json::Value) -> UnverifiedClaims {
        ClaimSet::from_value(value).into()
    }

    #[test]
    fn names_keep_their_order_without_duplicates_and_empty_ones() {
        let (identity, warnings) = Identity::with_warnings("alice", ["b", "", "a", "b", ""]);
        assert_eq!(
            (identity.user(), identity.groups()),
            ("alice", ["b".to_owned(), "a".to_owned()].as_slice())
        );
        assert_eq!(
            (identity.expires_at(), identity.is_verified()),
            (None, false)
        );
        assert_eq!(warnings.len(), 1);
        assert_eq!(
            (warnings[0].code.code(), warnings[0].location.as_deref()),
            ("empty_name", Some("groups[1]"))
        );
        assert_eq!(Identity::new("alice", ["b", "a"]), identity);
    }

    #[test]
    fn claims_become_an_identity_by_the_rules() {
        let rules = IdentityRules {
            mapping: "$.email/(.*)@.*/$1/".parse().expect("a rule"),
            extraction: ExtractionRule {
                source: ClaimSource::Token(ClaimPath::parse("$.realm.groups").expect("a path")),
                nested: NestedGroupBehavior::Suffix,
            },
        };
        let token =
            json!({"email": "alice@x", "exp": 1_700_000_000.5, "realm": {"groups": "/a/b, c"}});
        let (identity, extraction) =
            Identity::from_unverified(&claims(token), None, &rules).expect("a user");
        assert_eq!(
            (identity.user(), identity.groups()),
            ("alice", ["b".to_owned(), "c".to_owned()].as_slice())
        );
        assert_eq!(
            (identity.expires_at(), identity.is_verified()),
            (Some(1_700_000_000.5.into()), false)
        );
        assert_eq!(extraction.names().collect::<Vec<_>>(), ["b", "c"]);
    }

    #[cfg(feature = "verify")]
    #[test]
    fn names_of_verified_tokens_have_no_control_characters() {
        let read = |value: serde_json::Value| {
            let claims = claims(value).into_verified(Assumptions::default());
            Identity::from_verified(&claims, None, &IdentityRules::default())
                .map(|(identity, _)| identity)
        };
        let plain = json!({ "sub": "ana maría", "groups": ["eng", "/a/b", "ü"], "azp": "console", "client_id": 7 });
        assert!(read(plain).is_ok());
        for (party, token) in [
            (NamedParty::User, json!({ "sub": "admin\n" })),
            (NamedParty::User, json!({ "sub": "a\u{85}b" })),
            (
                NamedParty::Group,
                json!({ "sub": "a", "groups": ["eng", "ops\u{0}"] }),
            ),
            (NamedParty::Client, json!({ "sub": "a", "azp": "x\u{7f}" })),
            (
                NamedParty::Client,
                json!({ "sub": "a", "client_id": "\u{1b}[2J" }),
            ),
        ] {
            let error = read(token.clone()).unwrap_err();
            assert_eq!(error, IdentityError::ControlCharacter(party), "{token}");
            assert_eq!(error.code(), "name_control_character");
            assert!(
                Identity::from_unverified(&claims(token), None, &IdentityRules::default()).is_ok(),
                "for simulation"
            );
        }
    }

    #[test]
    fn an_identity_needs_a_user_but_no_groups() {
        let rules = IdentityRules::default();
        let (identity, extraction) =
            Identity::from_unverified(&claims(json!({"sub": "u", "exp": "soon"})), None, &rules)
                .expect("a user");
        assert_eq!((identity.groups().len(), identity.expires_at()), (0, None));
        assert!(
            identity.has_expiry() && identity.is_expired(At::seconds(0.0)),
            "an `exp` that is no number"
        );
        assert!(!identity.is_expired(At::IgnoringExpiry));
        assert_eq!(extraction.warnings[0].code, WarningCode::ClaimMissing);
        let error = Identity::from_unverified(&claims(json!({"groups": ["a"]})), None, &rules)
            .expect_err("no user");
        assert_eq!(error.code(), "principal_missing");
        assert!(error.to_string().contains("`groups`"), "{error}");
    }

    #[test]
    fn other_groups_keep_user_and_expiry_and_are_unverified() {
        let told = claims(json!({ "sub": "alice", "exp": 7, "groups": ["a"] }));
        let (identity, _) =
            Identity::from_unverified(&told, None, &IdentityRules::default()).unwrap();
        let other = identity.with_groups(["b", "", "b"]);
        assert_eq!(
            (other.user(), other.groups(), other.expires_at()),
            ("alice", &["b".to_owned()][..], Some(7.0.into()))
        );
        assert!(!other.is_verified());
    }
}

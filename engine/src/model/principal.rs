//! Principals: `User:<name>`, `Group:<name>` and `Role:<name>` (specification 2.1, D-06, D-07).

use std::fmt;

use super::Dialect;
use crate::escape::{escaped, visible_character};
use crate::text::split_first;

/// The type of a principal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrincipalType {
    /// A user.
    User,
    /// A group of the identity provider.
    Group,
    /// A role. Only ACLs have roles as principals.
    Role,
    /// Any other type, which only Kafka has (D-71). The name of such a principal is its whole text,
    /// `Type:name`.
    Other,
}

impl PrincipalType {
    /// Every type with a word of its own.
    pub const ALL: &'static [Self] = &[Self::User, Self::Group, Self::Role];

    /// The word before the colon: `User`, `Group` or `Role`; empty for another type, which is in
    /// the name.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Group => "Group",
            Self::Role => "Role",
            Self::Other => "",
        }
    }

    /// Checks that a name is bare, without this type in front. As a group name, `Group:eng` would
    /// be the principal `Group:Group:eng`, so denies for `Group:eng` would not match.
    ///
    /// # Errors
    /// The name begins with this type.
    ///
    /// ```
    /// use gbac_engine::model::PrincipalType;
    /// assert!(PrincipalType::Group.check_bare("eng").is_ok());
    /// let error = PrincipalType::Group.check_bare("Group:eng").unwrap_err();
    /// assert_eq!((error.code(), error.hint().as_str()), ("name_with_type", "write the bare name, `eng`"));
    /// ```
    pub fn check_bare(self, name: &str) -> Result<(), PrincipalError> {
        match split_first(name, b':') {
            Some((prefix, bare)) if Self::from_prefix(prefix) == Some(self) && !bare.is_empty() => {
                Err(PrincipalError::WithType(self, bare.into()))
            }
            _ => Ok(()),
        }
    }
}

/// A principal of an ACL or a member of a role. Principals are compared byte by byte.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Principal {
    kind: PrincipalType,
    name: Text,
}

/// Short names are stored inline, because following a pointer to each name is slow in large
/// policies. In wasm, this code would exceed the size limit by half a kilobyte.
#[cfg(not(target_family = "wasm"))]
type Text = crate::name::Name<22>;
#[cfg(target_family = "wasm")]
type Text = String;

/// Why a text is not a principal, or why ACLs with it cannot be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrincipalError {
    /// There is no colon.
    NoType(String),
    /// The word before the colon is not a known type.
    UnknownType(String),
    /// Nothing follows the colon.
    EmptyName(PrincipalType),
    /// The name contains a control character (create only, D-07).
    ControlCharacter(char),
    /// `Group:*` or `Role:*` (create only, D-05).
    Wildcard(PrincipalType),
    /// A user's name begins with a type, as in `User:Group:x` (create only).
    TypeInName(String),
    /// A principal was given instead of a bare name; its type and its name.
    WithType(PrincipalType, String),
    /// A group or a role where somebody who sends requests is expected.
    NotAnIdentity(PrincipalType),
}

codes! {
    pub PrincipalError {
        Self::NoType(_) => "principal_without_type",
        Self::UnknownType(_) => "principal_type_unknown",
        Self::EmptyName(_) => "principal_name_empty",
        Self::ControlCharacter(_) => "principal_control_character",
        Self::Wildcard(_) => "principal_wildcard",
        Self::TypeInName(_) => "principal_type_twice",
        Self::WithType(..) => "name_with_type",
        Self::NotAnIdentity(_) => "principal_not_identity",
    }
}

impl PrincipalError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NoType(text) => format!("write `User:{text}`, `Group:{text}` or `Role:{text}`"),
            Self::UnknownType(_) => {
                "the types are `User`, `Group` and `Role`, in this letter case".into()
            }
            Self::EmptyName(kind) => format!("write a name after `{}:`", kind.prefix()),
            Self::ControlCharacter(_) => {
                "remove the character; it is often pasted with a name".into()
            }
            Self::Wildcard(_) => "only `User:*` means everyone; name each group or role".into(),
            Self::TypeInName(text) => format!("write `{text}` if the group or role is meant"),
            Self::WithType(_, name) => format!("write the bare name, `{name}`"),
            Self::NotAnIdentity(_) => "name a user, and list its groups in `groups`".into(),
        }
    }
}

impl fmt::Display for PrincipalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoType(text) => write!(f, "`{}` has no principal type", escaped(text)),
            Self::UnknownType(text) => write!(f, "`{}` is not a principal type", escaped(text)),
            Self::EmptyName(kind) => write!(f, "the name after `{}:` is empty", kind.prefix()),
            Self::ControlCharacter(c) => {
                write!(
                    f,
                    "the name contains the control character `{}`",
                    visible_character(*c)
                )
            }
            Self::Wildcard(kind) => write!(f, "`{}:*` is not a wildcard", kind.prefix()),
            Self::TypeInName(text) => write!(
                f,
                "`User:{}` names a user, not a group or role",
                escaped(text)
            ),
            Self::WithType(kind, name) => {
                write!(
                    f,
                    "`{}:{}` is a principal, but a bare name is expected",
                    kind.prefix(),
                    escaped(name)
                )
            }
            Self::NotAnIdentity(kind) => {
                write!(f, "a `{}:` principal sends no requests", kind.prefix())
            }
        }
    }
}

impl std::error::Error for PrincipalError {}

impl Principal {
    /// Parses `Type:name`. The name is everything after the first colon (D-07).
    ///
    /// # Errors
    /// The type is missing or unknown, or the name is empty.
    ///
    /// ```
    /// use gbac_engine::model::{Principal, PrincipalType};
    /// let principal = Principal::parse("Group:urn:x/a b")?;
    /// assert_eq!((principal.kind(), principal.name()), (PrincipalType::Group, "urn:x/a b"));
    /// assert_eq!(Principal::parse("RedpandaRole:dev")?.to_string(), "Role:dev");
    /// # Ok::<(), gbac_engine::model::PrincipalError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, PrincipalError> {
        Self::split(text).map(|(kind, name)| Self {
            kind,
            name: name.into(),
        })
    }

    /// The type and name of a principal: as [`Principal::parse`], without a copy of the name.
    ///
    /// # Errors
    /// As [`Principal::parse`].
    ///
    /// ```
    /// use gbac_engine::model::{Principal, PrincipalType};
    /// assert_eq!(Principal::split("Group:/eng")?, (PrincipalType::Group, "/eng"));
    /// # Ok::<(), gbac_engine::model::PrincipalError>(())
    /// ```
    pub fn split(text: &str) -> Result<(PrincipalType, &str), PrincipalError> {
        let (prefix, name) =
            split_first(text, b':').ok_or_else(|| PrincipalError::NoType(text.into()))?;
        let kind = PrincipalType::from_prefix(prefix)
            .ok_or_else(|| PrincipalError::UnknownType(prefix.into()))?;
        if name.is_empty() {
            Err(PrincipalError::EmptyName(kind))
        } else {
            Ok((kind, name))
        }
    }

    /// Reads as [`Principal::parse`] does; in Kafka, every other type is read too.
    ///
    /// # Errors
    /// As [`Principal::parse`].
    ///
    /// ```
    /// use gbac_engine::model::{Dialect, Principal, PrincipalType};
    /// let principal = Principal::parse_in(Dialect::Kafka, "Service:billing")?;
    /// assert_eq!((principal.kind(), principal.to_string().as_str()), (PrincipalType::Other, "Service:billing"));
    /// assert!(Principal::parse_in(Dialect::Platform, "Service:billing").is_err());
    /// # Ok::<(), gbac_engine::model::PrincipalError>(())
    /// ```
    pub fn parse_in(dialect: Dialect, text: &str) -> Result<Self, PrincipalError> {
        Self::split_in(dialect, text).map(|(kind, name)| Self::new(kind, name))
    }

    /// Reads as [`Principal::parse_in`] does, without a copy of the name.
    ///
    /// # Errors
    /// As [`Principal::parse`].
    pub fn split_in(dialect: Dialect, text: &str) -> Result<(PrincipalType, &str), PrincipalError> {
        match Self::split(text) {
            Err(PrincipalError::UnknownType(prefix))
                if dialect == Dialect::Kafka && text.len() > prefix.len() + 1 =>
            {
                Ok((PrincipalType::Other, text))
            }
            split => split,
        }
    }

    /// Creates a principal from its type and name, without checks.
    #[must_use]
    pub fn new(kind: PrincipalType, name: impl AsRef<str>) -> Self {
        Self {
            kind,
            name: name.as_ref().into(),
        }
    }

    /// `User:<name>`.
    #[must_use]
    pub fn user(name: impl AsRef<str>) -> Self {
        Self::new(PrincipalType::User, name)
    }

    /// `Group:<name>`.
    #[must_use]
    pub fn group(name: impl AsRef<str>) -> Self {
        Self::new(PrincipalType::Group, name)
    }

    /// `Role:<name>`.
    #[must_use]
    pub fn role(name: impl AsRef<str>) -> Self {
        Self::new(PrincipalType::Role, name)
    }

    /// The type.
    #[must_use]
    pub const fn kind(&self) -> PrincipalType {
        self.kind
    }

    /// The name without its type.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_ref()
    }

    /// The word before the colon, and the name after it; of every type.
    #[must_use]
    pub fn type_and_name(&self) -> (&str, &str) {
        match self.kind {
            PrincipalType::Other => split_first(self.name(), b':').unwrap_or(("", self.name())),
            kind => (kind.prefix(), self.name()),
        }
    }

    /// The name as bytes, for comparison.
    #[inline(always)]
    pub(crate) fn name_bytes(&self) -> &[u8] {
        self.name.as_bytes()
    }

    /// Whether this is `User:*`, the only principal that means everyone (D-05).
    #[must_use]
    pub fn is_everyone(&self) -> bool {
        self.kind == PrincipalType::User && self.name_bytes() == b"*"
    }

    /// Checks that ACLs for this principal can be created. Stored ACLs may have any principal
    /// (D-27).
    ///
    /// # Errors
    /// The name is empty or has control characters, or the principal is `Group:*`, `Role:*`, or a
    /// mistyped group such as `User:Group:x`.
    pub fn check_create(&self) -> Result<(), PrincipalError> {
        let name = self.name();
        if name.is_empty() {
            return Err(PrincipalError::EmptyName(self.kind));
        }
        if let Some(c) = name.chars().find(|c| c.is_control()) {
            return Err(PrincipalError::ControlCharacter(c));
        }
        if name == "*" && matches!(self.kind, PrincipalType::Group | PrincipalType::Role) {
            return Err(PrincipalError::Wildcard(self.kind));
        }
        if self.kind == PrincipalType::User
            && let Some((prefix, _)) = split_first(name, b':')
            && PrincipalType::from_prefix(prefix).is_some()
        {
            return Err(PrincipalError::TypeInName(name.to_owned()));
        }
        Ok(())
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            PrincipalType::Other => f.write_str(self.name()),
            kind => write!(f, "{}:{}", kind.prefix(), self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_at_the_first_colon_only() {
        for name in [
            "a:b",
            "/departments/eng",
            "a,b",
            " a ",
            "日本",
            "*",
            &"x".repeat(1000),
        ] {
            let principal = Principal::parse(&format!("Group:{name}")).unwrap();
            assert_eq!(principal.name(), name);
        }
    }

    #[test]
    fn refuses_what_has_no_type() {
        let code = |text: &str| Principal::parse(text).unwrap_err().code();
        assert_eq!(code("alice"), "principal_without_type");
        assert_eq!(code("group:eng"), "principal_type_unknown");
        assert_eq!(code("Foo:bar"), "principal_type_unknown");
        assert_eq!(code("Group:"), "principal_name_empty");
        assert_eq!(code(""), "principal_without_type");
    }

    #[test]
    fn bare_names_have_no_type_of_their_own_kind() {
        let code =
            |kind: PrincipalType, name: &str| kind.check_bare(name).map_err(|error| error.code());
        assert_eq!(
            code(PrincipalType::Group, "Group:eng"),
            Err("name_with_type")
        );
        assert_eq!(
            code(PrincipalType::User, "User:alice"),
            Err("name_with_type")
        );
        for name in ["eng", "", "Group:", "group:eng", "urn:eng", "User:eng"] {
            assert_eq!(code(PrincipalType::Group, name), Ok(()), "{name}");
        }
    }

    #[test]
    fn create_is_stricter_than_load() {
        let code = |text: &str| {
            Principal::parse(text)
                .unwrap()
                .check_create()
                .map_err(|e| e.code())
        };
        assert_eq!(code("User:*"), Ok(()));
        assert_eq!(code("Group:*"), Err("principal_wildcard"));
        assert_eq!(code("Role:*"), Err("principal_wildcard"));
        assert_eq!(code("User:Group:eng"), Err("principal_type_twice"));
        assert_eq!(code("User:urn:eng"), Ok(()));
        assert_eq!(code("Group:a\nb"), Err("principal_control_character"));
    }
}

//! Failures of requests: no answer, refused, unreadable.

use std::fmt;

use gbac_api::problem::Refusal;

/// Why the service did not do something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// There was no response; the message of the browser, which rarely has a reason.
    NoAnswer(String),
    /// The service refused.
    Refused(Refusal),
    /// The answer could not be read; what was wrong with it.
    Unreadable(String),
}

impl Failure {
    /// A refusal that was decided here, because the request cannot be made at all.
    #[must_use]
    pub fn impossible(code: &str, message: impl Into<String>) -> Self {
        Self::Refused(Refusal {
            status: 400,
            code: code.into(),
            message: message.into(),
            fields: Vec::new(),
        })
    }

    /// A refusal of the credentials.
    #[must_use]
    pub fn unauthenticated(message: impl Into<String>) -> Self {
        let (code, message) = ("unauthenticated".into(), message.into());
        Self::Refused(Refusal {
            status: 401,
            code,
            message,
            fields: Vec::new(),
        })
    }

    /// The same, of one part of a whole: `the ACLs: only a superuser may do this`.
    #[must_use]
    pub fn in_part(self, part: &str) -> Self {
        match self {
            Self::NoAnswer(said) => Self::NoAnswer(said),
            Self::Unreadable(text) => Self::Unreadable(format!("{part}: {text}")),
            Self::Refused(refusal) => {
                let message = format!("{part}: {}", refusal.message);
                Self::Refused(Refusal { message, ..refusal })
            }
        }
    }

    /// The status of the answer, when there was one that refused.
    pub const fn status(&self) -> Option<u16> {
        match self {
            Self::Refused(refusal) => Some(refusal.status),
            Self::NoAnswer(_) | Self::Unreadable(_) => None,
        }
    }

    /// Whether credentials are missing or refused.
    pub fn is_unauthenticated(&self) -> bool {
        self.status() == Some(401)
    }

    /// Whether the credentials are valid, but without permission.
    pub fn is_forbidden(&self) -> bool {
        self.status() == Some(403)
    }

    /// Whether the service's state has changed since it was read, so that nothing was done.
    pub fn is_changed(&self) -> bool {
        self.status() == Some(412)
    }

    /// Whether it is unknown if the request was executed: the service, or a proxy in front of it,
    /// did not respond.
    pub fn is_unanswered(&self) -> bool {
        matches!(self, Self::NoAnswer(_)) || matches!(self.status(), Some(502 | 504))
    }

    /// The message of the service about one field of the request.
    pub fn of_field(&self, field: &str) -> Option<String> {
        let Self::Refused(refusal) = self else {
            return None;
        };
        refusal
            .fields
            .iter()
            .find(|violation| violation.field == field)
            .map(|violation| violation.description.clone())
    }
}

/// What happened, in the service's words where it spoke.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAnswer(_) => f.write_str("can't reach the service"),
            Self::Unreadable(text) => write!(f, "cannot read the response: {text}"),
            Self::Refused(refusal) if refusal.fields.is_empty() => f.write_str(&refusal.message),
            // "provided parameters are invalid" says less than what is wrong with them.
            Self::Refused(refusal) => {
                let texts: Vec<&str> = refusal
                    .fields
                    .iter()
                    .map(|field| field.description.as_str())
                    .collect();
                f.write_str(&texts.join("; "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gbac_api::problem::FieldViolation;

    use super::*;

    #[test]
    fn a_refusal_says_what_is_wrong_with_the_fields() {
        let refusal = Refusal {
            status: 400,
            code: "INVALID_ARGUMENT".into(),
            message: "provided parameters are invalid".into(),
            fields: vec![FieldViolation::new(
                "host",
                "write one address or `*`, not a range",
            )],
        };
        let failure = Failure::Refused(refusal);
        assert_eq!(failure.to_string(), "write one address or `*`, not a range");
        assert_eq!(
            failure.of_field("host").as_deref(),
            Some("write one address or `*`, not a range")
        );
        assert_eq!(failure.of_field("principal"), None);
        assert!(!failure.is_unauthenticated());
    }

    #[test]
    fn a_part_is_named() {
        let refused = |status| {
            Failure::Refused(Refusal {
                status,
                code: String::new(),
                message: "no".into(),
                fields: Vec::new(),
            })
        };
        assert_eq!(refused(403).in_part("the ACLs").to_string(), "the ACLs: no");
        assert!(refused(403).in_part("the ACLs").is_forbidden() && refused(412).is_changed());
        assert_eq!(
            Failure::NoAnswer("x".into())
                .in_part("the ACLs")
                .to_string(),
            "can't reach the service"
        );
    }
}

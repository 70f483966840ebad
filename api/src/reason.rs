//! Why somebody makes a change, in their own words.

use std::fmt;

use crate::encode::{DecodeError, component, decode};

/// The header with the [`ChangeReason`] of a request that changes something.
pub const REASON: &str = "gbac-reason";

/// The most characters of a reason.
pub const MAX_REASON: usize = 500;

/// Why a change is made, as its audit events state it: 1 to [`MAX_REASON`] characters without
/// control characters.
///
/// ```
/// use gbac_api::reason::ChangeReason;
///
/// let reason = ChangeReason::parse(" OPS-7: Zugriff für München ")?;
/// assert_eq!(reason.text(), "OPS-7: Zugriff für München");
/// assert_eq!(ChangeReason::from_header(reason.to_header().as_bytes()), Ok(reason));
/// # Ok::<(), gbac_api::reason::ReasonError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeReason(String);

/// Why a text is no reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReasonError {
    /// It is empty, or only blanks.
    Empty,
    /// It has more than [`MAX_REASON`] characters.
    TooLong,
    /// It has a control character, such as a line end.
    ControlCharacter,
    /// The header is not percent-encoded UTF-8.
    Encoding(DecodeError),
}

impl ReasonError {
    /// The stable code of the error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "reason_invalid"
    }
}

impl fmt::Display for ReasonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the reason is empty; omit it, or say why"),
            Self::TooLong => write!(f, "the reason has more than {MAX_REASON} characters"),
            Self::ControlCharacter => f.write_str(
                "the reason has a control character, such as a line end; write it on one line",
            ),
            Self::Encoding(error) => write!(f, "the reason {error}; {}", error.hint()),
        }
    }
}

impl std::error::Error for ReasonError {}

impl ChangeReason {
    /// Reads a reason; blanks around it do not count.
    ///
    /// # Errors
    /// The text is empty, too long, or has a control character.
    pub fn parse(text: &str) -> Result<Self, ReasonError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ReasonError::Empty);
        }
        if text.chars().count() > MAX_REASON {
            return Err(ReasonError::TooLong);
        }
        if text.chars().any(char::is_control) {
            return Err(ReasonError::ControlCharacter);
        }
        Ok(Self(text.to_owned()))
    }

    /// Reads the header [`REASON`]: percent-encoded UTF-8, in which plain ASCII stands for itself.
    ///
    /// # Errors
    /// The value is not percent-encoded UTF-8, or is no reason.
    pub fn from_header(value: &[u8]) -> Result<Self, ReasonError> {
        let text = match str::from_utf8(value) {
            Ok(text) => decode(text),
            Err(_) => Err(DecodeError(String::from_utf8_lossy(value).into_owned())),
        };
        Self::parse(&text.map_err(ReasonError::Encoding)?)
    }

    /// The value of the header [`REASON`].
    #[must_use]
    pub fn to_header(&self) -> String {
        component(&self.0)
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_reason_is_refused() {
        let long = "é".repeat(MAX_REASON);
        assert_eq!(ChangeReason::parse(&long).unwrap().text(), long);
        assert_eq!(
            ChangeReason::parse(&format!("{long}x")),
            Err(ReasonError::TooLong)
        );
        for text in ["", " \t\n "] {
            assert_eq!(
                ChangeReason::parse(text),
                Err(ReasonError::Empty),
                "{text:?}"
            );
        }
        for text in ["a\nb", "a\u{1b}[2J", "a\u{85}b", "a\0"] {
            assert_eq!(
                ChangeReason::parse(text),
                Err(ReasonError::ControlCharacter),
                "{text:?}"
            );
        }
        for header in [&b"50%"[..], b"%ff", b"%", b"\xff"] {
            let error = ChangeReason::from_header(header).unwrap_err();
            assert!(matches!(error, ReasonError::Encoding(_)), "{header:?}");
        }
        assert_eq!(
            ChangeReason::from_header(b"a%0Ab"),
            Err(ReasonError::ControlCharacter)
        );
        assert_eq!(ChangeReason::from_header(b"a+b").unwrap().text(), "a+b");
    }
}

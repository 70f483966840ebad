//! What is wrong with properties, and what is not used. No message contains a value that can be
//! secret.

use std::fmt;

use gbac_engine::codes;

use crate::error::said;

/// Why properties cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertyError {
    /// The line on which the property begins; 0 if it is missing.
    pub line: usize,
    /// The key.
    pub key: String,
    /// What is wrong.
    pub fault: PropertyFault,
}

/// What is wrong with a property.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PropertyFault {
    /// An escape is not valid.
    Escape,
    /// A character that Kafka's tools read as others.
    NotAscii(char),
    /// The value is in another place.
    Provider,
    /// The value is none of those that are expected.
    Value {
        /// The value.
        value: String,
        /// What is expected.
        expected: &'static str,
    },
    /// A secret, or a file of them, that is not what is expected.
    Content(&'static str),
    /// Another property is missing.
    Needs(&'static str),
    /// The security protocol does not have this.
    Contradiction {
        /// The protocol.
        protocol: &'static str,
        /// The protocols with it.
        instead: &'static str,
    },
    /// Kafka has this, and this program does not.
    Unsupported {
        /// The value.
        value: String,
        /// What to do.
        instead: &'static str,
    },
    /// A store of Java.
    JavaStore {
        /// How to make a file in PEM of it.
        command: &'static str,
        /// The key that says what the file is.
        type_key: &'static str,
    },
    /// The login module cannot be read.
    Jaas(&'static str),
}

codes! {
    pub PropertyError {
        _ => "kafka_properties_invalid",
    }
}

impl fmt::Display for PropertyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        write!(f, "`{}`: {}", said(&self.key), self.fault)
    }
}

impl std::error::Error for PropertyError {}

impl fmt::Display for PropertyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Escape => f.write_str(
                "`\\u` is not followed by the four hexadecimal digits of a character",
            ),
            Self::NotAscii(character) => {
                f.write_str("Kafka's tools read such characters differently; write ")?;
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(f, "\\u{unit:04x}")?;
                }
                Ok(())
            }
            Self::Provider => f.write_str(
                "`${...}` is read by a configuration provider of Kafka, which this program does not have: write the value itself",
            ),
            Self::Value { value, expected } => {
                write!(f, "`{}` is not {expected}", said(value))
            }
            Self::Content(expected) => f.write_str(expected),
            Self::Needs(key) => write!(f, "set `{key}`, too"),
            Self::Contradiction { protocol, instead } => write!(
                f,
                "it has no effect with `security.protocol={protocol}`: set {instead}, or remove it"
            ),
            Self::Unsupported { value, instead } => {
                write!(f, "this program does not have `{}`: {instead}", said(value))
            }
            Self::JavaStore { command, type_key } => write!(
                f,
                "this program reads PEM and no store of Java: run `{command}`, name its file, and set `{type_key}=PEM`"
            ),
            Self::Jaas(problem) => f.write_str(problem),
        }
    }
}

/// A property that changes nothing here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertyNote {
    /// The line on which it begins.
    pub line: usize,
    /// The key.
    pub key: String,
    /// Why it changes nothing.
    pub reason: NoteReason,
}

/// Why a property changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteReason {
    /// It is for other clients of Kafka.
    NotUsed,
    /// No client of Kafka has it; the key that may be meant.
    UnknownKey(Option<&'static str>),
    /// A later line sets it again.
    SetAgain,
    /// The names of brokers are not compared with their certificates.
    NamesUnchecked,
}

codes! {
    pub NoteReason {
        Self::NotUsed => "property_not_used",
        Self::UnknownKey(_) => "property_unknown",
        Self::SetAgain => "property_set_again",
        Self::NamesUnchecked => "host_names_unchecked",
    }
}

impl PropertyNote {
    /// Whether it can be a mistake.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        self.reason != NoteReason::NotUsed
    }
}

impl fmt::Display for PropertyNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: `{}`", self.line, said(&self.key))?;
        match self.reason {
            NoteReason::NotUsed => f.write_str(" is not used here"),
            NoteReason::UnknownKey(None) => f.write_str(" is no property of Kafka's clients"),
            NoteReason::UnknownKey(Some(meant)) => {
                write!(f, " is no property of Kafka's clients; `{meant}` is one")
            }
            NoteReason::SetAgain => f.write_str(" has no effect, because a later line sets it again"),
            NoteReason::NamesUnchecked => f.write_str(
                ": whoever has a certificate of the same authority can pose as a broker; remove the line, or set `https`",
            ),
        }
    }
}

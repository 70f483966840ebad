//! What can go wrong with a cluster, in a sentence that says what to do.

use std::fmt;

use gbac_engine::codes;
use gbac_engine::escape::visible;
use kafka_protocol::error::ResponseError;

/// How much of another program's text is shown, in characters.
const SHOWN_CHARACTERS: usize = 300;

/// A text of another program for a message: hidden characters escaped, and not long.
#[must_use]
pub(crate) fn said(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_CHARACTERS).collect();
    if shown.len() < text.len() {
        shown.push_str("...");
    }
    visible(&shown)
}

/// Why bytes are not an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// They end too early.
    Short,
    /// More bytes follow.
    Rest,
    /// A length is not valid.
    Length,
    /// A text is not UTF-8.
    Utf8,
    /// There are more elements than this client accepts.
    TooMany,
    /// It answers another request.
    Correlation,
    /// A value that must be there is missing.
    Missing,
    /// The checksum of records is another one.
    Checksum,
    /// A role has members that are neither users nor groups.
    UnknownMember,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Short => "it ends too early",
            Self::Rest => "more bytes follow",
            Self::Length => "a length is not valid",
            Self::Utf8 => "a text is not UTF-8",
            Self::TooMany => "it has more elements than this program accepts",
            Self::Correlation => "it answers another request",
            Self::Missing => "a value is missing",
            Self::Checksum => "the checksum of its records does not fit",
            Self::UnknownMember => "a role has members that are neither users nor groups",
        })
    }
}

/// What answered instead of a broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stranger {
    /// A server of HTTP.
    Http,
    /// Anything else.
    Unknown,
}

/// An error that a broker answered, with Kafka's name for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerRefusal {
    /// The call, such as `DescribeAcls`.
    pub call: &'static str,
    /// Kafka's number of the error.
    pub number: i16,
    /// What the broker said about it, if anything.
    pub message: Option<String>,
    /// The account of this client, for the command that helps; empty if it is not known.
    pub account: String,
    /// The topic that the call is about.
    pub topic: Option<String>,
}

impl BrokerRefusal {
    /// Kafka's name of the error, such as `CLUSTER_AUTHORIZATION_FAILED`.
    ///
    /// ```
    /// # use gbac_cluster::BrokerRefusal;
    /// let refusal = BrokerRefusal { call: "CreateAcls", number: 31, message: None, account: String::new(), topic: None };
    /// assert_eq!(refusal.name(), "CLUSTER_AUTHORIZATION_FAILED");
    /// ```
    #[must_use]
    pub fn name(&self) -> String {
        match ResponseError::try_from_code(self.number) {
            None | Some(ResponseError::Unknown(_)) => format!("error {}", self.number),
            Some(error) => screaming(&error.to_string()),
        }
    }

    /// Whether the change may have happened nevertheless.
    pub(crate) const fn is_unclear(&self) -> bool {
        // UNKNOWN_SERVER_ERROR, REQUEST_TIMED_OUT, NETWORK_EXCEPTION.
        matches!(self.number, -1 | 7 | 13)
    }

    /// Whether nothing happened, and the same call can succeed soon.
    pub(crate) const fn is_passing(&self) -> bool {
        // COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR, NOT_CONTROLLER,
        // THROTTLING_QUOTA_EXCEEDED.
        matches!(self.number, 14 | 15 | 16 | 41 | 89)
    }

    /// What it means and what to do, for the errors that administrators meet.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self.number {
            29 | 30 | 31 | 53 => Some(self.needed_acl()),
            54 => Some(
                "the brokers have no authorizer: set `authorizer.class.name` in their properties, and start them again"
                    .into(),
            ),
            33 => Some("set `sasl.mechanism` to a mechanism of this listener".into()),
            34 => Some("the listener expects another `security.protocol`".into()),
            35 => Some("the broker is older than the call".into()),
            7 if self.topic.is_some() => Some("the brokers have not finished in time".into()),
            7 => Some("the brokers have not finished in time: list the ACLs before you repeat it".into()),
            3 | 100 => Some("there is no such topic".into()),
            10 => Some("the topic takes no record of this size: raise its `max.message.bytes`".into()),
            19 | 20 => Some(
                "fewer brokers have the latest records than `min.insync.replicas` of the topic: start those that are down".into(),
            ),
            32 => Some("set `message.timestamp.type` of the topic to `LogAppendTime`".into()),
            38 => Some("there are fewer brokers than copies: ask for fewer copies, or start more brokers".into()),
            41 => Some("the cluster has no controller now: check the controllers, then repeat it".into()),
            42 if self.topic.is_none() => Some("the broker does not accept an ACL like this".into()),
            44 => Some("a policy of the brokers does not allow it".into()),
            89 => Some("a quota is used up: repeat it later".into()),
            _ => None,
        }
    }

    fn needed_acl(&self) -> String {
        let operation = match self.call {
            "CreateAcls" | "DeleteAcls" => "Alter",
            "DescribeConfigs" => "DescribeConfigs",
            "CreateTopics" => "Create",
            "DeleteRecords" => "Delete",
            "Fetch" => "Read",
            "Produce" => "Write",
            _ => "Describe",
        };
        let account = match self.account.chars().all(is_plain) && !self.account.is_empty() {
            true => self.account.as_str(),
            false => "NAME",
        };
        let (resource, flag) = match &self.topic {
            Some(topic) => (format!("topic `{topic}`"), format!("topic {topic}")),
            None => ("cluster".into(), "cluster".into()),
        };
        format!(
            "the account needs {operation} on the {resource}; a superuser grants it with \
             `kafka-acls --bootstrap-server HOST:PORT --command-config FILE --add --allow-principal User:{account} --operation {operation} --{flag}`"
        )
    }
}

/// Whether a shell takes the character as it is.
const fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-' | '@')
}

/// `ClusterAuthorizationFailed` as `CLUSTER_AUTHORIZATION_FAILED`.
fn screaming(name: &str) -> String {
    let mut screaming = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() && !screaming.is_empty() {
            screaming.push('_');
        }
        screaming.push(character.to_ascii_uppercase());
    }
    screaming
}

impl fmt::Display for BrokerRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the broker refuses {}: {}", self.call, self.name())?;
        if let Some(message) = &self.message {
            write!(f, " ({})", said(message))?;
        }
        match self.hint() {
            Some(hint) => write!(f, ": {hint}"),
            None => Ok(()),
        }
    }
}

/// Why a cluster cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KafkaError {
    /// There is no address.
    #[error("no broker is named: set `bootstrap.servers` in the properties, or name HOST:PORT")]
    NoAddress,
    /// No connection was made, so nothing was sent.
    #[error("no connection to `{address}`: {reason}; check the address, and that the broker runs")]
    Unreachable {
        /// The broker.
        address: String,
        /// What the system says.
        reason: String,
    },
    /// The time is over.
    #[error(
        "`{address}` has not answered {call} within {seconds} s; `request.timeout.ms` sets the time"
    )]
    Silent {
        /// The broker.
        address: String,
        /// The call.
        call: &'static str,
        /// The limit.
        seconds: u64,
    },
    /// The broker closed the connection.
    #[error("`{address}` closed the connection instead of answering {call}: {guess}")]
    Closed {
        /// The broker.
        address: String,
        /// The call.
        call: &'static str,
        /// What the reason can be.
        guess: &'static str,
    },
    /// The listener has TLS, and this client has none.
    #[error("the listener `{address}` has TLS: set `security.protocol` to `{with_tls}`")]
    TlsExpected {
        /// The broker.
        address: String,
        /// The protocol that is meant.
        with_tls: &'static str,
    },
    /// The listener has no TLS, and this client asked for it.
    #[error(
        "the listener `{address}` has no TLS: set `security.protocol` to `{without_tls}`, or name a listener with TLS"
    )]
    NoTls {
        /// The broker.
        address: String,
        /// The protocol without TLS.
        without_tls: &'static str,
    },
    /// TLS failed.
    #[error("no TLS with `{address}`: {reason}")]
    Tls {
        /// The broker.
        address: String,
        /// Why, and what to do.
        reason: String,
    },
    /// Something else listens there.
    #[error("`{address}` is not a broker of Kafka: {}", match found { Stranger::Http => "an HTTP server answers; name the port of Kafka's listener", Stranger::Unknown => "its answer is not in Kafka's protocol; check the port" })]
    Stranger {
        /// The address.
        address: String,
        /// What answers.
        found: Stranger,
    },
    /// The answer is larger than this client reads.
    #[error(
        "the answer of `{address}` to {call} has {bytes} bytes, and this program reads at most {limit}"
    )]
    TooLarge {
        /// The broker.
        address: String,
        /// The call.
        call: &'static str,
        /// The size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The answer cannot be read.
    #[error("the answer of `{address}` to {call} is not valid: {reason}")]
    Malformed {
        /// The broker.
        address: String,
        /// The call.
        call: &'static str,
        /// Why.
        reason: Malformed,
    },
    /// A request has more than the protocol can say.
    #[error("{call} cannot be sent: a text is longer than the protocol allows")]
    TooLong {
        /// The call.
        call: &'static str,
    },
    /// The numbers of an ACL would delete others, too.
    #[error(
        "the ACL is not deleted, because its numbers mean more than one ACL: delete it with `kafka-acls`"
    )]
    NotOneAcl,
    /// The broker has no version of the call that this client speaks.
    #[error(
        "`{address}` has no version of {call} that this program speaks: it needs Kafka 1.1 or later, or what is compatible with it"
    )]
    Unsupported {
        /// The broker.
        address: String,
        /// The call.
        call: &'static str,
    },
    /// The listener does not have the mechanism.
    #[error(
        "the listener `{address}` does not have `sasl.mechanism={asked}`; it has {}",
        list(offered)
    )]
    Mechanism {
        /// The broker.
        address: String,
        /// What the properties say.
        asked: &'static str,
        /// What the listener has.
        offered: Vec<String>,
    },
    /// The listener has no SASL at all.
    #[error("the listener `{address}` has no SASL: set `security.protocol` to `{without_sasl}`")]
    NoSasl {
        /// The broker.
        address: String,
        /// The protocol without SASL.
        without_sasl: &'static str,
    },
    /// The broker does not accept the credentials.
    #[error(
        "`{address}` does not accept the credentials of `sasl.mechanism={mechanism}`: {reason}"
    )]
    Authentication {
        /// The broker.
        address: String,
        /// The mechanism.
        mechanism: &'static str,
        /// What the broker says.
        reason: String,
    },
    /// The broker does not prove that it knows the password, or breaks the rules of the mechanism.
    #[error("`{address}` is not trusted: {reason}")]
    Untrusted {
        /// The broker.
        address: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// A file that the properties name cannot be read.
    #[error("`{key}`: `{path}`: {reason}")]
    File {
        /// The property.
        key: &'static str,
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// A text that should be PEM is not.
    #[error("`{key}`: {problem}")]
    Pem {
        /// The property.
        key: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// There is no token.
    #[error("no token: {0}")]
    Token(String),
    /// The broker answered an error.
    #[error("{0}")]
    Refused(BrokerRefusal),
}

impl KafkaError {
    /// Whether the same call can succeed soon: after an election, or when brokers are back.
    pub(crate) const fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Silent { .. } | Self::Closed { .. } => true,
            // UNKNOWN_TOPIC_OR_PARTITION, LEADER_NOT_AVAILABLE, NOT_LEADER_OR_FOLLOWER,
            // REQUEST_TIMED_OUT, BROKER_NOT_AVAILABLE, REPLICA_NOT_AVAILABLE, NETWORK_EXCEPTION,
            // NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND, KAFKA_STORAGE_ERROR,
            // FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, OFFSET_NOT_AVAILABLE,
            // THROTTLING_QUOTA_EXCEEDED, UNKNOWN_TOPIC_ID, INCONSISTENT_TOPIC_ID.
            Self::Refused(refusal) => matches!(
                refusal.number,
                3 | 5 | 6 | 7 | 8 | 9 | 13 | 19 | 20 | 56 | 74 | 75 | 78 | 89 | 100 | 103
            ),
            _ => false,
        }
    }
}

codes! {
    pub KafkaError {
        Self::NoAddress => "kafka_no_address",
        Self::Unreachable { .. } => "kafka_unreachable",
        Self::Silent { .. } => "kafka_timeout",
        Self::Closed { .. } => "kafka_closed",
        Self::TlsExpected { .. } => "kafka_tls_expected",
        Self::NoTls { .. } => "kafka_no_tls",
        Self::Tls { .. } => "kafka_tls",
        Self::Stranger { .. } => "kafka_not_a_broker",
        Self::TooLarge { .. } => "kafka_answer_too_large",
        Self::Malformed { .. } => "kafka_answer_invalid",
        Self::TooLong { .. } => "kafka_request_too_long",
        Self::NotOneAcl => "kafka_not_one_acl",
        Self::Unsupported { .. } => "kafka_unsupported",
        Self::Mechanism { .. } => "kafka_mechanism",
        Self::NoSasl { .. } => "kafka_no_sasl",
        Self::Authentication { .. } => "kafka_authentication",
        Self::Untrusted { .. } => "kafka_untrusted",
        Self::File { .. } => "kafka_file",
        Self::Pem { .. } => "kafka_pem",
        Self::Token(_) => "kafka_no_token",
        Self::Refused(_) => "kafka_refused",
    }
}

/// Names in a sentence.
impl KafkaError {
    /// Whether the broker does not let this client sign in as it wants to.
    #[must_use]
    pub const fn is_about_sign_in(&self) -> bool {
        matches!(
            self,
            Self::Authentication { .. }
                | Self::Mechanism { .. }
                | Self::NoSasl { .. }
                | Self::Token(_)
        )
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".into();
    }
    let mut list = String::new();
    for name in names.iter().take(20) {
        if !list.is_empty() {
            list.push_str(", ");
        }
        list.push_str(&format!("`{}`", said(name)));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(call: &'static str, number: i16, account: &str) -> BrokerRefusal {
        BrokerRefusal {
            call,
            number,
            message: None,
            account: account.into(),
            topic: None,
        }
    }

    #[test]
    fn refusals_have_kafkas_name_and_what_to_do() {
        let text = refusal("DescribeAcls", 31, "ann").to_string();
        assert!(
            text.starts_with(
                "the broker refuses DescribeAcls: CLUSTER_AUTHORIZATION_FAILED: the account needs Describe on the cluster;"
            ),
            "{text}"
        );
        assert!(
            text.contains("--allow-principal User:ann --operation Describe --cluster"),
            "{text}"
        );
        let text = refusal("CreateAcls", 31, "$(rm -r /)").to_string();
        assert!(
            text.contains("User:NAME --operation Alter --cluster"),
            "{text}"
        );
        assert!(
            refusal("DescribeAcls", 54, "")
                .to_string()
                .contains("SECURITY_DISABLED: the brokers have no authorizer")
        );
        let refusal_of_topic = BrokerRefusal {
            topic: Some("gbac".into()),
            ..refusal("Produce", 29, "ann")
        };
        let text = refusal_of_topic.to_string();
        assert!(
            text.contains("the account needs Write on the topic `gbac`;")
                && text.contains("User:ann --operation Write --topic gbac`"),
            "{text}"
        );
        assert_eq!(refusal("CreateAcls", -1, "").name(), "UNKNOWN_SERVER_ERROR");
        assert_eq!(refusal("CreateAcls", 999, "").name(), "error 999");
    }

    #[test]
    fn texts_of_others_are_visible_and_short() {
        let refusal = BrokerRefusal {
            message: Some(format!("\u{1b}[31m{}", "x".repeat(1000))),
            ..refusal("CreateAcls", 42, "")
        };
        let text = refusal.to_string();
        assert!(
            text.contains(r"\u{1b}[31mxxx") && text.len() < 600,
            "{text}"
        );
    }
}

//! The properties of a client, as Kafka's tools read them: where the brokers are, and how to sign
//! in. What can be ignored is ignored and listed; what cannot be kept to is an error.

mod fault;
mod jaas;
mod keys;
mod protocol;
mod sign_in;
mod syntax;
mod transport;
mod values;

use std::collections::BTreeMap;
use std::time::Duration;

use kafka_protocol::protocol::StrBytes;

use crate::address::BrokerAddress;
use crate::connection::Manner;
use crate::error::BrokerRefusal;
use crate::options::{Login, Mechanism, SaslOptions, TlsOptions};
pub use fault::{NoteReason, PropertyError, PropertyFault, PropertyNote};
pub(crate) use protocol::protocol_name;
use values::Values;

/// The time for one answer if the properties have none, as in Kafka.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_TIMEOUT: Duration = Duration::from_secs(3600);
/// The maximum size of properties, in bytes.
pub const MAX_PROPERTIES_BYTES: usize = 1024 * 1024;

/// The properties of any file of Kafka's; of a key that is set again, the last value.
///
/// # Errors
/// A line has an escape that is not one.
pub fn read_properties(text: &str) -> Result<BTreeMap<String, String>, PropertyError> {
    let mut properties = BTreeMap::new();
    for entry in syntax::read(text)? {
        properties.insert(entry.key, entry.value);
    }
    Ok(properties)
}

/// What a client of a cluster is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientProperties {
    /// The brokers that are asked first (`bootstrap.servers`).
    pub servers: Vec<BrokerAddress>,
    pub(crate) client_id: String,
    pub(crate) timeout: Duration,
    pub(crate) tls: Option<TlsOptions>,
    pub(crate) sasl: Option<SaslOptions>,
}

impl ClientProperties {
    /// A client without TLS and without an account.
    #[must_use]
    pub fn plain(servers: Vec<BrokerAddress>) -> Self {
        Self {
            servers,
            client_id: "gbac".into(),
            timeout: DEFAULT_TIMEOUT,
            tls: None,
            sasl: None,
        }
    }

    /// Reads properties, and lists those that change nothing. The files that they name are read
    /// when the client connects.
    ///
    /// # Errors
    /// A property cannot be kept to.
    ///
    /// ```
    /// use gbac_cluster::ClientProperties;
    ///
    /// let text = "bootstrap.servers=b-1:9092,b-2:9092\nacks=all\n";
    /// let (properties, notes) = ClientProperties::parse(text)?;
    /// assert_eq!(properties.servers.len(), 2);
    /// assert_eq!(notes[0].to_string(), "line 2: `acks` is not used here");
    /// # Ok::<(), gbac_cluster::PropertyError>(())
    /// ```
    pub fn parse(text: &str) -> Result<(Self, Vec<PropertyNote>), PropertyError> {
        let mut values = Values::new(syntax::read(text)?);
        let protocol = protocol::read(&mut values)?;
        let mut properties = Self::plain(servers(&mut values)?);
        if let Some(value) = values.take("client.id")? {
            if value.text.len() > 255 {
                return Err(value.fault(PropertyFault::Content("it is longer than 255 bytes")));
            }
            properties.client_id = value.text;
        }
        properties.timeout = timeout(&mut values)?;
        properties.tls = transport::read(&mut values, protocol)?;
        properties.sasl = sign_in::read(&mut values, protocol)?;
        Ok((properties, values.finish()))
    }

    /// The same client with a token (`OAUTHBEARER`) instead of what the properties say.
    #[must_use]
    pub fn with_token(self, token: String) -> Self {
        Self {
            sasl: Some(SaslOptions::token(token)),
            ..self
        }
    }

    /// Whether the client signs in with tokens (`OAUTHBEARER`), as the listener must take them.
    #[must_use]
    pub fn signs_in_with_tokens(&self) -> bool {
        matches!(&self.sasl, Some(sasl) if sasl.mechanism == Mechanism::OauthBearer)
    }

    pub(crate) fn manner(&self) -> Manner {
        let guess = match (&self.tls, &self.sasl) {
            (None, None) => {
                "if this listener has TLS or SASL, set `security.protocol` to `SSL`, `SASL_PLAINTEXT` or `SASL_SSL`"
            }
            (None, Some(_)) => "if this listener has TLS, set `security.protocol` to `SASL_SSL`",
            (Some(_), None) => {
                "it asks for a certificate of the client or for SASL: set `ssl.keystore.location`, or `security.protocol=SASL_SSL`"
            }
            (Some(_), Some(_)) => "check the broker's log",
        };
        Manner {
            client_id: self.client_id.clone(),
            timeout: self.timeout,
            guess,
            with_tls: protocol_name(true, self.sasl.is_some()),
        }
    }

    /// The name of the account, if the properties have it.
    pub(crate) fn account(&self) -> &str {
        match &self.sasl {
            Some(SaslOptions {
                login:
                    Login::Password {
                        user,
                        is_delegation_token: false,
                        ..
                    },
                ..
            }) => user,
            _ => "",
        }
    }

    /// What a broker has answered to this client.
    pub(crate) fn refusal(
        &self,
        call: &'static str,
        number: i16,
        message: Option<&StrBytes>,
    ) -> BrokerRefusal {
        BrokerRefusal {
            call,
            number,
            message: message
                .filter(|text| !text.is_empty())
                .map(ToString::to_string),
            account: self.account().to_owned(),
            topic: None,
        }
    }
}

fn servers(values: &mut Values) -> Result<Vec<BrokerAddress>, PropertyError> {
    let Some(value) = values.take("bootstrap.servers")? else {
        return Ok(Vec::new());
    };
    let mut servers = Vec::new();
    for part in value.text.split(',') {
        match part.trim() {
            "" => {}
            address => servers.push(
                BrokerAddress::parse(address)
                    .ok_or_else(|| value.expected("a list of HOST:PORT"))?,
            ),
        }
    }
    Ok(servers)
}

fn timeout(values: &mut Values) -> Result<Duration, PropertyError> {
    let Some(value) = values.take("request.timeout.ms")? else {
        return Ok(DEFAULT_TIMEOUT);
    };
    match value.text.parse() {
        Ok(milliseconds @ 1..) => Ok(Duration::from_millis(milliseconds).min(MAX_TIMEOUT)),
        _ => Err(value.expected("a number of milliseconds")),
    }
}

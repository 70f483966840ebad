//! The properties of a client: where the brokers are, and how to sign in.

use std::time::Duration;

use crate::address::BrokerAddress;
use crate::connection::Manner;

/// What a client of a cluster is told.
#[derive(Debug, Clone)]
pub struct ClientProperties {
    /// The brokers that are asked first (`bootstrap.servers`).
    pub servers: Vec<BrokerAddress>,
    pub(crate) client_id: String,
    pub(crate) timeout: Duration,
}

impl ClientProperties {
    /// A client without TLS and without an account.
    #[must_use]
    pub fn plain(servers: Vec<BrokerAddress>) -> Self {
        Self {
            servers,
            client_id: "gbac".into(),
            timeout: Duration::from_secs(30),
        }
    }

    pub(crate) fn manner(&self) -> Manner {
        Manner {
            client_id: self.client_id.clone(),
            timeout: self.timeout,
            guess: "it expects another `security.protocol`",
            with_tls: "SSL",
        }
    }

    /// The name of the account, if the properties have it.
    pub(crate) fn account(&self) -> &str {
        ""
    }
}

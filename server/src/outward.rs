//! Connections that the service makes itself: to the identity provider, and to a cluster that it relays to.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{Client, redirect};

/// A client that is made when it is first needed, over rustls. It follows no redirect and takes no proxy.
#[derive(Debug, Default)]
pub(crate) struct Outward(OnceLock<Client>);

impl Outward {
    /// The client; its requests may take `time` in all.
    ///
    /// # Errors
    /// TLS cannot be set up, for example because there are no root certificates.
    pub(crate) fn client(&self, time: Duration) -> reqwest::Result<Client> {
        if let Some(client) = self.0.get() {
            return Ok(client.clone());
        }
        // Fails when somebody chose before, and then it is the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .redirect(redirect::Policy::none())
            .timeout(time)
            .connect_timeout(CONNECT_TIME)
            .no_proxy()
            .build()?;
        Ok(self.0.get_or_init(|| client).clone())
    }
}

/// How long a connection may take to be there.
const CONNECT_TIME: Duration = Duration::from_secs(5);

//! The HTTP client for connections that the service opens: to the identity provider and to a
//! relayed cluster.

use std::error::Error;
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{Client, redirect};

/// The time limit for opening a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A client over rustls, created on first use because that reads the machine's root certificates.
/// It follows no redirects and uses no proxy.
#[derive(Debug, Default)]
pub(crate) struct HttpClient(OnceLock<Client>);

impl HttpClient {
    /// The client; each of its requests may take `timeout` in total.
    ///
    /// # Errors
    /// TLS cannot be set up, for example because there are no root certificates.
    pub(crate) fn get(&self, timeout: Duration) -> reqwest::Result<Client> {
        if let Some(client) = self.0.get() {
            return Ok(client.clone());
        }
        // Fails if a provider is installed already, which is then the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .redirect(redirect::Policy::none())
            .timeout(timeout)
            .connect_timeout(CONNECT_TIMEOUT)
            .no_proxy()
            .build()?;
        Ok(self.0.get_or_init(|| client).clone())
    }
}

/// The innermost cause of an error. The outermost message contains the address and only says that
/// the request failed.
pub(crate) fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

//! The proxies in front of the service that may name the client of a request.

use std::net::IpAddr;

use gbac_engine::escape::escaped;
use ipnet::IpNet;
use thiserror::Error;

/// The networks of the trusted proxies.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// Reads networks such as `10.0.0.0/8`, and single addresses.
    ///
    /// # Errors
    /// One of them is neither.
    pub(crate) fn parse(texts: &[String]) -> Result<Self, TrustedProxyError> {
        let mut networks = Vec::new();
        for text in texts {
            match network(text) {
                // Everybody could claim to be anybody.
                Some(network) if network.prefix_len() > 0 => networks.push(network.trunc()),
                _ => return Err(TrustedProxyError(text.clone())),
            }
        }
        Ok(Self(networks))
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this is the address of one of them.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

fn network(text: &str) -> Option<IpNet> {
    match text.parse::<IpAddr>() {
        Ok(address) => Some(address.to_canonical().into()),
        Err(_) => text.parse().ok(),
    }
}

/// The text is not the network of a proxy.
#[derive(Debug, Error)]
#[error("`{}` is not an IP address or network of a proxy", escaped(.0))]
pub struct TrustedProxyError(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_and_addresses_are_read() {
        let texts = [
            "10.1.2.3/8",
            "192.0.2.7",
            "2001:db8::/32",
            "::1",
            "::ffff:198.51.100.1",
        ]
        .map(str::to_owned);
        let proxies = TrustedProxies::parse(&texts).unwrap();
        let trusted = |address: &str| proxies.contains(address.parse().unwrap());
        for address in [
            "10.255.0.1",
            "::ffff:10.0.0.1",
            "192.0.2.7",
            "2001:db8:7::1",
            "::1",
            "198.51.100.1",
        ] {
            assert!(trusted(address), "{address}");
        }
        for address in ["11.0.0.1", "192.0.2.8", "2001:db9::1", "127.0.0.1"] {
            assert!(!trusted(address), "{address}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "10.0.0.0/33",
            "proxy.example",
            "10.0.0",
            "0.0.0.0/0",
            "::/0",
            "10.0.0.1:80",
        ] {
            TrustedProxies::parse(&[text.to_owned()]).expect_err(text);
        }
        assert!(TrustedProxies::parse(&[]).unwrap().is_empty());
    }
}

//! Addresses of brokers, `host:port`.

use std::fmt;

/// The address of a broker.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BrokerAddress {
    /// The name or the IP address.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl BrokerAddress {
    /// Reads `host:port`; an IPv6 address is in brackets. Kafka's own form with a listener in
    /// front, `SASL_SSL://host:port`, is read, too.
    ///
    /// ```
    /// use gbac_cluster::BrokerAddress;
    ///
    /// let address = BrokerAddress::parse("[::1]:9092").expect("an address");
    /// assert_eq!((address.host.as_str(), address.port), ("::1", 9092));
    /// assert!(BrokerAddress::parse("kafka.example.com").is_none());
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = match text.split_once("://") {
            Some((_, address)) => address,
            None => text,
        };
        let (host, port) = text.rsplit_once(':')?;
        let host = match host.strip_prefix('[') {
            Some(inner) => inner
                .strip_suffix(']')
                .filter(|inner| inner.contains(':'))?,
            None if host.contains(':') => return None,
            None => host,
        };
        let is_name =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '%');
        if host.is_empty() || host.len() > 253 || !host.chars().all(is_name) {
            return None;
        }
        if !port.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let port = port.parse().ok().filter(|port| *port > 0)?;
        Some(Self {
            host: host.to_owned(),
            port,
        })
    }
}

impl fmt::Display for BrokerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_names_and_addresses_with_a_port() {
        let shown = |text| BrokerAddress::parse(text).map(|address| address.to_string());
        for text in ["localhost:9092", "10.0.0.7:1", "[::1]:9092"] {
            assert_eq!(shown(text).as_deref(), Some(text));
        }
        assert_eq!(shown("SASL_SSL://b-1:9096").as_deref(), Some("b-1:9096"));
        for text in [
            "", "a", ":9092", "a:", "a:0", "a:65536", "a:+1", "::1:9092", "[a]:1", "a b:1", "a/b:1",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }
}

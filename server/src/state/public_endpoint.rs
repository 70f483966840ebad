//! The public address of the service: its cluster ID, its URL, and the host names that it accepts.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use thiserror::Error;
use url::{Host, Url};

use gbac_api::clusters::DataPlaneApiForm;
use gbac_engine::escape::escaped;

/// The options for the public address.
#[derive(Debug, Clone, Default)]
pub struct PublicEndpointOptions {
    /// The cluster ID; `None` accepts every ID.
    pub cluster_id: Option<String>,
    /// The URL that clients use; `None` is the address on which the service listens.
    pub public_url: Option<String>,
    /// Further host names and IP addresses that clients use; requests for them are accepted.
    pub public_hosts: Vec<String>,
    /// The form in which the Control Plane API states the URL of the Data Plane API.
    pub data_plane_api_form: DataPlaneApiForm,
}

/// The public address of the service.
#[derive(Debug)]
pub(crate) struct PublicEndpoint {
    /// The cluster ID; `None` accepts every ID.
    pub(crate) cluster_id: Option<String>,
    /// The URL that clients use, without a trailing slash; never taken from a request.
    pub(crate) url: String,
    /// The form in which the Control Plane API states it.
    pub(crate) data_plane_api_form: DataPlaneApiForm,
    /// The accepted host names besides those of loopback, in lowercase.
    host_names: Vec<String>,
    listen: IpAddr,
}

impl PublicEndpoint {
    /// The public address of a service that listens on `listen`.
    ///
    /// # Errors
    /// See [`PublicEndpointError`].
    pub(crate) fn new(
        options: PublicEndpointOptions,
        listen: SocketAddr,
        tls: bool,
    ) -> Result<Self, PublicEndpointError> {
        let scheme = if tls { "https" } else { "http" };
        let (url, name) = match options.public_url {
            None => (format!("{scheme}://{listen}"), None),
            Some(text) => {
                let Some((url, name)) = public_url(&text) else {
                    return Err(PublicEndpointError::Url(text));
                };
                (url, Some(without_brackets(name)))
            }
        };
        let mut host_names: Vec<String> = name.into_iter().collect();
        for text in options.public_hosts {
            host_names.push(host_name(&text).ok_or(PublicEndpointError::Host(text))?);
        }
        let PublicEndpointOptions {
            cluster_id,
            data_plane_api_form,
            ..
        } = options;
        Ok(Self {
            cluster_id,
            url,
            data_plane_api_form,
            host_names,
            listen: listen.ip(),
        })
    }

    /// Whether clients use TLS, to this service or to a proxy in front of it.
    pub(crate) fn is_https(&self) -> bool {
        self.url.starts_with("https://")
    }

    /// Whether other machines can reach the service.
    pub(crate) fn is_reachable_remotely(&self) -> bool {
        !self.listen.to_canonical().is_loopback()
    }

    /// Whether the service accepts requests for a host. A page whose own host name resolves to this
    /// machine (DNS rebinding) sends that name and is rejected.
    pub(crate) fn accepts_host(&self, host: &str) -> bool {
        let Some(name) = name_of(host) else {
            return false;
        };
        name.eq_ignore_ascii_case("localhost")
            || self
                .host_names
                .iter()
                .any(|known| known.eq_ignore_ascii_case(name))
            || matches!(name.parse::<IpAddr>(), Ok(address) if self.is_own(address.to_canonical()))
    }

    fn is_own(&self, address: IpAddr) -> bool {
        address.is_loopback()
            || address == self.listen.to_canonical()
            || (self.listen.is_unspecified() && !address.is_unspecified())
    }
}

/// The origin that a public URL names, and its host.
fn public_url(text: &str) -> Option<(String, String)> {
    let url = Url::parse(text).ok()?;
    let has_only_origin = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let has_user = !url.username().is_empty() || url.password().is_some();
    if !matches!(url.scheme(), "http" | "https") || !has_only_origin || has_user {
        return None;
    }
    let name = url.host_str()?.to_ascii_lowercase();
    Some((url.as_str().trim_end_matches('/').to_owned(), name))
}

/// The host name or IP address of a `Host` header, without brackets; `None` if what surrounds it is
/// not valid (RFC 9110 7.2).
fn name_of(host: &str) -> Option<&str> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => rest
            .split_once(']')
            .filter(|(name, _)| name.parse::<Ipv6Addr>().is_ok())?,
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let digits = if port.is_empty() {
        ""
    } else {
        port.strip_prefix(':')?
    };
    // An empty port is the default one.
    let is_port = digits.is_empty()
        || (digits.bytes().all(|digit| digit.is_ascii_digit()) && digits.parse::<u16>().is_ok());
    is_port.then_some(name)
}

/// The host name or IP address that a text is, as `Host` headers contain it, without brackets.
fn host_name(text: &str) -> Option<String> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(address.to_string());
    }
    let name = Host::parse(text).ok()?.to_string();
    match Host::parse(&name).ok()? {
        // A name with other characters, such as a port or a wildcard, would never be equal to one of
        // a request.
        Host::Domain(domain)
            if domain.contains(|c: char| !c.is_ascii_alphanumeric() && !"-._".contains(c)) =>
        {
            None
        }
        _ => Some(without_brackets(name)),
    }
}

fn without_brackets(name: String) -> String {
    match name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'))
    {
        Some(address) => address.to_owned(),
        None => name,
    }
}

/// Why the public address is not valid.
#[derive(Debug, Error)]
pub enum PublicEndpointError {
    /// The public URL is not an `http` or `https` URL that consists of a host and optionally a
    /// port.
    #[error("`{}` is not a public URL", escaped(.0))]
    Url(String),
    /// The text is neither a host name nor an IP address.
    #[error("`{}` is not a public host", escaped(.0))]
    Host(String),
}

impl PublicEndpointError {
    /// The stable code of the error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Url(_) => "public_url",
            Self::Host(_) => "public_host",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Url(_) => {
                "use a scheme, a host and optionally a port, such as `https://gbac.example`"
            }
            Self::Host(_) => {
                "use a host name or an IP address without a scheme, port or path, such as `gbac.example`"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(listen: &str, public_url: Option<&str>) -> PublicEndpoint {
        let options = PublicEndpointOptions {
            public_url: public_url.map(Into::into),
            ..PublicEndpointOptions::default()
        };
        PublicEndpoint::new(options, listen.parse().unwrap(), false).unwrap()
    }

    const FOREIGN: [&str; 19] = [
        "",
        "evil.example",
        "localhost.evil.example:8420",
        "127.0.0.1.nip.io",
        "[::1",
        "0.0.0.0",
        "gbac.example.evil",
        // Another program can read these as another host.
        "[::1]evil",
        "[::1]evil.example:8420",
        "[::1]:x",
        "[::1]8420",
        "[localhost]",
        "[127.0.0.1]",
        "127.0.0.1:x",
        "127.0.0.1:8420:1",
        "127.0.0.1:+80",
        "127.0.0.1:65536",
        "localhost:8420@evil.example",
        "gbac.example:8443/",
    ];

    #[test]
    fn on_loopback_only_loopback_names_are_accepted() {
        let endpoint = endpoint("127.0.0.1:8420", None);
        assert_eq!(
            (endpoint.url.as_str(), endpoint.is_reachable_remotely()),
            ("http://127.0.0.1:8420", false)
        );
        for host in [
            "localhost",
            "LOCALHOST:8420",
            "127.0.0.1:8420",
            "127.1.2.3",
            "127.0.0.1:",
            "[::1]",
            "[::1]:1",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(endpoint.accepts_host(host), "{host}");
        }
        for host in FOREIGN
            .into_iter()
            .chain(["10.0.0.1", "[::2]", "gbac.example"])
        {
            assert!(!endpoint.accepts_host(host), "{host}");
        }
    }

    #[test]
    fn the_public_name_and_the_listen_address_are_accepted() {
        let endpoint = endpoint("10.0.0.7:8420", Some("https://GBAC.example:8443/"));
        assert_eq!(
            (endpoint.url.as_str(), endpoint.is_reachable_remotely()),
            ("https://gbac.example:8443", true)
        );
        for host in [
            "gbac.example",
            "Gbac.Example:443",
            "10.0.0.7:8420",
            "127.0.0.1",
        ] {
            assert!(endpoint.accepts_host(host), "{host}");
        }
        for host in FOREIGN.into_iter().chain(["10.0.0.8", "[::2]"]) {
            assert!(!endpoint.accepts_host(host), "{host}");
        }
        let everywhere = self::endpoint("[::]:8420", None);
        for host in ["10.0.0.8", "[2001:db8::1]:8420"] {
            assert!(everywhere.accepts_host(host), "{host}");
        }
        for host in FOREIGN {
            assert!(!everywhere.accepts_host(host), "{host}");
        }
    }

    #[test]
    fn a_public_url_is_an_origin() {
        for text in [
            "gbac.example",
            "ftp://gbac.example",
            "https://gbac.example/x",
            "https://u@gbac.example",
            "https://",
        ] {
            let options = PublicEndpointOptions {
                public_url: Some(text.into()),
                ..PublicEndpointOptions::default()
            };
            PublicEndpoint::new(options, ([127, 0, 0, 1], 1).into(), true).expect_err(text);
        }
    }

    #[test]
    fn further_hosts_are_accepted() {
        let with = |host: &str| {
            let options = PublicEndpointOptions {
                public_hosts: vec![host.into()],
                ..PublicEndpointOptions::default()
            };
            PublicEndpoint::new(options, ([127, 0, 0, 1], 1).into(), true)
        };
        for (host, accepted) in [
            ("GBAC.example", "gbac.example:8443"),
            ("gbac", "gbac"),
            ("gbac_1.internal", "gbac_1.internal"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("10.0.0.8", "10.0.0.8:8420"),
            ("2001:db8::7", "[2001:db8::7]:8420"),
            ("[2001:db8::7]", "[2001:db8::7]"),
        ] {
            let endpoint = with(host).unwrap();
            assert!(endpoint.accepts_host(accepted), "{host}");
            assert!(
                FOREIGN.iter().all(|host| !endpoint.accepts_host(host)),
                "{host}"
            );
        }
        for host in [
            "",
            "gbac.example:8443",
            "https://gbac.example",
            "gbac.example/x",
            "*.gbac.example",
            "a b",
            "a,b",
        ] {
            let error = with(host).expect_err(host);
            assert_eq!(error.code(), "public_host", "{host}");
        }
    }
}

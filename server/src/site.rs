//! What the service is known as from outside: its cluster, its address, and the hosts that it answers for.

use std::net::{IpAddr, SocketAddr};

use url::Url;

use crate::serve::ServeError;

/// What the command line says about it.
#[derive(Debug, Clone, Default)]
pub struct SiteOptions {
    /// The id of the cluster; `None` answers for every id.
    pub cluster_id: Option<String>,
    /// Where clients find the service; `None` is where it listens.
    pub public_url: Option<String>,
}

/// What the service is known as.
#[derive(Debug)]
pub(crate) struct Site {
    /// The id of the cluster; `None` answers for every id.
    pub(crate) cluster_id: Option<String>,
    /// Where clients find the service, without a slash at the end; never taken from a request.
    pub(crate) url: String,
    /// Names that it answers for besides those of loopback, in lower case.
    names: Vec<String>,
    listen: IpAddr,
}

impl Site {
    /// # Errors
    /// The public address is not one of http or https, or has more than a host and a port.
    pub(crate) fn new(options: SiteOptions, listen: SocketAddr, tls: bool) -> Result<Self, ServeError> {
        let scheme = if tls { "https" } else { "http" };
        let (url, name) = match options.public_url {
            None => (format!("{scheme}://{listen}"), None),
            Some(text) => {
                let bad = || ServeError::PublicUrl(text.clone());
                let url = Url::parse(&text).map_err(|_| bad())?;
                let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
                let named = url.username().is_empty() && url.password().is_none();
                if !matches!(url.scheme(), "http" | "https") || !bare || !named {
                    return Err(bad());
                }
                let name = url.host_str().ok_or_else(bad)?.to_ascii_lowercase();
                (url.as_str().trim_end_matches('/').to_owned(), Some(name))
            }
        };
        let names = name.into_iter().map(|name| name.trim_matches(['[', ']']).to_owned()).collect();
        Ok(Self { cluster_id: options.cluster_id, url, names, listen: listen.ip() })
    }

    /// Whether somebody on another machine may reach it.
    pub(crate) fn is_open(&self) -> bool {
        !self.listen.to_canonical().is_loopback()
    }

    /// Whether it answers for the host of a request. A page whose own name was pointed here (DNS rebinding) asks for that
    /// name and is refused; an address is nobody's name.
    pub(crate) fn answers_for(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.split_once(']').map_or("", |(name, _)| name),
            None => host.split(':').next().unwrap_or_default(),
        };
        let address = name.parse::<IpAddr>().map(|address| address.to_canonical());
        name.eq_ignore_ascii_case("localhost")
            || self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
            || address.is_ok_and(|address| {
                address.is_loopback()
                    || address == self.listen.to_canonical()
                    || (self.listen.is_unspecified() && !address.is_unspecified())
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(listen: &str, public_url: Option<&str>) -> Site {
        let options = SiteOptions { cluster_id: None, public_url: public_url.map(Into::into) };
        Site::new(options, listen.parse().unwrap(), false).unwrap()
    }

    const FOREIGN: [&str; 7] =
        ["", "evil.example", "localhost.evil.example:8420", "127.0.0.1.nip.io", "[::1", "0.0.0.0", "gbac.example.evil"];

    #[test]
    fn only_loopback_names_are_ours_on_loopback() {
        let site = site("127.0.0.1:8420", None);
        assert_eq!((site.url.as_str(), site.is_open()), ("http://127.0.0.1:8420", false));
        for host in ["localhost", "LOCALHOST:8420", "127.0.0.1:8420", "127.1.2.3", "[::1]:1", "[::ffff:127.0.0.1]"] {
            assert!(site.answers_for(host), "{host}");
        }
        for host in FOREIGN.into_iter().chain(["10.0.0.1", "[::2]", "gbac.example"]) {
            assert!(!site.answers_for(host), "{host}");
        }
    }

    #[test]
    fn the_public_name_and_the_listen_address_are_ours() {
        let site = site("10.0.0.7:8420", Some("https://GBAC.example:8443/"));
        assert_eq!((site.url.as_str(), site.is_open()), ("https://gbac.example:8443", true));
        for host in ["gbac.example", "Gbac.Example:443", "10.0.0.7:8420", "127.0.0.1"] {
            assert!(site.answers_for(host), "{host}");
        }
        for host in FOREIGN.into_iter().chain(["10.0.0.8", "[::2]"]) {
            assert!(!site.answers_for(host), "{host}");
        }
        let everywhere = self::site("[::]:8420", None);
        for host in ["10.0.0.8", "[2001:db8::1]:8420"] {
            assert!(everywhere.answers_for(host), "{host}");
        }
        for host in FOREIGN {
            assert!(!everywhere.answers_for(host), "{host}");
        }
    }

    #[test]
    fn a_public_address_is_a_host_and_no_more() {
        for text in
            ["gbac.example", "ftp://gbac.example", "https://gbac.example/x", "https://u@gbac.example", "https://"]
        {
            let options = SiteOptions { cluster_id: None, public_url: Some(text.into()) };
            let error = Site::new(options, ([127, 0, 0, 1], 1).into(), true).unwrap_err();
            assert_eq!(error.code(), "public_url", "{text}");
        }
    }
}

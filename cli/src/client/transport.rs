//! Why there is no connection to a service: what names, addresses, proxies and certificates can get
//! wrong.

use std::error::Error;
use std::fmt;

/// Why there is no connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unreachable {
    /// No host has this name.
    UnknownHost,
    /// The name server does not respond.
    NameServer,
    /// The certificate, or the handshake.
    Tls(TlsFailure),
    /// The connection was closed before a response.
    Closed,
    /// The response is not HTTP, for example because the port expects TLS.
    NotHttp,
    /// The proxy with this address.
    Proxy(String, ProxyFailure),
    /// Any other reason, as the system states it.
    Other(String),
}

/// What is wrong with a proxy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProxyFailure {
    /// There is no connection to it, as the system states the reason.
    Unreachable(String),
    /// It requires credentials.
    Credentials,
    /// It does not connect to the service.
    Refused,
    /// Its response is none of a proxy.
    NotAProxy,
}

/// What is wrong with the certificate or the handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TlsFailure {
    UnknownIssuer,
    OtherName,
    Expired,
    NotYetValid,
    Revoked,
    /// An authority's certificate, or one that was signed wrongly.
    NotOfAServer,
    /// The service asks for a certificate, and there was none.
    ClientCertificateMissing,
    /// The service does not accept the certificate of the caller.
    ClientCertificateRefused,
    /// The other side does not speak TLS.
    NotTls,
    /// No version or cipher in common.
    NoCommonVersion,
    /// Anything else.
    Handshake,
}

impl Unreachable {
    /// Reads the reason from the messages of an error and its sources. `proxy` is the address of
    /// the proxy, if there is one.
    pub(crate) fn from_error(error: &dyn Error, proxy: Option<&str>) -> Self {
        let mut messages = vec![error.to_string()];
        let mut cause = error;
        while let Some(inner) = cause.source() {
            messages.push(inner.to_string());
            cause = inner;
        }
        let all = messages.join("; ").to_ascii_lowercase();
        // Only the innermost message is specific.
        let last = messages.pop().unwrap_or_default();
        let has = |part: &str| all.contains(part);
        if let (Some(proxy), Some(failure)) = (proxy, ProxyFailure::from_messages(&all, &last)) {
            return Self::Proxy(proxy.to_owned(), failure);
        }
        if let Some(failure) = TlsFailure::from_messages(&all) {
            return Self::Tls(failure);
        }
        if has("temporary failure in name resolution") || has("try again") {
            return Self::NameServer;
        }
        if has("failed to lookup address") || has("dns error") || has("no such host") {
            return Self::UnknownHost;
        }
        if has("invalid http version") || has("invalid http header") {
            return Self::NotHttp;
        }
        if has("connection closed before message completed")
            || has("incompletemessage")
            || has("connection reset")
        {
            return Self::Closed;
        }
        Self::Other(without_number(&last))
    }

    /// The recommended action.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::UnknownHost => "; check the name in --url or GBAC_URL",
            Self::NameServer => "; check the network of this machine, and try again",
            Self::Closed | Self::NotHttp => "; check whether --url or GBAC_URL needs https",
            Self::Tls(failure) => failure.hint(),
            Self::Proxy(_, failure) => failure.hint(),
            Self::Other(_) => {
                "; check that the service is running, and set its URL with --url or GBAC_URL"
            }
        }
    }
}

/// The message of the system without its number.
fn without_number(message: &str) -> String {
    message
        .split(" (os error")
        .next()
        .unwrap_or_default()
        .to_owned()
}

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Proxy(proxy, failure) = self {
            return match failure {
                ProxyFailure::Unreachable(reason) => {
                    write!(f, "there is no connection to the proxy {proxy}: {reason}")
                }
                ProxyFailure::Credentials => write!(f, "the proxy {proxy} requires credentials"),
                ProxyFailure::Refused => write!(f, "the proxy {proxy} does not connect to it"),
                ProxyFailure::NotAProxy => write!(f, "{proxy} does not respond as a proxy"),
            };
        }
        f.write_str(match self {
            Self::UnknownHost => "no host has this name",
            Self::NameServer => "the name server does not respond",
            Self::Closed => "it closed the connection without a response",
            Self::NotHttp => "it does not speak HTTP on this port",
            Self::Tls(failure) => failure.label(),
            Self::Other(text) => text,
            Self::Proxy(..) => "",
        })
    }
}

impl ProxyFailure {
    fn from_messages(all: &str, last: &str) -> Option<Self> {
        let (_, reason) = all.split_once("tunnel error: ")?;
        Some(match reason {
            reason if reason.starts_with("failed to create underlying connection") => {
                Self::Unreachable(without_number(last))
            }
            reason if reason.starts_with("proxy authorization required") => Self::Credentials,
            reason if reason.starts_with("unsuccessful") => Self::Refused,
            _ => Self::NotAProxy,
        })
    }

    const fn hint(&self) -> &'static str {
        match self {
            Self::Unreachable(_) | Self::NotAProxy => {
                "; check HTTPS_PROXY, or add the host of the service to NO_PROXY"
            }
            Self::Credentials => "; write them into HTTPS_PROXY: http://USER:PASSWORD@HOST:PORT",
            Self::Refused => {
                "; check --url or GBAC_URL and the proxy's rules, or add the host of the service to NO_PROXY"
            }
        }
    }
}

impl TlsFailure {
    fn from_messages(all: &str) -> Option<Self> {
        let table = [
            ("unknownissuer", Self::UnknownIssuer),
            ("unknown ca", Self::UnknownIssuer),
            ("notvalidforname", Self::OtherName),
            ("not valid for name", Self::OtherName),
            ("certificate expired", Self::Expired),
            ("certificate: expired", Self::Expired),
            ("not valid yet", Self::NotYetValid),
            ("notvalidyet", Self::NotYetValid),
            ("peer certificate: revoked", Self::Revoked),
            ("causedasendentity", Self::NotOfAServer),
            ("certificaterequired", Self::ClientCertificateMissing),
            ("alert: badcertificate", Self::ClientCertificateRefused),
            ("alert: unknownca", Self::ClientCertificateRefused),
            ("alert: certificateunknown", Self::ClientCertificateRefused),
            ("alert: certificateexpired", Self::ClientCertificateRefused),
            ("alert: certificaterevoked", Self::ClientCertificateRefused),
            (
                "alert: unsupportedcertificate",
                Self::ClientCertificateRefused,
            ),
            ("alert: accessdenied", Self::ClientCertificateRefused),
            // The signature of the certificate is not one of the authority.
            ("alert: decrypterror", Self::ClientCertificateRefused),
            ("invalidcontenttype", Self::NotTls),
            ("corrupt message", Self::NotTls),
            ("protocolversion", Self::NoCommonVersion),
            ("handshakefailure", Self::NoCommonVersion),
            ("peer is incompatible", Self::NoCommonVersion),
            ("invalid peer certificate", Self::NotOfAServer),
            ("received fatal alert", Self::Handshake),
            ("tls handshake", Self::Handshake),
        ];
        table
            .into_iter()
            .find(|(part, _)| all.contains(part))
            .map(|(_, failure)| failure)
    }

    const fn label(self) -> &'static str {
        match self {
            Self::UnknownIssuer => {
                "this machine does not trust the authority that signed its certificate"
            }
            Self::OtherName => "its certificate is for another host name",
            Self::Expired => "its certificate has expired",
            Self::NotYetValid => "its certificate is not valid yet",
            Self::Revoked => "its certificate was revoked",
            Self::NotOfAServer => "its certificate is not one of a server",
            Self::ClientCertificateMissing => "it requires a client certificate",
            Self::ClientCertificateRefused => "it does not accept the client certificate",
            Self::NotTls => "it does not speak TLS on this port",
            Self::NoCommonVersion => "it supports no version of TLS that this program supports",
            Self::Handshake => "the TLS handshake failed",
        }
    }

    const fn hint(self) -> &'static str {
        match self {
            Self::UnknownIssuer => {
                "; name the certificate of the authority with --tls-ca or GBAC_TLS_CA"
            }
            Self::OtherName => "; use the name in the certificate in --url or GBAC_URL",
            Self::Expired | Self::Revoked => "; renew the certificate of the service",
            Self::NotYetValid => "; check the clocks of both machines",
            Self::NotOfAServer => "; give the service a certificate with its host name",
            Self::ClientCertificateMissing => "; pass --tls-cert and --tls-key",
            Self::ClientCertificateRefused => {
                "; check --tls-cert, and which authorities the service accepts"
            }
            Self::NotTls => "; check the port in --url or GBAC_URL, and whether it needs http",
            Self::NoCommonVersion => "; the service needs TLS 1.2 or 1.3",
            Self::Handshake => "; check the log of the service",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Chain(&'static str, Option<Box<Chain>>);

    impl fmt::Display for Chain {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Chain {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1
                .as_ref()
                .map(|inner| inner.as_ref() as &(dyn Error + 'static))
        }
    }

    #[test]
    fn a_reason_is_said_in_plain_words() {
        for (message, reason) in [
            (
                "invalid peer certificate: UnknownIssuer",
                Unreachable::Tls(TlsFailure::UnknownIssuer),
            ),
            (
                "invalid peer certificate: certificate not valid for name \"a\"",
                Unreachable::Tls(TlsFailure::OtherName),
            ),
            (
                "invalid peer certificate: certificate expired: verification time",
                Unreachable::Tls(TlsFailure::Expired),
            ),
            (
                "invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))",
                Unreachable::Tls(TlsFailure::NotOfAServer),
            ),
            (
                "received fatal alert: CertificateRequired",
                Unreachable::Tls(TlsFailure::ClientCertificateMissing),
            ),
            (
                "received corrupt message of type InvalidContentType",
                Unreachable::Tls(TlsFailure::NotTls),
            ),
            (
                "failed to lookup address information: Name or service not known",
                Unreachable::UnknownHost,
            ),
            (
                "failed to lookup address information: Temporary failure in name resolution",
                Unreachable::NameServer,
            ),
            (
                "connection closed before message completed",
                Unreachable::Closed,
            ),
            ("invalid HTTP version parsed", Unreachable::NotHttp),
            (
                "tunnel error: unsuccessful",
                Unreachable::Proxy("proxy.example:3128".into(), ProxyFailure::Refused),
            ),
            (
                "tunnel error: unexpected end of file",
                Unreachable::Proxy("proxy.example:3128".into(), ProxyFailure::NotAProxy),
            ),
            (
                "Connection refused (os error 111)",
                Unreachable::Other("Connection refused".into()),
            ),
        ] {
            let error = Chain(
                "error sending request",
                Some(Box::new(Chain(message, None))),
            );
            assert_eq!(
                Unreachable::from_error(&error, Some("proxy.example:3128")),
                reason,
                "{message}"
            );
            let words = format!("{reason}{}", reason.hint());
            for internal in [
                "UnknownIssuer",
                "OtherError",
                "InvalidContentType",
                "os error",
            ] {
                assert!(!words.contains(internal), "{words}");
            }
        }
    }
}

//! Why there is no connection to a service: what names, addresses, proxies and certificates can get
//! wrong.

use std::error::Error;
use std::{fmt, io};

use hyper::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use rustls::{AlertDescription, CertificateError};
use tower::Service;

use crate::output::without_number;

/// What goes wrong at a proxy; `hyper-util` does not export its name.
type TunnelError = <Tunnel<HttpConnector> as Service<Uri>>::Error;

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
    /// Reads the reason from the types of an error and its causes. `proxy` is the address of the
    /// proxy, if there is one.
    pub(crate) fn from_error(error: &(dyn Error + 'static), proxy: Option<&str>) -> Self {
        let causes = causes(error);
        if let (Some(proxy), Some(error)) = (proxy, first::<TunnelError>(&causes)) {
            return Self::Proxy(proxy.to_owned(), ProxyFailure::from_error(error));
        }
        if let Some(error) = first::<rustls::Error>(&causes) {
            return Self::Tls(TlsFailure::from_error(error));
        }
        let after_connecting = first::<hyper::Error>(&causes);
        if let Some(error) = after_connecting {
            if error.is_parse() && !error.is_parse_too_large() {
                return Self::NotHttp;
            }
            if error.is_incomplete_message() {
                return Self::Closed;
            }
        }
        match first::<io::Error>(&causes).map(io::Error::kind) {
            Some(io::ErrorKind::ConnectionReset) => return Self::Closed,
            Some(io::ErrorKind::UnexpectedEof) if after_connecting.is_some() => {
                return Self::Closed;
            }
            Some(io::ErrorKind::UnexpectedEof) => return Self::Tls(TlsFailure::Handshake),
            _ => {}
        }
        Self::from_lookup(&causes).unwrap_or_else(|| Self::Other(root_cause(error)))
    }

    /// Why a name has no address. Only messages tell, because neither `hyper-util` nor the standard
    /// library has a type for it. glibc and musl have different words for a temporary failure.
    fn from_lookup(causes: &[&(dyn Error + 'static)]) -> Option<Self> {
        let messages: Vec<String> = causes.iter().map(ToString::to_string).collect();
        if !messages.iter().any(|message| message == "dns error") {
            return None;
        }
        let last = messages.last()?;
        if last.ends_with("Temporary failure in name resolution") || last.ends_with("Try again") {
            return Some(Self::NameServer);
        }
        Some(Self::UnknownHost)
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

/// The innermost message of an error, which alone is specific.
pub(crate) fn root_cause(error: &(dyn Error + 'static)) -> String {
    let causes = causes(error);
    let innermost = causes.last().copied().unwrap_or(error);
    without_number(&innermost.to_string()).to_owned()
}

/// An error and its causes, the outermost first.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> Vec<&'a (dyn Error + 'static)> {
    let mut causes = vec![error];
    let mut outer = error;
    while let Some(inner) = cause(outer) {
        causes.push(inner);
        outer = inner;
    }
    causes
}

/// The cause of an error. What an I/O error wraps is not its source.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref)
    {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}

/// The outermost cause of a type.
fn first<'a, E: Error + 'static>(causes: &[&'a (dyn Error + 'static)]) -> Option<&'a E> {
    causes.iter().find_map(|cause| cause.downcast_ref())
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
    fn from_error(error: &TunnelError) -> Self {
        match error {
            TunnelError::ConnectFailed(_) => Self::Unreachable(root_cause(error)),
            TunnelError::ProxyAuthRequired => Self::Credentials,
            TunnelError::TunnelUnsuccessful => Self::Refused,
            _ => Self::NotAProxy,
        }
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
    const fn from_error(error: &rustls::Error) -> Self {
        match error {
            rustls::Error::InvalidCertificate(error) => Self::from_certificate(error),
            rustls::Error::AlertReceived(alert) => Self::from_alert(*alert),
            rustls::Error::InvalidMessage(_) => Self::NotTls,
            rustls::Error::PeerIncompatible(_) => Self::NoCommonVersion,
            _ => Self::Handshake,
        }
    }

    const fn from_certificate(error: &CertificateError) -> Self {
        match error {
            CertificateError::UnknownIssuer => Self::UnknownIssuer,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                Self::OtherName
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => Self::Expired,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                Self::NotYetValid
            }
            CertificateError::Revoked => Self::Revoked,
            _ => Self::NotOfAServer,
        }
    }

    const fn from_alert(alert: AlertDescription) -> Self {
        match alert {
            AlertDescription::CertificateRequired => Self::ClientCertificateMissing,
            // After `DecryptError`, the signature is not one of the certificate's authority.
            AlertDescription::BadCertificate
            | AlertDescription::UnknownCA
            | AlertDescription::CertificateUnknown
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateRevoked
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::AccessDenied
            | AlertDescription::DecryptError => Self::ClientCertificateRefused,
            AlertDescription::ProtocolVersion | AlertDescription::HandshakeFailure => {
                Self::NoCommonVersion
            }
            _ => Self::Handshake,
        }
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
    use std::sync::Arc;

    use rustls::{InvalidMessage, OtherError, PeerIncompatible, PeerMisbehaved};

    use super::*;

    #[derive(Debug)]
    struct Outer(&'static str, Box<dyn Error>);

    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&*self.1)
        }
    }

    fn reason(inner: impl Into<Box<dyn Error>>) -> Unreachable {
        let error = Outer("error sending request", inner.into());
        let reason = Unreachable::from_error(&error, Some("proxy.example:3128"));
        let words = format!("{reason}{}", reason.hint());
        for internal in [
            "sending request",
            "UnknownIssuer",
            "OtherError",
            "InvalidContentType",
            "os error",
        ] {
            assert!(!words.contains(internal), "{words}");
        }
        reason
    }

    #[test]
    fn a_failure_of_tls_is_said_in_plain_words() {
        let certificate = rustls::Error::InvalidCertificate;
        let alert = rustls::Error::AlertReceived;
        let not_an_authority = io::Error::other("CaUsedAsEndEntity");
        for (error, failure) in [
            (
                certificate(CertificateError::UnknownIssuer),
                TlsFailure::UnknownIssuer,
            ),
            (
                certificate(CertificateError::NotValidForName),
                TlsFailure::OtherName,
            ),
            (certificate(CertificateError::Expired), TlsFailure::Expired),
            (
                certificate(CertificateError::NotValidYet),
                TlsFailure::NotYetValid,
            ),
            (certificate(CertificateError::Revoked), TlsFailure::Revoked),
            (
                certificate(CertificateError::Other(OtherError(Arc::new(
                    not_an_authority,
                )))),
                TlsFailure::NotOfAServer,
            ),
            (
                alert(AlertDescription::CertificateRequired),
                TlsFailure::ClientCertificateMissing,
            ),
            (
                alert(AlertDescription::DecryptError),
                TlsFailure::ClientCertificateRefused,
            ),
            (
                alert(AlertDescription::ProtocolVersion),
                TlsFailure::NoCommonVersion,
            ),
            (
                alert(AlertDescription::InternalError),
                TlsFailure::Handshake,
            ),
            (
                rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType),
                TlsFailure::NotTls,
            ),
            (
                rustls::Error::PeerIncompatible(PeerIncompatible::Tls12NotOffered),
                TlsFailure::NoCommonVersion,
            ),
            (
                rustls::Error::PeerMisbehaved(PeerMisbehaved::TooManyEmptyFragments),
                TlsFailure::Handshake,
            ),
        ] {
            let message = error.to_string();
            let wrapped = io::Error::new(io::ErrorKind::InvalidData, error);
            assert_eq!(reason(wrapped), Unreachable::Tls(failure), "{message}");
        }
        assert_eq!(
            reason(io::Error::from(io::ErrorKind::UnexpectedEof)),
            Unreachable::Tls(TlsFailure::Handshake)
        );
    }

    #[test]
    fn a_failure_of_a_proxy_is_said_in_plain_words() {
        let refused = || Box::new(io::Error::other("Connection refused (os error 111)"));
        for (error, failure) in [
            (TunnelError::TunnelUnsuccessful, ProxyFailure::Refused),
            (TunnelError::ProxyAuthRequired, ProxyFailure::Credentials),
            (TunnelError::TunnelUnexpectedEof, ProxyFailure::NotAProxy),
            (
                TunnelError::ConnectFailed(refused()),
                ProxyFailure::Unreachable("Connection refused".into()),
            ),
        ] {
            let expected = Unreachable::Proxy("proxy.example:3128".into(), failure);
            assert_eq!(reason(error), expected);
        }
    }

    #[test]
    fn a_name_without_an_address_and_a_closed_port_are_said_in_plain_words() {
        for (message, expected) in [
            ("Name or service not known", Unreachable::UnknownHost),
            (
                "Temporary failure in name resolution",
                Unreachable::NameServer,
            ),
        ] {
            let system = format!("failed to lookup address information: {message}");
            let lookup = Outer("dns error", io::Error::other(system).into());
            assert_eq!(reason(lookup), expected);
        }
        assert_eq!(
            reason(io::Error::from(io::ErrorKind::ConnectionReset)),
            Unreachable::Closed
        );
        assert_eq!(
            reason(io::Error::other("Connection refused (os error 111)")),
            Unreachable::Other("Connection refused".into())
        );
    }
}

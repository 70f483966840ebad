//! TLS: the certificate and private key of the service.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The files for TLS, in PEM format.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The certificate chain, beginning with the certificate of the service.
    pub cert: PathBuf,
    /// The private key of the certificate.
    pub key: PathBuf,
}

/// Why the files for TLS cannot be used.
#[derive(Debug)]
pub enum TlsError {
    /// The certificates cannot be read.
    Cert(PathBuf, rustls::pki_types::pem::Error),
    /// The file contains no certificate.
    NoCert(PathBuf),
    /// The key cannot be read.
    Key(PathBuf, rustls::pki_types::pem::Error),
    /// The certificate and the key do not match, or are not supported.
    Pair(rustls::Error),
}

impl TlsError {
    /// The stable code of the error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Cert(..) | Self::NoCert(_) => "tls_cert",
            Self::Key(..) => "tls_key",
            Self::Pair(_) => "tls_pair",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Cert(..) | Self::NoCert(_) => "use a PEM file that contains `BEGIN CERTIFICATE` for `--tls-cert`",
            Self::Key(..) => "use a PEM file that contains `BEGIN PRIVATE KEY` for `--tls-key`",
            Self::Pair(_) => "use a certificate and its own private key",
        }
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cert(path, error) => write!(f, "cannot read the certificate `{}`: {error}", path.display()),
            Self::NoCert(path) => write!(f, "`{}` contains no certificate", path.display()),
            Self::Key(path, error) => write!(f, "cannot read the key `{}`: {error}", path.display()),
            Self::Pair(error) => write!(f, "the certificate and the key cannot be used: {error}"),
        }
    }
}

impl std::error::Error for TlsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Cert(_, error) | Self::Key(_, error) => Some(error),
            Self::Pair(error) => Some(error),
            Self::NoCert(_) => None,
        }
    }
}

/// The configuration for TLS 1.2 and 1.3 with these files, for HTTP/2 and HTTP/1.1.
///
/// # Errors
/// See [`TlsError`].
pub(crate) fn config(files: &TlsFiles) -> Result<Arc<ServerConfig>, TlsError> {
    let unreadable = |error| TlsError::Cert(files.cert.clone(), error);
    let certs: Vec<_> = CertificateDer::pem_file_iter(&files.cert)
        .map_err(unreadable)?
        .collect::<Result<_, _>>()
        .map_err(unreadable)?;
    if certs.is_empty() {
        return Err(TlsError::NoCert(files.cert.clone()));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| TlsError::Key(files.key.clone(), error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(certs, key))
        .map_err(TlsError::Pair)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

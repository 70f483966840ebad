//! TLS: the certificate and private key of the service.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use thiserror::Error;

/// The files for TLS, in PEM format.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The certificate chain, beginning with the certificate of the service.
    pub cert: PathBuf,
    /// The private key of the certificate.
    pub key: PathBuf,
}

/// Why the files for TLS cannot be used.
#[derive(Debug, Error)]
pub enum TlsError {
    /// The certificates cannot be read.
    #[error("cannot read the certificate `{file}`: {error}", file = .0.display(), error = .1)]
    Cert(PathBuf, #[source] rustls::pki_types::pem::Error),
    /// The file contains no certificate.
    #[error("`{}` contains no certificate", .0.display())]
    NoCert(PathBuf),
    /// The key cannot be read.
    #[error("cannot read the key `{file}`: {error}", file = .0.display(), error = .1)]
    Key(PathBuf, #[source] rustls::pki_types::pem::Error),
    /// The certificate and the key do not match, or are not supported.
    #[error("the certificate and the key cannot be used: {0}")]
    Pair(#[source] rustls::Error),
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

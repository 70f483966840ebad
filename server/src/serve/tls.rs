//! TLS: the certificate and private key of the service, and their replacement while it runs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use thiserror::Error;
use tokio::sync::watch;
use tokio::time::interval;

/// The interval at which the files are checked for changes.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_secs(10);

/// The maximum size of each of them.
const MAX_PEM_BYTES: u64 = 1 << 20;

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
    Cert(PathBuf, #[source] pem::Error),
    /// The file contains no certificate.
    #[error("`{}` contains no certificate", .0.display())]
    NoCert(PathBuf),
    /// The key cannot be read.
    #[error("cannot read the key `{file}`: {error}", file = .0.display(), error = .1)]
    Key(PathBuf, #[source] pem::Error),
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
            Self::Cert(..) | Self::NoCert(_) => {
                "use a PEM file that contains `BEGIN CERTIFICATE` for `--tls-cert`"
            }
            Self::Key(..) => "use a PEM file that contains `BEGIN PRIVATE KEY` for `--tls-key`",
            Self::Pair(_) => "use a certificate and its own private key",
        }
    }
}

/// The certificate and key that are in use, which are replaced when their files change.
pub(crate) struct Certificate {
    files: TlsFiles,
    /// The content of the files when they were last read, or why they could not be.
    seen: Result<Content, String>,
    config: watch::Sender<Arc<ServerConfig>>,
}

/// The bytes of the certificate and of the key.
#[derive(PartialEq, Eq)]
struct Content {
    cert: Vec<u8>,
    key: Vec<u8>,
}

impl Certificate {
    /// The certificate and key of these files.
    ///
    /// # Errors
    /// See [`TlsError`].
    pub(crate) fn open(files: TlsFiles) -> Result<Self, TlsError> {
        let content = Content::read(&files)?;
        let config = watch::Sender::new(content.config(&files)?);
        Ok(Self {
            files,
            seen: Ok(content),
            config,
        })
    }

    /// The configuration for new connections, now and after each change.
    pub(crate) fn config(&self) -> watch::Receiver<Arc<ServerConfig>> {
        self.config.subscribe()
    }

    /// Reads the files again, and uses them for new connections if they have changed. Files that
    /// cannot be used change nothing; they are logged once.
    fn reload(&mut self) {
        let read = Content::read(&self.files).map_err(|error| error.to_string());
        if read == self.seen {
            return;
        }
        let config = match &read {
            Ok(content) => content
                .config(&self.files)
                .map_err(|error| error.to_string()),
            Err(error) => Err(error.clone()),
        };
        match config {
            Ok(config) => {
                self.config.send_replace(config);
                tracing::info!(target: "main", "TLS certificate replaced");
            }
            Err(error) => {
                tracing::error!(target: "main", error, "TLS certificate not replaced; the last one stays in use");
            }
        }
        self.seen = read;
    }

    /// Reloads the files at intervals and at each signal, for as long as the service runs.
    pub(crate) async fn keep_fresh(mut self, mut requested: ReloadSignal, checked_every: Duration) {
        let mut ticks = interval(checked_every);
        ticks.tick().await;
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                () = requested.received() => {}
            }
            // Reading from a disk may block.
            let reloaded = tokio::task::spawn_blocking(move || {
                self.reload();
                self
            });
            match reloaded.await {
                Ok(certificate) => self = certificate,
                Err(error) => {
                    tracing::error!(target: "main", %error, "TLS certificates are no longer reloaded");
                    return;
                }
            }
        }
    }
}

/// The signal to reload the certificate: SIGHUP. Without TLS, that signal ends the process.
pub(crate) struct ReloadSignal(#[cfg(unix)] tokio::signal::unix::Signal);

impl ReloadSignal {
    /// Signals from now on.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(
            #[cfg(unix)]
            tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup())?,
        ))
    }

    async fn received(&mut self) {
        #[cfg(unix)]
        if self.0.recv().await.is_some() {
            return;
        }
        std::future::pending::<()>().await;
    }
}

impl Content {
    fn read(files: &TlsFiles) -> Result<Self, TlsError> {
        let cert = read_pem(&files.cert)
            .map_err(|error| TlsError::Cert(files.cert.clone(), pem::Error::Io(error)))?;
        let key = read_pem(&files.key)
            .map_err(|error| TlsError::Key(files.key.clone(), pem::Error::Io(error)))?;
        Ok(Self { cert, key })
    }

    /// The configuration for TLS 1.2 and 1.3, for HTTP/2 and HTTP/1.1.
    fn config(&self, files: &TlsFiles) -> Result<Arc<ServerConfig>, TlsError> {
        let certs: Vec<_> = CertificateDer::pem_slice_iter(&self.cert)
            .collect::<Result<_, _>>()
            .map_err(|error| TlsError::Cert(files.cert.clone(), error))?;
        if certs.is_empty() {
            return Err(TlsError::NoCert(files.cert.clone()));
        }
        let key = PrivateKeyDer::from_pem_slice(&self.key)
            .map_err(|error| TlsError::Key(files.key.clone(), error))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(certs, key))
            .map_err(TlsError::Pair)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}

/// Reads a regular file of a usual size. Another one, such as a pipe, may never end.
fn read_pem(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    if metadata.len() > MAX_PEM_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("it is larger than {MAX_PEM_BYTES} bytes"),
        ));
    }
    fs::read(path)
}

#[cfg(test)]
mod tests {
    use rcgen::{CertifiedKey, generate_simple_self_signed};

    use super::*;

    fn write_new(files: &TlsFiles) {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(&files.cert, cert.pem()).unwrap();
        fs::write(&files.key, signing_key.serialize_pem()).unwrap();
    }

    fn files(folder: &Path) -> TlsFiles {
        let files = TlsFiles {
            cert: folder.join("cert.pem"),
            key: folder.join("key.pem"),
        };
        write_new(&files);
        files
    }

    #[test]
    fn only_usable_files_replace_the_certificate() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let mut certificate = Certificate::open(files.clone()).unwrap();
        let mut config = certificate.config();
        let mut is_replaced = |certificate: &mut Certificate| {
            certificate.reload();
            let is_replaced = config.has_changed().unwrap();
            config.mark_unchanged();
            is_replaced
        };
        assert!(!is_replaced(&mut certificate), "nothing has changed");
        let old_key = fs::read(&files.key).unwrap();
        write_new(&files);
        assert!(is_replaced(&mut certificate));
        let new_key = fs::read(&files.key).unwrap();
        for broken in [&b""[..], b"-----BEGIN PRIVATE KEY-----\n", &old_key] {
            fs::write(&files.key, broken).unwrap();
            assert!(!is_replaced(&mut certificate), "a key that does not fit");
        }
        fs::remove_file(&files.cert).unwrap();
        assert!(!is_replaced(&mut certificate));
        fs::create_dir(&files.cert).unwrap();
        assert!(!is_replaced(&mut certificate), "a folder");
        fs::remove_dir(&files.cert).unwrap();
        fs::write(&files.cert, " ".repeat(2 << 20)).unwrap();
        assert!(!is_replaced(&mut certificate), "2 MiB");
        write_new(&files);
        assert!(is_replaced(&mut certificate), "after an error too");
        fs::write(&files.key, &new_key).unwrap();
        assert!(!is_replaced(&mut certificate));
    }

    #[tokio::test(start_paused = true)]
    async fn changed_files_are_found_without_a_request() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let certificate = Certificate::open(files.clone()).unwrap();
        let mut config = certificate.config();
        let fresh =
            tokio::spawn(certificate.keep_fresh(ReloadSignal::new().unwrap(), CHECK_INTERVAL));
        write_new(&files);
        config.changed().await.unwrap();
        fresh.abort();
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_signal_reloads_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let certificate = Certificate::open(files.clone()).unwrap();
        let mut config = certificate.config();
        let signal = ReloadSignal::new().unwrap();
        let fresh = tokio::spawn(certificate.keep_fresh(signal, Duration::from_secs(86_400)));
        write_new(&files);
        let sent = std::process::Command::new("kill")
            .args(["-HUP", &std::process::id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        config.changed().await.unwrap();
        fresh.abort();
    }
}

//! Certificates of the flags: the authority that is trusted, and the caller's own.

use std::path::Path;

use reqwest::{Certificate, ClientBuilder, Identity};

use crate::args::online::TlsArgs;
use crate::input;
use crate::output::{Failure, plain};

/// A client with the certificates of the flags, or of the environment.
pub(super) fn configured(client: ClientBuilder, args: &TlsArgs) -> Result<ClientBuilder, Failure> {
    let of_environment = || std::env::var_os("GBAC_TLS_CA").filter(|name| !name.is_empty()).map(Into::into);
    let client = match args.tls_ca.clone().or_else(of_environment) {
        Some(path) => client.tls_certs_only(authorities(&path)?),
        None => client,
    };
    match (&args.tls_cert, &args.tls_key) {
        (Some(certificate), Some(key)) => Ok(client.identity(identity(certificate, key)?)),
        _ => Ok(client),
    }
}

fn authorities(path: &Path) -> Result<Vec<Certificate>, Failure> {
    let invalid = || invalid("--tls-ca, GBAC_TLS_CA", path, "it has no certificate in PEM");
    let certificates = Certificate::from_pem_bundle(input::small_text(path)?.as_bytes()).map_err(|_| invalid())?;
    if certificates.is_empty() { Err(invalid()) } else { Ok(certificates) }
}

fn identity(certificate: &Path, key: &Path) -> Result<Identity, Failure> {
    let (certificate_text, key_text) = (input::small_text(certificate)?, input::secret(key)?);
    // The parser looks for the parts in any order.
    Identity::from_pem(format!("{key_text}\n{certificate_text}").as_bytes())
        .map_err(|_| invalid("--tls-cert, --tls-key", certificate, "with its key, it is not a certificate in PEM"))
}

fn invalid(flags: &str, path: &Path, problem: &str) -> Failure {
    let file = plain(&path.display().to_string());
    Failure::new(
        "certificate_invalid",
        format!("{flags}: {file}: {problem}; export it as `-----BEGIN CERTIFICATE-----`"),
    )
}

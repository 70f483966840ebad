//! Certificates of the flags: the authority that is trusted, and the caller's own.

use std::path::Path;

use reqwest::{Certificate, ClientBuilder, Identity};

use super::connection::TlsArgs;
use crate::input;
use crate::output::{Failure, plain};
use crate::process::Process;

/// A client with the certificates of the flags, or of the environment.
pub(super) fn configured(
    process: &Process,
    client: ClientBuilder,
    args: &TlsArgs,
) -> Result<ClientBuilder, Failure> {
    let client = match args
        .tls_ca
        .clone()
        .or_else(|| process.path_variable("GBAC_TLS_CA"))
    {
        Some(path) => client.tls_certs_only(authorities(process, &path)?),
        None => client,
    };
    match (&args.tls_cert, &args.tls_key) {
        (Some(certificate), Some(key)) => Ok(client.identity(identity(process, certificate, key)?)),
        _ => Ok(client),
    }
}

fn authorities(process: &Process, path: &Path) -> Result<Vec<Certificate>, Failure> {
    let invalid = || {
        invalid(
            "--tls-ca, GBAC_TLS_CA",
            path,
            "it has no certificate in PEM",
        )
    };
    let certificates = Certificate::from_pem_bundle(input::small_text(process, path)?.as_bytes())
        .map_err(|_| invalid())?;
    if certificates.is_empty() {
        Err(invalid())
    } else {
        Ok(certificates)
    }
}

fn identity(process: &Process, certificate: &Path, key: &Path) -> Result<Identity, Failure> {
    let (certificate_text, key_text) = (
        input::small_text(process, certificate)?,
        input::secret(process, key)?,
    );
    // The parser looks for the parts in any order.
    Identity::from_pem(format!("{key_text}\n{certificate_text}").as_bytes()).map_err(|_| {
        invalid(
            "--tls-cert, --tls-key",
            certificate,
            "with its key, it is not a certificate in PEM",
        )
    })
}

fn invalid(flags: &str, path: &Path, problem: &str) -> Failure {
    let file = plain(&path.display().to_string());
    Failure::new(
        "certificate_invalid",
        format!("{flags}: {file}: {problem}; export it as `-----BEGIN CERTIFICATE-----`"),
    )
}

//! TLS to a broker: whom this client trusts, and with which certificate it shows itself.

use std::io;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::version::{TLS12, TLS13};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore,
    SignatureScheme,
};
use rustls_platform_verifier::Verifier;

use crate::error::KafkaError;
use crate::files;
use crate::options::{Pem, TlsOptions};

const TRUST_KEY: &str = "ssl.truststore.location";
const IDENTITY_KEY: &str = "ssl.keystore.location";
/// The maximum size of a file in PEM, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The configuration of connections to this address.
pub(crate) fn configuration(
    options: &TlsOptions,
    address: &str,
) -> Result<Arc<ClientConfig>, KafkaError> {
    let failed = |reason: String| KafkaError::Tls {
        address: address.to_owned(),
        reason,
    };
    let provider = Arc::new(ring::default_provider());
    let versions: &[_] = match options.only_tls13 {
        true => &[&TLS13],
        false => &[&TLS13, &TLS12],
    };
    let verifier = verifier(options, &provider, &failed)?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .map_err(|error| failed(error.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let Some(identity) = &options.identity else {
        return Ok(Arc::new(builder.with_no_client_auth()));
    };
    let text = text(identity, IDENTITY_KEY)?;
    let chain = certificates(&text, IDENTITY_KEY)?;
    let key = PrivateKeyDer::from_pem_slice(text.as_bytes()).map_err(|_| no_key(&text))?;
    builder
        .with_client_auth_cert(chain, key)
        .map(Arc::new)
        .map_err(|error| failed(format!("the certificate of `{IDENTITY_KEY}`: {error}")))
}

fn verifier(
    options: &TlsOptions,
    provider: &Arc<CryptoProvider>,
    failed: &impl Fn(String) -> KafkaError,
) -> Result<Arc<dyn ServerCertVerifier>, KafkaError> {
    let Some(authorities) = &options.authorities else {
        return match Verifier::new(provider.clone()) {
            Ok(verifier) => Ok(Arc::new(verifier)),
            Err(error) => Err(failed(format!(
                "this machine has no authorities ({error}); name a file in `{TRUST_KEY}`"
            ))),
        };
    };
    let mut roots = RootCertStore::empty();
    for certificate in certificates(&text(authorities, TRUST_KEY)?, TRUST_KEY)? {
        roots
            .add(certificate)
            .map_err(|error| failed(format!("a certificate of `{TRUST_KEY}`: {error}")))?;
    }
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
        .build()
        .map_err(|error| failed(error.to_string()))?;
    match options.any_name {
        true => Ok(Arc::new(AnyName(verifier))),
        false => Ok(verifier),
    }
}

fn text(pem: &Pem, key: &'static str) -> Result<String, KafkaError> {
    match pem {
        Pem::File(path) => files::read(key, path, MAX_BYTES),
        Pem::Text(text) => Ok(text.expose().to_owned()),
    }
}

fn certificates(text: &str, key: &'static str) -> Result<Vec<CertificateDer<'static>>, KafkaError> {
    let mut certificates = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(text.as_bytes()) {
        certificates.push(certificate.map_err(|_| KafkaError::Pem {
            key,
            problem: "a certificate in it is not valid PEM",
        })?);
    }
    match certificates.is_empty() {
        true => Err(KafkaError::Pem {
            key,
            problem: "it has no certificate: export it as `-----BEGIN CERTIFICATE-----`",
        }),
        false => Ok(certificates),
    }
}

fn no_key(text: &str) -> KafkaError {
    KafkaError::Pem {
        key: IDENTITY_KEY,
        problem: match text.contains("ENCRYPTED") {
            true => {
                "its private key is encrypted: run `openssl pkcs8 -in KEY.pem -out PLAIN.pem`, and put that key there with its certificates"
            }
            false => "it has no private key: add it as `-----BEGIN PRIVATE KEY-----`",
        },
    }
}

/// Checks everything but the name, as the properties ask for (`ssl.endpoint.identification.algorithm=`).
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let inner = &self.0;
        // The chain is checked before the name, so that this error means a valid chain.
        match inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

/// Why TLS failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TlsFailure {
    /// The other side does not speak TLS.
    NotSpoken,
    /// It does, and this is wrong.
    Reason(String),
}

/// What an error of a connection says about TLS; `None` if it is not about TLS.
pub(crate) fn failure(error: &io::Error) -> Option<TlsFailure> {
    let error = error.get_ref()?.downcast_ref::<rustls::Error>()?;
    Some(match error {
        rustls::Error::InvalidMessage(_) => TlsFailure::NotSpoken,
        rustls::Error::InvalidCertificate(problem) => TlsFailure::Reason(certificate(problem)),
        rustls::Error::AlertReceived(alert) => TlsFailure::Reason(alerted(*alert)),
        other => TlsFailure::Reason(other.to_string()),
    })
}

fn certificate(problem: &CertificateError) -> String {
    match problem {
        // The second one: an authority of the same name is trusted.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "no trusted authority has signed its certificate: name the authority in `ssl.truststore.location`, with `ssl.truststore.type=PEM`".into()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for other names: connect to a name that is in it (subjectAltName)".into()
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired".into()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet: check the clocks".into()
        }
        other => format!("its certificate is not accepted: {other}"),
    }
}

fn alerted(alert: AlertDescription) -> String {
    match alert {
        AlertDescription::CertificateRequired
        | AlertDescription::BadCertificate
        | AlertDescription::UnknownCA
        | AlertDescription::CertificateUnknown
        | AlertDescription::HandshakeFailure
        | AlertDescription::AccessDenied => format!(
            "it expects another certificate of the client ({alert:?}): set `ssl.keystore.location`, with `ssl.keystore.type=PEM`"
        ),
        AlertDescription::ProtocolVersion => {
            "there is no version of TLS that both sides have; this program has 1.2 and 1.3".into()
        }
        other => format!("it refuses ({other:?})"),
    }
}

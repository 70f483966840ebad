//! TLS: whom the client trusts, as whom it shows itself, and listeners with the wrong protocol.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use gbac_cluster::{ClientProperties, KafkaCluster, KafkaError};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tempfile::TempDir;
use tokio_rustls::TlsAcceptor;

use crate::double::{Double, Reply};

/// An authority with the certificates that it has signed.
struct Authority {
    folder: TempDir,
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
            .distinguished_name
            .push(DnType::CommonName, "authority");
        let pem = params.self_signed(&key).expect("a certificate").pem();
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("ca.pem"), &pem).expect("a file");
        Self {
            folder,
            issuer: Issuer::new(params, key),
            pem,
        }
    }

    /// A certificate of this name, and its key.
    fn sign(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        (certificate.pem(), key.serialize_pem())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A broker with a certificate of this name, which may ask for one of the client.
    async fn broker(&self, name: &str, asks: bool) -> Double {
        let (certificate, key) = self.sign(name);
        let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).expect("PEM")];
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("PEM");
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .expect("versions");
        let builder = match asks {
            false => builder.with_no_client_auth(),
            true => {
                let mut roots = RootCertStore::empty();
                let root = CertificateDer::from_pem_slice(self.pem.as_bytes()).expect("PEM");
                roots.add(root).expect("a root");
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(verifier.build().expect("a verifier"))
            }
        };
        let config = builder.with_single_cert(chain, key).expect("a certificate");
        let tls = TlsAcceptor::from(Arc::new(config));
        Double::start_with(Some(tls), |asked| asked.versions(&[])).await
    }

    fn properties(&self, double: &Double, more: &str) -> ClientProperties {
        let ca = self.path("ca.pem");
        double.properties(&format!(
            "security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location={}\n{more}",
            ca.display()
        ))
    }
}

async fn text(properties: ClientProperties) -> String {
    match KafkaCluster::connect(properties).await {
        Ok(_) => "connected".into(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn trusts_the_authority_of_the_properties_and_checks_the_name() {
    let authority = Authority::new();
    let double = authority.broker("127.0.0.1", false).await;
    assert_eq!(text(authority.properties(&double, "")).await, "connected");
    let only = "ssl.enabled.protocols=TLSv1.3";
    assert_eq!(text(authority.properties(&double, only)).await, "connected");
    // The certificate in the properties, in one line.
    let line = authority.pem.replace('\n', " ");
    let inline = format!(
        "security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.certificates={line}"
    );
    assert_eq!(text(double.properties(&inline)).await, "connected");

    let other = Authority::new();
    let said = text(other.properties(&double, "")).await;
    assert!(
        said.contains("no trusted authority has signed its certificate"),
        "{said}"
    );
    let double = authority.broker("elsewhere.example", false).await;
    let said = text(authority.properties(&double, "")).await;
    assert!(
        said.contains("its certificate is for other names"),
        "{said}"
    );
    let any = "ssl.endpoint.identification.algorithm=";
    assert_eq!(text(authority.properties(&double, any)).await, "connected");
    // Any name, but not any authority.
    let said = text(other.properties(&double, any)).await;
    assert!(said.contains("no trusted authority"), "{said}");
}

#[tokio::test]
async fn shows_its_certificate_where_the_broker_asks_for_one() {
    let authority = Authority::new();
    let double = authority.broker("127.0.0.1", true).await;
    let said = text(authority.properties(&double, "")).await;
    assert!(
        said.contains("it expects another certificate of the client"),
        "{said}"
    );
    let (certificate, key) = authority.sign("client");
    let file = authority.path("client.pem");
    fs::write(&file, format!("{key}{certificate}")).expect("a file");
    let more = format!(
        "ssl.keystore.type=PEM\nssl.keystore.location={}",
        file.display()
    );
    assert_eq!(
        text(authority.properties(&double, &more)).await,
        "connected"
    );
    let inline = format!(
        "ssl.keystore.type=PEM\nssl.keystore.key={}\nssl.keystore.certificate.chain={}",
        key.replace('\n', "\\n"),
        certificate.replace('\n', "\\n"),
    );
    assert_eq!(
        text(authority.properties(&double, &inline)).await,
        "connected"
    );
}

#[tokio::test]
async fn a_listener_with_the_other_protocol_is_named() {
    let authority = Authority::new();
    let with_tls = authority.broker("127.0.0.1", false).await;
    let error = KafkaCluster::connect(with_tls.properties(""))
        .await
        .unwrap_err();
    assert!(matches!(error, KafkaError::TlsExpected { .. }), "{error:?}");
    // It closes the connection, as brokers do.
    let without = Double::start(|_| Reply::Close).await;
    let error = KafkaCluster::connect(authority.properties(&without, ""))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "the listener `{}` has no TLS: set `security.protocol` to `PLAINTEXT`, or name a listener with TLS",
            without.address
        )
    );
}

#[tokio::test]
async fn files_that_are_not_pem_are_named() {
    let authority = Authority::new();
    let double = authority.broker("127.0.0.1", false).await;
    let with = |trust: &str, more: &str| {
        double.properties(&format!(
            "security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location={trust}\n{more}"
        ))
    };
    let said = text(with("/nowhere/ca.pem", "")).await;
    assert!(
        said.starts_with("`ssl.truststore.location`: `/nowhere/ca.pem`: "),
        "{said}"
    );
    let file = authority.path("text");
    fs::write(&file, "no PEM").expect("a file");
    let said = text(with(&file.display().to_string(), "")).await;
    assert!(said.contains("it has no certificate"), "{said}");
    let (certificate, _) = authority.sign("client");
    let encrypted =
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n";
    fs::write(&file, format!("{certificate}{encrypted}")).expect("a file");
    let more = format!(
        "ssl.keystore.type=PEM\nssl.keystore.location={}",
        file.display()
    );
    let said = text(authority.properties(&double, &more)).await;
    assert!(said.contains("its private key is encrypted"), "{said}");
}

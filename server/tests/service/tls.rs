//! The service with a certificate: both versions of HTTP, and no answer without TLS.

use std::sync::Arc;

use gbac_server::{DataOptions, ServeMode, ServeOptions, Server, TlsFiles};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_rustls::TlsConnector;

#[tokio::test]
async fn only_tls_connections_are_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (cert_file, key_file) = (
        folder.path().join("cert.pem"),
        folder.path().join("key.pem"),
    );
    std::fs::write(&cert_file, cert.pem()).unwrap();
    std::fs::write(&key_file, signing_key.serialize_pem()).unwrap();
    let options = |key: &std::path::Path| ServeOptions {
        listen: "127.0.0.1:0".into(),
        mode: ServeMode::Data(DataOptions {
            tls: Some(TlsFiles {
                cert: cert_file.clone(),
                key: key.into(),
            }),
            ..DataOptions::new(folder.path().join("data"))
        }),
        ..ServeOptions::default()
    };
    assert_eq!(
        Server::bind(&options(&cert_file))
            .map(drop)
            .unwrap_err()
            .code(),
        "tls_key"
    );
    let other = folder.path().join("other.pem");
    let unrelated = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(&other, unrelated.signing_key.serialize_pem()).unwrap();
    assert_eq!(
        Server::bind(&options(&other)).map(drop).unwrap_err().code(),
        "tls_pair"
    );

    let server = Server::bind(&options(&key_file)).unwrap();
    let address = server.address();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(server.run(async {
        let _ = stopped.await;
    }));
    let mut roots = RootCertStore::empty();
    roots.add(cert.der().clone()).unwrap();
    let connect = async |protocols: &[&[u8]]| {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap();
        let mut config = config
            .with_root_certificates(roots.clone())
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        let stream = TcpStream::connect(address).await.unwrap();
        TlsConnector::from(Arc::new(config))
            .connect(ServerName::try_from("localhost").unwrap(), stream)
            .await
            .unwrap()
    };
    let mut stream = connect(&[]).await;
    let request =
        format!("GET /gbac/v1/service HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("\"demo\":false"),
        "{answer}"
    );
    assert!(
        answer.contains("strict-transport-security: max-age=31536000\r\n"),
        "{answer}"
    );
    let stream = connect(&[b"h2", b"http/1.1"]).await;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    drop(stream);

    let mut plain = TcpStream::connect(address).await.unwrap();
    plain.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // However the connection ends, nothing of HTTP came back.
    let _ = plain.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP/"), "{answer:?}");
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
}

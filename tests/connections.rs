//! Connections to services: certificates, plain words for what fails, repeated reads, Ctrl-C during
//! an import, profile files.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;

use crate::support::program::{self, program};
use crate::support::service::{Service, answer, answering, read_request, run};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;
use tempfile::TempDir;

/// A service with a certificate of its own for these names.
pub(crate) struct TlsService {
    child: Child,
    /// The URL.
    pub(crate) url: String,
    /// The file of its certificate, which is also the authority.
    pub(crate) certificate: PathBuf,
    key: PathBuf,
}

impl TlsService {
    /// The password of `admin`.
    pub(crate) const PASSWORD: &str = "a password of tests";

    fn start(folder: &TempDir, names: &[&str]) -> Self {
        Self::start_with(folder, names, &[])
    }

    /// Starts one with additional flags.
    pub(crate) fn start_with(folder: &TempDir, names: &[&str], flags: &[&str]) -> Self {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(names).expect("a certificate");
        let (certificate, key) = (
            folder.path().join("cert.pem"),
            folder.path().join("key.pem"),
        );
        fs::write(&certificate, cert.pem()).expect("a file");
        program::write_secret(&key, signing_key.serialize_pem());
        let mut command = program::process();
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.path().join("data"));
        // A name that only a proxy resolves.
        command.args(["--public-host", "streams.invalid"]);
        command
            .arg("--tls-cert")
            .arg(&certificate)
            .arg("--tls-key")
            .arg(&key)
            .args(flags);
        command.env("GBAC_ADMIN_PASSWORD", Self::PASSWORD);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("gbac starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe"))
            .read_line(&mut line)
            .expect("a line");
        let url = line
            .trim()
            .strip_prefix("listening on ")
            .expect("an address")
            .to_owned();
        Self {
            child,
            url,
            certificate,
            key,
        }
    }
}

impl Drop for TlsService {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_certificate_of_an_authority_is_trusted_when_it_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = TlsService::start(&folder, &["localhost", "127.0.0.1"]);
    let caller = [
        ("GBAC_URL", service.url.as_str()),
        ("GBAC_USER", "admin"),
        ("GBAC_PASSWORD", "a password of tests"),
    ];
    let untrusted = run(&folder, &caller, &["export"]).failed(1);
    assert!(
        untrusted.contains("does not trust the authority") && untrusted.contains("--tls-ca"),
        "{untrusted}"
    );
    assert!(!untrusted.contains("UnknownIssuer"), "{untrusted}");
    let certificate = service.certificate.to_str().expect("a path");
    assert!(
        run(&folder, &caller, &["export", "--tls-ca", certificate])
            .done()
            .contains("\"version\": 1")
    );
    let by_variable = [&caller[..], &[("GBAC_TLS_CA", certificate)]].concat();
    run(
        &folder,
        &by_variable,
        &["who-can", "--online", "--operation", "read", "--topic", "x"],
    )
    .done();

    fs::write(folder.path().join("none.pem"), "nothing").expect("a file");
    let none = run(&folder, &caller, &["export", "--tls-ca", "none.pem"]).failed(1);
    assert!(
        none.contains("none.pem: it has no certificate in PEM"),
        "{none}"
    );
    let alone = run(&folder, &caller, &["export", "--tls-cert", certificate]).failed(64);
    assert!(alone.contains("--tls-key"), "{alone}");
    let key = service.key.to_str().expect("a path");
    let swapped = run(
        &folder,
        &caller,
        &["export", "--tls-cert", "none.pem", "--tls-key", key],
    )
    .failed(1);
    assert!(
        swapped.contains("none.pem") && swapped.contains("not a certificate"),
        "{swapped}"
    );
    assert!(!swapped.contains("PRIVATE KEY"), "{swapped}");
    let own = [
        "export",
        "--tls-ca",
        certificate,
        "--tls-cert",
        certificate,
        "--tls-key",
        key,
    ];
    run(&folder, &caller, &own).done();

    let plain = service.url.replace("https://", "http://");
    let closed = run(&folder, &[("GBAC_URL", &plain)], &["export"]).failed(1);
    assert!(closed.contains("https"), "{closed}");
}

#[test]
fn a_certificate_for_another_name_and_a_port_without_tls_are_said_in_plain_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = TlsService::start(&folder, &["elsewhere.example"]);
    let certificate = service.certificate.to_str().expect("a path");
    let other = run(
        &folder,
        &[("GBAC_URL", &service.url)],
        &["export", "--tls-ca", certificate],
    )
    .failed(1);
    assert!(
        other.contains("its certificate is for another host name"),
        "{other}"
    );
    let plain = Service::start();
    let url = plain.url.replace("http://", "https://");
    let no_tls = run(
        &folder,
        &[("GBAC_URL", &url)],
        &["export", "--tls-ca", certificate],
    )
    .failed(1);
    assert!(
        no_tls.contains("it does not speak TLS on this port"),
        "{no_tls}"
    );
    for message in [other, no_tls] {
        for internal in [
            "NotValidForName",
            "InvalidContentType",
            "os error",
            "OtherError",
        ] {
            assert!(!message.contains(internal), "{message}");
        }
    }
}

#[test]
fn plain_http_to_another_machine_needs_the_flag_that_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    // The domain `invalid` never has hosts (RFC 2606).
    let url = [("GBAC_URL", "http://gbac.invalid:8420")];
    let refused = run(&folder, &url, &["export"]).failed(64);
    assert!(
        refused.contains("plain HTTP to a remote host is not trusted")
            && refused.contains("--insecure"),
        "{refused}"
    );
    let unknown = run(&folder, &url, &["export", "--insecure"]).failed(1);
    let words = ["no host has this name", "the name server does not respond"];
    assert!(
        words.iter().any(|words| unknown.contains(words)),
        "{unknown}"
    );
}

#[test]
fn a_read_is_repeated_and_a_write_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let busy = answer("503 Service Unavailable", "", "busy");
    let acls = answer(
        "200 OK",
        "content-type: application/json\r\n",
        r#"{"matches":[],"acls":[]}"#,
    );
    let (url, requests) = answering(&[&busy, &busy, &acls]);
    run(&folder, &[("GBAC_URL", &url)], &["security", "acl", "list"]).done();
    assert_eq!(requests.join().expect("an end").len(), 3);

    let own = answer(
        "200 OK",
        "content-type: application/json\r\n",
        r#"{"name":"x","version":"1","demo":false}"#,
    );
    let (url, requests) = answering(&[&own, &busy]);
    let failed = run(
        &folder,
        &[("GBAC_URL", &url)],
        &["security", "role", "create", "x"],
    )
    .failed(1);
    assert!(
        failed.contains("busy") || failed.contains("503"),
        "{failed}"
    );
    let requests = requests.join().expect("an end");
    assert!(
        requests.len() == 2 && requests[1].starts_with("POST "),
        "the write was sent once: {requests:?}"
    );

    // A response says more than the connection that fails after it.
    let (url, requests) = answering(&[&busy]);
    let failed = run(&folder, &[("GBAC_URL", &url)], &["security", "acl", "list"]).failed(1);
    assert!(!failed.contains("cannot reach"), "{failed}");
    assert_eq!(requests.join().expect("an end").len(), 1);
}

#[test]
fn a_service_that_does_not_speak_http_or_does_not_respond_is_said_in_plain_words() {
    let folder = tempfile::tempdir().expect("a folder");
    for (response, expected) in [
        ("SSH-2.0-x\r\n\r\n", "it does not speak HTTP on this port"),
        ("", "it closed the connection without a response"),
    ] {
        let (url, requests) = answering(&[response; 3]);
        let failed = run(&folder, &[("GBAC_URL", &url)], &["security", "acl", "list"]).failed(1);
        assert!(
            failed.contains(&format!(
                "{expected}; check whether --url or GBAC_URL needs https"
            )),
            "{failed}"
        );
        assert_eq!(requests.join().expect("an end").len(), 3, "it was repeated");
    }
}

/// Interrupts a command while its write has no response; returns the exit code and standard error.
fn interrupted(args: &[&str], read: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let acl = |name: &str| {
        json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name, "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
            "principal": "User:a", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" })
    };
    let document = json!({ "version": 1, "acls": [acl("one"), acl("two")] });
    fs::write(folder.path().join("p.json"), document.to_string()).expect("a file");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (wrote, written) = mpsc::channel();
    let read = read.to_owned();
    thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming().map_while(Result::ok) {
            let request = read_request(&stream);
            // One of the questions about what a cluster has is a POST.
            if request.starts_with("GET ") || request.contains("/ListCurrentUserRoles ") {
                let mut stream = stream;
                stream.write_all(read.as_bytes()).expect("a response");
            } else {
                // The connection stays open without a response.
                open.push(stream);
                if wrote.send(()).is_err() {
                    return;
                }
            }
        }
    });
    let mut command = program::process();
    command
        .args(args)
        .current_dir(folder.path())
        .env("GBAC_URL", &url)
        .env("XDG_CONFIG_HOME", folder.path());
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("gbac starts");
    written.recv().expect("a write");
    let killed = program("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(killed.success());
    let done = child.wait_with_output().expect("an end");
    (
        done.status.code(),
        String::from_utf8(done.stderr).expect("text"),
    )
}

#[test]
fn an_interrupted_import_says_what_was_applied() {
    let json = "content-type: application/json\r\n";
    let acls = answer("200 OK", json, r#"{"matches":[],"acls":[]}"#);
    let (exit, message) = interrupted(&["import", "p.json", "--merge"], &acls);
    assert_eq!(exit, Some(1), "{message}");
    assert!(
        message.contains(
            "interrupted: 0 of 2 calls succeeded, and up to 2 more without a response may have"
        ),
        "{message}"
    );
    let policy = answer(
        "200 OK",
        &format!("{json}etag: \"1\"\r\n"),
        r#"{"version":1}"#,
    );
    let (exit, message) = interrupted(&["import", "p.json", "--no-confirm"], &policy);
    assert_eq!(exit, Some(1), "{message}");
    assert!(
        message.contains("all changes of a request or none") && message.contains("gbac export"),
        "{message}"
    );
}

#[cfg(unix)]
#[test]
fn a_profile_file_that_others_can_read_is_a_warning_and_a_damaged_one_an_error() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("a folder");
    run(
        &folder,
        &[],
        &[
            "profile",
            "create",
            "local",
            "--url",
            "https://gbac.example",
        ],
    )
    .done();
    let file = folder.path().join("config/gbac/profiles.json");
    let list = |mode: u32| {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("a mode");
        run(&folder, &[], &["profile", "list"])
    };
    assert_eq!(list(0o600).err, "");
    for (mode, advice) in [
        (0o644, "chmod 600"),
        (0o640, "chmod 600"),
        (0o602, "chmod go-w"),
    ] {
        let warned = list(mode);
        assert_eq!(warned.exit, 0, "{}", warned.err);
        assert!(
            warned.err.contains("profiles.json") && warned.err.contains(advice),
            "{mode:o}: {}",
            warned.err
        );
    }
    let text = fs::read_to_string(&file).expect("a file");
    for damaged in [
        "",
        "{",
        "[]",
        &text[..text.len() / 2],
        "{\"profiles\": {\"a\": {\"url\": 1}}}",
        "\u{0}",
    ] {
        fs::write(&file, damaged).expect("a file");
        let failed = list(0o600).failed(1);
        assert!(
            failed.contains("profiles.json") && failed.contains("fix it, or delete it"),
            "{damaged:?}: {failed}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_secret_that_others_can_read_or_change_is_a_warning() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("secret");
    fs::write(&file, "a.b.c").expect("a file");
    // Nothing listens there any more.
    let address = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("an address");
    let url = format!("http://{address}");
    let connects = |flags: &[&str]| {
        run(
            &folder,
            &[],
            &[&["security", "role", "list", "--url", &url], flags].concat(),
        )
        .err
    };
    for flags in [
        &["--user", "admin", "--password-file", "secret"][..],
        &["--token-file", "secret"],
        &["--tls-cert", "secret", "--tls-key", "secret"],
    ] {
        for (mode, problem) in [
            (0o600, None),
            (0o440, None),
            (
                0o604,
                Some("/secret` can be read by other users; run `chmod 600` on it"),
            ),
            (
                0o602,
                Some("/secret` can be changed by other users; check its content"),
            ),
        ] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("a mode");
            let said = connects(flags);
            assert_eq!(
                said.contains("warning: "),
                problem.is_some(),
                "{flags:?} {mode:o}: {said}"
            );
            assert!(
                said.contains(problem.unwrap_or_default()),
                "{flags:?} {mode:o}: {said}"
            );
        }
    }
}

/// A server that requires a certificate of a client, signed by this one, and answers each request
/// with `{}`.
fn requiring_certificates(certificate: &CertifiedKey<KeyPair>) -> String {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(certificate.cert.der().clone()).expect("a root");
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
    let key = PrivateKeyDer::try_from(certificate.signing_key.serialize_der()).expect("a key");
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_client_cert_verifier(verifier.build().expect("a verifier"))
        .with_single_cert(vec![certificate.cert.der().clone()], key)
        .expect("a certificate");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let connection = ServerConnection::new(Arc::clone(&config)).expect("a connection");
            let mut stream = StreamOwned::new(connection, stream);
            let mut head = String::new();
            // A client without a certificate is refused here.
            let mut reader = BufReader::new(&mut stream);
            while !head.ends_with("\r\n\r\n")
                && reader.read_line(&mut head).is_ok_and(|read| read > 0)
            {}
            if head.ends_with("\r\n\r\n") {
                let body = r#"{"matches":[],"acls":[]}"#;
                let response = answer("200 OK", "content-type: application/json\r\n", body);
                stream.write_all(response.as_bytes()).expect("a response");
            }
            stream.conn.send_close_notify();
            // The client may have closed it already.
            let _ = stream.flush();
        }
    });
    format!("https://localhost:{port}")
}

#[test]
fn a_client_certificate_is_sent_to_a_service_that_requires_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let certificate = generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    fs::write(folder.path().join("cert.pem"), certificate.cert.pem()).expect("a file");
    program::write_secret(
        &folder.path().join("key.pem"),
        certificate.signing_key.serialize_pem(),
    );
    let url = requiring_certificates(&certificate);
    let caller = [("GBAC_URL", url.as_str()), ("GBAC_TLS_CA", "cert.pem")];
    let list = ["security", "acl", "list"];
    let missing = run(&folder, &caller, &list).failed(1);
    assert!(
        missing.contains("it requires a client certificate") && missing.contains("--tls-cert"),
        "{missing}"
    );
    let with = [
        &list[..],
        &["--tls-cert", "cert.pem", "--tls-key", "key.pem"],
    ]
    .concat();
    assert!(run(&folder, &caller, &with).done().starts_with("PRINCIPAL"));
    // One of another authority.
    let other = generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    fs::write(folder.path().join("cert-of-others.pem"), other.cert.pem()).expect("a file");
    program::write_secret(
        &folder.path().join("key-of-others.pem"),
        other.signing_key.serialize_pem(),
    );
    let with = [
        &list[..],
        &[
            "--tls-cert",
            "cert-of-others.pem",
            "--tls-key",
            "key-of-others.pem",
        ],
    ]
    .concat();
    let refused = run(&folder, &caller, &with).failed(1);
    assert!(
        refused.contains("it does not accept the client certificate"),
        "{refused}"
    );
}

/// A proxy that forwards connections to another address, whatever the host in the request. It
/// responds with `response`; the heads of the requests arrive at the receiver.
fn proxy(response: &'static str, target: Option<String>) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let (sender, heads) = mpsc::channel();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.expect("a connection");
            let head = read_head(&mut connection);
            if sender.send(head).is_err() {
                return;
            }
            connection
                .write_all(response.as_bytes())
                .expect("a response");
            let Some(target) = &target else { continue };
            let service = TcpStream::connect(target).expect("the service");
            for (mut from, mut to) in [
                (
                    connection.try_clone().expect("a socket"),
                    service.try_clone().expect("a socket"),
                ),
                (service, connection),
            ] {
                thread::spawn(move || {
                    // Either end may close first.
                    let _ = io::copy(&mut from, &mut to);
                    let _ = to.shutdown(Shutdown::Write);
                });
            }
        }
    });
    (address, heads)
}

/// The head of a request: up to its empty line.
fn read_head(connection: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && connection.read(&mut byte).expect("a request") == 1 {
        head.push(byte[0]);
    }
    String::from_utf8(head).expect("text")
}

const CONNECTED: &str = "HTTP/1.1 200 Connection established\r\n\r\n";

#[test]
fn https_goes_through_the_proxy_of_the_environment() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = TlsService::start(&folder, &["streams.invalid", "127.0.0.1"]);
    let certificate = service.certificate.to_str().expect("a path");
    let address = service.url.strip_prefix("https://").expect("an address");
    let (proxy, heads) = proxy(CONNECTED, Some(address.to_owned()));
    let url = "https://streams.invalid:8443";
    let caller = |proxy: &str| {
        [
            ("GBAC_URL", url),
            ("GBAC_USER", "admin"),
            ("GBAC_PASSWORD", "a password of tests"),
            ("GBAC_TLS_CA", certificate),
        ]
        .map(|(name, value)| (name, value.to_owned()))
        .into_iter()
        .chain([("HTTPS_PROXY", proxy.to_owned())])
        .collect::<Vec<_>>()
    };
    let export = |environment: &[(&str, String)], more: &[(&str, &str)]| {
        let environment: Vec<_> = environment
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        run(&folder, &[&environment[..], more].concat(), &["export"])
    };
    let with_credentials = caller(&format!("http://maya:s%40cret@{proxy}"));
    assert!(
        export(&with_credentials, &[])
            .done()
            .contains("\"version\": 1")
    );
    let head = heads.recv().expect("a request");
    assert!(
        head.starts_with("CONNECT streams.invalid:8443 HTTP/1.1\r\n"),
        "{head}"
    );
    // `maya:s@cret`; the credentials of the service stay inside TLS.
    assert!(
        head.to_ascii_lowercase()
            .contains("proxy-authorization: basic bwf5ytpzqgnyzxq="),
        "{head}"
    );
    assert!(
        !head.to_ascii_lowercase().contains("\r\nauthorization:"),
        "{head}"
    );
    // Without `http://`.
    export(&caller(&proxy), &[]).done();
    heads.recv().expect("a request");

    // What is excepted is reached directly, and so is this machine.
    let failed = export(&caller(&proxy), &[("NO_PROXY", "invalid")]).failed(1);
    assert!(
        failed.contains("no host has this name") || failed.contains("name server"),
        "{failed}"
    );
    export(&caller(&proxy), &[("GBAC_URL", service.url.as_str())]).done();
    let plain = Service::start();
    let demo = [
        ("GBAC_URL", plain.url.as_str()),
        ("GBAC_USER", "admin"),
        ("GBAC_PASSWORD", "demo"),
    ];
    run(
        &folder,
        &[&demo[..], &[("HTTPS_PROXY", &proxy), ("ALL_PROXY", &proxy)]].concat(),
        &["export"],
    )
    .done();
    assert!(
        heads.try_recv().is_err(),
        "nothing else passed through the proxy"
    );
}

#[test]
fn what_is_wrong_with_a_proxy_is_said_in_plain_words_and_never_passed_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let export = |proxy: &str| {
        run(
            &folder,
            &[
                ("GBAC_URL", "https://streams.invalid"),
                ("HTTPS_PROXY", proxy),
            ],
            &["export"],
        )
    };
    let closed = TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("an address")
        .to_string();
    for (response, expected) in [
        (
            "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
            "requires credentials; write them into HTTPS_PROXY",
        ),
        ("HTTP/1.1 403 Forbidden\r\n\r\n", "does not connect to it"),
        ("HTTP/1.1 502 Bad Gateway\r\n\r\n", "does not connect to it"),
        ("SSH-2.0-x\r\n\r\n", "the proxy"),
    ] {
        let (address, _heads) = proxy(response, None);
        let failed = export(&format!("http://maya:secret@{address}")).failed(1);
        assert!(
            failed.contains(expected) && failed.contains(&address),
            "{failed}"
        );
        assert!(
            !failed.contains("secret") && !failed.contains("tunnel"),
            "{failed}"
        );
    }
    let failed = export(&closed).failed(1);
    assert!(
        failed.contains("there is no connection to the proxy"),
        "{failed}"
    );
    for value in ["socks5://proxy.example", "http://", "http://maya:secret@"] {
        let failed = export(value).failed(64);
        assert!(
            failed.contains("HTTPS_PROXY: it is not the URL of a proxy"),
            "{failed}"
        );
        assert!(!failed.contains("secret"), "{failed}");
    }
}

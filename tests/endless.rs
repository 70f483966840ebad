//! Responses and files without an end, and errors that would forge lines: what the command line
//! holds and waits for is limited.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::support::service::{answer, answering, read_request, run};

/// A service that answers every connection in this way, until it is dropped.
struct Endless {
    url: String,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Endless {
    fn start(respond: impl Fn(&mut TcpStream) -> bool + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (stop, stopped) = channel();
        let thread = thread::spawn(move || {
            while let Ok((mut stream, _)) = listener.accept() {
                if !matches!(
                    stopped.try_recv(),
                    Err(std::sync::mpsc::TryRecvError::Empty)
                ) {
                    return;
                }
                read_request(&stream);
                // The client leaves when it has enough.
                while respond(&mut stream) {
                    if stopped.recv_timeout(Duration::ZERO) != Err(RecvTimeoutError::Timeout) {
                        return;
                    }
                }
            }
        });
        Self {
            url,
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        drop(self.stop.take());
        // Wakes the thread; it may have ended.
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Commands that hold a response.
const READS: [&[&str]; 6] = [
    &["export"],
    &["backup", "backup.gbac"],
    &["security", "acl", "list"],
    &["security", "role", "list"],
    &["policy", "pull"],
    &["cluster", "config", "get", "superusers"],
];

#[test]
fn a_response_that_is_too_long_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let stated = Endless::start(|stream| {
        let _ = stream.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-length: 1099511627776\r\nconnection: close\r\n\r\n ",
        );
        false
    });
    for args in READS {
        let refused = run(&folder, &[("GBAC_URL", &stated.url)], args).failed(1);
        assert!(
            refused.contains("is longer than 512 MiB; check that --url"),
            "{args:?}: {refused}"
        );
    }
    let chunk = format!("100000\r\n{}\r\n", " ".repeat(1 << 20));
    let unstated = Endless::start(move |stream| {
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n";
        let _ = stream.write_all(head.as_bytes());
        while stream.write_all(chunk.as_bytes()).is_ok() {}
        false
    });
    let refused = run(
        &folder,
        &[("GBAC_URL", &unstated.url)],
        &["export", "--timeout", "600"],
    )
    .failed(1);
    assert!(refused.contains("is longer than 512 MiB"), "{refused}");
    // An error without an end is an error without a message.
    let error = Endless::start(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 409 Conflict\r\nconnection: close\r\n\r\n");
        while stream.write_all(&[b' '; 1 << 16]).is_ok() {}
        false
    });
    let refused = run(&folder, &[("GBAC_URL", &error.url)], &["export"]).failed(1);
    assert!(
        refused.contains("the service responded with status 409"),
        "{refused}"
    );
}

#[test]
fn the_timeout_is_that_of_the_whole_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let (stop, stopped) = channel::<()>();
    let drip = Endless::start(move |stream| {
        let _ = stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\nconnection: close\r\n\r\n");
        // One byte five times a second, for a minute at most.
        let mut bytes = 0..300;
        while bytes.next().is_some() && stream.write_all(b" ").is_ok() {
            if stopped.recv_timeout(Duration::from_millis(200)) != Err(RecvTimeoutError::Timeout) {
                break;
            }
        }
        false
    });
    let refused = run(
        &folder,
        &[("GBAC_URL", &drip.url)],
        &["export", "--timeout", "1"],
    )
    .failed(1);
    drop(stop);
    assert!(
        refused.contains("did not respond within 1 s; set a longer --timeout"),
        "{refused}"
    );
}

#[test]
fn an_error_of_a_service_is_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let forged = r#"{"code":"x","message":"no\nerror: forged\u001b[2J\r\u202e","problems":[{"path":"/a\nb","code":"c","message":"d\ne"}]}"#;
    let (url, service) = answering(&[&answer(
        "409 Conflict",
        "content-type: application/json\r\n",
        forged,
    )]);
    let refused = run(&folder, &[("GBAC_URL", &url)], &["export"]).failed(1);
    service.join().expect("one request");
    assert_eq!(refused.lines().count(), 1, "{refused}");
    assert!(
        refused.contains(r"no\nerror: forged\u{1b}[2J") && refused.contains(r"/a\nb: d\ne"),
        "{refused}"
    );
}

#[test]
fn a_file_without_an_end_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let policy = gbac_tests::vectors::root().join("examples/policy.json");
    let policy = policy.to_str().expect("a path");
    let check = [
        "check",
        "--policy",
        policy,
        "--operation",
        "read",
        "--topic",
        "x",
        "--token-file",
    ];
    let zero = "/dev/zero";
    for args in [
        &["export", "--user", "admin", "--password-file", zero][..],
        &["export", "--token-file", zero],
        &["export", "--tls-ca", zero],
        &["token", "inspect", zero],
        &[&check[..], &[zero]].concat(),
        &[&check[..], &[policy, "--jwks", zero]].concat(),
        &["check", "--policy", policy, "--checks", zero],
        &["policy", "validate", zero],
        &["policy", "import", zero],
        &["serve", "--config", zero],
    ] {
        let refused = run(&folder, &[], args).failed(1);
        assert!(
            refused.contains("/dev/zero: it is too long; check that it ends"),
            "{args:?}: {refused}"
        );
    }
    let serve = [
        "serve",
        "--data",
        "data",
        "--listen",
        "127.0.0.1:0",
        "--admin-password-file",
        zero,
    ];
    let refused = run(&folder, &[], &serve);
    assert!(
        refused.exit != 0 && refused.err.contains("it is longer than 4096 bytes"),
        "{}",
        refused.err
    );
    std::fs::create_dir_all(folder.path().join("config/gbac")).expect("a folder");
    symlink(zero, folder.path().join("config/gbac/profiles.json")).expect("a link");
    let refused = run(&folder, &[], &["profile", "list"]);
    assert!(
        refused.exit == 1 && refused.err.contains("it is too long"),
        "{}",
        refused.err
    );
}

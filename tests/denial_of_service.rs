//! Tests that clients without credentials cannot stop the built `gbac serve`: during each attack
//! from one address, every request of a client at another address succeeds, directly and behind the
//! same trusted proxy. Readers of all ACLs do not stop evaluations either. How fast it succeeds
//! depends on the machine; `cargo xtask bench` measures it.
//!
//! `GBAC_REQUESTS` is the number of requests during each attack.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crate::support::service::Service;
use gbac_tests::attack::{Attack, Attackers, Target};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime;
use tokio::time::timeout;

/// The number of the short form.
const REQUESTS: usize = 5;
/// When a test gives up. A request that waits for the end of an attack gets no answer at all.
const LIMIT: Duration = Duration::from_secs(60);

const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const ATTACKER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
const PROXY: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 3));
/// Clients behind the proxy (RFC 5737).
const CLIENT_BEHIND: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const ATTACKER_BEHIND: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 66));

fn requests() -> usize {
    std::env::var("GBAC_REQUESTS").map_or(REQUESTS, |text| text.parse().expect("a number"))
}

/// The status of a request on a new connection.
async fn get(target: &Target, path: &str) -> String {
    let mut stream = target.connect().await.expect("a connection");
    let (address, client) = (target.address, target.forwarded());
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{client}\r\n");
    // A service that refuses the connection may not read it.
    let _ = stream.write_all(request.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer)
        .lines()
        .next()
        .unwrap_or("nothing")
        .to_owned()
}

fn withstands(args: &[&str], attacker: &Target, client: &Target) {
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let service = Service::start_with(args);
    let address: SocketAddr = service
        .url
        .strip_prefix("http://")
        .expect("an address")
        .parse()
        .expect("an address");
    let at = |target: &Target| Target {
        address,
        ..target.clone()
    };
    let (attacker, client) = (at(attacker), at(client));
    for attack in Attack::ALL {
        let name = attack.name();
        runtime.block_on(async {
            let mut attackers = Attackers::start(attack, &attacker);
            attackers.under_way().await;
            for n in 0..requests() {
                let path = ["/gbac/v1/service", "/v1/roles", "/healthz"][n % 3];
                let answer = timeout(LIMIT, get(&client, path)).await;
                let seen = format!(
                    "{path} during {name}: {} bytes, {} ended",
                    attackers.sent(),
                    attackers.ended()
                );
                assert_eq!(answer.as_deref(), Ok("HTTP/1.1 200 OK"), "{seen}");
            }
            assert!(
                attackers.sent() > 0 || attack == Attack::Idle,
                "{name} has sent nothing"
            );
        });
        assert_eq!(service.get("/healthz"), "ok\n", "after {name}");
    }
}

const NOWHERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

fn direct(from: IpAddr) -> Target {
    Target {
        address: NOWHERE,
        from,
        forwarded_for: None,
    }
}

fn proxied(client: IpAddr) -> Target {
    Target {
        address: NOWHERE,
        from: PROXY,
        forwarded_for: Some(client),
    }
}

#[test]
fn a_client_is_served_during_every_attack() {
    withstands(&[], &direct(ATTACKER), &direct(CLIENT));
}

#[test]
fn a_client_is_served_during_every_attack_behind_the_same_proxy() {
    let args = ["--trusted-proxy", &PROXY.to_string()];
    withstands(&args, &proxied(ATTACKER_BEHIND), &proxied(CLIENT_BEHIND));
}

/// Attackers at several addresses take every connection with a request whose body never comes.
#[test]
fn slow_bodies_from_many_addresses_do_not_take_all_connections() {
    let service = Service::start_with(&[
        "--max-connections",
        "8",
        "--max-connections-per-address",
        "2",
    ]);
    let address: SocketAddr = service
        .url
        .strip_prefix("http://")
        .expect("an address")
        .parse()
        .expect("an address");
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let mut held = Vec::new();
        for n in 2..=5 {
            for _ in 0..2 {
                let attacker = Target { address, ..direct(Ipv4Addr::new(127, 0, 0, n).into()) };
                let mut stream = attacker.connect().await.expect("a connection");
                let request = format!(
                    "POST /access/v1/evaluation HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
                     content-length: 100000\r\nexpect: 100-continue\r\n\r\n"
                );
                stream.write_all(request.as_bytes()).await.expect("it is sent");
                // The service asks for the body once it waits for it.
                let mut answer = [0; 12];
                stream.read_exact(&mut answer).await.expect("an answer");
                assert_eq!(&answer, b"HTTP/1.1 100");
                held.push(stream);
            }
        }
        let client = Target { address, ..direct(CLIENT) };
        let served = async { while get(&client, "/healthz").await != "HTTP/1.1 200 OK" {} };
        timeout(LIMIT, served).await.expect("a request that waits for its client makes room");
    });
    let metrics = service.get("/metrics");
    assert!(
        metrics.contains("gbac_connections_closed_total{reason=\"evicted\"}"),
        "{metrics}"
    );
}

/// Opens as many connections as one address may have, and counts further ones that are closed.
#[test]
fn an_address_has_a_limited_number_of_connections() {
    let service = Service::start_with(&[
        "--max-connections",
        "8",
        "--max-connections-per-address",
        "3",
    ]);
    let address: SocketAddr = service
        .url
        .strip_prefix("http://")
        .expect("an address")
        .parse()
        .expect("an address");
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let from = |n: u8| Target {
            address,
            ..direct(Ipv4Addr::new(127, 0, 0, n).into())
        };
        let ends = async |target: &Target| {
            let mut stream = target.connect().await.expect("a connection");
            let ended = timeout(LIMIT, stream.read(&mut [0]))
                .await
                .map_or(true, |read| read.map_or(true, |read| read == 0));
            assert!(ended, "nobody has sent anything");
        };
        let mut held = Vec::new();
        for _ in 0..3 {
            held.push(from(2).connect().await.expect("a connection"));
        }
        ends(&from(2)).await;
        for n in [3, 4] {
            for _ in 0..3 {
                held.push(from(n).connect().await.expect("a connection"));
            }
        }
        assert_eq!(
            get(&from(1), "/healthz").await,
            "HTTP/1.1 200 OK",
            "an idle connection makes room"
        );
        drop(held);
        let metrics = service.get("/metrics");
        let refused = "gbac_connections_refused_total{reason=\"address\"} 1";
        assert!(metrics.lines().any(|line| line == refused), "{metrics}");
        assert!(
            metrics.contains("gbac_connections_closed_total{reason=\"evicted\"}"),
            "{metrics}"
        );
    });
}

/// The number of ACLs that the readers read, of about 300 bytes each.
const ACLS: usize = 5_000;
/// The number of readers; as they have no credentials and one address, they are one identity, of
/// which two read at once.
const READERS: usize = 8;

/// The response to a request, with its body.
async fn ask(target: &Target, head: &str, body: &str) -> String {
    let mut stream = target.connect().await.expect("a connection");
    let (address, length) = (target.address, body.len());
    let request = format!(
        "{head} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nif-match: *\r\nauthorization: Basic YWRtaW46ZGVtbw==\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream
        .write_all(request.as_bytes())
        .await
        .expect("it is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    answer
}

#[test]
fn evaluations_are_answered_beside_eight_readers_of_all_acls() {
    let service = Service::start_with(&[]);
    let address: SocketAddr = service
        .url
        .strip_prefix("http://")
        .expect("an address")
        .parse()
        .expect("an address");
    let acls: Vec<Value> = (0..ACLS)
        .map(|number| {
            json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": format!("topic-{number}"),
                "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": "Group:eng", "host": "*",
                "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" })
        })
        .collect();
    let policy =
        json!({ "version": 1, "settings": { "superusers": ["admin"] }, "acls": acls }).to_string();
    let question =
        json!({ "subject": { "type": "user", "id": "a", "properties": { "groups": ["eng"] } },
        "action": { "name": "read" }, "resource": { "type": "topic", "id": "topic-7" } })
        .to_string();
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let at = |from: [u8; 4]| Target {
            address,
            ..direct(IpAddr::from(from))
        };
        let client = at([127, 0, 0, 1]);
        let replaced = ask(&client, "PUT /gbac/v1/policy", &policy).await;
        assert!(replaced.starts_with("HTTP/1.1 204"), "{replaced}");
        let end = Arc::new(AtomicBool::new(false));
        let reader = |_| {
            let (target, end) = (at([127, 0, 0, 2]), Arc::clone(&end));
            tokio::spawn(async move {
                let mut reads = 0;
                while reads == 0 || !end.load(Relaxed) {
                    let list = ask(
                        &target,
                        "POST /redpanda.api.dataplane.v1.ACLService/ListACLs",
                        "{}",
                    )
                    .await;
                    assert!(
                        list.starts_with("HTTP/1.1 200"),
                        "{}",
                        &list[..list.len().min(500)]
                    );
                    assert_eq!(
                        list.matches("\"resourceName\"").count(),
                        ACLS,
                        "nobody gets a part of a list"
                    );
                    reads += 1;
                }
                reads
            })
        };
        let readers: Vec<_> = (0..READERS).map(reader).collect();
        for _ in 0..requests() {
            let decision =
                timeout(LIMIT, ask(&client, "POST /access/v1/evaluation", &question)).await;
            let decision = decision.expect("an evaluation does not wait for the readers");
            assert!(decision.contains("\"decision\":true"), "{decision}");
        }
        end.store(true, Relaxed);
        for reader in readers {
            assert!(reader.await.expect("every read succeeds") > 0);
        }
    });
}

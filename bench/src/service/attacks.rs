//! Measures how long a client waits, and how much memory the service uses, while clients without
//! credentials attack it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::{Duration, Instant};

use gbac_tests::attack::{Attack, Attackers, Target};
use tokio::runtime::{self, Runtime};
use tokio::time::{sleep, timeout};

use super::client::{Ask, Client};
use super::process::Service;
use crate::files::{Folder, Part};
use crate::measure::{Row, nanoseconds, quantile};
use crate::report::ATTACK;
use crate::{Failure, Result};

/// The source address of the attacks; the client is at 127.0.0.1.
const ATTACKER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
/// The paths that the client requests, each time over a new connection.
const PATHS: [&str; 3] = ["/gbac/v1/service", "/v1/roles", "/healthz"];
/// The pause of the client between requests.
const PAUSE: Duration = Duration::from_millis(5);
/// The time limit of a request.
const LIMIT: Duration = Duration::from_secs(5);
/// The minimum number of requests during an attack, for a 99th percentile.
const REQUESTS: usize = 100;

/// Measures each attack on a demo of its own.
///
/// # Errors
/// The service does not start, or a request of the client fails.
pub async fn run(folder: &Folder, gbac: &Path, quick: bool) -> Result<()> {
    let time = Duration::from_secs(if quick { 1 } else { 5 });
    // Separate threads, so that the client does not wait for them.
    let attackers = runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let mut results = Vec::new();
    for attack in Attack::ALL {
        let row = during(&attackers, attack, gbac, time).await;
        results.push(row.map_err(|error| Failure::from(format!("{}: {error}", attack.name())))?);
    }
    attackers.shutdown_background();
    folder.write_part(
        "service-attacks",
        &Part {
            results,
            versions: Vec::new(),
        },
    )
}

async fn during(attackers: &Runtime, attack: Attack, gbac: &Path, time: Duration) -> Result<Row> {
    let (name, service) = (format!("{ATTACK}{}", attack.name()), Service::demo(gbac)?);
    let address: SocketAddr = service.address().parse()?;
    let target = Target {
        address,
        from: ATTACKER,
        forwarded_for: None,
    };
    let under_way = attackers.spawn(async move {
        let mut attackers = Attackers::start(attack, &target);
        attackers.under_way().await;
        attackers
    });
    let attack = under_way.await?;
    let (began, mut times) = (Instant::now(), Vec::new());
    while times.len() < REQUESTS || began.elapsed() < time {
        let ask = Ask::get(PATHS[times.len() % PATHS.len()]).without_credentials();
        let started = Instant::now();
        let answered = timeout(LIMIT, async {
            Client::connect(&service).await?.done(&ask).await
        });
        answered
            .await
            .map_err(|_| "a request took longer than 5 seconds")??;
        times.push(nanoseconds(started.elapsed()));
        sleep(PAUSE).await;
    }
    drop(attack);
    Ok(Row {
        ns_median: Some(quantile(&mut times, 0.5)),
        ns_p99: Some(quantile(&mut times, 0.99)),
        ns_max: Some(quantile(&mut times, 1.0)),
        bytes: Some(service.peak_memory()?),
        ..Row::new(&name, 0, 0)
    })
}

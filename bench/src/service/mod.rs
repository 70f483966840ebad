//! Measures the service from a client's view: a built `gbac serve --data`, over HTTP on loopback.
//!
//! Compared measurements alternate. A time is that of the whole load divided by its requests, so
//! with several connections it is the inverse of the throughput, not the latency of a request.

mod attacks;
mod client;
mod cost;
mod process;
mod readers;
mod wrk;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use gbac_json::policy_from_json;
use redb::{Database, Durability, TableDefinition};
use serde_json::{Value, json};

use crate::files::{Folder, Part};
use crate::measure::{Row, median};
use crate::{Failure, Result};
pub use attacks::run as run_attacks;
use client::{Ask, Client};
pub use cost::run as run_cost;
use process::{Service, basic};

/// The number of concurrent readers.
const READERS: usize = 8;
/// The number of concurrent writers, if there are many.
const WRITERS: usize = 64;
/// The number of roles of the service while single ones are read.
const ROLES: usize = 1_000;

/// Measures reads and writes, and the start with each of these numbers of ACLs.
///
/// # Errors
/// The service does not start or refuses a request, or a file is missing.
pub async fn run(folder: &Folder, gbac: &Path, sizes: &[usize], quick: bool) -> Result<()> {
    let (rounds, time) = if quick {
        (5, Duration::from_millis(400))
    } else {
        (15, Duration::from_secs(1))
    };
    let mut rows = reads(gbac, rounds, time).await?;
    rows.extend(writes(gbac, folder, rounds, time).await?);
    for size in sizes {
        rows.extend(start(gbac, folder, *size, if quick { 3 } else { 7 }).await?);
    }
    folder.write_part(
        "service",
        &Part {
            results: rows,
            versions: Vec::new(),
        },
    )
}

/// Reads one role, the identity of a token and, for comparison, a fixed text of the same server;
/// first cold, then with warm caches.
async fn reads(gbac: &Path, rounds: usize, time: Duration) -> Result<Vec<Row>> {
    let provider = Service::demo(gbac)?;
    let mut asking = Client::connect(&provider).await?;
    let info: Value = asking.json(&Ask::get("/gbac/v1/service")).await?;
    let people: Value = asking.json(&Ask::get("/demo/idp/people")).await?;
    let word =
        |value: &Value, at: &str| value.pointer(at).and_then(Value::as_str).map(str::to_owned);
    let issuer = word(&info, "/provider/issuer").ok_or("the demo names no issuer")?;
    let audience = word(&info, "/provider/audience").ok_or("the demo names no audience")?;
    let token = word(&people, "/0/token")
        .or_else(|| word(&people, "/people/0/token"))
        .ok_or("the demo has nobody")?;

    let discovery = format!("{issuer}/.well-known/openid-configuration");
    let flags = [
        "--oidc-discovery-url",
        &discovery,
        "--oidc-audience",
        &audience,
    ];
    let data = tempfile::tempdir()?;
    let mut service = Service::start(gbac, data.path(), &flags)?;
    let mut client = Client::unaudited(&service).await?;
    for number in 0..ROLES {
        client
            .done(&Ask::post(
                "/v1/roles",
                &json!({ "name": format!("role-{number}") }),
            ))
            .await?;
        let member = json!({ "add": [{ "principal": format!("Group:group-{number}") }] });
        client
            .done(&Ask::put(&format!("/v1/roles/role-{number}"), &member))
            .await?;
    }
    drop(client);
    drop(service);
    service = Service::start(gbac, data.path(), &flags)?;

    let health = Ask::get("/healthz").without_credentials();
    let role = Ask::get("/v1/roles/role-7");
    let resolve = Ask::post(
        "/service.core.admin.v2.SecurityService/ResolveOidcIdentity",
        &json!({}),
    )
    .with_token(&token);
    let mut client = Client::connect(&service).await?;
    let mut rows = Vec::new();
    for (name, ask) in [
        ("service_role_cold", &role),
        ("service_resolve_cold", &resolve),
    ] {
        let started = Instant::now();
        client.done(ask).await?;
        rows.push(row(name, started.elapsed().as_nanos() as f64));
    }
    let all = [
        ("service_healthz", health),
        ("service_role", role),
        ("service_resolve", resolve),
    ];
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); all.len()];
    for _ in 0..rounds {
        for ((_, ask), times) in all.iter().zip(&mut times) {
            times.push(load(&service, READERS, time, |_, _| ask.clone()).await?);
        }
    }
    rows.extend(
        all.iter()
            .zip(times)
            .map(|((name, _), times)| row(name, median(&times))),
    );
    Ok(rows)
}

/// Creates ACLs with one writer and with many and, for comparison, bare commits of the same store.
async fn writes(gbac: &Path, folder: &Folder, rounds: usize, time: Duration) -> Result<Vec<Row>> {
    // On the disk of the workload, because the temporary folder may be a memory file system.
    let data = tempfile::tempdir_in(folder.path())?;
    let service = Service::start(gbac, data.path(), &[])?;
    drop(Client::unaudited(&service).await?);
    let bare = Bare::new(&data.path().join("bare.redb"))?;
    let (mut commits, mut one, mut many, mut shared) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        commits.push(bare.commits(time)?);
        one.push(
            load(&service, 1, time, |writer, number| {
                acl(round, "one", writer, number)
            })
            .await?,
        );
        let mut client = Client::connect(&service).await?;
        let before = counter(&mut client, "gbac_store_commits_total").await?;
        let started = Instant::now();
        let each = load(&service, WRITERS, time, |writer, number| {
            acl(round, "many", writer, number)
        })
        .await?;
        let writes = started.elapsed().as_nanos() as f64 / each;
        many.push(each);
        shared.push(
            writes / (counter(&mut client, "gbac_store_commits_total").await? - before).max(1.0),
        );
    }
    let per_commit = Row {
        count: Some(median(&shared)),
        ..Row::new("service_writes_per_commit", 0, 0)
    };
    Ok(vec![
        row("redb_commit", median(&commits)),
        row("service_create_acl", median(&one)),
        row("service_create_acl_64", median(&many)),
        per_commit,
    ])
}

/// Starts with a policy of this size, compared with reading and parsing it; then measures the
/// memory of the process, and pages of its roles.
async fn start(gbac: &Path, folder: &Folder, size: usize, rounds: usize) -> Result<Vec<Row>> {
    let data = tempfile::tempdir_in(folder.path())?;
    let text = folder.policy(size)?;
    let mut document: Value = serde_json::from_str(&text)?;
    document["settings"]["superusers"] = json!(["admin"]);
    let document = serde_json::to_string(&document)?;
    let file = data.path().join("document.json");
    fs::write(&file, &document)?;
    let folder = data.path().join("store");
    {
        let service = Service::start(gbac, &folder, &[])?;
        let mut client = Client::unaudited(&service).await?;
        client
            .done(&Ask::put_text("/gbac/v1/policy", document))
            .await?;
    }
    let (mut starts, mut parses, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    let mut pages = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        let started = Instant::now();
        let policy = policy_from_json(&fs::read_to_string(&file)?)
            .map_err(|problems| problems.to_string())?;
        parses.push(started.elapsed().as_nanos() as f64);
        let last = policy
            .role_names()
            .nth(policy.role_count().saturating_sub(60))
            .map(str::to_owned);
        drop(policy);
        let started = Instant::now();
        let service = Service::start(gbac, &folder, &[])?;
        starts.push(started.elapsed().as_nanos() as f64);
        memory.push(service.memory()? as f64);
        let mut client = Client::connect(&service).await?;
        let last = last.ok_or("there are no roles")?;
        // Names of roles have no characters that must be escaped in a query.
        let queries = [
            String::from("page_size=50"),
            format!("page_size=50&filter.name_prefix={last}"),
        ];
        for (query, times) in queries.iter().zip(&mut pages) {
            let ask = Ask::get(&format!("/v1/roles?{query}"));
            client.done(&ask).await?;
            let started = Instant::now();
            client.done(&ask).await?;
            times.push(started.elapsed().as_nanos() as f64);
        }
    }
    let [first, last] = pages;
    let of = |name: &str, times: &[f64]| Row {
        ns_median: Some(median(times)),
        ..Row::new(name, size, 0)
    };
    Ok(vec![
        of("service_start", &starts),
        of("read_and_parse", &parses),
        of("service_roles_page", &first),
        of("service_roles_by_name", &last),
        Row {
            bytes: Some(median(&memory) as u64),
            ..Row::new("service_memory", size, 0)
        },
    ])
}

fn row(name: &str, ns: f64) -> Row {
    Row {
        ns_median: Some(ns),
        ..Row::new(name, 0, 0)
    }
}

/// A unique ACL.
fn acl(round: usize, kind: &str, writer: usize, number: usize) -> Ask {
    let body = json!({
        "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": format!("{kind}-{round}-{writer}-{number}"),
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": "Group:engineering", "host": "*",
        "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW",
    });
    Ask::post("/v1/acls", &body)
}

/// Sends requests from several connections for a while; returns the time divided by the number of
/// requests, in nanoseconds.
async fn load(
    service: &Service,
    connections: usize,
    time: Duration,
    ask: impl Fn(usize, usize) -> Ask,
) -> Result<f64> {
    let mut clients = Vec::new();
    for _ in 0..connections {
        clients.push(Client::connect(service).await?);
    }
    let started = Instant::now();
    let asked = clients.iter_mut().enumerate().map(|(writer, client)| {
        let ask = &ask;
        async move {
            let mut count = 0;
            while started.elapsed() < time {
                client.done(&ask(writer, count)).await?;
                count += 1;
            }
            Ok::<usize, Failure>(count)
        }
    });
    let counts = futures_util::future::try_join_all(asked).await?;
    Ok(started.elapsed().as_nanos() as f64 / counts.iter().sum::<usize>() as f64)
}

/// A counter of `/metrics`.
async fn counter(client: &mut Client, name: &str) -> Result<f64> {
    let text = client.text(&Ask::get("/metrics")).await?;
    let line = text
        .lines()
        .find(|line| line.starts_with(name))
        .ok_or_else(|| format!("no metric `{name}`"))?;
    Ok(line.rsplit(' ').next().unwrap_or_default().parse()?)
}

/// Only the store: a small durable value, one commit after the other.
struct Bare(Database);

impl Bare {
    const TABLE: TableDefinition<'static, u64, &'static [u8]> = TableDefinition::new("rows");

    fn new(file: &Path) -> Result<Self> {
        Ok(Self(Database::create(file)?))
    }

    fn commits(&self, time: Duration) -> Result<f64> {
        let (started, mut count) = (Instant::now(), 0_u64);
        while started.elapsed() < time {
            let mut write = self.0.begin_write()?;
            write.set_durability(Durability::Immediate)?;
            let key = started.elapsed().as_nanos() as u64;
            write
                .open_table(Self::TABLE)?
                .insert(key, [7; 100].as_slice())?;
            write.commit()?;
            count += 1;
        }
        Ok(started.elapsed().as_nanos() as f64 / count as f64)
    }
}

/// The credentials of every measured service.
fn credentials() -> String {
    basic("admin", process::PASSWORD)
}

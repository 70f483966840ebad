//! The cost of an access evaluation (AuthZEN) over HTTP, compared with a fixed text of the same
//! server.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Ask, Client};
use super::process::Service;
use super::readers;
use super::wrk::{Load, Outcome};
use crate::Result;
use crate::document::Document;
use crate::files::{Folder, Part};
use crate::measure::{Row, median};
use crate::workload::{document, questions};

/// The number of rounds.
const ROUNDS: usize = 5;
/// The number of ACLs of the policy.
const ACLS: usize = 10_000;
/// The number of groups of an identity, and of one with many.
const GROUPS: usize = 20;
const MANY_GROUPS: usize = 200;
/// The number of evaluations in a batch.
const BATCH: usize = 100;
/// The number of connections that send batches concurrently with single evaluations.
const BATCH_CONNECTIONS: usize = 2;
const ONE: &str = "/access/v1/evaluation";
const MANY: &str = "/access/v1/evaluations";

/// Measures everything alternately in [`ROUNDS`] rounds.
///
/// # Errors
/// The service does not start, wrk is not installed, or a request fails.
pub async fn run(folder: &Folder, gbac: &Path, quick: bool) -> Result<()> {
    let time = Duration::from_secs(if quick { 1 } else { 3 });
    let data = tempfile::tempdir_in(folder.path())?;
    let document = document(ACLS, 10);
    let service = Service::start(gbac, &data.path().join("store"), &[])?;
    let mut client = Client::unaudited(&service).await?;
    let mut policy = serde_json::to_value(&document)?;
    policy["settings"] = json!({ "superusers": ["admin"] });
    client.done(&Ask::put("/gbac/v1/policy", &policy)).await?;

    let health = Load::get("/healthz");
    let single = Load::post(data.path(), "single", ONE, &one(&document, GROUPS))?;
    let several = Load::post(data.path(), "batch", MANY, &batch(&document, GROUPS))?;
    let large = Load::post(data.path(), "large", MANY, &batch(&document, MANY_GROUPS))?;

    let mut measured: [Vec<Outcome>; 5] = Default::default();
    for _ in 0..ROUNDS {
        let [texts, singles, batches, beside, audited] = &mut measured;
        texts.push(health.run(&service, time)?);
        singles.push(single.run(&service, time)?);
        batches.push(several.run(&service, time)?);
        // Longer than the measurement that it disturbs.
        let mut disturbance =
            large.start(&service, BATCH_CONNECTIONS, time + Duration::from_secs(2))?;
        let disturbed = single.run(&service, time);
        disturbance.kill()?;
        disturbance.wait()?;
        beside.push(disturbed?);
        client.done(&Ask::audit(true)).await?;
        audited.push(single.run(&service, time)?);
        client.done(&Ask::audit(false)).await?;
    }
    let [texts, singles, batches, beside, audited] = measured;
    let mut results = vec![
        row("health_cpu", 0, &texts, |text| text.cpu),
        row("health_time", 0, &texts, |text| text.each),
        row("evaluation_cpu", GROUPS, &singles, |single| single.cpu),
        row("evaluation_time", GROUPS, &singles, |single| single.each),
        row("evaluation_p99", GROUPS, &singles, |single| single.p99),
        row("batch_question_cpu", GROUPS, &batches, |batch| {
            batch.cpu / BATCH as f64
        }),
        row("evaluation_audited_cpu", GROUPS, &audited, |single| {
            single.cpu
        }),
        row("evaluation_beside_batches_p99", GROUPS, &beside, |single| {
            single.p99
        }),
    ];
    results.extend(readers::run(data.path(), gbac, &one(&document, GROUPS), time).await?);
    folder.write_part(
        "service-cost",
        &Part {
            results,
            versions: Vec::new(),
        },
    )
}

fn row(name: &str, groups: usize, outcomes: &[Outcome], value: fn(&Outcome) -> f64) -> Row {
    let values: Vec<f64> = outcomes.iter().map(value).collect();
    Row {
        ns_median: Some(median(&values)),
        ..Row::new(name, ACLS, groups)
    }
}

/// An evaluation for a user with this number of groups.
fn one(document: &Document, groups: usize) -> Value {
    // Exactly this number of groups, independent of the workload's identities.
    let asked = questions(document, groups);
    let groups = match asked.identities.first() {
        Some(identity) => identity.groups.clone(),
        None => Vec::new(),
    };
    json!({ "subject": { "type": "user", "id": "alice", "properties": { "groups": groups } },
        "action": { "name": "read" }, "resource": resource(document, 0), "context": { "host": "10.0.0.7" } })
}

/// A batch of evaluations.
fn batch(document: &Document, groups: usize) -> Value {
    let mut all = one(document, groups);
    let mut evaluations = Vec::with_capacity(BATCH);
    for number in 0..BATCH {
        evaluations.push(json!({ "resource": resource(document, number) }));
    }
    all["evaluations"] = evaluations.into();
    all
}

fn resource(document: &Document, number: usize) -> Value {
    let acl = &document.acls[number % document.acls.len()];
    json!({ "type": "topic", "id": acl.resource_name })
}

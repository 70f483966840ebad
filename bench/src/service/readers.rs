//! How long an evaluation takes while clients with a valid credential read all ACLs again and
//! again.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::READERS;
use super::client::{Ask, Client};
use super::process::Service;
use super::wrk::Load;
use crate::Result;
use crate::measure::{Row, median};
use crate::workload::document;

/// The number of ACLs of the policy.
const ACLS: usize = 200_000;
/// The number of rounds.
const ROUNDS: usize = 5;

/// Measures an evaluation alone and beside the readers, alternately. `folder` stores the data.
///
/// # Errors
/// The service does not start, wrk is not installed, or a request fails.
pub(super) async fn run(
    folder: &Path,
    gbac: &Path,
    question: &Value,
    time: Duration,
) -> Result<Vec<Row>> {
    let service = Service::start(gbac, &folder.join("readers"), &[])?;
    let mut client = Client::unaudited(&service).await?;
    let mut policy = serde_json::to_value(document(ACLS, 10))?;
    policy["settings"] = json!({ "superusers": ["admin"] });
    client.done(&Ask::put("/gbac/v1/policy", &policy)).await?;
    drop(policy);
    let evaluation = Load::post(folder, "evaluation", "/access/v1/evaluation", question)?;
    let reads = Load::post(
        folder,
        "reads",
        "/redpanda.api.dataplane.v1.ACLService/ListACLs",
        &json!({}),
    )?;
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        // The readers of the last round may have gone in the middle of their reads.
        service.wait_until_idle()?;
        alone.push(evaluation.run(&service, time)?.p99);
        // Longer than the measurement that it disturbs.
        let mut readers = reads.start(&service, READERS, time + Duration::from_secs(5))?;
        let disturbed = evaluation.run(&service, time);
        readers.kill()?;
        readers.wait()?;
        beside.push(disturbed?.p99);
    }
    let row = |name: &str, times: &[f64]| Row {
        ns_median: Some(median(times)),
        ..Row::new(name, ACLS, 0)
    };
    Ok(vec![
        row("evaluation_alone_p99", &alone),
        row("evaluation_beside_readers_p99", &beside),
        Row {
            bytes: Some(service.peak_memory()?),
            ..Row::new("readers_memory", ACLS, 0)
        },
    ])
}

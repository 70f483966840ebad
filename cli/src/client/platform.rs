//! What there is at a URL that is no service of this product: the APIs of a cluster, and what it
//! lacks (D-98).

use gbac_api::paths;
use gbac_api::service::ServiceInfo;
use gbac_api::target::{ApiPresence, PROBES, TargetApi, TargetNeed, TargetReport, probes_for};
use gbac_words::commands::service;

use super::CallError;
use super::Client;
use crate::output::{self, Failure, plain};
use crate::process::Process;

/// Sends the probes of an API to the client's URL.
pub(crate) fn discover(
    client: &Client,
    api: TargetApi,
    report: &mut TargetReport,
) -> Result<(), CallError> {
    for probe in PROBES.iter().filter(|probe| probe.api == api) {
        let (status, body) = client.probe(probe)?;
        report.read(probe, status, &body);
    }
    Ok(())
}

/// Sends the probe of the Data Plane API, which has to be at the client's URL.
pub(crate) fn require_data_plane(
    client: &Client,
    report: &mut TargetReport,
) -> Result<(), Failure> {
    discover(client, TargetApi::DataPlane, report)?;
    if report.data_plane == ApiPresence::Absent {
        let url = plain(client.url());
        let message =
            format!("there is no Data Plane API at `{url}`; set its URL with --url or GBAC_URL");
        return Err(Failure::new("no_data_plane", message));
    }
    Ok(())
}

/// Refuses a change that the cluster at the URL cannot make, before anything is sent (D-99). A
/// service of this product refuses precisely by itself, so it gets one request more and no probe.
pub(crate) fn require(client: &Client, needs: &[TargetNeed]) -> Result<(), Failure> {
    if !is_cluster(client)? {
        return Ok(());
    }
    let own = if needs.contains(&TargetNeed::DataPlane) {
        TargetApi::DataPlane
    } else {
        TargetApi::Admin
    };
    let mut report = TargetReport::default();
    for probe in probes_for(needs) {
        match client.probe(probe) {
            Ok((status, body)) => report.read(probe, status, &body),
            // The other API may need other credentials; then it says nothing.
            Err(CallError::Credentials(_)) if probe.api != own => {}
            Err(error) => return Err(error.into()),
        }
    }
    let gaps = report.unmet(needs);
    let Some(first) = gaps.first() else {
        return Ok(());
    };
    let url = plain(client.url());
    let message = match first.code.as_str() {
        "no_data_plane" | "no_admin_api" => format!(
            "{} (`{url}`); set its URL with --url or GBAC_URL",
            first.missing
        ),
        _ => {
            let gaps: Vec<String> = gaps
                .iter()
                .map(|gap| format!("{}: {}", plain(&gap.missing), gap.consequence))
                .collect();
            service::cannot_change(&url, &gaps)
        }
    };
    Err(Failure::new(first.code.clone(), message))
}

/// Whether there is no service of this product at the URL. Only a 404 or a page means that; every
/// other answer leaves it to the change.
fn is_cluster(client: &Client) -> Result<bool, CallError> {
    match client.get::<ServiceInfo>(paths::SERVICE) {
        Ok(_) => Ok(false),
        Err(CallError::NotJson(_)) => Ok(true),
        Err(CallError::Refused(refusal)) => Ok(refusal.status == 404),
        Err(CallError::Credentials(_) | CallError::Redirect(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Says what a cluster lacks, before ACLs and roles are sent to it. Its Admin API may be elsewhere.
pub(crate) fn before_changes(process: &Process, client: &Client) -> Result<(), Failure> {
    let mut report = TargetReport::default();
    require_data_plane(client, &mut report)?;
    discover(client, TargetApi::Admin, &mut report)?;
    if report.is_without_admin() {
        (report.admin_v1, report.admin_v2) = (ApiPresence::Unknown, ApiPresence::Unknown);
    }
    note_gaps(process, &report);
    Ok(())
}

/// What a cluster lacks, as notes.
pub(crate) fn note_gaps(process: &Process, report: &TargetReport) {
    for gap in report.gaps() {
        output::note(
            process,
            &format!("note: {}: {}", plain(&gap.missing), gap.consequence),
        );
    }
}

/// The failure of a call that only services of this product have. If there is a cluster of the
/// platform instead, it says so.
pub(crate) fn explained(process: &Process, client: &Client, error: CallError) -> Failure {
    let CallError::Refused(refusal) = &error else {
        return error.into();
    };
    let mut report = TargetReport::default();
    if refusal.status != 404
        || discover(client, TargetApi::DataPlane, &mut report).is_err()
        || discover(client, TargetApi::Admin, &mut report).is_err()
    {
        return error.into();
    }
    if ![report.data_plane, report.admin_v1, report.admin_v2].contains(&ApiPresence::Present) {
        return error.into();
    }
    note_gaps(process, &report);
    let message = format!(
        "`{}` is a cluster managed with `rpk`, which has no call for a whole policy; read it with `gbac policy pull`, and \
         write the changes as a script with `gbac policy convert --from pulled.json --to curl`",
        plain(client.url())
    );
    Failure::new("no_whole_policy", message)
}

/// The failure of a call for the license; clusters of the platform have another one.
pub(crate) fn without_license_call(client: &Client, error: CallError) -> Failure {
    if !matches!(&error, CallError::Refused(refusal) if refusal.status == 404)
        || !matches!(is_cluster(client), Ok(true))
    {
        return error.into();
    }
    let message = service::license_is_a_file(&plain(client.url()));
    Failure::new("no_license_call", message)
}

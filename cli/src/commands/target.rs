//! What there is at a URL that is no service of this product: the APIs of a cluster, and what it lacks (D-98).

use gbac_api::target::{ApiPresence, PROBES, TargetApi, TargetReport};

use crate::client::{CallError, Client};
use crate::output::{self, Failure, plain};

/// Sends the probes of an API to the client's URL.
pub(super) fn discover(client: &Client, api: TargetApi, report: &mut TargetReport) -> Result<(), CallError> {
    for probe in PROBES.iter().filter(|probe| probe.api == api) {
        let (status, body) = client.probe(probe)?;
        report.read(probe, status, &body);
    }
    Ok(())
}

/// Sends the probe of the Data Plane API, which has to be at the client's URL.
pub(super) fn require_data_plane(client: &Client, report: &mut TargetReport) -> Result<(), Failure> {
    discover(client, TargetApi::DataPlane, report)?;
    if report.data_plane == ApiPresence::Absent {
        let url = plain(client.url());
        let message = format!("there is no Data Plane API at `{url}`; set its URL with --url or GBAC_URL");
        return Err(Failure::new("no_data_plane", message));
    }
    Ok(())
}

/// Says what a cluster lacks, before ACLs and roles are sent to it. Its Admin API may be elsewhere.
pub(super) fn before_changes(client: &Client) -> Result<(), Failure> {
    let mut report = TargetReport::default();
    require_data_plane(client, &mut report)?;
    discover(client, TargetApi::Admin, &mut report)?;
    if report.is_without_admin() {
        (report.admin_v1, report.admin_v2) = (ApiPresence::Unknown, ApiPresence::Unknown);
    }
    note_gaps(&report);
    Ok(())
}

/// What a cluster lacks, as notes.
pub(super) fn note_gaps(report: &TargetReport) {
    for gap in report.gaps() {
        output::note(&format!("note: {}: {}", plain(&gap.missing), gap.consequence));
    }
}

/// The failure of a call that only services of this product have. If there is a cluster of the platform instead, it says so.
pub(super) fn explained(client: &Client, error: CallError) -> Failure {
    let CallError::Refused(refusal) = &error else { return error.into() };
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
    note_gaps(&report);
    let message = format!(
        "`{}` is a cluster of the platform, which has no call for a whole policy; read it with `gbac policy pull`, and \
         write the changes as a script with `gbac policy convert --from pulled.json --to curl`",
        plain(client.url())
    );
    Failure::new("no_whole_policy", message)
}

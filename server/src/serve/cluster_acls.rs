//! The start of a service whose ACLs live in Kafka clusters (D-136, D-137).

use std::io;

use gbac_engine::model::Dialect;
use gbac_engine::policy::Change;

use super::error::ServeError;
use super::options::DataOptions;
use crate::private_file::secret_notice;
use crate::state::audit::{Audit, ChangeRecorder};
use crate::state::change::make_change;
use crate::state::cluster::{ClusterOptionError, ClusterTarget};
use crate::state::error::WriteError;
use crate::state::store::{HistoryLimits, Snapshot, StateChange, Store};

/// A cluster with the store of its roles, settings and ACLs.
pub(super) struct OpenedCluster {
    pub(super) target: ClusterTarget,
    pub(super) store: Store,
}

/// The subfolder of the data with a folder for each cluster but the first.
const FOLDER: &str = "clusters";

/// The Kafka clusters with ACLs, in the order of the command line.
///
/// # Errors
/// The options of a cluster are not valid, or its properties cannot be read.
pub(super) fn cluster_targets(
    data: &DataOptions,
) -> Result<Vec<ClusterTarget>, ClusterOptionError> {
    let interval = data.cluster_interval;
    ClusterTarget::parse(
        &data.clusters,
        &data.cluster_configs,
        &data.cluster_identities,
        interval,
    )
}

/// Opens the stores of the clusters: that of the service is that of the first.
///
/// # Errors
/// A store cannot be opened, has the other dialect, or is that of another cluster.
pub(super) fn open_clusters(
    data: &DataOptions,
    history: HistoryLimits,
    service: &Store,
    audit: &Audit<'_>,
) -> Result<Vec<OpenedCluster>, ServeError> {
    let mut opened = Vec::new();
    for target in cluster_targets(data)? {
        let folder = data.folder.join(FOLDER).join(target.name());
        let store = if opened.is_empty() {
            if Store::is_in(&folder) {
                return Err(ServeError::ClusterOrder(target.name().to_owned()));
            }
            service.clone()
        } else {
            let shared = service.read().config;
            Store::open(&folder, |config| *config = shared.of_cluster(config))?
                .with_history(history)
        };
        if let Some(stored) = store.belong_to(target.name())? {
            let (name, stored) = (target.name().to_owned(), stored.to_owned());
            return Err(ServeError::ClusterData { name, stored });
        }
        use_dialect_of_kafka(
            &store,
            &audit.of_cluster(Some((target.name(), target.identity))),
        )?;
        opened.push(OpenedCluster { target, store });
    }
    Ok(opened)
}

/// What of the properties of a cluster is not used, and who else can read them.
pub(super) fn cluster_notices(target: &ClusterTarget) -> Vec<String> {
    let mut notices = target.notes.clone();
    notices.extend(target.file.as_deref().and_then(secret_notice));
    notices
}

/// Gives a store without roles and ACLs the dialect of a Kafka cluster; any other must have it.
///
/// # Errors
/// It has the other dialect, or cannot be changed.
fn use_dialect_of_kafka(store: &Store, audit: &Audit<'_>) -> Result<(), ServeError> {
    let policy = store.read().policy;
    if policy.settings().dialect == Dialect::Kafka {
        return Ok(());
    }
    if policy.acl_count() + policy.role_count() > 0 {
        return Err(ServeError::ClusterDialect);
    }
    let mut settings = policy.settings().clone();
    settings.dialect = Dialect::Kafka;
    settings.stated.dialect = true;
    let change = StateChange::Changes(vec![Change::Settings(Box::new(settings))]);
    let recorder = ChangeRecorder::new(audit);
    let plan = move |_: &Snapshot| Ok::<_, WriteError>((change, ()));
    match store.change_now(move |batch| make_change(batch, &recorder, plan)) {
        Ok(_) => Ok(()),
        Err(WriteError::NotRecorded) => Err(ServeError::NotRecorded),
        Err(error) => Err(ServeError::Start(io::Error::other(error.to_string()))),
    }
}

//! The start of a service whose ACLs live in a Kafka cluster (D-136).

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
use crate::state::store::{Snapshot, StateChange, Store};

/// The Kafka cluster with the ACLs, if they live in one.
///
/// # Errors
/// The options of the cluster are not valid, or its properties cannot be read.
pub(super) fn cluster(data: &DataOptions) -> Result<Option<ClusterTarget>, ClusterOptionError> {
    let interval = data.cluster_interval;
    ClusterTarget::parse(&data.clusters, &data.cluster_configs, interval)
}

/// What of the properties of the cluster is not used, and who else can read them.
pub(super) fn cluster_notices(target: &ClusterTarget) -> Vec<String> {
    let mut notices = target.notes.clone();
    notices.extend(target.file.as_deref().and_then(secret_notice));
    notices
}

/// Gives a store without roles and ACLs the dialect of a Kafka cluster; any other must have it.
///
/// # Errors
/// It has the other dialect, or cannot be changed.
pub(super) fn use_dialect_of_kafka(store: &Store, audit: &Audit<'_>) -> Result<(), ServeError> {
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

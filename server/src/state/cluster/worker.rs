//! The task that has the connection to the cluster: it reads the ACLs and makes changes, one after
//! the other.

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use gbac_api::problem::DocumentFault;
use gbac_api::service::{ClusterIdentity, ClusterKind};
use gbac_cluster::{
    AclOutcome, AclPhase, BATCH, KafkaCluster, KafkaError, RawAcl, StoredAcls, phases,
};
use gbac_engine::model::{Acl, Dialect, RoleSpelling};
use gbac_engine::policy::{Change, Policy};
use tokio::time::timeout;

use super::recent_writes::RecentWrites;
use super::status::ClusterStatus;
use super::target::ClusterTarget;
use crate::clock::Clock;
use crate::state::audit::{Audit, AuditLog, ChangeRecorder};
use crate::state::change::{
    Rehearsal, make_change, make_outside_change, rehearse, use_shared_config,
};
use crate::state::error::WriteError;
use crate::state::store::{Snapshot, StateChange, StateVersion, Store, Stored};

/// The time limit of reading all ACLs.
const READ_TIME: Duration = Duration::from_secs(10);
/// The time limit of a request that changes ACLs.
const WRITE_TIME: Duration = Duration::from_secs(30);

/// Where what was read is kept, and how it is recorded.
pub(crate) struct ClusterStorage {
    pub(crate) store: Store,
    /// The store of the service, which has the configuration that all clusters share.
    pub(crate) shared: Store,
    pub(crate) audit_log: AuditLog,
    /// The address of the service, for events.
    pub(crate) address: SocketAddr,
    pub(crate) clock: Clock,
}

/// The part of the task.
pub(crate) struct Worker {
    target: ClusterTarget,
    storage: ClusterStorage,
    status: Arc<ClusterStatus>,
    connection: Option<KafkaCluster>,
    /// What was read last.
    acls: StoredAcls,
    /// The state of the store that has what was read last.
    synced: Option<StateVersion>,
    recent: RecentWrites,
}

impl Worker {
    pub(super) fn new(
        target: ClusterTarget,
        storage: ClusterStorage,
        status: Arc<ClusterStatus>,
    ) -> Self {
        Self {
            target,
            storage,
            status,
            connection: None,
            acls: StoredAcls::default(),
            synced: None,
            recent: RecentWrites::default(),
        }
    }

    pub(super) const fn interval(&self) -> Duration {
        self.target.interval
    }

    /// Reads the ACLs of the cluster, and stores what others changed. If that fails, the stored
    /// ones stay.
    pub(super) async fn read(&mut self) {
        self.share_config().await;
        let acls = match self.try_read().await {
            Ok(acls) => acls,
            Err(reason) => {
                // What arrives next on the connection may answer the request that was given up.
                self.connection = None;
                return self.note_fault(&reason);
            }
        };
        let was_away = self.status.reason().is_some();
        if self.has_stored(&acls) {
            self.status.set_read_again((self.storage.clock)());
        } else {
            self.acls = acls;
            self.synced = None;
            if let Err(error) = self.store_outside_changes().await {
                return self.note_fault(&error.to_string());
            }
        }
        if was_away {
            let (cluster, acls) = (self.status.name(), self.acls.known.len());
            tracing::info!(target: "main", cluster, acls, "the ACLs of the cluster were read");
        }
    }

    /// Takes over the configuration of the service, if it has changed.
    async fn share_config(&mut self) {
        let (own, service) = (self.storage.store.read(), self.storage.shared.read());
        if own.config.is_shared && *own.config != service.config.of_cluster(&own.config) {
            let store = self.storage.store.clone();
            let origin = ChangeRecorder::new(&self.audit()).origin();
            // A store that cannot be written refuses the changes that depend on it, too.
            let _ = store
                .change(move |batch| {
                    let change = use_shared_config(batch, &service.config, origin);
                    Ok::<_, WriteError>(((), change))
                })
                .await;
        }
    }

    async fn try_read(&mut self) -> Result<StoredAcls, String> {
        match timeout(READ_TIME, self.fetch()).await {
            Ok(Ok(acls)) => Ok(acls),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(no_answer()),
        }
    }

    async fn fetch(&mut self) -> Result<StoredAcls, KafkaError> {
        let cluster = match &mut self.connection {
            Some(cluster) => cluster,
            None => {
                let properties = self.target.properties.clone();
                let mut cluster = KafkaCluster::connect(properties).await?;
                let kind = match cluster.roles() {
                    RoleSpelling::RedpandaRole => ClusterKind::Platform,
                    RoleSpelling::Role => ClusterKind::Kafka,
                };
                let (group_acls, settings) = cluster.rules().await;
                self.status.set_kind(kind, group_acls, settings);
                self.connection.insert(cluster)
            }
        };
        cluster.acls().await
    }

    fn note_fault(&self, reason: &str) {
        let cluster = self.status.name();
        if self.status.set_fault(reason) {
            tracing::warn!(target: "main", cluster, reason, "the ACLs of the cluster cannot be read; the stored ones stay in effect");
        }
    }

    /// Whether the store has these ACLs already.
    fn has_stored(&self, acls: &StoredAcls) -> bool {
        self.synced == Some(self.storage.store.read().version)
            && self.recent.is_empty()
            && self.acls == *acls
    }

    /// Stores the difference between what was read and what is stored.
    async fn store_outside_changes(&mut self) -> Result<(), WriteError> {
        let (mut known, unknown) = sort_out(&self.acls);
        self.recent.complete(&mut known);
        let recorder = ChangeRecorder::outside(&self.audit());
        let stored = self
            .storage
            .store
            .change(move |batch| {
                make_outside_change(batch, &recorder, |current| {
                    let changes = difference(&current.policy, &known);
                    let count = changes.len();
                    (StateChange::Changes(changes), count)
                })
            })
            .await?;
        self.synced = Some(stored.after.version);
        let (cluster, changes) = (self.status.name(), stored.answer);
        if changes > 0 {
            tracing::info!(target: "main", cluster, changes, "ACLs of the cluster were changed outside of GBAC");
        }
        let now = (self.storage.clock)();
        if self.status.set_read(now, &unknown, changes) && !unknown.is_empty() {
            let (count, first) = (unknown.len(), unknown.first().map(ToString::to_string));
            tracing::warn!(target: "main", cluster, count, first, "the cluster has ACLs that this version does not know; they stay in the cluster");
        }
        Ok(())
    }

    fn audit(&self) -> Audit<'_> {
        Audit::new(
            &self.storage.audit_log,
            self.storage.shared.read().config.audit_enabled,
            (self.storage.clock)(),
            self.storage.address,
        )
        .of_cluster(Some((self.status.name(), self.status.identity())))
    }

    /// Makes a planned change; see [`super::ClusterLink::change`].
    pub(super) async fn change<T, E>(
        &mut self,
        recorder: ChangeRecorder,
        token: Option<Arc<str>>,
        plan: impl FnOnce(&Snapshot) -> Result<(StateChange, T), E> + Send + 'static,
    ) -> Result<Stored<T>, E>
    where
        T: Send + 'static,
        E: From<WriteError> + Send + 'static,
    {
        self.share_config().await;
        // The plan sees what others changed until now. While the cluster is away, changes without
        // ACLs are made nevertheless.
        if self.status.reason().is_none() {
            self.read().await;
        }
        let current = self.storage.store.read();
        let planned = tokio::task::spawn_blocking(move || {
            let (change, answer) = plan(&current)?;
            Ok::<_, E>((rehearse(&current, change)?, answer))
        });
        let (rehearsal, answer) = match planned.await {
            Ok(planned) => planned?,
            Err(_) => return Err(WriteError::Aborted.into()),
        };
        if rehearsal.dialect != Dialect::Kafka {
            return Err(WriteError::InvalidChanges(vec![other_dialect()]).into());
        }
        if !rehearsal.created.is_empty() || !rehearsal.deleted.is_empty() {
            self.require_current().await?;
            self.require_records().await?;
            let sender = self.sender(token).await?;
            self.apply(&rehearsal, sender, &recorder).await?;
        }
        let change = rehearsal.change;
        self.storage
            .store
            .change(move |batch| {
                make_change(batch, &recorder, move |_| Ok::<_, E>((change, answer)))
            })
            .await
    }

    /// Requires that the ACLs on which a change was planned are those of the cluster.
    async fn require_current(&mut self) -> Result<(), WriteError> {
        if self.status.reason().is_none() {
            return Ok(());
        }
        let planned_on = self.storage.store.read().version;
        self.read().await;
        if let Some(reason) = self.status.reason() {
            let cluster = self.status.name().to_owned();
            return Err(WriteError::ClusterUnavailable { cluster, reason });
        }
        if self.storage.store.read().version != planned_on {
            return Err(WriteError::ClusterChanged(self.status.name().to_owned()));
        }
        Ok(())
    }

    /// Requires that what the cluster accepts can be stored and recorded.
    async fn require_records(&mut self) -> Result<(), WriteError> {
        if !self.storage.store.is_writable() {
            let message = "the store does not accept writes".to_owned();
            return Err(WriteError::NotStored(message));
        }
        let is_recorded = self.audit().is_enabled();
        let audit_log = self.storage.audit_log.clone();
        if is_recorded && audit_log.check().await.is_err() {
            return Err(WriteError::NotRecorded);
        }
        Ok(())
    }

    /// The connection of who sends a change. That of a caller never becomes that of the service.
    async fn sender(&mut self, token: Option<Arc<str>>) -> Result<Sender, WriteError> {
        if self.status.identity() == ClusterIdentity::Service {
            return Ok(Sender::Service);
        }
        let cluster = self.status.name().to_owned();
        let Some(token) = token else {
            return Err(WriteError::CallerNeeded(cluster));
        };
        let properties = self.target.properties.clone().with_token((*token).into());
        let (reason, is_refused) = match timeout(READ_TIME, KafkaCluster::connect(properties)).await
        {
            Ok(Ok(connection)) => return Ok(Sender::Caller(Some(Box::new(connection)))),
            Ok(Err(error)) => (error.to_string(), error.is_about_sign_in()),
            Err(_) => (no_answer(), false),
        };
        Err(if is_refused {
            WriteError::CallerRefused { cluster, reason }
        } else {
            WriteError::ClusterUnavailable { cluster, reason }
        })
    }

    /// Sends the ACLs of a change to the cluster. After the first that is not applied, no further
    /// phase is sent, and what was applied is stored.
    async fn apply(
        &mut self,
        rehearsal: &Rehearsal,
        mut sender: Sender,
        recorder: &ChangeRecorder,
    ) -> Result<(), WriteError> {
        let mut progress = Progress::new(&rehearsal.places);
        for phase in phases(&rehearsal.created, &rehearsal.deleted) {
            if progress.faults.is_empty() {
                self.send_phase(phase, &mut sender, &mut progress).await;
            } else {
                progress.skip(&phase);
            }
        }
        for change in &progress.applied {
            match change {
                Change::AddAcl(acl) => self.recent.note(acl.clone(), true),
                Change::RemoveAcl(acl) => self.recent.note(acl.clone(), false),
                _ => {}
            }
        }
        if progress.faults.is_empty() {
            return Ok(());
        }
        let refused = WriteError::ClusterRefused {
            cluster: self.status.name().to_owned(),
            applied: progress.applied.len(),
            total: progress.applied.len() + progress.faults.len(),
            has_more: rehearsal.has_more,
            faults: progress.faults,
        };
        let (change, recorder) = (StateChange::Changes(progress.applied), recorder.clone());
        self.storage
            .store
            .change(move |batch| {
                make_change(batch, &recorder, move |_| Ok::<_, WriteError>((change, ())))
            })
            .await?;
        Err(refused)
    }

    async fn send_phase(
        &mut self,
        phase: AclPhase,
        sender: &mut Sender,
        progress: &mut Progress<'_>,
    ) {
        let mut raws: Vec<RawAcl> = Vec::new();
        let mut counts = Vec::new();
        for acl in &phase.acls {
            let spellings = match (&self.connection, phase.creates) {
                (Some(cluster), true) => cluster.raw(acl).into_iter().collect(),
                _ => self.acls.spellings(acl),
            };
            counts.push(spellings.len());
            raws.extend(spellings);
        }
        let mut outcomes = self.send(sender, &raws, phase.creates).await.into_iter();
        let is_unclear = |outcome: &AclOutcome| matches!(outcome, AclOutcome::Unknown(_));
        let mut unclear = Vec::new();
        for (acl, count) in phase.acls.into_iter().zip(counts) {
            let of_acl: Vec<AclOutcome> = outcomes.by_ref().take(count).collect();
            if of_acl.iter().any(is_unclear) {
                unclear.push((acl, of_acl));
            } else {
                progress.note(acl, phase.creates, &of_acl);
            }
        }
        if unclear.is_empty() {
            return;
        }
        // Whether they were applied shows in the cluster.
        let read = self.try_read().await.ok();
        if read.is_none() {
            self.connection = None;
        }
        for (acl, of_acl) in unclear {
            let is_there = read.as_ref().map(|acls| acls.known.contains(&acl));
            if is_there == Some(phase.creates) {
                progress.note(acl, phase.creates, &[AclOutcome::Applied]);
            } else {
                progress.note(acl, phase.creates, &of_acl);
            }
        }
    }

    /// Sends ACLs in requests of limited size and time; one outcome for each.
    async fn send(
        &mut self,
        sender: &mut Sender,
        raws: &[RawAcl],
        creates: bool,
    ) -> Vec<AclOutcome> {
        let mut outcomes = Vec::with_capacity(raws.len());
        for batch in raws.chunks(BATCH) {
            let connection = match sender {
                Sender::Service => self.connection.as_mut(),
                Sender::Caller(connection) => connection.as_deref_mut(),
            };
            let Some(cluster) = connection else {
                break;
            };
            let answer = async {
                if creates {
                    cluster.create(batch).await
                } else {
                    cluster.delete(batch).await
                }
            };
            let Ok(of_batch) = timeout(WRITE_TIME, answer).await else {
                match sender {
                    Sender::Service => self.connection = None,
                    Sender::Caller(connection) => *connection = None,
                }
                break;
            };
            outcomes.extend(of_batch);
        }
        let silent = || KafkaError::Silent {
            address: self.status.name().to_owned(),
            call: if creates { "CreateAcls" } else { "DeleteAcls" },
            seconds: WRITE_TIME.as_secs(),
        };
        outcomes.resize_with(raws.len(), || AclOutcome::Unknown(silent()));
        outcomes
    }
}

/// On which connection a change is sent.
enum Sender {
    /// On that of the service.
    Service,
    /// On one with the token of who makes the change, until it breaks. It ends with the change.
    Caller(Option<Box<KafkaCluster>>),
}

fn no_answer() -> String {
    format!("no answer within {} seconds", READ_TIME.as_secs())
}

/// What became of the ACLs of a change.
struct Progress<'r> {
    /// Where a client lists a change of an ACL.
    places: &'r BTreeMap<Acl, usize>,
    applied: Vec<Change>,
    faults: Vec<DocumentFault>,
}

impl<'r> Progress<'r> {
    const fn new(places: &'r BTreeMap<Acl, usize>) -> Self {
        Self {
            places,
            applied: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// Notes the outcomes of an ACL, which has one for each of its spellings.
    fn note(&mut self, acl: Acl, created: bool, outcomes: &[AclOutcome]) {
        let mut fault = match outcomes {
            [] => Some((
                "kafka_not_one_acl",
                "Kafka's protocol has no such ACL".to_owned(),
            )),
            _ => None,
        };
        for outcome in outcomes {
            let found = match outcome {
                AclOutcome::Applied | AclOutcome::Absent => continue,
                AclOutcome::Refused(refusal) => ("kafka_refused", refusal.to_string()),
                AclOutcome::NotSent(error) => (error.code(), error.to_string()),
                AclOutcome::Unknown(error) => (
                    error.code(),
                    format!("{error}; whether it was applied shows when the ACLs are read again"),
                ),
            };
            fault.get_or_insert(found);
        }
        match (fault, created) {
            (Some((code, reason)), _) => self.fail(&acl, created, code, &reason),
            (None, true) => self.applied.push(Change::AddAcl(acl)),
            (None, false) => self.applied.push(Change::RemoveAcl(acl)),
        }
    }

    fn fail(&mut self, acl: &Acl, created: bool, code: &str, reason: &str) {
        let verb = if created { "create" } else { "delete" };
        let line = match RawAcl::of(acl, RoleSpelling::Role) {
            Some(raw) => raw.to_string(),
            None => acl.principal.to_string(),
        };
        self.faults.push(DocumentFault {
            path: match self.places.get(acl) {
                Some(index) => format!("/changes/{index}"),
                None => "/cluster".into(),
            },
            code: code.to_owned(),
            message: format!("{verb} {line}: {reason}"),
        });
    }

    /// Notes that a phase is not sent.
    fn skip(&mut self, phase: &AclPhase) {
        for acl in &phase.acls {
            let reason = "not sent, because a change before it was not applied";
            self.fail(acl, phase.creates, "kafka_not_sent", reason);
        }
    }
}

fn other_dialect() -> DocumentFault {
    DocumentFault {
        path: "/settings/dialect".into(),
        code: "cluster_dialect".into(),
        message: "the ACLs are those of a Kafka cluster, so `dialect` must be `kafka`".into(),
    }
}

/// The ACLs of a cluster, and those that a policy cannot have.
fn sort_out(acls: &StoredAcls) -> (HashSet<Acl>, Vec<RawAcl>) {
    let mut known = HashSet::with_capacity(acls.known.len());
    let mut unknown = acls.unknown.clone();
    for acl in &acls.known {
        let principal = (acl.principal.kind(), acl.principal.name());
        let checked = Dialect::Kafka.check(acl.resource_type, acl.operation, principal, &acl.host);
        if checked.is_ok() && acl.clone().normalized() == *acl {
            known.insert(acl.clone());
        } else {
            unknown.extend(acls.spellings(acl));
        }
    }
    (known, unknown)
}

/// The changes that make the ACLs of a policy those of the cluster; allows go before others come.
fn difference(policy: &Policy, known: &HashSet<Acl>) -> Vec<Change> {
    let mut changes = Vec::new();
    for acl in policy.acls() {
        if !known.contains(&acl) {
            changes.push(Change::RemoveAcl(acl));
        }
    }
    let mut created: Vec<&Acl> = known.iter().filter(|acl| !policy.has_acl(acl)).collect();
    created.sort();
    for acl in created {
        changes.push(Change::AddAcl(acl.clone()));
    }
    changes
}

//! What a planned write changes, as audit events. They are written before the change is committed,
//! so that no change is made without its events (D-50).

use std::collections::BTreeSet;
use std::sync::Arc;

use gbac_analysis::audit::{
    Administration, Context, Event, Modification, ResultingState, User, UserKind, administration,
    modification_data, service,
};
use gbac_engine::Coded;
use gbac_engine::model::{Acl, Principal, Role};
use gbac_engine::policy::{AccessLevel, Change, ChangeOutcome, GroupSource, Policy, Settings};
use gbac_words::audit_message::action;
use serde_json::{Value, json};

use super::files::Stream;
use super::log::AuditLog;
use super::recorder::Audit;
use super::scope::{AclChange, MAX_ACLS, RequestScope};
use crate::lock::Lock;
use crate::state::cluster_property::{ClusterProperty, PropertyValues};
use crate::state::config::Config;
use crate::state::error::{AuditError, WriteError};
use crate::state::store::{Attempt, Plan, Snapshot};

/// More changes than this are recorded in events that contain as many of them.
const CHANGES_PER_EVENT: usize = 100;

/// The entity tags of the policy before and after a write.
pub(crate) struct PolicyTags {
    /// That of the current policy.
    pub(crate) current: String,
    /// That of the policy after a change.
    pub(crate) next: String,
}

/// Records what one write changes.
pub(crate) struct ChangeRecorder {
    log: AuditLog,
    scope: Option<Arc<RequestScope>>,
    context: OwnedContext,
    /// The events of the change, once they are written.
    recorded: RecordedChange,
}

/// The events of a change that were written before it is committed.
#[derive(Clone, Default)]
pub(crate) struct RecordedChange(Arc<Lock<Vec<Event>>>);

/// What every event of the write says.
struct OwnedContext {
    time_ms: i64,
    server: std::net::SocketAddr,
}

impl ChangeRecorder {
    /// A recorder for a write of the current request.
    pub(crate) fn new(audit: &Audit<'_>, recorded: RecordedChange) -> Self {
        let context = OwnedContext {
            time_ms: audit.time_ms(),
            server: audit.server,
        };
        Self {
            log: audit.log.clone(),
            scope: RequestScope::current(),
            context,
            recorded,
        }
    }

    /// A plan that records what it changes before it is committed.
    ///
    /// # Errors
    /// The events cannot be written, so the change must not be made.
    pub(crate) fn record<T: Send + 'static>(
        self,
        current: &Snapshot,
        tags: PolicyTags,
        plan: Plan<T>,
    ) -> Result<Plan<T>, WriteError> {
        let config_version = current.config_version;
        let was_enabled = current.config.audit_enabled;
        match plan {
            Plan::Changes(..) | Plan::Attempt(..) | Plan::Replace(..) if !was_enabled => Ok(plan),
            Plan::Changes(changes, answer) => {
                let accept = Box::new(move |_: &Attempt<'_>| Ok(answer));
                self.record(current, tags, Plan::Attempt(changes, accept))
            }
            Plan::Attempt(changes, accept) => {
                let deleted = deleted_roles(&current.policy, &changes);
                let values = PropertyValues::current(current);
                let accept = move |attempt: &Attempt<'_>| {
                    let answer = accept(attempt)?;
                    let refused =
                        |effect: &ChangeOutcome| matches!(effect, ChangeOutcome::Refused(_));
                    if !attempt.effects.iter().any(refused) {
                        let changes: Vec<&Change> =
                            attempt.effective().map(|(_, change)| change).collect();
                        let sets = changes
                            .iter()
                            .any(|change| matches!(change, Change::Settings(_)));
                        let state = (tags.next, config_version + u64::from(sets));
                        let mut collector = Collector::new(&self, state, changes.len());
                        collector.add_changes(&changes, &deleted, values);
                        let events = collector.finish();
                        self.write(events, false)?;
                    }
                    Ok(answer)
                };
                Ok(Plan::Attempt(changes, Box::new(accept)))
            }
            Plan::Configure(changes, config, answer) => {
                if !was_enabled && !config.audit_enabled {
                    return Ok(Plan::Configure(changes, config, answer));
                }
                let before = PropertyValues::current(current);
                let mut after = PropertyValues {
                    settings: before.settings.clone(),
                    config: config.clone(),
                };
                for change in &changes {
                    if let Change::Settings(settings) = change {
                        after.settings = settings.filled_from(&after.settings);
                    }
                }
                let tag = if before.settings == after.settings {
                    tags.current
                } else {
                    tags.next
                };
                let mut collector = Collector::new(&self, (tag, config_version + 1), 1);
                collector.add_values(&before, &after);
                let config_off = Config {
                    audit_enabled: false,
                    ..before.config.clone()
                };
                let turns_off = was_enabled
                    && after
                        == PropertyValues {
                            settings: before.settings.clone(),
                            config: config_off,
                        };
                let events = collector.finish();
                self.write(events, turns_off)?;
                Ok(Plan::Configure(changes, config, answer))
            }
            Plan::Replace(policy, answer) => {
                let config = (*current.config).clone();
                let before = PropertyValues {
                    settings: current.policy.settings().clone(),
                    config: config.clone(),
                };
                let after = PropertyValues {
                    settings: policy.settings().clone(),
                    config,
                };
                let replacement = Replacement::new(&current.policy, &policy);
                let sets = before.settings != after.settings;
                let state = (tags.next, config_version + u64::from(sets));
                let mut collector = Collector::new(&self, state, replacement.len());
                collector.add_replacement(&replacement);
                collector.add_values(&before, &after);
                let events = collector.finish();
                self.write(events, false)?;
                Ok(Plan::Replace(policy, answer))
            }
        }
    }

    /// Writes events before the change is committed. Turning auditing off is possible if they
    /// cannot be written; they are then kept until they can.
    fn write(&self, events: Vec<Event>, turns_off: bool) -> Result<(), WriteError> {
        if events.is_empty() {
            return Ok(());
        }
        if self.log.write_now(Stream::Changes, &events).is_err() {
            if !turns_off {
                return Err(WriteError::NotRecorded);
            }
            self.log.owe(Stream::Changes, &events);
        }
        if let Some(scope) = &self.scope {
            scope.set_changed();
        }
        self.recorded.0.with(|recorded| recorded.extend(events));
        Ok(())
    }

    fn event(
        &self,
        modification: Modification<'_>,
        (policy_etag, config_version): &(String, u64),
    ) -> Event {
        let policy_etag = policy_etag.trim_matches('"');
        self.make_event(
            modification,
            Some(ResultingState {
                policy_etag,
                config_version: *config_version,
            }),
        )
    }

    fn make_event(
        &self,
        modification: Modification<'_>,
        state: Option<ResultingState<'_>>,
    ) -> Event {
        let scope = self.scope.as_deref();
        let server = gbac_analysis::audit::Endpoint {
            ip: Some(self.context.server.ip()),
            port: Some(self.context.server.port()),
            name: None,
        };
        administration(&Administration {
            context: Context {
                time_ms: self.context.time_ms,
                product: self.log.product(),
                service: service::ADMIN,
                server,
                client: scope.map(|scope| scope.head.client()).unwrap_or_default(),
                correlation_uid: scope.map(|scope| scope.head.id.as_str()),
                invoked_by: None,
            },
            user: scope.map_or(
                User {
                    name: "gbac",
                    kind: UserKind::System,
                    ..User::default()
                },
                |scope| User {
                    name: &scope.user,
                    kind: UserKind::Admin,
                    ..User::default()
                },
            ),
            protocol: scope.map(|scope| scope.method.protocol()),
            action: &action(&modification),
            modification,
            state,
        })
    }
}

impl ChangeRecorder {
    /// Records a change of an account, before it is made, on a thread that may block.
    ///
    /// # Errors
    /// The event cannot be written, so the change must not be made.
    pub(crate) fn record_account(&self, modification: Modification<'_>) -> Result<(), AuditError> {
        let events = vec![self.make_event(modification, None)];
        self.log.write_now(Stream::Changes, &events)?;
        self.recorded.0.with(|recorded| recorded.extend(events));
        Ok(())
    }

    /// Records that the service starts or stops. If that cannot be written, it is kept until it
    /// can: nobody has to be refused.
    pub(crate) async fn record_lifecycle(self, modification: Modification<'_>) {
        let events = [self.make_event(modification, None)];
        if self.log.write(Stream::Changes, &events).await.is_err() {
            self.log.owe(Stream::Changes, &events);
        }
    }

    /// Records a change that is not one of the policy or the configuration, before it is made.
    ///
    /// # Errors
    /// The event cannot be written, so the change must not be made.
    pub(crate) async fn record_value(
        self,
        kind: &str,
        name: &str,
        before: &Value,
        after: &Value,
    ) -> Result<(), AuditError> {
        let event = self.make_event(
            Modification::ValueSet {
                kind,
                name,
                before,
                after,
            },
            None,
        );
        self.log.write(Stream::Changes, &[event]).await?;
        if let Some(scope) = &self.scope {
            scope.set_changed();
        }
        Ok(())
    }
}

impl RecordedChange {
    /// Records that a change was not committed, although its events were written.
    pub(crate) async fn fail(&self, log: &AuditLog) {
        let events = self.failed();
        if log.write(Stream::Changes, &events).await.is_err() {
            log.owe(Stream::Changes, &events);
        }
    }

    /// [`RecordedChange::fail`] on a thread that may block.
    pub(crate) fn fail_now(&self, log: &AuditLog) {
        let events = self.failed();
        if log.write_now(Stream::Changes, &events).is_err() {
            log.owe(Stream::Changes, &events);
        }
    }

    fn failed(&self) -> Vec<Event> {
        let events = self.0.with(std::mem::take);
        let detail = "the change could not be stored; nothing was changed";
        events
            .into_iter()
            .map(|event| event.failed("not_stored", detail))
            .collect()
    }

    /// Takes note that the changes so far were stored.
    pub(crate) fn stored(&self) {
        self.0.with(Vec::clear);
    }
}

/// The events of a write, or of many changes the changes themselves, which share events.
struct Collector<'r> {
    recorder: &'r ChangeRecorder,
    state: (String, u64),
    events: Vec<Event>,
    /// The changes, if there are many.
    many: Option<Vec<Value>>,
    acls: Vec<AclChange>,
}

impl<'r> Collector<'r> {
    fn new(recorder: &'r ChangeRecorder, state: (String, u64), changes: usize) -> Self {
        Self {
            recorder,
            state,
            events: Vec::new(),
            many: (changes > CHANGES_PER_EVENT).then(Vec::new),
            acls: Vec::new(),
        }
    }

    fn add(&mut self, modification: Modification<'_>) {
        match modification {
            _ if self.acls.len() >= MAX_ACLS => {}
            Modification::AclAdded(acl) => self.acls.push(AclChange::Created(acl.clone())),
            Modification::AclRemoved(acl) => self.acls.push(AclChange::Deleted(acl.clone())),
            Modification::RoleDeleted { acls, .. } => {
                self.acls
                    .extend(acls.iter().cloned().map(AclChange::Deleted));
            }
            _ => {}
        }
        match &mut self.many {
            Some(many) => many.push(modification_data(&modification)),
            None => self
                .events
                .push(self.recorder.event(modification, &self.state)),
        }
    }

    fn add_changes(
        &mut self,
        changes: &[&Change],
        deleted: &[(Role, Vec<Acl>)],
        mut values: PropertyValues,
    ) {
        for change in changes {
            match change {
                Change::AddAcl(acl) => self.add(Modification::AclAdded(acl)),
                Change::RemoveAcl(acl) => self.add(Modification::AclRemoved(acl)),
                Change::CreateRole(name) => self.add(Modification::RoleCreated(name)),
                Change::AddMember { role, member } => {
                    self.add(Modification::MemberAdded { role, member });
                }
                Change::RemoveMember { role, member } => {
                    self.add(Modification::MemberRemoved { role, member });
                }
                Change::DeleteRole { name, .. } => {
                    let before = deleted.iter().find(|(role, _)| role.name == *name);
                    let members: Vec<Principal> = before
                        .map(|(role, _)| role.members.iter().cloned().collect())
                        .unwrap_or_default();
                    let acls = before.map(|(_, acls)| acls.as_slice()).unwrap_or_default();
                    self.add(Modification::RoleDeleted {
                        name,
                        members: &members,
                        acls,
                    });
                }
                Change::Settings(settings) => {
                    let settings = settings.filled_from(&values.settings);
                    let after = PropertyValues {
                        settings,
                        config: values.config.clone(),
                    };
                    self.add_values(&values, &after);
                    values = after;
                }
            }
        }
    }

    fn add_replacement(&mut self, replacement: &Replacement) {
        for (role, acls) in &replacement.deleted_roles {
            let members: Vec<Principal> = role.members.iter().cloned().collect();
            self.add(Modification::RoleDeleted {
                name: &role.name,
                members: &members,
                acls,
            });
        }
        for acl in &replacement.removed_acls {
            self.add(Modification::AclRemoved(acl));
        }
        for (before, after) in &replacement.roles {
            if before.is_none() {
                self.add(Modification::RoleCreated(&after.name));
            }
            let none = BTreeSet::new();
            let before = before.as_ref().map_or(&none, |role| &role.members);
            for member in before.difference(&after.members) {
                self.add(Modification::MemberRemoved {
                    role: &after.name,
                    member,
                });
            }
            for member in after.members.difference(before) {
                self.add(Modification::MemberAdded {
                    role: &after.name,
                    member,
                });
            }
        }
        for acl in &replacement.added_acls {
            self.add(Modification::AclAdded(acl));
        }
    }

    /// The settings, properties and license that differ.
    fn add_values(&mut self, before: &PropertyValues, after: &PropertyValues) {
        for name in before
            .settings
            .superusers
            .iter()
            .filter(|name| !after.settings.superusers.contains(name))
        {
            self.add(Modification::SuperuserRemoved(name));
        }
        for name in after
            .settings
            .superusers
            .iter()
            .filter(|name| !before.settings.superusers.contains(name))
        {
            self.add(Modification::SuperuserAdded(name));
        }
        for level in AccessLevel::ALL {
            let grantees =
                |values: &PropertyValues| values.settings.access.grantees(level).to_vec();
            let (old, new) = (grantees(before), grantees(after));
            for grantee in old.iter().filter(|grantee| !new.contains(grantee)) {
                self.add(Modification::AccessRevoked {
                    level: level.code(),
                    grantee,
                });
            }
            for grantee in new.iter().filter(|grantee| !old.contains(grantee)) {
                self.add(Modification::AccessGranted {
                    level: level.code(),
                    grantee,
                });
            }
        }
        for property in
            ClusterProperty::all().filter(|property| *property != ClusterProperty::Superusers)
        {
            self.add_value(
                property.name(),
                &property.value(before),
                &property.value(after),
            );
        }
        self.add_value("sso", &sso(&before.settings), &sso(&after.settings));
        let license = |values: &PropertyValues| {
            serde_json::to_value(values.config.license).unwrap_or_default()
        };
        self.add_value("license", &license(before), &license(after));
    }

    fn add_value(&mut self, name: &str, before: &Value, after: &Value) {
        if before != after {
            self.add(Modification::ValueSet {
                kind: "setting",
                name,
                before,
                after,
            });
        }
    }

    fn finish(self) -> Vec<Event> {
        let Self {
            recorder,
            state,
            mut events,
            many,
            acls,
        } = self;
        if let Some(scope) = &recorder.scope {
            scope.add_acls(&acls);
        }
        let many = many.unwrap_or_default();
        for (place, changes) in many.chunks(CHANGES_PER_EVENT).enumerate() {
            let (first, total) = (place * CHANGES_PER_EVENT, many.len());
            events.push(recorder.event(
                Modification::Several {
                    changes,
                    first,
                    total,
                },
                &state,
            ));
        }
        events
    }
}

/// The attributes of an SSO connection.
fn sso(settings: &Settings) -> Value {
    match &settings.groups {
        GroupSource::Properties { .. } => Value::Null,
        GroupSource::Sso { attributes, .. } => json!(attributes),
    }
}

/// The roles that changes delete, as they are before, with the ACLs that are deleted with them.
fn deleted_roles(policy: &Policy, changes: &[Change]) -> Vec<(Role, Vec<Acl>)> {
    let deleted = changes.iter().filter_map(|change| match change {
        Change::DeleteRole { name, delete_acls } => Some((policy.role(name)?, *delete_acls)),
        _ => None,
    });
    let acls = |role: &Role, is_deleted| {
        if is_deleted {
            policy.acls_of(&Principal::role(&role.name))
        } else {
            Vec::new()
        }
    };
    deleted
        .map(|(role, delete_acls)| (acls(&role, delete_acls), role))
        .map(|(acls, role)| (role, acls))
        .collect()
}

/// What replacing a policy by another one changes.
struct Replacement {
    deleted_roles: Vec<(Role, Vec<Acl>)>,
    removed_acls: Vec<Acl>,
    /// The roles that are new or have other members, before and after.
    roles: Vec<(Option<Role>, Role)>,
    added_acls: Vec<Acl>,
}

impl Replacement {
    fn new(before: &Policy, after: &Policy) -> Self {
        let deleted_roles = before
            .roles()
            .filter(|role| !after.has_role(&role.name))
            .map(|role| (role, Vec::new()));
        let roles = after.roles().map(|role| (before.role(&role.name), role));
        Self {
            deleted_roles: deleted_roles.collect(),
            removed_acls: before.acls().filter(|acl| !after.has_acl(acl)).collect(),
            roles: roles
                .filter(|(before, after)| before.as_ref() != Some(after))
                .collect(),
            added_acls: after.acls().filter(|acl| !before.has_acl(acl)).collect(),
        }
    }

    fn len(&self) -> usize {
        let members = self.roles.iter().map(|(before, after)| {
            1 + after.members.len() + before.as_ref().map_or(0, |role| role.members.len())
        });
        self.deleted_roles.len()
            + self.removed_acls.len()
            + self.added_acls.len()
            + members.sum::<usize>()
    }
}

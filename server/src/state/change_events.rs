//! What a change changes, as audit events.

use std::collections::BTreeSet;
use std::sync::Arc;

use gbac_analysis::audit::{Event, Modification, ResultingState, modification_data};
use gbac_engine::Coded;
use gbac_engine::model::{Acl, Principal, Role};
use gbac_engine::policy::{AccessLevel, Change, GroupSource, Policy, Settings};
use serde_json::{Value, json};

use super::audit::{AclChange, ChangeRecorder, MAX_ACLS};
use super::cluster_property::{ClusterProperty, PropertyValues};
use super::config::Config;
use super::store::{MadeChange, Snapshot, StateChange, StateVersion};
use super::stored_tests::{StoredTests, test_name};

/// More changes than this are recorded in events that contain as many of them.
const CHANGES_PER_EVENT: usize = 100;

/// What the events of a change say about the state before it.
pub(crate) struct StateBefore {
    values: PropertyValues,
    /// The roles that the change deletes, with the ACLs that are deleted with them.
    deleted_roles: Vec<(Role, Vec<Acl>)>,
    /// The policy that the change replaces.
    replaced: Option<Arc<Policy>>,
}

impl StateBefore {
    pub(crate) fn new(current: &Snapshot, change: &StateChange) -> Self {
        let deleted_roles = if current.config.audit_enabled {
            deleted_roles(&current.policy, change.policy_changes())
        } else {
            Vec::new()
        };
        let replaced = match change {
            StateChange::Replace(_) => Some(Arc::clone(&current.policy)),
            StateChange::Changes(_) | StateChange::Configure(..) | StateChange::Attempt(_) => None,
        };
        Self {
            values: PropertyValues::current(current),
            deleted_roles,
            replaced,
        }
    }

    /// The settings and the configuration.
    pub(crate) fn values(&self) -> &PropertyValues {
        &self.values
    }

    /// The settings and the configuration after the change.
    fn values_after(&self, made: &MadeChange) -> PropertyValues {
        let mut after = self.values.clone();
        for (_, change) in made.effective() {
            if let Change::Settings(settings) = change {
                after.settings = settings.filled_from(&after.settings);
            }
        }
        match &made.change {
            StateChange::Configure(_, config) => after.config = config.clone(),
            StateChange::Replace(policy) => after.settings = policy.settings().clone(),
            StateChange::Changes(_) | StateChange::Attempt(_) => {}
        }
        after
    }

    /// Whether the change disables auditing and does nothing else. That is possible although its
    /// event cannot be written.
    pub(crate) fn only_disables_auditing(&self, made: &MadeChange) -> bool {
        let disabled = PropertyValues {
            settings: self.values.settings.clone(),
            config: Config {
                audit_enabled: false,
                ..self.values.config.clone()
            },
        };
        self.values.config.audit_enabled
            && matches!(made.change, StateChange::Configure(..))
            && self.values_after(made) == disabled
    }
}

/// The events of a change; none if auditing is disabled before and after it.
pub(crate) fn change_events(
    recorder: &ChangeRecorder,
    before: &StateBefore,
    made: &MadeChange,
) -> Vec<Event> {
    let after = before.values_after(made);
    if !before.values.config.audit_enabled && !after.config.audit_enabled {
        return Vec::new();
    }
    let mut collector = Collector::new(recorder, made.version);
    match &made.change {
        StateChange::Changes(_) | StateChange::Attempt(_) => {
            let changes: Vec<&Change> = made.effective().map(|(_, change)| change).collect();
            collector.share_events(changes.len());
            collector.add_changes(&changes, before);
        }
        StateChange::Configure(..) => collector.add_values(&before.values, &after),
        StateChange::Replace(policy) => {
            if let Some(replaced) = &before.replaced {
                let replacement = Replacement::new(replaced, policy);
                collector.share_events(replacement.len());
                collector.add_replacement(&replacement);
            }
            collector.add_values(&before.values, &after);
        }
    }
    collector.finish()
}

/// The events of a write, or of many changes the changes themselves, which share events.
struct Collector<'r> {
    recorder: &'r ChangeRecorder,
    /// The entity tag of the policy after the write, without quotes.
    policy_etag: String,
    config_version: u64,
    events: Vec<Event>,
    /// The changes, if there are many.
    many: Option<Vec<Value>>,
    acls: Vec<AclChange>,
}

impl<'r> Collector<'r> {
    fn new(recorder: &'r ChangeRecorder, version: StateVersion) -> Self {
        Self {
            recorder,
            policy_etag: version.etag().trim_matches('"').to_owned(),
            config_version: version.config,
            events: Vec::new(),
            many: None,
            acls: Vec::new(),
        }
    }

    /// Lets this number of changes share events if it is large.
    fn share_events(&mut self, changes: usize) {
        self.many = (changes > CHANGES_PER_EVENT).then(Vec::new);
    }

    fn event(&self, modification: Modification<'_>) -> Event {
        let state = ResultingState {
            policy_etag: &self.policy_etag,
            config_version: self.config_version,
        };
        self.recorder.event(modification, Some(state))
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
        if let Some(many) = &mut self.many {
            many.push(modification_data(&modification));
            return;
        }
        let event = self.event(modification);
        self.events.push(event);
    }

    fn add_changes(&mut self, changes: &[&Change], before: &StateBefore) {
        let mut values = before.values.clone();
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
                    let mut deleted = before.deleted_roles.iter();
                    match deleted.find(|(role, _)| role.name == *name) {
                        Some((role, acls)) => self.add_deleted_role(role, acls),
                        // An earlier change of the same write has created it.
                        None => self.add(Modification::RoleDeleted {
                            name,
                            members: &[],
                            acls: &[],
                        }),
                    }
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

    fn add_deleted_role(&mut self, role: &Role, acls: &[Acl]) {
        let members: Vec<Principal> = role.members.iter().cloned().collect();
        self.add(Modification::RoleDeleted {
            name: &role.name,
            members: &members,
            acls,
        });
    }

    fn add_replacement(&mut self, replacement: &Replacement) {
        for role in &replacement.deleted_roles {
            self.add_deleted_role(role, &[]);
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
        let (old, new) = (&before.settings.superusers, &after.settings.superusers);
        for name in old.iter().filter(|name| !new.contains(name)) {
            self.add(Modification::SuperuserRemoved(name));
        }
        for name in new.iter().filter(|name| !old.contains(name)) {
            self.add(Modification::SuperuserAdded(name));
        }
        for level in AccessLevel::ALL {
            let old = before.settings.access.grantees(level);
            let new = after.settings.access.grantees(level);
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
        for property in ClusterProperty::all() {
            if property != ClusterProperty::Superusers {
                let (old, new) = (property.value(before), property.value(after));
                self.add_value(property.name(), &old, &new);
            }
        }
        self.add_value("sso", &sso(&before.settings), &sso(&after.settings));
        self.add_value("license", &license(before), &license(after));
        self.add_tests(&before.config.tests, &after.config.tests);
    }

    /// The stored tests that come and go.
    fn add_tests(&mut self, before: &StoredTests, after: &StoredTests) {
        if before == after {
            return;
        }
        let events = self.events.len();
        for test in before.missing_in(after) {
            self.add_test(test, test, &Value::Null);
        }
        for test in after.missing_in(before) {
            self.add_test(test, &Value::Null, test);
        }
        if self.events.len() == events {
            let [before, after] = [before.names(), after.names()];
            self.add(Modification::ValueSet {
                kind: "tests",
                name: "tests",
                before: &before,
                after: &after,
            });
        }
    }

    fn add_test(&mut self, test: &Value, before: &Value, after: &Value) {
        self.add(Modification::ValueSet {
            kind: "test",
            name: test_name(test),
            before,
            after,
        });
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

    fn finish(mut self) -> Vec<Event> {
        self.recorder.note_acls(&self.acls);
        let many = self.many.take().unwrap_or_default();
        for (place, changes) in many.chunks(CHANGES_PER_EVENT).enumerate() {
            let event = self.event(Modification::Several {
                changes,
                first: place * CHANGES_PER_EVENT,
                total: many.len(),
            });
            self.events.push(event);
        }
        self.events
    }
}

fn license(values: &PropertyValues) -> Value {
    serde_json::to_value(values.config.license).unwrap_or_default()
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
    let mut deleted = Vec::new();
    for change in changes {
        if let Change::DeleteRole { name, delete_acls } = change
            && let Some(role) = policy.role(name)
        {
            let acls = if *delete_acls {
                policy.acls_of(&Principal::role(name))
            } else {
                Vec::new()
            };
            deleted.push((role, acls));
        }
    }
    deleted
}

/// What replacing a policy by another one changes.
struct Replacement {
    deleted_roles: Vec<Role>,
    removed_acls: Vec<Acl>,
    /// The roles that are new or have other members, before and after.
    roles: Vec<(Option<Role>, Role)>,
    added_acls: Vec<Acl>,
}

impl Replacement {
    fn new(before: &Policy, after: &Policy) -> Self {
        let mut roles = Vec::new();
        for role in after.roles() {
            let old = before.role(&role.name);
            if old.as_ref() != Some(&role) {
                roles.push((old, role));
            }
        }
        Self {
            deleted_roles: before
                .roles()
                .filter(|role| !after.has_role(&role.name))
                .collect(),
            removed_acls: before.acls().filter(|acl| !after.has_acl(acl)).collect(),
            roles,
            added_acls: after.acls().filter(|acl| !before.has_acl(acl)).collect(),
        }
    }

    /// The number of changes.
    fn len(&self) -> usize {
        let mut len = self.deleted_roles.len() + self.removed_acls.len() + self.added_acls.len();
        for (before, after) in &self.roles {
            let members_before = before.as_ref().map_or(0, |role| role.members.len());
            len += 1 + after.members.len() + members_before;
        }
        len
    }
}

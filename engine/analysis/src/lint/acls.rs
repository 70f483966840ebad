//! ACLs without an effect: covered by a broader one, blocked by a deny, or for something that does
//! not exist.

use super::{Finding, FindingCode, Severity};
use crate::scope::{answered, within};
use crate::tree::Place;
use gbac_engine::escape::escaped;
use gbac_engine::model::{
    Acl, AclField, Host, KafkaVersion, Operation, PatternType, Permission, PrincipalType,
    ResourceType,
};
use gbac_engine::{
    policy::Policy,
    policy::index::{Operations, Pattern, PatternId, PrincipalId, Row, rows_of},
};

/// Checks the ACLs of these principals, sorted by number, or of all.
pub(super) fn lint(policy: &Policy, only: Option<&[PrincipalId]>, findings: &mut Vec<Finding>) {
    let mut linter = Linter {
        policy,
        only,
        everyone: policy.principal_id(PrincipalType::User, "*"),
        covering: Vec::new(),
        scopes: Vec::new(),
        findings,
    };
    for (id, pattern) in policy.patterns() {
        linter.pattern(id, pattern);
    }
}

struct Linter<'a, 'f> {
    policy: &'a Policy,
    only: Option<&'f [PrincipalId]>,
    everyone: Option<PrincipalId>,
    /// The patterns that cover the current one, including itself.
    covering: Vec<(PatternId, &'a Pattern)>,
    /// The principals that apply to every identity to which the current one applies, itself first.
    scopes: Vec<PrincipalId>,
    findings: &'f mut Vec<Finding>,
}

impl<'a> Linter<'a, '_> {
    fn pattern(&mut self, id: PatternId, pattern: &'a Pattern) {
        let only = self.only;
        let is_selected = |row: &&Row| {
            only.is_none_or(|only| {
                only.binary_search_by(|id| id.0.cmp(&row.principal.0))
                    .is_ok()
            })
        };
        if pattern.rows().iter().find(is_selected).is_none() {
            return;
        }
        let place = Place::from_pattern(pattern);
        self.covering.clear();
        let covering = self.policy.covering(pattern.resource_type, pattern.name());
        for other in covering.ids() {
            let Some(covers) = self.policy.pattern(other) else {
                continue;
            };
            if Place::from_pattern(covers).covers(place) {
                self.covering.push((other, covers));
            }
        }
        let applicable = self
            .policy
            .settings()
            .dialect
            .operations_of(pattern.resource_type);
        for row in pattern.rows().iter().filter(is_selected) {
            let Some(principal) = self.policy.principal(row.principal) else {
                continue;
            };
            for operation in row.deny().or(row.allow()).iter() {
                if operation != Operation::All && !applicable.contains(&operation) {
                    self.foreign(pattern, row, operation);
                }
            }
            self.refused(pattern, row);
            if self.everyone == Some(row.principal)
                && matches!(place, Place::All | Place::Literal(_))
            {
                self.open(pattern, row, place);
            }
            if !self.policy.host_can_match(row.host) {
                self.unmatched_host(pattern, row);
                continue;
            }
            if principal.kind() == PrincipalType::Role && !self.policy.is_role(row.principal) {
                continue;
            }
            self.scopes.clear();
            self.scopes.push(row.principal);
            if self.everyone != Some(row.principal) {
                if principal.kind() != PrincipalType::Role {
                    self.scopes
                        .extend_from_slice(self.policy.links(row.principal));
                }
                self.scopes.extend(self.everyone);
            }
            self.row(id, pattern, row);
        }
    }

    /// Finds the ACLs of a row without an effect.
    fn row(&mut self, id: PatternId, pattern: &'a Pattern, row: &Row) {
        // The operations that broader rows deny and allow; separately those of the row itself,
        // because one of its operations can cover another.
        let (mut deny, mut allow) = (Operations::default(), Operations::default());
        let (mut own_deny, mut own_allow) = (row.deny(), row.allow());
        self.broader(id, row, |_, other, twin| {
            if twin {
                own_deny = own_deny.or(other.deny());
                own_allow = own_allow.or(other.allow());
            } else {
                deny = deny.or(answered(other.deny(), Permission::Deny));
                allow = allow.or(answered(other.allow(), Permission::Allow));
            }
        });
        for operation in row.deny().iter() {
            let only = Operations::only(operation);
            let beside = answered(own_deny.without(only), Permission::Deny);
            if within(answered(only, Permission::Deny), deny.or(beside)) {
                self.covered(id, pattern, row, operation, Permission::Deny);
            }
        }
        let denied = deny.or(answered(own_deny, Permission::Deny));
        for operation in row.allow().iter() {
            let only = Operations::only(operation);
            let effect = answered(only, Permission::Allow);
            if within(effect, denied) {
                self.unreachable(id, pattern, row, operation);
            } else if within(
                effect,
                allow.or(answered(own_allow.without(only), Permission::Allow)),
            ) {
                self.covered(id, pattern, row, operation, Permission::Allow);
            }
        }
    }

    /// Visits the other rows that apply wherever this one does. The last argument is `true` for an
    /// equal row whose pattern is the other spelling of every name: the empty prefix or the literal
    /// `*`. Of two such ACLs, the literal one is redundant.
    fn broader(&self, id: PatternId, row: &Row, mut visit: impl FnMut(&'a Pattern, &'a Row, bool)) {
        let every_name = self.policy.pattern(id).is_some_and(Pattern::is_all_names);
        for (other, pattern) in &self.covering {
            // The other pattern for every name.
            let twin = every_name && *other != id;
            for principal in &self.scopes {
                for broader in rows_of(pattern.rows(), *principal) {
                    let same = *principal == row.principal && broader.host == row.host;
                    if !(same && *other == id) && self.policy.host_covers(broader.host, row.host) {
                        visit(pattern, broader, same && twin);
                    }
                }
            }
        }
    }

    /// The ACLs for these operations in the row itself and in broader ones, the row's own first.
    fn acls(
        &self,
        id: PatternId,
        pattern: &'a Pattern,
        row: &Row,
        of: Operations,
        permission: Permission,
    ) -> Vec<Acl> {
        let mut acls = Vec::new();
        let mut take = |pattern: &Pattern, row: &Row, without: Operations| {
            let operations = row.operations(permission).and(of).without(without);
            acls.extend(
                operations
                    .iter()
                    .map(|operation| self.policy.acl(pattern, row, operation, permission)),
            );
        };
        let none = Operations::default();
        take(pattern, row, none);
        let own = row.operations(permission);
        self.broader(id, row, |pattern, row, twin| {
            take(pattern, row, if twin { own } else { none });
        });
        acls
    }

    fn covered(
        &mut self,
        id: PatternId,
        pattern: &'a Pattern,
        row: &Row,
        operation: Operation,
        permission: Permission,
    ) {
        let acl = self.policy.acl(pattern, row, operation, permission);
        let by = self.acls(
            id,
            pattern,
            row,
            Operations::answering(operation, permission),
            permission,
        );
        let Some(by) = by.into_iter().find(|by| *by != acl) else {
            return;
        };
        let message = format!("the ACL `{acl}` is already covered by `{by}`");
        let hint = "remove it, unless you plan to remove the broader one";
        let finding = Finding::new(FindingCode::AclCovered, Severity::Notice, message, hint);
        self.findings.push(finding.with_acls(vec![acl, by]));
    }

    /// Reports what everyone is allowed on every name, or on the cluster, unless it is harmless.
    fn open(&mut self, pattern: &Pattern, row: &Row, place: Place<'_>) {
        use Operation::{
            All, Alter, AlterConfigs, ClusterAction, Create, CreateTokens, Delete, Read, Write,
        };
        let harmful: &[Operation] = match (pattern.resource_type, place) {
            (ResourceType::Topic | ResourceType::Subject, Place::All) => {
                &[All, Read, Write, Create, Delete, Alter, AlterConfigs]
            }
            (ResourceType::Group, Place::All) => &[All, Delete],
            (ResourceType::TransactionalId, Place::All) => &[All],
            (ResourceType::User, Place::All) => &[All, CreateTokens],
            (ResourceType::Cluster | ResourceType::Registry, _) => &[
                All,
                Alter,
                AlterConfigs,
                ClusterAction,
                Create,
                Write,
                Delete,
            ],
            _ => return,
        };
        let acls: Vec<Acl> = row
            .allow()
            .iter()
            .filter(|operation| harmful.contains(operation))
            .map(|operation| self.policy.acl(pattern, row, operation, Permission::Allow))
            .filter(|acl| acl.host == Host::Any)
            .collect();
        let Some(first) = acls.first() else { return };
        let more = match acls.len() {
            1 => String::new(),
            count => format!(" and {} more of its operations", count - 1),
        };
        let message = format!("the ACL `{first}`{more} is for everyone");
        let hint = "allow the groups or users that need it, or a prefix of names, and remove it";
        let finding = Finding::new(
            FindingCode::AclOpenToEveryone,
            Severity::Error,
            message,
            hint,
        );
        self.findings.push(finding.with_acls(acls));
    }

    fn unreachable(
        &mut self,
        id: PatternId,
        pattern: &'a Pattern,
        row: &Row,
        operation: Operation,
    ) {
        let acl = self.policy.acl(pattern, row, operation, Permission::Allow);
        let message = format!("the ACL `{acl}` never allows anything: a deny wins");
        let mut acls = vec![acl];
        let effect = answered(Operations::only(operation), Permission::Allow);
        let mut denied = Operations::default();
        for deny in self.acls(
            id,
            pattern,
            row,
            effect.or(Operations::only(Operation::All)),
            Permission::Deny,
        ) {
            let by = answered(Operations::only(deny.operation), Permission::Deny).and(effect);
            if !within(by, denied) {
                denied = denied.or(by);
                acls.push(deny);
            }
        }
        let hint = "remove it, or narrow the deny ACLs";
        self.findings.push(
            Finding::new(
                FindingCode::AclUnreachable,
                Severity::Warning,
                message,
                hint,
            )
            .with_acls(acls),
        );
    }

    fn foreign(&mut self, pattern: &Pattern, row: &Row, operation: Operation) {
        for permission in Permission::ALL {
            if row
                .operations(*permission)
                .meets(Operations::only(operation))
            {
                let acl = self.policy.acl(pattern, row, operation, *permission);
                let known = self
                    .policy
                    .settings()
                    .dialect
                    .operations_of(pattern.resource_type);
                let words: Vec<&str> = known.iter().map(|known| known.spelling().cli).collect();
                let message = format!(
                    "the ACL `{acl}` is for an operation that does not apply to a {}",
                    pattern.resource_type.noun()
                );
                let hint = format!("remove it, or name one of `{}`, `all`", words.join("`, `"));
                let finding = Finding::new(
                    FindingCode::OperationUnsupported,
                    Severity::Warning,
                    message,
                    hint,
                );
                self.findings.push(finding.with_acls(vec![acl]));
            }
        }
    }

    /// Reports a host that matches no request: a name (D-71), or a range in a version of Kafka
    /// without ranges (D-72).
    fn unmatched_host(&mut self, pattern: &Pattern, row: &Row) {
        let (policy, version) = (self.policy, self.policy.settings().kafka_version);
        let of = |permission: &Permission| {
            let permission = *permission;
            let acl = move |operation| policy.acl(pattern, row, operation, permission);
            row.operations(permission)
                .iter()
                .map(acl)
                .collect::<Vec<_>>()
        };
        let acls: Vec<Acl> = Permission::ALL.iter().flat_map(of).collect();
        let Some(first) = acls.first() else { return };
        let ranges = KafkaVersion::WITH_HOST_RANGES;
        let (code, why, hint) = match &first.host {
            Host::Name(name) => (
                FindingCode::HostName,
                format!(
                    "Kafka compares its host with the client's address, and `{}` is not an address",
                    name.as_str()
                ),
                format!(
                    "write an ACL for each address of the host, or from Kafka {ranges} on for a \
                     range of addresses, and remove this one"
                ),
            ),
            _ => (
                FindingCode::HostRangeUnsupported,
                format!("Kafka {version} does not know ranges of hosts"),
                format!("upgrade to Kafka {ranges} or later, or write an ACL for each address"),
            ),
        };
        let message = format!("the ACL `{first}` never matches: {why}");
        let finding = Finding::new(code, Severity::Warning, message, hint);
        self.findings.push(finding.with_acls(acls));
    }

    /// Finds ACLs that could not be created today (D-27), with the codes and hints of that error.
    /// Errors of the principal are reported once for all of its ACLs, elsewhere.
    fn refused(&mut self, pattern: &Pattern, row: &Row) {
        let policy = self.policy;
        let acls = || {
            Permission::ALL.iter().flat_map(|permission| {
                row.operations(*permission)
                    .iter()
                    .map(|operation| policy.acl(pattern, row, operation, *permission))
            })
        };
        let Some(first) = acls().next() else { return };
        for fault in first
            .check_create()
            .iter()
            .filter(|fault| fault.field() != AclField::Principal)
        {
            let message = format!("an ACL could not be created today: {fault}");
            let finding = Finding::new(fault.into(), Severity::Warning, message, fault.hint());
            self.findings.push(finding.with_acls(acls().collect()));
        }
        if has_literal_asterisk(&first) {
            let name = escaped(&first.resource_name);
            let message =
                format!("the asterisk in `{name}` is not a wildcard: it is a part of the name");
            let hint = match first.resource_name.trim_end_matches('*') {
                "" => "name `*` literally for every name".to_owned(),
                prefix => format!("name `{}` with the pattern type prefixed", escaped(prefix)),
            };
            let finding = Finding::new(
                FindingCode::ResourceNameWildcard,
                Severity::Warning,
                message,
                hint,
            );
            self.findings.push(finding.with_acls(acls().collect()));
        }
    }
}

/// Whether the name has an asterisk that matches only itself, although topics, which have none, and
/// the one cluster are found otherwise (D-05).
fn has_literal_asterisk(acl: &Acl) -> bool {
    let is_free = !matches!(
        acl.resource_type,
        ResourceType::Topic | ResourceType::Cluster | ResourceType::Registry
    );
    let is_every_name = acl.pattern_type == PatternType::Literal && acl.resource_name == "*";
    is_free && !is_every_name && acl.resource_name.contains('*')
}

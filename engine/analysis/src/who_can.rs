//! Who can perform an operation on a resource: every principal with a matching ACL, the ACL that
//! allows it, and the ACLs that deny it.

use super::held::is_superuser;
use super::tree::Place;
use crate::scope::{NamePattern, Scope};
use gbac_engine::decide::{Outcome, Request};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, Principal, PrincipalType};
use gbac_engine::order::{run, sort};
use gbac_engine::{
    policy::Policy,
    policy::index::{HostId, Operations, Pattern, PatternId, PrincipalId, Row},
};

/// The principals that can perform an operation on a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhoCan {
    /// The superusers, by name, who are allowed regardless of ACLs (D-14).
    pub superusers: Vec<String>,
    /// Every scope with a matching ACL of its own or of a role: everyone, then by type and name.
    /// Others, except superusers, get the decision of everyone; if that is absent, they are denied.
    pub entries: Vec<WhoCanEntry>,
    /// The principals of the matching denies. An identity with one of them is denied, so an allowed
    /// entry is allowed only without them.
    pub denied_principals: Vec<Principal>,
}

/// The decision for a scope alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhoCanEntry {
    /// The scope.
    pub scope: Scope,
    /// The members of a role, sorted.
    pub members: Vec<Principal>,
    /// The decision.
    pub outcome: Outcome,
    /// The first ACL that allows it, in the order of D-20, even if a deny blocks it.
    pub granted_by: Option<AclMatch>,
    /// Every ACL that denies it, in the order of D-20.
    pub denied_by: Vec<AclMatch>,
    /// Whether the decision may differ once the host is known (D-04, D-31).
    pub host_unknown: bool,
    /// Of a question about a prefix: the only names on which it is allowed; empty if that is all of
    /// them, or none.
    pub only_on: Vec<NamePattern>,
    /// Of a question about a prefix: the names on which it is denied although it is allowed on
    /// others, or on which the scope's deny denies others.
    pub not_on: Vec<NamePattern>,
}

impl WhoCanEntry {
    /// Adds what a narrower pattern changes.
    fn add_names(&mut self, narrower: &Self, names: &NamePattern) {
        match (self.outcome, narrower.outcome) {
            (Outcome::Allow, Outcome::Allow) => {
                // All names are allowed, unless this entry is about some of them already.
                if !self.only_on.is_empty() {
                    self.only_on.push(names.clone());
                }
            }
            (Outcome::Deny, Outcome::Allow) => {
                self.outcome = Outcome::Allow;
                self.only_on.push(names.clone());
                self.granted_by.clone_from(&narrower.granted_by);
                self.denied_by.clear();
            }
            (Outcome::Allow, Outcome::Deny) => {
                if !narrower.denied_by.is_empty() {
                    self.not_on.push(names.clone());
                }
            }
            (Outcome::Deny, Outcome::Deny) => {
                if !self.not_on.is_empty() && !narrower.denied_by.is_empty() {
                    self.not_on.push(names.clone());
                }
            }
        }
    }

    /// Whether the decision is about every name that the question is about.
    #[must_use]
    pub const fn covers_all(&self) -> bool {
        self.only_on.is_empty() && self.not_on.is_empty()
    }

    /// Whether `User:*`, as the scope or as a member of the role, is the user named `*` (D-33).
    /// Everyone is [`Scope::Everyone`] and never a member.
    ///
    /// ```
    /// use gbac_analysis::who_can;
    /// use gbac_engine::decide::{At, Request};
    /// use gbac_engine::model::{Operation, ResourceType};
    /// use gbac_json::policy_from_json;
    ///
    /// let policy = policy_from_json(r#"{ "version": 1, "roles": [{ "name": "r", "members": [{ "principal": "User:*" }] }],
    ///   "acls": [{ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
    ///     "principal": "Role:r", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
    /// let result = who_can(&policy, &Request::new(Operation::Read, ResourceType::Topic, "orders", At::IgnoringExpiry));
    /// assert_eq!(result.entries.len(), 2);
    /// assert!(result.entries.iter().all(|entry| entry.is_literal() && !entry.scope.is_everyone()));
    /// # Ok::<(), gbac_json::Problems>(())
    /// ```
    #[must_use]
    pub fn is_literal(&self) -> bool {
        let is_user = matches!(&self.scope, Scope::One(principal) if principal.is_everyone());
        is_user || self.members.iter().any(Principal::is_everyone)
    }
}

/// A matching ACL and its access path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AclMatch {
    /// The ACL.
    pub acl: Acl,
    /// The group on the access path.
    pub group: Option<String>,
    /// The role on the access path.
    pub role: Option<String>,
}

/// Finds who is allowed to make a request. The time of the request is ignored, because the users,
/// groups and roles in a policy never expire.
///
/// Cost: one pass over the rows of the patterns that match the name, and over the members of their
/// roles.
///
/// ```
/// use gbac_analysis::{Scope, who_can};
/// use gbac_engine::decide::{At, Outcome, Request};
/// use gbac_engine::model::{Operation, Principal, ResourceType};
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1,
///   "roles": [{ "name": "readers", "members": [{ "principal": "Group:eng" }] }],
///   "acls": [{ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Role:readers", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let result = who_can(&policy, &Request::new(Operation::Describe, ResourceType::Topic, "orders", At::IgnoringExpiry));
/// let entry = &result.entries[0];
/// assert_eq!((&entry.scope, entry.outcome), (&Scope::One(Principal::group("eng")), Outcome::Allow));
/// assert_eq!(entry.granted_by.as_ref().and_then(|granted| granted.role.as_deref()), Some("readers"));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn who_can(policy: &Policy, request: &Request<'_>) -> WhoCan {
    holders(policy, &Hits::new(policy, request))
}

/// Finds who is allowed to make a request for names that start with the request's name: for all of
/// them, by the ACLs that cover them all, or for some of them, by narrower ACLs.
///
/// The cost is that of [`who_can`] for the prefix and for every narrower pattern with an ACL.
///
/// ```
/// use gbac_analysis::who_can_on_prefix;
/// use gbac_engine::decide::{At, Request};
/// use gbac_engine::model::{Operation, ResourceType};
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "acls": [
///   { "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
///     "principal": "Group:eng", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" },
///   { "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Group:ops", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let who = who_can_on_prefix(&policy, &Request::new(Operation::Read, ResourceType::Topic, "orders-", At::IgnoringExpiry));
/// assert_eq!(who.entries.len(), 2);
/// assert!(who.entries[0].covers_all());
/// assert_eq!(who.entries[1].only_on[0].name, "orders-");
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn who_can_on_prefix(policy: &Policy, request: &Request<'_>) -> WhoCan {
    let whole = Place::named(PatternType::Prefixed, request.resource_name);
    let mut who = holders(policy, &Hits::at(policy, request, whole));
    for (_, pattern) in policy.patterns() {
        let place = Place::from_pattern(pattern);
        if pattern.resource_type != request.resource_type
            || !whole.covers(place)
            || place.covers(whole)
        {
            continue;
        }
        let (operation, kind) = (request.operation, request.resource_type);
        let narrow =
            Request::new(operation, kind, pattern.name(), request.at).with_host(request.host);
        let hits = Hits::at(policy, &narrow, place);
        if hits.names_pattern(pattern) {
            add_names(&mut who, &holders(policy, &hits), &place.pattern());
        }
    }
    for entry in &mut who.entries {
        keep_widest(&mut entry.only_on);
        keep_widest(&mut entry.not_on);
    }
    who
}

/// Sorts patterns, and drops those that another one covers.
fn keep_widest(patterns: &mut Vec<NamePattern>) {
    patterns.sort();
    let all = patterns.clone();
    patterns.retain(|one| {
        !all.iter().any(|other| {
            other != one
                && other.pattern_type == PatternType::Prefixed
                && one.name.starts_with(&other.name)
        })
    });
}

/// Adds what a narrower pattern changes for the entries of a prefix.
fn add_names(who: &mut WhoCan, narrower: &WhoCan, names: &NamePattern) {
    for found in &narrower.entries {
        match who
            .entries
            .binary_search_by(|entry| entry.scope.cmp(&found.scope))
        {
            Ok(index) => {
                if let Some(entry) = who.entries.get_mut(index) {
                    entry.add_names(found, names);
                }
            }
            Err(index) => {
                let mut entry = found.clone();
                // Without a deny, another host might be allowed on these names.
                if found.denied_by.is_empty() {
                    entry.only_on.push(names.clone());
                } else {
                    entry.not_on.push(names.clone());
                }
                who.entries.insert(index, entry);
            }
        }
    }
}

/// Finds the holders that these rows affect.
fn holders(policy: &Policy, hits: &Hits<'_>) -> WhoCan {
    // Sorted by number. `User:*` is everyone if it is the principal of an ACL, and a user if it is
    // a member.
    let mut affected: Vec<(PrincipalId, bool)> = Vec::new();
    let mut denied_principals = Vec::new();
    for (id, principal_hits) in hits.by_principal() {
        let Some(principal) = policy.principal(id) else {
            continue;
        };
        let is_role = principal.kind() == PrincipalType::Role;
        if is_role && !policy.is_role(id) {
            continue;
        }
        affected.push((id, principal.is_everyone()));
        if is_role {
            for member in policy.links(id) {
                affected.push((*member, false));
            }
        }
        if principal_hits.iter().any(|hit| hit.denies) {
            denied_principals.push(principal.clone());
        }
    }
    sort(&mut affected, |a, b| a.cmp(b));
    affected.dedup();
    let mut entries = Vec::with_capacity(affected.len());
    for (id, everyone) in affected {
        let Some(principal) = policy.principal(id) else {
            continue;
        };
        if everyone || !is_superuser(policy, principal) {
            let scope = if everyone {
                Scope::Everyone
            } else {
                Scope::One(principal.clone())
            };
            entries.push(hits.entry(scope, Some(id)));
        }
    }
    sort(&mut entries, |a, b| a.scope.cmp(&b.scope));
    sort(&mut denied_principals, |a, b| a.cmp(b));
    WhoCan {
        superusers: policy.settings().superusers.iter().cloned().collect(),
        entries,
        denied_principals,
    }
}

/// The groups that are denied a request by an ACL of theirs or of one of their roles, sorted.
///
/// Cost: one pass over the rows of the patterns that match the name, and over the members of the
/// roles that deny.
///
/// ```
/// use gbac_analysis::denied_groups;
/// use gbac_engine::decide::{At, Request};
/// use gbac_engine::model::{Acl, Operation, Permission, Principal, ResourceType};
/// use gbac_engine::policy::{Change, Policy};
/// let read = |principal| Acl::allow(principal, Operation::Read, ResourceType::Topic, "orders");
/// let deny = |principal| Change::AddAcl(Acl { permission: Permission::Deny, ..read(principal) });
/// let mut policy = Policy::default();
/// policy.apply(Change::CreateRole("blocked".into()))?;
/// policy.apply(Change::AddMember { role: "blocked".into(), member: Principal::group("b") })?;
/// policy.apply(deny(Principal::role("blocked")))?;
/// policy.apply(deny(Principal::group("a")))?;
/// policy.apply(Change::AddAcl(read(Principal::group("c"))))?;
/// let request = Request::new(Operation::Read, ResourceType::Topic, "orders", At::IgnoringExpiry);
/// assert_eq!(denied_groups(&policy, &request), ["a", "b"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn denied_groups(policy: &Policy, request: &Request<'_>) -> Vec<String> {
    let mut groups = Vec::new();
    for (id, hits) in Hits::new(policy, request).by_principal() {
        if !hits.iter().any(|hit| hit.denies) {
            continue;
        }
        let holders = match policy.is_role(id) {
            true => policy.links(id),
            false => &[id],
        };
        for holder in holders {
            match policy.principal(*holder) {
                Some(group) if group.kind() == PrincipalType::Group && !group.name().is_empty() => {
                    groups.push(group.name().to_owned());
                }
                _ => {}
            }
        }
    }
    sort(&mut groups, |a, b| a.cmp(b));
    groups.dedup();
    groups
}

/// The rows that match a request, of all principals.
pub(super) struct Hits<'a> {
    policy: &'a Policy,
    request: &'a Request<'a>,
    everyone: Option<PrincipalId>,
    /// By principal.
    hits: Vec<Hit>,
}

/// A matching row.
pub(super) struct Hit {
    principal: PrincipalId,
    pattern: PatternId,
    /// The specificity of the pattern: greatest for the literal name, least for the literal `*`
    /// (D-20).
    specificity: usize,
    row: Row,
    pub(super) allows: bool,
    pub(super) denies: bool,
}

/// The sort key of an ACL in the order of D-20 and D-35: path, pattern, `User:*`, any host,
/// operation and host.
type Rank = (usize, usize, bool, u8, usize, Host);

impl<'a> Hits<'a> {
    pub(super) fn new(policy: &'a Policy, request: &'a Request<'a>) -> Self {
        Self::of_patterns(policy, request, |_| true)
    }

    /// The matching rows on patterns that cover a whole place, whose name is in the request.
    pub(super) fn at(policy: &'a Policy, request: &'a Request<'a>, place: Place<'_>) -> Self {
        Self::of_patterns(policy, request, |pattern| {
            Place::from_pattern(pattern).covers(place)
        })
    }

    fn of_patterns(
        policy: &'a Policy,
        request: &'a Request<'a>,
        is_selected: impl Fn(&Pattern) -> bool,
    ) -> Self {
        let host = request.host.map(|host| host.to_canonical());
        let host = host.map(|host| (host, policy.host_id(&Host::Address(host))));
        let allow = Operations::answering(request.operation, Permission::Allow);
        let deny = Operations::answering(request.operation, Permission::Deny);
        let mut hits = Vec::new();
        let covering = policy.covering(request.resource_type, request.resource_name);
        for id in covering.ids() {
            let Some(pattern) = policy.pattern(id) else {
                continue;
            };
            if !is_selected(pattern) {
                continue;
            }
            let specificity = match pattern.pattern_type {
                PatternType::Literal if pattern.name() == request.resource_name => usize::MAX,
                PatternType::Literal => 0,
                PatternType::Prefixed => pattern.name().len() + 1,
            };
            for row in pattern.rows() {
                // Fails closed for an unknown host: rules for a host deny but do not allow (D-04).
                let (applies, may_apply) = match host {
                    _ if row.host == HostId::ANY => (true, true),
                    None => (false, policy.host_can_match(row.host)),
                    Some((address, number)) => {
                        let is = policy.is_host(row.host, address, number);
                        (is, is)
                    }
                };
                let (allows, denies) = (
                    applies && row.allow().meets(allow),
                    may_apply && row.deny().meets(deny),
                );
                if allows || denies || may_apply && row.allow().meets(allow) {
                    hits.push(Hit {
                        principal: row.principal,
                        pattern: id,
                        specificity,
                        row: *row,
                        allows,
                        denies,
                    });
                }
            }
        }
        sort(&mut hits, |a, b| a.principal.cmp(&b.principal));
        Self {
            policy,
            request,
            everyone: policy.principal_id(PrincipalType::User, "*"),
            hits,
        }
    }

    /// The hits of each principal.
    pub(super) fn by_principal(&self) -> impl Iterator<Item = (PrincipalId, &[Hit])> {
        self.hits
            .chunk_by(|a, b| a.principal == b.principal)
            .filter_map(|hits| Some((hits.first()?.principal, hits)))
    }

    /// The hits of one principal.
    pub(super) fn of_principal(&self, principal: PrincipalId) -> &[Hit] {
        run(&self.hits, |hit| hit.principal.cmp(&principal))
    }

    /// The ACLs of a principal that allow the request, sorted.
    pub(super) fn allowing(&self, principal: PrincipalId) -> Vec<Acl> {
        let mut acls = Vec::new();
        for hit in self.of_principal(principal) {
            let Some(pattern) = self.policy.pattern(hit.pattern) else {
                continue;
            };
            if !hit.allows {
                continue;
            }
            for operation in hit.row.operations(Permission::Allow).iter() {
                if rank(operation, self.request.operation, Permission::Allow).is_some() {
                    let permission = Permission::Allow;
                    acls.push(self.policy.acl(pattern, &hit.row, operation, permission));
                }
            }
        }
        sort(&mut acls, |a, b| a.cmp(b));
        acls
    }

    /// The decision for a scope, given the number of its principal.
    pub(super) fn entry(&self, scope: Scope, id: Option<PrincipalId>) -> WhoCanEntry {
        let mut members = Vec::new();
        let mut paths = PathMatches::new(self);
        match &scope {
            Scope::Everyone => paths.follow(None, self.everyone),
            Scope::One(principal) => match principal.kind() {
                PrincipalType::User | PrincipalType::Other => {
                    paths.user(id);
                }
                PrincipalType::Group => {
                    paths.follow(None, self.everyone);
                    paths.follow(Some(principal.name()), id);
                    paths.roles(Some(principal.name()), id);
                }
                PrincipalType::Role => {
                    paths.follow(None, self.everyone);
                    if let Some(role) = id
                        && self.policy.is_role(role)
                    {
                        paths.follow(None, Some(role));
                        for member in self.policy.links(role) {
                            members.extend(self.policy.principal(*member).cloned());
                        }
                        sort(&mut members, |a, b| a.cmp(b));
                    }
                }
            },
        }
        let (granted_by, denied_by, host_unknown) = paths.finish();
        let outcome = if granted_by.is_some() && denied_by.is_empty() {
            Outcome::Allow
        } else {
            Outcome::Deny
        };
        WhoCanEntry {
            scope,
            members,
            outcome,
            granted_by,
            denied_by,
            host_unknown,
            only_on: Vec::new(),
            not_on: Vec::new(),
        }
    }

    /// Whether one of the rows is of this pattern.
    fn names_pattern(&self, pattern: &Pattern) -> bool {
        self.hits.iter().any(|hit| {
            self.policy
                .pattern(hit.pattern)
                .is_some_and(|of_hit| std::ptr::eq(of_hit, pattern))
        })
    }

    /// The ACLs that deny an identity, in the order of D-20.
    pub(super) fn denying(&self, identity: &Identity) -> Vec<AclMatch> {
        self.of_identity(identity).1
    }

    /// The ACL that allows an identity, the ACLs that deny it, and whether the host could change
    /// the decision.
    pub(super) fn of_identity(
        &self,
        identity: &Identity,
    ) -> (Option<AclMatch>, Vec<AclMatch>, bool) {
        let mut paths = PathMatches::new(self);
        let id = |kind, name: &str| self.policy.principal_id(kind, name);
        paths.user(id(identity.principal_type(), identity.user()));
        for name in identity.groups() {
            let group = id(PrincipalType::Group, name);
            paths.follow(Some(name), group);
            paths.roles(Some(name), group);
        }
        let (granted_by, denied_by, host_unknown) = paths.finish();
        let mut denying: Vec<AclMatch> = Vec::new();
        for deny in denied_by {
            // Several paths may lead to one role; only the first is returned.
            if denying.iter().all(|known| known.acl != deny.acl) {
                denying.push(deny);
            }
        }
        (granted_by, denying, host_unknown)
    }
}

/// Collects the matching ACLs, path by path.
struct PathMatches<'a> {
    hits: &'a Hits<'a>,
    /// The index of the next path.
    place: usize,
    allows: Vec<(Rank, AclMatch)>,
    denies: Vec<(Rank, AclMatch)>,
    host_might_allow: bool,
}

impl<'a> PathMatches<'a> {
    const fn new(hits: &'a Hits<'a>) -> Self {
        Self {
            hits,
            place: 0,
            allows: Vec::new(),
            denies: Vec::new(),
            host_might_allow: false,
        }
    }

    /// Follows the paths of a user: its own, with `User:*`, then its roles.
    fn user(&mut self, user: Option<PrincipalId>) {
        let everyone = self.hits.everyone;
        self.follow(None, user.filter(|user| everyone != Some(*user)));
        self.place = 0;
        self.follow(None, everyone);
        self.roles(None, user);
    }

    fn roles(&mut self, group: Option<&str>, member: Option<PrincipalId>) {
        let Some(member) = member else { return };
        for role in self.hits.policy.links(member) {
            self.follow(group, Some(*role));
        }
    }

    /// Follows the next path: to a principal, through a group if given.
    fn follow(&mut self, group: Option<&str>, to: Option<PrincipalId>) {
        let place = self.place;
        self.place += 1;
        let Some(to) = to else { return };
        let hits = self.hits;
        for hit in hits.of_principal(to) {
            self.host_might_allow |= !hit.allows && !hit.denies
                || hit.row.host != HostId::ANY
                    && hits.request.host.is_none()
                    && hit.row.allow().meets(Operations::answering(
                        hits.request.operation,
                        Permission::Allow,
                    ));
            let everyone = hits.everyone == Some(to);
            for (applies, permission) in [
                (hit.denies, Permission::Deny),
                (hit.allows, Permission::Allow),
            ] {
                if applies {
                    self.add(
                        hit,
                        permission,
                        (place, usize::MAX - hit.specificity, everyone),
                        group,
                    );
                }
            }
        }
    }

    fn add(
        &mut self,
        hit: &Hit,
        permission: Permission,
        (path, pattern, everyone): (usize, usize, bool),
        group: Option<&str>,
    ) {
        let policy = self.hits.policy;
        let host = policy.host(hit.row.host);
        for operation in hit.row.operations(permission).iter() {
            let Some(rank) = rank(operation, self.hits.request.operation, permission) else {
                continue;
            };
            let place = (path, pattern, everyone, host.breadth(), rank, host.clone());
            let matches = if permission == Permission::Deny {
                &mut self.denies
            } else {
                &mut self.allows
            };
            // Only the first ACL that allows it is returned.
            if permission == Permission::Allow
                && matches.first().is_some_and(|(first, _)| *first <= place)
            {
                continue;
            }
            let Some(pattern) = policy.pattern(hit.pattern) else {
                continue;
            };
            let acl = policy.acl(pattern, &hit.row, operation, permission);
            let role = (acl.principal.kind() == PrincipalType::Role)
                .then(|| acl.principal.name().to_owned());
            let entry = (
                place,
                AclMatch {
                    acl,
                    group: group.map(str::to_owned),
                    role,
                },
            );
            if permission == Permission::Allow {
                matches.clear();
            }
            matches.push(entry);
        }
    }

    /// The ACL that allows, the ACLs that deny, and whether the host could change the decision.
    fn finish(mut self) -> (Option<AclMatch>, Vec<AclMatch>, bool) {
        sort(&mut self.denies, |a, b| a.0.cmp(&b.0));
        let host_unknown = match (self.denies.first(), self.allows.first()) {
            (Some((_, deny)), _) => self.hits.request.host.is_none() && deny.acl.host != Host::Any,
            (None, Some(_)) => false,
            (None, None) => self.host_might_allow,
        };
        let denies = self
            .denies
            .into_iter()
            .map(|(_, matching)| matching)
            .collect();
        (
            self.allows.pop().map(|(_, matching)| matching),
            denies,
            host_unknown,
        )
    }
}

/// The rank of an ACL's operation among those that apply to the requested one; `None` if it does
/// not apply (D-02, D-20).
fn rank(of_acl: Operation, requested: Operation, permission: Permission) -> Option<usize> {
    match of_acl {
        _ if of_acl == requested => Some(0),
        Operation::All => Some(usize::MAX),
        _ if permission == Permission::Deny => None,
        _ => requested
            .implied_by()
            .iter()
            .position(|implied| *implied == of_acl)
            .map(|place| place + 1),
    }
}

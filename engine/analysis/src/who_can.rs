//! Who can perform an operation on a resource: every principal with a matching ACL, what allows it, and what denies it.

use super::held::is_superuser;
use super::tree::Place;
use crate::scope::Scope;
use gbac_engine::decide::{Outcome, Request};
use gbac_engine::identity::Identity;
use gbac_engine::internal::{run, sort};
use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, Principal, PrincipalType};
use gbac_engine::{
    internal::{HostId, Operations, Pattern, PatternId, PrincipalId, Row},
    policy::Policy,
};

/// Who may do one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhoCan {
    /// The superusers, by name: they may, whatever ACLs say (D-14).
    pub superusers: Vec<String>,
    /// Every holder that an ACL on this concerns, itself or through a role: everyone, then by type and name. Who is not
    /// here and no superuser is decided as everyone is; where everyone is not here either, denied.
    pub entries: Vec<WhoCanEntry>,
    /// The principals of the denies that match. Whoever holds one of them is denied, whatever else allows it; so an entry
    /// that may, may only as long as the same person is none of these.
    pub blocked_for: Vec<Principal>,
}

/// A holder, and how its request is decided when it holds nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhoCanEntry {
    /// Whom this is about.
    pub scope: Scope,
    /// The members of a role, in order.
    pub members: Vec<Principal>,
    /// The decision.
    pub outcome: Outcome,
    /// The ACL that allows it, the first in the order of D-20; there also where a deny blocks it.
    pub granted_by: Option<AclMatch>,
    /// Every ACL that denies it, in the order of D-20.
    pub denied_by: Vec<AclMatch>,
    /// The answer may be another one once the host is known (D-04, D-31).
    pub host_unknown: bool,
}

impl WhoCanEntry {
    /// Whether `User:*`, as the holder or among the members of a role, is the one user named `*` (D-33). Everyone is
    /// [`Scope::Everyone`] and never a member.
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
    /// let found = who_can(&policy, &Request::new(Operation::Read, ResourceType::Topic, "orders", At::IgnoringExpiry));
    /// assert_eq!(found.entries.len(), 2);
    /// assert!(found.entries.iter().all(|entry| entry.is_literal() && !entry.scope.is_everyone()));
    /// # Ok::<(), gbac_json::Problems>(())
    /// ```
    #[must_use]
    pub fn is_literal(&self) -> bool {
        let is_user = matches!(&self.scope, Scope::One(principal) if principal.is_everyone());
        is_user || self.members.iter().any(Principal::is_everyone)
    }
}

/// An ACL that matches, and the way to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AclMatch {
    /// The ACL.
    pub acl: Acl,
    /// The group that the way goes through.
    pub group: Option<String>,
    /// The role that the way goes through.
    pub role: Option<String>,
}

/// Finds who is allowed to make a request. The time of the request is ignored, because the users, groups and roles in a policy
/// never expire.
///
/// Cost: the rows on the patterns that cover the name, and the members of their roles.
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
/// let found = who_can(&policy, &Request::new(Operation::Describe, ResourceType::Topic, "orders", At::IgnoringExpiry));
/// let entry = &found.entries[0];
/// assert_eq!((&entry.scope, entry.outcome), (&Scope::One(Principal::group("eng")), Outcome::Allow));
/// assert_eq!(entry.granted_by.as_ref().and_then(|by| by.role.as_deref()), Some("readers"));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn who_can(policy: &Policy, request: &Request<'_>) -> WhoCan {
    let hits = Hits::new(policy, request);
    // By number; `User:*` is everyone where it is the principal of an ACL, and a user where it is a member.
    let mut concerned: Vec<(PrincipalId, bool)> = Vec::new();
    let mut blocked_for = Vec::new();
    for (id, of) in hits.by_principal() {
        let Some(principal) = policy.principal(id) else { continue };
        let is_role = principal.kind() == PrincipalType::Role;
        if is_role && !policy.is_role(id) {
            continue;
        }
        concerned.push((id, principal.is_everyone()));
        if is_role {
            concerned.extend(policy.links(id).iter().map(|member| (*member, false)));
        }
        if of.iter().any(|hit| hit.denies) {
            blocked_for.push(principal.clone());
        }
    }
    sort(&mut concerned, |a, b| a.cmp(b));
    concerned.dedup();
    let mut entries = Vec::with_capacity(concerned.len());
    for (id, everyone) in concerned {
        let Some(principal) = policy.principal(id) else { continue };
        if everyone || !is_superuser(policy, principal) {
            let scope = if everyone { Scope::Everyone } else { Scope::One(principal.clone()) };
            entries.push(hits.entry(scope, Some(id)));
        }
    }
    sort(&mut entries, |a, b| a.scope.cmp(&b.scope));
    sort(&mut blocked_for, |a, b| a.cmp(b));
    WhoCan { superusers: policy.settings().superusers.iter().cloned().collect(), entries, blocked_for }
}

/// The rows that match a request, whoever holds them.
pub(super) struct Hits<'a> {
    policy: &'a Policy,
    request: &'a Request<'a>,
    everyone: Option<PrincipalId>,
    /// By principal.
    hits: Vec<Hit>,
}

/// A row that matches.
pub(super) struct Hit {
    principal: PrincipalId,
    pattern: PatternId,
    /// How narrow the pattern is: the literal name most of all, the literal `*` least (D-20).
    narrow: usize,
    row: Row,
    pub(super) allows: bool,
    pub(super) denies: bool,
}

/// Where an ACL stands in the order of D-20 and D-35: by way, pattern, `User:*`, any host, operation and host.
type Rank = (usize, usize, bool, u8, usize, Host);

impl<'a> Hits<'a> {
    pub(super) fn new(policy: &'a Policy, request: &'a Request<'a>) -> Self {
        Self::of_patterns(policy, request, |_| true)
    }

    /// Those of patterns that cover a whole place; the request names it.
    pub(super) fn at(policy: &'a Policy, request: &'a Request<'a>, place: Place<'_>) -> Self {
        Self::of_patterns(policy, request, |pattern| Place::of(pattern).covers(place))
    }

    fn of_patterns(policy: &'a Policy, request: &'a Request<'a>, is_asked: impl Fn(&Pattern) -> bool) -> Self {
        let host = request.host.map(|host| host.to_canonical());
        let host = host.map(|host| (host, policy.host_id(Host::Address(host))));
        let allow = Operations::answering(request.operation, Permission::Allow);
        let deny = Operations::answering(request.operation, Permission::Deny);
        let mut hits = Vec::new();
        for id in policy.covering(request.resource_type, request.resource_name).as_slice() {
            let id = PatternId(*id);
            let Some(pattern) = policy.pattern(id).filter(|pattern| is_asked(pattern)) else { continue };
            let narrow = match pattern.pattern_type {
                PatternType::Literal if pattern.name() == request.resource_name => usize::MAX,
                PatternType::Literal => 0,
                PatternType::Prefixed => pattern.name().len() + 1,
            };
            for row in pattern.rows() {
                // Fail closed: what may deny denies, what may allow does not (D-04).
                let (is, may_be) = match host {
                    _ if row.host == HostId::ANY => (true, true),
                    None => (false, policy.host_can_match(row.host)),
                    Some((address, number)) => {
                        let is = policy.is_host(row.host, address, number);
                        (is, is)
                    }
                };
                let (allows, denies) = (is && row.allow().meets(allow), may_be && row.deny().meets(deny));
                if allows || denies || may_be && row.allow().meets(allow) {
                    hits.push(Hit { principal: row.principal, pattern: id, narrow, row: *row, allows, denies });
                }
            }
        }
        sort(&mut hits, |a, b| a.principal.cmp(&b.principal));
        Self { policy, request, everyone: policy.principal_id(PrincipalType::User, "*"), hits }
    }

    /// The hits of each principal.
    pub(super) fn by_principal(&self) -> impl Iterator<Item = (PrincipalId, &[Hit])> {
        self.hits.chunk_by(|a, b| a.principal == b.principal).filter_map(|of| of.first().map(|hit| (hit.principal, of)))
    }

    /// The hits of one principal.
    pub(super) fn of(&self, principal: PrincipalId) -> &[Hit] {
        run(&self.hits, |hit| hit.principal.cmp(&principal))
    }

    /// The ACLs of a principal that allow the request, in order.
    pub(super) fn allowing(&self, principal: PrincipalId) -> Vec<Acl> {
        let mut acls = Vec::new();
        for hit in self.of(principal).iter().filter(|hit| hit.allows) {
            let Some(pattern) = self.policy.pattern(hit.pattern) else { continue };
            let allowing = hit.row.of(Permission::Allow).iter();
            let allowing = allowing.filter(|of| rank(*of, self.request.operation, Permission::Allow).is_some());
            acls.extend(allowing.map(|of| self.policy.acl(pattern, &hit.row, of, Permission::Allow)));
        }
        sort(&mut acls, |a, b| a.cmp(b));
        acls
    }

    /// How the request of a holder is decided, given the number of its principal.
    pub(super) fn entry(&self, scope: Scope, id: Option<PrincipalId>) -> WhoCanEntry {
        let mut members = Vec::new();
        let mut paths = PathMatches::new(self);
        match &scope {
            Scope::Everyone => paths.go(None, self.everyone),
            Scope::One(principal) => match principal.kind() {
                PrincipalType::User | PrincipalType::Other => {
                    paths.user(id);
                }
                PrincipalType::Group => {
                    paths.go(None, self.everyone);
                    paths.go(Some(principal.name()), id);
                    paths.roles(Some(principal.name()), id);
                }
                PrincipalType::Role => {
                    paths.go(None, self.everyone);
                    let role = id.filter(|id| self.policy.is_role(*id));
                    paths.go(None, role);
                    let links = role.map_or(&[][..], |role| self.policy.links(role));
                    members.extend(links.iter().filter_map(|id| self.policy.principal(*id)).cloned());
                    sort(&mut members, |a, b| a.cmp(b));
                }
            },
        }
        let (granted_by, denied_by, host_unknown) = paths.end();
        let outcome = if granted_by.is_some() && denied_by.is_empty() { Outcome::Allow } else { Outcome::Deny };
        WhoCanEntry { scope, members, outcome, granted_by, denied_by, host_unknown }
    }

    /// The ACLs that deny an identity, in the order of D-20.
    pub(super) fn denying(&self, identity: &Identity) -> Vec<AclMatch> {
        self.of_identity(identity).1
    }

    /// What allows an identity, what denies it, and whether the host could change the answer.
    pub(super) fn of_identity(&self, identity: &Identity) -> (Option<AclMatch>, Vec<AclMatch>, bool) {
        let mut paths = PathMatches::new(self);
        let id = |kind, name: &str| self.policy.principal_id(kind, name);
        paths.user(id(identity.principal_type(), identity.user()));
        for name in identity.groups() {
            let group = id(PrincipalType::Group, name);
            paths.go(Some(name), group);
            paths.roles(Some(name), group);
        }
        let (granted_by, denied_by, host_unknown) = paths.end();
        let mut denying: Vec<AclMatch> = Vec::new();
        for found in denied_by {
            // Several ways may lead to one role; the first is told.
            if denying.iter().all(|known| known.acl != found.acl) {
                denying.push(found);
            }
        }
        (granted_by, denying, host_unknown)
    }
}

/// The ways from a holder to the ACLs that match, as they are gone.
struct PathMatches<'a> {
    hits: &'a Hits<'a>,
    /// The place of the next way.
    place: usize,
    allows: Vec<(Rank, AclMatch)>,
    denies: Vec<(Rank, AclMatch)>,
    host_might_allow: bool,
}

impl<'a> PathMatches<'a> {
    const fn new(hits: &'a Hits<'a>) -> Self {
        Self { hits, place: 0, allows: Vec::new(), denies: Vec::new(), host_might_allow: false }
    }

    /// Goes the ways of a user: its own, with `User:*`, then its roles.
    fn user(&mut self, user: Option<PrincipalId>) {
        let everyone = self.hits.everyone;
        self.go(None, user.filter(|user| everyone != Some(*user)));
        self.place = 0;
        self.go(None, everyone);
        self.roles(None, user);
    }

    fn roles(&mut self, group: Option<&str>, member: Option<PrincipalId>) {
        for role in member.map_or(&[][..], |member| self.hits.policy.links(member)) {
            self.go(group, Some(*role));
        }
    }

    /// Goes the next way: to a principal, through a group where one is given.
    fn go(&mut self, group: Option<&str>, to: Option<PrincipalId>) {
        let place = self.place;
        self.place += 1;
        let Some(to) = to else { return };
        let hits = self.hits;
        for hit in hits.of(to) {
            self.host_might_allow |= !hit.allows && !hit.denies
                || hit.row.host != HostId::ANY
                    && hits.request.host.is_none()
                    && hit.row.allow().meets(Operations::answering(hits.request.operation, Permission::Allow));
            let everyone = hits.everyone == Some(to);
            for (applies, permission) in [(hit.denies, Permission::Deny), (hit.allows, Permission::Allow)] {
                if applies {
                    self.take(hit, permission, (place, usize::MAX - hit.narrow, everyone), group);
                }
            }
        }
    }

    fn take(
        &mut self,
        hit: &Hit,
        permission: Permission,
        (way, pattern, everyone): (usize, usize, bool),
        group: Option<&str>,
    ) {
        let policy = self.hits.policy;
        let host = policy.host(hit.row.host);
        for operation in hit.row.of(permission).iter() {
            let Some(rank) = rank(operation, self.hits.request.operation, permission) else { continue };
            let place = (way, pattern, everyone, host.breadth(), rank, host);
            let matches = if permission == Permission::Deny { &mut self.denies } else { &mut self.allows };
            // Of what allows it, only the first is told.
            if permission == Permission::Allow && matches.first().is_some_and(|(first, _)| *first <= place) {
                continue;
            }
            let Some(pattern) = policy.pattern(hit.pattern) else { continue };
            let acl = policy.acl(pattern, &hit.row, operation, permission);
            let role = (acl.principal.kind() == PrincipalType::Role).then(|| acl.principal.name().to_owned());
            let found = (place, AclMatch { acl, group: group.map(str::to_owned), role });
            if permission == Permission::Allow {
                matches.clear();
            }
            matches.push(found);
        }
    }

    /// What allows, what denies, and whether the host could change the answer.
    fn end(mut self) -> (Option<AclMatch>, Vec<AclMatch>, bool) {
        sort(&mut self.denies, |a, b| a.0.cmp(&b.0));
        let host_unknown = match (self.denies.first(), self.allows.first()) {
            (Some((_, deny)), _) => self.hits.request.host.is_none() && deny.acl.host != Host::Any,
            (None, Some(_)) => false,
            (None, None) => self.host_might_allow,
        };
        let denies = self.denies.into_iter().map(|(_, found)| found).collect();
        (self.allows.pop().map(|(_, found)| found), denies, host_unknown)
    }
}

/// The place of an ACL's operation among those that answer the one asked for; none when it does not (D-02, D-20).
fn rank(of_acl: Operation, requested: Operation, permission: Permission) -> Option<usize> {
    match of_acl {
        _ if of_acl == requested => Some(0),
        Operation::All => Some(usize::MAX),
        _ if permission == Permission::Deny => None,
        _ => requested.implied_by().iter().position(|implied| *implied == of_acl).map(|place| place + 1),
    }
}

//! The smallest changes that allow a denied request: through groups and roles first, for the user
//! alone last.

mod names;
mod role_name;
mod spelling;

pub use names::name_choices;

use crate::breadth::Opening;
use crate::excerpt::policy_excerpt;
use crate::hypothetical::{HypotheticalChange, HypotheticalChanges};
use crate::least_grant::narrowest_for;
use crate::related::Words;
use crate::scope::NamePattern;
use crate::who_can::{AclMatch, Hits};
use gbac_engine::decide::{Decision, Outcome, Reason, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Acl, Operation, Principal, PrincipalType, check_member};
use gbac_engine::{
    policy::index::PrincipalId,
    policy::{Change, Policy},
};
use names::new_role;

/// The maximum number of groups and of roles that are tried for a kind of fix.
const TRIED: usize = 8;
/// The maximum number of listed fixes of a kind.
const LISTED: usize = 3;
/// The maximum number of fixes that combine the removal of a deny with a grant.
const COMBINED: usize = 3;
/// The maximum number of members whose names tell what a role is about.
const NAMED_MEMBERS: usize = 500;

/// The kind of a step of a fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FixKind {
    /// Removes the denies.
    RemoveDenies,
    /// Takes a user or group out of a role that denies.
    LeaveRole,
    /// Replaces a deny of all operations by denies of every other operation.
    NarrowDenies,
    /// Adds a group of the user, as it is spelled in the token, where the policy has nearly the
    /// same name.
    SpellGroup,
    /// Makes a group of the user a member of a role that allows the request.
    AssignGroup,
    /// Adds an ACL to a role of the user.
    ExtendRole,
    /// Creates a role with one ACL for a group of the user.
    CreateRole,
    /// Adds an ACL for a group of the user, where there are no roles.
    GrantGroup,
    /// In the identity provider: adds the user to a group that is allowed.
    JoinGroup,
    /// In the identity provider: removes the user from the groups that are denied.
    LeaveGroups,
    /// Makes the user a member of a role that allows the request.
    AssignUser,
    /// Adds an ACL for the user alone.
    GrantUser,
}

impl FixKind {
    /// Whether an administrator of the identity provider makes the change, not the policy.
    #[must_use]
    pub const fn is_manual(self) -> bool {
        matches!(self, Self::JoinGroup | Self::LeaveGroups)
    }

    /// Whether the change affects a single user instead of a group.
    #[must_use]
    pub const fn is_of_user(self) -> bool {
        matches!(self, Self::AssignUser | Self::GrantUser)
    }
}

/// A step of a fix.
#[derive(Debug, Clone, PartialEq)]
pub struct FixStep {
    /// The kind.
    pub kind: FixKind,
    /// The changes; at least one.
    pub changes: Vec<HypotheticalChange>,
}

/// Changes that together allow a request. If a deny must be removed and no ACL allows the request
/// then, a second step allows it.
#[derive(Debug, Clone, PartialEq)]
pub struct AccessFix {
    /// The steps; at least one.
    pub steps: Vec<FixStep>,
}

impl AccessFix {
    /// The changes of all steps, in order.
    pub fn changes(&self) -> impl Iterator<Item = &HypotheticalChange> {
        self.steps.iter().flat_map(|step| &step.changes)
    }

    /// The changes that a service can make.
    #[must_use]
    pub fn policy_changes(&self) -> Vec<Change> {
        let mut of_policy = Vec::new();
        for change in self.changes() {
            if let HypotheticalChange::Policy(change) = change {
                of_policy.push(change.clone());
            }
        }
        of_policy
    }

    /// What the fix opens in a policy, all steps together.
    #[must_use]
    pub fn opening(&self, policy: &Policy) -> Opening {
        Opening::of_changes(policy, self.changes())
    }

    /// The sort key: fixes that open every name or the cluster last; before, the spelling of a
    /// group first, then fixes through groups and roles, then in the identity provider, then for
    /// one user; in each, those with the fewest changes first.
    fn rank(&self, policy: &Policy) -> (bool, bool, bool, bool, usize, usize) {
        let is_spelling = |step: &FixStep| step.kind == FixKind::SpellGroup;
        (
            self.opening(policy).is_wide(),
            !self.steps.iter().any(is_spelling),
            self.steps.iter().any(|step| step.kind.is_of_user()),
            self.steps.iter().any(|step| step.kind.is_manual()),
            self.steps.len(),
            self.changes().count(),
        )
    }
}

/// The fixes of a denied request.
#[derive(Debug, Clone, PartialEq)]
pub struct AccessFixes {
    /// The current decision. An allowed request has no fixes, and neither has one that is denied
    /// because the identity has expired.
    pub decision: Decision,
    /// The ACLs that deny the request, each with its first path. If there are any, every fix
    /// removes or narrows them, or removes the user from their role or group, because an added
    /// allow changes nothing.
    pub denied_by: Vec<AclMatch>,
    /// The fixes, in order. Each one alone allows the request.
    pub fixes: Vec<AccessFix>,
}

/// Finds the smallest changes that allow a denied request. Every fix was tried on the policy and
/// allows the request.
///
/// `is_available` returns whether a new role can have a name, given the changes that create it.
/// Names of roles, and of ACLs without a role, are never used (D-63).
///
/// Of the user's groups, those that share a word with the resource, with a role that allows the
/// request or with a member of that role come first, and otherwise those that come first in the
/// identity.
///
/// The cost depends on the rows of the patterns that cover the name, on the number of patterns, and
/// on the ACLs of the identity and of up to eight groups and roles for each kind of fix.
///
/// ```
/// use gbac_analysis::{FixKind, access_fixes};
/// use gbac_engine::decide::{At, Request};
/// use gbac_engine::identity::Identity;
/// use gbac_engine::model::{Operation, ResourceType};
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "roles": [{ "name": "OrdersReaders", "members": [] }], "acls": [{
///     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Role:OrdersReaders", "host": "*", "operation": "OPERATION_READ", "permission_type":
/// "PERMISSION_TYPE_ALLOW" }] }"#)?; let read = Request::new(Operation::Read, ResourceType::Topic, "orders",
/// At::IgnoringExpiry); let found = access_fixes(&policy, &Identity::new("alice", ["ops"]), &read, |_, _| true);
/// let kinds: Vec<FixKind> = found.fixes.iter().map(|fix| fix.steps[0].kind).collect();
/// assert_eq!(kinds, [FixKind::AssignGroup, FixKind::CreateRole, FixKind::AssignUser, FixKind::GrantUser]);
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn access_fixes(
    policy: &Policy,
    identity: &Identity,
    request: &Request<'_>,
    is_available: impl Fn(&str, &[Change]) -> bool,
) -> AccessFixes {
    let decision = decide(policy, identity, request);
    let mut found = AccessFixes {
        decision,
        denied_by: Vec::new(),
        fixes: Vec::new(),
    };
    if !matches!(found.decision.reason, Reason::NoMatch | Reason::DenyRule) {
        return found;
    }
    let hits = Hits::new(policy, request);
    found.denied_by = hits.denying(identity);
    let search = Search {
        policy,
        identity,
        request,
        hits,
    };
    let removals = search.removals(&found.denied_by);
    let grants = search.grants(&is_available);
    let proof = search.proof(removals.iter().chain(grants.iter().flatten()));
    if found.decision.reason == Reason::NoMatch {
        for kind in grants {
            let mut of_kind = Vec::new();
            for step in kind {
                let fix = AccessFix { steps: vec![step] };
                if proof.allows(&fix) {
                    of_kind.push(fix);
                }
                if of_kind.len() == LISTED {
                    break;
                }
            }
            found.fixes.append(&mut of_kind);
        }
    } else {
        for removal in removals {
            let alone = AccessFix {
                steps: vec![removal],
            };
            match proof.decide(&alone).reason {
                Reason::AllowRule => found.fixes.push(alone),
                // Without the deny, no ACL matches.
                Reason::NoMatch if alone.steps.iter().all(|step| !step.kind.is_manual()) => {
                    found.fixes.extend(proof.combined(&alone, &grants));
                }
                _ => {}
            }
        }
    }
    found.fixes.sort_by_cached_key(|fix| fix.rank(policy));
    found.fixes = different(found.fixes);
    found
}

/// The fixes without those that make the same changes as an earlier one.
fn different(fixes: Vec<AccessFix>) -> Vec<AccessFix> {
    let mut kept: Vec<AccessFix> = Vec::new();
    for fix in fixes {
        if !kept.iter().any(|known| known.changes().eq(fix.changes())) {
            kept.push(fix);
        }
    }
    kept
}

/// The search for the fixes of a request.
struct Search<'a> {
    policy: &'a Policy,
    identity: &'a Identity,
    request: &'a Request<'a>,
    hits: Hits<'a>,
}

/// The part of the policy that decides the request, for trying fixes.
struct Proof<'a> {
    part: Policy,
    identity: &'a Identity,
    request: &'a Request<'a>,
}

impl Proof<'_> {
    fn decide(&self, fix: &AccessFix) -> Decision {
        let trials: HypotheticalChanges = fix.changes().cloned().collect();
        let mut after = self.part.clone();
        // If a change has no effect, the request stays denied, and the fix is not listed.
        trials.apply(&mut after);
        decide(&after, &trials.person(self.identity).0, self.request)
    }

    fn allows(&self, fix: &AccessFix) -> bool {
        self.decide(fix).outcome == Outcome::Allow
    }

    /// The fixes that combine a removal with a grant: the first of each kind that allows the
    /// request.
    fn combined(&self, removal: &AccessFix, grants: &[Vec<FixStep>]) -> Vec<AccessFix> {
        let mut fixes = Vec::new();
        for kind in grants {
            // A fix has either manual steps or changes of the policy.
            if kind.iter().any(|grant| grant.kind.is_manual()) {
                continue;
            }
            for grant in kind {
                let mut fix = removal.clone();
                fix.steps.push(grant.clone());
                if self.allows(&fix) {
                    fixes.push(fix);
                    break;
                }
            }
            if fixes.len() == COMBINED {
                break;
            }
        }
        fixes
    }
}

impl<'a> Search<'a> {
    /// Extracts the part of the policy for trying these steps.
    fn proof<'s>(&self, steps: impl Iterator<Item = &'s FixStep>) -> Proof<'a> {
        let mut also: Vec<Principal> = self.members();
        for change in steps.flat_map(|step| &step.changes) {
            match change {
                HypotheticalChange::Join(name) | HypotheticalChange::Leave(name) => {
                    also.push(Principal::group(name));
                }
                HypotheticalChange::Policy(
                    Change::AddMember { role, .. } | Change::RemoveMember { role, .. },
                ) => {
                    also.push(Principal::role(role));
                }
                HypotheticalChange::Policy(_) => {}
            }
        }
        Proof {
            part: policy_excerpt(self.policy, &[], &also),
            identity: self.identity,
            request: self.request,
        }
    }

    /// The user and the groups.
    fn members(&self) -> Vec<Principal> {
        let mut members = vec![self.identity.principal()];
        for name in self.identity.groups() {
            if !name.is_empty() {
                members.push(Principal::group(name));
            }
        }
        members
    }

    fn id(&self, principal: &Principal) -> Option<PrincipalId> {
        self.policy.principal_id(principal.kind(), principal.name())
    }

    fn is_member(&self, principal: &Principal, role: &str) -> bool {
        self.policy.roles_of(principal).any(|of| of == role)
    }

    /// The user's groups that can be members of a role, each with its words: first those that share
    /// one with the resource or with a role, each in the order of the identity.
    fn groups(&self, roles: &[(Principal, Words)]) -> Vec<(Principal, Words)> {
        let mut groups = self.members();
        groups
            .retain(|member| member.kind() == PrincipalType::Group && check_member(member).is_ok());
        let mut words: Vec<Words> = groups
            .iter()
            .map(|group| Words::from_name(group.name()))
            .collect();
        Words::keep_distinctive(&mut words);
        let mut groups: Vec<(Principal, Words)> = groups.into_iter().zip(words).collect();
        let resource = Words::from_name(self.request.resource_name);
        groups.sort_by_key(|(_, words)| {
            !words.shares(&resource) && !roles.iter().any(|(_, role)| role.shares(words))
        });
        groups.truncate(TRIED);
        groups
    }

    /// What a role is about: the words of the resource, of its name and of its members, unless
    /// there are very many.
    fn words_of_role(&self, role: &Principal) -> Words {
        let mut words = Words::from_name(self.request.resource_name);
        words.add(role.name());
        let Some(id) = self.id(role) else {
            return words;
        };
        let members = self.policy.links(id);
        if members.len() <= NAMED_MEMBERS {
            for member in members {
                if let Some(member) = self.policy.principal(*member) {
                    words.add(member.name());
                }
            }
        }
        words
    }

    /// The user, if it can be a member and have ACLs.
    fn user(&self) -> Option<Principal> {
        let user = self.identity.principal();
        if user.is_everyone() || user.name().is_empty() || check_member(&user).is_err() {
            return None;
        }
        Some(user)
    }

    /// The steps that each remove all denies.
    fn removals(&self, denied_by: &[AclMatch]) -> Vec<FixStep> {
        if denied_by.is_empty() {
            return Vec::new();
        }
        let mut steps = vec![FixStep {
            kind: FixKind::RemoveDenies,
            changes: denied_by.iter().map(|found| remove(&found.acl)).collect(),
        }];
        if denied_by.iter().any(|found| self.is_narrowed(&found.acl)) {
            let mut changes = Vec::new();
            for AclMatch { acl, .. } in denied_by {
                changes.push(remove(acl));
                if !self.is_narrowed(acl) {
                    continue;
                }
                let dialect = self.policy.settings().dialect;
                for operation in dialect.operations_of(acl.resource_type) {
                    if *operation != self.request.operation {
                        let deny = Acl {
                            operation: *operation,
                            ..acl.clone()
                        };
                        changes.push(HypotheticalChange::Policy(Change::AddAcl(deny)));
                    }
                }
            }
            steps.push(FixStep {
                kind: FixKind::NarrowDenies,
                changes,
            });
        }
        for (kind, changes) in [
            (FixKind::LeaveRole, self.leave_roles(denied_by)),
            (FixKind::LeaveGroups, self.leave_groups(denied_by)),
        ] {
            if !changes.is_empty() {
                steps.push(FixStep { kind, changes });
            }
        }
        steps
    }

    /// Whether a deny of all operations can be replaced by denies of the other ones.
    fn is_narrowed(&self, deny: &Acl) -> bool {
        deny.operation == Operation::All && self.request.operation != Operation::All
    }

    /// The memberships through which a deny applies.
    fn paths(&self, deny: &Acl) -> Vec<Principal> {
        match deny.principal.kind() {
            PrincipalType::Role => {
                let mut members = self.members();
                members.retain(|member| self.is_member(member, deny.principal.name()));
                members
            }
            PrincipalType::Group => vec![deny.principal.clone()],
            PrincipalType::User | PrincipalType::Other => Vec::new(),
        }
    }

    /// The changes that end the memberships in the denied roles; none unless every deny is of a
    /// role.
    fn leave_roles(&self, denied_by: &[AclMatch]) -> Vec<HypotheticalChange> {
        let mut changes = Vec::new();
        for AclMatch { acl, .. } in denied_by {
            if acl.principal.kind() != PrincipalType::Role {
                return Vec::new();
            }
            for member in self.paths(acl) {
                let role = acl.principal.name().to_owned();
                let leave = HypotheticalChange::Policy(Change::RemoveMember { role, member });
                if !changes.contains(&leave) {
                    changes.push(leave);
                }
            }
        }
        changes
    }

    /// The groups to leave; none unless every deny applies through groups alone.
    fn leave_groups(&self, denied_by: &[AclMatch]) -> Vec<HypotheticalChange> {
        let mut changes = Vec::new();
        for AclMatch { acl, .. } in denied_by {
            let paths = self.paths(acl);
            if paths.is_empty() {
                return Vec::new();
            }
            for path in paths {
                if path.kind() != PrincipalType::Group {
                    return Vec::new();
                }
                let leave = HypotheticalChange::Leave(path.name().to_owned());
                if !changes.contains(&leave) {
                    changes.push(leave);
                }
            }
        }
        changes
    }

    /// The step that adds the narrowest ACL of a principal, if it can be created.
    fn grant(&self, kind: FixKind, principal: Principal) -> Option<FixStep> {
        let acl = narrowest_for(principal, self.request);
        if !acl.check_create().is_empty() {
            return None;
        }
        Some(FixStep {
            kind,
            changes: vec![HypotheticalChange::Policy(Change::AddAcl(acl))],
        })
    }

    /// The steps that may allow the request, by kind, the most promising of each kind first. They
    /// are not tried yet.
    fn grants(&self, is_available: &impl Fn(&str, &[Change]) -> bool) -> Vec<Vec<FixStep>> {
        let mut roles = Vec::new();
        for role in self.allowing(PrincipalType::Role) {
            let words = self.words_of_role(&role);
            roles.push((role, words));
        }
        let groups = self.groups(&roles);
        // Related pairs come first, and of these, those from the beginning of both lists.
        let mut pairs = Vec::with_capacity(roles.len() * groups.len());
        for (role_place, (role, about)) in roles.iter().enumerate() {
            for (group_place, (group, words)) in groups.iter().enumerate() {
                pairs.push((
                    (!words.shares(about), role_place + group_place, role_place),
                    role,
                    group,
                ));
            }
        }
        pairs.sort_by_key(|(key, ..)| *key);
        let mut assign_group = Vec::with_capacity(pairs.len());
        for (_, role, group) in pairs {
            assign_group.push(assign(FixKind::AssignGroup, group, role));
        }
        let mut extend = Vec::new();
        for role in self.held_roles() {
            extend.extend(self.grant(FixKind::ExtendRole, role));
        }
        let mut create = Vec::new();
        for (group, _) in &groups {
            if create.len() < 2 {
                create.extend(self.new_role(group, is_available));
            }
        }
        let mut join = Vec::new();
        for group in self.allowing(PrincipalType::Group) {
            join.push(FixStep {
                kind: FixKind::JoinGroup,
                changes: vec![HypotheticalChange::Join(group.name().to_owned())],
            });
        }
        let (mut assign_user, mut grant_user) = (Vec::new(), Vec::new());
        if let Some(user) = self.user() {
            if let Some((role, _)) = roles.first() {
                assign_user.push(assign(FixKind::AssignUser, &user, role));
            }
            grant_user.extend(self.grant(FixKind::GrantUser, user));
        }
        vec![
            self.spellings(),
            assign_group,
            extend,
            create,
            join,
            assign_user,
            grant_user,
        ]
    }

    /// The roles that allow the request, or the groups that do and that the user does not have:
    /// those with the fewest ACLs first.
    fn allowing(&self, kind: PrincipalType) -> Vec<Principal> {
        let mut found: Vec<(u32, Principal)> = Vec::new();
        for (id, of) in self.hits.by_principal() {
            if !of.iter().any(|hit| hit.allows) {
                continue;
            }
            let is_role = self.policy.is_role(id);
            let candidates = match kind {
                PrincipalType::Role if is_role => vec![id],
                PrincipalType::Group if is_role => self.policy.links(id).to_vec(),
                PrincipalType::Group => vec![id],
                PrincipalType::Role | PrincipalType::User | PrincipalType::Other => Vec::new(),
            };
            for id in candidates {
                let Some(principal) = self.policy.principal(id) else {
                    continue;
                };
                let name = principal.name();
                if principal.kind() != kind || name.is_empty() {
                    continue;
                }
                let mut rows = self.policy.row_count(id);
                if kind == PrincipalType::Group {
                    if self.identity.groups().iter().any(|group| group == name) {
                        continue;
                    }
                    for role in self.policy.links(id) {
                        rows += self.policy.row_count(*role);
                    }
                }
                found.push((rows, principal.clone()));
            }
        }
        found.sort();
        found.dedup();
        found.truncate(TRIED);
        found.into_iter().map(|(_, principal)| principal).collect()
    }

    /// The user's roles, direct and through groups: those with the fewest members first.
    fn held_roles(&self) -> Vec<Principal> {
        let mut roles: Vec<(usize, Principal)> = Vec::new();
        for member in self.members() {
            let Some(id) = self.id(&member) else {
                continue;
            };
            for role in self.policy.links(id) {
                if let Some(principal) = self.policy.principal(*role) {
                    roles.push((self.policy.links(*role).len(), principal.clone()));
                }
            }
        }
        roles.sort();
        roles.dedup();
        roles.truncate(TRIED);
        roles.into_iter().map(|(_, role)| role).collect()
    }

    /// Creates a role for a group, with the narrowest ACL for this request.
    fn new_role(
        &self,
        group: &Principal,
        is_available: &impl Fn(&str, &[Change]) -> bool,
    ) -> Option<FixStep> {
        let narrowest = narrowest_for(group.clone(), self.request);
        let names = NamePattern {
            pattern_type: narrowest.pattern_type,
            name: narrowest.resource_name,
        };
        new_role(self.policy, self.request, &names, group, is_available)
    }
}

fn remove(deny: &Acl) -> HypotheticalChange {
    HypotheticalChange::Policy(Change::RemoveAcl(deny.clone()))
}

fn assign(kind: FixKind, member: &Principal, role: &Principal) -> FixStep {
    FixStep {
        kind,
        changes: vec![HypotheticalChange::Policy(Change::AddMember {
            role: role.name().to_owned(),
            member: member.clone(),
        })],
    }
}

//! The explanation: every candidate ACL, what matched in it and what did not, and what nearly did.

use std::sync::Arc;

use super::paths::{Target, visit_paths};
use super::walk::{self, HostMatch};
use super::{Decision, Reason, Request, Source};
use crate::identity::Identity;
use crate::model::{Acl, Operation, PatternType, Permission, Principal, PrincipalType};
use crate::near::{self, NameDifference};
use crate::order::{run, sort};
use crate::policy::{Policy, PrincipalId};

/// The path from the identity to a principal: the user, one of its roles, a group, or a role of a group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct AccessPath {
    /// Which of the four sources ACLs of this principal count as.
    pub source: Source,
    /// The group on the path.
    pub group: Option<String>,
    /// The role on the path.
    pub role: Option<String>,
    /// The end of the path: the principal that ACLs name.
    pub principal: Principal,
}

/// Whether an ACL's principal is one of the identity's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrincipalFacet {
    /// It is.
    Matches,
    /// It is `User:*`.
    Everyone,
    /// It would be, in another letter case; this is the identity's own.
    LetterCase(Principal),
    /// It would be, with or without leading or trailing slashes; this is the identity's own.
    LeadingSlash(Principal),
    /// It is a role that would be, if a member of it were written in another letter case.
    MemberLetterCase(NearMember),
    /// It is a role that would be, if a member of it had other leading or trailing slashes.
    MemberLeadingSlash(NearMember),
}

/// A member of a role that is a near miss of one of the identity's principals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearMember {
    /// The identity's own principal.
    pub own: Principal,
    /// The member of the role.
    pub member: Principal,
}

/// Whether an ACL's resource name covers the one asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameFacet {
    /// It is the name.
    Literal,
    /// The name starts with it.
    Prefixed,
    /// It is `*`.
    AllNames,
    /// It would, in another letter case.
    LetterCase,
    /// It would, with or without leading or trailing slashes.
    LeadingSlash,
    /// It does not.
    No,
}

/// Whether an ACL's operation answers the one asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationFacet {
    /// It is the operation.
    Exact,
    /// It implies it (ALLOW only, D-02).
    Implied,
    /// It is `ALL`.
    All,
    /// It would imply it, but a deny denies its own operation only (D-02).
    DenyImpliesNothing,
    /// It does not.
    No,
}

/// Whether an ACL's host covers the request's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostFacet {
    /// It is `*`.
    Any,
    /// It is the address.
    Exact,
    /// The address is in the range (dialect `kafka`).
    InRange,
    /// It is one address or a range, and the request names no address.
    Unknown,
    /// It is another address.
    No,
}

/// The one field in which a near miss does not match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NearMiss {
    /// By its host.
    Host,
    /// By the letter case of its principal.
    PrincipalLetterCase,
    /// By leading or trailing slashes of its principal.
    PrincipalLeadingSlash,
    /// By the letter case of a member of its role.
    MemberLetterCase,
    /// By leading or trailing slashes of a member of its role.
    MemberLeadingSlash,
    /// By the letter case of its resource name.
    NameLetterCase,
    /// By leading or trailing slashes of its resource name.
    NameLeadingSlash,
}

impl NearMiss {
    /// The stable name in JSON.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::PrincipalLetterCase => "principal_letter_case",
            Self::PrincipalLeadingSlash => "principal_leading_slash",
            Self::MemberLetterCase => "member_letter_case",
            Self::MemberLeadingSlash => "member_leading_slash",
            Self::NameLetterCase => "name_letter_case",
            Self::NameLeadingSlash => "name_leading_slash",
        }
    }
}

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CandidateStatus {
    /// It is the ACL of the decision.
    Decides,
    /// It matches and says the same.
    Agrees,
    /// It allows, but a deny was found first.
    Overridden,
    /// It matches, but the identity had expired or is a superuser, so that no ACL was asked.
    NotEvaluated,
    /// It is a near miss.
    Near(NearMiss),
    /// It does not match.
    NoMatch,
}

impl CandidateStatus {
    /// The stable name in JSON.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Decides => "decides",
            Self::Agrees => "agrees",
            Self::Overridden => "overridden",
            Self::NotEvaluated => "not_reached",
            Self::Near(_) => "near_miss",
            Self::NoMatch => "no_match",
        }
    }
}

/// An ACL that has to do with the identity, and how it compares to the request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Candidate {
    /// The ACL.
    pub acl: Arc<Acl>,
    /// The paths to its principal; none for a near miss of the principal.
    pub paths: Arc<Vec<AccessPath>>,
    /// How its principal compares.
    pub principal: PrincipalFacet,
    /// Whether its resource type is the one asked for.
    pub resource_type: bool,
    /// How its resource name compares; [`NameFacet::No`] where the type differs.
    pub name: NameFacet,
    /// How its operation compares.
    pub operation: OperationFacet,
    /// How its host compares.
    pub host: HostFacet,
    /// What became of it.
    pub status: CandidateStatus,
}

impl Candidate {
    /// Whether its resource is the one asked for, whatever its operation and host.
    #[must_use]
    pub const fn is_on_resource(&self) -> bool {
        self.resource_type && !matches!(self.name, NameFacet::No)
    }
}

/// A decision with all that led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The same decision that [`super::decide`] gives.
    pub decision: Decision,
    /// Every path from the identity to a principal, in the order of D-20.
    pub paths: Vec<AccessPath>,
    /// Every ACL of these principals and every near miss: denies before allows, then by standing, then in the
    /// order of D-20.
    pub candidates: Vec<Candidate>,
    /// How many ACLs the policy holds.
    pub acls: usize,
}

/// Decides and explains.
///
/// Cost: one look at each principal and each pattern of the policy, which an [`Explainer`] does once for many questions;
/// [`super::decide`] alone is far cheaper.
#[must_use]
pub fn explain(policy: &Policy, identity: &Identity, request: &Request<'_>) -> Explanation {
    Explainer::new(policy, identity).explain(request, super::decide(policy, identity, request))
}

/// The ACLs of a policy that have to do with an identity, found once and asked many times.
///
/// ```
/// use gbac_engine::decide::{At, Explainer, Request, decide, explain};
/// use gbac_engine::identity::Identity;
/// use gbac_engine::model::{Operation, ResourceType};
/// use gbac_engine::policy::Policy;
///
/// let (policy, alice) = (Policy::default(), Identity::new("alice", ["eng"]));
/// let explainer = Explainer::new(&policy, &alice);
/// for name in ["events", "orders"] {
///     let request = Request::new(Operation::Read, ResourceType::Topic, name, At::IgnoringExpiry);
///     let explanation = explainer.explain(&request, decide(&policy, &alice, &request));
///     assert_eq!(explanation, explain(&policy, &alice, &request));
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Explainer {
    paths: Vec<AccessPath>,
    /// The ACLs of the identity's principals, and of those that are nearly its.
    concerns: Vec<Concern>,
    acls: usize,
    ranges_match: bool,
}

/// An ACL, and how its principal compares.
#[derive(Debug, Clone)]
struct Concern {
    acl: Arc<Acl>,
    principal: PrincipalFacet,
    paths: Arc<Vec<AccessPath>>,
    /// The place of the first of the paths.
    way: usize,
}

impl Explainer {
    /// Finds the ACLs that have to do with an identity.
    #[must_use]
    pub fn new(policy: &Policy, identity: &Identity) -> Self {
        let paths = access_paths(policy, identity);
        let known = Known::new(&paths);
        let mut compared = Vec::new();
        let mut members = Vec::new();
        for (id, principal) in policy.principals() {
            let Some(found) = known.compare(principal) else { continue };
            if let Some((own, difference)) = &found.near {
                let member = || NearMember { own: (*own).clone(), member: principal.clone() };
                members.extend(policy.links(id).iter().map(|role| (*role, *difference, member())));
            }
            if policy.row_count(id) > 0 {
                compared.push((id, found.into_parts()));
            }
        }
        compared.extend(near_roles(policy, &known, members));
        sort(&mut compared, |a, b| a.0.0.cmp(&b.0.0));
        let (ids, principals): (Vec<PrincipalId>, Vec<_>) = compared.into_iter().unzip();
        let mut concerns = Vec::new();
        policy.rows_of(&ids, &mut |pattern, row| {
            let place = ids.binary_search(&row.principal).ok();
            if let Some((principal, paths, way)) = place.and_then(|place| principals.get(place)) {
                row.acls(|operation, permission| {
                    let acl = Arc::new(policy.acl(pattern, row, operation, permission));
                    concerns.push(Concern { acl, principal: principal.clone(), paths: Arc::clone(paths), way: *way });
                });
            }
        });
        Self { paths, concerns, acls: policy.acl_count(), ranges_match: policy.settings().ranges_match() }
    }

    /// Explains a decision on a request, which is of the same policy and identity.
    #[must_use]
    pub fn explain(&self, request: &Request<'_>, decision: Decision) -> Explanation {
        let settled = matches!(decision.reason, Reason::Expired | Reason::Superuser);
        let mut keyed = Vec::new();
        for concern in &self.concerns {
            let Some(mut candidate) = concern.candidate(request, self.ranges_match) else { continue };
            let place = concern.place(&candidate, request, self.ranges_match);
            if place.is_some() {
                candidate.status = standing_of_match(&candidate.acl, &decision, settled);
            }
            let key = (
                candidate.acl.permission,
                (candidate.status == CandidateStatus::NoMatch, !candidate.is_on_resource()),
                (place.is_none(), place),
                candidate.status,
                concern.way,
            );
            keyed.push((key, candidate));
        }
        sort(&mut keyed, |(a, one), (b, other): &(_, Candidate)| a.cmp(b).then_with(|| one.acl.cmp(&other.acl)));
        let candidates = keyed.into_iter().map(|(_, candidate)| candidate).collect();
        Explanation { decision, paths: self.paths.clone(), candidates, acls: self.acls }
    }
}

impl Concern {
    /// How it compares to a request; none when that is of no interest.
    fn candidate(&self, request: &Request<'_>, ranges_match: bool) -> Option<Candidate> {
        let acl = &*self.acl;
        let resource_type = acl.resource_type == request.resource_type;
        let mut candidate = Candidate {
            acl: Arc::clone(&self.acl),
            paths: self.paths.clone(),
            principal: self.principal.clone(),
            resource_type,
            name: if resource_type { name_facet(acl, request.resource_name) } else { NameFacet::No },
            operation: operation_facet(acl, request.operation),
            host: match walk::host_match(acl.host, request, ranges_match) {
                HostMatch::Exact => HostFacet::Exact,
                HostMatch::InRange => HostFacet::InRange,
                HostMatch::Any => HostFacet::Any,
                HostMatch::Unknown => HostFacet::Unknown,
                HostMatch::No => HostFacet::No,
            },
            status: CandidateStatus::NoMatch,
        };
        if let Some(near) = near_miss(&candidate) {
            candidate.status = CandidateStatus::Near(near);
        }
        // Another principal's ACL is of interest only when nothing but the spelling is in the way.
        let own = matches!(candidate.principal, PrincipalFacet::Matches | PrincipalFacet::Everyone);
        (own || candidate.status != CandidateStatus::NoMatch).then_some(candidate)
    }

    /// Where it stands among those that match, in the order of D-20; none when it does not match.
    fn place(&self, candidate: &Candidate, request: &Request<'_>, ranges_match: bool) -> Option<Place> {
        let acl = &*self.acl;
        let everyone = match self.principal {
            PrincipalFacet::Matches => false,
            PrincipalFacet::Everyone => true,
            PrincipalFacet::LetterCase(_)
            | PrincipalFacet::LeadingSlash(_)
            | PrincipalFacet::MemberLetterCase(_)
            | PrincipalFacet::MemberLeadingSlash(_) => return None,
        };
        let pattern = match candidate.name {
            NameFacet::Literal => (0, 0),
            NameFacet::Prefixed => (1, usize::MAX - acl.resource_name.len()),
            NameFacet::AllNames => (2, 0),
            NameFacet::LetterCase | NameFacet::LeadingSlash | NameFacet::No => return None,
        };
        let host = walk::host_rank(acl.host, request, acl.permission, ranges_match)?;
        let operation = walk::operation_rank(acl.operation, request.operation, acl.permission)?;
        Some((self.way, pattern, everyone, host, operation))
    }
}

/// Every path from the identity to a principal, in the order of D-20; one for each way to a role.
fn access_paths(policy: &Policy, identity: &Identity) -> Vec<AccessPath> {
    let mut paths = Vec::new();
    visit_paths(policy, identity, &mut |way| {
        let principal = match way.to {
            Target::Named(kind, name, _) => Principal::new(kind, name),
            Target::Role(id) => policy.principal(id).cloned().unwrap_or_else(|| Principal::role("")),
        };
        paths.push(AccessPath {
            source: way.source,
            group: way.group.and_then(|group| identity.groups().get(group as usize)).cloned(),
            role: (principal.kind() == PrincipalType::Role).then(|| principal.name().to_owned()),
            principal,
        });
    });
    paths
}

fn standing_of_match(acl: &Acl, decision: &Decision, settled: bool) -> CandidateStatus {
    if settled {
        CandidateStatus::NotEvaluated
    } else if decision.acl.as_ref() == Some(acl) {
        CandidateStatus::Decides
    } else if decision.acl.as_ref().is_some_and(|deciding| deciding.permission == acl.permission) {
        CandidateStatus::Agrees
    } else {
        CandidateStatus::Overridden
    }
}

/// Where an ACL stands in the order of D-20: by way, pattern (literal, prefixes longest first, `*`), whether it is of
/// `User:*`, host, operation.
type Place = (usize, (u8, usize), bool, u8, usize);

/// A principal that has to do with the identity: how it compares, the ways to it, and the place of the first of them.
type Compared = (PrincipalFacet, Arc<Vec<AccessPath>>, usize);

/// The identity's principals, as they are and as they are nearly.
struct Known<'a> {
    /// Every path and its place, by principal.
    paths: Vec<(usize, &'a AccessPath)>,
    /// The principals folded, and as they are, by the former.
    folded: Vec<(Principal, &'a Principal)>,
    user: Option<&'a AccessPath>,
}

/// How a principal compares to the identity's.
struct Found<'a> {
    facet: PrincipalFacet,
    paths: Vec<AccessPath>,
    way: usize,
    /// The identity's own that it is near, and by what it differs.
    near: Option<(&'a Principal, NameDifference)>,
}

impl Found<'_> {
    fn into_parts(self) -> Compared {
        (self.facet, Arc::new(self.paths), self.way)
    }
}

impl<'a> Known<'a> {
    fn new(paths: &'a [AccessPath]) -> Self {
        // A role is reached through its members' spelling, never through its own.
        let own = paths.iter().filter(|path| path.role.is_none()).map(|path| &path.principal);
        let mut folded: Vec<(Principal, &Principal)> = own.map(|own| (fold(own), own)).collect();
        sort(&mut folded, |a, b| a.0.cmp(&b.0));
        let user = paths.first();
        let mut paths: Vec<(usize, &AccessPath)> = paths.iter().enumerate().collect();
        sort(&mut paths, |a, b| a.1.principal.cmp(&b.1.principal));
        Self { paths, folded, user }
    }

    /// The paths to a principal, with their places.
    fn of(&self, principal: &Principal) -> &[(usize, &'a AccessPath)] {
        run(&self.paths, |(_, path)| path.principal.cmp(principal))
    }

    /// How a principal compares to the identity's; none where it has nothing to do with them.
    fn compare(&self, principal: &Principal) -> Option<Found<'a>> {
        let paths = self.of(principal);
        if let Some((way, _)) = paths.first() {
            let paths = paths.iter().map(|(_, path)| (*path).clone()).collect();
            return Some(Found { facet: PrincipalFacet::Matches, paths, way: *way, near: None });
        }
        if principal.is_everyone() {
            let paths = self.user.into_iter().cloned().collect();
            return Some(Found { facet: PrincipalFacet::Everyone, paths, way: 0, near: None });
        }
        let folded = fold(principal);
        let own = run(&self.folded, |(near, _)| near.cmp(&folded)).iter();
        let near = own.filter_map(|(_, own)| Some((*own, near::name_difference(own.name(), principal.name())?)));
        let (own, difference) = near.min_by_key(|(_, difference)| *difference)?;
        let facet = match difference {
            NameDifference::LetterCase => PrincipalFacet::LetterCase(own.clone()),
            NameDifference::Slashes | NameDifference::Both => PrincipalFacet::LeadingSlash(own.clone()),
        };
        Some(Found { facet, paths: Vec::new(), way: usize::MAX, near: Some((own, difference)) })
    }
}

fn fold(principal: &Principal) -> Principal {
    Principal::new(principal.kind(), near::fold_name(principal.name()))
}

/// The roles with ACLs that the identity does not have and one of these members nearly gives it; of several members of a
/// role, the one that differs least.
fn near_roles(
    policy: &Policy,
    known: &Known<'_>,
    mut members: Vec<(PrincipalId, NameDifference, NearMember)>,
) -> Vec<(PrincipalId, Compared)> {
    sort(&mut members, |a, b| (a.0.0, a.1, &a.2.member).cmp(&(b.0.0, b.1, &b.2.member)));
    members.dedup_by(|later, first| later.0 == first.0);
    let is_new = |role: &PrincipalId| policy.principal(*role).is_some_and(|role| known.of(role).is_empty());
    let near = members.into_iter().filter(|(role, ..)| policy.row_count(*role) > 0 && is_new(role));
    near.map(|(role, difference, member)| {
        let facet = match difference {
            NameDifference::LetterCase => PrincipalFacet::MemberLetterCase(member),
            NameDifference::Slashes | NameDifference::Both => PrincipalFacet::MemberLeadingSlash(member),
        };
        (role, (facet, Arc::default(), usize::MAX))
    })
    .collect()
}

fn name_facet(acl: &Acl, requested: &str) -> NameFacet {
    if acl.covers_name(requested) {
        return match acl.pattern_type {
            PatternType::Prefixed => NameFacet::Prefixed,
            PatternType::Literal if acl.resource_name == requested => NameFacet::Literal,
            PatternType::Literal => NameFacet::AllNames,
        };
    }
    let pattern = acl.resource_name.as_str();
    let difference = match acl.pattern_type {
        PatternType::Literal => near::name_difference(pattern, requested),
        PatternType::Prefixed => near::prefix_difference(pattern, requested),
    };
    match difference {
        Some(NameDifference::LetterCase) => NameFacet::LetterCase,
        Some(NameDifference::Slashes | NameDifference::Both) => NameFacet::LeadingSlash,
        None => NameFacet::No,
    }
}

fn operation_facet(acl: &Acl, requested: Operation) -> OperationFacet {
    match walk::operation_rank(acl.operation, requested, acl.permission) {
        Some(0) => OperationFacet::Exact,
        Some(usize::MAX) => OperationFacet::All,
        Some(_) => OperationFacet::Implied,
        None if walk::operation_rank(acl.operation, requested, Permission::Allow).is_some() => {
            OperationFacet::DenyImpliesNothing
        }
        None => OperationFacet::No,
    }
}

/// The one thing in the way, when it is only one.
fn near_miss(candidate: &Candidate) -> Option<NearMiss> {
    let by_principal = match candidate.principal {
        PrincipalFacet::Matches | PrincipalFacet::Everyone => None,
        PrincipalFacet::LetterCase(_) => Some(NearMiss::PrincipalLetterCase),
        PrincipalFacet::LeadingSlash(_) => Some(NearMiss::PrincipalLeadingSlash),
        PrincipalFacet::MemberLetterCase(_) => Some(NearMiss::MemberLetterCase),
        PrincipalFacet::MemberLeadingSlash(_) => Some(NearMiss::MemberLeadingSlash),
    };
    let by_name = match candidate.name {
        NameFacet::Literal | NameFacet::Prefixed | NameFacet::AllNames => None,
        NameFacet::LetterCase => Some(NearMiss::NameLetterCase),
        NameFacet::LeadingSlash => Some(NearMiss::NameLeadingSlash),
        NameFacet::No => return None,
    };
    if matches!(candidate.operation, OperationFacet::No | OperationFacet::DenyImpliesNothing) {
        return None;
    }
    let host_in_the_way = match candidate.host {
        HostFacet::Any | HostFacet::Exact | HostFacet::InRange => false,
        HostFacet::Unknown => candidate.acl.permission == Permission::Allow,
        HostFacet::No => true,
    };
    match (by_principal, by_name, host_in_the_way.then_some(NearMiss::Host)) {
        (Some(only), None, None) | (None, Some(only), None) | (None, None, Some(only)) => Some(only),
        _ => None,
    }
}

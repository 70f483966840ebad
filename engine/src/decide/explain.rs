//! Explains decisions: the candidate ACLs, how each compares with the request, and near misses.

use std::sync::Arc;
use strum::{IntoStaticStr, VariantNames};

use super::precedence::{self, HostMatch};
use super::principal_paths::{Target, visit_paths};
use super::{Decision, Reason, Request, Source};
use crate::identity::Identity;
use crate::model::{Acl, Operation, PatternType, Permission, Principal, PrincipalType};
use crate::near::{self, NameDifference};
use crate::order::{run, sort};
use crate::policy::{Policy, PrincipalId};

/// A path from the identity to a principal: the user, one of its roles, a group, or a role of a
/// group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct AccessPath {
    /// The source that ACLs of this principal count as.
    pub source: Source,
    /// The group on the path.
    pub group: Option<String>,
    /// The role on the path.
    pub role: Option<String>,
    /// The end of the path: the principal that ACLs name.
    pub principal: Principal,
}

/// How an ACL's principal compares with the identity's.
#[derive(Debug, Clone, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum PrincipalMatch {
    /// It is one of the identity's.
    Matches,
    /// It is `User:*`.
    Everyone,
    /// It differs from this principal of the identity only in letter case.
    LetterCase(Principal),
    /// It differs from this principal of the identity in leading or trailing slashes, and at most
    /// also in letter case.
    Slashes(Principal),
    /// It is a role with a member that differs from one of the identity's principals only in letter
    /// case.
    MemberLetterCase(NearMember),
    /// It is a role with a member that differs from one of the identity's principals in leading or
    /// trailing slashes, and at most also in letter case.
    MemberSlashes(NearMember),
}

/// A member of a role that is a near miss of one of the identity's principals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearMember {
    /// The identity's principal.
    pub own: Principal,
    /// The member of the role.
    pub member: Principal,
}

/// How an ACL's resource name compares with the request's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum NameMatch {
    /// It is the same name.
    Literal,
    /// It is a prefix of the name.
    Prefixed,
    /// It is `*`.
    AllNames,
    /// It differs only in letter case.
    LetterCase,
    /// It differs in leading or trailing slashes, and at most also in letter case.
    Slashes,
    /// It does not match.
    No,
}

/// How an ACL's operation compares with the request's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum OperationMatch {
    /// It is the same operation.
    Exact,
    /// It implies the requested operation (ALLOW only, D-02).
    Implied,
    /// It is `ALL`.
    All,
    /// An allow of it would imply the requested operation, but a deny applies only to its own
    /// operation (D-02).
    DenyImpliesNothing,
    /// It does not match.
    No,
}

/// The one field in which a near miss does not match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum NearMiss {
    /// The host.
    Host,
    /// The letter case of the principal.
    PrincipalLetterCase,
    /// Leading or trailing slashes of the principal.
    PrincipalSlashes,
    /// The letter case of a member of the role.
    MemberLetterCase,
    /// Leading or trailing slashes of a member of the role.
    MemberSlashes,
    /// The letter case of the resource name.
    NameLetterCase,
    /// Leading or trailing slashes of the resource name.
    NameSlashes,
}

/// The effect of a candidate on the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum CandidateStatus {
    /// It is the deciding ACL.
    Decides,
    /// It matches and has the same permission as the deciding ACL.
    Agrees,
    /// It matches and allows, but another ACL denies.
    Overridden,
    /// It matches, but ACLs were not evaluated, because the identity has expired or is a superuser.
    NotReached,
    /// It is a near miss.
    #[strum(serialize = "near_miss")]
    Near(NearMiss),
    /// It does not match.
    NoMatch,
}

/// An ACL of the identity, or a near miss, with its comparison with the request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Candidate {
    /// The ACL.
    pub acl: Arc<Acl>,
    /// The paths to its principal; empty for a near miss of the principal.
    pub paths: Arc<Vec<AccessPath>>,
    /// How its principal compares.
    pub principal: PrincipalMatch,
    /// Whether its resource type is the request's.
    pub resource_type: bool,
    /// How its resource name compares; [`NameMatch::No`] if the type differs.
    pub name: NameMatch,
    /// How its operation compares.
    pub operation: OperationMatch,
    /// How its host compares.
    pub host: HostMatch,
    /// Its effect on the decision.
    pub status: CandidateStatus,
}

impl Candidate {
    /// Whether its resource type and name match the request's, exactly or as a near miss.
    #[must_use]
    pub const fn is_on_resource(&self) -> bool {
        self.resource_type && !matches!(self.name, NameMatch::No)
    }
}

/// A decision with the reasons for it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The decision, the same as from [`super::decide`].
    pub decision: Decision,
    /// Every path from the identity to a principal, in the order of D-20.
    pub paths: Vec<AccessPath>,
    /// Every ACL of these principals and every near miss: denies before allows, then matches and
    /// near misses before others, then in the order of D-20.
    pub candidates: Vec<Candidate>,
    /// The number of candidates that are left out.
    pub omitted: usize,
    /// The number of ACLs in the policy.
    pub acls: usize,
}

impl Explanation {
    /// Keeps `limit` candidates in their order, and leaves out the rest: first those that do not
    /// match and are not on the resource, and last the deciding ACL.
    #[must_use]
    pub fn shortened(mut self, limit: usize) -> Self {
        if self.candidates.len() <= limit {
            return self;
        }
        let mut by_relevance: Vec<_> = self.candidates.iter().enumerate().collect();
        sort(
            &mut by_relevance,
            |(index, candidate), (other_index, other)| {
                let key = |candidate: &Candidate| (candidate.status, !candidate.is_on_resource());
                key(candidate).cmp(&key(other)).then(index.cmp(other_index))
            },
        );
        let mut keeps = vec![false; self.candidates.len()];
        for (index, _) in by_relevance.into_iter().take(limit) {
            if let Some(keep) = keeps.get_mut(index) {
                *keep = true;
            }
        }
        let mut keeps = keeps.into_iter();
        self.omitted += self.candidates.len() - limit;
        self.candidates.retain(|_| keeps.next().unwrap_or_default());
        self
    }
}

/// Decides and explains.
///
/// This reads every principal and every pattern of the policy, so [`super::decide`] is much faster.
/// To explain several requests of an identity, create an [`Explainer`], which reads them only once.
#[must_use]
pub fn explain(policy: &Policy, identity: &Identity, request: &Request<'_>) -> Explanation {
    Explainer::new(policy, identity).explain(request, super::decide(policy, identity, request))
}

/// Explains several requests of an identity: reads the related ACLs of a policy once.
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
    /// The ACLs of the identity's principals, and of near misses of these principals.
    related: Vec<RelatedAcl>,
    acls: usize,
    ranges_match: bool,
}

/// An ACL, and how its principal compares with the identity's.
#[derive(Debug, Clone)]
struct RelatedAcl {
    acl: Arc<Acl>,
    principal: PrincipalMatch,
    paths: Arc<Vec<AccessPath>>,
    /// The index of the first of its paths among all paths of the identity.
    path_index: usize,
}

impl Explainer {
    /// Collects the ACLs of an identity's principals and of near misses of these principals.
    #[must_use]
    pub fn new(policy: &Policy, identity: &Identity) -> Self {
        let paths = access_paths(policy, identity);
        let principals = IdentityPrincipals::new(&paths);
        let mut comparisons = Vec::new();
        let mut members = Vec::new();
        for (id, principal) in policy.principals() {
            let Some(comparison) = principals.compare(principal) else {
                continue;
            };
            if let Some((own, difference)) = &comparison.near {
                let member = || NearMember {
                    own: (*own).clone(),
                    member: principal.clone(),
                };
                members.extend(
                    policy
                        .links(id)
                        .iter()
                        .map(|role| (*role, *difference, member())),
                );
            }
            if policy.row_count(id) > 0 {
                comparisons.push((id, comparison.into_parts()));
            }
        }
        comparisons.extend(near_roles(policy, &principals, members));
        sort(&mut comparisons, |a, b| a.0.0.cmp(&b.0.0));
        let (ids, parts): (Vec<PrincipalId>, Vec<_>) = comparisons.into_iter().unzip();
        let mut related = Vec::new();
        policy.rows_of(&ids, &mut |pattern, row| {
            let index = ids.binary_search(&row.principal).ok();
            if let Some((principal, paths, path_index)) = index.and_then(|index| parts.get(index)) {
                row.acls(|operation, permission| {
                    related.push(RelatedAcl {
                        acl: Arc::new(policy.acl(pattern, row, operation, permission)),
                        principal: principal.clone(),
                        paths: Arc::clone(paths),
                        path_index: *path_index,
                    });
                });
            }
        });
        Self {
            paths,
            related,
            acls: policy.acl_count(),
            ranges_match: policy.settings().ranges_match(),
        }
    }

    /// Explains a decision on a request. Both must be for the same policy and identity as the
    /// explainer.
    #[must_use]
    pub fn explain(&self, request: &Request<'_>, decision: Decision) -> Explanation {
        let without_acls = matches!(decision.reason, Reason::Expired | Reason::Superuser);
        let mut candidates = Vec::new();
        for related in &self.related {
            let Some(mut candidate) = related.candidate(request, self.ranges_match) else {
                continue;
            };
            let precedence = related.precedence(&candidate, request, self.ranges_match);
            if precedence.is_some() {
                candidate.status = status_of_match(&candidate.acl, &decision, without_acls);
            }
            let key = (
                candidate.acl.permission,
                (
                    candidate.status == CandidateStatus::NoMatch,
                    !candidate.is_on_resource(),
                ),
                (precedence.is_none(), precedence),
                candidate.status,
                related.path_index,
            );
            candidates.push((key, candidate));
        }
        sort(
            &mut candidates,
            |(key, candidate), (other_key, other): &(_, Candidate)| {
                key.cmp(other_key)
                    .then_with(|| candidate.acl.cmp(&other.acl))
            },
        );
        let candidates = candidates
            .into_iter()
            .map(|(_, candidate)| candidate)
            .collect();
        Explanation {
            decision,
            paths: self.paths.clone(),
            candidates,
            omitted: 0,
            acls: self.acls,
        }
    }
}

impl RelatedAcl {
    /// Compares the ACL with a request; `None` if another principal's ACL is not a near miss.
    fn candidate(&self, request: &Request<'_>, ranges_match: bool) -> Option<Candidate> {
        let acl = &*self.acl;
        let resource_type = acl.resource_type == request.resource_type;
        let mut candidate = Candidate {
            acl: Arc::clone(&self.acl),
            paths: self.paths.clone(),
            principal: self.principal.clone(),
            resource_type,
            name: if resource_type {
                name_facet(acl, request.resource_name)
            } else {
                NameMatch::No
            },
            operation: operation_facet(acl, request.operation),
            host: precedence::host_match(&acl.host, request, ranges_match),
            status: CandidateStatus::NoMatch,
        };
        if let Some(near) = near_miss(&candidate) {
            candidate.status = CandidateStatus::Near(near);
        }
        let own = matches!(
            candidate.principal,
            PrincipalMatch::Matches | PrincipalMatch::Everyone
        );
        (own || candidate.status != CandidateStatus::NoMatch).then_some(candidate)
    }

    /// The precedence among matching ACLs; `None` if the ACL does not match.
    fn precedence(
        &self,
        candidate: &Candidate,
        request: &Request<'_>,
        ranges_match: bool,
    ) -> Option<Precedence> {
        let acl = &*self.acl;
        let everyone = match self.principal {
            PrincipalMatch::Matches => false,
            PrincipalMatch::Everyone => true,
            PrincipalMatch::LetterCase(_)
            | PrincipalMatch::Slashes(_)
            | PrincipalMatch::MemberLetterCase(_)
            | PrincipalMatch::MemberSlashes(_) => return None,
        };
        let pattern = match candidate.name {
            NameMatch::Literal => (0, 0),
            NameMatch::Prefixed => (1, usize::MAX - acl.resource_name.len()),
            NameMatch::AllNames => (2, 0),
            NameMatch::LetterCase | NameMatch::Slashes | NameMatch::No => return None,
        };
        let host = precedence::host_rank(&acl.host, request, acl.permission, ranges_match)?;
        let operation =
            precedence::operation_rank(acl.operation, request.operation, acl.permission)?;
        Some((self.path_index, pattern, everyone, host, operation))
    }
}

/// Every path from the identity to a principal, in the order of D-20. A role can have several
/// paths.
fn access_paths(policy: &Policy, identity: &Identity) -> Vec<AccessPath> {
    let mut paths = Vec::new();
    visit_paths(policy, identity, &mut |path| {
        let principal = match path.to {
            Target::Named(kind, name, _) => Principal::new(kind, name),
            Target::Role(id) => policy
                .principal(id)
                .cloned()
                .unwrap_or_else(|| Principal::role("")),
        };
        paths.push(AccessPath {
            source: path.source,
            group: path
                .group
                .and_then(|group| identity.groups().get(group as usize))
                .cloned(),
            role: (principal.kind() == PrincipalType::Role).then(|| principal.name().to_owned()),
            principal,
        });
    });
    paths
}

fn status_of_match(acl: &Acl, decision: &Decision, without_acls: bool) -> CandidateStatus {
    if without_acls {
        CandidateStatus::NotReached
    } else if decision.acl.as_ref() == Some(acl) {
        CandidateStatus::Decides
    } else if decision
        .acl
        .as_ref()
        .is_some_and(|deciding| deciding.permission == acl.permission)
    {
        CandidateStatus::Agrees
    } else {
        CandidateStatus::Overridden
    }
}

/// The precedence of a matching ACL in the order of D-20: by path, pattern (literal, then prefixes
/// from the longest, then `*`), whether the principal is `User:*`, host, and operation.
type Precedence = (usize, (u8, usize), bool, u8, usize);

/// The parts of a [`Comparison`] that are stored with each ACL: the facet, the paths, and the index
/// of the first path.
type ComparisonParts = (PrincipalMatch, Arc<Vec<AccessPath>>, usize);

/// The identity's principals, to compare others with.
struct IdentityPrincipals<'a> {
    /// Every path with its index, sorted by principal.
    paths: Vec<(usize, &'a AccessPath)>,
    /// The user and the groups with their folded names, sorted by these.
    folded: Vec<(Principal, &'a Principal)>,
    user: Option<&'a AccessPath>,
}

/// How a principal compares with the identity's.
struct Comparison<'a> {
    facet: PrincipalMatch,
    paths: Vec<AccessPath>,
    path_index: usize,
    /// For a near miss, the identity's principal and the difference.
    near: Option<(&'a Principal, NameDifference)>,
}

impl Comparison<'_> {
    fn into_parts(self) -> ComparisonParts {
        (self.facet, Arc::new(self.paths), self.path_index)
    }
}

impl<'a> IdentityPrincipals<'a> {
    fn new(paths: &'a [AccessPath]) -> Self {
        // Roles are left out: an identity has a role by its members' names, not by the role's own
        // name.
        let own = paths
            .iter()
            .filter(|path| path.role.is_none())
            .map(|path| &path.principal);
        let mut folded: Vec<(Principal, &Principal)> = own.map(|own| (fold(own), own)).collect();
        sort(&mut folded, |a, b| a.0.cmp(&b.0));
        let user = paths.first();
        let mut paths: Vec<(usize, &AccessPath)> = paths.iter().enumerate().collect();
        sort(&mut paths, |a, b| a.1.principal.cmp(&b.1.principal));
        Self {
            paths,
            folded,
            user,
        }
    }

    /// The paths to a principal, with their indexes.
    fn paths_to(&self, principal: &Principal) -> &[(usize, &'a AccessPath)] {
        run(&self.paths, |(_, path)| path.principal.cmp(principal))
    }

    /// Compares a principal with the identity's; `None` if it neither matches nor is a near miss.
    fn compare(&self, principal: &Principal) -> Option<Comparison<'a>> {
        let paths = self.paths_to(principal);
        if let Some((path_index, _)) = paths.first() {
            let paths = paths.iter().map(|(_, path)| (*path).clone()).collect();
            return Some(Comparison {
                facet: PrincipalMatch::Matches,
                paths,
                path_index: *path_index,
                near: None,
            });
        }
        if principal.is_everyone() {
            let paths = self.user.into_iter().cloned().collect();
            return Some(Comparison {
                facet: PrincipalMatch::Everyone,
                paths,
                path_index: 0,
                near: None,
            });
        }
        let folded = fold(principal);
        let own = run(&self.folded, |(near, _)| near.cmp(&folded)).iter();
        let near = own.filter_map(|(_, own)| {
            Some((*own, near::name_difference(own.name(), principal.name())?))
        });
        let (own, difference) = near.min_by_key(|(_, difference)| *difference)?;
        let facet = match difference {
            NameDifference::LetterCase => PrincipalMatch::LetterCase(own.clone()),
            NameDifference::Slashes | NameDifference::Both => PrincipalMatch::Slashes(own.clone()),
        };
        Some(Comparison {
            facet,
            paths: Vec::new(),
            path_index: usize::MAX,
            near: Some((own, difference)),
        })
    }
}

fn fold(principal: &Principal) -> Principal {
    Principal::new(principal.kind(), near::fold_name(principal.name()))
}

/// The roles with ACLs that the identity does not have, but one of whose members is a near miss. If
/// a role has several such members, the one with the smallest difference is used.
fn near_roles(
    policy: &Policy,
    principals: &IdentityPrincipals<'_>,
    mut members: Vec<(PrincipalId, NameDifference, NearMember)>,
) -> Vec<(PrincipalId, ComparisonParts)> {
    sort(&mut members, |a, b| {
        (a.0.0, a.1, &a.2.member).cmp(&(b.0.0, b.1, &b.2.member))
    });
    members.dedup_by(|later, first| later.0 == first.0);
    let is_new = |role: &PrincipalId| {
        policy
            .principal(*role)
            .is_some_and(|role| principals.paths_to(role).is_empty())
    };
    let near = members
        .into_iter()
        .filter(|(role, ..)| policy.row_count(*role) > 0 && is_new(role));
    near.map(|(role, difference, member)| {
        let facet = match difference {
            NameDifference::LetterCase => PrincipalMatch::MemberLetterCase(member),
            NameDifference::Slashes | NameDifference::Both => PrincipalMatch::MemberSlashes(member),
        };
        (role, (facet, Arc::default(), usize::MAX))
    })
    .collect()
}

fn name_facet(acl: &Acl, requested: &str) -> NameMatch {
    if acl.covers_name(requested) {
        return match acl.pattern_type {
            PatternType::Prefixed => NameMatch::Prefixed,
            PatternType::Literal if acl.resource_name == requested => NameMatch::Literal,
            PatternType::Literal => NameMatch::AllNames,
        };
    }
    let pattern = acl.resource_name.as_str();
    let difference = match acl.pattern_type {
        PatternType::Literal => near::name_difference(pattern, requested),
        PatternType::Prefixed => near::prefix_difference(pattern, requested),
    };
    match difference {
        Some(NameDifference::LetterCase) => NameMatch::LetterCase,
        Some(NameDifference::Slashes | NameDifference::Both) => NameMatch::Slashes,
        None => NameMatch::No,
    }
}

fn operation_facet(acl: &Acl, requested: Operation) -> OperationMatch {
    match precedence::operation_rank(acl.operation, requested, acl.permission) {
        Some(0) => OperationMatch::Exact,
        Some(usize::MAX) => OperationMatch::All,
        Some(_) => OperationMatch::Implied,
        None if precedence::operation_rank(acl.operation, requested, Permission::Allow)
            .is_some() =>
        {
            OperationMatch::DenyImpliesNothing
        }
        None => OperationMatch::No,
    }
}

/// The only difference between the ACL and the request; `None` if there is none, or more than one.
fn near_miss(candidate: &Candidate) -> Option<NearMiss> {
    let by_principal = match candidate.principal {
        PrincipalMatch::Matches | PrincipalMatch::Everyone => None,
        PrincipalMatch::LetterCase(_) => Some(NearMiss::PrincipalLetterCase),
        PrincipalMatch::Slashes(_) => Some(NearMiss::PrincipalSlashes),
        PrincipalMatch::MemberLetterCase(_) => Some(NearMiss::MemberLetterCase),
        PrincipalMatch::MemberSlashes(_) => Some(NearMiss::MemberSlashes),
    };
    let by_name = match candidate.name {
        NameMatch::Literal | NameMatch::Prefixed | NameMatch::AllNames => None,
        NameMatch::LetterCase => Some(NearMiss::NameLetterCase),
        NameMatch::Slashes => Some(NearMiss::NameSlashes),
        NameMatch::No => return None,
    };
    if matches!(
        candidate.operation,
        OperationMatch::No | OperationMatch::DenyImpliesNothing
    ) {
        return None;
    }
    let host_differs = match candidate.host {
        HostMatch::Any | HostMatch::Exact | HostMatch::InRange => false,
        HostMatch::Unknown => candidate.acl.permission == Permission::Allow,
        HostMatch::No => true,
    };
    match (
        by_principal,
        by_name,
        host_differs.then_some(NearMiss::Host),
    ) {
        (Some(only), None, None) | (None, Some(only), None) | (None, None, Some(only)) => {
            Some(only)
        }
        _ => None,
    }
}

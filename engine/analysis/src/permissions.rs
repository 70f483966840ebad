//! Effective permissions, as few patterns with the exceptions that denies make.

use super::held::{Held, Rule, hosts_of};
use super::tree::{Mark, Tree};
use crate::scope::{NamePattern, Scope};
use gbac_engine::decide::{Outcome, Request};
use gbac_engine::identity::{Expiry, Identity};
use gbac_engine::internal::sort;
use gbac_engine::model::{Host, Operation, ResourceType};
use gbac_engine::{internal::Operations, policy::Policy};

/// Everything that somebody may do.
#[derive(Debug, Clone, PartialEq)]
pub struct Permissions {
    /// A superuser may do everything, and no ACL is asked (D-14); there are no grants then.
    pub superuser: bool,
    /// By resource type, then in order of the names, the broader pattern first.
    pub grants: Vec<Grant>,
    expiry: Expiry,
}

/// Operations that are allowed on the names of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The resources' type.
    pub resource_type: ResourceType,
    /// Their names.
    pub pattern: NamePattern,
    /// The operations, implied ones too (D-02), in the order of [`Operation::ALL`]. [`Operation::All`] is among them
    /// where a request for `ALL` itself is allowed (D-27).
    pub operations: Vec<Operation>,
    /// From where; one address where no ACL for any host allows it.
    pub host: Host,
    /// What is denied of it.
    pub except: Vec<GrantException>,
}

/// Names of a grant that are denied, for all of its operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantException {
    /// The names; of the grant's own pattern when all are.
    pub pattern: NamePattern,
    /// From where. What is denied from one address is also denied to a request that does not know its own (D-04).
    pub host: Host,
}

impl Permissions {
    /// The outcome of a request: the same as the decision at the time of the request. An expired identity is denied.
    #[must_use]
    pub fn outcome(&self, request: &Request<'_>) -> Outcome {
        let host = request.host.map(|host| host.to_canonical());
        let is = |of: Host| of == Host::Any || host.is_some_and(|host| of == Host::Address(host));
        let granted = |grant: &&Grant| {
            let excepted = |except: &GrantException| {
                (is(except.host) || host.is_none()) && except.pattern.covers(request.resource_name)
            };
            grant.resource_type == request.resource_type
                && grant.operations.contains(&request.operation)
                && is(grant.host)
                && grant.pattern.covers(request.resource_name)
                && !grant.except.iter().any(excepted)
        };
        let allows = self.superuser || self.grants.iter().any(|grant| granted(&grant));
        if allows && !self.expiry.is_past(request.at) { Outcome::Allow } else { Outcome::Deny }
    }
}

/// Everything that an identity is allowed to do until it expires; [`Permissions::outcome`] checks the expiry at the time of a
/// request.
///
/// Cost: one look at each pattern of the policy, and for each host that ACLs of the identity name one at each of their
/// patterns.
///
/// ```
/// use gbac_analysis::permissions;
/// use gbac_engine::identity::Identity;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "acls": [
///     { "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "analytics-", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
///       "principal": "Group:eng", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" },
///     { "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "analytics-pay", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///       "principal": "User:*", "host": "*", "operation": "OPERATION_ALL", "permission_type": "PERMISSION_TYPE_DENY" }] }"#)?;
/// let grants = permissions(&policy, &Identity::new("alice", ["eng"])).grants;
/// assert_eq!((grants.len(), grants[0].operations.len()), (1, 2)); // read, and describe with it
/// assert_eq!(grants[0].except[0].pattern.name, "analytics-pay");
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn permissions(policy: &Policy, identity: &Identity) -> Permissions {
    of(policy, &Held::by_identity(policy, identity), identity.expiry())
}

/// Everything that a holder may do; see [`permissions`].
#[must_use]
pub fn permissions_of(policy: &Policy, scope: &Scope) -> Permissions {
    of(policy, &Held::by(policy, scope), Expiry::Never)
}

fn of(policy: &Policy, held: &Held, expiry: Expiry) -> Permissions {
    let mut grants = Vec::new();
    if !held.superuser {
        for (resource_type, rules) in held.rules(policy) {
            if !rules.is_empty() {
                collect(resource_type, &rules, &mut grants);
            }
        }
    }
    Permissions { superuser: held.superuser, grants, expiry }
}

/// What is allowed and denied at each place, by rules for one host.
struct Sums {
    host: Host,
    allow: Vec<Operations>,
    deny: Vec<Operations>,
}

impl Sums {
    fn new(tree: &Tree<'_>, rules: &[Rule<'_>], host: Host) -> Self {
        let nothing = vec![Operations::default(); tree.len()];
        let mut sums = Self { host, allow: nothing.clone(), deny: nothing };
        for (rule, at) in rules.iter().zip(tree.made_of()).filter(|(rule, _)| rule.host == host) {
            if let (Some(allow), Some(deny)) = (sums.allow.get_mut(*at), sums.deny.get_mut(*at)) {
                *allow = allow.or(rule.allow);
                *deny = deny.or(rule.deny);
            }
        }
        tree.inherit(&mut sums.allow);
        tree.inherit(&mut sums.deny);
        sums
    }
}

fn collect(resource_type: ResourceType, rules: &[Rule<'_>], grants: &mut Vec<Grant>) {
    let tree = Tree::new(rules.iter().map(|rule| rule.place));
    let any = Sums::new(&tree, rules, Host::Any);
    let hosts: Vec<Sums> =
        hosts_of(rules.iter().map(|rule| &rule.host)).into_iter().map(|host| Sums::new(&tree, rules, host)).collect();
    // From anywhere: what is allowed for any host, but for the denies, some of them for one host only.
    let allowed: Vec<Operations> = any.allow.iter().zip(&any.deny).map(|(allow, deny)| allow.without(*deny)).collect();
    let mut marks = Vec::new();
    for (host, what) in hosts.iter().zip(1..) {
        let denied: Vec<Operations> =
            allowed.iter().zip(&host.deny).map(|(allowed, deny)| allowed.and(*deny)).collect();
        for (at, here) in denied.iter().enumerate() {
            let operations = here.without(tree.above(at, &denied));
            if !operations.is_empty() {
                marks.push(Mark { at, what, operations });
            }
        }
    }
    let mut found = Vec::new();
    let mut add = |allowed: &[Operations], marks: &[Mark], host: Host| {
        for piece in tree.pieces(allowed, marks) {
            let exception = |(at, what): &(usize, u32)| GrantException {
                pattern: tree.place(*at).pattern(),
                host: (*what as usize)
                    .checked_sub(1)
                    .and_then(|host| hosts.get(host))
                    .map_or(Host::Any, |sums| sums.host),
            };
            let grant = Grant {
                resource_type,
                pattern: tree.place(piece.at).pattern(),
                operations: piece.operations.iter().collect(),
                host,
                except: piece.except.iter().map(exception).collect(),
            };
            found.push((piece.at, grant));
        }
    };
    add(&allowed, &marks, Host::Any);
    // From one address: begins where nothing else allows it, and goes on to where it is denied.
    for host in &hosts {
        let mut from = Vec::with_capacity(tree.len());
        for (at, allowed) in allowed.iter().enumerate() {
            let of = |sums: &[Operations]| sums.get(at).copied().unwrap_or_default();
            let denied = of(&any.deny).or(of(&host.deny));
            let more = of(&host.allow).without(*allowed);
            from.push(tree.above(at, &from).or(more).without(denied));
        }
        add(&from, &[], host.host);
    }
    if !hosts.is_empty() {
        sort(&mut found, |a, b| (a.0, a.1.host).cmp(&(b.0, b.1.host)));
    }
    grants.extend(found.into_iter().map(|(_, grant)| grant));
}

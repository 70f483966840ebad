//! Effective permissions as grants: patterns, with the exceptions that denies cause.

use super::held::{Held, Rule, hosts_of};
use super::tree::{Mark, Tree};
use crate::scope::{NamePattern, Scope};
use gbac_engine::decide::{Outcome, Request};
use gbac_engine::identity::{Expiry, Identity};
use gbac_engine::model::{Host, Operation, ResourceType};
use gbac_engine::order::sort;
use gbac_engine::policy::{Policy, index::Operations};

/// The permissions of an identity or a scope.
#[derive(Debug, Clone, PartialEq)]
pub struct Permissions {
    /// Whether it is a superuser, who is allowed everything without ACLs (D-14). If so, there are
    /// no grants.
    pub superuser: bool,
    /// The grants, by resource type and name, broader patterns first.
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
    /// The operations, including implied ones (D-02), in the order of [`Operation::ALL`].
    /// [`Operation::All`] is included if a request for `ALL` itself is allowed (D-27).
    pub operations: Vec<Operation>,
    /// The client's address or range, or any if an ACL for any host allows it.
    pub host: Host,
    /// The exceptions.
    pub except: Vec<GrantException>,
}

/// Names of a grant for which all of its operations are denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantException {
    /// The names; the grant's own pattern if all are denied.
    pub pattern: NamePattern,
    /// The client's address. A deny for one address also applies to requests without an address
    /// (D-04).
    pub host: Host,
}

/// Whether a host matches the client of a request; an unknown client has only rules of any host.
fn matches(host: &Host, request: &Request<'_>) -> bool {
    match request.host {
        Some(address) => host.includes(address),
        None => *host == Host::Any,
    }
}

impl Grant {
    fn allows(&self, request: &Request<'_>) -> bool {
        self.resource_type == request.resource_type
            && self.operations.contains(&request.operation)
            && matches(&self.host, request)
            && self.pattern.covers(request.resource_name)
            && !self.except.iter().any(|except| except.denies(request))
    }
}

impl GrantException {
    fn denies(&self, request: &Request<'_>) -> bool {
        (request.host.is_none() || matches(&self.host, request))
            && self.pattern.covers(request.resource_name)
    }
}

impl Permissions {
    /// The outcome of a request, equal to the engine's decision at the time of the request. An
    /// expired identity is denied.
    #[must_use]
    pub fn outcome(&self, request: &Request<'_>) -> Outcome {
        let allows = self.superuser || self.grants.iter().any(|grant| grant.allows(request));
        if allows && !self.expiry.is_past(request.at) {
            Outcome::Allow
        } else {
            Outcome::Deny
        }
    }
}

/// The permissions of an identity until it expires; [`Permissions::outcome`] checks the expiry at
/// the time of a request.
///
/// Cost: one pass over all patterns of the policy, and for each host in the identity's ACLs one
/// pass over their patterns.
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
    of_held(
        policy,
        &Held::by_identity(policy, identity),
        identity.expiry(),
    )
}

/// The permissions of a scope; see [`permissions`].
///
/// ```
/// use gbac_analysis::{Scope, permissions_of};
/// use gbac_engine::{Acl, Operation, Policy, Principal, ResourceType};
///
/// let policy = Policy::builder()
///     .role("writers", [Principal::group("eng")])
///     .acl(Acl::allow(Principal::role("writers"), Operation::Write, ResourceType::Topic, "orders"))
///     .build()?;
/// let permissions = permissions_of(&policy, &Scope::One(Principal::group("eng")));
/// assert_eq!(permissions.grants[0].pattern.name, "orders");
/// assert!(permissions_of(&policy, &Scope::Everyone).grants.is_empty());
/// # Ok::<(), gbac_engine::PolicyError>(())
/// ```
#[must_use]
pub fn permissions_of(policy: &Policy, scope: &Scope) -> Permissions {
    of_held(policy, &Held::by(policy, scope), Expiry::Never)
}

fn of_held(policy: &Policy, held: &Held, expiry: Expiry) -> Permissions {
    let mut grants = Vec::new();
    if !held.superuser {
        for (resource_type, rules) in held.rules(policy) {
            if !rules.is_empty() {
                collect(resource_type, &rules, &mut grants);
            }
        }
    }
    Permissions {
        superuser: held.superuser,
        grants,
        expiry,
    }
}

/// The operations that rules for one host allow and deny at each place.
struct Sums {
    host: Host,
    allow: Vec<Operations>,
    deny: Vec<Operations>,
}

impl Sums {
    fn new(tree: &Tree<'_>, rules: &[Rule<'_>], host: Host) -> Self {
        let nothing = vec![Operations::default(); tree.len()];
        let mut sums = Self {
            host,
            allow: nothing.clone(),
            deny: nothing,
        };
        for (rule, at) in rules.iter().zip(tree.made_of()) {
            if !rule.host.covers(&sums.host) || !sums.host.covers(&rule.host) {
                continue;
            }
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

/// A host with the operations that its rules allow and deny, and those that are granted to clients
/// there.
struct Node {
    sums: Sums,
    granted: Vec<Operations>,
}

fn collect(resource_type: ResourceType, rules: &[Rule<'_>], grants: &mut Vec<Grant>) {
    let tree = Tree::new(rules.iter().map(|rule| rule.place));
    let mut hosts = hosts_of(rules.iter().map(|rule| &rule.host));
    sort(&mut hosts, |a, b| {
        b.breadth().cmp(&a.breadth()).then(a.cmp(b))
    });
    // Different texts can denote the same range.
    let mut each = vec![Host::Any];
    for host in hosts {
        if !each
            .iter()
            .any(|known| known.covers(&host) && host.covers(known))
        {
            each.push(host);
        }
    }
    let mut nodes: Vec<Node> = Vec::with_capacity(each.len());
    for host in each {
        let sums = Sums::new(&tree, rules, host);
        let broader: Vec<&Node> = nodes
            .iter()
            .filter(|node| node.sums.host.covers(&sums.host))
            .collect();
        // A grant begins where no broader host allows the operation, and ends where it is denied.
        let mut granted = Vec::with_capacity(tree.len());
        for at in 0..tree.len() {
            let mut denied = at_place(&sums.deny, at);
            let mut known = Operations::default();
            for node in &broader {
                denied = denied.or(at_place(&node.sums.deny, at));
                known = known.or(at_place(&node.granted, at));
            }
            let more = at_place(&sums.allow, at).without(known);
            let above = if broader.is_empty() {
                Operations::default()
            } else {
                tree.above(at, &granted)
            };
            granted.push(above.or(more).without(denied));
        }
        nodes.push(Node { sums, granted });
    }
    let mut grants_by_place = Vec::new();
    for node in &nodes {
        // Denies for a narrower host become marks.
        let mut marks = Vec::new();
        for (narrower, what) in nodes.iter().zip(0..) {
            if !is_narrower(narrower, node) {
                continue;
            }
            let denied: Vec<Operations> = node
                .granted
                .iter()
                .zip(&narrower.sums.deny)
                .map(|(granted, deny)| granted.and(*deny))
                .collect();
            for (at, here) in denied.iter().enumerate() {
                let operations = here.without(tree.above(at, &denied));
                if !operations.is_empty() {
                    marks.push(Mark {
                        at,
                        what,
                        operations,
                    });
                }
            }
        }
        for piece in tree.pieces(&node.granted, &marks) {
            let mut except = Vec::with_capacity(piece.except.len());
            for (at, what) in &piece.except {
                except.push(GrantException {
                    pattern: tree.place(*at).pattern(),
                    host: match nodes.get(*what as usize) {
                        Some(node) => node.sums.host.clone(),
                        None => Host::Any,
                    },
                });
            }
            let grant = Grant {
                resource_type,
                pattern: tree.place(piece.at).pattern(),
                operations: piece.operations.iter().collect(),
                host: node.sums.host.clone(),
                except,
            };
            grants_by_place.push((piece.at, grant));
        }
    }
    if nodes.len() > 1 {
        sort(&mut grants_by_place, |a, b| {
            (a.0, &a.1.host).cmp(&(b.0, &b.1.host))
        });
    }
    grants.extend(grants_by_place.into_iter().map(|(_, grant)| grant));
}

fn at_place(operations: &[Operations], at: usize) -> Operations {
    operations.get(at).copied().unwrap_or_default()
}

fn is_narrower(node: &Node, than: &Node) -> bool {
    node.sums.host.breadth() < than.sums.host.breadth() && than.sums.host.covers(&node.sums.host)
}

//! Where a name's ACLs are: by resource type and pattern, then by principal. A cache of the policy, kept in step.

use std::collections::BTreeMap;

use crate::model::{Acl, Host, Operation, PatternType, Permission, Principal, ResourceType};

/// What an ACL says once its resource and principal are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    pub(crate) permission: Permission,
    pub(crate) host: Host,
    pub(crate) operation: Operation,
}

/// The ACLs of one pattern, by principal; the rows of a principal in no order, each once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Node {
    rows: BTreeMap<Principal, Vec<Row>>,
}

impl Node {
    /// The rows of exactly this principal.
    pub(crate) fn rows(&self, principal: &Principal) -> &[Row] {
        self.rows.get(principal).map_or(&[], Vec::as_slice)
    }
}

/// The patterns of one resource type.
#[derive(Debug, Clone, Default)]
struct Patterns {
    literal: BTreeMap<String, Node>,
    prefixed: BTreeMap<String, Node>,
    /// How many prefixes have each length, so that only lengths that exist are tried.
    prefix_lengths: Vec<usize>,
}

impl Patterns {
    fn nodes(&mut self, pattern_type: PatternType) -> &mut BTreeMap<String, Node> {
        match pattern_type {
            PatternType::Literal => &mut self.literal,
            PatternType::Prefixed => &mut self.prefixed,
        }
    }

    /// One more prefix of this length.
    fn count_prefix(&mut self, length: usize) {
        if self.prefix_lengths.len() <= length {
            self.prefix_lengths.resize(length + 1, 0);
        }
        if let Some(count) = self.prefix_lengths.get_mut(length) {
            *count += 1;
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    /// By the place of the resource type among its values.
    patterns: [Patterns; ResourceType::ALL.len()],
    /// The roles of each member, by name.
    roles_of: BTreeMap<Principal, Vec<String>>,
}

impl Index {
    /// Takes an ACL that is not there yet.
    pub(crate) fn add(&mut self, acl: &Acl) {
        let Some(patterns) = self.patterns.get_mut(acl.resource_type as usize) else { return };
        let nodes = patterns.nodes(acl.pattern_type);
        let is_new = !nodes.contains_key(&acl.resource_name);
        let node = nodes.entry(acl.resource_name.clone()).or_default();
        node.rows.entry(acl.principal.clone()).or_default().push(row(acl));
        if is_new && acl.pattern_type == PatternType::Prefixed {
            patterns.count_prefix(acl.resource_name.len());
        }
    }

    pub(crate) fn remove(&mut self, acl: &Acl) {
        let Some(patterns) = self.patterns.get_mut(acl.resource_type as usize) else { return };
        let nodes = patterns.nodes(acl.pattern_type);
        let Some(node) = nodes.get_mut(&acl.resource_name) else { return };
        if let Some(rows) = node.rows.get_mut(&acl.principal) {
            rows.retain(|found| *found != row(acl));
            if rows.is_empty() {
                node.rows.remove(&acl.principal);
            }
        }
        if node.rows.is_empty() {
            nodes.remove(&acl.resource_name);
            if acl.pattern_type == PatternType::Prefixed
                && let Some(count) = patterns.prefix_lengths.get_mut(acl.resource_name.len())
            {
                *count -= 1;
            }
        }
    }

    pub(crate) fn add_member(&mut self, role: &str, member: Principal) {
        let roles = self.roles_of.entry(member).or_default();
        if let Err(place) = roles.binary_search_by(|name| name.as_str().cmp(role)) {
            roles.insert(place, role.into());
        }
    }

    pub(crate) fn remove_member(&mut self, role: &str, member: &Principal) {
        if let Some(roles) = self.roles_of.get_mut(member) {
            roles.retain(|name| name != role);
            if roles.is_empty() {
                self.roles_of.remove(member);
            }
        }
    }

    /// The roles of a member, by name.
    pub(crate) fn roles_of(&self, member: &Principal) -> impl Iterator<Item = &str> {
        self.roles_of.get(member).into_iter().flatten().map(String::as_str)
    }

    /// The patterns that cover a name, in the order of D-20: literal name, prefixes longest first, literal `*`.
    pub(crate) fn covering<'a>(
        &'a self,
        resource_type: ResourceType,
        name: &str,
    ) -> Vec<(PatternType, &'a str, &'a Node)> {
        let Some(patterns) = self.patterns.get(resource_type as usize) else { return Vec::new() };
        let mut found = Vec::new();
        let mut look = |pattern_type, nodes: &'a BTreeMap<String, Node>, name: &str| {
            if let Some((pattern, node)) = nodes.get_key_value(name) {
                found.push((pattern_type, pattern.as_str(), node));
            }
        };
        look(PatternType::Literal, &patterns.literal, name);
        for (length, count) in patterns.prefix_lengths.iter().enumerate().take(name.len() + 1).rev() {
            if *count > 0
                && let Some(prefix) = name.get(..length)
            {
                look(PatternType::Prefixed, &patterns.prefixed, prefix);
            }
        }
        if name != "*" {
            look(PatternType::Literal, &patterns.literal, "*");
        }
        found
    }
}

const fn row(acl: &Acl) -> Row {
    Row { permission: acl.permission, host: acl.host, operation: acl.operation }
}

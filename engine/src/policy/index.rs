//! Where a name's ACLs are: by resource type and pattern, then by principal. A cache of the policy, kept in step.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Acl, Host, Operation, PatternType, Permission, Principal, ResourceType};

/// What an ACL says once its resource and principal are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    pub(crate) permission: Permission,
    pub(crate) host: Host,
    pub(crate) operation: Operation,
}

/// The ACLs of one pattern.
#[derive(Debug, Clone, Default)]
pub(crate) struct Node {
    rows: BTreeMap<Principal, BTreeSet<Row>>,
}

impl Node {
    /// The rows of exactly this principal.
    pub(crate) fn rows(&self, principal: &Principal) -> impl Iterator<Item = Row> {
        self.rows.get(principal).into_iter().flatten().copied()
    }
}

/// The patterns of one resource type.
#[derive(Debug, Clone, Default)]
struct Patterns {
    literal: BTreeMap<Box<str>, Node>,
    prefixed: BTreeMap<Box<str>, Node>,
    /// How many prefixes have each length, so that only lengths that exist are tried.
    prefix_lengths: BTreeMap<usize, usize>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    patterns: BTreeMap<ResourceType, Patterns>,
    roles_of: BTreeMap<Principal, BTreeSet<String>>,
}

impl Index {
    pub(crate) fn add(&mut self, acl: &Acl) {
        let patterns = self.patterns.entry(acl.resource_type).or_default();
        let nodes = match acl.pattern_type {
            PatternType::Literal => &mut patterns.literal,
            PatternType::Prefixed => {
                if !patterns.prefixed.contains_key(acl.resource_name.as_str()) {
                    *patterns.prefix_lengths.entry(acl.resource_name.len()).or_default() += 1;
                }
                &mut patterns.prefixed
            }
        };
        let node = nodes.entry(acl.resource_name.as_str().into()).or_default();
        node.rows.entry(acl.principal.clone()).or_default().insert(row(acl));
    }

    pub(crate) fn remove(&mut self, acl: &Acl) {
        let Some(patterns) = self.patterns.get_mut(&acl.resource_type) else { return };
        let nodes = match acl.pattern_type {
            PatternType::Literal => &mut patterns.literal,
            PatternType::Prefixed => &mut patterns.prefixed,
        };
        let name = acl.resource_name.as_str();
        let Some(node) = nodes.get_mut(name) else { return };
        if let Some(rows) = node.rows.get_mut(&acl.principal) {
            rows.remove(&row(acl));
            if rows.is_empty() {
                node.rows.remove(&acl.principal);
            }
        }
        if node.rows.is_empty() {
            nodes.remove(name);
            if acl.pattern_type == PatternType::Prefixed
                && let Some(count) = patterns.prefix_lengths.get_mut(&name.len())
            {
                *count -= 1;
                if *count == 0 {
                    patterns.prefix_lengths.remove(&name.len());
                }
            }
        }
    }

    pub(crate) fn add_member(&mut self, role: &str, member: Principal) {
        self.roles_of.entry(member).or_default().insert(role.into());
    }

    pub(crate) fn remove_member(&mut self, role: &str, member: &Principal) {
        if let Some(roles) = self.roles_of.get_mut(member) {
            roles.remove(role);
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
        let Some(patterns) = self.patterns.get(&resource_type) else { return Vec::new() };
        let mut found = Vec::new();
        if let Some((pattern, node)) = patterns.literal.get_key_value(name) {
            found.push((PatternType::Literal, &**pattern, node));
        }
        for (&length, _) in patterns.prefix_lengths.range(..=name.len()).rev() {
            if let Some(prefix) = name.get(..length)
                && let Some((pattern, node)) = patterns.prefixed.get_key_value(prefix)
            {
                found.push((PatternType::Prefixed, &**pattern, node));
            }
        }
        if name != "*"
            && let Some((pattern, node)) = patterns.literal.get_key_value("*")
        {
            found.push((PatternType::Literal, &**pattern, node));
        }
        found
    }
}

const fn row(acl: &Acl) -> Row {
    Row { permission: acl.permission, host: acl.host, operation: acl.operation }
}

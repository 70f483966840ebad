//! A denied decision as a check for the simulator.

use std::collections::BTreeSet;

use gbac_analysis::requests::{Api, Rule, catalog, find};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Operation, ResourceType};

use super::{EventKind, EventRow};
use crate::simulator::inputs::{IdentityMode, Inputs};
use crate::simulator::link::check_link;
use crate::simulator::question::AccessRequest;

/// How the engine's decision about an expired identity is described.
const EXPIRED: &str = "identity expired";

/// A decision as a check that the simulator can evaluate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulatedCheck {
    /// The user.
    pub user: String,
    /// The groups: those of the sign-in before the decision, if it is among the events, and the one
    /// that decided.
    pub groups: Vec<String>,
    /// The request.
    pub access: AccessRequest,
}

impl SimulatedCheck {
    /// The address that opens the check in the simulator.
    pub fn address(&self) -> String {
        let identity = Identity::new(&self.user, &self.groups);
        check_link(&identity, &self.access, &[])
    }

    /// The same as inputs of the simulator.
    pub fn inputs(&self) -> Inputs {
        let (user, groups) = (self.user.clone(), self.groups.join("\n"));
        let mut inputs = Inputs {
            mode: IdentityMode::ByHand,
            user,
            groups,
            ..Inputs::default()
        };
        self.access.fill(&mut inputs);
        inputs
    }
}

/// The check of a denied decision. `rows` begin with it and go back in time.
pub(super) fn check(row: &EventRow, rows: &[EventRow]) -> Option<SimulatedCheck> {
    // An identity that expired is denied whatever its request is.
    let is_denied =
        row.event.kind == EventKind::Decision && !row.event.is_allowed && row.event.why != EXPIRED;
    let (kind, name) = row.event.resource.as_ref().filter(|_| is_denied)?;
    let resource_type: ResourceType = kind.parse().ok()?;
    let groups = groups(row, rows);
    // A group is a line of its field.
    if row.event.user.is_empty() || groups.iter().any(|name| name.contains(['\n', '\r'])) {
        return None;
    }
    let access = AccessRequest {
        operation: operation(row, resource_type)?,
        resource_type,
        resource_name: name.clone(),
        host: row.event.from.parse().ok(),
    };
    Some(SimulatedCheck {
        user: row.event.user.clone(),
        groups,
        access,
    })
}

/// The groups of the last sign-in of the user before a decision, with those that decided.
fn groups(row: &EventRow, rows: &[EventRow]) -> Vec<String> {
    let is_own = |other: &&EventRow| {
        other.event.kind == EventKind::SignIn
            && other.event.is_allowed
            && !other.event.is_sign_out
            && other.event.user == row.event.user
    };
    let signed_in = rows
        .iter()
        .filter(is_own)
        .find(|other| other.event.since_ms <= row.event.at_ms);
    let mut groups = signed_in
        .map(|sign_in| sign_in.event.groups.clone())
        .unwrap_or_default();
    groups.extend(
        row.event
            .groups
            .iter()
            .filter(|group| !signed_in.is_some_and(|of| of.event.groups.contains(group)))
            .cloned(),
    );
    groups
}

/// The operation that was checked: events name it, or the API request that needs it.
fn operation(row: &EventRow, resource_type: ResourceType) -> Option<Operation> {
    if let Ok(operation) = row.event.what.parse() {
        return Some(operation);
    }
    let mut needed = BTreeSet::new();
    for spec in catalog()
        .iter()
        .filter(|spec| spec.audit_operation() == row.event.what)
    {
        operations(&spec.rule, resource_type, &mut needed);
    }
    let of_acl = row
        .event
        .matched
        .as_ref()
        .and_then(|acl| acl.operation.parse::<Operation>().ok());
    let only = needed.first().copied().filter(|_| needed.len() == 1);
    of_acl
        .filter(|operation| needed.contains(operation))
        .or(only)
}

/// The operations on a type of resource that a request can need.
fn operations(rule: &Rule, resource_type: ResourceType, needed: &mut BTreeSet<Operation>) {
    match rule {
        Rule::Each(operation, kind)
        | Rule::OneOf(operation, kind)
        | Rule::AnyOf(operation, kind) => {
            needed.extend((*kind == resource_type).then_some(*operation));
        }
        Rule::All(rules) | Rule::Any(rules) => rules
            .iter()
            .for_each(|rule| operations(rule, resource_type, needed)),
        Rule::IfNamed(_, then, other) => {
            operations(then, resource_type, needed);
            operations(other, resource_type, needed);
        }
        Rule::AsKafka(ids) => {
            for spec in ids.iter().filter_map(|id| find(Api::Kafka, id)) {
                operations(&spec.rule, resource_type, needed);
            }
        }
    }
}

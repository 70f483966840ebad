//! The measured calls of the engine's API. No other file uses it.

use gbac_analysis::{Diff, Finding, Permissions, WhoCan, diff, lint, permissions, who_can};
use gbac_engine::decide::{At, Decision, Outcome, PreparedIdentity, PreparedResource, Request};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Operation, ResourceType};
use gbac_engine::policy::{Change, Policy};
use gbac_json::{acl_from_value, policy_from_json};

use crate::Result;
use crate::document::Acl;
use crate::files::RecordedQuery;
use crate::workload::Who;

/// A loaded policy.
#[derive(Clone)]
pub struct Engine(Policy);

/// An identity that is prepared for many checks.
pub struct Opened(PreparedIdentity);

/// A query in the engine's types.
pub struct Question {
    operation: Operation,
    resource_type: ResourceType,
    name: String,
}

/// A resource that was looked up in advance.
pub struct Hot(PreparedResource);

/// One ACL to add or remove.
#[derive(Clone)]
pub struct Entry(gbac_engine::model::Acl);

impl Engine {
    /// Loads a policy document.
    ///
    /// # Errors
    /// The errors of the engine.
    pub fn load(text: &str) -> Result<Self> {
        policy_from_json(text)
            .map(Self)
            .map_err(|problems| problems.to_string().into())
    }

    /// Opens an identity.
    #[must_use]
    pub fn open(&self, who: &Who) -> Opened {
        let identity = Identity::new(who.user.as_str(), who.groups.iter().map(String::as_str));
        Opened(PreparedIdentity::new(&self.0, identity))
    }

    /// Looks up the resource of a query.
    #[must_use]
    pub fn resource(&self, question: &Question) -> Hot {
        Hot(PreparedResource::new(
            &self.0,
            question.resource_type,
            &question.name,
        ))
    }

    /// The permissions of an identity.
    #[must_use]
    pub fn permissions(&self, who: &Who) -> Permissions {
        permissions(
            &self.0,
            &Identity::new(who.user.as_str(), who.groups.iter().map(String::as_str)),
        )
    }

    /// The principals that can perform an operation.
    #[must_use]
    pub fn who_can(&self, question: &Question) -> WhoCan {
        who_can(
            &self.0,
            &Request::new(
                question.operation,
                question.resource_type,
                &question.name,
                At::IgnoringExpiry,
            ),
        )
    }

    /// Adds an ACL; returns whether it is new.
    ///
    /// # Errors
    /// The errors of the engine.
    pub fn add(&mut self, entry: Entry) -> Result<bool> {
        Ok(self.0.apply(Change::AddAcl(entry.0))?)
    }

    /// Removes an ACL; returns whether it existed.
    ///
    /// # Errors
    /// The errors of the engine.
    pub fn remove(&mut self, entry: Entry) -> Result<bool> {
        Ok(self.0.apply(Change::RemoveAcl(entry.0))?)
    }
}

/// The differences between two policies.
#[must_use]
pub fn differences(before: &Engine, after: &Engine) -> Diff {
    diff(&before.0, &after.0)
}

/// The findings of a policy.
#[must_use]
pub fn findings(engine: &Engine) -> Vec<Finding> {
    lint(&engine.0)
}

impl Opened {
    /// Only the decision: whether it is allowed.
    #[must_use]
    pub fn allows(&mut self, engine: &Engine, question: &Question) -> bool {
        let Question {
            operation,
            resource_type,
            name,
        } = question;
        self.0.outcome(
            &engine.0,
            &Request::new(*operation, *resource_type, name, At::IgnoringExpiry),
        ) == Outcome::Allow
    }

    /// Only the decision, for a resource that was looked up in advance.
    #[must_use]
    pub fn allows_on(&mut self, engine: &Engine, question: &Question, resource: &Hot) -> bool {
        self.0.outcome_on(
            &engine.0,
            question.operation,
            &resource.0,
            None,
            At::IgnoringExpiry,
        ) == Outcome::Allow
    }

    /// The decision with its provenance.
    #[must_use]
    pub fn decide(&mut self, engine: &Engine, question: &Question) -> Decision {
        let Question {
            operation,
            resource_type,
            name,
        } = question;
        self.0.decide(
            &engine.0,
            &Request::new(*operation, *resource_type, name, At::IgnoringExpiry),
        )
    }
}

impl Question {
    /// Converts a query of the workload.
    ///
    /// # Errors
    /// An unknown spelling.
    pub fn new(query: &RecordedQuery) -> Result<Self> {
        Ok(Self {
            operation: query
                .operation
                .parse::<Operation>()
                .ok()
                .ok_or_else(|| unknown(&query.operation))?,
            resource_type: query
                .resource_type
                .parse::<ResourceType>()
                .ok()
                .ok_or_else(|| unknown(&query.resource_type))?,
            name: query.name.clone(),
        })
    }
}

impl Entry {
    /// Converts an ACL of the workload.
    ///
    /// # Errors
    /// The errors of the engine.
    pub fn new(acl: &Acl) -> Result<Self> {
        acl_from_value(&serde_json::to_value(acl)?)
            .map(Self)
            .map_err(|problems| problems.to_string().into())
    }
}

fn unknown(spelling: &str) -> String {
    format!("the engine does not know `{spelling}`")
}

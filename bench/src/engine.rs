//! The engine's doors as the measurements use them; the only file here that knows the engine's API.

use gbac_analysis::{Diff, Finding, Permissions, WhoCan, diff, lint, permissions, who_can};
use gbac_engine::decide::{At, Decision, Outcome, PreparedIdentity, PreparedResource, Request};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Operation, ResourceType};
use gbac_engine::policy::{Change, Policy};
use gbac_json::{acl_from_value, policy_from_json};

use crate::Result;
use crate::document::Acl;
use crate::files::Asked;
use crate::workload::Who;

/// A policy, loaded.
#[derive(Clone)]
pub struct Engine(Policy);

/// An identity, opened for many questions.
pub struct Opened(PreparedIdentity);

/// A question in the engine's own words.
pub struct Question {
    operation: Operation,
    resource_type: ResourceType,
    name: String,
}

/// A resource that was found before.
pub struct Hot(PreparedResource);

/// One ACL to add or remove.
#[derive(Clone)]
pub struct Entry(gbac_engine::model::Acl);

impl Engine {
    /// Loads a policy document.
    ///
    /// # Errors
    /// What the engine finds wrong with it.
    pub fn load(text: &str) -> Result<Self> {
        policy_from_json(text).map(Self).map_err(|problems| problems.to_string().into())
    }

    /// Opens an identity.
    #[must_use]
    pub fn open(&self, who: &Who) -> Opened {
        let identity = Identity::new(who.user.as_str(), who.groups.iter().map(String::as_str));
        Opened(PreparedIdentity::new(&self.0, identity))
    }

    /// Finds the resource of a question.
    #[must_use]
    pub fn resource(&self, question: &Question) -> Hot {
        Hot(PreparedResource::new(&self.0, question.resource_type, &question.name))
    }

    /// Everything that somebody may do.
    #[must_use]
    pub fn permissions(&self, who: &Who) -> Permissions {
        permissions(&self.0, &Identity::new(who.user.as_str(), who.groups.iter().map(String::as_str)))
    }

    /// Everyone who may do something.
    #[must_use]
    pub fn who_can(&self, question: &Question) -> WhoCan {
        who_can(&self.0, &Request::new(question.operation, question.resource_type, &question.name, At::IgnoringExpiry))
    }

    /// Adds an ACL; whether it is new.
    ///
    /// # Errors
    /// What the engine says.
    pub fn add(&mut self, entry: Entry) -> Result<bool> {
        Ok(self.0.apply(Change::AddAcl(entry.0))?)
    }

    /// Removes an ACL; whether it was there.
    ///
    /// # Errors
    /// What the engine says.
    pub fn remove(&mut self, entry: Entry) -> Result<bool> {
        Ok(self.0.apply(Change::RemoveAcl(entry.0))?)
    }
}

/// What two policies decide differently.
#[must_use]
pub fn differences(before: &Engine, after: &Engine) -> Diff {
    diff(&before.0, &after.0)
}

/// What is odd about a policy.
#[must_use]
pub fn findings(engine: &Engine) -> Vec<Finding> {
    lint(&engine.0)
}

impl Opened {
    /// The decision only: whether it is allowed.
    #[must_use]
    pub fn allows(&mut self, engine: &Engine, question: &Question) -> bool {
        let Question { operation, resource_type, name } = question;
        self.0.outcome(&engine.0, &Request::new(*operation, *resource_type, name, At::IgnoringExpiry)) == Outcome::Allow
    }

    /// The decision only, on a resource that was found before.
    #[must_use]
    pub fn allows_on(&mut self, engine: &Engine, question: &Question, resource: &Hot) -> bool {
        self.0.outcome_on(&engine.0, question.operation, &resource.0, None, At::IgnoringExpiry) == Outcome::Allow
    }

    /// The decision with its provenance.
    #[must_use]
    pub fn decide(&mut self, engine: &Engine, question: &Question) -> Decision {
        let Question { operation, resource_type, name } = question;
        self.0.decide(&engine.0, &Request::new(*operation, *resource_type, name, At::IgnoringExpiry))
    }
}

impl Question {
    /// Translates a question of the workload.
    ///
    /// # Errors
    /// A spelling that the engine does not know.
    pub fn new(asked: &Asked) -> Result<Self> {
        Ok(Self {
            operation: asked.operation.parse::<Operation>().ok().ok_or_else(|| unknown(&asked.operation))?,
            resource_type: asked
                .resource_type
                .parse::<ResourceType>()
                .ok()
                .ok_or_else(|| unknown(&asked.resource_type))?,
            name: asked.name.clone(),
        })
    }
}

impl Entry {
    /// Translates an ACL of the workload.
    ///
    /// # Errors
    /// What the engine finds wrong with it.
    pub fn new(acl: &Acl) -> Result<Self> {
        acl_from_value(&serde_json::to_value(acl)?).map(Self).map_err(|problems| problems.to_string().into())
    }
}

fn unknown(spelling: &str) -> String {
    format!("the engine does not know `{spelling}`")
}

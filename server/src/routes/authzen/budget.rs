//! The limits of what one request can ask for.

use gbac_analysis::check::{Check, Query};
use gbac_analysis::requests::expand;
use gbac_api::problem::{DocumentFault, RpcCode};
use gbac_engine::decide::Outcome;
use gbac_engine::identity::Identity;
use gbac_engine::policy::Policy;

use crate::http::problem::Problem;

/// The maximum number of decisions of a request; an API request takes one for each resource.
const MAX_DECISIONS: usize = 10_000;
/// The maximum number of decisions times groups of their subjects: all decisions about a subject
/// with 200 groups. A decision about any resource of a type counts as one for each ACL.
const MAX_WORK: usize = 200 * MAX_DECISIONS;
/// The maximum size in bytes of names and reasons in the responses and events of a request.
const MAX_BYTES: usize = 16 << 20;

/// The remaining limits of a request.
pub(super) struct Budget {
    decisions: usize,
    work: usize,
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            decisions: MAX_DECISIONS,
            work: MAX_WORK,
            bytes: MAX_BYTES,
        }
    }
}

fn too_many(reason: &str) -> Problem {
    let message = format!("{reason}; send fewer questions in a request");
    Problem::with_status(
        400,
        RpcCode::ResourceExhausted,
        "too_many_decisions",
        message,
    )
}

impl Budget {
    /// Uses up the budget for decisions with names of this size. `work` is the number of decisions
    /// times the groups of their subjects.
    fn spend(&mut self, decisions: usize, work: usize, bytes: usize) -> Result<(), Problem> {
        let Some(decisions_left) = self.decisions.checked_sub(decisions) else {
            let reason = format!("the request needs more than {MAX_DECISIONS} decisions");
            return Err(too_many(&reason));
        };
        self.decisions = decisions_left;
        let Some(work_left) = self.work.checked_sub(work) else {
            let reason = format!(
                "the number of decisions times the groups of their subjects is more than {MAX_WORK}"
            );
            return Err(too_many(&reason));
        };
        self.work = work_left;
        let Some(bytes_left) = self.bytes.checked_sub(bytes) else {
            let reason = format!("the names in the answers are longer than {MAX_BYTES} bytes");
            return Err(too_many(&reason));
        };
        self.bytes = bytes_left;
        Ok(())
    }

    pub(super) fn spend_check(
        &mut self,
        policy: &Policy,
        subject: &Identity,
        check: &Check,
    ) -> Result<(), Problem> {
        let (mut decisions, mut bytes) = (1_usize, subject.user().len());
        let mut work_on_any = 0;
        match &check.query {
            Query::Access { resource_name, .. } => bytes += resource_name.len(),
            Query::Api {
                api,
                name,
                resources,
            } => {
                // The API request was validated when the question was parsed.
                let need = expand(api, name, resources)
                    .map_err(|error| Problem::new(RpcCode::Internal, error.to_string()))?;
                decisions = 0;
                let _ = need.outcome(|needed| {
                    decisions += 1;
                    match &needed.resource_name {
                        Some(name) => bytes += subject.user().len() + name.len(),
                        // One such check is always within the limit.
                        None => work_on_any = policy.acls().len().min(MAX_WORK / 2),
                    }
                    Outcome::Allow
                });
            }
        }
        let decisions = decisions.max(1);
        let work = decisions.saturating_mul(subject.groups().len()) + work_on_any;
        self.spend(decisions, work, bytes)
    }

    pub(super) fn spend_faults(&mut self, faults: &[DocumentFault]) -> Result<(), Problem> {
        let mut bytes = 0;
        for fault in faults {
            bytes += fault.message.len() + fault.path.len();
        }
        self.spend(faults.len(), 0, bytes)
    }

    /// Uses up the budget for a rejected subject: the response has the names and the reason.
    pub(super) fn spend_rejected(&mut self, reason: &str, check: &Check) -> Result<(), Problem> {
        let (mut count, mut bytes) = (0, 0);
        match &check.query {
            Query::Access { resource_name, .. } => bytes = resource_name.len(),
            Query::Api { resources, .. } => {
                for name in resources.iter().flat_map(|(_, names)| names) {
                    count += 1;
                    bytes += name.len();
                }
            }
        }
        self.spend(count.max(1), 0, bytes + 2 * reason.len())
    }
}

//! A question about a policy whose answer can be written as a change: that of `least-grant` and of
//! `revoke`.

use std::path::PathBuf;

use clap::Args;
use gbac_analysis::check::{Answer, Check, evaluate};
use gbac_engine::ResolvedIdentity;
use gbac_engine::decide::{At, Request};
use gbac_engine::policy::Policy;

use super::policy_source::{self, LoadedPolicy, PolicySourceArgs, PolicyState};
use super::question::{self, PrincipalArgs, QueryArgs, SignIn, SubjectArgs};
use crate::output::Failure;
use crate::process::Process;

#[derive(Debug, Args)]
pub(crate) struct PolicyQueryArgs {
    #[command(flatten)]
    pub(crate) policy: PolicySourceArgs,
    #[command(flatten)]
    pub(crate) principal: PrincipalArgs,
    #[command(flatten)]
    pub(crate) subject: SubjectArgs,
    #[command(flatten)]
    pub(crate) query: QueryArgs,
    /// Also write the change to this file, for `gbac policy apply`.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// A query about a policy document, with its result.
pub(crate) struct EvaluatedQuery {
    pub(crate) policy: Policy,
    pub(crate) state: Option<PolicyState>,
    pub(crate) opened: ResolvedIdentity,
    check: Check,
    answer: Answer,
    at: At,
}

impl EvaluatedQuery {
    /// Reads the inputs of the flags, and evaluates the query.
    pub(crate) fn evaluate(process: &Process, args: &PolicyQueryArgs) -> Result<Self, Failure> {
        let LoadedPolicy { policy, state, .. } = policy_source::load(process, &args.policy)?;
        let (verifier, at) = question::verifier(process, &args.subject)?;
        let sign_in = SignIn::new(verifier.as_ref(), state.as_ref());
        let has_keys = sign_in.has_keys();
        let who =
            question::subject_or_principal(process, &args.principal, &args.subject, has_keys)?;
        let check = question::check_by(who, &args.query)?;
        let opened = sign_in.accepted(&policy, &check.subject)?;
        let answer = evaluate(&policy, &opened.identity, &check, at)?;
        Ok(Self {
            policy,
            state,
            opened,
            check,
            answer,
            at,
        })
    }

    /// The access requests of the check: one, or all that an API request requires.
    pub(crate) fn requests(&self) -> Result<Vec<Request<'_>>, Failure> {
        self.check.requests(&self.answer, self.at).ok_or_else(|| {
            Failure::usage(
                "--request: any one of several permissions allows this request; name one with --operation and a resource",
            )
        })
    }
}

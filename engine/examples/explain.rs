//! Explains a denied request: every ACL that matched, and those that nearly did.

use gbac_engine::Coded;
use gbac_engine::{
    Acl, At, CandidateStatus, Identity, Operation, Policy, PolicyError, Principal, Request,
    ResourceType, explain,
};

fn main() -> Result<(), PolicyError> {
    let policy = Policy::builder()
        .acl(Acl::allow(
            Principal::group("Payments"),
            Operation::Write,
            ResourceType::Topic,
            "payments",
        ))
        .build()?;
    // The group's name differs in letter case only.
    let alice = Identity::new("alice", ["payments"]);
    let request = Request::new(
        Operation::Write,
        ResourceType::Topic,
        "payments",
        At::IgnoringExpiry,
    );

    let explanation = explain(&policy, &alice, &request);
    println!(
        "{}: {}",
        explanation.decision.outcome.code(),
        explanation.decision.reason.code()
    );
    for candidate in &explanation.candidates {
        let near = match candidate.status {
            CandidateStatus::Near(near_miss) => near_miss.code(),
            _ => "",
        };
        println!(
            "{} for {}: {} {near}",
            candidate.acl.operation.spelling().cli,
            candidate.acl.principal,
            candidate.status.code()
        );
    }
    Ok(())
}

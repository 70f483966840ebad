//! Decides one request and a whole list of topics for a user with groups.

use gbac_engine::Coded;
use gbac_engine::{
    Acl, At, Identity, Operation, Policy, PolicyError, PreparedIdentity, Principal, Request,
    ResourceType, decide,
};

fn main() -> Result<(), PolicyError> {
    let policy = Policy::builder()
        .role("order-readers", [Principal::group("analysts")])
        .acl(
            Acl::allow(
                Principal::role("order-readers"),
                Operation::Read,
                ResourceType::Topic,
                "orders-",
            )
            .prefixed(),
        )
        .acl(Acl::deny(
            Principal::user("*"),
            Operation::Read,
            ResourceType::Topic,
            "orders-secret",
        ))
        .build()?;
    let alice = Identity::new("alice", ["analysts"]);
    let now = At::seconds(1_800_000_000.0);

    let request = Request::new(Operation::Read, ResourceType::Topic, "orders-eu", now);
    let decision = decide(&policy, &alice, &request);
    println!(
        "read on orders-eu: {} ({})",
        decision.outcome.code(),
        decision.reason.code()
    );

    let mut alice = PreparedIdentity::new(&policy, alice);
    let topics = ["orders-eu", "orders-secret", "payments"];
    let readable = alice.filter(
        &policy,
        Operation::Read,
        ResourceType::Topic,
        topics,
        None,
        now,
    );
    println!("alice reads {readable:?}");
    Ok(())
}

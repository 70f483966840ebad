//! Verifies a token against a key set and decides a request of the user in it: `verify_token
//! JWKS_FILE TOKEN_FILE SECONDS`.

use std::error::Error;
use std::fs;

use gbac_engine::Coded;
use gbac_engine::{
    Acl, At, KeySet, Operation, Policy, Principal, Request, ResolveError, ResourceType, Subject,
    Validation, decide, resolve, verify,
};

fn main() -> Result<(), Box<dyn Error>> {
    let [jwks, token, seconds] = std::env::args()
        .skip(1)
        .collect::<Vec<_>>()
        .try_into()
        .map_err(|_| "three arguments")?;
    let keys = KeySet::parse(&fs::read_to_string(jwks)?)?;
    let now: f64 = seconds.parse()?;
    let validation = Validation {
        issuer: Some("https://idp.example"),
        audience: Some("orders"),
        now: now.into(),
    };

    // The engine calls this for a `Subject::Token`, and for nothing else.
    let verifier = |token: &str| match verify::verify(token, &keys, validation) {
        Ok(verified) => Ok(verified.claims),
        Err(error) => Err(ResolveError::Refused(error.code(), error.to_string())),
    };
    let policy = Policy::builder()
        .acl(Acl::allow(
            Principal::group("analysts"),
            Operation::Read,
            ResourceType::Topic,
            "orders",
        ))
        .build()?;
    let subject = Subject::Token {
        token: fs::read_to_string(token)?.trim().to_owned(),
        userinfo: None,
    };
    let resolved = resolve(&policy, &subject, Some(&verifier))?;

    let request = Request::new(
        Operation::Read,
        ResourceType::Topic,
        "orders",
        At::seconds(now),
    );
    let decision = decide(&policy, &resolved.identity, &request);
    println!(
        "{} may read orders: {}",
        resolved.identity.user(),
        decision.outcome.code()
    );
    Ok(())
}

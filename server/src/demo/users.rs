//! The three users of the demo: a comma-separated claim, path-style names that collide, and a group
//! overage.

use serde_json::{Map, Value, json};

/// A user for whom the provider signs tokens.
pub(super) struct DemoUser {
    /// A stable ID.
    pub(super) id: &'static str,
    /// The full name.
    pub(super) name: &'static str,
    /// What is special about the token.
    pub(super) note: &'static str,
    /// The `typ` of the token's header.
    pub(super) typ: &'static str,
    /// The claims besides issuer, audience and times.
    pub(super) claims: fn() -> Map<String, Value>,
}

/// The users.
pub(super) const ALL: &[DemoUser] = &[
    DemoUser {
        id: "comma-separated",
        name: "Maya Okafor",
        note: "groups is one string: names separated by commas, with blanks and an empty part",
        typ: "JWT",
        claims: || {
            object(json!({
                "sub": "maya.okafor",
                "azp": "kafka-cli",
                "scope": "openid groups",
                "email": "maya.okafor@example.com",
                "groups": "engineering, analytics ,  ",
            }))
        },
    },
    DemoUser {
        id: "path-names",
        name: "Jonas Lindqvist",
        note: "group names are paths; under suffix, two of them become one principal",
        typ: "at+jwt",
        claims: || {
            object(json!({
                "sub": "jonas.lindqvist",
                "azp": "payments-console",
                "client_id": "payments-console",
                "scope": "openid profile groups",
                "preferred_username": "jonas.lindqvist",
                "groups": ["/eng/payments", "/contractors/payments", "/eng/platform/on-call"],
                "realm_access": { "roles": ["offline_access", "payments-ops"] },
            }))
        },
    },
    DemoUser {
        id: "overage",
        name: "Priya Raman",
        note: "member of more than 200 groups: the token has a link in place of the list",
        typ: "JWT",
        claims: || {
            object(json!({
                "sub": "priya.raman",
                "azp": "3c1f0a52-7d0e-4c1b-9a57-5f5f6f2f9b0d",
                "oid": "8b1e6d3c-2f4a-4f0e-b7a5-0c9d1e2f3a4b",
                "tid": "5d4c3b2a-1f0e-4d3c-8b7a-6f5e4d3c2b1a",
                "scp": "access",
                "ver": "2.0",
                "_claim_names": { "groups": "src1" },
                "_claim_sources": { "src1": {
                    "endpoint":
                        "https://directory.example.com/users/8b1e6d3c-2f4a-4f0e-b7a5-0c9d1e2f3a4b/getMemberObjects",
                } },
            }))
        },
    },
];

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

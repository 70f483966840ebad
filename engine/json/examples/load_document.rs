//! Loads a policy document and answers a check, both as JSON.

use std::error::Error;

use gbac_analysis::check::answer;
use gbac_engine::At;
use gbac_json::{AnswerJson, check_from_json, policy_from_json};

const POLICY: &str = r#"{
  "version": 1,
  "acls": [{
    "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
    "principal": "Group:analysts", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW"
  }]
}"#;

const CHECK: &str = r#"{
  "identity": { "user": "alice", "groups": ["analysts"] },
  "operation": "read", "resource_type": "topic", "resource_name": "orders-eu"
}"#;

fn main() -> Result<(), Box<dyn Error>> {
    // The error lists all problems of the document, each with its location.
    let policy = policy_from_json(POLICY)?;
    let check = check_from_json(CHECK)?;
    let answer = answer(&policy, &check, None, At::seconds(1_800_000_000.0))?;
    println!(
        "{}",
        serde_json::to_string_pretty(&AnswerJson::from(&answer))?
    );
    Ok(())
}

//! The test of a connection: each request with its response and advice.

use gbac_api::problem::Refusal;
use gbac_api::target::TargetAnswer;
use serde_json::Value;

use crate::connection::Connection;
use crate::failure::Failure;

/// One request of a test, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeStep {
    /// The item that was requested, such as `Roles`.
    pub what: &'static str,
    /// The request, such as `GET /v1/acls`, as the cluster gets it.
    pub request: String,
    /// What it has, such as `14 roles`, or why there is nothing.
    pub outcome: Result<String, Failure>,
}

/// The code of a refused sign-in to this service, on the way to another cluster.
const OWN_SIGN_IN: &str = "own_sign_in";

/// The failure of a sign-in to this service, on the way to another cluster: a refusal of the
/// cluster has another remedy.
pub fn own_sign_in(failure: Failure) -> Failure {
    match failure {
        Failure::Refused(refusal) if refusal.status == 401 => Failure::Refused(Refusal {
            code: OWN_SIGN_IN.into(),
            ..refusal
        })
        .in_part("the sign-in to this service"),
        failure => failure,
    }
}

/// What to do about a failure, as a sentence.
pub fn advice(failure: &Failure, connection: &Connection) -> &'static str {
    let is_cloud = matches!(connection, Connection::Cloud { .. });
    match failure {
        Failure::NoAnswer(_) => "Can't reach the service. Check that gbac serve is running.",
        Failure::Unreadable(_) => {
            "The response is not from a cluster API. Check the address that the service was started with."
        }
        Failure::Refused(refusal) if refusal.code == OWN_SIGN_IN => {
            "Sign in to this service again."
        }
        Failure::Refused(refusal) => match refusal.status {
            400 => "The response says what is wrong.",
            401 if is_cloud => {
                "The access token has expired or has another audience. Get a new one."
            }
            401 => "The user name or password is wrong.",
            403 if is_cloud => {
                "The token has no permission for this. Use the token of a cluster admin."
            }
            403 => "The user is not a superuser.",
            404 if is_cloud => "This token can't access a cluster with this ID. Check both.",
            404 => "The cluster does not have this API. Check its version and the API's address.",
            429 => "Too many attempts. Wait a minute.",
            502 => {
                "The service can't reach the cluster. Check the --upstream address, DNS and firewalls."
            }
            504 => "The cluster did not respond in time. Check the cluster and firewalls.",
            500.. => "The cluster reported an internal error. Check its log.",
            _ => "See the response.",
        },
    }
}

/// The name and the type of a cluster, from the Control Plane, for display.
pub fn cluster_words(answer: &Value) -> String {
    let text = |name: &str| {
        answer
            .pointer(&format!("/cluster/{name}"))
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let parts = [text("name").to_owned(), type_of(answer).unwrap_or_default()];
    let words: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    if words.is_empty() {
        "available".into()
    } else {
        words.join(", ")
    }
}

/// The version of a cluster, and what it does not have with what follows, for display.
pub fn features_words(answer: &TargetAnswer) -> String {
    let version = answer.target.version.clone();
    let gaps = answer
        .gaps
        .iter()
        .map(|gap| format!("{}: {}", gap.missing, gap.consequence));
    let parts: Vec<String> = version.into_iter().chain(gaps).collect();
    if parts.is_empty() {
        "nothing is known to be missing".into()
    } else {
        parts.join("; ")
    }
}

/// The type of the cluster, if clusters of this type have no groups.
pub fn without_groups(answer: &Value) -> Option<String> {
    type_of(answer).filter(|kind| kind.contains("serverless"))
}

/// The type of a cluster as a word: `byoc`, `dedicated`, `serverless`.
fn type_of(answer: &Value) -> Option<String> {
    let read = |name| answer.pointer(name).and_then(Value::as_str);
    let kind = read("/cluster/type").or_else(|| read("/cluster/cluster_type"))?;
    Some(
        kind.trim_start_matches("CLUSTER_")
            .trim_start_matches("TYPE_")
            .to_lowercase(),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_kind_without_groups_is_named() {
        let answer = json!({ "cluster": { "name": "dev", "type": "TYPE_SERVERLESS", "dataplane_api": "https://x" } });
        assert_eq!(without_groups(&answer).as_deref(), Some("serverless"));
        assert_eq!(cluster_words(&answer), "dev, serverless");
        let answer = json!({ "cluster": { "type": "TYPE_BYOC" } });
        assert_eq!(
            (without_groups(&answer), cluster_words(&answer).as_str()),
            (None, "byoc")
        );
        let answer = json!({ "cluster": { "dataplane_api": "https://x" } });
        assert_eq!(
            (without_groups(&answer), cluster_words(&answer).as_str()),
            (None, "available")
        );
    }

    #[test]
    fn features_are_the_version_and_what_is_missing() {
        use gbac_api::target::{ApiPresence, TargetReport};
        let words = |report: TargetReport| features_words(&report.into());
        assert_eq!(
            words(TargetReport::default()),
            "nothing is known to be missing"
        );
        let version = Some("v26.2.2".to_owned());
        assert_eq!(
            words(TargetReport {
                version: version.clone(),
                ..TargetReport::default()
            }),
            "v26.2.2"
        );
        let without = TargetReport {
            version,
            registry_acls: ApiPresence::Absent,
            ..TargetReport::default()
        };
        assert!(words(without).starts_with("v26.2.2; the Schema Registry has no ACLs: "));
    }

    #[test]
    fn each_status_has_its_advice() {
        let refused = |status| {
            Failure::Refused(Refusal {
                status,
                code: String::new(),
                message: "no".into(),
                fields: Vec::new(),
            })
        };
        let cloud = Connection::Cloud {
            cluster: "c".into(),
        };
        assert!(advice(&refused(401), &Connection::SelfManaged).contains("password"));
        assert!(advice(&refused(401), &cloud).contains("token"));
        let own = own_sign_in(refused(401));
        assert_eq!(advice(&own, &cloud), "Sign in to this service again.");
        assert_eq!(own.to_string(), "the sign-in to this service: no");
        assert_eq!(own_sign_in(refused(502)), refused(502));
        assert!(advice(&refused(502), &cloud).contains("--upstream"));
        assert!(advice(&Failure::NoAnswer(String::new()), &cloud).contains("gbac serve"));
    }
}

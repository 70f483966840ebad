//! Converts an evaluation to a check of the engine; errors name the field of the evaluation.

use gbac_analysis::audit::is_compact_jws;
use gbac_analysis::check::{Check, Query};
use gbac_analysis::requests::{Api, RequestFault, expand, is_implied, kind_name};
use gbac_engine::escape::escaped;
use gbac_engine::model::{CLUSTER_NAME, Dialect, ResourceType};
use gbac_engine::{Coded, Subject};
use gbac_json::{Problems, access_check, check_from_value, named_subject, pointer_part};
use serde_json::{Map, Value, json};

use super::{Parts, fault};
use crate::paging::quoted;
use crate::problem::DocumentFault;

impl Parts<'_> {
    /// The subject, parsed by the engine's reader.
    ///
    /// # Errors
    /// All errors of the subject at once, each with a JSON Pointer into the evaluation.
    pub fn parse_subject(&self) -> Result<Subject, Vec<DocumentFault>> {
        let mut faults = Vec::new();
        let subject = self.read_subject(&mut faults);
        match subject {
            Some(subject) if faults.is_empty() => subject.map_err(|problems| place_all(&problems)),
            _ => Err(faults),
        }
    }

    /// The check without the subject, so that its size does not depend on the subject.
    ///
    /// # Errors
    /// All errors of the other parts at once, each with a JSON Pointer into the evaluation.
    pub fn parse_check(&self) -> Result<Check, Vec<DocumentFault>> {
        let mut faults = Vec::new();
        let resource = object(self.resource, "/resource", &mut faults);
        let kind = text(resource, "/resource", "type", &mut faults);
        let id = text(resource, "/resource", "id", &mut faults);
        let action = object(self.action, "/action", &mut faults);
        let name = text(action, "/action", "name", &mut faults);
        let mut request = None;
        if let (Some(name), Some(kind), Some(id)) = (name, kind, id) {
            no_tokens([id], "/resource/id", &mut faults);
            if let Some((api, name)) = name.split_once(':') {
                let more = action.and_then(|action| action.get("properties")?.get("resources"));
                request = Some(of_request(api, name, kind, id, more, &mut faults));
            }
        }
        let host = match self.context {
            None => None,
            Some(Value::Object(context)) => context.get("host").filter(|host| !host.is_null()),
            Some(_) => {
                faults.push(fault("/context", "wrong_type", "expected an object".into()));
                None
            }
        };
        let (true, Some(name), Some(kind), Some(id)) = (faults.is_empty(), name, kind, id) else {
            return Err(faults);
        };
        let check = match request {
            None => access_check(name, kind, id, host),
            Some(request) => {
                // The subject is parsed separately.
                let check = match host {
                    Some(host) => {
                        json!({ "identity": { "user": "" }, "request": request, "host": host })
                    }
                    None => json!({ "identity": { "user": "" }, "request": request }),
                };
                check_from_value(&check)
            }
        };
        let check = check.map_err(|problems| place_all(&problems))?;
        if let Query::Api {
            api,
            name,
            resources,
        } = &check.query
            && let Err(error) = expand(api, name, resources)
        {
            return Err(error.faults().iter().map(request_fault).collect());
        }
        Ok(check)
    }

    fn read_subject(&self, faults: &mut Vec<DocumentFault>) -> Option<Result<Subject, Problems>> {
        let subject = object(self.subject, "/subject", faults);
        let kind = text(subject, "/subject", "type", faults);
        let id = text(subject, "/subject", "id", faults);
        let (subject, kind, id) = (subject?, kind?, id?);
        match kind {
            "user" => {
                no_tokens([id], "/subject/id", faults);
                let groups = match subject.get("properties") {
                    None => None,
                    Some(Value::Object(properties)) => properties.get("groups"),
                    Some(_) => {
                        faults.push(fault(
                            "/subject/properties",
                            "wrong_type",
                            "expected an object".into(),
                        ));
                        None
                    }
                };
                no_tokens(
                    groups.into_iter().flat_map(texts),
                    "/subject/properties/groups",
                    faults,
                );
                Some(named_subject(id, groups))
            }
            "token" => Some(Ok(Subject::Token {
                token: id.into(),
                userinfo: None,
            })),
            other => {
                let message = format!(
                    "`{}` is not a type of subject; write `user` with a name, or `token` with a compact JWS",
                    escaped(other)
                );
                faults.push(fault("/subject/type", "unknown_value", message));
                None
            }
        }
    }
}

/// The problems of a check, with the fields of the evaluation.
fn place_all(problems: &Problems) -> Vec<DocumentFault> {
    let mut faults = Vec::new();
    for problem in &problems.0 {
        let path = place(&problem.path);
        faults.push(fault(&path, problem.code.as_str(), problem.message.clone()));
    }
    faults
}

/// The error of an API request, with its place in the evaluation.
fn request_fault(found: &RequestFault) -> DocumentFault {
    let path = match found.path().split_once('.') {
        Some((_, kind)) => format!("{RESOURCES}/{}", pointer_part(kind)),
        None => place(&format!("/request/{}", found.path())),
    };
    fault(&path, found.code(), format!("{found}; {}", found.hint()))
}

/// An API request: its resource, and its resources of other types.
fn of_request(
    api: &str,
    name: &str,
    kind: &str,
    id: &str,
    more: Option<&Value>,
    faults: &mut Vec<DocumentFault>,
) -> Value {
    let mut resources = Map::new();
    match kind.parse::<ResourceType>().ok() {
        // Requests do not name the cluster, because there is only one. Another cluster is an error.
        Some(ResourceType::Cluster) if !["", CLUSTER_NAME].contains(&id) => {
            let message = format!(
                "`{}` is not this cluster; write `{CLUSTER_NAME}`",
                escaped(id)
            );
            faults.push(fault("/resource/id", "cluster_name", message));
        }
        Some(kind) if is_implied(kind) => {}
        Some(kind) => {
            resources.insert(kind_name(kind).into(), json!([id]));
        }
        None => {
            let kinds = Dialect::Platform.resource_types().iter();
            let message = format!(
                "`{}` is not a type of resource; write {}",
                escaped(kind),
                quoted(kinds.map(|kind| kind_name(*kind)))
            );
            faults.push(fault("/resource/type", "unknown_value", message));
        }
    }
    match more {
        None => {}
        Some(Value::Object(more)) => {
            for (kind, names) in more {
                no_tokens(texts(names), RESOURCES, faults);
                let named = resources.entry(kind.clone()).or_insert_with(|| json!([]));
                match (named, names) {
                    (Value::Array(named), Value::Array(names)) => {
                        named.extend(names.iter().cloned());
                    }
                    (named, names) => *named = names.clone(),
                }
            }
        }
        Some(_) => faults.push(fault(
            RESOURCES,
            "wrong_type",
            "expected an object of arrays".into(),
        )),
    }
    if Api::from_name(api).is_none() {
        let message = format!(
            "`{}` is not an API; requests begin with {}",
            escaped(api),
            quoted(Api::ALL.iter().map(|api| format!("{}:", api.code())))
        );
        faults.push(fault("/action/name", "unknown_api", message));
    }
    json!({ "api": api, "name": name, "resources": resources })
}

/// Refuses a token in place of a name, because names are in the audit log and in responses.
fn no_tokens<'v>(
    names: impl IntoIterator<Item = &'v str>,
    at: &str,
    faults: &mut Vec<DocumentFault>,
) {
    if names.into_iter().any(is_compact_jws) {
        let message =
            "a token is not allowed in place of a name; send it in a subject of type `token`";
        faults.push(fault(at, "token_as_name", message.into()));
    }
}

/// The strings of an array.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

const RESOURCES: &str = "/action/properties/resources";

/// Converts the path of a member of a check to that of the evaluation.
fn place(path: &str) -> String {
    const PLACES: [(&str, &str); 9] = [
        ("/identity/user", "/subject/id"),
        ("/identity/groups", "/subject/properties/groups"),
        ("/token", "/subject/id"),
        ("/operation", "/action/name"),
        ("/resource_type", "/resource/type"),
        ("/resource_name", "/resource/id"),
        ("/request/name", "/action/name"),
        ("/request/resources", RESOURCES),
        ("/host", "/context/host"),
    ];
    for (from, to) in PLACES {
        if let Some(rest) = path.strip_prefix(from) {
            return format!("{to}{rest}");
        }
    }
    path.to_owned()
}

fn object<'v>(
    value: Option<&'v Value>,
    at: &str,
    faults: &mut Vec<DocumentFault>,
) -> Option<&'v Map<String, Value>> {
    match value {
        Some(Value::Object(members)) => return Some(members),
        Some(_) => faults.push(fault(at, "wrong_type", "expected an object".into())),
        None => faults.push(fault(
            at,
            "missing_member",
            format!("`{}` is missing", at.trim_start_matches('/')),
        )),
    }
    None
}

fn text<'v>(
    members: Option<&'v Map<String, Value>>,
    at: &str,
    name: &str,
    faults: &mut Vec<DocumentFault>,
) -> Option<&'v str> {
    match members?.get(name) {
        Some(Value::String(text)) => return Some(text),
        Some(_) => faults.push(fault(
            &format!("{at}/{name}"),
            "wrong_type",
            "expected a string".into(),
        )),
        None => faults.push(fault(
            &format!("{at}/{name}"),
            "missing_member",
            format!("`{name}` is missing"),
        )),
    }
    None
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::Operation;

    use super::*;
    use crate::authzen::Evaluation;

    fn question(value: Value) -> Result<Check, Vec<(String, String)>> {
        let Value::Object(mut members) = value else {
            unreachable!("every question is an object")
        };
        let evaluation = Evaluation::take(&mut members);
        let (who, asks) = (
            evaluation.parts().parse_subject(),
            evaluation.parts().parse_check(),
        );
        let read = match (who, asks) {
            (Ok(who), Ok(asks)) => Ok(Check {
                subject: who,
                ..asks
            }),
            (who, asks) => Err([who.err(), asks.err()].into_iter().flatten().flatten()),
        };
        read.map_err(|faults| faults.map(|fault| (fault.path, fault.code)).collect())
    }

    #[test]
    fn a_question_is_a_check() {
        let check = question(json!({
            "subject": { "type": "user", "id": "alice", "properties": { "groups": ["a", "b"], "department": 7 } },
            "action": { "name": "describe-configs", "properties": { "method": "GET" } },
            "resource": { "type": "RESOURCE_TYPE_TOPIC", "id": "x" },
            "context": { "host": "10.0.0.7", "time": "now" }, "more": 1,
        }))
        .unwrap();
        assert_eq!(
            check.subject,
            Subject::Names {
                user: "alice".into(),
                groups: vec!["a".into(), "b".into()]
            }
        );
        assert_eq!(check.host, Some("10.0.0.7".parse().unwrap()));
        assert!(matches!(
            check.query,
            Query::Access {
                operation: Operation::DescribeConfigs,
                ..
            }
        ));
    }

    #[test]
    fn a_request_names_its_resources() {
        let ask = |resource: Value, name: &str| {
            let subject = json!({ "type": "token", "id": "x" });
            let resources = json!({ "transactional_id": ["t"], "topic": ["y"] });
            let properties = if name.ends_with("Produce") {
                json!({ "resources": resources })
            } else {
                json!({})
            };
            let action = json!({ "name": name, "properties": properties });
            question(json!({ "subject": subject, "action": action, "resource": resource }))
        };
        let check = ask(json!({ "type": "topic", "id": "x" }), "kafka:Produce").unwrap();
        let Query::Api {
            api,
            name,
            resources,
        } = check.query
        else {
            panic!("a request")
        };
        assert_eq!((api.as_str(), name.as_str()), ("kafka", "Produce"));
        assert_eq!(resources.get("topic").unwrap(), ["x", "y"]);
        assert_eq!(resources.get("transactional_id").unwrap(), ["t"]);
        let check = ask(
            json!({ "type": "cluster", "id": "kafka-cluster" }),
            "kafka:CreateAcls",
        )
        .unwrap();
        let Query::Api { resources, .. } = check.query else {
            panic!("a request")
        };
        assert_eq!(resources.get("cluster"), None, "there is only one");
        assert!(ask(json!({ "type": "cluster", "id": "" }), "kafka:CreateAcls").is_ok());
        let other = ask(
            json!({ "type": "cluster", "id": "another" }),
            "kafka:CreateAcls",
        )
        .unwrap_err();
        assert_eq!(
            other,
            [("/resource/id".to_owned(), "cluster_name".to_owned())]
        );
        for (resource, name, path, code) in [
            ("topic", "kafka:Peek", "/action/name", "unknown_request"),
            (
                "group",
                "kafka:Fetch",
                "/action/properties/resources/group",
                "resource_unsupported",
            ),
        ] {
            let faults = ask(json!({ "type": resource, "id": "x" }), name).unwrap_err();
            assert_eq!(faults[0], (path.to_owned(), code.to_owned()), "{name}");
        }
    }

    #[test]
    fn a_token_is_no_name() {
        let token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln";
        let ask = |subject: Value, action: Value, id: &str| {
            question(
                json!({ "subject": subject, "action": action, "resource": { "type": "topic", "id": id } }),
            )
        };
        let alice = json!({ "type": "user", "id": "alice" });
        for (asked, path) in [
            (
                ask(
                    json!({ "type": "user", "id": token }),
                    json!({ "name": "read" }),
                    "x",
                ),
                "/subject/id",
            ),
            (
                ask(
                    json!({ "type": "user", "id": "a", "properties": { "groups": ["a", token] } }),
                    json!({ "name": "read" }),
                    "x",
                ),
                "/subject/properties/groups",
            ),
            (
                ask(alice.clone(), json!({ "name": "read" }), token),
                "/resource/id",
            ),
            (
                ask(
                    alice.clone(),
                    json!({ "name": "kafka:Produce", "properties": { "resources": { "topic": [token] } } }),
                    "x",
                ),
                "/action/properties/resources",
            ),
        ] {
            assert_eq!(
                asked.unwrap_err(),
                [(path.to_owned(), "token_as_name".to_owned())]
            );
        }
        assert!(
            ask(
                json!({ "type": "token", "id": token }),
                json!({ "name": "read" }),
                "x"
            )
            .is_ok()
        );
        assert!(
            ask(alice, json!({ "name": "read" }), "a.b.c").is_ok(),
            "dots alone are no token"
        );
    }

    #[test]
    fn all_errors_name_their_fields() {
        let faults = |value| question(value).unwrap_err();
        let pairs = |list: &[(&str, &str)]| {
            list.iter()
                .map(|(path, code)| ((*path).to_owned(), (*code).to_owned()))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            faults(json!({})),
            pairs(&[
                ("/subject", "missing_member"),
                ("/resource", "missing_member"),
                ("/action", "missing_member")
            ])
        );
        assert_eq!(
            faults(
                json!({ "subject": { "type": "robot", "id": "x" }, "action": { "name": 7 }, "resource": [],
                "context": "x" })
            ),
            pairs(&[
                ("/subject/type", "unknown_value"),
                ("/resource", "wrong_type"),
                ("/action/name", "wrong_type"),
                ("/context", "wrong_type"),
            ])
        );
        assert_eq!(
            faults(
                json!({ "subject": { "type": "user", "id": "x", "properties": { "groups": ["a", 7] } },
                "action": { "name": "peek" }, "resource": { "type": "table", "id": "x" },
                "context": { "host": "10.0.0.0/8" } })
            ),
            pairs(&[
                ("/subject/properties/groups/1", "wrong_type"),
                ("/action/name", "unknown_value"),
                ("/resource/type", "unknown_value"),
                ("/context/host", "host_invalid"),
            ])
        );
        assert_eq!(
            faults(
                json!({ "subject": { "type": "user", "id": "x" }, "action": { "name": "smtp:Send" },
                "resource": { "type": "table", "id": "x" } })
            ),
            pairs(&[
                ("/resource/type", "unknown_value"),
                ("/action/name", "unknown_api")
            ])
        );
    }
}

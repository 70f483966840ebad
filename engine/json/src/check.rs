//! Reads and writes checks.

use std::net::IpAddr;

use serde_json::{Map, Value, json};

use super::acl;
use super::reader::{self, Fields, Place, Problems};
use super::tables::ProblemCode;
use gbac_analysis::check::{Check, Query};
use gbac_analysis::requests::ResourceNames;
use gbac_engine::decide::{At, Request};
use gbac_engine::escape::escaped;
use gbac_engine::identity::Identity;
use gbac_engine::model::{Dialect, Host, Operation, PrincipalType, ResourceType};
use gbac_engine::{ClaimSet, Subject};

/// Reads a check: a subject and a request, as a JSON object.
///
/// # Errors
/// All problems at once.
///
/// ```
/// use gbac_json::check_from_json;
/// let check = check_from_json(r#"{ "identity": { "user": "alice", "groups": ["engineering"] },
///     "operation": "OPERATION_READ", "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "events" }"#)?;
/// assert!(check.host.is_none());
/// # Ok::<(), gbac_json::Problems>(())
/// ```
pub fn check_from_json(text: &str) -> Result<Check, Problems> {
    check_from_value(&reader::parse(text)?)
}

/// Reads a check from a JSON value.
///
/// # Errors
/// All problems at once.
pub fn check_from_value(value: &Value) -> Result<Check, Problems> {
    let mut problems = Problems::default();
    let check = read(value, &Place::Root, &mut problems);
    problems.or(check)
}

/// Reads a subject with names from separate arguments. The locations of problems are those in a
/// check.
///
/// # Errors
/// All problems at once.
pub fn named_subject(user: &str, groups: Option<&Value>) -> Result<Subject, Problems> {
    let mut problems = Problems::default();
    let at = Place::Member(&Place::Root, "identity");
    read_user(user, &at, &mut problems);
    let at_groups = Place::Member(&at, "groups");
    let groups = groups.map_or(&[][..], |groups| {
        reader::array(groups, &at_groups, &mut problems)
    });
    let groups = read_groups(groups, &at_groups, &mut problems);
    problems.or(Some(Subject::Names {
        user: user.into(),
        groups,
    }))
}

/// Reads a check of one operation on one resource from separate arguments, with an empty subject.
/// The locations of problems are those in a check.
///
/// # Errors
/// All problems at once.
pub fn access_check(
    operation: &str,
    resource_type: &str,
    resource_name: &str,
    host: Option<&Value>,
) -> Result<Check, Problems> {
    let (mut problems, at) = (Problems::default(), &Place::Root);
    let operation = read_operation(operation, at, &mut problems);
    let resource_type = read_resource_type(resource_type, at, &mut problems);
    let at_host = Place::Member(at, "host");
    let host = host.and_then(|host| reader::string(host, &at_host, &mut problems));
    let host = host.and_then(|host| read_host(host, &at_host, &mut problems));
    let check = match (operation, resource_type) {
        (Some(operation), Some(resource_type)) => Some(Check {
            id: None,
            subject: Subject::Names {
                user: String::new(),
                groups: Vec::new(),
            },
            query: Query::Access {
                operation,
                resource_type,
                resource_name: resource_name.into(),
            },
            host,
            at: None,
        }),
        _ => None,
    };
    problems.or(check)
}

/// Writes a request of an identity as a check that [`check_from_value`] can read. The check does
/// not contain the time.
///
/// ```
/// use gbac_engine::decide::{At, Request};
/// use gbac_engine::identity::Identity;
/// use gbac_engine::model::{Operation, ResourceType};
/// use gbac_json::{check_from_value, check_to_value};
///
/// let request = Request::new(Operation::Read, ResourceType::Topic, "events", At::IgnoringExpiry);
/// let check = check_to_value(&Identity::new("alice", ["engineering"]), &request);
/// assert_eq!(check["operation"], "OPERATION_READ");
/// assert!(check_from_value(&check).is_ok());
/// ```
#[must_use]
pub fn check_to_value(identity: &Identity, request: &Request<'_>) -> Value {
    let who = match identity.principal_type() {
        PrincipalType::Other => {
            json!({ "principal": identity.user(), "groups": identity.groups() })
        }
        _ => json!({ "user": identity.user(), "groups": identity.groups() }),
    };
    let mut check = json!({
        "identity": who,
        "operation": request.operation.spelling().data_plane,
        "resource_type": request.resource_type.spelling().data_plane,
        "resource_name": request.resource_name,
    });
    if let (Some(host), Value::Object(members)) = (request.host, &mut check) {
        members.insert("host".into(), host.to_string().into());
    }
    check
}

/// Reads a check without a subject, and adds the given one.
///
/// # Errors
/// All problems at once. A subject in the text is also a problem.
pub fn query_from_json(text: &str, subject: Subject) -> Result<Check, Problems> {
    let value = reader::parse(text)?;
    let mut problems = Problems::default();
    let check = Fields::from_value(&value, &Place::Root, &mut problems)
        .and_then(|fields| read_query_of(fields, Some(subject), &Place::Root, &mut problems));
    problems.or(check)
}

pub(super) fn subject_from_value(value: &Value) -> Result<Subject, Problems> {
    let mut problems = Problems::default();
    let subject = Fields::from_value(value, &Place::Root, &mut problems).and_then(|mut fields| {
        let subject = read_subject(&mut fields, &Place::Root, &mut problems);
        fields.finish(&Place::Root, &mut problems);
        subject
    });
    problems.or(subject)
}

pub(super) fn read(value: &Value, at: &Place<'_>, problems: &mut Problems) -> Option<Check> {
    let mut fields = Fields::from_value(value, at, problems)?;
    let subject = read_subject(&mut fields, at, problems);
    read_query_of(fields, subject, at, problems)
}

/// Reads the members of a check other than the subject.
fn read_query_of(
    mut fields: Fields<'_>,
    subject: Option<Subject>,
    at: &Place<'_>,
    problems: &mut Problems,
) -> Option<Check> {
    let id = fields.optional("id").map(Value::to_string);
    let query = read_query(&mut fields, at, problems);
    let host = fields.optional_string("host", at, problems);
    let host = host.and_then(|text| read_host(text, &Place::Member(at, "host"), problems));
    let instant = read_instant(&mut fields, at, problems);
    fields.finish(at, problems);
    Some(Check {
        id,
        subject: subject?,
        query: query?,
        host,
        at: instant,
    })
}

fn read_host(text: &str, at: &Place<'_>, problems: &mut Problems) -> Option<IpAddr> {
    match Host::parse_address(text) {
        Ok(host) => Some(host),
        Err(error) => {
            problems.refused(at, &error, error.hint());
            None
        }
    }
}

/// Reads the time of a check: `now`, `"ignore_expiry": true`, or `None`.
fn read_instant(fields: &mut Fields<'_>, at: &Place<'_>, problems: &mut Problems) -> Option<At> {
    let mut now = None;
    if let Some(value) = fields.optional("now") {
        let place = Place::Member(at, "now");
        match value.as_f64().map(At::from_seconds) {
            Some(Ok(instant)) => now = Some(instant),
            Some(Err(error)) => problems.refused(&place, &error, error.hint()),
            None => problems.expected(&place, "seconds since 1970", value),
        }
    }
    let place = Place::Member(at, "ignore_expiry");
    let ignores = match fields.optional("ignore_expiry") {
        Some(Value::Bool(ignores)) => *ignores,
        Some(value) => {
            problems.expected(&place, "true or false", value);
            false
        }
        None => false,
    };
    if ignores && now.is_some() {
        let message = "`now` cannot be combined with `ignore_expiry`; remove one of them";
        problems.push(&place, ProblemCode::ExclusiveMembers, message);
    }
    match now {
        None if ignores => Some(At::IgnoringExpiry),
        now => now,
    }
}

fn read_subject(
    fields: &mut Fields<'_>,
    at: &Place<'_>,
    problems: &mut Problems,
) -> Option<Subject> {
    let identity = fields.optional("identity");
    let claims = fields.optional("claims");
    let unverified = fields.optional("unverified_token");
    let token = fields.optional("token");
    let userinfo = fields
        .optional("userinfo")
        .and_then(|value| object(value, &Place::Member(at, "userinfo"), problems).cloned())
        .map(ClaimSet::from);
    let forms = [identity, claims, unverified, token]
        .iter()
        .flatten()
        .count();
    if forms != 1 {
        let problem = if forms == 0 {
            "there is none"
        } else {
            "there is more than one"
        };
        problems.push(
            at,
            ProblemCode::OneIdentityRequired,
            format!("name the user in one of `identity`, `claims`, `unverified_token` and `token`; {problem}"),
        );
        return None;
    }
    if let Some(value) = identity {
        let place = Place::Member(at, "identity");
        let mut fields = Fields::from_value(value, &place, problems)?;
        let principal = match fields.optional_string("principal", &place, problems) {
            Some(text) => {
                acl::principal(text, None, &Place::Member(&place, "principal"), problems).map(Some)
            }
            None => Some(None),
        };
        let user = if matches!(principal, Some(None)) {
            fields.string("user", &place, problems)
        } else {
            // One of the two, so that nobody is named twice.
            None
        };
        if let Some(user) = user {
            read_user(user, &place, problems);
        }
        let groups = fields.array("groups", &place, problems);
        let names = read_groups(groups, &Place::Member(&place, "groups"), problems);
        fields.finish(&place, problems);
        if userinfo.is_some() {
            problems.push(
                at,
                ProblemCode::UserinfoUnused,
                "`userinfo` can be combined with claims or a token, but not with `identity`",
            );
        }
        return match principal? {
            Some(principal) => Some(Subject::Principal {
                principal,
                groups: names,
            }),
            None => Some(Subject::Names {
                user: user?.into(),
                groups: names,
            }),
        };
    }
    if let Some(value) = claims {
        let claims = object(value, &Place::Member(at, "claims"), problems)?.clone();
        return Some(Subject::Claims {
            claims: claims.into(),
            userinfo,
        });
    }
    if let Some(value) = unverified {
        let token = reader::string(value, &Place::Member(at, "unverified_token"), problems)?.into();
        return Some(Subject::UnverifiedToken { token, userinfo });
    }
    let token = reader::string(token?, &Place::Member(at, "token"), problems)?.into();
    Some(Subject::Token { token, userinfo })
}

/// Checks that a user name has no type.
fn read_user(user: &str, at: &Place<'_>, problems: &mut Problems) {
    bare(
        PrincipalType::User,
        user,
        &Place::Member(at, "user"),
        problems,
    );
}

fn read_groups(groups: &[Value], at: &Place<'_>, problems: &mut Problems) -> Vec<String> {
    for (index, name) in groups.iter().enumerate() {
        if let Value::String(name) = name {
            bare(
                PrincipalType::Group,
                name,
                &Place::Element(at, index),
                problems,
            );
        }
    }
    reader::strings(groups, at, problems)
}

/// Checks that a name has no type.
pub(super) fn bare(kind: PrincipalType, name: &str, at: &Place<'_>, problems: &mut Problems) {
    if let Err(error) = kind.check_bare(name) {
        problems.refused(at, &error, &error.hint());
    }
}

fn object<'v>(
    value: &'v Value,
    at: &Place<'_>,
    problems: &mut Problems,
) -> Option<&'v Map<String, Value>> {
    if let Value::Object(members) = value {
        return Some(members);
    }
    problems.expected(at, "an object", value);
    None
}

fn read_query(fields: &mut Fields<'_>, at: &Place<'_>, problems: &mut Problems) -> Option<Query> {
    if let Some(request) = fields.optional("request") {
        for name in ["operation", "resource_type", "resource_name"] {
            if fields.optional(name).is_some() {
                problems.push(
                    &Place::Member(at, name),
                    ProblemCode::ExclusiveMembers,
                    format!("`request` cannot be combined with `{name}`; remove one of them"),
                );
            }
        }
        return read_request(request, &Place::Member(at, "request"), problems);
    }
    let operation = fields.string("operation", at, problems);
    let operation = operation.and_then(|text| read_operation(text, at, problems));
    let resource_type = fields.string("resource_type", at, problems);
    let resource_type = resource_type.and_then(|text| read_resource_type(text, at, problems));
    let resource_name = match resource_type {
        // The cluster and the registry as a whole need no name.
        Some(ResourceType::Cluster | ResourceType::Registry) => Some(
            fields
                .optional_string("resource_name", at, problems)
                .unwrap_or_default(),
        ),
        _ => fields.string("resource_name", at, problems),
    };
    Some(Query::Access {
        operation: operation?,
        resource_type: resource_type?,
        resource_name: resource_name?.into(),
    })
}

fn read_request(value: &Value, at: &Place<'_>, problems: &mut Problems) -> Option<Query> {
    let mut fields = Fields::from_value(value, at, problems)?;
    let api = fields.string("api", at, problems);
    let name = fields.string("name", at, problems);
    let mut resources = ResourceNames::default();
    if let Some(value) = fields.optional("resources") {
        let place = Place::Member(at, "resources");
        for (kind, names) in object(value, &place, problems).into_iter().flatten() {
            let place = Place::Member(&place, kind);
            let Value::Array(names) = names else {
                problems.expected(&place, "an array of names", names);
                continue;
            };
            resources.insert(kind.as_str(), reader::strings(names, &place, problems));
        }
    }
    fields.finish(at, problems);
    Some(Query::Api {
        api: api?.into(),
        name: name?.into(),
        resources,
    })
}

fn read_operation(text: &str, at: &Place<'_>, problems: &mut Problems) -> Option<Operation> {
    if let Ok(value) = text.parse() {
        return Some(value);
    }
    let known = Dialect::Platform.operations().iter();
    let known: Vec<&str> = known.map(|value| value.spelling().data_plane).collect();
    unknown_value(text, &known, &Place::Member(at, "operation"), problems);
    None
}

fn read_resource_type(text: &str, at: &Place<'_>, problems: &mut Problems) -> Option<ResourceType> {
    if let Ok(value) = text.parse() {
        return Some(value);
    }
    let known = Dialect::Platform.resource_types().iter();
    let known: Vec<&str> = known.map(|value| value.spelling().data_plane).collect();
    unknown_value(text, &known, &Place::Member(at, "resource_type"), problems);
    None
}

fn unknown_value(text: &str, values: &[&str], at: &Place<'_>, problems: &mut Problems) {
    let (text, values) = (escaped(text), values.join(", "));
    problems.push(
        at,
        ProblemCode::UnknownValue,
        format!(
            "`{text}` is not a value of `{}`; the values are {values}",
            at.name()
        ),
    );
}

//! The Data Plane API: its calls over REST with `snake_case`, and the same calls over Connect in
//! JSON with `lowerCamelCase`.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::fields::{
    Fault, Filter, OPERATIONS, PATTERN_TYPES, PERMISSIONS, RESOURCE_TYPES, camel, renamed, snake,
    text,
};
use super::state::{Binding, ClusterState, check, is_role_name};
use super::wire::{HttpAnswer, HttpRequest};
use super::{Caller, PlatformOptions};

struct Call<'a> {
    options: &'a PlatformOptions,
    state: &'a mut ClusterState,
    message: Value,
}

pub(super) fn answer(
    options: &PlatformOptions,
    state: &mut ClusterState,
    caller: Caller,
    request: &HttpRequest,
) -> HttpAnswer {
    let segments: Vec<&str> = request.segments.iter().map(String::as_str).collect();
    if let [service, method] = segments[..]
        && let Some(service) = service.strip_prefix("redpanda.api.dataplane.v1.")
    {
        if request.method != "POST" {
            return HttpAnswer::empty(405);
        }
        let done = authorized(caller, method).and_then(|()| {
            let message = serde_json::from_str(&request.body).map_err(|_| {
                Fault::new("INVALID_ARGUMENT", "", "unmarshal message: syntax error")
            })?;
            Call {
                options,
                state,
                message: renamed(&message, &snake),
            }
            .make(service, method)
        });
        return match done {
            Ok(value) => HttpAnswer::json(200, &renamed(&value, &camel)),
            Err(fault) => fault.connect(),
        };
    }
    let (service, method, status) = match (request.method.as_str(), &segments[..]) {
        ("GET", ["v1", "acls"]) => ("ACLService", "ListACLs", 200),
        ("POST", ["v1", "acls"]) => ("ACLService", "CreateACL", 201),
        ("DELETE", ["v1", "acls"]) => ("ACLService", "DeleteACLs", 200),
        ("GET", ["v1", "roles"]) => ("SecurityService", "ListRoles", 200),
        ("POST", ["v1", "roles"]) => ("SecurityService", "CreateRole", 201),
        ("GET", ["v1", "roles", _]) => ("SecurityService", "GetRole", 200),
        ("PUT", ["v1", "roles", _]) => ("SecurityService", "UpdateRoleMembership", 200),
        ("DELETE", ["v1", "roles", _]) => ("SecurityService", "DeleteRole", 204),
        ("GET", ["v1", "roles", _, "members"]) => ("SecurityService", "ListRoleMembers", 200),
        _ => return Fault::new("NOT_FOUND", "REASON_RESOURCE_NOT_FOUND", "Not Found").rest(),
    };
    let done = authorized(caller, method).and_then(|()| {
        let mut message = rest_message(request)?;
        if method == "CreateRole" {
            message = json!({ "role": message });
        }
        if let ["v1", "roles", name, ..] = segments[..] {
            message["role_name"] = json!(name);
        }
        Call {
            options,
            state,
            message,
        }
        .make(service, method)
    });
    match done {
        Ok(_) if status == 204 => HttpAnswer::empty(204),
        Ok(value) => HttpAnswer::json(status, &value),
        Err(fault) => fault.rest(),
    }
}

fn authorized(caller: Caller, method: &str) -> Result<(), Fault> {
    match caller {
        Caller::Nobody => Err(Fault::new(
            "UNAUTHENTICATED",
            "REASON_PERMISSION_DENIED",
            "unauthenticated",
        )),
        // Listing ACLs takes VIEW, everything else ADMIN.
        Caller::Alice if method != "ListACLs" => Err(Fault::new(
            "PERMISSION_DENIED",
            "REASON_PERMISSION_DENIED",
            "you don't have permission to do this",
        )),
        Caller::Alice | Caller::Superuser { .. } => Ok(()),
    }
}

/// The body, or the parameters as a message. Unknown ones are ignored, and a repeated one is an
/// error.
fn rest_message(request: &HttpRequest) -> Result<Value, Fault> {
    if matches!(request.method.as_str(), "POST" | "PUT") {
        let body: Value = serde_json::from_str(&request.body).map_err(|_| {
            Fault::new(
                "INVALID_ARGUMENT",
                "REASON_INVALID_INPUT",
                "invalid JSON in the request body",
            )
        })?;
        return Ok(renamed(&body, &snake));
    }
    let (mut members, mut filter) = (Map::new(), Map::new());
    for (name, value) in &request.query {
        let (into, name) = match name.split_once('.') {
            Some(("filter", name)) => (&mut filter, name),
            _ => (&mut members, name.as_str()),
        };
        let name = snake(name);
        let is_word = [
            "resource_type",
            "resource_pattern_type",
            "operation",
            "permission_type",
        ]
        .contains(&name.as_str());
        // An enumeration is written by name or number.
        let value = value
            .parse::<u64>()
            .ok()
            .filter(|_| is_word)
            .map_or_else(|| json!(value), Value::from);
        if into.insert(name.clone(), value).is_some() {
            let message = format!("too many values for field {name:?}");
            return Err(Fault::new(
                "INVALID_ARGUMENT",
                "REASON_INVALID_INPUT",
                message,
            ));
        }
    }
    if !filter.is_empty() {
        members.insert("filter".into(), filter.into());
    }
    Ok(members.into())
}

impl Call<'_> {
    fn make(&mut self, service: &str, method: &str) -> Result<Value, Fault> {
        match (service, method) {
            ("ACLService", "ListACLs") => self.list_acls(),
            ("ACLService", "CreateACL") => self.create_acl(),
            ("ACLService", "DeleteACLs") => self.delete_acls(),
            ("SecurityService", "ListRoles") => self.list_roles(),
            ("SecurityService", "CreateRole") => self.create_role(),
            ("SecurityService", "GetRole") => self.get_role(),
            ("SecurityService", "DeleteRole") => self.delete_role(),
            ("SecurityService", "ListRoleMembers") => self.list_members(),
            ("SecurityService", "UpdateRoleMembership") => self.update_members(),
            _ => Err(Fault::new("UNIMPLEMENTED", "", "Not Found")),
        }
    }

    /// ANY is split over Kafka and the Schema Registry; where the latter has no ACLs, it is the
    /// Kafka part.
    fn check_registry(&self, resource_type: &str) -> Result<(), Fault> {
        let is_registry = matches!(resource_type, "SUBJECT" | "REGISTRY");
        if !is_registry || self.options.registry_acls {
            return Ok(());
        }
        let message =
            "schema registry ACLs are not supported in your cluster; upgrade or enable them";
        Err(Fault::new(
            "FAILED_PRECONDITION",
            "REASON_FEATURE_NOT_SUPPORTED",
            message,
        ))
    }

    fn list_acls(&self) -> Result<Value, Fault> {
        let filter = Filter::read(&self.message["filter"])?;
        self.check_registry(filter.resource_type)?;
        let mut resources: BTreeMap<[String; 3], Vec<Value>> = BTreeMap::new();
        for acl in self.state.acls.iter().filter(|acl| filter.matches(acl)) {
            let key = [
                acl.resource_type.clone(),
                acl.name.clone(),
                acl.pattern.clone(),
            ];
            resources.entry(key).or_default().push(json!({ "principal": acl.principal, "host": acl.host,
                "operation": OPERATIONS.written(&acl.operation), "permission_type": PERMISSIONS.written(&acl.permission) }));
        }
        let (kafka, registry): (Vec<_>, Vec<_>) = resources
            .into_iter()
            .partition(|([kind, ..], _)| kind != "SUBJECT" && kind != "REGISTRY");
        let written = |([kind, name, pattern], acls): ([String; 3], Vec<Value>)| {
            json!({
            "resource_type": RESOURCE_TYPES.written(&kind), "resource_name": name,
            "resource_pattern_type": PATTERN_TYPES.written(&pattern), "acls": acls })
        };
        Ok(
            json!({ "resources": kafka.into_iter().chain(registry).map(written).collect::<Vec<_>>() }),
        )
    }

    fn create_acl(&mut self) -> Result<Value, Fault> {
        let message = &self.message;
        let required = |field: &str, word: &'static str, refused: &[&str]| {
            if refused.contains(&word) {
                Err(Fault::invalid(field, "value is required"))
            } else {
                Ok(word.to_owned())
            }
        };
        let open = ["UNSPECIFIED", "ANY"];
        let of = |field| text(message, field).to_owned();
        let mut acl = Binding {
            resource_type: required(
                "resource_type",
                RESOURCE_TYPES.read(message, "resource_type")?,
                &open,
            )?,
            name: of("resource_name"),
            pattern: required(
                "resource_pattern_type",
                PATTERN_TYPES.read(message, "resource_pattern_type")?,
                &["UNSPECIFIED", "ANY", "MATCH"],
            )?,
            principal: of("principal"),
            host: of("host"),
            operation: required("operation", OPERATIONS.read(message, "operation")?, &open)?,
            permission: required(
                "permission_type",
                PERMISSIONS.read(message, "permission_type")?,
                &open,
            )?,
        };
        match (acl.resource_type.as_str(), acl.name.as_str()) {
            ("CLUSTER", "") => acl.name = "kafka-cluster".into(),
            ("REGISTRY", _) | ("CLUSTER", "kafka-cluster") => {}
            ("CLUSTER", _) => {
                let why = "Field resource_name must be set to \"kafka-cluster\" or empty when using resource_type=CLUSTER";
                return Err(Fault::invalid("resource_name", why));
            }
            (_, "") => {
                return Err(Fault::invalid(
                    "resource_name",
                    "Field resource_name must be set",
                ));
            }
            _ => {}
        }
        if !acl
            .principal
            .split_once(':')
            .is_some_and(|(kind, name)| !kind.is_empty() && !name.is_empty())
        {
            let why = "principal must contain a principal prefix followed by a principal name (e.g. User:alice)";
            return Err(Fault::invalid("principal", why));
        }
        if acl.host != "*" && acl.host.parse::<std::net::IpAddr>().is_err() {
            let why = "Field host must be either wildcard (*) or a valid IP address.";
            return Err(Fault::invalid("host", why));
        }
        self.check_registry(&acl.resource_type)?;
        check(self.options, &acl)
            .map_err(|why| Fault::new("INVALID_ARGUMENT", "REASON_KAFKA_API_ERROR", why))?;
        self.state.acls.insert(acl);
        Ok(json!({}))
    }

    fn delete_acls(&mut self) -> Result<Value, Fault> {
        let filter = Filter::read(&self.message["filter"])?;
        let words = [
            ("filter.resource_type", filter.resource_type),
            ("filter.resource_pattern_type", filter.pattern),
            ("filter.operation", filter.operation),
            ("filter.permission_type", filter.permission),
        ];
        if let Some((field, _)) = words.iter().find(|(_, word)| *word == "UNSPECIFIED") {
            return Err(Fault::invalid(field, "value is required"));
        }
        self.check_registry(filter.resource_type)?;
        let (gone, kept) = std::mem::take(&mut self.state.acls)
            .into_iter()
            .partition(|acl| filter.matches(acl));
        self.state.acls = kept;
        let gone: std::collections::BTreeSet<Binding> = gone;
        let written = |acl: &Binding| {
            json!({
            "resource_type": RESOURCE_TYPES.written(&acl.resource_type), "resource_name": acl.name,
            "resource_pattern_type": PATTERN_TYPES.written(&acl.pattern), "principal": acl.principal, "host": acl.host,
            "operation": OPERATIONS.written(&acl.operation), "permission_type": PERMISSIONS.written(&acl.permission) })
        };
        Ok(json!({ "matching_acls": gone.iter().map(written).collect::<Vec<_>>() }))
    }

    fn list_roles(&self) -> Result<Value, Fault> {
        let filter = &self.message["filter"];
        let (prefix, part, who) = (
            text(filter, "name_prefix"),
            text(filter, "name_contains"),
            text(filter, "principal"),
        );
        let is_wanted = |(name, members): &(&String, &std::collections::BTreeSet<String>)| {
            name.starts_with(prefix)
                && name.contains(part)
                && (who.is_empty() || members.contains(who))
        };
        let names = self
            .state
            .roles
            .iter()
            .filter(is_wanted)
            .map(|(name, _)| name.clone())
            .collect();
        let (names, next) = self.page(names)?;
        let roles: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
        Ok(json!({ "roles": roles, "next_page_token": next }))
    }

    fn list_members(&self) -> Result<Value, Fault> {
        let (name, members) = self.role()?;
        let part = text(&self.message["filter"], "name_contains");
        let (members, next) = self.page(
            members
                .iter()
                .filter(|member| member.contains(part))
                .cloned()
                .collect(),
        )?;
        Ok(json!({ "role_name": name, "members": principals(&members), "next_page_token": next }))
    }

    /// A page of sorted names, and the token of the next one: a protobuf message {key,
    /// value_greater_equal} in base64.
    fn page(&self, names: Vec<String>) -> Result<(Vec<String>, String), Fault> {
        let size = match &self.message["page_size"] {
            Value::Null => 0,
            Value::String(text) => text
                .parse()
                .map_err(|_| Fault::invalid("page_size", "must be a number"))?,
            number => number.as_i64().unwrap_or(i64::MAX),
        };
        let size = match size {
            -1 => usize::MAX,
            0 => 100,
            1..=1000 => usize::try_from(size).unwrap_or_default(),
            _ => {
                return Err(Fault::invalid(
                    "page_size",
                    "value must be greater than or equal to -1 and less than or equal to 1000",
                ));
            }
        };
        let from = match text(&self.message, "page_token") {
            "" => String::new(),
            token => from_token(token)
                .ok_or_else(|| Fault::invalid("page_token", "the given page token is invalid"))?,
        };
        let mut rest = names.into_iter().filter(|name| *name >= from);
        let page: Vec<String> = rest
            .by_ref()
            .take(size.min(self.options.page_limit))
            .collect();
        Ok((
            page,
            rest.next().map_or_else(String::new, |next| to_token(&next)),
        ))
    }

    fn role(&self) -> Result<(&String, &std::collections::BTreeSet<String>), Fault> {
        let name = text(&self.message, "role_name");
        self.state
            .roles
            .get_key_value(name)
            .ok_or_else(|| unknown_role(name))
    }

    fn create_role(&mut self) -> Result<Value, Fault> {
        let name = text(&self.message["role"], "name").to_owned();
        self.check_new_role(&name)?;
        match self.state.roles.get(&name) {
            // The platform takes a role without members for the one that is created.
            Some(members) if !members.is_empty() => {
                return Err(Fault::new(
                    "ABORTED",
                    "REASON_REDPANDA_ADMIN_API_ERROR",
                    "Role already exists",
                ));
            }
            _ => {}
        }
        self.state.roles.entry(name.clone()).or_default();
        Ok(json!({ "role": { "name": name } }))
    }

    fn check_new_role(&self, name: &str) -> Result<(), Fault> {
        if name.is_empty() || name.chars().count() > 128 || name.contains([',', '=']) {
            return Err(Fault::invalid(
                "role.name",
                "value does not match regex pattern `^[^,=]+$`",
            ));
        }
        if !is_role_name(name) {
            let message = format!("Invalid role name {{{name}}}");
            return Err(Fault::new(
                "INVALID_ARGUMENT",
                "REASON_REDPANDA_ADMIN_API_ERROR",
                message,
            ));
        }
        self.check_license()
    }

    fn check_license(&self) -> Result<(), Fault> {
        let message = "A Redpanda Enterprise Edition license is required to manage roles.";
        let refused = || {
            Fault::new(
                "PERMISSION_DENIED",
                "REASON_REDPANDA_ADMIN_API_ERROR",
                message,
            )
        };
        if self.options.license {
            Ok(())
        } else {
            Err(refused())
        }
    }

    fn get_role(&self) -> Result<Value, Fault> {
        let (name, members) = self.role()?;
        Ok(json!({ "role": { "name": name }, "members": principals(members) }))
    }

    fn delete_role(&mut self) -> Result<Value, Fault> {
        let name = text(&self.message, "role_name").to_owned();
        let delete_acls = matches!(&self.message["delete_acls"], Value::Bool(true))
            || text(&self.message, "delete_acls") == "true";
        if self.state.delete_role(&name, delete_acls) {
            Ok(json!({}))
        } else {
            Err(unknown_role(&name))
        }
    }

    fn update_members(&mut self) -> Result<Value, Fault> {
        let name = text(&self.message, "role_name").to_owned();
        let read = |field: &str| -> Result<Vec<String>, Fault> {
            let members = self.message[field].as_array().into_iter().flatten();
            members
                .map(|member| member_principal(text(member, "principal")))
                .collect()
        };
        let (add, remove) = (read("add")?, read("remove")?);
        self.check_license()?;
        let is_new = !self.state.roles.contains_key(&name);
        if is_new && self.message["create"] != json!(true) {
            return Err(unknown_role(&name));
        }
        if is_new {
            self.check_new_role(&name)?;
        }
        if add.iter().any(|member| remove.contains(member)) {
            let message = "Conflict between 'add' and 'remove' lists";
            return Err(Fault::new(
                "INVALID_ARGUMENT",
                "REASON_REDPANDA_ADMIN_API_ERROR",
                message,
            ));
        }
        let members = self.state.roles.entry(name.clone()).or_default();
        let added: Vec<String> = add
            .into_iter()
            .filter(|member| members.insert(member.clone()))
            .collect();
        // Of a role that this call creates nothing is removed.
        let remove = if is_new { Vec::new() } else { remove };
        let removed: Vec<String> = remove
            .into_iter()
            .filter(|member| members.remove(member))
            .collect();
        Ok(
            json!({ "role_name": name, "added": principals(&added), "removed": principals(&removed) }),
        )
    }
}

fn unknown_role(name: &str) -> Fault {
    Fault::new(
        "NOT_FOUND",
        "REASON_RESOURCE_NOT_FOUND",
        format!("unknown role {name}: Role not found"),
    )
}

/// The principal of a member; a bare name is a user.
fn member_principal(text: &str) -> Result<String, Fault> {
    match text.split_once(':') {
        Some(("User" | "Group", name)) if !name.is_empty() => Ok(text.to_owned()),
        None if !text.is_empty() => Ok(format!("User:{text}")),
        _ => Err(Fault::invalid("principal", "must be a user or a group")),
    }
}

fn principals<'a>(members: impl IntoIterator<Item = &'a String>) -> Vec<Value> {
    members
        .into_iter()
        .map(|member| json!({ "principal": member }))
        .collect()
}

fn to_token(next: &str) -> String {
    let mut message = vec![0x0a, 4];
    message.extend(b"name");
    message.extend([0x12, u8::try_from(next.len().min(127)).unwrap_or(127)]);
    message.extend(next.as_bytes().iter().take(127));
    STANDARD.encode(message)
}

fn from_token(token: &str) -> Option<String> {
    let message = STANDARD.decode(token).ok()?;
    let value = message.strip_prefix(b"\x0a\x04name\x12")?;
    let (length, value) = value.split_first()?;
    (usize::from(*length) == value.len())
        .then(|| String::from_utf8(value.to_vec()).ok())
        .flatten()
}

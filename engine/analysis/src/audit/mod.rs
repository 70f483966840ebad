//! Audit events as values, in classes of OCSF 1.0.0: Account Change (3001), Authentication (3002),
//! Entity Management (3004), User Access Management (3005), Group Management (3006), Application
//! Lifecycle (6002) and API Activity (6003) (specification 6, D-23, D-50, D-87).

mod activity;
mod authentication;
mod change;
mod event;
mod link;
mod redact;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use event::Node;

pub use activity::{
    ApiActivity, AuditedResource, Authorization, CallEffect, CallResult, HttpRequest, api_activity,
};
pub use authentication::{AuthProtocol, Authentication, SignInResult, authentication, sign_out};
pub use change::{
    Administration, Modification, ResultingState, administration, deleted_audit_file,
    modification_data,
};
pub use event::{Class, Event};
pub use link::{EventLink, EventText};
pub use redact::{REDACTED, is_compact_jws, is_shown_header, without_credentials, without_tokens};

/// The version of the Open Cybersecurity Schema Framework (OCSF).
pub const OCSF_VERSION: &str = "1.0.0";
/// The name of a user without a name in events.
pub const ANONYMOUS: &str = "{{anonymous}}";

/// Default names of services in events, for platforms without other names.
pub mod service {
    /// The Kafka API.
    pub const KAFKA: &str = "kafka rpc protocol";
    /// Schema Registry.
    pub const SCHEMA_REGISTRY: &str = "Schema Registry Service";
    /// HTTP Proxy.
    pub const HTTP_PROXY: &str = "HTTP Proxy Service";
    /// The Admin API and related APIs.
    pub const ADMIN: &str = "Admin HTTP Server";

    /// The name for an API of the request table.
    #[must_use]
    pub const fn for_api(api: crate::requests::Api) -> &'static str {
        match api {
            crate::requests::Api::Kafka => KAFKA,
            crate::requests::Api::SchemaRegistry => SCHEMA_REGISTRY,
            crate::requests::Api::HttpProxy => HTTP_PROXY,
        }
    }
}

/// The product that writes the events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// Its name.
    pub name: String,
    /// Its vendor.
    pub vendor_name: String,
    /// Its version.
    pub version: String,
    /// The ID of the node that writes the event, if there are several.
    pub uid: Option<String>,
}

impl Default for Product {
    fn default() -> Self {
        Self {
            name: "GBAC".into(),
            vendor_name: "GBAC".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            uid: None,
        }
    }
}

impl Product {
    fn node(&self) -> Node {
        self.node_of_feature(None)
    }

    /// The product, or one of its features.
    fn node_of_feature(&self, feature: Option<&str>) -> Node {
        let mut members: Vec<(&str, Node)> = Vec::new();
        members.extend(
            feature.map(|name| ("feature", Node::Object(vec![("name", Node::text(name))]))),
        );
        members.push(("name", Node::text(&self.name)));
        push_text(&mut members, "uid", self.uid.as_deref());
        members.push(("vendor_name", Node::text(&self.vendor_name)));
        members.push(("version", Node::text(&self.version)));
        Node::Object(members)
    }
}

/// One end of a connection. Unknown parts are omitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Endpoint<'a> {
    /// The address.
    pub ip: Option<IpAddr>,
    /// The port.
    pub port: Option<u16>,
    /// The client's own name, such as a Kafka client ID.
    pub name: Option<&'a str>,
}

/// The content of every event: time, product and endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context<'a> {
    /// Milliseconds since 1970.
    pub time_ms: i64,
    /// The writer.
    pub product: &'a Product,
    /// The requested service, such as [`service::KAFKA`].
    pub service: &'a str,
    /// The endpoint that received the request.
    pub server: Endpoint<'a>,
    /// The endpoint that sent it.
    pub client: Endpoint<'a>,
    /// The ID that all events of a request share.
    pub correlation_uid: Option<&'a str>,
    /// The gateway that sent the request on behalf of the user.
    pub invoked_by: Option<&'a str>,
}

/// The kind of a user's account, with OCSF's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum UserKind {
    /// 0: unknown, for a user who is not signed in.
    Unknown,
    /// 1: a user.
    #[default]
    User,
    /// 2: a superuser.
    Admin,
    /// 3: the system itself.
    System,
}

impl UserKind {
    const fn id(self) -> i64 {
        match self {
            Self::Unknown => 0,
            Self::User => 1,
            Self::Admin => 2,
            Self::System => 3,
        }
    }
}

/// The acting user. There is no field for a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct User<'a> {
    /// The bare user name. A user without a name is [`ANONYMOUS`] and of unknown kind.
    pub name: &'a str,
    /// The kind of account.
    pub kind: UserKind,
    /// The subject (`sub`) of the token.
    pub uid: Option<&'a str>,
    /// The domain of the user.
    pub domain: Option<&'a str>,
}

/// A group in an event.
enum Group<'a> {
    /// A group of the identity provider, from the token (specification 6).
    Idp(&'a str),
    /// A role.
    Role(&'a str),
}

impl Group<'_> {
    fn node(&self) -> Node {
        let (kind, name) = match self {
            Self::Idp(name) => ("idp_group", *name),
            Self::Role(name) => ("role", *name),
        };
        Node::Object(vec![("type", Node::text(kind)), ("name", Node::text(name))])
    }
}

impl User<'_> {
    fn node(&self, kind: UserKind, groups: &[Group<'_>]) -> Node {
        let (name, kind) = if self.name.is_empty() {
            (ANONYMOUS, UserKind::Unknown)
        } else {
            (self.name, kind)
        };
        let mut members = Vec::new();
        push_text(&mut members, "domain", self.domain);
        members.push(("name", Node::text(name)));
        members.push(("type_id", Node::Number(kind.id())));
        push_text(&mut members, "uid", self.uid);
        if !groups.is_empty() {
            members.push((
                "groups",
                Node::List(groups.iter().map(Group::node).collect()),
            ));
        }
        Node::Object(members)
    }
}

impl Context<'_> {
    /// The endpoint of the service, always with its name.
    fn dst_endpoint(&self) -> Node {
        let mut members = address(&self.server);
        members.push(("svc_name", Node::text(self.service)));
        Node::Object(members)
    }

    /// The endpoint of the client. OCSF requires an attribute, so an unknown endpoint has a name
    /// that says so.
    fn src_endpoint(&self, fallback: Option<IpAddr>) -> Node {
        let client = Endpoint {
            ip: self.client.ip.or(fallback),
            ..self.client
        };
        let members = address(&client);
        if members.is_empty() {
            Node::Object(vec![("name", Node::text("unknown"))])
        } else {
            Node::Object(members)
        }
    }

    fn service(&self) -> Node {
        Node::Object(vec![("name", Node::text(self.service))])
    }
}

fn address(end: &Endpoint<'_>) -> Vec<(&'static str, Node)> {
    let mut members = Vec::new();
    if let Some(ip) = end.ip {
        members.push(("ip", Node::Text(ip.to_canonical().to_string())));
    }
    push_text(&mut members, "name", end.name);
    if let Some(port) = end.port {
        members.push(("port", Node::Number(port.into())));
    }
    members
}

/// Adds a text unless it is empty.
fn push_text(members: &mut Vec<(&'static str, Node)>, key: &'static str, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        members.push((key, Node::text(text)));
    }
}

//! Events: the common part of all classes, and their JSON in the platform's order.

use std::fmt::Write as _;

use gbac_engine::escape::is_hidden;
use serde_json::Value;

use super::link::EventText;
use super::redact::{name_without_credentials, url};
use super::{Context, OCSF_VERSION, Product};

/// The classes of events, with OCSF's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// 3001: a local account is created or deleted, or gets another password.
    AccountChange,
    /// 3002: a user signs in, or fails to.
    Authentication,
    /// 3004: an ACL, a role, a setting or another part of the configuration changes.
    EntityManagement,
    /// 3005: a user becomes a superuser or gains limited access, or loses it.
    UserAccessManagement,
    /// 3006: a role gains or loses a member.
    GroupManagement,
    /// 6002: the service starts or stops.
    ApplicationLifecycle,
    /// 6003: a request is allowed or denied.
    ApiActivity,
}

impl Class {
    /// The class's number, such as 3002.
    #[must_use]
    pub const fn uid(self) -> i64 {
        match self {
            Self::AccountChange => 3001,
            Self::Authentication => 3002,
            Self::EntityManagement => 3004,
            Self::UserAccessManagement => 3005,
            Self::GroupManagement => 3006,
            Self::ApplicationLifecycle => 6002,
            Self::ApiActivity => 6003,
        }
    }

    /// The number of its category: 3 (identity and access management) or 6 (application activity).
    #[must_use]
    pub const fn category_uid(self) -> i64 {
        match self {
            Self::AccountChange
            | Self::Authentication
            | Self::EntityManagement
            | Self::UserAccessManagement
            | Self::GroupManagement => 3,
            Self::ApplicationLifecycle | Self::ApiActivity => 6,
        }
    }

    /// The profiles whose attributes its events use.
    const fn profiles(self) -> &'static [&'static str] {
        match self {
            Self::ApiActivity => &["cloud"],
            _ => &[],
        }
    }
}

/// JSON with ordered members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Text(String),
    Number(i64),
    Flag(bool),
    List(Vec<Node>),
    Object(Vec<(&'static str, Node)>),
    /// Any JSON, for attributes without a schema in OCSF.
    Data(Value),
}

impl Node {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    fn write(&self, line: &mut String) {
        match self {
            Self::Text(text) => write_text(line, &name_without_credentials(text)),
            // Writing to a string does not fail.
            Self::Number(number) => drop(write!(line, "{number}")),
            Self::Flag(flag) => line.push_str(if *flag { "true" } else { "false" }),
            Self::Data(value) => write_value(line, value),
            Self::List(items) => write_all(line, ('[', ']'), items, |line, item| item.write(line)),
            Self::Object(members) => write_all(line, ('{', '}'), members, |line, (key, node)| {
                let _ = write!(line, "\"{key}\":");
                node.write(line);
            }),
        }
    }
}

/// Writes any JSON: credentials are removed, and hidden characters are escaped.
fn write_value(line: &mut String, value: &Value) {
    match value {
        Value::String(text) => write_text(line, &name_without_credentials(text)),
        Value::Array(items) => write_all(line, ('[', ']'), items, write_value),
        Value::Object(members) => write_all(line, ('{', '}'), members, |line, (key, value)| {
            write_text(line, &name_without_credentials(key));
            line.push(':');
            write_value(line, value);
        }),
        // Writing to a string does not fail.
        Value::Null | Value::Bool(_) | Value::Number(_) => drop(write!(line, "{value}")),
    }
}

fn write_all<I: IntoIterator>(
    line: &mut String,
    (open, close): (char, char),
    items: I,
    write: impl Fn(&mut String, I::Item),
) {
    line.push(open);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            line.push(',');
        }
        write(line, item);
    }
    line.push(close);
}

/// Writes a JSON string with every hidden character escaped (RFC 8259 7), so that a text editor
/// shows it.
fn write_text(line: &mut String, text: &str) {
    line.push('"');
    for character in text.chars() {
        match character {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            ' '..='~' => line.push(character),
            hidden if is_hidden(hidden) => {
                for unit in hidden.encode_utf16(&mut [0; 2]) {
                    // Writing to a string does not fail.
                    let _ = write!(line, "\\u{unit:04x}");
                }
            }
            other => line.push(other),
        }
    }
    line.push('"');
}

/// One audit event, or several that differ only in their time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    class: Class,
    activity_id: i64,
    product: Product,
    correlation_uid: Option<String>,
    time_ms: i64,
    end_ms: i64,
    count: u64,
    body: Vec<(&'static str, Node)>,
}

impl Event {
    /// `body` contains the members after `activity_id`.
    pub(super) fn new(
        class: Class,
        activity_id: i64,
        context: &Context<'_>,
        body: Vec<(&'static str, Node)>,
    ) -> Self {
        Self {
            class,
            activity_id,
            product: context.product.clone(),
            correlation_uid: context.correlation_uid.map(str::to_owned),
            time_ms: context.time_ms,
            end_ms: context.time_ms,
            count: 1,
            body,
        }
    }

    /// The class.
    #[must_use]
    pub const fn class(&self) -> Class {
        self.class
    }

    /// The same event for `count` occurrences between two times, in milliseconds since 1970, with
    /// `count`, `start_time` and `end_time`. It has no correlation ID, because it belongs to
    /// several requests.
    #[must_use]
    pub fn repeated(self, count: u64, start_ms: i64, end_ms: i64) -> Self {
        Self {
            count,
            time_ms: start_ms,
            end_ms,
            correlation_uid: None,
            ..self
        }
    }

    /// The same event, which names the paths of the requests that it counts, and has the number of
    /// requests whose paths it leaves out.
    #[must_use]
    pub fn naming_requests(mut self, paths: &[String], omitted: u64) -> Self {
        let request = |path: &String| {
            Node::Object(vec![
                ("name", Node::Text(url(path))),
                ("type", Node::text("request")),
            ])
        };
        self.body
            .push(("resources", Node::List(paths.iter().map(request).collect())));
        if omitted > 0 {
            let number = Node::Number(i64::try_from(omitted).unwrap_or(i64::MAX));
            for (_, node) in self.body.iter_mut().filter(|(key, _)| *key == "unmapped") {
                if let Node::Object(members) = node {
                    members.push(("omitted", number.clone()));
                }
            }
        }
        self
    }

    /// The same event about something in a Kafka cluster, by the name that the service gives it.
    #[must_use]
    pub fn in_cluster(mut self, name: Option<&str>) -> Self {
        if let Some(name) = name {
            self.push_unmapped("cluster", name);
        }
        self
    }

    /// The same event about an ACL that was changed in a cluster as `service` or as `caller`.
    #[must_use]
    pub fn sent_as(mut self, identity: &str) -> Self {
        self.push_unmapped("sent_as", identity);
        self
    }

    fn push_unmapped(&mut self, name: &'static str, value: &str) {
        let member = (name, Node::text(value));
        for (key, node) in &mut self.body {
            if let ("unmapped", Node::Object(members)) = (*key, node) {
                members.push(member);
                return;
            }
        }
        self.body.push(("unmapped", Node::Object(vec![member])));
    }

    /// The same event for a change that failed, with a stable code and a reason.
    #[must_use]
    pub fn failed(mut self, code: &str, detail: &str) -> Self {
        for (key, node) in &mut self.body {
            match (*key, &mut *node) {
                ("message", Node::Text(message)) => message.insert_str(0, "not done: "),
                ("status_id", status) => *status = status_id(false),
                _ => {}
            }
        }
        super::push_text(&mut self.body, "status_code", Some(code));
        super::push_text(
            &mut self.body,
            "status_detail",
            Some(&super::without_credentials(detail)),
        );
        self
    }

    #[cfg(test)]
    pub(crate) fn to_json(&self) -> Value {
        serde_json::from_str(&self.to_line()).unwrap_or_default()
    }

    /// The event as one line of JSON without a line break at the end, its members in the platform's
    /// order. Everything that looks like a token is removed, and hidden characters are escaped.
    #[must_use]
    pub fn to_line(&self) -> String {
        self.to_text().text
    }

    /// [`Event::to_line`], to which a link can be added.
    #[must_use]
    pub fn to_text(&self) -> EventText {
        let mut line = String::with_capacity(1024);
        let (mut metadata_at, mut unmapped_at) = (0, None);
        line.push('{');
        for (index, (key, node)) in self.envelope().iter().chain(&self.body).enumerate() {
            if index > 0 {
                line.push(',');
            }
            // Writing to a string does not fail.
            let _ = write!(line, "\"{key}\":");
            match (*key, node) {
                ("metadata", Node::Object(_)) => metadata_at = line.len() + 1,
                ("unmapped", Node::Object(_)) => unmapped_at = Some(line.len() + 1),
                _ => {}
            }
            node.write(&mut line);
        }
        line.push('}');
        EventText {
            text: line,
            metadata_at,
            unmapped_at,
        }
    }

    /// The members before the body.
    fn envelope(&self) -> Vec<(&'static str, Node)> {
        let merged = self.count > 1;
        let mut members = vec![
            ("category_uid", Node::Number(self.class.category_uid())),
            ("class_uid", Node::Number(self.class.uid())),
        ];
        if merged {
            members.push((
                "count",
                Node::Number(i64::try_from(self.count).unwrap_or(i64::MAX)),
            ));
            members.push(("end_time", Node::Number(self.end_ms)));
        }
        members.push(("metadata", self.metadata()));
        // Informational, because a denied request is normal operation, too.
        members.push(("severity_id", Node::Number(1)));
        if merged {
            members.push(("start_time", Node::Number(self.time_ms)));
        }
        members.push(("time", Node::Number(self.time_ms)));
        members.push((
            "type_uid",
            Node::Number(self.class.uid() * 100 + self.activity_id),
        ));
        members.push(("activity_id", Node::Number(self.activity_id)));
        members
    }

    fn metadata(&self) -> Node {
        let mut members = Vec::new();
        super::push_text(
            &mut members,
            "correlation_uid",
            self.correlation_uid.as_deref(),
        );
        members.push(("product", self.product.node()));
        let profiles: Vec<Node> = self
            .class
            .profiles()
            .iter()
            .map(|profile| Node::text(profile))
            .collect();
        if !profiles.is_empty() {
            members.push(("profiles", Node::List(profiles)));
        }
        members.push(("version", Node::text(OCSF_VERSION)));
        Node::Object(members)
    }
}

/// OCSF's `status_id`: 1 success, 2 failure.
pub(super) const fn status_id(success: bool) -> Node {
    Node::Number(if success { 1 } else { 2 })
}

//! An event: what all classes share, and its JSON in the platform's order.

use serde_json::{Map, Value};

use super::{Context, OCSF_VERSION, Product};

/// The classes of events, with OCSF's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// 3002: somebody signs in, or fails to.
    Authentication,
    /// 6003: somebody is allowed or denied a request.
    ApiActivity,
}

impl Class {
    /// The class's number: 3002 or 6003.
    #[must_use]
    pub const fn uid(self) -> i64 {
        match self {
            Self::Authentication => 3002,
            Self::ApiActivity => 6003,
        }
    }

    /// The number of its category: 3 (identity and access management) or 6 (application activity).
    #[must_use]
    pub const fn category_uid(self) -> i64 {
        match self {
            Self::Authentication => 3,
            Self::ApiActivity => 6,
        }
    }

    /// The profiles whose attributes its events use.
    const fn profiles(self) -> &'static [&'static str] {
        match self {
            Self::Authentication => &[],
            Self::ApiActivity => &["cloud"],
        }
    }
}

/// JSON whose members keep their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Text(String),
    Number(i64),
    Flag(bool),
    List(Vec<Node>),
    Object(Vec<(&'static str, Node)>),
}

impl Node {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    fn to_value(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_str()),
            Self::Number(number) => Value::from(*number),
            Self::Flag(flag) => Value::from(*flag),
            Self::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Self::Object(members) => {
                Value::Object(members.iter().map(|(key, node)| ((*key).into(), node.to_value())).collect::<Map<_, _>>())
            }
        }
    }

    fn write(&self, line: &mut String) {
        match self {
            Self::Text(_) | Self::Number(_) | Self::Flag(_) => line.push_str(&self.to_value().to_string()),
            Self::List(items) => {
                line.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        line.push(',');
                    }
                    item.write(line);
                }
                line.push(']');
            }
            Self::Object(members) => {
                line.push('{');
                for (index, (key, node)) in members.iter().enumerate() {
                    if index > 0 {
                        line.push(',');
                    }
                    line.push('"');
                    line.push_str(key);
                    line.push_str("\":");
                    node.write(line);
                }
                line.push('}');
            }
        }
    }
}

/// One audit event, or several that differ in their time only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    class: Class,
    activity_id: i64,
    product: Product,
    time_ms: i64,
    end_ms: i64,
    count: u64,
    body: Vec<(&'static str, Node)>,
}

impl Event {
    /// `body` holds what follows `activity_id`.
    pub(super) fn new(class: Class, activity_id: i64, context: &Context<'_>, body: Vec<(&'static str, Node)>) -> Self {
        Self {
            class,
            activity_id,
            product: context.product.clone(),
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

    /// When it happened, or first happened: milliseconds since 1970.
    #[must_use]
    pub const fn time_ms(&self) -> i64 {
        self.time_ms
    }

    /// How many events this one stands for.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Takes in another event that differs in its time only: `count`, `start_time` and `end_time` then say so.
    ///
    /// # Errors
    /// Gives the other event back where anything but the time differs.
    pub fn absorb(&mut self, other: Self) -> Result<(), Box<Self>> {
        let same = self.class == other.class
            && self.activity_id == other.activity_id
            && self.product == other.product
            && self.body == other.body;
        if !same {
            return Err(Box::new(other));
        }
        self.time_ms = self.time_ms.min(other.time_ms);
        self.end_ms = self.end_ms.max(other.end_ms);
        self.count = self.count.saturating_add(other.count);
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn to_json(&self) -> Value {
        self.node().to_value()
    }

    /// The event as one line of JSON, its members in the platform's order, without a line break at the end.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut line = String::with_capacity(1024);
        self.node().write(&mut line);
        line
    }

    fn node(&self) -> Node {
        let merged = self.count > 1;
        let mut members = vec![
            ("category_uid", Node::Number(self.class.category_uid())),
            ("class_uid", Node::Number(self.class.uid())),
        ];
        if merged {
            members.push(("count", Node::Number(i64::try_from(self.count).unwrap_or(i64::MAX))));
            members.push(("end_time", Node::Number(self.end_ms)));
        }
        members.push(("metadata", self.metadata()));
        // Informational, whatever was decided: a denied request is the service at work.
        members.push(("severity_id", Node::Number(1)));
        if merged {
            members.push(("start_time", Node::Number(self.time_ms)));
        }
        members.push(("time", Node::Number(self.time_ms)));
        members.push(("type_uid", Node::Number(self.class.uid() * 100 + self.activity_id)));
        members.push(("activity_id", Node::Number(self.activity_id)));
        members.extend(self.body.iter().cloned());
        Node::Object(members)
    }

    fn metadata(&self) -> Node {
        let mut product = vec![("name", Node::text(&self.product.name))];
        super::push_text(&mut product, "uid", self.product.uid.as_deref());
        product.push(("vendor_name", Node::text(&self.product.vendor_name)));
        product.push(("version", Node::text(&self.product.version)));
        let mut members = vec![("product", Node::Object(product))];
        let profiles: Vec<Node> = self.class.profiles().iter().map(|profile| Node::text(profile)).collect();
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

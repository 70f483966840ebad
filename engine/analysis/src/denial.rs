//! Denied requests in the logs of brokers: lines of Kafka's `kafka-authorizer.log`, with what the
//! plugin adds, and its JSON lines.
//!
//! Clients choose most of the names in a line. A line that can be read in two ways is refused, so
//! that no name changes what a line says.

use std::net::IpAddr;

use gbac_engine::json;
use gbac_engine::model::{Host, Operation, Principal, PrincipalError, PrincipalType, ResourceType};
use serde_json::{Map, Value};

/// The most bytes of a line that is read.
pub const MAX_LINE: usize = 64 << 10;

/// What a line of a log says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogLine {
    /// A request was denied.
    Denied(Box<LoggedDenial>),
    /// A request was allowed.
    Allowed,
    /// Nothing.
    Empty,
}

/// A denied request, as a log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedDenial {
    /// What was asked, and by whom.
    pub question: LoggedQuestion,
    /// The name of the API request, such as `Fetch`.
    pub api: Option<String>,
    /// Why it was denied, as the log says it: `DefaultDeny`, `no_match`, or an ACL.
    pub reason: Option<String>,
    /// The ACL that nearly allows it, or the one that denies it, as the log writes it.
    pub acl: Option<String>,
    /// How many denials the log leaves out for this line.
    pub left_out: u64,
}

/// What was asked, and by whom.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoggedQuestion {
    /// Who asked.
    pub principal: Principal,
    /// The groups; `None` if the line does not state them.
    pub groups: Option<LoggedGroups>,
    /// The operation.
    pub operation: Operation,
    /// The resource's type.
    pub resource_type: ResourceType,
    /// The resource's name.
    pub resource_name: String,
    /// The client's address; `None` if the line has none.
    pub host: Option<IpAddr>,
    /// Whether a name is not what it was: the log escapes and shortens names.
    pub is_inexact: bool,
}

/// The groups in a line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoggedGroups {
    /// The groups.
    pub names: Vec<String>,
    /// How many more there were.
    pub omitted: u64,
}

/// Why a line is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineFault {
    /// It is no line of an authorizer.
    Other,
    /// It is not UTF-8.
    NotText,
    /// It has more than [`MAX_LINE`] bytes.
    TooLong,
    /// It ends too early: this part is missing.
    Missing(&'static str),
    /// This part appears twice, so a name can pretend to be another part.
    Twice(&'static str),
    /// This part has a value that is not known.
    Unknown(&'static str, String),
    /// It is not one JSON object.
    NotJson(String),
}

const START: &str = "Principal = ";
const DENIED: &str = " is Denied operation = ";
const ALLOWED: &str = " is Allowed operation = ";
const HOST: &str = " from host = ";
const RESOURCE: &str = " on resource = ";
const REQUEST: &str = " for request = ";
const COUNT: &str = " with resourceRefCount = ";
const RULE: &str = " based on rule ";
const GROUPS: &str = " with groups = [";
/// What Kafka's own configuration of its logs writes after each message.
const LOGGER: &str = " (kafka.authorizer.logger)";
/// How many characters of a name the plugin writes.
const SHORTENED: usize = 256;

/// Reads the bytes of a line of a log, as [`read_line`].
///
/// # Errors
/// It is not understood.
pub fn read_bytes(line: &[u8]) -> Result<LogLine, LineFault> {
    match str::from_utf8(line) {
        Ok(line) => read_line(line),
        Err(_) => Err(LineFault::NotText),
    }
}

/// Reads a line of a log.
///
/// # Errors
/// It is not understood.
///
/// ```
/// use gbac_analysis::denial::{LogLine, read_line};
///
/// let line = "[2026-11-28 11:00:00,000] INFO Principal = User:alice is Denied operation = READ from host = 10.0.0.1 on resource = \
///     Topic:LITERAL:orders for request = Fetch with resourceRefCount = 1 based on rule DefaultDeny (kafka.authorizer.logger)";
/// let Ok(LogLine::Denied(denial)) = read_line(line) else { panic!() };
/// assert_eq!(denial.question.principal.to_string(), "User:alice");
/// assert_eq!((denial.api.as_deref(), denial.reason.as_deref()), (Some("Fetch"), Some("DefaultDeny")));
/// assert_eq!(denial.question.groups, None);
/// ```
pub fn read_line(line: &str) -> Result<LogLine, LineFault> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(LogLine::Empty);
    }
    if line.len() > MAX_LINE {
        return Err(LineFault::TooLong);
    }
    match (line.find(START), line.find('{')) {
        // A prefix of a log has no braces.
        (None, Some(start)) => read_json(line.get(start..).unwrap_or_default()),
        (Some(plain), Some(start)) if start < plain => {
            read_json(line.get(start..).unwrap_or_default())
        }
        (Some(plain), _) => read_plain(line.get(plain + START.len()..).unwrap_or_default()),
        (None, None) => Err(LineFault::Other),
    }
}

/// Reads a line in Kafka's form, from the principal on.
fn read_plain(text: &str) -> Result<LogLine, LineFault> {
    let text = text.strip_suffix(LOGGER).unwrap_or(text);
    if text.contains(ALLOWED) && !text.contains(DENIED) {
        return Ok(LogLine::Allowed);
    }
    if text.contains(ALLOWED) {
        return Err(LineFault::Twice("operation"));
    }
    let (principal, rest) = part(text, DENIED, "operation")?;
    let (operation, rest) = part(rest, HOST, "host")?;
    let (host, rest) = part(rest, RESOURCE, "resource")?;
    let (resource, rest) = part(rest, REQUEST, "request")?;
    let (api, rest) = part(rest, COUNT, "resourceRefCount")?;
    let (_, rule) = part(rest, RULE, "rule")?;
    // A part in a name before it would have been taken for this one.
    for (mark, name) in [
        (DENIED, "operation"),
        (HOST, "host"),
        (RESOURCE, "resource"),
        (REQUEST, "request"),
        (COUNT, "resourceRefCount"),
        (RULE, "rule"),
        (GROUPS, "groups"),
    ] {
        if text.matches(mark).nth(1).is_some() {
            return Err(LineFault::Twice(name));
        }
    }
    let (rule, groups) = match rule.split_once(GROUPS) {
        Some((rule, list)) => {
            let (list, _) = list.rsplit_once(']').ok_or(LineFault::Missing("groups"))?;
            (rule, Some(groups_of_list(list)))
        }
        None => (rule, None),
    };
    let (resource_type, resource_name) = named_resource(resource)?;
    let question = LoggedQuestion {
        principal: read_principal(principal)?,
        operation: read_operation(operation)?,
        resource_type,
        resource_name: resource_name.to_owned(),
        host: read_host(host),
        is_inexact: false,
        groups,
    };
    Ok(denied(LoggedDenial {
        question: with_exactness(question),
        api: Some(api.to_owned()),
        reason: Some(rule.to_owned()),
        acl: None,
        left_out: 0,
    }))
}

fn denied(denial: LoggedDenial) -> LogLine {
    LogLine::Denied(Box::new(denial))
}

/// The text before a mark, and the text after it.
fn part<'a>(
    text: &'a str,
    mark: &str,
    name: &'static str,
) -> Result<(&'a str, &'a str), LineFault> {
    text.split_once(mark).ok_or(LineFault::Missing(name))
}

/// The groups of a list such as `a, b, and 3 more`.
fn groups_of_list(list: &str) -> LoggedGroups {
    let mut groups = LoggedGroups {
        names: Vec::new(),
        omitted: 0,
    };
    for name in list.split(", ") {
        let more = name.strip_prefix("and ");
        let more = more.and_then(|more| more.strip_suffix(" more")?.parse().ok());
        match more {
            Some(more) => groups.omitted = more,
            None if name.is_empty() => {}
            None => groups.names.push(name.to_owned()),
        }
    }
    groups
}

/// A resource such as `Topic:LITERAL:orders`.
fn named_resource(text: &str) -> Result<(ResourceType, &str), LineFault> {
    let unknown = || LineFault::Unknown("resource", text.to_owned());
    let (kind, rest) = text.split_once(':').ok_or_else(unknown)?;
    // Older versions write no type of the pattern.
    let name = rest
        .strip_prefix("LITERAL:")
        .or_else(|| rest.strip_prefix("PREFIXED:"))
        .unwrap_or(rest);
    Ok((read_resource_type(kind)?, name))
}

fn read_resource_type(text: &str) -> Result<ResourceType, LineFault> {
    text.parse()
        .map_err(|_| LineFault::Unknown("resource", text.to_owned()))
}

fn read_operation(text: &str) -> Result<Operation, LineFault> {
    text.parse()
        .map_err(|_| LineFault::Unknown("operation", text.to_owned()))
}

/// A principal of a connection: a user, or one of another type.
fn read_principal(text: &str) -> Result<Principal, LineFault> {
    let unknown = || LineFault::Unknown("principal", text.to_owned());
    match Principal::parse(text) {
        Ok(principal) if matches!(principal.kind(), PrincipalType::User | PrincipalType::Other) => {
            Ok(principal)
        }
        Err(PrincipalError::UnknownType(kind)) if !kind.is_empty() => {
            Ok(Principal::new(PrincipalType::Other, text))
        }
        _ => Err(unknown()),
    }
}

/// An address; a log can write its interface after it, and a slash before it.
fn read_host(text: &str) -> Option<IpAddr> {
    let text = text.trim_start_matches('/');
    let text = text.split_once('%').map_or(text, |(address, _)| address);
    Host::parse_address(text).ok()
}

/// The question, with whether a name of it was escaped or shortened.
fn with_exactness(question: LoggedQuestion) -> LoggedQuestion {
    let is_inexact = |name: &str| {
        name.contains("\\u{") || (name.ends_with("...") && name.chars().count() > SHORTENED)
    };
    let groups = question.groups.as_ref();
    let groups = groups.map_or(&[][..], |groups| &groups.names);
    let is_inexact = is_inexact(question.principal.name())
        || is_inexact(&question.resource_name)
        || groups.iter().any(|group| is_inexact(group));
    LoggedQuestion {
        is_inexact,
        ..question
    }
}

/// Reads a JSON object; a log can write its logger after it.
fn read_json(text: &str) -> Result<LogLine, LineFault> {
    let text = text.strip_suffix(LOGGER).unwrap_or(text);
    let Ok(Value::Object(object)) = json::parse(text) else {
        let why = match json::parse(text) {
            Err(error) => error.to_string(),
            Ok(_) => String::new(),
        };
        return Err(LineFault::NotJson(why));
    };
    let members = Members(&object);
    let outcome = members.text(&["event", "decision", "outcome", "result"]);
    if outcome.is_some_and(|outcome| outcome.to_ascii_lowercase().starts_with("allow")) {
        return Ok(LogLine::Allowed);
    }
    let principal = match (members.text(&["principal"]), members.text(&["user"])) {
        (Some(principal), _) if principal.contains(':') => read_principal(principal)?,
        // A bare name can have a colon.
        (_, Some(user)) if user.starts_with("User:") => read_principal(user)?,
        (Some(user), _) | (None, Some(user)) => read_principal(&format!("User:{user}"))?,
        (None, None) => return Err(LineFault::Missing("principal")),
    };
    let operation = members
        .text(&["operation", "action"])
        .ok_or(LineFault::Missing("operation"))?;
    let (resource_type, resource_name) = members.resource()?;
    let host = members.text(&["host", "client_host", "client_address", "address", "ip"]);
    let question = LoggedQuestion {
        principal,
        groups: members.groups(),
        operation: read_operation(operation)?,
        resource_type,
        resource_name,
        host: host.and_then(read_host),
        is_inexact: false,
    };
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Ok(denied(LoggedDenial {
        question: with_exactness(question),
        api: owned(members.text(&["api", "request", "api_request"])),
        reason: owned(members.text(&["reason", "rule", "based_on_rule"])),
        acl: owned(members.acl()),
        left_out: members.number(&["left_out"]),
    }))
}

/// The members of a JSON object, whose names can be written as `resource_name`, `resourceName` or
/// `resource-name`.
struct Members<'a>(&'a Map<String, Value>);

impl<'a> Members<'a> {
    fn get(&self, names: &[&str]) -> Option<&'a Value> {
        for name in names {
            for (member, value) in self.0 {
                if is_same_name(member, name) && !value.is_null() {
                    return Some(value);
                }
            }
        }
        None
    }

    fn text(&self, names: &[&str]) -> Option<&'a str> {
        self.get(names)?.as_str()
    }

    fn number(&self, names: &[&str]) -> u64 {
        self.get(names).and_then(Value::as_u64).unwrap_or(0)
    }

    /// The resource: `Topic:LITERAL:orders`, an object, or a type and a name.
    fn resource(&self) -> Result<(ResourceType, String), LineFault> {
        const NAMES: [&str; 2] = ["resource_name", "name"];
        const TYPES: [&str; 2] = ["resource_type", "type"];
        let missing = || LineFault::Missing("resource");
        let of = |members: &Self| {
            let kind = members.text(&TYPES).ok_or_else(missing)?;
            let name = members.text(&NAMES).ok_or_else(missing)?;
            Ok((read_resource_type(kind)?, name.to_owned()))
        };
        match self.get(&["resource"]) {
            Some(Value::Object(resource)) => of(&Members(resource)),
            Some(Value::String(text)) if text.contains(':') => {
                named_resource(text).map(|(kind, name)| (kind, name.to_owned()))
            }
            Some(Value::String(name)) => {
                let kind = self.text(&TYPES).ok_or_else(missing)?;
                Ok((read_resource_type(kind)?, name.clone()))
            }
            _ => of(self),
        }
    }

    fn groups(&self) -> Option<LoggedGroups> {
        let names = match self.get(&["groups"])? {
            Value::Array(values) => {
                let names = values.iter().filter_map(Value::as_str);
                names.map(str::to_owned).collect()
            }
            Value::String(one) => vec![one.clone()],
            _ => return None,
        };
        let omitted = self.number(&["groups_omitted"]);
        Some(LoggedGroups { names, omitted })
    }

    /// The ACL that denies, or the one that nearly allows.
    fn acl(&self) -> Option<&'a str> {
        if let Some(acl) = self.text(&["acl", "deny"]) {
            return Some(acl);
        }
        match self.get(&["near_miss", "nearest", "nearest_acl"])? {
            Value::String(acl) => Some(acl),
            Value::Object(near) => Members(near).text(&["acl"]),
            _ => None,
        }
    }
}

/// Whether two names of members are the same but for letter case and separators.
fn is_same_name(member: &str, name: &str) -> bool {
    let letters = |text: &str| -> String {
        let letters = text.chars().filter(|letter| !matches!(letter, '_' | '-'));
        letters.map(|letter| letter.to_ascii_lowercase()).collect()
    };
    member.len() <= 2 * name.len() && letters(member) == letters(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "Principal = User:bob is Denied operation = DESCRIBE from host = 127.0.0.1 on resource = Topic:LITERAL:orders \
        for request = Metadata with resourceRefCount = 1 based on rule DefaultDeny";

    fn denial(line: &str) -> LoggedDenial {
        match read_line(line) {
            Ok(LogLine::Denied(denial)) => *denial,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn fault(line: &str) -> LineFault {
        read_line(line).expect_err(line)
    }

    #[test]
    fn the_groups_of_the_plugin_are_read() {
        let groups = |list: &str| {
            let line = format!("{LINE} with groups = [{list}]");
            denial(&line).question.groups.expect("groups")
        };
        assert_eq!(groups("staff, eng").names, ["staff", "eng"]);
        assert_eq!(groups("").names, [""; 0]);
        let more = groups("a, and 12 more");
        assert_eq!(
            (more.names.as_slice(), more.omitted),
            (&["a".into()][..], 12)
        );
    }

    #[test]
    fn a_name_cannot_pretend_to_be_another_part() {
        let forged = LINE.replace(
            "Topic:LITERAL:orders",
            "Group:LITERAL:x for request = Fetch",
        );
        assert_eq!(fault(&forged), LineFault::Twice("request"));
        let forged = LINE.replace(
            "User:bob",
            "User:eve is Denied operation = READ from host = 1.1.1.1",
        );
        assert_eq!(fault(&forged), LineFault::Twice("operation"));
        let forged = LINE.replace("User:bob", "User:eve is Allowed operation = READ");
        assert_eq!(fault(&forged), LineFault::Twice("operation"));
        let forged = format!("{LINE} with groups = [a] with groups = [admin]");
        assert_eq!(fault(&forged), LineFault::Twice("groups"));
    }

    #[test]
    fn every_resource_and_operation_of_kafka_is_read() {
        for (word, kind) in [
            ("Topic", ResourceType::Topic),
            ("Group", ResourceType::Group),
            ("Cluster", ResourceType::Cluster),
            ("TransactionalId", ResourceType::TransactionalId),
            ("DelegationToken", ResourceType::DelegationToken),
            ("User", ResourceType::User),
        ] {
            let line = LINE.replace("Topic:", &format!("{word}:"));
            assert_eq!(denial(&line).question.resource_type, kind);
        }
        for word in [
            "IDEMPOTENT_WRITE",
            "DESCRIBE_CONFIGS",
            "CREATE_TOKENS",
            "AlterConfigs",
        ] {
            let _ = denial(&LINE.replace("DESCRIBE", word));
        }
        let fault = fault(&LINE.replace("DESCRIBE", "PEEK"));
        assert_eq!(fault, LineFault::Unknown("operation", "PEEK".into()));
    }

    #[test]
    fn names_of_members_are_read_leniently() {
        let ours = r#"{"event":"denied","reason":"no_match","principal":"User:bob","groups":["staff"],"groups_omitted":2,
            "operation":"describe_configs","resource_type":"topic","resource_name":"orders","host":"10.0.0.1","api":"Fetch",
            "near_miss":{"differs":"host","acl":"Allow Read, topic orders"},"left_out":4}"#;
        let read = denial(ours);
        assert_eq!(
            (read.left_out, read.acl.as_deref()),
            (4, Some("Allow Read, topic orders"))
        );
        assert_eq!(read.question.groups.expect("groups").omitted, 2);
        let other = r#"INFO {"user":"bob","Operation":"Read","resource":{"type":"Topic","name":"orders"},"clientAddress":"::1"}"#;
        let read = denial(other);
        assert_eq!(read.question.principal, Principal::user("bob"));
        assert_eq!(
            (read.question.groups, read.question.host.is_some()),
            (None, true)
        );
    }

    #[test]
    fn what_is_no_denial_is_said() {
        assert_eq!(read_line("  "), Ok(LogLine::Empty));
        let allowed = LINE.replace("Denied", "Allowed");
        assert_eq!(read_line(&allowed), Ok(LogLine::Allowed));
        assert_eq!(fault("Starting"), LineFault::Other);
        assert_eq!(
            fault("Principal = User:bob is Denied operation = READ"),
            LineFault::Missing("host")
        );
        assert_eq!(fault(&"x".repeat(MAX_LINE + 1)), LineFault::TooLong);
        let twice = r#"{"user":"a","user":"b"}"#;
        assert!(matches!(fault(twice), LineFault::NotJson(_)));
        assert_eq!(
            fault(&LINE.replace("User:bob", "Group:eng")),
            LineFault::Unknown("principal", "Group:eng".into())
        );
    }

    #[test]
    fn an_escaped_name_is_known_as_such() {
        assert!(
            denial(&LINE.replace("bob", "b\\u{1b}b"))
                .question
                .is_inexact
        );
        let long = format!("{}...", "x".repeat(SHORTENED));
        assert!(denial(&LINE.replace("orders", &long)).question.is_inexact);
        assert!(!denial(LINE).question.is_inexact);
    }
}

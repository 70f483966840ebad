//! A check as a link or file, with the user, groups and request, never the token.

use gbac_analysis::check::Query;
use gbac_api::encode::{component, decode};
use gbac_engine::Subject;
use gbac_engine::decide::At;
use gbac_engine::identity::Identity;
use gbac_engine::model::{Host, Operation, ResourceType};
use gbac_json::{check_from_json, check_to_value};
use gbac_words::rich_text::RichText;
use serde_json::{Value, json};

use crate::address;
use crate::simulator::assertion;
use crate::simulator::inputs::{IdentityMode, Inputs};
use crate::simulator::question::AccessRequest;

/// What the fragment begins with.
const MARK: &str = "check=";
/// The longest link that is made: beyond it, browsers and chat programs cut.
pub const LONGEST: usize = 8000;

/// The path and fragment of a check.
pub fn link(identity: &Identity, access: &AccessRequest) -> String {
    let mut check = json!({
        "user": identity.user(),
        "groups": identity.groups(),
        "operation": access.operation.spelling().cli,
        "type": access.resource_type.spelling().cli,
        "name": access.resource_name,
    });
    if let (Some(host), Value::Object(members)) = (access.host, &mut check) {
        members.insert("host".into(), json!(host.to_string()));
    }
    format!(
        "{}#{MARK}{}",
        address::SIMULATOR,
        component(&check.to_string())
    )
}

/// What a link came with.
pub enum Opened {
    /// A check to enter; it takes nothing of what is there.
    Check(Box<Inputs>),
    /// Something that no link of this page says.
    Unreadable,
}

/// Reads a fragment without its `#`; none where it is not of a check.
pub fn open(fragment: &str) -> Option<Opened> {
    let text = fragment.strip_prefix(MARK)?;
    Some(read(text).map_or(Opened::Unreadable, |inputs| Opened::Check(Box::new(inputs))))
}

/// A check as a file, and a name for it: one line, which `gbac check --checks` answers too.
pub fn file(identity: &Identity, access: &AccessRequest) -> (String, String) {
    let check = check_to_value(identity, &access.request(At::IgnoringExpiry));
    let name = assertion::file_name(&format!("{} {}", identity.user(), access.deed().plain()));
    (format!("{name}.check.json"), format!("{check}\n"))
}

/// Reads such a file.
///
/// # Errors
/// What is wrong with it.
pub fn open_file(text: &str) -> Result<Inputs, RichText> {
    let check = check_from_json(text.trim())
        .map_err(|problems| RichText::message(&problems.to_string()))?;
    let Subject::Names { user, groups } = check.subject else {
        return Err(
            "Only checks with a user and groups can be opened. Paste a token in its own field."
                .into(),
        );
    };
    let Query::Access {
        operation,
        resource_type,
        resource_name,
    } = check.query
    else {
        return Err(
            "Only checks of one operation on one resource can be opened. This is an API request."
                .into(),
        );
    };
    // A group is a line of its field.
    if groups.iter().any(|name| name.contains(['\n', '\r'])) {
        return Err("A group name contains a line break, which can't be entered.".into());
    }
    Ok(Inputs {
        mode: IdentityMode::ByHand,
        user,
        groups: groups.join("\n"),
        operation,
        resource_type,
        resource_name,
        host: check.host.map(|host| host.to_string()).unwrap_or_default(),
        ..Inputs::default()
    })
}

fn read(text: &str) -> Option<Inputs> {
    let Ok(Value::Object(check)) = gbac_json::parse(&decode(text).ok()?) else {
        return None;
    };
    let member = |name: &str| check.get(name).and_then(Value::as_str);
    let groups: Option<Vec<&str>> = check
        .get("groups")?
        .as_array()?
        .iter()
        .map(Value::as_str)
        .collect();
    // A group is a line of its field.
    let groups = groups?;
    if groups.iter().any(|name| name.contains(['\n', '\r'])) {
        return None;
    }
    let host = match check.get("host") {
        None => String::new(),
        Some(host) => Host::parse_address(host.as_str()?).ok()?.to_string(),
    };
    Some(Inputs {
        mode: IdentityMode::ByHand,
        user: member("user")?.to_owned(),
        groups: groups.join("\n"),
        operation: member("operation")?.parse::<Operation>().ok()?,
        resource_type: member("type")?.parse::<ResourceType>().ok()?,
        resource_name: member("name")?.to_owned(),
        host,
        ..Inputs::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(host: Option<&str>) -> AccessRequest {
        AccessRequest {
            operation: Operation::Write,
            resource_type: ResourceType::Topic,
            resource_name: "a#b &ü".into(),
            host: host.map(|host| host.parse().unwrap()),
        }
    }

    fn fragment(link: &str) -> &str {
        link.split_once('#').unwrap().1
    }

    #[test]
    fn a_link_opens_as_the_same_check() {
        let identity = Identity::new("maya", ["/eng/a", "b,c", "日本 %"]);
        let link = link(&identity, &access(Some("10.0.0.1")));
        assert!(
            link.starts_with("/security/simulator#check=")
                && link.is_ascii()
                && !link.contains(' '),
            "{link}"
        );
        let Some(Opened::Check(inputs)) = open(fragment(&link)) else {
            panic!("{link}")
        };
        assert!(inputs.mode == IdentityMode::ByHand && inputs.token.is_empty());
        assert_eq!(
            (inputs.user.as_str(), inputs.groups.as_str()),
            ("maya", "/eng/a\nb,c\n日本 %")
        );
        assert_eq!(
            (inputs.resource_name.as_str(), inputs.host.as_str()),
            ("a#b &ü", "10.0.0.1")
        );
        assert_eq!(
            (inputs.operation, inputs.resource_type),
            (Operation::Write, ResourceType::Topic)
        );
    }

    #[test]
    fn a_file_opens_as_the_same_check_and_holds_no_more() {
        let identity = Identity::new("maya", ["/eng/a", "b,c", "日本 %"]);
        let (name, text) = file(&identity, &access(Some("10.0.0.1")));
        assert_eq!(name, "maya-write-to-topic-a-b.check.json");
        assert_eq!(text.lines().count(), 1);
        let inputs = open_file(&text).unwrap();
        assert!(inputs.mode == IdentityMode::ByHand && inputs.token.is_empty());
        assert_eq!(
            (inputs.user.as_str(), inputs.groups.as_str()),
            ("maya", "/eng/a\nb,c\n日本 %")
        );
        assert_eq!(
            (inputs.resource_name.as_str(), inputs.host.as_str()),
            ("a#b &ü", "10.0.0.1")
        );
        let (_, without) = file(&Identity::new("a", ["two\nlines"]), &access(None));
        for wrong in [
            "",
            "[]",
            "{}",
            r#"{"unverified_token":"x","operation":"read","resource_type":"topic","resource_name":"a"}"#,
            &without,
        ] {
            assert!(open_file(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn other_fragments_are_left_and_broken_ones_said() {
        assert!(open("main").is_none() && open("").is_none());
        for text in ["check=", "check=%7B%7D", "check=%zz", "check=%5B%5D"] {
            assert!(matches!(open(text), Some(Opened::Unreadable)), "{text}");
        }
        let broken = Identity::new("a", ["two\nlines"]);
        assert!(matches!(
            open(fragment(&link(&broken, &access(None)))),
            Some(Opened::Unreadable)
        ));
    }
}

//! A check as a link: the user, the groups, the request, and what the verdict rests on; never the
//! token.

use gbac_analysis::{HypotheticalChange, HypotheticalChanges};
use gbac_api::encode::{component, decode};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::identity::Identity;
use gbac_engine::model::{Host, Operation, ResourceType};
use gbac_engine::{Assumption, Coded};
use gbac_json::{HypotheticalChangeJson, hypothetical_changes_from_value};
use gbac_words::pages::simulator as words;
use gbac_words::rich_text::RichText;
use serde_json::{Map, Value, json};

use crate::address;
use crate::simulator::hypothesis::Hypothesis;
use crate::simulator::inputs::{IdentityMode, Inputs, TokenAssumption};
use crate::simulator::question::AccessRequest;

/// What the fragment begins with.
const MARK: &str = "check=";
/// The longest link that is made: beyond it, browsers and chat programs cut.
pub const LONGEST: usize = 8000;
/// The most assumptions that a link can have.
const MOST_ASSUMED: usize = 100;
/// What a link can say.
const MEMBERS: [&str; 7] = [
    "user",
    "groups",
    "operation",
    "type",
    "name",
    "host",
    "assumed",
];
/// The codes of settings that are assumed.
const CLAIM_PATH: &str = "claim_path";
const NESTED_NAMES: &str = "nested_names";
const USER_CLAIM: &str = "user_claim";

/// The path and fragment of a check, with what its verdict rests on.
pub fn check_link(
    identity: &Identity,
    access: &AccessRequest,
    hypotheses: &[Hypothesis],
) -> String {
    let mut check = Map::new();
    check.insert("user".into(), json!(identity.user()));
    check.insert("groups".into(), json!(identity.groups()));
    check.insert("operation".into(), json!(access.operation.spelling().cli));
    check.insert("type".into(), json!(access.resource_type.spelling().cli));
    check.insert("name".into(), json!(access.resource_name));
    if let Some(host) = access.host {
        check.insert("host".into(), json!(host.to_string()));
    }
    if !hypotheses.is_empty() {
        let assumed: Vec<Value> = hypotheses.iter().map(written).collect();
        check.insert("assumed".into(), json!(assumed));
    }
    format!(
        "{}#{MARK}{}",
        address::SIMULATOR,
        component(&Value::Object(check).to_string())
    )
}

/// A hypothesis as a link has it: a change as in `gbac what-if`, or a fact with its value.
fn written(hypothesis: &Hypothesis) -> Value {
    let assumption = match hypothesis {
        Hypothesis::Change(change) => return json!(HypotheticalChangeJson::from(change)),
        Hypothesis::Token(assumption) | Hypothesis::Carried(assumption) => assumption,
    };
    let (fact, value) = match assumption {
        TokenAssumption::Unchecked(fact, entered) => (fact.code(), entered.as_deref()),
        TokenAssumption::ClaimPath(path) => (CLAIM_PATH, Some(path.as_str())),
        TokenAssumption::NestedNames(nested) => (NESTED_NAMES, Some(nested.code())),
        TokenAssumption::UserClaim(mapping) => (USER_CLAIM, Some(mapping.as_str())),
    };
    match value {
        Some(value) => json!({ "fact": fact, "value": value }),
        None => json!({ "fact": fact }),
    }
}

/// What a link came with.
pub enum Opened {
    /// A check to enter, and the changes to try; it takes nothing of what is there.
    Check(Box<Inputs>, HypotheticalChanges),
    /// What it says that this version does not know. Without it, the verdict would be another one.
    Unknown(RichText),
    /// Something that no link of this page says.
    Unreadable,
}

/// Reads a fragment without its `#`; none where it is not of a check.
pub fn open_link(fragment: &str) -> Option<Opened> {
    let text = fragment.strip_prefix(MARK)?;
    let Some(check) = object(text) else {
        return Some(Opened::Unreadable);
    };
    if let Some(unknown) = check.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
        return Some(Opened::Unknown(words::unknown_in_link(unknown)));
    }
    let Some(mut inputs) = read_check(&check) else {
        return Some(Opened::Unreadable);
    };
    Some(match read_assumed(&check, &mut inputs) {
        Ok(trials) => Opened::Check(Box::new(inputs), trials),
        Err(refused) => refused,
    })
}

fn object(text: &str) -> Option<Map<String, Value>> {
    match gbac_json::parse(&decode(text).ok()?) {
        Ok(Value::Object(check)) => Some(check),
        _ => None,
    }
}

fn read_check(check: &Map<String, Value>) -> Option<Inputs> {
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

/// Reads what the verdict rests on: changes to try, and what the names came with.
fn read_assumed(
    check: &Map<String, Value>,
    inputs: &mut Inputs,
) -> Result<HypotheticalChanges, Opened> {
    let mut trials = HypotheticalChanges::default();
    let assumed = match check.get("assumed") {
        None => return Ok(trials),
        Some(Value::Array(assumed)) if assumed.len() <= MOST_ASSUMED => assumed,
        Some(_) => return Err(Opened::Unreadable),
    };
    for one in assumed {
        match (one.get("fact"), one.get("change")) {
            (Some(Value::String(fact)), None) => inputs.carried.push(read_fact(fact, one)?),
            (None, Some(Value::String(kind))) => {
                trials.add(read_change(kind, one)?);
            }
            _ => return Err(Opened::Unreadable),
        }
    }
    Ok(trials)
}

fn read_fact(fact: &str, one: &Value) -> Result<TokenAssumption, Opened> {
    let value = match one.get("value") {
        None => None,
        Some(Value::String(value)) => Some(value.clone()),
        Some(_) => return Err(Opened::Unreadable),
    };
    if let Some(fact) = Assumption::from_code(fact) {
        return Ok(TokenAssumption::Unchecked(fact, value));
    }
    let value = value.ok_or(Opened::Unreadable);
    match fact {
        CLAIM_PATH => Ok(TokenAssumption::ClaimPath(value?)),
        USER_CLAIM => Ok(TokenAssumption::UserClaim(value?)),
        NESTED_NAMES => {
            let value = value?;
            match NestedGroupBehavior::from_code(&value) {
                Some(nested) => Ok(TokenAssumption::NestedNames(nested)),
                None => Err(Opened::Unknown(words::unknown_in_link(&value))),
            }
        }
        unknown => Err(Opened::Unknown(words::unknown_in_link(unknown))),
    }
}

fn read_change(kind: &str, one: &Value) -> Result<HypotheticalChange, Opened> {
    let known = gbac_json::POLICY_CHANGES
        .iter()
        .chain(&gbac_json::PROVIDER_CHANGES);
    if !known.clone().any(|known| *known == kind) {
        return Err(Opened::Unknown(words::unknown_in_link(kind)));
    }
    let read = hypothetical_changes_from_value(&json!([one]));
    let changes = read.map_err(|_| Opened::Unreadable)?;
    changes
        .as_slice()
        .first()
        .cloned()
        .ok_or(Opened::Unreadable)
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::Principal;
    use gbac_engine::policy::Change;

    use super::*;
    use crate::simulator::hypothesis;
    use crate::simulator::pipeline;
    use crate::simulator::token::Expected;

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

    fn opened(check: &Value) -> Opened {
        open_link(&format!("{MARK}{}", component(&check.to_string()))).unwrap()
    }

    #[test]
    fn a_link_opens_as_the_same_check() {
        let identity = Identity::new("maya", ["/eng/a", "b,c", "日本 %"]);
        let link = check_link(&identity, &access(Some("10.0.0.1")), &[]);
        assert!(
            link.starts_with("/security/simulator#check=")
                && link.is_ascii()
                && !link.contains(' '),
            "{link}"
        );
        let Some(Opened::Check(inputs, trials)) = open_link(fragment(&link)) else {
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
        assert!(inputs.carried.is_empty() && trials.as_slice().is_empty());
    }

    /// The plugin for Kafka writes such links into its log; a test of it compares them with the file.
    #[test]
    fn links_of_denials_in_kafka_open_as_the_request() {
        let links = include_str!("../../../../kafka/src/test/resources/console-links.txt");
        let expected = [
            ("maya", "/eng/a\nb,c\n日本 %", "a#b &ü", "10.0.0.1"),
            ("\"}\\#?&=+/%00", "", "..", "2001:db8::1"),
            ("\u{202e}\u{7}", "\"\n'\n<script>\n😀", "\u{2028}", "::1"),
        ];
        assert_eq!(links.lines().count(), expected.len());
        for (link, (user, groups, name, host)) in links.lines().zip(expected) {
            let path = link.strip_prefix("https://gbac.example.com").unwrap();
            assert!(
                path.starts_with(&format!("{}#", address::SIMULATOR)),
                "{link}"
            );
            let Some(Opened::Check(inputs, trials)) = open_link(fragment(link)) else {
                panic!("{link}")
            };
            assert!(inputs.mode == IdentityMode::ByHand && trials.as_slice().is_empty());
            assert_eq!(
                (inputs.user.as_str(), inputs.groups.as_str()),
                (user, groups)
            );
            assert_eq!(
                (inputs.resource_name.as_str(), inputs.host.as_str()),
                (name, host)
            );
            assert_eq!(
                (inputs.operation, inputs.resource_type),
                (Operation::DescribeConfigs, ResourceType::TransactionalId)
            );
        }
    }

    #[test]
    fn assumptions_go_with_the_link_and_come_back() {
        let member = Principal::group("eng");
        let of_token = [
            TokenAssumption::Unchecked(Assumption::Issuer, Some("https://acme.okta.com".into())),
            TokenAssumption::Unchecked(Assumption::Expiry, None),
            TokenAssumption::Unchecked(Assumption::Signature, None),
            TokenAssumption::ClaimPath("$.roles".into()),
            TokenAssumption::NestedNames(NestedGroupBehavior::Suffix),
            TokenAssumption::UserClaim("$.email".into()),
        ];
        let mut hypotheses: Vec<_> = of_token.into_iter().map(Hypothesis::Token).collect();
        for change in [
            HypotheticalChange::Leave("staff".into()),
            HypotheticalChange::Policy(Change::RemoveMember {
                role: "Freeze".into(),
                member,
            }),
        ] {
            hypotheses.push(Hypothesis::Change(change));
        }
        let identity = Identity::new("maya", ["eng"]);
        let link = check_link(&identity, &access(None), &hypotheses);
        let Some(Opened::Check(inputs, trials)) = open_link(fragment(&link)) else {
            panic!("{link}")
        };
        assert_eq!(trials.as_slice().len(), 2);
        let expected = Expected::read("", "", &Default::default());
        let rules = crate::simulator::identity::RulesInForce::read(None, None, &Default::default());
        let nothing = crate::simulator::token::read("", false);
        let who = pipeline::identity(&inputs.identity(), &nothing, None, &rules);
        let settings = gbac_engine::policy::Settings::default();
        let carried = hypothesis::of_token(
            who.as_deref(),
            &inputs.carried,
            &expected,
            None,
            false,
            None,
            &settings,
        );
        let words = |all: &[Hypothesis]| -> Vec<String> {
            let words = all.iter().map(|one| one.words().short.plain());
            words.collect()
        };
        assert_eq!(words(&carried), words(&hypotheses[..6]));
        // A link of what a link brought says the same.
        let mut again = carried;
        again.extend(trials.as_slice().iter().cloned().map(Hypothesis::Change));
        assert_eq!(check_link(&identity, &access(None), &again), link);
    }

    #[test]
    fn what_is_unknown_is_named_and_refused() {
        let with = |assumed: Value| {
            json!({ "user": "a", "groups": [], "operation": "read", "type": "topic", "name": "x",
                "assumed": assumed })
        };
        for (check, named) in [
            (with(json!([{ "fact": "device" }])), "device"),
            (with(json!([{ "change": "freeze" }])), "freeze"),
            (
                with(json!([{ "fact": "nested_names", "value": "both" }])),
                "both",
            ),
            (json!({ "user": "a", "quota": 1 }), "quota"),
        ] {
            let Opened::Unknown(words) = opened(&check) else {
                panic!("{check}")
            };
            assert!(words.plain().contains(named), "{}", words.plain());
        }
        for broken in [
            json!(7),
            json!([7]),
            json!([{ "fact": "claim_path" }]),
            json!([{ "fact": "expiry", "value": 7 }]),
            json!([{ "fact": "expiry", "change": "freeze" }]),
            json!([{ "change": "add_to_group" }]),
            json!(vec![json!({ "fact": "expiry" }); MOST_ASSUMED + 1]),
        ] {
            let check = with(broken);
            assert!(matches!(opened(&check), Opened::Unreadable), "{check}");
        }
    }

    #[test]
    fn other_fragments_are_left_and_broken_ones_said() {
        assert!(open_link("main").is_none() && open_link("").is_none());
        for text in ["check=", "check=%7B%7D", "check=%zz", "check=%5B%5D"] {
            assert!(
                matches!(open_link(text), Some(Opened::Unreadable)),
                "{text}"
            );
        }
        let broken = Identity::new("a", ["two\nlines"]);
        assert!(matches!(
            open_link(fragment(&check_link(&broken, &access(None), &[]))),
            Some(Opened::Unreadable)
        ));
    }
}

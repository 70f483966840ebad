//! Tests of search results and answers.

use std::sync::Arc;

use gbac_analysis::provider::AcceptedTokens;
use gbac_engine::model::Principal;
use gbac_engine::policy::Policy;
use gbac_json::policy_from_value;
use gbac_words::rich_text::RichText;
use serde_json::{Value, json};

use crate::search::{
    AnswerContext, AnswerMark, IdentityOrigin, KnownIdentity, SearchAnswer, SearchIndex,
    SearchResults, SearchTarget, find,
};
use crate::simulator::inputs::{IdentityMode, Inputs};

fn acl(principal: &str, permission: &str, operation: &str, name: &str, pattern: &str) -> Value {
    json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name,
        "resource_pattern_type": format!("RESOURCE_PATTERN_TYPE_{pattern}"), "principal": principal, "host": "*",
        "operation": format!("OPERATION_{operation}"), "permission_type": format!("PERMISSION_TYPE_{permission}") })
}

fn policy() -> Arc<Policy> {
    let member = |name: &str| json!({ "principal": name });
    let document = json!({ "version": 1, "settings": { "superusers": ["root"] },
        "roles": [
            { "name": "OrdersWriters", "members": [member("Group:/orders/writers")] },
            { "name": "OrdersReaders", "members": [member("Group:/data/analysts"), member("User:maya.okafor")] },
            { "name": "Empty" }],
        "acls": [
            acl("Role:OrdersWriters", "ALLOW", "WRITE", "orders-", "PREFIXED"),
            acl("Role:OrdersReaders", "ALLOW", "READ", "orders-", "PREFIXED"),
            acl("Group:/data/analysts", "DENY", "WRITE", "orders-archive", "LITERAL"),
            acl("User:maya.okafor", "ALLOW", "READ", "clickstream", "LITERAL"),
            acl("User:mayan", "ALLOW", "READ", "ruins", "LITERAL")] });
    Arc::new(policy_from_value(&document).unwrap())
}

const NOW: f64 = 1_795_243_000.0;

fn with_context<T>(
    known: &[Inputs],
    has_draft: bool,
    ask: impl FnOnce(&AnswerContext<'_>) -> T,
) -> T {
    let (policy, accepted) = (policy(), AcceptedTokens::default());
    let index = SearchIndex::new(&policy);
    let read = |inputs: &Inputs| {
        KnownIdentity::read(
            inputs,
            IdentityOrigin::Simulator,
            &policy,
            &accepted,
            NOW,
            None,
        )
    };
    let known: Vec<KnownIdentity> = known.iter().filter_map(read).collect();
    ask(&AnswerContext {
        policy: &policy,
        index: &index,
        known: &known,
        accepted: &accepted,
        verifier: None,
        now: NOW,
        has_draft,
    })
}

fn maya(groups: &str) -> Inputs {
    Inputs {
        mode: IdentityMode::ByHand,
        user: "maya.okafor".into(),
        groups: groups.into(),
        ..Inputs::default()
    }
}

fn found(typed: &str) -> SearchResults {
    with_context(&[], false, |context| find(typed, context))
}

fn answered(typed: &str, known: &[Inputs]) -> SearchAnswer {
    with_context(known, false, |context| find(typed, context))
        .answer
        .unwrap()
}

/// The results as text: the group, then its labels.
fn lines(results: &SearchResults) -> Vec<String> {
    let group = |group: &super::SearchGroup| {
        let labels: Vec<String> = group.items.iter().map(|item| item.label.plain()).collect();
        format!("{}: {}", group.title, labels.join(", "))
    };
    results.groups.iter().map(group).collect()
}

fn said(answer: &SearchAnswer) -> (AnswerMark, String) {
    let lines: Vec<String> = answer.lines.iter().map(RichText::plain).collect();
    (
        answer.mark,
        format!("{}: {}. {}", answer.title, answer.reason, lines.join(" ")),
    )
}

#[test]
fn names_of_every_kind_are_found() {
    assert_eq!(
        lines(&found("orders")),
        [
            "Principals: Group:/orders/writers",
            "Roles: OrdersReaders, OrdersWriters",
            "Topics: orders-, orders-archive",
            "Actions: Create role orders",
        ]
    );
    // Scattered letters come last.
    assert_eq!(lines(&found("orderswriters"))[0], "Roles: OrdersWriters");
    assert_eq!(
        lines(&found("group:ord")),
        ["Principals: Group:/orders/writers"]
    );
    assert_eq!(lines(&found("role:ordw")), ["Roles: OrdersWriters"]);
    assert!(lines(&found("expo")).contains(&"Pages: Import and export".into()));
    assert!(lines(&found("dark")).contains(&"Actions: Switch theme, Create role dark".into()));
    assert_eq!(
        found("")
            .groups
            .iter()
            .map(|group| group.title)
            .collect::<Vec<_>>(),
        ["Pages", "Actions"]
    );
    // A review is found only while there is a draft.
    let of_review =
        |has_draft| with_context(&[], has_draft, |context| lines(&find("review", context)));
    assert!(of_review(true).contains(&"Pages: Review".into()));
    assert!(
        !of_review(false)
            .iter()
            .any(|line| line.starts_with("Pages"))
    );
}

#[test]
fn results_lead_to_their_pages() {
    let targets = |typed: &str| {
        found(typed)
            .targets()
            .into_iter()
            .cloned()
            .collect::<Vec<_>>()
    };
    let address = |text: &str| SearchTarget::Address(text.into());
    assert_eq!(
        targets("orderswriters")[0],
        address("/security/roles/OrdersWriters/details")
    );
    assert_eq!(
        targets("mayan")[0],
        address("/security/permissions?search=%5EUser%3Amayan%24")
    );
    assert_eq!(
        targets("orders-archive")[0],
        address("/security/permissions/who-can?operation=read&type=topic&name=orders-archive")
    );
    assert!(targets("orders-").contains(&address(
        "/security/permissions/who-can?operation=read&type=topic&pattern=prefixed&name=orders-"
    )));
    assert_eq!(
        targets("create role New")[0],
        SearchTarget::CreateRole(String::new())
    );
    assert_eq!(
        targets("create role New")[1],
        SearchTarget::CreateRole("New".into())
    );
    let member = Principal::group("/data/analysts");
    assert_eq!(
        targets("assign analysts to writers"),
        [SearchTarget::Assign {
            role: "OrdersWriters".into(),
            member
        }]
    );
    // Already a member, and no principal of a role.
    assert!(
        !targets("assign analysts to readers")
            .iter()
            .any(|target| matches!(target, SearchTarget::Assign { .. }))
    );
    assert!(
        !targets("add Role:Empty to readers")
            .iter()
            .any(|target| matches!(target, SearchTarget::Assign { .. }))
    );
}

#[test]
fn what_is_not_understood_says_what_can_be_asked_and_creates_nothing() {
    for typed in [
        "what can maya.okafor read?",
        "who reads orders",
        "maya.okafor needs clickstream quickly",
        "give me a policy",
        "does this work",
        "orderz?",
        "can maya frobnicate orders",
    ] {
        let results = found(typed);
        let is_creation = |target: &&SearchTarget| matches!(target, SearchTarget::CreateRole(_));
        assert!(!results.targets().iter().any(is_creation), "{typed}");
        let answer = results
            .answer
            .unwrap_or_else(|| panic!("{typed}: no answer"));
        assert_eq!(answer.mark, AnswerMark::Unclear, "{typed}");
        let (_, text) = said(&answer);
        assert!(text.contains("Operations: read, write"), "{typed}: {text}");
    }
    // The names in it are found.
    assert_eq!(
        lines(&found("what can maya.okafor read?"))[0],
        "Principals: User:maya.okafor"
    );
    let (_, text) = said(&answered("give me a policy", &[]));
    assert!(text.starts_with("Not understood: "), "{text}");
    assert!(text.contains("who can read payments-*"), "{text}");
    // Each example is understood.
    for (_, example) in gbac_words::pages::search::EXAMPLES {
        let answer = found(example).answer;
        let is_understood = answer.is_none_or(|answer| answer.title != "Not understood");
        assert!(is_understood, "{example}");
    }
}

#[test]
fn a_question_about_a_user_is_the_simulators_verdict() {
    let (mark, text) = said(&answered("can maya.okafor read clickstream", &[]));
    assert_eq!(mark, AnswerMark::Allow);
    assert!(
        text.starts_with("Yes: Allowed. User:maya.okafor can read topic clickstream. Decided by: "),
        "{text}"
    );
    assert!(
        text.ends_with(
            "No token of this user is open in this tab, so the user’s groups are not included."
        ),
        "{text}"
    );

    // With the groups of the simulator, the deny of one of them decides.
    let known = [maya("/orders/writers\n/data/analysts")];
    let (mark, text) = said(&answered(
        "why can't maya.okafor write orders-archive?",
        &known,
    ));
    assert_eq!(mark, AnswerMark::Deny);
    assert!(
        text.starts_with(
            "No: Denied by rule. User:maya.okafor can't write to topic orders-archive. Decided by: "
        ),
        "{text}"
    );
    assert!(
        text.ends_with(
            "The groups Group:/orders/writers and Group:/data/analysts come from what is entered in the simulator."
        ),
        "{text}"
    );
    // The same inputs go to the simulator, with the request.
    let answer = answered("can maya.okafor write orders-archive", &known);
    let Some((SearchTarget::Simulate(inputs), _)) = &answer.target else {
        panic!("{:?}", answer.target)
    };
    assert_eq!(
        (inputs.groups.as_str(), inputs.resource_name.as_str()),
        ("/orders/writers\n/data/analysts", "orders-archive")
    );
}

#[test]
fn the_name_itself_is_answered_first_and_then_what_contains_it() {
    let known = [maya("/orders/writers\n/data/analysts")];
    let answer = answered("can maya.okafor write orders", &known);
    // No ACL is about the topic `orders`, whatever other names say.
    assert_eq!(
        (answer.mark, answer.title.as_str()),
        (AnswerMark::NoRule, "No")
    );
    let first = answer.lines[0].plain();
    assert_eq!(first, "User:maya.okafor can't write to topic orders.");
    let last = answer.lines.last().unwrap().plain();
    assert_eq!(last, "Names and prefixes in ACLs that contain orders:");
    let Some((SearchTarget::Simulate(inputs), _)) = &answer.target else {
        panic!("{:?}", answer.target)
    };
    assert_eq!(inputs.resource_name, "orders");
    let choices: Vec<String> = answer
        .choices
        .iter()
        .map(|choice| format!("{}: {}", choice.words.plain(), choice.detail))
        .collect();
    assert_eq!(
        choices,
        [
            "orders- prefixed: allowed by Role:OrdersWriters",
            "orders-archive literal: denied by Group:/data/analysts"
        ]
    );
    // All that begin with it are one question.
    let answer = answered("can maya.okafor write orders-*", &known);
    assert_eq!(
        (answer.mark, answer.reason.as_str()),
        (AnswerMark::Partly, "Allowed on 1 of 2")
    );
    let first = answer.lines[0].plain();
    assert_eq!(
        first,
        "User:maya.okafor can write to 1 of the 2 topic patterns that match orders-*."
    );
    // `group` says that a group is meant.
    for who in ["group /orders/writers", "Group:/orders/writers"] {
        let answer = answered(&format!("can {who} write orders-eu"), &[]);
        assert_eq!(answer.mark, AnswerMark::Allow, "{who}");
    }
    assert_eq!(
        answered("can root write anything", &[]).mark,
        AnswerMark::Allow
    );
    assert_eq!(
        answered("can stranger write anything", &[]).mark,
        AnswerMark::NoRule
    );
}

#[test]
fn names_that_several_have_are_listed() {
    let answer = answered("can maya write orders", &[]);
    assert_eq!(
        (answer.title.as_str(), answer.reason.as_str()),
        ("Which one?", "2 principals match")
    );
    let targets: Vec<&SearchTarget> = answer.choices.iter().map(|choice| &choice.target).collect();
    assert_eq!(
        targets[0],
        &SearchTarget::Ask("can User:maya.okafor write orders".into())
    );
    // The question that a choice asks has one answer.
    assert_ne!(
        answered("can User:maya.okafor write orders", &[]).mark,
        AnswerMark::Unclear
    );
    assert_eq!(answered("can maya.okafor", &[]).title, "Ask a question");
}

#[test]
fn who_can_is_answered_as_on_its_page() {
    let (mark, text) = said(&answered("who can write orders-archive", &[]));
    assert_eq!(mark, AnswerMark::Listed);
    assert!(
        text.starts_with("2 principals and 1 role: can do this. User:root, "),
        "{text}"
    );
    let answer = answered("who can write orders-*", &[]);
    let (_, text) = said(&answer);
    assert!(
        text.contains("can write to all 2 topic patterns that match orders-*."),
        "{text}"
    );
    assert_eq!(answer.choices.len(), 2);
    let (target, words) = answer.target.unwrap();
    assert_eq!(words, "Open in Who can");
    let expected =
        "/security/permissions/who-can?operation=write&type=topic&pattern=prefixed&name=orders-";
    assert_eq!(target, SearchTarget::Address(expected.into()));
    assert_eq!(
        answered("who can delete clickstream", &[]).mark,
        AnswerMark::Listed,
        "the superuser"
    );
}

#[test]
fn a_draft_is_not_part_of_an_answer() {
    let results = with_context(&[], true, |context| {
        find("can maya.okafor read clickstream", context)
    });
    assert_eq!(
        results.answer.unwrap().lines.last().unwrap().plain(),
        "Your draft is not included."
    );
}

#[test]
fn hostile_names_are_found_and_shown() {
    for typed in [
        "\u{202e}",
        "👩‍👩‍👧",
        "\"",
        "can \" write \"",
        "who can read *",
        "can * write *",
        "a\u{0}b",
        &"x ".repeat(500),
    ] {
        let results = found(typed);
        assert_eq!(
            results.targets().len(),
            results
                .targets()
                .iter()
                .filter(|target| format!("{target:?}").len() < 4_000)
                .count()
        );
    }
}

/// Not timed: ten thousand roles, and what is ranked among them.
#[test]
fn ten_thousand_roles_are_ranked() {
    let roles: Vec<Value> = (0..10_000)
        .map(|number| {
            let team = ["payments", "orders", "billing", "search"][number % 4];
            json!({ "name": format!("team-{number}-{team}Readers"), "members": [{ "principal": format!("Group:/{team}/{number}") }] })
        })
        .collect();
    let policy = Arc::new(policy_from_value(&json!({ "version": 1, "roles": roles })).unwrap());
    let index = SearchIndex::new(&policy);
    let accepted = AcceptedTokens::default();
    let context = AnswerContext {
        policy: &policy,
        index: &index,
        known: &[],
        accepted: &accepted,
        verifier: None,
        now: NOW,
        has_draft: false,
    };
    for typed in ["p", "pa", "pay 77", "ordersreaders 4001", "t4001or", "zzz"] {
        let _ = find(typed, &context);
    }
    let results = find("ordersreaders 4001", &context);
    assert_eq!(lines(&results)[0], "Roles: team-4001-ordersReaders");
    let results = find("payments", &context);
    let roles = results
        .groups
        .iter()
        .find(|group| group.title == "Roles")
        .unwrap();
    assert_eq!((roles.items.len(), roles.more), (5, 2_495));
}

//! Tests of the fixes of a denied request.

use std::sync::Arc;

use gbac_analysis::provider::AcceptedTokens;
use gbac_engine::decide::Outcome;
use gbac_engine::model::{Operation, ResourceType};
use gbac_json::policy_from_value;
use serde_json::{Value, json};

use super::*;
use crate::audit::EventRow;
use crate::simulator::inputs::Inputs;
use crate::simulator::tests::{evaluate, policy};

const NOW: f64 = 1_795_243_000.0;

fn access(operation: Operation, name: &str) -> AccessRequest {
    AccessRequest {
        operation,
        resource_type: ResourceType::Topic,
        resource_name: name.into(),
        host: None,
    }
}

fn list(groups: &[&str], access: &AccessRequest, staged: &[Change]) -> FixList {
    fixes(&policy(), &by_hand("maya", groups), access, staged, None).unwrap()
}

fn by_hand(user: &str, groups: &[&str]) -> SimulatedIdentity {
    let identity = Ok(Arc::new(Identity::new(user, groups.iter().copied())));
    SimulatedIdentity {
        identity,
        origins: Arc::default(),
        taken: None,
    }
}

fn topic_acl(principal: &str, name: &str, pattern: &str) -> Value {
    json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name, "principal": principal, "host": "*",
        "resource_pattern_type": format!("RESOURCE_PATTERN_TYPE_{pattern}"), "operation": "OPERATION_WRITE",
        "permission_type": "PERMISSION_TYPE_ALLOW" })
}

/// A policy in which one role, with one group, can write to a topic.
fn world(settings: &Value, role: &str, group: &str, (name, pattern): (&str, &str)) -> Arc<Policy> {
    let document = json!({
        "version": 1,
        "settings": settings,
        "roles": [{ "name": role, "members": [{ "principal": format!("Group:{group}") }] }],
        "acls": [topic_acl(&format!("Role:{role}"), name, pattern)],
    });
    Arc::new(policy_from_value(&document).unwrap())
}

/// The fixes of a token with these claims.
fn of_claims(policy: &Arc<Policy>, claims: &Value, name: &str) -> FixList {
    let inputs = Inputs {
        token: claims.to_string(),
        as_claims: true,
        ..Inputs::default()
    };
    let who = evaluate(&inputs, Some(policy), &AcceptedTokens::default(), NOW)
        .who
        .unwrap();
    fixes(policy, &who, &access(Operation::Write, name), &[], None).unwrap()
}

fn sentences(fix: &ListedFix) -> String {
    fix.effect
        .sentences(None, NOW)
        .iter()
        .map(RichText::plain)
        .collect::<Vec<_>>()
        .join(" ")
}

fn told(list: &FixList) -> Vec<(&'static str, Vec<String>)> {
    let of = |section: &FixSection| {
        (
            section.place.title(),
            section
                .fixes
                .iter()
                .map(|fix| fix.title.plain())
                .collect::<Vec<_>>(),
        )
    };
    list.sections.iter().map(of).collect()
}

#[test]
fn fixes_are_listed_where_they_are_made() {
    let write = access(Operation::Write, "payments-new");
    let found = list(&["data"], &write, &[]);
    let expected = [
        (
            "Through groups and roles",
            vec![
                "Assign Group:data to Role:PaymentsWriters".to_owned(),
                "Create a role for Group:data on this topic only".to_owned(),
            ],
        ),
        (
            "In the identity provider",
            vec!["Add the user to Group:payments".to_owned()],
        ),
        (
            "For one user, outside groups",
            vec![
                "Assign User:maya to Role:PaymentsWriters".to_owned(),
                "Add an ACL for User:maya".to_owned(),
            ],
        ),
    ];
    assert_eq!(told(&found), expected);
    assert_eq!(found.about, None);
    let all: Vec<&ListedFix> = found
        .sections
        .iter()
        .flat_map(|section| &section.fixes)
        .collect();
    let about: Vec<String> = all.iter().map(|fix| fix.about.plain()).collect();
    assert_eq!(
        about,
        [
            "1 change. The role already allows Write on topic payments- prefixed.",
            "3 changes. Role:PaymentsNewWriters with Allow Write, topic payments-new literal.",
            "The group is already in Role:PaymentsWriters. Takes effect at the next sign-in.",
            "1 change. The role already allows Write on topic payments- prefixed.",
            "1 change. Allow Write, topic payments-new literal. The user keeps it after a change of teams.",
        ]
    );
    let effect: Vec<String> = all
        .iter()
        .map(|fix| {
            fix.effect
                .sentences(None, 0.0)
                .iter()
                .map(RichText::plain)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(
        effect,
        [
            "Group:data gains Write and Describe on topic payments- prefixed. Other users may hold this group.",
            "Group:data gains Write and Describe on topic payments-new literal. Other users may hold this group.",
            "User:maya gains Write and Describe on topic payments- prefixed.",
            "User:maya gains Write and Describe on topic payments- prefixed.",
            "User:maya gains Write and Describe on topic payments-new literal.",
        ]
    );
    assert_eq!(
        all[2].request.as_deref(),
        Some(
            "Add the user maya to the group payments.\nReason: this user is denied the request \"Write payments-new\", which the group allows.\nThe change takes effect at the next sign-in."
        )
    );
    assert!(
        all.iter()
            .all(|fix| fix.changes.is_empty() == fix.request.is_some())
    );
}

#[test]
fn a_deny_lists_only_what_removes_it() {
    let found = list(
        &["payments", "read-only"],
        &access(Operation::Write, "payments-settled"),
        &[],
    );
    assert_eq!(
        found.about.as_ref().map(RichText::plain).as_deref(),
        Some("A deny blocks this. An added allow changes nothing while it applies.")
    );
    assert_eq!(
        told(&found),
        [
            (
                "Through groups and roles",
                vec!["Remove the deny on topic payments- prefixed for Group:read-only".to_owned()]
            ),
            (
                "In the identity provider",
                vec!["Remove the user from Group:read-only".to_owned()]
            ),
        ]
    );
    let about = found.sections[0].fixes[0].about.plain();
    assert_eq!(
        about,
        "1 change. A deny is usually deliberate: ask whoever wrote it before you remove it. The allow of Role:PaymentsWriters then decides."
    );
    // Without the deny, nothing allows it: the fix does both.
    let both = list(&["read-only"], &access(Operation::Write, "payments-x"), &[]);
    let titles: Vec<String> = told(&both)
        .into_iter()
        .flat_map(|(_, titles)| titles)
        .collect();
    assert_eq!(
        titles[0],
        "Remove the deny on topic payments- prefixed for Group:read-only, and assign Group:read-only to Role:PaymentsWriters"
    );
    assert!(
        titles
            .iter()
            .all(|title| title.starts_with("Remove the deny")),
        "{titles:?}"
    );
}

#[test]
fn a_fix_stays_in_the_list_while_it_is_in_the_draft() {
    let write = access(Operation::Write, "payments-new");
    let before = list(&["data"], &write, &[]);
    let create = &before.sections[0].fixes[1];
    assert_eq!(create.staged(&[]), None);
    assert_eq!(create.staged(&create.changes), Some(0));
    assert_eq!(create.staged(&create.changes[..2]), None);
    // It keeps its name while it is staged, and leaves a name to another role of the draft.
    assert_eq!(list(&["data"], &write, &create.changes), before);
    let other = [Change::CreateRole("PaymentsNewWriters".into())];
    let renamed = list(&["data"], &write, &other);
    assert!(
        renamed.sections[0].fixes[1]
            .about
            .plain()
            .contains("Role:PaymentsNewWriters2")
    );
    // A manual fix is in no draft.
    assert_eq!(before.sections[1].fixes[0].staged(&[]), None);
}

#[test]
fn a_fix_is_narrowed_in_place() {
    let (policy, who) = (policy(), by_hand("maya", &["data"]));
    let write = access(Operation::Write, "payments-new");
    let found = list(&["data"], &write, &[]);
    let create = &found.sections[0].fixes[1];
    let opened = |fix: &ListedFix| breadth::opening(&fix.opening).plain();
    let labels = |fix: &ListedFix| -> Vec<String> {
        let choices = fix.choices.iter();
        choices.map(|choice| choice.label.clone()).collect()
    };
    assert_eq!(
        labels(create),
        ["payments-new", "payments- prefix", "every topic"]
    );
    // A role that exists allows what it allows.
    assert_eq!(labels(&found.sections[0].fixes[0]), [""; 0]);
    assert_eq!(opened(create), "one topic, payments-new");
    assert_eq!(
        create.on_choice(0, &policy, &who, &write).as_ref(),
        Some(create)
    );
    let prefix = create.on_choice(1, &policy, &who, &write).unwrap();
    assert_eq!(
        prefix.title.plain(),
        "Create a role for Group:data on topics that begin with payments-"
    );
    assert_eq!(
        prefix.about.plain(),
        "3 changes. Role:PaymentsWriters2 with Allow Write, topic payments- prefixed."
    );
    assert_eq!(opened(&prefix), "topics that begin with payments-");
    assert_eq!(
        sentences(&prefix),
        "Group:data gains Write and Describe on topic payments- prefixed. Other users may hold this group."
    );
    assert_eq!(
        (prefix.number, labels(&prefix)),
        (create.number, labels(create))
    );
    let every = create.on_choice(2, &policy, &who, &write).unwrap();
    assert_eq!(
        every.title.plain(),
        "Create a role for Group:data on every topic"
    );
    assert!(every.opening.is_wide() && !prefix.opening.is_wide());
    assert_eq!(create.on_choice(3, &policy, &who, &write), None);
    // Each is found again in the draft, and each allows the request.
    for (place, fix) in [create, &prefix, &every].into_iter().enumerate() {
        assert_eq!(create.staged(&fix.changes), Some(place));
        let mut after = (*policy).clone();
        for change in &fix.changes {
            assert!(after.apply(change.clone()).unwrap(), "{change:?}");
        }
        let identity = Identity::new("maya", ["data"]);
        let decided = decide(&after, &identity, &write.request(At::IgnoringExpiry));
        assert_eq!(decided.outcome, Outcome::Allow, "{}", fix.title.plain());
    }
}

#[test]
fn every_listed_fix_allows_the_request() {
    let policy = policy();
    for groups in [
        vec![],
        vec!["payments"],
        vec!["read-only"],
        vec!["analysts", "read-only", "payments"],
    ] {
        let identity = Identity::new("maya", groups.iter().copied());
        for name in ["payments-settled", "payments-x", "other", "bad name"] {
            let access = access(Operation::Write, name);
            for fix in list(&groups, &access, &[])
                .sections
                .iter()
                .flat_map(|section| &section.fixes)
            {
                let mut after = (*policy).clone();
                for change in &fix.changes {
                    assert!(after.apply(change.clone()).unwrap(), "{change:?}");
                }
                if fix.request.is_none() {
                    let found = decide(&after, &identity, &access.request(At::IgnoringExpiry));
                    assert_eq!(found.outcome, Outcome::Allow, "{:?}", fix.title.plain());
                }
            }
        }
    }
    let allowed = fixes(
        &policy,
        &by_hand("root", &["x"]),
        &access(Operation::Write, "x"),
        &[],
        None,
    )
    .unwrap();
    assert!(allowed.sections.is_empty() && allowed.about.is_some());
}

#[test]
fn fixes_are_counted_and_compared_by_what_they_open() {
    let found = list(&["data"], &access(Operation::Write, "payments-new"), &[]);
    let steps: Vec<(&str, usize)> = found
        .axis
        .iter()
        .map(|step| (step.label.as_str(), step.fixes))
        .collect();
    assert_eq!(
        steps,
        [("One topic", 2), ("A prefix", 3), ("Every topic", 0)]
    );
    let all = found.sections.iter().flat_map(|section| &section.fixes);
    let compared: Vec<Option<&str>> = all.map(|fix| fix.comparison.as_deref()).collect();
    let (less, least) = (Some("Fix 2 opens less."), Some("No fix opens less."));
    assert_eq!(compared, [less, least, less, less, least]);
    // On other names, it is not the one that was compared.
    let write = access(Operation::Write, "payments-new");
    let create = &found.sections[0].fixes[1];
    let prefix = create.on_choice(1, &policy(), &by_hand("maya", &["data"]), &write);
    assert_eq!(prefix.unwrap().comparison, None);
    // One fix alone is not compared.
    let alone = list(
        &["payments", "read-only"],
        &access(Operation::Write, "payments-settled"),
        &[],
    );
    assert!(alone.axis.iter().all(|step| step.label != "Everyone"));
}

/// Everyone who gains or can gain by a fix.
fn affected(fix: &ListedFix) -> Vec<String> {
    let FixEffect::Principals(effects) = &fix.effect else {
        return Vec::new();
    };
    let members = effects.people.iter().filter(|person| !person.is_role());
    members.map(|person| person.holder.to_string()).collect()
}

#[test]
fn every_member_of_a_role_that_a_fix_changes_is_listed() {
    let acl = |principal: &str, name: &str, permission: &str| {
        let mut acl = topic_acl(principal, name, "LITERAL");
        acl["permission_type"] = json!(format!("PERMISSION_TYPE_{permission}"));
        acl
    };
    let members = [
        "Group:data",
        "Group:ops",
        "User:dave",
        "User:eve",
        "User:maya",
    ];
    let members = members.map(|principal| json!({ "principal": principal }));
    let document = json!({
        "version": 1,
        "settings": {},
        "roles": [{ "name": "R", "members": members }],
        "acls": [
            acl("Role:R", "other", "ALLOW"),
            acl("Role:R", "denied", "DENY"),
            acl("User:maya", "denied", "ALLOW"),
        ],
    });
    let policy = policy_from_value(&document).unwrap();
    let listed = |name: &str, title: &str| {
        let write = access(Operation::Write, name);
        let found = fixes(&policy, &by_hand("maya", &["data"]), &write, &[], None).unwrap();
        let mut all = found.sections.into_iter().flat_map(|section| section.fixes);
        all.find(|fix| fix.title.plain().starts_with(title))
            .unwrap()
    };
    let all = [
        "User:dave",
        "User:eve",
        "User:maya",
        "Group:data",
        "Group:ops",
    ];
    let extend = listed("x", "Add an ACL to Role:R");
    assert_eq!(affected(&extend), all);
    assert_eq!(
        sentences(&extend),
        "User:dave, User:eve, User:maya and 2 more gain Write and Describe on topic x literal. Other users may hold these groups."
    );
    assert!(extend.effect.has_more());
    // No group allows it, so the other users gain nothing with any group.
    let remove = listed("denied", "Remove the deny");
    assert_eq!(affected(&remove), ["User:maya", "Group:data", "Group:ops"]);
}

#[test]
fn groups_that_the_provider_left_out_are_the_first_fix() {
    let policy = world(
        &json!({}),
        "PaymentsWriters",
        "payments-team",
        ("payments-", "PREFIXED"),
    );
    let overage = json!({ "sub": "rosa", "exp": NOW + 60.0, "_claim_names": { "groups": "src1" },
        "_claim_sources": { "src1": { "endpoint": "https://graph.example/x" } } });
    let found = of_claims(&policy, &overage, "payments-eu");
    assert_eq!(
        told(&found),
        [
            (
                "The token has no groups",
                vec!["Have the identity provider send the groups in the token".to_owned()]
            ),
            (
                "For one user, outside groups",
                vec![
                    "Assign User:rosa to Role:PaymentsWriters".to_owned(),
                    "Add an ACL for User:rosa".to_owned()
                ]
            ),
        ]
    );
    let first = &found.sections[0].fixes[0];
    let about = first.about.plain();
    assert!(
        about.contains("has a link instead of groups")
            && about.matches("onfigure the identity provider").count() == 1,
        "{about}"
    );
    assert_eq!(
        sentences(first),
        "Allowed once the token has Group:payments-team."
    );
    let request = first.request.as_deref().unwrap();
    let lines: Vec<&str> = request.lines().collect();
    assert_eq!(
        lines[0],
        "Have the access tokens of this application contain the user's groups, as a list of names."
    );
    assert!(
        lines[1].starts_with("Found: ") && lines[1].contains("https://graph.example/x"),
        "{request}"
    );
    assert_eq!(
        lines[2..],
        [
            "Reason: without groups, the user rosa is denied the request \"Write payments-eu\".",
            "The user has to be a member of this group: payments-team.",
            "In Entra ID: in the token configuration, set the groups claim to the groups assigned to the application, assign the group to the application, and send names, not object IDs.",
            "The change takes effect at the next sign-in.",
        ]
    );
    // A list with anything but names is discarded as a whole.
    let objects = json!({ "sub": "rosa", "exp": NOW + 60.0, "groups": [{ "id": 1 }, { "id": 2 }] });
    let found = of_claims(&policy, &objects, "payments-eu");
    assert_eq!(
        told(&found)[0].1,
        ["Have the identity provider send a list of group names"]
    );
    // An empty list is no fault of the token: the user may join.
    let empty = json!({ "sub": "rosa", "exp": NOW + 60.0, "groups": [] });
    assert_eq!(
        told(&of_claims(&policy, &empty, "payments-eu"))[0].1,
        ["Add the user to Group:payments-team"]
    );
}

#[test]
fn another_claim_path_is_a_fix_of_the_settings() {
    let policy = world(
        &json!({}),
        "PaymentsWriters",
        "payments-team",
        ("payments-", "PREFIXED"),
    );
    let claims =
        json!({ "sub": "rosa", "exp": NOW + 60.0, "realm_access": { "roles": ["payments-team"] } });
    let found = of_claims(&policy, &claims, "payments-eu");
    assert_eq!(
        told(&found)[0],
        (
            "The token has no groups",
            vec!["Read groups from $.realm_access.roles".to_owned()]
        )
    );
    let fix = &found.sections[0].fixes[0];
    let about = fix.about.plain();
    assert!(
        about.ends_with("1 change. The token then has 1 group: Group:payments-team. This request is allowed then."),
        "{about}"
    );
    let [Change::Settings(settings)] = fix.changes.as_slice() else {
        panic!("{:?}", fix.changes)
    };
    assert_eq!(
        settings.identity_rules().extraction.source.to_string(),
        "$.realm_access.roles"
    );
    assert!(fix.request.is_none());
    assert_eq!(
        sentences(fix),
        "payments-team gains Write and Describe on topic payments- prefixed: becomes Group:payments-team, a member of Role:PaymentsWriters."
    );
}

#[test]
fn a_group_under_its_path_is_read_by_its_last_part() {
    let policy = world(&json!({}), "OnCall", "oncall", ("incidents", "LITERAL"));
    let claims = json!({ "sub": "sam", "exp": NOW + 60.0, "groups": ["/acme/everyone", "/acme/platform/oncall"] });
    let found = of_claims(&policy, &claims, "incidents");
    assert_eq!(
        found.about.as_ref().map(RichText::plain).as_deref(),
        Some(
            "The user has Group:oncall in the token as /acme/platform/oncall. Groups are read with none, as full paths."
        )
    );
    let told = told(&found);
    assert_eq!(
        told[0].1[0], "Assign Group:/acme/platform/oncall to Role:OnCall",
        "it shares a word with the role"
    );
    assert_eq!(
        told[1],
        (
            "In the settings",
            vec!["Read the last part of group paths (suffix)".to_owned()]
        )
    );
    assert!(
        told.iter()
            .all(|(title, _)| *title != "In the identity provider"),
        "{told:?}"
    );
    let fix = &found.sections[1].fixes[0];
    assert_eq!(
        fix.about.plain(),
        "1 change. /acme/platform/oncall becomes Group:oncall, a member of Role:OnCall. It applies to every token, from the next sign-in."
    );
    assert_eq!(
        sentences(fix),
        "/acme/platform/oncall gains Write and Describe on topic incidents literal: becomes Group:oncall, a member of Role:OnCall."
    );
    let mut after = (*policy).clone();
    assert!(after.apply(fix.changes[0].clone()).unwrap());
    let inputs = Inputs {
        token: claims.to_string(),
        as_claims: true,
        ..Inputs::default()
    };
    let who = evaluate(
        &inputs,
        Some(&Arc::new(after.clone())),
        &AcceptedTokens::default(),
        NOW,
    )
    .who
    .unwrap();
    let request = access(Operation::Write, "incidents");
    let decided = decide(
        &after,
        who.identity.as_ref().unwrap(),
        &request.request(At::IgnoringExpiry),
    );
    assert_eq!(decided.outcome, Outcome::Allow);

    // The same the other way round: the policy names the path, and only the last part is read.
    let suffix = json!({ "nested_group_behavior": "suffix" });
    let policy = world(
        &suffix,
        "OnCall",
        "/acme/platform/oncall",
        ("incidents", "LITERAL"),
    );
    let found = of_claims(&policy, &claims, "incidents");
    let told = self::told(&found);
    assert_eq!(
        told[1],
        (
            "In the settings",
            vec!["Read group paths in full (none)".to_owned()]
        )
    );
    assert!(
        told.iter()
            .all(|(title, _)| *title != "In the identity provider"),
        "{told:?}"
    );
}

#[test]
fn related_groups_come_first_then_those_of_the_fewest_users() {
    let policy = world(&json!({}), "Analysts", "bi", ("analytics-", "PREFIXED"));
    let assigned = |groups: &[&str], seen: Option<&SeenUsers>| -> Vec<String> {
        let write = access(Operation::Write, "analytics-sales");
        let found = fixes(&policy, &by_hand("kim", groups), &write, &[], seen).unwrap();
        let titles = found.sections[0].fixes.iter().map(|fix| fix.title.plain());
        titles.filter(|title| title.starts_with("Assign")).collect()
    };
    let to = |groups: &[&str]| {
        groups
            .iter()
            .map(|group| format!("Assign Group:{group} to Role:Analysts"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        assigned(&["dev", "analytics"], None),
        to(&["analytics", "dev"])
    );
    // Nothing is shared: by the users that were seen, then by name.
    let sign_in = |user: &str, groups: &[&str]| {
        let groups: Vec<_> = groups
            .iter()
            .map(|name| json!({ "type": "idp_group", "name": name }))
            .collect();
        let event = json!({ "class_uid": 3002, "time": NOW * 1000.0, "status_id": 1, "user": { "name": user, "groups": groups } });
        EventRow::read(&event).unwrap()
    };
    let seen = SeenUsers::from_events(&[sign_in("a", &["dev", "ops"]), sign_in("b", &["dev"])]);
    assert_eq!(
        assigned(&["ops", "dev", "all"], None),
        to(&["all", "dev", "ops"])
    );
    assert_eq!(
        assigned(&["ops", "dev", "all"], seen.as_ref()),
        to(&["all", "ops", "dev"])
    );
    assert_eq!(
        assigned(&["dev", "sales"], seen.as_ref()),
        to(&["sales", "dev"])
    );
}

fn sign_in(user: &str, groups: &[&str], time: f64) -> EventRow {
    let groups: Vec<_> = groups
        .iter()
        .map(|name| json!({ "type": "idp_group", "name": name }))
        .collect();
    let event = json!({ "class_uid": 3002, "time": time, "status_id": 1, "user": { "name": user, "groups": groups } });
    EventRow::read(&event).unwrap()
}

#[test]
fn each_user_counts_once() {
    let now = 1_795_243_000.0;
    let at = (now - 20.0 * 86_400.0) * 1000.0;
    let rows = [
        sign_in("maya", &["eng", "data"], at),
        sign_in("maya", &["eng"], at + 5.0),
        sign_in("jonas", &["ops"], at + 9.0),
        sign_in("", &["eng"], at + 9.0),
    ];
    let seen = SeenUsers::from_events(&rows).unwrap();
    let sentence = |groups: &[&str]| {
        seen.sentence(
            &AffectedGroups(groups.iter().map(|group| (*group).to_owned()).collect()),
            now,
        )
    };
    assert_eq!(
        sentence(&["eng"]),
        "1 user was seen with this group since 06:36 UTC on 1 Nov."
    );
    assert_eq!(
        sentence(&["eng", "ops"]),
        "2 users were seen with one of these groups since 06:36 UTC on 1 Nov."
    );
    assert_eq!(
        sentence(&["x"]),
        "No user was seen with this group since 06:36 UTC on 1 Nov."
    );
    assert_eq!(
        ["eng", "ops", "x"].map(|group| seen.number(group)),
        [1, 1, 0]
    );
    let who = |group: &str| seen.who(group, now).plain();
    assert_eq!(
        who("eng"),
        "User:maya was seen with Group:eng since 06:36 UTC on 1 Nov."
    );
    assert_eq!(
        who("x"),
        "No user was seen with Group:x since 06:36 UTC on 1 Nov."
    );
    assert_eq!(SeenUsers::from_events::<EventRow>(&[]), None);
}

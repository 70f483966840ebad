//! Tests of the rows, the filters and the plan.

use std::collections::BTreeSet;

use gbac_engine::model::{Acl, Operation, Principal, ResourceType};
use gbac_engine::policy::{Change, Policy, apply_each};
use gbac_json::{policy_from_json, policy_to_text};

use super::*;

fn allow(who: Principal, operation: Operation, topic: &str) -> Change {
    Change::AddAcl(Acl::allow(who, operation, ResourceType::Topic, topic))
}

fn deny(who: Principal, topic: &str) -> Change {
    Change::AddAcl(Acl::deny(who, Operation::Write, ResourceType::Topic, topic))
}

fn member(role: &str, group: &str) -> Change {
    Change::AddMember {
        role: role.into(),
        member: Principal::group(group),
    }
}

fn policy(changes: &[Change]) -> Policy {
    let mut policy = Policy::default();
    for change in changes {
        policy.apply(change.clone()).unwrap();
    }
    policy
}

/// In A, the role's members write to every topic, and contractors are denied what ops are allowed in
/// both; in B, Ben reads.
fn pair() -> [Policy; 2] {
    let ops = allow(Principal::group("ops"), Operation::Write, "pii");
    let a = policy(&[
        ops.clone(),
        Change::CreateRole("Writers".into()),
        member("Writers", "eng"),
        allow(Principal::role("Writers"), Operation::Write, "*"),
        deny(Principal::group("contractors"), "pii"),
    ]);
    let mut b = policy(&[
        ops,
        allow(Principal::user("ben"), Operation::Read, "orders"),
    ]);
    let mut settings = b.settings().clone();
    settings.superusers.insert("root".into());
    b.apply(Change::Settings(Box::new(settings))).unwrap();
    [a, b]
}

fn compared(policies: &[Policy; 2]) -> ClusterComparison {
    let [a, b] = policies;
    ClusterComparison::new([a, b])
}

fn every(comparison: &ClusterComparison) -> BTreeSet<usize> {
    (0..comparison.rows.len()).collect()
}

fn planned(
    policies: &[Policy; 2],
    direction: ConvergeDirection,
    selected: &BTreeSet<usize>,
) -> ConvergePlan {
    let [a, b] = policies;
    plan(PlanOf {
        policies: [a, b],
        comparison: &compared(policies),
        direction,
        selected,
    })
}

/// The principals of the rows that a filter shows.
fn shown(comparison: &ClusterComparison, filter: &DifferenceFilter) -> Vec<String> {
    let mut shown = Vec::new();
    for place in comparison.shown(filter) {
        let name = match &comparison.rows[place].holder {
            Some(holder) => holder.to_string(),
            None => "a setting".to_owned(),
        };
        if shown.last() != Some(&name) {
            shown.push(name);
        }
    }
    shown
}

#[test]
fn settings_come_first_and_each_principal_has_its_rows() {
    let comparison = compared(&pair());
    let all = shown(&comparison, &DifferenceFilter::default());
    assert_eq!(
        all,
        [
            "a setting",
            "User:ben",
            "User:root",
            "Group:contractors",
            "Group:eng"
        ]
    );
    let places = comparison.shown(&DifferenceFilter::default());
    let groups = comparison.groups(&places);
    assert_eq!(groups.len(), all.len());
    assert_eq!(groups[0].holder, None);
    let RowAccess::Setting { name, values } = &comparison.rows[0].access else {
        panic!("a setting comes first");
    };
    assert_eq!(
        (*name, values[0].as_str(), values[1].as_str()),
        ("superusers", "", "root")
    );
}

#[test]
fn the_filters_show_a_part() {
    let comparison = compared(&pair());
    let side = |side| DifferenceFilter {
        side,
        ..DifferenceFilter::default()
    };
    assert_eq!(
        shown(&comparison, &side(DifferenceSide::OnlyA)),
        ["Group:eng"]
    );
    assert_eq!(
        shown(&comparison, &side(DifferenceSide::OnlyB)),
        ["User:ben", "User:root"]
    );
    assert_eq!(
        shown(&comparison, &side(DifferenceSide::Both)),
        ["a setting", "Group:contractors"]
    );
    let text = |text: &str| DifferenceFilter {
        text: text.into(),
        ..DifferenceFilter::default()
    };
    assert_eq!(shown(&comparison, &text("ORDERS")), ["User:ben"]);
    assert_eq!(shown(&comparison, &text("group:eng")), ["Group:eng"]);
    let operation = DifferenceFilter {
        operation: Some(Operation::Write),
        text: "eng".into(),
        ..DifferenceFilter::default()
    };
    assert_eq!(shown(&comparison, &operation), ["Group:eng"]);
    let least = DifferenceFilter {
        least: LeastBreadth::EveryName,
        ..DifferenceFilter::default()
    };
    assert_eq!(
        shown(&comparison, &least),
        ["a setting", "User:root", "Group:eng"]
    );
    assert!(comparison.operations().contains(&Operation::Write));
    assert_eq!(
        DifferenceSide::ALL.map(|side| DifferenceSide::find(side.id())),
        DifferenceSide::ALL
    );
    assert_eq!(
        LeastBreadth::ALL.map(|least| LeastBreadth::find(least.id())),
        LeastBreadth::ALL
    );
}

#[test]
fn a_cell_says_through_what() {
    let policies = pair();
    let comparison = compared(&policies);
    let [a, b] = &policies;
    let said = |name: &str| {
        let row = comparison
            .rows
            .iter()
            .find(|row| row.holder.as_ref().is_some_and(|of| of.to_string() == name))
            .unwrap();
        row.cells([a, b]).unwrap().map(|cell| {
            let through = cell.through.map(|words| words.plain());
            (cell.outcome, through.unwrap_or_default())
        })
    };
    assert_eq!(
        said("Group:eng"),
        [
            (CellOutcome::Allow, "through Role:Writers".into()),
            (CellOutcome::Nothing, String::new())
        ]
    );
    assert_eq!(
        said("User:ben")[1],
        (CellOutcome::Allow, "direct ACL".into())
    );
    assert_eq!(
        said("User:root")[1],
        (CellOutcome::Allow, "superuser, without an ACL".into())
    );
    let [denied, nothing] = said("Group:contractors");
    assert_eq!(
        denied,
        (CellOutcome::Deny, "Group:contractors, pii literal".into())
    );
    assert_eq!(nothing.0, CellOutcome::Nothing);
}

#[test]
fn every_row_makes_both_decide_alike_in_either_direction() {
    let policies = pair();
    let comparison = compared(&policies);
    for direction in [ConvergeDirection::BToA, ConvergeDirection::AToB] {
        let plan = planned(&policies, direction, &every(&comparison));
        assert_eq!((plan.stay, plan.also), (0, 0));
        let to = &policies[direction.changes().index()];
        for changes in [plan.changes.clone(), plan.for_draft(to)] {
            let mut reached = to.clone();
            apply_each(&mut reached, &changes);
            let from = &policies[direction.follows().index()];
            assert_eq!(ClusterComparison::new([from, &reached]).rows, []);
        }
    }
}

#[test]
fn what_shares_a_change_is_counted() {
    let a = policy(&[]);
    let b = policy(&[
        Change::CreateRole("R".into()),
        member("R", "eng"),
        member("R", "ops"),
        allow(Principal::role("R"), Operation::Read, "orders"),
    ]);
    let policies = [a, b];
    let comparison = compared(&policies);
    assert_eq!(comparison.rows.len(), 2);
    let plan = planned(&policies, ConvergeDirection::BToA, &BTreeSet::from([0]));
    assert_eq!((plan.also, plan.stay), (1, 0));
    assert!(!plan.sentences.is_empty());
    let none = planned(&policies, ConvergeDirection::BToA, &BTreeSet::new());
    assert_eq!(none, ConvergePlan::default());
}

#[test]
fn roles_of_the_platform_stay_and_are_named() {
    let b = policy(&[
        Change::CreateRole("__shadow".into()),
        member("__shadow", "eng"),
        allow(Principal::role("__shadow"), Operation::Read, "orders"),
    ]);
    let policies = [policy(&[]), b];
    let plan = planned(&policies, ConvergeDirection::BToA, &BTreeSet::from([0]));
    assert_eq!((plan.changes.as_slice(), plan.stay), ([].as_slice(), 1));
    let left = plan.left[0].plain();
    assert!(
        left.starts_with("Role:__shadow: the platform owns"),
        "{left}"
    );
}

#[test]
fn what_cannot_join_the_draft_says_why() {
    let policies = pair();
    let comparison = compared(&policies);
    let plan = planned(&policies, ConvergeDirection::BToA, &every(&comparison));
    let find = |selected, direction, draft, sources| {
        ConvergeObstacle::find(&plan, selected, direction, &sources, draft)
    };
    let (to_b, to_a) = (ConvergeDirection::BToA, ConvergeDirection::AToB);
    let sources = [SideSource::Cluster, SideSource::Document];
    assert_eq!(
        find(0, to_b, 0, sources.clone()),
        Some(ConvergeObstacle::NothingSelected)
    );
    let document = find(1, to_b, 0, sources.clone()).unwrap();
    assert!(document.offers_file() && document.reason().starts_with("B is a document"));
    assert_eq!(find(1, to_a, 0, sources.clone()), None);
    assert_eq!(
        find(1, to_a, 2, sources),
        Some(ConvergeObstacle::HasDraft(ClusterSide::A, 2))
    );
    let of_draft = [SideSource::Draft, SideSource::Document];
    assert_eq!(find(1, to_a, 2, of_draft), None);
    let other = [SideSource::Other("dr".into()), SideSource::Cluster];
    let other = find(1, to_a, 0, other).unwrap();
    assert!(!other.offers_file() && other.reason().starts_with("A is dr. Choose it"));
    let file = changes_file(&plan.changes);
    assert!(file.starts_with('[') && file.contains("add_acl"), "{file}");
}

#[test]
fn a_document_is_read_whole_or_refused() {
    let [a, _] = pair();
    assert_eq!(ComparedDocument::read(" "), ComparedDocument::Missing);
    let read = ComparedDocument::read(&policy_to_text(&a));
    assert_eq!(read.policy().as_deref(), Some(&a));
    let acls = "Current ACLs for resource `ResourcePattern(resourceType=TOPIC, name=orders, patternType=LITERAL)`:\n\
        \t(principal=Group:eng, host=*, operation=READ, permissionType=ALLOW)\n";
    assert!(ComparedDocument::read(acls).policy().is_some());
    let ComparedDocument::Refused(number, problems) =
        ComparedDocument::read(&acls.replace("Group:eng", "Nobody:x"))
    else {
        panic!("an entry that is not understood may deny");
    };
    assert_eq!((number, problems.len()), (1, 1));
    let broken =
        ComparedDocument::read(r#"{ "version": 1, "what": 1, "roles": [{ "name": "a,b" }] }"#);
    assert!(
        matches!(broken, ComparedDocument::Refused(2, _)),
        "{broken:?}"
    );
}

#[test]
fn what_is_equal_has_no_rows() {
    let [a, _] = pair();
    let comparison = ClusterComparison::new([&a, &a]);
    assert_eq!((comparison.rows.len(), comparison.notes.len()), (0, 0));
}

#[test]
fn what_makes_a_comparison_doubtful_is_noted() {
    let read = |text: &str| policy_from_json(text).unwrap();
    let kafka = read(r#"{ "version": 1, "settings": { "dialect": "kafka" } }"#);
    let platform = read(
        r#"{ "version": 1, "settings": { "dialect": "platform", "oidc_group_claim_path": "$.roles" } }"#,
    );
    let comparison = ClusterComparison::new([&kafka, &platform]);
    let notes: Vec<String> = comparison
        .notes
        .iter()
        .map(gbac_words::rich_text::RichText::plain)
        .collect();
    assert!(
        notes[0].starts_with("A is a policy of Apache Kafka and B one of the platform"),
        "{notes:?}"
    );
    assert!(notes[1].contains("compares groups by name"), "{notes:?}");
    assert!(
        notes[2].starts_with("A does not state oidc_group_claim_path"),
        "{notes:?}"
    );
}

#[test]
fn what_is_equal_is_counted_by_effect() {
    let eng = || allow(Principal::group("eng"), Operation::Read, "orders");
    let through_role = policy(&[
        Change::CreateRole("Readers".into()),
        member("Readers", "eng"),
        allow(Principal::role("Readers"), Operation::Read, "orders"),
        allow(Principal::group("ops"), Operation::Read, "orders"),
    ]);
    let direct = policy(&[eng(), allow(Principal::user("ben"), Operation::Read, "x")]);
    let same = |policies: [&Policy; 2]| ClusterComparison::same(policies);
    assert_eq!(
        same([&through_role, &direct]),
        Some(1),
        "whatever the ACLs look like"
    );
    assert_eq!(same([&direct, &direct]), Some(2));
    assert_eq!(same([&Policy::default(), &direct]), Some(0));
    assert_eq!(
        gbac_words::pages::compare_clusters::same(1204),
        "1,204 permissions are the same"
    );
}

#[test]
fn the_sides_and_the_filters_are_in_the_address() {
    let view = ComparisonView {
        sources: [SideSource::Other("dr 1".into()), SideSource::Draft],
        filter: DifferenceFilter {
            side: DifferenceSide::OnlyA,
            text: "pay&".into(),
            operation: Some(Operation::Write),
            least: LeastBreadth::Prefix,
        },
    };
    let address = view.address();
    let query = address.split_once('?').unwrap().1;
    assert_eq!(ComparisonView::at(query), view);
    assert_eq!(ComparisonView::default().address(), "/security/compare");
    assert_eq!(
        ComparisonView::at("a=x&only=y&opens="),
        ComparisonView::default()
    );
    // The cluster of the console is named, so that it stays the same when another one is opened.
    let named = ComparisonView::default().named(Some("eu"));
    assert_eq!(named.address(), "/security/compare?b=of%20eu");
    let [_, b] = named.sources;
    assert_eq!(b.clone().in_console(Some("eu")), SideSource::Cluster);
    assert_eq!(b.clone().in_console(Some("dr 1")), b);
    let offered = SideSource::offered(&["eu".into(), "dr 1".into()], Some("eu"));
    let labels: Vec<_> = offered
        .iter()
        .map(|source| source.label(Some("eu")))
        .collect();
    assert_eq!(
        labels,
        ["eu", "eu with the draft", "dr 1", "A policy document"]
    );
}

#[test]
fn a_report_says_what_the_page_shows() {
    let policies = pair();
    let comparison = compared(&policies);
    let shown = comparison.shown(&DifferenceFilter {
        text: "contractors".into(),
        ..DifferenceFilter::default()
    });
    let [a, b] = &policies;
    let text = report(ReportOf {
        names: ["eu\u{202e}1", "dr"],
        policies: [a, b],
        comparison: &comparison,
        shown: &shown,
        same: Some(1),
        at: "2026-11-28 15:00 UTC",
    });
    assert!(text.starts_with("Compare clusters\nA: eu"), "{text}");
    assert!(!text.contains('\u{202e}'), "{text}");
    assert!(text.contains("1 permission is the same"), "{text}");
    let rows = "\nGroup:contractors\n  Write, one topic, pii\n    A: Deny, Group:contractors, pii literal\n";
    assert!(text.contains(rows), "{text}");
}

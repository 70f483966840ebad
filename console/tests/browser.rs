//! The stores of the console, in a browser: signals over the values of the model.

#![cfg(target_arch = "wasm32")]

use std::sync::Arc;

use gbac_analysis::provider::AcceptedTokens;
use gbac_console::store::draft::Draft;
use gbac_console::store::evaluation::{EvaluationSources, SimulatorEvaluation};
use gbac_console::store::findings::Findings;
use gbac_console::store::search::SearchSession;
use gbac_console::store::seen_groups::{MOST, SeenGroups};
use gbac_console::store::service::{Service, ServiceStatus};
use gbac_console::store::visited::Visited;
use gbac_console_model::address;
use gbac_console_model::applied::AppliedDraft;
use gbac_console_model::draft::{ChangeStatus, Staged};
use gbac_console_model::failure::Failure;
use gbac_console_model::search::SearchIndex;
use gbac_console_model::sending::{SendOutcome, UnansweredChanges};
use gbac_console_model::simulator::inputs::Inputs;
use gbac_console_model::simulator::pipeline::Shown;
use gbac_console_model::simulator::question;
use gbac_console_model::simulator::token_checks::Verifier;
use gbac_console_model::stored_draft::DraftOwner;
use gbac_engine::model::Principal;
use gbac_engine::policy::{Change, Policy, Settings};
use leptos::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn a_new_service_knows_nothing() {
    let owner = Owner::new();
    owner.with(|| {
        let service = Service::new(None);
        assert!(service.policy.get_untracked().is_none());
        assert_eq!(service.status.get_untracked(), ServiceStatus::Loading);
        assert!(service.people.get_untracked().is_empty());
        assert_eq!(
            (service.keys.get_untracked(), service.user.get_untracked()),
            (None, None)
        );
        service.tick(5.0);
        assert!((service.now.get_untracked() - 5.0).abs() < f64::EPSILON);
    });
}

fn join(role: &str, group: &str) -> Change {
    Change::AddMember {
        role: role.into(),
        member: Principal::group(group),
    }
}

fn create(role: &str) -> Change {
    Change::CreateRole(role.into())
}

fn read(changes: &[Change]) -> Option<Arc<Policy>> {
    let mut policy = Policy::default();
    for change in changes {
        policy.apply(change.clone()).unwrap();
    }
    Some(Arc::new(policy))
}

fn statuses(draft: Draft) -> Vec<ChangeStatus> {
    draft.evaluation.get_untracked().statuses
}

#[wasm_bindgen_test]
fn a_draft_survives_reads_and_names_what_cannot_be_made_any_more() {
    Owner::new().with(|| {
        let policy = RwSignal::new(None);
        let draft = Draft::new(policy.into());
        assert!(draft.add(create("R")) && draft.add(join("R", "eng")));
        assert!(draft.after_untracked().is_none() && statuses(draft).is_empty());
        policy.set(read(&[]));
        assert!(draft.after_untracked().unwrap().has_role("R"));
        assert_eq!(statuses(draft), [ChangeStatus::Ready, ChangeStatus::Ready]);

        // Somebody else creates the role.
        policy.set(read(&[create("R")]));
        assert_eq!(draft.count_untracked(), 2, "nothing is dropped");
        let found = statuses(draft);
        assert!(
            matches!(
                found.as_slice(),
                [ChangeStatus::Impossible(_), ChangeStatus::Ready]
            ),
            "{found:?}"
        );
        draft.take_out_idle();
        assert_eq!(draft.changes.get_untracked(), [join("R", "eng")]);
        policy.set(read(&[create("R"), join("R", "eng")]));
        assert_eq!(statuses(draft), [ChangeStatus::Done]);
    });
}

#[wasm_bindgen_test]
fn what_is_so_already_is_no_change() {
    Owner::new().with(|| {
        let draft = Draft::new(RwSignal::new(read(&[create("R"), join("R", "eng")])).into());
        assert!(!draft.add(join("R", "eng")));
        let leave = Change::RemoveMember {
            role: "R".into(),
            member: Principal::group("eng"),
        };
        assert!(draft.add(leave.clone()) && !draft.add(leave.clone()));
        assert!(draft.add(join("R", "eng")), "takes the removal back");
        assert_eq!(draft.count_untracked(), 0);
        assert_eq!(
            draft.add_all([join("R", "a"), join("R", "a"), join("R", "b")]),
            2
        );
    });
}

#[wasm_bindgen_test]
fn a_change_is_taken_out_with_what_needs_it() {
    Owner::new().with(|| {
        let draft = Draft::new(RwSignal::new(read(&[])).into());
        draft.add_all([create("R"), join("R", "eng"), create("S")]);
        assert_eq!(draft.remove(0), 2);
        assert_eq!(draft.changes.get_untracked(), [create("S")]);
        assert_eq!((draft.remove(7), draft.take_back(&create("R"))), (0, 0));
        assert_eq!(draft.take_back(&create("S")), 1);
        draft.add(create("S"));
        draft.clear();
        assert_eq!(draft.count_untracked(), 0);
    });
}

fn owner(account: &str) -> Option<DraftOwner> {
    Some(DraftOwner {
        data: "d1".into(),
        cluster: String::new(),
        account: account.into(),
    })
}

#[wasm_bindgen_test]
fn a_draft_is_seen_by_its_owner_alone() {
    Owner::new().with(|| {
        let draft = Draft::new(RwSignal::new(read(&[])).into());
        let cluster = DraftOwner {
            cluster: "self-managed".into(),
            ..owner("a").unwrap()
        };
        draft.follow(owner("a"));
        draft.add(create("R"));
        for other in [
            owner("b"),
            Some(cluster.clone()),
            owner("a").map(|owner| owner.signed_out()),
            None,
        ] {
            draft.follow(other);
            assert_eq!(draft.count_untracked(), 0);
        }
        draft.follow(Some(cluster.clone()));
        draft.add(create("S"));
        draft.follow(owner("a"));
        assert_eq!(draft.changes.get_untracked(), [create("R")]);
        draft.follow(Some(cluster));
        assert_eq!(draft.changes.get_untracked(), [create("S")]);

        // After a reload, no account owns the page until a user signs in.
        let kept = draft.all();
        let draft = Draft::new(RwSignal::new(read(&[])).into());
        draft.restore(kept);
        assert_eq!(draft.count_untracked(), 0);
        draft.follow(owner("b"));
        assert_eq!(draft.count_untracked(), 0);
        draft.follow(owner("a"));
        assert_eq!(draft.changes.get_untracked(), [create("R")]);
    });
}

#[wasm_bindgen_test]
fn changes_of_nobody_join_the_draft_of_who_signs_in() {
    Owner::new().with(|| {
        let draft = Draft::new(RwSignal::new(read(&[])).into());
        draft.follow(owner("a"));
        draft.add(create("R"));
        draft.follow(owner(""));
        draft.add_all([create("S"), create("R")]);
        draft.follow(owner("a"));
        assert_eq!(draft.changes.get_untracked(), [create("R"), create("S")]);
        draft.follow(owner(""));
        assert_eq!(
            draft.count_untracked(),
            0,
            "whoever signs out leaves nothing behind"
        );
    });
}

fn settings(change: impl FnOnce(&mut Settings)) -> Change {
    let mut settings = Settings::default();
    change(&mut settings);
    Change::Settings(Box::new(settings))
}

#[wasm_bindgen_test]
fn staged_settings_keep_what_others_change() {
    Owner::new().with(|| {
        let policy = RwSignal::new(read(&[]));
        let draft = Draft::new(policy.into());
        draft.follow(owner("a"));
        draft.add(settings(|settings| settings.superusers.insert("me".into())));
        policy.set(read(&[settings(|settings| settings.principal_mapping = mapping("$.email"))]));
        draft.rebase();
        draft.rebase();
        let both = settings(|settings| {
            settings.superusers.insert("me".into());
            settings.principal_mapping = mapping("$.email");
        });
        assert_eq!(draft.changes.get_untracked(), std::slice::from_ref(&both));
        // It is kept with what it was made from.
        let kept = draft.all();
        let draft = Draft::new(policy.into());
        draft.restore(kept);
        policy.set(read(&[settings(|settings| settings.principal_mapping = mapping("$.name"))]));
        draft.follow(owner("a"));
        assert!(matches!(&draft.changes.get_untracked()[0], Change::Settings(settings) if settings.principal_mapping.as_str() == "$.name"));
    });
}

fn mapping(path: &str) -> gbac_engine::mapping::PrincipalMapping {
    gbac_engine::mapping::PrincipalMapping::parse(path).unwrap()
}

#[wasm_bindgen_test]
fn what_was_applied_is_undone_by_a_draft() {
    Owner::new().with(|| {
        let before = read(&[create("Old")]);
        let policy = RwSignal::new(before.clone());
        let draft = Draft::new(policy.into());
        let sent = vec![create("R"), join("Old", "eng")];
        draft.add_all(sent.clone());
        draft.settle(&sent, &[SendOutcome::Made, SendOutcome::Made]);
        draft.note_applied(AppliedDraft::new(
            before.as_ref().unwrap(),
            sent.clone(),
            0.0,
        ));
        policy.set(read(&[create("Old"), create("R")]));
        assert_eq!(draft.undo_applied(), 1);
        assert_eq!(
            draft.lost.get_untracked().len(),
            1,
            "the group has left already"
        );
        draft.clear();
        assert!(draft.lost.get_untracked().is_empty());
    });
}

#[wasm_bindgen_test]
fn changes_without_an_answer_are_looked_for_in_the_policy() {
    Owner::new().with(|| {
        let before = read(&[]);
        let policy = RwSignal::new(before.clone());
        let draft = Draft::new(policy.into());
        let applied_at = || draft.applied.get_untracked().map(|applied| applied.at_ms);
        let sent = vec![create("R"), join("R", "eng")];
        draft.add_all(sent.clone());
        let unanswered = || UnansweredChanges {
            changes: sent.clone(),
            before: before.clone().unwrap(),
            at_ms: 7.0,
        };
        draft.await_answer(unanswered());
        draft.find_unanswered();
        assert!(draft.unanswered.get_untracked().is_none());
        assert_eq!((draft.count_untracked(), applied_at()), (2, None));
        draft.await_answer(unanswered());
        policy.set(read(&sent));
        draft.find_unanswered();
        assert!(draft.unanswered.get_untracked().is_none());
        assert_eq!(applied_at(), Some(7.0));
        assert_eq!(draft.count_untracked(), 0);
        assert_eq!(draft.undo_applied(), 1);
    });
}

#[wasm_bindgen_test]
fn what_failed_stays_with_the_reason() {
    Owner::new().with(|| {
        let draft = Draft::new(RwSignal::new(read(&[])).into());
        let sent = [create("R"), create("S"), create("T")];
        draft.add_all(sent.clone());
        let refused = Failure::NoAnswer("offline".into());
        draft.settle(
            &sent,
            &[
                SendOutcome::Made,
                SendOutcome::Failed(refused.clone()),
                SendOutcome::Kept,
            ],
        );
        let staged = |name, failure| Staged {
            change: create(name),
            failure,
        };
        assert_eq!(
            draft.staged.get_untracked(),
            [staged("S", Some(refused)), staged("T", None)]
        );
        // What was wrong the last time says nothing about this one.
        draft.settle(&sent[1..], &[SendOutcome::Kept, SendOutcome::Kept]);
        assert_eq!(
            draft.staged.get_untracked(),
            [staged("S", None), staged("T", None)]
        );
    });
}

#[wasm_bindgen_test]
fn a_policy_is_looked_at_once() {
    Owner::new().with(|| {
        let findings = Findings::new();
        let mut policy = Policy::default();
        policy.apply(Change::CreateRole("Empty".into())).unwrap();
        let policy = Arc::new(policy);
        findings.look_at(&policy);
        let first = findings.all.get_untracked().unwrap();
        findings.look_at(&policy);
        assert!(Arc::ptr_eq(&first, &findings.all.get_untracked().unwrap()));
        findings.look_at(&Arc::new(Policy::default()));
        assert!(findings.all.get_untracked().unwrap().is_empty());
    });
}

#[wasm_bindgen_test]
fn the_names_of_a_policy_are_prepared_once() {
    Owner::new().with(|| {
        let session = SearchSession::new();
        let policy = Arc::new(Policy::default());
        let first = session.index(&policy, SearchIndex::new);
        assert!(Arc::ptr_eq(
            &first,
            &session.index(&policy, SearchIndex::new)
        ));
        let other = Arc::new(Policy::default());
        assert!(!Arc::ptr_eq(
            &first,
            &session.index(&other, SearchIndex::new)
        ));
    });
}

#[wasm_bindgen_test]
fn the_number_of_names_is_limited() {
    Owner::new().with(|| {
        let seen = SeenGroups::new();
        seen.add(
            (0..2 * MOST)
                .map(|number| number.to_string())
                .collect::<Vec<_>>()
                .iter()
                .map(String::as_str),
        );
        assert_eq!(seen.with(std::collections::BTreeSet::len), MOST);
    });
}

#[wasm_bindgen_test]
fn the_review_leads_back_to_the_page_before_it() {
    Owner::new().with(|| {
        let visited = Visited::new();
        visited.note("/sign-in", "return=x");
        assert_eq!(visited.last(), None);
        visited.note("/security/permissions", "?search=a");
        visited.note(address::REVIEW, "");
        assert_eq!(
            visited.last().as_deref(),
            Some("/security/permissions?search=a")
        );
    });
}

#[wasm_bindgen_test]
fn an_edit_makes_only_the_steps_again_that_read_it() {
    Owner::new().with(|| {
        let inputs = RwSignal::new(Inputs {
            token: r#"{ "sub": "maya", "exp": 9000000000, "groups": ["eng"] }"#.into(),
            as_claims: true,
            resource_name: "orders".into(),
            ..Inputs::default()
        });
        let policy = RwSignal::new(read(&[create("R")]));
        let now = RwSignal::new(1.0);
        let evaluation = SimulatorEvaluation::new(EvaluationSources {
            inputs,
            question: Memo::new(move |_| question::read(&inputs.read())),
            policy: policy.into(),
            accepted: Memo::new(|_| AcceptedTokens::default()),
            verifier: Signal::stored(Some(Verifier::new())),
            now: Memo::new(move |_| now.get()),
        });
        let seen = || {
            let shown = evaluation.shown.get_untracked();
            (
                evaluation.who.get_untracked().unwrap(),
                shown.steps.unwrap(),
                shown.judged.unwrap(),
            )
        };
        let (who, steps, judged) = seen();

        // A name in the request leaves the token as it was read.
        inputs.update(|inputs| inputs.resource_name = "payments".into());
        let (same_who, same_steps, of_payments) = seen();
        assert!(Arc::ptr_eq(&who, &same_who) && Arc::ptr_eq(&steps, &same_steps));
        assert_ne!(judged.access, of_payments.access);
        // The clock alone changes nothing that can be seen.
        now.set(6.0);
        assert!(Arc::ptr_eq(&of_payments, &seen().2));
        // Another policy decides anew about the same identity.
        policy.set(read(&[create("R"), join("R", "eng")]));
        let (who_again, _, under_role) = seen();
        assert!(Arc::ptr_eq(&who, &who_again));
        assert_ne!(of_payments.explanation.paths, under_role.explanation.paths);
        // A token that cannot be read leaves the last one in sight.
        inputs.update(|inputs| inputs.token = "{".into());
        {
            let shown = evaluation.shown.read_untracked();
            assert_eq!(shown.steps_stale, Some("the last readable token"));
            assert!(Arc::ptr_eq(&under_role, shown.judged.as_ref().unwrap()));
        }

        // Once it is taken out, nothing of it is held any more.
        let held = [Arc::downgrade(&under_role), Arc::downgrade(&judged)];
        let (identity, extracted) = (Arc::downgrade(&who), Arc::downgrade(&steps));
        drop((who, same_who, who_again, steps, same_steps));
        drop((judged, of_payments, under_role));
        inputs.update(Inputs::clear_token);
        assert_eq!(evaluation.shown.get_untracked(), Shown::default());
        assert!(identity.upgrade().is_none(), "the identity");
        assert!(extracted.upgrade().is_none(), "the extraction");
        assert!(held.iter().all(|judged| judged.upgrade().is_none()));
    });
}

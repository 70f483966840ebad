//! What was applied last: the changes, requests that show their effect, and how to undo them.

use std::sync::Arc;

use gbac_api::service::accepted_tokens;
use gbac_console_model::address;
use gbac_console_model::applied::{
    AppliedDraft, AppliedSection, CheckedRequest, LostChange, SimulatorCheck,
};
use gbac_console_model::connection::Connection;
use gbac_console_model::draft::Staged;
use gbac_console_model::permissions::list::ListQuery;
use gbac_console_model::review::{ChangeRow, ChangedItem, SectionTarget, sections};
use gbac_console_model::settings::service::audit;
use gbac_console_model::simulator::pipeline::evaluate;
use gbac_engine::identity::Identity;
use gbac_engine::model::Principal;
use gbac_engine::policy::Policy;
use gbac_words::pages::review as words;
use gbac_words::phrases::{count, timestamp};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;

use super::rows::{OneSection, Said};
use super::undo::UndoButton;
use crate::dom;
use crate::pages::link::{AddressLink, RoleLink};
use crate::pages::rich_text::sentence;
use crate::store::draft::Draft;
use crate::store::service::Service;
use crate::store::simulator::SimulatorSession;
use crate::ui::{
    Button, ButtonKind, Disclosure, Glyph, Icon, Note, NoteKind, PrincipalName, Words,
};

/// How many changes of a role or principal are shown at first.
const SHOWN: usize = 4;

/// The request in the simulator, decided on the policy before the changes.
pub(super) fn checked_request(
    service: Service,
    session: SimulatorSession,
    before: &Arc<Policy>,
) -> Option<CheckedRequest> {
    CheckedRequest::from_inputs(
        &session.inputs.read_untracked(),
        before,
        &accepted(service, session),
        dom::now_ms() / 1000.0,
        session.verifier(service).get_untracked(),
    )
}

pub(super) fn accepted(
    service: Service,
    session: SimulatorSession,
) -> gbac_analysis::provider::AcceptedTokens {
    let is_own = service
        .connection
        .with_untracked(|connection| *connection == Connection::Service);
    let info = if is_own {
        service.info.get_untracked()
    } else {
        None
    };
    session
        .properties
        .with_untracked(|properties| accepted_tokens(properties, info.as_ref()))
}

/// Whether the service records no change, once it has said so.
fn unrecorded(service: Service) -> RwSignal<bool> {
    let found = RwSignal::new(false);
    if service.can.with_untracked(|can| can.settings.is_yes()) {
        spawn_local(async move {
            if let Ok(properties) = service.properties().await {
                // The page may be gone by now.
                let _ = found.try_set(audit(&properties) == Some(false));
            }
        });
    }
    found
}

/// The panel.
#[component]
pub(super) fn Applied(
    /// What was applied.
    applied: AppliedDraft,
) -> impl IntoView {
    let (service, session) = (
        expect_context::<Service>(),
        expect_context::<SimulatorSession>(),
    );
    let now = service.policy.get_untracked();
    let sections = match &now {
        Some(now) => applied.sections(now),
        None => Vec::new(),
    };
    let inputs = session.inputs.get_untracked();
    let view = evaluate(
        &inputs,
        now.as_deref(),
        &accepted(service, session),
        dom::now_ms() / 1000.0,
        session.verifier(service).get_untracked(),
    );
    let identity = view.who.as_ref().and_then(|who| who.identity.clone().ok());
    // The simulator is about something else by now, or not.
    let request = applied
        .request
        .clone()
        .filter(|request| request.inputs == inputs);
    let first = match request {
        Some(_) => None,
        None => sections.iter().find_map(|section| section.check.clone()),
    };
    let number = count(applied.changes.len(), "change");
    let at = timestamp(applied.at_ms / 1000.0);
    let connection = service.connection.get_untracked();
    let name = service
        .info
        .get_untracked()
        .map(|info| connection.name(&info.name));
    let user = service.user.get_untracked();
    let said = words::applied(user.as_deref(), name.as_deref(), &at);
    let verdict = match (request, view.verdict) {
        (Some(request), Some(verdict)) => Some((request.before, verdict.sentence, verdict.kind)),
        _ => None,
    };
    let tests = session.saved.with_untracked(|saved| match &now {
        Some(now) if !saved.is_empty() => {
            let passed = saved.iter().filter(|test| test.run(now).is_none()).count();
            Some(words::tests_passed(passed, saved.len()))
        }
        _ => None,
    });
    let rows = {
        let identity = identity.clone();
        let numbered = sections.into_iter().enumerate();
        numbered
            .map(move |(place, section)| view! { <Row section=section place=place identity=identity.clone() /> })
            .collect_view()
    };
    let is_unrecorded = unrecorded(service);
    let has_tests = tests.is_some();
    let has_cards = verdict.is_some() || applied.summary.is_some() || tests.is_some();
    view! {
        <section class="panel" aria-labelledby="h-applied" id="h-outcome" tabindex="-1">
            <div class="done-h" role="status">
                <Icon glyph=Glyph::Allow />
                <h1 id="h-applied">{number.clone()} " applied"</h1>
                <p>{sentence(&said)} " " {move || is_unrecorded.get().then_some(words::NOT_RECORDED)}</p>
                <div class="row">
                    <UndoButton number=applied.changes.len() />
                    <CheckButton check=first identity=identity kind=ButtonKind::Primary>"Check in simulator"</CheckButton>
                </div>
            </div>
            <ul class="done-l">{rows}</ul>
            <div class="t-foot"><span>{words::UNDO}</span></div>
        </section>
        {has_cards.then(|| view! {
            <div class="next section">
                {verdict.map(|(before, words, kind)| view! {
                    <section class="panel" aria-labelledby="h-request">
                        <h2 id="h-request">{words::SIMULATED_REQUEST}</h2>
                        <p class="brk">{sentence(&words)} "."</p>
                        <p>{words::verdicts(before.title(), kind.title())}</p>
                        <p><a href=address::SIMULATOR>"Open in simulator"</a></p>
                    </section>
                })}
                {(applied.summary.is_some() || tests.is_some()).then(|| view! {
                    <section class="panel" aria-labelledby="h-effect">
                        <h2 id="h-effect">{if has_tests { "Principals and tests" } else { "Principals" }}</h2>
                        {applied.summary.map(|text| view! { <p>{text}</p> })}
                        {tests.map(|text| view! { <p>{text}</p> })}
                    </section>
                })}
            </div>
        })}
    }
}

/// The changes of one role or principal.
#[component]
fn Row(section: AppliedSection, place: usize, identity: Option<Arc<Identity>>) -> impl IntoView {
    let AppliedSection {
        about,
        mut rows,
        check,
    } = section;
    let is_gone = rows
        .iter()
        .any(|row| !row.adds && matches!(row.what, ChangedItem::Role { .. }));
    let about = match about {
        SectionTarget::Settings => view! { <a href=address::SETTINGS>"Settings"</a> }.into_any(),
        SectionTarget::Role(name) if is_gone => view! { <PrincipalName principal=Principal::role(name) /> }.into_any(),
        SectionTarget::Role(name) => view! {
            <RoleLink href=address::role(&name) class="pr"><PrincipalName principal=Principal::role(name.clone()) /></RoleLink>
        }
        .into_any(),
        SectionTarget::Principal(principal) => view! {
            <AddressLink href=ListQuery::one(&principal).address() class="pr"><PrincipalName principal=principal /></AddressLink>
        }
        .into_any(),
    };
    let rest = rows.split_off(rows.len().min(SHOWN));
    let open = RwSignal::new(false);
    let more = (!rest.is_empty()).then(|| {
        let summary = format!("{} more", rest.len());
        let rest = StoredValue::new(rest);
        view! {
            <Disclosure id=format!("applied-{place}") open=open on_toggle=move |is_open| open.set(is_open) summary=move || summary.clone()>
                <ul>{rest.get_value().into_iter().map(change_item).collect_view()}</ul>
            </Disclosure>
        }
    });
    let button = check.map(|check| {
        let principal = match &identity {
            Some(identity) if check.is_about(identity) => Principal::user(identity.user()),
            _ => check.principal.clone(),
        };
        view! {
            <CheckButton check=Some(check) identity=identity kind=ButtonKind::Secondary small=true>
                "Check as " <PrincipalName principal=principal />
            </CheckButton>
        }
    });
    view! {
        <li>
            <span>{about}</span>
            <div class="brk"><ul>{rows.into_iter().map(change_item).collect_view()}</ul>{more}</div>
            <span class="row">{button}</span>
        </li>
    }
}

/// One change, as it was made.
fn change_item(row: ChangeRow) -> impl IntoView {
    if row.adds && matches!(row.what, ChangedItem::Role { .. }) {
        return view! { <li>"Created the role"</li> }.into_any();
    }
    let verb = match (&row.what, row.adds) {
        (ChangedItem::Role { .. }, _) => "Deleted",
        (ChangedItem::Settings(_), _) => "Changed",
        (_, true) => "Added",
        (_, false) => "Removed",
    };
    view! { <li>{verb} " " <Said what=row.what adds=row.adds /></li> }.into_any()
}

/// Enters a request in the simulator and goes there.
#[component]
fn CheckButton(
    /// The request; what is entered already without one.
    check: Option<SimulatorCheck>,
    /// Who is entered now.
    identity: Option<Arc<Identity>>,
    /// How loud.
    kind: ButtonKind,
    /// 28 px high.
    #[prop(optional)]
    small: bool,
    /// The words.
    children: Children,
) -> impl IntoView {
    let (session, navigate) = (expect_context::<SimulatorSession>(), dom::use_navigate());
    view! {
        <Button kind=kind small=small on_press=move |()| {
            if let Some(check) = &check {
                session.inputs.update(|inputs| check.enter(inputs, identity.as_deref()));
            }
            navigate(address::SIMULATOR, NavigateOptions::default());
        }>{children()}</Button>
    }
}

/// What the last undo could not put into the draft.
#[component]
pub(super) fn Lost() -> impl IntoView {
    let draft = expect_context::<Draft>();
    move || {
        let lost = draft.lost.get();
        (!lost.is_empty()).then(|| {
            let title = words::not_undoable(lost.len());
            view! {
                <div class="banner">
                    <Note kind=NoteKind::Warn title=title level=2>
                        <ul class="stack tight">{lost.into_iter().map(|lost| view! { <LostRow lost=lost /> }).collect_view()}</ul>
                        <div class="row">
                            <Button small=true kind=ButtonKind::Quiet on_press=move |()| {
                                draft.forget_lost();
                                dom::focus_heading();
                            }>"Dismiss"</Button>
                        </div>
                    </Note>
                </div>
            }
        })
    }
}

#[component]
fn LostRow(lost: LostChange) -> impl IntoView {
    let LostChange { change, reason } = lost;
    let staged = [Staged {
        change,
        failure: None,
    }];
    let rows = sections(&Policy::default(), &staged, &[]);
    view! {
        <li class="brk">
            {rows.into_iter().map(|section| view! { <OneSection section=section on_undo=None /> }).collect_view()}
            <p><Words text=reason /> "."</p>
        </li>
    }
}

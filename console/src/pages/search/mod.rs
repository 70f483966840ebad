//! The search: what is typed, its results, and what choosing one does.

mod results;
mod shortcuts;

use std::time::Duration;

use gbac_console_model::address;
use gbac_console_model::search::{
    AnswerContext, IdentityOrigin, KnownIdentity, SearchIndex, SearchResults, SearchTarget, find,
};
use gbac_console_model::simulator::inputs::Inputs;
use gbac_engine::policy::Change;
use gbac_words::common::SEARCH_OR_ASK;
use gbac_words::pages::search as words;
use leptos::ev;
use leptos::leptos_dom::helpers::debounce;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_location;

pub(super) use self::shortcuts::ShortcutList;

use self::results::{Results, option_id};
use crate::dom;
use crate::store::draft::Draft;
use crate::store::search::SearchSession;
use crate::store::service::Service;
use crate::store::simulator::SimulatorSession;
use crate::ui::{Glyph, Icon, Key};

/// The id of the field.
const FIELD: &str = "search-field";
/// The time without a change after which results are announced to assistive technology.
const REST: Duration = Duration::from_millis(500);

/// The content of the dialog.
#[component]
pub(super) fn Search() -> impl IntoView {
    let session = expect_context::<SearchSession>();
    let text = RwSignal::new(String::new());
    let found = results_of(text);
    let selected = RwSignal::new(0_usize);
    let number = Memo::new(move |_| found.with(|found| found.targets().len()));
    Effect::new(move |_| {
        text.track();
        selected.set(0);
    });
    let choose = choosing(text);
    let choose_at = Callback::new(move |at: usize| {
        let target =
            found.with_untracked(|found| found.targets().get(at).map(|target| (*target).clone()));
        if let Some(target) = target {
            choose.run(target);
        }
    });
    let step = move |forward: bool| {
        let number = number.get_untracked();
        if number > 0 {
            selected.update(|at| *at = (*at + if forward { 1 } else { number - 1 }) % number);
            dom::reveal(&option_id(selected.get_untracked()));
        }
    };
    let press = move |event: ev::KeyboardEvent| {
        if event.is_composing() {
            return;
        }
        match event.key().as_str() {
            "ArrowDown" => step(true),
            "ArrowUp" => step(false),
            "Enter" => choose_at.run(selected.get_untracked()),
            "?" if text.with_untracked(String::is_empty) => choose.run(SearchTarget::Shortcuts),
            _ => return,
        }
        event.prevent_default();
    };
    // The field is there when the code came, which may be after the dialog opened.
    request_animation_frame(|| {
        dom::focus(FIELD);
    });
    let has_options = Memo::new(move |_| number.get() > 0);
    view! {
        <div class="pal-in">
            <Icon glyph=Glyph::Search />
            <label class="sr" for=FIELD>{SEARCH_OR_ASK}</label>
            <input
                id=FIELD
                role="combobox"
                aria-autocomplete="list"
                aria-expanded=move || if has_options.get() { "true" } else { "false" }
                aria-controls=move || has_options.get().then_some("search-results")
                aria-activedescendant=move || has_options.get().then(|| option_id(selected.get()))
                aria-describedby="search-how"
                placeholder="Name, page or question"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                autofocus=true
                prop:value=move || text.get()
                on:input=move |event| text.set(event_target_value(&event))
                on:keydown=press
            />
            <button class="kbd" type="button" aria-label="Close the search, Esc" on:click=move |_| session.is_open.set(false)>"Esc"</button>
        </div>
        <Results found=found selected=selected on_choose=choose_at />
        <Announcement found=found />
        <p class="pal-f" id="search-how">
            <span><Key name="↑" /><Key name="↓" />" choose"</span>
            <span><Key name="Enter" />" open"</span>
            // Words in a row, without the gap between keys.
            <span><span>"Ask with "<span class="cl">"can"</span>", "<span class="cl">"who can"</span>" or "<span class="cl">"why"</span></span></span>
            <span><Key name="?" />" all shortcuts"</span>
        </p>
    }
}

/// What is found for the text, over the names of the draft; answers are those of the service's
/// policy.
fn results_of(text: RwSignal<String>) -> Memo<SearchResults> {
    let session = expect_context::<SearchSession>();
    let (service, draft) = (expect_context::<Service>(), expect_context::<Draft>());
    let simulator = expect_context::<SimulatorSession>();
    let (accepted, verifier) = (simulator.accepted(service), simulator.verifier(service));
    // What depends on the time is as of the moment in which the search opened.
    let now = dom::now_ms() / 1000.0;
    let policies = Memo::new_with_compare(
        move |_| {
            let policy = service.policy.get().unwrap_or_default();
            let after = draft.after().unwrap_or_default();
            let index = session.index(&after, |policy| {
                dom::measured("search: index", || SearchIndex::new(policy))
            });
            Some((policy, index))
        },
        |_, _| true,
    );
    let known = Memo::new_with_compare(
        move |_| {
            let policy = service.policy.get().unwrap_or_default();
            let accepted = accepted.get();
            let verifier = verifier.get();
            let mut entered = vec![(simulator.inputs.get(), IdentityOrigin::Simulator)];
            for person in service.people.read().iter() {
                let mut inputs = Inputs::default();
                inputs.put_token(&person.token);
                entered.push((inputs, IdentityOrigin::Demo));
            }
            let mut known = Vec::new();
            for (inputs, origin) in entered {
                let verifier = verifier.clone();
                known.extend(KnownIdentity::read(
                    &inputs, origin, &policy, &accepted, now, verifier,
                ));
            }
            Some(known)
        },
        |_, _| true,
    );
    Memo::new(move |_| {
        let Some((policy, index)) = policies.get() else {
            return SearchResults::default();
        };
        let (known, accepted) = (known.get().unwrap_or_default(), accepted.get());
        let has_draft = draft.count() > 0;
        let context = AnswerContext {
            policy: &policy,
            index: &index,
            known: &known,
            accepted: &accepted,
            verifier: verifier.get(),
            now,
            has_draft,
        };
        text.with(|text| dom::measured("search: results", || find(text, &context)))
    })
}

/// What choosing a result does.
fn choosing(text: RwSignal<String>) -> Callback<SearchTarget> {
    let session = expect_context::<SearchSession>();
    let (service, draft) = (expect_context::<Service>(), expect_context::<Draft>());
    let simulator = expect_context::<SimulatorSession>();
    let path = use_location().pathname;
    let navigate = dom::use_navigate();
    let open = move |address: &str| {
        let is_here = address.split(['?', '#']).next() == Some(path.get_untracked().as_str());
        navigate(address, NavigateOptions::default());
        // On the way to another page its heading gets focus anyway.
        if is_here {
            dom::focus_heading();
        }
    };
    Callback::new(move |target: SearchTarget| {
        if let SearchTarget::Ask(question) = target {
            text.set(question);
            dom::focus(FIELD);
            return;
        }
        session.is_open.set(false);
        match target {
            SearchTarget::Address(address) => open(&address),
            SearchTarget::Simulate(inputs) => {
                simulator.inputs.set(*inputs);
                open(address::SIMULATOR);
            }
            SearchTarget::CreateRole(name) => {
                session.new_role.set(Some(name));
                open(address::ROLES);
            }
            SearchTarget::Assign { role, member } => {
                let words = words::joins(&member, &role);
                let address = address::role(&role);
                draft.add(Change::AddMember { role, member });
                open(&address);
                dom::announce(&words);
            }
            SearchTarget::Refresh => service.reload(),
            SearchTarget::SwitchTheme => {
                dom::set_theme(if dom::is_dark() {
                    dom::Theme::Light
                } else {
                    dom::Theme::Dark
                });
                session.themes.update(|themes| *themes += 1);
            }
            SearchTarget::Shortcuts => session.has_shortcuts.set(true),
            SearchTarget::Ask(_) => {}
        }
    })
}

/// Tells the results once nothing has changed for a moment.
#[component]
fn Announcement(found: Memo<SearchResults>) -> impl IntoView {
    let said = RwSignal::new(String::new());
    let mut say = debounce(REST, move |words: String| {
        let _ = said.try_set(words);
    });
    Effect::new(move |_| say(found.with(SearchResults::summary)));
    view! { <p class="sr" role="status">{move || said.get()}</p> }
}

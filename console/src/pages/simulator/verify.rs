//! The verification of a token's signature with keys that are entered.

use gbac_console_model::simulator::inputs::InputField;
use gbac_console_model::simulator::presets;
use gbac_console_model::simulator::token::FactMark;
use gbac_words::common::{file_not_read, file_too_large};
use gbac_words::pages::simulator as words;
use gbac_words::rich_text::RichText;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::parts::{Entry, mark};
use super::state::SimulatorState;
use crate::dom::{self, GivenFile};
use crate::pages::chunk::{Chunk, ChunkError, chunk};
use crate::pages::rich_text::sentence;
use crate::ui::{Button, Icon, IconSize, Message, MessageKind};

/// The largest file that is read as keys, in bytes.
const LARGEST_KEYS: f64 = 1_000_000.0;

chunk!(pub(super) VERIFICATION, "Signature verification", verify, fetch_verification, draw_verification, {
    let state = expect_context::<SimulatorState>();
    view! { <Verification state=state /> }.into_any()
});

#[component]
fn Verification(state: SimulatorState) -> impl IntoView {
    let service = state.service;
    let offered = Memo::new(move |_| service.keys.with(Option::is_some));
    let take = move |()| {
        let keys = service.keys.get_untracked().unwrap_or_default();
        let issuer = service.issuer.get_untracked().unwrap_or_default();
        let audience = service.audience.get_untracked().unwrap_or_default();
        state.edit(|inputs| {
            inputs.keys = keys;
            inputs.issuer = issuer;
            inputs.audience = audience;
        });
    };
    let report = state.part(|view| view.report.clone());
    let who = state.who();
    let discovery = Memo::new(move |_| who.with(|who| who.as_deref().and_then(presets::discovery)));
    let (over, refused) = (RwSignal::new(false), RwSignal::new(None::<RichText>));
    let drop = move |event: ev::DragEvent| {
        event.prevent_default();
        over.set(false);
        refused.set(None);
        let Some(given) = GivenFile::dropped(&event) else {
            return;
        };
        let name = given.name();
        if given.size() > LARGEST_KEYS {
            let words = file_too_large(&name, LARGEST_KEYS)
                .text(" ")
                .text(words::KEYS_ARE_SMALLER);
            refused.set(Some(words));
            return;
        }
        spawn_local(async move {
            match given.text().await {
                Ok(text) => {
                    // The page may be gone by now.
                    let _ = state.inputs.try_update(|inputs| inputs.keys = text);
                    dom::announce(&format!("{name} was read"));
                }
                Err(reason) => {
                    let _ = refused.try_set(Some(file_not_read(&name, reason.into())));
                }
            }
        });
    };
    view! {
        {move || {
            offered.get().then(|| view! {
                <div class="row"><Button small=true on_press=take>{words::USE_DEMO_KEYS}</Button></div>
            })
        }}
        <div
            class=move || if over.get() { "stack over" } else { "stack" }
            on:dragover=move |event: ev::DragEvent| {
                event.prevent_default();
                over.set(true);
            }
            on:dragleave=move |_| over.set(false)
            on:drop=drop
        >
        <Entry
            state=state id="keys" label="Keys (JWKS)" field=Some(InputField::Keys) get=|inputs| &inputs.keys
            set=|inputs, text| inputs.keys = text rows=4 placeholder="{ \"keys\": [ … ] }"
            help=words::PASTE_KEYS
        />
        {move || refused.get().map(|words| view! { <Message kind=MessageKind::Error>{sentence(&words)}</Message> })}
        {move || discovery.get().map(|address| view! {
            <p class="help brk">{sentence(&words::keys_address(&address))}</p>
        })}
        </div>
        <div class="grid-2">
            <Entry
                state=state id="issuer" label="Issuer, optional" field=None get=|inputs| &inputs.issuer
                set=|inputs, text| inputs.issuer = text
            />
            <Entry
                state=state id="audience" label="Audience, optional" field=None get=|inputs| &inputs.audience
                set=|inputs, text| inputs.audience = text
            />
        </div>
        {move || {
            report.get().map(|report| {
                let lines = report
                    .lines
                    .iter()
                    .map(|line| {
                        let (class, glyph) = mark(line.mark);
                        let outcome = match line.mark {
                            FactMark::Good => "passed: ",
                            FactMark::Bad => "failed: ",
                            FactMark::Warn | FactMark::Plain => "not checked: ",
                        };
                        view! {
                            <li>
                                <span class=class><Icon glyph=glyph size=IconSize::Small /></span>
                                <span><b>{line.name}</b> " " <span class="quiet">{outcome} {sentence(&line.words)}</span></span>
                            </li>
                        }
                    })
                    .collect_view();
                let unusable = report.unusable.iter().map(|words| view! { <p class="help">{sentence(words)}</p> }).collect_view();
                view! { <ul class="facts" aria-label="Verification, check by check">{lines}</ul>{unusable} }
            })
        }}
    }
}

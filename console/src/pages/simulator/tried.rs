//! The verdict with the changes that are tried, in the place of that of today.

use gbac_console_model::simulator::panel::Panel;
use gbac_console_model::simulator::trial::{Side, Tried, attempt, judge_with, summary, title_if};
use gbac_words::change;
use gbac_words::common::NOTHING_CHANGED;
use gbac_words::pages::simulator as words;
use gbac_words::rich_text::RichText;
use leptos::prelude::*;

use super::parts::look;
use super::state::{SimulatorState, TriedVerdict};
use crate::dom;
use crate::pages::rich_text::sentence;
use crate::ui::{Button, Glyph, Icon, IconButton, Words};

/// What is shown: the verdict with the changes, or why there is none.
type Then = Result<(TriedVerdict, Side), RichText>;

/// The panel; it is drawn only while a change is tried.
#[component]
pub(super) fn TriedPanel(state: SimulatorState) -> impl IntoView {
    let (who, access, instant) = (state.who(), state.access(), state.instant());
    let today = state.part(|view| view.verdict.as_ref().map(|verdict| verdict.kind));
    // Another name is asked about without making the changes again.
    let made = Memo::new(move |_| -> Option<Tried> {
        let policy = state.service.policy.get()?;
        who.with(|_| ());
        Some(state.trials.with(|trials| {
            state.inputs.with_untracked(|inputs| {
                attempt(trials, inputs, &policy, state.now.get_untracked())
            })
        }))
    });
    let then = Memo::new(move |_| -> Option<Then> {
        let (who, access, today, at) = (who.get()?, access.get()?, today.get()?, instant.get());
        made.with(|made| {
            let made = made.as_ref()?;
            if let Some(fault) = made.faults.first() {
                return Some(Err(fault.clone()));
            }
            if let Err(why) = &made.identity {
                return Some(Err(why.clone()));
            }
            let judged = judge_with(made, &who, &access, at)?;
            let side = summary(&judged, at);
            let verdict = TriedVerdict {
                judged,
                kind: side.kind,
                title: title_if(today, side.kind),
            };
            Some(Ok((verdict, side)))
        })
    });
    // The path, the trace and the bar follow.
    Effect::new(move |_| {
        let tried = then.with(|then| match then {
            Some(Ok((verdict, _))) => Some(verdict.clone()),
            _ => None,
        });
        let _ = state.tried.try_set(tried);
    });
    on_cleanup(move || {
        let _ = state.tried.try_set(None);
    });
    let undo = move |()| {
        state.trials.set(Default::default());
        dom::focus_later("verdict");
        dom::announce(words::CHANGES_REMOVED);
    };
    view! {
        <div role="group" aria-label="Verdict with the changes">
            {move || match then.get() {
                Some(Ok((verdict, side))) => {
                    let (_, _, glyph) = look(verdict.kind);
                    view! {
                        <div class="verdict-h">
                            <Icon glyph=glyph />
                            <h3>{verdict.title}</h3>
                            <p>{sentence(&side.sentence)}", with:"</p>
                        </div>
                    }
                    .into_any()
                }
                Some(Err(words)) => view! { <h3 class="waiting">"No verdict"</h3><p class="waiting"><Words text=words.plain() /></p> }.into_any(),
                None => view! { <p class="quiet waiting">{words::COMPLETE_CHECK_TO_TRY}</p> }.into_any(),
            }}
            <div class="tries">
                <ul class="ways" aria-label="Changes that are tried">
                    {move || state.trials.with(|trials| trials.as_slice().iter().enumerate().map(|(place, trial)| {
                        let words = change::hypothetical(trial);
                        let label = format!("Undo: {}", words.plain());
                        view! {
                            <li>
                                <span class="way"><span>{sentence(&words)}</span></span>
                                <IconButton glyph=Glyph::Undo label=label on_press=move |()| {
                                    state.trials.update(|trials| trials.remove(place));
                                    dom::focus_later("verdict");
                                } />
                            </li>
                        }
                    }).collect_view())}
                </ul>
                <div class="row">
                    <Button small=true on_press=undo>"Undo the try"</Button>
                    <Button small=true on_press=move |()| {
                        state.show(Panel::WhatIf);
                        dom::focus_later("h-what-if");
                    }>"All effects"</Button>
                </div>
                <dl class="why">
                    {move || today.get().map(|kind| view! { <div><dt>"Today"</dt><dd>{kind.title()} ". " {NOTHING_CHANGED}</dd></div> })}
                    {move || then.with(|then| match then {
                        Some(Ok((_, side))) if !side.by.is_empty() => {
                            let hops = side.by.iter().map(|hop| view! { <li><span>{sentence(hop)}</span></li> }).collect_view();
                            Some(view! { <div><dt>"Decided by"</dt><dd><ol class="path">{hops}</ol></dd></div> }.into_any())
                        }
                        Some(Ok((_, side))) => side.because.as_ref().map(|words| {
                            view! { <div><dt>"Because"</dt><dd>{sentence(words)}</dd></div> }.into_any()
                        }),
                        _ => None,
                    })}
                </dl>
            </div>
        </div>
    }
}

//! What there is to know beyond the verdict: parts under the panes, each closed until somebody asks.

use std::sync::Arc;

use gbac_analysis::{AccessEffect, AccessRegion};
use gbac_engine::decide::At;
use gbac_engine::identity::Identity;
use leptos::context::Provider;
use leptos::prelude::*;

use super::parts::sentence;
use super::{Bench, Part, collisions, compare, request, saved, share, troubleshoot, ways, what_if};
use crate::pages::chunk::{Chunk, Lazy, Unfetched, chunk};
use crate::pages::effect::{EffectWord, ExtentNames, Limits, operations};
use crate::state::simulator::question::{self, Asked};
use crate::state::simulator::words::Words;
use crate::state::simulator::{Opened, Shared};
use crate::state::words::count;
use crate::ui::{Disclosure, LinkButton, Mark, VerdictWord};

/// How many lines of a list are shown at first.
const FIRST: usize = 40;

/// The parts.
#[component]
pub(super) fn More(bench: Bench) -> impl IntoView {
    let tried = Memo::new(move |_| bench.trials.with(|trials| trials.as_slice().len()));
    let about_tried = move || match tried.get() {
        0 => "Changes to try, side by side with today".to_owned(),
        number => format!("{} tried", count(number, "change")),
    };
    view! {
        <section class="section more" aria-labelledby="h-more">
            <div class="row"><h2 id="h-more">"Look further"</h2></div>
            <ul class="panel flat parts">
                <Row bench=bench part=Part::WhatIf about=about_tried />
                <Row bench=bench part=Part::Ways about=|| "The least that would allow it, or deny it".to_owned() />
                <Row bench=bench part=Part::Request about=|| "What clients ask for, check by check".to_owned() />
                <Row bench=bench part=Part::Collisions about=|| "Names that become one group, here and among all known groups".to_owned() />
                <Row bench=bench part=Part::Compare about=|| "What differs between this person and another".to_owned() />
                <Row bench=bench part=Part::Troubleshoot about=|| "Four steps from the token to its groups, and what the service sees".to_owned() />
                <Row bench=bench part=Part::Tests about=move || saved::about(bench) />
                <Row bench=bench part=Part::Share about=|| "This check as a link, without the token".to_owned() />
            </ul>
        </section>
    }
}

/// The part that is drawn, for the code that draws it.
#[derive(Clone, Copy)]
struct Opening(Bench, Part);

chunk!(MORE, "This part", rest, fetch_more, draw_more, {
    let Opening(bench, part) = expect_context::<Opening>();
    match part {
        Part::WhatIf => view! { <what_if::WhatIf bench=bench /> }.into_any(),
        Part::Ways => view! { <ways::LeastWays bench=bench /> }.into_any(),
        Part::Request => view! { <request::WholeRequest bench=bench /> }.into_any(),
        Part::Collisions => view! { <collisions::Collisions bench=bench /> }.into_any(),
        Part::Compare => view! { <compare::Compare bench=bench /> }.into_any(),
        Part::Troubleshoot => view! { <troubleshoot::Troubleshoot bench=bench /> }.into_any(),
        Part::Tests => view! { <saved::Tests bench=bench /> }.into_any(),
        Part::Share => view! { <share::Share bench=bench /> }.into_any(),
    }
});

#[component]
fn Row(bench: Bench, part: Part, #[prop(into)] about: Signal<String>) -> impl IntoView {
    let open = Signal::derive(move || bench.open.with(|open| open.contains(&part)));
    let toggle = move |is_open: bool| {
        bench.open.update(|open| {
            open.retain(|known| *known != part);
            if is_open {
                open.push(part);
            }
        });
    };
    view! {
        <li class="part">
            <Disclosure
                id=part.id() open=open on_toggle=toggle
                summary=move || view! { <span class="part-t"><b>{part.title()}</b> <span class="quiet">{move || about.get()}</span></span> }
            >
                <div class="part-b stack"><Provider value=Opening(bench, part)><Lazy chunk=MORE part=true /></Provider></div>
            </Disclosure>
        </li>
    }
}

impl Bench {
    /// Who asks, while what is entered names somebody.
    pub(super) fn who(self) -> Memo<Option<Shared<Opened>>> {
        self.part(|view| view.who.clone())
    }

    /// The identity of who asks.
    pub(super) fn identity(self) -> Memo<Option<Arc<Identity>>> {
        self.part(|view| view.who.as_deref().and_then(|who| who.identity.as_ref().ok().map(Arc::clone)))
    }

    /// What to fix first where sign-in fails.
    pub(super) fn refusal(self) -> Memo<Option<Words>> {
        self.part(|view| view.refusal.as_ref().map(|refusal| refusal.words.clone()))
    }

    /// What is asked, when that is complete.
    pub(super) fn asked(self) -> Memo<Option<Asked>> {
        Memo::new(move |_| self.inputs.with(|inputs| question::read(inputs).0))
    }

    /// The instant that counts: the page's clock, unless somebody asked for the answer as if the token had not expired.
    pub(super) fn instant(self) -> Memo<At> {
        Memo::new(move |_| match self.inputs.with(|inputs| inputs.ignore_expiry) {
            true => At::IgnoringExpiry,
            false => At::seconds(self.now.get()),
        })
    }
}

/// Why no change of the policy helps: sign-in fails, so that no ACL is evaluated.
/// `words` say what to fix.
pub(super) fn sign_in_first(words: &Words) -> impl IntoView + use<> {
    view! {
        <p><VerdictWord mark=Mark::Deny word="Sign-in fails" /> ". Fix it first: until then no ACL is evaluated."</p>
        <p>{sentence(words)}</p>
    }
}

/// What is said where nobody is named yet.
pub(super) fn nobody() -> impl IntoView {
    view! { <p class="quiet">"Paste a token, or name a user by hand, first."</p> }
}

/// Operations on names, each with what happens to them.
#[component]
pub(super) fn Extents(
    /// What.
    extents: Vec<AccessRegion>,
    /// What happens.
    effect: AccessEffect,
) -> impl IntoView {
    let all = extents.len();
    let extents = StoredValue::new(extents);
    let shown = RwSignal::new(FIRST);
    view! {
        <ul class="facts extents">
            {move || extents.with_value(|extents| {
                extents.iter().take(shown.get()).cloned().map(|extent| {
                    let words = operations(&extent);
                    view! {
                        <li>
                            <span class="effect">
                                <EffectWord effect=effect /> " " {words} ", " <ExtentNames extent=extent.clone() /> " "
                                <span class="quiet"><Limits extent=extent /></span>
                            </span>
                        </li>
                    }
                }).collect_view()
            })}
        </ul>
        {move || (all > shown.get()).then(|| view! {
            <LinkButton on_press=move |()| shown.set(all)>{format!("Show all {all}")}</LinkButton>
        })}
    }
}

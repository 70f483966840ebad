//! The simulator: what a token may do and why, decided in this browser while one types.
//!
//! The token stays in this tab's memory: it is in no address, no storage, no log and no request.

mod check;
mod collisions;
mod compare;
mod identity;
mod more;
mod parts;
mod request;
mod saved;
mod share;
mod steps;
mod trace;
mod troubleshoot;
mod verifier;
mod ways;
mod what_if;

pub(super) use parts::sentence;
pub(super) use verifier::VERIFIER;

use std::sync::Arc;
use std::time::Duration;

use gbac_analysis::HypotheticalChanges;
use gbac_analysis::provider::AcceptedTokens;
use gbac_engine::policy::Policy;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Map, Value};

use crate::dom;
use crate::pages::chunk::{Unfetched, later};
use crate::pages::settings::on_connection;
use crate::state::names::SeenGroups;
use crate::state::service::Service;
use crate::state::simulator::accepted::of_service;
use crate::state::simulator::inputs::{Change, Field, Inputs, Problem};
use crate::state::simulator::request::RequestForm;
use crate::state::simulator::saved::Saved;
use crate::state::simulator::verdict::Judged;
use crate::state::simulator::words::thousands;
use crate::state::simulator::{Shared, Simulation, View, assertion};
use crate::state::words::count;
use crate::ui::{Button, ButtonKind};

/// How long a verdict has to rest before it is announced.
const REST: Duration = Duration::from_millis(500);
/// How often what depends on the time is looked at again, in seconds.
const CLOCK_STEP_S: f64 = 5.0;

/// What a person entered, kept while other pages are open; a context of the console. It ends with the tab.
#[derive(Clone, Copy)]
pub struct Kept {
    inputs: RwSignal<Inputs>,
    /// The other person, to compare with.
    other: RwSignal<Inputs>,
    /// The changes that are tried.
    trials: RwSignal<HypotheticalChanges>,
    /// The whole request.
    request: RwSignal<RequestForm>,
    /// The saved tests.
    saved: RwSignal<Vec<Saved>>,
    /// The parts that are open.
    open: RwSignal<Vec<Part>>,
    /// The service's properties, as far as it said; they tell whose tokens it accepts.
    properties: RwSignal<Map<String, Value>>,
}

impl Kept {
    /// What was entered; other pages try their settings on the same token.
    #[must_use]
    pub const fn inputs(self) -> RwSignal<Inputs> {
        self.inputs
    }

    /// Nothing entered yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            inputs: RwSignal::new(Inputs::default()),
            other: RwSignal::new(Inputs::default()),
            trials: RwSignal::new(HypotheticalChanges::default()),
            request: RwSignal::new(RequestForm::default()),
            saved: RwSignal::new(Vec::new()),
            open: RwSignal::new(Vec::new()),
            properties: RwSignal::new(Map::new()),
        }
    }
}

impl Default for Kept {
    fn default() -> Self {
        Self::new()
    }
}

/// A part under the panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    WhatIf,
    Ways,
    Request,
    Collisions,
    Compare,
    Troubleshoot,
    Tests,
    Share,
}

impl Part {
    const fn id(self) -> &'static str {
        match self {
            Self::WhatIf => "part-what-if",
            Self::Ways => "part-ways",
            Self::Request => "part-request",
            Self::Collisions => "part-collisions",
            Self::Compare => "part-compare",
            Self::Troubleshoot => "part-troubleshoot",
            Self::Tests => "part-tests",
            Self::Share => "part-share",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::WhatIf => "What if",
            Self::Ways => "Least change",
            Self::Request => "Whole request",
            Self::Collisions => "Collisions",
            Self::Compare => "Compare two people",
            Self::Troubleshoot => "Troubleshoot",
            Self::Tests => "Tests",
            Self::Share => "Share",
        }
    }
}

/// The page's state: what is entered and what follows from it.
#[derive(Clone, Copy)]
struct Bench {
    inputs: RwSignal<Inputs>,
    other: RwSignal<Inputs>,
    trials: RwSignal<HypotheticalChanges>,
    request: RwSignal<RequestForm>,
    saved: RwSignal<Vec<Saved>>,
    open: RwSignal<Vec<Part>>,
    properties: RwSignal<Map<String, Value>>,
    /// Whose tokens the service accepts, as far as it is known.
    accepted: Memo<AcceptedTokens>,
    view: Memo<View>,
    /// The instant that counts, in seconds since 1970; looked at in steps.
    now: Memo<f64>,
    service: Service,
}

impl Bench {
    fn new(service: Service, kept: Kept) -> Self {
        let Kept { inputs, other, trials, request, saved, open, properties } = kept;
        let accepted = Memo::new(move |_| {
            properties.with(|properties| of_service(properties, service.issuer.get(), service.audience.get()))
        });
        let simulation = StoredValue::new(Simulation::default());
        let now = Memo::new(move |_| (service.now.get() / 1000.0 / CLOCK_STEP_S).floor() * CLOCK_STEP_S);
        let verifier = verifier::wanted(inputs, now);
        let view = Memo::new(move |_| {
            let (policy, accepted, now) = (service.policy.get(), accepted.get(), now.get());
            verifier.track();
            let evaluated = dom::measured("simulator: verdict", || {
                simulation.try_update_value(|simulation| {
                    inputs.with(|inputs| simulation.evaluate(inputs, policy.as_ref(), &accepted, now))
                })
            });
            // The store lives as long as the page; after that nobody looks.
            evaluated.unwrap_or_else(|| crate::state::simulator::evaluate(&Inputs::default(), None, &accepted, now))
        });
        Self { inputs, other, trials, request, saved, open, properties, accepted, view, now, service }
    }

    /// Opens a part.
    fn show(self, part: Part) {
        self.open.update(|open| {
            if !open.contains(&part) {
                open.push(part);
            }
        });
    }

    /// Takes an edit of a field.
    fn edit(self, change: impl FnOnce(&mut Inputs)) {
        self.inputs.update(change);
    }

    /// Makes a change that a button offers.
    fn apply(self, change: Change) {
        let service = self.view.with_untracked(|view| view.service.clone());
        self.edit(|inputs| change.apply(inputs, &service));
    }

    /// A part of the inputs; it is told anew only when it changed.
    fn input<T: PartialEq + Send + Sync + 'static>(self, part: fn(&Inputs) -> T) -> Memo<T> {
        Memo::new(move |_| self.inputs.with(part))
    }

    /// A part of the view; it is told anew only when it changed.
    fn part<T: PartialEq + Send + Sync + 'static>(self, part: fn(&View) -> T) -> Memo<T> {
        Memo::new(move |_| self.view.with(part))
    }

    /// What is wrong with a field.
    fn problem(self, field: Option<Field>) -> Memo<Option<Problem>> {
        Memo::new(move |_| field.and_then(|field| self.view.with(|view| view.problem(field).cloned())))
    }
}

/// The page.
#[component]
pub fn Simulator() -> impl IntoView {
    dom::set_title("Simulator");
    let service = expect_context::<Service>();
    let bench = Bench::new(service, expect_context::<Kept>());
    let arrived = share::arrive(bench);
    announce(bench);
    ask_accepted(bench);
    remember_groups(bench, expect_context::<SeenGroups>());
    let facts = move || {
        service.policy.with(|policy| match policy {
            Some(policy) => {
                let acls = match policy.acl_count() {
                    1 => "1 ACL".to_owned(),
                    number => format!("{} ACLs", thousands(number)),
                };
                format!("decided in this browser on {acls} and {}.", count(policy.role_count(), "role"))
            }
            None => "decided in this browser.".into(),
        })
    };
    view! {
        <div class="head">
            <div>
                <h1>"Simulator"</h1>
                <p>"What a token may do and why, " {facts}</p>
            </div>
            <div class="row"><SaveAsTest bench=bench /></div>
        </div>
        {arrived.map(|arrived| view! { <share::Arrived arrived=arrived /> })}
        <div class="bench">
            <identity::IdentityPane bench=bench />
            <steps::StepsPane bench=bench />
            <check::CheckPane bench=bench />
        </div>
        <more::More bench=bench />
        <trace::Trace bench=bench />
        <check::VerdictBar bench=bench />
    }
}

later!(rest, write_test(judged: Shared<Judged>, policy: Arc<Policy>) {
    let (name, text) = assertion::file(&judged, &policy);
    match dom::save_file(&name, "application/json", &text) {
        Ok(()) => {
            dom::announce(&format!("Saved as {name}, with the policy, the user and the groups. The token is not in it."));
        }
        Err(reason) => dom::announce_error(&format!("Not saved: {reason}")),
    }
});

/// Saves the check with its verdict, so that `gbac test` runs it again.
#[component]
fn SaveAsTest(bench: Bench) -> impl IntoView {
    let ready = bench.part(|view| view.judged.is_some() && view.verdict_stale.is_none());
    let save = move |()| {
        let judged = bench.view.with_untracked(|view| view.judged.clone());
        let policy = bench.service.policy.get_untracked();
        let (Some(judged), Some(policy)) = (judged, policy) else { return };
        spawn_local(async move {
            if write_test(judged, policy).await.is_err() {
                dom::announce_error("Not saved: the service did not give the code that writes tests. Try again.");
            }
        });
    };
    view! { <Button kind=ButtonKind::Primary on_press=save disabled=Signal::derive(move || !ready.get())>"Save as test"</Button> }
}

/// Asks the service whose tokens it accepts; what it does not say is not compared. Nothing of a token goes with it.
fn ask_accepted(bench: Bench) {
    let service = bench.service;
    on_connection(service, move || {
        spawn_local(async move {
            let properties = match service.can.with_untracked(|can| can.settings.is_yes()) {
                true => service.properties().await.unwrap_or_default(),
                false => Default::default(),
            };
            // The page may be gone by now.
            let _ = bench.properties.try_set(properties);
        });
    });
}

/// Remembers which groups tokens had, so that a review can say of a new one that nobody was seen in it.
fn remember_groups(bench: Bench, seen: SeenGroups) {
    let who = bench.who();
    Effect::new(move |_| {
        who.with(|who| {
            if let Some(who) = who.as_deref().filter(|who| who.rules().is_some()) {
                seen.add(who.names());
                seen.add(who.identity.iter().flat_map(|identity| identity.groups()).map(String::as_str));
            }
        });
    });
}

/// Says the verdict, or what is in its way, once nothing has changed for a moment.
fn announce(bench: Bench) {
    let text = Memo::new(move |_| bench.view.with(View::announcement));
    let waiting = StoredValue::new(None::<TimeoutHandle>);
    let stop = move || {
        waiting.update_value(|waiting| {
            if let Some(handle) = waiting.take() {
                handle.clear();
            }
        });
    };
    Effect::new(move |before: Option<()>| {
        let text = text.get();
        stop();
        // What is there when the page opens is read like the rest of the page.
        if before.is_some() && !text.is_empty() {
            waiting.set_value(set_timeout_with_handle(move || dom::announce(&text), REST).ok());
        }
    });
    on_cleanup(stop);
}

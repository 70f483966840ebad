//! The left pane: the token or the identity entered by hand, token checks, and settings.

use gbac_console_model::simulator::inputs::{IdentityMode, InputEdit, InputField, Inputs, SettingsSource};
use gbac_console_model::simulator::panel::Panel;
use gbac_console_model::simulator::presets;
use gbac_console_model::simulator::token::FactMark;
use gbac_engine::groups::NestedGroupBehavior;
use leptos::context::Provider;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::panels::content;
use super::parts::{Entry, mark};
use super::state::SimulatorState;
use crate::dom::{self, GivenFile};
use crate::pages::chunk::{Chunk, Lazy, Unfetched, chunk};
use crate::pages::rich_text::sentence;
use crate::ui::{
    Button, Choice, Disclosure, Glyph, Icon, IconSize, LinkButton, Message, MessageKind, Mono, Segmented, Select,
};
use gbac_api::service::Person;

/// The largest file that is read as keys, in bytes.
const LARGEST_KEYS: f64 = 1_000_000.0;

/// The pane.
#[component]
pub(super) fn IdentityPane(state: SimulatorState) -> impl IntoView {
    let mode = state.input(|inputs| inputs.mode);
    let value = Signal::derive(move || if mode.get() == IdentityMode::Token { "token" } else { "hand" }.to_owned());
    let change = move |value: String| {
        state.edit(|inputs| inputs.mode = if value == "token" { IdentityMode::Token } else { IdentityMode::ByHand });
    };
    view! {
        <section class="pane" aria-labelledby="h-tok">
            <div class="pane-h">
                <h2 id="h-tok">{move || if mode.get() == IdentityMode::Token { "Token" } else { "Identity" }}</h2>
                <span class="row-end">
                    <Segmented
                        name="mode" legend="Identity" hide_legend=true small=true value=value on_change=change
                        choices=vec![Choice::new("token", "Token"), Choice::new("hand", "Groups by hand")]
                    />
                </span>
            </div>
            {move || match mode.get() {
                IdentityMode::Token => view! { <TokenFields state=state /> }.into_any(),
                IdentityMode::ByHand => view! { <HandFields state=state /> }.into_any(),
            }}
            {move || (mode.get() == IdentityMode::Token).then(|| view! { <hr class="sep" /><Settings state=state /> })}
        </section>
    }
}

#[component]
fn TokenFields(state: SimulatorState) -> impl IntoView {
    let as_claims = state.input(|inputs| inputs.as_claims);
    let label = Signal::derive(move || if as_claims.get() { "Claims" } else { "Access token" }.to_owned());
    let needs_userinfo = state.part(|view| view.needs_userinfo);
    let set = |inputs: &mut Inputs, text: String| {
        // Something else than JSON is no longer meant as claims.
        inputs.as_claims = inputs.as_claims && text.trim_start().starts_with('{');
        inputs.ignore_expiry = false;
        inputs.token = text;
    };
    view! {
        <div class="stack">
            <Entry
                state=state id="tok" label=label field=Some(InputField::Token) get=|inputs| &inputs.token set=set rows=2
                placeholder="eyJhbGciOi…" described_by="tok-stays"
            />
            <p class="msg msg-ok" id="tok-stays">
                <Icon glyph=Glyph::Lock size=IconSize::Small />
                <span>"Stays in this tab and is never sent or stored."</span>
            </p>
            <People state=state />
        </div>
        {move || {
            needs_userinfo.get().then(|| view! {
                <Entry
                    state=state id="userinfo" label="User-info document" field=Some(InputField::UserInfo)
                    get=|inputs| &inputs.userinfo set=|inputs, text| inputs.userinfo = text rows=4
                    placeholder="{ \"groups\": [ … ] }"
                    help="The settings read groups from it. Paste the response of the provider's user-info endpoint."
                />
            })
        }}
        <Facts state=state />
    }
}

/// The demo people, and the way back to an empty field.
#[component]
fn People(state: SimulatorState) -> impl IntoView {
    let people = state.service.people;
    let empty = state.input(|inputs| inputs.token.trim().is_empty());
    let listed = RwSignal::new(false);
    // Without a token they are the quickest way to see anything.
    let open = Memo::new(move |_| listed.get() || empty.get());
    let pick = move |person: &Person| {
        listed.set(false);
        state.edit(|inputs| {
            // Keys and issuer that were entered for another token say nothing about this one.
            inputs.clear_token();
            inputs.put_token(&person.token);
        });
        // The list goes away, and focus must not go with it.
        dom::focus_later("tok");
    };
    let clear = move |()| {
        state.edit(Inputs::clear_token);
        dom::focus_later("tok");
    };
    let some = Memo::new(move |_| people.with(|people| !people.is_empty()));
    view! {
        {move || {
            (some.get() || !empty.get()).then(|| view! {
                <div class="row">
                    {move || {
                        (some.get() && !empty.get()).then(|| view! {
                            <button
                                class="link" type="button" aria-controls="people"
                                aria-expanded=move || if open.get() { "true" } else { "false" }
                                on:click=move |_| listed.update(|listed| *listed = !*listed)
                            >"Use a demo user"</button>
                            <span class="dim" aria-hidden="true">"·"</span>
                        })
                    }}
                    {move || (!empty.get()).then(|| view! { <LinkButton on_press=clear>"Clear"</LinkButton> })}
                </div>
            })
        }}
        <ul class="people" id="people" aria-label="Demo users" hidden=move || !open.get() || !some.get()>
            {move || {
                people
                    .get()
                    .into_iter()
                    .map(|person| {
                        let (name, note) = (person.name.clone(), person.note.clone());
                        view! {
                            <li>
                                <button type="button" class="person" on:click=move |_| pick(&person)>
                                    <Icon glyph=Glyph::User />
                                    <span><b>{name}</b><small>{note}</small></span>
                                </button>
                            </li>
                        }
                    })
                    .collect_view()
            }}
        </ul>
    }
}

/// What the token says about itself, and the verification.
#[component]
fn Facts(state: SimulatorState) -> impl IntoView {
    let facts = state.part(|view| view.facts.clone());
    let some = Memo::new(move |_| facts.with(|facts| !facts.is_empty()));
    let open = RwSignal::new(false);
    let can_verify = state.input(|inputs| !inputs.as_claims);
    view! {
        {move || {
            some.get().then(|| view! {
                <Disclosure
                    id=Panel::Decoded.id() open=state.is_open(Panel::Decoded)
                    on_toggle=move |is_open| state.toggle(Panel::Decoded, is_open)
                    summary=|| view! { <span>"Decoded token"</span> }
                >
                    {content(state, Panel::Decoded)}
                </Disclosure>
                <hr class="sep" />
                <ul class="facts" aria-label="Token checks">
                    {move || {
                        facts
                            .get()
                            .into_iter()
                            .map(|fact| {
                                let (class, glyph) = mark(fact.mark);
                                let verify = (fact.about == "signature" && can_verify.get()).then(|| view! {
                                    <button
                                        class="link row-end" type="button" id="verify-open" aria-controls="verify"
                                        aria-expanded=move || if open.get() { "true" } else { "false" }
                                        on:click=move |_| open.update(|open| *open = !*open)
                                    >{move || if open.get() { "Close" } else { "Verify" }}</button>
                                });
                                let loud = matches!((fact.about, fact.mark), ("signature", FactMark::Warn));
                                view! {
                                    <li class=if loud { "v-warn" } else { "" }>
                                        <span class=class><Icon glyph=glyph /></span>
                                        <span>{sentence(&fact.words)}</span>
                                        {verify}
                                    </li>
                                }
                            })
                            .collect_view()
                    }}
                </ul>
                <div class="verify stack" id="verify" hidden=move || !open.get() || !can_verify.get()>
                    <Provider value=state><Lazy chunk=VERIFICATION part=true /></Provider>
                </div>
            })
        }}
    }
}

chunk!(VERIFICATION, "Signature verification", verify, fetch_verification, draw_verification, {
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
    let (over, refused) = (RwSignal::new(false), RwSignal::new(None::<String>));
    let drop = move |event: ev::DragEvent| {
        event.prevent_default();
        over.set(false);
        refused.set(None);
        let Some(given) = GivenFile::dropped(&event) else { return };
        let name = given.name();
        if given.size() > LARGEST_KEYS {
            refused.set(Some(format!("{name} is larger than 1 MB. A key set (JWKS) is smaller.")));
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
                    let _ = refused.try_set(Some(format!("{name} could not be read: {reason}.")));
                }
            }
        });
    };
    view! {
        {move || {
            offered.get().then(|| view! {
                <div class="row"><Button small=true on_press=take>"Use the demo provider’s keys"</Button></div>
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
            help="Paste or drop the public keys from the provider's jwks_uri. The token is never sent."
        />
        {move || refused.get().map(|text| view! { <Message kind=MessageKind::Error>{text}</Message> })}
        {move || discovery.get().map(|address| view! {
            <p class="help brk">"The provider names its jwks_uri at " <Mono text=address /> ". Open it to copy the keys."</p>
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

#[component]
fn HandFields(state: SimulatorState) -> impl IntoView {
    view! {
        <div class="stack">
            <Entry
                state=state id="user" label="User" field=Some(InputField::User) get=|inputs| &inputs.user
                set=|inputs, text| inputs.user = text placeholder="maya.okafor"
            />
            <Entry
                state=state id="groups" label="IdP groups, one per line" field=Some(InputField::Groups)
                get=|inputs| &inputs.groups set=|inputs, text| inputs.groups = text rows=6 placeholder="payments"
                help="Group names after extraction. Settings do not change them."
            />
        </div>
    }
}

/// The settings in force: the service's, or those to try.
#[component]
fn Settings(state: SimulatorState) -> impl IntoView {
    let source = state.input(|inputs| inputs.source);
    let value =
        Signal::derive(move || if source.get() == SettingsSource::Service { "service" } else { "what-if" }.to_owned());
    let change = move |value: String| {
        let service = state.view.with_untracked(|view| view.service.clone());
        state.edit(|inputs| {
            if value == "service" {
                inputs.source = SettingsSource::Service;
            } else {
                inputs.try_settings(&service);
            }
        });
    };
    view! {
        <div class="stack">
            <div class="pane-h">
                <h3>"Settings"</h3>
                <span class="row-end">
                    <Segmented
                        name="src" legend="Settings source" hide_legend=true small=true value=value on_change=change
                        choices=vec![Choice::new("service", "Service"), Choice::new("what-if", "What if")]
                    />
                </span>
            </div>
            {move || match source.get() {
                SettingsSource::Service => view! { <InForce state=state /> }.into_any(),
                SettingsSource::WhatIf => view! { <ToTry state=state /> }.into_any(),
            }}
        </div>
    }
}

#[component]
fn InForce(state: SimulatorState) -> impl IntoView {
    let service = state.part(|view| (view.service.clone(), view.sso));
    let known = Memo::new(move |_| state.service.policy.with(Option::is_some));
    move || {
        let (service, sso) = service.get();
        view! {
            <dl class="kv">
                <dt>{if sso { "Group attribute" } else { "Group claim" }}</dt>
                <dd><Mono text=service.claim_path /></dd>
                <dt>"Nested names"</dt>
                <dd><Mono text=service.nested.as_str() /></dd>
                <dt>"User claim"</dt>
                <dd><Mono text=service.mapping /></dd>
            </dl>
            {(!known.get()).then(|| view! { <p class="help">"Defaults: the service has not been read yet."</p> })}
        }
    }
}

#[component]
fn ToTry(state: SimulatorState) -> impl IntoView {
    let nested = state.input(|inputs| inputs.what_if.nested);
    let value = Signal::derive(move || nested.get().as_str().to_owned());
    let differs =
        Memo::new(move |_| state.view.with(|view| state.inputs.with(|inputs| inputs.what_if != view.service)));
    let change = move |value: String| {
        state.edit(|inputs| inputs.what_if.nested = value.parse().unwrap_or(NestedGroupBehavior::None));
    };
    let who = state.who();
    let paths = Memo::new(move |_| who.with(|who| presets::completions(who.as_deref())));
    let preset = RwSignal::new(None::<&'static presets::ProviderPreset>);
    let choose = move |id: String| {
        let found = presets::find(&id);
        preset.set(found);
        if let Some(path) = found.and_then(|found| found.path) {
            state.edit(|inputs| inputs.what_if.claim_path = path.into());
        }
    };
    let providers: Vec<Choice> = std::iter::once(Choice::new("", "Any"))
        .chain(presets::PRESETS.iter().map(|preset| Choice::new(preset.id, preset.name)))
        .collect();
    view! {
        <Select
            id="provider" label="Provider" choices=providers on_change=choose
            value=Signal::derive(move || preset.get().map_or_else(String::new, |preset| preset.id.to_owned()))
            help=Signal::derive(move || preset.get().map(|preset| preset.about.to_owned()))
        />
        <Entry
            state=state id="claim-path" label="Group claim" field=Some(InputField::ClaimPath)
            get=|inputs| &inputs.what_if.claim_path set=|inputs, text| inputs.what_if.claim_path = text
            placeholder="$.groups" list="claim-paths"
        />
        <datalist id="claim-paths">
            {move || paths.get().into_iter().map(|path| view! { <option value=path></option> }).collect_view()}
        </datalist>
        <Segmented
            name="nested" legend="Nested names" small=true value=value on_change=change
            choices=vec![Choice::new("none", "none"), Choice::new("suffix", "suffix")]
        />
        <Entry
            state=state id="mapping" label="User claim" field=Some(InputField::Mapping)
            get=|inputs| &inputs.what_if.mapping set=|inputs, text| inputs.what_if.mapping = text placeholder="$.sub"
        />
        <p class="help">"Not saved. The service keeps its own settings."</p>
        {move || {
            differs.get().then(|| view! {
                <LinkButton on_press=move |()| state.apply(InputEdit::ServiceSettings)>"Reset to the service's settings"</LinkButton>
            })
        }}
    }
}

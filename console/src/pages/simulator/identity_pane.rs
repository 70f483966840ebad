//! The token or the identity entered by hand, and how groups are read from it.

use gbac_console_model::simulator::claims::{
    self, PRESETS, PROVIDERS, ProviderPreset, find_preset, provider_path,
};
use gbac_console_model::simulator::inputs::{
    IdentityMode, InputEdit, InputField, Inputs, SettingsSource,
};
use gbac_engine::Coded;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_words::common::GROUPS_BY_LINE;
use gbac_words::pages::simulator as words;
use leptos::prelude::*;

use super::fields::{Entry, Names};
use super::state::SimulatorState;
use crate::dom;
use crate::pages::rich_text::sentence;
use crate::ui::{Choice, LinkButton, Mono, Segmented, Select};

/// How many groups of the policy are offered beside those that were entered.
const OFFERED_GROUPS: usize = 8;

/// The pane.
#[component]
pub(super) fn IdentityPane(state: SimulatorState) -> impl IntoView {
    let mode = state.input(|inputs| inputs.mode);
    let value = Signal::derive(move || {
        if mode.get() == IdentityMode::Token {
            "token"
        } else {
            "hand"
        }
        .to_owned()
    });
    let has_token =
        state.input(|inputs| inputs.mode == IdentityMode::Token && !inputs.token.trim().is_empty());
    view! {
        // The field is the first that Tab reaches; the controls stand beside the heading above it.
        <section class="pane tok-pane" aria-labelledby="h-tok">
            <h2 id="h-tok">{move || if mode.get() == IdentityMode::Token { "Token" } else { "Identity" }}</h2>
            {move || match mode.get() {
                IdentityMode::Token => view! { <TokenFields state=state /> }.into_any(),
                IdentityMode::ByHand => view! { <HandFields state=state /> }.into_any(),
            }}
            <div class="lab">
                {move || (mode.get() == IdentityMode::Token).then(|| view! { <People state=state /> })}
                <span class="row-end row">
                    {move || has_token.get().then(|| view! {
                        <LinkButton on_press=move |()| {
                            state.edit(Inputs::clear_token);
                            dom::focus_later("tok");
                        }>"Clear"</LinkButton>
                    })}
                    <Segmented
                        name="mode" legend="Identity" hide_legend=true small=true value=value
                        choices=vec![Choice::new("token", "Token"), Choice::new("hand", "Groups by hand")]
                        on_change=move |value: String| state.edit(|inputs| {
                            inputs.mode = if value == "token" { IdentityMode::Token } else { IdentityMode::ByHand };
                        })
                    />
                </span>
            </div>
        </section>
    }
}

#[component]
fn TokenFields(state: SimulatorState) -> impl IntoView {
    let as_claims = state.input(|inputs| inputs.as_claims);
    let label = Signal::derive(move || {
        if as_claims.get() {
            "Claims"
        } else {
            "Access token"
        }
        .to_owned()
    });
    let needs_userinfo = state.needs_userinfo();
    view! {
        <Entry
            state=state id="tok" label=label hide_label=true field=Some(InputField::Token) get=|inputs| &inputs.token set=set_token
            rows=2 placeholder=words::TOKEN_EXAMPLE described_by="tok-stays"
        />
        <ReadGroups state=state />
        {move || {
            needs_userinfo.get().then(|| view! {
                <Entry
                    state=state id="userinfo" label="User-info document" field=Some(InputField::UserInfo)
                    get=|inputs| &inputs.userinfo set=|inputs, text| inputs.userinfo = text rows=4
                    placeholder="{ \"groups\": [ … ] }"
                    help=words::USERINFO_REQUIRED
                />
            })
        }}
    }
}

fn set_token(inputs: &mut Inputs, text: String) {
    // Something else than JSON is no longer meant as claims.
    inputs.as_claims = inputs.as_claims && text.trim_start().starts_with('{');
    inputs.ignore_expiry = false;
    inputs.token = text;
}

/// The users of the demo: a press puts a token of theirs into the field.
#[component]
fn People(state: SimulatorState) -> impl IntoView {
    let people = state.service.people;
    let token = state.input(|inputs| inputs.token.clone());
    let some = Memo::new(move |_| people.with(|people| !people.is_empty()));
    view! {
        {move || some.get().then(|| view! {
            <span class="small quiet" id="people-l">{words::people(state.service.is_example())}</span>
            <ul class="chips" aria-labelledby="people-l">
                {move || {
                    people
                        .get()
                        .into_iter()
                        .map(|person| {
                            let first = person.name.split(' ').next().unwrap_or_default().to_owned();
                            let label = format!("{}: {}", person.name, person.note);
                            let title = label.clone();
                            let own = person.token.clone();
                            view! {
                                <li>
                                    <button
                                        type="button" class="chip" aria-label=label title=title
                                        aria-pressed=move || if *token.read() == own { "true" } else { "false" }
                                        on:click=move |_| state.edit(|inputs| {
                                            // Keys and issuer that were entered for another token say
                                            // nothing about this one.
                                            inputs.clear_token();
                                            inputs.put_token(&person.token);
                                        })
                                    >{first}</button>
                                </li>
                            }
                        })
                        .collect_view()
                }}
            </ul>
        })}
    }
}

#[component]
fn HandFields(state: SimulatorState) -> impl IntoView {
    let entered = state.input(|inputs| inputs.groups.clone());
    let offered = Memo::new(move |_| {
        let (offers, entered) = (state.offers.read(), entered.read());
        let groups = offers.groups.iter();
        let new = groups.filter(|group| entered.lines().all(|line| line != *group));
        new.take(OFFERED_GROUPS).cloned().collect::<Vec<_>>()
    });
    view! {
        <div class="by-hand">
            <Entry
                state=state id="user" label="User" field=Some(InputField::User) get=|inputs| &inputs.user
                set=|inputs, text| inputs.user = text placeholder="maya.okafor" list="user-names"
            />
            <Names id="user-names" names=state.offered(|offers| offers.users.clone()) />
            <Entry
                state=state id="groups" label=GROUPS_BY_LINE field=Some(InputField::Groups)
                get=|inputs| &inputs.groups set=|inputs, text| inputs.groups = text rows=3 placeholder="payments"
                help=words::GROUPS_AFTER_EXTRACTION
            />
        </div>
        {move || (!offered.with(Vec::is_empty)).then(|| view! {
            <div class="under">
                <span id="groups-l">"In the policy"</span>
                <ul class="chips" aria-labelledby="groups-l">
                    {offered.get().into_iter().map(|group| {
                        let (name, label) = (group.clone(), format!("Add group {group}"));
                        view! {
                            <li><button type="button" class="chip plain" aria-label=label on:click=move |_| add_group(state, &group)>
                                <Mono text=name />
                            </button></li>
                        }
                    }).collect_view()}
                </ul>
            </div>
        })}
    }
}

/// Adds a group to those that are entered.
fn add_group(state: SimulatorState, group: &str) {
    state.edit(|inputs| {
        if !inputs.groups.is_empty() && !inputs.groups.ends_with('\n') {
            inputs.groups.push('\n');
        }
        inputs.groups.push_str(group);
    });
    dom::announce(&format!("{group} added"));
    dom::focus_later("groups");
}

/// The value of the choice whose claim path is entered.
const CUSTOM: &str = "custom";
/// The value of the service's own settings.
const SERVICE: &str = "service";

/// How groups are read: by the settings of the service, as a provider writes them, or by settings
/// that are entered.
#[component]
fn ReadGroups(state: SimulatorState) -> impl IntoView {
    let source = state.input(|inputs| inputs.source);
    let path = state.input(|inputs| inputs.what_if.claim_path.clone());
    let who = state.who();
    // The provider that was chosen, and the path that it gave.
    let chosen = RwSignal::new(None::<(String, String)>);
    let value = Memo::new(move |_| match source.get() {
        SettingsSource::Service => SERVICE.to_owned(),
        SettingsSource::WhatIf => match &*chosen.read() {
            Some((provider, of)) if *path.read() == *of => provider.clone(),
            _ => CUSTOM.to_owned(),
        },
    });
    let change = Callback::new(move |value: String| {
        let service = state.of_service();
        let found = who.with_untracked(|who| provider_path(&value, who.as_deref()));
        if value == SERVICE {
            state.edit(|inputs| inputs.source = SettingsSource::Service);
            return;
        }
        chosen.set(found.clone().map(|path| (value, path)));
        state.edit(|inputs| {
            inputs.try_settings(&service);
            if let Some(path) = found {
                inputs.what_if.claim_path = path;
            }
        });
    });
    let mut choices = vec![Choice::new(SERVICE, "Service settings")];
    choices.extend(Choice::each(PROVIDERS, |(id, name, _)| (*id, *name)));
    choices.push(Choice::new(CUSTOM, "Custom"));
    let is_custom = Memo::new(move |_| value.with(|value| value == CUSTOM));
    view! {
        <div class="under">
            <span class="small" aria-hidden="true">"Read groups as"</span>
            <Segmented
                name="src" legend="Read groups as" hide_legend=true small=true value=value on_change=change choices=choices
            />
            {move || (!is_custom.get()).then(|| view! { <EffectiveSettings state=state /> })}
        </div>
        {move || is_custom.get().then(|| view! { <CustomSettings state=state /> })}
    }
}

/// The settings in force, in one line.
#[component]
fn EffectiveSettings(state: SimulatorState) -> impl IntoView {
    let source = state.input(|inputs| inputs.source);
    let what_if = state.input(|inputs| inputs.what_if.clone());
    let service = state.settings();
    let known = Memo::new(move |_| state.service.policy.with(Option::is_some));
    move || {
        let (service, sso) = service.get();
        let (settings, is_service) = match source.get() {
            SettingsSource::Service => (service, true),
            SettingsSource::WhatIf => (what_if.get(), false),
        };
        let remark = match (is_service, known.get()) {
            (true, true) => None,
            (true, false) => Some(words::DEFAULT_SETTINGS),
            (false, _) => Some(words::SETTINGS_NOT_SAVED),
        };
        let shown = words::extraction_settings(sso, &settings.claim_path, settings.nested);
        view! {
            <span class="small">{sentence(&shown)} {remark.map(|remark| view! { ". " {remark} })}</span>
        }
    }
}

#[component]
fn CustomSettings(state: SimulatorState) -> impl IntoView {
    let nested = state.input(|inputs| inputs.what_if.nested);
    let value = Signal::derive(move || nested.get().code().to_owned());
    let service = state.settings();
    let differs = Memo::new(move |_| state.inputs.read().what_if != service.read().0);
    let who = state.who();
    let paths = Memo::new(move |_| who.with(|who| claims::completions(who.as_deref())));
    let preset = RwSignal::new(None::<&'static ProviderPreset>);
    let mut providers = vec![Choice::new("", "Any")];
    providers.extend(Choice::each(PRESETS, |preset| (preset.id, preset.name)));
    view! {
        <div class="to-try">
        <Select
            id="provider" label="Provider" choices=providers
            value=Signal::derive(move || preset.get().map_or_else(String::new, |preset| preset.id.to_owned()))
            help=Signal::derive(move || Some(preset.get()?.about.to_owned()))
            on_change=move |id: String| {
                let found = find_preset(&id);
                preset.set(found);
                if let Some(ProviderPreset { path: Some(path), .. }) = found {
                    state.edit(|inputs| inputs.what_if.claim_path = (*path).into());
                }
            }
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
            name="nested" legend="Nested names" small=true value=value
            choices=vec![Choice::new("none", "none"), Choice::new("suffix", "suffix")]
            help=words::NAMES_KEPT
            on_change=move |value: String| state.edit(|inputs| {
                inputs.what_if.nested = value.parse().unwrap_or(NestedGroupBehavior::None);
            })
        />
        <Entry
            state=state id="mapping" label="User claim" field=Some(InputField::Mapping)
            get=|inputs| &inputs.what_if.mapping set=|inputs, text| inputs.what_if.mapping = text placeholder="$.sub"
        />
        </div>
        <p class="help">{words::SETTINGS_NOT_SAVED}</p>
        {move || {
            differs.get().then(|| view! {
                <LinkButton on_press=move |()| state.apply(InputEdit::ServiceSettings)>{words::RESET_SETTINGS}</LinkButton>
            })
        }}
    }
}

//! The service's other settings: identity provider, user claim, superusers, access to the service,
//! license, audit log.

use gbac_api::license::{LicenseBody, LicenseStatus};
use gbac_console_model::connection::Connection;
use gbac_console_model::failure::Failure;
use gbac_console_model::settings::service::{
    NoProvider, audit, authorization_gap, license_words, provider,
};
use gbac_words::common;
use gbac_words::pages::settings as words;
use gbac_words::phrases;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Map, Value};

use crate::dom;
use crate::pages::rich_text::sentence;
use crate::store::service::Service;
use crate::ui::{
    Button, ButtonKind, Dialog, DialogActions, Field, Glyph, Icon, IconSize, Mono, Note, NoteKind,
    PrincipalName, Tag, Words,
};
use gbac_engine::model::Principal;
use gbac_engine::policy::AccessLevel;

/// The request and its result; `None` while the answer is pending.
type Answer<T> = RwSignal<Option<Result<T, Failure>>>;

#[component]
pub(super) fn ServiceFacts() -> impl IntoView {
    let service = expect_context::<Service>();
    let properties: Answer<Map<String, Value>> = RwSignal::new(None);
    let license: Answer<LicenseBody> = RwSignal::new(None);
    let pinned = RwSignal::new(Vec::<String>::new());
    let ask = Callback::new(move |()| {
        spawn_local(async move {
            properties.set(Some(service.properties().await));
            // A cluster that does not tell has none that are known.
            pinned.set(service.pinned().await.unwrap_or_default());
            if service.can.with_untracked(|can| can.license.is_yes()) {
                license.set(Some(service.license().await));
            }
        });
    });
    service.on_connection(move || ask.run(()));
    // Only this service has a local account and limited access; a cluster has neither.
    let is_own = Signal::derive(move || {
        service
            .connection
            .with(|connection| *connection == Connection::Service)
    });
    view! {
        <section class="panel flat pad stack" aria-labelledby="settings-service">
            <h2 id="settings-service" class="h-md">"Service"</h2>
            {move || match properties.get() {
                Some(Ok(properties)) => {
                    let missing = provider(&properties).and_then(Result::err);
                    let gap = authorization_gap(&properties);
                    Some(view! {
                        {missing.map(|missing| view! { <NoProviderNote missing=missing /> })}
                        {gap.map(|words| view! {
                            <Note kind=NoteKind::Warn title=words::KAFKA_WITHOUT_ACLS><p>{sentence(&words)}</p></Note>
                        })}
                    }.into_any())
                }
                Some(Err(failure)) => Some(view! { <Unread failure=failure /> }.into_any()),
                None => None,
            }}
            <dl class="kv">
                <dt>"License"</dt>
                <dd><License answer=license /></dd>
                <dt>"Identity provider"</dt>
                <dd>
                    {move || properties.get().and_then(Result::ok).map(|properties| match provider(&properties) {
                        Some(Ok(url)) => view! { <Mono text=url /> }.into_any(),
                        Some(Err(_)) => view! { <span class="v v-warn"><Icon glyph=Glyph::Warn size=IconSize::Small />"None"</span> }.into_any(),
                        None => view! { <span class="quiet">"not reported"</span> }.into_any(),
                    })}
                    {move || is_pinned(pinned, "oidc_discovery_url").then(|| view! { " " <Pinned /> })}
                </dd>
                <dt>"Audience"</dt>
                <dd>
                    {move || properties.get().and_then(Result::ok).map(|properties| {
                        let audience = properties.get("oidc_token_audience").and_then(Value::as_str).unwrap_or_default();
                        if audience.is_empty() {
                            view! { <span class="quiet">"none"</span> }.into_any()
                        } else {
                            view! { <Mono text=audience.to_owned() /> }.into_any()
                        }
                    })}
                    {move || is_pinned(pinned, "oidc_token_audience").then(|| view! { " " <Pinned /> })}
                </dd>
                <dt>"User claim"</dt>
                <dd>{move || {
                    let mapping = service.policy.get()?.settings().principal_mapping.as_str().to_owned();
                    Some(view! { <Mono text=mapping /> })
                }}</dd>
                <dt>"Superusers"</dt>
                <dd>{move || {
                    let policy = service.policy.get()?;
                    let names = policy.settings().superusers.iter().map(Principal::user).collect();
                    Some(principals(names, if is_own.get() { "only the local account" } else { "none" }))
                }}</dd>
                <Show when=move || is_own.get()>
                    <dt>"Read-only access"</dt>
                    <dd>{move || with_access(service, AccessLevel::ReadOnly)}</dd>
                    <dt>"Evaluate access"</dt>
                    <dd>{move || with_access(service, AccessLevel::Evaluate)}</dd>
                </Show>
                <dt id="audit">"Audit log"</dt>
                <dd><AuditSwitch properties=properties pinned=Signal::derive(move || is_pinned(pinned, AUDIT_PROPERTY)) on_change=ask /></dd>
            </dl>
        </section>
    }
}

/// Whether the command line has set a property.
fn is_pinned(pinned: RwSignal<Vec<String>>, name: &str) -> bool {
    pinned.with(|pinned| pinned.iter().any(|known| known == name))
}

/// Who has access to the service.
fn with_access(service: Service, level: AccessLevel) -> Option<AnyView> {
    let policy = service.policy.get()?;
    let grantees = policy.settings().access.grantees(level);
    Some(principals(grantees.to_vec(), "none"))
}

/// A list of principals, or a word if there are none.
fn principals(principals: Vec<Principal>, none: &'static str) -> AnyView {
    if principals.is_empty() {
        return view! { <span class="quiet">{none}</span> }.into_any();
    }
    view! {
        <ul>{principals.into_iter().map(|principal| view! { <li><PrincipalName principal=principal /></li> }).collect_view()}</ul>
    }
    .into_any()
}

/// A setting that the command line has set.
#[component]
fn Pinned() -> impl IntoView {
    view! { <Tag glyph=Glyph::Lock>{words::PINNED}</Tag> }
}

#[component]
fn Unread(failure: Failure) -> impl IntoView {
    view! {
        <Note kind=NoteKind::Warn title=common::read_failed("the cluster properties")>
            <p class="brk"><Words text=phrases::capitalized(&failure.to_string()) />"."</p>
        </Note>
    }
}

#[component]
fn NoProviderNote(missing: NoProvider) -> impl IntoView {
    view! {
        <Note kind=NoteKind::Warn title=words::NO_PROVIDER>
            <p>{sentence(&words::properties_missing(&missing.missing))}</p>
            <p><code class="cl">{words::set_properties(&missing.missing)}</code></p>
        </Note>
    }
}

#[component]
fn License(answer: Answer<LicenseBody>) -> impl IntoView {
    let service = expect_context::<Service>();
    move || {
        if let Some(reason) = service.can.with(|can| can.license.reason()) {
            return view! { <span class="quiet">{reason}</span> }.into_any();
        }
        match answer.get() {
            None => view! { <span class="quiet">"Reading"</span> }.into_any(),
            Some(Err(failure)) => {
                view! { <span class="quiet brk">{phrases::capitalized(&failure.to_string())}</span> }.into_any()
            }
            Some(Ok(LicenseBody { license, pinned })) => {
                let (word, meaning) = license_words(license);
                let (class, glyph) = match license {
                    LicenseStatus::Valid => ("v v-allow", Glyph::Allow),
                    LicenseStatus::Expired | LicenseStatus::Missing => ("v v-warn", Glyph::Warn),
                };
                view! {
                    <span class=class><Icon glyph=glyph size=IconSize::Small />{word}</span>
                    {pinned.then(|| view! { " " <Pinned /> })}
                    <p class="help">{meaning}</p>
                }
                .into_any()
            }
        }
    }
}

/// Whether the audit log is written. It is no part of the policy that a draft is about, so a press
/// changes it at once; turning it off asks for the property's name first.
#[component]
fn AuditSwitch(
    properties: Answer<Map<String, Value>>,
    pinned: Signal<bool>,
    on_change: Callback<()>,
) -> impl IntoView {
    let service = expect_context::<Service>();
    let busy = RwSignal::new(false);
    let failed = RwSignal::new(None::<Failure>);
    let set = Callback::new(move |on: bool| {
        busy.set(true);
        spawn_local(async move {
            let sent = service.set_property(AUDIT_PROPERTY, on.into()).await;
            match &sent {
                Ok(()) => dom::announce(if on {
                    common::AUDIT_LOG_IS_ON
                } else {
                    common::AUDIT_LOG_IS_OFF
                }),
                Err(failure) => dom::announce_error(&failure.to_string()),
            }
            failed.set(sent.err());
            busy.set(false);
            on_change.run(());
        });
    });
    let asking = RwSignal::new(false);
    let state = Memo::new(move |_| audit(properties.read().as_ref()?.as_ref().ok()?));
    let known = Memo::new(move |_| state.get().is_some());
    let is_on = Signal::derive(move || state.get() == Some(true));
    view! {
        {move || known.get().then(|| view! {
            <div class="row">
                {move || if is_on.get() {
                    view! { <span class="v v-allow"><Icon glyph=Glyph::Allow size=IconSize::Small />"On"</span> }
                } else {
                    view! { <span class="v v-warn"><Icon glyph=Glyph::Warn size=IconSize::Small />"Off"</span> }
                }}
                {move || if pinned.get() { view! { <Pinned /> }.into_any() } else {
                    view! {
                        // Without the log nobody can tell later what was decided, and nothing brings
                        // that back.
                        <Button small=true busy=busy id="audit-switch" on_press=move |()| {
                            if is_on.get_untracked() {
                                asking.set(true);
                            } else {
                                set.run(true);
                            }
                        }>
                            {move || if is_on.get() { "Turn off audit log" } else { "Turn on audit log" }}
                        </Button>
                    }.into_any()
                }}
            </div>
            {move || (!is_on.get()).then(|| view! { <p class="help">{words::NOT_AUDITABLE}</p> })}
            <Failed failed=failed />
        })}
        <Dialog open=asking on_close=move |()| asking.set(false) id="audit-off" title=|| words::TURN_OFF_AUDIT small=true>
            <TurnOff on_cancel=move |()| asking.set(false) on_turn_off=move |()| {
                asking.set(false);
                set.run(false);
                dom::focus_later("audit-switch");
            } />
        </Dialog>
    }
}

/// The property that turns the audit log off. It is typed to confirm, since lost events can't be
/// recovered.
const AUDIT_PROPERTY: &str = "audit_enabled";

/// The form that confirms that the audit log is turned off.
#[component]
fn TurnOff(
    /// The log stays on.
    #[prop(into)]
    on_cancel: Callback<()>,
    /// The name was entered.
    #[prop(into)]
    on_turn_off: Callback<()>,
) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let error = RwSignal::new(None::<String>);
    view! {
        <form on:submit=move |event| {
            event.prevent_default();
            if typed.with_untracked(|typed| typed.trim() == AUDIT_PROPERTY) {
                on_turn_off.run(());
            } else {
                error.set(Some(words::confirm_with(AUDIT_PROPERTY)));
                dom::focus_later("audit-off-name");
            }
        }>
            <div class="dlg-b dlg-pad stack">
                <p>{words::AUDIT_STOPS}</p>
                <Field id="audit-off-name" label=words::confirm_with(AUDIT_PROPERTY) value=typed mono=true autofocus=true error=error
                    on_input=move |text| { typed.set(text); error.set(None); } />
            </div>
            <DialogActions>
                <Button on_press=move |()| on_cancel.run(())>"Cancel"</Button>
                <Button kind=ButtonKind::Kill submit=true>"Turn off audit log"</Button>
            </DialogActions>
        </form>
    }
}

/// What the service said to a change that failed.
#[component]
pub(super) fn Failed(failed: RwSignal<Option<Failure>>) -> impl IntoView {
    move || {
        failed.get().map(|failure| {
            view! { <p class="msg msg-err"><Icon glyph=Glyph::Deny size=IconSize::Small /><span><Words text=phrases::capitalized(&failure.to_string()) /></span></p> }
        })
    }
}

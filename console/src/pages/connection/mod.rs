//! The connection page: the current cluster, its APIs, and the form for another one.

mod choose;

use gbac_console_model::connection::{Abilities, Ability, Connection};
use gbac_words::pages::connection as words;
use gbac_words::phrases::{self, count};
use leptos::prelude::*;

use crate::dom;
use crate::pages::cluster_gaps::ClusterGaps;
use crate::pages::rich_text::sentence;
use crate::store::draft::Draft;
use crate::store::service::{Service, ServiceStatus};
use crate::ui::{Button, Glyph, Icon, IconSize, Mono};

/// The page.
#[component]
pub fn ConnectionPage() -> impl IntoView {
    dom::set_title("Connection");
    view! {
        <div class="head">
            <div>
                <h1>"Connection"</h1>
                <p>{words::PURPOSE}</p>
            </div>
        </div>
        <ClusterGaps />
        <div class="cols">
            <Now />
            <choose::Choose />
        </div>
    }
}

/// What the pages are about now.
#[component]
fn Now() -> impl IntoView {
    let service = expect_context::<Service>();
    let shown = Memo::new(move |_| match service.status.get() {
        ServiceStatus::Loading => ("Reading", false),
        ServiceStatus::Connected { .. } => {
            let is_example = service.is_example();
            let is_signed_in = !service.is_own() || service.user.with(Option::is_some);
            (words::answering(is_example, is_signed_in), !is_example)
        }
        ServiceStatus::Away { sign_in: true, .. } => ("Not signed in", false),
        ServiceStatus::Away {
            forbidden: true, ..
        } => ("Forbidden", false),
        ServiceStatus::Away { .. } => ("Unreachable", false),
    });
    view! {
        <section class="panel flat pad stack" aria-labelledby="connection-now">
            <h2 id="connection-now" class="h-md">"Current connection"</h2>
            <dl class="kv">
                <dt>"Cluster"</dt>
                <dd><span class="mono brk">{move || name(service)}</span><br /><span class="quiet">{move || service.connection.with(Connection::label)}</span></dd>
                {move || {
                    let is_own = service.connection.with(|connection| *connection == Connection::Service);
                    let info = service.info.get()?;
                    is_own.then(|| view! { <dt>"Version"</dt><dd>{info.version} {info.demo.then_some(", in-memory demo")}</dd> })
                }}
                <dt>"State"</dt>
                <dd>
                    {move || {
                        let (words, good) = shown.get();
                        let (class, glyph) = if good { ("v v-allow", Glyph::Allow) } else { ("v v-warn", Glyph::Warn) };
                        view! { <span class=class><Icon glyph=glyph size=IconSize::Small />{words}</span> }
                    }}
                    {move || match service.status.get() {
                        ServiceStatus::Away { reason, .. } => Some(view! { <p class="quiet brk">{reason}</p> }),
                        ServiceStatus::Loading | ServiceStatus::Connected { .. } => None,
                    }}
                </dd>
                <dt>"Last read"</dt>
                <dd>
                    {move || match &*service.status.read() {
                        ServiceStatus::Connected { read_at_ms: at, .. }
                        | ServiceStatus::Away { since: at, .. } => phrases::ago(service.now.get() - at),
                        ServiceStatus::Loading => "not yet".to_owned(),
                    }}
                    {move || {
                        let policy = service.policy.get()?;
                        Some(format!(": {}, {}", count(policy.role_count(), "role"), count(policy.acl_count(), "ACL")))
                    }}
                </dd>
                <dt>"Signed in as"</dt>
                <dd>
                    {move || match (service.user.get(), service.connection.get()) {
                        (Some(user), _) => view! { <Mono text=user /> }.into_any(),
                        (None, Connection::Cloud { .. }) => words::TOKEN_USER.into_any(),
                        (None, Connection::Service | Connection::SelfManaged) => "nobody".into_any(),
                    }}
                </dd>
            </dl>
            <div class="row">
                <Button small=true on_press=move |()| service.reload()>"Refresh"</Button>
                <Leave />
            </div>
            <div>
                <h3 class="h-sm">{words::ABILITIES}</h3>
                <Can />
            </div>
        </section>
    }
}

/// What the cluster is called.
fn name(service: Service) -> String {
    match (service.connection.get(), service.info.get()) {
        (Connection::Cloud { cluster }, _) => cluster,
        (Connection::SelfManaged, _) => "behind this service".to_owned(),
        (Connection::Service, Some(info)) => info.name,
        (Connection::Service, None) => "not read yet".to_owned(),
    }
}

/// Back to this service, or out of it.
#[component]
fn Leave() -> impl IntoView {
    let service = expect_context::<Service>();
    let draft = expect_context::<Draft>();
    move || {
        match service.connection.get() {
        Connection::Service => {
            let signed_in = service.user.get().is_some() && service.info.get().is_none_or(|info| info.sign_in.is_none());
            signed_in.then(|| {
                view! { <Button small=true on_press=move |()| service.sign_out()>"Sign out"</Button> }.into_any()
            })
        }
        Connection::SelfManaged | Connection::Cloud { .. } => Some(
            view! {
                <Button small=true on_press=move |()| choose::go(service, draft, Connection::Service, None)>"Back to this service"</Button>
            }
            .into_any(),
        ),
    }
    }
}

/// Each ability, or why it is none.
#[component]
fn Can() -> impl IntoView {
    let service = expect_context::<Service>();
    move || {
        let Abilities {
            acls,
            roles,
            settings,
            audit,
            loggers,
            license,
        } = service.can.get();
        let all = [
            ("Roles", roles),
            ("ACLs", acls),
            ("Settings", settings),
            ("Audit events", audit),
            ("Loggers", loggers),
            ("License", license),
        ];
        let lines = all.map(|(what, ability)| {
            let glyph = if ability.is_yes() {
                Glyph::Tick
            } else {
                Glyph::Cross
            };
            let line = match ability {
                Ability::Yes => what.into(),
                Ability::No(reason) => words::not_available(what, reason),
            };
            view! {
                <li>
                    <Icon glyph=glyph size=IconSize::Small class="quiet" />
                    <span>{sentence(&line)}</span>
                </li>
            }
        });
        view! { <ul class="facts">{lines.collect_view()}</ul> }
    }
}

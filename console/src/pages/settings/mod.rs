//! The settings page: group extraction with a preview, and the service's settings.

mod brokers;
mod edit;
mod loggers;
mod names;
mod preview;
mod properties;
mod service;
mod sso;

use gbac_console_model::address;
use gbac_console_model::connection::Ability;
use gbac_words::pages::settings as words;
use leptos::prelude::*;

use self::edit::Edit;
use crate::dom;
use crate::pages::cluster_notes::connected;
use crate::store::draft::Draft;
use crate::store::service::{Service, ServiceStatus};
use crate::ui::{Disclosure, Empty, Glyph, SkeletonRows};

/// The page.
#[component]
pub fn SettingsPage() -> impl IntoView {
    dom::set_title("Settings");
    let service = expect_context::<Service>();
    let edit = Edit::new(
        service,
        expect_context::<Draft>(),
        expect_context(),
        expect_context(),
    );
    let can = Memo::new(move |_| service.can.with(|can| can.settings.clone()));
    let is_read = Memo::new(move |_| service.policy.with(Option::is_some));
    let is_away = Memo::new(move |_| {
        service
            .status
            .with(|status| matches!(status, ServiceStatus::Away { .. }))
    });
    let cluster = connected();
    let has_cluster = Memo::new(move |_| cluster.with(Option::is_some));
    let content = move || {
        match (can.get(), is_read.get(), is_away.get()) {
        (Ability::No(reason), _, _) => view! {
            <div class="cols">
                <section class="panel flat pad"><h2 class="h-md">"Managed cloud"</h2><sso::SsoText edit=edit /></section>
                <div class="panel flat">
                    <Empty glyph=Glyph::Lock title="Settings are not available">
                        <p>{reason}</p>
                        <div class="row"><a class="btn" href=address::CONNECTION>"Connection"</a></div>
                    </Empty>
                </div>
            </div>
        }
        .into_any(),
        (Ability::Yes, true, _) => view! {
            <div class="cols">
                <div class="stack wide-gap">
                    <properties::Properties edit=edit />
                    <service::ServiceFacts />
                </div>
                <preview::PreviewOf edit=edit />
            </div>
            <section class="section" aria-labelledby="settings-more">
                <div class="row"><h2 id="settings-more">"More settings"</h2></div>
                <ul class="panel flat parts">
                    {move || has_cluster.get().then(|| view! {
                        <Part id="part-brokers" title="Settings of the brokers" about=words::BROKERS>
                            <brokers::Brokers />
                        </Part>
                    })}
                    <Part id="part-loggers" title="Loggers" about=words::LOG_LEVELS>
                        <loggers::Loggers />
                    </Part>
                    <Part id="part-cloud" title="Managed cloud" about=words::SSO_MAPPING>
                        <sso::SsoText edit=edit />
                    </Part>
                </ul>
            </section>
        }
        .into_any(),
        (Ability::Yes, false, false) => view! { <SkeletonRows what="Reading settings" /> }.into_any(),
        // The banner says why.
        (Ability::Yes, false, true) => ().into_any(),
    }
    };
    view! {
        <div class="head">
            <div>
                <h1>"Settings"</h1>
                <p>{words::PURPOSE}</p>
            </div>
        </div>
        {content}
    }
}

/// A part that opens, for what is seldom needed.
#[component]
fn Part(
    id: &'static str,
    title: &'static str,
    about: &'static str,
    children: ChildrenFn,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let children = StoredValue::new(children);
    view! {
        <li class="part">
            <Disclosure id=id open=open on_toggle=move |is_open| open.set(is_open)
                summary=move || view! { <span class="part-t"><b>{title}</b> <span class="quiet">{about}</span></span> }>
                <div class="part-b">{children.with_value(|children| children())}</div>
            </Disclosure>
        </li>
    }
}

//! The settings page: group extraction with a preview, and the service's settings.

mod edit;
mod loggers;
mod names;
mod preview;
mod properties;
mod service;
mod sso;

use gbac_console_model::address;
use gbac_console_model::connection::Ability;
use leptos::prelude::*;

use self::edit::Edit;
use crate::dom;
use crate::store::draft::Draft;
use crate::store::service::{Service, ServiceStatus};
use crate::store::simulator::SimulatorSession;
use crate::ui::{Empty, Glyph, SkeletonRows};

/// The page.
#[component]
pub fn SettingsPage() -> impl IntoView {
    dom::set_title("Settings");
    let service = expect_context::<Service>();
    let edit = Edit::new(service, expect_context::<Draft>(), expect_context::<SimulatorSession>());
    let can = Memo::new(move |_| service.can.with(|can| can.settings.clone()));
    let is_read = Memo::new(move |_| service.policy.with(Option::is_some));
    let is_away = Memo::new(move |_| service.status.with(|status| matches!(status, ServiceStatus::Away { .. })));
    let content = move || match (can.get(), is_read.get(), is_away.get()) {
        (Ability::No(reason), _, _) => view! {
            <div class="cols">
                <div class="stack wide-gap"><sso::SsoText edit=edit /></div>
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
                    <loggers::Loggers />
                    <sso::SsoText edit=edit />
                </div>
                <preview::PreviewOf edit=edit />
            </div>
        }
        .into_any(),
        (Ability::Yes, false, false) => view! { <SkeletonRows what="Reading settings" /> }.into_any(),
        // The banner says why.
        (Ability::Yes, false, true) => ().into_any(),
    };
    view! {
        <div class="head">
            <div>
                <h1>"Settings"</h1>
                <p>"How groups are read from access tokens. Changes apply immediately, without a restart."</p>
            </div>
        </div>
        {content}
    }
}

//! Export and import: the policy as text to take elsewhere, and texts from elsewhere as a draft.

mod export;
mod import;

use leptos::prelude::*;

use self::export::ExportView;
use self::import::ImportView;
use crate::dom;
use crate::state::service::{Service, ServiceStatus};
use crate::ui::{Empty, Glyph, SkeletonRows};

/// The page.
#[component]
pub fn ExchangePage() -> impl IntoView {
    dom::set_title("Import and export");
    let service = expect_context::<Service>();
    let is_read = Memo::new(move |_| service.policy.with(Option::is_some));
    view! {
        <div class="head">
            <div>
                <h1>"Import and export"</h1>
                <p>"The policy as a document or a script, every name quoted for its target. What comes in joins the draft, and is reviewed before anything is sent."</p>
            </div>
        </div>
        {move || if is_read.get() {
            view! {
                <div class="exchange">
                    <ExportView />
                    <ImportView />
                </div>
            }
            .into_any()
        } else {
            view! { <NothingRead /> }.into_any()
        }}
    }
}

/// Before the first read, and when it did not succeed.
#[component]
fn NothingRead() -> impl IntoView {
    let service = expect_context::<Service>();
    move || {
        match service.status.get() {
        ServiceStatus::Loading | ServiceStatus::Connected { .. } => {
            view! { <SkeletonRows what="Reading the policy" /> }.into_any()
        }
        ServiceStatus::Away { sign_in: true, .. } => ().into_any(),
        ServiceStatus::Away { forbidden: true, .. } => view! {
            <div class="panel flat">
                <Empty glyph=Glyph::Lock title="You may not read the policy"><p>"Roles and ACLs are read by a superuser."</p></Empty>
            </div>
        }
        .into_any(),
        ServiceStatus::Away { .. } => view! {
            <div class="panel flat">
                <Empty glyph=Glyph::Off title="The policy could not be read">
                    <p>"It can be exported and compared as soon as the service answers."</p>
                </Empty>
            </div>
        }
        .into_any(),
    }
    }
}

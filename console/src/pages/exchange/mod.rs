//! The page for import and export.

mod export;
mod import;

use gbac_console_model::address;
use gbac_words::pages::exchange as words;
use leptos::prelude::*;

use self::export::ExportView;
use self::import::ImportView;
use crate::dom;
use crate::pages::unread::Unread;
use crate::store::service::Service;

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
                <p>{words::PURPOSE}</p>
            </div>
            <div class="row"><a class="btn" href=address::COMPARE>"Compare clusters"</a></div>
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
            view! { <Unread what="the policy" /> }.into_any()
        }}
    }
}

//! A note where no identity provider is configured, because then no group has an effect.

use gbac_console_model::address;
use gbac_console_model::settings::service::provider_gap;
use gbac_words::pages::settings as words;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::store::service::Service;
use crate::ui::{Note, NoteKind};

/// The note; nothing while that is not known, for those who cannot read it, and where tokens of a
/// provider count.
#[component]
pub(super) fn ProviderGap() -> impl IntoView {
    let service = expect_context::<Service>();
    let is_missing = RwSignal::new(false);
    let can_read = Memo::new(move |_| {
        let can = service.can.with(|can| can.settings.is_yes());
        can.then(|| service.connection.get())
    });
    Effect::new(move |_| {
        is_missing.set(false);
        if can_read.get().is_none() {
            return;
        }
        spawn_local(async move {
            if let Ok(properties) = service.properties().await {
                let _ = is_missing.try_set(provider_gap(&properties).is_some());
            }
        });
    });
    move || {
        is_missing.get().then(|| {
            view! {
                <div class="banner">
                    <Note kind=NoteKind::Warn title=words::NO_PROVIDER level=2>
                        <p>{words::NO_GROUP_COUNTS} " " <a href=address::SETTINGS>"Settings"</a></p>
                    </Note>
                </div>
            }
        })
    }
}

//! The link that signs the user in with the identity provider.

use gbac_console_model::sign_in::{SignInTarget, provider};
use gbac_words::common;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

use crate::store::service::Service;

/// The id of the link.
pub const PROVIDER_LINK: &str = "sign-in-provider";

/// The link, what it does, and what separates it from the form for the local account below; nothing
/// without a provider.
#[component]
pub fn ProviderLink(
    /// Whether it is the first thing to do on the page.
    #[prop(optional)]
    is_main: bool,
) -> impl IntoView {
    let service = expect_context::<Service>();
    let location = use_location();
    let target = move || {
        location.pathname.with(|path| {
            location
                .search
                .with(|query| SignInTarget::from_address(path, query))
        })
    };
    let provider = Memo::new(move |_| service.info.with(|info| provider(info.as_ref())));
    let class = if is_main { "btn btn-main" } else { "btn" };
    move || {
        provider.get().map(|provider| {
            let host = provider.host.clone();
            view! {
                <a id=PROVIDER_LINK class=class rel="external" href=move || target().start(&provider)>
                    "Continue with " {host}
                </a>
                <p class="small quiet">{common::OPENS_PROVIDER}</p>
                <div class="or">{common::OR_LOCAL_ACCOUNT}</div>
            }
        })
    }
}

//! The page for an address without a page. Addresses of the platform's console lead to the page
//! that does the same here (D-82).

use gbac_console_model::address;
use gbac_console_model::permissions::list::ListQuery;
use gbac_words::common;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_location;

use crate::dom;
use crate::ui::{Empty, Glyph};

/// The page.
#[component]
pub fn NotFound() -> impl IntoView {
    let location = use_location();
    let known = location.pathname.with_untracked(|path| {
        location
            .search
            .with_untracked(|query| ListQuery::of_platform(path, query))
    });
    if let Some(list) = known {
        let navigate = dom::use_navigate();
        request_animation_frame(move || {
            navigate(
                &list.address(),
                NavigateOptions {
                    replace: true,
                    ..NavigateOptions::default()
                },
            );
        });
        return ().into_any();
    }
    dom::set_title("Page not found");
    view! {
        <div class="head"><div><h1>"Page not found"</h1></div></div>
        <div class="panel flat">
            <Empty glyph=Glyph::Missing title="Page not found">
                <p>{common::PAGE_MISSING}</p>
                <div class="row">
                    <a class="btn" href=address::ROLES>"Roles"</a>
                    <a class="btn" href=address::SIMULATOR>"Simulator"</a>
                </div>
            </Empty>
        </div>
    }
    .into_any()
}

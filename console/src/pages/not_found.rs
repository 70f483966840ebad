//! The page for an address without a page.

use gbac_console_model::address;
use leptos::prelude::*;

use crate::dom;
use crate::ui::{Empty, Glyph};

/// The page.
#[component]
pub fn NotFound() -> impl IntoView {
    dom::set_title("Page not found");
    view! {
        <div class="head"><div><h1>"Page not found"</h1></div></div>
        <div class="panel flat">
            <Empty glyph=Glyph::Missing title="Page not found">
                <p>"This page does not exist in this version."</p>
                <div class="row">
                    <a class="btn" href=address::ROLES>"Roles"</a>
                    <a class="btn" href=address::SIMULATOR>"Simulator"</a>
                </div>
            </Empty>
        </div>
    }
}

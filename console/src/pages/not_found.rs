//! An address that leads nowhere.

use gbac_console_model::address;
use leptos::prelude::*;

use crate::dom;
use crate::ui::{Empty, Glyph};

/// The page.
#[component]
pub fn NotFound() -> impl IntoView {
    dom::set_title("No such page");
    view! {
        <div class="head"><div><h1>"No such page"</h1></div></div>
        <div class="panel flat">
            <Empty glyph=Glyph::Off title="This address leads nowhere">
                <p>"It may be of a page that this version does not have."</p>
                <div class="row">
                    <a class="btn" href=address::ROLES>"Roles"</a>
                    <a class="btn" href=address::SIMULATOR>"Simulator"</a>
                </div>
            </Empty>
        </div>
    }
}

//! The search and the list of shortcuts over every page, and the keys that open them.

use gbac_words::common::SEARCH_OR_ASK;
use leptos::ev;
use leptos::prelude::*;

use crate::dom;
use crate::pages::chunk::Lazy;
use crate::pages::files;
use crate::store::search::SearchSession;
use crate::ui::{Button, Dialog, DialogActions, Glyph, Icon, Key, Modal};

/// Opens the search and the list of shortcuts by their keys.
pub(super) fn listen(search: SearchSession) {
    let keys = window_event_listener(ev::keydown, move |event| {
        let has_modifier = event.alt_key() || event.shift_key();
        if (event.ctrl_key() || event.meta_key())
            && !has_modifier
            && event.key().eq_ignore_ascii_case("k")
        {
            if search.is_open.get_untracked() {
                event.prevent_default();
                search.is_open.set(false);
            } else if !dom::has_dialog() {
                event.prevent_default();
                search.is_open.set(true);
            }
            return;
        }
        if !dom::is_single_key(&event) {
            return;
        }
        match event.key().as_str() {
            "/" => {
                event.prevent_default();
                if !dom::focus_search() {
                    search.is_open.set(true);
                }
            }
            "?" => {
                event.prevent_default();
                search.has_shortcuts.set(true);
            }
            _ => {}
        }
    });
    on_cleanup(move || keys.remove());
}

/// What opens the search in the bar.
#[component]
pub(super) fn Find() -> impl IntoView {
    let search = expect_context::<SearchSession>();
    let keys = if dom::is_mac() { "⌘ K" } else { "Ctrl K" };
    let label = format!("{SEARCH_OR_ASK}, {keys}");
    view! {
        <button class="find" type="button" aria-haspopup="dialog" on:click=move |_| search.is_open.set(true)>
            <Icon glyph=Glyph::Search />
            <span class="sr">{label}</span>
            <span class="opt" aria-hidden="true">"Search or ask"</span>
            <span class="keys" aria-hidden="true"><Key name="Ctrl" /><Key name="K" /></span>
        </button>
    }
}

/// Both dialogs.
#[component]
pub(super) fn Dialogs() -> impl IntoView {
    let search = expect_context::<SearchSession>();
    view! {
        {move || {
            search.is_open.get().then(|| view! {
                <Modal on_close=move |()| search.is_open.set(false) id="search" class="pal" label="Search or ask">
                    <Lazy chunk=files::SEARCH part=true />
                </Modal>
            })
        }}
        <Dialog
            open=search.has_shortcuts on_close=move |()| search.has_shortcuts.set(false) id="shortcuts"
            title=|| "Keyboard shortcuts" small=true
        >
            <div class="dlg-b dlg-pad stack"><Lazy chunk=files::SHORTCUTS part=true /></div>
            <DialogActions><Button on_press=move |()| search.has_shortcuts.set(false)>"Close"</Button></DialogActions>
        </Dialog>
    }
}

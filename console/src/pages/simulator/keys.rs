//! The keys of the simulator: single letters, outside of fields only, unless they are turned off.

use gbac_console_model::address;
use gbac_console_model::simulator::inputs::Panel;
use leptos::ev;
use leptos::prelude::*;
use leptos_router::NavigateOptions;

use super::check_pane::go_to;
use super::fields::FIX_BUTTON;
use super::hypothesis_bar::chip_id;
use super::state::SimulatorState;
use crate::dom;
use crate::store::draft::Draft;

/// Does what the buttons beside the verdict do, by their keys, as long as the page is there.
pub(super) fn listen(state: SimulatorState) {
    let draft = expect_context::<Draft>();
    let navigate = dom::use_navigate();
    let keys = window_event_listener(ev::keydown, move |event| {
        if event.default_prevented() || event.shift_key() || !dom::is_single_key(&event) {
            return;
        }
        match event.key().to_ascii_lowercase().as_str() {
            "a" => dom::focus_later(chip_id(0)),
            "f" => dom::click(FIX_BUTTON),
            "t" => go_to(state, Panel::WhatIf),
            "w" => go_to(state, Panel::Request),
            "c" => go_to(state, Panel::Compare),
            "s" => go_to(state, Panel::Share),
            "v" => dom::focus_first(vec!["tok".to_owned(), "user".to_owned()]),
            "r" if draft.count_untracked() > 0 => {
                navigate(address::REVIEW, NavigateOptions::default());
            }
            _ => return,
        }
        event.prevent_default();
    });
    on_cleanup(move || keys.remove());
}

//! The tab: its session storage, its messages to other tabs, and leaving it.

use std::rc::Rc;

use gbac_console_model::address::cluster_at;
use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    AddEventListenerOptions, BroadcastChannel, Element, Event, HtmlAnchorElement, MessageEvent,
    MouseEvent,
};

use super::address::opened_cluster;

/// A text of this tab's session storage, which the browser keeps while the tab exists, also over a
/// reload and a crash.
#[must_use]
pub fn stored_text(name: &str) -> Option<String> {
    window().session_storage().ok()??.get_item(name).ok()?
}

/// Keeps a text in this tab's session storage, or removes it. Says whether the browser did so.
pub fn store_text(name: &str, text: Option<&str>) -> bool {
    let Ok(Some(storage)) = window().session_storage() else {
        return text.is_none();
    };
    let done = match text {
        Some(text) => storage.set_item(name, text),
        None => storage.remove_item(name),
    };
    done.is_ok()
}

/// Does some work when the page is left, whatever for.
pub fn on_page_hide(work: impl Fn() + 'static) {
    let listener = window_event_listener_untyped("pagehide", move |_| work());
    on_cleanup(move || listener.remove());
}

/// Does some work when somebody comes back to the page.
pub fn on_page_focus(work: impl Fn() + 'static) {
    let listener = window_event_listener(leptos::ev::focus, move |_| work());
    on_cleanup(move || listener.remove());
}

/// An ID for this page, different from those of other tabs.
#[must_use]
pub fn random_id() -> String {
    format!("{} {}", js_sys::Date::now(), js_sys::Math::random())
}

/// A channel to the other tabs of this service in the same browser.
#[derive(Clone)]
pub struct TabChannel(Option<Rc<BroadcastChannel>>);

impl TabChannel {
    /// Opens it; a browser without such channels has no other tabs.
    #[must_use]
    pub fn open(name: &str, on_text: impl Fn(String) + 'static) -> Self {
        let Ok(channel) = BroadcastChannel::new(name) else {
            return Self(None);
        };
        let hear = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(text) = event.data().as_string() {
                on_text(text);
            }
        });
        channel.set_onmessage(Some(hear.as_ref().unchecked_ref()));
        // It is open as long as the page is.
        hear.forget();
        Self(Some(Rc::new(channel)))
    }

    /// Says something to the other tabs.
    pub fn say(&self, text: &str) {
        if let Some(channel) = &self.0 {
            let _ = channel.post_message(&JsValue::from_str(text));
        }
    }
}

/// A way off the page that was stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Departure {
    /// A link to this address of the console.
    Link(String),
    /// The browser's back or forward.
    History,
}

/// Stops links and the browser's back and forward while `guarded` gives the address of a page that
/// asks first, and says where they led. The listeners come before those of the router, which then
/// does not see the event.
pub fn stop_departures(
    guarded: impl Fn() -> Option<String> + Clone + 'static,
    on_stop: impl Fn(Departure) + Clone + 'static,
) {
    let (of_click, stop) = (guarded.clone(), on_stop.clone());
    let on_click = Closure::<dyn Fn(MouseEvent)>::new(move |event: MouseEvent| {
        let is_plain = event.button() == 0
            && !event.ctrl_key()
            && !event.meta_key()
            && !event.shift_key()
            && !event.alt_key();
        if is_plain
            && let Some(address) = linked_page(&event)
            && of_click().is_some()
        {
            event.prevent_default();
            event.stop_immediate_propagation();
            stop(Departure::Link(address));
        }
    });
    let on_pop = Closure::<dyn Fn(Event)>::new(move |event: Event| {
        let Some(page) = guarded() else { return };
        event.stop_immediate_propagation();
        // The browser shows the other address already; that of the page comes after it again.
        if let Ok(history) = window().history() {
            let _ = history.push_state_with_url(&JsValue::NULL, "", Some(&page));
        }
        on_stop(Departure::History);
    });
    let first = AddEventListenerOptions::new();
    first.set_capture(true);
    for (name, listener) in [("click", on_click.as_ref()), ("popstate", on_pop.as_ref())] {
        let listener = listener.unchecked_ref();
        let _ = window().add_event_listener_with_callback_and_add_event_listener_options(
            name, listener, &first,
        );
    }
    // They are there as long as the page is.
    on_click.forget();
    on_pop.forget();
}

/// Goes one step back in the history of the tab.
pub fn go_back() {
    if let Ok(history) = window().history() {
        let _ = history.back();
    }
}

/// The address of another page of the console that a pressed link leads to in this tab.
fn linked_page(event: &MouseEvent) -> Option<String> {
    let pressed: Element = event.target()?.dyn_into().ok()?;
    let link: HtmlAnchorElement = pressed.closest("a[href]").ok()??.dyn_into().ok()?;
    let location = window().location();
    let opens =
        cluster_at(&link.search()).filter(|cluster| Some(cluster) != opened_cluster().as_ref());
    let is_here = Some(link.pathname()) == location.pathname().ok() && opens.is_none();
    let is_own = Some(link.origin()) == location.origin().ok();
    let stays_in_tab = link.target().is_empty() && !link.has_attribute("download");
    (is_own && !is_here && stays_in_tab)
        .then(|| format!("{}{}{}", link.pathname(), link.search(), link.hash()))
}

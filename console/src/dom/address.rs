//! The address of the page. It names the Kafka cluster that is open, where there are several, and
//! so do the links to other pages.

use gbac_console_model::address::{cluster_at, in_cluster, is_page};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{AddEventListenerOptions, Element, Event};

/// Marks a link that leads to another cluster than the one that is open.
const LEADS_ELSEWHERE: &str = "data-cluster";

/// The Kafka cluster that the address of the page names.
#[must_use]
pub fn opened_cluster() -> Option<String> {
    cluster_at(&window().location().search().unwrap_or_default())
}

/// An address with the cluster that is open, unless it names one.
fn kept(address: &str) -> String {
    let before_fragment = address.split('#').next().unwrap_or_default();
    let is_named = before_fragment
        .split_once('?')
        .is_some_and(|(_, query)| cluster_at(query).is_some());
    match opened_cluster() {
        Some(cluster) if !is_named => in_cluster(address, Some(&cluster)),
        Some(_) | None => address.to_owned(),
    }
}

/// Goes to another page, with the cluster that is open.
pub fn use_navigate() -> impl Fn(&str, NavigateOptions) + Clone {
    let navigate = leptos_router::hooks::use_navigate();
    move |address, options| navigate(&kept(address), options)
}

/// Replaces the address shown without adding to the history and without a change of route.
pub fn replace_address(address: &str) {
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&kept(address)));
    }
}

/// The address shown, without the origin.
#[must_use]
pub fn present_address() -> String {
    let location = window().location();
    let parts = [location.pathname(), location.search(), location.hash()];
    parts.map(Result::unwrap_or_default).concat()
}

/// Names the cluster in the address shown, unless it does.
pub fn name_cluster(cluster: &str) {
    if opened_cluster().is_none() {
        replace_address(&in_cluster(&present_address(), Some(cluster)));
    }
}

/// Has every link to a page lead to the cluster that is open, also in a new tab and as a copied
/// address: the link gets its name just before it is used.
pub fn keep_cluster_in_links() {
    let keep = Closure::<dyn Fn(Event)>::new(|event: Event| {
        let _ = keep_in_link(&event);
    });
    let first = AddEventListenerOptions::new();
    first.set_capture(true);
    for name in ["pointerdown", "focusin", "contextmenu", "click"] {
        let listener = keep.as_ref().unchecked_ref();
        let _ = window().add_event_listener_with_callback_and_add_event_listener_options(
            name, listener, &first,
        );
    }
    // It is there as long as the page is.
    keep.forget();
}

fn keep_in_link(event: &Event) -> Option<()> {
    let used: Element = event.target()?.dyn_into().ok()?;
    let link = used.closest("a[href]").ok()??;
    let address = link.get_attribute("href")?;
    // The one that was named before may be another one.
    let plain = in_cluster(&address, None);
    if is_page(&address) && !link.has_attribute(LEADS_ELSEWHERE) {
        link.set_attribute("href", &kept(&plain)).ok()?;
    }
    Some(())
}

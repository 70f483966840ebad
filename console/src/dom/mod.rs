//! The browser: focus, title, clipboard, storage, time and dialogs. No other file names `web_sys`.
//!
//! Natively every function compiles and does nothing useful: tests of `state` never call one.

mod address;
mod tab;

use std::time::Duration;

use gbac_formats::encoding::decode;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, HtmlAnchorElement, HtmlElement, HtmlInputElement, HtmlTextAreaElement,
    Url,
};

pub use address::{
    keep_cluster_in_links, name_cluster, opened_cluster, present_address, replace_address,
    use_navigate,
};
pub use tab::{
    Departure, TabChannel, go_back, on_page_focus, on_page_hide, random_id, stop_departures,
    store_text, stored_text,
};

/// The name under which the chosen theme is kept; the page's first script reads it too.
const THEME_KEY: &str = "gbac-theme";
/// The name under which it is kept that shortcuts of a single character are off.
const SINGLE_KEYS_KEY: &str = "gbac-single-keys";

/// For fetching without what the browser itself holds: it then never asks for a password by itself.
pub(crate) const NO_CREDENTIALS: web_sys::RequestCredentials = web_sys::RequestCredentials::Omit;

/// For fetching with the cookie of a session.
pub(crate) const OWN_CREDENTIALS: web_sys::RequestCredentials =
    web_sys::RequestCredentials::SameOrigin;

/// The choice of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// As the system says.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// Milliseconds since 1970, by the browser's clock.
#[must_use]
pub fn now_ms() -> f64 {
    js_sys::Date::now()
}

/// The time now, by ISO 8601.
#[must_use]
pub fn iso_time() -> String {
    String::from(js_sys::Date::new_0().to_iso_string())
}

/// Does some work and notes in the browser's timeline how long it took, where its tools and tests
/// find it. Of each name the last is kept.
pub fn measured<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let Some(performance) = window().performance() else {
        return work();
    };
    let _ = performance.mark(name);
    let done = work();
    performance.clear_measures_with_measure_name(name);
    let _ = performance.measure_with_start_mark(name, name);
    performance.clear_marks_with_mark_name(name);
    done
}

/// Notes in the browser's timeline that something is done.
pub fn mark(name: &str) {
    if let Some(performance) = window().performance() {
        let _ = performance.mark(name);
    }
}

/// Has the browser ask before the tab is closed or loaded anew, while something would be lost.
pub fn ask_before_leaving(would_lose: impl Fn() -> bool + 'static) {
    let listener = window_event_listener(leptos::ev::beforeunload, move |event| {
        if would_lose() {
            event.prevent_default();
        }
    });
    on_cleanup(move || listener.remove());
}

/// Sets the title of the tab: `<title> - GBAC`.
pub fn set_title(title: &str) {
    document().set_title(&format!("{title} - GBAC"));
}

/// Sets the title of the tab for a while; gives what puts the one before back, unless a page has
/// set its own by then.
pub fn set_title_for_now(title: &str) -> impl Fn() + use<> {
    let before = document().title();
    set_title(title);
    let set = document().title();
    move || {
        if document().title() == set {
            document().set_title(&before);
        }
    }
}

/// The element with this id, if it is one that can take focus.
fn element(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// Moves focus to the element with this id, now. Says whether there was one.
pub fn focus(id: &str) -> bool {
    element(id).is_some_and(|element| element.focus().is_ok())
}

/// Moves focus to the element with this id after the next rendering.
pub fn focus_later(id: impl Into<String>) {
    let id = id.into();
    request_animation_frame(move || {
        focus(&id);
    });
}

/// Does some work once the next frame is on the screen.
pub fn after_paint(work: impl FnOnce() + 'static) {
    request_animation_frame(move || set_timeout(work, Duration::ZERO));
}

/// Moves focus to the first of these ids that exists after the next rendering: where a removed
/// row's button was, its neighbour, else the section's heading.
pub fn focus_first(ids: Vec<String>) {
    request_animation_frame(move || {
        for id in &ids {
            if focus(id) {
                break;
            }
        }
    });
}

/// Moves focus to the page's `h1` after the next rendering (after a change of route).
pub fn focus_heading() {
    request_animation_frame(|| {
        if let Ok(Some(heading)) = document().query_selector("#main h1")
            && let Ok(heading) = heading.dyn_into::<HtmlElement>()
        {
            heading.set_tab_index(-1);
            // The heading is announced; no ring is drawn on something that cannot be operated.
            let _ = heading.class_list().add_1("focus-only");
            let _ = heading.focus();
        }
    });
}

/// Whether a page with a heading is shown.
#[must_use]
pub fn has_heading() -> bool {
    document()
        .query_selector("#main h1")
        .ok()
        .flatten()
        .is_some()
}

/// Selects the whole text of the field with this id.
pub fn select_text(id: &str) {
    let Some(element) = document().get_element_by_id(id) else {
        return;
    };
    if let Some(field) = element.dyn_ref::<HtmlInputElement>() {
        field.select();
    } else if let Some(field) = element.dyn_ref::<HtmlTextAreaElement>() {
        field.select();
    }
}

/// Says something to assistive technology, politely: results of an action, counts, a copied text.
///
/// The same text twice in a row is announced twice.
pub fn announce(text: &str) {
    say("said", text);
}

/// Says an error to assistive technology at once.
pub fn announce_error(text: &str) {
    say("said-error", text);
}

fn say(region: &'static str, text: &str) {
    // What was said before is over, in either region.
    for id in ["said", "said-error"] {
        if let Some(element) = document().get_element_by_id(id) {
            element.set_text_content(None);
        }
    }
    let Some(element) = document().get_element_by_id(region) else {
        return;
    };
    // What sets off names on a page is not spoken.
    let text = text.replace('`', "");
    // An emptied region has to be seen empty, or a repeated text is no change.
    set_timeout(
        move || element.set_text_content(Some(&text)),
        Duration::from_millis(60),
    );
}

/// Puts a text on the clipboard.
///
/// # Errors
/// What the browser said, such as a refused permission.
pub async fn copy(text: &str) -> Result<(), String> {
    let promise = window().navigator().clipboard().write_text(text);
    JsFuture::from(promise)
        .await
        .map(drop)
        .map_err(|error| describe(&error))
}

/// The text that is pasted, where it has several lines.
#[must_use]
pub fn pasted_lines(event: &web_sys::ClipboardEvent) -> Option<String> {
    let text = event.clipboard_data()?.get_data("text/plain").ok()?;
    text.trim().contains(['\n', '\r']).then_some(text)
}

/// Offers a text as a file to save.
///
/// # Errors
/// What the browser said.
pub fn save_file(name: &str, mime: &str, text: &str) -> Result<(), String> {
    let options = BlobPropertyBag::new();
    options.set_type(mime);
    let parts = js_sys::Array::of1(&JsValue::from_str(text));
    let said = |error: JsValue| describe(&error);
    let blob = Blob::new_with_str_sequence_and_options(&parts, &options).map_err(said)?;
    let address = Url::create_object_url_with_blob(&blob).map_err(said)?;
    let link: HtmlAnchorElement = document()
        .create_element("a")
        .map_err(said)?
        .dyn_into()
        .map_err(|_| "no link".to_owned())?;
    link.set_href(&address);
    link.set_download(name);
    link.click();
    // The click has started the download by now only in some browsers, so the address lives a
    // little longer.
    set_timeout(
        move || drop(Url::revoke_object_url(&address)),
        Duration::from_secs(10),
    );
    Ok(())
}

/// A file that somebody chose or dropped.
#[derive(Debug, Clone)]
pub struct GivenFile(web_sys::File);

impl GivenFile {
    /// The files that were dropped; none for a drop of something else.
    #[must_use]
    pub fn dropped(event: &leptos::ev::DragEvent) -> Vec<Self> {
        let mut dropped = Vec::new();
        if let Some(files) = event.data_transfer().and_then(|data| data.files()) {
            for place in 0..files.length() {
                dropped.extend(files.get(place).map(Self));
            }
        }
        dropped
    }

    /// The file that was chosen in the field with this id.
    #[must_use]
    pub fn chosen(id: &str) -> Option<Self> {
        let field = document()
            .get_element_by_id(id)?
            .dyn_into::<HtmlInputElement>()
            .ok()?;
        let file = field.files()?.get(0).map(Self);
        // The same file can be chosen again.
        field.set_value("");
        file
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// How many bytes it has.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.0.size()
    }

    /// Its text, in UTF-8 or UTF-16.
    ///
    /// # Errors
    /// What the browser said, or why the bytes are no text.
    pub async fn text(&self) -> Result<String, String> {
        let buffer = JsFuture::from(self.0.array_buffer())
            .await
            .map_err(|error| describe(&error))?;
        decode(js_sys::Uint8Array::new(&buffer).to_vec()).map_err(|error| error.to_string())
    }
}

/// What follows the `#` in the address of the page.
#[must_use]
pub fn fragment() -> String {
    window()
        .location()
        .hash()
        .map(|hash| hash.trim_start_matches('#').to_owned())
        .unwrap_or_default()
}

/// Where the page is from: `https://host:port`.
#[must_use]
pub fn origin() -> String {
    window().location().origin().unwrap_or_default()
}

/// Presses the element with this id, as a pointer does.
pub fn click(id: &str) {
    if let Some(element) = element(id) {
        element.click();
    }
}

fn describe(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map_or_else(
        || "the browser refused".into(),
        |error| String::from(error.message()),
    )
}

/// The chosen theme.
#[must_use]
pub fn theme() -> Theme {
    match stored_theme().as_deref() {
        Some("light") => Theme::Light,
        Some("dark") => Theme::Dark,
        _ => Theme::System,
    }
}

fn stored_theme() -> Option<String> {
    window().local_storage().ok()??.get_item(THEME_KEY).ok()?
}

/// Chooses a theme, for this visit and the next ones.
pub fn set_theme(theme: Theme) {
    let name = match theme {
        Theme::System => None,
        Theme::Light => Some("light"),
        Theme::Dark => Some("dark"),
    };
    if let Some(root) = document().document_element() {
        let _ = match name {
            Some(name) => root.set_attribute("data-theme", name),
            None => root.remove_attribute("data-theme"),
        };
    }
    // A browser that refuses storage keeps the theme for this visit.
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = match name {
            Some(name) => storage.set_item(THEME_KEY, name),
            None => storage.remove_item(THEME_KEY),
        };
    }
}

/// Whether the page is dark now, by choice or by the system.
#[must_use]
pub fn is_dark() -> bool {
    match theme() {
        Theme::Light => false,
        Theme::Dark => true,
        Theme::System => window()
            .match_media("(prefers-color-scheme: dark)")
            .ok()
            .flatten()
            .is_some_and(|query| query.matches()),
    }
}

/// Opens a dialog as a modal one; the browser keeps focus inside and makes the rest inert.
pub fn show_modal(dialog: NodeRef<html::Dialog>) {
    if let Some(dialog) = dialog.get_untracked()
        && !dialog.open()
    {
        let _ = dialog.show_modal();
    }
}

/// Closes a dialog; the browser gives focus back to where it came from.
pub fn close_modal(dialog: NodeRef<html::Dialog>) {
    if let Some(dialog) = dialog.get_untracked() {
        dialog.close();
    }
}

/// Closes an element that a button opened over the page; the browser gives focus back.
pub fn hide_popover(id: &str) {
    if let Some(element) = element(id) {
        let _ = element.hide_popover();
    }
}

/// Whether the page is as wide as a large screen.
#[must_use]
pub fn is_wide() -> bool {
    window()
        .match_media("(min-width: 75rem)")
        .ok()
        .flatten()
        .is_some_and(|query| query.matches())
}

/// Whether the tab is in front, so that reading again is worth it.
#[must_use]
pub fn is_visible() -> bool {
    document().visibility_state() == web_sys::VisibilityState::Visible
}

/// Whether a key press goes to a field, so that a single letter is text and no shortcut.
#[must_use]
fn is_typing() -> bool {
    let Some(element) = document().active_element() else {
        return false;
    };
    match element.tag_name().as_str() {
        // What is only ticked or pressed takes no text.
        "INPUT" => !matches!(
            element.get_attribute("type").as_deref(),
            Some("checkbox" | "radio" | "button" | "submit" | "file")
        ),
        "TEXTAREA" | "SELECT" => true,
        _ => element.has_attribute("contenteditable"),
    }
}

/// Whether a key press is a shortcut of a single character: outside of fields and dialogs, and only
/// while they are on.
#[must_use]
pub fn is_single_key(event: &leptos::ev::KeyboardEvent) -> bool {
    let has_modifier = event.ctrl_key() || event.meta_key() || event.alt_key();
    !has_modifier && !event.is_composing() && !is_typing() && !has_dialog() && has_single_keys()
}

/// Whether shortcuts of a single character work.
#[must_use]
pub fn has_single_keys() -> bool {
    let stored = window()
        .local_storage()
        .ok()
        .flatten()
        .and_then(|storage| storage.get_item(SINGLE_KEYS_KEY).ok()?);
    stored.as_deref() != Some("off")
}

/// Turns shortcuts of a single character on or off, for this visit and the next ones.
pub fn set_single_keys(are_on: bool) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = if are_on {
            storage.remove_item(SINGLE_KEYS_KEY)
        } else {
            storage.set_item(SINGLE_KEYS_KEY, "off")
        };
    }
}

/// Whether the keyboard is that of a Mac.
#[must_use]
pub fn is_mac() -> bool {
    window()
        .navigator()
        .platform()
        .is_ok_and(|platform| platform.starts_with("Mac") || platform.starts_with("iP"))
}

/// Moves focus to the page's own search field and selects what is in it. Says whether there is one.
pub fn focus_search() -> bool {
    let Ok(Some(field)) = document().query_selector("#main input[type=search]") else {
        return false;
    };
    let Ok(field) = field.dyn_into::<HtmlInputElement>() else {
        return false;
    };
    field.select();
    field.focus().is_ok()
}

/// Brings the element with this id into view inside its scrolling parent.
pub fn reveal(id: &str) {
    let Some(element) = document().get_element_by_id(id) else {
        return;
    };
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(web_sys::ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Whether a dialog is open.
#[must_use]
pub fn has_dialog() -> bool {
    document()
        .query_selector("dialog[open]")
        .ok()
        .flatten()
        .is_some()
}

/// Brings the current item of a sideways-scrolling navigation into view.
pub fn reveal_current(container_id: &str) {
    let Ok(Some(current)) = document().query_selector(&format!("#{container_id} [aria-current]"))
    else {
        return;
    };
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_inline(web_sys::ScrollLogicalPosition::Nearest);
    options.set_block(web_sys::ScrollLogicalPosition::Nearest);
    current.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Takes the static page away that stood here until now, and gives the element in which the console
/// is mounted.
#[must_use]
pub fn take_root() -> Option<HtmlElement> {
    let root = element("app")?;
    root.set_text_content(None);
    Some(root)
}

/// Shows the panel of the static page that says that the console stopped, and why.
pub fn show_failure(why: &str) {
    if let Some(text) = document().get_element_by_id("failed-why") {
        text.set_text_content(Some(why));
    }
    if let Some(panel) = document().get_element_by_id("failed") {
        let _ = panel.remove_attribute("hidden");
    }
}

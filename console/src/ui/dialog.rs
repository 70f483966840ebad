//! Modal dialogs: the browser traps focus, Esc closes, focus returns to where it came from.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leptos::prelude::*;
use leptos::{ev, html};

use crate::dom;

/// A dialog. It is in the page only while `open`, so its fields start fresh each time.
///
/// Focus goes to the element that has `autofocus`, else to the first control. Children: a
/// `div.dlg-b.dlg-pad` with the content, then [`DialogActions`]; or a `form` around both.
#[component]
pub fn Dialog(
    /// Whether it is open.
    #[prop(into)]
    open: Signal<bool>,
    /// Asked to close: Esc or the page's own button. Must set `open` to false.
    #[prop(into)]
    on_close: Callback<()>,
    /// An id, from which the title's id is made.
    id: &'static str,
    /// The title.
    #[prop(into)]
    title: ViewFn,
    /// 480 px wide; otherwise as wide as the page.
    #[prop(optional)]
    small: bool,
    /// The content.
    children: ChildrenFn,
) -> impl IntoView {
    let children = StoredValue::new(children);
    let title = StoredValue::new(title);
    view! {
        {move || {
            open.get().then(|| view! {
                <OpenDialog on_close=on_close id=id small=small title=title.get_value() children=children.get_value() />
            })
        }}
    }
}

#[component]
fn OpenDialog(
    on_close: Callback<()>,
    id: &'static str,
    title: ViewFn,
    small: bool,
    children: ChildrenFn,
) -> impl IntoView {
    let title_id = format!("{id}-title");
    let labelled_by = title_id.clone();
    view! {
        <Modal on_close=on_close id=id class=if small { "dlg sm" } else { "dlg" } labelled_by=labelled_by>
            <div class="dlg-h">
                <h2 id=title_id.clone()>{title.run()}</h2>
            </div>
            {children()}
        </Modal>
    }
}

/// A modal dialog without a head of its own, open as long as it is in the page.
#[component]
pub fn Modal(
    /// Asked to close, by Esc.
    #[prop(into)]
    on_close: Callback<()>,
    /// An id.
    id: &'static str,
    /// How it looks.
    class: &'static str,
    /// The id of its title; without one, `label` names it.
    #[prop(optional, into)]
    labelled_by: Option<String>,
    /// Its name, where it has no title.
    #[prop(optional, into)]
    label: Option<String>,
    /// The content.
    children: ChildrenFn,
) -> impl IntoView {
    let element = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        if element.get().is_some() {
            dom::show_modal(element);
        }
    });
    // Closing the dialog before it leaves the page gives focus back. The browser sends `close`
    // later, when the next dialog may be open already. Esc also sends `cancel`, at once: without it
    // a key that follows would still meet an open dialog.
    let is_leaving = Arc::new(AtomicBool::new(false));
    let leaving = Arc::clone(&is_leaving);
    on_cleanup(move || {
        leaving.store(true, Ordering::Relaxed);
        dom::close_modal(element);
    });
    view! {
        <dialog
            node_ref=element
            class=class
            id=id
            aria-labelledby=labelled_by
            aria-label=label
            on:cancel=move |_: ev::Event| on_close.run(())
            on:close=move |_: ev::Event| {
                if !is_leaving.load(Ordering::Relaxed) {
                    on_close.run(());
                }
            }
        >
            {children()}
        </dialog>
    }
}

/// The last line of a dialog: its buttons, at the right.
#[component]
pub fn DialogActions(
    /// *Cancel* first, then the action.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="dlg-f">
            <div class="row row-end">{children()}</div>
        </div>
    }
}

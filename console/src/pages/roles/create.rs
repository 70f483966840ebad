//! The dialog that creates a role.

use gbac_console_model::address;
use gbac_console_model::roles::{name_error, name_warning};
use gbac_engine::policy::Change;
use gbac_words::pages::roles as words;
use leptos::prelude::*;
use leptos_router::NavigateOptions;

use crate::dom;
use crate::store::draft::Draft;
use crate::ui::{Button, ButtonKind, Dialog, DialogActions, Field};

/// The dialog; the role's page follows.
#[component]
pub fn CreateRole(
    /// Whether it is open.
    open: RwSignal<bool>,
    /// The name that it begins with, taken when it opens.
    name: RwSignal<String>,
) -> impl IntoView {
    view! {
        <Dialog open=open on_close=move |()| open.set(false) id="create-role" title=|| "Create role" small=true>
            <Form open=open given=name />
        </Dialog>
    }
}

#[component]
fn Form(open: RwSignal<bool>, given: RwSignal<String>) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let navigate = dom::use_navigate();
    // Another role begins without a name.
    let name = RwSignal::new(
        given
            .try_update_untracked(std::mem::take)
            .unwrap_or_default(),
    );
    let sent = RwSignal::new(false);
    let error = Signal::derive(move || {
        let name = name.get();
        if name.is_empty() && !sent.get() {
            return None;
        }
        let after = draft.after()?;
        // A space at the end may be followed by another word.
        let name = if sent.get() {
            name.as_str()
        } else {
            name.trim_end()
        };
        name_error(&after, name)
    });
    let warning = Signal::derive(move || {
        let (name, after) = (name.get(), draft.after()?);
        if name.is_empty() {
            return None;
        }
        name_warning(&after, &name)
    });
    view! {
        <form on:submit=move |event| {
            event.prevent_default();
            sent.set(true);
            if error.get_untracked().is_some() {
                dom::focus("create-role-name");
                return;
            }
            let name = name.get_untracked();
            draft.add(Change::CreateRole(name.clone()));
            open.set(false);
            dom::announce(&words::created(&name));
            navigate(&address::role(&name), NavigateOptions::default());
        }>
            <div class="dlg-b dlg-pad">
                <Field
                    id="create-role-name"
                    label="Role name"
                    mono=true
                    autofocus=true
                    placeholder="analytics-writer"
                    help=words::NEW_ROLE
                    value=name
                    on_input=move |text| name.set(text)
                    error=error
                    warning=warning
                />
            </div>
            <DialogActions>
                <Button on_press=move |()| open.set(false)>"Cancel"</Button>
                <Button kind=ButtonKind::Primary submit=true>"Create role"</Button>
            </DialogActions>
        </form>
    }
}

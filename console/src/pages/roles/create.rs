//! Creating a role: one field.

use gbac_engine::policy::Change;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

use crate::dom;
use crate::state::address;
use crate::state::escape::plain;
use crate::state::roles::{name_error, name_warning};
use crate::state::service::Service;
use crate::ui::{Button, ButtonKind, Dialog, DialogActions, Field};

/// The dialog; a created role's page follows.
#[component]
pub fn CreateRole(
    /// Whether it is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    view! {
        <Dialog open=open on_close=move |()| open.set(false) id="create-role" title=|| "Create role" small=true>
            <Form open=open />
        </Dialog>
    }
}

#[component]
fn Form(open: RwSignal<bool>) -> impl IntoView {
    let service = expect_context::<Service>();
    let navigate = use_navigate();
    let name = RwSignal::new(String::new());
    let (sent, busy) = (RwSignal::new(false), RwSignal::new(false));
    let refusal = RwSignal::new(None::<String>);
    let error = Signal::derive(move || {
        let name = name.get();
        if name.is_empty() && !sent.get() {
            return None;
        }
        refusal
            .get()
            .or_else(|| service.policy.with(|policy| policy.as_ref().and_then(|policy| name_error(policy, &name))))
    });
    let warning = Signal::derive(move || {
        let name = name.get();
        service
            .policy
            .with(|policy| policy.as_ref().filter(|_| !name.is_empty()).and_then(|policy| name_warning(policy, &name)))
    });
    let create = move || {
        if busy.get_untracked() {
            return;
        }
        sent.set(true);
        // What was refused before may succeed now.
        refusal.set(None);
        if error.get_untracked().is_some() {
            dom::focus("create-role-name");
            return;
        }
        busy.set(true);
        let navigate = navigate.clone();
        spawn_local(async move {
            let name = name.get_untracked();
            let outcome = service.change(&Change::CreateRole(name.clone())).await;
            match outcome {
                Ok(()) => {
                    dom::announce(&format!("Role {} created", plain(&name)));
                    // Whoever closed the dialog meanwhile is not taken away from where they are.
                    if open.try_get_untracked() == Some(true) {
                        open.set(false);
                        navigate(&address::role(&name), NavigateOptions::default());
                    }
                }
                // The dialog may have been closed meanwhile, and its signals with it.
                Err(failure) => {
                    let _ = busy.try_set(false);
                    let _ = refusal.try_set(Some(format!("Not created: {failure}")));
                    dom::announce_error(&format!("Role {} was not created: {failure}", plain(&name)));
                    dom::focus("create-role-name");
                }
            }
        });
    };
    view! {
        <form on:submit=move |event| {
            event.prevent_default();
            create();
        }>
            <div class="dlg-b dlg-pad">
                <Field
                    id="create-role-name"
                    label="Role name"
                    mono=true
                    autofocus=true
                    placeholder="analytics-writer"
                    help="ACLs and principals are added on its page."
                    value=name
                    on_input=move |text| {
                        refusal.set(None);
                        name.set(text);
                    }
                    error=error
                    warning=warning
                />
            </div>
            <DialogActions>
                <Button on_press=move |()| open.set(false)>"Cancel"</Button>
                <Button kind=ButtonKind::Primary submit=true busy=busy>"Create role"</Button>
            </DialogActions>
        </form>
    }
}

//! The row that edits an ACL in place, on the page of a role and of a principal.

use gbac_console_model::role::acl_edit::{check_edit, edit_operations};
use gbac_console_model::role::acl_form::{AclFaults, AclForm};
use gbac_engine::model::{Acl, Operation};
use gbac_words::acl;
use gbac_words::pages::role as words;
use leptos::ev;
use leptos::prelude::*;

use crate::dom;
use crate::pages::acl_fields::{GrantFields, NameFields, fault};
use crate::store::draft::Draft;
use crate::ui::{
    Button, ButtonKind, Choice, Glyph, IconButton, Message, MessageKind, Select, Words,
};

/// The id of the button that opens the editor of an ACL.
pub(super) fn edit_id(acl: &Acl) -> String {
    let line = format!("{} {}", acl.principal, acl::rule(acl).plain());
    format!("edit-{}", gbac_api::encode::component(&line))
}

/// The button that opens the editor of an ACL.
#[component]
pub(super) fn EditAcl(
    /// The id of the button.
    id: String,
    /// What it does.
    label: String,
    editing: RwSignal<bool>,
) -> impl IntoView {
    let field = format!("{id}-operation");
    view! {
        <IconButton
            id=id
            glyph=Glyph::Edit
            label=label
            on_press=move |()| {
                editing.set(true);
                dom::focus_later(field.clone());
            }
            {..}
            aria-expanded=move || if editing.get() { "true" } else { "false" }
        />
    }
}

/// The row with the fields of an ACL, under its own; what is saved goes to the draft as one edit.
#[component]
pub(super) fn AclEditor(
    acl: Acl,
    editing: RwSignal<bool>,
    /// How many columns the table has.
    columns: &'static str,
    /// Runs with the ACL that took its place.
    #[prop(into)]
    on_edited: Callback<Acl>,
) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let (id, line) = (edit_id(&acl), acl::rule(&acl).plain());
    let operations = edit_operations(&acl);
    let form = RwSignal::new(AclForm::of_acl(&acl));
    let sent = RwSignal::new(false);
    let original = acl.clone();
    let checked = Memo::new(move |_| {
        let after = draft.after().unwrap_or_default();
        check_edit(&original, &form.read(), &after, sent.get())
    });
    let back = id.clone();
    let close = Callback::new(move |()| {
        editing.set(false);
        dom::focus_later(back.clone());
    });
    let fields = id.clone();
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        sent.set(true);
        match checked.get_untracked() {
            Ok(new) => {
                editing.set(false);
                draft.edit_acl(acl.clone().normalized(), new.clone());
                dom::announce(&words::acl_edited(&acl::rule(&new).plain()));
                on_edited.run(new);
            }
            Err(faults) => {
                dom::focus(&format!("{fields}-{}", first_fault(&faults)));
            }
        }
    };
    view! {
        <tr role="row" class="edit">
            <td role="cell" colspan=columns>
                <form
                    class="edit-acl"
                    aria-label=format!("Edit ACL {line}")
                    on:submit=submit
                    on:keydown=move |event: ev::KeyboardEvent| {
                        if event.key() == "Escape" {
                            event.prevent_default();
                            close.run(());
                        }
                    }
                >
                    <Select
                        id=format!("{id}-operation")
                        label="Operation"
                        value=Signal::derive(move || form.with(|form| form.operations.first().map(|operation| operation.spelling().cli.to_owned()).unwrap_or_default()))
                        choices=Choice::each(operations, |operation| (operation.spelling().cli, operation.spelling().label))
                        on_change=move |id: String| {
                            if let Ok(operation) = id.parse::<Operation>() {
                                form.update(|form| form.operations = vec![operation]);
                            }
                        }
                    />
                    <NameFields id=id.clone() form=form error=fault(checked, |faults| faults.name.clone()) />
                    <GrantFields id=id.clone() form=form error=fault(checked, |faults| faults.host.clone()) />
                    {move || fault(checked, |faults| faults.form.clone()).get().map(|text| view! {
                        <div role="alert"><Message kind=MessageKind::Error><Words text=text /> "."</Message></div>
                    })}
                    <div class="row">
                        <Button kind=ButtonKind::Primary small=true submit=true>"Save to draft"</Button>
                        <Button small=true on_press=close>"Cancel"</Button>
                    </div>
                </form>
            </td>
        </tr>
    }
}

/// The control that is wrong first.
const fn first_fault(faults: &AclFaults) -> &'static str {
    match faults {
        AclFaults { name: Some(_), .. } => "name",
        AclFaults { host: Some(_), .. } => "host",
        _ => "operation",
    }
}

//! The form that adds an ACL to a role.

use gbac_engine::model::{Operation, Permission, ResourceType};
use gbac_engine::policy::Change;
use leptos::prelude::*;

use super::RoleContext;
use crate::dom;
use crate::state::acl_form::{AclFaults, AclForm, Pattern};
use crate::state::words::acl_line;
use crate::ui::{AclPhrase, Button, Choice, Field, Glyph, IconButton, Message, MessageKind, Segmented, Select, Words};

/// The form, beside the ACLs.
#[component]
pub(super) fn AddAcl(adding: RwSignal<bool>) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let form = RwSignal::new(AclForm::default());
    let sent = RwSignal::new(false);
    let checked = Memo::new(move |_| form.with(|form| form.check(&context.name.get_value(), sent.get())));
    let fault = move |part: fn(&AclFaults) -> Option<String>| {
        Signal::derive(move || checked.with(|checked| checked.as_ref().err().and_then(part)))
    };
    let has_name = Memo::new(move |_| form.with(AclForm::has_name));
    let named_by_hand = Memo::new(move |_| form.with(|form| form.has_name() && form.pattern != Pattern::Any));
    let is_here = Memo::new(move |_| {
        let acl = checked.get().ok();
        context.service.policy.with(|policy| policy.as_ref().zip(acl).is_some_and(|(policy, acl)| policy.has_acl(&acl)))
    });
    let add = move || {
        sent.set(true);
        match checked.get_untracked() {
            Ok(_) if is_here.get_untracked() => {
                dom::focus("acl-operation");
            }
            Ok(acl) => {
                let what = format!("ACL {}", acl_line(&acl));
                context.send(Change::AddAcl(acl), "added", what, || ());
                // The same resource is likely wanted for the next operation.
                form.update(|form| *form = form.after_add());
                sent.set(false);
                dom::focus("acl-operation");
            }
            Err(faults) => {
                let first =
                    [(&faults.name, "acl-name"), (&faults.operation, "acl-operation"), (&faults.host, "acl-host")];
                let id = first.into_iter().find(|(fault, _)| fault.is_some()).map_or("acl-type", |(_, id)| id);
                dom::focus(id);
            }
        }
    };
    let types: Vec<Choice> =
        ResourceType::ALL.iter().map(|kind| Choice::new(kind.spelling().cli, kind.spelling().words)).collect();
    let operations = Signal::derive(move || {
        let choice = |operation: Operation| Choice::new(operation.spelling().cli, operation.spelling().words);
        let fitting = form.with(AclForm::operations).into_iter().map(choice);
        std::iter::once(Choice::new("", "Choose one")).chain(fitting).collect::<Vec<_>>()
    });
    let name_label = move || match form.with(|form| form.pattern) {
        Pattern::Prefixed => "Resource name starts with",
        Pattern::Literal | Pattern::Any => "Resource name",
    };
    view! {
        <aside class="panel aside" id="add-acl" aria-labelledby="h-add">
            <div class="pane-h">
                <h2 id="h-add">"Add ACL"</h2>
                <span class="row-end">
                    <IconButton glyph=Glyph::Close label="Close Add ACL" on_press=move |()| {
                        adding.set(false);
                        dom::focus_later("add-acl-open");
                    } />
                </span>
            </div>
            <form class="stack" aria-labelledby="h-add" on:submit=move |event| {
                event.prevent_default();
                add();
            }>
                <Select
                    id="acl-type"
                    label="Resource type"
                    value=Signal::derive(move || form.with(|form| form.resource_type.spelling().cli.to_owned()))
                    choices=types
                    on_change=move |id: String| {
                        if let Some(kind) = ResourceType::from_any(&id) {
                            form.update(|form| *form = form.clone().with_type(kind));
                        }
                    }
                />
                {move || has_name.get().then(|| view! {
                    <Segmented
                        name="acl-pattern"
                        legend="Pattern type"
                        value=Signal::derive(move || form.with(|form| form.pattern.id().to_owned()))
                        choices=Pattern::ALL.iter().map(|pattern| Choice::new(pattern.id(), pattern.word())).collect()
                        on_change=move |id: String| {
                            if let Some(pattern) = Pattern::from_id(&id) {
                                form.update(|form| form.pattern = pattern);
                            }
                        }
                    />
                })}
                {move || named_by_hand.get().then(|| view! {
                    <Field
                        id="acl-name"
                        label=name_label()
                        mono=true
                        value=Signal::derive(move || form.with(|form| form.name.clone()))
                        on_input=move |text| form.update(|form| form.name = text)
                        error=fault(|faults| faults.name.clone())
                        warning=Signal::derive(move || form.with(AclForm::name_warning))
                    />
                })}
                <div class="grid-2">
                    <Select
                        id="acl-operation"
                        label="Operation"
                        value=Signal::derive(move || {
                            form.with(|form| form.operation.map(|operation| operation.spelling().cli.to_owned()).unwrap_or_default())
                        })
                        choices=operations
                        on_change=move |id: String| form.update(|form| form.operation = Operation::from_any(&id))
                        error=fault(|faults| faults.operation.clone())
                    />
                    <Field
                        id="acl-host"
                        label="Host"
                        mono=true
                        value=Signal::derive(move || form.with(|form| form.host.clone()))
                        on_input=move |text| form.update(|form| form.host = text)
                        error=fault(|faults| faults.host.clone())
                    />
                </div>
                <Segmented
                    name="acl-permission"
                    legend="Permission"
                    value=Signal::derive(move || form.with(|form| form.permission.spelling().cli.to_owned()))
                    choices=[Permission::Allow, Permission::Deny]
                        .iter()
                        .map(|permission| Choice::new(permission.spelling().cli, permission.spelling().words))
                        .collect()
                    on_change=move |id: String| {
                        if let Some(permission) = Permission::from_any(&id) {
                            form.update(|form| form.permission = permission);
                        }
                    }
                />
                <div class="cover">
                    {move || match checked.get() {
                        Ok(acl) if is_here.get() => view! {
                            <p><AclPhrase acl=acl /></p>
                            <Message kind=MessageKind::Warn>"This role has this very ACL already."</Message>
                        }
                        .into_any(),
                        Ok(acl) => view! { <h3>"Will be stored as"</h3><p><AclPhrase acl=acl /></p> }.into_any(),
                        Err(AclFaults { form: Some(text), .. }) => {
                            view! { <Message kind=MessageKind::Error><Words text=text /></Message> }.into_any()
                        }
                        Err(_) => view! { <p class="help">"What will be stored is shown here."</p> }.into_any(),
                    }}
                </div>
                <Button submit=true>"Add ACL"</Button>
            </form>
        </aside>
    }
}

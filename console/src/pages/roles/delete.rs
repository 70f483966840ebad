//! Deleting a role: what is lost is named first, and the name is typed to confirm.

use gbac_engine::model::Acl;
use gbac_engine::policy::Change;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::dom;
use crate::state::escape::plain;
use crate::state::roles::{Loss, loss};
use crate::state::service::Service;
use crate::state::words::{count, list};
use crate::ui::{
    AclPhrase, Button, ButtonKind, Dialog, DialogActions, Field, Glyph, Icon, IconSize, Message, MessageKind,
    PrincipalName, ResourceName, Words,
};

/// Which role is to be deleted, and where focus goes when it is gone.
#[derive(Debug, Clone)]
pub struct Deletion {
    /// The role; none while the dialog is closed.
    pub name: RwSignal<Option<String>>,
    /// The id of what gets focus after the deletion, since the button that asked for it is gone then.
    pub focus_after: String,
}

/// The dialog.
#[component]
pub fn DeleteRole(
    /// What to delete.
    deletion: Deletion,
    /// The role is gone.
    #[prop(into)]
    on_deleted: Callback<String>,
) -> impl IntoView {
    let name = deletion.name;
    let focus_after = StoredValue::new(deletion.focus_after);
    let title = move || view! { "Delete role " <ResourceName name=name.get_untracked().unwrap_or_default() /> };
    view! {
        <Dialog open=Signal::derive(move || name.with(Option::is_some)) on_close=move |()| name.set(None) id="delete-role" title=title small=true>
            <Form deleting=name focus_after=focus_after.get_value() on_deleted=on_deleted />
        </Dialog>
    }
}

#[component]
fn Form(deleting: RwSignal<Option<String>>, focus_after: String, on_deleted: Callback<String>) -> impl IntoView {
    let service = expect_context::<Service>();
    let name = StoredValue::new(deleting.get_untracked().unwrap_or_default());
    let typed = RwSignal::new(String::new());
    let busy = RwSignal::new(false);
    let refusal = RwSignal::new(None::<String>);
    let matches = Signal::derive(move || typed.with(|typed| *typed == name.get_value()));
    let lost = Memo::new(move |_| {
        service.policy.with(|policy| policy.as_ref().and_then(|policy| loss(policy, &name.get_value())))
    });
    let delete = move || {
        if busy.get_untracked() || !matches.get_untracked() {
            return;
        }
        busy.set(true);
        let focus_after = focus_after.clone();
        spawn_local(async move {
            let name = name.get_value();
            let outcome = service.change(&Change::DeleteRole { name: name.clone(), delete_acls: true }).await;
            match outcome {
                Ok(()) => {
                    let _ = deleting.try_set(None);
                    dom::announce(&format!("Role {} deleted", plain(&name)));
                    dom::focus_later(focus_after);
                    let _ = on_deleted.try_run(name);
                }
                Err(failure) => {
                    let _ = busy.try_set(false);
                    let _ = refusal.try_set(Some(failure.to_string()));
                    dom::announce_error(&format!("Role {} was not deleted: {failure}", plain(&name)));
                }
            }
        });
    };
    view! {
        <form on:submit=move |event| {
            event.prevent_default();
            delete();
        }>
            <div class="dlg-b dlg-pad stack">
                {move || lost.get().map(|lost| view! { <Lost lost=lost /> })}
                <Field
                    id="delete-role-name"
                    label="Type the role name to confirm"
                    mono=true
                    autofocus=true
                    value=typed
                    on_input=move |text| typed.set(text)
                />
                {move || refusal.get().map(|text| view! {
                    <Message kind=MessageKind::Error>"Not deleted: " <Words text=text /></Message>
                })}
            </div>
            <DialogActions>
                <Button on_press=move |()| deleting.set(None)>"Cancel"</Button>
                <Button kind=ButtonKind::Kill submit=true busy=busy disabled=Signal::derive(move || !matches.get())>"Delete role"</Button>
            </DialogActions>
        </form>
    }
}

/// Who loses the role, and which ACLs go.
#[component]
fn Lost(lost: Loss) -> impl IntoView {
    let Loss { members, acls } = lost;
    let sentence = match (members.len(), acls.len()) {
        (0, 0) => "Nobody has this role, and it carries no ACLs.".to_owned(),
        (0, acls) => format!("Nobody has this role. Its {} deleted.", are(acls)),
        (members, 0) => format!("{} this role. It carries no ACLs.", lose(members)),
        (members, acls) => format!("{} this role, and its {} deleted.", lose(members), are(acls)),
    };
    let has_lists = !members.is_empty() || !acls.is_empty();
    view! {
        <p>{sentence}</p>
        {has_lists.then(|| view! {
            <div class="loss" tabindex="0" role="group" aria-label="What is lost">
                <ul class="facts">
                    {members
                        .into_iter()
                        .map(|(member, others)| {
                            let others = if others.is_empty() {
                                "has no other role".to_owned()
                            } else {
                                let shown: Vec<String> = others.iter().map(|name| plain(name)).collect();
                                format!("keeps {}", list(&shown, 3))
                            };
                            view! {
                                <li>
                                    <Icon glyph=Glyph::Down size=IconSize::Small />
                                    <span><PrincipalName principal=member /> " " <span class="quiet">{others}</span></span>
                                </li>
                            }
                        })
                        .collect_view()}
                    {acls.into_iter().map(|acl: Acl| view! {
                        <li><Icon glyph=Glyph::Bin size=IconSize::Small /><span><AclPhrase acl=acl /></span></li>
                    }).collect_view()}
                </ul>
            </div>
        })}
    }
}

fn lose(members: usize) -> String {
    format!("{} {}", count(members, "principal"), if members == 1 { "loses" } else { "lose" })
}

fn are(acls: usize) -> String {
    format!("{} {}", count(acls, "ACL"), if acls == 1 { "is" } else { "are" })
}

//! Deleting a role in the draft: the dialog names what is lost.

use std::time::Duration;

use gbac_console_model::review::{Effects, LOSES, effects};
use gbac_console_model::roles::{RoleDeletion, deletion};
use gbac_engine::model::Acl;
use gbac_engine::policy::Change;
use gbac_words::common::{DELETION_GOES_TO_DRAFT, NO_CHANGE_IN_ACCESS};
use gbac_words::escape::plain;
use gbac_words::pages::roles as words;
use gbac_words::phrases::list_up_to;
use leptos::prelude::*;

use crate::dom;
use crate::pages::chunk::{Chunk, ChunkError, Lazy, chunk};
use crate::pages::effect::EffectList;
use crate::store::draft::Draft;
use crate::ui::{
    AclPhrase, Button, ButtonKind, Dialog, DialogActions, Glyph, Icon, IconSize, PrincipalName,
    ResourceName,
};

/// Which role is to be deleted, and where focus goes when it is gone.
#[derive(Debug, Clone)]
pub struct Deletion {
    /// The role; none while the dialog is closed.
    pub name: RwSignal<Option<String>>,
    /// The ID of the element that gets focus after the deletion, because the button no longer
    /// exists then.
    pub focus_after: String,
}

/// The dialog.
#[component]
pub fn DeleteRole(
    /// What to delete.
    deletion: Deletion,
    /// The deletion is in the draft.
    #[prop(into)]
    on_deleted: Callback<String>,
) -> impl IntoView {
    let name = deletion.name;
    provide_context(FormContext {
        deleting: name,
        focus_after: StoredValue::new(deletion.focus_after),
        on_deleted,
    });
    let title = move || view! { "Delete role " <ResourceName name=name.get_untracked().unwrap_or_default() /> };
    view! {
        <Dialog open=Signal::derive(move || name.with(Option::is_some)) on_close=move |()| name.set(None) id="delete-role" title=title small=true>
            <Lazy chunk=DELETION part=true />
        </Dialog>
    }
}

chunk!(
    DELETION,
    "The deletion",
    rest,
    fetch_deletion,
    draw_deletion,
    view! { <Form /> }.into_any()
);

/// What the form is about.
#[derive(Clone, Copy)]
struct FormContext {
    deleting: RwSignal<Option<String>>,
    focus_after: StoredValue<String>,
    on_deleted: Callback<String>,
}

/// The form, whose losses need more code than the list of roles.
#[component]
fn Form() -> impl IntoView {
    let FormContext {
        deleting,
        focus_after,
        on_deleted,
    } = expect_context();
    let draft = expect_context::<Draft>();
    let name = StoredValue::new(deleting.get_untracked().unwrap_or_default());
    let change = StoredValue::new(Change::DeleteRole {
        name: name.get_value(),
        delete_acls: true,
    });
    let deleted = Memo::new(move |_| {
        let after = draft.after()?;
        deletion(&after, &name.read_value())
    });
    // After the dialog is there: over a large policy it takes a moment.
    let effect = RwSignal::new(None::<Effects>);
    set_timeout(
        move || {
            let (Some(before), Some(change)) = (draft.after_untracked(), change.try_get_value())
            else {
                return;
            };
            let mut after = (*before).clone();
            if after.apply(change).is_ok() {
                let found = dom::measured("role: loss", || effects(&before, &after, &[], &[]));
                let _ = effect.try_set(Some(found));
            }
        },
        Duration::from_millis(30),
    );
    view! {
        <form on:submit=move |event| {
            event.prevent_default();
            draft.add(change.get_value());
            deleting.set(None);
            let name = name.get_value();
            dom::announce(&words::deletion_staged(&name));
            dom::focus_later(focus_after.get_value());
            on_deleted.run(name);
        }>
            <div class="dlg-b dlg-pad stack">
                {move || deleted.get().map(|deletion| view! { <Deletion deletion=deletion effect=effect /> })}
                <p class="help">{DELETION_GOES_TO_DRAFT}</p>
            </div>
            <DialogActions>
                <Button on_press=move |()| deleting.set(None)>"Cancel"</Button>
                <Button kind=ButtonKind::Kill submit=true>"Delete role"</Button>
            </DialogActions>
        </form>
    }
}

/// Who loses the role, which ACLs go, and what that takes from people.
#[component]
fn Deletion(deletion: RoleDeletion, effect: RwSignal<Option<Effects>>) -> impl IntoView {
    let RoleDeletion { members, acls } = deletion;
    let has_lists = !members.is_empty() || !acls.is_empty();
    view! {
        <p>{words::deletion(members.len(), acls.len())}</p>
        {has_lists.then(|| view! {
            <div class="loss" tabindex="0" role="group" aria-label="Deleted items">
                <ul class="facts">
                    {members
                        .into_iter()
                        .map(|(member, others)| {
                            let others = if others.is_empty() {
                                "has no other role".to_owned()
                            } else {
                                let shown: Vec<String> = others.iter().map(|name| plain(name)).collect();
                                format!("keeps {}", list_up_to(&shown, 3))
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
            {move || match effect.get() {
                None => view! { <p class="help">"Computing the lost access"</p> }.into_any(),
                Some(effect) if effect.total(LOSES).operations == 0 => {
                    view! { <p>{NO_CHANGE_IN_ACCESS}</p> }.into_any()
                }
                Some(effect) => view! {
                    <h3>"Lost access"</h3>
                    <div class="loss" tabindex="0" role="group" aria-label="Lost access">
                        <EffectList effects=effect />
                    </div>
                }
                .into_any(),
            }}
        })}
    }
}

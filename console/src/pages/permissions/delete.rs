//! The dialog that deletes direct ACLs of a principal in the draft, with the access that is lost.

use std::time::Duration;

use gbac_console_model::review::{Effects, effects};
use gbac_engine::model::{Acl, Principal};
use gbac_engine::policy::{Change, ChangeOutcome, apply_each};
use gbac_words::common::{DELETION_GOES_TO_DRAFT, NO_CHANGE_IN_ACCESS};
use gbac_words::pages::permissions as words;
use gbac_words::phrases::count;
use leptos::prelude::*;

use crate::dom;
use crate::pages::effect::EffectList;
use crate::pages::rich_text::unlinked;
use crate::store::draft::Draft;
use crate::ui::{AclPhrase, Button, ButtonKind, Dialog, DialogActions, Glyph, Icon, IconSize};

/// What is to be deleted once it is confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Deletion {
    /// Whose ACLs they are.
    pub(super) principal: Principal,
    /// The ACLs.
    pub(super) acls: Vec<Acl>,
    /// The id of what gets focus afterwards.
    pub(super) focus_after: String,
}

/// The dialog.
#[component]
pub(super) fn DeleteAcls(deletion: RwSignal<Option<Deletion>>) -> impl IntoView {
    let title = move || {
        let number = deletion
            .with_untracked(|deletion| deletion.as_ref().map_or(0, |deletion| deletion.acls.len()));
        view! { {if number == 1 { "Delete ACL".to_owned() } else { format!("Delete {}", count(number, "ACL")) }} }
    };
    let body = move || {
        deletion
            .get_untracked()
            .map(|deleted| view! { <Confirm deleted=deleted deletion=deletion /> })
    };
    view! {
        <Dialog open=Signal::derive(move || deletion.with(Option::is_some)) on_close=move |()| deletion.set(None)
            id="delete-acls" title=title small=true>
            {body()}
        </Dialog>
    }
}

#[component]
fn Confirm(deleted: Deletion, deletion: RwSignal<Option<Deletion>>) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let Deletion {
        principal,
        acls,
        focus_after,
    } = deleted;
    let number = acls.len();
    let changes: Vec<Change> = acls.iter().cloned().map(Change::RemoveAcl).collect();
    let (acls, changes) = (StoredValue::new(acls), StoredValue::new(changes));
    // After the dialog is there: over a large policy it takes a moment.
    let effect = RwSignal::new(None::<Effects>);
    set_timeout(
        move || {
            let (Some(before), Some(changes)) = (draft.after_untracked(), changes.try_get_value())
            else {
                return;
            };
            let mut after = (*before).clone();
            let outcomes = apply_each(&mut after, &changes);
            if !outcomes
                .iter()
                .any(|made| matches!(made, ChangeOutcome::Refused(_)))
            {
                let _ = effect.try_set(Some(effects(&before, &after, &[], &[])));
            }
        },
        Duration::from_millis(30),
    );
    let what = if number == 1 {
        "Delete ACL".to_owned()
    } else {
        format!("Delete {}", count(number, "ACL"))
    };
    let whose = principal.clone();
    let delete = Callback::new(move |()| {
        draft.add_all(changes.get_value());
        deletion.set(None);
        dom::announce(&acls.with_value(|acls| words::deletion_staged(acls, &whose)));
        dom::focus_later(focus_after.clone());
    });
    view! {
        <div class="dlg-b dlg-pad stack">
            <p>{unlinked(&words::loses_acls(&principal, number))}</p>
            <div class="loss" tabindex="0" role="group" aria-label="Deleted items">
                <ul class="facts">
                    {acls.get_value().into_iter().map(|acl| view! {
                        <li><Icon glyph=Glyph::Bin size=IconSize::Small /><span><AclPhrase acl=acl /></span></li>
                    }).collect_view()}
                </ul>
            </div>
            {move || match effect.get() {
                None => view! { <p class="help">{words::COMPUTING_EFFECT}</p> }.into_any(),
                Some(effect) if effect.people.iter().all(|person| person.lines.is_empty()) => {
                    view! { <p>{NO_CHANGE_IN_ACCESS}</p> }.into_any()
                }
                Some(effect) => view! {
                    <h3>"Change in effective access"</h3>
                    <div class="loss" tabindex="0" role="group" aria-label="Change in effective access">
                        <EffectList effects=effect />
                    </div>
                }
                .into_any(),
            }}
            <p class="help">{DELETION_GOES_TO_DRAFT}</p>
        </div>
        <DialogActions>
            <Button on_press=move |()| deletion.set(None)>"Cancel"</Button>
            <Button kind=ButtonKind::Kill on_press=delete>{what}</Button>
        </DialogActions>
    }
}

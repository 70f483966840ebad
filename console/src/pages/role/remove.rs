//! Confirms a removal: who loses what is said before it is done.

use gbac_engine::model::{Acl, Permission, Principal};
use gbac_engine::policy::Change;
use leptos::prelude::*;

use super::RoleContext;
use crate::dom;
use crate::state::escape::plain;
use crate::state::role::{MemberRow, Standing};
use crate::state::words::{acl_line, count, list};
use crate::ui::{AclPhrase, Button, ButtonKind, Dialog, DialogActions, PrincipalName, ResourceName};

/// What is to be removed, and where focus goes when it is gone: the first of these ids that exists.
#[derive(Debug, Clone)]
pub(super) enum Removal {
    /// An ACL.
    Acl {
        /// The ACL.
        acl: Acl,
        /// Ids for focus.
        focus_after: Vec<String>,
    },
    /// A member.
    Member {
        /// The member.
        row: MemberRow,
        /// Ids for focus.
        focus_after: Vec<String>,
    },
}

/// The dialog.
#[component]
pub(super) fn RemoveDialog() -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let removal = context.removal;
    let open = Signal::derive(move || removal.with(Option::is_some));
    let title = move || match removal.get_untracked() {
        Some(Removal::Member { row, .. }) => view! { "Remove " <PrincipalName principal=row.principal /> }.into_any(),
        _ => "Remove ACL".into_any(),
    };
    let confirm = move |()| {
        let Some(asked) = removal.get_untracked() else { return };
        removal.set(None);
        let role = context.name.get_value();
        match asked {
            Removal::Acl { acl, focus_after } => {
                let what = format!("ACL {}", acl_line(&acl));
                context.send(Change::RemoveAcl(acl), "removed", what, move || dom::focus_first(focus_after));
            }
            Removal::Member { row, focus_after } => {
                let what = plain(&row.principal.to_string());
                let change = Change::RemoveMember { role, member: row.principal };
                context.send(change, "removed", what, move || dom::focus_first(focus_after));
            }
        }
    };
    view! {
        <Dialog open=open on_close=move |()| removal.set(None) id="remove" title=title small=true>
            <div class="dlg-b dlg-pad stack">
                {match removal.get_untracked() {
                    Some(Removal::Acl { acl, .. }) => view! { <AclLoss acl=acl /> }.into_any(),
                    Some(Removal::Member { row, .. }) => view! { <MemberLoss row=row /> }.into_any(),
                    None => ().into_any(),
                }}
            </div>
            <DialogActions>
                <Button on_press=move |()| removal.set(None)>"Cancel"</Button>
                <Button kind=ButtonKind::Kill on_press=confirm>
                    {match removal.get_untracked() {
                        Some(Removal::Member { .. }) => "Remove principal",
                        _ => "Remove ACL",
                    }}
                </Button>
            </DialogActions>
        </Dialog>
    }
}

/// The names of the role's stored members.
fn stored_members(context: RoleContext) -> Vec<Principal> {
    context.members.with_untracked(|rows| {
        rows.iter().filter(|row| row.standing == Standing::Stored).map(|row| row.principal.clone()).collect()
    })
}

#[component]
fn AclLoss(acl: Acl) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let members = stored_members(context);
    let names: Vec<String> = members.iter().map(|member| plain(&member.to_string())).collect();
    let sentence = match (acl.permission, names.as_slice()) {
        (_, []) => "Nobody has this role, so nobody is affected.".to_owned(),
        (Permission::Allow, _) => format!("It no longer allows this to {}. Another ACL still may.", list(&names, 4)),
        (Permission::Deny, _) => {
            format!("It no longer denies this to {}. What another ACL allows them comes into effect.", list(&names, 4))
        }
    };
    view! {
        <p><AclPhrase acl=acl /></p>
        <p class="brk">{sentence}</p>
    }
}

#[component]
fn MemberLoss(row: MemberRow) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let acls = context.acls.with_untracked(|rows| rows.iter().filter(|row| row.standing == Standing::Stored).count());
    let role = context.name.get_value();
    let lost = match acls {
        0 => "The role carries no ACLs.".to_owned(),
        1 => "Its 1 ACL no longer counts for this principal.".to_owned(),
        more => format!("Its {} no longer count for this principal.", count(more, "ACL")),
    };
    let shown: Vec<String> = row.other_roles.iter().map(|name| plain(name)).collect();
    let kept = match (row.other_roles.as_slice(), row.direct_acls) {
        ([], 0) => "It has no other role and no ACL of its own.".to_owned(),
        ([], direct) => format!("It keeps {} of its own.", count(direct, "ACL")),
        (_, 0) => format!("It keeps {}.", list(&shown, 3)),
        (_, direct) => format!("It keeps {}, and {} of its own.", list(&shown, 3), count(direct, "ACL")),
    };
    view! {
        <p class="brk"><PrincipalName principal=row.principal /> " leaves " <ResourceName name=role /> ". " {lost}</p>
        <p class="brk">{kept}</p>
    }
}

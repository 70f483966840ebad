//! The page of a role: ACLs, principals, and forms that add to them in the draft.

mod acls;
mod add_acl;
mod context;
mod members;

use std::collections::BTreeSet;

use gbac_console_model::address;
use gbac_console_model::exchange::export_role;
use gbac_console_model::role::{RowStatus, acl_rows, member_rows};
use gbac_engine::policy::Change;
use gbac_words::common::file_not_saved;
use gbac_words::escape::plain;
use gbac_words::pages::role::{self as words, RoleSize};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_location;

use self::acls::Acls;
use self::add_acl::AddAcl;
use self::context::{RoleContext, edited_rows};
use self::members::Members;
use crate::dom;
use crate::pages::roles::{DeleteRole, Deletion};
use crate::pages::unread::Unread;
use crate::store::draft::Draft;
use crate::store::service::Service;
use crate::ui::{Button, ButtonKind, Empty, Glyph, Note, NoteKind, ResourceName};

/// The page; another role is another page.
#[component]
pub fn RolePage() -> impl IntoView {
    let location = use_location();
    let name = Memo::new(move |before: Option<&String>| {
        let named = location
            .pathname
            .with(|path| location.search.with(|query| address::role_at(path, query)));
        // The address changes before the page does: the one that is left stays what it was.
        named.or_else(|| before.cloned()).unwrap_or_default()
    });
    move || view! { <One name=name.get() /> }
}

#[component]
fn One(name: String) -> impl IntoView {
    dom::set_title(&format!("{} - Roles", plain(&name)));
    let service = expect_context::<Service>();
    let draft = expect_context::<Draft>();
    let stored = StoredValue::new(name.clone());
    let acls = Memo::new(move |_| {
        let (Some(before), Some(after)) = (service.policy.get(), draft.after()) else {
            return Vec::new();
        };
        acl_rows(&before, &after, &stored.read_value(), &draft.staged.read())
    });
    let members = Memo::new(move |_| {
        let (Some(before), Some(after)) = (service.policy.get(), draft.after()) else {
            return Vec::new();
        };
        member_rows(&before, &after, &stored.read_value(), &draft.staged.read())
    });
    let is_read = Memo::new(move |_| service.policy.with(Option::is_some));
    let status = Memo::new(move |_| {
        let before = service.policy.get().unwrap_or_default();
        let after = draft.after().unwrap_or_default();
        let name = stored.read_value();
        match (before.has_role(&name), after.has_role(&name)) {
            (true, true) => Some(RowStatus::Stored),
            (false, true) => Some(RowStatus::Added),
            (true, false) => Some(RowStatus::Removed),
            (false, false) => None,
        }
    });
    let selected = RwSignal::new(BTreeSet::new());
    let preset = RwSignal::new(None);
    provide_context(RoleContext {
        draft,
        name: stored,
        acls,
        members,
        preset,
        selected,
        status,
    });
    // What the service has, without the draft.
    let save = Callback::new(move |()| {
        let Some(policy) = service.policy.get_untracked() else {
            return;
        };
        let (file, export) = export_role(&policy, &stored.read_value());
        match dom::save_file(&file, "text/x-shellscript", &export.text) {
            Ok(()) => dom::announce(&words::exported(&file)),
            Err(reason) => dom::announce_error(&file_not_saved(&file, &reason)),
        }
    });
    let deleting = RwSignal::new(None::<String>);
    let navigate = dom::use_navigate();
    let crumb = name.clone();
    view! {
        <nav aria-label="Breadcrumb">
            <ol class="crumbs">
                <li>"Security"</li>
                <li><a href=address::roles_at_role(Some(&name))>"Roles"</a></li>
                <li aria-current="page"><ResourceName name=crumb /></li>
            </ol>
        </nav>
        <div class="head">
            <div>
                <h1 class="mono"><ResourceName name=name /></h1>
                {move || status.get().map(|_| view! { <p><Summary /></p> })}
            </div>
            {move || status.get().filter(|status| *status != RowStatus::Removed).map(|status| view! {
                <div class="row">
                    {(status == RowStatus::Stored).then(|| view! { <Button on_press=save>"Export"</Button> })}
                    <Button kind=ButtonKind::Danger glyph=Glyph::Bin on_press=move |()| deleting.set(Some(stored.get_value()))>"Delete role"</Button>
                </div>
            })}
        </div>
        {move || match (status.get(), is_read.get()) {
            (Some(RowStatus::Removed), _) => view! { <Deleted /> <Parts is_open=false /> }.into_any(),
            (Some(_), _) => view! { <Parts is_open=true /> }.into_any(),
            (None, true) => view! { <NoRole /> }.into_any(),
            (None, false) => view! { <Unread what="the role" /> }.into_any(),
        }}
        <DeleteRole
            deletion=Deletion { name: deleting, focus_after: "roles-search".into() }
            on_deleted=move |_| navigate(address::ROLES, NavigateOptions::default())
        />
    }
}

/// How much the role holds, and how much the draft makes of it.
#[component]
fn Summary() -> impl IntoView {
    let context = expect_context::<RoleContext>();
    move || {
        let before = size_without(context, RowStatus::Added);
        let after = size_without(context, RowStatus::Removed);
        let edited = edited_rows(&context.acls.read());
        match context.status.get() {
            Some(RowStatus::Added) => words::new_role(after),
            Some(RowStatus::Stored) if before != after => words::resized(before, after),
            Some(RowStatus::Stored) if edited > 0 => words::edited(before, edited),
            Some(RowStatus::Stored | RowStatus::Removed) | None => words::size(before),
        }
    }
}

/// How many rows there are, without those that are added or without those that go. An edited ACL is
/// on the service, too, as it was.
fn size_without(context: RoleContext, status: RowStatus) -> RoleSize {
    let acls = context.acls.read();
    let members = context.members.read();
    RoleSize {
        acls: acls
            .iter()
            .filter(|row| row.status != status || row.edited_from.is_some())
            .count(),
        members: members.iter().filter(|row| row.status != status).count(),
    }
}

/// Takes the deletion of the role out of the draft.
fn keep(context: RoleContext) {
    context.draft.take_back(&Change::DeleteRole {
        name: context.name.get_value(),
        delete_acls: true,
    });
    dom::announce("The role is kept");
    dom::focus_heading();
}

#[component]
fn Deleted() -> impl IntoView {
    let context = expect_context::<RoleContext>();
    view! {
        <div class="banner">
            <Note kind=NoteKind::Info title=words::DELETED_IN_DRAFT level=2>
                <p>{words::STAYS_UNTIL_APPLIED}</p>
                <div class="row"><Button small=true on_press=move |()| keep(context)>"Keep the role"</Button></div>
            </Note>
        </div>
    }
}

#[component]
fn Parts(is_open: bool) -> impl IntoView {
    let adding = RwSignal::new(is_open);
    view! {
        <div class=move || if adding.get() { "with-aside" } else { "stack wide-gap" }>
            <Acls adding=adding is_open=is_open />
            {move || adding.get().then(|| view! { <AddAcl adding=adding /> })}
            <Members is_open=is_open />
        </div>
    }
}

#[component]
fn NoRole() -> impl IntoView {
    view! {
        <div class="panel flat">
            <Empty glyph=Glyph::Role title="Role not found">
                <p>{words::NOT_FOUND}</p>
                <div class="row"><a class="btn" href=address::ROLES>"All roles"</a></div>
            </Empty>
        </div>
    }
}

//! One role: its ACLs, its principals, and the forms that add to them.

mod acls;
mod add_acl;
mod failed;
mod members;
mod remove;

use gbac_engine::policy::Change;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_location, use_navigate};

use self::acls::Acls;
use self::add_acl::AddAcl;
use self::members::Members;
use self::remove::{Removal, RemoveDialog};
use crate::dom;
use crate::pages::roles::{DeleteRole, Deletion};
use crate::state::address;
use crate::state::attempts::Attempts;
use crate::state::escape::plain;
use crate::state::near::sentence;
use crate::state::role::{AclRow, MemberRow, Standing, acl_rows, member_rows};
use crate::state::service::{Service, ServiceStatus};
use crate::state::words::count;
use crate::ui::{Button, ButtonKind, Empty, Glyph, ResourceName, SkeletonRows};

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct RoleContext {
    service: Service,
    attempts: Attempts,
    /// The role's name.
    name: StoredValue<String>,
    /// The ACLs, stored and failed.
    acls: Memo<Vec<AclRow>>,
    /// The members, stored and failed.
    members: Memo<Vec<MemberRow>>,
    /// What is to be removed once it is confirmed.
    removal: RwSignal<Option<Removal>>,
}

impl RoleContext {
    /// Sends a change; what became of it is said, and a failure stays at its row.
    fn send(self, change: Change, done: &'static str, what: String, after: impl FnOnce() + 'static) {
        self.attempts.send(self.service, change, move |outcome| match outcome {
            Ok(()) => {
                dom::announce(&format!("{what} {done}"));
                after();
            }
            Err(failure) => dom::announce_error(&format!("{what} not {done}: {failure}")),
        });
    }
}

/// The page; another role is another page.
#[component]
pub fn RolePage() -> impl IntoView {
    let location = use_location();
    let name = Memo::new(move |before: Option<&String>| {
        let asked = location.pathname.with(|path| location.search.with(|query| address::role_at(path, query)));
        // The address changes before the page does: the one that is left stays what it was.
        asked.or_else(|| before.cloned()).unwrap_or_default()
    });
    move || view! { <One name=name.get() /> }
}

#[component]
fn One(name: String) -> impl IntoView {
    dom::set_title(&format!("{} - Roles", plain(&name)));
    let service = expect_context::<Service>();
    let attempts = expect_context::<Attempts>();
    let stored = StoredValue::new(name.clone());
    let changes = Memo::new(move |_| attempts.pick(|attempt| Some(attempt.change.clone())));
    let acls = Memo::new(move |_| {
        let changes = changes.get();
        service.policy.with(|policy| {
            policy.as_ref().map(|policy| acl_rows(policy, &stored.get_value(), &changes)).unwrap_or_default()
        })
    });
    let members = Memo::new(move |_| {
        let changes = changes.get();
        service.policy.with(|policy| {
            policy.as_ref().map(|policy| member_rows(policy, &stored.get_value(), &changes)).unwrap_or_default()
        })
    });
    let context = RoleContext { service, attempts, name: stored, acls, members, removal: RwSignal::new(None) };
    provide_context(context);
    let exists = Memo::new(move |_| {
        service.policy.with(|policy| policy.as_ref().map(|policy| policy.has_role(&stored.get_value())))
    });
    let deleting = RwSignal::new(None::<String>);
    let navigate = use_navigate();
    let summary = move || {
        let of = |number: usize, noun: &str| if number == 0 { format!("no {noun}s") } else { count(number, noun) };
        let acls = acls.with(|rows| rows.iter().filter(|row| row.standing == Standing::Stored).count());
        let members = members.with(|rows| rows.iter().filter(|row| row.standing == Standing::Stored).count());
        let text = format!("{} and {}.", of(acls, "ACL"), of(members, "principal"));
        sentence(&text)
    };
    let crumb = name.clone();
    view! {
        <nav aria-label="Breadcrumb">
            <ol class="crumbs">
                <li>"Security"</li>
                <li><a href=address::ROLES>"Roles"</a></li>
                <li aria-current="page"><ResourceName name=crumb /></li>
            </ol>
        </nav>
        <div class="head">
            <div>
                <h1 class="mono"><ResourceName name=name /></h1>
                {move || (exists.get() == Some(true)).then(|| view! { <p>{summary}</p> })}
            </div>
            {move || (exists.get() == Some(true)).then(|| view! {
                <div class="row">
                    <Button kind=ButtonKind::Danger glyph=Glyph::Bin on_press=move |()| deleting.set(Some(stored.get_value()))>"Delete role"</Button>
                </div>
            })}
        </div>
        {move || match exists.get() {
            Some(true) => view! { <Parts /> }.into_any(),
            Some(false) => view! { <NoRole /> }.into_any(),
            None => view! { <NothingRead /> }.into_any(),
        }}
        <RemoveDialog />
        <DeleteRole
            deletion=Deletion { name: deleting, focus_after: "roles-search".into() }
            on_deleted=move |_| navigate(address::ROLES, NavigateOptions::default())
        />
    }
}

#[component]
fn Parts() -> impl IntoView {
    let adding = RwSignal::new(true);
    view! {
        <div class=move || if adding.get() { "with-aside" } else { "stack wide-gap" }>
            <Acls adding=adding />
            {move || adding.get().then(|| view! { <AddAcl adding=adding /> })}
            <Members />
        </div>
    }
}

#[component]
fn NoRole() -> impl IntoView {
    view! {
        <div class="panel flat">
            <Empty glyph=Glyph::Role title="There is no role of this name">
                <p>"It may have been deleted or renamed. Names are compared letter by letter."</p>
                <div class="row"><a class="btn" href=address::ROLES>"All roles"</a></div>
            </Empty>
        </div>
    }
}

/// Before the first read, and when it did not succeed.
#[component]
fn NothingRead() -> impl IntoView {
    let service = expect_context::<Service>();
    move || match service.status.get() {
        ServiceStatus::Loading | ServiceStatus::Connected { .. } => {
            view! { <SkeletonRows what="Reading the role" /> }.into_any()
        }
        ServiceStatus::Away { sign_in: true, .. } => ().into_any(),
        ServiceStatus::Away { .. } => view! {
            <div class="panel flat">
                <Empty glyph=Glyph::Off title="The role could not be read">
                    <p>"It is shown as soon as the service answers."</p>
                </Empty>
            </div>
        }
        .into_any(),
    }
}

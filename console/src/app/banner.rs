//! Banners above every page: other cluster, service unreachable, sign-in, parts that could not be
//! read, other tabs.

use gbac_console_model::address;
use gbac_console_model::connection::Connection;
use gbac_console_model::connection::form::TargetKind;
use gbac_console_model::roles::is_new;
use gbac_console_model::tabs::TabNotice;
use gbac_words::pages::app as words;
use gbac_words::pages::roles::{IMPORT_FIRST, NOTHING_YET, START_WITH_IMPORT};
use gbac_words::phrases::capitalized;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::RETRY_EVERY_S;
use super::sign_in::SignedOut;
use crate::dom;
use crate::store::draft::Draft;
use crate::store::search::SearchSession;
use crate::store::service::{Service, ServiceStatus};
use crate::store::tabs::Tabs;
use crate::ui::{Button, ButtonKind, Mono, Note, NoteKind, Words};

/// The most names of unreadable roles that are shown.
const NAMED: usize = 5;

#[component]
pub(super) fn Banners() -> impl IntoView {
    view! {
        <Elsewhere />
        <Trouble />
        <FirstVisit />
        <Partial />
        <OtherTabs />
    }
}

/// That the pages are not about the service that serves them.
#[component]
fn Elsewhere() -> impl IntoView {
    let service = expect_context::<Service>();
    move || {
        let connection = service.connection.get();
        (connection != Connection::Service).then(|| {
            let id = match &connection {
                Connection::Cloud { cluster } => Some(cluster.as_str()),
                Connection::Service | Connection::SelfManaged => None,
            };
            let shown = words::shown_cluster(connection.label(), id);
            view! {
                <p class="demo">
                    <span class="tag">"Other cluster"</span>
                    " " <Words text=shown /> " "
                    <a href=address::CONNECTION>"Change connection"</a>
                </p>
            }
        })
    }
}

/// Why nothing new is shown.
#[derive(Debug, Clone, PartialEq)]
enum Why {
    Away { reason: String, since: f64 },
    SignIn,
    Refused,
    Forbidden { reason: String },
}

#[component]
fn Trouble() -> impl IntoView {
    let service = expect_context::<Service>();
    let location = use_location();
    // Only what the banner is about, so that a repeated failure does not draw it anew.
    let trouble = Memo::new(move |_| {
        let here = location.pathname.with(|path| path == address::CONNECTION);
        let own = service
            .connection
            .with(|connection| *connection == Connection::Service);
        match service.status.get() {
            // The page about the connection asks for credentials itself.
            ServiceStatus::Away { sign_in: true, .. } => match (here, own) {
                (true, _) => None,
                (false, true) => Some(Why::SignIn),
                (false, false)
                    if service
                        .sign_in_first(service.connection.with(TargetKind::from_connection))
                        .is_some() =>
                {
                    Some(Why::SignIn)
                }
                (false, false) => Some(Why::Refused),
            },
            ServiceStatus::Away {
                forbidden: true,
                reason,
                ..
            } => Some(Why::Forbidden { reason }),
            ServiceStatus::Away { reason, since, .. } => Some(Why::Away { reason, since }),
            ServiceStatus::Loading | ServiceStatus::Connected { .. } => None,
        }
    });
    move || {
        trouble.get().map(|why| match why {
            Why::SignIn => view! { <SignedOut /> }.into_any(),
            Why::Refused => view! { <Refused /> }.into_any(),
            Why::Forbidden { reason } => view! { <Forbidden reason=reason /> }.into_any(),
            Why::Away { reason, since } => view! { <Away reason=reason since=since /> }.into_any(),
        })
    }
}

#[component]
fn Away(reason: String, since: f64) -> impl IntoView {
    let service = expect_context::<Service>();
    let title = if service.connection.get_untracked() == Connection::Service {
        "Can't reach the service"
    } else {
        "Can't reach the cluster"
    };
    view! {
        <div class="banner" role="status">
            <Note kind=NoteKind::Warn title=title level=2>
                <p>{move || {
                    let is_read = service.policy.with(Option::is_some);
                    words::data_without_service(is_read.then(|| service.now.get() - since))
                }}</p>
                <p class="brk">{capitalized(&reason)} "."</p>
                <div class="row">
                    <Button small=true on_press=move |()| service.reload()>"Retry now"</Button>
                    <span class="quiet">{format!("retrying every {RETRY_EVERY_S} s")}</span>
                    {move || (service.opened.read().is_some() && service.policy.read().is_none()).then(|| view! {
                        <a href="/" rel="external" data-cluster="">"Open the first cluster"</a>
                    })}
                </div>
            </Note>
        </div>
    }
}

/// The cluster rejected the credentials, or the service those for the relay.
#[component]
fn Refused() -> impl IntoView {
    let service = expect_context::<Service>();
    let relay_requires_sign_in = matches!(
        service.info.get_untracked(),
        Some(info) if info.upstream.requires_sign_in
    );
    view! {
        <div class="banner" role="status">
            <Note kind=NoteKind::Warn title="Credentials rejected" level=2>
                <p>{words::credentials_rejected(relay_requires_sign_in)}</p>
                <div class="row"><a class="btn btn-sm" href=address::CONNECTION>"Change connection"</a></div>
            </Note>
        </div>
    }
}

#[component]
fn Forbidden(reason: String) -> impl IntoView {
    let service = expect_context::<Service>();
    view! {
        <div class="banner" role="status">
            <Note kind=NoteKind::Warn title="Permission required" level=2>
                <p>{move || view! { <Words text=words::superuser_required(service.user.get().as_deref()) /> }}</p>
                <p class="brk">{capitalized(&reason)} "."</p>
                <div class="row"><a class="btn btn-sm" href=address::CONNECTION>"Change connection"</a></div>
            </Note>
        </div>
    }
}

/// Where to begin, on the page that a visit begins with, while the service has no ACL and no role.
#[component]
fn FirstVisit() -> impl IntoView {
    let (service, draft) = (expect_context::<Service>(), expect_context::<Draft>());
    let search = expect_context::<SearchSession>();
    let path = use_location().pathname;
    let is_shown = Memo::new(move |_| {
        let is_new = service
            .policy
            .with(|policy| policy.as_ref().is_some_and(|policy| is_new(policy)));
        is_new && draft.count() == 0 && path.with(|path| path == address::SIMULATOR)
    });
    move || {
        is_shown.get().then(|| view! {
            <div class="banner">
                <Note kind=NoteKind::Info title=NOTHING_YET level=2>
                    <p>{START_WITH_IMPORT}</p>
                    <div class="row">
                        <a class="btn btn-sm" href=address::EXCHANGE>{IMPORT_FIRST}</a>
                        <a class="btn btn-sm" href=address::ROLES on:click=move |_| search.new_role.set(Some(String::new()))>"Create role"</a>
                    </div>
                </Note>
            </div>
        })
    }
}

/// What of the policy is missing, so that no page is taken for the whole.
#[component]
fn Partial() -> impl IntoView {
    let service = expect_context::<Service>();
    move || {
        let unread = service.unread.get();
        (!unread.is_nothing()).then(|| {
            let named: Vec<_> = unread
                .roles
                .iter()
                .take(NAMED)
                .map(|role| {
                    view! { <li class="brk"><Mono text=role.name.clone() /> ": " {role.reason.clone()}</li> }
                })
                .collect();
            let more = unread.roles.len().saturating_sub(NAMED);
            let more = (more > 0).then(|| view! { <li>{format!("and {more} more")}</li> });
            view! {
                <div class="banner" role="status">
                    <Note kind=NoteKind::Warn title=unread.title() level=2>
                        {(!named.is_empty()).then(|| view! { <ul>{named} {more}</ul> })}
                        <p>{words::MISSING_IN_POLICY}</p>
                        <div class="row">
                            <Button small=true on_press=move |()| service.reload()>"Refresh"</Button>
                        </div>
                    </Note>
                </div>
            }
        })
    }
}

/// What other tabs of this browser did, or have in their drafts.
#[component]
fn OtherTabs() -> impl IntoView {
    let (tabs, service) = (expect_context::<Tabs>(), expect_context::<Service>());
    move || {
        tabs.notice.get().map(
            |TabNotice {
                 title,
                 text,
                 is_applied,
             }| {
                view! {
                    <div class="banner" role="status">
                        <Note kind=NoteKind::Info title=title level=2>
                            <p>{text}</p>
                            <div class="row">
                                {is_applied.then(|| view! {
                                    <Button small=true on_press=move |()| {
                                        tabs.dismiss();
                                        service.reload();
                                        dom::announce("Refreshed");
                                        dom::focus_heading();
                                    }>"Refresh"</Button>
                                })}
                                <Button small=true kind=ButtonKind::Quiet on_press=move |()| {
                                    tabs.dismiss();
                                    dom::focus_heading();
                                }>"Dismiss"</Button>
                            </div>
                        </Note>
                    </div>
                }
            },
        )
    }
}

//! The frame of the pages: routes, refreshing, focus, the bar and the banners.

mod banner;
mod bar;
mod clusters;
mod leave;
mod search;
mod sign_in;

use std::time::Duration;

use gbac_console_model::address;
use gbac_console_model::connection::Connection;
use gbac_words::escape::plain;
use gbac_words::pages::app as words;
use gbac_words::pages::cluster::opened;
use leptos::ev;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::components::{FlatRoutes, Route, Router};
use leptos_router::hooks::use_location;
use leptos_router::path;

use crate::dom;
use crate::pages::chunk::{Chunk, Lazy, fetch_ahead};
use crate::pages::draft::DraftBar;
use crate::pages::files;
use crate::pages::not_found::NotFound;
use crate::store::draft::Draft;
use crate::store::draft_storage;
use crate::store::findings::Findings;
use crate::store::search::SearchSession;
use crate::store::seen_groups::SeenGroups;
use crate::store::service::{Service, ServiceStatus};
use crate::store::simulator::SimulatorSession;
use crate::store::tabs::Tabs;
use crate::store::unanswered;
use crate::store::unsaved::Unsaved;
use crate::store::visited::Visited;
use sign_in::SignInState;

/// The seconds between two checks for a changed policy; fewer while the service is away.
const READ_EVERY_S: u32 = 20;
/// How often a cluster behind the service is read, in seconds: it has no cheap way to say that
/// nothing is new.
const CLUSTER_EVERY_S: u32 = 120;
/// How often it is tried while it is away, in seconds.
const RETRY_EVERY_S: u32 = 5;

/// Puts the console in the place of the static page. Called once.
pub fn mount() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        // The text of a panic may hold what was pasted, so the page shows only where it happened.
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        dom::show_failure(&words::console_failed(&place));
    }));
    if let Some(root) = dom::take_root() {
        leptos::mount::mount_to(root, App).forget();
    }
}

/// The console.
#[component]
pub fn App() -> impl IntoView {
    let service = Service::new(dom::opened_cluster());
    provide_context(service);
    let draft = Draft::new(service.policy);
    provide_context(draft);
    provide_context(Findings::new());
    provide_context(SeenGroups::new());
    let is_draft_lost = draft_storage::keep(service, draft);
    provide_context(Tabs::listen(draft));
    unanswered::look(service, draft);
    let unsaved = Unsaved::watch((*draft.owner).into(), service);
    provide_context(unsaved);
    dom::ask_before_leaving(move || unsaved.is_there() || is_draft_lost());
    provide_context(SimulatorSession::new(service));
    provide_context(Visited::new());
    let search = SearchSession::new();
    provide_context(search);
    search::listen(search);
    keep_reading(service);
    dom::keep_cluster_in_links();
    fetch_ahead(files::ALL);
    view! {
        <Router>
            <Frame />
        </Router>
    }
}

/// The pages with the bar and the banners, or the sign-in page in their place. They stay as they
/// are behind it.
#[component]
fn Frame() -> impl IntoView {
    let sign_in = SignInState::new();
    provide_context(sign_in);
    let is_hidden = sign_in.is_shown;
    view! {
        <a class="skip" href=move || if is_hidden.get() { "#sign-in" } else { "#main" } rel="external">"Skip to content"</a>
        <bar::Bar is_hidden=is_hidden />
        <main class="page" id="main" tabindex="-1" hidden=move || is_hidden.get()>
            <banner::Banners />
            <FollowRoute />
            <FollowCluster />
            <FlatRoutes fallback=NotFound>
                <Route path=path!("/") view=|| view! { <Moved to=address::SIMULATOR /> } />
                <Route path=path!("/security") view=|| view! { <Moved to=address::ROLES /> } />
                <Route path=path!("/security/roles") view=|| view! { <Page chunk=files::ROLES /> } />
                <Route path=path!("/security/roles/:name/details") view=|| view! { <Page chunk=files::ROLE /> } />
                <Route path=path!("/security/review") view=|| view! { <Page chunk=files::REVIEW /> } />
                <Route path=path!("/security/permissions") view=|| view! { <Page chunk=files::PERMISSIONS /> } />
                <Route path=path!("/security/permissions/matrix") view=|| view! { <Page chunk=files::MATRIX /> } />
                <Route path=path!("/security/permissions/who-can") view=|| view! { <Page chunk=files::WHO_CAN /> } />
                <Route path=path!("/security/permissions/findings") view=|| view! { <Page chunk=files::FINDINGS /> } />
                <Route path=path!("/security/exchange") view=|| view! { <Page chunk=files::EXCHANGE /> } />
                <Route path=path!("/security/compare") view=|| view! { <Page chunk=files::COMPARE /> } />
                <Route path=path!("/security/simulator") view=|| view! { <Page chunk=files::SIMULATOR /> } />
                <Route path=path!("/security/settings") view=|| view! { <Page chunk=files::SETTINGS /> } />
                <Route path=path!("/security/audit") view=|| view! { <Page chunk=files::AUDIT /> } />
                <Route path=path!("/sign-in") view=sign_in::SignInRoute />
                <Route path=path!("/connection") view=|| view! { <Page chunk=files::CONNECTION /> } />
            </FlatRoutes>
        </main>
        {move || (!is_hidden.get()).then(|| view! { <DraftBar /> })}
        <leave::LeaveDialog />
        {move || (!is_hidden.get()).then(|| view! { <search::Dialogs /> })}
        <sign_in::SignInPage />
        <p class="sr" id="said" role="status"></p>
        <p class="sr" id="said-error" role="alert"></p>
    }
}

/// Reads at the start, keeps the clock going, and reads again now and then while the tab is in
/// front.
fn keep_reading(service: Service) {
    service.tick(dom::now_ms());
    service.reload();
    let seconds = StoredValue::new(0_u32);
    if let Ok(timer) =
        set_interval_with_handle(move || tick(service, seconds), Duration::from_secs(1))
    {
        on_cleanup(move || timer.clear());
    }
    let back = window_event_listener(ev::focus, move |_| {
        if service
            .connection
            .with_untracked(|connection| *connection == Connection::Service)
        {
            seconds.set_value(READ_EVERY_S);
        }
    });
    on_cleanup(move || back.remove());
}

/// Keeps the clock going, and reads again once it is time.
fn tick(service: Service, seconds: StoredValue<u32>) {
    if !dom::is_visible() {
        return;
    }
    service.tick(dom::now_ms());
    seconds.update_value(|seconds| *seconds += 1);
    // Credentials that were refused are not tried again by themselves.
    let (every, is_waiting) = match service.status.get_untracked() {
        ServiceStatus::Away {
            sign_in, forbidden, ..
        } => (RETRY_EVERY_S, sign_in || forbidden),
        ServiceStatus::Loading | ServiceStatus::Connected { .. } => (read_every(service), false),
    };
    if seconds.get_value() >= every && !is_waiting {
        seconds.set_value(0);
        service.reload();
    }
}

fn read_every(service: Service) -> u32 {
    service
        .connection
        .with_untracked(|connection| match connection {
            Connection::Service => READ_EVERY_S,
            Connection::SelfManaged | Connection::Cloud { .. } => CLUSTER_EVERY_S,
        })
}

/// A page, drawn anew for another cluster.
#[component]
fn Page(chunk: Chunk) -> impl IntoView {
    let opened = expect_context::<Service>().opened;
    move || {
        opened.track();
        view! { <Lazy chunk=chunk /> }
    }
}

/// An address that leads to a page.
#[component]
fn Moved(to: &'static str) -> impl IntoView {
    dom::use_navigate()(to, NavigateOptions::default());
}

/// The cluster that is open is that of the address; the address of the first one gets its name
/// where there are others.
#[component]
fn FollowCluster() -> impl IntoView {
    let location = use_location();
    let service = expect_context::<Service>();
    Effect::new(move |_| {
        if let Some(named) = location.search.with(|query| address::cluster_at(query))
            && service.open_cluster(&named)
        {
            dom::announce(&opened(&plain(&named)));
        }
    });
    Effect::new(move |_| {
        location.pathname.track();
        if let Some(cluster) = service.named_cluster() {
            dom::name_cluster(&cluster);
        }
    });
}

/// After a change of route focus goes to the page's heading; a changed search is no change of
/// route.
#[component]
fn FollowRoute() -> impl IntoView {
    let location = use_location();
    let visited = expect_context::<Visited>();
    Effect::new(move |_| {
        location
            .pathname
            .with(|path| location.search.with(|query| visited.note(path, query)));
    });
    Effect::new(move |before: Option<String>| {
        let now = location.pathname.get();
        let is_redirect = before
            .as_deref()
            .is_some_and(|before| matches!(before, "/" | "/security"));
        if before.is_some_and(|before| before != now) && !is_redirect {
            dom::focus_heading();
        }
        request_animation_frame(|| dom::reveal_current("nav"));
        now
    });
}

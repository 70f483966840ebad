//! The shell around the pages: bar, navigation, connection, theme, routes.

use std::time::Duration;

use leptos::ev;
use leptos::prelude::*;
use leptos_router::components::{Redirect, Route, Router, Routes};
use leptos_router::hooks::use_location;
use leptos_router::path;

use crate::dom;
use crate::pages::not_found::NotFound;
use crate::pages::role::RolePage;
use crate::pages::roles::RolesPage;
use crate::pages::simulator::{Kept, Simulator};
use crate::state::address;
use crate::state::attempts::Attempts;
use crate::state::near;
use crate::state::service::{Service, ServiceStatus};
use crate::state::words;
use crate::ui::{Button, Field, Glyph, Icon, IconButton, Note, NoteKind};

/// How often the service is asked whether the policy changed, in seconds; more often while it is away.
const READ_EVERY_S: u32 = 20;
/// How often it is tried while it is away, in seconds.
const RETRY_EVERY_S: u32 = 5;

/// Puts the console in the place of the static page. Called once.
pub fn mount() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        // The text of a panic may hold what was pasted, so the page shows only where it happened.
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        dom::show_failure(&format!("It stopped at {place}. Nothing was sent; load the page again."));
    }));
    if let Some(root) = dom::take_root() {
        leptos::mount::mount_to(root, App).forget();
    }
}

/// The console.
#[component]
pub fn App() -> impl IntoView {
    let service = Service::new();
    provide_context(service);
    provide_context(Attempts::new());
    provide_context(Kept::new());
    keep_reading(service);
    view! {
        <Router>
            <a class="skip" href="#main" rel="external">"Skip to content"</a>
            <Bar />
            <main class="page" id="main" tabindex="-1">
                <Connection />
                <FollowRoute />
                <Routes fallback=NotFound>
                    <Route path=path!("/") view=|| view! { <Redirect path=address::SIMULATOR /> } />
                    <Route path=path!("/security") view=|| view! { <Redirect path=address::ROLES /> } />
                    <Route path=path!("/security/roles") view=RolesPage />
                    <Route path=path!("/security/roles/:name/details") view=RolePage />
                    <Route path=path!("/security/simulator") view=Simulator />
                </Routes>
            </main>
            <p class="sr" id="said" role="status"></p>
            <p class="sr" id="said-error" role="alert"></p>
        </Router>
    }
}

/// Reads at the start, keeps the clock going, and reads again now and then while the tab is in front.
fn keep_reading(service: Service) {
    service.tick(dom::now_ms());
    service.reload();
    let seconds = StoredValue::new(0_u32);
    let tick = move || {
        if !dom::is_visible() {
            return;
        }
        service.tick(dom::now_ms());
        seconds.update_value(|seconds| *seconds += 1);
        let every = service.status.with_untracked(|status| match status {
            ServiceStatus::Away { sign_in: false, .. } => RETRY_EVERY_S,
            _ => READ_EVERY_S,
        });
        let is_waiting =
            service.status.with_untracked(|status| matches!(status, ServiceStatus::Away { sign_in: true, .. }));
        if seconds.get_value() >= every && !is_waiting {
            seconds.set_value(0);
            service.reload();
        }
    };
    if let Ok(timer) = set_interval_with_handle(tick, Duration::from_secs(1)) {
        on_cleanup(move || timer.clear());
    }
    let back = window_event_listener(ev::focus, move |_| seconds.set_value(READ_EVERY_S));
    on_cleanup(move || back.remove());
}

/// After a change of route focus goes to the page's heading; a changed search is no change of route.
#[component]
fn FollowRoute() -> impl IntoView {
    let location = use_location();
    Effect::new(move |before: Option<String>| {
        let now = location.pathname.get();
        let is_redirect = before.as_deref().is_some_and(|before| matches!(before, "/" | "/security"));
        if before.is_some_and(|before| before != now) && !is_redirect {
            dom::focus_heading();
        }
        request_animation_frame(|| dom::reveal_current("nav"));
        now
    });
}

#[component]
fn Bar() -> impl IntoView {
    let location = use_location();
    // `page` for the page itself, `true` for one below it, as on a role's page.
    let current = move |target: &'static str| {
        let here = location.pathname.get();
        if here == target {
            Some("page")
        } else {
            here.strip_prefix(target).is_some_and(|rest| rest.starts_with('/')).then_some("true")
        }
    };
    view! {
        <header class="bar">
            <a class="brand" href="/"><Icon glyph=Glyph::Product />"GBAC"</a>
            <nav class="nav" id="nav" aria-label="Security">
                <a href=address::ROLES aria-current=move || current(address::ROLES)>"Roles"</a>
                <a href=address::SIMULATOR aria-current=move || current(address::SIMULATOR)>"Simulator"</a>
            </nav>
            <div class="bar-end"><Chip /><ThemeSwitch /></div>
        </header>
    }
}

/// The connection in one line: its name, and how old what is shown is. A press reads again.
#[component]
fn Chip() -> impl IntoView {
    let service = expect_context::<Service>();
    let now = service.now;
    view! {
        <button class="conn" type="button" title="Read the service again" on:click=move |_| service.reload()>
            {move || match service.status.get() {
                ServiceStatus::Loading => view! { <span class="dot off"></span><span class="quiet">"Reading"</span> }.into_any(),
                ServiceStatus::Connected { name, read_at_ms, .. } => {
                    let age = move || format!("read {}", words::age(now.get() - read_at_ms));
                    view! {
                        <span class="dot"></span>
                        <span class="sr">"Connected to "</span>
                        <span class="mono">{name}</span>
                        <span class="quiet opt">{age}</span>
                    }
                    .into_any()
                }
                ServiceStatus::Away { sign_in: true, .. } => {
                    view! { <span class="dot off"></span><span class="quiet">"Signed out"</span> }.into_any()
                }
                ServiceStatus::Away { since, .. } => {
                    let age = move || format!("read {}", words::age(now.get() - since));
                    view! { <span class="dot off"></span><span>"Away"</span><span class="quiet opt">{age}</span> }.into_any()
                }
            }}
            <span class="sr">". Read again"</span>
        </button>
    }
}

#[component]
fn ThemeSwitch() -> impl IntoView {
    let dark = RwSignal::new(dom::is_dark());
    let label = Signal::derive(move || if dark.get() { "Switch to light" } else { "Switch to dark" }.to_owned());
    let switch = move |()| {
        let now = !dark.get_untracked();
        dom::set_theme(if now { dom::Theme::Dark } else { dom::Theme::Light });
        dark.set(now);
    };
    view! { <IconButton glyph=Glyph::Theme label=label on_press=switch /> }
}

/// What is to be known about the connection before reading the page: a demo, an absence, a missing sign-in.
#[component]
fn Connection() -> impl IntoView {
    let service = expect_context::<Service>();
    let demo = move || {
        let info = service.info.get().filter(|info| info.demo)?;
        let who = match info.sign_in {
            Some(given) => format!("This page signed in by itself as {}.", given.user),
            None => "Reading needs no credentials.".to_owned(),
        };
        Some(
            view! { <p class="demo"><span class="tag">"Demo"</span>" Held in memory, gone when the service stops. " {who}</p> },
        )
    };
    // Only what the banner is about, so that a repeated failure does not draw it anew.
    let trouble = Memo::new(move |_| match service.status.get() {
        ServiceStatus::Away { reason, since, sign_in } => Some((reason, since, sign_in)),
        ServiceStatus::Loading | ServiceStatus::Connected { .. } => None,
    });
    let away = move || {
        trouble.get().map(|(reason, since, sign_in)| {
            if sign_in {
                view! { <SignInForm /> }.into_any()
            } else {
                let seen = move || {
                    if service.policy.with(Option::is_some) {
                        format!(
                            "You see what was read {}. Nothing can be changed until it answers.",
                            words::age(service.now.get() - since)
                        )
                    } else {
                        "Nothing was read yet. The simulator works without it, on what you paste.".to_owned()
                    }
                };
                view! {
                    <div class="banner" role="status">
                        <Note kind=NoteKind::Warn title="The service is away" level=2>
                            <p>{seen}</p>
                            <p class="brk">{near::sentence(&reason)} "."</p>
                            <div class="row">
                                <Button small=true on_press=move |()| service.reload()>"Try now"</Button>
                                <span class="quiet">{format!("tried every {RETRY_EVERY_S} s")}</span>
                            </div>
                        </Note>
                    </div>
                }
                .into_any()
            }
        })
    };
    view! { {demo} {away} }
}

/// Asks for a superuser; the password stays in this tab's memory.
#[component]
fn SignInForm() -> impl IntoView {
    let service = expect_context::<Service>();
    let (user, password) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let refused = service.user.get_untracked().map(|user| format!("The service refused `{user}` or the password."));
    user.set(service.user.get_untracked().unwrap_or_default());
    view! {
        <section class="panel banner sign-in" aria-labelledby="sign-in-title">
            <h2 id="sign-in-title">"Sign in"</h2>
            <p class="quiet">"Roles and ACLs are read and changed by a superuser. The password stays in this tab."</p>
            <form on:submit=move |event| {
                event.prevent_default();
                service.sign_in(user.get_untracked(), password.get_untracked());
            }>
                <Field id="sign-in-user" label="User" value=user on_input=move |text| user.set(text) mono=true autocomplete="username" />
                <Field id="sign-in-password" label="Password" kind="password" value=password
                    on_input=move |text| password.set(text) autocomplete="current-password" error=refused />
                <Button submit=true>"Sign in"</Button>
            </form>
        </section>
    }
}

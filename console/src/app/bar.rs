//! The bar: navigation, connection, theme.

use gbac_console_model::address;
use gbac_words::escape::plain;
use gbac_words::pages::app as words;
use gbac_words::pages::cluster::kind_label;
use gbac_words::phrases;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::clusters::{self, ClusterButton, ClusterList, ClusterMenu};
use super::search::Find;
use crate::dom;
use crate::store::draft::Draft;
use crate::store::search::SearchSession;
use crate::store::service::{Service, ServiceStatus};
use crate::ui::{Glyph, Icon, IconButton, Mono};

/// The pages in the order of the bar: first those about permissions, then those about the service.
const PAGES: [(&str, &str); 3] = [
    (address::ROLES, "Roles"),
    (address::PERMISSIONS, "Permissions"),
    (address::SIMULATOR, "Simulator"),
];
const SERVICE_PAGES: [(&str, &str); 3] = [
    (address::SETTINGS, "Settings"),
    (address::AUDIT, "Audit"),
    (address::EXCHANGE, "Import and export"),
];

#[component]
pub(super) fn Bar(is_hidden: Signal<bool>) -> impl IntoView {
    view! {
        <header class="bar" hidden=move || is_hidden.get()>
            <a class="brand" href="/"><Icon glyph=Glyph::Product />"GBAC"</a>
            <nav class="nav" id="nav" aria-label="Security">
                {PAGES.map(|(href, words)| view! { <NavLink href=href>{words}</NavLink> }).collect_view()}
                <span class="gap" aria-hidden="true"></span>
                {SERVICE_PAGES.map(|(href, words)| view! { <NavLink href=href>{words}</NavLink> }).collect_view()}
                <ReviewLink />
            </nav>
            <div class="bar-end"><Find /><Chip /><Account /><ReadAgain /><ThemeSwitch /></div>
        </header>
    }
}

#[component]
fn NavLink(href: &'static str, children: Children) -> impl IntoView {
    let location = use_location();
    view! {
        <a href=href aria-current=move || location.pathname.with(|here| current(here, href))>{children()}</a>
    }
}

/// `page` for the page itself, `true` for one below it, as on a role's page.
fn current(here: &str, href: &str) -> Option<&'static str> {
    match here.strip_prefix(href)? {
        "" => Some("page"),
        below if below.starts_with('/') => Some("true"),
        _ => None,
    }
}

/// Leads to the draft, while there is one.
#[component]
fn ReviewLink() -> impl IntoView {
    let draft = expect_context::<Draft>();
    let is_there = Memo::new(move |_| draft.count() > 0);
    move || {
        is_there.get().then(|| {
            view! {
                <NavLink href=address::REVIEW>
                    "Review " <span class="tag tag-draft nav-count">{move || draft.count()}</span>
                </NavLink>
            }
        })
    }
}

/// The connection in one line: its name, and how old what is shown is. Leads to the page about it,
/// or to the other clusters where there are several.
#[component]
fn Chip() -> impl IntoView {
    provide_context(ClusterMenu::new());
    let service = expect_context::<Service>();
    let location = use_location();
    let choices = clusters::choices(service);
    let has_choice = Memo::new(move |_| !choices.read().is_empty());
    let demo = Memo::new(move |_| {
        // A cluster behind a demo is none.
        let info = service.info.get()?;
        if !info.demo || !service.is_own() {
            return None;
        }
        let user = info.sign_in.map(|given| given.user);
        Some(words::demo_notice(user.as_deref()))
    });
    move || {
        match has_choice.get() {
        true => view! {
            <ClusterButton><ChipWords has_choice=true /></ClusterButton>
            <ClusterList choices=choices />
        }
        .into_any(),
        false => view! {
            <a
                class="conn" href=address::CONNECTION
                aria-current=move || (location.pathname.get() == address::CONNECTION).then_some("page")
                title=move || demo.get().unwrap_or_else(|| "Connection".to_owned())
            >
                <span class="sr">"Connection: "</span>
                <ChipWords has_choice=false />
                {move || demo.with(Option::is_some).then(|| view! { <span class="tag">"Demo"</span> })}
            </a>
        }
        .into_any(),
    }
    }
}

/// What the chip says of the connection.
#[component]
fn ChipWords(has_choice: bool) -> impl IntoView {
    let service = expect_context::<Service>();
    let now = service.now;
    // Drawn anew only when something else than the time is different.
    let seen = Memo::new(move |_| match service.status.get() {
        ServiceStatus::Loading => Seen::Reading,
        ServiceStatus::Connected { name, .. } => Seen::Connected(name),
        ServiceStatus::Away { sign_in: true, .. } => Seen::Other("Signed out", false),
        ServiceStatus::Away {
            forbidden: true, ..
        } => Seen::Other("Forbidden", false),
        ServiceStatus::Away { .. } => Seen::Other("Unreachable", true),
    });
    let age = Signal::derive(move || {
        let at = match &*service.status.read() {
            ServiceStatus::Connected { read_at_ms: at, .. }
            | ServiceStatus::Away { since: at, .. } => *at,
            ServiceStatus::Loading => return None,
        };
        Some(format!("read {}", phrases::ago(now.get() - at)))
    });
    let kind = Memo::new(move |_| {
        let info = service.info.get().filter(|_| service.is_own())?;
        kind_label(info.cluster?.kind)
    });
    // Where there are several clusters, it is their name that tells them apart.
    let cluster = move || {
        let name = service.cluster().filter(|_| has_choice)?;
        Some(view! { <span class="mono conn-name">{plain(&name)}</span> })
    };
    view! {
        {move || match seen.get() {
            Seen::Reading => view! { <span class="dot off"></span>{cluster}<span class="quiet">"Reading"</span> }.into_any(),
            Seen::Connected(name) => {
                let own = (!has_choice).then(|| view! { <span class="mono conn-name">{name}</span> });
                view! { <span class="dot"></span>{own}{cluster}<span class="quiet opt">{move || age.get()}</span> }.into_any()
            }
            Seen::Other(words, aged) => {
                let age = aged.then_some(move || age.get());
                view! { <span class="dot off"></span>{cluster}<span>{words}</span><span class="quiet opt">{age}</span> }.into_any()
            }
        }}
        {move || kind.get().map(|kind| view! { <span class="tag">{kind}</span> })}
    }
}

/// Who is signed in. Leads to the page with the sign-out.
#[component]
fn Account() -> impl IntoView {
    let user = expect_context::<Service>().user;
    move || {
        user.get().map(|user| {
            let label = format!("Signed in as {}", plain(&user));
            view! {
                <a class="me" href=address::CONNECTION aria-label=label>
                    <Icon glyph=Glyph::User />
                    <span class="opt"><Mono text=user /></span>
                </a>
            }
        })
    }
}

/// What the chip shows.
#[derive(Debug, Clone, PartialEq)]
enum Seen {
    Reading,
    Connected(String),
    /// Anything else, and whether its age matters.
    Other(&'static str, bool),
}

#[component]
fn ReadAgain() -> impl IntoView {
    let service = expect_context::<Service>();
    view! { <IconButton glyph=Glyph::Again label="Refresh" on_press=move |()| service.reload() /> }
}

#[component]
pub(super) fn ThemeSwitch() -> impl IntoView {
    let dark = RwSignal::new(dom::is_dark());
    let label = Signal::derive(move || {
        if dark.get() {
            "Switch to light"
        } else {
            "Switch to dark"
        }
        .to_owned()
    });
    let search = expect_context::<SearchSession>();
    Effect::new(move |_| {
        search.themes.track();
        dark.set(dom::is_dark());
    });
    view! {
        <IconButton glyph=Glyph::Theme label=label on_press=move |()| {
            let now = !dark.get_untracked();
            dom::set_theme(if now { dom::Theme::Dark } else { dom::Theme::Light });
            dark.set(now);
        } />
    }
}

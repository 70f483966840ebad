//! The sign-in page: it takes the place of every other page while the service requires a sign-in.

use gbac_api::service::SignIn;
use gbac_console_model::address;
use gbac_console_model::connection::form::TargetKind;
use gbac_console_model::connection::{Connection, Credentials};
use gbac_console_model::sign_in::{SignInTarget, provider};
use gbac_engine::token::normalize_pasted;
use gbac_words::pages::app as words;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_location;

use super::bar::ThemeSwitch;
use crate::chunk::{Chunk, ChunkError, chunk};
use crate::dom;
use crate::pages::chunk::Lazy;
use crate::pages::provider_link::{PROVIDER_LINK, ProviderLink};
use crate::store::draft::Draft;
use crate::store::service::{Service, ServiceStatus};
use crate::ui::{Button, ButtonKind, Disclosure, Field, Glyph, Icon, Note, NoteKind};

/// Whether the sign-in page is shown; a context of the frame.
#[derive(Clone, Copy)]
pub(super) struct SignInState {
    /// Whether it takes the place of the page.
    pub(super) is_shown: Signal<bool>,
    /// Whether the user chose the simulator instead, which works without the service.
    pub(super) is_skipped: RwSignal<bool>,
}

impl SignInState {
    /// The state, which follows the service and the address.
    pub(super) fn new() -> Self {
        let service = expect_context::<Service>();
        let path = use_location().pathname;
        let is_skipped = RwSignal::new(false);
        let is_required = Memo::new(move |before: Option<&bool>| match service.status.get() {
            ServiceStatus::Away { sign_in, .. } => sign_in && is_for_service(service),
            // While the credentials are checked, the form stays.
            ServiceStatus::Loading => before.copied().unwrap_or_default(),
            ServiceStatus::Connected { .. } => false,
        });
        let is_shown = Memo::new(move |_| {
            let here = path.get();
            let is_simulator = is_skipped.get() && here == address::SIMULATOR;
            // The page about the connection asks for credentials itself.
            is_required.get() && here != address::CONNECTION && !is_simulator
        });
        Self {
            is_shown: is_shown.into(),
            is_skipped,
        }
    }
}

/// Whether it is this service that requires the sign-in, and not a cluster behind it.
fn is_for_service(service: Service) -> bool {
    service
        .connection
        .with(|connection| *connection == Connection::Service)
        || service
            .sign_in_first(service.connection.with(TargetKind::from_connection))
            .is_some()
}

/// The address to which a failed sign-in leads. Once somebody is signed in, it leads on.
#[component]
pub(super) fn SignInRoute() -> impl IntoView {
    let service = expect_context::<Service>();
    let (location, navigate) = (use_location(), dom::use_navigate());
    Effect::new(move |_| {
        let is_connected = service
            .status
            .with(|status| matches!(status, ServiceStatus::Connected { .. }));
        if is_connected {
            let target =
                SignInTarget::from_address(address::SIGN_IN, &location.search.get_untracked());
            navigate(
                &target.return_to,
                NavigateOptions {
                    replace: true,
                    ..NavigateOptions::default()
                },
            );
        }
    });
}

/// The page.
#[component]
pub(super) fn SignInPage() -> impl IntoView {
    let state = expect_context::<SignInState>();
    let service = expect_context::<Service>();
    // What is announced and focused once the credentials were checked.
    let submitted = StoredValue::new(false);
    let refused = RwSignal::new(None::<String>);
    provide_context(FormContext { refused, submitted });
    let restore_title = StoredValue::new_local(None);
    Effect::new(move |_| {
        let (is_shown, status) = (state.is_shown.get(), service.status.get());
        if matches!(status, ServiceStatus::Connected { .. }) {
            state.is_skipped.set(false);
        }
        match (
            is_shown,
            restore_title.try_update_value(Option::take).flatten(),
        ) {
            (true, None) => {
                restore_title.set_value(Some(dom::set_title_for_now("Sign in")));
            }
            (false, Some(restore)) => {
                restore();
                if !submitted.get_value() {
                    dom::focus_heading();
                }
            }
            (_, restore) => restore_title.set_value(restore),
        }
        if !submitted.get_value() || status == ServiceStatus::Loading {
            return;
        }
        submitted.set_value(false);
        match status {
            ServiceStatus::Away { sign_in: true, .. } => {
                refused.set(service.rejection());
                dom::announce_error("Credentials rejected");
                dom::focus_later("sign-in-password");
            }
            _ => dom::focus_heading(),
        }
    });
    move || {
        state.is_shown.get().then(|| {
            refused.set(None);
            view! { <Lazy chunk=FORM part=true /> }
        })
    }
}

chunk!(
    FORM,
    "The sign-in page",
    rest,
    fetch_form,
    draw_form,
    view! { <Form /> }.into_any()
);

/// What the form is about.
#[derive(Clone, Copy)]
struct FormContext {
    /// Why the last credentials were rejected.
    refused: RwSignal<Option<String>>,
    /// Whether credentials were sent.
    submitted: StoredValue<bool>,
}

#[component]
fn Form() -> impl IntoView {
    let FormContext { refused, submitted } = expect_context();
    let service = expect_context::<Service>();
    let field = if service.password_user().is_some() {
        "sign-in-password"
    } else {
        "sign-in-user"
    };
    dom::focus_first([PROVIDER_LINK, field].map(str::to_owned).to_vec());
    let location = use_location();
    let target = Signal::derive(move || {
        SignInTarget::from_address(&location.pathname.read(), &location.search.read())
    });
    let provider = Memo::new(move |_| service.info.with(|info| provider(info.as_ref())));
    let first =
        untrack(|| service.sign_in_first(service.connection.with(TargetKind::from_connection)));
    view! {
        <div class="auth">
            <header>
                <span class="brand"><Icon glyph=Glyph::Product />"GBAC"</span>
                <ThemeSwitch />
            </header>
            <main id="sign-in">
                <div class="auth-c">
                    <h1>"Sign in" {move || {
                        let name = service.info.read().as_ref()?.name.clone();
                        Some(view! { " to " <span class="mono">{name}</span> })
                    }}</h1>
                    {first.map(|reason| view! { <p class="quiet">{reason}</p> })}
                    <Notice target=target />
                    <div class="panel">
                        <ProviderLink is_main=true />
                        <Local refused=refused on_submit=move |()| submitted.set_value(true) />
                    </div>
                    {move || provider.get().is_some().then(|| view! {
                        <p class="small quiet">{words::LOCAL_ACCOUNT}</p>
                    })}
                    <Simulator />
                </div>
            </main>
            <footer>
                <span>"Connected to " <span class="mono">{dom::origin()}</span></span>
                <span>{move || Some(format!("Version {}", service.info.read().as_ref()?.version))}</span>
            </footer>
        </div>
    }
}

/// Why the page is shown, if there is more to say than that nobody is signed in.
#[component]
fn Notice(target: Signal<SignInTarget>) -> impl IntoView {
    let service = expect_context::<Service>();
    let draft = expect_context::<Draft>();
    // Those of this visit are rejected under the password.
    let has_expired = service.has_expired();
    let note = Memo::new(move |_| {
        let host = service
            .info
            .with(|info| provider(info.as_ref()))
            .map(|provider| provider.host);
        target.with(|target| target.note(host.as_deref(), has_expired, draft.count()))
    });
    view! {
        <div role="status">
            {move || note.get().map(|note| {
                let kind = if note.is_warning { NoteKind::Warn } else { NoteKind::Info };
                view! { <Note kind=kind title=note.title level=2><p>{note.text}</p></Note> }
            })}
        </div>
    }
}

/// The form for the local account, or an access token. Credentials stay in this tab's memory.
#[component]
fn Local(
    refused: RwSignal<Option<String>>,
    #[prop(into)] on_submit: Callback<()>,
) -> impl IntoView {
    let service = expect_context::<Service>();
    let busy = Signal::derive(move || {
        service
            .status
            .with(|status| *status == ServiceStatus::Loading)
    });
    let user = RwSignal::new(service.password_user().unwrap_or_default());
    let password = RwSignal::new(String::new());
    let (token, by_token) = (RwSignal::new(String::new()), RwSignal::new(false));
    view! {
        <form class="stack" aria-label="Local account" on:submit=move |event| {
            event.prevent_default();
            if busy.get_untracked() {
                return;
            }
            on_submit.run(());
            let pasted = normalize_pasted(&token.get_untracked()).token;
            service.sign_in(if pasted.is_empty() {
                Credentials::Password(SignIn { user: user.get_untracked(), password: password.get_untracked() })
            } else {
                Credentials::Token(pasted)
            });
        }>
            <Field id="sign-in-user" label="User name" value=user on_input=move |text| user.set(text) mono=true autocomplete="username" />
            <Field id="sign-in-password" label="Password" kind="password" value=password error=refused
                on_input=move |text| { password.set(text); refused.set(None); } autocomplete="current-password" />
            <Disclosure id="sign-in-by-token" open=by_token on_toggle=move |open| by_token.set(open) summary=|| "Use an access token">
                <Field id="sign-in-token" label="Access token" kind="password" value=token
                    on_input=move |text| token.set(text) help=words::TOKEN_INSTEAD_OF_PASSWORD />
            </Disclosure>
            <Button kind=ButtonKind::Primary submit=true busy=busy>"Sign in"</Button>
        </form>
    }
}

/// The way to the simulator, which works without the service.
#[component]
fn Simulator() -> impl IntoView {
    let state = expect_context::<SignInState>();
    let navigate = dom::use_navigate();
    view! {
        <div class="row">
            <Button small=true on_press=move |()| {
                state.is_skipped.set(true);
                navigate(address::SIMULATOR, NavigateOptions::default());
            }>{words::SIMULATOR_WITHOUT_SIGN_IN}</Button>
        </div>
    }
}

/// That nobody is signed in, above the simulator.
#[component]
pub(super) fn SignedOut() -> impl IntoView {
    let state = expect_context::<SignInState>();
    view! {
        <div class="banner" role="status">
            <Note kind=NoteKind::Warn title="Not signed in" level=2>
                <p>{words::SIGN_IN_TO_READ_POLICY}</p>
                <div class="row"><Button small=true on_press=move |()| state.is_skipped.set(false)>"Sign in"</Button></div>
            </Note>
        </div>
    }
}

//! The form that tests a connection and switches to it.

use gbac_console_model::connection::form::{ConnectionField as Part, ConnectionForm, TargetKind};
use gbac_console_model::connection::probe::{ProbeStep, advice};
use gbac_console_model::connection::{Connection, Credentials};
use gbac_words::pages::connection as words;
use gbac_words::phrases::{self, count};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::dom;
use crate::pages::provider_link::ProviderLink;
use crate::store::draft::Draft;
use crate::store::service::Service;
use crate::ui::{
    Button, ButtonKind, Field, Glyph, Icon, IconSize, Note, NoteKind, TextArea, Words,
};

/// What a test found, and of which connection.
#[derive(Clone, PartialEq)]
struct Tested {
    connection: Connection,
    steps: Vec<ProbeStep>,
}

/// Makes the pages be about another cluster. A draft was made for the one before, so it goes.
pub(super) fn go(
    service: Service,
    draft: Draft,
    connection: Connection,
    credentials: Option<Credentials>,
) {
    draft.clear();
    service.connect(connection, credentials);
}

#[component]
pub(super) fn Choose() -> impl IntoView {
    let service = expect_context::<Service>();
    let draft = expect_context::<Draft>();
    let form = RwSignal::new(ConnectionForm {
        kind: service
            .connection
            .with_untracked(TargetKind::from_connection),
        user: match service.connection.get_untracked() {
            Connection::Service => service.password_user(),
            Connection::SelfManaged | Connection::Cloud { .. } => service.user.get_untracked(),
        }
        .unwrap_or_default(),
        cluster: service
            .connection
            .with_untracked(|connection| match connection {
                Connection::Cloud { cluster } => cluster.clone(),
                Connection::Service | Connection::SelfManaged => String::new(),
            }),
        ..ConnectionForm::default()
    });
    let kind = Memo::new(move |_| form.with(|form| form.kind));
    let first = Memo::new(move |_| service.sign_in_first(kind.get()));
    let is_blocked = Signal::derive(move || first.get().is_some());
    let state = FormState {
        service,
        draft,
        form,
        first,
        faults: RwSignal::new(Vec::new()),
        testing: RwSignal::new(false),
        tested: RwSignal::new(None),
    };
    let FormState {
        faults,
        testing,
        tested,
        ..
    } = state;
    // Leads to the sign-in to this service.
    let choose_service = Callback::new(move |()| {
        form.update(|form| form.kind = TargetKind::Service);
        dom::focus_later(id(Part::User));
    });
    view! {
        <section class="panel flat pad" aria-labelledby="connection-choose">
            <h2 id="connection-choose" class="h-md">"Connect"</h2>
            <form class="stack" aria-labelledby="connection-choose" on:submit=move |event| {
                event.prevent_default();
                state.connect();
            }>
                <Kinds kind=kind on_change=Callback::new(move |kind| {
                    form.update(|form| form.kind = kind);
                    faults.set(Vec::new());
                    tested.set(None);
                }) />
                {move || match first.get() {
                    Some(reason) => view! { <SignInFirst reason=reason on_press=choose_service /> }.into_any(),
                    None => fields(state, kind.get()),
                }}
                {move || {
                    let staged = draft.count();
                    let leaves = kind.get() != service.connection.with(TargetKind::from_connection);
                    (staged > 0 && leaves).then(|| view! {
                        <Note kind=NoteKind::Warn title=words::DISCARDS_DRAFT>
                            <p>{words::unsaved(staged)}</p>
                        </Note>
                    })
                }}
                <div class="row">
                    <Button kind=ButtonKind::Primary submit=true disabled=is_blocked>
                        {move || if kind.get() == TargetKind::Service { "Sign in" } else { "Connect" }}
                    </Button>
                    <Button on_press=move |()| state.test() busy=testing disabled=is_blocked>"Test"</Button>
                    {move || testing.get().then(|| view! { <span class="quiet">"Testing"</span> })}
                </div>
            </form>
            {move || tested.get().map(|tested| view! { <Found tested=tested /> })}
        </section>
    }
}

/// The form's state.
#[derive(Clone, Copy)]
struct FormState {
    service: Service,
    draft: Draft,
    form: RwSignal<ConnectionForm>,
    /// What has to be done before such a connection can be used.
    first: Memo<Option<&'static str>>,
    faults: RwSignal<Vec<(Part, &'static str)>>,
    testing: RwSignal<bool>,
    tested: RwSignal<Option<Tested>>,
}

impl FormState {
    /// Reads the form. Errors are shown at their fields, and the first of these gets focus.
    fn read(self) -> Option<(Connection, Credentials)> {
        if self.first.get_untracked().is_some() {
            return None;
        }
        match self.form.with_untracked(ConnectionForm::read) {
            Ok(read) => {
                self.faults.set(Vec::new());
                Some(read)
            }
            Err(found) => {
                if let Some((part, _)) = found.first() {
                    dom::focus_later(id(*part));
                }
                self.faults.set(found);
                None
            }
        }
    }

    /// Sends the requests of a connection, and shows what each comes to.
    fn test(self) {
        let Some((connection, credentials)) = self.read() else {
            return;
        };
        self.testing.set(true);
        self.tested.set(None);
        spawn_local(async move {
            let steps = self.service.probe(&connection, credentials).await;
            let failed = steps.iter().filter(|step| step.outcome.is_err()).count();
            if failed == 0 {
                dom::announce("The test succeeded");
            } else {
                dom::announce_error(&format!(
                    "{failed} of {} failed",
                    count(steps.len(), "request")
                ));
            }
            self.testing.set(false);
            self.tested.set(Some(Tested { connection, steps }));
        });
    }

    /// Makes the pages be about what is entered.
    fn connect(self) {
        let Some((connection, credentials)) = self.read() else {
            return;
        };
        let (service, draft) = (self.service, self.draft);
        if connection == Connection::Service {
            if service.connection.get_untracked() != Connection::Service {
                go(service, draft, Connection::Service, None);
            }
            service.sign_in(credentials);
        } else {
            go(service, draft, connection, Some(credentials));
        }
        self.form.update(|form| {
            form.password.clear();
            form.token.clear();
        });
        dom::announce("Connecting");
    }

    fn value(self, part: fn(&ConnectionForm) -> String) -> Signal<String> {
        Signal::derive(move || self.form.with(part))
    }

    fn edit(self, change: fn(&mut ConnectionForm, String)) -> Callback<String> {
        Callback::new(move |text: String| {
            self.form.update(|form| change(form, text));
            self.faults.set(Vec::new());
            self.tested.set(None);
        })
    }

    fn fault(self, part: Part) -> Signal<Option<String>> {
        Signal::derive(move || {
            let faults = self.faults.read();
            let (_, text) = faults.iter().find(|(of, _)| *of == part)?;
            Some((*text).to_owned())
        })
    }
}

/// The fields of a kind of connection.
fn fields(state: FormState, kind: TargetKind) -> AnyView {
    match kind {
        TargetKind::Service | TargetKind::SelfManaged => view! {
            {(kind == TargetKind::Service).then(|| view! { <ProviderLink /> })}
            <div class="grid-2">
                <Field id=id(Part::User) label="User" value=state.value(|form| form.user.clone()) mono=true autocomplete="username"
                    on_input=state.edit(|form, text| form.user = text) error=state.fault(Part::User) />
                <Field id=id(Part::Password) label="Password" kind="password" value=state.value(|form| form.password.clone())
                    on_input=state.edit(|form, text| form.password = text) error=state.fault(Part::Password) autocomplete="current-password" />
            </div>
        }
        .into_any(),
        TargetKind::Cloud => view! {
            <Field id=id(Part::Cluster) label="Cluster ID" value=state.value(|form| form.cluster.clone())
                on_input=state.edit(|form, text| form.cluster = text) error=state.fault(Part::Cluster) mono=true />
            <TextArea id=id(Part::Token) label="Access token" value=state.value(|form| form.token.clone()) rows=4
                on_input=state.edit(|form, text| form.token = text) error=state.fault(Part::Token)
                help=words::CLOUD_TOKEN />
        }
        .into_any(),
    }
}

const fn id(part: Part) -> &'static str {
    match part {
        Part::User => "connect-user",
        Part::Password => "connect-password",
        Part::Cluster => "connect-cluster",
        Part::Token => "connect-token",
    }
}

/// That a sign-in to this service is needed first, and the way there.
#[component]
fn SignInFirst(reason: &'static str, #[prop(into)] on_press: Callback<()>) -> impl IntoView {
    view! {
        <Note kind=NoteKind::Warn title=words::SIGN_IN_FIRST>
            <p>{reason}</p>
            <div class="row"><Button small=true on_press=on_press>{words::SIGN_IN_HERE}</Button></div>
        </Note>
    }
}

/// The three kinds; one that the service cannot reach keeps its place and says how to start the
/// service.
#[component]
fn Kinds(kind: Memo<TargetKind>, on_change: Callback<TargetKind>) -> impl IntoView {
    let service = expect_context::<Service>();
    let upstream = Memo::new(move |_| match service.info.get() {
        Some(info) => info.upstream,
        None => Default::default(),
    });
    view! {
        <fieldset>
            <legend class="legend">"Cluster"</legend>
            {TargetKind::ALL
                .map(|this| {
                    let help = format!("connect-{this:?}-help");
                    let described = help.clone();
                    view! {
                        <label class="radio" class:off=move || upstream.with(|upstream| !this.is_there(upstream))>
                            <input type="radio" name="connect-kind"
                                disabled=move || upstream.with(|upstream| !this.is_there(upstream))
                                aria-describedby=described
                                prop:checked=move || kind.get() == this
                                on:change=move |_| on_change.run(this) />
                            <b>{this.label()}</b>
                            <span id=help>{move || upstream.with(|upstream| this.help(upstream))}</span>
                        </label>
                    }
                })
                .collect_view()}
        </fieldset>
    }
}

/// What a test found, request by request.
#[component]
fn Found(tested: Tested) -> impl IntoView {
    let Tested { connection, steps } = tested;
    let failed = steps.iter().filter(|step| step.outcome.is_err()).count();
    let all = steps.len();
    let title = match failed {
        0 => "All APIs responded".to_owned(),
        _ => format!("{failed} of {} failed", count(all, "request")),
    };
    let lines: Vec<_> = steps
        .into_iter()
        .map(|step| {
            let ProbeStep { what, request, outcome } = step;
            let (class, glyph) = if outcome.is_ok() { ("v-allow", Glyph::Allow) } else { ("v-deny", Glyph::Deny) };
            let said = match outcome {
                Ok(words) => view! { <p>{words}</p> }.into_any(),
                Err(failure) => {
                    let status = match failure.status() {
                        Some(status) => format!("Status {status}: "),
                        None => String::new(),
                    };
                    view! {
                        <p class="brk">{status}<Words text=phrases::capitalized(&failure.to_string()) />"."</p>
                        <p>{advice(&failure, &connection)}</p>
                    }
                    .into_any()
                }
            };
            view! {
                <li>
                    <span class=class><Icon glyph=glyph size=IconSize::Small /></span>
                    <div><b>{what}</b> " " <span class="cl quiet">{request}</span>{said}</div>
                </li>
            }
        })
        .collect();
    view! {
        <div class="section" role="region" aria-label="Result of the test">
            <h3 class="h-sm">{title}</h3>
            <ul class="facts">{lines}</ul>
        </div>
    }
}

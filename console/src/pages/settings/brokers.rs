//! The settings of the brokers that decide access besides ACLs, and what other values would change.

use gbac_api::what_if::{SettingsReport, SettingsWhatIf};
use gbac_console_model::failure::Failure;
use gbac_console_model::settings::brokers::{
    BrokersForm, callers, choices, hidden, other_value, present,
};
use gbac_engine::model::Principal;
use gbac_words::pages::settings as words;
use gbac_words::phrases::{capitalized, thousands};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::store::service::Service;
use crate::ui::{
    Button, Choice, Field, Message, MessageKind, Mono, PrincipalName, Select, Table, Words,
};

/// An answer, once it is there.
type Answer = Option<Result<SettingsReport, Failure>>;

/// The state of the part.
#[derive(Clone, Copy)]
struct BrokersState {
    service: Service,
    /// The present settings.
    read: RwSignal<Answer>,
    form: RwSignal<BrokersForm>,
    /// What the other value changes.
    tried: RwSignal<Answer>,
    busy: RwSignal<bool>,
}

#[component]
pub(super) fn Brokers() -> impl IntoView {
    let state = BrokersState {
        service: expect_context(),
        read: RwSignal::new(None),
        form: RwSignal::new(BrokersForm::default()),
        tried: RwSignal::new(None),
        busy: RwSignal::new(false),
    };
    state.service.on_connection(move || state.begin());
    view! {
        <section class="stack" aria-label="Settings of the brokers">
            {move || match state.read.get() {
                Some(Ok(report)) => view! { <Known report=report.clone() /> <Try state=state report=report /> }.into_any(),
                Some(Err(failure)) => failed(&failure),
                None => view! { <p class="quiet" role="status">"Reading"</p> }.into_any(),
            }}
            <div role="status">
                {move || match state.tried.get() {
                    Some(Ok(report)) => Some(view! { <Effects report=report /> }.into_any()),
                    Some(Err(failure)) => Some(failed(&failure)),
                    None => None,
                }}
            </div>
        </section>
    }
}

fn failed(failure: &Failure) -> AnyView {
    let reason = capitalized(&failure.to_string());
    view! { <Message kind=MessageKind::Error><Words text=reason /> "."</Message> }.into_any()
}

impl BrokersState {
    /// Reads the present settings; the first one is offered with another value.
    fn begin(self) {
        spawn_local(async move {
            let read = self.service.what_if(&SettingsWhatIf::default()).await;
            if let Ok(report) = &read
                && let Some(first) = report.settings.first()
            {
                self.choose(report, &first.name);
            }
            let _ = self.read.try_set(Some(read));
        });
    }

    fn choose(self, report: &SettingsReport, name: &str) {
        let mut settings = report.settings.iter();
        let value = settings
            .find(|setting| setting.name == name)
            .map(other_value);
        let _ = self.form.try_update(|form| {
            name.clone_into(&mut form.setting);
            form.value = value.unwrap_or_default();
        });
        let _ = self.tried.try_set(None);
    }

    fn submit(self) {
        self.busy.set(true);
        spawn_local(async move {
            let request = self.form.get_untracked().request();
            let tried = self.service.what_if(&request).await;
            let _ = self.tried.try_set(Some(tried));
            let _ = self.busy.try_set(false);
        });
    }
}

/// The present settings.
#[component]
fn Known(report: SettingsReport) -> impl IntoView {
    view! {
        <dl class="kv">
            {report.settings.into_iter().map(|setting| {
                let is_stated = setting.value.is_some();
                let shown = present(&setting);
                view! {
                    <dt><Mono text=setting.name /></dt>
                    <dd>{match is_stated {
                        true => view! { <Mono text=shown /> }.into_any(),
                        false => view! { <span class="quiet">{shown}</span> }.into_any(),
                    }}</dd>
                }
            }).collect_view()}
        </dl>
    }
}

/// What is tried.
#[component]
fn Try(state: BrokersState, report: SettingsReport) -> impl IntoView {
    let form = state.form;
    let names = Choice::each(&report.settings, |setting| {
        (setting.name.clone(), setting.name.clone())
    });
    let unknown = hidden(&report);
    let setting = Signal::derive(move || form.with(|form| form.setting.clone()));
    let value = Signal::derive(move || form.with(|form| form.value.clone()));
    let set = move |value: String| {
        form.update(|form| form.value = value);
        state.tried.set(None);
    };
    let chosen = Memo::new(move |_| setting.get());
    view! {
        <form class="stack" on:submit=move |event| {
            event.prevent_default();
            state.submit();
        }>
            <div class="filters">
                <Select id="broker-setting" label="Setting" value=setting choices=Signal::stored(names)
                    on_change=move |name: String| state.choose(&report, &name) />
                {move || match choices(&chosen.read()) {
                    [] => view! {
                        <Field id="broker-value" label="Value to try" mono=true value=value on_input=set help=words::EMPTY_IS_DEFAULT />
                    }.into_any(),
                    values => view! {
                        <Select id="broker-value" label="Value to try" value=value
                            choices=Signal::stored(Choice::each(values.iter(), |value| (*value, *value))) on_change=set />
                    }.into_any(),
                }}
            </div>
            {unknown.into_iter().enumerate().map(|(place, name)| {
                let (of, label) = (name.clone(), words::present_value(&name));
                let shown = Signal::derive(move || form.with(|form| form.known.get(&of).cloned().unwrap_or_default()));
                view! {
                    <Field id=format!("broker-known-{place}") label=label mono=true value=shown help=words::BROKERS_HIDE
                        on_input=move |value| form.update(|form| { form.known.insert(name.clone(), value); }) />
                }
            }).collect_view()}
            <div class="row"><Button submit=true busy=state.busy>"Show the effect"</Button></div>
        </form>
    }
}

/// What it changes, and for whom.
#[component]
fn Effects(report: SettingsReport) -> impl IntoView {
    let (rows, more) = callers(&report);
    let seen = words::seen_in(report.seen_in, report.requests);
    let table = (!rows.is_empty()).then(|| {
        view! {
            <div class="panel flat">
                <Table label="Principals whose access changes" caption=words::CHANGED_PRINCIPALS class="names" heads=["Principal", "What changes"]>
                    <tbody role="rowgroup">
                        {rows.into_iter().map(|row| view! {
                            <tr role="row">
                                <th role="rowheader" scope="row">{principal(row.principal)}</th>
                                <td role="cell" data-l="What changes">
                                    <ul class="plain">{row.effects.into_iter().map(|effect| view! { <li><Words text=effect /></li> }).collect_view()}</ul>
                                </td>
                            </tr>
                        }).collect_view()}
                    </tbody>
                </Table>
            </div>
        }
    });
    view! {
        <div class="stack">
            <p><b><Words text=report.summary /></b></p>
            <p class="small quiet">{seen}</p>
            {report.notes.into_iter().map(|note| view! { <p class="small"><Words text=capitalized(&note) /></p> }).collect_view()}
            {table}
            {(more > 0).then(|| view! { <p class="small">{format!("and {} more", thousands(more))}</p> })}
        </div>
    }
}

fn principal(text: String) -> AnyView {
    match Principal::parse(&text) {
        Ok(principal) => view! { <PrincipalName principal=principal /> }.into_any(),
        Err(_) => view! { <Mono text=text /> }.into_any(),
    }
}

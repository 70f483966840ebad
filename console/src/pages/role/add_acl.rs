//! The form that adds ACLs to a role, one by one or from a preset.

use gbac_analysis::NamePattern;
use gbac_console_model::role::acl_form::{AclFaults, AclForm, PatternChoice};
use gbac_console_model::role::cover::{Cover, Known, remark};
use gbac_console_model::role::preset::{AclPreset, PresetForm};
use gbac_engine::model::{Acl, Dialect, Operation, ResourceType};
use gbac_engine::policy::Change;
use gbac_words::pages::role as words;
use gbac_words::phrases::{capitalized, count};
use leptos::prelude::*;

use super::acls::open_rows;
use super::context::RoleContext;
use crate::dom;
use crate::pages::acl_fields::{GrantFields, NameFields, fault};
use crate::ui::{
    AclPhrase, Button, Choice, Field, Glyph, IconButton, Message, MessageKind, ResourceName,
    Segmented, Select, Words,
};

/// The form, beside the ACLs.
#[component]
pub(super) fn AddAcl(adding: RwSignal<bool>) -> impl IntoView {
    let preset = expect_context::<RoleContext>().preset;
    let mut choices = vec![Choice::new("", "Empty row")];
    choices.extend(Choice::each(AclPreset::ALL, |preset| {
        (preset.id(), preset.label())
    }));
    view! {
        <aside class="panel aside" id="add-acl" aria-labelledby="h-add">
            <div class="pane-h">
                <h2 id="h-add">"Add ACL"</h2>
                <span class="row-end">
                    <IconButton glyph=Glyph::Close label="Close Add ACL" on_press=move |()| {
                        adding.set(false);
                        dom::focus_later("add-acl-open");
                    } />
                </span>
            </div>
            <div class="aside-start">
                <Select
                    id="acl-preset"
                    label="Start from"
                    value=Signal::derive(move || preset.with(|preset| preset.map(AclPreset::id).unwrap_or_default().to_owned()))
                    choices=choices
                    on_change=move |id: String| preset.set(AclPreset::from_id(&id))
                    help=Signal::derive(move || preset.get().map(AclPreset::purpose))
                />
            </div>
            {move || match preset.get() {
                None => view! { <ByHand /> }.into_any(),
                Some(preset) => view! { <PresetRows preset=preset /> }.into_any(),
            }}
        </aside>
    }
}

/// Stages ACLs, and says so.
pub(super) fn stage(context: RoleContext, acls: Vec<Acl>) {
    let added = context.draft.add_all(acls.into_iter().map(Change::AddAcl));
    dom::announce(&words::acls_added(added));
}

/// One resource, and operations on it.
#[component]
fn ByHand() -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let form = RwSignal::new(AclForm::default());
    let sent = RwSignal::new(false);
    let checked =
        Memo::new(move |_| form.with(|form| form.check(&context.name.get_value(), sent.get())));
    let types = Choice::each(Dialect::Platform.resource_types(), |kind| {
        (kind.spelling().cli, kind.spelling().label)
    });
    let number = Memo::new(move |_| match &*checked.read() {
        Ok(acls) => acls.len(),
        Err(_) => 1,
    });
    view! {
        <form class="stack" aria-labelledby="h-add" on:submit=move |event| {
            event.prevent_default();
            sent.set(true);
            match checked.get_untracked() {
                Ok(acls) => {
                    stage(context, acls);
                    // The same resource is likely wanted for the next operations.
                    form.update(|form| *form = form.after_add());
                    sent.set(false);
                    dom::focus("acl-operation");
                }
                Err(faults) => {
                    dom::focus(first_fault(&faults));
                }
            }
        }>
            <Select
                id="acl-type"
                label="Resource type"
                value=Signal::derive(move || form.with(|form| form.resource_type.spelling().cli.to_owned()))
                choices=types
                on_change=move |id: String| {
                    if let Ok(kind) = id.parse::<ResourceType>() {
                        form.update(|form| *form = form.clone().with_type(kind));
                    }
                }
            />
            <NameFields id="acl" form=form error=fault(checked, |faults| faults.name.clone()) />
            <Operations form=form error=fault(checked, |faults| faults.operation.clone()) />
            <GrantFields id="acl" form=form error=fault(checked, |faults| faults.host.clone()) />
            <Covered form=form />
            <div class="cover">
                {move || match checked.get() {
                    Ok(acls) => view! { <WillBeStored acls=acls /> }.into_any(),
                    Err(AclFaults { form: Some(text), .. }) => {
                        view! { <Message kind=MessageKind::Error><Words text=text /></Message> }.into_any()
                    }
                    Err(_) => view! { <p class="help">{words::CHOOSE_OPERATIONS}</p> }.into_any(),
                }}
            </div>
            <Button submit=true>{move || if number.get() == 1 { "Add ACL".to_owned() } else { format!("Add {}", count(number.get(), "ACL")) }}</Button>
        </form>
    }
}

/// The id of the first control that is wrong.
const fn first_fault(faults: &AclFaults) -> &'static str {
    match faults {
        AclFaults { name: Some(_), .. } => "acl-name",
        AclFaults {
            operation: Some(_), ..
        } => "acl-operation",
        AclFaults { host: Some(_), .. } => "acl-host",
        _ => "acl-type",
    }
}

/// The operations that make sense for the type, of which several can be chosen.
#[component]
fn Operations(form: RwSignal<AclForm>, error: Signal<Option<String>>) -> impl IntoView {
    let offered = Memo::new(move |_| form.with(AclForm::offered));
    view! {
        <fieldset class="operations" id="acl-operation" tabindex="-1"
            aria-describedby=move || error.read().is_some().then_some("acl-operation-msg")
            aria-invalid=move || error.read().is_some().then_some("true")>
            <legend class="legend">"Operations"</legend>
            <div class="checks">
                {move || offered.get().into_iter().map(|operation: Operation| view! {
                    <label class="check-l">
                        <input
                            class="check"
                            type="checkbox"
                            prop:checked=move || form.with(|form| form.operations.contains(&operation))
                            on:change=move |event| {
                                let chosen = event_target_checked(&event);
                                form.update(|form| *form = form.clone().with_operation(operation, chosen));
                            }
                        />
                        <span>{operation.spelling().label}</span>
                    </label>
                }).collect_view()}
            </div>
            {move || error.get().map(|text| view! { <Message kind=MessageKind::Error id="acl-operation-msg"><Words text=text /></Message> })}
        </fieldset>
    }
}

/// Which known names the pattern covers, as it is typed.
#[component]
fn Covered(form: RwSignal<AclForm>) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let resource_type = Memo::new(move |_| form.with(|form| form.resource_type));
    let known = Memo::new(move |_| {
        let (resource_type, after) = (resource_type.get(), context.draft.after()?);
        Some(Known::new(&after, resource_type))
    });
    let cover = Memo::new(move |_| {
        let form = form.read();
        if !form.has_name() || form.resource_name().is_empty() {
            return None;
        }
        let pattern = NamePattern {
            pattern_type: form.pattern_type(),
            name: form.resource_name(),
        };
        let found = known.read().as_ref()?.cover(&pattern);
        let marked = if pattern.name == "*" {
            String::new()
        } else {
            pattern.name
        };
        Some((found, marked))
    });
    move || {
        cover.get().map(|(Cover { known, covered, names }, marked)| {
            let noun = form.with_untracked(|form| form.resource_type).spelling().label.to_lowercase();
            let more = covered - names.len();
            view! {
                <div class="cover" role="status">
                    <h3>{format!("Covers {covered} of {}", count(known, &format!("known {noun} name")))}</h3>
                    <ul>
                        {names.into_iter().map(|name| {
                            let rest = name.strip_prefix(marked.as_str()).unwrap_or(&name).to_owned();
                            let mark = (!marked.is_empty() && name.starts_with(&marked)).then(|| marked.clone());
                            view! {
                                <li>
                                    {mark.map(|mark| view! { <mark><ResourceName name=mark /></mark> })}
                                    {(!rest.is_empty()).then(|| view! { <ResourceName name=rest.clone() /> })}
                                </li>
                            }
                        }).collect_view()}
                        {(more > 0).then(|| view! { <li class="quiet">{format!("and {more} more")}</li> })}
                    </ul>
                    <p class="help">{words::KNOWN_NAMES}</p>
                </div>
            }
        })
    }
}

/// The rows that will be added, each with what the role's other ACLs make of it.
#[component]
pub(super) fn WillBeStored(acls: Vec<Acl>) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let acls = StoredValue::new(acls);
    view! {
        <h3>"Will be stored as"</h3>
        <ul class="rows">
            {move || {
                let (held, role) = (open_rows(context), context.name.get_value());
                acls.get_value().into_iter().map(|acl| {
                    let remark = remark(&role, &held, &acl);
                    view! {
                        <li>
                            <AclPhrase acl=acl />
                            {remark.map(|text| view! { <Message kind=MessageKind::Warn><Words text=capitalized(&text) /></Message> })}
                        </li>
                    }
                }).collect_view()
            }}
        </ul>
    }
}

/// The rows of a preset: its names, and the ACLs that it adds.
#[component]
fn PresetRows(preset: AclPreset) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let form = RwSignal::new(PresetForm::new(preset));
    let sent = RwSignal::new(false);
    let rows =
        Memo::new(move |_| form.with(|form| form.rows(&context.name.get_value(), sent.get())));
    let number = form.with_untracked(|form| form.names.len());
    view! {
        <form class="stack" aria-labelledby="h-add" on:submit=move |event| {
            event.prevent_default();
            sent.set(true);
            match rows.get_untracked() {
                Ok(acls) => {
                    stage(context, acls);
                    form.set(PresetForm::new(preset));
                    sent.set(false);
                    dom::focus("acl-preset");
                }
                Err(faults) => {
                    let first = faults.iter().position(Option::is_some).unwrap_or_default();
                    dom::focus(&format!("preset-{first}"));
                }
            }
        }>
            {(0..number).map(|place| view! { <OneName form=form rows=rows place=place /> }).collect_view()}
            <div class="cover">
                {move || match rows.get() {
                    Ok(acls) => view! { <WillBeStored acls=acls /> }.into_any(),
                    Err(_) => view! { <p class="help">{words::FILL_IN_NAMES}</p> }.into_any(),
                }}
            </div>
            <Button submit=true>
                {move || match &*rows.read() {
                    Ok(acls) => format!("Add {}", count(acls.len(), "ACL")),
                    Err(_) => "Add ACLs".to_owned(),
                }}
            </Button>
        </form>
    }
}

/// One name of the preset.
#[component]
fn OneName(
    form: RwSignal<PresetForm>,
    rows: Memo<Result<Vec<Acl>, Vec<Option<String>>>>,
    place: usize,
) -> impl IntoView {
    let (label, help) = match form.read_untracked().names.get(place) {
        Some(name) => (
            name.label(),
            capitalized(name.slot.description).replace('`', ""),
        ),
        None => Default::default(),
    };
    let pattern = Memo::new(move |_| Some(form.read().names.get(place)?.pattern));
    let name = Signal::derive(move || match form.read().names.get(place) {
        Some(name) => name.name.clone(),
        None => String::new(),
    });
    let error = Signal::derive(move || rows.read().as_ref().err()?.get(place)?.clone());
    view! {
        <div class="stack slot">
            <Segmented
                name=format!("preset-pattern-{place}")
                legend=format!("{label}, pattern type")
                value=Signal::derive(move || pattern.get().map(PatternChoice::id).unwrap_or_default().to_owned())
                choices=Choice::each(PatternChoice::ALL, |pattern| (pattern.id(), pattern.word()))
                on_change=move |id: String| {
                    if let Some(pattern) = PatternChoice::from_id(&id) {
                        form.update(|form| if let Some(name) = form.names.get_mut(place) { name.pattern = pattern; });
                    }
                }
                help=Signal::derive({
                    let help = help.clone();
                    move || (pattern.get() == Some(PatternChoice::Any)).then(|| help.clone())
                })
            />
            {move || (pattern.get() != Some(PatternChoice::Any)).then(|| view! {
                <Field
                    id=format!("preset-{place}")
                    label=format!("{label} name")
                    mono=true
                    value=name
                    on_input=move |text| form.update(|form| if let Some(name) = form.names.get_mut(place) { name.name = text; })
                    help=help.clone()
                    error=error
                />
            })}
        </div>
    }
}

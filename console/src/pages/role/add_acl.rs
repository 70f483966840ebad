//! The form that adds ACLs to a role, one by one or from a preset.

use gbac_analysis::NamePattern;
use gbac_console_model::role::RowStatus;
use gbac_console_model::role::acl_form::{AclFaults, AclForm, PatternChoice};
use gbac_console_model::role::cover::{Cover, Known, remark};
use gbac_console_model::role::preset::{AclPreset, PresetForm, PresetName};
use gbac_engine::model::{Acl, Dialect, Operation, Permission, ResourceType};
use gbac_engine::policy::Change;
use gbac_words::pages::role as words;
use gbac_words::phrases::{capitalized, count};
use leptos::prelude::*;

use super::context::RoleContext;
use crate::dom;
use crate::ui::{
    AclPhrase, Button, Choice, Field, Glyph, IconButton, Message, MessageKind, ResourceName,
    Segmented, Select, Words,
};

/// The form, beside the ACLs.
#[component]
pub(super) fn AddAcl(adding: RwSignal<bool>) -> impl IntoView {
    let preset = expect_context::<RoleContext>().preset;
    let choices: Vec<Choice> = std::iter::once(Choice::new("", "Empty row"))
        .chain(
            AclPreset::ALL
                .iter()
                .map(|preset| Choice::new(preset.id(), preset.label())),
        )
        .collect();
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

/// The ACLs that the role will have.
pub(super) fn will_have(context: RoleContext) -> Vec<Acl> {
    let stays = |status| status != RowStatus::Removed;
    context.acls.with(|rows| {
        rows.iter()
            .filter(|row| stays(row.status))
            .map(|row| row.acl.clone())
            .collect()
    })
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
    let fault = move |part: fn(&AclFaults) -> Option<String>| {
        Signal::derive(move || checked.with(|checked| checked.as_ref().err().and_then(part)))
    };
    let has_name = Memo::new(move |_| form.with(AclForm::has_name));
    let named_by_hand =
        Memo::new(move |_| form.with(|form| form.has_name() && form.pattern != PatternChoice::Any));
    let add = move || {
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
                let first = [
                    (&faults.name, "acl-name"),
                    (&faults.operation, "acl-operation"),
                    (&faults.host, "acl-host"),
                ];
                let id = first
                    .into_iter()
                    .find(|(fault, _)| fault.is_some())
                    .map_or("acl-type", |(_, id)| id);
                dom::focus(id);
            }
        }
    };
    let types: Vec<Choice> = Dialect::Platform
        .resource_types()
        .iter()
        .map(|kind| Choice::new(kind.spelling().cli, kind.spelling().label))
        .collect();
    let name_label = move || match form.with(|form| form.pattern) {
        PatternChoice::Prefixed => "Resource name starts with",
        PatternChoice::Literal | PatternChoice::Any => "Resource name",
    };
    let number = Memo::new(move |_| checked.with(|checked| checked.as_ref().map_or(1, Vec::len)));
    view! {
        <form class="stack" aria-labelledby="h-add" on:submit=move |event| {
            event.prevent_default();
            add();
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
            {move || has_name.get().then(|| view! {
                <Segmented
                    name="acl-pattern"
                    legend="Pattern type"
                    value=Signal::derive(move || form.with(|form| form.pattern.id().to_owned()))
                    choices=PatternChoice::ALL.iter().map(|pattern| Choice::new(pattern.id(), pattern.word())).collect()
                    on_change=move |id: String| {
                        if let Some(pattern) = PatternChoice::from_id(&id) {
                            form.update(|form| form.pattern = pattern);
                        }
                    }
                    help=Signal::derive(move || {
                        form.with(|form| form.pattern == PatternChoice::Any).then(|| words::ALL_NAMES.to_owned())
                    })
                />
            })}
            {move || named_by_hand.get().then(|| view! {
                <Field
                    id="acl-name"
                    label=name_label()
                    mono=true
                    value=Signal::derive(move || form.with(|form| form.name.clone()))
                    on_input=move |text| form.update(|form| form.name = text)
                    error=fault(|faults| faults.name.clone())
                    warning=Signal::derive(move || form.with(AclForm::name_warning))
                />
            })}
            <Operations form=form error=fault(|faults| faults.operation.clone()) />
            <Segmented
                name="acl-permission"
                legend="Permission"
                value=Signal::derive(move || form.with(|form| form.permission.spelling().cli.to_owned()))
                choices=[Permission::Allow, Permission::Deny]
                    .iter()
                    .map(|permission| Choice::new(permission.spelling().cli, permission.spelling().label))
                    .collect()
                on_change=move |id: String| {
                    if let Ok(permission) = id.parse::<Permission>() {
                        form.update(|form| form.permission = permission);
                    }
                }
            />
            <Field
                id="acl-host"
                label="Host"
                mono=true
                value=Signal::derive(move || form.with(|form| form.host.clone()))
                on_input=move |text| form.update(|form| form.host = text)
                error=fault(|faults| faults.host.clone())
            />
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

/// The operations that make sense for the type, of which several can be chosen.
#[component]
fn Operations(form: RwSignal<AclForm>, error: Signal<Option<String>>) -> impl IntoView {
    let offered = Memo::new(move |_| form.with(AclForm::offered));
    let described = move || error.get().map(|_| "acl-operation-msg");
    view! {
        <fieldset class="operations" id="acl-operation" tabindex="-1" aria-describedby=described
            aria-invalid=move || error.get().map(|_| "true")>
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
        let resource_type = resource_type.get();
        context.draft.after.with(|policy| {
            policy
                .as_ref()
                .map(|policy| Known::new(policy, resource_type))
        })
    });
    let cover = Memo::new(move |_| {
        let pattern = form.with(|form| {
            let is_named = form.has_name() && !form.resource_name().is_empty();
            is_named.then(|| NamePattern {
                pattern_type: form.pattern_type(),
                name: form.resource_name(),
            })
        })?;
        let found = known.with(|known| known.as_ref().map(|known| known.cover(&pattern)))?;
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
    let rows = move || {
        let (held, role) = (will_have(context), context.name.get_value());
        let row = |acl: Acl| {
            let remark = remark(&role, &held, &acl);
            view! {
                <li>
                    <AclPhrase acl=acl />
                    {remark.map(|text| view! { <Message kind=MessageKind::Warn><Words text=capitalized(&text) /></Message> })}
                </li>
            }
        };
        acls.get_value().into_iter().map(row).collect_view()
    };
    view! {
        <h3>"Will be stored as"</h3>
        <ul class="rows">{rows}</ul>
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
    let add = move || {
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
    };
    view! {
        <form class="stack" aria-labelledby="h-add" on:submit=move |event| {
            event.prevent_default();
            add();
        }>
            {(0..number).map(|place| view! { <OneName form=form rows=rows place=place /> }).collect_view()}
            <div class="cover">
                {move || match rows.get() {
                    Ok(acls) => view! { <WillBeStored acls=acls /> }.into_any(),
                    Err(_) => view! { <p class="help">{words::FILL_IN_NAMES}</p> }.into_any(),
                }}
            </div>
            <Button submit=true>
                {move || rows.with(|rows| rows.as_ref().map_or_else(|_| "Add ACLs".to_owned(), |rows| format!("Add {}", count(rows.len(), "ACL"))))}
            </Button>
        </form>
    }
}

/// One name of the preset.
#[component]
fn OneName(
    form: RwSignal<PresetForm>,
    rows: Memo<Result<Vec<gbac_engine::model::Acl>, Vec<Option<String>>>>,
    place: usize,
) -> impl IntoView {
    let slot = form.with_untracked(|form| form.names.get(place).map(|name| name.slot));
    let label = form.with_untracked(|form| {
        form.names
            .get(place)
            .map(PresetName::label)
            .unwrap_or_default()
    });
    let help = slot
        .map(|slot| capitalized(slot.description).replace('`', ""))
        .unwrap_or_default();
    let pattern =
        Memo::new(move |_| form.with(|form| form.names.get(place).map(|name| name.pattern)));
    let name = Signal::derive(move || {
        form.with(|form| {
            form.names
                .get(place)
                .map(|name| name.name.clone())
                .unwrap_or_default()
        })
    });
    let error = Signal::derive(move || {
        rows.with(|rows| {
            rows.as_ref()
                .err()
                .and_then(|faults| faults.get(place).cloned().flatten())
        })
    });
    let fill = move |text: String| {
        form.update(|form| {
            form.names
                .get_mut(place)
                .into_iter()
                .for_each(|name| name.name.clone_from(&text));
        });
    };
    view! {
        <div class="stack slot">
            <Segmented
                name=format!("preset-pattern-{place}")
                legend=format!("{label}, pattern type")
                value=Signal::derive(move || pattern.get().map(PatternChoice::id).unwrap_or_default().to_owned())
                choices=PatternChoice::ALL.iter().map(|pattern| Choice::new(pattern.id(), pattern.word())).collect()
                on_change=move |id: String| {
                    if let Some(pattern) = PatternChoice::from_id(&id) {
                        form.update(|form| form.names.get_mut(place).into_iter().for_each(|name| name.pattern = pattern));
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
                    on_input=fill
                    help=help.clone()
                    error=error
                />
            })}
        </div>
    }
}

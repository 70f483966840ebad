//! The form of a preset: its names, and the rows that it comes to.

use gbac_console_model::phrases::{capitalized, count};
use gbac_console_model::role::acl_form::Pattern;
use gbac_console_model::role::preset::{Filled, Preset, PresetForm};
use leptos::prelude::*;

use super::RoleContext;
use super::add_acl::{WillBeStored, stage};
use crate::dom;
use crate::ui::{Button, Choice, Field, Segmented};

/// The form.
#[component]
pub(super) fn PresetRows(preset: Preset) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let form = RwSignal::new(PresetForm::new(preset));
    let sent = RwSignal::new(false);
    let rows = Memo::new(move |_| form.with(|form| form.rows(&context.name.get_value(), sent.get())));
    let number = form.with_untracked(|form| form.filled.len());
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
                    Err(_) => view! { <p class="help">"The rows are shown here once every name is filled in."</p> }.into_any(),
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
    let slot = form.with_untracked(|form| form.filled.get(place).map(|filled| filled.slot));
    let label = form.with_untracked(|form| form.filled.get(place).map(Filled::label).unwrap_or_default());
    let help = slot.map(|slot| capitalized(slot.words).replace('`', "")).unwrap_or_default();
    let pattern = Memo::new(move |_| form.with(|form| form.filled.get(place).map(|filled| filled.pattern)));
    let name = Signal::derive(move || {
        form.with(|form| form.filled.get(place).map(|filled| filled.name.clone()).unwrap_or_default())
    });
    let error = Signal::derive(move || {
        rows.with(|rows| rows.as_ref().err().and_then(|faults| faults.get(place).cloned().flatten()))
    });
    let fill = move |text: String| {
        form.update(|form| form.filled.get_mut(place).into_iter().for_each(|filled| filled.name.clone_from(&text)));
    };
    view! {
        <div class="stack slot">
            <Segmented
                name=format!("preset-pattern-{place}")
                legend=format!("{label}, pattern type")
                value=Signal::derive(move || pattern.get().map(Pattern::id).unwrap_or_default().to_owned())
                choices=Pattern::ALL.iter().map(|pattern| Choice::new(pattern.id(), pattern.word())).collect()
                on_change=move |id: String| {
                    if let Some(pattern) = Pattern::from_id(&id) {
                        form.update(|form| form.filled.get_mut(place).into_iter().for_each(|filled| filled.pattern = pattern));
                    }
                }
                help=Signal::derive({
                    let help = help.clone();
                    move || (pattern.get() == Some(Pattern::Any)).then(|| help.clone())
                })
            />
            {move || (pattern.get() != Some(Pattern::Any)).then(|| view! {
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

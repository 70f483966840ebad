//! The fields of an ACL, in the form that adds ACLs and in the one that edits one.

use gbac_console_model::role::acl_form::{AclFaults, AclForm, PatternChoice};
use gbac_engine::model::Permission;
use gbac_words::pages::role as words;
use leptos::prelude::*;

use crate::ui::{Choice, Field, Segmented};

/// What is wrong with a part of a form.
pub(super) fn fault<T: Send + Sync + 'static>(
    checked: Memo<Result<T, AclFaults>>,
    part: fn(&AclFaults) -> Option<String>,
) -> Signal<Option<String>> {
    Signal::derive(move || part(checked.read().as_ref().err()?))
}

/// How the resource is named, and its name; nothing where the type has only one resource.
#[component]
pub(super) fn NameFields(
    /// What the ids of the controls begin with.
    #[prop(into)]
    id: String,
    form: RwSignal<AclForm>,
    /// What is wrong with the name.
    error: Signal<Option<String>>,
) -> impl IntoView {
    let has_name = Memo::new(move |_| form.with(AclForm::has_name));
    let pattern = Memo::new(move |_| form.with(|form| form.pattern));
    let (pattern_name, name_id) = (format!("{id}-pattern"), id + "-name");
    view! {
        {move || has_name.get().then(|| view! {
            <Segmented
                name=pattern_name.clone()
                legend="Pattern type"
                value=Signal::derive(move || pattern.get().id().to_owned())
                choices=Choice::each(PatternChoice::ALL, |pattern| (pattern.id(), pattern.word()))
                on_change=move |id: String| {
                    if let Some(pattern) = PatternChoice::from_id(&id) {
                        form.update(|form| form.pattern = pattern);
                    }
                }
                help=Signal::derive(move || (pattern.get() == PatternChoice::Any).then(|| words::ALL_NAMES.to_owned()))
            />
        })}
        {move || (has_name.get() && pattern.get() != PatternChoice::Any).then(|| view! {
            <Field
                id=name_id.clone()
                label=match pattern.get() {
                    PatternChoice::Prefixed => "Resource name starts with",
                    PatternChoice::Literal | PatternChoice::Any => "Resource name",
                }
                mono=true
                value=Signal::derive(move || form.with(|form| form.name.clone()))
                on_input=move |text| form.update(|form| form.name = text)
                error=error
                warning=Signal::derive(move || form.with(AclForm::name_warning))
            />
        })}
    }
}

/// The permission, and the host to which it applies.
#[component]
pub(super) fn GrantFields(
    /// What the ids of the controls begin with.
    #[prop(into)]
    id: String,
    form: RwSignal<AclForm>,
    /// What is wrong with the host.
    error: Signal<Option<String>>,
) -> impl IntoView {
    view! {
        <Segmented
            name=format!("{id}-permission")
            legend="Permission"
            value=Signal::derive(move || form.with(|form| form.permission.spelling().cli.to_owned()))
            choices=Choice::each([Permission::Allow, Permission::Deny], |permission| {
                (permission.spelling().cli, permission.spelling().label)
            })
            on_change=move |id: String| {
                if let Ok(permission) = id.parse::<Permission>() {
                    form.update(|form| form.permission = permission);
                }
            }
        />
        <Field
            id=id + "-host"
            label="Host"
            mono=true
            value=Signal::derive(move || form.with(|form| form.host.clone()))
            on_input=move |text| form.update(|form| form.host = text)
            error=error
        />
    }
}

//! The form of the two group properties.

use gbac_console_model::address;
use gbac_console_model::settings::GroupSettingsForm;
use gbac_engine::Coded;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::policy::Change;
use gbac_words::pages::settings as words;
use gbac_words::phrases::count;
use leptos::prelude::*;

use super::edit::Edit;
use super::names::claim_messages;
use crate::dom;
use crate::ui::{Button, ButtonKind, Field, Mono, Note, NoteKind, Tag, TagKind, Words};

const CLAIM_PATH_ID: &str = "claim-path";

#[component]
pub(super) fn Properties(edit: Edit) -> impl IntoView {
    let is_sso = Memo::new(move |_| edit.is_sso());
    view! {
        <section class="panel flat pad" aria-labelledby="settings-claim">
            <h2 id="settings-claim" class="h-md">"Group claim"</h2>
            {move || {
                if is_sso.get() {
                    view! {
                        <Note kind=NoteKind::Info title=words::GROUPS_FROM_MAPPING>
                            <p><Words text=words::PROPERTIES_NOT_IN_USE /></p>
                        </Note>
                    }
                    .into_any()
                } else {
                    view! { <PropertyForm edit=edit /> }.into_any()
                }
            }}
        </section>
    }
}

#[component]
fn PropertyForm(edit: Edit) -> impl IntoView {
    let navigate = dom::use_navigate();
    let entered = edit.entered;
    let path = Signal::derive(move || match entered.get() {
        Some(entered) => entered.claim_path,
        None => String::new(),
    });
    let nested = Signal::derive(move || Some(entered.read().as_ref()?.nested));
    let held = Memo::new(move |_| {
        let policy = edit.service.policy.get()?;
        Some(GroupSettingsForm::from_settings(policy.settings()))
    });
    let error = Signal::derive(move || edit.wanted.get()?.err());
    let review = {
        move || match edit.wanted.get_untracked() {
            Some(Ok(wanted)) if edit.changes.get_untracked() > 0 => {
                edit.draft.add(Change::Settings(Box::new(wanted)));
                navigate(address::REVIEW, leptos_router::NavigateOptions::default());
            }
            Some(Err(_)) => {
                dom::focus(CLAIM_PATH_ID);
            }
            Some(Ok(_)) | None => {}
        }
    };
    let nothing = Signal::derive(move || edit.changes.get() == 0);
    view! {
        <form class="stack loose" aria-labelledby="settings-claim" on:submit=move |event| {
            event.prevent_default();
            review();
        }>
            <div class="stack tight">
                <Field id=CLAIM_PATH_ID label="Claim path" value=path mono=true error=error
                    on_input=move |text| change(entered, |entered| entered.claim_path = text)
                    described_by="claim-path-about claim-path-found" />
                <div id="claim-path-found">
                    {move || {
                        let wanted = edit.wanted.get()?.ok()?;
                        Some(claim_messages(&wanted, &edit.tokens.read()))
                    }}
                </div>
                <p class="help" id="claim-path-about">
                    <Mono text="oidc_group_claim_path" /> ", default " <Mono text="$.groups" />
                    {changed_tag(entered, held, |a, b| a.claim_path.trim() != b.claim_path)}
                </p>
            </div>
            <fieldset class="stack tight" aria-describedby="nested-about">
                <legend class="legend">
                    "Nested names" {changed_tag(entered, held, |a, b| a.nested != b.nested)}
                </legend>
                <div>
                    <Behavior nested=nested value=NestedGroupBehavior::None about="Full name: " example="/eng/payments"
                        on_choose=move |()| change(entered, |entered| entered.nested = NestedGroupBehavior::None) />
                    <Behavior nested=nested value=NestedGroupBehavior::Suffix about="After the last slash: " example="payments"
                        on_choose=move |()| change(entered, |entered| entered.nested = NestedGroupBehavior::Suffix) />
                </div>
                <p class="help" id="nested-about"><Mono text="nested_group_behavior" /> ", default " <Mono text="none" /></p>
            </fieldset>
            <div class="row">
                <Button kind=ButtonKind::Primary submit=true disabled=nothing>
                    {move || match edit.changes.get() {
                        0 => "Nothing to review".to_owned(),
                        changes => format!("Review {}", count(changes, "change")),
                    }}
                </Button>
                {move || (!nothing.get()).then(|| view! { <Button kind=ButtonKind::Quiet on_press=move |()| discard(edit)>"Discard"</Button> })}
            </div>
        </form>
    }
}

type Entered = RwSignal<Option<GroupSettingsForm>>;

/// Changes what is entered.
fn change(entered: Entered, change: impl FnOnce(&mut GroupSettingsForm)) {
    entered.update(|entered| {
        if let Some(entered) = entered {
            change(entered);
        }
    });
}

/// Says that what is entered differs from what is in force.
fn changed_tag(
    entered: Entered,
    held: Memo<Option<GroupSettingsForm>>,
    differs: fn(&GroupSettingsForm, &GroupSettingsForm) -> bool,
) -> impl IntoView {
    move || match (&*entered.read(), &*held.read()) {
        (Some(entered), Some(held)) if differs(entered, held) => {
            Some(view! { " " <Tag kind=TagKind::Draft>"Changed, not saved"</Tag> })
        }
        _ => None,
    }
}

/// Enters what is in force again.
fn discard(edit: Edit) {
    if let Some(policy) = edit.service.policy.get_untracked() {
        // Staged settings go, too: those in force undo them.
        edit.draft
            .add(Change::Settings(Box::new(policy.settings().clone())));
        edit.entered
            .set(Some(GroupSettingsForm::from_settings(policy.settings())));
        dom::announce("Discarded");
    }
}

#[component]
fn Behavior(
    nested: Signal<Option<NestedGroupBehavior>>,
    value: NestedGroupBehavior,
    about: &'static str,
    example: &'static str,
    #[prop(into)] on_choose: Callback<()>,
) -> impl IntoView {
    view! {
        <label class="radio">
            <input type="radio" name="nested" value=value.code() prop:checked=move || nested.get() == Some(value)
                on:change=move |_| on_choose.run(()) />
            <b class="mono">{value.code()}</b>
            <span>{about} <span class="cl">{example}</span></span>
        </label>
    }
}

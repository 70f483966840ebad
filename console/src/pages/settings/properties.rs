//! The form of the two group properties.

use gbac_console_model::address;
use gbac_console_model::settings::GroupSettingsForm;
use gbac_console_model::simulator::token::TokenReading;
use gbac_engine::Coded;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::policy::Change;
use gbac_words::pages::settings as words;
use gbac_words::phrases::count;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;

use super::edit::Edit;
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
    let navigate = use_navigate();
    let entered = edit.entered;
    let path = Signal::derive(move || {
        entered
            .get()
            .map(|entered| entered.claim_path)
            .unwrap_or_default()
    });
    let nested = Signal::derive(move || entered.get().map(|entered| entered.nested));
    let held = Memo::new(move |_| {
        edit.service.policy.with(|policy| {
            policy
                .as_ref()
                .map(|policy| GroupSettingsForm::from_settings(policy.settings()))
        })
    });
    let error = Signal::derive(move || edit.wanted.get().and_then(Result::err));
    let change = move |change: Box<dyn FnOnce(&mut GroupSettingsForm)>| {
        entered.update(|entered| {
            if let Some(entered) = entered {
                change(entered);
            }
        });
    };
    let differs = move |part: fn(&GroupSettingsForm, &GroupSettingsForm) -> bool| {
        entered.with(|entered| {
            held.with(|held| {
                entered
                    .as_ref()
                    .zip(held.as_ref())
                    .is_some_and(|(a, b)| part(a, b))
            })
        })
    };
    let changed_tag = || view! { " " <Tag kind=TagKind::Draft>"Changed, not saved"</Tag> };
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
    let discard = move |()| {
        if let Some(policy) = edit.service.policy.get_untracked() {
            // Staged settings go, too: those in force undo them.
            edit.draft
                .add(Change::Settings(Box::new(policy.settings().clone())));
            entered.set(Some(GroupSettingsForm::from_settings(policy.settings())));
            dom::announce("Discarded");
        }
    };
    let found = move || {
        let wanted = edit.wanted.get().and_then(Result::ok)?;
        edit.token.with(|reading| match reading {
            TokenReading::Read(read) => {
                Some(super::names::claim_message(&wanted, read.claims.members()))
            }
            TokenReading::Empty | TokenReading::Wrong(_) => None,
        })
    };
    let nothing = Signal::derive(move || edit.changes.get() == 0);
    view! {
        <form class="stack loose" aria-labelledby="settings-claim" on:submit=move |event| {
            event.prevent_default();
            review();
        }>
            <div class="stack tight">
                <Field id=CLAIM_PATH_ID label="Claim path" value=path mono=true error=error
                    on_input=move |text: String| change(Box::new(move |entered| entered.claim_path = text))
                    described_by="claim-path-about claim-path-found" />
                <div id="claim-path-found">{found}</div>
                <p class="help" id="claim-path-about">
                    <Mono text="oidc_group_claim_path" /> ", default " <Mono text="$.groups" />
                    {move || differs(|a, b| a.claim_path.trim() != b.claim_path).then(changed_tag)}
                </p>
            </div>
            <fieldset class="stack tight" aria-describedby="nested-about">
                <legend class="legend">
                    "Nested names" {move || differs(|a, b| a.nested != b.nested).then(changed_tag)}
                </legend>
                <div>
                    <Behavior nested=nested value=NestedGroupBehavior::None about="Full name: " example="/eng/payments"
                        on_choose=move |()| change(Box::new(|entered| entered.nested = NestedGroupBehavior::None)) />
                    <Behavior nested=nested value=NestedGroupBehavior::Suffix about="After the last slash: " example="payments"
                        on_choose=move |()| change(Box::new(|entered| entered.nested = NestedGroupBehavior::Suffix)) />
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
                {move || (!nothing.get()).then(|| view! { <Button kind=ButtonKind::Quiet on_press=discard>"Discard"</Button> })}
            </div>
        </form>
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

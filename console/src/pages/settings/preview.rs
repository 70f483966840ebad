//! The preview of changed properties, before they are saved.

use gbac_engine::model::Principal;
use gbac_words::common::NO_CHANGE_IN_ACCESS;
use gbac_words::pages::settings as words;
use gbac_words::phrases::count;
use leptos::prelude::*;

use super::edit::Edit;
use crate::dom;
use crate::pages::group_changes::{TokensField, counts, effects_table, names_table, warning};
use crate::ui::{LinkButton, PrincipalName};

#[component]
pub(super) fn PreviewOf(edit: Edit) -> impl IntoView {
    view! {
        <section aria-labelledby="settings-preview" class="stack">
            <div class="row">
                <h2 id="settings-preview">"Preview"</h2>
                <span class="count" role="status">
                    {move || edit.preview.with(|preview| words::previewed(preview.in_tokens(), preview.known))}
                </span>
            </div>
            <TokensField id="settings-token" tokens=edit.tokens changes=edit.preview />
            {move || edit.preview.with(warning)}
            {move || {
                let preview = edit.preview.get();
                if preview.is_empty() && preview.in_tokens() == 0 {
                    let words = if edit.changes.get() == 0 {
                        words::NOTHING_TO_PREVIEW
                    } else {
                        words::NO_GROUP_CHANGES
                    };
                    view! { <p class="quiet">{words}</p> }.into_any()
                } else {
                    names_table(&preview).into_any()
                }
            }}
            {move || edit.preview.with(|preview| {
                if preview.lines().is_empty() {
                    // Where it cannot be known what tokens give, nobody can say that nothing is
                    // lost.
                    let is_same = edit.changes.get() > 0 && preview.unknown() == 0;
                    return is_same.then(|| view! { <p class="quiet">{NO_CHANGE_IN_ACCESS}</p> }.into_any());
                }
                let renames = view! { <Renames edit=edit /> }.into_any();
                let (table, numbers) = (effects_table(preview, Some(renames)), counts(preview));
                Some(view! {
                    <div class="row section"><h2 id="settings-effects">"Gained and lost access"</h2><span class="count">{numbers}</span></div>
                    {table}
                }.into_any())
            })}
        </section>
    }
}

/// Offers a draft in which role members have the names that they will have.
#[component]
fn Renames(edit: Edit) -> impl IntoView {
    move || {
        let (renames, unrenamed) = edit.preview.with(|preview| preview.renames());
        let number = renames.len() / 2;
        let members = number + unrenamed.len();
        (members > 0).then(|| {
            let words = words::rename_members(number, members);
            let left: Vec<_> = unrenamed
                .into_iter()
                .map(|(role, name, why)| {
                    view! {
                        <li><PrincipalName principal=Principal::group(name) /> " of " <PrincipalName principal=Principal::role(role) /> " " {why} "."</li>
                    }
                })
                .collect();
            view! {
                <div class="t-foot">
                    {(number > 0).then(|| view! {
                        <LinkButton on_press=move |()| {
                            let made = edit.draft.add_all(renames.clone());
                            dom::announce(&format!("{} in the draft", count(made, "change")));
                        }>{words}</LinkButton>
                    })}
                    <ul>{left}</ul>
                </div>
            }
        })
    }
}

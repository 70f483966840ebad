//! Findings of one kind: their meaning, and each finding with its fixes.

use gbac_words::common;
use std::sync::Arc;

use gbac_analysis::{Finding, Fix, Severity};
use gbac_console_model::permissions::findings::{FindingGroup, PAGE, fix_all, places, staged};
use gbac_engine::Coded;
use gbac_words::finding::meaning;
use gbac_words::pages::permissions as words;
use gbac_words::phrases::{capitalized, count, thousands};
use leptos::prelude::*;

use super::frame::Context;
use crate::dom;
use crate::pages::link::AddressLink;
use crate::pages::opening::{opened, opens};
use crate::store::draft::Draft;
use crate::ui::{Button, Glyph, LinkButton, Mark, Tag, TagKind, VerdictWord, Words};

/// A section for each kind.
#[component]
pub(super) fn KindView(
    /// The kind.
    kind: FindingGroup,
    /// All findings.
    all: Arc<Vec<Finding>>,
) -> impl IntoView {
    let context = expect_context::<Context>();
    let draft = expect_context::<Draft>();
    let (title, means) = meaning(kind.code);
    let id = format!("finding-{}", kind.code.code());
    let heading = id.clone();
    let number = kind.places.len();
    let limit = RwSignal::new(PAGE);
    let of_kind: Vec<&Finding> = kind
        .places
        .iter()
        .filter_map(|place| all.get(*place))
        .collect();
    let policy = context.service.policy.get_untracked().unwrap_or_default();
    let whole = fix_all(&of_kind, &policy);
    let fix_whole = whole.map(|changes| {
        let add = {
            let changes = changes.clone();
            move |()| {
                draft.add_all(changes.clone());
                dom::announce(&format!("{} in the draft", count(changes.len(), "change")));
            }
        };
        let is_staged = Memo::new(move |_| {
            draft.changes.with(|staged| changes.iter().all(|change| staged.contains(change)))
        });
        move || if is_staged.get() {
            view! { <Tag kind=TagKind::Draft>"All in draft"</Tag> }.into_any()
        } else {
            view! { <Button small=true glyph=Glyph::Plus on_press=add.clone()>{format!("Fix all {}", thousands(number))}</Button> }.into_any()
        }
    });
    let rows = {
        let places = kind.places;
        move || {
            let shown = places.iter().take(limit.get());
            shown
                .filter_map(|place| all.get(*place).cloned())
                .map(|finding| view! { <FindingView finding=finding /> })
                .collect_view()
        }
    };
    let (mark, word) = match kind.severity {
        Severity::Error => (Mark::Deny, "Error"),
        Severity::Warning => (Mark::Warn, "Warning"),
        Severity::Notice => (Mark::Info, "Notice"),
    };
    view! {
        <section class="panel flat finding-kind" aria-labelledby=id>
            <div class="finding-h">
                <div>
                    <p><VerdictWord mark=mark word=word small=true /></p>
                    <h2 id=heading tabindex="-1">{title} " " <span class="count">{thousands(number)}</span></h2>
                    <p class="quiet">{means}</p>
                </div>
                <div class="row">{fix_whole}</div>
            </div>
            <ul class="findings">{rows}</ul>
            {move || (number > limit.get()).then(|| view! {
                <div class="t-foot">
                    <span>{common::rows(1, limit.get(), number)}</span>
                    <LinkButton on_press=move |()| limit.update(|limit| *limit += PAGE)>{format!("Show {} more", PAGE.min(number - limit.get()))}</LinkButton>
                </div>
            })}
        </section>
    }
}

#[component]
fn FindingView(finding: Finding) -> impl IntoView {
    let context = expect_context::<Context>();
    let draft = expect_context::<Draft>();
    let policy = context.service.policy.get_untracked().unwrap_or_default();
    let fixes = finding.suggested_fixes(&policy);
    let opening = opens(&finding.opening());
    let places = places(&finding, &policy);
    let (message, hint) = (capitalized(&finding.message), capitalized(&finding.hint));
    let known = fixes.clone();
    let chosen = Memo::new(move |_| draft.changes.with(|changes| staged(&known, changes)));
    let subject = finding.message.clone();
    let buttons = {
        let fixes = fixes.clone();
        move || match chosen.get() {
            Some(at) => {
                let fix = fixes.get(at).cloned();
                view! { <InDraft fix=fix /> }.into_any()
            }
            None => {
                let subject = subject.clone();
                fixes
                    .iter()
                    .cloned()
                    .map(|fix| {
                        let opening = opened(&fix.opening(&policy));
                        view! { <FixButton fix=fix subject=subject.clone() /> {opening} }
                    })
                    .collect_view()
                    .into_any()
            }
        }
    };
    let links = places
        .into_iter()
        .map(|place| view! { <AddressLink href=place.address class="btn btn-sm">{place.words}</AddressLink> });
    view! {
        <li class=move || if chosen.get().is_some() { "staged" } else { "" }>
            <div>
                <p class="brk"><Words text=message /> "."</p>
                {opening}
                <p class="help brk"><Words text=hint /> "."</p>
            </div>
            <div class="row">{buttons} {links.collect_view()}</div>
        </li>
    }
}

/// Adds a fix to the draft.
#[component]
fn FixButton(fix: Fix, subject: String) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let Fix { title, changes, .. } = fix;
    let shown = title.clone();
    let said = title.replace('`', "");
    view! {
        <Button small=true glyph=Glyph::Plus on_press=move |()| {
            draft.add_all(changes.clone());
            dom::announce(&format!("In the draft: {said}"));
        }>
            <Words text=shown /> <span class="sr">{format!(", {}", subject.replace('`', ""))}</span>
        </Button>
    }
}

/// Shows that a fix is in the draft, and removes it.
#[component]
fn InDraft(fix: Option<Fix>) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let Fix { title, changes, .. } = fix?;
    let said = title.replace('`', "");
    Some(view! {
        <Tag kind=TagKind::Draft>"In draft: " <Words text=title /></Tag>
        <Button small=true glyph=Glyph::Undo on_press=move |()| {
            for change in changes.iter().rev() {
                draft.take_back(change);
            }
            dom::announce(&words::fix_removed(&said));
        }>"Undo"</Button>
    })
}

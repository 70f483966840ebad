//! The findings of the policy, by kind, with their fixes; and the group names that collide.

use gbac_engine::Coded;
use std::sync::Arc;

use gbac_analysis::{Finding, Severity};
use gbac_console_model::collisions::collision_report;
use gbac_console_model::permissions::findings::{address_of, kinds, severity_at, summary};
use gbac_words::pages::permissions as words;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_location;

use super::finding::KindView;
use super::frame::{Context, Frame};
use crate::dom;
use crate::pages::collision::CollisionList;
use crate::store::service::Service;
use crate::ui::{Choice, Empty, Glyph, Segmented, SkeletonRows};

/// The page.
#[component]
pub fn FindingsPage() -> impl IntoView {
    view! {
        <Frame lead=words::FINDINGS_PURPOSE>
            <Body />
            <Collisions />
        </Frame>
    }
}

/// Known groups that become one group under the service's settings: tokens decide who is in which,
/// so there is no fix for the draft. Nothing is shown while there is none.
#[component]
fn Collisions() -> impl IntoView {
    let service = expect_context::<Service>();
    let report = Memo::new(move |_| {
        let policy = service.policy.get()?;
        let nested = policy.settings().identity_rules().extraction.nested;
        let none: [&str; 0] = [];
        let report = collision_report(&policy, nested, &none);
        (!report.merged.collisions.is_empty()).then_some(report)
    });
    move || {
        report.get().map(|report| {
            view! {
                <section class="section panel flat pad stack" aria-labelledby="h-collisions">
                    <h2 class="h-md" id="h-collisions">"Group names that collide"</h2>
                    <p class="quiet">{words::COLLISIONS}</p>
                    <CollisionList report=report of_token=false />
                </section>
            }
        })
    }
}

#[component]
fn Body() -> impl IntoView {
    let context = expect_context::<Context>();
    move || match context.findings.all.get() {
        None => view! { <SkeletonRows what="Looking for findings" /> }.into_any(),
        Some(all) if all.is_empty() => view! {
            <div class="panel flat">
                <Empty glyph=Glyph::Allow title="No findings">
                    <p>{words::NO_FINDINGS}</p>
                </Empty>
            </div>
        }
        .into_any(),
        Some(all) => view! { <List all=all /> }.into_any(),
    }
}

#[component]
fn List(all: Arc<Vec<Finding>>) -> impl IntoView {
    let query = use_location().search;
    let navigate = dom::use_navigate();
    let severity = Memo::new(move |_| query.with(|query| severity_at(query)));
    let chosen = Signal::derive(move || match severity.get() {
        Some(severity) => severity.code().to_owned(),
        None => String::new(),
    });
    let choices = vec![
        Choice::new("", "All"),
        Choice::new("error", "Errors"),
        Choice::new("warning", "Warnings"),
        Choice::new("notice", "Notices"),
    ];
    let line = summary(&all);
    let list = {
        let all = Arc::clone(&all);
        move || {
            let kinds = kinds(&all, severity.get());
            if kinds.is_empty() {
                return view! {
                    <div class="panel flat">
                        <Empty glyph=Glyph::Search title=words::NONE_OF_SEVERITY><p>{words::OTHER_SEVERITIES}</p></Empty>
                    </div>
                }
                .into_any();
            }
            let all = Arc::clone(&all);
            kinds
                .into_iter()
                .map(|kind| view! { <KindView kind=kind all=Arc::clone(&all) /> })
                .collect_view()
                .into_any()
        }
    };
    view! {
        <div class="tools">
            <Segmented name="finding-severity" legend="Severity" hide_legend=true value=chosen choices=choices
                on_change=move |code: String| {
                    let severity = Severity::ALL.iter().copied().find(|severity| severity.code() == code);
                    let options = NavigateOptions { replace: true, scroll: false, ..NavigateOptions::default() };
                    navigate(&address_of(severity), options);
                } />
            <p class="count row-end" role="status">{line}</p>
        </div>
        <div class="stack wide-gap">{list}</div>
    }
}

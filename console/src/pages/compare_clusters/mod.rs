//! The page that compares two clusters, A and B, and makes one decide as the other.

mod context;
mod converge;
mod report;
mod side;
mod table;

use gbac_console_model::address;
use gbac_console_model::compare_clusters::ClusterSide;
use gbac_words::pages::compare_clusters as words;
use leptos::prelude::*;

use self::context::CompareContext;
use self::converge::ConvergeBar;
use self::report::ReportButton;
use self::side::Sides;
use self::table::Differences;
use crate::dom;
use crate::pages::rich_text::sentence;
use crate::pages::unread::Unread;
use crate::store::service::Service;
use crate::ui::{Empty, Glyph, Message, MessageKind};

/// The page.
#[component]
pub fn CompareClustersPage() -> impl IntoView {
    dom::set_title(words::TITLE);
    let service = expect_context::<Service>();
    let is_read = Memo::new(move |_| service.policy.with(Option::is_some));
    let context = CompareContext::new();
    provide_context(context);
    view! {
        <ol class="crumbs">
            <li><a href=address::EXCHANGE>"Import and export"</a></li>
            <li aria-current="page">{words::TITLE}</li>
        </ol>
        <div class="head">
            <div>
                <h1>{words::TITLE}</h1>
                <p>{words::PURPOSE}</p>
            </div>
            <ReportButton />
        </div>
        {move || if is_read.get() {
            view! { <Sides /> <Compared /> }.into_any()
        } else {
            view! { <Unread what="the policy" /> }.into_any()
        }}
    }
}

#[component]
fn Compared() -> impl IntoView {
    let context = expect_context::<CompareContext>();
    let missing = Memo::new(move |_| context.missing().map(ClusterSide::letter));
    move || {
        if let Some(side) = missing.get() {
            return view! {
                <div class="panel flat">
                    <Empty glyph=Glyph::Missing title=format!("{side} is missing")>
                        <p>{words::missing(side)}</p>
                    </Empty>
                </div>
            }
            .into_any();
        }
        let Some(comparison) = context.comparison.get() else {
            return ().into_any();
        };
        let mut notes = Vec::new();
        for note in comparison.notes.clone() {
            notes.push(view! { <Message kind=MessageKind::Warn>{sentence(&note)}</Message> });
        }
        if comparison.rows.is_empty() {
            return view! {
                {notes}
                <div class="panel flat" role="status">
                    <Empty glyph=Glyph::Same title=words::EQUAL>
                        <p>{words::EQUAL_EVEN_IF}</p>
                    </Empty>
                </div>
            }
            .into_any();
        }
        view! { {notes} <Differences comparison=comparison /> <ConvergeBar /> }.into_any()
    }
}

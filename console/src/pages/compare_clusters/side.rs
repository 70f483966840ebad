//! The two sides: where each policy comes from.

use std::sync::Arc;

use gbac_console_model::compare_clusters::{ClusterSide, ComparedDocument, SideSource};
use gbac_engine::policy::Policy;
use gbac_formats::table::InputFormat;
use gbac_words::common::file_too_large;
use gbac_words::pages::compare_clusters as words;
use gbac_words::pages::exchange::paste_or_drop;
use gbac_words::phrases::{capitalized, thousands};
use gbac_words::rich_text::RichText;
use leptos::prelude::*;

use super::context::{CompareContext, SideState};
use crate::dom::{self, GivenFile};
use crate::pages::given_file::{self, DropTarget};
use crate::store::draft::Draft;
use crate::store::service::Service;
use crate::ui::{
    Button, Choice, Message, MessageKind, Mono, Note, NoteKind, Select, TextArea, Words,
};

/// The largest file that is read, in bytes.
const LARGEST: f64 = 20_000_000.0;

#[component]
pub(super) fn Sides() -> impl IntoView {
    let context = expect_context::<CompareContext>();
    let [a, b] = context.sides;
    let swap = move |()| {
        a.swap(b);
        dom::announce(words::SWAPPED);
    };
    view! {
        <div class="panel flat cmp-sides">
            <Side state=a />
            <div class="cmp-swap"><Button small=true on_press=swap>"Swap A and B"</Button></div>
            <Side state=b />
        </div>
    }
}

#[component]
fn Side(state: SideState) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let service = expect_context::<Service>();
    let letter = state.side.letter();
    let label = format!("Cluster {letter}");
    let heading = format!("h-side-{letter}");
    let labelled_by = heading.clone();
    let has_draft = Memo::new(move |_| draft.count() > 0);
    let choices = Signal::derive(move || {
        let (names, open) = (service.cluster_names(), service.named_cluster());
        let chosen = state.source.get();
        let mut offered = SideSource::offered(&names, open.as_deref());
        // An address may name one that is not there.
        if !offered.contains(&chosen) {
            offered.push(chosen.clone());
        }
        offered.retain(|source| {
            *source != SideSource::Draft || has_draft.get() || chosen == SideSource::Draft
        });
        Choice::each(offered, |source| {
            (source.id(), source.label(open.as_deref()))
        })
    });
    let value = Signal::derive(move || state.source.get().id());
    let is_document = Memo::new(move |_| state.source.get() == SideSource::Document);
    let counted = move || {
        let policy = match state.source.get() {
            SideSource::Cluster => service.policy.get(),
            SideSource::Draft => draft.after(),
            SideSource::Other(_) => match &*state.other.read() {
                Some(Ok(policy)) => Some(Arc::clone(policy)),
                Some(Err(_)) | None => None,
            },
            SideSource::Document => None,
        };
        policy.map(|policy| holds(&policy))
    };
    let unread = move || match (state.source.get(), &*state.other.read()) {
        (SideSource::Other(name), Some(Err(failure))) => {
            let said = words::not_read(letter, &name, &failure.to_string());
            Some(view! { <Message kind=MessageKind::Warn>{said}</Message> })
        }
        _ => None,
    };
    view! {
        <section class="cmp-side" aria-labelledby=labelled_by>
            <span class="ab-k" aria-hidden="true">{letter}</span>
            <div class="stack">
                <h2 class="sr" id=heading>{label.clone()}</h2>
                <Select id=format!("side-{letter}") label=label value=value choices=choices
                    on_change=move |id: String| state.chosen.set(SideSource::find(&id).unwrap_or(SideSource::Document)) />
                <div role="status"><p class="small quiet">{counted}</p>{unread}</div>
                {move || is_document.get().then(|| view! { <Document state=state /> })}
            </div>
        </section>
    }
}

fn holds(policy: &Policy) -> String {
    words::holds(policy.acl_count(), policy.role_names().len())
}

/// The document of a side: dropped, chosen or pasted.
#[component]
fn Document(state: SideState) -> impl IntoView {
    let refused = RwSignal::new(None::<RichText>);
    let letter = state.side.letter();
    let file_id = match state.side {
        ClusterSide::A => "file-A",
        ClusterSide::B => "file-B",
    };
    let take = move |given: GivenFile| {
        given_file::take(
            given,
            LARGEST,
            file_too_large,
            refused,
            move |name, content| {
                let _ = state.text.try_set(content);
                let _ = state.file.try_set(Some(name.to_owned()));
                dom::announce(&format!("{name} was read"));
                Ok(())
            },
        );
    };
    view! {
        <DropTarget on_drop=take>
            <TextArea id=format!("document-{letter}") label=format!("{} of {letter}", words::DOCUMENT_TEXT) rows=4
                value=state.text help=paste_or_drop(&InputFormat::labels())
                on_input=move |typed| {
                    state.file.set(None);
                    state.text.set(typed);
                } />
            <div class="row">
                {given_file::input(file_id, take)}
                <Button on_press=move |()| dom::click(file_id) attr:aria-label=words::choose_file(letter)>"Choose a file"</Button>
                {move || state.file.get().map(|name| view! { <Mono text=name /> })}
            </div>
            {given_file::refusal(refused)}
            <div role="status">
                {move || match &*state.document.read() {
                    ComparedDocument::Read(policy, format) => {
                        Some(view! { <p class="small">{format!("{}: {}", capitalized(format), holds(policy))}</p> })
                    }
                    ComparedDocument::Missing | ComparedDocument::Refused(..) => None,
                }}
            </div>
            {move || match state.document.get() {
                ComparedDocument::Refused(number, problems) => {
                    let more = number.saturating_sub(problems.len());
                    Some(view! {
                        <Note kind=NoteKind::Error title=words::refused(letter, number)>
                            <div class="problems" tabindex="0" role="group" aria-label=format!("Problems of {letter}")>
                                <ul class="plain">
                                    {problems.into_iter().map(|problem| view! {
                                        <li class="brk">
                                            {(!problem.place.is_empty()).then(|| view! { <span class="mono place">{problem.place}</span> ": " })}
                                            <Words text=problem.message />
                                        </li>
                                    }).collect_view()}
                                    {(more > 0).then(|| view! { <li>{format!("and {} more", thousands(more))}</li> })}
                                </ul>
                            </div>
                        </Note>
                    })
                }
                ComparedDocument::Missing | ComparedDocument::Read(..) => None,
            }}
        </DropTarget>
    }
}

//! Rich text as elements.

use gbac_console_model::address;
use gbac_engine::model::PrincipalType;
use gbac_words::rich_text::{RichText, Span};
use leptos::prelude::*;

use crate::pages::link::RoleLink;
use crate::ui::{Glyph, Icon, Mono, PermissionWord, Piece, PrincipalName, ResourceName, pieces};

/// A sentence, its names as names.
pub(super) fn sentence(words: &RichText) -> impl IntoView + use<> {
    words.0.iter().map(word).collect_view()
}

/// Sentences as the items of a list.
pub(super) fn items(sentences: &[RichText]) -> impl IntoView + use<> {
    sentences
        .iter()
        .map(|words| view! { <li><span>{sentence(words)}</span></li> })
        .collect_view()
}

/// The same without links, inside something that is chosen as a whole.
pub(super) fn unlinked(words: &RichText) -> impl IntoView + use<> {
    words.0.iter().map(unlinked_word).collect_view()
}

fn unlinked_word(span: &Span) -> AnyView {
    match span {
        Span::Principal(principal) => {
            view! { <PrincipalName principal=principal.clone() /> }.into_any()
        }
        other => word(other),
    }
}

fn word(word: &Span) -> AnyView {
    match word {
        Span::Text(text) if text == " → " => view! { <span class="hop">" → "</span> }.into_any(),
        Span::Text(text) => text.clone().into_any(),
        Span::Quiet(text) => view! { <span class="dim">{text.clone()}</span> }.into_any(),
        Span::Code(text) => view! { <Mono text=text.clone() /> }.into_any(),
        Span::Principal(principal) if principal.kind() == PrincipalType::Role => {
            let (href, principal) = (address::role(principal.name()), principal.clone());
            view! { <RoleLink href=href class="pr"><PrincipalName principal=principal /></RoleLink> }.into_any()
        }
        Span::Principal(principal) => {
            view! { <PrincipalName principal=principal.clone() /> }.into_any()
        }
        Span::Resource(name) => view! { <ResourceName name=name.clone() /> }.into_any(),
        Span::Pattern(words) => view! { <span class="pat">{*words}</span> }.into_any(),
        Span::Permission(permission) => {
            view! { <PermissionWord permission=*permission /> }.into_any()
        }
        Span::Overridden => {
            view! { <span class="v v-over"><Icon glyph=Glyph::Overridden /><b>"Allow"</b></span> }
                .into_any()
        }
        Span::Differs(kind, parts) => {
            let parts = parts
                .iter()
                .map(|(part, differs)| {
                    let shown = shown(part);
                    if *differs {
                        view! { <mark>{shown}</mark> }.into_any()
                    } else {
                        shown.into_any()
                    }
                })
                .collect_view();
            view! { <bdi class="rs"><span class="pr-t">{kind.clone()}</span>{parts}</bdi> }
                .into_any()
        }
    }
}

/// A name whose characters that cannot be seen are shown by their code.
pub(super) fn shown(name: &str) -> impl IntoView + use<> {
    pieces(name)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.into_any(),
            Piece::Code(c) => {
                let code = format!("U+{:04X}", u32::from(c));
                view! { <span class="esc">{code}</span> }.into_any()
            }
        })
        .collect_view()
}

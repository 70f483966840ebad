//! What something opens, as the bar of breadth with its words.

use gbac_analysis::Opening;
use gbac_words::breadth;
use gbac_words::rich_text::RichText;
use leptos::prelude::*;

use crate::pages::rich_text::sentence;
use crate::ui::{BreadthBar, Glyph, Icon, IconSize};

/// What opens: `every topic`; nothing where nothing opens.
pub(super) fn opened(opening: &Opening) -> Option<AnyView> {
    (!opening.is_empty()).then(|| bar(opening, &breadth::opening(opening)))
}

/// The same as a sentence: `Opens every topic.`
pub(super) fn opens(opening: &Opening) -> Option<AnyView> {
    let words = breadth::opens(opening)?.text(".");
    Some(view! { <p class="opens">{bar(opening, &words)}</p> }.into_any())
}

fn bar(opening: &Opening, words: &RichText) -> AnyView {
    let shown = sentence(words);
    match opening.breadth() {
        Some(breadth) => view! { <BreadthBar breadth=breadth>{shown}</BreadthBar> }.into_any(),
        // The settings have no names.
        None => {
            view! { <span class="brw everyone"><Icon glyph=Glyph::Warn size=IconSize::Small /><b>{shown}</b></span> }
                .into_any()
        }
    }
}

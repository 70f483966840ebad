//! The results: the answer to a question, then groups of names, pages and actions.

use gbac_console_model::search::{
    AnswerChoice, AnswerMark, Label, LabelPart, SearchAnswer, SearchGroup, SearchItem, SearchKind,
    SearchResults,
};
use gbac_words::escape::code;
use leptos::prelude::*;

use crate::pages::rich_text::unlinked;
use crate::ui::{Glyph, Icon, Key};

/// The id of the result at a place.
pub(super) fn option_id(at: usize) -> String {
    format!("search-option-{at}")
}

/// All results; those that can be chosen are options of one list.
#[component]
pub(super) fn Results(
    found: Memo<SearchResults>,
    selected: RwSignal<usize>,
    /// Chooses the result at a place.
    on_choose: Callback<usize>,
) -> impl IntoView {
    move || {
        let SearchResults { answer, groups } = found.get();
        // The places of options, in the order of the page.
        let mut next = 0;
        let mut place = move || {
            next += 1;
            next - 1
        };
        let pick = Pick {
            selected,
            on_choose,
        };
        let (above, answered) = match answer {
            Some(answer) => {
                let verdict = answer.target.as_ref().map(|(_, words)| (place(), *words));
                let choices: Vec<_> = answer
                    .choices
                    .iter()
                    .map(|choice| chosen(choice, place(), pick))
                    .collect();
                let more = more(answer.more);
                match verdict {
                    Some((at, words)) => {
                        let option = view! {
                            <div class="ans" {..pick.option(at)}>
                                {verdict_of(&answer)}
                                <p class="row"><span class="btn btn-sm">{words} " " <Key name="Enter" /></span></p>
                            </div>
                        };
                        let group = view! { <div role="group" aria-label="Answer">{option}{choices}{more}</div> };
                        (None, Some(group.into_any()))
                    }
                    None => {
                        let above = view! { <div class="ans">{verdict_of(&answer)}</div> };
                        let group = (!choices.is_empty())
                            .then(|| view! { <div role="group" aria-label="Matches">{choices}{more}</div> }.into_any());
                        (Some(above), group)
                    }
                }
            }
            None => (None, None),
        };
        let groups: Vec<_> = groups
            .into_iter()
            .enumerate()
            .map(|(number, group)| group_view(number, group, &mut place, pick))
            .collect();
        let is_nothing = answered.is_none() && groups.is_empty();
        let listed = (!is_nothing).then(|| {
            view! { <div class="res" role="listbox" id="search-results" aria-label="Results">{answered}{groups}</div> }
        });
        let nothing = (is_nothing && above.is_none())
            .then(|| view! { <p class="quiet none">"No results"</p> });
        view! { <div class="pal-res">{above}{listed}{nothing}</div> }
    }
}

/// How options are marked and chosen.
#[derive(Clone, Copy)]
struct Pick {
    selected: RwSignal<usize>,
    on_choose: Callback<usize>,
}

impl Pick {
    /// What every option has.
    fn option(self, at: usize) -> impl leptos::attr::Attribute {
        let Self {
            selected,
            on_choose,
        } = self;
        view! {
            <{..}
                role="option"
                id=option_id(at)
                aria-selected=move || if selected.get() == at { "true" } else { "false" }
                on:click=move |_| on_choose.run(at)
            />
        }
    }
}

fn look(mark: AnswerMark) -> (&'static str, Glyph) {
    match mark {
        AnswerMark::Allow => ("v v-allow", Glyph::Allow),
        AnswerMark::AllowIf => ("v v-info", Glyph::AllowIf),
        AnswerMark::Deny => ("v v-deny", Glyph::Deny),
        AnswerMark::NoRule => ("v v-none", Glyph::NoRule),
        AnswerMark::Partly => ("v v-warn", Glyph::Near),
        AnswerMark::Listed => ("v v-info", Glyph::User),
        AnswerMark::Unclear => ("v v-info", Glyph::Info),
    }
}

fn verdict_of(answer: &SearchAnswer) -> impl IntoView + use<> {
    let (class, glyph) = look(answer.mark);
    let lines = answer
        .lines
        .iter()
        .map(|line| view! { <p>{unlinked(line)}</p> })
        .collect_view();
    view! {
        <div class="ans-h">
            <span class=class><Icon glyph=glyph />{answer.title.clone()}</span>
            <span class="quiet">{answer.reason.clone()}</span>
        </div>
        {lines}
    }
}

/// One choice below an answer.
fn chosen(choice: &AnswerChoice, at: usize, pick: Pick) -> impl IntoView + use<> {
    let (class, glyph) = choice.mark.map_or(("v v-info", Glyph::Chevron), look);
    view! {
        <div class="op1" {..pick.option(at)}>
            <span class=class><Icon glyph=glyph /></span>
            <span>{unlinked(&choice.words)}</span>
            <span>{choice.detail.clone()}</span>
        </div>
    }
}

fn more(number: usize) -> Option<impl IntoView> {
    (number > 0).then(
        || view! { <p class="gh-more" role="presentation">{format!("and {number} more")}</p> },
    )
}

fn group_view(
    number: usize,
    group: SearchGroup,
    place: &mut dyn FnMut() -> usize,
    pick: Pick,
) -> impl IntoView + use<> {
    let SearchGroup {
        title,
        items,
        more: rest,
    } = group;
    let id = format!("search-group-{number}");
    let labelled_by = id.clone();
    let items = items
        .into_iter()
        .map(|item| item_view(item, place(), pick))
        .collect_view();
    view! {
        <div role="group" aria-labelledby=labelled_by>
            <p class="gh" id=id role="presentation">
                {title}
                {(rest > 0).then(|| view! { <span class="count">{format!(" and {rest} more")}</span> })}
            </p>
            {items}
        </div>
    }
}

fn item_view(item: SearchItem, at: usize, pick: Pick) -> impl IntoView {
    let SearchItem {
        kind,
        label,
        detail,
        ..
    } = item;
    let glyph = match kind {
        SearchKind::User => Glyph::User,
        SearchKind::Group => Glyph::Group,
        SearchKind::Role => Glyph::Role,
        SearchKind::Topic => Glyph::Topic,
        SearchKind::Page => Glyph::Page,
        SearchKind::Action => Glyph::Action,
    };
    // Pages and actions are words, everything else is a name.
    let class = match kind {
        SearchKind::Page | SearchKind::Action => "",
        SearchKind::User | SearchKind::Group | SearchKind::Role | SearchKind::Topic => "rs",
    };
    view! {
        <div class="op1" {..pick.option(at)}>
            <Icon glyph=glyph />
            <span><bdi class=class>{label_view(&label)}</bdi></span>
            <span>{detail}</span>
        </div>
    }
}

fn label_view(label: &Label) -> impl IntoView + use<> {
    let part = |part: &LabelPart| match part {
        LabelPart::Text(text) => text.clone().into_any(),
        LabelPart::Kind(prefix) => {
            view! { <span class="pr-t">{format!("{prefix}:")}</span> }.into_any()
        }
        LabelPart::Name(text, true) => view! { <b class="m">{text.clone()}</b> }.into_any(),
        LabelPart::Name(text, false) => text.clone().into_any(),
        LabelPart::Hidden(letter) => view! { <span class="esc">{code(*letter)}</span> }.into_any(),
    };
    label.0.iter().map(part).collect_view()
}

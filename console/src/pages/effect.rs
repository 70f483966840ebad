//! Gained and lost access, shown alike in the review and before a deletion.

use gbac_analysis::{AccessEffect, AccessRegion, NamePattern, Scope};
use gbac_console_model::review::{AffectedHolder, Effects};
use gbac_engine::model::{PatternType, Principal, ResourceType};
use gbac_words::{effect as effect_words, hosts};
use leptos::prelude::*;

use crate::pages::rich_text::sentence;
use crate::ui::{Glyph, Icon, IconSize, LinkButton, PrincipalName, ResourceName};

/// How many people are shown at first.
const SHORT: usize = 20;
/// How many lines of a list are shown at first.
const EXTENTS_SHOWN: usize = 40;

/// Whom something is about.
#[component]
pub fn HolderName(
    /// Who.
    holder: Scope,
) -> impl IntoView {
    match holder {
        Scope::Everyone => {
            view! { <PrincipalName principal=Principal::user("*") /> " " <span class="quiet">"everyone"</span> }
                .into_any()
        }
        Scope::One(principal) => view! { <PrincipalName principal=principal /> }.into_any(),
    }
}

/// `Gains`, `Loses` or `Still denied`, each with a shape.
#[component]
pub fn EffectWord(
    /// Which.
    effect: AccessEffect,
) -> impl IntoView {
    let (class, glyph) = match effect {
        AccessEffect::Gains | AccessEffect::CanGain => ("eff v-info", Glyph::Up),
        AccessEffect::Loses | AccessEffect::CanLose => ("eff", Glyph::Down),
        AccessEffect::StillDenied => ("eff v-deny", Glyph::Deny),
    };
    let word = effect_words::label(effect);
    view! { <span class=class><Icon glyph=glyph size=IconSize::Small />{word}</span> }
}

/// `Topic payments- prefixed`.
#[component]
pub fn ExtentNames(
    /// The names.
    extent: AccessRegion,
) -> impl IntoView {
    let one_of_a_kind = matches!(
        extent.resource_type,
        ResourceType::Cluster | ResourceType::Registry
    );
    view! {
        <span class="dim">{extent.resource_type.spelling().label}</span>
        {(!one_of_a_kind).then(|| view! { " " <Names pattern=extent.pattern /> })}
    }
}

#[component]
fn Names(pattern: NamePattern) -> impl IntoView {
    let words = match pattern.pattern_type {
        PatternType::Literal if pattern.name == "*" => "all names",
        other => other.spelling().label,
    };
    view! { <ResourceName name=pattern.name /> " " <span class="pat">{words}</span> }
}

/// The operations of an extent in words.
#[must_use]
pub fn operations(extent: &AccessRegion) -> String {
    extent
        .operations
        .iter()
        .map(|operation| operation.spelling().label)
        .collect::<Vec<_>>()
        .join(", ")
}

/// What limits an extent: names that are left out, and hosts.
#[component]
pub fn Limits(
    /// The extent.
    extent: AccessRegion,
) -> impl IntoView {
    let except = (!extent.except.is_empty()).then(|| {
        let names = extent
            .except
            .into_iter()
            .enumerate()
            .map(|(place, pattern)| {
                view! { {if place > 0 { ", " } else { "" }} <Names pattern=pattern /> }
            });
        view! { <span>"except " {names.collect_view()}</span> }
    });
    let hosts = hosts::limit(&extent.hosts).map(|words| view! { <span>{sentence(&words)}</span> });
    view! { {except} {hosts} }
}

/// People with what happens to them, as a list; roles are left to their members.
#[component]
pub fn EffectList(
    /// The effect.
    effects: Effects,
) -> impl IntoView {
    let people: Vec<AffectedHolder> = effects
        .people
        .into_iter()
        .filter(|person| !person.is_role())
        .collect();
    let all = people.len();
    let people = StoredValue::new(people);
    let shown = RwSignal::new(SHORT);
    view! {
        <ul class="facts">
            {move || people.with_value(|people| {
                people.iter().take(shown.get()).cloned().map(|person| {
                    let lines = person.lines.into_iter().map(|line| {
                        let operations = operations(&line.extent);
                        let names = line.extent.clone();
                        view! {
                            <span class="effect">
                                <EffectWord effect=line.effect /> " " {operations} ", " <ExtentNames extent=names /> " "
                                <span class="quiet"><Limits extent=line.extent /></span>
                            </span>
                        }
                    });
                    view! { <li><span class="brk"><HolderName holder=person.holder /> {lines.collect_view()}</span></li> }
                }).collect_view()
            })}
        </ul>
        {move || (all > shown.get()).then(|| view! {
            <LinkButton on_press=move |()| shown.set(all)>{format!("Show all {all}")}</LinkButton>
        })}
    }
}

/// Operations on names, each with what happens to them.
#[component]
pub fn Extents(
    /// What.
    extents: Vec<AccessRegion>,
    /// What happens.
    effect: AccessEffect,
) -> impl IntoView {
    let all = extents.len();
    let extents = StoredValue::new(extents);
    let shown = RwSignal::new(EXTENTS_SHOWN);
    view! {
        <ul class="facts extents">
            {move || extents.with_value(|extents| {
                extents.iter().take(shown.get()).cloned().map(|extent| {
                    let words = operations(&extent);
                    view! {
                        <li>
                            <span class="effect">
                                <EffectWord effect=effect /> " " {words} ", " <ExtentNames extent=extent.clone() /> " "
                                <span class="quiet"><Limits extent=extent /></span>
                            </span>
                        </li>
                    }
                }).collect_view()
            })}
        </ul>
        {move || (all > shown.get()).then(|| view! {
            <LinkButton on_press=move |()| shown.set(all)>{format!("Show all {all}")}</LinkButton>
        })}
    }
}

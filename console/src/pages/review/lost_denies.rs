//! The denies that stop applying to known users and groups, with the reasons.

use std::collections::BTreeMap;

use gbac_console_model::review::{DenyLoss, LostDeny};
use gbac_engine::model::{Host, Principal, ResourceType};
use gbac_words::phrases::{agree, count, thousands};
use leptos::prelude::*;

use crate::ui::{Glyph, Icon, IconSize, PrincipalName, ResourceName, Table, resource_words};

/// How many denies are shown.
const SHOWN: usize = 100;
/// How many of those whom a deny no longer applies to are named.
const HOLDERS: usize = 8;

/// The table; nothing if no deny stops applying.
pub(super) fn lost_denies(denies: Vec<LostDeny>) -> Option<impl IntoView + use<>> {
    let (all, more) = (denies.len(), denies.len().saturating_sub(SHOWN));
    let rows: Vec<_> = denies
        .into_iter()
        .take(SHOWN)
        .map(|lost| view! { <Row lost=lost /> })
        .collect();
    (all > 0).then(|| {
        view! {
            <div class="row"><h3>"Denies that stop applying"</h3><span class="count">{thousands(all)}</span></div>
            <div class="panel">
                <Table
                    label="Denies that stop applying" caption="Denies that stop applying, with the reasons"
                    heads=["Effect", "Operation", "Resource", "Because"]
                >
                    <tbody role="rowgroup">{rows}</tbody>
                </Table>
                {(more > 0).then(|| view! { <div class="t-foot">{count(more, "more deny")} " not shown."</div> })}
            </div>
        }
    })
}

#[component]
fn Row(lost: LostDeny) -> impl IntoView {
    let LostDeny { acl, holders } = lost;
    let (operation, words) = (acl.operation.spelling().label, resource_words(&acl));
    let is_named = acl.resource_type != ResourceType::Registry;
    let (kind, name, principal) = (
        acl.resource_type.spelling().label,
        acl.resource_name,
        acl.principal,
    );
    let host = (acl.host != Host::Any).then(|| acl.host.to_string());
    let mut by_loss: BTreeMap<DenyLoss, Vec<Principal>> = BTreeMap::new();
    for (holder, loss) in holders {
        by_loss.entry(loss).or_default().push(holder);
    }
    let reasons: Vec<_> = by_loss
        .into_iter()
        .map(|(loss, holders)| view! { <Reason loss=loss holders=holders of=principal.clone() /> })
        .collect();
    view! {
        <tr role="row">
            <td role="cell" data-l="Effect">
                <span class="eff v-warn"><Icon glyph=Glyph::Warn size=IconSize::Small />"Deny lost"</span>
            </td>
            <td role="cell" data-l="Operation">{operation}</td>
            <th role="rowheader" scope="row">
                <span class="dim">{kind}</span>
                {is_named.then(|| view! { " " <ResourceName name=name /> })}
                " " <span class="pat">{words}</span>
            </th>
            <td role="cell" data-l="Because">
                <span class="quiet because">
                    {reasons}
                    {host.map(|host| view! { <span>"only from host " <ResourceName name=host /></span> })}
                </span>
            </td>
        </tr>
    }
}

/// Why a deny of `of` no longer applies to these.
#[component]
fn Reason(loss: DenyLoss, holders: Vec<Principal>, of: Principal) -> impl IntoView {
    let number = holders.len();
    let more = number.saturating_sub(HOLDERS);
    // A setting is about names in tokens.
    let is_name = matches!(loss, DenyLoss::Becomes(_));
    let is_own = holders.first() == Some(&of);
    let names = holders
        .into_iter()
        .take(HOLDERS)
        .enumerate()
        .map(|(place, holder)| {
            let separator = if place > 0 { ", " } else { "" };
            let name = match is_name {
                true => view! { <ResourceName name=holder.name().to_owned() /> }.into_any(),
                false => view! { <PrincipalName principal=holder /> }.into_any(),
            };
            view! { {separator} {name} }
        });
    let names = view! { {names.collect_view()} {(more > 0).then(|| format!(" and {} more", thousands(more)))} };
    match loss {
        DenyLoss::Removed if is_own => view! { <span>"removed from " {names}</span> }.into_any(),
        DenyLoss::Removed => {
            view! { <span>"removed from " <PrincipalName principal=of /> ", for " {names}</span> }.into_any()
        }
        DenyLoss::Leaves(role) => {
            view! { <span>{names} " " {agree(number, "leaves", "leave")} " " <ResourceName name=role /></span> }
                .into_any()
        }
        DenyLoss::Becomes(Some(group)) => view! {
            <span>
                {names} " " {agree(number, "becomes", "become")} " " <PrincipalName principal=Principal::group(group) />
                "; the deny is for " <PrincipalName principal=of />
            </span>
        }
        .into_any(),
        DenyLoss::Becomes(None) => {
            view! { <span>{names} {agree(number, " no longer produces a group", " no longer produce a group")}</span> }
                .into_any()
        }
    }
}

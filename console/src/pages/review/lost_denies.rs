//! The denies that stop applying to known users and groups, with the reasons.

use std::collections::BTreeMap;

use gbac_console_model::review::{DenyLoss, LostDeny};
use gbac_engine::model::{Host, Principal, ResourceType};
use gbac_words::common::not_shown;
use gbac_words::hosts;
use gbac_words::pages::review as words;
use gbac_words::phrases::thousands;
use gbac_words::rich_text::RichText;
use leptos::prelude::*;

use crate::pages::rich_text::unlinked;
use crate::ui::{Glyph, Icon, IconSize, ResourceName, Table, resource_words};

/// How many denies are shown.
const SHOWN: usize = 100;

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
                    label="Denies that stop applying" caption=words::LOST_DENIES
                    heads=["Effect", "Operation", "Resource", "Because"]
                >
                    <tbody role="rowgroup">{rows}</tbody>
                </Table>
                {(more > 0).then(|| view! { <div class="t-foot">{not_shown(more, "more deny")}</div> })}
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
    let host = (acl.host != Host::Any).then_some(acl.host);
    let mut by_loss: BTreeMap<DenyLoss, Vec<Principal>> = BTreeMap::new();
    for (holder, loss) in holders {
        by_loss.entry(loss).or_default().push(holder);
    }
    let reasons: Vec<_> = by_loss
        .into_iter()
        .map(|(loss, holders)| {
            let words = reason(&loss, &holders, &principal);
            view! { <span>{unlinked(&words)}</span> }
        })
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
                    {host.map(|host| view! { <span>{unlinked(&hosts::only(&host))}</span> })}
                </span>
            </td>
        </tr>
    }
}

/// Why a deny of `denied` no longer applies to these.
fn reason(loss: &DenyLoss, holders: &[Principal], denied: &Principal) -> RichText {
    match loss {
        DenyLoss::Removed => words::deny_removed(denied, holders),
        DenyLoss::Leaves(role) => words::leave_role(holders, role),
        DenyLoss::Becomes(group) => words::deny_misses(holders, group.as_deref(), denied),
    }
}

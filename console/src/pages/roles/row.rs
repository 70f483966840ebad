//! A row of the list of roles.

use std::collections::BTreeMap;

use gbac_analysis::RoleCounts;
use gbac_api::encode::component;
use gbac_console_model::address;
use gbac_console_model::roles::{RoleRow, RowStatus};
use gbac_engine::policy::Change;
use gbac_words::escape::plain;
use gbac_words::phrases::{agree, count};
use leptos::prelude::*;

use crate::dom;
use crate::pages::link::RoleLink;
use crate::store::draft::Draft;
use crate::ui::{Glyph, IconButton, Mark, ResourceName, Tag, TagKind, VerdictWord};

/// The id of the link to a role.
pub(super) fn link_id(name: &str) -> String {
    format!("role-{}", component(name))
}

/// The line.
#[component]
pub(super) fn Row(
    /// The role.
    row: RoleRow,
    /// What is odd, by role.
    findings: RwSignal<BTreeMap<String, String>>,
    /// The role whose deletion awaits confirmation.
    deleting: RwSignal<Option<String>>,
) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let RoleRow {
        counts,
        status,
        changes,
    } = row;
    let RoleCounts {
        name,
        members,
        groups,
        acls,
        denies,
    } = counts;
    let (href, shown, id) = (address::role(&name), name.clone(), name.clone());
    let stored = StoredValue::new(name.clone());
    let finding = Memo::new(move |_| {
        stored.with_value(|name| findings.with(|findings| findings.get(name).cloned()))
    });
    // On a narrow page the column's name stands behind its number.
    let noun = |number: usize, one: &'static str, many: &'static str| agree(number, one, many);
    let class = match status {
        RowStatus::Stored => "",
        RowStatus::Added => "add",
        RowStatus::Removed => "del",
    };
    let tag = match status {
        RowStatus::Stored if changes == 0 => None,
        RowStatus::Stored => Some(format!("Draft: {}", count(changes, "change"))),
        RowStatus::Added => Some("Draft: created".to_owned()),
        RowStatus::Removed => Some("Draft: deleted".to_owned()),
    };
    let text = plain(&name);
    let action = match status {
        RowStatus::Removed => {
            let undo = move |()| {
                draft.take_back(&Change::DeleteRole { name: stored.get_value(), delete_acls: true });
                dom::announce(&format!("Role {} is kept", plain(&stored.get_value())));
                dom::focus_later("roles-search");
            };
            view! { <IconButton glyph=Glyph::Undo label=format!("Undo deleting role {text}") on_press=undo /> }.into_any()
        }
        RowStatus::Stored | RowStatus::Added => view! {
            <IconButton glyph=Glyph::Bin label=format!("Delete role {text}") on_press=move |()| deleting.set(Some(stored.get_value())) />
        }
        .into_any(),
    };
    view! {
        <tr role="row" class=class>
            <th role="rowheader" scope="row">
                <RoleLink href=href id=link_id(&id)><ResourceName name=shown /></RoleLink>
                {tag.map(|tag| view! { " " <Tag kind=TagKind::Draft>{tag}</Tag> })}
            </th>
            <td role="cell" class="num" data-l=noun(members, "principal", "principals")>{members}</td>
            <td role="cell" class="num" data-l=noun(groups, "IdP group", "IdP groups")>{groups}</td>
            <td role="cell" class="num" data-l=noun(acls, "ACL", "ACLs")>{acls}</td>
            <td role="cell" class="w-d" data-l="Denies">
                {(denies > 0).then(|| view! { <VerdictWord mark=Mark::Deny word=format!("{denies} deny") small=true /> })}
            </td>
            <td role="cell" data-l="Findings">
                {move || finding.get().map(|finding| view! { <VerdictWord mark=Mark::Warn word=finding small=true /> })}
            </td>
            <td role="cell" class="act">{action}</td>
        </tr>
    }
}

//! One line of the list of roles.

use std::collections::BTreeMap;

use gbac_analysis::RoleCounts;
use gbac_engine::policy::Change;
use leptos::prelude::*;

use crate::dom;
use crate::pages::link::RoleLink;
use crate::state::address;
use crate::state::draft::Draft;
use crate::state::escape::plain;
use crate::state::roles::{RoleRow, Standing};
use crate::state::words::count;
use crate::ui::{Glyph, IconButton, Mark, ResourceName, Tag, TagKind, VerdictWord};

/// The line.
#[component]
pub(super) fn Row(
    /// The role.
    row: RoleRow,
    /// What is odd, by role.
    findings: RwSignal<BTreeMap<String, String>>,
    /// Which role is asked to be deleted.
    deleting: RwSignal<Option<String>>,
) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let RoleRow { counts, standing, changes } = row;
    let RoleCounts { name, members, groups, acls, denies } = counts;
    let (href, shown) = (address::role(&name), name.clone());
    let stored = StoredValue::new(name.clone());
    let finding = Memo::new(move |_| stored.with_value(|name| findings.with(|findings| findings.get(name).cloned())));
    // On a narrow page the column's name stands behind its number.
    let noun = |number: usize, one: &'static str, many: &'static str| if number == 1 { one } else { many };
    let class = match standing {
        Standing::Stored => "",
        Standing::Added => "add",
        Standing::Removed => "del",
    };
    let tag = match standing {
        Standing::Stored if changes == 0 => None,
        Standing::Stored => Some(format!("Draft: {}", count(changes, "change"))),
        Standing::Added => Some("Draft: created".to_owned()),
        Standing::Removed => Some("Draft: deleted".to_owned()),
    };
    let text = plain(&name);
    let action = match standing {
        Standing::Removed => {
            let undo = move |()| {
                draft.take_back(&Change::DeleteRole { name: stored.get_value(), delete_acls: true });
                dom::announce(&format!("Role {} is kept", plain(&stored.get_value())));
                dom::focus_later("roles-search");
            };
            view! { <IconButton glyph=Glyph::Undo label=format!("Undo deleting role {text}") on_press=undo /> }.into_any()
        }
        Standing::Stored | Standing::Added => view! {
            <IconButton glyph=Glyph::Bin label=format!("Delete role {text}") on_press=move |()| deleting.set(Some(stored.get_value())) />
        }
        .into_any(),
    };
    view! {
        <tr role="row" class=class>
            <th role="rowheader" scope="row">
                <RoleLink href=href><ResourceName name=shown /></RoleLink>
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

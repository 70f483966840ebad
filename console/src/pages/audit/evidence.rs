//! What a change removed and added, with the request that made it.

use gbac_console_model::audit::{ChangedValue, ChangedValues, EventRow};
use gbac_words::audit_event::AuditEvent;
use gbac_words::common::NOTHING_CHANGED;
use gbac_words::pages::audit as words;
use gbac_words::phrases::count;
use leptos::prelude::*;

use crate::ui::{AclPhrase, Mono, PrincipalName, ResourceName, Words};

/// How many values of a side are shown.
const SHOWN: usize = 100;

#[component]
pub(super) fn Evidence(
    /// The change, or all changes of the request.
    row: EventRow,
    /// The number of changes.
    changes: usize,
) -> impl IntoView {
    let EventRow {
        event,
        changed: ChangedValues { before, after },
        ..
    } = row;
    let AuditEvent {
        reason,
        state,
        request_id,
        from,
        method,
        is_allowed,
        ..
    } = event;
    let signed_in = (!method.is_empty())
        .then(|| view! { <dt>"Signed in with"</dt><dd><Words text=method /></dd> });
    let request = (!request_id.is_empty()).then(|| {
        let from = (!from.is_empty()).then(|| view! { " from " <Mono text=from /> });
        view! { <dt>"Request"</dt><dd><Mono text=request_id />{from}", "{count(changes, "change")}</dd> }
    });
    let reason =
        (!reason.is_empty()).then(|| view! { <dt>"Reason"</dt><dd><Words text=reason /></dd> });
    let state = (is_allowed && !state.is_empty())
        .then(|| view! { <dt>"State after it"</dt><dd><Mono text=state /></dd> });
    view! {
        <div class="evidence">
            {match is_allowed {
                true => view! {
                    <div class="sides">
                        <Side title="Before" values=before adds=false />
                        <Side title="After" values=after adds=true />
                    </div>
                }
                .into_any(),
                false => view! { <p>{NOTHING_CHANGED}</p> }.into_any(),
            }}
            <dl class="kv">{reason}{signed_in}{request}{state}</dl>
        </div>
    }
}

#[component]
fn Side(title: &'static str, values: Vec<ChangedValue>, adds: bool) -> impl IntoView {
    let more = values.len().saturating_sub(SHOWN);
    let is_empty = values.is_empty();
    let (class, sign, word, none) = match adds {
        true => ("plus", "+", "added: ", words::NOTHING_ADDED),
        false => ("minus", "−", "removed: ", words::NOTHING_REMOVED),
    };
    let items: Vec<_> = values
        .into_iter()
        .take(SHOWN)
        .map(|value| view! {
            <li class=class><b aria-hidden="true">{sign}</b><div class="brk"><span class="sr">{word}</span><Shown value=value /></div></li>
        })
        .collect();
    view! {
        <section class="side">
            <h2>{title}</h2>
            {match is_empty {
                true => view! { <p class="quiet">{none}</p> }.into_any(),
                false => view! { <ul class="diff">{items}</ul> }.into_any(),
            }}
            {(more > 0).then(|| view! { <p class="quiet">{words::more_values(more)}</p> })}
        </section>
    }
}

#[component]
fn Shown(value: ChangedValue) -> impl IntoView {
    match value {
        ChangedValue::Role(name) => view! { "Role " <ResourceName name=name /> }.into_any(),
        ChangedValue::Acl(acl) => {
            let of = acl.principal.clone();
            view! { <AclPhrase acl=acl /> ", of " <PrincipalName principal=of /> }.into_any()
        }
        ChangedValue::Member { role, member } => {
            view! { <PrincipalName principal=member /> " in the role " <ResourceName name=role /> }
                .into_any()
        }
        ChangedValue::Access { level, grantee } => {
            view! { <Mono text=level /> " for " <PrincipalName principal=grantee /> }.into_any()
        }
        ChangedValue::Named { name, value } if value.is_empty() => {
            view! { <Mono text=name /> ": " <span class="quiet">"empty"</span> }.into_any()
        }
        ChangedValue::Named { name, value } => {
            view! { <Mono text=name /> ": " <Mono text=value /> }.into_any()
        }
    }
}

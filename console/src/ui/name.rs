//! Names in monospace, with hidden characters escaped.

use gbac_engine::model::{Acl, PatternType, Principal, ResourceType};
use gbac_words::escape::code;
use leptos::prelude::*;

use super::PermissionWord;
pub use gbac_words::escape::{Piece, pieces};

fn show(name: &str) -> Vec<AnyView> {
    pieces(name)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.into_any(),
            Piece::Code(c) => view! { <span class="esc">{code(c)}</span> }.into_any(),
        })
        .collect()
}

/// `Type:name`. The page keeps the direction of the text it stands in, whatever the name holds.
#[component]
pub fn PrincipalName(
    /// The principal.
    principal: Principal,
) -> impl IntoView {
    let (kind, name) = principal.type_and_name();
    let (kind, name) = (show(&format!("{kind}:")), show(name));
    view! {
        <span class="pr">
            <span class="pr-t">{kind}</span>
            <bdi class="pr-n">{name}</bdi>
        </span>
    }
}

/// The name of a resource, a host, or any other name that needs no type.
#[component]
pub fn ResourceName(
    /// The name.
    #[prop(into)]
    name: String,
) -> impl IntoView {
    view! { <bdi class="rs">{show(&name)}</bdi> }
}

/// A claim, a claim path, a property or any other text that came from outside, in the middle of
/// words.
#[component]
pub fn Mono(
    /// The text.
    #[prop(into)]
    text: String,
) -> impl IntoView {
    view! { <bdi class="cl">{show(&text)}</bdi> }
}

/// A message whose backticks set off names: they become monospace, and the backticks go.
#[component]
pub fn Words(
    /// The message, as errors of the engine and the service are written.
    #[prop(into)]
    text: String,
) -> impl IntoView {
    // An odd part stands between backticks; a backtick without a partner stays a character.
    let parts: Vec<&str> = text.split('`').collect();
    let is_paired = parts.len() % 2 == 1;
    parts
        .iter()
        .enumerate()
        .map(
            |(place, part)| match (place % 2 == 1, is_paired || place + 1 < parts.len()) {
                (true, true) => view! { <Mono text=*part /> }.into_any(),
                (true, false) => format!("`{part}").into_any(),
                (false, _) => (*part).to_owned().into_any(),
            },
        )
        .collect_view()
}

/// The words for a pattern: `literal`, `prefixed`, `all names`, or nothing if the type has only one
/// resource.
#[must_use]
pub fn resource_words(acl: &Acl) -> &'static str {
    match (acl.resource_type, acl.pattern_type) {
        (ResourceType::Cluster | ResourceType::Registry, _) => "",
        (_, PatternType::Literal) if acl.resource_name == "*" => "all names",
        (_, pattern) => pattern.spelling().label,
    }
}

/// An ACL in words: "Allow Write, topic payments- prefixed, host 10.0.0.7". The principal is not in
/// it.
#[component]
pub fn AclPhrase(
    /// The ACL.
    acl: Acl,
    /// Show `Allow` or `Deny`.
    #[prop(default = true)]
    with_permission: bool,
    /// With the small icon.
    #[prop(optional)]
    small: bool,
) -> impl IntoView {
    let operation = acl.operation.spelling().label;
    let resource = acl.resource_type.spelling().label;
    // In the middle of a sentence; two of the words are names and keep their capitals.
    let resource = match acl.resource_type {
        ResourceType::TransactionalId => "transactional ID".to_owned(),
        ResourceType::Registry => resource.to_owned(),
        ResourceType::Topic
        | ResourceType::Group
        | ResourceType::Cluster
        | ResourceType::Subject
        | ResourceType::DelegationToken
        | ResourceType::User => resource.to_lowercase(),
    };
    let words = resource_words(&acl);
    let named = (acl.resource_type != ResourceType::Registry).then(|| acl.resource_name.clone());
    let host = (acl.host.to_string() != "*").then(|| acl.host.to_string());
    view! {
        <span class="phrase">
            {with_permission.then(|| view! { <PermissionWord permission=acl.permission small=small /> " " })}
            {operation} ", " {resource}
            {named.map(|name| view! { " " <ResourceName name=name /> })}
            {(!words.is_empty()).then(|| view! { " " <span class="pat">{words}</span> })}
            {host.map(|host| view! { ", host " <ResourceName name=host /> })}
        </span>
    }
}

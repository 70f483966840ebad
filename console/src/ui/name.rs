//! Names are data: monospace, the type quieter than the name, what cannot be seen shown by its code.

use gbac_engine::model::{Acl, PatternType, Principal, ResourceType};
use leptos::prelude::*;

use super::PermissionWord;

/// A part of a name as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text as it is.
    Text(String),
    /// A character that would not be seen, or would change how the rest is seen.
    Code(char),
}

/// Cuts a name into text and characters that are shown by their code: control and format characters (bidirectional
/// overrides, zero width), blanks other than U+0020, and a blank at either edge.
///
/// ```
/// use gbac_console::ui::{Piece, pieces};
/// assert_eq!(pieces("a b"), [Piece::Text("a b".into())]);
/// assert_eq!(pieces("ops "), [Piece::Text("ops".into()), Piece::Code(' ')]);
/// assert_eq!(pieces("a\u{202e}b").len(), 3);
/// ```
#[must_use]
pub fn pieces(name: &str) -> Vec<Piece> {
    let body = name.trim_matches(' ');
    let lead = name.len() - name.trim_start_matches(' ').len();
    let edges = lead..lead + body.len();
    let mut found = Vec::new();
    let mut text = String::new();
    for (at, c) in name.char_indices() {
        if is_hidden(c) || (c == ' ' && !edges.contains(&at)) {
            if !text.is_empty() {
                found.push(Piece::Text(std::mem::take(&mut text)));
            }
            found.push(Piece::Code(c));
        } else {
            text.push(c);
        }
    }
    if !text.is_empty() {
        found.push(Piece::Text(text));
    }
    found
}

/// Whether a character has no form of its own or moves the forms of others.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

fn show(name: &str) -> Vec<AnyView> {
    pieces(name)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.into_any(),
            Piece::Code(c) => {
                let code = format!("U+{:04X}", u32::from(c));
                view! { <span class="esc">{code}</span> }.into_any()
            }
        })
        .collect()
}

/// `Type:name`. The page keeps the direction of the text it stands in, whatever the name holds.
#[component]
pub fn PrincipalName(
    /// The principal.
    principal: Principal,
) -> impl IntoView {
    let kind = format!("{}:", principal.kind().prefix());
    let name = show(principal.name());
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

/// A claim, a claim path, a property or any other text that came from outside, in the middle of words.
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
        .map(|(place, part)| match (place % 2 == 1, is_paired || place + 1 < parts.len()) {
            (true, true) => view! { <Mono text=*part /> }.into_any(),
            (true, false) => format!("`{part}").into_any(),
            (false, _) => (*part).to_owned().into_any(),
        })
        .collect_view()
}

/// How a pattern is said: `literal`, `prefixed`, `all names`, or nothing where the type has one resource only.
#[must_use]
pub fn resource_words(acl: &Acl) -> &'static str {
    match (acl.resource_type, acl.pattern_type) {
        (ResourceType::Cluster | ResourceType::Registry, _) => "",
        (_, PatternType::Literal) if acl.resource_name == "*" => "all names",
        (_, pattern) => pattern.spelling().words,
    }
}

/// An ACL in words: "Allow Write, topic payments- prefixed, host 10.0.0.7". The principal is not in it.
#[component]
pub fn AclPhrase(
    /// The ACL.
    acl: Acl,
) -> impl IntoView {
    let operation = acl.operation.spelling().words;
    let resource = acl.resource_type.spelling().words;
    // In the middle of a sentence; two of the words are names and keep their capitals.
    let resource = match acl.resource_type {
        ResourceType::TransactionalId => "transactional ID".to_owned(),
        ResourceType::Registry => resource.to_owned(),
        ResourceType::Topic | ResourceType::Group | ResourceType::Cluster | ResourceType::Subject => resource.to_lowercase(),
    };
    let words = resource_words(&acl);
    let named = (acl.resource_type != ResourceType::Registry).then(|| acl.resource_name.clone());
    let host = (acl.host.to_string() != "*").then(|| acl.host.to_string());
    view! {
        <span class="phrase">
            <PermissionWord permission=acl.permission />
            " " {operation} ", " {resource}
            {named.map(|name| view! { " " <ResourceName name=name /> })}
            {(!words.is_empty()).then(|| view! { " " <span class="pat">{words}</span> })}
            {host.map(|host| view! { ", host " <ResourceName name=host /> })}
        </span>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_shown_by_its_code() {
        let codes = |name: &str| {
            pieces(name)
                .into_iter()
                .filter_map(|piece| match piece {
                    Piece::Code(c) => Some(u32::from(c)),
                    Piece::Text(_) => None,
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(codes("pay\u{202e}stnem"), [0x202e]);
        assert_eq!(codes(" ops  "), [0x20, 0x20, 0x20]);
        assert_eq!(codes("a b"), [0; 0]);
        assert_eq!(codes("a\u{a0}b\u{200b}\tc"), [0xa0, 0x200b, 9]);
        assert_eq!(codes("日本/ü:CN=a\\b"), [0; 0]);
        assert_eq!(codes(""), [0; 0]);
        assert_eq!(codes(" "), [0x20]);
    }
}

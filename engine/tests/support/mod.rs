//! Functions that the tests of claim paths and of group extraction share.

use gbac_engine::claim_path::ClaimPath;
use proptest::prelude::*;
use serde_json::Value;

/// The node at a location, which is a claim path without its beginning.
pub(crate) fn follow<'a>(location: &str, document: &'a Value) -> &'a Value {
    let path = match location {
        "$" => "$".to_owned(),
        location if location.starts_with('[') => format!("${location}"),
        location => format!("$.{location}"),
    };
    let nodes = ClaimPath::parse(&path)
        .expect(&path)
        .select(document)
        .expect("a singular path");
    assert_eq!((nodes.len(), nodes[0].location.as_str()), (1, location));
    nodes[0].value
}

/// Texts that are nearly paths.
pub(crate) fn path_text() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "$", "@", ".", "..", "[", "]", "(", ")", "?", "*", "'groups'", "\"a\"", "groups", "a-b",
        "c:d", "0", "-1", ":", ",", "==", "<", "&&", "!", "length(", "count(", "match(", " ", "'",
        "\\", "é", "\u{2019}", "/", "[*]", "[?@.a]", ".groups", ".roles",
    ]);
    prop_oneof![
        prop::collection::vec(token, 0..12).prop_map(|tokens| format!("${}", tokens.concat())),
        any::<String>(),
    ]
}

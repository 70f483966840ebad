//! Lists of names that are separated by commas: which entry is only a part of a name.

use gbac_engine::model::Principal;

/// The first entry that is probably a part of a name with commas, which was not quoted: an entry
/// with `=` and without a type, as in `C=UK,ST=London`. `list` is the text of the entries; what is
/// quoted there is a whole name (D-41).
///
/// ```
/// use gbac_formats::name_list::cut_entry;
/// assert_eq!(cut_entry("C=UK,ST=London", &["C=UK", "ST=London"]), Some("C=UK"));
/// assert_eq!(cut_entry("alice,bob", &["alice", "bob"]), None);
/// assert_eq!(cut_entry("User:CN=a,Group:OU=b", &["User:CN=a", "Group:OU=b"]), None);
/// assert_eq!(cut_entry(r#""CN=a,OU=b",alice"#, &["CN=a,OU=b", "alice"]), None);
/// assert_eq!(cut_entry("CN=a", &["CN=a"]), None);
/// ```
pub fn cut_entry<'e, E: AsRef<str>>(list: &str, entries: &'e [E]) -> Option<&'e str> {
    if entries.len() < 2 {
        return None;
    }
    entries.iter().map(AsRef::as_ref).find(|entry| {
        entry.contains('=') && Principal::parse(entry).is_err() && !is_quoted(list, entry)
    })
}

/// Whether an entry stands in quotation marks in its list (RFC 4180).
fn is_quoted(list: &str, entry: &str) -> bool {
    list.contains(&format!("\"{}\"", entry.replace('"', "\"\"")))
}

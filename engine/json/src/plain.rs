//! A fast parser for valid policy documents and subjects with names, in one pass and without a tree
//! of values. Most of the time to load a policy is spent here.
//!
//! It accepts nothing that `document` and `check` refuse, and it has no error messages. Texts that
//! it does not accept are read again there, which reports all problems.
//!
//! It is written by hand to load large documents quickly. For 100,000 ACLs (27 MB), this parser,
//! structs with serde's derived readers, and a tree of values take 0.36, 0.39 and 1.35 s natively;
//! in wasm, they take 0.72, 0.83 and 3.15 s and 50, 50 and 156 MiB. This file adds 3.1 KB to the
//! wasm module after brotli; serde's structs would add 9.4 KB.

use super::reader::{self, Place, Problems};
use super::{acl, check, document};
use gbac_engine::internal::equal;
use gbac_engine::internal::{normalized_name, parse};
use gbac_engine::model::{
    Dialect, Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType,
    check_role_name,
};
use gbac_engine::{Coded, Subject};
use gbac_engine::{
    internal::AclParts,
    policy::{Policy, Settings},
};

/// Reads a policy document.
///
/// # Errors
/// All problems at once, each with its location. A text that is not JSON has one problem.
///
/// ```
/// use gbac_json::policy_from_json;
/// let problems = policy_from_json(r#"{ "version": 1, "acls": [{}], "rolls": [] }"#).unwrap_err();
/// assert_eq!(problems.0.len(), 8);
/// assert_eq!((problems.0[0].path.as_str(), problems.0[0].code.as_str()), ("/acls/0", "missing_member"));
/// ```
pub fn policy_from_json(text: &str) -> Result<Policy, Problems> {
    if let Some(policy) = read(text) {
        return Ok(policy);
    }
    document::policy_from_value(&reader::parse(text)?)
}

/// Reads a subject: an object with `identity`, `claims` or a token, and optionally `userinfo`.
///
/// # Errors
/// All problems at once.
pub fn subject_from_json(text: &str) -> Result<Subject, Problems> {
    names(text).map_or_else(|| check::subject_from_value(&reader::parse(text)?), Ok)
}

/// Reads a document; `None` if this parser does not accept it.
fn read(text: &str) -> Option<Policy> {
    let mut policy = Policy::new(Settings::unstated());
    let mut has_version = false;
    // By dialect, whether it lacks something that is in the document.
    let mut lacks = [false; Dialect::ALL.len()];
    let mut reader = Reader { text, at: 0 };
    reader.object(&DOCUMENT, &mut |reader, member| {
        match member {
            0 => reader.array(&mut |reader| role(reader, &mut policy))?,
            1 => reader.array(&mut |reader| {
                let mut texts = [None; ACL.len()];
                reader.texts(&ACL, &mut texts)?;
                let parts = parts(texts)?;
                // The settings, which say what may be here, may follow.
                for (dialect, lacks) in Dialect::ALL.iter().zip(&mut lacks) {
                    *lacks |= parts.check(*dialect).is_err();
                }
                policy.add(&parts);
                Some(())
            })?,
            2 => {
                let settings = parse(reader.skip()?).ok()?;
                policy.set_settings(document::settings_from_value(&settings).ok()?);
            }
            3 => has_version = reader.take(b'1'),
            _ => drop(reader.string()?),
        }
        Some(())
    })?;
    if !has_version
        || reader.next().is_some()
        || lacks.get(policy.settings().dialect as usize) != Some(&false)
    {
        return None;
    }
    policy.shrink();
    Some(policy)
}

/// Reads a subject with names; `None` if this parser does not accept it.
fn names(text: &str) -> Option<Subject> {
    let (mut user, mut groups) = (None, Vec::new());
    let mut reader = Reader { text, at: 0 };
    reader.object(&["identity"], &mut |reader, _| {
        reader.object(&["user", "groups"], &mut |reader, member| {
            if member == 0 {
                user = Some(reader.bare(PrincipalType::User)?);
                return Some(());
            }
            reader.array(&mut |reader| {
                groups.push(reader.bare(PrincipalType::Group)?);
                Some(())
            })
        })
    })?;
    if reader.next().is_some() {
        None
    } else {
        Some(Subject::Names {
            user: user?,
            groups,
        })
    }
}

const DOCUMENT: [&str; 5] = ["roles", "acls", "settings", "version", "$schema"];
const ROLE: [&str; 2] = ["name", "members"];
const ACL: [&str; 7] = [
    "resource_type",
    "resource_name",
    "resource_pattern_type",
    "principal",
    "host",
    "operation",
    "permission_type",
];

/// Reads a role with its members and adds it to a policy.
fn role(reader: &mut Reader<'_>, policy: &mut Policy) -> Option<()> {
    let mut name = None;
    let mut members = Vec::new();
    reader.object(&ROLE, &mut |reader, member| match member {
        0 => {
            name = Some(reader.string()?);
            Some(())
        }
        _ => reader.array(&mut |reader| {
            let mut texts = [None];
            reader.texts(&["principal"], &mut texts)?;
            let (kind, name) = Principal::split(texts[0]?).ok()?;
            members.push((kind, name));
            (kind != PrincipalType::Role).then_some(())
        }),
    })?;
    let name = name?;
    check_role_name(name).ok()?;
    if policy.has_role(name) {
        return None;
    }
    let role = policy.create_role(name);
    policy.add_members(role, &members);
    Some(())
}

fn parts(texts: [Option<&str>; 7]) -> Option<AclParts<'_>> {
    let [
        resource_type,
        name,
        pattern,
        principal,
        host,
        operation,
        permission,
    ] = texts;
    let resource_type = ResourceType::from_code(resource_type?)?;
    let name = name.unwrap_or_default();
    let mut problems = Problems::default();
    acl::check_name(Some(resource_type), name, &Place::Root, &mut problems);
    if !problems.0.is_empty() {
        return None;
    }
    Some(AclParts {
        resource_type,
        resource_name: normalized_name(resource_type, name),
        pattern_type: PatternType::from_code(pattern?)?,
        principal: Principal::split_in(Dialect::Kafka, principal?).ok()?,
        host: Host::parse_in(Dialect::Kafka, host?).ok()?,
        operation: Operation::from_code(operation?)?,
        permission: Permission::from_code(permission?)?,
    })
}

/// A parser for strict JSON (RFC 8259). If a method returns `None`, the whole text is not accepted.
struct Reader<'t> {
    text: &'t str,
    /// The offset of the next byte.
    at: usize,
}

impl<'t> Reader<'t> {
    /// Skips blanks and returns the next byte, without skipping it.
    fn next(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// Skips the next byte if it is `byte`, and blanks before it.
    #[inline(always)]
    fn take(&mut self, byte: u8) -> bool {
        // First without blanks, because most documents are written by programs.
        self.take_now(byte) || self.next() == Some(byte) && self.take_now(byte)
    }

    /// As [`take`](Self::take), without blanks.
    #[inline(always)]
    fn take_now(&mut self, byte: u8) -> bool {
        let is_next = self.text.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Reads the items of a list after its opening byte, up to its closing byte. `item` reads one
    /// item.
    fn list(&mut self, close: u8, item: &mut dyn FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if self.take(close) {
            return Some(());
        }
        loop {
            item(self)?;
            if !self.take(b',') {
                return self.take(close).then_some(());
            }
        }
    }

    fn array(&mut self, element: &mut dyn FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(b'[').then_some(())?;
        self.list(b']', element)
    }

    /// Reads an object with members of these names, each at most once. `member` gets the index of
    /// the name and reads the value.
    fn object(
        &mut self,
        names: &[&str],
        member: &mut dyn FnMut(&mut Self, usize) -> Option<()>,
    ) -> Option<()> {
        self.take(b'{').then_some(())?;
        let mut seen = 0;
        let mut expected = 0;
        self.list(b'}', &mut |reader| {
            // Tries the next name first, because members are usually in this order.
            let index = if names
                .get(expected)
                .is_some_and(|name| reader.take_name(name))
            {
                expected
            } else {
                let name = reader.string()?;
                names.iter().position(|known| *known == name)?
            };
            expected = index + 1;
            let bit = 1_u32 << index;
            if seen & bit != 0 || !reader.take(b':') {
                return None;
            }
            seen |= bit;
            member(reader, index)
        })
    }

    /// Skips the next string if it is `name`.
    fn take_name(&mut self, name: &str) -> bool {
        let end = self.at + 1 + name.len();
        let bytes = self.text.as_bytes();
        let is_next = bytes.get(self.at) == Some(&b'"')
            && bytes.get(end) == Some(&b'"')
            && bytes
                .get(self.at + 1..end)
                .is_some_and(|string| equal(string, name.as_bytes()));
        if is_next {
            self.at = end + 1;
        }
        is_next
    }

    /// Reads an object with string members into `texts`, in the order of the names.
    fn texts(&mut self, names: &[&str], texts: &mut [Option<&'t str>]) -> Option<()> {
        self.object(names, &mut |reader, member| {
            *texts.get_mut(member)? = Some(reader.string()?);
            Some(())
        })
    }

    /// Reads a string without escapes, which are rare in policies.
    fn string(&mut self) -> Option<&'t str> {
        self.take(b'"').then_some(())?;
        let start = self.at;
        self.at += plain_bytes(self.text.as_bytes().get(start..)?);
        let string = self.text.get(start..self.at)?;
        self.take_now(b'"').then_some(string)
    }

    /// Reads a name without a type.
    fn bare(&mut self, kind: PrincipalType) -> Option<String> {
        let name = self.string()?;
        kind.check_bare(name).ok()?;
        Some(name.to_owned())
    }

    /// Skips a value and returns its text. Only finds the end of the value, and does not check it.
    fn skip(&mut self) -> Option<&'t str> {
        self.next()?;
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.next()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'[' | b'{' => depth += 1,
                b']' | b'}' | b',' if depth == 0 => return self.text.get(start..self.at),
                b']' | b'}' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }
}

/// The number of bytes before the first quote, backslash or control character.
fn plain_bytes(bytes: &[u8]) -> usize {
    const EACH: u64 = u64::MAX / 255;
    const TOPS: u64 = EACH << 7;
    // Checks eight bytes at a time: sets the top bit of each byte below `limit`, never of bytes
    // outside ASCII. Bytes after the first such byte can be wrong, but only the first one is used.
    let below = |word: u64, limit: u64| word.wrapping_sub(EACH * limit) & !word & TOPS;
    let mut count = 0;
    while let Some(chunk) = bytes.get(count..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*chunk);
        let special = below(word, 0x20)
            | below(word ^ (EACH * u64::from(b'"')), 1)
            | below(word ^ (EACH * u64::from(b'\\')), 1);
        if special != 0 {
            return count + special.trailing_zeros() as usize / 8;
        }
        count += 8;
    }
    let rest = bytes.iter().skip(count);
    count
        + rest
            .take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20))
            .count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::check::subject_from_value;
    use crate::policy_from_value;

    fn by_value(text: &str) -> Option<Policy> {
        policy_from_value(&parse(text).ok()?).ok()
    }

    /// A text with one byte changed, removed or repeated.
    fn mutated(text: String) -> impl Strategy<Value = String> {
        (0..text.len(), 0_u8..128, 0..3).prop_filter_map("no UTF-8", move |(place, byte, how)| {
            let mut bytes = text.clone().into_bytes();
            match how {
                0 => bytes[place] = byte,
                1 => drop(bytes.remove(place)),
                _ => bytes.insert(place, bytes[place]),
            }
            String::from_utf8(bytes).ok()
        })
    }

    fn document() -> Value {
        json!({
            "$schema": "https://example.com/policy.json", "version": 1,
            "settings": { "oidc_group_claim_path": "$.groups", "superusers": ["root"] },
            "roles": [
                { "name": "Writers", "members": [{ "principal": "User:alice" }, { "principal": "Group:/eng" }] },
                { "name": "Readers", "members": [] },
            ],
            "acls": [
                { "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "a", "principal": "Role:Writers", "host": "*",
                  "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED", "operation": "OPERATION_READ",
                  "permission_type": "PERMISSION_TYPE_ALLOW" },
                { "resource_type": "RESOURCE_TYPE_CLUSTER", "principal": "User:é😀", "host": "10.0.0.7",
                  "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "operation": "OPERATION_ALTER",
                  "permission_type": "PERMISSION_TYPE_DENY" },
            ],
        })
    }

    #[test]
    fn valid_documents_are_accepted() {
        for text in [
            document().to_string(),
            serde_json::to_string_pretty(&document()).unwrap(),
        ] {
            let policy = read(&text).unwrap();
            assert_eq!(Some(policy), by_value(&text), "{text}");
        }
        assert!(read(r#" { "version" : 1 } "#).is_some());
    }

    #[test]
    fn other_texts_are_not_accepted() {
        for text in [
            "",
            "{}",
            "[]",
            r#"{"version":1}x"#,
            r#"{"version":1"#,
            r#"{"version":1,}"#,
            r#"{"version":2}"#,
            r#"{"version":1,"version":1}"#,
            r#"{"version":1,"acls":{}}"#,
            r#"{"version":1,"acls":[,]}"#,
            r#"{"version":1,"acls":[{}]}"#,
            r#"{"version":1 2}"#,
            r#"{"version":1,"roles":[{"name":"a"},{"name":"a"}]}"#,
            r#"{"version":1,"roles":[{"members":[]}]}"#,
            r#"{"version":1,"roles":[{"name":"a","members":[{"principal":"Role:b"}]}]}"#,
            "{\"version\":1,\"$schema\":\"\t\"}",
            r#"{"version":1,"$schema":"\u0061"}"#,
            r#"{"version":1,"$schema":"\"#,
            r#"{"version":1,"settings":{"superusers":[1]}}"#,
            r#"{"version":1,"settings":{"superusers":[],"superusers":[]}}"#,
            r#"{"version":1,"settings":]}"#,
            "{\"version\":1\u{a0}}",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn valid_names_are_accepted() {
        let expected = |user: &str, groups: &[&str]| {
            Some(Subject::Names {
                user: user.into(),
                groups: groups.iter().map(|group| (*group).into()).collect(),
            })
        };
        assert_eq!(
            names(r#" { "identity" : { "groups" : ["a", "", "a"], "user" : "é" } } "#),
            expected("é", &["a", "", "a"])
        );
        assert_eq!(names(r#"{"identity":{"user":""}}"#), expected("", &[]));
        for text in [
            "",
            "{}",
            r#"{"identity":{}}"#,
            r#"{"identity":{"groups":[]}}"#,
            r#"{"identity":{"user":"a","user":"a"}}"#,
            r#"{"identity":{"user":"a"},"userinfo":{}}"#,
            r#"{"identity":{"user":"a","groups":[1]}}"#,
            r#"{"identity":{"user":"\u0061"}}"#,
            r#"{"identity":{"user":"User:a"}}"#,
            r#"{"identity":{"user":"a","groups":["Group:a"]}}"#,
            r#"{"identity":{"user":"a"}}x"#,
        ] {
            assert_eq!(names(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn plain_bytes_are_counted(bytes in proptest::collection::vec(prop_oneof![any::<u8>(), 0x1e_u8..0x24, Just(b'\\'), Just(b'a')], 0..40)) {
            let counted = bytes.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)).count();
            prop_assert_eq!(plain_bytes(&bytes), counted);
        }

        #[test]
        fn accepts_only_documents_that_the_other_reader_accepts(text in mutated(document().to_string())) {
            if let Some(policy) = read(&text) {
                prop_assert_eq!(Some(policy), by_value(&text), "{}", text);
            }
        }

        #[test]
        fn accepts_only_names_that_the_other_reader_accepts(
            text in mutated(r#"{"identity":{"user":"alice","groups":["a","é"]}}"#.to_owned()),
        ) {
            if let Some(subject) = names(&text) {
                prop_assert_eq!(parse(&text).ok().and_then(|value| subject_from_value(&value).ok()), Some(subject));
            }
        }
    }
}

//! Policy documents and names without a fault, read in one pass and without a tree of values: most of the time to load a policy
//! is spent here.
//!
//! It accepts nothing that `document` and `check` refuse, and has no messages: a text that it cannot read, it leaves to the
//! readers there, which name every problem.
//!
//! Written by hand for the load of large documents. 100,000 ACLs (27 MB), in turns with readers that serde derives from structs
//! without copying, and with a tree of values: 0.36, 0.39 and 1.35 s natively; 0.72, 0.83 and 3.15 s and 50, 50 and 156 MiB in
//! wasm. Of the module this file is 3.1 KB after brotli, serde's structs are 9.4 KB.

use super::reader::{self, Place, Problems};
use super::{acl, check, document};
use gbac_engine::Subject;
use gbac_engine::internal::equal;
use gbac_engine::internal::{normalized_name, parse};
use gbac_engine::model::{
    Dialect, Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType, check_role_name,
};
use gbac_engine::{
    internal::AclParts,
    policy::{Policy, Settings},
};

/// Reads a policy document.
///
/// # Errors
/// Every problem at once, each with its place; a text that is no JSON has one problem.
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

/// Reads only who asks: an object with `identity`, `claims` or a token, and `userinfo` where it goes with them.
///
/// # Errors
/// Every problem at once.
pub fn subject_from_json(text: &str) -> Result<Subject, Problems> {
    who(text).map_or_else(|| check::subject_from_value(&reader::parse(text)?), Ok)
}

/// Reads a document; none when it is not plainly right.
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
    if !has_version || reader.next().is_some() || lacks.get(policy.settings().dialect as usize) != Some(&false) {
        return None;
    }
    policy.shrink();
    Some(policy)
}

/// Reads who asks, when that is a user and groups by name; none when it is not plainly right.
fn who(text: &str) -> Option<Subject> {
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
    if reader.next().is_some() { None } else { Some(Subject::Names { user: user?, groups }) }
}

const DOCUMENT: [&str; 5] = ["roles", "acls", "settings", "version", "$schema"];
const ROLE: [&str; 2] = ["name", "members"];
const ACL: [&str; 7] =
    ["resource_type", "resource_name", "resource_pattern_type", "principal", "host", "operation", "permission_type"];

/// A role with its members, put into a policy.
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
    let [resource_type, name, pattern, principal, host, operation, permission] = texts;
    let resource_type = ResourceType::from_data_plane(resource_type?)?;
    let name = name.unwrap_or_default();
    let mut problems = Problems::default();
    acl::check_name(Some(resource_type), name, &Place::Root, &mut problems);
    if !problems.0.is_empty() {
        return None;
    }
    Some(AclParts {
        resource_type,
        resource_name: normalized_name(resource_type, name),
        pattern_type: PatternType::from_data_plane(pattern?)?,
        principal: Principal::split_in(Dialect::Kafka, principal?).ok()?,
        host: Host::parse_in(Dialect::Kafka, host?).ok()?,
        operation: Operation::from_data_plane(operation?)?,
        permission: Permission::from_data_plane(permission?)?,
    })
}

/// Reads strict JSON (RFC 8259) from the front; none ends it.
struct Reader<'t> {
    text: &'t str,
    /// How many bytes are read.
    at: usize,
}

impl<'t> Reader<'t> {
    /// The next byte behind blanks, which stays.
    fn next(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// Takes the next byte if it is this one.
    #[inline(always)]
    fn take(&mut self, byte: u8) -> bool {
        // Programs write no blanks.
        self.take_now(byte) || self.next() == Some(byte) && self.take_now(byte)
    }

    /// The same without blanks before it.
    #[inline(always)]
    fn take_now(&mut self, byte: u8) -> bool {
        let found = self.text.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    /// What stands between an opening byte, which is read, and its closing one: `each` reads one, up to its comma.
    fn list(&mut self, close: u8, each: &mut dyn FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if self.take(close) {
            return Some(());
        }
        loop {
            each(self)?;
            if !self.take(b',') {
                return self.take(close).then_some(());
            }
        }
    }

    fn array(&mut self, each: &mut dyn FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(b'[').then_some(())?;
        self.list(b']', each)
    }

    /// An object with members of these names, each once at the most; `each` reads a value and gets the place of its name.
    fn object(&mut self, names: &[&str], each: &mut dyn FnMut(&mut Self, usize) -> Option<()>) -> Option<()> {
        self.take(b'{').then_some(())?;
        let mut seen = 0;
        let mut expected = 0;
        self.list(b'}', &mut |reader| {
            // Whoever writes many objects writes them in one order.
            let place = if names.get(expected).is_some_and(|name| reader.take_name(name)) {
                expected
            } else {
                let name = reader.string()?;
                names.iter().position(|known| *known == name)?
            };
            expected = place + 1;
            let bit = 1_u32 << place;
            if seen & bit != 0 || !reader.take(b':') {
                return None;
            }
            seen |= bit;
            each(reader, place)
        })
    }

    /// Takes the next string if it is this one.
    fn take_name(&mut self, name: &str) -> bool {
        let end = self.at + 1 + name.len();
        let bytes = self.text.as_bytes();
        let found = bytes.get(self.at) == Some(&b'"')
            && bytes.get(end) == Some(&b'"')
            && bytes.get(self.at + 1..end).is_some_and(|found| equal(found, name.as_bytes()));
        if found {
            self.at = end + 1;
        }
        found
    }

    /// An object whose members are strings, in the order of the names.
    fn texts(&mut self, names: &[&str], texts: &mut [Option<&'t str>]) -> Option<()> {
        self.object(names, &mut |reader, member| {
            *texts.get_mut(member)? = Some(reader.string()?);
            Some(())
        })
    }

    /// A string without escapes, which are rare here.
    fn string(&mut self) -> Option<&'t str> {
        self.take(b'"').then_some(())?;
        let start = self.at;
        self.at += plain_bytes(self.text.as_bytes().get(start..)?);
        // What ends it is no part of a longer character.
        let found = self.text.get(start..self.at)?;
        self.take_now(b'"').then_some(found)
    }

    /// A name in which no type stands.
    fn bare(&mut self, kind: PrincipalType) -> Option<String> {
        let name = self.string()?;
        kind.check_bare(name).ok()?;
        Some(name.to_owned())
    }

    /// Any value, as it is written, which is not looked at but for its end.
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

/// How many bytes from the front are in a string as they are: neither a quote nor a backslash nor a control character.
fn plain_bytes(bytes: &[u8]) -> usize {
    const EACH: u64 = u64::MAX / 255;
    const TOPS: u64 = EACH << 7;
    // Eight at a time: the top bit of each byte that is below `limit`; above the first of them there may be others, which
    // are not looked at, and what is beyond ASCII is none.
    let below = |word: u64, limit: u64| word.wrapping_sub(EACH * limit) & !word & TOPS;
    let mut count = 0;
    while let Some(eight) = bytes.get(count..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*eight);
        let found =
            below(word, 0x20) | below(word ^ (EACH * u64::from(b'"')), 1) | below(word ^ (EACH * u64::from(b'\\')), 1);
        if found != 0 {
            return count + found.trailing_zeros() as usize / 8;
        }
        count += 8;
    }
    let rest = bytes.iter().skip(count);
    count + rest.take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::check::subject_from_value;
    use crate::policy_from_value;

    fn slow(text: &str) -> Option<Policy> {
        policy_from_value(&parse(text).ok()?).ok()
    }

    /// A right text of which one byte is another, or gone, or there twice.
    fn nearly(text: String) -> impl Strategy<Value = String> {
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
    fn what_is_plainly_right_is_read() {
        for text in [document().to_string(), serde_json::to_string_pretty(&document()).unwrap()] {
            let policy = read(&text).unwrap();
            assert_eq!(Some(policy), slow(&text), "{text}");
        }
        assert!(read(r#" { "version" : 1 } "#).is_some());
    }

    #[test]
    fn hesitation_leaves_it_to_the_other() {
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
    fn names_that_are_plainly_right_are_read() {
        let names = |user: &str, groups: &[&str]| {
            Some(Subject::Names { user: user.into(), groups: groups.iter().map(|group| (*group).into()).collect() })
        };
        assert_eq!(
            who(r#" { "identity" : { "groups" : ["a", "", "a"], "user" : "é" } } "#),
            names("é", &["a", "", "a"])
        );
        assert_eq!(who(r#"{"identity":{"user":""}}"#), names("", &[]));
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
            assert_eq!(who(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn plain_bytes_are_counted(bytes in proptest::collection::vec(prop_oneof![any::<u8>(), 0x1e_u8..0x24, Just(b'\\'), Just(b'a')], 0..40)) {
            let counted = bytes.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)).count();
            prop_assert_eq!(plain_bytes(&bytes), counted);
        }

        #[test]
        fn it_accepts_only_what_the_other_accepts(text in nearly(document().to_string())) {
            if let Some(policy) = read(&text) {
                prop_assert_eq!(Some(policy), slow(&text), "{}", text);
            }
        }

        #[test]
        fn it_accepts_only_names_that_the_other_accepts(
            text in nearly(r#"{"identity":{"user":"alice","groups":["a","é"]}}"#.to_owned()),
        ) {
            if let Some(names) = who(&text) {
                prop_assert_eq!(parse(&text).ok().and_then(|value| subject_from_value(&value).ok()), Some(names));
            }
        }
    }
}

//! The form that adds members to a role: the names as entered, as stored, and their warnings.

use gbac_analysis::{NameIndex, name_findings};
use gbac_engine::model::{Principal, PrincipalError, PrincipalType, RoleError, check_member};
use gbac_engine::policy::Policy;
use gbac_words::escape::plain;
use gbac_words::pages::role as words;
use gbac_words::phrases::{self, with_hint};

use crate::names;

/// How many names the form takes at once.
const MOST_NAMES: usize = 1_000;

/// What was typed: the chosen type, and a name or a whole `Type:name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberDraft {
    /// The type that was chosen. A type in the text counts for that text only.
    chosen: PrincipalType,
    /// The text of the field.
    pub text: String,
}

/// A member that can be offered in place of what was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The member.
    pub principal: Principal,
    /// Why it may be meant, as a sentence without a final period.
    pub reason: String,
}

/// What the draft comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberPreview {
    /// What will be stored; none while nothing was typed.
    pub stored: Option<Principal>,
    /// Why it cannot be stored, with what to do.
    pub error: Option<String>,
    /// What may be meant instead; with an error it is the fix, without one a warning.
    pub offer: Option<Offer>,
    /// Other findings for the name, each without a final period.
    pub remarks: Vec<String>,
}

/// What was typed, if it may be several names: names can contain what separates others, so it has
/// to be asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypedMembers {
    /// Those that can be added, in the order of the text.
    pub members: Vec<Principal>,
    /// Why others cannot, as sentences without a final period.
    pub refused: Vec<String>,
    /// Findings for the names, each without a final period.
    pub remarks: Vec<String>,
}

/// The text of the field after lines were pasted behind what it had: a field has only one line.
pub fn with_pasted_lines(text: &str, pasted: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for line in std::iter::once(text).chain(pasted.lines()) {
        let line = without_separators(line);
        if !line.is_empty() {
            parts.push(line);
        }
    }
    parts.join("; ")
}

/// A name of a list, without the blanks around it and what separates it from the next.
fn without_separators(part: &str) -> &str {
    part.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';'))
}

/// The names of a list. Between lines or semicolons, a comma is part of a name.
fn split_names(text: &str) -> Vec<&str> {
    let separators: [&[char]; 3] = [&['\n', '\r'], &[';'], &[',']];
    for separator in separators {
        let mut names: Vec<&str> = Vec::new();
        for part in text.split(separator) {
            let name = without_separators(part);
            if !name.is_empty() && !names.contains(&name) && names.len() <= MOST_NAMES {
                names.push(name);
            }
        }
        if names.len() > 1 {
            return names;
        }
    }
    Vec::new()
}

impl MemberPreview {
    const fn new(stored: Option<Principal>, error: Option<String>, offer: Option<Offer>) -> Self {
        Self {
            stored,
            error,
            offer,
            remarks: Vec::new(),
        }
    }

    /// Nothing was typed.
    #[must_use]
    pub const fn empty() -> Self {
        Self::new(None, None, None)
    }
}

impl MemberDraft {
    /// The type that the text itself names, such as a pasted `Group:eng`.
    pub fn named_type(text: &str) -> Option<PrincipalType> {
        let (prefix, _) = text.trim_start().split_once(':')?;
        PrincipalType::from_prefix(prefix).filter(|kind| *kind != PrincipalType::Role)
    }

    /// An empty draft of a type.
    #[must_use]
    pub const fn new(chosen: PrincipalType) -> Self {
        Self {
            chosen,
            text: String::new(),
        }
    }

    /// The type that counts now: the one in the text, else the chosen one.
    pub fn kind(&self) -> PrincipalType {
        Self::named_type(&self.text).unwrap_or(self.chosen)
    }

    /// The draft after an edit of the text.
    #[must_use]
    pub const fn with_text(&self, text: String) -> Self {
        Self {
            chosen: self.chosen,
            text,
        }
    }

    /// The draft after a choice of the type; a type in the text gives way.
    #[must_use]
    pub fn with_kind(&self, kind: PrincipalType) -> Self {
        let text = match Self::named_type(&self.text) {
            Some(named) if named != kind => self
                .text
                .split_once(':')
                .map_or_else(String::new, |(_, name)| name.to_owned()),
            _ => self.text.clone(),
        };
        Self { chosen: kind, text }
    }

    /// The draft for the next principal, once this one was added.
    #[must_use]
    pub const fn next(&self) -> Self {
        Self::new(self.chosen)
    }

    /// The principal that will be stored, exactly; none while there is no name.
    fn principal(&self) -> Option<Principal> {
        let written = self.text.trim_start();
        let prefix = written.split_once(':').map(|(prefix, _)| prefix);
        if prefix.and_then(PrincipalType::from_prefix).is_some() {
            // Blanks before a type cannot be meant; after the colon everything is the name.
            return Principal::parse(written).ok();
        }
        (!self.text.is_empty()).then(|| Principal::new(self.chosen, self.text.as_str()))
    }

    /// Reads the draft against the policy, for this role.
    pub fn read(&self, policy: &Policy, role: &str) -> MemberPreview {
        let Some(stored) = self.principal() else {
            return MemberPreview::empty();
        };
        if let Some((text, offer)) = refusal(policy, role, &stored) {
            return MemberPreview::new(Some(stored), Some(text), offer);
        }
        let known = NameIndex::near_to(policy, [&stored]);
        let near = known.near(&stored).next().cloned();
        let (of_near, others): (Vec<_>, Vec<_>) = name_findings(policy, &stored, &known)
            .into_iter()
            .partition(|finding| {
                near.as_ref()
                    .is_some_and(|near| finding.principals.contains(near))
            });
        let near = near.zip(of_near.first());
        let near = near.map(|(principal, finding)| Offer {
            principal,
            reason: phrases::capitalized(&finding.message),
        });
        let offer = wrong_case_type(&stored)
            .or(near)
            .or_else(|| edge_blank(&stored));
        let remarks = others
            .iter()
            .map(|finding| with_hint(&finding.message, &finding.hint))
            .collect();
        MemberPreview {
            remarks,
            ..MemberPreview::new(Some(stored), None, offer)
        }
    }

    /// Reads what was typed as a list of names; none if it can only be one.
    pub fn list(&self, policy: &Policy, role: &str) -> Option<TypedMembers> {
        let names = split_names(&self.text);
        if names.is_empty() {
            return None;
        }
        let mut list = TypedMembers::default();
        if names.len() > MOST_NAMES {
            list.refused.push(words::too_many_names(MOST_NAMES));
            return Some(list);
        }
        for name in names {
            let draft = Self::new(self.kind()).with_text(name.to_owned());
            let Some(member) = draft.principal() else {
                continue;
            };
            match refusal(policy, role, &member) {
                Some((text, _)) => list.refused.push(text),
                None if list.members.contains(&member) => {}
                None => list.members.push(member),
            }
        }
        let known = NameIndex::near_to(policy, &list.members);
        for member in &list.members {
            list.remarks.extend(names::remarks(policy, &known, member));
        }
        list.remarks.dedup();
        Some(list)
    }
}

/// Why a role cannot get this member, and what may be meant.
fn refusal(policy: &Policy, role: &str, member: &Principal) -> Option<(String, Option<Offer>)> {
    if let Err(error) = check_member(member) {
        let offer = offer_for(&error, member);
        // An offer is the hint already.
        let text = match offer {
            Some(_) => phrases::capitalized(&error.to_string()),
            None => with_hint(&error.to_string(), &error.hint()),
        };
        return Some((text, offer));
    }
    let members = policy.role(role)?.members;
    members.contains(member).then(|| {
        let member = plain(&member.to_string());
        (format!("`{member}` is already a member of this role"), None)
    })
}

/// What is meant by a refused member, where it is plain.
fn offer_for(error: &RoleError, stored: &Principal) -> Option<Offer> {
    let RoleError::Member(PrincipalError::TypeInName(_)) = error else {
        return None;
    };
    // `User:Group:eng`: two types in one name.
    let principal = Principal::parse(stored.name()).ok()?;
    check_member(&principal).ok()?;
    Some(Offer {
        principal,
        reason: "The name contains two principal types".into(),
    })
}

/// `group:eng`: almost a type, but taken as a part of the name.
fn wrong_case_type(stored: &Principal) -> Option<Offer> {
    let (word, name) = stored.name().split_once(':')?;
    let kind = [PrincipalType::User, PrincipalType::Group]
        .into_iter()
        .find(|kind| kind.prefix().eq_ignore_ascii_case(word.trim()) && kind.prefix() != word)?;
    (!name.is_empty()).then(|| Offer {
        principal: Principal::new(kind, name),
        reason: format!(
            "`{word}:` is not a principal type in this letter case, so it becomes part of the name"
        ),
    })
}

fn edge_blank(stored: &Principal) -> Option<Offer> {
    let name = stored.name().trim();
    (name != stored.name() && !name.is_empty()).then(|| Offer {
        principal: Principal::new(stored.kind(), name),
        reason: "The name starts or ends with a space, which becomes part of it".into(),
    })
}

#[cfg(test)]
mod tests {
    use gbac_json::policy_from_value;
    use serde_json::json;

    use super::*;

    fn policy() -> Policy {
        policy_from_value(&json!({ "version": 1,
            "roles": [{ "name": "R", "members": [{ "principal": "Group:payments" }] },
                      { "name": "S", "members": [{ "principal": "Group:/eng" }, { "principal": "User:ann" }] }] }))
        .unwrap()
    }

    fn draft(kind: PrincipalType, text: &str) -> MemberDraft {
        MemberDraft::new(kind).with_text(text.into())
    }

    fn read(text: &str) -> MemberPreview {
        draft(PrincipalType::Group, text).read(&policy(), "R")
    }

    #[test]
    fn a_pasted_type_counts_for_its_own_text_only() {
        let draft = draft(PrincipalType::User, "Group:urn:x:eng");
        assert_eq!(draft.kind(), PrincipalType::Group);
        assert_eq!(
            draft.read(&policy(), "R").stored,
            Some(Principal::group("urn:x:eng"))
        );
        assert_eq!(draft.with_kind(PrincipalType::User).text, "urn:x:eng");
        assert_eq!(draft.with_kind(PrincipalType::Group).text, draft.text);
        // What is typed next has the type that was chosen.
        let next = draft.next().with_text("ann".into());
        assert_eq!(
            next.read(&policy(), "R").stored,
            Some(Principal::user("ann"))
        );
        assert_eq!(draft.with_text("ann".into()).kind(), PrincipalType::User);
        let chosen = draft
            .with_kind(PrincipalType::Group)
            .next()
            .with_text("ops".into());
        assert_eq!(
            chosen.read(&policy(), "R").stored,
            Some(Principal::group("ops"))
        );
    }

    #[test]
    fn any_name_can_be_written() {
        assert_eq!(
            read("Group:User:ann").stored,
            Some(Principal::group("User:ann"))
        );
        assert_eq!(read("Group:User:ann").error, None);
        assert_eq!(read("a,b c/ü").stored, Some(Principal::group("a,b c/ü")));
        assert_eq!(read(""), MemberPreview::empty());
        assert_eq!(read("Group:").stored, None);
        assert_eq!(read(" Group:eng").stored, Some(Principal::group("eng")));
    }

    #[test]
    fn several_names_are_a_list_and_may_be_one_name() {
        let list = |text: &str| {
            let list = draft(PrincipalType::Group, text).list(&policy(), "R");
            let list = list.unwrap_or_default();
            let members: Vec<String> = list.members.iter().map(Principal::to_string).collect();
            (members.join(" "), list.refused.join("; "))
        };
        let of = |members: &str| (members.to_owned(), String::new());
        assert_eq!(list("a, b,c"), of("Group:a Group:b Group:c"));
        assert_eq!(list(" a;b ; "), of("Group:a Group:b"));
        assert_eq!(list("User:a, Group:b, c"), of("User:a Group:b User:c"));
        // Names of directories contain commas.
        let pasted = with_pasted_lines("", "CN=a,OU=x\r\nCN=b,OU=x,\n\n");
        assert_eq!(pasted, "CN=a,OU=x; CN=b,OU=x");
        assert_eq!(list(&pasted), of("Group:CN=a,OU=x Group:CN=b,OU=x"));
        assert_eq!(with_pasted_lines("a", "b\nc"), "a; b; c");
        for one in ["a", "a b", "a,", ",", "", "a;a", "Group:a"] {
            assert_eq!(
                draft(PrincipalType::Group, one).list(&policy(), "R"),
                None,
                "{one}"
            );
        }
        // What is there is left out, and what is refused is told.
        let (members, refused) = list("payments, Role:R, ops");
        assert_eq!(members, "Group:ops");
        assert!(
            refused.starts_with("`Group:payments` is already a member of this role; "),
            "{refused}"
        );
        let near = draft(PrincipalType::Group, "Payments, ops")
            .list(&policy(), "R")
            .unwrap();
        assert!(
            near.remarks[0].contains("differ only in letter case"),
            "{near:?}"
        );
        // The whole text is one name as well.
        assert_eq!(read("a, b").stored, Some(Principal::group("a, b")));
        let mut many = String::new();
        for number in 0..=MOST_NAMES {
            many = format!("{many}n{number},");
        }
        assert!(list(&many).1.contains("1,000 names"), "{:?}", list(&many).1);
    }

    #[test]
    fn two_types_in_one_name_are_refused_with_the_fix() {
        let reading = read("User:Group:eng");
        assert!(reading.error.is_some());
        assert_eq!(reading.offer.unwrap().principal, Principal::group("eng"));
    }

    #[test]
    fn what_no_role_can_hold_is_refused() {
        for text in ["Group:*", "User:*", "Role:R", "RedpandaRole:R", "a\u{7}b"] {
            assert!(read(text).error.is_some(), "{text}");
        }
        assert_eq!(
            read("payments").error.as_deref(),
            Some("`Group:payments` is already a member of this role")
        );
    }

    #[test]
    fn near_misses_are_offered_and_not_refused() {
        let offered = |text: &str| {
            let reading = read(text);
            assert_eq!(reading.error, None, "{text}");
            reading.offer.map(|offer| offer.principal.to_string())
        };
        assert_eq!(offered("Payments").as_deref(), Some("Group:payments"));
        assert_eq!(offered("eng").as_deref(), Some("Group:/eng"));
        assert_eq!(offered("group:ops").as_deref(), Some("Group:ops"));
        assert_eq!(offered("ops ").as_deref(), Some("Group:ops"));
        assert_eq!(
            offered("ann"),
            None,
            "a user of that name is no near miss of a group"
        );
        assert_eq!(offered("/eng"), None);
        assert_eq!(offered("eng/").as_deref(), Some("Group:/eng"));
    }

    #[test]
    fn names_that_can_never_match_are_told_and_not_refused() {
        let told = |text: &str| {
            let reading = read(text);
            assert_eq!((reading.error, reading.offer), (None, None), "{text}");
            reading.remarks.join("; ")
        };
        assert!(
            told("eng*").starts_with("`Group:eng*` is not a wildcard"),
            "{}",
            told("eng*")
        );
        assert!(
            told("Group:User:bob").contains("is the group named `User:bob`"),
            "{}",
            told("Group:User:bob")
        );
        assert_eq!(told("analysts"), "");
    }

    #[test]
    fn a_near_name_is_told_also_where_both_exist() {
        let both = policy_from_value(&json!({ "version": 1, "roles": [
            { "name": "R", "members": [] },
            { "name": "S", "members": [{ "principal": "Group:ops" }, { "principal": "Group:Ops" }] }] }))
        .unwrap();
        let offer = draft(PrincipalType::Group, "Ops")
            .read(&both, "R")
            .offer
            .unwrap();
        assert_eq!(offer.principal, Principal::group("ops"));
        assert!(
            offer
                .reason
                .ends_with("differ only in letter case, but are different principals"),
            "{}",
            offer.reason
        );
    }
}

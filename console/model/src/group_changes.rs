//! The effects of changed settings on groups, for the settings page and the review.

use std::collections::{BTreeMap, BTreeSet};

use gbac_analysis::{AccessEffect, AccessRegion, Diff, GroupChange, GroupEffect, diff_with_tokens};
use gbac_engine::ClaimSet;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy};
use gbac_words::group_change::{self, GroupOutcome};
use gbac_words::rich_text::RichText;

/// Compares two policies as every interface does, with the names of some tokens.
pub fn compared(before: &Policy, after: &Policy, tokens: &[&ClaimSet]) -> Diff {
    let mut claims = Vec::with_capacity(tokens.len());
    for token in tokens {
        claims.push((*token, None));
    }
    diff_with_tokens(before, after, &claims)
}

/// One effect on the users whose token has one of some names.
#[derive(Debug, Clone, PartialEq)]
pub struct AccessLine {
    /// The names in tokens, in order; one at least.
    pub names: Vec<String>,
    /// What happens.
    pub effect: AccessEffect,
    /// On what.
    pub extent: AccessRegion,
    /// Why, as a sentence without the final period.
    pub because: RichText,
}

/// What other settings do to groups.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GroupChanges {
    /// The names: those that change first, those of tokens first among them.
    pub changes: Vec<GroupChange>,
    /// How many groups the policies name.
    pub known: usize,
    /// How many of them would be unknown without the tokens.
    pub settled: usize,
    /// How nested names are used before and after.
    nested: [NestedGroupBehavior; 2],
}

/// A member of a role that no token will produce: the role, the group, and why it is not renamed.
pub type UnrenamedMember = (String, String, &'static str);

impl GroupChanges {
    /// The group changes of a comparison of two policies.
    #[must_use]
    pub fn from_diff(diff: &Diff, before: &Policy, after: &Policy) -> Self {
        let mut changes = diff.groups.clone();
        changes.sort_by(|a, b| {
            let key = |change: &GroupChange| (!is_changed(change), !change.in_token());
            (key(a), &a.name).cmp(&(key(b), &b.name))
        });
        let all = before.known_principals().chain(after.known_principals());
        let mut known = BTreeSet::new();
        for principal in all {
            if principal.kind() == PrincipalType::Group && !principal.name().is_empty() {
                known.insert(principal.name());
            }
        }
        let rules = [before, after].map(|policy| policy.settings().identity_rules().extraction);
        let nested = rules.each_ref().map(|rule| rule.nested);
        let mut settled = BTreeSet::new();
        if rules[0].source != rules[1].source {
            for change in changes.iter().filter(|change| change.in_token()) {
                let name = change.name.as_str();
                let is_possible = nested.iter().any(|nested| nested.apply(name) == name);
                if is_possible && known.contains(name) {
                    settled.insert(name);
                }
            }
        }
        let settled = settled.len();
        Self {
            changes,
            known: known.len(),
            settled,
            nested,
        }
    }

    /// How many names are in the tokens.
    pub fn in_tokens(&self) -> usize {
        self.number(GroupChange::in_token)
    }

    /// How many names become one group with another name.
    pub fn merging(&self) -> usize {
        self.number(|change| !change.collides_with.is_empty())
    }

    /// How many names become no group.
    pub fn dropped(&self) -> usize {
        self.number(|change| matches!(change.effect, GroupEffect::Dropped | GroupEffect::NotRead))
    }

    /// The number of groups of which it is unknown whether tokens still contain them.
    pub fn unknown(&self) -> usize {
        self.number(|change| change.effect == GroupEffect::Unknown)
    }

    /// Whether a token makes more of it known, or would.
    pub fn needs_token(&self) -> bool {
        self.settled > 0 || self.unknown() > 0
    }

    /// Whether any name is another group, or may be.
    pub fn is_empty(&self) -> bool {
        !self.changes.iter().any(is_changed)
    }

    /// How many names there are with such a change: a name that differs from token to token counts
    /// once.
    fn number(&self, is_one: impl Fn(&GroupChange) -> bool) -> usize {
        let mut names = BTreeSet::new();
        for change in self.changes.iter().filter(|change| is_one(change)) {
            names.insert(change.name.as_str());
        }
        names.len()
    }

    /// The names that are another group in one token than in another.
    pub fn differing(&self) -> BTreeSet<&str> {
        let (mut once, mut twice) = (BTreeSet::new(), BTreeSet::new());
        for change in &self.changes {
            if !once.insert(change.name.as_str()) {
                twice.insert(change.name.as_str());
            }
        }
        twice
    }

    /// What a name becomes before and after.
    pub fn becomes(&self, change: &GroupChange) -> [GroupOutcome; 2] {
        let [before, after] = self.nested;
        let of = |group: &Option<String>, nested: NestedGroupBehavior| match group {
            Some(group) => GroupOutcome::Group(group.clone()),
            None if change.effect == GroupEffect::Unknown => GroupOutcome::Unknown,
            None if nested.apply(&change.name).is_empty() => GroupOutcome::Nothing,
            None => GroupOutcome::NotRead,
        };
        [of(&change.before, before), of(&change.after, after)]
    }

    /// Who gains and loses what. Names that gain or lose the same for the same reason share a line.
    pub fn lines(&self) -> Vec<AccessLine> {
        let mut lines: Vec<AccessLine> = Vec::new();
        // By a part of what has to be equal, so that not every two are compared.
        let mut by_reason: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
        for change in &self.changes {
            let then = self.becomes(change);
            for found in &change.effects {
                let because = group_change::because(change, &then, found.effect);
                for extent in &found.regions {
                    let places = by_reason
                        .entry((because.plain(), extent.pattern.name.clone()))
                        .or_default();
                    let is_same = |line: &AccessLine| {
                        (line.effect, &line.extent, &line.because)
                            == (found.effect, extent, &because)
                    };
                    let same = places
                        .iter()
                        .copied()
                        .find(|place| lines.get(*place).is_some_and(is_same));
                    match same.and_then(|place| lines.get_mut(place)) {
                        Some(line) if line.names.last() == Some(&change.name) => {}
                        Some(line) => line.names.push(change.name.clone()),
                        None => {
                            places.push(lines.len());
                            lines.push(AccessLine {
                                names: vec![change.name.clone()],
                                effect: found.effect,
                                extent: extent.clone(),
                                because: because.clone(),
                            });
                        }
                    }
                }
            }
        }
        lines
    }

    /// How many operations on names of one kind some effects are about, and how many names in
    /// tokens.
    pub fn total(&self, effects: &[AccessEffect]) -> (usize, usize) {
        let (mut total, mut names) = (0, BTreeSet::new());
        for change in &self.changes {
            let found = change
                .effects
                .iter()
                .filter(|found| effects.contains(&found.effect));
            let operations: usize = found
                .flat_map(|found| &found.regions)
                .map(AccessRegion::operation_count)
                .sum();
            if operations > 0 {
                names.insert(change.name.as_str());
            }
            total += operations;
        }
        (total, names.len())
    }

    /// The changes that give role members the name that they will have, and the members that cannot
    /// be given any.
    pub fn renames(&self) -> (Vec<Change>, Vec<UnrenamedMember>) {
        let (mut renames, mut unrenamed) = (Vec::new(), Vec::new());
        for change in &self.changes {
            if change.before.as_ref() != Some(&change.name) {
                continue;
            }
            for role in &change.roles_lost {
                let member = Principal::group(&change.name);
                match (change.effect, &change.after) {
                    // To rename one of them would give the role to the others, too.
                    (GroupEffect::Renamed, Some(_)) if !change.collides_with.is_empty() => {
                        unrenamed.push((role.clone(), change.name.clone(), group_change::MERGES));
                    }
                    (GroupEffect::Renamed, Some(group)) => {
                        renames.push(Change::AddMember {
                            role: role.clone(),
                            member: Principal::group(group),
                        });
                        renames.push(Change::RemoveMember {
                            role: role.clone(),
                            member,
                        });
                    }
                    (GroupEffect::Dropped, _) => {
                        unrenamed.push((role.clone(), change.name.clone(), group_change::NO_NAME));
                    }
                    _ => {}
                }
            }
        }
        (renames, unrenamed)
    }
}

/// Whether anything is, or may be, different for a name.
pub fn is_changed(change: &GroupChange) -> bool {
    change.effect != GroupEffect::Unchanged || !change.collides_with.is_empty()
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Acl, Operation, ResourceType};
    use gbac_json::policy_from_value;
    use serde_json::{Value, json};

    use super::*;
    use crate::settings::GroupSettingsForm;

    fn acl(principal: &str, name: &str, operation: &str) -> Value {
        json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name, "principal": principal, "host": "*",
            "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED", "operation": operation,
            "permission_type": "PERMISSION_TYPE_ALLOW" })
    }

    fn policy() -> Policy {
        let member = |name: &str| json!({ "principal": name });
        policy_from_value(&json!({ "version": 1,
            "roles": [
                { "name": "Incident", "members": [member("Group:/eng/on-call"), member("Group:/eng/legacy/")] },
                { "name": "Refunds", "members": [member("Group:payments")] },
                { "name": "Writers", "members": [member("Group:/eng/payments"), member("User:ada")] },
            ],
            "acls": [
                acl("Role:Incident", "logs-", "OPERATION_READ"),
                acl("Role:Refunds", "refunds-", "OPERATION_READ"),
                acl("Role:Writers", "payments-", "OPERATION_WRITE"),
                acl("Group:analysts", "reports-", "OPERATION_READ"),
            ] }))
        .unwrap()
    }

    fn changes(path: &str, nested: NestedGroupBehavior, claims: &Value) -> GroupChanges {
        changes_of(&policy(), path, nested, claims)
    }

    fn changes_of(
        before: &Policy,
        path: &str,
        nested: NestedGroupBehavior,
        claims: &Value,
    ) -> GroupChanges {
        let mut after = before.clone();
        let entered = GroupSettingsForm {
            claim_path: path.into(),
            nested,
        };
        after
            .apply(Change::Settings(Box::new(
                entered.read(before.settings()).unwrap(),
            )))
            .unwrap();
        let claims = claims.as_object().cloned().map(ClaimSet::from);
        let tokens: Vec<&ClaimSet> = claims.iter().collect();
        GroupChanges::from_diff(&compared(before, &after, &tokens), before, &after)
    }

    #[test]
    fn who_gains_because_a_deny_stops_applying_is_told_so() {
        let deny = Acl::deny(
            Principal::group("/eng/legacy/"),
            Operation::Write,
            ResourceType::Topic,
            "payments-settled",
        );
        let mut before = policy();
        before.apply(Change::AddAcl(deny)).unwrap();
        let none = json!({});
        let found = changes_of(&before, "$.groups", NestedGroupBehavior::Suffix, &none);
        let lines = found.lines();
        let gained = lines
            .iter()
            .find(|line| line.effect == AccessEffect::CanGain);
        let because = gained.unwrap().because.plain();
        assert!(
            because.starts_with("a deny for Group:/eng/legacy/ no longer applies"),
            "{because}"
        );
    }

    fn change<'a>(found: &'a GroupChanges, name: &str) -> &'a GroupChange {
        found
            .changes
            .iter()
            .find(|change| change.name == name)
            .unwrap()
    }

    #[test]
    fn suffix_shows_who_merges_and_who_gains_and_loses() {
        let claims = json!({ "groups": ["/contractors/payments", "/eng/payments", "analysts"] });
        let found = changes("$.groups", NestedGroupBehavior::Suffix, &claims);
        assert_eq!(
            (found.in_tokens(), found.known, found.is_empty()),
            (3, 5, false)
        );
        let contractors = change(&found, "/contractors/payments");
        let groups =
            ["/contractors/payments", "payments"].map(|name| GroupOutcome::Group(name.into()));
        assert_eq!(found.becomes(contractors), groups);
        assert_eq!(
            (
                contractors.collides_with.len(),
                contractors.roles_gained.as_slice()
            ),
            (2, ["Refunds".to_owned()].as_slice())
        );
        let legacy = change(&found, "/eng/legacy/");
        assert_eq!(found.becomes(legacy)[1], GroupOutcome::Nothing);
        assert_eq!(
            (found.merging(), found.dropped(), found.unknown()),
            (3, 1, 0)
        );
        assert!(
            found.changes[0].in_token() && is_changed(&found.changes[0]),
            "what changes comes first"
        );

        let lines = |name: &str| -> Vec<(AccessEffect, String, String)> {
            let lines = found
                .lines()
                .into_iter()
                .filter(|line| line.names.iter().any(|of| of == name));
            lines
                .map(|line| (line.effect, line.extent.pattern.name, line.because.plain()))
                .collect()
        };
        let refunds = (
            AccessEffect::Gains,
            "refunds-".into(),
            "becomes Group:payments, a member of Role:Refunds".into(),
        );
        assert_eq!(
            lines("/contractors/payments"),
            std::slice::from_ref(&refunds)
        );
        let lost = "is no longer Group:/eng/payments, which is in Role:Writers";
        assert_eq!(
            lines("/eng/payments"),
            [
                refunds.clone(),
                (AccessEffect::Loses, "payments-".into(), lost.into())
            ]
        );
        let lost = "the name no longer produces a group, which is in Role:Incident";
        assert_eq!(
            lines("/eng/legacy/"),
            [(AccessEffect::Loses, "logs-".into(), lost.into())]
        );
        assert!(lines("analysts").is_empty());
        // Who gains the same is told once.
        let gains: Vec<Vec<String>> = found
            .lines()
            .into_iter()
            .filter(|line| line.effect == refunds.0)
            .map(|line| line.names)
            .collect();
        assert_eq!(gains, [["/contractors/payments", "/eng/payments"]]);
        assert_eq!(found.total(&[AccessEffect::Gains]).1, 2);
    }

    #[test]
    fn members_are_renamed_where_that_gives_nobody_more() {
        let (renames, unrenamed) =
            changes("$.groups", NestedGroupBehavior::Suffix, &Value::Null).renames();
        assert_eq!(
            renames,
            [
                Change::AddMember {
                    role: "Incident".into(),
                    member: Principal::group("on-call")
                },
                Change::RemoveMember {
                    role: "Incident".into(),
                    member: Principal::group("/eng/on-call")
                },
            ]
        );
        assert_eq!(
            unrenamed,
            [
                (
                    "Incident".into(),
                    "/eng/legacy/".into(),
                    group_change::NO_NAME
                ),
                (
                    "Writers".into(),
                    "/eng/payments".into(),
                    group_change::MERGES
                )
            ]
        );
    }

    #[test]
    fn another_claim_path_reads_other_names_and_says_what_it_cannot_know() {
        let claims = json!({ "groups": ["payments", "both"], "roles": ["analysts", "both"] });
        let found = changes("$.roles", NestedGroupBehavior::None, &claims);
        assert_eq!(
            found.becomes(change(&found, "payments"))[1],
            GroupOutcome::NotRead
        );
        assert_eq!(
            found.becomes(change(&found, "analysts"))[0],
            GroupOutcome::NotRead
        );
        assert!(!is_changed(change(&found, "both")));
        assert_eq!(
            found.becomes(change(&found, "/eng/payments"))[1],
            GroupOutcome::Unknown
        );
        assert_eq!((found.settled, found.unknown()), (2, 3));
        assert!(found.needs_token());
        // A token settles what is unknown without it, and nothing while the path is the same.
        let without = changes("$.roles", NestedGroupBehavior::None, &Value::Null);
        assert_eq!((without.settled, without.unknown()), (0, 5));
        let same_path = changes("$.groups", NestedGroupBehavior::Suffix, &claims);
        assert!(!same_path.needs_token());
        let effects: Vec<(String, AccessEffect)> = found
            .lines()
            .into_iter()
            .map(|line| (line.names.concat(), line.effect))
            .collect();
        assert_eq!(
            effects,
            [
                ("analysts".into(), AccessEffect::Gains),
                ("payments".into(), AccessEffect::Loses)
            ]
        );
        assert_eq!(
            found.renames(),
            (vec![], vec![]),
            "their names stay what they are"
        );
    }

    #[test]
    fn tokens_of_several_kinds_settle_more_and_each_has_its_own_decision() {
        let mut after = policy();
        let entered = GroupSettingsForm {
            claim_path: "$.roles".into(),
            nested: NestedGroupBehavior::None,
        };
        let settings = entered.read(after.settings()).unwrap();
        after.apply(Change::Settings(Box::new(settings))).unwrap();
        let claims = [
            json!({ "groups": ["payments", "analysts"], "roles": ["payments"] }),
            json!({ "groups": ["payments"] }),
            json!({ "groups": ["/eng/payments"], "roles": ["payments"] }),
        ];
        let claims = claims.map(|claims| ClaimSet::from(claims.as_object().cloned().unwrap()));
        let tokens: Vec<&ClaimSet> = claims.iter().collect();
        let found =
            GroupChanges::from_diff(&compared(&policy(), &after, &tokens), &policy(), &after);
        let told: Vec<(&str, GroupEffect, &[usize])> = found
            .changes
            .iter()
            .filter(|change| change.in_token())
            .map(|change| {
                (
                    change.name.as_str(),
                    change.effect,
                    change.tokens.as_slice(),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("/eng/payments", GroupEffect::NotRead, [2].as_slice()),
                ("analysts", GroupEffect::NotRead, &[0]),
                ("payments", GroupEffect::NotRead, &[1]),
                ("payments", GroupEffect::Added, &[2]),
                ("payments", GroupEffect::Unchanged, &[0]),
            ]
        );
        assert_eq!(found.differing(), ["payments"].into());
        assert_eq!(
            (found.in_tokens(), found.settled, found.unknown()),
            (3, 3, 2)
        );
        assert_eq!(found.dropped(), 3);
        // What one kind of user keeps is lost to another, and gained by a third.
        let payments: Vec<AccessEffect> = found
            .lines()
            .into_iter()
            .filter(|line| line.names == ["payments"])
            .map(|line| line.effect)
            .collect();
        assert_eq!(payments, [AccessEffect::Loses, AccessEffect::Gains]);
    }

    #[test]
    fn the_same_settings_change_nothing() {
        let found = changes("$.groups", NestedGroupBehavior::None, &Value::Null);
        assert_eq!(
            (found.is_empty(), found.lines().len(), found.known),
            (true, 0, 5)
        );
    }
}

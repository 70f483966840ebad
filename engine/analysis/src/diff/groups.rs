//! The effect of changed settings on groups: which group each name in a token produces, and what a
//! user with that name gains and loses.

use strum::{IntoStaticStr, VariantArray, VariantNames};

use std::collections::{BTreeMap, BTreeSet};

use super::host_scope::on_side;
use super::{AccessEffect, AccessRegion, TokenClaims, acl_diff};
use crate::scope::Scope;
use gbac_engine::groups::{ElementOutcome, ExtractionRule, NestedGroupBehavior, extract};
use gbac_engine::model::{Acl, Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy};

/// The effect of changed settings on a group that the policy names, or on a name in a token.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupChange {
    /// The name of a group in a policy, or a name in the token.
    pub name: String,
    /// Which of the given tokens contain the name with this effect, counted from 0.
    pub tokens: Vec<usize>,
    /// The kind of effect.
    pub effect: GroupEffect,
    /// The group that the name produced before. `None` if it produced none, or if that is unknown.
    pub before: Option<String>,
    /// The group that the name produces now. `None` if it produces none, or if that is unknown.
    pub after: Option<String>,
    /// The other names, known or in the token, that now produce the same group and did not before.
    pub collides_with: Vec<String>,
    /// The roles that a user with this name gains.
    pub roles_gained: Vec<String>,
    /// The roles that a user with this name loses.
    pub roles_lost: Vec<String>,
    /// What a user with this name gains and loses, through the settings and every other difference.
    pub effects: Vec<NameEffect>,
}

impl GroupChange {
    /// Whether a given token contains the name.
    #[must_use]
    pub fn in_token(&self) -> bool {
        !self.tokens.is_empty()
    }

    /// The name in the token, before `suffix`; `None` if it is unknown.
    #[must_use]
    pub fn raw(&self) -> Option<&str> {
        (self.effect != GroupEffect::Unknown).then_some(self.name.as_str())
    }
}

/// The effect of changed settings on a name.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray, VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum GroupEffect {
    /// It produces another group.
    Renamed,
    /// It no longer produces a group: `suffix` leaves an empty name.
    Dropped,
    /// It is no longer read: the claim path does not select it.
    NotRead,
    /// It produces a group; before, it produced none.
    Added,
    /// It produces the same group as before, and now so does every path that ends in it.
    MoreNames,
    /// It produces the same group as before, but paths that end in it no longer do.
    FewerNames,
    /// Names are read from another claim: it is unknown whether tokens still contain the group.
    Unknown,
    /// It is in the token, and its group is unchanged.
    Unchanged,
}

impl GroupEffect {
    /// Every value.
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;
}

/// One effect on the users whose token contains a name.
#[derive(Debug, Clone, PartialEq)]
pub struct NameEffect {
    /// The kind of effect.
    pub effect: AccessEffect,
    /// The resources and operations that it affects.
    pub regions: Vec<AccessRegion>,
    /// With [`AccessEffect::StillDenied`], the denies that block it.
    pub denied_by: Vec<Acl>,
}

/// The result of a name under one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
enum NameResult {
    Group(String),
    Nothing,
    /// The claim path does not select it.
    NotRead,
    /// The claim path differs, so the group is unknown.
    Unknown,
}

impl NameResult {
    fn from_name(name: &str, nested: NestedGroupBehavior) -> Self {
        match nested.apply(name) {
            "" => Self::Nothing,
            group => Self::Group(group.to_owned()),
        }
    }

    fn group(&self) -> Option<&str> {
        match self {
            Self::Group(name) => Some(name),
            Self::Nothing | Self::NotRead | Self::Unknown => None,
        }
    }
}

impl From<ElementOutcome> for NameResult {
    fn from(outcome: ElementOutcome) -> Self {
        match outcome {
            ElementOutcome::Kept { group } | ElementOutcome::Duplicate { group } => {
                Self::Group(group)
            }
            ElementOutcome::Dropped { .. } => Self::Nothing,
        }
    }
}

/// A name with its results before and after the change. A name that tokens contain in different
/// claims is here once for each pair of results.
struct Name {
    name: String,
    /// The tokens that contain it with these results, counted from 0.
    tokens: Vec<usize>,
    /// How many pairs of results of the same name come before.
    variant: usize,
    known: bool,
    results: [NameResult; 2],
}

impl Name {
    /// Its group on one side; the name itself if that is unknown.
    fn group(&self, side: usize) -> Option<&str> {
        match self.results.get(side) {
            Some(NameResult::Unknown) | None => Some(&self.name),
            Some(result) => result.group(),
        }
    }

    fn is_changed(&self) -> bool {
        self.group(0) != self.group(1)
    }

    fn key(&self) -> NameKey<'_> {
        (&self.name, self.variant)
    }
}

/// A name, and which of its pairs of results.
type NameKey<'n> = (&'n str, usize);

/// The effects of the second policy's settings on groups, compared with those of the first.
pub(super) fn changes(policies: [&Policy; 2], tokens: &[TokenClaims<'_>]) -> Vec<GroupChange> {
    let rules = policies.map(|policy| policy.settings().identity_rules().extraction);
    let [before, after] = &rules;
    if before == after && tokens.is_empty() {
        return Vec::new();
    }
    let names = names(policies, &rules, tokens);
    let mut effects = effects(policies, &names);
    let by_group = [names_by_group(&names, 0), names_by_group(&names, 1)];
    let same_path = before.source == after.source;
    let mut changes = Vec::new();
    for name in &names {
        let Some(effect) = effect(name, same_path, [before.nested, after.nested]) else {
            continue;
        };
        let had = roles(policies[0], name.group(0));
        let has = roles(policies[1], name.group(1));
        let [was, is] = &name.results;
        // The policy knows the groups of another claim path, but not the names that produce them.
        let was = match was {
            NameResult::Unknown => possible(&name.name, before.nested),
            known => known.group(),
        };
        changes.push(GroupChange {
            name: name.name.clone(),
            tokens: name.tokens.clone(),
            effect,
            before: was.map(str::to_owned),
            after: is.group().map(str::to_owned),
            collides_with: merged_with(name, &by_group),
            roles_gained: has.difference(&had).cloned().collect(),
            roles_lost: had.difference(&has).cloned().collect(),
            effects: effects.remove(&name.key()).unwrap_or_default(),
        });
    }
    changes
}

/// The names that produce each group.
type NamesByGroup<'n> = BTreeMap<&'n str, BTreeSet<&'n str>>;

fn names_by_group(names: &[Name], side: usize) -> NamesByGroup<'_> {
    let mut by_group = NamesByGroup::new();
    for name in names {
        if let Some(group) = on_side(&name.results, side).group() {
            by_group.entry(group).or_default().insert(&name.name);
        }
    }
    by_group
}

/// The other names that now produce the same group as a name and did not before.
fn merged_with(name: &Name, [before, after]: &[NamesByGroup<'_>; 2]) -> Vec<String> {
    let [was, is] = &name.results;
    let same_before = was.group().and_then(|group| before.get(group));
    let mut merged = Vec::new();
    for other in is
        .group()
        .and_then(|group| after.get(group))
        .into_iter()
        .flatten()
    {
        let was_same = same_before.is_some_and(|same| same.contains(other));
        if *other != name.name && !was_same {
            merged.push((*other).to_owned());
        }
    }
    merged
}

/// The roles of a group.
fn roles(policy: &Policy, group: Option<&str>) -> BTreeSet<String> {
    match group {
        Some(group) => {
            let group = Principal::group(group);
            policy.roles_of(&group).map(str::to_owned).collect()
        }
        None => BTreeSet::new(),
    }
}

/// The group of this name; `None` if no token can produce it.
fn possible(name: &str, nested: NestedGroupBehavior) -> Option<&str> {
    (nested.apply(name) == name).then_some(name)
}

/// The names in the policies and in the tokens, sorted.
fn names(
    policies: [&Policy; 2],
    rules: &[ExtractionRule; 2],
    tokens: &[TokenClaims<'_>],
) -> Vec<Name> {
    let [before, after] = rules;
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for policy in policies {
        for principal in policy.known_principals() {
            if principal.kind() == PrincipalType::Group && !principal.name().is_empty() {
                known.insert(principal.name());
            }
        }
    }
    let mut read = Vec::with_capacity(tokens.len());
    for token in tokens {
        read.push(rules.each_ref().map(|rule| elements(*token, rule)));
    }
    let mut in_tokens: BTreeSet<&str> = BTreeSet::new();
    for elements in read.iter().flatten() {
        in_tokens.extend(elements.keys().map(String::as_str));
    }
    let mut names = Vec::new();
    for name in known.union(&in_tokens) {
        let mut variants = results_in_tokens(name, &read);
        if variants.is_empty() {
            let results = match before.source == after.source {
                true => [before, after].map(|rule| NameResult::from_name(name, rule.nested)),
                false => [NameResult::Unknown, NameResult::Unknown],
            };
            variants.push((results, Vec::new()));
        }
        for (variant, (results, tokens)) in variants.into_iter().enumerate() {
            names.push(Name {
                name: (*name).to_owned(),
                tokens,
                variant,
                known: known.contains(name),
                results,
            });
        }
    }
    names
}

/// The results of a name in the tokens that contain it, each pair once with its tokens.
fn results_in_tokens(
    name: &str,
    read: &[[BTreeMap<String, NameResult>; 2]],
) -> Vec<([NameResult; 2], Vec<usize>)> {
    let mut variants: Vec<([NameResult; 2], Vec<usize>)> = Vec::new();
    for (token, sides) in read.iter().enumerate() {
        if !sides.iter().any(|side| side.contains_key(name)) {
            continue;
        }
        let results = sides.each_ref().map(|side| match side.get(name) {
            Some(result) => result.clone(),
            None => NameResult::NotRead,
        });
        match variants.iter_mut().find(|(same, _)| *same == results) {
            Some((_, tokens)) => tokens.push(token),
            None => variants.push((results, vec![token])),
        }
    }
    variants
}

/// The names at a claim path with their results.
fn elements(
    (claims, userinfo): TokenClaims<'_>,
    rule: &ExtractionRule,
) -> BTreeMap<String, NameResult> {
    let mut results = BTreeMap::new();
    for element in extract(rule, claims, userinfo).elements {
        results.insert(element.raw, element.outcome.into());
    }
    results
}

/// The effect on a name; `None` if there is none and the name is not in the token.
fn effect(name: &Name, same_path: bool, nested: [NestedGroupBehavior; 2]) -> Option<GroupEffect> {
    use NestedGroupBehavior::{None as Whole, Suffix};

    let [was, is] = &name.results;
    let effect = match (was, is) {
        (NameResult::Unknown, _) | (_, NameResult::Unknown) => {
            // A group that no token can produce before or after is unaffected.
            let is_possible = nested
                .iter()
                .any(|nested| possible(&name.name, *nested).is_some());
            return is_possible.then_some(GroupEffect::Unknown);
        }
        (NameResult::Group(was), NameResult::Group(is)) if was != is => GroupEffect::Renamed,
        (NameResult::Group(_), NameResult::Group(_)) => match nested {
            [Whole, Suffix] if name.known && same_path => GroupEffect::MoreNames,
            [Suffix, Whole] if name.known && same_path => GroupEffect::FewerNames,
            _ => GroupEffect::Unchanged,
        },
        (NameResult::Group(_), NameResult::Nothing) => GroupEffect::Dropped,
        (NameResult::Group(_), NameResult::NotRead) => GroupEffect::NotRead,
        (_, NameResult::Group(_)) => GroupEffect::Added,
        _ => GroupEffect::Unchanged,
    };
    (effect != GroupEffect::Unchanged || !name.tokens.is_empty()).then_some(effect)
}

/// The gains and losses of users with a name, by name. Each name is treated as a group with the
/// access of the group that it produces, and both sides are compared like any two policies; names
/// with several pairs of results once for each pair.
fn effects<'n>(
    policies: [&Policy; 2],
    names: &'n [Name],
) -> BTreeMap<NameKey<'n>, Vec<NameEffect>> {
    let mut effects = BTreeMap::new();
    let variants = names.iter().map(|name| name.variant + 1).max();
    for variant in 0..variants.unwrap_or(0) {
        let mut changed: BTreeMap<&str, &Name> = BTreeMap::new();
        for name in names {
            if name.variant == variant && name.is_changed() {
                changed.insert(&name.name, name);
            }
        }
        if !changed.is_empty() {
            add_effects(policies, &changed, &mut effects);
        }
    }
    effects
}

/// Adds the gains and losses of changed names.
fn add_effects<'n>(
    [before, after]: [&Policy; 2],
    changed: &BTreeMap<&'n str, &'n Name>,
    effects: &mut BTreeMap<NameKey<'n>, Vec<NameEffect>>,
) {
    let (_, differences, _) = acl_diff(
        &with_names_as_groups(before, changed, 0),
        &with_names_as_groups(after, changed, 1),
    );
    for difference in differences {
        let Scope::One(principal) = &difference.scope else {
            continue;
        };
        if principal.kind() != PrincipalType::Group {
            continue;
        }
        let Some(name) = changed.get(principal.name()) else {
            continue;
        };
        // In the policy, the ACL is for the group that the name produces.
        let mut denied_by = difference.denied_by;
        for acl in &mut denied_by {
            if acl.principal == *principal {
                acl.principal = Principal::group(name.group(1).unwrap_or_default());
            }
        }
        let effect = NameEffect {
            effect: difference.effect,
            regions: difference.regions,
            denied_by,
        };
        effects.entry(name.key()).or_default().push(effect);
    }
}

/// A policy in which each changing name is a group with the access of the group that it produces on
/// this side.
fn with_names_as_groups(policy: &Policy, changed: &BTreeMap<&str, &Name>, side: usize) -> Policy {
    let mut renamed = Vec::new();
    let mut acls_by_group: BTreeMap<&str, Vec<Acl>> = BTreeMap::new();
    for name in changed.values() {
        if name.group(side) != Some(&name.name) {
            renamed.push(name);
            acls_by_group.entry(&name.name).or_default();
            if let Some(group) = name.group(side) {
                acls_by_group.entry(group).or_default();
            }
        }
    }
    let mut copy = policy.clone();
    if acls_by_group.is_empty() {
        return copy;
    }
    for acl in policy.acls() {
        if acl.principal.kind() == PrincipalType::Group
            && let Some(acls) = acls_by_group.get_mut(acl.principal.name())
        {
            acls.push(acl);
        }
    }
    for name in renamed {
        let member = Principal::group(&name.name);
        for acl in acls_by_group.get(name.name.as_str()).into_iter().flatten() {
            apply(&mut copy, Change::RemoveAcl(acl.clone()));
        }
        for role in roles(policy, Some(&name.name)) {
            apply(
                &mut copy,
                Change::RemoveMember {
                    role,
                    member: member.clone(),
                },
            );
        }
        let Some(group) = name.group(side) else {
            continue;
        };
        for acl in acls_by_group.get(group).into_iter().flatten() {
            apply(
                &mut copy,
                Change::AddAcl(Acl {
                    principal: member.clone(),
                    ..acl.clone()
                }),
            );
        }
        for role in roles(policy, Some(group)) {
            apply(
                &mut copy,
                Change::AddMember {
                    role,
                    member: member.clone(),
                },
            );
        }
    }
    copy
}

/// Applies a change to a copy. The change never fails, because it adds and removes only parts of
/// the policy itself.
fn apply(policy: &mut Policy, change: Change) {
    let _ = policy.apply(change);
}

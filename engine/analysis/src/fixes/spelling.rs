//! Fixes of a group that the policy spells in another way than the token: by letter case or by
//! slashes.

use std::collections::BTreeMap;

use gbac_engine::model::{Acl, Principal, PrincipalType};
use gbac_engine::near::fold_name;
use gbac_engine::policy::Change;

use super::{FixKind, FixStep, NAMED_MEMBERS, Search, TRIED, assign};
use crate::hypothetical::HypotheticalChange;

/// The groups of a user by the form that all near misses of a name share.
struct Spellings(BTreeMap<String, Vec<Principal>>);

impl Spellings {
    fn new(groups: &[String]) -> Self {
        let mut spellings: BTreeMap<String, Vec<Principal>> = BTreeMap::new();
        for group in groups {
            let folded = fold_name(group);
            // Slashes alone are near to nothing.
            if !folded.is_empty() {
                let same = spellings.entry(folded).or_default();
                same.push(Principal::group(group));
            }
        }
        Self(spellings)
    }

    /// The groups whose names differ from this one only by letter case or slashes.
    fn near(&self, group: &Principal) -> Vec<Principal> {
        if group.kind() != PrincipalType::Group {
            return Vec::new();
        }
        let mut near = self
            .0
            .get(&fold_name(group.name()))
            .cloned()
            .unwrap_or_default();
        near.retain(|other| other != group);
        near
    }
}

impl Search<'_> {
    /// The steps that add a group of the user, as it is spelled in the token, where the policy
    /// allows the request to nearly the same name.
    pub(super) fn spellings(&self) -> Vec<FixStep> {
        let groups = Spellings::new(self.identity.groups());
        let mut steps = Vec::new();
        for (id, hits) in self.hits.by_principal() {
            let Some(principal) = self.policy.principal(id) else {
                continue;
            };
            if steps.len() >= TRIED || !hits.iter().any(|hit| hit.allows) {
                continue;
            }
            for group in groups.near(principal) {
                if let Some(acl) = self.hits.allowing(id).first() {
                    let acl = Acl {
                        principal: group,
                        ..acl.clone()
                    };
                    steps.push(FixStep {
                        kind: FixKind::SpellGroup,
                        changes: vec![HypotheticalChange::Policy(Change::AddAcl(acl))],
                    });
                }
            }
            if principal.kind() != PrincipalType::Role {
                continue;
            }
            for member in self.policy.links(id).iter().take(NAMED_MEMBERS) {
                let Some(member) = self.policy.principal(*member) else {
                    continue;
                };
                for group in groups.near(member) {
                    steps.push(assign(FixKind::SpellGroup, &group, principal));
                }
            }
        }
        steps
    }
}

//! The differences between two clusters as rows, and what each cluster decides there.

use std::collections::HashSet;
use std::net::IpAddr;

use gbac_analysis::{
    AccessEffect, AccessRegion, Addresses, Difference, HostSet, MatrixCell, Opening, ReachSubject,
    Scope, diff, matrix_cell,
};
use gbac_engine::Coded;
use gbac_engine::decide::{At, Outcome};
use gbac_engine::model::{Host, Operation, PrincipalType};
use gbac_engine::policy::{Policy, Settings};
use gbac_words::pages::compare_clusters as words;
use gbac_words::rich_text::RichText;

use super::side::{ClusterSide, DifferenceSide};
use crate::review::settings_values;

/// The settings that show that tokens are read in different ways.
const OF_GROUPS: [&str; 3] = ["oidc_group_claim_path", "nested_group_behavior", "sso"];

/// The most ACLs of a policy whose permissions are counted.
const COUNTED: usize = 20_000;

/// How A and B differ.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterComparison {
    /// The differences: settings first, then everyone, users and groups.
    pub rows: Vec<DifferenceRow>,
    /// What to know about all of them.
    pub notes: Vec<RichText>,
}

/// One difference.
#[derive(Debug, Clone, PartialEq)]
pub struct DifferenceRow {
    /// Whose; none for a setting.
    pub holder: Option<Scope>,
    /// In which cluster it is allowed.
    pub side: DifferenceSide,
    /// What differs.
    pub access: RowAccess,
    /// The names in it, in lower case.
    searched: String,
}

/// What differs.
#[derive(Debug, Clone, PartialEq)]
pub enum RowAccess {
    /// A setting, with its value in A and in B.
    Setting {
        /// Its name.
        name: &'static str,
        /// The values.
        values: [String; 2],
    },
    /// Requests, with what B does to them where A is the earlier policy.
    Region(AccessRegion, AccessEffect),
}

/// The differences of one holder, or of the settings.
#[derive(Debug, Clone, PartialEq)]
pub struct RowGroup {
    /// Whose; none for the settings.
    pub holder: Option<Scope>,
    /// The places of its rows that are shown.
    pub rows: Vec<usize>,
}

/// What a cluster decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellOutcome {
    /// It allows it.
    Allow,
    /// An ACL denies it.
    Deny,
    /// No ACL is about it.
    Nothing,
}

impl CellOutcome {
    /// Its word.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Allow => "Allow",
            Self::Deny => "Deny",
            Self::Nothing => words::NOTHING_ALLOWS,
        }
    }
}

/// What a cluster decides, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct DifferenceCell {
    /// The decision.
    pub outcome: CellOutcome,
    /// Through what.
    pub through: Option<RichText>,
}

impl ClusterComparison {
    /// Compares A with B.
    pub fn new(policies: [&Policy; 2]) -> Self {
        let [a, b] = policies;
        let found = diff(a, b);
        let mut rows = Vec::new();
        for name in &found.settings {
            let values = policies.map(|policy| setting_value(policy.settings(), name));
            rows.push(DifferenceRow::of_setting(name, values));
        }
        for difference in &found.differences {
            if let Some(side) = side_of(difference.effect) {
                for region in &difference.regions {
                    rows.push(DifferenceRow {
                        searched: format!("{}\n{}", difference.scope, region.pattern.name)
                            .to_lowercase(),
                        holder: Some(difference.scope.clone()),
                        side,
                        access: RowAccess::Region(region.clone(), difference.effect),
                    });
                }
            }
        }
        // The effects of one holder stand together.
        rows.sort_by_key(|row| row.holder.clone());
        let mut notes = Vec::new();
        let systems = policies.map(|policy| policy.settings().dialect);
        if systems[0] != systems[1] {
            notes.push(words::other_systems(systems[0], systems[1]).into());
        }
        if OF_GROUPS.iter().any(|name| found.settings.contains(name)) {
            notes.push(words::READ_DIFFERENTLY.into());
        }
        for side in ClusterSide::ALL {
            let Some(policy) = policies.get(side.index()) else {
                continue;
            };
            let unstated = found.unstated(policy.settings().states());
            if !unstated.is_empty() {
                notes.push(words::unstated(side.letter(), &unstated));
            }
        }
        Self { rows, notes }
    }

    /// How many permissions both have, where a permission is what a row says: who can do what, or is
    /// denied it. None for policies so large that counting would be felt.
    pub fn same(policies: [&Policy; 2]) -> Option<usize> {
        let mut all = Vec::new();
        for policy in policies {
            if policy.acl_count() > COUNTED {
                return None;
            }
            let nothing = Policy::new(policy.settings().clone());
            let mut permissions = HashSet::new();
            for Difference {
                scope,
                effect,
                regions,
                ..
            } in diff(&nothing, policy).differences
            {
                if side_of(effect).is_some() {
                    for region in regions {
                        permissions.insert(format!("{scope} {effect:?} {region:?}"));
                    }
                }
            }
            all.push(permissions);
        }
        let [a, b] = all.as_slice() else { return None };
        Some(a.intersection(b).count())
    }

    /// The operations that rows are about.
    pub fn operations(&self) -> Vec<Operation> {
        let mut operations = Vec::new();
        for operation in Operation::ALL {
            let has = |row: &DifferenceRow| match &row.access {
                RowAccess::Region(region, _) => region.operations.contains(operation),
                RowAccess::Setting { .. } => false,
            };
            if self.rows.iter().any(has) {
                operations.push(*operation);
            }
        }
        operations
    }

    /// Rows at these places by their holder.
    pub fn groups(&self, places: &[usize]) -> Vec<RowGroup> {
        let mut groups: Vec<RowGroup> = Vec::new();
        for place in places {
            let Some(row) = self.rows.get(*place) else {
                continue;
            };
            match groups.last_mut() {
                Some(group) if group.holder == row.holder => group.rows.push(*place),
                _ => groups.push(RowGroup {
                    holder: row.holder.clone(),
                    rows: vec![*place],
                }),
            }
        }
        groups
    }
}

impl DifferenceRow {
    fn of_setting(name: &'static str, values: [String; 2]) -> Self {
        Self {
            holder: None,
            side: DifferenceSide::Both,
            searched: format!("{name}\n{}\n{}", values[0], values[1]).to_lowercase(),
            access: RowAccess::Setting { name, values },
        }
    }

    /// Whether a text is part of its names, in any letter case.
    pub fn has_text(&self, text: &str) -> bool {
        self.searched.contains(&text.trim().to_lowercase())
    }

    /// The operations in words; none of a setting.
    pub fn operations(&self) -> String {
        let mut labels = Vec::new();
        if let RowAccess::Region(region, _) = &self.access {
            labels.extend(region.operations.iter().map(|held| held.spelling().label));
        }
        labels.join(", ")
    }

    /// The names that it is about; none of a setting.
    pub fn opening(&self) -> Opening {
        let mut patterns = Vec::new();
        if let RowAccess::Region(region, _) = &self.access {
            patterns.push((region.resource_type, region.pattern.clone()));
        }
        Opening {
            patterns,
            is_for_everyone: false,
        }
    }

    /// What A and B decide; none for a setting.
    pub fn cells(&self, policies: [&Policy; 2]) -> Option<[DifferenceCell; 2]> {
        let (Some(holder), RowAccess::Region(region, effect)) = (&self.holder, &self.access) else {
            return None;
        };
        let operation = *region.operations.first()?;
        let subject = ReachSubject::Scope(holder.clone());
        let host = host_of(&region.hosts);
        let allows = match effect {
            AccessEffect::Loses => [true, false],
            AccessEffect::Gains => [false, true],
            _ => [false, false],
        };
        let denied = match effect {
            AccessEffect::CanGain => [true, false],
            AccessEffect::CanLose => [false, true],
            _ => [false, false],
        };
        let cell = |index: usize| {
            let policy = *policies.get(index)?;
            let found = matrix_cell(
                policy,
                &subject,
                (region.resource_type, &region.pattern),
                operation,
                host,
                At::IgnoringExpiry,
            );
            let [is_allowed, is_denied] =
                [&allows, &denied].map(|all| all.get(index) == Some(&true));
            Some(DifferenceCell::new(
                policy, holder, &found, is_allowed, is_denied,
            ))
        };
        Some([cell(0)?, cell(1)?])
    }
}

impl DifferenceCell {
    fn new(
        policy: &Policy,
        holder: &Scope,
        found: &MatrixCell,
        is_allowed: bool,
        is_denied: bool,
    ) -> Self {
        if is_allowed {
            let through = match &found.granted_by {
                Some(by) => Some(words::through(by)),
                None => is_superuser(policy, holder).then(|| words::SUPERUSER.into()),
            };
            return Self {
                outcome: CellOutcome::Allow,
                through: through.filter(|_| found.outcome == Outcome::Allow),
            };
        }
        match found.denied_by.first() {
            Some(by) => Self {
                outcome: CellOutcome::Deny,
                through: Some(words::through(by)),
            },
            None => Self {
                outcome: match is_denied {
                    true => CellOutcome::Deny,
                    false => CellOutcome::Nothing,
                },
                through: None,
            },
        }
    }
}

fn is_superuser(policy: &Policy, holder: &Scope) -> bool {
    match holder {
        Scope::One(principal) => {
            principal.kind() == PrincipalType::User
                && policy.settings().superusers.contains(principal.name())
        }
        Scope::Everyone => false,
    }
}

/// In which cluster a difference is, where A is the earlier policy; none if it is in neither.
pub(super) const fn side_of(effect: AccessEffect) -> Option<DifferenceSide> {
    match effect {
        AccessEffect::Loses => Some(DifferenceSide::OnlyA),
        AccessEffect::Gains => Some(DifferenceSide::OnlyB),
        AccessEffect::CanGain | AccessEffect::CanLose => Some(DifferenceSide::Both),
        AccessEffect::StillDenied => None,
    }
}

/// A host of a set; none for an unknown one.
fn host_of(hosts: &HostSet) -> Option<IpAddr> {
    if hosts.unknown {
        return None;
    }
    let mut candidates = Vec::new();
    if let Addresses::Only(only) = &hosts.addresses {
        for host in only {
            match host {
                Host::Address(address) => candidates.push(*address),
                Host::Range(range) => candidates.push(range.address()),
                Host::Any | Host::Name(_) => {}
            }
        }
    }
    // Addresses for examples, of RFC 5737 and RFC 3849.
    candidates.push([192, 0, 2, 1].into());
    candidates.push([198, 51, 100, 1].into());
    candidates.push([0x2001, 0xdb8, 0, 0, 0, 0, 0, 1_u16].into());
    let mut candidates = candidates.into_iter();
    candidates.find(|address| hosts.covers(Some(*address)))
}

fn setting_value(settings: &Settings, name: &str) -> String {
    match name {
        "dialect" => settings.dialect.code().to_owned(),
        "kafka_version" => settings.kafka_version.to_string(),
        name => {
            let mut values = Vec::new();
            for (of, value) in settings_values(settings) {
                if of == name && !value.is_empty() {
                    values.push(value);
                } else if name == "access" && of.starts_with("access.") && !value.is_empty() {
                    let level = of.trim_start_matches("access.");
                    values.push(format!("{level}: {value}"));
                }
            }
            values.join("; ")
        }
    }
}

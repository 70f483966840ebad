//! The review of a draft: its rows by role and principal, its effects on effective access, and
//! concurrent changes.

mod brief;
mod draft_tests;
mod effect_groups;
mod effect_reasons;
mod effect_words;
mod effects;
mod lost_denies;

use gbac_analysis::{NameIndex, Opening};
use gbac_engine::model::{Acl, Permission, Principal, PrincipalType};
use gbac_engine::policy::{AccessLevel, Change, GroupSource, Policy, Settings};
use gbac_words::breadth;
use gbac_words::phrases::count;
use std::collections::BTreeSet;

pub use self::brief::{Commands, DraftBrief, brief, commands};
pub use self::draft_tests::{DraftTests, FailingTest};
pub use self::effect_groups::{EffectGroup, alike};
pub use self::effect_reasons::{EffectReason, reasons};
pub use self::effect_words::{AffectedGroups, access_words, effect_words, group_change_words};
pub use self::effects::{
    AffectedHolder, BLOCKED, EffectLine, Effects, GAINS, LOSES, Total, effects, effects_of,
};
use self::lost_denies::covers;
pub use self::lost_denies::{DenyLoss, LostDeny};
use crate::draft::{AclReplacement, ChangeStatus, Staged, edits};
use crate::names::{remarks, unseen};
use crate::roles::acls_of;

/// Whom rows are about, in the order in which they are shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SectionTarget {
    /// The settings.
    Settings,
    /// A role.
    Role(String),
    /// A user or group, by ACLs of its own.
    Principal(Principal),
}

/// Rows about one role, one principal, or the settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Whom they are about.
    pub about: SectionTarget,
    /// The rows: roles, then ACLs, then members; what goes before what comes.
    pub rows: Vec<ChangeRow>,
}

/// One staged change as a row.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeRow {
    /// Its place in the draft.
    pub index: usize,
    /// Whether something comes; otherwise it goes.
    pub adds: bool,
    /// What.
    pub what: ChangedItem,
    /// The ACL whose place it takes, where the draft edits one.
    pub edited_from: Option<Acl>,
    /// Why it cannot be made, or that it changes nothing; none when it can be.
    pub obstacle: Option<String>,
    /// Why the service did not make it when it was sent.
    pub failure: Option<String>,
    /// What it opens.
    pub opening: Opening,
    /// The findings for the name of the principal that it adds, each without a final period.
    pub remarks: Vec<String>,
}

impl ChangeRow {
    fn is_of_acl(&self, acl: &Acl) -> bool {
        matches!(&self.what, ChangedItem::Acl(own) if own == acl)
    }

    /// The principal that this adds to a role, or gives an ACL.
    fn added(&self) -> Option<&Principal> {
        match &self.what {
            ChangedItem::Member(principal) if self.adds => Some(principal),
            ChangedItem::Acl(acl) if self.adds => Some(&acl.principal),
            _ => None,
        }
    }
}

/// Adds what rows open, and what is odd about the principals that they add: names that can never match, names that are nearly another, and groups that nothing
/// here has seen.
pub fn remark(
    sections: &mut [Section],
    staged: &[Staged],
    before: &Policy,
    after: &Policy,
    seen: &BTreeSet<String>,
) {
    let known = NameIndex::near_to(
        after,
        sections
            .iter()
            .flat_map(|section| &section.rows)
            .filter_map(ChangeRow::added),
    );
    for row in sections.iter_mut().flat_map(|section| &mut section.rows) {
        if let Some(staged) = staged.get(row.index) {
            row.opening = Opening::of_change(before, after, &staged.change);
        }
        let Some(principal) = row.added() else {
            continue;
        };
        row.remarks = remarks(after, &known, principal)
            .into_iter()
            .chain(unseen(before, seen, principal))
            .collect();
    }
}

/// Why a draft needs a reason: it opens every name of a type, or affects everyone.
pub fn reason_needed(before: &Policy, after: &Policy, changes: &[Change]) -> Option<String> {
    let mut opened = Vec::new();
    for change in changes {
        opened.push(Opening::of_change(before, after, change).wide());
    }
    let opened = Opening::joined(opened);
    (!opened.is_empty()).then(|| breadth::reason_needed(&opened))
}

/// What comes or goes.
#[derive(Debug, Clone, PartialEq)]
pub enum ChangedItem {
    /// A role; when it goes, its members and ACLs go too.
    Role {
        /// The members that go.
        members: Vec<Principal>,
        /// The ACLs that go.
        acls: Vec<Acl>,
    },
    /// An ACL.
    Acl(Acl),
    /// A member.
    Member(Principal),
    /// Settings, each by its name with what it was and what it will be.
    Settings(Vec<(&'static str, String, String)>),
}

impl ChangedItem {
    const fn rank(&self) -> u8 {
        match self {
            Self::Settings(_) | Self::Role { .. } => 0,
            Self::Acl(_) => 1,
            Self::Member(_) => 2,
        }
    }
}

/// The rows of a draft, compared with the current policy and sorted by principal.
pub fn sections(before: &Policy, staged: &[Staged], statuses: &[ChangeStatus]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for (index, staged) in staged.iter().enumerate() {
        let (about, adds, what) = row(before, &staged.change);
        let obstacle = match statuses.get(index) {
            None | Some(ChangeStatus::Ready) => None,
            Some(ChangeStatus::Done) => Some("already applied".to_owned()),
            Some(ChangeStatus::Impossible(error)) => Some(error.to_string()),
        };
        let failure = staged.failure.as_ref().map(ToString::to_string);
        let row = ChangeRow {
            index,
            adds,
            what,
            edited_from: None,
            obstacle,
            failure,
            opening: Opening::default(),
            remarks: Vec::new(),
        };
        match sections.iter_mut().find(|section| section.about == about) {
            Some(section) => section.rows.push(row),
            None => sections.push(Section {
                about,
                rows: vec![row],
            }),
        }
    }
    sections.sort_by(|a, b| a.about.cmp(&b.about));
    for section in &mut sections {
        section
            .rows
            .sort_by_key(|row| (row.what.rank(), row.adds, row.index));
    }
    sections
}

/// Shows each edit of an ACL as one row: that of the ACL that comes, which says what it was. What
/// cannot be removed, or was not, keeps a row of its own.
pub fn join_edits(sections: &mut [Section], staged: &[Staged]) {
    for AclReplacement { from, to } in edits(staged.iter().map(|staged| &staged.change)) {
        let opening = opening_of_edit(from, to);
        for section in &mut *sections {
            section.rows.retain(|row| {
                let is_in_trouble = row.obstacle.is_some() || row.failure.is_some();
                row.adds || !row.is_of_acl(from) || is_in_trouble
            });
            for row in &mut section.rows {
                if row.adds && row.is_of_acl(to) {
                    row.opening = opening.clone();
                    row.edited_from = Some(from.clone());
                }
            }
        }
    }
}

/// What an edit opens: an allow that is wider than the one before, and a deny that is narrower.
fn opening_of_edit(from: &Acl, to: &Acl) -> Opening {
    let is_same = from.permission == to.permission;
    let mut opens = Vec::new();
    if to.permission == Permission::Allow && !(is_same && covers(from, to)) {
        opens.push(to.clone());
    }
    if from.permission == Permission::Deny && !(is_same && covers(to, from)) {
        opens.push(from.clone());
    }
    Opening::of_acls(opens)
}

/// Whom the row of an ACL is about.
fn of_acl(acl: &Acl) -> SectionTarget {
    match acl.principal.kind() {
        PrincipalType::Role => SectionTarget::Role(acl.principal.name().to_owned()),
        PrincipalType::User | PrincipalType::Group | PrincipalType::Other => {
            SectionTarget::Principal(acl.principal.clone())
        }
    }
}

fn row(before: &Policy, change: &Change) -> (SectionTarget, bool, ChangedItem) {
    match change {
        Change::AddAcl(acl) => (of_acl(acl), true, ChangedItem::Acl(acl.clone())),
        Change::RemoveAcl(acl) => (of_acl(acl), false, ChangedItem::Acl(acl.clone())),
        Change::CreateRole(name) => (
            SectionTarget::Role(name.clone()),
            true,
            ChangedItem::Role {
                members: Vec::new(),
                acls: Vec::new(),
            },
        ),
        Change::DeleteRole { name, delete_acls } => {
            let members = match before.role(name) {
                Some(role) => role.members.into_iter().collect(),
                None => Vec::new(),
            };
            let acls = if *delete_acls {
                acls_of(before, name)
            } else {
                Vec::new()
            };
            (
                SectionTarget::Role(name.clone()),
                false,
                ChangedItem::Role { members, acls },
            )
        }
        Change::AddMember { role, member } => (
            SectionTarget::Role(role.clone()),
            true,
            ChangedItem::Member(member.clone()),
        ),
        Change::RemoveMember { role, member } => (
            SectionTarget::Role(role.clone()),
            false,
            ChangedItem::Member(member.clone()),
        ),
        Change::Settings(settings) => (
            SectionTarget::Settings,
            true,
            ChangedItem::Settings(settings_rows(before.settings(), settings)),
        ),
    }
}

/// The settings that differ, each with what it was and what it will be.
fn settings_rows(before: &Settings, after: &Settings) -> Vec<(&'static str, String, String)> {
    let before = settings_values(before);
    let mut changed = Vec::new();
    for (name, is) in settings_values(after) {
        let was = match before.iter().find(|(other, _)| *other == name) {
            Some((_, was)) => was.clone(),
            None => String::new(),
        };
        if was != is {
            changed.push((name, was, is));
        }
    }
    changed
}

/// The settings, each by its name.
pub(crate) fn settings_values(settings: &Settings) -> Vec<(&'static str, String)> {
    let mut all = match &settings.groups {
        GroupSource::Properties { claim_path, nested } => {
            vec![
                ("oidc_group_claim_path", claim_path.to_string()),
                ("nested_group_behavior", nested.to_string()),
            ]
        }
        GroupSource::Sso { attributes, .. } => {
            vec![("sso", serde_json::to_string(attributes).unwrap_or_default())]
        }
    };
    all.push((
        "oidc_principal_mapping",
        settings.principal_mapping.as_str().to_owned(),
    ));
    all.push(("superusers", settings.superusers.as_slice().join(", ")));
    for (name, level) in [
        ("access.read_only", AccessLevel::ReadOnly),
        ("access.evaluate", AccessLevel::Evaluate),
    ] {
        let grantees = settings.access.grantees(level).iter();
        let grantees: Vec<String> = grantees.map(ToString::to_string).collect();
        all.push((name, grantees.join(", ")));
    }
    all
}

/// How many roles, ACLs, members and settings come and go; first those that come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ChangeCounts {
    pub(crate) roles: [usize; 2],
    pub(crate) acls: [usize; 2],
    pub(crate) members: [usize; 2],
    pub(crate) settings: usize,
}

impl ChangeCounts {
    /// In words: `2 ACLs added, 1 removed.`
    pub(crate) fn words(&self) -> String {
        let mut parts = Vec::new();
        for ([comes, goes], noun, come, go) in [
            (self.roles, "role", "created", "deleted"),
            (self.acls, "ACL", "added", "removed"),
            (self.members, "principal", "added", "removed"),
        ] {
            match (comes, goes) {
                (0, 0) => {}
                (comes, 0) => parts.push(format!("{} {come}.", count(comes, noun))),
                (0, goes) => parts.push(format!("{} {go}.", count(goes, noun))),
                (comes, goes) => {
                    parts.push(format!("{} {come}, {goes} {go}.", count(comes, noun)));
                }
            }
        }
        if self.settings > 0 {
            parts.push("Settings changed.".to_owned());
        }
        parts.join(" ")
    }
}

/// How many ACLs, members, roles and settings come and go, in words: `2 ACLs added, 1 removed.`
pub fn summary(changes: &[Change]) -> String {
    let mut counts = ChangeCounts::default();
    for change in changes {
        match change {
            Change::AddAcl(_) => counts.acls[0] += 1,
            Change::RemoveAcl(_) => counts.acls[1] += 1,
            Change::CreateRole(_) => counts.roles[0] += 1,
            Change::DeleteRole { .. } => counts.roles[1] += 1,
            Change::AddMember { .. } => counts.members[0] += 1,
            Change::RemoveMember { .. } => counts.members[1] += 1,
            Change::Settings(_) => counts.settings += 1,
        }
    }
    counts.words()
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Operation, ResourceType};

    use super::*;
    use crate::draft::{apply, with_edit};

    fn acl(principal: Principal, name: &str) -> Acl {
        Acl::allow(principal, Operation::Read, ResourceType::Topic, name)
    }

    #[test]
    fn what_opens_most_is_said_and_needs_a_reason() {
        let before = Policy::default();
        let (role, group) = (Principal::role("R"), Principal::group("contractors"));
        let mut settings = before.settings().clone();
        settings.superusers.insert("root".into());
        let changes = [
            Change::CreateRole("R".into()),
            Change::AddAcl(acl(role, "*")),
            Change::AddMember {
                role: "R".into(),
                member: group.clone(),
            },
            Change::AddAcl(acl(group, "orders")),
            Change::Settings(Box::new(settings)),
        ];
        let staged = changes.clone().map(|change| Staged {
            change,
            failure: None,
        });
        let mut after = before.clone();
        let statuses = apply(&mut after, &changes);
        let mut rows = sections(&before, &staged, &statuses);
        remark(&mut rows, &staged, &before, &after, &BTreeSet::new());
        let mut said = [const { String::new() }; 5];
        for row in rows.iter().flat_map(|section| &section.rows) {
            if let Some(words) = breadth::opens(&row.opening) {
                said[row.index] = words.plain();
            }
        }
        let (topics, topic) = ("Opens every topic", "Opens one topic, orders");
        let everyone = "Affects everyone who signs in";
        assert_eq!(said, ["", topics, topics, topic, everyone]);
        for (change, said) in changes.iter().zip(said) {
            let alone = std::slice::from_ref(change);
            let is_wide = !said.is_empty() && said != topic;
            let reason = reason_needed(&before, &after, alone);
            assert_eq!(reason.is_some(), is_wide);
        }
        // It says what is wide, and nothing else.
        assert_eq!(
            reason_needed(&before, &after, &changes).as_deref(),
            Some("Say why: this draft opens every topic and affects everyone who signs in.")
        );
    }

    #[test]
    fn rows_are_under_the_role_or_principal_that_they_are_about() {
        let mut policy = Policy::default();
        let member = |role: &str| Change::AddMember {
            role: role.into(),
            member: Principal::group("eng"),
        };
        for change in [Change::CreateRole("Old".into()), member("Old")] {
            policy.apply(change).unwrap();
        }
        policy
            .apply(Change::AddAcl(acl(Principal::role("Old"), "x")))
            .unwrap();
        let mut settings = policy.settings().clone();
        settings.superusers.insert("root".into());
        let changes = [
            Change::CreateRole("New".into()),
            member("New"),
            Change::AddAcl(acl(Principal::role("New"), "a")),
            Change::AddAcl(acl(Principal::group("eng"), "b")),
            Change::DeleteRole {
                name: "Old".into(),
                delete_acls: true,
            },
            Change::Settings(Box::new(settings)),
        ];
        let staged = changes.clone().map(|change| Staged {
            change,
            failure: None,
        });
        assert_eq!(
            summary(&changes),
            "1 role created, 1 deleted. 2 ACLs added. 1 principal added. Settings changed."
        );
        let sections = sections(&policy, &staged, &apply(&mut policy.clone(), &changes));
        let about: Vec<&SectionTarget> = sections.iter().map(|section| &section.about).collect();
        let eng = SectionTarget::Principal(Principal::group("eng"));
        assert_eq!(
            about,
            [
                &SectionTarget::Settings,
                &SectionTarget::Role("New".into()),
                &SectionTarget::Role("Old".into()),
                &eng
            ]
        );
        assert_eq!(
            sections[0].rows[0].what,
            ChangedItem::Settings(vec![("superusers", String::new(), "root".into())])
        );
        let new: Vec<u8> = sections[1].rows.iter().map(|row| row.what.rank()).collect();
        assert_eq!(new, [0, 1, 2]);
        let ChangedItem::Role { members, acls } = &sections[2].rows[0].what else {
            panic!("a role goes")
        };
        assert_eq!((members.len(), acls.len()), (1, 1));
        assert!(
            sections
                .iter()
                .flat_map(|section| &section.rows)
                .all(|row| row.obstacle.is_none())
        );

        // Somebody else was faster.
        policy.apply(Change::CreateRole("New".into())).unwrap();
        policy.apply(member("New")).unwrap();
        let sections = super::sections(&policy, &staged, &apply(&mut policy.clone(), &changes));
        let obstacles: Vec<Option<&str>> = sections[1]
            .rows
            .iter()
            .map(|row| row.obstacle.as_deref())
            .collect();
        assert_eq!(
            obstacles,
            [
                Some("role `New` already exists"),
                None,
                Some("already applied")
            ]
        );
    }

    #[test]
    fn an_edited_acl_is_one_row_with_what_it_was() {
        let role = || Principal::role("R");
        let mut policy = Policy::default();
        policy.apply(Change::CreateRole("R".into())).unwrap();
        let wide = acl(role(), "orders-").prefixed();
        policy.apply(Change::AddAcl(wide.clone())).unwrap();
        let narrow = acl(role(), "orders-eu");
        let staged = [
            Change::RemoveAcl(wide.clone()),
            Change::AddAcl(narrow.clone()),
            Change::AddAcl(acl(role(), "more")),
        ]
        .map(|change| Staged {
            change,
            failure: None,
        });
        let changes = staged.clone().map(|staged| staged.change);
        let mut after = policy.clone();
        let mut sections = sections(&policy, &staged, &apply(&mut after, &changes));
        remark(&mut sections, &staged, &policy, &after, &BTreeSet::new());
        join_edits(&mut sections, &staged);
        let rows: Vec<_> = (sections[0].rows.iter())
            .map(|row| {
                (
                    row.index,
                    row.edited_from.as_ref(),
                    row.opening.breadth().is_some(),
                )
            })
            .collect();
        assert_eq!(rows, [(1, Some(&wide), false), (2, None, true)]);
        // A deny that becomes narrower opens what it denied; one that becomes wider opens nothing.
        let [wide, narrow] = [wide, narrow].map(|acl| Acl {
            permission: Permission::Deny,
            ..acl
        });
        assert!(opening_of_edit(&wide, &narrow).breadth().is_some());
        assert!(opening_of_edit(&narrow, &wide).breadth().is_none());
        let changes: Vec<&Change> = changes.iter().collect();
        assert_eq!(with_edit(&changes, 1), [1, 0]);
        assert_eq!(with_edit(&changes, 2), [2]);
    }
}

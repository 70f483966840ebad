//! The changes that were applied last: what undoes them, and the checks that show their effect.

use std::sync::Arc;

use gbac_analysis::AccessEffect;
use gbac_analysis::provider::AcceptedTokens;
use gbac_engine::decide::At;
use gbac_engine::identity::Identity;
use gbac_engine::model::{Acl, Operation, Permission, Principal, PrincipalType, ResourceType};
use gbac_engine::policy::{Change, Policy, Settings, StatedSettings, apply_each};
use gbac_formats::script::changes_between;
use gbac_words::group_change;
use gbac_words::phrases::{capitalized, count};

use crate::draft::{ChangeStatus, Staged, apply, rebased};
use crate::review::{ChangeRow, Effects, GAINS, LOSES, Section, SectionTarget, sections};
use crate::simulator::inputs::{IdentityMode, Inputs};
use crate::simulator::pipeline::evaluate;
use crate::simulator::token_checks::Verifier;
use crate::simulator::verdict::VerdictKind;

/// The user of a check that is about a group alone.
const ANY_USER: &str = "any-user";
/// The resource of a check whose ACL is about all names.
const ANY_RESOURCE: &str = "any-name";

/// Changes that the service made together.
#[derive(Clone, PartialEq)]
pub struct AppliedDraft {
    /// The changes.
    pub changes: Vec<Change>,
    /// What undoes them, in the order in which it is made.
    pub undo: Vec<Change>,
    /// The settings after them, if they changed.
    pub settings: Option<Settings>,
    /// When, in milliseconds since 1970.
    pub at_ms: f64,
    /// The effect on principals, in sentences; none after a reload.
    pub summary: Option<String>,
    /// The request that was in the simulator when they were applied; none after a reload.
    pub request: Option<CheckedRequest>,
}

/// A request of the simulator, and its verdict before the changes. It has a token, so it is never
/// written anywhere.
#[derive(Clone, PartialEq)]
pub struct CheckedRequest {
    /// What was entered.
    pub inputs: Inputs,
    /// The verdict before.
    pub before: VerdictKind,
}

impl CheckedRequest {
    /// What is entered in the simulator, decided on the policy before the changes; none if nothing
    /// is decided.
    pub fn from_inputs(
        inputs: &Inputs,
        before: &Arc<Policy>,
        accepted: &AcceptedTokens,
        now: f64,
        verifier: Option<Verifier>,
    ) -> Option<Self> {
        let view = evaluate(inputs, Some(before), accepted, now, verifier);
        view.judged?;
        Some(Self {
            inputs: inputs.clone(),
            before: view.verdict?.kind,
        })
    }
}

/// Applied changes of one role, of one principal, or of the settings.
#[derive(Debug, Clone, PartialEq)]
pub struct AppliedSection {
    /// Whom they are about.
    pub about: SectionTarget,
    /// The changes.
    pub rows: Vec<ChangeRow>,
    /// The request that shows the effect of the first change that has one.
    pub check: Option<SimulatorCheck>,
}

/// What undoes applied changes on the present policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Undo {
    /// The changes for the draft.
    pub changes: Vec<Change>,
    /// What can no longer be undone.
    pub lost: Vec<LostChange>,
}

/// A change that can no longer be undone.
#[derive(Debug, Clone, PartialEq)]
pub struct LostChange {
    /// What would undo it.
    pub change: Change,
    /// Why it cannot be made, as a sentence without a final period.
    pub reason: String,
}

impl AppliedDraft {
    /// Changes that were made on a policy just now.
    #[must_use]
    pub fn new(before: &Policy, changes: Vec<Change>, at_ms: f64) -> Self {
        let mut after = before.clone();
        apply_each(&mut after, &changes);
        let mut undo = changes_between(&after, before);
        // A policy that does not state a setting has its default; to go back to it, it is stated.
        undo.retain(|change| !matches!(change, Change::Settings(_)));
        let has_new_settings = before.settings() != after.settings();
        if has_new_settings {
            let settings = Settings {
                stated: StatedSettings::ALL,
                ..before.settings().clone()
            };
            undo.insert(0, Change::Settings(Box::new(settings)));
        }
        let settings = has_new_settings.then(|| after.settings().clone());
        Self {
            changes,
            undo,
            settings,
            at_ms,
            summary: None,
            request: None,
        }
    }

    /// What undoes them on the present policy. Settings that others changed meanwhile stay.
    pub fn undo(&self, now: &Policy) -> Undo {
        let wanted: Vec<Change> = self
            .undo
            .iter()
            .map(|change| self.over(change, now))
            .collect();
        let statuses = apply(&mut now.clone(), &wanted);
        let mut undo = Undo {
            changes: Vec::new(),
            lost: Vec::new(),
        };
        for (change, status) in wanted.into_iter().zip(statuses) {
            match status {
                ChangeStatus::Ready => undo.changes.push(change),
                ChangeStatus::Done => undo.lost.push(LostChange {
                    change,
                    reason: "Already undone".to_owned(),
                }),
                ChangeStatus::Impossible(error) => {
                    undo.lost.push(LostChange {
                        change,
                        reason: capitalized(&error.to_string()),
                    });
                }
            }
        }
        undo
    }

    /// The policy before the changes, as far as nobody else changed it.
    pub fn before(&self, now: &Policy) -> Policy {
        let mut before = now.clone();
        let undo: Vec<Change> = self
            .undo
            .iter()
            .map(|change| self.over(change, now))
            .collect();
        apply_each(&mut before, &undo);
        before
    }

    /// The changes by what they are about, on the present policy.
    pub fn sections(&self, now: &Policy) -> Vec<AppliedSection> {
        let staged: Vec<Staged> = self
            .changes
            .iter()
            .map(|change| Staged {
                change: change.clone(),
                failure: None,
            })
            .collect();
        let with_check = |section: Section| {
            let changes = section
                .rows
                .iter()
                .filter_map(|row| self.changes.get(row.index));
            let check = changes
                .into_iter()
                .find_map(|change| SimulatorCheck::for_change(change, now));
            AppliedSection {
                about: section.about,
                rows: section.rows,
                check,
            }
        };
        sections(&self.before(now), &staged, &[])
            .into_iter()
            .map(with_check)
            .collect()
    }

    fn over(&self, change: &Change, now: &Policy) -> Change {
        match (change, &self.settings) {
            (Change::Settings(settings), Some(after)) => {
                Change::Settings(Box::new(rebased(settings, after, now.settings())))
            }
            _ => change.clone(),
        }
    }
}

/// Who gained and lost how much, in sentences.
pub fn summary(effects: &Effects) -> String {
    let sentence = |verb: &str, kinds: &[AccessEffect]| {
        let total = effects.total(kinds);
        (total.operations > 0).then(|| {
            format!(
                "{} {verb} {}.",
                count(total.people, "principal"),
                count(total.operations, "operation")
            )
        })
    };
    let mut told: Vec<String> = [sentence("gained", GAINS), sentence("lost", LOSES)]
        .into_iter()
        .flatten()
        .collect();
    let unknown = group_change::unknown(effects.groups.unknown());
    if let Some(unknown) = unknown {
        told.push(format!("{}.", capitalized(&unknown)));
    }
    if told.is_empty() {
        "No change in effective access for known principals.".to_owned()
    } else {
        told.join(" ")
    }
}

/// A request for the simulator, by a principal that a change affects.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatorCheck {
    /// The user or the group.
    pub principal: Principal,
    /// The operation.
    pub operation: Operation,
    /// The type of the resource.
    pub resource_type: ResourceType,
    /// The name of the resource.
    pub resource_name: String,
}

impl SimulatorCheck {
    /// The request that shows the effect of a change on a policy; none where it has none of its
    /// own.
    pub fn for_change(change: &Change, policy: &Policy) -> Option<Self> {
        match change {
            Change::AddMember { role, member } | Change::RemoveMember { role, member } => {
                let acls = policy.acls_of(&Principal::role(role));
                let first = acls
                    .iter()
                    .find(|acl| acl.permission == Permission::Allow)
                    .or_else(|| acls.first())?;
                Some(Self::by(member.clone(), first))
            }
            Change::AddAcl(acl) | Change::RemoveAcl(acl) => {
                let principal = match acl.principal.kind() {
                    PrincipalType::Role => policy
                        .role(acl.principal.name())?
                        .members
                        .into_iter()
                        .next()?,
                    PrincipalType::User | PrincipalType::Group | PrincipalType::Other => {
                        acl.principal.clone()
                    }
                };
                Some(Self::by(principal, acl))
            }
            Change::CreateRole(_) | Change::DeleteRole { .. } | Change::Settings(_) => None,
        }
    }

    fn by(principal: Principal, acl: &Acl) -> Self {
        let operation = match acl.operation {
            Operation::All => acl
                .resource_type
                .operations()
                .first()
                .copied()
                .unwrap_or(Operation::Describe),
            operation => operation,
        };
        let resource_name = if acl.resource_name == "*" {
            ANY_RESOURCE.to_owned()
        } else {
            acl.resource_name.clone()
        };
        Self {
            principal,
            operation,
            resource_type: acl.resource_type,
            resource_name,
        }
    }

    /// Whether an identity is the user, or in the group.
    pub fn is_about(&self, identity: &Identity) -> bool {
        let name = self.principal.name();
        match self.principal.kind() {
            PrincipalType::User => {
                identity.user() == name && !identity.is_expired(At::IgnoringExpiry)
            }
            PrincipalType::Group => identity.groups().iter().any(|group| group == name),
            PrincipalType::Role | PrincipalType::Other => false,
        }
    }

    /// Enters the request. The identity that is entered stays if the request is about it.
    pub fn enter(&self, inputs: &mut Inputs, identity: Option<&Identity>) {
        if !identity.is_some_and(|identity| self.is_about(identity)) {
            inputs.mode = IdentityMode::ByHand;
            let name = self.principal.name();
            let (user, groups) = match self.principal.kind() {
                PrincipalType::Group => (ANY_USER, name),
                PrincipalType::User if name == "*" => (ANY_USER, ""),
                PrincipalType::User | PrincipalType::Role | PrincipalType::Other => (name, ""),
            };
            inputs.user = user.to_owned();
            inputs.groups = groups.to_owned();
        }
        inputs.operation = self.operation;
        inputs.resource_type = self.resource_type;
        inputs.resource_name.clone_from(&self.resource_name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acl(principal: Principal, name: &str, operation: Operation) -> Acl {
        Acl::allow(principal, operation, ResourceType::Topic, name)
    }

    fn join(role: &str, group: &str) -> Change {
        Change::AddMember {
            role: role.into(),
            member: Principal::group(group),
        }
    }

    fn policy(changes: &[Change]) -> Policy {
        let mut policy = Policy::default();
        for change in changes {
            policy.apply(change.clone()).unwrap();
        }
        policy
    }

    fn settings(superuser: &str) -> Change {
        let mut settings = Settings::default();
        settings.superusers.insert(superuser.into());
        Change::Settings(Box::new(settings))
    }

    #[test]
    fn every_kind_of_change_is_undone() {
        let old = acl(Principal::role("Old"), "orders", Operation::Read);
        let before = policy(&[
            Change::CreateRole("Old".into()),
            join("Old", "eng"),
            Change::AddAcl(old),
            Change::CreateRole("Kept".into()),
            join("Kept", "a"),
        ]);
        let changes = vec![
            Change::DeleteRole {
                name: "Old".into(),
                delete_acls: true,
            },
            Change::CreateRole("New".into()),
            join("New", "eng"),
            Change::AddAcl(acl(Principal::role("New"), "orders", Operation::Write)),
            join("Kept", "a"),
            join("Kept", "b"),
            settings("root"),
        ];
        let applied = AppliedDraft::new(&before, changes.clone(), 0.0);
        let mut now = before.clone();
        apply_each(&mut now, &changes);
        assert_ne!(now, before);
        let undo = applied.undo(&now);
        assert_eq!(undo.lost, []);
        assert!(
            undo.changes.iter().all(|change| *change
                != Change::RemoveMember {
                    role: "Kept".into(),
                    member: Principal::group("a")
                }),
            "what was there before stays: {:?}",
            undo.changes
        );
        let mut undone = now.clone();
        apply_each(&mut undone, &undo.changes);
        assert_eq!(undone, before);
        assert_eq!(applied.before(&now), before);
        // Undoing what was undone makes the changes again.
        let again = AppliedDraft::new(&now, undo.changes, 0.0).undo(&before);
        apply_each(&mut undone, &again.changes);
        assert_eq!(undone, now);
    }

    #[test]
    fn what_others_changed_meanwhile_is_named_or_stays() {
        let before = policy(&[Change::CreateRole("R".into()), join("R", "a")]);
        let leave = Change::RemoveMember {
            role: "R".into(),
            member: Principal::group("a"),
        };
        let delete = Change::DeleteRole {
            name: "R".into(),
            delete_acls: true,
        };
        let applied = AppliedDraft::new(&before, vec![delete.clone(), settings("me")], 0.0);
        let mut now = before.clone();
        apply_each(&mut now, &applied.changes);
        // The role is created again, and somebody adds an ACL for everyone and a superuser.
        now.apply(Change::CreateRole("R".into())).unwrap();
        let Change::Settings(mut theirs) = settings("me") else {
            return;
        };
        theirs.principal_mapping =
            gbac_engine::mapping::PrincipalMapping::parse("$.email").unwrap();
        now.apply(Change::Settings(theirs)).unwrap();
        let undo = applied.undo(&now);
        assert_eq!(undo.lost.len(), 1);
        assert_eq!(undo.lost[0].change, Change::CreateRole("R".into()));
        assert_eq!(undo.lost[0].reason, "Role `R` already exists");
        apply_each(&mut now, &undo.changes);
        assert!(!now.settings().superusers.contains("me"));
        assert_eq!(
            now.settings().principal_mapping.as_str(),
            "$.email",
            "theirs stays"
        );
        assert!(
            now.role("R")
                .unwrap()
                .members
                .contains(&Principal::group("a"))
        );

        let applied = AppliedDraft::new(&before, vec![leave], 0.0);
        assert_eq!(applied.undo(&before).lost[0].reason, "Already undone");
    }

    #[test]
    fn the_changes_are_told_by_role_with_a_request_that_shows_them() {
        let before = policy(&[Change::CreateRole("Old".into()), join("Old", "a")]);
        let changes = vec![
            Change::DeleteRole {
                name: "Old".into(),
                delete_acls: true,
            },
            Change::CreateRole("R".into()),
            Change::AddAcl(acl(Principal::role("R"), "orders", Operation::Read)),
            join("R", "eng"),
            settings("root"),
        ];
        let applied = AppliedDraft::new(&before, changes.clone(), 0.0);
        let mut now = before;
        apply_each(&mut now, &changes);
        let sections = applied.sections(&now);
        assert_eq!(sections.len(), 3);
        let members = match &sections[1].rows[0].what {
            crate::review::ChangedItem::Role { members, .. } => members.clone(),
            _ => Vec::new(),
        };
        assert_eq!(
            (&sections[1].about, members),
            (
                &SectionTarget::Role("Old".into()),
                vec![Principal::group("a")]
            )
        );
        assert_eq!(
            sections[2]
                .check
                .as_ref()
                .map(|check| check.principal.clone()),
            Some(Principal::group("eng"))
        );
        assert_eq!((&sections[0].check, &sections[1].check), (&None, &None));
    }

    #[test]
    fn the_request_that_was_entered_is_decided_before_and_after() {
        let inputs = Inputs {
            mode: IdentityMode::ByHand,
            user: "maya".into(),
            groups: "eng".into(),
            resource_name: "orders".into(),
            ..Inputs::default()
        };
        let (before, accepted) = (Arc::new(Policy::default()), AcceptedTokens::default());
        let checked =
            |inputs: &Inputs| CheckedRequest::from_inputs(inputs, &before, &accepted, 0.0, None);
        assert!(checked(&Inputs::default()).is_none());
        let checked = checked(&inputs).unwrap();
        assert_eq!(checked.before, VerdictKind::NothingAllows);
        assert!(checked.inputs == inputs);
    }

    #[test]
    fn a_check_is_about_whom_the_change_is_about() {
        let read = acl(Principal::role("R"), "orders", Operation::Read);
        let now = policy(&[
            Change::CreateRole("R".into()),
            join("R", "eng"),
            Change::AddAcl(read.clone()),
        ]);
        let check = SimulatorCheck::for_change(&join("R", "eng"), &now).unwrap();
        assert_eq!(
            SimulatorCheck::for_change(&Change::AddAcl(read), &now).as_ref(),
            Some(&check)
        );
        let mut inputs = Inputs {
            token: "t".into(),
            ..Inputs::default()
        };
        check.enter(&mut inputs, None);
        assert!(
            inputs.mode == IdentityMode::ByHand
                && inputs.groups == "eng"
                && inputs.user == ANY_USER
        );
        assert_eq!(
            (inputs.operation, inputs.resource_name.as_str()),
            (Operation::Read, "orders")
        );
        // Whoever is entered and has the group stays.
        let mut inputs = Inputs {
            token: "t".into(),
            ..Inputs::default()
        };
        check.enter(&mut inputs, Some(&Identity::new("maya", ["eng"])));
        assert!(
            inputs.mode == IdentityMode::Token
                && inputs.token == "t"
                && inputs.resource_name == "orders"
        );
        let everyone = Change::AddAcl(acl(Principal::user("*"), "*", Operation::All));
        let check = SimulatorCheck::for_change(&everyone, &now).unwrap();
        assert_ne!(check.operation, Operation::All);
        assert_eq!(check.resource_name, ANY_RESOURCE);
        for change in [
            Change::CreateRole("R".into()),
            join("Unknown", "eng"),
            settings("root"),
        ] {
            assert_eq!(SimulatorCheck::for_change(&change, &now), None);
        }
    }
}

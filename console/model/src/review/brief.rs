//! A draft in brief: its effect, its findings, and the same as commands.

use std::collections::BTreeSet;

use gbac_engine::policy::{Change, Policy};
use gbac_formats::script::{ScriptTarget, only_differing, steps};
use gbac_words::breadth;
use gbac_words::phrases::{agree, count};

use crate::draft::{ChangeStatus, Staged};
use crate::review::{Effects, effects_of, remark, sections, summary};

/// A draft in brief.
#[derive(Debug, Clone, PartialEq)]
pub struct DraftBrief {
    /// How many ACLs, members, roles and settings come and go.
    pub summary: String,
    /// The effect.
    pub effects: Effects,
    /// What to check, each as sentences without the final period.
    pub findings: Vec<String>,
    /// The same as commands.
    pub commands: Commands,
}

/// Changes as commands of `gbac`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commands {
    /// The commands, one a line; empty where none can make the changes.
    pub text: String,
    /// What is not in them, or will be refused.
    pub notes: Vec<String>,
}

/// The draft in brief, over the policy that was read. `seen` are the groups that tokens and audit
/// events had.
pub fn brief(
    before: &Policy,
    after: &Policy,
    staged: &[Staged],
    statuses: &[ChangeStatus],
    seen: &BTreeSet<String>,
) -> DraftBrief {
    let changes: Vec<Change> = staged.iter().map(|staged| staged.change.clone()).collect();
    let effects = effects_of(before, &changes);
    let mut rows = sections(before, staged, statuses);
    remark(&mut rows, staged, before, after, seen);
    let mut findings: Vec<String> = Vec::new();
    for row in rows.into_iter().flat_map(|section| section.rows) {
        let opens = breadth::opens(&row.opening).filter(|_| row.opening.is_wide());
        let wide = opens.map(|words| words.message_text());
        for finding in row.obstacle.into_iter().chain(wide).chain(row.remarks) {
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    let idle = effects.idle.len();
    if idle > 0 {
        findings.push(format!(
            "{} {} no effect",
            count(idle, "change"),
            agree(idle, "has", "have")
        ));
    }
    DraftBrief {
        summary: summary(&changes),
        effects,
        findings,
        commands: commands(before, &changes),
    }
}

/// Changes of a policy as commands of `gbac`.
pub fn commands(before: &Policy, changes: &[Change]) -> Commands {
    let mut commands = Commands {
        text: String::new(),
        notes: Vec::new(),
    };
    for step in steps(
        &only_differing(changes, before.settings()),
        ScriptTarget::Gbac,
    ) {
        for line in step.commands {
            commands.text.push_str(&line);
            commands.text.push('\n');
        }
        commands
            .notes
            .extend(step.notes.into_iter().map(|note| note.message));
    }
    commands
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{
        Acl, Host, Operation, PatternType, Permission, Principal, ResourceType,
    };

    use super::*;
    use crate::draft::apply;

    #[test]
    fn a_draft_is_told_with_its_effect_findings_and_commands() {
        let acl = |name: &str| Acl {
            resource_type: ResourceType::Topic,
            resource_name: name.into(),
            pattern_type: PatternType::Literal,
            principal: Principal::role("R"),
            host: Host::Any,
            operation: Operation::Write,
            permission: Permission::Allow,
        };
        let mut before = Policy::default();
        before.apply(Change::CreateRole("R".into())).unwrap();
        before.apply(Change::AddAcl(acl("orders"))).unwrap();
        let changes = [
            Change::AddMember {
                role: "R".into(),
                member: Principal::group("eng"),
            },
            Change::RemoveAcl(acl("nothing")),
        ];
        let mut after = before.clone();
        let statuses = apply(&mut after, &changes);
        let staged = changes.map(|change| Staged {
            change,
            failure: None,
        });
        let found = brief(&before, &after, &staged, &statuses, &BTreeSet::new());
        assert_eq!(found.summary, "1 ACL removed. 1 principal added.");
        assert_eq!(found.effects.people.len(), 1);
        assert_eq!(found.findings.len(), 3, "{:?}", found.findings);
        assert!(
            found.findings[0].contains("already applied"),
            "{:?}",
            found.findings
        );
        assert!(
            found.findings[1].contains("`Group:eng` is not seen in any token"),
            "{:?}",
            found.findings
        );
        assert_eq!(found.findings[2], "1 change has no effect");
        assert!(
            found
                .commands
                .text
                .contains("gbac security role assign R --principal Group:eng"),
            "{}",
            found.commands.text
        );
    }
}

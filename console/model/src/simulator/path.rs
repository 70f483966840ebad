//! The path from the token to the verdict: how each principal goes on, through its roles, to the
//! ACL that matters most.

use std::collections::{BTreeMap, BTreeSet};

use gbac_analysis::HypotheticalChange;
use gbac_engine::decide::{Candidate, CandidateStatus};
use gbac_engine::model::{Acl, Permission, Principal};
use gbac_engine::policy::Change;
use gbac_words::pages::simulator as words;
use gbac_words::rich_text::RichText;
use gbac_words::{acl, decision};

use crate::simulator::trace::mismatch;
use crate::simulator::verdict::{Judged, acl_hop};

/// A part of the path that can be left out to see the verdict without it.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// What is left out: a membership or an ACL.
    pub without: HypotheticalChange,
    /// It in words, for a button: `Group:eng in Role:Writers`.
    pub words: RichText,
}

/// What became of the ACL at the end of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndStatus {
    /// As the trace has it.
    Traced(CandidateStatus),
    /// It decides once the changes that are tried are made.
    WouldDecide,
    /// The changes that are tried leave it out.
    LeftOut,
}

impl EndStatus {
    /// Whether it decides, now or with the changes.
    pub const fn decides(self) -> bool {
        matches!(
            self,
            Self::WouldDecide | Self::Traced(CandidateStatus::Decides)
        )
    }

    /// It in words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::WouldDecide => "would decide",
            Self::LeftOut => "left out",
            Self::Traced(status) => decision::candidate_status(status),
        }
    }
}

/// The ACL at the end of a branch.
#[derive(Debug, Clone, PartialEq)]
pub struct BranchAcl {
    /// The ACL: `Deny Write, topic payments-settled literal`.
    pub words: RichText,
    /// Deny or allow.
    pub permission: Permission,
    /// What became of it.
    pub status: EndStatus,
    /// Why it does not match: `requested: Write`.
    pub mismatch: Option<RichText>,
    /// The verdict without it.
    pub edge: Edge,
}

/// One way on from a principal: through a role, or straight to an ACL of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// The role, and the verdict without the membership; none for the principal itself.
    pub role: Option<(Principal, Edge)>,
    /// The ACL on the requested resource that matters most, if there is one.
    pub acl: Option<BranchAcl>,
}

impl Branch {
    /// The order in which branches matter.
    fn rank(&self) -> u8 {
        match self.acl.as_ref().map(|acl| acl.status) {
            Some(status) if status.decides() => 0,
            Some(EndStatus::Traced(status)) => rank(status),
            Some(EndStatus::LeftOut | EndStatus::WouldDecide) => rank(CandidateStatus::NotReached),
            None => u8::MAX,
        }
    }

    /// Whether its ACL matches the request, or did before it was left out.
    pub fn matches(&self) -> bool {
        self.rank() <= rank(CandidateStatus::NotReached)
    }
}

/// How each principal that the token names goes on: the user, and each group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Branches {
    /// By group; none for the user.
    by_group: BTreeMap<Option<String>, Vec<Branch>>,
    /// What stands where a branch has no ACL: `none on this topic`.
    pub nothing: String,
    /// What the request is about: `topic`.
    noun: &'static str,
}

/// The elements of a token in the order of the path, by their places.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowOrder {
    /// Those that are shown.
    pub shown: Vec<usize>,
    /// Those that are not, at first.
    pub hidden: Vec<usize>,
    /// Whether no ACL is on the resource for any of those.
    pub is_rest_idle: bool,
}

/// How many groups are shown at first, while no request is decided; and how many elements that
/// became no group.
const FIRST_ROWS: usize = 12;
/// How many groups with an ACL on the resource are shown at first.
const FIRST_ACLS: usize = 50;
/// How many groups without one are shown rather than counted.
const FEW_IDLE: usize = 5;

/// A way from a principal: its group, and its role.
type Place<'a> = (Option<&'a str>, Option<&'a str>);

/// For each way, the ACL on the resource that matters most.
fn best(judged: &Judged) -> BTreeMap<Place<'_>, &Candidate> {
    let mut acls: BTreeMap<Place<'_>, &Candidate> = BTreeMap::new();
    for candidate in judged
        .explanation
        .candidates
        .iter()
        .filter(|candidate| candidate.is_on_resource())
    {
        for path in candidate.paths.iter() {
            let best = acls
                .entry((path.group.as_deref(), path.role.as_deref()))
                .or_insert(candidate);
            // Equals keep the order of the trace.
            if rank(candidate.status) < rank(best.status) {
                *best = candidate;
            }
        }
    }
    acls
}

impl Branches {
    /// The branches of a decided request, each with the ACL that matters most. `tried` is the same
    /// request with changes: what they leave out stays in its place, so that it can be put back.
    #[must_use]
    pub fn from_judged(judged: &Judged, tried: Option<&Judged>) -> Self {
        let (acls, then) = (best(judged), tried.map(best));
        let mut by_group: BTreeMap<Option<String>, Vec<Branch>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let more = tried.iter().flat_map(|tried| &tried.explanation.paths);
        for path in judged.explanation.paths.iter().chain(more) {
            let place = (path.group.as_deref(), path.role.as_deref());
            if !seen.insert(place) {
                continue;
            }
            let own = match &path.group {
                Some(group) => Principal::group(group),
                None => Principal::user(judged.identity.user()),
            };
            let role = path
                .role
                .as_ref()
                .map(|role| (Principal::role(role), membership(&own, role)));
            let branches = by_group.entry(path.group.clone()).or_default();
            let (before, after) = (acls.get(&place), then.as_ref().map(|then| then.get(&place)));
            match (before, after) {
                (before, None) => {
                    let acl = before.map(|candidate| {
                        end(candidate, judged, EndStatus::Traced(candidate.status))
                    });
                    branches.push(Branch { role, acl });
                }
                (before, Some(after)) => {
                    let with = tried.unwrap_or(judged);
                    let is_same = before
                        .zip(after)
                        .is_some_and(|(before, after)| before.acl == after.acl);
                    if let Some(before) = before.filter(|_| !is_same) {
                        let acl = Some(end(before, judged, EndStatus::LeftOut));
                        branches.push(Branch {
                            role: role.clone(),
                            acl,
                        });
                    }
                    if before.is_none() || is_same || after.is_some() {
                        let acl = after.map(|candidate| {
                            let status = match candidate.status {
                                CandidateStatus::Decides => EndStatus::WouldDecide,
                                status => EndStatus::Traced(status),
                            };
                            end(candidate, with, status)
                        });
                        branches.push(Branch { role, acl });
                    }
                }
            }
        }
        for branches in by_group.values_mut() {
            // Without an ACL of its own, a principal goes on through its roles only.
            if branches.len() > 1 {
                branches.retain(|branch| branch.role.is_some() || branch.acl.is_some());
            }
            branches.sort_by_key(Branch::rank);
        }
        let nothing = format!("none on this {}", judged.access.resource_type.noun());
        Self {
            by_group,
            nothing,
            noun: judged.access.resource_type.noun(),
        }
    }

    /// The branches of the user, or of a group.
    pub fn get(&self, group: Option<&str>) -> &[Branch] {
        self.by_group
            .get(&group.map(str::to_owned))
            .map_or(&[], Vec::as_slice)
    }

    /// Whether an ACL on the resource is at the end of a branch of the user, or of a group.
    pub fn has_acl(&self, group: Option<&str>) -> bool {
        self.get(group).iter().any(|branch| branch.acl.is_some())
    }

    /// That groups have no ACL on the resource: `3 more groups without an ACL on this topic.`
    pub fn idle_words(&self, groups: usize) -> String {
        words::groups_without_acl(groups, self.noun)
    }

    /// The order of the elements of a token, each with the group that it became: first the one that
    /// decides, then the others with an ACL on the resource as they matter, then those that became
    /// no group, then the rest, which is counted where it is more than a few.
    pub fn order(&self, groups: &[Option<&str>]) -> RowOrder {
        let (mut with_acl, mut dropped, mut idle) = (Vec::new(), Vec::new(), Vec::new());
        for (place, group) in groups.iter().enumerate() {
            match group {
                Some(_) if self.has_acl(*group) => with_acl.push(place),
                Some(_) => idle.push(place),
                None => dropped.push(place),
            }
        }
        with_acl.sort_by_key(|place| {
            let group = groups.get(*place).copied().flatten();
            // The branches of a group are sorted.
            self.get(group).first().map_or(u8::MAX, Branch::rank)
        });
        let mut order = RowOrder::default();
        let limits = [(with_acl, FIRST_ACLS), (dropped, FIRST_ROWS)];
        for (mut places, limit) in limits {
            let rest = places.split_off(places.len().min(limit));
            order.shown.extend(places);
            order.hidden.extend(rest);
        }
        order.is_rest_idle = order.hidden.is_empty();
        match idle.len() > FEW_IDLE {
            true => order.hidden.extend(idle),
            false => order.shown.extend(idle),
        }
        order
    }

    /// The order of so many elements while no request is decided: that of the token.
    pub fn undecided_order(elements: usize) -> RowOrder {
        let first = elements.min(FIRST_ROWS);
        RowOrder {
            shown: (0..first).collect(),
            hidden: (first..elements).collect(),
            is_rest_idle: false,
        }
    }

    /// Whether an ACL at the end of a group's branches matches the request.
    pub fn has_match(&self, group: &str) -> bool {
        self.get(Some(group)).iter().any(Branch::matches)
    }
}

/// The verdict without a group.
pub fn group_edge(group: &str) -> Edge {
    Edge {
        without: HypotheticalChange::Leave(group.to_owned()),
        words: RichText::new().principal(&Principal::group(group)),
    }
}

fn membership(member: &Principal, role: &str) -> Edge {
    let change = Change::RemoveMember {
        role: role.to_owned(),
        member: member.clone(),
    };
    Edge {
        without: HypotheticalChange::Policy(change),
        words: RichText::new()
            .principal(member)
            .text(" in ")
            .principal(&Principal::role(role)),
    }
}

fn end(candidate: &Candidate, judged: &Judged, status: EndStatus) -> BranchAcl {
    let acl: &Acl = &candidate.acl;
    let words = acl_hop(
        acl,
        status == EndStatus::Traced(CandidateStatus::Overridden),
    );
    let fails = matches!(
        status,
        EndStatus::Traced(CandidateStatus::Near(_) | CandidateStatus::NoMatch)
    );
    let mismatch = fails.then(|| mismatch(candidate, judged)).flatten();
    let edge = Edge {
        without: HypotheticalChange::Policy(Change::RemoveAcl(acl.clone())),
        words: acl::sentence(acl),
    };
    BranchAcl {
        words,
        permission: acl.permission,
        status,
        mismatch,
        edge,
    }
}

/// The order in which ACLs matter for the verdict.
const fn rank(status: CandidateStatus) -> u8 {
    match status {
        CandidateStatus::Decides => 0,
        CandidateStatus::Agrees => 1,
        CandidateStatus::Overridden => 2,
        CandidateStatus::NotReached => 3,
        CandidateStatus::Near(_) => 4,
        CandidateStatus::NoMatch => 5,
    }
}

#[cfg(test)]
mod tests {
    use gbac_analysis::HypotheticalChanges;
    use gbac_analysis::provider::AcceptedTokens;
    use gbac_engine::decide::{At, decide};
    use gbac_engine::model::Operation;

    use super::*;
    use crate::simulator::inputs::{IdentityMode, Inputs};
    use crate::simulator::question;
    use crate::simulator::tests::{evaluate, policy};
    use crate::simulator::trial::{attempt, judge_with};

    const NOW: f64 = 1_795_243_000.0;

    fn maya() -> Inputs {
        Inputs {
            mode: IdentityMode::ByHand,
            user: "maya".into(),
            groups: "payments\nread-only\nanalysts\nstrangers".into(),
            operation: Operation::Write,
            resource_name: "payments-settled".into(),
            ..Inputs::default()
        }
    }

    fn branches(inputs: &Inputs) -> Branches {
        let view = evaluate(inputs, Some(&policy()), &AcceptedTokens::default(), NOW);
        Branches::from_judged(&view.judged.unwrap(), None)
    }

    #[test]
    fn each_principal_leads_to_the_acl_that_matters() {
        let branches = branches(&maya());
        let said: Vec<String> = [
            None,
            Some("payments"),
            Some("read-only"),
            Some("analysts"),
            Some("strangers"),
        ]
        .into_iter()
        .flat_map(|group| branches.get(group))
        .map(|branch| {
            let role = branch
                .role
                .as_ref()
                .map_or("direct".to_owned(), |(role, _)| role.to_string());
            let acl = branch.acl.as_ref().map_or(branches.nothing.clone(), |acl| {
                let mismatch = acl
                    .mismatch
                    .as_ref()
                    .map(RichText::plain)
                    .unwrap_or_default();
                format!("{}, {} {mismatch}", acl.words.plain(), acl.status.label())
            });
            format!("{role}: {acl}").trim_end().to_owned()
        })
        .collect();
        assert_eq!(
            said,
            [
                "direct: Allow Write, topic payments-settled literal, host 10.20.4.71, near miss no host given: does not apply",
                "Role:PaymentsWriters: Allow Write, topic payments- prefixed, overridden by a deny",
                "direct: Deny Write, topic payments- prefixed, decides",
                "direct: Allow Read, topic payments- prefixed, no match requested: Write",
                "direct: none on this topic",
            ]
        );
        assert!(branches.has_match("payments") && branches.has_match("read-only"));
        assert!(!branches.has_match("analysts") && !branches.has_match("strangers"));
    }

    #[test]
    fn what_decides_comes_first_and_many_idle_groups_are_counted() {
        let branches = branches(&maya());
        let order = |groups: &[Option<&str>]| branches.order(groups);
        let all = [
            Some("strangers"),
            None,
            Some("analysts"),
            Some("payments"),
            Some("read-only"),
        ];
        assert_eq!(order(&all).shown, [4, 3, 2, 1, 0]);
        assert_eq!(order(&all).hidden, [0; 0]);
        let names: Vec<String> = (0..20).map(|number| format!("idle-{number}")).collect();
        let mut many: Vec<Option<&str>> = names.iter().map(|name| Some(name.as_str())).collect();
        many.push(Some("read-only"));
        let found = order(&many);
        assert_eq!((found.shown, found.hidden.len()), (vec![20], 20));
        assert_eq!(
            branches.idle_words(20),
            "20 more groups without an ACL on this topic."
        );
        assert!(branches.has_acl(None) && !branches.has_acl(Some("strangers")));
        let undecided = Branches::undecided_order(20);
        assert_eq!((undecided.shown.len(), undecided.hidden.len()), (12, 8));
    }

    #[test]
    fn what_is_tried_shows_what_would_decide() {
        let (policy, inputs) = (policy(), maya());
        let view = evaluate(&inputs, Some(&policy), &AcceptedTokens::default(), NOW);
        let (judged, who) = (view.judged.unwrap(), view.who.unwrap());
        let access = question::read(&inputs).0.unwrap();
        let told = |trials: &HypotheticalChanges| {
            let tried = attempt(trials, &inputs, &policy, NOW);
            let then = judge_with(&tried, &who, &access, At::IgnoringExpiry).unwrap();
            let branches = Branches::from_judged(&judged, Some(&then));
            let ends = [Some("payments"), Some("read-only"), Some("analysts")].map(|group| {
                let label =
                    |branch: &Branch| branch.acl.as_ref().map_or("none", |acl| acl.status.label());
                branches.get(group).iter().map(label).collect::<Vec<_>>()
            });
            assert!(branches.has_match("payments") && branches.has_match("read-only"));
            ends
        };
        // A group that is left out stays in sight, and the allow behind its deny would decide.
        let mut trials = HypotheticalChanges::default();
        trials.add(group_edge("read-only").without);
        assert_eq!(
            told(&trials),
            [vec!["would decide"], vec!["left out"], vec!["no match"]]
        );
        // So does an ACL that is removed.
        let mut trials = HypotheticalChanges::default();
        let denying = Branches::from_judged(&judged, None).get(Some("read-only"))[0]
            .acl
            .clone()
            .unwrap();
        trials.add(denying.edge.without);
        assert_eq!(
            told(&trials),
            [vec!["would decide"], vec!["left out"], vec!["no match"]]
        );
        // A membership that is added is a branch of its own.
        let mut trials = HypotheticalChanges::default();
        let member = Principal::group("analysts");
        trials.add(HypotheticalChange::Policy(Change::AddMember {
            role: "PaymentsWriters".into(),
            member,
        }));
        assert_eq!(told(&trials)[2], ["overridden by a deny", "no match"]);
        // Nothing can be decided with a change that cannot be made.
        trials.add(HypotheticalChange::Policy(Change::DeleteRole {
            name: "Nowhere".into(),
            delete_acls: false,
        }));
        let tried = attempt(&trials, &inputs, &policy, NOW);
        assert_eq!(judge_with(&tried, &who, &access, At::IgnoringExpiry), None);
    }

    /// The law of the path: without a part of the branch that decides, its ACL decides no more.
    #[test]
    fn without_an_edge_its_acl_decides_no_more() {
        let policy = policy();
        let with_groups = |groups: &str| Inputs {
            groups: groups.into(),
            ..maya()
        };
        let mut edges = 0;
        for inputs in [
            maya(),
            with_groups("payments"),
            with_groups("read-only"),
            with_groups("payments\nanalysts"),
        ] {
            let branches = branches(&inputs);
            let access = question::read(&inputs).0.unwrap();
            for group in inputs.groups.lines() {
                for branch in branches.get(Some(group)) {
                    let Some(acl) = branch.acl.as_ref().filter(|acl| acl.status.decides()) else {
                        continue;
                    };
                    let role = branch.role.iter().map(|(_, edge)| edge.clone());
                    for edge in [group_edge(group), acl.edge.clone()]
                        .into_iter()
                        .chain(role)
                    {
                        let mut trials = HypotheticalChanges::default();
                        trials.add(edge.without.clone());
                        let tried = attempt(&trials, &inputs, &policy, NOW);
                        assert_eq!(tried.faults, [], "{}", edge.words.plain());
                        let request = access.request(At::IgnoringExpiry);
                        let then = decide(&tried.policy, &tried.identity.unwrap(), &request);
                        let HypotheticalChange::Policy(Change::RemoveAcl(own)) = &acl.edge.without
                        else {
                            panic!("an ACL is removed");
                        };
                        assert_ne!(
                            then.acl.as_ref(),
                            Some(own),
                            "without {}",
                            edge.words.plain()
                        );
                        edges += 1;
                    }
                }
            }
        }
        assert_eq!(edges, 10);
    }
}

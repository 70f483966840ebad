//! The verdict in words: the decision, the deciding ACL, and further remarks.

use gbac_analysis::check::TokenRefusal;
use std::sync::Arc;

use gbac_engine::decide::{
    AccessPath, At, Candidate, CandidateStatus, Decision, Explanation, NearMiss, Reason,
};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Acl, Permission, Principal};
use gbac_words::phrases::{agree, count, thousands};
use gbac_words::rich_text::{RichText, listed};
use gbac_words::{acl, decision, explanation, hypothesis as hypothesis_words, sign_in};

use crate::simulator::extraction::Origins;
use crate::simulator::hypothesis::{Hypothesis, conditions};
use crate::simulator::inputs::{Action, InputEdit};
use crate::simulator::question::AccessRequest;
use crate::simulator::token_checks::SignInRefusal;

/// A decided question with all that led to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// What was asked.
    pub access: AccessRequest,
    /// Who asked.
    pub identity: Arc<Identity>,
    /// Where the identity's groups came from.
    pub origins: Arc<Origins>,
    /// The groups that would deny what is allowed, where the groups of the user are unknown.
    pub denying_groups: Vec<String>,
    /// The decision and every candidate.
    pub explanation: Explanation,
}

/// The verdicts. The last two are of no rule: ACLs are not evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerdictKind {
    /// Allowed.
    Allowed,
    /// Allowed if hypotheses hold.
    AllowedIf,
    /// Denied by a rule.
    DeniedByRule,
    /// Denied, since nothing allows it.
    NothingAllows,
    /// Denied, since the identity has expired.
    Expired,
    /// Denied, since the service refuses the token at sign-in, or its claims name no user.
    SignInFails,
}

impl VerdictKind {
    /// The verdict in words.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Allowed => decision::verdict(Reason::AllowRule),
            Self::AllowedIf => hypothesis_words::ALLOWED_IF,
            Self::DeniedByRule => decision::verdict(Reason::DenyRule),
            Self::NothingAllows => decision::verdict(Reason::NoMatch),
            Self::Expired => decision::verdict(Reason::Expired),
            Self::SignInFails => sign_in::FAILS,
        }
    }

    /// Whether it is allowed, also if only under hypotheses.
    pub const fn is_allowed(self) -> bool {
        matches!(self, Self::Allowed | Self::AllowedIf)
    }

    /// The same verdict under hypotheses: what is allowed is allowed if they hold.
    #[must_use]
    pub const fn under(self, hypotheses: &[Hypothesis]) -> Self {
        match self {
            Self::Allowed if !hypotheses.is_empty() => Self::AllowedIf,
            kind => kind,
        }
    }
}

/// A value beside its label in the verdict.
#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    /// A sentence.
    RichText(RichText),
    /// Ways from a claim element to an ACL: claim element, principal, role, ACL.
    Paths(Vec<Vec<RichText>>),
    /// Near misses: how many, and of what kind.
    Near(String, RichText),
}

/// A verdict, ready to be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Which.
    pub kind: VerdictKind,
    /// Who may or may not do what.
    pub sentence: RichText,
    /// What was asked, in short.
    pub short: RichText,
    /// Why, label by label.
    pub why: Vec<(&'static str, Why)>,
    /// What can be done at once.
    pub actions: Vec<Action>,
    /// What it rests on.
    pub hypotheses: Vec<Hypothesis>,
    /// The groups that the user must not be in, where they are unknown.
    pub denying_groups: Vec<String>,
}

/// How many rows of a kind the verdict names; the trace has them all.
const NAMED_ROWS: usize = 3;
/// How many places in the claims a path names.
const NAMED_PLACES: usize = 3;

/// The verdict on a decided question. `now` is in seconds since 1970; `ignore_expiry` says that the
/// question was answered as if the identity had not expired; `hypotheses` are what it rests on.
pub fn verdict(
    judged: &Judged,
    now: f64,
    ignore_expiry: bool,
    hypotheses: &[Hypothesis],
) -> Verdict {
    let Judged {
        access,
        identity,
        explanation: explained,
        denying_groups,
        ..
    } = judged;
    let decision = &explained.decision;
    let mut all = conditions(hypotheses);
    let mut kind = kind(decision.reason).under(hypotheses);
    if !denying_groups.is_empty() {
        // Where the sentence names only two conditions, this is one of them.
        let groups = denying_groups.iter().map(String::as_str);
        all.insert(all.len().min(1), hypothesis_words::in_none_of(groups));
        kind = VerdictKind::AllowedIf;
    }
    let user = Principal::user(identity.user());
    let request = access.request(At::IgnoringExpiry);
    let sentence = explanation::can(&user, decision.outcome, &request);
    let mut verdict = Verdict {
        kind,
        sentence: match kind {
            VerdictKind::AllowedIf => hypothesis_words::if_all(sentence, all),
            _ => sentence,
        },
        short: access.short(),
        why: Vec::new(),
        actions: Vec::new(),
        hypotheses: hypotheses.to_vec(),
        denying_groups: denying_groups.clone(),
    };
    match decision.reason {
        Reason::Superuser => {
            let words = explanation::superuser(&user);
            verdict.why.push(("Decided by", Why::RichText(words)));
        }
        Reason::Expired => expired(&mut verdict, identity, now),
        Reason::DenyRule | Reason::AllowRule => decided(&mut verdict, judged),
        Reason::NoMatch => nothing(&mut verdict, judged),
    }
    // Where no ACL was asked, it does not matter which one nearly matched.
    if !matches!(decision.reason, Reason::Superuser | Reason::Expired) {
        near_misses(&mut verdict, explained);
    }
    if decision.host_unknown
        && let Some(words) = decision::host_unknown(decision.reason, &request)
    {
        verdict.why.push(("Host", Why::RichText(words.into())));
    }
    would_allow(&mut verdict, judged);
    if ignore_expiry
        && identity
            .expires_at()
            .map(gbac_engine::Timestamp::as_seconds)
            .is_some_and(|at| at < now)
    {
        let words = explanation::EXPIRY_IGNORED;
        verdict.why.push(("Expired", Why::RichText(words.into())));
        verdict.actions.push(Action {
            label: "Apply the expiry".into(),
            change: InputEdit::IgnoreExpiry(false),
        });
    }
    if !kind.is_allowed() && !hypotheses.is_empty() {
        let words = hypothesis_words::conditions(conditions(hypotheses));
        verdict.why.push(("Assumed", Why::RichText(words)));
    }
    verdict
}

/// The verdict that a reason comes to.
pub const fn kind(reason: Reason) -> VerdictKind {
    match reason {
        Reason::Superuser | Reason::AllowRule => VerdictKind::Allowed,
        Reason::DenyRule => VerdictKind::DeniedByRule,
        Reason::NoMatch => VerdictKind::NothingAllows,
        Reason::Expired => VerdictKind::Expired,
    }
}

/// The verdict on a token that fails at sign-in. `accepted` is the user that it names, with the
/// reason that a decision would have if the token were accepted; that answer is no more than a
/// remark.
pub fn sign_in_fails(
    refusal: &SignInRefusal,
    access: Option<&AccessRequest>,
    accepted: Option<(&str, Reason)>,
    hypotheses: &[Hypothesis],
) -> Verdict {
    let code = RichText::new()
        .code(TokenRefusal::REASON)
        .text(", ")
        .code(refusal.code);
    let mut why = vec![
        ("Fix first", Why::RichText(refusal.words.clone())),
        ("Reason", Why::RichText(code)),
    ];
    if !refusal.more.is_empty() {
        let more = refusal
            .more
            .iter()
            .map(|name| RichText::from(*name))
            .collect();
        why.push((
            "Also fails",
            Why::RichText(listed(more, refusal.more.len())),
        ));
    }
    if let Some((access, (user, reason))) = access.zip(accepted) {
        let request = access.request(At::IgnoringExpiry);
        let words = sign_in::if_accepted(&Principal::user(user), reason, &request);
        why.push(("If accepted", Why::RichText(words)));
    }
    let request = access.map(|access| access.request(At::IgnoringExpiry));
    Verdict {
        kind: VerdictKind::SignInFails,
        sentence: sign_in::refused(request.as_ref()),
        short: access.map_or_else(|| "with this token".into(), AccessRequest::short),
        why,
        actions: refusal.actions.clone(),
        hypotheses: hypotheses.to_vec(),
        denying_groups: Vec::new(),
    }
}

fn expired(verdict: &mut Verdict, identity: &Identity, now: f64) {
    let at = identity
        .expires_at()
        .map(gbac_engine::Timestamp::as_seconds)
        .unwrap_or(now);
    let words = explanation::expired(at, now);
    verdict
        .why
        .push(("Decided by", Why::RichText(words.into())));
    verdict.actions.push(Action {
        label: "Ignore the expiry".into(),
        change: InputEdit::IgnoreExpiry(true),
    });
}

fn decided(verdict: &mut Verdict, judged: &Judged) {
    let explained = &judged.explanation;
    let deciding = with_status(explained, CandidateStatus::Decides).next();
    let Some(deciding) = deciding else { return };
    if let Some(way) = way_of(deciding, &explained.decision) {
        verdict.why.push((
            "Decided by",
            Why::Paths(vec![path(way, &deciding.acl, false, judged)]),
        ));
    }
    if let Some(by) = explained.decision.implied_by {
        let words = explanation::implied(by, deciding, judged.access.operation, explained);
        verdict.why.push(("Implied", Why::RichText(words.into())));
    }
    let same = with_status(explained, CandidateStatus::Agrees).count();
    if same > 0 {
        let words = explanation::agreeing(same, deciding.acl.permission);
        verdict.why.push(("Also", Why::RichText(words.into())));
    }
    let over: Vec<&Candidate> = with_status(explained, CandidateStatus::Overridden).collect();
    if !over.is_empty() {
        let named = over.iter().take(NAMED_ROWS);
        let mut paths: Vec<Vec<RichText>> = named
            .filter_map(|candidate| {
                Some(path(candidate.paths.first()?, &candidate.acl, true, judged))
            })
            .collect();
        if over.len() > NAMED_ROWS {
            paths.push(vec![
                explanation::more_in_trace(over.len() - NAMED_ROWS).into(),
            ]);
        }
        verdict.why.push(("Overridden", Why::Paths(paths)));
    }
}

fn nothing(verdict: &mut Verdict, judged: &Judged) {
    let request = judged.access.request(At::IgnoringExpiry);
    let words = explanation::considered(&judged.explanation, &request);
    verdict
        .why
        .push(("ACLs considered", Why::RichText(words.into())));
}

fn near_misses(verdict: &mut Verdict, explanation: &Explanation) {
    let mut kinds: [(&str, usize); 3] = [
        ("the host differs", 0),
        ("letter case differs", 0),
        ("slashes differ", 0),
    ];
    for candidate in &explanation.candidates {
        let CandidateStatus::Near(near) = candidate.status else {
            continue;
        };
        let kind = match near {
            NearMiss::Host => 0,
            NearMiss::PrincipalLetterCase
            | NearMiss::MemberLetterCase
            | NearMiss::NameLetterCase => 1,
            NearMiss::PrincipalSlashes | NearMiss::MemberSlashes | NearMiss::NameSlashes => 2,
        };
        if let Some((_, number)) = kinds.get_mut(kind) {
            *number += 1;
        }
    }
    let all: usize = kinds.iter().map(|(_, number)| number).sum();
    if all == 0 {
        return;
    }
    let said = kinds
        .iter()
        .filter(|(_, number)| *number > 0)
        .map(|(kind, number)| match number {
            _ if *number == all => format!("only {kind}").into(),
            1 => format!("for one only {kind}").into(),
            number => format!("for {} only {kind}", thousands(*number)).into(),
        })
        .collect();
    let almost = format!("{}: ", agree(all, "almost matches", "almost match"));
    let words = RichText::from(almost).then(listed(said, 3));
    verdict
        .why
        .push(("Near misses", Why::Near(count(all, "ACL"), words)));
}

/// What would turn a denial: the denies that are in the way, or one new ACL.
fn would_allow(verdict: &mut Verdict, judged: &Judged) {
    let words = match verdict.kind {
        VerdictKind::DeniedByRule => {
            let is_of_deny = |candidate: &&Candidate| {
                candidate.acl.permission == Permission::Deny
                    && matches!(
                        candidate.status,
                        CandidateStatus::Decides | CandidateStatus::Agrees
                    )
            };
            let candidates = judged.explanation.candidates.iter();
            let denies = candidates.filter(is_of_deny).count();
            let mut allows = with_status(&judged.explanation, CandidateStatus::Overridden);
            explanation::without_denies(denies, allows.next().is_some()).into()
        }
        VerdictKind::NothingAllows => {
            let request = judged.access.request(At::IgnoringExpiry);
            explanation::would_allow(&judged.identity, &request)
        }
        VerdictKind::Allowed
        | VerdictKind::AllowedIf
        | VerdictKind::Expired
        | VerdictKind::SignInFails => return,
    };
    verdict.why.push(("Would allow", Why::RichText(words)));
}

fn with_status(
    explanation: &Explanation,
    status: CandidateStatus,
) -> impl Iterator<Item = &Candidate> {
    explanation
        .candidates
        .iter()
        .filter(move |candidate| candidate.status == status)
}

/// The way to a candidate that the decision speaks of.
fn way_of<'a>(candidate: &'a Candidate, decision: &Decision) -> Option<&'a AccessPath> {
    let spoken_of = |path: &&AccessPath| {
        Some(path.source) == decision.source
            && path.group == decision.group
            && path.role == decision.role
    };
    candidate
        .paths
        .iter()
        .find(spoken_of)
        .or_else(|| candidate.paths.first())
}

/// A way in the console's notation: claim element, principal, role, ACL, always in this order.
fn path(way: &AccessPath, acl: &Acl, overridden: bool, judged: &Judged) -> Vec<RichText> {
    let mut hops = Vec::new();
    match &way.group {
        Some(group) => {
            let places = judged.origins.places(group);
            if !places.is_empty() {
                hops.push(listed(
                    places
                        .iter()
                        .map(|place| RichText::new().code(place))
                        .collect(),
                    NAMED_PLACES,
                ));
            }
            hops.push(RichText::new().principal(&Principal::group(group)));
        }
        None => hops.push(RichText::new().principal(&Principal::user(judged.identity.user()))),
    }
    if let Some(role) = &way.role {
        hops.push(RichText::new().principal(&Principal::role(role)));
    }
    hops.push(acl_hop(acl, overridden));
    hops
}

/// The ACL at the end of a path: `Deny Write, topic payments-settled literal`.
pub fn acl_hop(acl: &Acl, overridden: bool) -> RichText {
    let words = match overridden {
        true => acl::overridden_rule(acl),
        false => acl::rule(acl),
    };
    match acl.principal.is_everyone() {
        true => words.text(", for ").principal(&acl.principal),
        false => words,
    }
}

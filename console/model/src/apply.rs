//! How a draft is applied: the policy is read again, the changes are sent, and what became of them
//! is found out and told, whatever the service, the session or another tab does meanwhile (D-69,
//! D-70).

use std::sync::Arc;

use gbac_api::reason::ChangeReason;
use gbac_engine::policy::{Change, Policy};
use gbac_formats::script::changes_between;
use gbac_words::pages::review as words;
use gbac_words::phrases::capitalized;

use crate::applied::{AppliedDraft, CheckedRequest};
use crate::failure::Failure;
use crate::sending::{SendOutcome, SendReport, UnansweredChanges};

/// What is being done to apply a draft.
#[derive(Clone, Default)]
pub enum ApplyState {
    /// Nothing.
    #[default]
    Idle,
    /// The policy is read again: somebody may have changed it since it was reviewed.
    Reading {
        /// The policy that was reviewed.
        reviewed: Option<Arc<Policy>>,
    },
    /// The changes are sent, and the answer is awaited.
    Sending {
        /// The policy over which they are sent.
        before: Arc<Policy>,
        /// What is sent.
        draft: Box<DraftToApply>,
    },
    /// The answer is missing; the next policy that is read says whether the changes were made.
    Unanswered(UnansweredChanges),
}

/// What happens while a draft is applied.
pub enum ApplyEvent {
    /// The user applies the draft.
    Pressed {
        /// The policy that was reviewed.
        reviewed: Option<Arc<Policy>>,
    },
    /// The policy was read again, or could not be read.
    Read {
        /// The policy, or why nothing can be sent.
        policy: Result<Arc<Policy>, Failure>,
        /// The draft as it is now.
        draft: Box<DraftToApply>,
    },
    /// It is known how the sending went.
    Answered(SendReport),
    /// No answer is missing any more.
    Found {
        /// When the draft that was applied last was sent, in milliseconds since 1970.
        applied_at_ms: Option<f64>,
    },
    /// The service accepts the credentials.
    Connected,
    /// The pages show the draft of another account or cluster.
    OwnerChanged,
}

/// What the page does next.
pub enum ApplyEffect {
    /// Read the policy again: [`ApplyEvent::Read`].
    Read,
    /// Send the changes: [`ApplyEvent::Answered`].
    Send(Vec<Change>),
    /// Take what was made out of the draft, and note the reasons at what was refused.
    Settle(SentChanges),
    /// Look for these changes in the next policy that is read: [`ApplyEvent::Found`].
    Await(UnansweredChanges),
    /// Keep what was applied, so that it can be undone.
    NoteApplied(Box<AppliedDraft>),
    /// Review against the policy that was read last.
    Rebase,
    /// Say that it is done.
    Announce(String),
    /// Say that it is not done.
    Alert(String),
    /// Move focus to what others changed.
    FocusDrift,
    /// Move focus to the result.
    FocusResult,
}

/// A draft on its way to the service.
#[derive(Clone)]
pub struct DraftToApply {
    /// The changes.
    pub changes: Vec<Change>,
    /// When it is sent, in milliseconds since 1970.
    pub at_ms: f64,
    /// The effect of all changes, in sentences.
    pub summary: Option<String>,
    /// The request in the simulator, decided before the changes.
    pub request: Option<CheckedRequest>,
}

/// Changes that were sent, and how that went.
#[derive(Debug, Clone, PartialEq)]
pub struct SentChanges {
    /// The changes.
    pub changes: Vec<Change>,
    /// What became of them.
    pub report: SendReport,
}

/// The application of a draft: what is being done, and the result that is shown.
#[derive(Clone, Default)]
pub struct ApplyProgress {
    state: ApplyState,
    result: Option<SentChanges>,
}

impl ApplyProgress {
    /// Nothing is being done, unless an answer is still missing from before.
    #[must_use]
    pub fn new(unanswered: Option<UnansweredChanges>) -> Self {
        Self {
            state: unanswered.map_or(ApplyState::Idle, ApplyState::Unanswered),
            result: None,
        }
    }

    /// Whether the draft is under way, so that it cannot be applied again.
    pub const fn is_busy(&self) -> bool {
        matches!(
            self.state,
            ApplyState::Reading { .. } | ApplyState::Sending { .. }
        )
    }

    /// What was not applied last time, or not all of it.
    pub const fn result(&self) -> Option<&SentChanges> {
        self.result.as_ref()
    }

    /// Takes an event, and says what to do next. What happens too late or too early does nothing.
    pub fn on(&mut self, event: ApplyEvent) -> Vec<ApplyEffect> {
        match (std::mem::take(&mut self.state), event) {
            (ApplyState::Idle, ApplyEvent::Pressed { reviewed }) => {
                self.state = ApplyState::Reading { reviewed };
                vec![ApplyEffect::Read]
            }
            (ApplyState::Reading { reviewed }, ApplyEvent::Read { policy, draft }) => {
                self.send(reviewed.as_ref(), policy, draft)
            }
            (ApplyState::Sending { before, draft }, ApplyEvent::Answered(report)) => {
                self.answered(before, *draft, report)
            }
            (ApplyState::Unanswered(sent), ApplyEvent::Pressed { .. }) => {
                self.state = ApplyState::Unanswered(sent);
                vec![ApplyEffect::Read]
            }
            (ApplyState::Unanswered(sent), ApplyEvent::Read { policy: Err(_), .. }) => {
                self.state = ApplyState::Unanswered(sent);
                tell_checking()
            }
            (ApplyState::Unanswered(sent), ApplyEvent::Found { applied_at_ms }) => {
                let is_made = applied_at_ms == Some(sent.at_ms);
                self.found(sent.changes, is_made)
            }
            (_, ApplyEvent::OwnerChanged) => {
                self.result = None;
                Vec::new()
            }
            (state, ApplyEvent::Connected) => {
                self.state = state;
                // Signed in again, nothing stands in the way any more.
                self.result.take_if(|sent| sent.report.is_unauthenticated());
                Vec::new()
            }
            (state, _) => {
                self.state = state;
                Vec::new()
            }
        }
    }

    /// Sends the draft over the policy that was reviewed, and over no other.
    fn send(
        &mut self,
        reviewed: Option<&Arc<Policy>>,
        policy: Result<Arc<Policy>, Failure>,
        draft: Box<DraftToApply>,
    ) -> Vec<ApplyEffect> {
        let changes = draft.changes.clone();
        if changes.is_empty() {
            return Vec::new();
        }
        match policy {
            Err(failure) => {
                let report = SendReport::unsent(changes.len(), failure);
                self.finish(SentChanges { changes, report }, None)
            }
            Ok(before) => match reviewed.map(|reviewed| drift(reviewed, &before)) {
                Some(drift) if drift.is_empty() => {
                    self.state = ApplyState::Sending { before, draft };
                    vec![ApplyEffect::Send(changes)]
                }
                Some(_) => tell_drift(),
                // Nobody has seen the draft on any policy.
                None => vec![
                    ApplyEffect::Rebase,
                    ApplyEffect::Alert(words::NOT_REVIEWED.to_owned()),
                ],
            },
        }
    }

    fn answered(
        &mut self,
        before: Arc<Policy>,
        draft: DraftToApply,
        report: SendReport,
    ) -> Vec<ApplyEffect> {
        let DraftToApply {
            changes,
            at_ms,
            summary,
            request,
        } = draft;
        if report.is_unanswered() {
            let unanswered = UnansweredChanges {
                changes: changes.clone(),
                before,
                at_ms,
            };
            self.result = None;
            self.state = ApplyState::Unanswered(unanswered.clone());
            let mut effects = vec![ApplyEffect::Settle(SentChanges { changes, report })];
            effects.push(ApplyEffect::Await(unanswered));
            effects.extend(tell_checking());
            return effects;
        }
        let is_whole = report.made() == changes.len();
        let mut made = Vec::new();
        for (change, outcome) in changes.iter().zip(&report.outcomes) {
            if *outcome == SendOutcome::Made {
                made.push(change.clone());
            }
        }
        let applied = (!made.is_empty()).then(|| AppliedDraft {
            summary: summary.filter(|_| is_whole),
            request,
            ..AppliedDraft::new(&before, made, at_ms)
        });
        self.finish(SentChanges { changes, report }, applied)
    }

    /// Tells whether the policy that was read later has the changes.
    fn found(&mut self, changes: Vec<Change>, is_made: bool) -> Vec<ApplyEffect> {
        let said = if is_made {
            ApplyEffect::Announce(words::all_applied(changes.len()))
        } else {
            let failure = Failure::NoAnswer(String::new());
            let report = SendReport::unsent(changes.len(), failure);
            let (title, _) = report.title_and_text();
            self.result = Some(SentChanges { changes, report });
            ApplyEffect::Alert(title)
        };
        vec![said, ApplyEffect::FocusResult]
    }

    /// Settles the draft and tells how it went.
    fn finish(&mut self, sent: SentChanges, applied: Option<AppliedDraft>) -> Vec<ApplyEffect> {
        let (made, all) = (sent.report.made(), sent.changes.len());
        let mut effects = vec![ApplyEffect::Settle(sent.clone())];
        if let Some(applied) = applied {
            effects.push(ApplyEffect::NoteApplied(Box::new(applied)));
        }
        if sent.report.whole.as_ref().is_some_and(Failure::is_changed) {
            effects.extend(tell_drift());
            return effects;
        }
        effects.push(ApplyEffect::Rebase);
        effects.push(if sent.report.is_unauthenticated() {
            ApplyEffect::Alert(words::SIGN_IN_EXPIRED.to_owned())
        } else if made == all {
            ApplyEffect::Announce(words::all_applied(all))
        } else {
            ApplyEffect::Alert(words::partly_applied(made, all))
        });
        effects.push(ApplyEffect::FocusResult);
        // All that was applied stands in a panel of its own.
        self.result = (made < all).then_some(sent);
        effects
    }
}

/// The reason that is typed beside a draft; none where it is empty and not needed. `needed` says
/// why it is.
///
/// # Errors
/// What is wrong with it, as a sentence.
pub fn read_reason(text: &str, needed: Option<&str>) -> Result<Option<ChangeReason>, String> {
    if text.trim().is_empty() {
        return match needed {
            Some(why) => Err(why.to_owned()),
            None => Ok(None),
        };
    }
    match ChangeReason::parse(text) {
        Ok(reason) => Ok(Some(reason)),
        Err(error) => Err(format!("{}.", capitalized(&error.to_string()))),
    }
}

/// What others changed since a policy was reviewed.
pub fn drift(reviewed: &Arc<Policy>, now: &Arc<Policy>) -> Vec<Change> {
    if Arc::ptr_eq(reviewed, now) {
        return Vec::new();
    }
    changes_between(reviewed, now)
}

/// The page shows changes by others.
fn tell_drift() -> Vec<ApplyEffect> {
    vec![
        ApplyEffect::Alert(words::POLICY_CHANGED.to_owned()),
        ApplyEffect::FocusDrift,
    ]
}

/// The page shows that the answer is missing.
fn tell_checking() -> Vec<ApplyEffect> {
    vec![
        ApplyEffect::Alert(words::CHECKING.to_owned()),
        ApplyEffect::FocusResult,
    ]
}

#[cfg(test)]
mod tests {
    use gbac_api::problem::{FieldViolation, Refusal};
    use gbac_engine::policy::apply_each;

    use super::*;

    const AT_MS: f64 = 5.0;

    fn role(name: &str) -> Change {
        Change::CreateRole(name.into())
    }

    fn policy(roles: &[&str]) -> Arc<Policy> {
        let mut policy = Policy::default();
        apply_each(
            &mut policy,
            &roles.iter().map(|name| role(name)).collect::<Vec<_>>(),
        );
        Arc::new(policy)
    }

    fn refused(status: u16, fields: Vec<FieldViolation>) -> Failure {
        Failure::Refused(Refusal {
            status,
            code: "refused".into(),
            message: "no".into(),
            fields,
        })
    }

    fn pressed(reviewed: &Arc<Policy>) -> ApplyEvent {
        ApplyEvent::Pressed {
            reviewed: Some(reviewed.clone()),
        }
    }

    fn read(policy: Result<&Arc<Policy>, Failure>, changes: &[Change]) -> ApplyEvent {
        ApplyEvent::Read {
            policy: policy.cloned(),
            draft: Box::new(DraftToApply {
                changes: changes.to_vec(),
                at_ms: AT_MS,
                summary: Some("1 principal gains 1 operation.".into()),
                request: None,
            }),
        }
    }

    /// What the page does, a word for each thing.
    fn on(progress: &mut ApplyProgress, event: ApplyEvent) -> Vec<String> {
        let mut told = Vec::new();
        for effect in progress.on(event) {
            told.push(match effect {
                ApplyEffect::Read => "read".into(),
                ApplyEffect::Send(changes) => format!("send {}", changes.len()),
                ApplyEffect::Settle(sent) => format!("settle {}", sent.report.made()),
                ApplyEffect::Await(sent) => format!("await {}", sent.changes.len()),
                ApplyEffect::NoteApplied(applied) => {
                    let effect = applied.summary.map_or("", |_| " with its effect");
                    format!("applied {}{effect}", applied.changes.len())
                }
                ApplyEffect::Rebase => "rebase".into(),
                ApplyEffect::Announce(text) => format!("say {text}"),
                ApplyEffect::Alert(text) => format!("alert {text}"),
                ApplyEffect::FocusDrift => "focus drift".into(),
                ApplyEffect::FocusResult => "focus result".into(),
            });
        }
        told
    }

    /// Two changes on their way over an empty policy.
    fn sending() -> (ApplyProgress, Arc<Policy>) {
        let (mut progress, before) = (ApplyProgress::default(), policy(&[]));
        let changes = [role("a"), role("b")];
        assert_eq!(on(&mut progress, pressed(&before)), ["read"]);
        let told = on(&mut progress, read(Ok(&before), &changes));
        assert_eq!(told, ["send 2"]);
        assert!(progress.is_busy());
        (progress, before)
    }

    /// Two changes whose answer got lost.
    fn unanswered() -> ApplyProgress {
        let (mut progress, _) = sending();
        let lost = SendReport::together(2, Err(Failure::NoAnswer("reset".into())));
        let told = on(&mut progress, ApplyEvent::Answered(lost));
        let checking = format!("alert {}", words::CHECKING);
        assert_eq!(told, ["settle 0", "await 2", &checking, "focus result"]);
        assert!(!progress.is_busy() && progress.result().is_none());
        progress
    }

    fn title(progress: &ApplyProgress) -> Option<String> {
        let sent = progress.result()?;
        Some(sent.report.title_and_text().0)
    }

    #[test]
    fn a_broad_draft_needs_a_reason_and_others_may_have_one() {
        assert_eq!(read_reason(" ", None), Ok(None));
        assert_eq!(
            read_reason("", Some("Say why.")),
            Err("Say why.".to_owned())
        );
        for needed in [None, Some("Say why.")] {
            let read = read_reason(" OPS-7 ", needed).unwrap().unwrap();
            assert_eq!(read.text(), "OPS-7");
            let error = read_reason("a\u{7}", needed).unwrap_err();
            assert!(
                error.starts_with("The reason has a control character"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_success_is_settled_noted_and_told() {
        let (mut progress, _) = sending();
        let told = on(
            &mut progress,
            ApplyEvent::Answered(SendReport::together(2, Ok(()))),
        );
        assert_eq!(
            told,
            [
                "settle 2",
                "applied 2 with its effect",
                "rebase",
                "say 2 changes applied",
                "focus result"
            ]
        );
        assert!(!progress.is_busy() && progress.result().is_none());
    }

    #[test]
    fn a_press_while_it_is_under_way_does_nothing() {
        let (mut progress, before) = sending();
        assert!(on(&mut progress, pressed(&before)).is_empty());
        assert!(progress.is_busy());
        let mut reading = ApplyProgress::default();
        on(&mut reading, pressed(&before));
        assert!(on(&mut reading, pressed(&before)).is_empty());
        assert!(reading.is_busy());
    }

    #[test]
    fn what_another_tab_applied_is_sent_no_second_time() {
        // It applied the same draft: the policy is not the reviewed one any more.
        let (mut progress, before) = (ApplyProgress::default(), policy(&[]));
        on(&mut progress, pressed(&before));
        let told = on(&mut progress, read(Ok(&policy(&["a"])), &[role("a")]));
        let changed = format!("alert {}", words::POLICY_CHANGED);
        assert_eq!(told, [&changed, "focus drift"]);
        assert!(!progress.is_busy());
        // The draft of this tab was emptied meanwhile.
        on(&mut progress, pressed(&before));
        assert!(on(&mut progress, read(Ok(&before), &[])).is_empty());
        assert!(!progress.is_busy());
    }

    #[test]
    fn nothing_is_sent_over_a_policy_that_nobody_reviewed() {
        let (reviewed, same, other) = (policy(&["x"]), policy(&["x"]), policy(&["x", "theirs"]));
        assert_eq!(drift(&reviewed, &other), [role("theirs")]);
        assert!(drift(&reviewed, &same).is_empty());
        let mut progress = ApplyProgress::default();
        on(&mut progress, ApplyEvent::Pressed { reviewed: None });
        let told = on(&mut progress, read(Ok(&other), &[role("a")]));
        let alert = format!("alert {}", words::NOT_REVIEWED);
        assert_eq!(told, ["rebase", &alert]);
        assert!(!progress.is_busy());
        on(&mut progress, pressed(&reviewed));
        let told = on(&mut progress, read(Ok(&same), &[role("a")]));
        assert_eq!(told, ["send 1"]);
        // Somebody else changes it between the read and the request: the service refuses.
        let changed = SendReport::together(1, Err(refused(412, Vec::new())));
        let told = on(&mut progress, ApplyEvent::Answered(changed));
        let alert = format!("alert {}", words::POLICY_CHANGED);
        assert_eq!(told, ["settle 0", &alert, "focus drift"]);
        assert!(!progress.is_busy() && progress.result().is_none());
    }

    #[test]
    fn refused_changes_stay_and_the_result_says_so() {
        let (mut progress, before) = sending();
        let about_one = refused(400, vec![FieldViolation::new("/changes/1/role", "exists")]);
        let report = SendReport::together(2, Err(about_one));
        let told = on(&mut progress, ApplyEvent::Answered(report));
        let alert = format!("alert {}", words::partly_applied(0, 2));
        assert_eq!(told, ["settle 0", "rebase", &alert, "focus result"]);
        assert_eq!(title(&progress).unwrap(), "0 of 2 changes applied");
        // It can be applied again, and the result of the try before goes with the next one.
        assert_eq!(on(&mut progress, pressed(&before)), ["read"]);
        assert!(title(&progress).is_some());
        on(&mut progress, read(Ok(&before), &[role("a")]));
        on(
            &mut progress,
            ApplyEvent::Answered(SendReport::together(1, Ok(()))),
        );
        assert_eq!(title(&progress), None);
    }

    #[test]
    fn of_changes_that_are_sent_one_by_one_the_made_ones_can_be_undone() {
        let (mut progress, _) = sending();
        let report = SendReport {
            outcomes: vec![
                SendOutcome::Made,
                SendOutcome::Failed(refused(409, Vec::new())),
            ],
            whole: None,
        };
        let told = on(&mut progress, ApplyEvent::Answered(report));
        let alert = format!("alert {}", words::partly_applied(1, 2));
        // What the effect of all changes would have been is no longer said.
        assert_eq!(
            told,
            ["settle 1", "applied 1", "rebase", &alert, "focus result"]
        );
        assert_eq!(title(&progress).unwrap(), "1 of 2 changes applied");
    }

    #[test]
    fn a_lost_answer_is_found_in_the_policy() {
        for (applied_at_ms, said, shown) in [
            (Some(AT_MS), "say 2 changes applied", None),
            (
                Some(AT_MS - 1.0),
                "alert Not applied: the service did not answer",
                Some("Not applied: the service did not answer"),
            ),
            (
                None,
                "alert Not applied: the service did not answer",
                Some("Not applied: the service did not answer"),
            ),
        ] {
            let mut progress = unanswered();
            let told = on(&mut progress, ApplyEvent::Found { applied_at_ms });
            assert_eq!(told, [said, "focus result"]);
            assert_eq!(title(&progress).as_deref(), shown);
            // It is told once.
            assert!(on(&mut progress, ApplyEvent::Found { applied_at_ms }).is_empty());
        }
    }

    #[test]
    fn a_service_that_was_killed_in_the_middle_is_asked_again_before_anything_is_sent() {
        let mut progress = unanswered();
        let before = policy(&[]);
        let away = Failure::impossible("not_sent", "can't reach the service");
        assert_eq!(on(&mut progress, pressed(&before)), ["read"]);
        let told = on(&mut progress, read(Err(away), &[role("a"), role("b")]));
        let checking = format!("alert {}", words::CHECKING);
        assert_eq!(told, [&checking, "focus result"]);
        // It is back: what the policy says counts, and nothing is sent before it has said so.
        assert_eq!(on(&mut progress, pressed(&before)), ["read"]);
        assert!(on(&mut progress, read(Ok(&before), &[role("a"), role("b")])).is_empty());
        let found = ApplyEvent::Found {
            applied_at_ms: None,
        };
        on(&mut progress, found);
        assert!(title(&progress).is_some());
        assert_eq!(on(&mut progress, pressed(&before)), ["read"]);
        assert!(progress.is_busy());
    }

    #[test]
    fn a_page_that_is_opened_while_an_answer_is_missing_waits_for_it() {
        let sent = UnansweredChanges {
            changes: vec![role("a")],
            before: policy(&[]),
            at_ms: AT_MS,
        };
        let mut progress = ApplyProgress::new(Some(sent));
        on(&mut progress, pressed(&policy(&[])));
        assert!(on(&mut progress, read(Ok(&policy(&[])), &[role("a")])).is_empty());
        let found = ApplyEvent::Found {
            applied_at_ms: Some(AT_MS),
        };
        assert_eq!(
            on(&mut progress, found),
            ["say 1 change applied", "focus result"]
        );
    }

    #[test]
    fn an_expired_session_keeps_the_draft_and_its_result_goes_with_the_next_sign_in() {
        let expired = Failure::unauthenticated("authentication required");
        let before = policy(&[]);
        let mut unsent = ApplyProgress::default();
        on(&mut unsent, pressed(&before));
        let alert = format!("alert {}", words::SIGN_IN_EXPIRED);
        let all = ["settle 0", "rebase", &alert, "focus result"];
        let told = on(
            &mut unsent,
            read(Err(expired.clone()), &[role("a"), role("b")]),
        );
        assert_eq!(told, all);
        let (mut sent, _) = sending();
        let report = SendReport::together(2, Err(expired));
        assert_eq!(on(&mut sent, ApplyEvent::Answered(report)), all);
        for mut progress in [unsent, sent] {
            assert_eq!(title(&progress).unwrap(), "Your sign-in expired");
            assert!(on(&mut progress, ApplyEvent::Connected).is_empty());
            assert_eq!(title(&progress), None);
        }
        // Signing in does not hide what was refused.
        let (mut refused_one, _) = sending();
        let report = SendReport::together(2, Err(refused(409, Vec::new())));
        on(&mut refused_one, ApplyEvent::Answered(report));
        on(&mut refused_one, ApplyEvent::Connected);
        assert_eq!(title(&refused_one).unwrap(), "0 of 2 changes applied");
    }

    #[test]
    fn an_unreachable_service_is_told_and_nothing_is_sent() {
        let mut progress = ApplyProgress::default();
        on(&mut progress, pressed(&policy(&[])));
        let away = Failure::impossible("not_sent", "can't reach the service");
        let told = on(&mut progress, read(Err(away), &[role("a")]));
        let alert = format!("alert {}", words::partly_applied(0, 1));
        assert_eq!(told, ["settle 0", "rebase", &alert, "focus result"]);
        let (_, text) = progress.result().unwrap().report.title_and_text();
        assert_eq!(
            text.unwrap(),
            "Can't reach the service. Nothing was changed. The draft is unchanged."
        );
    }

    #[test]
    fn another_account_hears_nothing_of_it() {
        let mut lost = unanswered();
        let (mut sent, _) = sending();
        for progress in [&mut lost, &mut sent] {
            assert!(on(progress, ApplyEvent::OwnerChanged).is_empty());
            let late = ApplyEvent::Answered(SendReport::together(2, Ok(())));
            assert!(on(progress, late).is_empty());
            let found = ApplyEvent::Found {
                applied_at_ms: Some(AT_MS),
            };
            assert!(on(progress, found).is_empty());
            assert!(!progress.is_busy() && progress.result().is_none());
        }
        let (mut refused_one, _) = sending();
        let report = SendReport::together(2, Err(refused(409, Vec::new())));
        on(&mut refused_one, ApplyEvent::Answered(report));
        on(&mut refused_one, ApplyEvent::OwnerChanged);
        assert_eq!(title(&refused_one), None);
    }
}

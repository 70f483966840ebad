//! Fixes of how groups get from the token to the user: of a token without its groups, and of group
//! paths that are read in full where the policy names their last part, or the other way round.

use gbac_analysis::Opening;
use gbac_engine::decide::{At, Decision, Outcome, decide};
use gbac_engine::groups::{ClaimFinding, NestedGroupBehavior, extract};
use gbac_engine::identity::Identity;
use gbac_engine::policy::{Change, Policy, apply_each};
use gbac_engine::warning::WarningCode;
use gbac_words::rich_text::RichText;
use gbac_words::token_fix;

use super::{FixEffect, ListedFix};
use crate::group_changes::{GroupChanges, compared};
use crate::settings::{GroupSettingsForm, is_sso};
use crate::simulator::extraction::{ExtractionNote, ExtractionStage, Steps};
use crate::simulator::identity::{FromToken, SimulatedIdentity};
use crate::simulator::pipeline::steps;
use crate::simulator::question::AccessRequest;

/// How many claim paths are offered.
const PATHS: usize = 2;
/// The notes that say why a token has no groups, the one that decides first.
const REASONS: [WarningCode; 7] = [
    WarningCode::GroupOverage,
    WarningCode::IdToken,
    WarningCode::ClaimWrongType,
    WarningCode::ElementNotString,
    WarningCode::TooManyNodes,
    WarningCode::NearClaim,
    WarningCode::ClaimMissing,
];

/// A denied request, and who makes it.
#[derive(Clone, Copy)]
pub(super) struct Denied<'a> {
    pub(super) policy: &'a Policy,
    pub(super) who: &'a SimulatedIdentity,
    pub(super) identity: &'a Identity,
    pub(super) access: &'a AccessRequest,
}

/// The groups of the same names in the token with the other value of `nested_group_behavior`.
pub(super) struct OtherReading {
    nested: NestedGroupBehavior,
    identity: Identity,
    /// The names, each with the group that it would be; only those that would be another one.
    names: Vec<(String, String)>,
}

impl Denied<'_> {
    /// The token, if the settings of the service read it and can be changed.
    fn token_of_service(&self) -> Option<&FromToken> {
        let settings = self.policy.settings();
        let taken = self.who.taken.as_ref()?;
        let is_own =
            taken.rules.extraction == settings.identity_rules().extraction && !is_sso(settings);
        is_own.then_some(taken)
    }

    fn decide(&self, then: &Identity) -> Decision {
        decide(self.policy, then, &self.access.request(At::IgnoringExpiry))
    }

    /// The options of a token without its groups, the first of which is what the warning about it
    /// says; none if it has groups, or if the claim is there and empty. `joins` are the groups that
    /// allow the request, for users who are members.
    pub(super) fn missing_groups(&self, joins: &[&str]) -> Option<Vec<ListedFix>> {
        let taken = self.who.taken.as_ref()?;
        let is_read = matches!(
            taken.extraction.claim,
            ClaimFinding::Array { .. }
                | ClaimFinding::CommaList { .. }
                | ClaimFinding::Union { .. }
        );
        if is_read || !taken.extraction.groups.is_empty() {
            return None;
        }
        let found = steps(self.who, self.policy);
        let note = REASONS
            .iter()
            .find_map(|code| found.notes.iter().find(|note| note.code == Some(*code)));
        let words = match note {
            Some(note) => note.words.clone(),
            None => claim_words(&found).unwrap_or_default(),
        };
        let code = note
            .and_then(|note| note.code)
            .unwrap_or(WarningCode::ClaimMissing);
        let mut paths = if code == WarningCode::GroupOverage {
            Vec::new()
        } else {
            self.other_paths()
        };
        match paths.first_mut() {
            Some(first) if matches!(code, WarningCode::NearClaim | WarningCode::ClaimMissing) => {
                first.about = words.text(" ").then(std::mem::take(&mut first.about));
            }
            _ => paths.insert(0, self.manual(code, words, note, joins)),
        }
        Some(paths)
    }

    /// What has to be done outside the policy, so that the token has groups.
    fn manual(
        &self,
        code: WarningCode,
        words: RichText,
        note: Option<&ExtractionNote>,
        joins: &[&str],
    ) -> ListedFix {
        let is_of_userinfo = match &self.who.taken {
            Some(taken) if code == WarningCode::ClaimMissing => {
                taken.extraction.claim == ClaimFinding::NoUserInfo
            }
            _ => false,
        };
        let is_of_provider =
            !is_of_userinfo && !matches!(code, WarningCode::IdToken | WarningCode::NearClaim);
        let title = match is_of_userinfo {
            true => token_fix::PASTE_USER_INFO,
            false => token_fix::title(code),
        };
        let request = self.access.request(At::IgnoringExpiry);
        let request = is_of_provider.then(|| {
            token_fix::provider_request(code, &words, self.identity.user(), &request, joins)
        });
        ListedFix {
            number: 0,
            title: title.into(),
            about: words,
            changes: Vec::new(),
            request,
            actions: note.map(|note| note.actions.clone()).unwrap_or_default(),
            effect: FixEffect::Sentence(token_fix::effect(joins)),
            opening: Opening::default(),
            comparison: None,
            choices: Vec::new(),
        }
    }

    /// The claim paths where the token has names, those that allow the request first.
    fn other_paths(&self) -> Vec<ListedFix> {
        let Some(taken) = self.token_of_service() else {
            return Vec::new();
        };
        let settings = self.policy.settings();
        let nested = taken.rules.extraction.nested;
        let mut found: Vec<(bool, ListedFix)> = Vec::new();
        for suggestion in taken.suggestions.iter().take(PATHS) {
            let form = GroupSettingsForm {
                claim_path: suggestion.path.clone(),
                nested,
            };
            let Ok(wanted) = form.read(settings) else {
                continue;
            };
            let read = extract(
                &wanted.identity_rules().extraction,
                taken.read.claims.members(),
                None,
            );
            let outcome = self
                .decide(&self.identity.with_groups(read.names()))
                .outcome;
            let names: Vec<&str> = read.names().collect();
            let about = token_fix::about_other_path(&names, outcome);
            let title = token_fix::other_path(&suggestion.path);
            let fix = self.of_settings(title, about, Change::Settings(Box::new(wanted)), taken);
            found.push((outcome == Outcome::Deny, fix));
        }
        found.sort_by_key(|(stays_denied, _)| *stays_denied);
        found.into_iter().map(|(_, fix)| fix).collect()
    }

    /// The names of the token read the other way.
    pub(super) fn other_reading(&self) -> OtherReading {
        let now = match self.who.rules() {
            Some(rules) => rules.extraction.nested,
            None => self.policy.settings().identity_rules().extraction.nested,
        };
        let nested = match now {
            NestedGroupBehavior::None => NestedGroupBehavior::Suffix,
            NestedGroupBehavior::Suffix => NestedGroupBehavior::None,
        };
        // Names of a claim that is discarded as a whole are no groups either way.
        let raw = if self.identity.groups().is_empty() {
            Vec::new()
        } else {
            self.who.names()
        };
        let (mut groups, mut names) = (Vec::new(), Vec::new());
        for name in raw {
            let group = nested.apply(name);
            if !group.is_empty() {
                groups.push(group);
            }
            if group != now.apply(name) {
                names.push((name.to_owned(), group.to_owned()));
            }
        }
        OtherReading {
            nested,
            identity: self.identity.with_groups(groups),
            names,
        }
    }

    /// The change of `nested_group_behavior`, if it allows the request.
    pub(super) fn nested_names(&self, other: &OtherReading) -> Option<ListedFix> {
        let taken = self.token_of_service()?;
        if other.names.is_empty() {
            return None;
        }
        let then = self.decide(&other.identity);
        if then.outcome != Outcome::Allow {
            return None;
        }
        let settings = self.policy.settings();
        let form = GroupSettingsForm {
            nested: other.nested,
            ..GroupSettingsForm::from_settings(settings)
        };
        let wanted = form.read(settings).ok()?;
        let renamed = other
            .names
            .iter()
            .find(|(_, group)| then.group.as_ref() == Some(group))
            .map(|(name, group)| (name.as_str(), group.as_str()));
        let title = token_fix::nested(other.nested);
        let about = token_fix::about_nested(renamed, &then);
        Some(self.of_settings(title, about, Change::Settings(Box::new(wanted)), taken))
    }

    /// A change of the settings, with what it does to the names of the token and to the groups that
    /// the policy names.
    fn of_settings(
        &self,
        title: RichText,
        about: RichText,
        change: Change,
        taken: &FromToken,
    ) -> ListedFix {
        let changes = vec![change];
        let mut after = self.policy.clone();
        apply_each(&mut after, &changes);
        let found = compared(self.policy, &after, &[taken.read.claims.members()]);
        let opening = Opening {
            is_for_everyone: true,
            ..Opening::default()
        };
        let effect = FixEffect::Groups(GroupChanges::from_diff(&found, self.policy, &after));
        ListedFix {
            number: 0,
            title,
            about,
            changes,
            request: None,
            actions: Vec::new(),
            effect,
            opening,
            comparison: None,
            choices: Vec::new(),
        }
    }
}

/// What the step says about the claim.
fn claim_words(found: &Steps) -> Option<RichText> {
    let mut steps = found.steps.iter();
    let step = steps.find(|step| step.stage == ExtractionStage::GroupClaim)?;
    step.body.first().cloned()
}

impl OtherReading {
    /// The name in the token that would be this group.
    pub(super) fn name_of(&self, group: &str) -> Option<&str> {
        let (name, _) = self.names.iter().find(|(_, other)| other == group)?;
        Some(name)
    }

    /// What to know where the policy allows a group that the token has under another name.
    pub(super) fn words(&self, group: &str) -> Option<RichText> {
        let now = match self.nested {
            NestedGroupBehavior::Suffix => NestedGroupBehavior::None,
            NestedGroupBehavior::None => NestedGroupBehavior::Suffix,
        };
        let name = self.name_of(group)?;
        Some(token_fix::under_another_name(group, name, now))
    }
}

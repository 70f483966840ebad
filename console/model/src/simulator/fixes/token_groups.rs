//! Fixes of how groups get from the token to the user: of a token without its groups, and of group
//! paths that are read in full where the policy names their last part, or the other way round.

use gbac_engine::decide::{At, Decision, Outcome, decide};
use gbac_engine::groups::{ClaimFinding, NestedGroupBehavior, extract};
use gbac_engine::identity::Identity;
use gbac_engine::model::Principal;
use gbac_engine::policy::{Change, Policy, apply_each};
use gbac_engine::warning::WarningCode;
use gbac_words::escape::plain;
use gbac_words::phrases::{agree, count, list_up_to};
use gbac_words::rich_text::{RichText, listed};

use super::words::NAMES;
use super::{FixEffect, ListedFix};
use crate::group_changes::{GroupChanges, compared};
use crate::settings::{GroupSettingsForm, is_sso};
use crate::simulator::SimulatedIdentity;
use crate::simulator::evaluation::{FromToken, steps};
use crate::simulator::extraction::ExtractionNote;
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
        let step = || {
            found
                .steps
                .iter()
                .find(|step| step.title == "Group claim")
                .and_then(|step| step.body.first())
        };
        let words = note
            .map(|note| note.words.clone())
            .or_else(|| step().cloned())
            .unwrap_or_default();
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
        let is_of_userinfo = self
            .who
            .taken
            .as_ref()
            .is_some_and(|taken| taken.extraction.claim == ClaimFinding::NoUserInfo);
        let (title, is_of_provider) = match code {
            WarningCode::IdToken => ("Use the access token of the same sign-in", false),
            WarningCode::NearClaim => ("Correct the claim path", false),
            WarningCode::ClaimMissing if is_of_userinfo => ("Paste the user-info document", false),
            WarningCode::ClaimWrongType
            | WarningCode::ElementNotString
            | WarningCode::TooManyNodes => (
                "Have the identity provider send a list of group names",
                true,
            ),
            _ => (
                "Have the identity provider send the groups in the token",
                true,
            ),
        };
        let groups = || {
            joins
                .iter()
                .map(|name| RichText::new().principal(&Principal::group(*name)))
                .collect()
        };
        let effect = match joins {
            [] => "Until then, no group of this user counts.".into(),
            _ => RichText::from("Allowed once the token has ")
                .then(listed(groups(), NAMES))
                .text("."),
        };
        let request = is_of_provider.then(|| {
            let user = plain(self.identity.user());
            let mut lines = vec![
                "Have the access tokens of this application contain the user's groups, as a list of names.".to_owned(),
                format!("Found: {}", words.plain()),
                format!("Reason: without groups, the user {user} is denied the request \"{}\".", self.access.short().plain()),
            ];
            let joins: Vec<String> = joins.iter().map(|name| plain(name)).collect();
            if !joins.is_empty() {
                let groups = agree(joins.len(), "this group", "one of these groups");
                lines.push(format!("The user has to be a member of {groups}: {}.", list_up_to(&joins, NAMES)));
            }
            if code == WarningCode::GroupOverage {
                lines.push("In Entra ID: in the token configuration, set the groups claim to the groups assigned to the application, assign the group to the application, and send names, not object IDs.".to_owned());
            }
            lines.push("The change takes effect at the next sign-in.".to_owned());
            lines.join("\n")
        });
        ListedFix {
            number: 0,
            title: title.into(),
            about: words,
            changes: Vec::new(),
            request,
            actions: note.map(|note| note.actions.clone()).unwrap_or_default(),
            effect: FixEffect::Sentence(effect),
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
            let groups: Vec<RichText> = read
                .names()
                .map(|name| RichText::new().principal(&Principal::group(name)))
                .collect();
            let is_allowed = self
                .decide(&self.identity.with_groups(read.names()))
                .outcome
                == Outcome::Allow;
            let then = match is_allowed {
                true => ". This request is allowed then.",
                false => ". This request stays denied until one of them is allowed it.",
            };
            let about = RichText::new()
                .text(format!(
                    "1 change. The token then has {}: ",
                    count(groups.len(), "group")
                ))
                .then(listed(groups, NAMES))
                .text(then);
            let title = RichText::from("Read groups from ").code(&suggestion.path);
            let fix = self.of_settings(title, about, Change::Settings(Box::new(wanted)), taken);
            found.push((!is_allowed, fix));
        }
        found.sort_by_key(|(stays_denied, _)| *stays_denied);
        found.into_iter().map(|(_, fix)| fix).collect()
    }

    /// The names of the token read the other way.
    pub(super) fn other_reading(&self) -> OtherReading {
        let of_policy = || self.policy.settings().identity_rules().extraction.nested;
        let now = self
            .who
            .rules()
            .map_or_else(of_policy, |rules| rules.extraction.nested);
        let nested = match now {
            NestedGroupBehavior::None => NestedGroupBehavior::Suffix,
            NestedGroupBehavior::Suffix => NestedGroupBehavior::None,
        };
        // Names of a claim that is discarded as a whole are no groups either way.
        let names = if self.identity.groups().is_empty() {
            Vec::new()
        } else {
            self.who.names()
        };
        let groups = names
            .iter()
            .map(|name| nested.apply(name))
            .filter(|name| !name.is_empty());
        let identity = self.identity.with_groups(groups);
        let changed = names
            .iter()
            .filter(|name| nested.apply(name) != now.apply(name));
        let names = changed
            .map(|name| ((*name).to_owned(), nested.apply(name).to_owned()))
            .collect();
        OtherReading {
            nested,
            identity,
            names,
        }
    }

    /// The change of `nested_group_behavior`, if it allows the request.
    pub(super) fn nested_names(&self, other: &OtherReading) -> Option<ListedFix> {
        let taken = self
            .token_of_service()
            .filter(|_| !other.names.is_empty())?;
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
        let title = match other.nested {
            NestedGroupBehavior::Suffix => RichText::from("Read the last part of group paths (")
                .code("suffix")
                .text(")"),
            NestedGroupBehavior::None => RichText::from("Read group paths in full (")
                .code("none")
                .text(")"),
        };
        let mut about = RichText::from("1 change.");
        if let Some((name, group)) = other
            .names
            .iter()
            .find(|(_, group)| then.group.as_deref() == Some(group.as_str()))
        {
            about = about
                .text(" ")
                .code(name)
                .text(" becomes ")
                .principal(&Principal::group(group));
            about = match &then.role {
                Some(role) => about
                    .text(", a member of ")
                    .principal(&Principal::role(role))
                    .text("."),
                None => about.text("."),
            };
        }
        let about = about.text(" It applies to every token, from the next sign-in.");
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
        let found = compared(self.policy, &after, Some(taken.read.claims.members()));
        let effect = FixEffect::Groups(GroupChanges::from_diff(&found, self.policy, &after));
        ListedFix {
            number: 0,
            title,
            about,
            changes,
            request: None,
            actions: Vec::new(),
            effect,
        }
    }
}

impl OtherReading {
    /// The name in the token that would be this group.
    pub(super) fn name_of(&self, group: &str) -> Option<&str> {
        self.names
            .iter()
            .find(|(_, other)| other == group)
            .map(|(name, _)| name.as_str())
    }

    /// What to know where the policy allows a group that the token has under another name.
    pub(super) fn words(&self, group: &str) -> Option<RichText> {
        let name = self.name_of(group)?;
        let words = RichText::from("The user has ")
            .principal(&Principal::group(group))
            .text(" in the token as ")
            .code(name);
        Some(match self.nested {
            NestedGroupBehavior::Suffix => words
                .text(". Groups are read with ")
                .code("none")
                .text(", as full paths."),
            NestedGroupBehavior::None => words
                .text(". Groups are read with ")
                .code("suffix")
                .text(", so only the last part counts."),
        })
    }
}

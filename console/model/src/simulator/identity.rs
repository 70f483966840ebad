//! Who asks: the rules that make an identity of claims, the identity that is entered by hand, and
//! the identity that comes out of either.

use std::sync::Arc;

use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::{self, ClaimSource, ExtractionRule, Suggestion, suggest_paths};
use gbac_engine::identity::{Identity, IdentityRules};
use gbac_engine::mapping::PrincipalMapping;
use gbac_engine::policy::{Policy, Settings};
use gbac_engine::token::Claims;
use gbac_engine::{ClaimSet, ResolveError, Subject};
use gbac_formats::name_list::cut_entry;
use gbac_words::pages::simulator::{CLAIM_PATH_MISSING, COMMA_IN_GROUP, MAPPING_MISSING};
use gbac_words::phrases::place;
use gbac_words::rich_text::RichText;
use serde_json::Value;

use crate::names::entered;
use crate::simulator::extraction::{self, Origins};
use crate::simulator::inputs::{
    EnteredIdentity, InputEdit, InputField, InputProblem, Weight, WhatIfSettings,
};
use crate::simulator::token::DecodedToken;

/// What every reference to the user-info document starts with (D-25).
const USER_INFO: &str = "${";

/// The rules that make an identity of claims, and the document that they read beside the token.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RulesInForce {
    /// The rules in force; none while a problem is in the way.
    pub in_force: Option<IdentityRules>,
    /// What is wrong with the settings that are tried.
    pub problems: Vec<InputProblem>,
    /// Whether the rules in force read the user-info document.
    pub needs_userinfo: bool,
    /// The user-info document, where the rules read it and it was entered.
    pub userinfo: Option<ClaimSet>,
    /// What is wrong with this document.
    pub userinfo_problem: Option<InputProblem>,
}

impl RulesInForce {
    /// The rules of the service, or those that are tried. `userinfo` is the text of the document's
    /// field; none for names by hand.
    pub fn read(
        tried: Option<&WhatIfSettings>,
        userinfo: Option<&str>,
        service: &Settings,
    ) -> Self {
        let (in_force, problems) = match tried {
            Some(tried) => read_rules(tried),
            None => (Some(service.identity_rules()), Vec::new()),
        };
        let reads_userinfo = match &in_force {
            Some(rules) => matches!(rules.extraction.source, ClaimSource::UserInfo(_)),
            None => false,
        };
        let mut rules = Self {
            in_force,
            problems,
            needs_userinfo: reads_userinfo && userinfo.is_some(),
            ..Self::default()
        };
        let text = userinfo.unwrap_or_default().trim();
        if rules.needs_userinfo && !text.is_empty() {
            match read_userinfo(text) {
                Ok(members) => rules.userinfo = Some(members),
                Err(problem) => rules.userinfo_problem = Some(problem),
            }
        }
        rules
    }
}

fn read_userinfo(text: &str) -> Result<ClaimSet, InputProblem> {
    match gbac_json::parse(text) {
        Ok(Value::Object(members)) => Ok(members.into()),
        Ok(_) => Err(InputProblem::fault(
            InputField::UserInfo,
            "not_an_object",
            "the user-info document is one JSON object",
            "paste the response of the provider's user-info endpoint; it starts with `{`",
        )),
        Err(error) => Err(InputProblem::fault(
            InputField::UserInfo,
            error.code(),
            &error.to_string(),
            error.hint(),
        )),
    }
}

/// The settings of a service, written as the fields of [`WhatIfSettings`].
pub fn of_service(settings: &Settings) -> WhatIfSettings {
    let rules = settings.identity_rules();
    WhatIfSettings {
        claim_path: rules.extraction.source.to_string(),
        nested: rules.extraction.nested,
        mapping: rules.mapping.as_str().into(),
    }
}

fn read_rules(tried: &WhatIfSettings) -> (Option<IdentityRules>, Vec<InputProblem>) {
    let WhatIfSettings {
        claim_path,
        nested,
        mapping,
    } = tried;
    let mut problems = Vec::new();
    let source = match read_source(claim_path.trim()) {
        Ok(source) => Some(source),
        Err(problem) => {
            problems.push(problem);
            None
        }
    };
    let mapping = match read_mapping(mapping.trim()) {
        Ok(mapping) => Some(mapping),
        Err(problem) => {
            problems.push(problem);
            None
        }
    };
    let rules = match (source, mapping) {
        (Some(source), Some(mapping)) => Some(IdentityRules {
            mapping,
            extraction: ExtractionRule {
                source,
                nested: *nested,
            },
        }),
        _ => None,
    };
    (rules, problems)
}

fn read_source(text: &str) -> Result<ClaimSource, InputProblem> {
    let field = InputField::ClaimPath;
    if text.is_empty() {
        let words = CLAIM_PATH_MISSING;
        return Err(InputProblem::new(
            field,
            "claim_path_empty",
            Weight::Missing,
            words,
        ));
    }
    let source = if text.starts_with(USER_INFO) {
        ClaimSource::parse_sso(text)
    } else {
        ClaimPath::parse(text).map(ClaimSource::Token)
    };
    source.map_err(|error| {
        let place = place(text, error.offset());
        let words = RichText::with_hint(
            &format!("{place}: {error}"),
            &error.hint().unwrap_or_default(),
        );
        InputProblem::new(field, error.code(), Weight::Error, words)
    })
}

fn read_mapping(text: &str) -> Result<PrincipalMapping, InputProblem> {
    let field = InputField::Mapping;
    if text.is_empty() {
        let words = MAPPING_MISSING;
        return Err(InputProblem::new(
            field,
            "mapping_empty",
            Weight::Missing,
            words,
        ));
    }
    PrincipalMapping::parse(text).map_err(|error| {
        let words = RichText::with_hint(
            &format!("{}: {error}", place(text, error.offset())),
            error.hint(),
        );
        InputProblem::new(field, error.code(), Weight::Error, words)
    })
}

impl EnteredIdentity {
    /// What is wrong with names by hand, or worth knowing about them; nothing of a token.
    pub fn problems(&self) -> Vec<InputProblem> {
        match self {
            Self::Token => Vec::new(),
            Self::Names { user, groups } if user.is_empty() => {
                let words = "Enter a user too.";
                match groups.trim().is_empty() {
                    true => Vec::new(),
                    false => vec![InputProblem::new(
                        InputField::User,
                        "user_empty",
                        Weight::Missing,
                        words,
                    )],
                }
            }
            Self::Names { user, groups } => {
                let mut problems = Vec::new();
                problems.extend(user_problem(user));
                problems.extend(groups_problem(groups));
                problems
            }
        }
    }
}

fn user_problem(user: &str) -> Option<InputProblem> {
    let name = user.strip_prefix("User:").filter(|name| !name.is_empty())?;
    let words = RichText::new()
        .text("Enter the name without a type: this means ")
        .code(format!("User:{user}"))
        .text(".");
    let problem = InputProblem::new(InputField::User, "user_with_type", Weight::Warning, words);
    Some(problem.with(format!("Use {name}"), InputEdit::User(name.into())))
}

fn warning(code: &'static str, words: RichText) -> InputProblem {
    InputProblem::new(InputField::Groups, code, Weight::Warning, words)
}

fn groups_problem(groups: &str) -> Option<InputProblem> {
    if groups.lines().any(has_type) {
        let bare: Vec<&str> = groups
            .lines()
            .map(|line| line.strip_prefix("Group:").unwrap_or(line))
            .collect();
        let words = RichText::new()
            .text("Enter names without a type: ")
            .code("Group:")
            .text(" becomes part of the name.");
        let remove = InputEdit::Groups(bare.join("\n"));
        return Some(warning("group_with_type", words).with("Remove it", remove));
    }
    if groups.trim().lines().count() == 1 && groups.contains(',') {
        let split: Vec<&str> = groups
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .collect();
        let words = COMMA_IN_GROUP;
        let problem = warning("group_with_comma", words.into());
        // A distinguished name is one name with commas.
        return Some(match cut_entry(groups, &split) {
            Some(_) => problem,
            None => problem.with("Split at the commas", InputEdit::Groups(split.join("\n"))),
        });
    }
    if groups.lines().any(|line| line.trim() != line) {
        let tidy: Vec<&str> = groups.lines().map(str::trim).collect();
        let words = "A leading or trailing space is part of the name.";
        let remove = InputEdit::Groups(tidy.join("\n"));
        return Some(warning("edge_whitespace", words.into()).with("Remove it", remove));
    }
    None
}

fn has_type(line: &str) -> bool {
    line.strip_prefix("Group:")
        .is_some_and(|name| !name.is_empty())
}

/// Who asks, as far as it came out of the inputs.
#[derive(PartialEq)]
pub struct SimulatedIdentity {
    /// The identity, or why the claims name no user.
    pub identity: Result<Arc<Identity>, ResolveError>,
    /// Where its groups came from.
    pub origins: Arc<Origins>,
    /// None by hand.
    pub(super) taken: Option<FromToken>,
}

/// What an identity was made from, for the steps.
#[derive(PartialEq)]
pub(super) struct FromToken {
    pub(super) read: Arc<DecodedToken>,
    pub(super) rules: IdentityRules,
    pub(super) extraction: groups::Extraction,
    pub(super) suggestions: Vec<Suggestion>,
}

/// Without what it was made from: that is a token.
impl std::fmt::Debug for SimulatedIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SimulatedIdentity").finish_non_exhaustive()
    }
}

impl SimulatedIdentity {
    /// A user and groups by hand, a group a line.
    #[must_use]
    pub fn named(user: &str, groups: &str) -> Self {
        let who = Subject::Names {
            user: user.to_owned(),
            groups: entered(groups),
        };
        let identity = gbac_engine::resolve(&Policy::default(), &who, None)
            .map(|resolved| Arc::new(resolved.identity));
        Self {
            identity,
            origins: Arc::default(),
            taken: None,
        }
    }

    /// Resolves the identity of a token as every check does (`gbac_engine::resolve_with`), and
    /// keeps how its groups were extracted. `verified` are its claims where every check of its
    /// signature passed.
    #[must_use]
    pub fn from_token(
        read: &Arc<DecodedToken>,
        rules: &IdentityRules,
        userinfo: Option<&ClaimSet>,
        verified: Option<&Claims>,
    ) -> Self {
        let claims = read.claims.members();
        let who = match verified {
            Some(_) => Subject::Token {
                token: read.token.clone().unwrap_or_default(),
                userinfo: userinfo.cloned(),
            },
            None => Subject::Claims {
                claims: claims.clone(),
                userinfo: userinfo.cloned(),
            },
        };
        // The token's checks ran already, with what they found for the page.
        let verify = |_: &str| verified.cloned().ok_or(ResolveError::NoKeys);
        let (identity, extraction) = match gbac_engine::resolve_with(rules, &who, Some(&verify)) {
            Ok(resolved) => (Ok(Arc::new(resolved.identity)), resolved.extraction),
            Err(error) => (Err(error), None),
        };
        // Without a user there is no identity; the groups are still shown.
        let extraction =
            extraction.unwrap_or_else(|| groups::extract(&rules.extraction, claims, userinfo));
        let document = extraction::document(&rules.extraction.source, claims, userinfo);
        let suggestions = match (&extraction.groups[..], document) {
            ([], Some(document)) => suggest_paths(document),
            _ => Vec::new(),
        };
        Self {
            identity,
            origins: Arc::new(Origins::from_extraction(&extraction)),
            taken: Some(FromToken {
                read: Arc::clone(read),
                rules: rules.clone(),
                extraction,
                suggestions,
            }),
        }
    }

    /// The names of the claim as the token has them, before anything is cut off; the groups by
    /// hand.
    pub fn names(&self) -> Vec<&str> {
        match (&self.taken, &self.identity) {
            (Some(taken), _) => taken
                .extraction
                .elements
                .iter()
                .map(|element| element.raw.as_str())
                .collect(),
            (None, Ok(identity)) => identity.groups().iter().map(String::as_str).collect(),
            (None, Err(_)) => Vec::new(),
        }
    }

    /// The ID of the key that the token names; none by hand.
    pub fn key_id(&self) -> Option<&str> {
        self.taken.as_ref()?.read.header.as_ref()?.kid()
    }

    /// The rules that made it; none by hand.
    pub fn rules(&self) -> Option<&IdentityRules> {
        self.taken.as_ref().map(|taken| &taken.rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::inputs::Inputs;
    use gbac_engine::groups::NestedGroupBehavior;

    fn what_if(claim_path: &str, mapping: &str) -> (Option<IdentityRules>, Vec<InputProblem>) {
        let what_if = WhatIfSettings {
            claim_path: claim_path.into(),
            nested: NestedGroupBehavior::Suffix,
            mapping: mapping.into(),
        };
        read_rules(&what_if)
    }

    #[test]
    fn the_service_is_used_unless_something_is_tried() {
        let inputs = Inputs {
            what_if: WhatIfSettings {
                claim_path: "$.".into(),
                ..WhatIfSettings::default()
            },
            ..Inputs::default()
        };
        let service = Settings::default();
        assert_eq!(
            RulesInForce::read(inputs.tried_settings(), inputs.userinfo(), &service),
            RulesInForce {
                in_force: Some(IdentityRules::default()),
                ..RulesInForce::default()
            }
        );
        assert!(of_service(&Settings::default()) == WhatIfSettings::default());
    }

    #[test]
    fn tries_what_is_entered() {
        let (rules, problems) = what_if(" $.realm_access.roles ", "$.email");
        let rules = rules.unwrap();
        assert!(problems.is_empty());
        assert_eq!(rules.extraction.source.to_string(), "$.realm_access.roles");
        assert_eq!(rules.extraction.nested, NestedGroupBehavior::Suffix);
        assert_eq!(rules.mapping.as_str(), "$.email");
        let (rules, _) = what_if("${context.userinfo.groups}", "$.sub");
        assert!(matches!(
            rules.unwrap().extraction.source,
            ClaimSource::UserInfo(_)
        ));
    }

    #[test]
    fn says_where_a_path_breaks() {
        let (rules, problems) = what_if("$.groups[", "$.sub/(/x/");
        assert_eq!(rules, None);
        assert_eq!(
            problems
                .iter()
                .map(|problem| problem.field)
                .collect::<Vec<_>>(),
            [InputField::ClaimPath, InputField::Mapping]
        );
        assert_eq!(
            problems[0].words.plain(),
            "At character 9: [ is not closed. Add the ]."
        );
        assert!(
            problems
                .iter()
                .all(|problem| problem.weight == Weight::Error)
        );
        let (_, problems) = what_if("", " ");
        assert!(
            problems
                .iter()
                .all(|problem| problem.weight == Weight::Missing)
        );
        assert_eq!(place("äx", 2), "at character 2");
    }
}

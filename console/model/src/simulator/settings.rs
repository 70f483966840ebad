//! The settings that extract an identity from claims: the service's, or hypothetical ones.

use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::{ClaimSource, ExtractionRule};
use gbac_engine::identity::IdentityRules;
use gbac_engine::mapping::PrincipalMapping;
use gbac_engine::policy::Settings;
use gbac_words::phrases::place;
use gbac_words::rich_text::RichText;

use crate::simulator::inputs::{
    InputField, InputProblem, Inputs, SettingsSource, Weight, WhatIfSettings,
};

/// What every reference to the user-info document starts with (D-25).
const USER_INFO: &str = "${";

/// The settings of a service, written as the fields of [`WhatIfSettings`].
pub fn of_service(settings: &Settings) -> WhatIfSettings {
    let rules = settings.identity_rules();
    WhatIfSettings {
        claim_path: rules.extraction.source.to_string(),
        nested: rules.extraction.nested,
        mapping: rules.mapping.as_str().into(),
    }
}

/// The rules in force; there unless a problem is in the way.
pub fn read(inputs: &Inputs, service: &Settings) -> (Option<IdentityRules>, Vec<InputProblem>) {
    if inputs.source == SettingsSource::Service {
        return (Some(service.identity_rules()), Vec::new());
    }
    let WhatIfSettings {
        claim_path,
        nested,
        mapping,
    } = &inputs.what_if;
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
    let rules = source.zip(mapping).map(|(source, mapping)| IdentityRules {
        mapping,
        extraction: ExtractionRule {
            source,
            nested: *nested,
        },
    });
    (rules, problems)
}

fn read_source(text: &str) -> Result<ClaimSource, InputProblem> {
    let field = InputField::ClaimPath;
    if text.is_empty() {
        let words = "Write a claim path, such as $.groups.";
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
        let words = "Write a principal mapping, such as $.sub.";
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

#[cfg(test)]
mod tests {
    use super::*;
    use gbac_engine::groups::NestedGroupBehavior;

    fn what_if(claim_path: &str, mapping: &str) -> (Option<IdentityRules>, Vec<InputProblem>) {
        let what_if = WhatIfSettings {
            claim_path: claim_path.into(),
            nested: NestedGroupBehavior::Suffix,
            mapping: mapping.into(),
        };
        let inputs = Inputs {
            source: SettingsSource::WhatIf,
            what_if,
            ..Inputs::default()
        };
        read(&inputs, &Settings::default())
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
        assert_eq!(
            read(&inputs, &Settings::default()),
            (Some(IdentityRules::default()), Vec::new())
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

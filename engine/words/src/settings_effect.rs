//! What decides access besides ACLs, and what other values would change.

use gbac_analysis::AccessEffect;
use gbac_analysis::brokers::{
    BrokerSetting, BrokerSettings, PrincipalEffect, SeenCallers, SeenRequest, SettingValue,
    SettingsEffect,
};
use gbac_api::what_if::{
    CallerReport, RequestReport, SeenIn, SettingReport, SettingState, SettingsReport, TriedSetting,
};

use crate::effect;
use crate::phrases::{agree, count, list, list_up_to};
use crate::rich_text::RichText;

/// How many groups a sentence names.
const GROUPS: usize = 5;

/// Why brokers allow a request although no ACL does.
pub const OPEN_RESOURCE: &str =
    "no ACL is for the resource, and the brokers have allow.everyone.if.no.acl.found=true";
/// Why other rules for groups show no effect.
pub const NO_TOKENS: &str = "Events and ACLs have no tokens, so the effect of other claims is not known. To include tokens, run `gbac policy what-if --token-file`.";
/// Why a setting cannot be tried on a policy of another system.
pub const ONLY_KAFKA: &str = "`allow.everyone.if.no.acl.found` is a setting of Kafka, and the dialect of the policy is another";

/// A setting whose present value has to be known, because another one is tried.
#[must_use]
pub fn present_unknown(setting: BrokerSetting, how: &str) -> String {
    format!(
        "the present value of `{}` is not known, so another value cannot be compared with it; {how}",
        setting.name()
    )
}

/// Lines of a file that are not understood.
#[must_use]
pub fn not_understood(lines: &str, first: u64, fault: &str) -> String {
    format!("{lines} not understood; the first is line {first}: {fault}")
}

/// What is known of a value, in a table.
#[must_use]
pub const fn state(state: SettingState) -> &'static str {
    match state {
        SettingState::Stated => "stated",
        SettingState::NotSet => "not set",
        SettingState::Hidden => "not shown by the brokers",
        SettingState::Unknown => "not known",
    }
}

/// `super.users=User:admin`, or that its default counts.
fn assignment(setting: BrokerSetting, value: &str) -> String {
    match value {
        "" => format!("`{}` to its default", setting.name()),
        value => format!("`{}={value}`", setting.name()),
    }
}

/// What else decides access, as far as it is known; `None` if it is the defaults.
#[must_use]
pub fn stated(settings: &BrokerSettings) -> Option<RichText> {
    let mut text = RichText::from("The brokers also decide with ");
    let mut has_any = false;
    for (setting, value) in settings.iter() {
        if let SettingValue::Stated(value) = value {
            if has_any {
                text = text.text(", ");
            }
            text = text.code(format!("{}={value}", setting.name()));
            has_any = true;
        }
    }
    has_any.then_some(text)
}

/// The settings that are set and not shown, and what that means.
#[must_use]
pub fn hidden(settings: &BrokerSettings) -> Option<String> {
    let hidden = settings.hidden();
    if hidden.is_empty() {
        return None;
    }
    let names: Vec<String> = hidden
        .iter()
        .map(|one| format!("`{}`", one.name()))
        .collect();
    let mut effects = Vec::new();
    for setting in &hidden {
        effects.push(match setting {
            BrokerSetting::SuperUsers => "who is denied here can be a super user",
            BrokerSetting::AllowEveryone => "what no ACL is for can be allowed to everybody",
            BrokerSetting::GroupsClaim | BrokerSetting::NestedGroups => {
                "groups of tokens can be others"
            }
            BrokerSetting::PrincipalMapping => "users of tokens can be others",
        });
    }
    effects.dedup();
    Some(format!(
        "the brokers have {} and do not show {}: {}",
        list(&names),
        agree(hidden.len(), "its value", "their values"),
        list(&effects)
    ))
}

/// The settings of a cluster of which nothing is known.
#[must_use]
pub fn unknown(settings: &BrokerSettings) -> Option<String> {
    let mut names = Vec::new();
    for setting in [BrokerSetting::SuperUsers, BrokerSetting::AllowEveryone] {
        if *settings.value(setting) == SettingValue::Unknown {
            names.push(format!("`{}`", setting.name()));
        }
    }
    (!names.is_empty()).then(|| {
        format!(
            "the brokers do not say whether they have {}, so the answer is that of the ACLs alone",
            list(&names)
        )
    })
}

/// The effect in a sentence.
#[must_use]
pub fn summary(tried: &[(BrokerSetting, String)], effect: &SettingsEffect) -> String {
    let (verb, what) = match tried {
        [(BrokerSetting::AllowEveryone, value)] => {
            let is_on = value.eq_ignore_ascii_case("true");
            let verb = if is_on { "Turning on" } else { "Turning off" };
            (verb, format!("`{}`", BrokerSetting::AllowEveryone.name()))
        }
        tried => {
            let mut all = Vec::new();
            for (setting, value) in tried {
                all.push(assignment(*setting, value));
            }
            ("Setting", list(&all))
        }
    };
    let seen = match effect.seen {
        1 => "the 1 principal seen".to_owned(),
        seen => format!("the {} seen", count(seen, "principal")),
    };
    match (effect.denied, effect.allowed) {
        (0, 0) => format!("{verb} {what} changes nothing for {seen}."),
        (denied, 0) => format!("{verb} {what} denies {denied} of {seen}."),
        (0, allowed) => format!("{verb} {what} allows more to {allowed} of {seen}."),
        (denied, allowed) => {
            format!("{verb} {what} denies {denied} of {seen}, and allows more to {allowed}.")
        }
    }
}

/// Where the principals are from.
#[must_use]
pub fn seen_in(seen_in: SeenIn, effect: &SettingsEffect) -> String {
    let requests = count(effect.requests, "different request");
    match seen_in {
        SeenIn::Lines => format!("Seen: {requests} in the files."),
        SeenIn::Events => format!("Seen: {requests} in the last audit events of the service."),
        SeenIn::Policy => {
            "Seen: the users and groups in ACLs and roles, because nothing says who calls.".into()
        }
    }
}

/// What changes for a principal.
#[must_use]
pub fn effects(of: &PrincipalEffect) -> Vec<RichText> {
    let mut effects = Vec::new();
    match &of.after {
        Some(Ok(principal)) => effects.push(RichText::from("Becomes ").principal(principal)),
        Some(Err(reason)) => {
            let refused = format!("Its token is refused: {reason}");
            effects.push(RichText::message(&refused));
        }
        None => {}
    }
    let by_settings = match (of.superuser, of.without_acls) {
        ([true, false], [_, false]) => "Is no longer a super user: only ACLs allow something",
        ([true, false], [_, true]) => {
            "Is no longer a super user: only ACLs allow something, and what no ACL is for"
        }
        ([false, true], _) => "Becomes a super user, who is allowed everything",
        (_, [true, false]) => "Loses everything that no ACL is for",
        (_, [false, true]) => "Gains everything that no ACL is for",
        _ => "",
    };
    if !by_settings.is_empty() {
        effects.push(by_settings.into());
    }
    for (verb, groups) in [("Gains", &of.groups.0), ("Loses", &of.groups.1)] {
        if !groups.is_empty() {
            let noun = agree(groups.len(), "the group", "the groups");
            effects
                .push(RichText::from(format!("{verb} {noun} ")).code(list_up_to(groups, GROUPS)));
        }
    }
    if let Some(comparison) = &of.comparison {
        let sides = [
            (AccessEffect::Gains, &comparison.gains),
            (AccessEffect::Loses, &comparison.loses),
        ];
        for (side, regions) in sides {
            if !regions.is_empty() && of.superuser[0] == of.superuser[1] {
                let regions: Vec<_> = regions.iter().collect();
                effects.push(effect::by_acls(side, &regions));
            }
        }
    }
    for (verb, requests) in [("denied", &of.denied), ("allowed", &of.allowed)] {
        if !requests.is_empty() {
            let (number, seen) = (requests.len(), count(of.requests, "request"));
            effects.push(format!("Would be {verb}: {number} of {seen} seen").into());
        }
    }
    effects
}

/// The effect as a value, with at most so many callers, and so many requests of each; the notes are
/// those of [`notes`].
#[must_use]
pub fn report(
    settings: &BrokerSettings,
    tried: &[(BrokerSetting, String)],
    seen_in: SeenIn,
    effect: &SettingsEffect,
    most: usize,
) -> SettingsReport {
    let mut set = Vec::new();
    for (setting, value) in tried {
        set.push(TriedSetting {
            name: setting.name().to_owned(),
            value: value.clone(),
        });
    }
    let summary = match tried {
        [] => String::new(),
        tried => summary(tried, effect),
    };
    SettingsReport {
        settings: setting_reports(settings),
        set,
        seen_in,
        seen: effect.seen,
        requests: effect.requests,
        denied: effect.denied,
        allowed: effect.allowed,
        summary,
        notes: Vec::new(),
        callers: effect
            .callers
            .iter()
            .take(most)
            .map(|one| caller(one, most))
            .collect(),
        omitted_callers: effect.callers.len().saturating_sub(most),
    }
}

/// What the effect does not know.
#[must_use]
pub fn notes(
    settings: &BrokerSettings,
    tried: &[(BrokerSetting, String)],
    seen: &SeenCallers,
    has_brokers: bool,
) -> Vec<String> {
    let mut notes = Vec::new();
    if tried.iter().any(|(one, _)| one.is_of_plugin()) && !seen.has_tokens() {
        notes.push(NO_TOKENS.to_owned());
    }
    if has_brokers {
        for note in [hidden(settings), unknown(settings)].into_iter().flatten() {
            notes.push(RichText::message(&note).message_text());
        }
    }
    let without_groups = seen.without_groups();
    if without_groups > 0 {
        notes.push(format!(
            "Not all groups of {} are known, because no sign-in of theirs was seen: ACLs of unknown groups do not count.",
            count(without_groups, "principal")
        ));
    }
    let lines = usize::try_from(seen.other_lines()).unwrap_or(usize::MAX);
    if lines > 0 {
        let say = agree(lines, "says", "say");
        notes.push(format!(
            "{} {say} nothing about a request, or {} a shortened name.",
            count(lines, "line"),
            agree(lines, "has", "have")
        ));
    }
    if seen.omitted() > 0 {
        notes.push(format!(
            "Callers and requests beyond the limits are not counted: {}.",
            seen.omitted()
        ));
    }
    notes
}

/// The settings, with what is known of them.
#[must_use]
pub fn setting_reports(settings: &BrokerSettings) -> Vec<SettingReport> {
    let mut reports = Vec::new();
    for (setting, value) in settings.iter() {
        let (state, value) = match value {
            SettingValue::Unknown => (SettingState::Unknown, None),
            SettingValue::Hidden => (SettingState::Hidden, None),
            SettingValue::NotSet => (SettingState::NotSet, None),
            SettingValue::Stated(value) => (SettingState::Stated, Some(value.clone())),
        };
        reports.push(SettingReport {
            name: setting.name().to_owned(),
            state,
            value,
        });
    }
    reports
}

fn caller(of: &PrincipalEffect, most: usize) -> CallerReport {
    let listed = |requests: &[SeenRequest]| requests.iter().take(most).map(request).collect();
    let omitted = |requests: &[SeenRequest]| requests.len().saturating_sub(most);
    CallerReport {
        principal: of.principal.to_string(),
        loses: of.loses(),
        gains: of.gains(),
        effects: effects(of).iter().map(RichText::message_text).collect(),
        groups_gained: of.groups.0.clone(),
        groups_lost: of.groups.1.clone(),
        denied: listed(&of.denied),
        allowed: listed(&of.allowed),
        omitted_requests: omitted(&of.denied) + omitted(&of.allowed),
    }
}

fn request(seen: &SeenRequest) -> RequestReport {
    RequestReport {
        operation: seen.operation.spelling().cli.to_owned(),
        resource_type: seen.resource_type.spelling().cli.to_owned(),
        resource_name: seen.resource_name.clone(),
        host: seen.host.map(|host| host.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(seen: usize, denied: usize, allowed: usize) -> SettingsEffect {
        SettingsEffect {
            seen,
            denied,
            allowed,
            ..SettingsEffect::default()
        }
    }

    #[test]
    fn the_summary_counts_who_was_seen() {
        let off = [(BrokerSetting::AllowEveryone, "false".to_owned())];
        assert_eq!(
            summary(&off, &effect(31, 14, 0)),
            "Turning off `allow.everyone.if.no.acl.found` denies 14 of the 31 principals seen."
        );
        let users = [(BrokerSetting::SuperUsers, "User:admin".to_owned())];
        assert_eq!(
            summary(&users, &effect(1, 0, 0)),
            "Setting `super.users=User:admin` changes nothing for the 1 principal seen."
        );
        let path = [(BrokerSetting::GroupsClaim, String::new())];
        assert_eq!(
            summary(&path, &effect(3, 1, 2)),
            "Setting `gbac.groups.claim` to its default denies 1 of the 3 principals seen, and allows more to 2."
        );
    }

    #[test]
    fn what_brokers_hide_is_named() {
        let shown = [
            ("super.users".to_owned(), None),
            ("gbac.groups.claim".to_owned(), None),
        ];
        let settings = BrokerSettings::from_shown(&shown.into(), true);
        assert_eq!(
            hidden(&settings).as_deref(),
            Some(
                "the brokers have `super.users` and `gbac.groups.claim` and do not show their values: \
                 who is denied here can be a super user and groups of tokens can be others"
            )
        );
        assert_eq!(unknown(&settings), None);
        let nothing = unknown(&BrokerSettings::default()).expect("nothing is known");
        assert!(
            nothing.contains("`super.users` and `allow.everyone"),
            "{nothing}"
        );
    }
}

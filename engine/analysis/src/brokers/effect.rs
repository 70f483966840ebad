//! What other values of the settings change for the callers that were seen.

use gbac_engine::decide::{At, Outcome, PreparedIdentity, Request};
use gbac_engine::model::Principal;
use gbac_engine::policy::Policy;
use gbac_engine::{Identity, resolve};

use super::rules::BrokerRules;
use super::seen::{Caller, SeenCallers, SeenRequest};
use crate::compare::{Comparison, compare};
use crate::identities::groups_between;

/// A policy, and what brokers decide with besides it.
type Decider<'a> = (&'a Policy, &'a BrokerRules);

/// The effect of other settings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SettingsEffect {
    /// The number of callers.
    pub seen: usize,
    /// The number of callers who are denied something that they are allowed now.
    pub denied: usize,
    /// The number of callers who are allowed something that they are denied now.
    pub allowed: usize,
    /// The number of different requests that were decided.
    pub requests: usize,
    /// The callers whose access changes: those who lose most first, then by name.
    pub callers: Vec<PrincipalEffect>,
}

/// The effect of other settings on one caller.
///
/// Of a caller whose requests are known, these count, and else the access as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct PrincipalEffect {
    /// The principal by the present settings.
    pub principal: Principal,
    /// The principal by the others, if it is another one; the reason if these refuse the token.
    pub after: Option<Result<Principal, String>>,
    /// The groups that only the other settings read, and those that only the present ones read.
    pub groups: (Vec<String>, Vec<String>),
    /// Whether everything is allowed, by the present settings and by the others.
    pub superuser: [bool; 2],
    /// Whether what no ACL is for is allowed, by the present settings and by the others.
    pub without_acls: [bool; 2],
    /// The number of known requests.
    pub requests: usize,
    /// The known requests that only the present settings allow.
    pub denied: Vec<SeenRequest>,
    /// The known requests that only the other settings allow.
    pub allowed: Vec<SeenRequest>,
    /// The difference in what ACLs allow, if the user or the groups are others.
    pub comparison: Option<Comparison>,
}

impl PrincipalEffect {
    /// Whether something is denied that is allowed now.
    #[must_use]
    pub fn loses(&self) -> bool {
        if self.requests > 0 {
            return !self.denied.is_empty();
        }
        self.superuser == [true, false]
            || self.without_acls == [true, false]
            || matches!(self.after, Some(Err(_)))
            || self
                .comparison
                .as_ref()
                .is_some_and(|found| !found.loses.is_empty())
    }

    /// Whether something is allowed that is denied now.
    #[must_use]
    pub fn gains(&self) -> bool {
        if self.requests > 0 {
            return !self.allowed.is_empty();
        }
        self.superuser == [false, true]
            || self.without_acls == [false, true]
            || self
                .comparison
                .as_ref()
                .is_some_and(|found| !found.gains.is_empty())
    }
}

/// The effect of `after` in place of `before`, for the callers that were seen, whatever the expiry
/// of their tokens.
///
/// ```
/// use gbac_analysis::brokers::{BrokerRules, BrokerSetting, BrokerSettings, SeenCallers, settings_effect};
/// use gbac_engine::Policy;
///
/// let mut seen = SeenCallers::default();
/// seen.add_line(b"Principal = User:maya is Denied operation = READ from host = 10.0.0.7 on resource = \
///     Topic:LITERAL:orders for request = Fetch with resourceRefCount = 1 based on rule DefaultDeny").map_err(|fault| format!("{fault:?}"))?;
/// let decided = |value| {
///     let (mut policy, mut settings) = (Policy::default(), BrokerSettings::default());
///     settings.state(BrokerSetting::AllowEveryone, value)?;
///     let rules = BrokerRules::new(&mut policy, &settings);
///     Ok::<_, Box<dyn std::error::Error>>((policy, rules))
/// };
/// let (before, after) = (decided("true")?, decided("false")?);
/// let effect = settings_effect((&before.0, &before.1), (&after.0, &after.1), &seen);
/// assert_eq!((effect.seen, effect.denied, effect.allowed), (1, 1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn settings_effect(
    before: Decider<'_>,
    after: Decider<'_>,
    seen: &SeenCallers,
) -> SettingsEffect {
    let mut effect = SettingsEffect {
        seen: seen.len(),
        requests: seen.requests(),
        ..SettingsEffect::default()
    };
    for caller in seen.callers() {
        let one = effect_on(before, after, caller);
        effect.denied += usize::from(one.loses());
        effect.allowed += usize::from(one.gains());
        if one.loses() || one.gains() {
            effect.callers.push(one);
        }
    }
    effect.callers.sort_by(|one, other| {
        let lost = |effect: &PrincipalEffect| (effect.loses(), effect.denied.len());
        let names = one.principal.cmp(&other.principal);
        lost(other).cmp(&lost(one)).then(names)
    });
    effect
}

/// The identity of a caller; the reason if the rules refuse its token.
fn identity(rules: Decider<'_>, caller: &Caller) -> Result<Identity, String> {
    match &caller.subject {
        None => Ok(caller.identity()),
        Some(subject) => match resolve(rules.0, subject, None) {
            Ok(resolved) => Ok(resolved.identity),
            Err(error) => Err(error.to_string()),
        },
    }
}

fn effect_on(before: Decider<'_>, after: Decider<'_>, caller: &Caller) -> PrincipalEffect {
    let identities = [identity(before, caller), identity(after, caller)];
    let mut effect = PrincipalEffect {
        principal: caller.principal.clone(),
        after: None,
        groups: (Vec::new(), Vec::new()),
        superuser: [false; 2],
        without_acls: [false; 2],
        requests: caller.requests.len(),
        denied: Vec::new(),
        allowed: Vec::new(),
        comparison: None,
    };
    for (side, (rules, identity)) in [before, after].into_iter().zip(&identities).enumerate() {
        if let (Ok(identity), Some(superuser), Some(open)) = (
            identity,
            effect.superuser.get_mut(side),
            effect.without_acls.get_mut(side),
        ) {
            *superuser = rules.1.is_superuser(rules.0, identity);
            *open = *superuser || rules.1.allows_everyone();
        }
    }
    match &identities {
        [Ok(one), Ok(other)] => {
            let principal = other.principal();
            if principal != one.principal() {
                effect.after = Some(Ok(principal));
            }
            effect.groups = groups_between(one, other);
            if caller.subject.is_some() {
                let sides = (before.0, one);
                effect.comparison = Some(compare(sides, (after.0, other)));
            }
        }
        [_, Err(reason)] => effect.after = Some(Err(reason.clone())),
        [Err(_), Ok(other)] => effect.after = Some(Ok(other.principal())),
    }
    replay([before, after], identities, caller, &mut effect);
    effect
}

/// Decides the known requests by both rules.
fn replay(
    rules: [Decider<'_>; 2],
    identities: [Result<Identity, String>; 2],
    caller: &Caller,
    effect: &mut PrincipalEffect,
) {
    let [before, after] = rules;
    let [one, other] = identities;
    let mut one = one.map(|one| PreparedIdentity::new(before.0, one));
    let mut other = other.map(|other| PreparedIdentity::new(after.0, other));
    for request in &caller.requests {
        let was = outcome(before, one.as_mut().ok(), request);
        let becomes = outcome(after, other.as_mut().ok(), request);
        match (was, becomes) {
            (Outcome::Allow, Outcome::Deny) => effect.denied.push(request.clone()),
            (Outcome::Deny, Outcome::Allow) => effect.allowed.push(request.clone()),
            (Outcome::Allow, Outcome::Allow) | (Outcome::Deny, Outcome::Deny) => {}
        }
    }
}

/// Whether a request is allowed; not without an identity.
fn outcome(
    rules: Decider<'_>,
    prepared: Option<&mut PreparedIdentity>,
    request: &SeenRequest,
) -> Outcome {
    let Some(prepared) = prepared else {
        return Outcome::Deny;
    };
    let (kind, name) = (request.resource_type, &request.resource_name);
    let asked = Request::new(request.operation, kind, name, At::IgnoringExpiry);
    rules
        .1
        .decide(rules.0, prepared, &asked.with_host(request.host))
        .outcome
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Acl, Operation, ResourceType};
    use gbac_engine::{ClaimSet, Subject};
    use proptest::prelude::*;

    use super::super::settings::{BrokerSetting, BrokerSettings};
    use super::*;

    fn decided(acls: &[Acl], stated: &[(BrokerSetting, &str)]) -> (Policy, BrokerRules) {
        let mut policy = Policy::default();
        for acl in acls {
            let change = gbac_engine::policy::Change::AddAcl(acl.clone());
            // Some of the random ones are there already.
            let _ = policy.apply(change);
        }
        let mut settings = BrokerSettings::default();
        for (setting, value) in stated {
            settings.state(*setting, value).expect("a value");
        }
        let rules = BrokerRules::new(&mut policy, &settings);
        (policy, rules)
    }

    fn denied_line(user: &str, topic: &str) -> String {
        format!(
            "Principal = {user} is Denied operation = READ from host = 10.0.0.7 on resource = \
             Topic:LITERAL:{topic} for request = Fetch with resourceRefCount = 1 based on rule DefaultDeny"
        )
    }

    fn seen(requests: &[(&str, &str)]) -> SeenCallers {
        let mut seen = SeenCallers::default();
        for (user, topic) in requests {
            seen.add_line(denied_line(user, topic).as_bytes())
                .expect("a line");
        }
        seen
    }

    fn effect(
        before: &(Policy, BrokerRules),
        after: &(Policy, BrokerRules),
        seen: &SeenCallers,
    ) -> SettingsEffect {
        settings_effect((&before.0, &before.1), (&after.0, &after.1), seen)
    }

    fn reads(user: &str, topic: &str) -> Acl {
        let user = Principal::parse(user).expect("a principal");
        Acl::allow(user, Operation::Read, ResourceType::Topic, topic)
    }

    #[test]
    fn an_acl_of_anybody_closes_a_resource() {
        let acls = [reads("User:bob", "orders")];
        let on = decided(&acls, &[(BrokerSetting::AllowEveryone, "true")]);
        let off = decided(&acls, &[(BrokerSetting::AllowEveryone, "false")]);
        let seen = seen(&[
            ("User:alice", "orders"),
            ("User:bob", "orders"),
            ("User:eve", "logs"),
        ]);
        let effect = effect(&on, &off, &seen);
        assert_eq!((effect.seen, effect.denied, effect.allowed), (3, 1, 0));
        assert_eq!(effect.callers[0].principal, Principal::user("eve"));
        assert_eq!(effect.callers[0].denied[0].resource_name, "logs");
    }

    #[test]
    fn a_super_user_can_have_any_type_and_loses_what_acls_do_not_allow() {
        let acls = [reads("User:root", "orders")];
        let users = "User:root;Service:s";
        let before = decided(&acls, &[(BrokerSetting::SuperUsers, users)]);
        let after = decided(&acls, &[(BrokerSetting::SuperUsers, "")]);
        let seen = seen(&[
            ("User:root", "orders"),
            ("User:root", "logs"),
            ("Service:s", "logs"),
        ]);
        let effect = effect(&before, &after, &seen);
        assert_eq!((effect.denied, effect.allowed), (2, 0));
        assert!(effect.callers.iter().all(|one| one.denied.len() == 1));
        assert!(
            effect
                .callers
                .iter()
                .all(|one| one.superuser == [true, false])
        );
    }

    #[test]
    fn other_claims_of_a_token_give_other_groups() {
        let acls = [reads("User:bob", "logs")];
        let mut acls = acls.to_vec();
        acls.push(Acl::allow(
            Principal::group("eng"),
            Operation::Read,
            ResourceType::Topic,
            "orders",
        ));
        let before = decided(&acls, &[]);
        let after = decided(&acls, &[(BrokerSetting::GroupsClaim, "$.roles")]);
        let claims = r#"{ "sub": "maya", "groups": ["eng"], "roles": ["ops"] }"#;
        let subject = Subject::Claims {
            claims: ClaimSet::parse(claims).expect("claims"),
            userinfo: None,
        };
        let mut with_token = SeenCallers::default();
        with_token.add_token(Principal::user("maya"), subject.clone());
        let one = &effect(&before, &after, &with_token).callers[0];
        assert_eq!(one.groups, (vec!["ops".to_owned()], vec!["eng".to_owned()]));
        assert!(one.loses() && !one.gains());
        // What the user asked for in the log was asked for with the token.
        let mut with_log = seen(&[("User:maya", "orders")]);
        with_log.add_token(Principal::user("maya"), subject.clone());
        let found = effect(&before, &after, &with_log);
        assert_eq!((found.seen, found.callers[0].denied.len()), (1, 1));
        let refusing = decided(&acls, &[(BrokerSetting::PrincipalMapping, "$.email")]);
        let one = &effect(&before, &refusing, &with_token).callers[0];
        assert!(matches!(one.after, Some(Err(_))) && one.loses());
    }

    #[test]
    fn groups_are_those_of_the_last_sign_in() {
        let mut seen = SeenCallers::default();
        let sign_in = |time: u64, group: &str| {
            format!(
                r#"{{"class_uid":3002,"status_id":1,"time":{time},"user":{{"name":"m","groups":[{{"type":"idp_group","name":"{group}"}},{{"type":"role","name":"r"}}]}}}}"#
            )
        };
        for line in [sign_in(2, "new"), sign_in(1, "old")] {
            seen.add_line(line.as_bytes()).expect("an event");
        }
        let failed = r#"{"class_uid":3002,"status_id":2,"user":{"name":"x"}}"#;
        seen.add_line(failed.as_bytes()).expect("an event");
        let change = r#"{"class_uid":3004,"status_id":1}"#;
        seen.add_line(change.as_bytes()).expect("an event");
        let callers: Vec<_> = seen.callers().collect();
        assert_eq!((callers.len(), seen.other_lines()), (1, 2));
        assert!(callers[0].groups.iter().eq(["new"]));
    }

    prop_compose! {
        fn acl()(user in 0..3_usize, topic in 0..3_usize, allows: bool, prefixed: bool) -> Acl {
            let user = Principal::user(["a", "b", "*"][user]);
            let topic = ["orders", "or", "logs"][topic];
            let acl = match allows {
                true => Acl::allow(user, Operation::Read, ResourceType::Topic, topic),
                false => Acl::deny(user, Operation::Read, ResourceType::Topic, topic),
            };
            if prefixed { acl.prefixed() } else { acl }
        }
    }

    proptest! {
        /// Closing resources and removing super users allows nobody more, and the opposite is
        /// exactly the opposite.
        #[test]
        fn fewer_rights_by_settings_are_never_more_access(
            acls in prop::collection::vec(acl(), 0..6),
            opens: bool,
            has_super: bool,
        ) {
            let seen = seen(&[("User:a", "orders"), ("User:b", "logs"), ("User:c", "metrics")]);
            let wide = decided(&acls, &[
                (BrokerSetting::AllowEveryone, if opens { "true" } else { "false" }),
                (BrokerSetting::SuperUsers, if has_super { "User:a" } else { "" }),
            ]);
            let narrow = decided(&acls, &[]);
            let fewer = effect(&wide, &narrow, &seen);
            prop_assert_eq!(fewer.allowed, 0);
            let more = effect(&narrow, &wide, &seen);
            prop_assert_eq!((more.allowed, more.denied), (fewer.denied, 0));
            prop_assert!(effect(&wide, &wide, &seen).callers.is_empty());
        }

        /// Without settings, brokers decide as the engine.
        #[test]
        fn without_settings_acls_alone_decide(acls in prop::collection::vec(acl(), 0..6)) {
            let (policy, rules) = decided(&acls, &[]);
            for (user, topic) in [("a", "orders"), ("b", "logs"), ("c", "metrics")] {
                let identity = Identity::new(user, [] as [&str; 0]);
                let request = Request::new(Operation::Read, ResourceType::Topic, topic, At::IgnoringExpiry);
                let plain = gbac_engine::decide::decide(&policy, &identity, &request);
                let mut prepared = PreparedIdentity::new(&policy, identity);
                prop_assert_eq!(rules.decide(&policy, &mut prepared, &request), plain);
            }
        }
    }
}

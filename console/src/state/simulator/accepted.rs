//! Whose tokens the service accepts, compared with the token whether or not its signature is verified.

use gbac_engine::check::doctor::State;
use gbac_engine::check::provider::Accepted;
use serde_json::{Map, Value};

use super::View;
use super::inputs::{Inputs, sentence};
use super::token::{Fact, Mark};

/// What the properties of a service say; `issuer` and `audience` are those of a provider that is known by itself.
#[must_use]
pub fn of_service(properties: &Map<String, Value>, issuer: Option<String>, audience: Option<String>) -> Accepted {
    let found = Accepted::of_properties(|name| properties.get(name));
    Accepted { issuer, audience: found.audience.or(audience), ..found }
}

/// The facts about a token, with issuer and audience compared with what the service accepts, unless others were entered.
#[must_use]
pub fn facts(view: &View, inputs: &Inputs, accepted: &Accepted) -> Vec<Fact> {
    let mut facts = view.facts.clone();
    let Some(taken) = view.who.as_deref().and_then(|who| who.taken.as_ref()) else { return facts };
    let is_entered = |about: &str| {
        let entered = if about == "issuer" { &inputs.issuer } else { &inputs.audience };
        !entered.trim().is_empty()
    };
    for found in accepted.compare(taken.read.claims.members()).into_iter().filter(|found| !is_entered(found.about)) {
        let mark = match found.state {
            State::Passed => Mark::Good,
            State::Attention | State::NotDone => Mark::Warn,
            State::Failed => Mark::Bad,
        };
        let fact =
            Fact { about: found.about, mark, words: sentence(&found.found, found.next.as_deref().unwrap_or("")) };
        match facts.iter_mut().find(|known| known.about == found.about) {
            Some(known) => *known = fact,
            None => {
                // Beside the audience, which is always told.
                let place = facts.iter().position(|known| known.about == "audience").unwrap_or(facts.len());
                facts.insert(place, fact);
            }
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::evaluate;
    use super::super::tests::policy;
    use super::*;

    #[test]
    fn what_the_service_accepts_is_compared_unless_something_else_is_entered() {
        let claims = json!({ "sub": "maya", "iss": "https://idp.example", "aud": "billing", "groups": [] });
        let mut inputs = Inputs { token: claims.to_string(), as_claims: true, ..Inputs::default() };
        let view = evaluate(&inputs, Some(&policy()), 0.0);
        let properties = json!({
            "oidc_discovery_url": "https://idp.example/.well-known/openid-configuration", "oidc_token_audience": "orders",
        });
        let accepted = of_service(properties.as_object().unwrap(), None, None);
        let told = |inputs: &Inputs| {
            let found = facts(&view, inputs, &accepted);
            let of = |about: &str| {
                found
                    .iter()
                    .filter(|fact| fact.about == about)
                    .map(|fact| (fact.mark, fact.words.plain()))
                    .collect::<Vec<_>>()
            };
            (of("issuer"), of("audience"))
        };
        let (issuer, audience) = told(&inputs);
        assert_eq!(issuer, [(Mark::Good, "The issuer is https://idp.example, as the service has it.".to_owned())]);
        assert_eq!(audience.len(), 1);
        assert!(
            audience[0].0 == Mark::Bad && audience[0].1.contains("the service accepts orders only"),
            "{audience:?}"
        );
        inputs.audience = "billing".into();
        assert_eq!(told(&inputs).1.len(), 1);
        assert!(!told(&inputs).1[0].1.contains("orders"));
        // A service that says nothing changes nothing.
        assert_eq!(facts(&view, &inputs, &of_service(&Map::new(), None, None)), view.facts);
    }
}

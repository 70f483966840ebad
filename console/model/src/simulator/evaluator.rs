//! The evaluation as code that a host can load after its page, and the view until then.

use std::hint::black_box;
use std::sync::{Arc, OnceLock};

use gbac_analysis::provider::AcceptedTokens;
use gbac_engine::policy::{Policy, Settings};

use crate::settings::is_sso;
use crate::simulator::inputs::Inputs;
use crate::simulator::{Simulation, View, Waiting, settings};

/// Evaluates as [`Simulation::evaluate`] does.
pub type Evaluator =
    fn(&mut Simulation, &Inputs, Option<&Arc<Policy>>, &AcceptedTokens, f64) -> View;

static EVALUATOR: OnceLock<Evaluator> = OnceLock::new();

/// Makes the evaluation available. Only files with a call of this contain its code.
pub fn provide() {
    let evaluate: Evaluator = Simulation::evaluate;
    // The compiler must not see which function this is: it would call it, and so hold it, where it
    // is used.
    EVALUATOR.get_or_init(|| black_box(evaluate));
}

/// The evaluation; none while its code is not here.
pub fn loaded() -> Option<Evaluator> {
    #[cfg(not(feature = "split"))]
    provide();
    EVALUATOR.get().copied()
}

/// What the page shows before the evaluation is here: the settings of the service.
pub fn unevaluated(inputs: &Inputs, policy: Option<&Policy>) -> View {
    let defaults = Settings::default();
    let of_service = policy.map_or(&defaults, Policy::settings);
    View {
        problems: Vec::new(),
        facts: Vec::new(),
        report: None,
        refusal: None,
        service: settings::of_service(of_service),
        sso: is_sso(of_service),
        needs_userinfo: false,
        who: None,
        steps: None,
        steps_stale: None,
        verdict: None,
        verdict_stale: None,
        judged: None,
        supposed: None,
        waiting: if inputs.is_anonymous() {
            Waiting::Identity
        } else {
            Waiting::Evaluation
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::evaluate;
    use crate::simulator::inputs::IdentityMode;

    #[test]
    fn a_page_without_an_identity_shows_the_same_before_and_after() {
        let policy = Arc::new(Policy::default());
        let mut inputs = Inputs {
            resource_name: "orders".into(),
            ..Inputs::default()
        };
        let evaluated = evaluate(&inputs, Some(&policy), &AcceptedTokens::default(), 0.0);
        assert_eq!(unevaluated(&inputs, Some(&policy)), evaluated);
        inputs.mode = IdentityMode::ByHand;
        inputs.user = "maya".into();
        let before = unevaluated(&inputs, Some(&policy));
        assert_eq!(
            (before.waiting, before.verdict),
            (Waiting::Evaluation, None)
        );
    }
}

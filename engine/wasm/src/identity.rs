//! Identities that are opened once. A name crosses when it is first asked about; the checks cross with numbers only.

use std::net::IpAddr;
use std::rc::Rc;

use gbac_analysis::check::Check;
use gbac_engine::decide::{At, Outcome, PreparedIdentity, PreparedResource};
use gbac_engine::model::{Host, Operation, ResourceType};
use gbac_engine::{ResolvedIdentity, Subject, TokenVerifier};
use gbac_json::{FaultCode, ResolvedIdentityJson};
use wasm_bindgen::prelude::*;

use crate::fault::{Fault, given};
use crate::{Policy, State, answer, value};

/// The number of an operation, in any spelling; none when there is no such operation.
#[wasm_bindgen(js_name = operationNumber)]
#[must_use]
pub fn operation_number(text: &str) -> Option<u32> {
    text.parse::<Operation>().ok().map(|operation| operation as u32)
}

/// The number of a resource type, in any spelling; none when there is no such type.
#[wasm_bindgen(js_name = resourceTypeNumber)]
#[must_use]
pub fn resource_type_number(text: &str) -> Option<u32> {
    text.parse::<ResourceType>().ok().map(|resource_type| resource_type as u32)
}

/// An instant that somebody states, in seconds since 1970; none when it is not one.
#[wasm_bindgen]
#[must_use]
pub fn instant(seconds: f64) -> Option<f64> {
    let at = At::from_seconds(seconds);
    given(at.map(|_| seconds).map_err(|error| Fault::with_hint(&error, error.hint())))
}

/// An identity, opened once and asked many times.
#[wasm_bindgen]
pub struct Identity {
    pub(crate) state: Rc<State>,
    pub(crate) open: PreparedIdentity,
    /// Until it is asked for.
    opened: Option<ResolvedIdentity>,
}

#[wasm_bindgen]
impl Policy {
    /// Opens an identity from `{ identity }`, `{ claims }` or `{ unverified_token }`.
    #[must_use]
    pub fn open(&self, who: &str) -> Option<Identity> {
        self.open_by(who, None)
    }

    pub(crate) fn open_by(&self, who: &str, verify: TokenVerifier<'_>) -> Option<Identity> {
        let who = given(
            gbac_json::subject_from_json(who)
                .map_err(|problems| Fault::problems(FaultCode::IDENTITY_INVALID, &problems)),
        )?;
        Some(self.opened(self.open_who(&who, verify)?))
    }

    fn opened(&self, opened: ResolvedIdentity) -> Identity {
        let open = PreparedIdentity::new(&self.policy(), opened.identity.clone());
        Identity { state: Rc::clone(&self.0), open, opened: Some(opened) }
    }

    /// Finds the patterns that cover a name, once, and gives the number under which checks ask about it; none when there is
    /// no room for another name, or for a number that is no resource type's. The number of a long name is good for one check.
    #[must_use]
    pub fn find(&self, resource_type: u32, name: &str) -> Option<u32> {
        let resource_type = *ResourceType::ALL.get(resource_type as usize)?;
        self.0.found.borrow_mut().add(PreparedResource::new(&self.policy(), resource_type, name))
    }

    /// Forgets every name that was found; their numbers then stand for nothing.
    pub fn forget(&self) {
        self.0.found.borrow_mut().clear();
    }
}

#[wasm_bindgen]
impl Identity {
    /// What came out of what it was opened from; given away once.
    #[wasm_bindgen(js_name = takeOpened)]
    #[must_use]
    pub fn take_opened(&mut self) -> JsValue {
        self.opened.take().map(|opened| value(&ResolvedIdentityJson::from(&opened))).unwrap_or(JsValue::UNDEFINED)
    }

    /// Whether the instant of a check matters.
    #[wasm_bindgen(js_name = hasExpiry)]
    #[must_use]
    pub fn has_expiry(&self) -> bool {
        self.open.identity().has_expiry()
    }

    /// Whether an operation on a resource that was found is allowed; a number that is none is denied. `now` is in seconds since
    /// 1970. Without it an identity with an expiry is denied; negative infinity, which no caller can state, ignores the expiry.
    #[must_use]
    pub fn check(&mut self, operation: u32, found: u32, now: Option<f64>) -> bool {
        self.allows(operation, found, None, now)
    }

    /// The same from a host; none when that is no address.
    #[wasm_bindgen(js_name = checkFrom)]
    #[must_use]
    pub fn check_from(&mut self, operation: u32, found: u32, host: &str, now: Option<f64>) -> Option<bool> {
        let host = Host::parse_address(host);
        let host = host.map_err(|error| Fault::with_hint(&error, error.hint()));
        Some(self.allows(operation, found, Some(given(host)?), now))
    }

    fn allows(&mut self, operation: u32, found: u32, host: Option<IpAddr>, now: Option<f64>) -> bool {
        let at = match now {
            Some(now) if now == f64::NEG_INFINITY => At::IgnoringExpiry,
            now => At::seconds(now.unwrap_or(f64::NAN)),
        };
        let Some(operation) = Operation::ALL.get(operation as usize) else { return false };
        let policy = self.state.policy.borrow();
        let open = &mut self.open;
        self.state
            .found
            .borrow_mut()
            .with(found, |resource| open.outcome_on(&policy, *operation, resource, host, at) == Outcome::Allow)
    }

    /// Whether its end is past at this instant, in seconds since 1970.
    #[wasm_bindgen(js_name = isExpired)]
    #[must_use]
    pub fn is_expired(&self, now: f64) -> bool {
        self.open.identity().is_expired(At::seconds(now))
    }

    /// Answers a check that says everything but who asks; see `Policy.ask`.
    #[must_use]
    pub fn ask(&mut self, question: &str, explain: bool, now: f64) -> Option<JsValue> {
        let check = question_from(question)?;
        answer(&self.state.policy.borrow(), &mut self.open, &check, explain, At::seconds(now))
    }
}

/// A check that says everything but who asks.
pub(crate) fn question_from(question: &str) -> Option<Check> {
    let unnamed = Subject::Names { user: String::new(), groups: Vec::new() };
    let check = gbac_json::query_from_json(question, unnamed);
    given(check.map_err(|problems| Fault::problems(FaultCode::CHECK_INVALID, &problems)))
}

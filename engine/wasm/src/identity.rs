//! Identities that are prepared for many checks. Each name is passed from JavaScript once; checks
//! pass only numbers.

use std::net::IpAddr;
use std::rc::Rc;

use gbac_analysis::check::Check;
use gbac_engine::decide::{At, Outcome, PreparedIdentity, PreparedResource};
use gbac_engine::model::{Host, Operation, ResourceType};
use gbac_engine::{ResolvedIdentity, Subject, TokenVerifier};
use gbac_json::{FaultCode, ResolvedIdentityJson};
use wasm_bindgen::prelude::*;

use crate::fault::{Fault, ok_or_store};
use crate::{Policy, State, answer, value};

/// The number of an operation, in any spelling; `None` if there is no such operation.
#[wasm_bindgen(js_name = operationNumber)]
#[must_use]
pub fn operation_number(text: &str) -> Option<u32> {
    text.parse::<Operation>()
        .ok()
        .map(|operation| operation as u32)
}

/// The number of a resource type, in any spelling; `None` if there is no such type.
#[wasm_bindgen(js_name = resourceTypeNumber)]
#[must_use]
pub fn resource_type_number(text: &str) -> Option<u32> {
    text.parse::<ResourceType>()
        .ok()
        .map(|resource_type| resource_type as u32)
}

/// Checks a time in seconds since 1970; `None` if it is not valid.
#[wasm_bindgen]
#[must_use]
pub fn instant(seconds: f64) -> Option<f64> {
    let at = At::from_seconds(seconds);
    ok_or_store(
        at.map(|_| seconds)
            .map_err(|error| Fault::with_hint(&error, error.hint())),
    )
}

/// An identity that is prepared for many checks.
#[wasm_bindgen]
pub struct Identity {
    pub(crate) state: Rc<State>,
    pub(crate) open: PreparedIdentity,
    /// The details for `takeOpened`, until they are taken.
    resolved: Option<ResolvedIdentity>,
}

#[wasm_bindgen]
impl Policy {
    /// Opens an identity from `{ identity }`, `{ claims }` or `{ unverified_token }`.
    #[must_use]
    pub fn open(&self, who: &str) -> Option<Identity> {
        self.open_by(who, None)
    }

    pub(crate) fn open_by(&self, who: &str, verify: TokenVerifier<'_>) -> Option<Identity> {
        let subject = ok_or_store(
            gbac_json::subject_from_json(who)
                .map_err(|problems| Fault::problems(FaultCode::IdentityInvalid, &problems)),
        )?;
        Some(self.prepare(self.resolve(&subject, verify)?))
    }

    fn prepare(&self, resolved: ResolvedIdentity) -> Identity {
        let open = PreparedIdentity::new(&self.policy(), resolved.identity.clone());
        Identity {
            state: Rc::clone(&self.0),
            open,
            resolved: Some(resolved),
        }
    }

    /// Looks up the patterns that cover a name, and returns the number of the name for checks;
    /// `None` if the cache is full, or if there is no such resource type. The number of a name that
    /// is too long for the cache is valid for one check.
    #[must_use]
    pub fn find(&self, resource_type: u32, name: &str) -> Option<u32> {
        let resource_type = *ResourceType::ALL.get(resource_type as usize)?;
        self.0.resources.borrow_mut().add(PreparedResource::new(
            &self.policy(),
            resource_type,
            name,
        ))
    }

    /// Clears the cache of names; their numbers are not valid any more.
    pub fn forget(&self) {
        self.0.resources.borrow_mut().clear();
    }
}

#[wasm_bindgen]
impl Identity {
    /// Takes the details of the resolved identity; `undefined` if they were taken already.
    #[wasm_bindgen(js_name = takeOpened)]
    #[must_use]
    pub fn take_opened(&mut self) -> JsValue {
        self.resolved
            .take()
            .map(|resolved| value(&ResolvedIdentityJson::from(&resolved)))
            .unwrap_or(JsValue::UNDEFINED)
    }

    /// Whether decisions depend on the time.
    #[wasm_bindgen(js_name = hasExpiry)]
    #[must_use]
    pub fn has_expiry(&self) -> bool {
        self.open.identity().has_expiry()
    }

    /// Whether an operation is allowed on the resource with a number from `find`. Unknown numbers
    /// are denied. `now` is in seconds since 1970; without it, an identity with an expiry is
    /// denied. Negative infinity ignores the expiry; users of the package cannot pass it as a time.
    #[must_use]
    pub fn check(&mut self, operation: u32, resource: u32, now: Option<f64>) -> bool {
        self.allows(operation, resource, None, now)
    }

    /// As `check`, from a host; `None` if it is not an address.
    #[wasm_bindgen(js_name = checkFrom)]
    #[must_use]
    pub fn check_from(
        &mut self,
        operation: u32,
        resource: u32,
        host: &str,
        now: Option<f64>,
    ) -> Option<bool> {
        let host = Host::parse_address(host);
        let host = host.map_err(|error| Fault::with_hint(&error, error.hint()));
        Some(self.allows(operation, resource, Some(ok_or_store(host)?), now))
    }

    fn allows(
        &mut self,
        operation: u32,
        resource: u32,
        host: Option<IpAddr>,
        now: Option<f64>,
    ) -> bool {
        let at = match now {
            Some(now) if now == f64::NEG_INFINITY => At::IgnoringExpiry,
            now => At::seconds(now.unwrap_or(f64::NAN)),
        };
        let Some(operation) = Operation::ALL.get(operation as usize) else {
            return false;
        };
        let policy = self.state.policy.borrow();
        let open = &mut self.open;
        self.state
            .resources
            .borrow_mut()
            .with(resource, |resource| {
                open.outcome_on(&policy, *operation, resource, host, at) == Outcome::Allow
            })
    }

    /// Whether it has expired at a time in seconds since 1970.
    #[wasm_bindgen(js_name = isExpired)]
    #[must_use]
    pub fn is_expired(&self, now: f64) -> bool {
        self.open.identity().is_expired(At::seconds(now))
    }

    /// Evaluates a check without a subject; see `Policy.ask`.
    #[must_use]
    pub fn ask(&mut self, question: &str, explain: Option<usize>, now: f64) -> Option<JsValue> {
        let check = question_from(question)?;
        answer(
            &self.state.policy.borrow(),
            &mut self.open,
            &check,
            explain,
            At::seconds(now),
        )
    }
}

/// Reads a check without a subject.
pub(crate) fn question_from(question: &str) -> Option<Check> {
    let unnamed = Subject::Names {
        user: String::new(),
        groups: Vec::new(),
    };
    let check = gbac_json::query_from_json(question, unnamed);
    ok_or_store(check.map_err(|problems| Fault::problems(FaultCode::CheckInvalid, &problems)))
}

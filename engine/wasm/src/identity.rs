//! Identities that are opened once. A name crosses when it is first asked about; the checks cross with numbers only.

use std::net::IpAddr;
use std::rc::Rc;

use gbac_engine::decide::{OpenIdentity, Outcome, Resource};
use gbac_engine::model::{Host, Operation, ResourceType};
use gbac_engine::wire::OpenedJson;
use wasm_bindgen::prelude::*;

use crate::{Policy, State, failed, give, read_who};

/// The number of an operation, in any spelling; none when there is no such operation.
#[wasm_bindgen(js_name = operationNumber)]
#[must_use]
pub fn operation_number(text: &str) -> Option<u32> {
    Operation::from_any(text).map(|operation| operation as u32)
}

/// The number of a resource type, in any spelling; none when there is no such type.
#[wasm_bindgen(js_name = resourceTypeNumber)]
#[must_use]
pub fn resource_type_number(text: &str) -> Option<u32> {
    ResourceType::from_any(text).map(|resource_type| resource_type as u32)
}

/// An identity, opened once and asked many times.
#[wasm_bindgen]
pub struct Identity {
    state: Rc<State>,
    open: OpenIdentity,
    opened: JsValue,
}

#[wasm_bindgen]
impl Policy {
    /// Opens an identity from `{ identity }`, `{ claims }` or `{ unverified_token }`.
    ///
    /// # Errors
    /// As `inspect`.
    pub fn open(&self, who: &JsValue) -> Result<Identity, JsValue> {
        let opened = self.open_who(&read_who(who)?)?;
        let seen = give(&OpenedJson::from(&opened))?;
        let open = OpenIdentity::new(&self.policy(), opened.identity);
        Ok(Identity { state: Rc::clone(&self.0), open, opened: seen })
    }

    /// Finds the patterns that cover a name, once, and gives the number under which checks ask about it.
    ///
    /// # Errors
    /// A number that is no resource type's.
    pub fn find(&self, resource_type: u32, name: &str) -> Result<u32, JsValue> {
        let resource_type = ResourceType::ALL.get(resource_type as usize);
        let resource_type = *resource_type.ok_or_else(|| failed("unknown_value", "no resource type"))?;
        let mut found = self.0.found.borrow_mut();
        found.push(Resource::new(&self.policy(), resource_type, name));
        Ok(found.len() as u32 - 1)
    }

    /// Forgets every name that was found; their numbers then stand for nothing.
    pub fn forget(&self) {
        self.0.found.borrow_mut().clear();
    }
}

#[wasm_bindgen]
impl Identity {
    /// What came out of what it was opened from, as `inspect` says it.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn opened(&self) -> JsValue {
        self.opened.clone()
    }

    /// Whether an operation on a resource that was found is allowed; a number that is none is denied.
    #[must_use]
    pub fn check(&mut self, operation: u32, found: u32) -> bool {
        self.allows(operation, found, None)
    }

    /// The same from a host.
    ///
    /// # Errors
    /// An `Error` with `code`: the host is no address.
    #[wasm_bindgen(js_name = checkFrom)]
    pub fn check_from(&mut self, operation: u32, found: u32, host: &str) -> Result<bool, JsValue> {
        let host =
            Host::parse_address(host).map_err(|error| failed(error.code(), &format!("{error}; {}", error.hint())))?;
        Ok(self.allows(operation, found, Some(host)))
    }

    fn allows(&mut self, operation: u32, found: u32, host: Option<IpAddr>) -> bool {
        let known = self.state.found.borrow();
        Operation::ALL.get(operation as usize).zip(known.get(found as usize)).is_some_and(|(operation, resource)| {
            self.open.outcome_on(&self.state.policy.borrow(), *operation, resource, host) == Outcome::Allow
        })
    }
}

//! Identities that are opened once, and resources that are asked about often. Checks cross with numbers and one name.

use gbac_engine::decide::{self, OpenIdentity, Outcome, Request};
use gbac_engine::model::{Host, Operation, ResourceType};
use gbac_engine::wire::OpenedJson;
use wasm_bindgen::prelude::*;

use crate::{Policy, Shared, failed, give, read_who};

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
    policy: Shared,
    open: OpenIdentity,
    opened: JsValue,
}

/// A resource that is asked about often.
#[wasm_bindgen]
pub struct Resource(decide::Resource);

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
        Ok(Identity { policy: self.0.clone(), open, opened: seen })
    }

    /// Finds the patterns that cover a name, once.
    ///
    /// # Errors
    /// A number that is no resource type's.
    pub fn resource(&self, resource_type: u32, name: &str) -> Result<Resource, JsValue> {
        let resource_type =
            resource_type_of(resource_type).ok_or_else(|| failed("unknown_value", "no resource type"))?;
        Ok(Resource(decide::Resource::new(&self.policy(), resource_type, name)))
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

    /// Whether an operation on a resource is allowed; a number that is none is denied.
    #[must_use]
    pub fn check(&mut self, operation: u32, resource_type: u32, name: &str) -> bool {
        let asked = operation_of(operation).zip(resource_type_of(resource_type));
        asked.is_some_and(|(operation, resource_type)| {
            let request = Request::new(operation, resource_type, name);
            self.open.outcome(&self.policy.borrow(), &request) == Outcome::Allow
        })
    }

    /// The same from a host.
    ///
    /// # Errors
    /// An `Error` with `code`: the host is no address.
    #[wasm_bindgen(js_name = checkFrom)]
    pub fn check_from(&mut self, operation: u32, resource_type: u32, name: &str, host: &str) -> Result<bool, JsValue> {
        let host =
            Host::parse_address(host).map_err(|error| failed(error.code(), &format!("{error}; {}", error.hint())))?;
        let asked = operation_of(operation).zip(resource_type_of(resource_type));
        Ok(asked.is_some_and(|(operation, resource_type)| {
            let request = Request::new(operation, resource_type, name).with_host(host);
            self.open.outcome(&self.policy.borrow(), &request) == Outcome::Allow
        }))
    }

    /// The same for a resource that was found before, without a host.
    #[wasm_bindgen(js_name = checkResource)]
    #[must_use]
    pub fn check_resource(&mut self, operation: u32, resource: &Resource) -> bool {
        operation_of(operation).is_some_and(|operation| {
            self.open.outcome_on(&self.policy.borrow(), operation, &resource.0, None) == Outcome::Allow
        })
    }
}

fn operation_of(number: u32) -> Option<Operation> {
    Operation::ALL.get(number as usize).copied()
}

fn resource_type_of(number: u32) -> Option<ResourceType> {
    ResourceType::ALL.get(number as usize).copied()
}

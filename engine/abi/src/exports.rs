//! The exported functions. Each passes the bytes of the call to the instance.

#![expect(
    unsafe_code,
    reason = "`no_mangle` keeps the names of the functions, which are the interface of the module"
)]

use std::cell::RefCell;

use crate::buffers::Buffers;
use crate::{ABI_VERSION, AbiError, Instance};

thread_local! {
    static MODULE: RefCell<(Instance, Buffers)> = RefCell::default();
}

/// Calls the instance, with the bytes of the call; an error becomes its number.
fn with(call: impl FnOnce(&mut Instance, &mut Buffers) -> Result<i32, AbiError>) -> i32 {
    MODULE
        .with_borrow_mut(|(instance, buffers)| call(instance, buffers))
        .unwrap_or_else(AbiError::code)
}

/// Addresses of results are below 2 GiB: the module has no more memory.
fn address(result: &[u8]) -> i32 {
    result.as_ptr() as i32
}

/// The version of the functions and records.
#[unsafe(no_mangle)]
pub extern "C" fn gbac_abi() -> i32 {
    ABI_VERSION
}

/// Allocates a buffer; returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn gbac_alloc(len: usize) -> i32 {
    with(|_, buffers| buffers.alloc(len).map(|address| address as i32))
}

/// Frees a buffer; returns 0.
#[unsafe(no_mangle)]
pub extern "C" fn gbac_free(ptr: usize, len: usize) -> i32 {
    with(|_, buffers| buffers.free(ptr, len).map(|()| 0))
}

/// Empties the policy and closes every identity; returns 0.
#[unsafe(no_mangle)]
pub extern "C" fn gbac_clear() -> i32 {
    with(|instance, _| {
        instance.clear();
        Ok(0)
    })
}

/// Applies records; returns how many changed something.
#[unsafe(no_mangle)]
pub extern "C" fn gbac_apply(ptr: usize, len: usize) -> i32 {
    with(|instance, buffers| instance.apply(buffers.bytes(ptr, len)?))
}

/// Reads the user and the groups of a token's claims; returns the address of the result.
#[unsafe(no_mangle)]
pub extern "C" fn gbac_extract(ptr: usize, len: usize) -> i32 {
    with(|instance, buffers| instance.extract(buffers.bytes(ptr, len)?).map(address))
}

/// Opens an identity; returns its handle.
#[unsafe(no_mangle)]
pub extern "C" fn gbac_open(ptr: usize, len: usize) -> i32 {
    with(|instance, buffers| instance.open(buffers.bytes(ptr, len)?))
}

/// Closes an identity; returns 0.
#[unsafe(no_mangle)]
pub extern "C" fn gbac_close(handle: i32) -> i32 {
    with(|instance, _| instance.close(handle).map(|()| 0))
}

/// The operations that an identity is allowed on a resource, one bit each.
#[unsafe(no_mangle)]
pub extern "C" fn gbac_mask(
    handle: i32,
    resource_type: i32,
    host_len: i32,
    ptr: usize,
    len: usize,
) -> i32 {
    with(|instance, buffers| {
        instance.mask(handle, resource_type, host_len, buffers.bytes(ptr, len)?)
    })
}

/// Explains a decision; returns the address of the result.
#[unsafe(no_mangle)]
pub extern "C" fn gbac_explain(
    handle: i32,
    operation: i32,
    resource_type: i32,
    host_len: i32,
    ptr: usize,
    len: usize,
) -> i32 {
    with(|instance, buffers| {
        let bytes = buffers.bytes(ptr, len)?;
        instance
            .explain(handle, operation, resource_type, host_len, bytes)
            .map(address)
    })
}

/// Writes an audit event; returns the address of the result.
#[unsafe(no_mangle)]
pub extern "C" fn gbac_event(handle: i32, ptr: usize, len: usize) -> i32 {
    with(|instance, buffers| {
        let bytes = buffers.bytes(ptr, len)?;
        instance.event(handle, bytes).map(address)
    })
}

/// Finds the ACL that would allow a request but for one field; returns the address of the result.
#[unsafe(no_mangle)]
pub extern "C" fn gbac_near_miss(
    handle: i32,
    operation: i32,
    resource_type: i32,
    host_len: i32,
    ptr: usize,
    len: usize,
) -> i32 {
    with(|instance, buffers| {
        let bytes = buffers.bytes(ptr, len)?;
        instance
            .near_miss(handle, operation, resource_type, host_len, bytes)
            .map(address)
    })
}

/// The operations that an identity is allowed on at least one resource of a type, one bit each.
#[unsafe(no_mangle)]
pub extern "C" fn gbac_any(
    handle: i32,
    resource_type: i32,
    host_len: i32,
    ptr: usize,
    len: usize,
) -> i32 {
    with(|instance, buffers| {
        instance.any(handle, resource_type, host_len, buffers.bytes(ptr, len)?)
    })
}

/// Reads the members of the roles of a policy document; returns the address of the result.
#[unsafe(no_mangle)]
pub extern "C" fn gbac_members(ptr: usize, len: usize) -> i32 {
    with(|instance, buffers| instance.members(buffers.bytes(ptr, len)?).map(address))
}

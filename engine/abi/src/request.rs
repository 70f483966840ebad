//! The request of a call: the numbers of the operation and the resource type, and the bytes of the
//! client's address and of the name.

use std::net::IpAddr;

use gbac_engine::{At, Dialect, Host, Operation, Policy, Request};

use crate::records::text;
use crate::{AbiError, hosts, values};

/// Reads a request. The length -1 of the host means that it is unknown.
pub(crate) fn request<'b>(
    policy: &Policy,
    operation: Operation,
    resource_type: i32,
    host_length: i32,
    bytes: &'b [u8],
) -> Result<Request<'b>, AbiError> {
    let resource_type = values::resource_type(resource_type, policy.settings().dialect)?;
    let (host, name) = match usize::try_from(host_length) {
        Ok(length) => {
            let (host, name) = bytes.split_at_checked(length).ok_or(AbiError::Length)?;
            (Some(client(policy.settings().dialect, text(host)?)?), name)
        }
        Err(_) if host_length == -1 => (None, bytes),
        Err(_) => return Err(AbiError::Length),
    };
    Ok(Request::new(operation, resource_type, text(name)?, At::IgnoringExpiry).with_host(host))
}

/// The address of a client.
pub(crate) fn client(dialect: Dialect, text: &str) -> Result<IpAddr, AbiError> {
    let address = match dialect {
        Dialect::Platform => Host::parse_address(text).ok(),
        Dialect::Kafka => hosts::client(text),
    };
    address.ok_or(AbiError::Host)
}

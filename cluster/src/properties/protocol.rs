//! `security.protocol`.

use super::fault::PropertyError;
use super::values::Values;

/// A security protocol: whether there is TLS, and whether there is SASL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Protocol {
    pub(super) name: &'static str,
    pub(super) has_tls: bool,
    pub(super) has_sasl: bool,
}

/// The name of the protocol with TLS or without it, and with SASL or without it.
pub(crate) const fn protocol_name(has_tls: bool, has_sasl: bool) -> &'static str {
    match (has_tls, has_sasl) {
        (false, false) => "PLAINTEXT",
        (true, false) => "SSL",
        (false, true) => "SASL_PLAINTEXT",
        (true, true) => "SASL_SSL",
    }
}

/// The protocol of the properties; as in Kafka, without TLS and SASL if they name none.
pub(super) fn read(values: &mut Values) -> Result<Protocol, PropertyError> {
    let of = |has_tls, has_sasl| Protocol {
        name: protocol_name(has_tls, has_sasl),
        has_tls,
        has_sasl,
    };
    let Some(value) = values.take("security.protocol")? else {
        return Ok(of(false, false));
    };
    for (has_tls, has_sasl) in [(false, false), (true, false), (false, true), (true, true)] {
        let protocol = of(has_tls, has_sasl);
        if value.text.eq_ignore_ascii_case(protocol.name) {
            return Ok(protocol);
        }
    }
    Err(value.expected("PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL"))
}

//! The properties of TLS.

use std::path::PathBuf;

use super::fault::{NoteReason, PropertyError, PropertyFault};
use super::protocol::Protocol;
use super::values::{Value, Values};
use crate::options::{Pem, TlsOptions};
use crate::secret::Secret;

/// The keys that have no effect without TLS, and that do no harm then.
const HARMLESS: [&str; 8] = [
    "ssl.truststore.type",
    "ssl.keystore.type",
    "ssl.endpoint.identification.algorithm",
    "ssl.enabled.protocols",
    "ssl.protocol",
    "ssl.key.password",
    "ssl.engine.factory.class",
    "ssl.keystore.key",
];
/// The keys with which somebody expects TLS.
const TELLING: [&str; 4] = [
    "ssl.truststore.location",
    "ssl.truststore.certificates",
    "ssl.keystore.location",
    "ssl.keystore.certificate.chain",
];

pub(super) fn read(
    values: &mut Values,
    protocol: Protocol,
) -> Result<Option<TlsOptions>, PropertyError> {
    if !protocol.has_tls {
        for key in TELLING {
            if let Some(value) = values.take(key)? {
                return Err(value.fault(PropertyFault::Contradiction {
                    protocol: protocol.name,
                    instead: match protocol.has_sasl {
                        true => "SASL_SSL",
                        false => "SSL or SASL_SSL",
                    },
                }));
            }
        }
        values.ignore(&HARMLESS);
        return Ok(None);
    }
    if let Some(value) = values.take("ssl.engine.factory.class")? {
        return Err(value.unsupported("remove it, and name files in PEM"));
    }
    let authorities = authorities(values)?;
    Ok(Some(TlsOptions {
        any_name: any_name(values, authorities.is_some())?,
        authorities,
        identity: identity(values)?,
        only_tls13: only_tls13(values)?,
    }))
}

fn authorities(values: &mut Values) -> Result<Option<Pem>, PropertyError> {
    let kind = values.take("ssl.truststore.type")?;
    let location = values.take("ssl.truststore.location")?;
    if let Some(certificates) = values.take("ssl.truststore.certificates")? {
        check_pem(&kind, &certificates, "ssl.truststore.type", TRUST_COMMANDS)?;
        return Ok(Some(Pem::Text(Secret::new(pem_lines(&certificates.text)))));
    }
    let Some(location) = location else {
        return Ok(None);
    };
    check_pem(&kind, &location, "ssl.truststore.type", TRUST_COMMANDS)?;
    Ok(Some(Pem::File(PathBuf::from(location.text))))
}

fn identity(values: &mut Values) -> Result<Option<Pem>, PropertyError> {
    let kind = values.take("ssl.keystore.type")?;
    let location = values.take("ssl.keystore.location")?;
    let key = values.take("ssl.keystore.key")?;
    let chain = values.take("ssl.keystore.certificate.chain")?;
    let password = values.take("ssl.key.password")?;
    let pem = match (location, key, chain) {
        (None, None, None) => return Ok(None),
        (Some(location), ..) => {
            check_pem(&kind, &location, "ssl.keystore.type", KEY_COMMANDS)?;
            Pem::File(PathBuf::from(location.text))
        }
        (None, Some(key), Some(chain)) => {
            check_pem(&kind, &key, "ssl.keystore.type", KEY_COMMANDS)?;
            let text = format!("{}\n{}", pem_lines(&key.text), pem_lines(&chain.text));
            Pem::Text(Secret::new(text))
        }
        (None, Some(key), None) => {
            return Err(key.fault(PropertyFault::Needs("ssl.keystore.certificate.chain")));
        }
        (None, None, Some(chain)) => {
            return Err(chain.fault(PropertyFault::Needs("ssl.keystore.key")));
        }
    };
    match password {
        Some(password) => Err(password.fault(PropertyFault::Content(
            "this program does not decrypt private keys: run `openssl pkcs8 -in KEY.pem -out PLAIN.pem`, name that key with its certificates, and remove the password",
        ))),
        None => Ok(Some(pem)),
    }
}

/// The commands that make PEM of a store, for JKS and for PKCS12.
type Commands = [&'static str; 2];

const TRUST_COMMANDS: Commands = [
    "keytool -list -rfc -keystore FILE > truststore.pem",
    "keytool -list -rfc -keystore FILE > truststore.pem",
];
const KEY_COMMANDS: Commands = [
    "keytool -importkeystore -srckeystore FILE -destkeystore keystore.p12 -deststoretype PKCS12 && openssl pkcs12 -in keystore.p12 -nodes -out keystore.pem",
    "openssl pkcs12 -in FILE -nodes -out keystore.pem",
];

/// Whether the type of a store is PEM; it is JKS if nothing says what it is.
fn check_pem(
    kind: &Option<Value>,
    store: &Value,
    type_key: &'static str,
    commands: Commands,
) -> Result<(), PropertyError> {
    let name = match kind {
        Some(kind) => kind.text.to_ascii_uppercase(),
        None => "JKS".into(),
    };
    let command = match name.as_str() {
        "PEM" => return Ok(()),
        "PKCS12" => commands[1],
        _ => commands[0],
    };
    Err(store.fault(PropertyFault::JavaStore { command, type_key }))
}

fn any_name(values: &mut Values, has_authorities: bool) -> Result<bool, PropertyError> {
    let Some(value) = values.take_any("ssl.endpoint.identification.algorithm")? else {
        return Ok(false);
    };
    match value.text.to_ascii_lowercase().as_str() {
        "https" => Ok(false),
        "" if !has_authorities => Err(value.fault(PropertyFault::Needs("ssl.truststore.location"))),
        "" => {
            values.notes.push(value.note(NoteReason::NamesUnchecked));
            Ok(true)
        }
        _ => Err(value.expected("`https`, or empty")),
    }
}

fn only_tls13(values: &mut Values) -> Result<bool, PropertyError> {
    values.ignore(&["ssl.protocol"]);
    let Some(value) = values.take("ssl.enabled.protocols")? else {
        return Ok(false);
    };
    let (mut has_12, mut has_13) = (false, false);
    for name in value.text.split(',') {
        match name.trim() {
            "TLSv1.2" => has_12 = true,
            "TLSv1.3" => has_13 = true,
            _ => {}
        }
    }
    match (has_12, has_13) {
        (false, false) => Err(value.expected("TLSv1.2 or TLSv1.3")),
        (true, _) => Ok(false),
        (false, true) => Ok(true),
    }
}

/// PEM in lines: in a property, it can be one line with blanks.
fn pem_lines(text: &str) -> String {
    let mut lines = String::new();
    for part in text.split("-----") {
        if part.starts_with("BEGIN ") || part.starts_with("END ") {
            lines.push_str(&format!("\n-----{part}-----\n"));
            continue;
        }
        for word in part.split_whitespace() {
            lines.push_str(word);
            lines.push('\n');
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pem_in_one_line_is_read() {
        let text = "-----BEGIN CERTIFICATE----- MIIB AAAA -----END CERTIFICATE----- -----BEGIN X Y-----\nQ\n-----END X Y-----";
        assert_eq!(
            pem_lines(text),
            "\n-----BEGIN CERTIFICATE-----\nMIIB\nAAAA\n\n-----END CERTIFICATE-----\n\n-----BEGIN X Y-----\nQ\n\n-----END X Y-----\n"
        );
    }
}

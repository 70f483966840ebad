//! The calls of Apache Kafka's own command line.

use gbac_engine::model::{Acl, CLUSTER_NAME, Dialect, Operation, PatternType, ResourceType};

use super::{Call, words};
use crate::export::{Notes, acl_words};
use crate::quote::is_argument;

/// The beginning of a script.
pub(super) const HEAD: &str = "\
#!/bin/sh
# Calls of kafka-acls, of Apache Kafka. BOOTSTRAP_SERVERS says where, and COMMAND_CONFIG may name a file with the properties of the
# client. KAFKA_ACLS is the program where it has another name, such as bin/kafka-acls.sh. Can be run again.
failed=0
try() { \"$@\" || failed=1; }
acls() {
  \"${KAFKA_ACLS:-kafka-acls}\" --bootstrap-server \"$BOOTSTRAP_SERVERS\" ${COMMAND_CONFIG:+--command-config \"$COMMAND_CONFIG\"} \"$@\"
}
";

/// Why nothing about roles is written.
const NO_ROLES: &str =
    "Kafka has no roles; the GBAC plugin reads them from a policy document or from a service";

/// Why an operation of an ACL is not written.
const NO_EFFECT: &str = "the operation has no effect on such a resource, and kafka-acls refuses it";

/// The commands of a call, or the reason that there are none. Operations that they leave out are
/// noted.
pub(super) fn commands(
    call: &Call<'_>,
    run: &str,
    notes: &mut Notes,
) -> Result<Vec<String>, String> {
    let (acl, operations, verb) = match call {
        Call::CreateAcls(acl, operations) => (*acl, operations, &["--add"][..]),
        Call::DeleteAcls(acl, operations) => (*acl, operations, &["--remove", "--force"][..]),
        Call::CreateRole(_) | Call::Join(..) | Call::Leave(..) | Call::DeleteRole(..) => {
            return Err(NO_ROLES.into());
        }
        // The settings are properties of the brokers.
        Call::Set(_) => return Ok(Vec::new()),
    };
    let principal = acl.principal.to_string();
    for name in [principal.as_str(), &acl.resource_name] {
        if !is_argument(name) {
            return Err("a name holds a NUL, which no argument can".into());
        }
        // As Java trims.
        if name.trim_matches(|character| character <= ' ') != name {
            return Err("kafka-acls removes the blanks around a name".into());
        }
    }
    let (host, side) = (acl.host.to_string(), acl.permission.spelling().cli);
    let of_principal = [
        flag(&format!("{side}-principal"), &principal),
        flag(&format!("{side}-host"), &host),
    ]
    .concat();
    let resource = resource(acl)?;
    let program = if run.is_empty() {
        "kafka-acls --bootstrap-server \"$BOOTSTRAP_SERVERS\""
    } else {
        "acls"
    };
    // Kafka knows the new ones since 4.0: an older program refuses their command alone.
    let known = Dialect::Kafka.operations_of(acl.resource_type);
    let (mut of_all, mut new, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for operation in operations {
        if *operation == Operation::All || acl.resource_type.operations().contains(operation) {
            of_all.push(*operation);
        } else if known.contains(operation) {
            new.push(*operation);
        } else {
            unknown.push(*operation);
        }
    }
    if let (Call::CreateAcls(..), false) = (call, unknown.is_empty()) {
        notes.not_written(&acl_words(acl, &unknown), NO_EFFECT);
    }
    let mut commands = Vec::new();
    for operations in [of_all, new] {
        if operations.is_empty() {
            continue;
        }
        let mut flags: Vec<String> = verb.iter().copied().map(str::to_owned).collect();
        flags.extend_from_slice(&of_principal);
        for operation in operations {
            flags.extend(flag("operation", &word(operation)));
        }
        flags.extend_from_slice(&resource);
        let flags = words(flags.iter().map(String::as_str));
        commands.push(format!("{run}{program} {flags}"));
    }
    Ok(commands)
}

/// The flags that name the resource.
fn resource(acl: &Acl) -> Result<Vec<String>, String> {
    let name = match acl.resource_type {
        ResourceType::Topic => "topic",
        ResourceType::Group => "group",
        ResourceType::TransactionalId => "transactional-id",
        ResourceType::DelegationToken => "delegation-token",
        ResourceType::User => "user-principal",
        ResourceType::Cluster
            if acl.resource_name == CLUSTER_NAME && acl.pattern_type == PatternType::Literal =>
        {
            return Ok(vec!["--cluster".into()]);
        }
        ResourceType::Cluster => return Err("--cluster has neither a name nor a pattern".into()),
        ResourceType::Subject | ResourceType::Registry => {
            return Err("Kafka has no ACLs for the Schema Registry".into());
        }
    };
    let pattern = flag("resource-pattern-type", acl.pattern_type.spelling().cli);
    Ok([flag(name, &acl.resource_name), pattern].concat())
}

/// A flag with its value; one that looks like a flag is joined to it.
fn flag(name: &str, value: &str) -> Vec<String> {
    if value.starts_with('-') {
        vec![format!("--{name}={value}")]
    } else {
        vec![format!("--{name}"), value.to_owned()]
    }
}

/// The word of Kafka's tools and of Strimzi for an operation, such as `DescribeConfigs`.
pub(crate) fn word(operation: Operation) -> String {
    operation.spelling().label.replace(' ', "")
}

//! The ACLs as comma-separated values (RFC 4180), which spreadsheets and
//! [`Import`](crate::import::Import) read.

use gbac_engine::policy::Policy;

use super::Notes;

/// The columns, in the order in which they are written.
pub(crate) const COLUMNS: [&str; 7] = [
    "principal",
    "host",
    "resource_type",
    "resource_name",
    "pattern_type",
    "operation",
    "permission",
];

/// The names of the columns, and a line for each ACL.
pub(super) fn rows(policy: &Policy, notes: &mut Notes) -> String {
    notes.of_roles(policy, "CSV has a line for each ACL and none for members");
    let mut writer = csv::Writer::from_writer(Vec::new());
    let rows = policy.acls().map(|acl| {
        [
            acl.principal.to_string(),
            acl.host.to_string(),
            acl.resource_type.spelling().audit.to_ascii_uppercase(),
            acl.resource_name.clone(),
            acl.pattern_type.spelling().audit.to_ascii_uppercase(),
            acl.operation.spelling().audit.to_ascii_uppercase(),
            acl.permission.spelling().audit.to_ascii_uppercase(),
        ]
    });
    // Writing to memory cannot fail, and every row has as many values as the heading.
    let written = writer.write_record(COLUMNS).and_then(|()| {
        rows.into_iter()
            .try_for_each(|row| writer.write_record(row))
    });
    if let Err(error) = written {
        notes.not_written("the ACLs", &error.to_string());
    }
    writer
        .into_inner()
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .unwrap_or_default()
}

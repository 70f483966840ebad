//! The columns of a table of ACLs, in the spellings of the tools that write one.

/// The fields of an ACL, each with its names: that of our own CSV first, without blanks, hyphens and
/// underscores.
const FIELDS: [(&str, &[&str]); 7] = [
    ("resource_type", &["resourcetype"]),
    ("resource_name", &["resourcename"]),
    (
        "pattern_type",
        &["patterntype", "resourcepatterntype", "pattern"],
    ),
    ("principal", &["principal", "kafkaprincipal"]),
    ("host", &["host"]),
    ("operation", &["operation"]),
    ("permission", &["permission", "permissiontype"]),
];

/// Where the fields of an ACL stand in a row.
pub(crate) struct AclColumns {
    /// The column of each field: type, name and pattern of the resource, principal, host, operation
    /// and permission.
    places: [Option<usize>; 7],
}

impl AclColumns {
    /// The columns with these names.
    pub(crate) fn from_names(names: &[impl AsRef<str>]) -> Self {
        let places = FIELDS.map(|(field, _)| {
            names
                .iter()
                .position(|name| field_of(name.as_ref()) == Some(field))
        });
        Self { places }
    }

    /// The fields without a column.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
        let fields = FIELDS.iter().zip(&self.places);
        fields
            .filter(|(_, place)| place.is_none())
            .map(|((field, _), _)| *field)
            .collect()
    }

    /// The values of a row, in the order of the fields; `*` for a field without a column.
    pub(crate) fn values<'r>(&self, value: impl Fn(usize) -> &'r str) -> [&'r str; 7] {
        self.places.map(|place| place.map_or("*", &value))
    }
}

/// The field of an ACL that a heading names: `Resource Type`, `RESOURCE-TYPE`, `resourceType`.
pub(crate) fn field_of(heading: &str) -> Option<&'static str> {
    let letters: String = heading
        .chars()
        .filter(|c| !matches!(c, ' ' | '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect();
    FIELDS
        .iter()
        .find(|(_, names)| names.contains(&letters.as_str()))
        .map(|(field, _)| *field)
}

//! The name of a new role, after what it allows.

use gbac_engine::decide::Request;
use gbac_engine::model::{Operation, ResourceType};

/// The maximum length of the resource's part in the name of a new role.
const NAME_CHARS: usize = 48;

/// A name for a role that allows a request on names that are written like this:
/// `OrdersEuWriters`.
pub(super) fn role_name(request: &Request<'_>, names: &str) -> String {
    let of_resource = match request.resource_type {
        ResourceType::Cluster | ResourceType::Registry => String::new(),
        _ => camel_case(names),
    };
    let of_resource: String = of_resource.chars().take(NAME_CHARS).collect();
    let label = request.resource_type.spelling().label;
    let resource = if of_resource.is_empty() {
        camel_case(label)
    } else {
        of_resource
    };
    let holders = match request.operation {
        Operation::Read => "Readers".to_owned(),
        Operation::Write => "Writers".to_owned(),
        Operation::All => "Administrators".to_owned(),
        other => camel_case(other.spelling().label),
    };
    format!("{resource}{holders}")
}

/// The letters and digits of a text, each word with a capital first letter.
fn camel_case(text: &str) -> String {
    let mut joined = String::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let mut letters = word.chars();
        if let Some(first) = letters.next() {
            joined.extend(first.to_uppercase());
            joined.push_str(letters.as_str());
        }
    }
    joined
}

//! The request of a check: operation, resource and host, read from their fields.

use std::net::IpAddr;

use gbac_engine::decide::{At, Request};
use gbac_engine::model::{CLUSTER_NAME, Host, Operation, ResourceType};
use gbac_words::request;
use gbac_words::rich_text::RichText;

use crate::simulator::inputs::{InputEdit, InputField, InputProblem, Inputs, Weight};

/// The question, if all fields are filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessRequest {
    /// The operation.
    pub operation: Operation,
    /// The type of the resource.
    pub resource_type: ResourceType,
    /// The name of the resource.
    pub resource_name: String,
    /// The client's address, when it was given.
    pub host: Option<IpAddr>,
}

impl AccessRequest {
    /// The engine's request at this time.
    pub fn request(&self, at: At) -> Request<'_> {
        Request::new(self.operation, self.resource_type, &self.resource_name, at)
            .with_host(self.host)
    }

    /// Puts the request into the fields that it is read from.
    pub fn fill(&self, inputs: &mut Inputs) {
        inputs.operation = self.operation;
        inputs.resource_type = self.resource_type;
        inputs.resource_name = self.resource_name.clone();
        inputs.host = self.host.map(|host| host.to_string()).unwrap_or_default();
    }

    /// The resource in a sentence: ``topic `payments` ``, `the cluster`.
    pub fn resource(&self) -> RichText {
        request::resource(&self.request(At::IgnoringExpiry))
    }

    /// What is done, in a sentence: `write to topic ...`.
    pub fn deed(&self) -> RichText {
        request::deed(&self.request(At::IgnoringExpiry))
    }

    /// The short form for the bar: `Write payments`.
    pub fn short(&self) -> RichText {
        request::short(&self.request(At::IgnoringExpiry))
    }
}

/// Reads the fields; the question is there unless a problem is in the way.
pub fn read(inputs: &Inputs) -> (Option<AccessRequest>, Vec<InputProblem>) {
    let mut problems = Vec::new();
    let name = match inputs.resource_type {
        ResourceType::Cluster => CLUSTER_NAME.into(),
        ResourceType::Registry => String::new(),
        _ => inputs.resource_name.clone(),
    };
    if !Inputs::is_nameless(inputs.resource_type) {
        problems.extend(name_problem(&name, inputs.resource_type));
    }
    if inputs.operation != Operation::All
        && !inputs
            .resource_type
            .operations()
            .contains(&inputs.operation)
    {
        let words = format!(
            "No request needs {} on a {}. It is evaluated anyway.",
            inputs.operation.spelling().label,
            inputs.resource_type.noun()
        );
        problems.push(InputProblem::new(
            InputField::Operation,
            "operation_unsupported",
            Weight::Warning,
            words,
        ));
    }
    if inputs.operation == Operation::All {
        let words = "Only an ACL of All matches this; no request needs it.";
        problems.push(InputProblem::new(
            InputField::Operation,
            "operation_all",
            Weight::Info,
            words,
        ));
    }
    let host = match read_host(&inputs.host) {
        Ok(host) => host,
        Err(problem) => {
            problems.push(problem);
            None
        }
    };
    let access = AccessRequest {
        operation: inputs.operation,
        resource_type: inputs.resource_type,
        resource_name: name,
        host,
    };
    let in_the_way = problems
        .iter()
        .any(|problem| problem.weight.blocks_evaluation());
    ((!in_the_way).then_some(access), problems)
}

fn name_problem(name: &str, resource_type: ResourceType) -> Option<InputProblem> {
    let field = InputField::ResourceName;
    if name.is_empty() {
        let words = format!("Enter a {}.", resource_type.noun());
        return Some(InputProblem::new(
            field,
            "resource_name_empty",
            Weight::Missing,
            words,
        ));
    }
    if name.trim() != name {
        let words = "A leading or trailing space is part of the name.";
        return Some(
            InputProblem::new(field, "edge_whitespace", Weight::Warning, words)
                .with("Remove it", InputEdit::ResourceName(name.trim().into())),
        );
    }
    if name.ends_with('*') {
        let words = RichText::new()
            .text("A request is for one ")
            .text(resource_type.noun())
            .text(". ")
            .code("*")
            .text(" is not a wildcard here.");
        return Some(InputProblem::new(
            field,
            "name_wildcard",
            Weight::Warning,
            words,
        ));
    }
    None
}

fn read_host(text: &str) -> Result<Option<IpAddr>, InputProblem> {
    let tidy = text.trim();
    if tidy.is_empty() {
        return Ok(None);
    }
    if tidy == "*" {
        let words = RichText::new()
            .code("*")
            .text(" is for ACLs. A request comes from one address; leave it empty if unknown.");
        return Err(
            InputProblem::new(InputField::Host, "host_wildcard", Weight::Error, words)
                .with("Leave it empty", InputEdit::Host(String::new())),
        );
    }
    Host::parse_address(tidy).map(Some).map_err(|error| {
        InputProblem::fault(
            InputField::Host,
            error.code(),
            &error.to_string(),
            error.hint(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(inputs: &Inputs) -> (Option<AccessRequest>, Vec<&'static str>) {
        let (access, problems) = read(inputs);
        (
            access,
            problems.iter().map(|problem| problem.code).collect(),
        )
    }

    fn topic(name: &str) -> Inputs {
        Inputs {
            resource_name: name.into(),
            ..Inputs::default()
        }
    }

    #[test]
    fn a_name_is_asked_for_and_kept_as_it_is() {
        assert_eq!(access(&topic("")), (None, vec!["resource_name_empty"]));
        let (asked_for, problems) = access(&topic("payments-*"));
        assert_eq!(
            (asked_for.unwrap().resource_name.as_str(), problems),
            ("payments-*", vec!["name_wildcard"])
        );
        let (asked_for, problems) = access(&topic(" x"));
        assert_eq!(
            (asked_for.unwrap().resource_name.as_str(), problems),
            (" x", vec!["edge_whitespace"])
        );
    }

    #[test]
    fn the_cluster_and_the_registry_have_no_name_to_enter() {
        let cluster = Inputs {
            resource_type: ResourceType::Cluster,
            operation: Operation::Create,
            ..topic("left over")
        };
        assert_eq!(access(&cluster).0.unwrap().resource_name, CLUSTER_NAME);
        let registry = Inputs {
            resource_type: ResourceType::Registry,
            ..topic("left over")
        };
        assert_eq!(access(&registry).0.unwrap().resource_name, "");
    }

    #[test]
    fn hosts_are_addresses_or_nothing() {
        let host = |text: &str| {
            access(&Inputs {
                host: text.into(),
                ..topic("x")
            })
        };
        assert_eq!(host("").0.unwrap().host, None);
        assert_eq!(
            host(" 10.0.0.7\n").0.unwrap().host,
            Some("10.0.0.7".parse().unwrap())
        );
        assert_eq!(
            host("::ffff:10.0.0.7").0.unwrap().host,
            Some("10.0.0.7".parse().unwrap())
        );
        for (text, code) in [
            ("*", "host_wildcard"),
            ("10.0.0.0/8", "host_invalid"),
            ("localhost", "host_invalid"),
        ] {
            assert_eq!(host(text), (None, vec![code]), "{text}");
        }
        let (_, problems) = read(&Inputs {
            host: "10.20.0.0/16".into(),
            ..topic("x")
        });
        assert_eq!(
            problems[0].words.plain(),
            "10.20.0.0/16 is not an IP address. Write one address, not a range."
        );
    }

    #[test]
    fn foreign_operations_are_answered_with_a_word() {
        let group = Inputs {
            resource_type: ResourceType::Group,
            operation: Operation::Write,
            ..topic("g")
        };
        let (asked_for, problems) = access(&group);
        assert!(asked_for.is_some());
        assert_eq!(problems, ["operation_unsupported"]);
        assert_eq!(
            access(&Inputs {
                operation: Operation::All,
                ..topic("x")
            })
            .1,
            ["operation_all"]
        );
    }
}

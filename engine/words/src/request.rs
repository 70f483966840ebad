//! Requests: an operation on a resource.

use gbac_analysis::requests::{RequiredCheck, Requirement};
use gbac_engine::decide::{At, Request};
use gbac_engine::model::{Operation, ResourceType};

use crate::rich_text::RichText;

/// The resource of a request in a sentence: ``topic `payments` ``, `the cluster`.
pub fn resource(request: &Request<'_>) -> RichText {
    match request.resource_type {
        ResourceType::Cluster => "the cluster".into(),
        ResourceType::Registry => "the Schema Registry".into(),
        other => RichText::from(format!("{} ", other.noun())).resource(request.resource_name),
    }
}

/// What a request does, in a sentence: `write to topic ...`.
pub fn deed(request: &Request<'_>) -> RichText {
    let verb = verb(request.operation, request.resource_type);
    RichText::from(format!("{verb} ")).then(resource(request))
}

/// What a request does on any resource of a type: `write to any topic`.
pub fn deed_on_any(operation: Operation, resource_type: ResourceType) -> String {
    format!(
        "{} any {}",
        verb(operation, resource_type),
        resource_type.noun()
    )
}

/// A check of an API request, in a sentence: `write to topic ...`, `write to any topic`.
pub fn check(check: &RequiredCheck) -> RichText {
    let (operation, resource_type) = (check.operation, check.resource_type);
    match &check.resource_name {
        Some(name) => deed(&Request::new(
            operation,
            resource_type,
            name,
            At::IgnoringExpiry,
        )),
        None => deed_on_any(operation, resource_type).into(),
    }
}

/// What an API request needs: whether all of its lines or one of them, and the lines.
pub fn needs(need: &Requirement) -> (&'static str, Vec<RichText>) {
    match need {
        Requirement::Check(_) => ("This is required:", vec![part(need)]),
        Requirement::All(parts) => (
            "All of these are required:",
            parts.iter().map(part).collect(),
        ),
        Requirement::Any(parts) => {
            let mut lines = Vec::new();
            for (place, alternative) in parts.iter().enumerate() {
                let number = RichText::from(format!("{}. ", place + 1));
                lines.push(number.then(part(alternative)));
            }
            ("One of these is enough:", lines)
        }
    }
}

/// A part of what a request needs, in one line; what is in it has parentheses where it has parts.
fn part(need: &Requirement) -> RichText {
    let (parts, between) = match need {
        Requirement::Check(of) => return check(of),
        Requirement::All(parts) => (parts, " and "),
        Requirement::Any(parts) => (parts, " or "),
    };
    let mut line = RichText::new();
    for (place, inner) in parts.iter().enumerate() {
        if place > 0 {
            line = line.text(between);
        }
        line = match inner {
            Requirement::Check(of) => line.then(check(of)),
            Requirement::All(_) | Requirement::Any(_) => line.text("(").then(part(inner)).text(")"),
        };
    }
    line
}

/// A request in short: `Write payments`.
pub fn short(request: &Request<'_>) -> RichText {
    let words = RichText::from(request.operation.spelling().label);
    match request.resource_type {
        ResourceType::Cluster | ResourceType::Registry => {
            words.text(format!(", {}", request.resource_type.noun()))
        }
        _ => words.text(" ").resource(request.resource_name),
    }
}

/// An operation as a verb before its resource.
pub const fn verb(operation: Operation, resource_type: ResourceType) -> &'static str {
    match (operation, resource_type) {
        (Operation::All, _) => "do everything on",
        (Operation::Read, ResourceType::Group) => "join",
        (Operation::Read, _) => "read",
        (Operation::Write, ResourceType::TransactionalId) => "use",
        (Operation::Write, _) => "write to",
        (Operation::Create, ResourceType::Cluster) => "create on",
        (Operation::Create, _) => "create",
        (Operation::Delete, _) => "delete",
        (Operation::Alter, _) => "alter",
        (Operation::Describe, _) => "describe",
        (Operation::ClusterAction, _) => "act as a broker on",
        (Operation::DescribeConfigs, _) => "describe the configuration of",
        (Operation::AlterConfigs, _) => "alter the configuration of",
        (Operation::IdempotentWrite, _) => "write idempotently to",
        (Operation::CreateTokens, _) => "create delegation tokens for",
        (Operation::DescribeTokens, _) => "describe the delegation tokens of",
        (Operation::TwoPhaseCommit, _) => "use two-phase commit with",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeds_read_as_english() {
        let deed = |operation, resource_type| {
            deed(&Request::new(
                operation,
                resource_type,
                "n",
                At::IgnoringExpiry,
            ))
            .plain()
        };
        for (operation, resource_type, words) in [
            (Operation::Write, ResourceType::Topic, "write to topic n"),
            (
                Operation::Read,
                ResourceType::Group,
                "join consumer group n",
            ),
            (
                Operation::Create,
                ResourceType::Cluster,
                "create on the cluster",
            ),
            (
                Operation::AlterConfigs,
                ResourceType::Registry,
                "alter the configuration of the Schema Registry",
            ),
        ] {
            assert_eq!(deed(operation, resource_type), words);
        }
    }
    #[test]
    fn what_a_request_needs_says_what_is_enough() {
        let check = |operation, name: Option<&str>| {
            Requirement::Check(RequiredCheck {
                operation,
                resource_type: ResourceType::Topic,
                resource_name: name.map(Into::into),
            })
        };
        let said = |need: &Requirement| {
            let (title, lines) = needs(need);
            let lines: Vec<String> = lines.iter().map(RichText::plain).collect();
            format!("{title} {}", lines.join("; "))
        };
        let (read, write) = (
            check(Operation::Read, Some("a")),
            check(Operation::Write, Some("b")),
        );
        let any = check(Operation::Describe, None);
        assert_eq!(said(&any), "This is required: describe any topic");
        let either = Requirement::Any(vec![read.clone(), write.clone()]);
        assert_eq!(
            said(&either),
            "One of these is enough: 1. read topic a; 2. write to topic b"
        );
        assert_eq!(
            said(&Requirement::All(vec![any.clone(), either])),
            "All of these are required: describe any topic; read topic a or write to topic b"
        );
        let both = Requirement::All(vec![read, write]);
        assert_eq!(
            said(&Requirement::Any(vec![any, both])),
            "One of these is enough: 1. describe any topic; 2. read topic a and write to topic b"
        );
    }
}

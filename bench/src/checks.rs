//! Preparation of every native measurement: opens the identities, and compares each result with
//! that of the plain loop.

use crate::Result;
use crate::document::{Acl, Operation, PatternType, Permission, ResourceType};
use crate::engine::{Engine, Opened, Question};
use crate::files::RecordedQueries;
use gbac_engine::Coded;

/// Opens the identities and converts the queries.
pub(crate) fn translate(
    engine: &Engine,
    recorded: &RecordedQueries,
) -> Result<(Vec<Opened>, Vec<Question>)> {
    let opened = recorded
        .identities
        .iter()
        .map(|who| engine.open(who))
        .collect();
    Ok((
        opened,
        recorded
            .queries
            .iter()
            .map(Question::new)
            .collect::<Result<_>>()?,
    ))
}

/// Fails unless every result equals that of the plain loop, with and without provenance.
pub(crate) fn compare(
    engine: &Engine,
    recorded: &RecordedQueries,
    opened: &mut [Opened],
    questions: &[Question],
) -> Result<()> {
    for (asked, question) in recorded.queries.iter().zip(questions) {
        let opened = &mut opened[asked.identity];
        let decided = opened.decide(engine, question).outcome.code() == "allow";
        let handle = opened.allows_on(engine, question, &engine.resource(question));
        if [opened.allows(engine, question), handle, decided] != [asked.allowed; 3] {
            let who = &recorded.identities[asked.identity];
            return Err(format!(
                "the engine and the plain loop differ: {asked:?}, asked by {who:?}"
            )
            .into());
        }
    }
    Ok(())
}

/// An ACL that no workload contains.
pub(crate) fn new_acl(number: usize) -> Acl {
    Acl {
        resource_type: ResourceType::Topic,
        resource_name: format!("org{}.team{}.added-{number}.", number % 5, number % 20),
        resource_pattern_type: PatternType::Prefixed,
        principal: format!("Group:group-{}", number % 250),
        host: "*".to_owned(),
        operation: Operation::Read,
        permission_type: Permission::Allow,
    }
}

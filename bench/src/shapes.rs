//! Policies with adversarial shapes: the worst single decision for each.

use std::collections::BTreeSet;

use oorandom::Rand64;

use crate::Result;
use crate::checks::{compare, translate};
use crate::document::{Acl, Document, Operation, PatternType, Permission, ResourceType};
use crate::engine::Engine;
use crate::files::recorded;
use crate::measure::{Row, singly};
use crate::reference::Reference;
use crate::workload::{Query, Questions, Who, below, document, questions};

/// The number of queries that are timed separately.
const QUERIES: usize = 1_000;
const GROUPS: usize = 200;

/// Measures the three shapes; the first has `size` ACLs.
///
/// # Errors
/// A result differs from that of the plain loop.
pub fn run(size: usize, quick: bool) -> Result<Vec<Row>> {
    let hot = document(size, size / 10);
    let hot_questions = questions(&hot, GROUPS);
    let shapes = [
        ("native_worst_hot", hot, hot_questions),
        ("native_worst_prefixes", prefixes(), prefix_questions()),
        ("native_worst_shared", shared(), shared_questions()),
    ];
    let mut rows = Vec::new();
    for (name, document, mut questions) in shapes {
        questions.queries.truncate(QUERIES);
        let answers = Reference::new(&document).answers(&questions);
        let recorded = recorded(questions, &answers);
        let acls = document.acls.len();
        let engine = Engine::load(&serde_json::to_string(&document)?)?;
        drop(document);
        let (mut opened, questions) = translate(&engine, &recorded)?;
        compare(&engine, &recorded, &mut opened, &questions)?;
        let row = Row {
            checked: Some(QUERIES),
            ..Row::new(name, acls, GROUPS)
        };
        rows.push(singly(row, QUERIES, if quick { 7 } else { 21 }, |place| {
            opened[recorded.queries[place].identity].allows(&engine, &questions[place])
        }));
    }
    Ok(rows)
}

/// 50,000 prefixes that begin with the same letter, many of them prefixes of each other.
fn prefixes() -> Document {
    let mut dice = Rand64::new(1);
    let mut names = BTreeSet::new();
    while names.len() < 50_000 {
        names.insert(letters(&mut dice, 40));
    }
    let acls = names
        .into_iter()
        .map(|name| acl(name, format!("Group:group-{}", below(&mut dice, 250))))
        .collect();
    Document {
        version: 1,
        roles: Vec::new(),
        acls,
    }
}

fn prefix_questions() -> Questions {
    let mut dice = Rand64::new(2);
    let name = |dice: &mut Rand64| letters(dice, 80);
    ask(&mut dice, 250, name)
}

/// An `a` followed by some of two letters.
fn letters(dice: &mut Rand64, most: usize) -> String {
    let length = below(dice, most);
    std::iter::once('a')
        .chain((0..length).map(|_| if below(dice, 2) == 0 { 'a' } else { 'b' }))
        .collect()
}

/// 1,000 principals on one prefix.
fn shared() -> Document {
    let acls = (0..1_000)
        .map(|n| acl("shared.".to_owned(), format!("Group:group-{n}")))
        .collect();
    Document {
        version: 1,
        roles: Vec::new(),
        acls,
    }
}

fn shared_questions() -> Questions {
    let mut dice = Rand64::new(3);
    // Half of the groups are on the prefix.
    ask(&mut dice, 2_000, |dice| {
        format!("shared.{}", below(dice, 1_000))
    })
}

fn acl(resource_name: String, principal: String) -> Acl {
    Acl {
        resource_type: ResourceType::Topic,
        resource_name,
        resource_pattern_type: PatternType::Prefixed,
        principal,
        host: "*".to_owned(),
        operation: Operation::Read,
        permission_type: Permission::Allow,
    }
}

/// 20 identities with 200 of `people` groups, and their queries about names; every other query
/// matches no ACL.
fn ask(dice: &mut Rand64, people: usize, name: impl Fn(&mut Rand64) -> String) -> Questions {
    let identities: Vec<Who> = (0..20)
        .map(|n| {
            let mut groups: Vec<String> = (0..GROUPS)
                .map(|_| format!("group-{}", below(dice, people)))
                .collect();
            groups.sort();
            groups.dedup();
            Who {
                user: format!("user-{n}"),
                groups,
            }
        })
        .collect();
    let queries = (0..QUERIES)
        .map(|place| Query {
            identity: place % identities.len(),
            operation: if place % 2 == 0 {
                Operation::Read
            } else {
                Operation::Write
            },
            resource_type: ResourceType::Topic,
            name: name(dice),
        })
        .collect();
    Questions {
        groups: GROUPS,
        identities,
        queries,
    }
}

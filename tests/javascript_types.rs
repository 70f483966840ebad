//! The unions in the JavaScript package's types are the engine's enumerations: no value too many, none too few.

use std::fs;
use std::path::Path;

use gbac_analysis::requests::Api;
use gbac_engine::decide::{Outcome, Reason, Source};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::{Operation, PatternType, Permission, ResourceType};

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The texts between quotation marks, in order of the alphabet.
fn quoted(text: &str, mark: char) -> Vec<String> {
    sorted(text.split(mark).skip(1).step_by(2))
}

fn sorted<T: ToString>(values: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    values.sort();
    values
}

/// The values of `export type NAME = ..;`.
fn union(types: &str, name: &str) -> Vec<String> {
    let (_, rest) = types.split_once(&format!("export type {name} =")).unwrap_or_else(|| panic!("no type `{name}`"));
    quoted(rest.split(';').next().unwrap(), '\'')
}

/// The values of a member of an interface.
fn member(types: &str, interface: &str, member: &str) -> Vec<String> {
    let (_, body) = types.split_once(&format!("export interface {interface} ")).expect(interface);
    let body = body.split("\n}").next().unwrap();
    let found = ["?:", ":"].iter().find_map(|colon| body.split_once(&format!("  {member}{colon}")));
    let (_, rest) = found.unwrap_or_else(|| panic!("{interface} has no `{member}`"));
    quoted(rest.split(';').next().unwrap(), '\'')
}

/// The names that lines such as `NameFacet::No => "no",` of a source file give.
fn arms(source: &str, prefix: &str) -> Vec<String> {
    let lines = source.lines().map(str::trim).filter(|line| line.starts_with(prefix) && line.contains("=> \""));
    let names = sorted(lines.map(|line| quoted(line, '"').concat()));
    assert!(names.len() > 1, "{prefix}");
    names
}

#[test]
fn unions_are_the_tables_of_spellings() {
    let types = read("www/types.d.ts");
    let data_plane = [
        ("ResourceType", sorted(ResourceType::ALL.iter().map(|value| value.spelling().data_plane))),
        ("ResourceTypeName", sorted(ResourceType::ALL.iter().map(|value| value.spelling().cli))),
        ("Operation", sorted(Operation::ALL.iter().map(|value| value.spelling().data_plane))),
        ("OperationName", sorted(Operation::ALL.iter().map(|value| value.spelling().cli))),
        ("PatternType", sorted(PatternType::ALL.iter().map(|value| value.spelling().data_plane))),
        ("PermissionType", sorted(Permission::ALL.iter().map(|value| value.spelling().data_plane))),
        ("Outcome", sorted(Outcome::ALL.iter().map(|value| value.code()))),
        ("Reason", sorted(Reason::ALL.iter().map(|value| value.code()))),
        ("Source", sorted(Source::ALL.iter().map(|value| value.code()))),
        ("NestedGroupBehavior", sorted(NestedGroupBehavior::ALL.iter().map(|value| value.as_str()))),
        ("Api", sorted(Api::ALL.iter().map(|value| value.name()))),
    ];
    for (name, values) in data_plane {
        assert_eq!(union(&types, name), values, "{name}");
    }
}

#[test]
fn members_are_what_the_source_writes() {
    let types = read("www/types.d.ts");
    let decision = read("engine/json/src/decision.rs");
    let explain = read("engine/src/decide/explain.rs");
    let diff = read("engine/analysis/src/diff/mod.rs");
    let near = sorted(explain.split("impl NearMiss").nth(1).into_iter().flat_map(|text| {
        let body = text.split("\n}").next().unwrap();
        arms(body, "Self::")
    }));
    let relations = ["Equal", "Wider", "Narrower", "Mixed", "SettingsDiffer"].map(|name| format!("Self::{name} "));
    let (relations, of_acls) = (&relations, &relations[..4]);
    for (interface, name, values) in [
        ("Candidate", "name", arms(&decision, "NameFacet::")),
        ("Candidate", "operation", arms(&decision, "OperationFacet::")),
        ("Candidate", "host", arms(&decision, "HostFacet::")),
        ("Candidate", "near_miss", near),
        ("Inspection", "claim", arms(&read("engine/json/src/extraction.rs"), "ClaimFinding::")),
        ("Finding", "severity", arms(&read("engine/analysis/src/lint/mod.rs"), "Self::")),
        ("Diff", "relation", sorted(relations.iter().flat_map(|line| arm(&diff, line)))),
        ("Diff", "acl_relation", sorted(of_acls.iter().flat_map(|line| arm(&diff, line)))),
        ("GroupChange", "effect", arms(&read("engine/analysis/src/diff/groups.rs"), "Self::")),
    ] {
        assert_eq!(member(&types, interface, name), values, "{interface}.{name}");
    }
    let effects = diff.split("impl AccessEffect").nth(1).expect("effects").split("\n}").next().unwrap();
    assert_eq!(member(&types, "Difference", "effect"), arms(effects, "Self::"));
    let standings = explain.split("impl CandidateStatus").nth(1).expect("standings").split("\n}").next().unwrap();
    assert_eq!(member(&types, "Candidate", "standing"), arms(standings, "Self::"));
}

/// The one name that a line of a source file gives.
fn arm(source: &str, prefix: &str) -> Vec<String> {
    let line = source.lines().map(str::trim).find(|line| line.starts_with(prefix) && line.contains("=> \""));
    quoted(line.expect(prefix), '"')
}

//! `gbac test`: whose policy the tests of a file run on.

use crate::support::program::{self, Run};
use gbac_tests::folder::Folder;

fn run(folder: &Folder, args: &[&str]) -> Run {
    let mut command = program::command();
    command.args(args);
    program::run(command, folder.path(), "")
}

#[test]
fn a_policy_of_the_flags_replaces_that_of_a_file() {
    let folder = Folder::new("test-policy");
    let check = r#"{"identity":{"user":"u"},"operation":"read","resource_type":"topic","resource_name":"x"}"#;
    let file = |policy: &str| {
        format!(
            r#"{{"version":1,{policy}"tests":[{{"name":"u reads","check":{check},"expect":{{"outcome":"allow"}}}}]}}"#
        )
    };
    folder.file("own.json", &file(r#""policy":{"version":1},"#));
    folder.file("none.json", &file(""));
    folder.file(
        "open.json",
        r#"{"version":1,"settings":{"superusers":["u"]}}"#,
    );
    assert_eq!(run(&folder, &["test", "own.json"]).exit, 1);
    let both = ["test", "own.json", "none.json"];
    let passed = run(&folder, &[&both[..], &["--policy", "open.json"]].concat());
    assert_eq!(passed.exit, 0, "{}{}", passed.out, passed.err);
    assert!(passed.out.contains("2 passed, 0 failed"), "{}", passed.out);
    let without = run(&folder, &both);
    assert_eq!(without.exit, 1);
    assert!(
        without
            .out
            .contains("none.json: no policy in this file; name a document with --policy"),
        "{}",
        without.out
    );
    let nowhere = run(&folder, &["test", "own.json", "--policy", "nowhere.json"]);
    assert_eq!((nowhere.exit, nowhere.out.as_str()), (1, ""));
    assert_eq!(run(&folder, &["test"]).exit, 64);
}

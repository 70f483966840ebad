//! Tests of `gbac audit verify`: the files of a service are intact, and the first change of them is
//! named with its place.

use std::fs;

use crate::support::data::{DataClient, DataService};
use crate::support::service::run;
use serde_json::{Value, json};

const PASSWORD: &str = "a password of this test";

#[test]
fn the_first_break_is_named_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let service = DataService::start(&data, Some(PASSWORD));
    let mut client = DataClient::connect(&service, PASSWORD).expect("a connection");
    let on = json!({ "upsert": { "audit_enabled": true }, "remove": [] }).to_string();
    assert_eq!(
        client
            .ask("PUT", "/v1/cluster_config", &on)
            .expect("an answer")
            .0,
        200
    );
    for name in ["a", "b", "c"] {
        let role = json!({ "name": name }).to_string();
        assert_eq!(
            client.ask("POST", "/v1/roles", &role).expect("an answer").0,
            201
        );
    }
    let verify = |format: &str| {
        run(
            &folder,
            &[],
            &["--format", format, "audit", "verify", "--data", "data"],
        )
    };
    let intact: Value = serde_json::from_str(&verify("json").done()).expect("JSON");
    let [changes, decisions] = intact["logs"].as_array().expect("logs").as_slice() else {
        panic!("{intact}")
    };
    assert_eq!(
        (
            &changes["log"],
            &changes["events"],
            &changes["first_sequence"]
        ),
        (&json!("changes"), &json!(13), &json!(1))
    );
    assert_eq!(
        (&decisions["log"], &decisions["events"]),
        (&json!("audit"), &json!(0))
    );
    let hash = changes["sha256"].as_str().expect("a hash");
    let text = verify("text").done();
    assert!(
        text.starts_with("changes: intact, 13 events (1 to 13) in 1 file\n") && text.contains(hash),
        "{text}"
    );
    drop(service);

    let file = data.join("changes.jsonl");
    let written = fs::read_to_string(&file).expect("a file");
    fs::write(
        &file,
        written.replacen("created the role b", "created the role x", 1),
    )
    .expect("a change");
    let broken = verify("text");
    assert_eq!((broken.exit, broken.out.as_str()), (1, ""));
    assert!(
        broken
            .err
            .contains("/data/changes.jsonl:10: event 10 does not continue the line before it"),
        "{}",
        broken.err
    );
    let broken: Value = serde_json::from_str(&verify("json").out).expect("JSON");
    assert_eq!(broken["error"]["code"], "audit_broken");

    fs::write(&file, &written).expect("as before");
    let of_files = run(&folder, &[], &["audit", "verify", "data/changes.jsonl"]).done();
    assert!(
        of_files.starts_with("changes: intact, 13 events"),
        "{of_files}"
    );
    fs::remove_file(data.join("audit.jsonl")).expect("a file");
    assert_eq!(verify("text").exit, 1, "a missing file");
    assert_eq!(run(&folder, &[], &["audit", "verify"]).exit, 64);
}

//! Tests that a change is in force after a restart exactly if it was acknowledged, when any call of
//! the disk fails meanwhile.
//!
//! A library in C makes the calls fail. Where there is no C compiler, the test says so.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::data::{DataClient, DataService};
use crate::support::program::program;
use gbac_tests::folder::Folder;
use serde_json::{Value, json};

const PASSWORD: &str = "a password of this test";
/// The calls fail once, from then on, or once after they were made.
const MODES: [&str; 3] = ["once", "always", "late"];

/// Compiles the library; `None` without a compiler.
fn shim(folder: &Path) -> Option<PathBuf> {
    let library = folder.join("shim.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("disk_faults/shim.c");
    let mut compiler = program("cc");
    compiler
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(source)
        .args(["-ldl", "-lpthread"]);
    match compiler.status() {
        Ok(status) => assert!(status.success(), "the library does not compile"),
        Err(error) => {
            assert!(
                env::var_os("CI").is_none(),
                "there is no C compiler: {error}"
            );
            eprintln!("not tested: there is no C compiler ({error})");
            return None;
        }
    }
    Some(library)
}

fn names(document: &Value) -> Vec<String> {
    let acls = document["acls"].as_array().expect("a list");
    acls.iter()
        .map(|acl| acl["resource_name"].as_str().expect("a text").to_owned())
        .collect()
}

/// What the caller was told.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Done,
    Refused,
    Nothing,
}

fn create(client: &mut DataClient, name: &str) -> Told {
    let acl = json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name, "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
        "principal": "User:maya", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" });
    match client.ask("POST", "/v1/acls", &acl.to_string()) {
        Ok((201, _)) => Told::Done,
        Ok((503, body)) => {
            let body = String::from_utf8_lossy(&body);
            assert!(body.contains("the change was not stored"), "{body}");
            Told::Refused
        }
        Ok(other) => panic!("{other:?}"),
        Err(_) => Told::Nothing,
    }
}

#[test]
fn a_refused_change_is_not_in_force_after_a_restart() {
    let folder = Folder::new("disk-faults");
    fs::create_dir_all(folder.path()).expect("a folder");
    let faults = folder.path().canonicalize().expect("a folder");
    let Some(shim) = shim(&faults) else { return };
    let (data, armed, failed) = (
        faults.join("data"),
        faults.join("armed"),
        faults.join("failed"),
    );
    let environment = [("LD_PRELOAD", shim.as_path()), ("GBAC_FAULTS", &faults)];
    let start = |password| DataService::start_in(&data, password, &[], &environment);
    let mut expected = Vec::new();
    let mut service = start(Some(PASSWORD));
    let (mut refused, mut unanswered) = (0, 0);
    for mode in MODES {
        for call in 1.. {
            let mut client = DataClient::connect(&service, PASSWORD).expect("a connection");
            fs::write(&armed, format!("{call} {mode}")).expect("a file");
            let name = format!("{mode}-{call:02}");
            let told = create(&mut client, &name);
            // SIGKILL, before the store has recovered.
            drop(service);
            fs::remove_file(&armed).expect("a file");
            service = start(None);
            let stored = names(
                &DataClient::connect(&service, PASSWORD)
                    .expect("a connection")
                    .policy(),
            );
            let is_stored = stored.contains(&name);
            match told {
                Told::Done => assert!(is_stored, "{name} is lost"),
                Told::Refused => assert!(!is_stored, "{name} was refused, and is in force"),
                Told::Nothing => {}
            }
            if is_stored {
                expected.push(name.clone());
            }
            expected.sort();
            assert_eq!(stored, expected, "{name}");
            refused += u32::from(told == Told::Refused);
            unanswered += u32::from(told == Told::Nothing);
            if fs::remove_file(&failed).is_err() {
                assert_eq!(told, Told::Done, "{name}");
                break;
            }
        }
    }
    eprintln!("refused: {refused}, without an answer: {unanswered}");
    assert!(refused > 10, "{refused}");
    assert!(
        unanswered > 0,
        "a disk on which nothing can be noted stops the service"
    );
}

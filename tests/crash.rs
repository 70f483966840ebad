//! Tests that `gbac serve --data` keeps every acknowledged write with its audit event, and no
//! partial one, when it is killed.
//!
//! `GBAC_KILLS` is the number of rounds, `GBAC_SEED` the seed of the moments.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::support::data::{DataClient, DataService};
use crate::support::program;
use gbac_tests::folder::Folder;
use serde_json::{Value, json};

const PASSWORD: &str = "a password of this test";
const WRITERS: usize = 8;
/// The members, in the order of a document.
const MEMBERS: [&str; 3] = ["User:maya", "Group:/a/b", "Group:eng"];

/// An acknowledged write: a role with all its members and an ACL for it, or the deletion of the
/// role.
#[derive(Debug, Clone)]
enum Acknowledged {
    Role(String),
    Acl(String),
    Deleted(String),
}

fn acl(role: &str) -> Value {
    json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": role, "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
        "principal": format!("Role:{role}"), "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" })
}

/// Writes until the service is killed. Every third role is deleted again, with its ACL.
fn write(mut client: DataClient, prefix: &str, done: &Sender<Acknowledged>) -> io::Result<()> {
    let members: Vec<Value> = MEMBERS
        .iter()
        .map(|member| json!({ "principal": member }))
        .collect();
    for at in 0.. {
        let name = format!("{prefix}-{at}");
        let role = json!({ "role": { "name": name }, "create": true, "add": members });
        assert_eq!(
            client
                .ask("PUT", &format!("/v1/roles/{name}"), &role.to_string())?
                .0,
            200
        );
        let _ = done.send(Acknowledged::Role(name.clone()));
        assert_eq!(
            client.ask("POST", "/v1/acls", &acl(&name).to_string())?.0,
            201
        );
        let _ = done.send(Acknowledged::Acl(name.clone()));
        if at % 3 == 0 {
            assert_eq!(
                client
                    .ask("DELETE", &format!("/v1/roles/{name}?delete_acls=true"), "")?
                    .0,
                204
            );
            let _ = done.send(Acknowledged::Deleted(name));
        }
    }
    Ok(())
}

/// The expected state after the acknowledged writes.
#[derive(Default)]
struct Expected {
    roles: BTreeSet<String>,
    acls: BTreeSet<String>,
    deleted: BTreeSet<String>,
}

impl Expected {
    fn take(&mut self, done: &Receiver<Acknowledged>) {
        for one in done.try_iter() {
            match one {
                Acknowledged::Role(name) => drop(self.roles.insert(name)),
                Acknowledged::Acl(name) => drop(self.acls.insert(name)),
                Acknowledged::Deleted(name) => drop(self.deleted.insert(name)),
            }
        }
    }

    /// A role whose deletion was sent but not acknowledged is ignored.
    fn compare(&self, document: &Value) {
        let list = |name: &str| document[name].as_array().expect("a list").clone();
        let members = |role: &Value| {
            let members = role["members"].as_array().expect("members");
            members
                .iter()
                .map(|member| member["principal"].as_str().expect("a text").to_owned())
                .collect::<Vec<_>>()
        };
        let roles: BTreeMap<String, Vec<String>> = list("roles")
            .iter()
            .map(|role| {
                (
                    role["name"].as_str().expect("a text").to_owned(),
                    members(role),
                )
            })
            .collect();
        let acls: BTreeSet<String> = list("acls")
            .iter()
            .map(|acl| acl["resource_name"].as_str().expect("a text").to_owned())
            .collect();
        for (role, members) in &roles {
            assert_eq!(members, &MEMBERS, "`{role}` is there by half");
        }
        for role in &acls {
            assert!(roles.contains_key(role), "the ACL of `{role}` outlived it");
        }
        let third = |name: &str| {
            name.rsplit('-')
                .next()
                .and_then(|at| at.parse::<u64>().ok())
                .is_some_and(|at| at % 3 == 0)
        };
        for name in self
            .roles
            .iter()
            .filter(|name| !third(name) || !self.acls.contains(*name))
        {
            assert!(roles.contains_key(name), "`{name}` is lost");
        }
        for name in self.acls.iter().filter(|name| !third(name)) {
            assert!(acls.contains(name), "the ACL of `{name}` is lost");
        }
        for name in &self.deleted {
            assert!(
                !roles.contains_key(name) && !acls.contains(name),
                "`{name}` is there again"
            );
        }
    }
}

/// The changes in the audit log.
#[derive(Default)]
struct Recorded {
    roles: BTreeSet<String>,
    members: BTreeSet<(String, String)>,
    acls: BTreeSet<String>,
    deleted: BTreeSet<String>,
    torn: u64,
}

impl Recorded {
    /// Reads all audit files of a folder.
    fn read(folder: &Path) -> Self {
        let mut recorded = Self::default();
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path
                .extension()
                .is_some_and(|extension| extension == "jsonl")
            {
                for line in fs::read_to_string(path).expect("a text").lines() {
                    match serde_json::from_str(line) {
                        Ok(event) => recorded.add(&event),
                        Err(_) => recorded.torn += 1,
                    }
                }
            }
        }
        recorded
    }

    fn add(&mut self, event: &Value) {
        let text = |path: &str| {
            event
                .pointer(path)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        match (
            event["class_uid"].as_u64(),
            event["activity_id"].as_u64(),
            text("/entity/type").as_str(),
        ) {
            (Some(3004), Some(1), "role") => drop(self.roles.insert(text("/entity/name"))),
            (Some(3004), Some(1), "acl") => {
                self.acls.insert(text("/entity/data/resource_name"));
            }
            (Some(3004), Some(4), "role") => drop(self.deleted.insert(text("/entity/name"))),
            (Some(3006), Some(3), _) => {
                let prefix = if text("/user/type") == "idp_group" {
                    "Group"
                } else {
                    "User"
                };
                self.members.insert((
                    text("/group/name"),
                    format!("{prefix}:{}", text("/user/name")),
                ));
            }
            _ => {}
        }
    }

    /// Every acknowledged change, and every stored change without a response, has its events.
    fn compare(&self, expected: &Expected, document: &Value) {
        let list = |name: &str| document[name].as_array().expect("a list").clone();
        let roles: Vec<String> = list("roles")
            .iter()
            .map(|role| role["name"].as_str().expect("a text").to_owned())
            .collect();
        let acls: Vec<String> = list("acls")
            .iter()
            .map(|acl| acl["resource_name"].as_str().expect("a text").to_owned())
            .collect();
        for name in expected.roles.iter().chain(&roles) {
            assert!(self.roles.contains(name), "the role `{name}` has no event");
            for member in MEMBERS {
                assert!(
                    self.members.contains(&(name.clone(), member.to_owned())),
                    "{member} of `{name}` has no event"
                );
            }
        }
        for name in expected.acls.iter().chain(&acls) {
            assert!(self.acls.contains(name), "the ACL of `{name}` has no event");
        }
        for name in &expected.deleted {
            assert!(
                self.deleted.contains(name),
                "the end of `{name}` has no event"
            );
        }
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
}

#[test]
fn what_was_acknowledged_outlives_a_kill() {
    let folder = Folder::new("crash");
    let mut seed = number("GBAC_SEED", u64::from(std::process::id()));
    eprintln!("GBAC_SEED={seed}");
    let mut expected = Expected::default();
    let kills = number("GBAC_KILLS", 5);
    for round in 0..kills {
        let service = DataService::start(folder.path(), Some(PASSWORD));
        let connect = || DataClient::connect(&service, PASSWORD).expect("a connection");
        if round == 0 {
            let on = json!({ "upsert": { "audit_enabled": true }, "remove": [] }).to_string();
            assert_eq!(
                connect()
                    .ask("PUT", "/v1/cluster_config", &on)
                    .expect("an answer")
                    .0,
                200
            );
        }
        expected.compare(&connect().policy());
        let (send, done) = channel();
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (client, send) = (connect(), send.clone());
                thread::spawn(move || write(client, &format!("r{round}-w{writer}"), &send))
            })
            .collect();
        drop(send);
        // xorshift64 selects the number of responses before the kill.
        seed = seed.max(1);
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let first: Vec<Acknowledged> = done.iter().take((seed % 200) as usize).collect();
        // SIGKILL on Unix.
        drop(service);
        for writer in writers {
            writer
                .join()
                .expect("a writer asserts")
                .expect_err("nobody answers any more");
        }
        let (again, rest) = channel();
        first
            .into_iter()
            .for_each(|one| again.send(one).expect("a receiver"));
        expected.take(&rest);
        expected.take(&done);
    }
    let service = DataService::start(folder.path(), Some(PASSWORD));
    let document = DataClient::connect(&service, PASSWORD)
        .expect("a connection")
        .policy();
    assert!(!expected.roles.is_empty());
    expected.compare(&document);
    let recorded = Recorded::read(folder.path());
    recorded.compare(&expected, &document);
    assert_eq!(
        recorded.torn, 0,
        "a line that a kill has left incomplete is removed at the next start"
    );
    let mut verify = program::command();
    verify
        .args(["audit", "verify", "--data"])
        .arg(folder.path());
    let verified = program::run(verify, folder.path(), "");
    assert_eq!(verified.exit, 0, "{}", verified.err);
    eprintln!(
        "kills: {kills}, acknowledged: {} roles, {} ACLs, {} deletions, torn lines: {}",
        expected.roles.len(),
        expected.acls.len(),
        expected.deleted.len(),
        recorded.torn
    );
}

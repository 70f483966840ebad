//! Lists, creates and deletes the ACLs of a cluster, for tests against real brokers. An ACL is a
//! line with an array in JSON: its numbers and texts, as in Kafka's protocol.
//!
//! `acls PROPERTIES list | describe | create FILE | delete FILE`

use std::env;
use std::error::Error;
use std::fs;

use gbac_cluster::{ClientProperties, KafkaCluster, RawAcl};

type Fields = (i8, String, i8, String, String, i8, i8);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    match words.as_slice() {
        [properties, what] => runtime.block_on(run(properties, what, None)),
        [properties, what, file] => runtime.block_on(run(properties, what, Some(file))),
        _ => Err("usage: acls PROPERTIES list | describe | create FILE | delete FILE".into()),
    }
}

async fn run(properties: &str, what: &str, file: Option<&str>) -> Result<(), Box<dyn Error>> {
    let (properties, notes) = ClientProperties::parse(&fs::read_to_string(properties)?)?;
    for note in notes {
        eprintln!("{note}");
    }
    let mut cluster = KafkaCluster::connect(properties).await?;
    match (what, file) {
        ("list", None) => {
            let stored = cluster.acls().await?;
            for acl in &stored.known {
                for raw in stored.spellings(acl) {
                    println!("{}", line(&raw)?);
                }
            }
            for raw in &stored.unknown {
                println!("{}", line(raw)?);
            }
        }
        ("create", Some(file)) => {
            for outcome in cluster.create(&read(file)?).await {
                println!("{outcome:?}");
            }
        }
        ("delete", Some(file)) => {
            for outcome in cluster.delete(&read(file)?).await {
                println!("{outcome:?}");
            }
        }
        _ => return Err("this is none of list, describe, create and delete".into()),
    }
    Ok(())
}

fn line(acl: &RawAcl) -> serde_json::Result<String> {
    serde_json::to_string(&(
        acl.resource_type,
        &acl.resource_name,
        acl.pattern_type,
        &acl.principal,
        &acl.host,
        acl.operation,
        acl.permission,
    ))
}

fn read(file: &str) -> Result<Vec<RawAcl>, Box<dyn Error>> {
    let mut acls = Vec::new();
    for line in fs::read_to_string(file)?.lines() {
        let (resource_type, resource_name, pattern_type, principal, host, operation, permission): Fields =
            serde_json::from_str(line)?;
        acls.push(RawAcl {
            resource_type,
            resource_name,
            pattern_type,
            principal,
            host,
            operation,
            permission,
        });
    }
    Ok(acls)
}

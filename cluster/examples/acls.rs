//! Lists, creates and deletes the ACLs of a cluster, for tests against real brokers. An ACL is a
//! line with an array in JSON: its numbers and texts, as in Kafka's protocol.
//!
//! `acls PROPERTIES list | describe | create FILE | delete FILE`, and `acls certificates FOLDER` for
//! the certificates of an authority, a broker on loopback and a client.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use gbac_cluster::{ClientProperties, KafkaCluster, RawAcl};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

type Fields = (i8, String, i8, String, String, i8, i8);

fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    match words.as_slice() {
        ["certificates", folder] => certificates(Path::new(folder)),
        [properties, what] => runtime.block_on(run(properties, what, None)),
        [properties, what, file] => runtime.block_on(run(properties, what, Some(file))),
        _ => Err("usage: acls PROPERTIES list | describe | create FILE | delete FILE, acls certificates FOLDER".into()),
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
        ("describe", None) => {
            let info = cluster.describe().await?;
            let (brokers, version) = (info.brokers.len(), info.version.map(|of| of.to_string()));
            println!(
                "{:?} {brokers} {version:?} {:?}",
                info.group_acls, info.authorizer
            );
            if let Some(error) = info.unseen {
                println!("{error}");
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

/// Writes `ca.pem`, and `broker.pem` and `client.pem` with their keys.
fn certificates(folder: &Path) -> Result<(), Box<dyn Error>> {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(Vec::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
        .distinguished_name
        .push(DnType::CommonName, "authority");
    fs::write(folder.join("ca.pem"), params.self_signed(&key)?.pem())?;
    let authority = Issuer::new(params, key);
    for name in ["broker", "client"] {
        let key = KeyPair::generate()?;
        let mut params =
            CertificateParams::new(vec!["127.0.0.1".to_owned(), "localhost".to_owned()])?;
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        let certificate = params.signed_by(&key, &authority)?;
        let text = format!("{}{}", key.serialize_pem(), certificate.pem());
        fs::write(folder.join(format!("{name}.pem")), text)?;
    }
    Ok(())
}

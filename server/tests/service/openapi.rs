//! `docs/openapi.json` beside the service: it has every route with every method and no other, what
//! it says about answers holds, and `docs/openapi.md` lists what it contains.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use axum::http::Method;
use boon::{Compiler, Draft, Schemas};
use gbac_server::{Access, ReadMethods};
use serde_json::{Value, json};

use crate::access_of_routes::{ROUTES, SERVICES};
use crate::harness::{Service, admin};

/// The folder of the documents.
const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
/// Set, the test writes the page in place of comparing it.
const WRITE: &str = "GBAC_WRITE_OPENAPI";

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(DOCS).join(name)).unwrap()
}

fn document() -> Value {
    serde_json::from_str(&read("openapi.json")).unwrap()
}

/// Every path with every method, as the document writes them.
fn described(document: &Value) -> BTreeSet<(String, String)> {
    let mut all = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            all.insert((path.clone(), method.to_uppercase()));
        }
    }
    all
}

/// Every path with every method, and what it takes, as the table of routes has them.
fn routed() -> Vec<(String, Method, Access)> {
    let mut all = Vec::new();
    for (path, access, _, methods) in ROUTES {
        for (method, ..) in *methods {
            all.push(((*path).to_owned(), method.clone(), *access));
        }
    }
    for (service, operations) in SERVICES {
        for (operation, access, _) in operations {
            // The pattern of operations that do not exist.
            if !operation.starts_with('{') {
                all.push((format!("/{service}/{operation}"), Method::POST, *access));
            }
        }
    }
    all
}

#[test]
fn every_route_is_described_and_no_other() {
    let document = document();
    let routed: BTreeSet<(String, String)> = routed()
        .into_iter()
        .map(|(path, method, _)| (path, method.to_string()))
        .collect();
    assert_eq!(described(&document), routed);
    let mut ids = BTreeSet::new();
    for methods in document["paths"].as_object().unwrap().values() {
        for operation in methods.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()), "{id} is there twice");
        }
    }
}

/// What is public needs no credentials in the document either.
#[test]
fn public_routes_need_no_credentials() {
    let document = document();
    for (path, method, access) in routed() {
        let operation = &document["paths"][&path][method.as_str().to_lowercase()];
        let is_public = operation["security"] == json!([]);
        let is_open = matches!(access, Access::Public);
        assert_eq!(is_public, is_open, "{method} {path}");
    }
}

#[tokio::test]
async fn answers_have_the_described_form() {
    let service = Service::start();
    let document = document();
    let mut checked = 0;
    for (pattern, _, path, methods) in ROUTES {
        for (method, _, status) in *methods {
            if *method != Method::GET {
                continue;
            }
            let responses = &document["paths"][*pattern]["get"]["responses"];
            let response = if *status == 200 { "200" } else { "default" };
            let schema = &responses[response]["content"]["application/json"]["schema"];
            let answer = service.get_as(path, &admin()).await;
            let is_json = answer
                .header("content-type")
                .starts_with("application/json");
            if answer.status != *status || schema.is_null() || !is_json {
                continue;
            }
            let mut compiler = Compiler::new();
            compiler.set_default_draft(Draft::V2020_12);
            let mut schemas = Schemas::new();
            let schema = json!({ "components": document["components"], "allOf": [schema] });
            compiler
                .add_resource("file:///answer.json", schema)
                .unwrap();
            for name in ["policy.schema.json", "assertions.schema.json"] {
                let text = serde_json::from_str(&read(name)).unwrap();
                let address = format!("file:///{name}");
                compiler.add_resource(&address, text).unwrap();
            }
            let index = compiler
                .compile("file:///answer.json", &mut schemas)
                .unwrap();
            let body = answer.json();
            if let Err(error) = schemas.validate(&body, index) {
                panic!("GET {path}: {error}\n{body:#}");
            }
            checked += 1;
        }
    }
    assert!(checked >= 20, "{checked} answers were compared");
}

/// Who can call a method of a route.
fn caller(access: Access, method: &Method) -> &'static str {
    match access {
        Access::Public => "everybody",
        Access::Cluster => "as the cluster says",
        Access::Local => "this machine, or `read_only`",
        Access::Authenticated => "a token",
        Access::Evaluate => "`evaluate`",
        Access::Superuser(reads) => {
            let is_read = match reads {
                ReadMethods::Safe => *method == Method::GET,
                ReadMethods::AllButPost => *method != Method::POST,
                ReadMethods::All => true,
                ReadMethods::None | ReadMethods::Secrets => false,
            };
            if is_read { "`read_only`" } else { "superuser" }
        }
    }
}

/// The page of the documentation.
fn page(document: &Value) -> String {
    let mut text = "# HTTP API\n\n\
        Every path of `gbac serve`, from its OpenAPI 3.1 document [openapi.json](openapi.json), which a\n\
        test compares with the running service. [The service](service.md) and [gateways](gateways.md)\n\
        explain them. A superuser can call all of them; the last column names who else can ([accounts and\n\
        access](service.md#accounts-and-access)). A demo and a relayed cluster have further paths.\n"
        .to_owned();
    for tag in document["tags"].as_array().unwrap() {
        let tag = tag["name"].as_str().unwrap();
        let _ = write!(
            text,
            "\n## {tag}\n\n| request | what it does | who can |\n|---|---|---|\n"
        );
        for (path, method, access) in routed() {
            let operation = &document["paths"][&path][method.as_str().to_lowercase()];
            if operation["tags"][0] == tag {
                let summary = operation["summary"].as_str().unwrap();
                let who = caller(access, &method);
                let _ = writeln!(text, "| `{method} {path}` | {summary} | {who} |");
            }
        }
    }
    text
}

#[test]
fn the_page_lists_what_is_described() {
    let text = page(&document());
    if std::env::var_os(WRITE).is_some() {
        fs::write(Path::new(DOCS).join("openapi.md"), &text).unwrap();
    }
    assert_eq!(
        read("openapi.md"),
        text,
        "`{WRITE}=1 cargo test -p gbac-server --test service openapi` writes docs/openapi.md"
    );
}

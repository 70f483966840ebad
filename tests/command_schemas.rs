//! docs/command-line.schema.json: it is a schema of JSON Schema 2020-12 without gaps, and every
//! result that it describes is one that a command writes. `program::run` compares the JSON of every
//! other test with it, too.

use std::collections::BTreeSet;
use std::fs;

use crate::support::broker::{ALLOW, Broker, read_acl};
use crate::support::data::DataService;
use crate::support::program::{self, Run};
use crate::support::schemas::{OUTPUTS, checked, document, names};
use crate::support::service::{Service, run};
use boon::{Compiler, Schemas};
use gbac_tests::platform::{Platform, PlatformApi, PlatformOptions};
use gbac_tests::vectors::root;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::help::visit;

/// Calls `each` with every object of a schema, and the name of the member that it is.
fn objects<'v>(value: &'v Value, name: &'v str, each: &mut impl FnMut(&'v str, &'v Value)) {
    match value {
        Value::Object(members) => {
            each(name, value);
            members
                .iter()
                .for_each(|(name, value)| objects(value, name, each));
        }
        Value::Array(values) => values.iter().for_each(|value| objects(value, name, each)),
        _ => {}
    }
}

#[test]
fn the_schema_is_one_of_json_schema_2020_12_and_uses_all_that_it_defines() {
    let document = document();
    let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
    let of_schemas = compiler
        .compile("https://json-schema.org/draft/2020-12/schema", &mut schemas)
        .expect("a schema");
    schemas
        .validate(&document, of_schemas)
        .unwrap_or_else(|error| panic!("{error:#}"));
    assert!(
        schemas
            .validate(&json!({ "type": "text" }), of_schemas)
            .is_err(),
        "there is no such type"
    );

    let (mut referred, mut open) = (BTreeSet::new(), Vec::new());
    objects(&document, "", &mut |name, schema| {
        if let Some(Value::String(reference)) = schema.get("$ref") {
            referred.extend(reference.strip_prefix("#/$defs/").map(str::to_owned));
        }
        if name != "properties"
            && schema.get("properties").is_some()
            && schema["additionalProperties"] != false
        {
            open.push(schema.to_string());
        }
    });
    assert!(
        open.is_empty(),
        "objects with members that are not described: {open:#?}"
    );
    let defined: BTreeSet<String> = document["$defs"]
        .as_object()
        .expect("$defs")
        .keys()
        .cloned()
        .collect();
    assert_eq!(
        referred, defined,
        "everything that is referred to is defined, and the other way round"
    );
}

#[test]
fn unknown_and_missing_members_and_null_are_refused() {
    let version =
        json!({ "version": "1", "build": "debug", "platform": "x", "engine": "1", "features": [] });
    assert_eq!(OUTPUTS.results_of("version", &version), Ok(vec![0]));
    let mut more = version.clone();
    more["more"] = json!(1);
    assert!(OUTPUTS.results_of("version", &more).is_err());
    for name in version.as_object().expect("an object").keys() {
        let mut fewer = version.clone();
        fewer.as_object_mut().expect("an object").remove(name);
        assert!(OUTPUTS.results_of("version", &fewer).is_err(), "{name}");
    }
    let who = json!({ "superusers": [], "entries": [], "denied_principals": [] });
    assert!(OUTPUTS.results_of("who-can", &who).is_ok());
    let mut null = who.clone();
    null["policy_state"] = Value::Null;
    assert!(
        OUTPUTS.results_of("who-can", &null).is_err(),
        "a member without a value is absent"
    );
}

#[test]
fn the_output_belongs_to_the_command_wherever_the_flags_are() {
    let unlike = json!({ "x": 1 }).to_string();
    for args in [
        &["-o", "json", "security", "acl", "list"][..],
        &[
            "security",
            "--url",
            "http://x",
            "acl",
            "list",
            "--format=json",
        ],
        &["check", "--checks", "x"],
        &["cluster", "license", "set", "valid", "--format", "json"],
    ] {
        let refused = std::panic::catch_unwind(|| checked(args, 0, &unlike))
            .expect_err("another value is refused");
        assert!(
            refused
                .downcast_ref::<String>()
                .is_some_and(|text| text.contains("does not describe")),
            "{args:?}"
        );
    }
    assert_eq!(checked(&["version"], 0, "gbac 1"), []);
    assert_eq!(checked(&["version", "-o", "json", "--help"], 0, "Show"), []);
    let error = json!({ "error": { "code": "x", "message": "y" } });
    let found = checked(&["version", "-o", "json"], 1, &error.to_string());
    assert_eq!(found, [("error".to_owned(), error.clone())]);
    std::panic::catch_unwind(|| checked(&["version", "-o", "json"], 0, &error.to_string()))
        .expect_err("a success is no error");
}

#[test]
fn every_command_has_a_schema_with_its_name() {
    // A check of a file and an error have schemas of their own, as docs/command-line.md says.
    let mut expected = BTreeSet::from(["check-checks", "error"].map(str::to_owned));
    visit(&mut Vec::new(), &mut |path, text| {
        // A command that needs another one below it does nothing alone.
        if !path.is_empty() && (!text.contains("\nCommands:\n") || text.contains("[COMMAND]")) {
            expected.insert(path.join("-"));
        }
    });
    for text in ["completions", "policy-convert"] {
        assert!(expected.remove(text), "{text} is no command");
    }
    let described: BTreeSet<String> = names(&document()).into_iter().collect();
    assert_eq!(described, expected);
}

const PASSWORD: &str = "a password of this test";

/// Calls of every command, with the files of the examples.
const CALLS: [&[&str]; 74] = [
    &["version"],
    &["man", "pages"],
    &["serve", "--config", "gbac.toml", "--check-config"],
    &[
        "check",
        "--policy",
        "policy.json",
        "--user",
        "ana",
        "--operation",
        "write",
        "--topic",
        "payments-events",
    ],
    &[
        "check",
        "--policy",
        "policy.json",
        "--user",
        "ana",
        "--request",
        "Produce",
        "--topic",
        "payments-events",
    ],
    &[
        "check",
        "--policy",
        "policy.json",
        "--checks",
        "checks.jsonl",
    ],
    &[
        "check",
        "--policy",
        "policy.json",
        "--checks",
        "lines.jsonl",
    ],
    &[
        "check",
        "--online",
        "--user",
        "ana",
        "--operation",
        "write",
        "--topic",
        "payments-events",
    ],
    &[
        "who-can",
        "--policy",
        "policy.json",
        "--operation",
        "write",
        "--topic",
        "payments-events",
    ],
    &[
        "who-can",
        "--online",
        "--operation",
        "write",
        "--topic",
        "payments-events",
    ],
    &[
        "permissions",
        "--policy",
        "policy.json",
        "--token-file",
        "token.jwt",
    ],
    &["requests", "produce"],
    &[
        "least-grant",
        "--policy",
        "policy.json",
        "--token-file",
        "token.jwt",
        "--operation",
        "write",
        "--topic",
        "payments-events",
    ],
    &[
        "revoke",
        "--policy",
        "policy.json",
        "--token-file",
        "token.jwt",
        "--operation",
        "read",
        "--topic",
        "orders-created",
    ],
    &[
        "check",
        "--policy",
        "policy.json",
        "--token-file",
        "token.jwt",
        "--jwks",
        "keys.json",
        "--issuer",
        "https://other.example",
        "--operation",
        "read",
        "--topic",
        "t",
    ],
    &[
        "check",
        "--policy",
        "policy.json",
        "--checks",
        "refused.jsonl",
        "--jwks",
        "keys.json",
    ],
    &[
        "compare",
        "--policy",
        "policy.json",
        "--user",
        "ana",
        "--group",
        "payments-team",
        "--other-user",
        "ben",
    ],
    &[
        "what-if",
        "--policy",
        "policy.json",
        "--token-file",
        "token.jwt",
        "--add-to-group",
        "payments-team",
    ],
    &[
        "collisions",
        "--policy",
        "policy.json",
        "--nested",
        "suffix",
        "--name",
        "/eng/payments-team,/temp/contractors",
    ],
    &[
        "policy",
        "what-if",
        "--policy",
        "policy.json",
        "--token-file",
        "token.jwt",
        "--set",
        "oidc_group_claim_path=$.roles",
    ],
    &["policy", "validate", "policy.json", "invalid.json"],
    &["policy", "lint", "policy.json"],
    &["policy", "fmt", "before.json", "--check"],
    &["policy", "fmt", "-"],
    &["policy", "diff", "before.json", "policy.json"],
    &[
        "policy",
        "diff",
        "--from",
        "before.json",
        "--to",
        "policy.json",
        "--converge",
        "converged.json",
    ],
    &["policy", "import", "before.json"],
    &["policy", "import", "before.json", "--out", "imported.json"],
    &["token", "inspect", "token.jwt", "--jwks", "keys.json"],
    &[
        "doctor",
        "token.jwt",
        "--policy",
        "policy.json",
        "--expect-group",
        "payments-team",
    ],
    &[
        "doctor",
        "denial",
        "kafka-authorizer.log",
        "--policy",
        "policy.json",
    ],
    &["test", "assertions.json"],
    &["import", "policy.json", "--dry-run"],
    &["import", "policy.json", "--no-confirm"],
    &["import", "before.json", "--merge"],
    &["export"],
    &["export", "--out", "exported.json"],
    &["policy", "pull"],
    &["policy", "pull", "--out", "pulled.json"],
    &["policy", "apply", "--changes", "changes.json", "--dry-run"],
    &[
        "policy",
        "apply",
        "--changes",
        "changes.json",
        "--no-confirm",
    ],
    &["ready"],
    &["whoami"],
    &[
        "security",
        "acl",
        "create",
        "--allow-principal",
        "User:x",
        "--operation",
        "read",
        "--topic",
        "t",
        "--dry-run",
    ],
    &[
        "security",
        "acl",
        "create",
        "--allow-principal",
        "User:x",
        "--operation",
        "read",
        "--topic",
        "t",
    ],
    &["security", "acl", "list", "--allow-principal", "User:x"],
    &[
        "security",
        "acl",
        "delete",
        "--allow-principal",
        "User:x",
        "--dry-run",
    ],
    &[
        "security",
        "acl",
        "delete",
        "--allow-principal",
        "User:x",
        "--no-confirm",
    ],
    &["security", "role", "create", "OrdersReaders"],
    &[
        "security",
        "role",
        "assign",
        "OrdersReaders",
        "--principal",
        "User:ana,Group:analytics",
    ],
    &[
        "security",
        "role",
        "unassign",
        "OrdersReaders",
        "--principal",
        "User:ana",
    ],
    &["security", "role", "describe", "PaymentsWriters"],
    &[
        "security",
        "role",
        "describe",
        "PaymentsWriters",
        "--print-members",
    ],
    &["security", "role", "list"],
    &[
        "security",
        "role",
        "delete",
        "OrdersReaders",
        "--no-confirm",
    ],
    &["cluster", "config", "get", "oidc_group_claim_path"],
    &[
        "cluster",
        "config",
        "set",
        "nested_group_behavior",
        "suffix",
    ],
    &["cluster", "config", "list"],
    &["cluster", "loggers", "list"],
    &["cluster", "loggers", "set", "security", "no-such-logger"],
    &["cluster", "license"],
    &["cluster", "license", "set", "valid"],
    &["admin", "config", "log-level", "set", "security"],
    &["backup", "gbac.backup"],
    &["restore", "gbac.backup", "--data", "restored"],
    &["audit", "verify", "--data", "data"],
    &[
        "profile",
        "create",
        "first",
        "--url",
        "https://gbac.example.com",
    ],
    &[
        "profile",
        "create",
        "second",
        "--url",
        "https://gbac.example.com",
        "--user",
        "ana",
    ],
    &["profile", "use", "second"],
    &["profile", "list"],
    &["profile", "current"],
    &["profile", "delete", "first"],
    &["who-can", "--operation", "write", "--topic", "t"],
    &["policy", "lint", "invalid.json"],
];

/// The folder of the examples, with a few more files.
fn files() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for file in fs::read_dir(root().join("examples")).expect("examples") {
        let file = file.expect("a file");
        fs::copy(file.path(), folder.path().join(file.file_name())).expect("a copy");
    }
    let write =
        |name: &str, text: String| fs::write(folder.path().join(name), text).expect("a file");
    let request = json!({ "api": "kafka", "name": "Produce", "resources": { "topic": ["t"] } });
    let request = json!({ "id": 1, "identity": { "user": "ana" }, "request": request });
    write("lines.jsonl", format!("{request}\n{{\"id\": [null]}}\n"));
    let refused = json!({ "token": "a.b", "operation": "read", "resource_type": "topic", "resource_name": "t" });
    write("refused.jsonl", refused.to_string());
    write(
        "invalid.json",
        json!({ "version": 1, "acls": [{}] }).to_string(),
    );
    write(
        "changes.json",
        json!([{ "change": "create_role", "role": "Applied" }]).to_string(),
    );
    folder
}

/// The results that were written: the name of each output, and which of its results it was.
#[derive(Default)]
struct Written(BTreeSet<(String, usize)>);

impl Written {
    fn add(&mut self, args: &[&str], run: &Run) {
        let values = checked(args, run.exit, &run.out);
        assert!(!values.is_empty(), "{args:?}: {}", run.err);
        for (name, value) in values {
            let results = OUTPUTS
                .results_of(&name, &value)
                .unwrap_or_else(|reasons| panic!("{args:?}: {reasons}"));
            self.0
                .extend(results.into_iter().map(|index| (name.clone(), index)));
        }
    }
}

#[test]
fn every_result_that_the_schema_describes_is_written() {
    let (folder, mut written) = (files(), Written::default());
    let provider = Service::start();
    let discovery = format!("{}/demo/idp/.well-known/openid-configuration", provider.url);
    let options = [
        "--oidc-discovery-url",
        discovery.as_str(),
        "--oidc-audience",
        "streams",
    ];
    let service = DataService::start_with(&folder.path().join("data"), Some(PASSWORD), &options);
    let url = service.url();
    let admin = [
        ("GBAC_URL", url.as_str()),
        ("GBAC_USER", "admin"),
        ("GBAC_PASSWORD", PASSWORD),
    ];
    let in_json = |args: &[&'static str]| [args, &["--format", "json"]].concat();
    for call in CALLS {
        let args = in_json(call);
        let done = match call {
            ["policy", "fmt", "-"] => {
                let mut command = program::command();
                command.args(&args);
                let policy =
                    fs::read_to_string(root().join("examples/policy.json")).expect("a file");
                program::run(command, folder.path(), &policy)
            }
            _ => run(&folder, &admin, &args),
        };
        written.add(&args, &done);
    }
    // A caller who may only evaluate gets the decision of the service.
    let mut access: Value =
        serde_json::from_str(&run(&folder, &admin, &["export"]).done()).expect("JSON");
    access["settings"]["access"] = json!({ "evaluate": ["User:maya.okafor"] });
    fs::write(folder.path().join("access.json"), access.to_string()).expect("a file");
    assert_eq!(
        run(&folder, &admin, &["import", "access.json", "--no-confirm"]).exit,
        0
    );
    let token = provider.token();
    let maya = [("GBAC_URL", url.as_str()), ("GBAC_TOKEN", token.as_str())];
    let check = in_json(&[
        "check",
        "--online",
        "--user",
        "ana",
        "--operation",
        "read",
        "--topic",
        "orders",
    ]);
    written.add(&check, &run(&folder, &maya, &check));
    // A cluster of the platform.
    let platform = Platform::start(PlatformOptions::default());
    let cluster = platform.url(PlatformApi::Admin);
    let whoami = in_json(&["whoami"]);
    let of_cluster = [
        ("GBAC_URL", cluster.as_str()),
        ("GBAC_TOKEN", "token-of-admin"),
    ];
    written.add(&whoami, &run(&folder, &of_cluster, &whoami));
    // A cluster of Kafka.
    let broker = Broker::start([read_acl("User:ana", "orders", ALLOW)]);
    let acl = json!({ "principal": "User:ben", "permission_type": "PERMISSION_TYPE_ALLOW", "operation": "OPERATION_READ", "host": "*",
        "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL" });
    let acls = json!([{ "change": "add_acl", "acl": acl }]);
    fs::write(folder.path().join("acls.json"), acls.to_string()).expect("a file");
    let document = json!({ "version": 1, "settings": { "dialect": "kafka" } });
    fs::write(folder.path().join("kafka.json"), document.to_string()).expect("a file");
    for call in [
        &["policy", "apply", "--changes", "acls.json"][..],
        &["import", "kafka.json"],
    ] {
        let servers = ["--bootstrap-servers", &broker.servers];
        let args = [call, &servers, &["--no-confirm", "--format", "json"]].concat();
        written.add(&args, &run(&folder, &[], &args));
    }
    // `watch` has its own tests, whose lines are compared with the schema.
    let described = OUTPUTS.numbers().filter(|(name, _)| *name != "watch");
    let described =
        described.flat_map(|(name, number)| (0..number).map(move |index| (name.to_owned(), index)));
    let missing: Vec<(String, usize)> = described
        .filter(|result| !written.0.contains(result))
        .collect();
    assert!(
        missing.is_empty(),
        "no command of this test writes these results: {missing:?}"
    );
}

//! The platform's own programs on the built service, where a variable names them: nobody can get
//! them from a package registry.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use crate::support::program::{Nobody, program};
use crate::support::service::{Service, run as gbac};
use serde_json::{Value, json};

use super::{ask, fill, self_managed};
use crate::connections::TlsService;

/// The program that a variable names, or a line that says that the test is skipped.
fn named(variable: &str) -> Option<OsString> {
    let found = std::env::var_os(variable);
    if found.is_none() {
        println!("skipped: {variable} names no program");
    }
    found
}

/// Runs a program, which has to succeed.
fn run(binary: &OsString, folder: &Path, arguments: &[&str]) -> String {
    finish(
        program(binary)
            .args(arguments)
            .current_dir(folder)
            .env("HOME", folder),
    )
}

/// Waits for the end of a command, which has to succeed.
fn finish(command: &mut Command) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the program starts");
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(status.success(), "{command:?}: {out}{err}");
    out
}

#[test]
fn the_platforms_command_line_manages_roles_and_properties() {
    let Some(rpk) = named("GBAC_TEST_RPK") else {
        return;
    };
    let service = Service::start();
    let hosts = format!("admin.hosts={}", service.url.trim_start_matches("http://"));
    let sign_in = [
        "-X",
        &hosts,
        "-X",
        "user=admin",
        "-X",
        "pass=demo",
        "-X",
        "sasl.mechanism=SCRAM-SHA-256",
    ];
    let rpk =
        |arguments: &[&str]| run(&rpk, service.folder.path(), &[arguments, &sign_in].concat());
    rpk(&["security", "role", "create", "FromRpk"]);
    rpk(&[
        "security",
        "role",
        "assign",
        "FromRpk",
        "--principal",
        "maya",
    ]);
    assert!(rpk(&["security", "role", "list"]).contains("FromRpk"));
    let members = service.json(&["security", "role", "describe", "FromRpk"])["members"].to_string();
    assert!(members.contains("maya"), "{members}");
    rpk(&[
        "cluster",
        "config",
        "set",
        "nested_group_behavior",
        "suffix",
    ]);
    assert_eq!(
        service.json(&["cluster", "config", "get", "nested_group_behavior"]),
        "suffix"
    );
    rpk(&["cluster", "license", "info"]);
    rpk(&["security", "role", "delete", "FromRpk", "--no-confirm"]);
    assert!(!rpk(&["security", "role", "list"]).contains("FromRpk"));
}

#[test]
fn terraform_accepts_the_exported_resources() {
    let Some(terraform) = named("GBAC_TEST_TERRAFORM") else {
        return;
    };
    let service = Service::start();
    service.run(&["export", "--out", "policy.json"]).done();
    let folder = service.folder.path().join("terraform");
    fs::create_dir(&folder).expect("a folder");
    let manifest = folder.join("policy.tf").display().to_string();
    let written = service.run(&[
        "policy",
        "convert",
        "policy.json",
        "--to",
        "terraform",
        "--out",
        &manifest,
    ]);
    assert_eq!(written.exit, 0, "{}", written.err);
    run(&terraform, &folder, &["init", "-input=false"]);
    run(&terraform, &folder, &["validate"]);
    run(&terraform, &folder, &["fmt", "-check", "-diff"]);
}

/// The names of one service: the provider replaces `://api-` by `://console-` in the address of the
/// Data Plane.
const NAMES: [&str; 2] = ["api-gbac.localhost", "console-gbac.localhost"];

/// Whether a name is this machine.
fn is_here(name: &str) -> bool {
    (name, 0).to_socket_addrs().is_ok_and(|mut found| {
        found
            .next()
            .is_some_and(|address| address.ip().is_loopback())
    })
}

/// Exported resources that Terraform may delete again.
fn deletable(manifest: &str) -> String {
    let mut text = String::new();
    for line in manifest.lines() {
        text.push_str(line);
        text.push('\n');
        if ["redpanda_acl", "redpanda_role"]
            .iter()
            .any(|kind| line.starts_with(&format!("resource \"{kind}\" ")))
        {
            text.push_str("  allow_deletion = true\n");
        }
    }
    text
}

#[test]
fn the_platforms_provider_applies_and_destroys_an_export() {
    let Some(terraform) = named("GBAC_TEST_TERRAFORM") else {
        return;
    };
    if !NAMES.into_iter().all(is_here) {
        println!("skipped: {NAMES:?} are not names of this machine; add them to its hosts file");
        return;
    }
    let (folder, provider) = (tempfile::tempdir().expect("a folder"), Service::start());
    let discovery = format!("{}/demo/idp/.well-known/openid-configuration", provider.url);
    let hosts = NAMES.join(",");
    let flags = [
        "--license",
        "valid",
        "--oidc-discovery-url",
        &discovery,
        "--oidc-audience",
        "streams",
    ];
    let flags = [&flags[..], &["--public-host", &hosts]].concat();
    let service = TlsService::start_with(&folder, &[NAMES[0], NAMES[1], "127.0.0.1"], &flags);
    let authority = service.certificate.display().to_string();
    let own = |args: &[&str]| {
        let caller = [
            ("GBAC_URL", service.url.as_str()),
            ("GBAC_USER", "admin"),
            ("GBAC_PASSWORD", TlsService::PASSWORD),
        ];
        let done = gbac(
            &folder,
            &caller,
            &[args, &["--tls-ca", &authority]].concat(),
        );
        assert_eq!(done.exit, 0, "{args:?}: {}", done.err);
        done.out
    };
    own(&["cluster", "config", "set", "superusers", "maya.okafor"]);

    // Without ACLs of the Schema Registry, whose resource asks the Control Plane of the managed
    // cloud.
    let policy = kafka_part_of_an_export(&folder);
    let folder_of_terraform = folder.path().join("terraform");
    fs::create_dir(&folder_of_terraform).expect("a folder");
    fs::write(folder_of_terraform.join("policy.tf"), deletable(&policy)).expect("a file");
    run(&terraform, &folder_of_terraform, &["init", "-input=false"]);
    let address = service.url.replace("127.0.0.1", NAMES[0]);
    let terraform = |args: &[&str]| {
        let mut command = program(&terraform);
        command
            .args(args)
            .current_dir(&folder_of_terraform)
            .env("HOME", folder.path())
            .env("SSL_CERT_FILE", &authority);
        command.env("REDPANDA_ACCESS_TOKEN", provider.token());
        finish(
            command
                .env("TF_VAR_cluster_api_url", &address)
                .env("TF_VAR_cluster_id", "c1"),
        )
    };
    terraform(&["plan", "-input=false"]);
    terraform(&["apply", "-input=false", "-auto-approve"]);
    own(&["policy", "pull", "--no-settings", "--out", "pulled.json"]);
    own(&["policy", "diff", "kafka.json", "pulled.json", "--exit-code"]);
    terraform(&["plan", "-input=false", "-detailed-exitcode"]);
    terraform(&["destroy", "-input=false", "-auto-approve"]);
    let rest: Value =
        serde_json::from_str(&own(&["policy", "pull", "--no-settings"])).expect("JSON");
    assert!(
        rest.get("acls").is_none_or(|acls| acls == &json!([]))
            && rest.get("roles").is_none_or(|roles| roles == &json!([])),
        "{rest}"
    );
}

/// The roles and the ACLs of Kafka of a cluster: as `kafka.json`, and as resources of the provider.
fn kafka_part_of_an_export(folder: &tempfile::TempDir) -> String {
    let source = self_managed();
    fill(&source);
    source
        .state()
        .acls
        .retain(|acl| !["SUBJECT", "REGISTRY"].contains(&acl.resource_type.as_str()));
    let url = source.url(gbac_tests::platform::PlatformApi::DataPlane);
    let command = |args: &[&str]| {
        let done = gbac(
            folder,
            &[("GBAC_URL", &url), ("GBAC_TOKEN", "token-of-admin")],
            args,
        );
        assert_eq!(done.exit, 0, "{args:?}: {}", done.err);
    };
    command(&["policy", "pull", "--no-settings", "--out", "kafka.json"]);
    command(&[
        "policy",
        "convert",
        "kafka.json",
        "--to",
        "terraform",
        "--out",
        "kafka.tf",
    ]);
    fs::read_to_string(folder.path().join("kafka.tf")).expect("a file")
}

#[test]
fn the_resources_of_an_export_can_be_made_deletable() {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = kafka_part_of_an_export(&folder);
    let resources = |kind: &str| manifest.matches(&format!("resource \"{kind}\" ")).count();
    let (acls, roles) = (resources("redpanda_acl"), resources("redpanda_role"));
    assert_eq!(
        (acls, roles, resources("redpanda_schema_registry_acl")),
        (6, 3, 0),
        "{manifest}"
    );
    let file = hcl::parse(&deletable(&manifest)).expect("HCL");
    let deletable = file.blocks().filter(|block| {
        block
            .body()
            .attributes()
            .any(|attribute| attribute.key() == "allow_deletion")
    });
    assert_eq!(deletable.count(), acls + roles);
}

/// The platform's console, as a running program.
struct Console {
    child: Child,
    url: String,
    /// What it says, to the end: without a reader it would end.
    _output: Lines<BufReader<ChildStdout>>,
}

impl Console {
    /// Starts it with a configuration that names our service as Admin API, and a broker that is not
    /// there.
    fn start(binary: &OsString, service: &Service) -> Self {
        let nobody = Nobody::there().url();
        // It cannot choose a port and say which.
        let free = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a port");
        let config = service.file("console.yaml");
        fs::write(
            &config,
            Self::configuration(
                &service.url,
                nobody.trim_start_matches("http://"),
                free.port(),
            ),
        )
        .expect("a file");
        let mut command = program(binary);
        command
            .arg("-config.filepath")
            .arg(&config)
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("the console starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let heard: Vec<String> = lines
            .by_ref()
            .map_while(Result::ok)
            .take_while(|_| TcpStream::connect(free).is_err())
            .collect();
        let console = Self {
            child,
            url: format!("http://{free}"),
            _output: lines,
        };
        assert!(TcpStream::connect(free).is_ok(), "{}", heard.join("\n"));
        console
    }

    fn configuration(admin: &str, broker: &str, port: u16) -> String {
        let config = json!({
            "kafka": { "brokers": [broker], "startup": { "establishConnectionEagerly": false } },
            "redpanda": { "adminApi": { "enabled": true, "urls": [admin],
                "authentication": { "basic": { "username": "admin", "password": "demo" } } } },
            "server": { "listenAddress": "127.0.0.1", "listenPort": port },
        });
        // JSON is YAML.
        config.to_string()
    }

    fn call(&self, method: &str, message: &Value) -> (u16, Value) {
        let path = format!("/redpanda.api.console.v1alpha1.SecurityService/{method}");
        ask(
            &self.url,
            "POST",
            &path,
            "",
            &json!({ "request": message }).to_string(),
        )
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_platforms_console_manages_roles() {
    let Some(binary) = named("GBAC_TEST_CONSOLE") else {
        return;
    };
    let service = Service::start();
    let console = Console::start(&binary, &service);
    let call = |method: &str, message: Value| {
        let (status, answer) = console.call(method, &message);
        assert_eq!(status, 200, "{method}: {answer}");
        answer["response"].clone()
    };
    call("CreateRole", json!({ "role": { "name": "FromConsole" } }));
    call(
        "UpdateRoleMembership",
        json!({ "roleName": "FromConsole", "add": [{ "principal": "User:maya" }] }),
    );
    let members =
        || service.json(&["security", "role", "describe", "FromConsole"])["members"].to_string();
    assert!(members().contains("maya"), "{}", members());
    // A version that uses version 1 of the Admin API cannot add a group, and has to say so.
    let group = json!({ "roleName": "FromConsole", "add": [{ "principal": "Group:eng" }] });
    let (status, answer) = console.call("UpdateRoleMembership", &group);
    assert_eq!(
        status == 200,
        members().contains("\"Group\""),
        "{status} {answer}: {}",
        members()
    );
    assert!(
        call("ListRoles", json!({}))["roles"]
            .to_string()
            .contains("FromConsole")
    );
    call("DeleteRole", json!({ "roleName": "FromConsole" }));
    assert!(
        !service
            .json(&["security", "role", "list"])
            .to_string()
            .contains("FromConsole")
    );
}

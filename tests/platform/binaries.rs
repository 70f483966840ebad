//! The platform's own programs on the built service, where a variable names them: nobody can get them from a package registry.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Output;

use gbac_tests::program::program;
use gbac_tests::service::Service;

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
    let Output { status, stdout, stderr } =
        program(binary).args(arguments).current_dir(folder).env("HOME", folder).output().expect("the program starts");
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(status.success(), "{arguments:?}: {out}{err}");
    out
}

#[test]
fn the_platforms_command_line_manages_roles_and_properties() {
    let Some(rpk) = named("GBAC_TEST_RPK") else { return };
    let service = Service::start();
    let hosts = format!("admin.hosts={}", service.url.trim_start_matches("http://"));
    let sign_in = ["-X", &hosts, "-X", "user=admin", "-X", "pass=demo", "-X", "sasl.mechanism=SCRAM-SHA-256"];
    let rpk = |arguments: &[&str]| run(&rpk, service.folder.path(), &[arguments, &sign_in].concat());
    rpk(&["security", "role", "create", "FromRpk"]);
    rpk(&["security", "role", "assign", "FromRpk", "--principal", "maya"]);
    assert!(rpk(&["security", "role", "list"]).contains("FromRpk"));
    let members = service.json(&["security", "role", "describe", "FromRpk"])["members"].to_string();
    assert!(members.contains("maya"), "{members}");
    rpk(&["cluster", "config", "set", "nested_group_behavior", "suffix"]);
    assert_eq!(service.json(&["cluster", "config", "get", "nested_group_behavior"]), "suffix");
    rpk(&["cluster", "license", "info"]);
    rpk(&["security", "role", "delete", "FromRpk", "--no-confirm"]);
    assert!(!rpk(&["security", "role", "list"]).contains("FromRpk"));
}

#[test]
fn terraform_accepts_the_exported_resources() {
    let Some(terraform) = named("GBAC_TEST_TERRAFORM") else { return };
    let service = Service::start();
    service.run(&["export", "--out", "policy.json"]).done();
    let folder = service.folder.path().join("terraform");
    fs::create_dir(&folder).expect("a folder");
    let manifest = folder.join("policy.tf").display().to_string();
    let written = service.run(&["policy", "convert", "policy.json", "--to", "terraform", "--out", &manifest]);
    assert_eq!(written.exit, 0, "{}", written.err);
    run(&terraform, &folder, &["init", "-input=false"]);
    run(&terraform, &folder, &["validate"]);
    run(&terraform, &folder, &["fmt", "-check", "-diff"]);
}

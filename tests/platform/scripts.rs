//! The scripts of `gbac policy convert --to curl`, run with `curl` against the platform.

use std::fs;

use crate::support::program::program;
use crate::support::service::run;
use gbac_tests::platform::{Platform, PlatformApi};
use tempfile::TempDir;

use super::{fill, self_managed};

fn curl(platform: &Platform, folder: &TempDir, script: &str) -> Option<bool> {
    let is_there = program("curl").arg("--version").output().is_ok();
    if !is_there {
        println!("skipped: there is no curl");
        return None;
    }
    let mut command = program("sh");
    command
        .arg(script)
        .current_dir(folder.path())
        .env("GBAC_TOKEN", "token-of-admin");
    command.env("GBAC_URL", platform.url(PlatformApi::DataPlane));
    command.env("GBAC_ADMIN_URL", platform.url(PlatformApi::Admin));
    let done = command.output().expect("sh starts");
    print!("{}", String::from_utf8_lossy(&done.stderr));
    Some(done.status.success())
}

#[test]
fn a_script_makes_exactly_the_policy_and_takes_it_away() {
    let source = self_managed();
    fill(&source);
    let properties = |platform: &Platform| platform.state().properties.clone();
    source
        .state()
        .properties
        .insert("nested_group_behavior".into(), "suffix".into());
    let folder = tempfile::tempdir().expect("a folder");
    let command = |args: &[&str]| {
        let (data, admin) = (
            source.url(PlatformApi::DataPlane),
            source.url(PlatformApi::Admin),
        );
        let args: Vec<&str> = args
            .iter()
            .map(|arg| if *arg == "ADMIN" { admin.as_str() } else { arg })
            .collect();
        let done = run(
            &folder,
            &[("GBAC_URL", &data), ("GBAC_TOKEN", "token-of-admin")],
            &args,
        );
        assert_eq!(done.exit, 0, "{}", done.err);
    };
    command(&[
        "policy",
        "pull",
        "--admin-url",
        "ADMIN",
        "--out",
        "wanted.json",
    ]);
    command(&[
        "policy",
        "convert",
        "wanted.json",
        "--to",
        "curl",
        "--out",
        "make.sh",
    ]);
    let target = self_managed();
    let Some(is_done) = curl(&target, &folder, "make.sh") else {
        return;
    };
    assert!(is_done);
    assert_eq!(target.state().acls, source.state().acls);
    assert_eq!(target.state().roles, source.state().roles);
    assert_eq!(properties(&target), properties(&source));
    assert_eq!(
        curl(&target, &folder, "make.sh"),
        Some(true),
        "it can be run again"
    );
    assert_eq!(target.state().acls, source.state().acls);

    fs::write(folder.path().join("empty.json"), r#"{"version":1}"#).expect("a file");
    command(&[
        "policy",
        "convert",
        "empty.json",
        "--from",
        "wanted.json",
        "--to",
        "curl",
        "--out",
        "unmake.sh",
    ]);
    assert_eq!(curl(&target, &folder, "unmake.sh"), Some(true));
    assert!(
        target.state().acls.is_empty() && target.state().roles.is_empty(),
        "{:?}",
        target.state()
    );
}

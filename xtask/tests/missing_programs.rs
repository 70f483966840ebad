//! Without Rust, a JDK, Maven or Go, the commands and checks that need it say in one line what is
//! missing.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with links to all programs in `PATH` but these. It is removed at the end.
struct Programs(PathBuf);

impl Programs {
    fn without(missing: &[&str]) -> Self {
        let name = format!("gbac-without-{}-{}", missing.join("-"), std::process::id());
        let folder = env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        let mut known: BTreeSet<_> = missing.iter().map(Into::into).collect();
        for dir in env::split_paths(&env::var_os("PATH").unwrap()) {
            for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
                if known.insert(entry.file_name()) {
                    symlink(entry.path(), folder.join(entry.file_name())).unwrap();
                }
            }
        }
        Self(folder)
    }

    fn call(&self, args: &[&str], is_hosted: bool) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command
            .args(args)
            .env("PATH", &self.0)
            .env_remove("JAVA_HOME")
            .env_remove("CI");
        if is_hosted {
            command.env("CI", "true");
        }
        command
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
            .output()
            .unwrap()
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// The lines about the plugin in what a command printed.
fn lines(output: &Output) -> Vec<String> {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8(text).unwrap();
    text.lines()
        .filter(|line| line.contains("not installed:"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_hosted_workflow_never_skips_a_check_without_its_program() {
    for (program, check) in [("go", "clients-go"), ("python3", "openapi")] {
        let output = Programs::without(&[program]).call(&["test", "--only", check], true);
        assert!(!output.status.success());
        let text = String::from_utf8([&output.stdout[..], &output.stderr[..]].concat()).unwrap();
        let missing = text.lines().filter(|line| {
            let line = line.to_lowercase();
            line.contains(&format!("{program} is not installed"))
        });
        assert_eq!(missing.count(), 1, "{text}");
    }
}

#[test]
fn a_step_that_fails_ends_as_failed() {
    let output = Programs::without(&["rustc"]).call(&["build-abi"], false);
    assert!(!output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    let mut lines = text.lines().map(str::trim);
    let step = lines.find(|line| line.starts_with("rust "));
    assert!(step.is_some_and(|line| line.contains("FAILED")), "{text}");
    assert!(
        lines.any(|line| line == "error: rustc does not run"),
        "{text}"
    );
}

#[test]
fn one_line_names_what_is_missing() {
    for missing in [&["javac", "java", "mvn"][..], &["mvn"], &["javac", "java"]] {
        let programs = Programs::without(missing);
        // Without Java on this machine, it is missing, too.
        let expected = |line: &str| {
            let (_, names) = line.split_once("not installed: ").unwrap();
            missing
                .iter()
                .all(|name| names.split(", ").any(|found| found == *name))
        };
        for args in [&["build-kafka"][..], &["kafka"], &["bench", "--kafka"]] {
            let output = programs.call(args, false);
            assert!(!output.status.success(), "{args:?} without {missing:?}");
            let lines = lines(&output);
            assert!(
                matches!(&lines[..], [line] if line.starts_with("error: ") && expected(line)),
                "{args:?}: {lines:?}"
            );
        }
        let check = ["test", "--only", "kafka"];
        let output = programs.call(&check, false);
        assert!(
            output.status.success(),
            "the check without {missing:?}: {output:?}"
        );
        assert!(
            matches!(&lines(&output)[..], [line] if expected(line)),
            "{output:?}"
        );
        let hosted = programs.call(&check, true);
        assert!(
            !hosted.status.success(),
            "a hosted workflow without {missing:?}"
        );
        assert!(
            lines(&hosted).iter().any(|line| expected(line)),
            "{hosted:?}"
        );
    }
}

//! TAB and Enter in real shells: no name of a document, service or folder runs, or becomes
//! something else.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::support::program::{self, gbac, program};
use crate::support::service::run;
use serde_json::json;
use tempfile::TempDir;

/// Names that need no quoting in any shell.
const PLAIN: [&str; 6] = [
    "payments-team",
    "eng.eu_1",
    "a/b/c",
    "urn:team:7",
    "ana@example.com",
    "équipe",
];
/// Names that a shell interprets, and that one which quotes can insert.
const QUOTABLE: [&str; 28] = [
    "x;touch owned",
    "x&touch owned",
    "x|touch owned",
    "x$(touch owned)",
    "$(touch owned)",
    "x`touch owned`",
    "`touch owned`",
    "x';touch owned;'",
    "x>owned",
    "x<(touch owned)",
    "(touch owned)",
    "!!",
    "!touch",
    "x!touch",
    "^touch^x",
    "*",
    "x*",
    "[a-z]*",
    "?",
    " leading",
    "two words",
    "{a}",
    "x\\",
    "\\$(touch owned)",
    "=ls",
    "#x",
    "%self",
    "$HOME",
];
/// Names that are offered nowhere.
const REFUSED: [&str; 16] = [
    "~",
    "~root",
    "x\";touch owned;\"",
    "x,$(touch owned)",
    "{a,b}",
    "-rf",
    "--no-confirm",
    "@x",
    "x\ntouch owned\n",
    "x\rtouch owned\r",
    "x\u{b}y",
    "x\ttouch owned",
    "x\u{1b}[2Jy",
    "x\u{3}touch owned\u{d}",
    "a\u{202e}b",
    "a\u{a0}b",
];

/// A policy whose only group has this name.
fn policy_of(group: &str) -> String {
    let acl = json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "host": "*",
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": format!("Group:{group}"),
        "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" });
    json!({ "version": 1, "acls": [acl] }).to_string()
}

/// An interactive shell with the completions of `gbac`, whose `gbac` writes down its arguments.
struct Shell {
    name: &'static str,
    folder: TempDir,
    child: Child,
    keys: ChildStdin,
    screen: Receiver<Vec<u8>>,
    seen: String,
}

impl Shell {
    /// Starts it on a terminal of its own; `None` with a line if it is not installed.
    fn start(name: &'static str) -> Option<Self> {
        let is_there = |name: &str| program(name).arg("--version").output().is_ok();
        if let Some(missing) = ["script", name].into_iter().find(|name| !is_there(name)) {
            println!("{missing} is not installed: completions are not tested in {name}");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str| folder.path().join(name);
        let script = run(&folder, &[], &["completions", name]).done();
        let prompt = match name {
            "fish" => "function fish_prompt; echo -n 'ready> '; end\n",
            "zsh" => "autoload -U compinit; compinit -D -u; PROMPT='ready> '\n",
            _ => "PS1='ready> '\n",
        };
        fs::write(file(".zshrc"), format!("{prompt}{script}")).expect("a file");
        let recorder = format!(
            "#!/bin/sh\n[ -n \"$GBAC_COMPLETE\" ] && exec '{}' \"$@\"\nprintf '<%s>' \"$@\" >args\nprintf 'line %s ended\\n' \"$1\"\n",
            gbac().display()
        );
        fs::create_dir(file("bin")).expect("a folder");
        fs::write(file("bin/gbac"), recorder).expect("a file");
        fs::set_permissions(file("bin/gbac"), fs::Permissions::from_mode(0o755)).expect("rights");
        let start = match name {
            "fish" => "fish --no-config --interactive --init-command 'source .zshrc'",
            "zsh" => "zsh -i",
            _ => "bash --rcfile .zshrc -i",
        };
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = program("script");
        command
            .args(["--quiet", "--return", "--command", start, "/dev/null"])
            .current_dir(folder.path());
        command
            .env("PATH", format!("{}:{path}", file("bin").display()))
            .env("GBAC_POLICY", "policy.json");
        command.envs([
            ("HOME", folder.path()),
            ("ZDOTDIR", folder.path()),
            ("XDG_CONFIG_HOME", folder.path()),
        ]);
        command.envs([
            ("TERM", "dumb"),
            ("LC_ALL", "C.UTF-8"),
            ("SHELL", "/bin/sh"),
        ]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("a shell");
        let keys = child.stdin.take().expect("keys");
        let mut output = child.stdout.take().expect("a screen");
        let (sent, screen) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = output.read(&mut bytes) {
                if sent.send(bytes[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        let mut shell = Self {
            name,
            folder,
            child,
            keys,
            screen,
            seen: String::new(),
        };
        shell.wait_for("ready> ");
        Some(shell)
    }

    /// Waits until the screen shows a text, and forgets it.
    fn wait_for(&mut self, text: &str) {
        while !self.seen.contains(text) {
            let more = self.screen.recv_timeout(Duration::from_secs(120));
            let more =
                more.unwrap_or_else(|_| panic!("{}: no `{text}` in {:?}", self.name, self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&more));
        }
        let end = self.seen.find(text).expect("it is there") + text.len();
        self.seen.drain(..end);
    }

    /// The arguments after the first one with which `gbac` ran, when the line began so and then
    /// came TAB and Enter.
    fn completed(&mut self, line: &str) -> String {
        write!(self.keys, "gbac check {line}\t\r").expect("keys");
        self.keys.flush().expect("keys");
        self.wait_for("line check ended");
        self.wait_for("ready> ");
        let owned = self.folder.path().join("owned");
        assert!(!owned.exists(), "{}: a name ran as a command", self.name);
        fs::read_to_string(self.folder.path().join("args")).expect("arguments")
    }

    fn of_group(&mut self, group: &str) -> String {
        fs::write(self.folder.path().join("policy.json"), policy_of(group)).expect("a file");
        self.completed("--group ")
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Completes every name in a shell, as a group and as a file.
fn tab_runs_nothing(name: &'static str) {
    let Some(mut shell) = Shell::start(name) else {
        return;
    };
    let quotes = name != "bash";
    let nothing = "<check><--group>";
    for group in PLAIN {
        assert_eq!(
            shell.of_group(group),
            format!("{nothing}<{group}>"),
            "{name}"
        );
    }
    for group in QUOTABLE {
        let expected = if quotes {
            format!("{nothing}<{group}>")
        } else {
            nothing.to_owned()
        };
        assert_eq!(shell.of_group(group), expected, "{name}: {group:?}");
    }
    for group in REFUSED {
        assert_eq!(shell.of_group(group), nothing, "{name}: {group:?}");
    }
    for file in [
        "plain.json",
        "x;touch owned",
        "x$(touch owned)",
        "`touch owned`",
        "two words",
        "*",
        "x\ntouch owned",
    ] {
        let folder = shell.folder.path().join("files");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join(file), "").expect("a file");
        let done = shell.completed("--policy files/");
        let is_offered = file == "plain.json" || (quotes && !file.contains('\n'));
        let expected = if is_offered {
            format!("<check><--policy><files/{file}>")
        } else {
            "<check><--policy><files/>".into()
        };
        assert_eq!(done, expected, "{name}: {file:?}");
        fs::remove_dir_all(&folder).expect("removed");
    }
}

#[test]
fn tab_and_enter_run_nothing_in_bash() {
    tab_runs_nothing("bash");
}

#[test]
fn tab_and_enter_run_nothing_in_zsh() {
    tab_runs_nothing("zsh");
}

#[test]
fn tab_and_enter_run_nothing_in_fish() {
    tab_runs_nothing("fish");
}

/// The candidates as the scripts of shells that are rarely installed get them.
fn offered(folder: &TempDir, shell: &str, path: &Path) -> String {
    // The scripts tell the place of the word and the separator in variables of the process.
    let mut command = program::process();
    command
        .args(["--", "gbac", "check", "--group", ""])
        .env("GBAC_COMPLETE", shell)
        .env("GBAC_POLICY", path);
    command
        .env("_CLAP_COMPLETE_INDEX", "3")
        .env("_CLAP_IFS", "\n");
    program::run_program(command, folder.path()).done()
}

#[test]
fn shells_that_quote_nothing_are_offered_only_plain_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("policy.json");
    for shell in ["bash", "elvish", "powershell"] {
        for group in PLAIN {
            fs::write(&file, policy_of(group)).expect("a file");
            assert_eq!(offered(&folder, shell, &file).trim_end(), group, "{shell}");
        }
        for group in QUOTABLE.iter().chain(&REFUSED) {
            fs::write(&file, policy_of(group)).expect("a file");
            // PowerShell reads a backslash as one.
            let expected = if shell == "powershell" && *group == "x\\" {
                *group
            } else {
                ""
            };
            assert_eq!(
                offered(&folder, shell, &file).trim_end(),
                expected,
                "{shell}: {group:?}"
            );
        }
    }
}

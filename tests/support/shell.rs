//! Runs the commands that a page shows, as somebody does who follows it: one after the other in one
//! shell and one folder.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::program::{gbac, program};

/// The address at which pages show a service.
const SHOWN: &str = "127.0.0.1:8420";

/// A shell that keeps its variables and its folder between commands, and ends its service.
#[derive(Debug)]
pub(crate) struct Shell {
    folder: PathBuf,
    environment: Vec<(String, String)>,
    /// Variables and the folder after the last command, outside the folder of the commands.
    state: TempDir,
    service: Option<Background>,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) exit: Option<i32>,
    /// Standard output and standard error, in the order in which they were written.
    pub(crate) text: String,
}

/// A service that runs until this is dropped.
#[derive(Debug)]
struct Background {
    shell: Child,
    /// The ID of its process.
    id: String,
    /// The address at which it listens.
    address: String,
}

impl Drop for Background {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = program("kill").args(["-KILL", &self.id]).status();
        let _ = self.shell.wait();
    }
}

impl Shell {
    /// A shell in a folder, with these variables.
    #[must_use]
    pub(crate) fn new(folder: &Path, environment: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self {
            folder: folder.to_owned(),
            environment: environment.iter().map(owned).collect(),
            state: tempfile::tempdir().expect("a folder"),
            service: None,
        }
    }

    /// Runs a command to its end. A service continues after it listens, until the next service or
    /// the end of the shell; `watch` ends with Ctrl-C.
    pub(crate) fn run(&mut self, command: &str) -> Finished {
        if is_service(command) {
            return self.start(command);
        }
        let here = match &self.service {
            Some(service) => command.replace(SHOWN, &service.address),
            None => command.to_owned(),
        };
        if here.starts_with("gbac watch") {
            return self.watch(&here);
        }
        let state = self.state.path().join("state");
        let state = state.display();
        // Without a URL, commands call the service at the address that pages show.
        let url = self.service.as_ref().map(|service| &service.address);
        let url = url.map_or_else(String::new, |address| format!("GBAC_URL=http://{address}"));
        // The variables that a command sets are there for the next one.
        let script = format!(
            "exec 2>&1; set -a; if [ -f '{state}' ]; then . '{state}'; fi; {url}\n{here}\n\
             code=$?; export -p >'{state}'; echo \"cd '$PWD'\" >>'{state}'; exit $code"
        );
        let done = self.command(&script).output().expect("a shell");
        let mut text = String::from_utf8_lossy(&done.stdout).into_owned();
        if let Some(service) = &self.service {
            text = text.replace(&service.address, SHOWN);
        }
        Finished {
            exit: done.status.code(),
            text,
        }
    }

    /// A shell with a script, without input, with the built `gbac` in its path.
    fn command(&self, script: &str) -> Command {
        let built = gbac();
        let built = built.parent().expect("a folder").display();
        let path = std::env::var("PATH").expect("a path");
        let mut command = program("sh");
        command
            .args(["-c", script])
            .current_dir(&self.folder)
            .env("PATH", format!("{built}:{path}"))
            .env("XDG_CONFIG_HOME", self.state.path())
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::null());
        command
    }

    /// Starts a service at a free port, instead of the last one.
    fn start(&mut self, command: &str) -> Finished {
        self.service = None;
        let state = self.state.path().join("state");
        let state = state.display();
        let script = format!(
            "set -a; if [ -f '{state}' ]; then . '{state}'; fi\n{command} --listen 127.0.0.1:0 2>&1 & echo $!; wait"
        );
        let mut shell = self
            .command(&script)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let pipe = shell.stdout.take().expect("a pipe");
        let mut lines = BufReader::new(pipe).lines().map_while(Result::ok);
        let mut service = Background {
            shell,
            id: lines.next().expect("the ID of a process"),
            address: String::new(),
        };
        let mut text = String::new();
        while service.address.is_empty() {
            let Some(line) = lines.next() else {
                return Finished { exit: None, text };
            };
            text.push_str(&line);
            text.push('\n');
            if let Some((_, url)) = line.split_once("listening on ") {
                url.rsplit('/')
                    .next()
                    .unwrap_or_default()
                    .clone_into(&mut service.address);
            }
        }
        // Nobody reads the rest; a full pipe must not stop the service.
        std::thread::spawn(move || lines.for_each(drop));
        let text = text.replace(&service.address, SHOWN);
        self.service = Some(service);
        Finished {
            exit: Some(0),
            text,
        }
    }

    /// Ends `watch` once it watches.
    fn watch(&self, command: &str) -> Finished {
        let mut child = self
            .command(&format!("exec {command} 2>&1"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let pipe = child.stdout.take().expect("a pipe");
        let mut lines = BufReader::new(pipe).lines().map_while(Result::ok);
        let text = lines.next().unwrap_or_default();
        assert!(text.starts_with("Watching http"), "{command}\n{text}");
        let id = child.id().to_string();
        let interrupted = program("kill").args(["-INT", &id]).status();
        assert!(interrupted.expect("kill").success());
        Finished {
            exit: child.wait().expect("it ends").code(),
            text,
        }
    }
}

/// Whether a command starts a service, perhaps with variables before it.
fn is_service(command: &str) -> bool {
    let starts = command.starts_with("gbac serve ") || command.contains(" gbac serve ");
    starts && !command.contains("--check-config") && !command.contains("--help")
}

/// The exit code that a comment states: `(exits with 2)`; otherwise 0.
#[must_use]
pub(crate) fn stated_exit(comment: &str) -> i32 {
    let code = comment
        .split_once("(exits with ")
        .and_then(|(_, rest)| rest.split_once(')'));
    code.map_or(0, |(code, _)| code.parse().expect("an exit code"))
}

/// Copies the files of a folder.
pub(crate) fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("a file").path();
        fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("a copy");
    }
}

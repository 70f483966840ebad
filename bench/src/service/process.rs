//! The measured service: a process on loopback that is killed when dropped.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::Result;

/// The password of the user `admin`.
pub(super) const PASSWORD: &str = "a-password-of-no-account";

/// Basic credentials (RFC 7617).
pub(super) fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

/// A running service.
pub(super) struct Service {
    child: Child,
    address: String,
}

impl Service {
    /// Starts with a data folder and waits until it listens.
    pub(super) fn start(gbac: &Path, data: &Path, flags: &[&str]) -> Result<Self> {
        let mut command = Command::new(gbac);
        command.args(["serve", "--data"]).arg(data).args(flags);
        Self::spawn(&mut command)
    }

    /// Starts a demo, whose identity provider issues tokens.
    pub(super) fn demo(gbac: &Path) -> Result<Self> {
        Self::spawn(Command::new(gbac).args(["serve", "--demo"]))
    }

    fn spawn(command: &mut Command) -> Result<Self> {
        let command = command
            .args(["--listen", "127.0.0.1:0"])
            .env("GBAC_ADMIN_PASSWORD", PASSWORD);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let out = child.stdout.take().ok_or("no standard output")?;
        let mut service = Self {
            child,
            address: String::new(),
        };
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let address = line
            .trim()
            .strip_prefix("listening on http://")
            .ok_or("the service did not start")?;
        service.address = address.to_owned();
        Ok(service)
    }

    /// The listen address.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// The used processor time, in nanoseconds.
    pub(super) fn cpu(&self) -> Result<f64> {
        // Linux reports it in hundredths of a second to all programs (`USER_HZ`).
        const TICK: f64 = 1e7;
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let (_, fields) = stat.rsplit_once(')').ok_or("no name in its state")?;
        let ticks = fields
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(str::parse::<f64>);
        Ok(ticks.sum::<std::result::Result<f64, _>>()? * TICK)
    }

    /// Waits until it works on nothing: after its clients have gone, it can still be busy with what
    /// they asked for.
    ///
    /// # Errors
    /// It is still busy after two minutes.
    pub(super) fn wait_until_idle(&self) -> Result<()> {
        const PAUSE: Duration = Duration::from_millis(500);
        const PAUSES: usize = 240;
        /// The processor time in a pause, in nanoseconds, of a service that works on nothing.
        const IDLE: f64 = 2e7;
        for _ in 0..PAUSES {
            let before = self.cpu()?;
            thread::sleep(PAUSE);
            if self.cpu()? - before <= IDLE {
                return Ok(());
            }
        }
        Err("the service is busy although nobody asks it anything".into())
    }

    /// The used memory in bytes.
    pub(super) fn memory(&self) -> Result<u64> {
        self.status("VmRSS:")
    }

    /// The peak memory in bytes.
    pub(super) fn peak_memory(&self) -> Result<u64> {
        self.status("VmHWM:")
    }

    fn status(&self, name: &str) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .ok_or("no memory in its status")?;
        let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
        Ok(kibibytes * 1024)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already; acknowledged changes are stored in any case.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

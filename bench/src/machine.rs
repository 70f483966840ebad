//! The machine of a run. Undetectable values are `unknown`.

use std::fs;
use std::thread::available_parallelism;

use serde::{Deserialize, Serialize};

/// A value that cannot be detected.
const UNKNOWN: &str = "unknown";

/// The machine and the versions of the measured programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's model.
    pub cpu: String,
    /// The number of threads that can run concurrently.
    pub cores: usize,
    /// The memory in bytes; 0 if unknown.
    pub memory_bytes: u64,
    /// The operating system, its kernel, and the processor's architecture.
    pub os: String,
    /// The compiler.
    pub rust: String,
    /// Node.js.
    pub node: String,
    /// The average number of running programs in the last minute; more than one means a busy
    /// machine.
    pub load: String,
}

impl Machine {
    /// Detects this machine; the caller passes the versions of the tools.
    #[must_use]
    pub fn look(rust: String, node: String) -> Self {
        let memory = after(&read("/proc/meminfo"), "MemTotal:")
            .and_then(|text| text.split(' ').next()?.parse().ok());
        let system = after(&read("/etc/os-release"), "PRETTY_NAME=")
            .map(|name| name.trim_matches('"').to_owned());
        let kernel = read("/proc/sys/kernel/osrelease");
        Self {
            cpu: after(&read("/proc/cpuinfo"), "model name\t:")
                .unwrap_or_else(|| UNKNOWN.to_owned()),
            cores: available_parallelism().map_or(1, usize::from),
            memory_bytes: memory.map_or(0, |kibibytes: u64| kibibytes * 1024),
            os: format!(
                "{}, {} {}",
                system.unwrap_or_else(|| std::env::consts::OS.to_owned()),
                kernel.trim(),
                std::env::consts::ARCH
            ),
            rust,
            node,
            load: match read("/proc/loadavg").split(' ').next() {
                Some(load) if !load.is_empty() => load.to_owned(),
                _ => UNKNOWN.to_owned(),
            },
        }
    }

    /// Describes the machine in one line.
    #[must_use]
    pub fn line(&self) -> String {
        let Self {
            cpu,
            cores,
            memory_bytes,
            os,
            rust,
            node,
            load,
        } = self;
        let gibibytes = memory_bytes.div_ceil(1 << 30);
        format!("{cpu}, {cores} cores, {gibibytes} GiB, {os}; {rust}, Node {node}; load {load}")
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The rest of the line that begins with `label`.
fn after(text: &str, label: &str) -> Option<String> {
    text.lines()
        .find_map(|line| Some(line.strip_prefix(label)?.trim().to_owned()))
}

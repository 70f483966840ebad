//! The machine that a run was made on; what cannot be found out is called `unknown`.

use std::fs;
use std::thread::available_parallelism;

use serde::{Deserialize, Serialize};

/// The machine and the versions of what ran on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's model.
    pub cpu: String,
    /// How many threads can run at the same time.
    pub cores: usize,
    /// The memory, in bytes; 0 where unknown.
    pub memory_bytes: u64,
    /// The operating system, its kernel, and the processor's architecture.
    pub os: String,
    /// The compiler.
    pub rust: String,
    /// Node.js.
    pub node: String,
    /// How many programs were running on average in the minute before the end: more than one means a busy machine.
    pub load: String,
}

impl Machine {
    /// Looks at this machine; the versions come from whoever called the tools.
    #[must_use]
    pub fn look(rust: String, node: String) -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let unknown = || "unknown".to_owned();
        let memory = after(&read("/proc/meminfo"), "MemTotal:").and_then(|text| text.split(' ').next()?.parse().ok());
        let system = after(&read("/etc/os-release"), "PRETTY_NAME=").map(|name| name.trim_matches('"').to_owned());
        let kernel = read("/proc/sys/kernel/osrelease");
        Self {
            cpu: after(&read("/proc/cpuinfo"), "model name\t:").unwrap_or_else(unknown),
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
            load: read("/proc/loadavg")
                .split(' ')
                .next()
                .filter(|text| !text.is_empty())
                .map_or_else(unknown, str::to_owned),
        }
    }

    /// The machine in one line.
    #[must_use]
    pub fn line(&self) -> String {
        let Self { cpu, cores, memory_bytes, os, rust, node, load } = self;
        let gibibytes = memory_bytes.div_ceil(1 << 30);
        format!("{cpu}, {cores} cores, {gibibytes} GiB, {os}; {rust}, Node {node}; load {load}")
    }
}

/// What stands on the line that begins with `label`.
fn after(text: &str, label: &str) -> Option<String> {
    text.lines().find_map(|line| Some(line.strip_prefix(label)?.trim().to_owned()))
}

//! Sends requests with wrk, a load generator that costs less than the measured service: one thread,
//! several connections, each of which sends the next request after each response.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::credentials;
use super::process::Service;
use crate::Result;

/// A request that is sent repeatedly.
pub(super) struct Load {
    script: Option<PathBuf>,
    path: &'static str,
}

/// The result of a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outcome {
    /// The number of requests.
    pub(super) requests: f64,
    /// The time for each of them, in nanoseconds: that of the whole load, divided by its requests.
    pub(super) each: f64,
    /// The 99th percentile of the time until a response, in nanoseconds.
    pub(super) p99: f64,
    /// The processor time of the service for each of them, in nanoseconds.
    pub(super) cpu: f64,
}

impl Load {
    /// A GET request.
    pub(super) const fn get(path: &'static str) -> Self {
        Self { script: None, path }
    }

    /// A POST request with a JSON body and the credentials of the service; `folder` stores wrk's
    /// script.
    pub(super) fn post(
        folder: &Path,
        name: &str,
        path: &'static str,
        body: &Value,
    ) -> Result<Self> {
        let mut script = String::from("wrk.method = \"POST\"\n");
        for (header, value) in [
            ("Authorization", credentials().as_str()),
            ("Content-Type", "application/json"),
        ] {
            writeln!(script, "wrk.headers[\"{header}\"] = \"{value}\"")?;
        }
        // No text of the workload contains the end of such a string.
        writeln!(script, "wrk.body = [==[{body}]==]")?;
        let file = folder.join(format!("{name}.lua"));
        fs::write(&file, script)?;
        Ok(Self {
            script: Some(file),
            path,
        })
    }

    /// Starts sending over this number of connections for this time.
    pub(super) fn start(
        &self,
        service: &Service,
        connections: usize,
        time: Duration,
    ) -> Result<Child> {
        let mut wrk = Command::new("wrk");
        wrk.args(["--threads", "1", "--latency", "--connections"])
            .arg(connections.to_string());
        // wrk counts whole seconds.
        wrk.arg("--duration")
            .arg(format!("{}s", time.as_secs().max(1)));
        if let Some(script) = &self.script {
            wrk.arg("--script").arg(script);
        }
        wrk.arg(format!("http://{}{}", service.address(), self.path))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(wrk
            .spawn()
            .map_err(|error| format!("cannot run `wrk` (Debian: apt install wrk): {error}"))?)
    }

    /// Sends over eight connections; every response must be a success.
    pub(super) fn run(&self, service: &Service, time: Duration) -> Result<Outcome> {
        let before = service.cpu()?;
        let output = self
            .start(service, super::READERS, time)?
            .wait_with_output()?;
        let used = service.cpu()? - before;
        let text = String::from_utf8_lossy(&output.stdout);
        let outcome =
            parse(&text).ok_or_else(|| format!("wrk of `{}` ended with: {text}", self.path))?;
        Ok(Outcome {
            cpu: used / outcome.requests,
            ..outcome
        })
    }
}

/// Parses wrk's report, without the processor time; `None` if a response was not a success.
fn parse(report: &str) -> Option<Outcome> {
    if ["Non-2xx", "Socket errors"]
        .iter()
        .any(|bad| report.contains(bad))
    {
        return None;
    }
    let word = |line: &str, place: usize| line.split_whitespace().nth(place).map(str::to_owned);
    let p99 = report
        .lines()
        .find(|line| line.trim_start().starts_with("99%"))?;
    let total = report.lines().find(|line| line.contains(" requests in "))?;
    let requests = word(total, 0)?
        .parse::<f64>()
        .ok()
        .filter(|requests| *requests > 0.0)?;
    let whole = nanoseconds(word(total, 3)?.trim_end_matches(','))?;
    Some(Outcome {
        requests,
        each: whole / requests,
        p99: nanoseconds(&word(p99, 1)?)?,
        cpu: 0.0,
    })
}

/// Parses a time in wrk's format, such as `1.20ms`.
fn nanoseconds(text: &str) -> Option<f64> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(unit);
    let factor = match unit {
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "m" => 60e9,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "Running 2s test @ http://127.0.0.1:1/healthz\n  1 threads and 8 connections\n  Latency Distribution\n     \
                          50%  120.00us\n     99%    1.50ms\n  100000 requests in 2.00s, 10.00MB read\nRequests/sec:  50000.00\n";

    #[test]
    fn a_report_is_read() {
        let outcome = parse(REPORT).unwrap();
        assert_eq!(
            (outcome.requests, outcome.each, outcome.p99),
            (100_000.0, 20_000.0, 1_500_000.0)
        );
    }

    #[test]
    fn a_load_with_failures_has_no_result() {
        assert_eq!(
            parse(&format!("{REPORT}  Non-2xx or 3xx responses: 7\n")),
            None
        );
        assert_eq!(
            parse(&format!(
                "{REPORT}  Socket errors: connect 0, read 1, write 0, timeout 0\n"
            )),
            None
        );
        assert_eq!(parse(""), None);
    }
}

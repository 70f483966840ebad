//! The conformance double of the platform as a program, for tests in other languages. It prints one
//! line with the addresses of its APIs, and runs until it is ended.

use std::process::ExitCode;
use std::thread;

use gbac_tests::platform::{BrokerVersion, Platform, PlatformApi, PlatformOptions};

fn main() -> ExitCode {
    let mut options = PlatformOptions::default();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--version=25.3" => options.version = BrokerVersion::V25_3,
            "--version=26.1" => options.version = BrokerVersion::V26_1,
            "--no-license" => options.license = false,
            "--no-registry-acls" => options.registry_acls = false,
            "--managed" => options.managed = true,
            other => {
                eprintln!("unknown argument `{other}`");
                return ExitCode::FAILURE;
            }
        }
    }
    let platform = Platform::start(options);
    // A cluster of the managed cloud has a Control Plane in place of an Admin API.
    let (name, api) = if options.managed {
        ("controlplane", PlatformApi::ControlPlane)
    } else {
        ("admin", PlatformApi::Admin)
    };
    println!(
        "{name} {} dataplane {}",
        platform.url(api),
        platform.url(PlatformApi::DataPlane)
    );
    loop {
        thread::park();
    }
}

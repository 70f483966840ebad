//! Runs the command of a parsed command line.

use crate::args::{Command, HELP};
use crate::problem::Result;
use crate::progress::say;
use crate::workspace::Workspace;
use crate::{
    bench, build_abi, build_js, build_kafka, dev, dist, kafka, mutants, pages, sbom, site, sizes,
    test, up,
};
use std::process::ExitCode;

/// Runs the command.
pub(crate) fn run(command: Command) -> Result<ExitCode> {
    let workspace = Workspace::locate()?;
    match command {
        Command::Help => say(HELP),
        Command::Up { listen, open } => up::run(&workspace, listen.as_deref(), open)?,
        Command::Dev { listen } => dev::run(&workspace, listen.as_deref())?,
        Command::DevServer { listen } => dev::serve(&workspace, &listen)?,
        Command::Kafka { policy } => kafka::run(&workspace, policy.as_deref())?,
        Command::Test(options) => return test::run(&workspace, &options),
        Command::ListTests => test::list(),
        Command::BuildConsole => sizes::build_console(&workspace)?,
        Command::BuildAbi => build_abi::run(&workspace)?,
        Command::BuildJs => build_js::run(&workspace)?,
        Command::BuildKafka => build_kafka::run(&workspace)?,
        Command::Dist(options) => dist::run(&workspace, &options)?,
        Command::Types => build_js::types(&workspace)?,
        Command::Bench(options) => bench::run(&workspace, &options)?,
        Command::Mutants(options) => mutants::run(&workspace, options)?,
        Command::Sbom => sbom::run(&workspace)?,
        Command::Sizes { write } => sizes::run(&workspace, write)?,
        Command::Site(options) => site::run(&workspace, &options)?,
        Command::Pages => pages::run(&workspace)?,
    }
    Ok(ExitCode::SUCCESS)
}

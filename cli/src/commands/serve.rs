//! `gbac serve`.

use std::process::ExitCode;

use gbac_server::ServeOptions;

use crate::args::ServeArgs;
use crate::output::Failure;

pub(crate) fn run(args: ServeArgs) -> Result<ExitCode, Failure> {
    let options = ServeOptions {
        listen: args.listen,
        console: args.console,
        admin_password: std::env::var("GBAC_ADMIN_PASSWORD").ok(),
    };
    gbac_server::serve(options)
        .map(|()| ExitCode::SUCCESS)
        .map_err(|error| Failure::new(error.code(), format!("{error}; {}", error.hint())))
}

//! The command line of `cargo xtask`.

use crate::bench;
use crate::problem::{Problem, Result};

/// What `--help` prints.
pub(crate) const HELP: &str = "\
cargo xtask COMMAND

  up [--listen ADDR] [--no-open]   install what is missing, build, start the demo and open the console
  test [--only NAME[,NAME..]]      install what is missing and run every check; NAME: see `test --list`
       [--long]                    the same with the long proofs and the fuzz targets; takes about an hour
  ci                               the same as test
  build-console                    the console as it is published, into dist/
  build-js                         the JavaScript package's wasm module, into www/pkg
  bench [--quick] [--json FILE]    measure the engine beside others; --quick: within 10 minutes; --write: into
        [--write] [--up-to ACLS]   docs/benchmarks.md; --up-to: leave larger policies out
  pages [--write]                  measure the console in Chromium over large policies; --write: into docs/benchmarks.md
  sizes [--write]                  sizes of everything that a browser downloads; --write: into docs/benchmarks.md

Tools are installed once per person: GBAC_CACHE names the folder. The browser of the tests can be named in
GBAC_CHROMIUM and GBAC_CHROMEDRIVER.";

/// A command line that was understood.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Help,
    Up {
        listen: Option<String>,
        open: bool,
    },
    /// The second process of `up`.
    OpenWhenReady,
    Test {
        only: Vec<String>,
        /// The long form of the proofs, and what only it has.
        long: bool,
    },
    ListTests,
    BuildConsole,
    BuildJs,
    Bench(bench::Options),
    Sizes {
        write: bool,
    },
    Pages {
        write: bool,
    },
}

/// Reads the words after `cargo xtask`.
pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Command> {
    // `--listen=ADDR` and `--listen ADDR` are the same.
    let mut words = words.into_iter().flat_map(|word| match word.split_once('=') {
        Some((flag, value)) if flag.starts_with("--") => {
            vec![flag.to_owned(), value.to_owned()]
        }
        _ => vec![word],
    });
    let name = words.next().unwrap_or_else(|| "help".to_owned());
    let mut command = match name.as_str() {
        "help" | "--help" | "-h" => Command::Help,
        "up" => Command::Up { listen: None, open: true },
        crate::up::OPENER => Command::OpenWhenReady,
        "test" | "ci" => Command::Test { only: Vec::new(), long: false },
        "build-console" => Command::BuildConsole,
        "build-js" => Command::BuildJs,
        "bench" => Command::Bench(bench::Options::default()),
        "sizes" => Command::Sizes { write: false },
        "pages" => Command::Pages { write: false },
        other => return Err(wrong(format!("there is no command `{other}`"))),
    };
    while let Some(word) = words.next() {
        let value = |words: &mut dyn Iterator<Item = String>| {
            words.next().ok_or_else(|| wrong(format!("`{word}` needs a value")))
        };
        match (&mut command, word.as_str()) {
            (_, "--help" | "-h") => return Ok(Command::Help),
            (Command::Up { listen, .. }, "--listen") => *listen = Some(value(&mut words)?),
            (Command::Up { open, .. }, "--no-open") => *open = false,
            (Command::Test { only, .. }, "--only") => {
                only.extend(value(&mut words)?.split(',').map(|name| name.trim().to_owned()));
            }
            (Command::Test { long, .. }, "--long") => *long = true,
            (Command::Test { .. }, "--list") => command = Command::ListTests,
            (Command::Bench(options), "--quick") => options.quick = true,
            (Command::Bench(options), "--write") => options.write = true,
            (Command::Bench(options), "--json") => options.json = Some(value(&mut words)?),
            (Command::Bench(options), "--up-to") => {
                let text = value(&mut words)?;
                let number = text.parse().map_err(|_| wrong(format!("`{text}` is not a number of ACLs")))?;
                options.up_to = Some(number);
            }
            (Command::Sizes { write } | Command::Pages { write }, "--write") => *write = true,
            _ => return Err(wrong(format!("`{name}` does not take `{word}`"))),
        }
    }
    Ok(command)
}

fn wrong(message: String) -> Problem {
    Problem::new(message).hint("`cargo xtask help` lists the commands")
}

#[cfg(test)]
mod tests {
    use super::{Command, bench, parse};

    fn check(line: &str, expected: std::result::Result<Command, &str>) {
        let parsed = parse(line.split_whitespace().map(str::to_owned));
        match (parsed, expected) {
            (Ok(parsed), Ok(expected)) => assert_eq!(parsed, expected, "{line}"),
            (Err(problem), Err(expected)) => assert_eq!(problem.message(), expected, "{line}"),
            (parsed, _) => panic!("{line}: {parsed:?}"),
        }
    }

    #[test]
    fn reads_every_command() {
        let up = |listen: Option<&str>, open| Ok(Command::Up { listen: listen.map(str::to_owned), open });
        check("", Ok(Command::Help));
        check("up", up(None, true));
        check("up --no-open --listen 127.0.0.1:0", up(Some("127.0.0.1:0"), false));
        check("up --listen=[::1]:80", up(Some("[::1]:80"), true));
        check("test", Ok(Command::Test { only: vec![], long: false }));
        check("ci", Ok(Command::Test { only: vec![], long: false }));
        let only = ["fmt", "js", "e2e"].map(str::to_owned).to_vec();
        check("test --only fmt,js --only e2e", Ok(Command::Test { only, long: false }));
        check("test --long", Ok(Command::Test { only: vec![], long: true }));
        check("test --list", Ok(Command::ListTests));
        check("sizes --write", Ok(Command::Sizes { write: true }));
        check("pages", Ok(Command::Pages { write: false }));
        let options = bench::Options { quick: true, json: Some("f".into()), up_to: Some(1000), ..Default::default() };
        check("bench --quick --json=f --up-to 1000", Ok(Command::Bench(options)));
        check("up --help", Ok(Command::Help));
    }

    #[test]
    fn says_what_it_does_not_understand() {
        check("upp", Err("there is no command `upp`"));
        check("up --port 80", Err("`up` does not take `--port`"));
        check("up --long", Err("`up` does not take `--long`"));
        check("up --listen", Err("`--listen` needs a value"));
        check("bench --up-to many", Err("`many` is not a number of ACLs"));
        check("sizes extra", Err("`sizes` does not take `extra`"));
    }
}

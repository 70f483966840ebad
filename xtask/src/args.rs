//! The command line of `cargo xtask`.

use crate::bench;
use crate::dist;
use crate::mutants;
use crate::problem::{Problem, Result};
use crate::site;
use crate::test;

/// The text of `--help`.
pub(crate) const HELP: &str = "\
cargo xtask COMMAND

  up [--listen ADDR] [--no-open]   install what is missing, build, start the demo and open the console
  dev [--listen ADDR]              the demo with a console that reloads when you edit it; the service keeps its state
  kafka [--policy FILE]            the demo with a cluster of Apache Kafka and the plugin, on a policy document
  test [--only NAME[,NAME..]]      install what is missing and run every check; NAME: see `test --list`
       [--test TEXT]               only the tests with this name, in the checks of --only
       [--long]                    the same with many more random cases and the checks of the nightly run; takes hours
  ci                               the same as test
  build-console                    the console as it is published, into dist/
  build-abi                        the WebAssembly module without imports, into target/abi
  build-js                         the JavaScript package's wasm module, into www/pkg
  build-kafka                      the plugin for Apache Kafka, into target/kafka; needs a JDK and Maven
  dist [--repository URL]          everything of a release, into target/dist; --repository: its address, which packages
       [--only PART[,PART..]]      state; --only: bin, npm-platform, npm, deb, oci, kafka, wasm, sbom,
       [--target TRIPLE]           site, crates, install; --target: the platform of the program, as rustc names it
  types                            from the Rust types, www/types.d.ts and docs/command-line.schema.json
  bench [--quick] [--json FILE]    measure the engine beside others; --quick: within 10 minutes; --up-to: leave larger
        [--up-to ACLS]             policies out
        [--service | --javascript] --service: only access evaluations over HTTP, and attacks; --javascript: only the
        [--kafka | --cli]          JavaScript package and what it is compared with; --kafka: only the plugin; --cli: only
                                   the command line, beside jq
  mutants [--sample N] [--seed S]  put faults into the decision code, one at a time, and list those that no test catches;
                                   --sample: N of them, chosen by the seed
  pages                            measure the console in Chromium over large policies
  site [--repository URL]          the documentation, the claim doctor and the simulator as a folder of files, into
       [--console FOLDER]          target/site; --console: with the console in this folder instead of a new one;
       [--no-console]              --no-console: without the simulator
  sbom                             the software bills of materials (CycloneDX), into target/sbom
  sizes [--write]                  sizes of everything that a browser downloads; --write: into xtask/sizes.md

Tools are installed once per user, in the folder that GBAC_CACHE names. GBAC_CHROMIUM names the browser of the tests.";

/// A parsed command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Help,
    Up {
        listen: Option<String>,
        open: bool,
    },
    Dev {
        listen: Option<String>,
    },
    /// The second process of `dev`.
    DevServer {
        listen: String,
    },
    /// The demonstration of the plugin.
    Kafka {
        policy: Option<String>,
    },
    Test(test::Options),
    ListTests,
    BuildConsole,
    BuildAbi,
    BuildJs,
    BuildKafka,
    Dist(dist::Options),
    Types,
    Bench(bench::Options),
    Mutants(mutants::Options),
    Sbom,
    Sizes {
        write: bool,
    },
    Site(site::Options),
    Pages,
}

/// Parses the words after `cargo xtask`.
pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Command> {
    // `--listen=ADDR` and `--listen ADDR` are equal.
    let mut words = words
        .into_iter()
        .flat_map(|word| match word.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => {
                vec![flag.to_owned(), value.to_owned()]
            }
            _ => vec![word],
        });
    let name = words.next().unwrap_or_else(|| "help".to_owned());
    let mut command = match name.as_str() {
        "help" | "--help" | "-h" => Command::Help,
        "up" => Command::Up {
            listen: None,
            open: true,
        },
        "dev" => Command::Dev { listen: None },
        crate::dev::SERVER => Command::DevServer {
            listen: String::new(),
        },
        "kafka" => Command::Kafka { policy: None },
        "test" | "ci" => Command::Test(test::Options::default()),
        "build-console" => Command::BuildConsole,
        "build-abi" => Command::BuildAbi,
        "build-js" => Command::BuildJs,
        "build-kafka" => Command::BuildKafka,
        "dist" => Command::Dist(dist::Options::default()),
        "types" => Command::Types,
        "bench" => Command::Bench(bench::Options::default()),
        "mutants" => Command::Mutants(mutants::Options::default()),
        "sbom" => Command::Sbom,
        "sizes" => Command::Sizes { write: false },
        "site" => Command::Site(site::Options::default()),
        "pages" => Command::Pages,
        other => return Err(wrong(format!("unknown command `{other}`"))),
    };
    while let Some(word) = words.next() {
        let value = |words: &mut dyn Iterator<Item = String>| {
            words
                .next()
                .ok_or_else(|| wrong(format!("`{word}` needs a value")))
        };
        match (&mut command, word.as_str()) {
            (_, "--help" | "-h") => return Ok(Command::Help),
            (Command::Up { listen, .. }, "--listen") => *listen = Some(value(&mut words)?),
            (Command::Dev { listen }, "--listen") => *listen = Some(value(&mut words)?),
            (Command::DevServer { listen }, "--listen") => *listen = value(&mut words)?,
            (Command::Up { open, .. }, "--no-open") => *open = false,
            (Command::Kafka { policy }, "--policy") => *policy = Some(value(&mut words)?),
            (
                Command::Test(test::Options { only, .. })
                | Command::Dist(dist::Options { only, .. }),
                "--only",
            ) => {
                only.extend(
                    value(&mut words)?
                        .split(',')
                        .map(|name| name.trim().to_owned()),
                );
            }
            (Command::Dist(options), "--repository") => {
                options.repository = Some(value(&mut words)?);
            }
            (Command::Dist(options), "--target") => options.target = Some(value(&mut words)?),
            (Command::Test(options), "--test") => options.test = Some(value(&mut words)?),
            (Command::Test(options), "--long") => options.long = true,
            (Command::Test(_), "--list") => command = Command::ListTests,
            (Command::Bench(options), "--quick") => options.quick = true,
            (Command::Bench(options), "--service" | "--javascript") => {
                let part = if word == "--service" {
                    bench::Part::Service
                } else {
                    bench::Part::JavaScript
                };
                if options.part.replace(part).is_some() {
                    return Err(wrong(
                        "`--service` and `--javascript` exclude each other".to_owned(),
                    ));
                }
            }
            (Command::Bench(options), "--kafka") => options.kafka = true,
            (Command::Bench(options), "--cli") => options.cli = true,
            (Command::Bench(options), "--json") => options.json = Some(value(&mut words)?),
            (Command::Bench(options), "--up-to") => {
                options.up_to = Some(number(&value(&mut words)?, "a number of ACLs")?);
            }
            (Command::Mutants(options), "--sample") => {
                options.sample = Some(number(&value(&mut words)?, "a number of mutants")?);
            }
            (Command::Mutants(options), "--seed") => {
                options.seed = Some(number(&value(&mut words)?, "a seed")?);
            }
            (Command::Site(options), "--console") => {
                options.console = site::Console::Built(value(&mut words)?.into());
            }
            (Command::Site(options), "--no-console") => options.console = site::Console::Omitted,
            (Command::Site(options), "--repository") => {
                options.repository = Some(value(&mut words)?);
            }
            (Command::Sizes { write }, "--write") => *write = true,
            _ => return Err(wrong(format!("`{name}` does not take `{word}`"))),
        }
    }
    match &command {
        Command::Test(options) if options.test.is_some() && options.only.is_empty() => Err(wrong(
            "`--test` needs the check of the test, in `--only`".to_owned(),
        )),
        _ => Ok(command),
    }
}

fn number<N: std::str::FromStr>(text: &str, what: &str) -> Result<N> {
    text.parse()
        .map_err(|_| wrong(format!("`{text}` is not {what}")))
}

fn wrong(message: String) -> Problem {
    Problem::new(message).hint("`cargo xtask help` lists the commands")
}

#[cfg(test)]
mod tests {
    use super::{Command, bench, dist, mutants, parse, site, test};

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
        let up = |listen: Option<&str>, open| {
            Ok(Command::Up {
                listen: listen.map(str::to_owned),
                open,
            })
        };
        check("", Ok(Command::Help));
        check("up", up(None, true));
        check(
            "up --no-open --listen 127.0.0.1:0",
            up(Some("127.0.0.1:0"), false),
        );
        check("up --listen=[::1]:80", up(Some("[::1]:80"), true));
        check("dev", Ok(Command::Dev { listen: None }));
        check(
            "dev --listen 127.0.0.1:0",
            Ok(Command::Dev {
                listen: Some("127.0.0.1:0".to_owned()),
            }),
        );
        check("kafka", Ok(Command::Kafka { policy: None }));
        check(
            "kafka --policy=p.json",
            Ok(Command::Kafka {
                policy: Some("p.json".to_owned()),
            }),
        );
        let tests = |options| Ok(Command::Test(options));
        check("test", tests(test::Options::default()));
        check("ci", tests(test::Options::default()));
        let only = ["fmt", "js", "e2e"].map(str::to_owned).to_vec();
        check(
            "test --only fmt,js --only e2e",
            tests(test::Options {
                only,
                ..Default::default()
            }),
        );
        check(
            "test --long",
            tests(test::Options {
                long: true,
                ..Default::default()
            }),
        );
        let options = test::Options {
            only: vec!["js".to_owned()],
            test: Some("a".to_owned()),
            long: false,
        };
        check("test --only js --test a", tests(options));
        check("test --list", Ok(Command::ListTests));
        check("build-kafka", Ok(Command::BuildKafka));
        check("types", Ok(Command::Types));
        let options = dist::Options {
            repository: Some("https://example.com/gbac".into()),
            only: vec!["bin".into(), "npm".into()],
            target: None,
        };
        check(
            "dist --only bin,npm --repository https://example.com/gbac",
            Ok(Command::Dist(options)),
        );
        check("sizes --write", Ok(Command::Sizes { write: true }));
        check("sbom", Ok(Command::Sbom));
        let options = bench::Options {
            part: Some(bench::Part::Service),
            ..Default::default()
        };
        check("bench --service", Ok(Command::Bench(options)));
        let options = bench::Options {
            part: Some(bench::Part::JavaScript),
            quick: true,
            ..Default::default()
        };
        check("bench --javascript --quick", Ok(Command::Bench(options)));
        check(
            "bench --service --javascript",
            Err("`--service` and `--javascript` exclude each other"),
        );
        let options = bench::Options {
            kafka: true,
            ..Default::default()
        };
        check("bench --kafka", Ok(Command::Bench(options)));
        check(
            "bench --cli",
            Ok(Command::Bench(bench::Options {
                cli: true,
                ..Default::default()
            })),
        );
        check("pages", Ok(Command::Pages));
        let options = site::Options {
            repository: Some("https://x.example".into()),
            console: site::Console::Omitted,
        };
        check(
            "site --repository https://x.example --no-console",
            Ok(Command::Site(options)),
        );
        let options = bench::Options {
            quick: true,
            json: Some("f".into()),
            up_to: Some(1000),
            ..Default::default()
        };
        check(
            "bench --quick --json=f --up-to 1000",
            Ok(Command::Bench(options)),
        );
        let options = mutants::Options {
            sample: Some(40),
            seed: Some(7),
        };
        check(
            "mutants --sample 40 --seed=7",
            Ok(Command::Mutants(options)),
        );
        check("up --help", Ok(Command::Help));
    }

    #[test]
    fn unknown_arguments_are_reported() {
        check(
            "test --test a",
            Err("`--test` needs the check of the test, in `--only`"),
        );
        check("upp", Err("unknown command `upp`"));
        check("up --port 80", Err("`up` does not take `--port`"));
        check("up --long", Err("`up` does not take `--long`"));
        check("up --listen", Err("`--listen` needs a value"));
        check("bench --up-to many", Err("`many` is not a number of ACLs"));
        check(
            "mutants --sample few",
            Err("`few` is not a number of mutants"),
        );
        check("sizes extra", Err("`sizes` does not take `extra`"));
        check("pages --write", Err("`pages` does not take `--write`"));
    }
}

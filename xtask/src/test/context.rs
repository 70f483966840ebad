//! What the checks share: what is installed and built once, and how a check runs a program.

use crate::bind::{Binder, Speed};
use crate::browser::{self, Browser};
use crate::build_kafka::{Java, NEWEST};
use crate::download_size::Size;
use crate::kafka;
use crate::node_tests;
use crate::problem::{Problem, Result};
use crate::process::{Call, Ended, cargo, without_noise};
use crate::progress::Progress;
use crate::test::report::Report;
use crate::test::runner::Runner;
use crate::tools;
use crate::workspace::Workspace;
use crate::{build_js, glewlwyd, shells, up};
use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The variables of the long form: the numbers of cases, of ACLs of an exhaustive policy, of kills
/// of the service, of requests during each attack, and that the JavaScript package is tested in
/// every toolchain. What the environment sets counts instead: the nightly workflow runs more cases.
const LONG_ENV: [(&str, &str); 5] = [
    ("GBAC_CASES", "200000"),
    ("GBAC_ACLS", "3"),
    ("GBAC_KILLS", "200"),
    ("GBAC_MATRIX", "long"),
    ("GBAC_REQUESTS", "50"),
];
/// The variable of proptest with the seed of random cases.
const PROPTEST_SEED: &str = "PROPTEST_RNG_SEED";
/// The packages that only a page runs, and those with other features of dependencies, with which
/// everything would compile again after `up`.
const NOT_NATIVE: [&str; 5] = [
    "gbac-wasm",
    "gbac-console",
    "gbac-claim-doctor",
    "xtask-bind",
    "xtask-watch",
];
/// The features of all native builds of the checks: the declarations and the schema that are
/// compared with the Rust types. With other features, everything would compile again.
pub(crate) const FEATURES: &str = "gbac-json/typescript,gbac/schema";

/// What a check needs from the network, or from the package manager of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    Browser,
    Shells,
    Glewlwyd,
    /// The jars of Kafka, where Java is installed.
    Jars,
    /// The packages of a folder.
    Npm(&'static str),
}

/// The options of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The checks to run; without any, all.
    pub(crate) only: Vec<String>,
    /// The long form.
    pub(crate) long: bool,
    /// The tests to run in each check; without it, all.
    pub(crate) test: Option<String>,
}

/// What the checks share.
pub(crate) struct Context<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) progress: &'a Progress,
    pub(crate) long: bool,
    test: Option<String>,
    /// The seed of random cases, for tests without an own seed.
    seed: String,
    installed: Mutex<BTreeMap<Need, Result<()>>>,
    browser: OnceLock<Result<Browser>>,
    binder: OnceLock<Result<Binder>>,
    js: OnceLock<Result<Vec<Size>>>,
    console: OnceLock<Result<()>>,
    programs: OnceLock<Result<()>>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        workspace: &'a Workspace,
        progress: &'a Progress,
        options: &Options,
        seed: String,
    ) -> Self {
        Self {
            workspace,
            progress,
            long: options.long,
            test: options.test.clone(),
            seed,
            installed: Mutex::default(),
            browser: OnceLock::new(),
            binder: OnceLock::new(),
            js: OnceLock::new(),
            console: OnceLock::new(),
            programs: OnceLock::new(),
        }
    }

    /// Installs it once, one installation at a time.
    pub(crate) fn install(&self, need: Need) -> Result<()> {
        let mut installed = self
            .installed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(result) = installed.get(&need) {
            return result.clone();
        }
        let result = self.install_now(need);
        installed.insert(need, result.clone());
        result
    }

    fn install_now(&self, need: Need) -> Result<()> {
        match need {
            Need::Browser => self.browser().map(drop),
            Need::Shells => {
                shells::shells(self.workspace, self.progress);
                Ok(())
            }
            Need::Glewlwyd => {
                glewlwyd::glewlwyd(self.workspace, self.progress);
                Ok(())
            }
            Need::Jars => match Java::find() {
                Ok(java) => kafka::jars(self.workspace, self.progress, &java, NEWEST).map(drop),
                Err(_) => Ok(()),
            },
            Need::Npm(folder) => tools::npm_ci(self.workspace, self.progress, folder),
        }
    }

    pub(crate) fn browser(&self) -> Result<Browser> {
        self.browser
            .get_or_init(|| browser::browser(self.workspace, self.progress))
            .clone()
    }

    /// The program that binds wasm to JavaScript.
    pub(crate) fn binder(&self) -> Result<Binder> {
        self.binder
            .get_or_init(|| Binder::build(self.workspace, self.progress, Speed::Compile))
            .clone()
    }

    /// The modules of the JavaScript package, and their sizes.
    pub(crate) fn js(&self) -> Result<Vec<Size>> {
        let build = || {
            let wasm_opt = tools::wasm_opt(self.workspace, self.progress)?;
            build_js::build(self.workspace, self.progress, &self.binder()?, &wasm_opt)
        };
        self.js.get_or_init(build).clone()
    }

    /// Builds the console in `dist/`, as `up` does.
    pub(crate) fn console(&self) -> Result<()> {
        self.console
            .get_or_init(|| up::console(self.workspace, self.progress))
            .clone()
    }

    /// Builds the programs that tests start, and the native tests with the same features, so that
    /// everything compiles once.
    pub(crate) fn programs(&self) -> Result<()> {
        let build = || {
            // A running program cannot be replaced on every system, and xtask is running.
            native(self.workspace, "build")
                .args(["--exclude", "xtask", "--bins", "--tests", "--examples"])
                .step(
                    self.progress,
                    "programs",
                    "compiling gbac and the tests",
                    "gbac and the tests are ready",
                )
        };
        self.programs.get_or_init(build).clone()
    }

    /// Runs a program that only passes or fails.
    pub(crate) fn run_once(&self, check: &str, call: Call) -> Result<Report> {
        let ended = self.logged(check, call)?;
        Ok(Report {
            problem: ended.into_result().err(),
            ..Report::default()
        })
    }

    /// Runs tests. That none passed counts as a failure, unless only some were asked for.
    pub(crate) fn tests(&self, check: &str, runner: Runner, call: Call) -> Result<Report> {
        let call = runner.select(call, self.test.as_deref());
        self.selected_tests(check, runner, call)
    }

    fn selected_tests(&self, check: &str, runner: Runner, call: Call) -> Result<Report> {
        let mut call = call
            .env("GBAC_BIN", self.workspace.gbac())
            .env(PROPTEST_SEED, &self.seed)
            .env("NO_COLOR", "1");
        if self.long {
            for (name, value) in LONG_ENV {
                if env::var_os(name).is_none() {
                    call = call.env(name, value);
                }
            }
        }
        let ended = self.logged(check, call)?;
        let tally = runner.count(&ended.lines);
        let failed = runner.failed(&ended.lines);
        let problem = match ended.into_result() {
            Ok(lines) if tally.passed == 0 && self.test.is_none() => {
                Some(Problem::new("no test ran").output(without_noise(lines)))
            }
            Ok(_) => None,
            Err(problem) => Some(problem),
        };
        Ok(Report {
            tally,
            failed,
            problem,
        })
    }

    /// Runs the test files of a folder under Node.
    pub(crate) fn node_tests(
        &self,
        check: &str,
        folder: &str,
        more: impl Fn(Call) -> Call,
    ) -> Result<Report> {
        let files = node_tests::files(&self.workspace.root, folder)?;
        self.node_files(check, files, more)
    }

    /// The same for these files.
    pub(crate) fn node_files(
        &self,
        check: &str,
        files: Vec<PathBuf>,
        more: impl Fn(Call) -> Call,
    ) -> Result<Report> {
        let call =
            more(tools::node(&self.workspace.root)?.args(["--test", "--test-reporter=spec"]));
        // The name comes before the files.
        let call = Runner::Node.select(call, self.test.as_deref()).args(files);
        self.selected_tests(check, Runner::Node, call)
    }

    /// Runs with the output in a file, where it can be read later, and which a leftover process of
    /// a test cannot block, unlike a pipe.
    pub(crate) fn logged(&self, check: &str, call: Call) -> Result<Ended> {
        let step = self.progress.slow(check, "running");
        let ended = call.finish_into(&self.workspace.notes().join(format!("{check}.log")))?;
        if ended.success {
            step.done("passed");
        }
        Ok(ended)
    }
}

/// A call of cargo for what runs natively, with the features of the checks.
pub(crate) fn native(workspace: &Workspace, command: &str) -> Call {
    cargo(&workspace.root)
        .args([command, "--workspace", "--features", FEATURES])
        .args(
            NOT_NATIVE
                .into_iter()
                .flat_map(|package| ["--exclude", package]),
        )
}

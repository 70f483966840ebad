//! Finds Chromium for the tests, or installs it with apt.

use crate::apt::apt;
use crate::problem::{Problem, Result};
use crate::process::{find, is_program};
use crate::progress::Progress;
use crate::tools::version_of;
use crate::workspace::Workspace;
use std::env;
use std::path::PathBuf;

/// A browser for automation.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    pub(crate) chromium: PathBuf,
}

/// Debian's package.
const PACKAGES: [&str; 1] = ["chromium"];
/// The hint if nothing can be installed.
const HINT: &str = "install Chromium (Debian: apt install chromium; Fedora: dnf install chromium; \
     macOS: brew install --cask chromium), or name the program in GBAC_CHROMIUM";

/// Finds the browser, or installs it through apt.
pub(crate) fn browser(workspace: &Workspace, progress: &Progress) -> Result<Browser> {
    let step = progress.quick("chromium");
    let found = match look() {
        Ok(found) => Ok(found),
        Err(missing) => match apt(workspace) {
            Some(apt) => {
                step.latest(&format!("apt-get install {}", PACKAGES.join(" ")));
                apt.install(&PACKAGES).and_then(|()| look())
            }
            None => Err(missing),
        },
    };
    let browser = found.map_err(|problem| problem.hint(HINT))?;
    let version = version_of(&browser.chromium)
        .map(|v| v.major().to_string())
        .unwrap_or_default();
    step.done(&format!("{version} at {}", browser.chromium.display()));
    Ok(browser)
}

/// The version of the installed browser.
pub(crate) fn version() -> Option<String> {
    version_of(&look().ok()?.chromium).map(|version| version.to_string())
}

/// The program in the variable, on `PATH` or in the usual places.
fn look() -> Result<Browser> {
    let chromium = named("GBAC_CHROMIUM")?
        .or_else(|| {
            [
                "chromium",
                "chromium-browser",
                "google-chrome",
                "google-chrome-stable",
                "chrome",
            ]
            .into_iter()
            .find_map(find)
        })
        .or_else(|| usual_places().into_iter().find(|file| is_program(file)));
    chromium
        .map(|chromium| Browser { chromium })
        .ok_or_else(|| Problem::new("no chromium"))
}

/// The program in a variable; an error if it cannot be run.
fn named(variable: &str) -> Result<Option<PathBuf>> {
    match env::var_os(variable)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
    {
        Some(file) if !is_program(&file) => Err(Problem::new(format!(
            "{variable} names `{}`, which cannot be run",
            file.display()
        ))),
        other => Ok(other),
    }
}

/// The paths where installers put the browser outside of `PATH`.
fn usual_places() -> Vec<PathBuf> {
    let mut places = Vec::new();
    if cfg!(target_os = "macos") {
        places.push(PathBuf::from(
            "/Applications/Chromium.app/Contents/MacOS/Chromium",
        ));
        places.push(PathBuf::from(
            "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        ));
    }
    if cfg!(windows) {
        for base in ["ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"] {
            if let Some(base) = env::var_os(base) {
                places.push(PathBuf::from(base).join("Google/Chrome/Application/chrome.exe"));
            }
        }
    }
    places
}

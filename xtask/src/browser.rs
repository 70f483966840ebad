//! Chromium and its driver for the tests: found, or installed where apt is there and this user may.

use crate::apt::apt;
use crate::problem::{Problem, Result};
use crate::process::{find, is_program};
use crate::progress::Progress;
use crate::tools::version_of;
use crate::workspace::Workspace;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// A browser and the driver that fits it.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    pub(crate) chromium: PathBuf,
    pub(crate) driver: PathBuf,
}

/// Debian's packages.
const PACKAGES: [&str; 2] = ["chromium", "chromium-driver"];
/// What to do where nothing can be installed.
const HINT: &str = "install Chromium and its driver (Debian: apt install chromium chromium-driver; \
     Fedora: dnf install chromium chromedriver; macOS: brew install --cask chromium chromedriver), \
     or name the programs in GBAC_CHROMIUM and GBAC_CHROMEDRIVER";

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
    match found {
        Ok(browser) => {
            let version = version_of(&browser.chromium).map(|v| v.major().to_string()).unwrap_or_default();
            step.done(&format!("{version} at {}", browser.chromium.display()));
            Ok(browser)
        }
        Err(problem) => {
            step.failed();
            Err(problem.hint(HINT))
        }
    }
}

impl Browser {
    /// Writes the driver's settings for wasm-bindgen's test runner: this browser, headless, without a sandbox
    /// (which root cannot have) and without the connections that a fresh profile makes on its own.
    pub(crate) fn driver_settings(&self, folder: &Path) -> Result<PathBuf> {
        let file = folder.join("webdriver.json");
        let binary = self.chromium.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
        let args = [
            "headless",
            "no-sandbox",
            "disable-gpu",
            "disable-dev-shm-usage",
            "no-first-run",
            "disable-background-networking",
            "disable-component-update",
            "disable-sync",
        ];
        let args = args.map(|arg| format!("\"{arg}\"")).join(", ");
        let text = format!("{{ \"goog:chromeOptions\": {{ \"binary\": \"{binary}\", \"args\": [{args}] }} }}\n");
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&file, text))
            .map_err(|error| Problem::new(format!("cannot write `{}`: {error}", file.display())))?;
        Ok(file)
    }
}

/// The programs that the variables name, else those on `PATH` or where installers put them.
fn look() -> Result<Browser> {
    let chromium = named("GBAC_CHROMIUM")?
        .or_else(|| {
            ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
                .into_iter()
                .find_map(find)
        })
        .or_else(|| usual_places().into_iter().find(|file| is_program(file)));
    let driver = named("GBAC_CHROMEDRIVER")?
        .or_else(|| find("chromedriver"))
        // The hosted runners of GitHub name the driver's folder here.
        .or_else(|| env::var_os("CHROMEWEBDRIVER").map(|dir| PathBuf::from(dir).join("chromedriver")))
        .filter(|file| is_program(file));
    let chromium = chromium.ok_or_else(|| Problem::new("no chromium"))?;
    let driver = driver.ok_or_else(|| Problem::new("no chromedriver"))?;
    let (browser_version, driver_version) = (version_of(&chromium), version_of(&driver));
    match (browser_version, driver_version) {
        (Some(a), Some(b)) if a.major() != b.major() => Err(Problem::new(format!(
            "`{}` is version {} and `{}` is version {}",
            chromium.display(),
            a.major(),
            driver.display(),
            b.major()
        ))),
        _ => Ok(Browser { chromium, driver }),
    }
}

/// The program that a variable names; an error when it names something that cannot be run.
fn named(variable: &str) -> Result<Option<PathBuf>> {
    match env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from) {
        Some(file) if !is_program(&file) => {
            Err(Problem::new(format!("{variable} names `{}`, which cannot be run", file.display())))
        }
        other => Ok(other),
    }
}

/// Where installers put the browser when it is not on `PATH`.
fn usual_places() -> Vec<PathBuf> {
    let mut places = Vec::new();
    if cfg!(target_os = "macos") {
        places.push(PathBuf::from("/Applications/Chromium.app/Contents/MacOS/Chromium"));
        places.push(PathBuf::from("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"));
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

#[cfg(test)]
mod tests {
    use super::Browser;
    use std::path::PathBuf;

    #[test]
    fn the_driver_settings_are_json_whatever_the_path() {
        let browser = Browser { chromium: PathBuf::from(r#"C:\Program "Files"\chrome.exe"#), driver: PathBuf::new() };
        let folder = std::env::current_exe().unwrap().with_file_name("driver-settings");
        let file = browser.driver_settings(&folder).unwrap();
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains(r#""binary": "C:\\Program \"Files\"\\chrome.exe""#), "{text}");
        assert!(text.contains(r#""args": ["headless", "no-sandbox""#), "{text}");
    }
}

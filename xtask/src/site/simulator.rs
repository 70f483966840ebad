//! The console without a service, below `simulator/`: the published files, with addresses that work
//! under any path, and scripts in files as the policy of its page demands.

use super::stage::{copy, write};
use crate::page::INDEX;
use crate::problem::{Problem, Result};
use crate::workspace::Workspace;
use std::fs;
use std::path::Path;

/// The folder in the site.
pub(super) const FOLDER: &str = "simulator";
/// What its page may load and run. Styles that the console sets by itself need no exception.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";
/// The script that stands in for a service.
const SCRIPT: &str = "simulator.js";
/// The policy that it has.
const EXAMPLE: &str = "examples/policy.json";
/// Parts of addresses that the console reads.
const PARTS: [&str; 4] = ["hash", "origin", "pathname", "search"];
/// The way back to the site, shown above the console; behind it in the page, because the link that
/// skips the navigation is the first.
const STRIP: &str = "<nav class=\"site-strip\" aria-label=\"Site\"><a rel=\"external\" href=\"../index.html\">Claim doctor</a><a rel=\"external\" href=\"../docs/index.html\">Documentation</a>\
    <span>This page has no service: it decides over an example policy, in this page. Nothing is stored or sent.</span></nav>";

/// Writes the console that is built in `console` into the folder of the site.
pub(super) fn build(workspace: &Workspace, console: &Path, site: &Path) -> Result<()> {
    let folder = site.join(FOLDER);
    let failed = |error: std::io::Error| {
        Problem::new(format!(
            "cannot read the console in `{}`: {error}",
            console.display()
        ))
        .hint("`cargo xtask build-console` builds it")
    };
    for entry in fs::read_dir(console).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if name == INDEX {
            let page = fs::read_to_string(&file).map_err(failed)?;
            for (name, text) in page_files(&page)? {
                write(&folder.join(name), text.as_bytes())?;
            }
        } else if name.ends_with(".js") {
            let script = fs::read_to_string(&file).map_err(failed)?;
            write(&folder.join(&*name), through_script(&script).as_bytes())?;
        } else {
            copy(&file, &folder.join(&*name))?;
        }
    }
    copy(
        &workspace.root.join("site").join(SCRIPT),
        &folder.join(SCRIPT),
    )?;
    copy(
        &workspace.root.join("site/strip.css"),
        &folder.join("strip.css"),
    )?;
    copy(&workspace.root.join(EXAMPLE), &folder.join("policy.json"))
}

/// A script whose addresses are those that [`SCRIPT`] shows.
fn through_script(script: &str) -> String {
    let mut text = script.to_owned();
    for part in PARTS {
        text = text.replace(
            &format!("const ret = arg1.{part};"),
            &format!("const ret = gbacPart(arg1, '{part}');"),
        );
    }
    text
}

/// The page with relative addresses, and a file for each script in it.
fn page_files(page: &str) -> Result<Vec<(String, String)>> {
    let wrong = |what: &str| Problem::new(format!("the console's page {what}"));
    let mut files = Vec::new();
    let mut text = String::new();
    let mut rest = page;
    while let Some(start) = rest.find("<script") {
        let (before, script) = rest.split_at(start);
        let (tag, inside) = script
            .split_once('>')
            .ok_or_else(|| wrong("has a tag that does not end"))?;
        let (code, after) = inside
            .split_once("</script>")
            .ok_or_else(|| wrong("has a script that does not end"))?;
        text.push_str(before);
        if code.is_empty() {
            text.push_str(tag);
        } else {
            let name = format!("start-{}.js", files.len());
            text.push_str(&format!("{tag} src=\"./{name}\""));
            let code = code
                .replace("'/", "'./")
                .replace("`/$", "`./$")
                .replace("location.pathname", "gbacPart(location, 'pathname')");
            files.push((name, code));
        }
        text.push_str("></script>");
        rest = after;
    }
    text.push_str(rest);
    if files.is_empty() {
        return Err(wrong("has no script that starts it"));
    }
    let text = text
        .replace("href=\"/\"", "href=\"#/security/simulator\"")
        .replace("href=\"/security", "href=\"#/security")
        .replace("href=\"/", "href=\"./")
        .replace("src=\"/", "src=\"./");
    let head = format!(
        "<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<script src=\"./{SCRIPT}\"></script>\n\
         <link rel=\"stylesheet\" href=\"./strip.css\">"
    );
    let text = text.replacen("<head>\n<meta charset=\"utf-8\">", &head, 1);
    if !text.contains(POLICY) {
        return Err(wrong("does not begin with its character set"));
    }
    let text = text.replacen("</body>", &format!("{STRIP}\n</body>"), 1);
    files.push((INDEX.to_owned(), text));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::{page_files, through_script};

    #[test]
    fn scripts_and_addresses_move() {
        let page = "<head>\n<meta charset=\"utf-8\">\n<script src=\"/theme-1.js\"></script><link href=\"/a.css\">\
            <script type=\"module\">\nimport init from '/c.js';\n</script></head>\n<body>\n<a href=\"/\">x</a><a href=\"/security/roles\">y</a></body>";
        let files = page_files(page).unwrap();
        assert_eq!(
            files[0],
            ("start-0.js".into(), "\nimport init from './c.js';\n".into())
        );
        let (_, page) = files.last().unwrap();
        for part in [
            "<script src=\"./theme-1.js\"></script><link href=\"./a.css\"><script type=\"module\" src=\"./start-0.js\"></script>",
            "<a href=\"#/security/simulator\">x</a><a href=\"#/security/roles\">y</a>",
            "Content-Security-Policy",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(page_files("<head></head>").is_err());
        assert_eq!(
            through_script("const ret = arg1.hash;"),
            "const ret = gbacPart(arg1, 'hash');"
        );
    }
}

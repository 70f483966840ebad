//! `cargo xtask site`: the claim doctor, the documentation and the simulator as one folder of
//! files, which any web server can serve under any path.

mod doctor;
mod layout;
mod links;
mod simulator;
mod stage;
mod summary;

use crate::bind::{Binder, Speed};
use crate::console;
use crate::problem::{Problem, Result};
use crate::process::Call;
use crate::progress::{Progress, say};
use crate::tools;
use crate::workspace::Workspace;
use layout::{Site, html};
use stage::{Sources, copy, read, write};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use summary::{FILE, HOME, Summary};

/// What mdBook is asked for: the content of each page, and the search.
const BOOK: &str = "[book]\ntitle = \"GBAC documentation\"\nsrc = \"src\"\n\
    [build]\nbuild-dir = \"book\"\ncreate-missing = false\nuse-default-preprocessors = false\n\
    [output.html]\ntheme = \"theme\"\nhash-files = false\n\
    [output.html.print]\nenable = false\n";
/// The page that mdBook makes; `layout` puts it into the frame of the site.
const TEMPLATE: &str = "{{ title }}\n{{{ content }}}";
/// Files of mdBook for the search.
const SEARCH: [&str; 2] = ["elasticlunr.min.js", "searchindex.js"];
/// Files of the console that the pages share with it.
const SHARED: [&str; 4] = ["icon.svg", "look.css", "theme.js", "tokens.css"];
/// Files that are taken as they are.
const OWN: [&str; 4] = ["404.html", "doctor.js", "site.css", "site.js"];

/// The choices of the command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Where the console of the simulator comes from.
    pub(crate) console: Console,
    /// The address of the repository, for links to it.
    pub(crate) repository: Option<String>,
}

/// Where the console of the simulator comes from.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Console {
    /// It is built as it is published.
    #[default]
    Published,
    /// It is in this folder.
    Built(PathBuf),
    /// The site has no simulator.
    Omitted,
}

/// Builds the site and checks its links.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let progress = Progress::new();
    let site = build(workspace, &progress, options)?;
    say(&site.join("index.html").display().to_string());
    Ok(())
}

/// Builds the site; returns its folder.
pub(crate) fn build(
    workspace: &Workspace,
    progress: &Progress,
    options: &Options,
) -> Result<PathBuf> {
    let folder = workspace.target.join("site");
    let mdbook = tools::mdbook(workspace, progress)?;
    let step = progress.slow("site", "the documentation");
    let summary = Summary::parse(&read(&workspace.root, FILE)?)?;
    let sources = Sources::collect(&workspace.root, summary)?;
    let stage = workspace.notes().join("site");
    for old in [&stage, &folder] {
        if old.exists() {
            fs::remove_dir_all(old).map_err(|error| {
                Problem::new(format!("cannot remove `{}`: {error}", old.display()))
            })?;
        }
    }
    sources.write(&workspace.root, &stage.join("src"))?;
    write(&stage.join("book.toml"), BOOK.as_bytes())?;
    write(&stage.join("theme/index.hbs"), TEMPLATE.as_bytes())?;
    Call::new(mdbook, &stage)
        .args(["build"])
        .succeed(Some(&step))?;
    let site = Site {
        summary: &sources.summary,
        repository: options.repository.as_deref(),
        has_simulator: options.console != Console::Omitted,
    };
    let front = site.doctor(&read(&workspace.root, "site/index.html")?);
    write(&folder.join("index.html"), front.as_bytes())?;
    pages(&site, &sources, &stage, &folder)?;
    assets(workspace, &stage, &folder)?;
    step.done(&format!("{} pages", sources.paths().len()));
    doctor::build(workspace, progress, &folder)?;
    match &options.console {
        Console::Published => {
            let binder = Binder::build(workspace, progress, Speed::Bind)?;
            console::publish(workspace, progress, binder)?;
            simulator::build(workspace, &workspace.root.join("dist"), &folder)?;
        }
        Console::Built(console) => simulator::build(workspace, console, &folder)?,
        Console::Omitted => {}
    }
    let step = progress.slow("links", "every link of the site");
    let checked = links::check(&folder)?;
    step.done(&format!("of {checked} pages"));
    Ok(folder)
}

/// Writes each page, its Markdown, the files that it links to, and the index for programs.
fn pages(site: &Site<'_>, sources: &Sources, stage: &Path, folder: &Path) -> Result<()> {
    for path in sources.paths() {
        let rendered = read(&stage.join("book"), &html(path))?;
        let page = site.page(path, &without_folders(&rendered, path, stage));
        write(&folder.join(html(path)), page.as_bytes())?;
        copy(&stage.join("src").join(path), &folder.join(path))?;
    }
    for file in &sources.files {
        copy(&stage.join("src").join(file), &folder.join(file))?;
    }
    write(
        &folder.join("llms.txt"),
        index(&sources.summary, &stage.join("src"))?.as_bytes(),
    )
}

/// A page without links to folders, which only the repository shows: their text stays.
fn without_folders(rendered: &str, path: &str, stage: &Path) -> String {
    let mut text = String::new();
    let mut pieces = rendered.split("<a href=\"");
    text.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let link = piece.split('"').next().unwrap_or_default();
        let target = summary::resolve(summary::folder(path), link);
        let is_folder = !link.is_empty()
            && !link.contains([':', '#'])
            && target.is_some_and(|target| !stage.join("book").join(target).is_file());
        match piece.split_once("</a>") {
            Some((inside, rest)) if is_folder => {
                text.push_str(inside.split_once('>').map_or("", |(_, label)| label));
                text.push_str(rest);
            }
            _ => {
                text.push_str("<a href=\"");
                text.push_str(piece);
            }
        }
    }
    text
}

/// Copies what pages load.
fn assets(workspace: &Workspace, stage: &Path, folder: &Path) -> Result<()> {
    for name in SEARCH {
        copy(&stage.join("book").join(name), &folder.join(name))?;
    }
    for name in SHARED {
        let file = workspace.root.join("console/style").join(name);
        copy(&file, &folder.join(name))?;
    }
    for name in OWN {
        copy(&workspace.root.join("site").join(name), &folder.join(name))?;
    }
    Ok(())
}

/// `llms.txt`: a line for each page, with its first sentence and its Markdown.
fn index(summary: &Summary, source: &Path) -> Result<String> {
    let about = first_sentence(&read(source, HOME)?);
    let mut text = format!("# GBAC\n\n> {about}\n");
    for part in &summary.parts {
        let _ = write!(text, "\n## {}\n\n", part.title);
        for page in &part.pages {
            let about = first_sentence(&read(source, &page.path)?);
            let _ = writeln!(text, "- [{}]({}): {about}", page.title, page.path);
        }
    }
    Ok(text)
}

/// The first sentence of the first paragraph.
fn first_sentence(text: &str) -> String {
    let mut paragraph = String::new();
    for line in text.lines().skip_while(|line| !is_prose(line)) {
        if !is_prose(line) {
            break;
        }
        paragraph.push_str(line.trim());
        paragraph.push(' ');
    }
    let end = paragraph.find(". ").map_or(paragraph.len(), |end| end + 1);
    plain(paragraph[..end].trim())
}

/// Whether a line is part of a paragraph.
fn is_prose(line: &str) -> bool {
    line.starts_with(|c: char| c.is_alphabetic() || c == '`' || c == '[' || c == '*')
}

/// Markdown without links.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        let Some((label, after)) = after.split_once("](") else {
            plain.push('[');
            rest = after;
            continue;
        };
        plain.push_str(label);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn the_first_sentence_is_plain() {
        let text = "# Title\n\n<picture>\n\nThe `a` of [b](c.md)\nis here. And more.\n\nSecond paragraph.\n";
        assert_eq!(first_sentence(text), "The `a` of b is here.");
        assert_eq!(first_sentence("# Title\n"), "");
    }
}

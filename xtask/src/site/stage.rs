//! Collects the pages and every file of the checkout that they link to.

use super::summary::{HOME, Page, Summary, folder, resolve};
use crate::problem::{Problem, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What the documentation consists of.
#[derive(Debug)]
pub(super) struct Sources {
    pub(super) summary: Summary,
    /// Pages that only other pages link to.
    pub(super) more: Vec<Page>,
    /// Linked files that are no pages, relative to the top folder.
    pub(super) files: BTreeSet<String>,
}

impl Sources {
    /// Follows all links, beginning with the pages of the list.
    pub(super) fn collect(root: &Path, summary: Summary) -> Result<Self> {
        let mut sources = Self {
            summary,
            more: Vec::new(),
            files: BTreeSet::new(),
        };
        let listed = sources.summary.pages();
        let mut known: BTreeSet<String> =
            (listed.iter().map(|(_, page)| page.path.clone())).collect();
        known.insert(HOME.to_owned());
        let mut unread: Vec<String> = known.iter().cloned().collect();
        while let Some(page) = unread.pop() {
            let text = read(root, &page)?;
            for link in links(&text) {
                let gone = || {
                    Problem::new(format!(
                        "`{page}` links to `{link}`, and there is no such file"
                    ))
                };
                let path = resolve(folder(&page), link).ok_or_else(gone)?;
                let file = root.join(&path);
                if file.is_dir() {
                    continue;
                }
                if !file.is_file() {
                    return Err(gone());
                }
                if !path.ends_with(".md") {
                    sources.files.insert(path);
                } else if known.insert(path.clone()) {
                    let title = title(&read(root, &path)?).unwrap_or_else(|| path.clone());
                    unread.push(path.clone());
                    sources.more.push(Page { title, path });
                }
            }
        }
        Ok(sources)
    }

    /// The paths of all pages.
    pub(super) fn paths(&self) -> Vec<&str> {
        let mut paths = vec![HOME];
        paths.extend((self.summary.pages().iter()).map(|(_, page)| page.path.as_str()));
        paths.extend(self.more.iter().map(|page| page.path.as_str()));
        paths
    }

    /// Copies the sources into a folder, which mdBook reads.
    pub(super) fn write(&self, root: &Path, target: &Path) -> Result<()> {
        let paths = self.paths();
        let files = self.files.iter().map(String::as_str);
        for path in paths.into_iter().chain(files) {
            copy(&root.join(path), &target.join(path))?;
        }
        write(
            &target.join("SUMMARY.md"),
            self.summary.for_mdbook(&self.more).as_bytes(),
        )
    }
}

/// The first heading of a page.
fn title(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("# "))?;
    Some(line.trim_start_matches("# ").replace('`', ""))
}

/// The relative links of a Markdown text, without their anchors.
fn links(text: &str) -> Vec<&str> {
    let mut links = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
            continue;
        }
        if is_code {
            continue;
        }
        // What is in backticks is code.
        for prose in line.split('`').step_by(2) {
            for (start, end) in [
                ("](", ')'),
                ("src=\"", '"'),
                ("srcset=\"", '"'),
                ("href=\"", '"'),
            ] {
                for rest in prose.split(start).skip(1) {
                    links.extend(rest.split_once(end).map(|(link, _)| link));
                }
            }
        }
    }
    // A link with code in its text was cut at the backticks; its address is whole.
    let path = |link: &'_ str| -> usize { link.find('#').unwrap_or(link.len()) };
    links
        .into_iter()
        .map(|link| &link[..path(link)])
        .filter(|link| !link.is_empty() && !link.contains(':'))
        .collect()
}

/// Reads a file of the checkout.
pub(super) fn read(root: &Path, path: &str) -> Result<String> {
    fs::read_to_string(root.join(path))
        .map_err(|error| Problem::new(format!("cannot read `{path}`: {error}")))
}

/// Copies a file, with its folders.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    let bytes = fs::read(from)
        .map_err(|error| Problem::new(format!("cannot read `{}`: {error}", from.display())))?;
    write(to, &bytes)
}

/// Writes a file, with its folders.
pub(super) fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    let folder = file.parent().unwrap_or(file);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(file, bytes))
        .map_err(|error| Problem::new(format!("cannot write `{}`: {error}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::super::summary::FILE;
    use super::{Sources, Summary, links, read};
    use std::path::Path;

    #[test]
    fn finds_the_links_of_prose() {
        let text = "[a](b.md#c) and [`d`](../e), `[no](x)`, [out](https://x.example), [here](#y)\n\
            ```\n[no](z)\n```\n<img src=\"p.png\">\n";
        assert_eq!(links(text), ["b.md", "../e", "p.png"]);
    }

    #[test]
    fn every_page_and_every_linked_file_is_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let summary = Summary::parse(&read(root, FILE).unwrap()).unwrap();
        let sources = Sources::collect(root, summary).unwrap_or_else(|why| panic!("{why}"));
        assert!(sources.paths().len() > 10);
    }
}

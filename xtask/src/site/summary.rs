//! The pages of the documentation, in the order of `docs/SUMMARY.md`, which has mdBook's form.

use crate::problem::{Problem, Result};
use std::fmt::Write;

/// The list of pages, relative to the top folder.
pub(super) const FILE: &str = "docs/SUMMARY.md";
/// The first page.
pub(super) const HOME: &str = "docs/index.md";

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) title: String,
    /// Its Markdown, relative to the top folder of the checkout.
    pub(super) path: String,
}

/// A part with its pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) title: String,
    pub(super) pages: Vec<Page>,
}

/// All parts, without the first page, which belongs to none.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) parts: Vec<Part>,
}

impl Summary {
    /// Reads the list.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut parts: Vec<Part> = Vec::new();
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("# ") {
                if title != "Summary" {
                    parts.push(Part {
                        title: title.trim().to_owned(),
                        pages: Vec::new(),
                    });
                }
                continue;
            }
            let Some((title, path)) = entry(line) else {
                continue;
            };
            let path = resolve("docs", path)
                .ok_or_else(|| Problem::new(format!("`{FILE}` names `{path}`, outside of it")))?;
            match parts.last_mut() {
                Some(part) => part.pages.push(Page { title, path }),
                None if path == HOME => {}
                None => {
                    return Err(Problem::new(format!(
                        "`{FILE}` has `{path}` before its first part"
                    ))
                    .hint("write it below a heading such as `# Tutorial`"));
                }
            }
        }
        Ok(Self { parts })
    }

    /// All pages with their parts, in order.
    pub(super) fn pages(&self) -> Vec<(&Part, &Page)> {
        let mut all = Vec::new();
        for part in &self.parts {
            for page in &part.pages {
                all.push((part, page));
            }
        }
        all
    }

    /// The same list for mdBook, whose paths begin at the top folder; `more` are pages that only
    /// other pages name.
    pub(super) fn for_mdbook(&self, more: &[Page]) -> String {
        let mut text = format!("# Summary\n\n[Documentation]({HOME})\n");
        for part in &self.parts {
            let _ = write!(text, "\n# {}\n\n", part.title);
            for page in &part.pages {
                let _ = writeln!(text, "- [{}]({})", page.title, page.path);
            }
        }
        text.push_str("\n---\n\n");
        for page in more {
            let _ = writeln!(text, "[{}]({})\n", page.title, page.path);
        }
        text
    }
}

/// The title and the path of a line such as `- [Title](path.md)`.
fn entry(line: &str) -> Option<(String, &str)> {
    let line = line.trim().trim_start_matches(['-', '*']).trim_start();
    let (title, rest) = line.strip_prefix('[')?.split_once("](")?;
    let (path, _) = rest.split_once(')')?;
    (!path.is_empty()).then(|| (title.replace('`', ""), path))
}

/// The path of a link in a file of `folder`; `None` if it leaves the top folder.
pub(super) fn resolve(folder: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folder of a path; empty at the top.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::{Summary, resolve};

    #[test]
    fn reads_parts_and_pages() {
        let text = "# Summary\n\n[Home](index.md)\n\n# How-to guides\n\n- [Use `gbac`](how-to/use.md)\n  - [Deep](../README.md)\n- [Draft]()\n";
        let summary = Summary::parse(text).unwrap();
        let paths: Vec<(&str, &str)> = (summary.pages().iter())
            .map(|(part, page)| (part.title.as_str(), page.path.as_str()))
            .collect();
        assert_eq!(
            paths,
            [
                ("How-to guides", "docs/how-to/use.md"),
                ("How-to guides", "README.md")
            ]
        );
        assert_eq!(summary.parts[0].pages[0].title, "Use gbac");
        assert!(
            summary
                .for_mdbook(&[])
                .contains("- [Use gbac](docs/how-to/use.md)")
        );
        assert!(Summary::parse("# A\n\n- [x](../../x.md)\n").is_err());
        assert!(Summary::parse("[x](x.md)\n").is_err());
    }

    #[test]
    fn resolves_links() {
        assert_eq!(
            resolve("docs/how-to", "../a.md").as_deref(),
            Some("docs/a.md")
        );
        assert_eq!(resolve("", "./a/b").as_deref(), Some("a/b"));
        assert_eq!(resolve("docs", "../../a"), None);
    }
}

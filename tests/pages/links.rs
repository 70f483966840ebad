//! The links between pages: each leads to a file, and to a heading of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use gbac_tests::vectors::root;

use super::pages;

/// Pages beside those of the documentation that link to it.
const OTHERS: [&str; 5] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "tests/README.md",
];

/// The lines of a page outside its fenced blocks.
fn prose(page: &str) -> Vec<&str> {
    let (mut lines, mut fenced) = (Vec::new(), false);
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push(line);
        }
    }
    lines
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn anchor(heading: &str) -> String {
    let mut text = String::new();
    for character in heading.trim().to_lowercase().chars() {
        match character {
            ' ' => text.push('-'),
            '-' | '_' => text.push(character),
            _ if character.is_alphanumeric() => text.push(character),
            _ => {}
        }
    }
    text
}

/// The anchors of a page.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in prose(page) {
        let heading = line.trim_start_matches('#');
        if heading.len() < line.len() && heading.starts_with(' ') {
            found.insert(anchor(heading));
        }
    }
    found
}

/// The targets of the links of a page, without those to other sites.
fn links(page: &str) -> Vec<String> {
    let text = prose(page).join("\n");
    let mut found = Vec::new();
    for rest in text.split("](").skip(1) {
        let target = rest.split([')', ' ', '\n']).next().unwrap_or_default();
        if !target.is_empty() && !target.contains(':') {
            found.push(target.to_owned());
        }
    }
    found
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

#[test]
fn every_link_between_pages_leads_somewhere() {
    let (mut faults, mut count) = (Vec::new(), 0);
    for page in pages().into_iter().chain(OTHERS.map(str::to_owned)) {
        let text = fs::read_to_string(root().join(&page)).expect("a page");
        let folder = Path::new(&page).parent().expect("a folder");
        for link in links(&text) {
            count += 1;
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => PathBuf::from(&page),
                _ => plain(&folder.join(file)),
            };
            let there = root().join(&target);
            let is_page = target
                .extension()
                .is_some_and(|extension| extension == "md");
            if !there.exists() {
                faults.push(format!("{page}: {link}: there is no such file"));
            } else if is_page && !heading.is_empty() {
                let text = fs::read_to_string(there).expect("a page");
                if !anchors(&text).contains(heading) {
                    faults.push(format!("{page}: {link}: there is no such heading"));
                }
            }
        }
    }
    assert!(count > 200, "only {count} links");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_summary_lists_every_page() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("the summary");
    let listed: BTreeSet<String> = links(&summary).into_iter().collect();
    for page in pages() {
        let Some(page) = page.strip_prefix("docs/") else {
            continue;
        };
        assert!(
            page == "SUMMARY.md" || listed.contains(page),
            "{page} is not in docs/SUMMARY.md"
        );
    }
}

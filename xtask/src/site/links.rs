//! Checks the built site: every link and anchor leads somewhere inside of it, no address is
//! absolute, and no page loads or runs anything that its policy forbids.

use super::summary::{folder, resolve};
use crate::fingerprint::collect;
use crate::problem::{Problem, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The most mistakes that are listed.
const MOST: usize = 40;
/// Attributes whose values are addresses of what a page loads.
const LOADED: [&str; 3] = ["src", "srcset", "poster"];

/// A page: its attributes by the name of their element, and its anchors.
struct Html {
    attributes: Vec<(String, String, String)>,
    anchors: BTreeSet<String>,
}

/// Reads every page of a folder and reports all mistakes at once.
pub(super) fn check(site: &Path) -> Result<usize> {
    let failed = |error: std::io::Error| Problem::new(format!("cannot read the site: {error}"));
    let mut files = Vec::new();
    collect(site, &mut files).map_err(failed)?;
    let mut names = BTreeSet::new();
    let mut pages = BTreeMap::new();
    let mut mistakes = Vec::new();
    for file in files {
        let name = file.strip_prefix(site).unwrap_or(&file);
        let name = name.to_string_lossy().replace('\\', "/");
        if name.ends_with(".html") {
            let text = fs::read_to_string(&file).map_err(failed)?;
            pages.insert(name.clone(), read(&text));
        }
        if name.ends_with(".css") {
            let text = fs::read_to_string(&file).map_err(failed)?;
            if text.contains("url(") || text.contains("@import") {
                mistakes.push(format!("{name}: a style sheet loads another file"));
            }
        }
        names.insert(name);
    }
    let index = fs::read_to_string(site.join("llms.txt")).map_err(failed)?;
    for link in index.split("](").skip(1) {
        let link = link.split(')').next().unwrap_or_default();
        if !names.contains(link) {
            mistakes.push(format!("llms.txt: no file `{link}`"));
        }
    }
    for (name, page) in &pages {
        for attribute in &page.attributes {
            if let Some(mistake) = mistake(name, attribute, &names, &pages) {
                mistakes.push(format!("{name}: {mistake}"));
            }
        }
    }
    if mistakes.is_empty() {
        return Ok(pages.len());
    }
    let count = mistakes.len();
    mistakes.truncate(MOST);
    Err(Problem::new(format!("the site has {count} wrong links")).output(mistakes))
}

/// What is wrong with an attribute.
fn mistake(
    page: &str,
    (element, attribute, value): &(String, String, String),
    names: &BTreeSet<String>,
    pages: &BTreeMap<String, Html>,
) -> Option<String> {
    if attribute == "style" || attribute.starts_with("on") {
        return Some(format!(
            "`{attribute}` in `<{element}>`: its policy forbids it"
        ));
    }
    let is_loaded = LOADED.contains(&attribute.as_str()) || element == "link";
    if attribute != "href" && !is_loaded || attribute == "rel" {
        return None;
    }
    if element == "link" && attribute != "href" {
        return None;
    }
    let is_outside = value.starts_with("https://") || value.starts_with("http://");
    if is_outside || value.starts_with("mailto:") {
        let from_outside = is_loaded || element == "use";
        return from_outside.then(|| format!("`{value}` is loaded from outside"));
    }
    if value.starts_with('/') {
        return Some(format!("`{value}` is absolute"));
    }
    if value
        .split(['/', '#'])
        .next()
        .is_some_and(|first| first.contains(':'))
    {
        return Some(format!("`{value}` has a scheme that is not allowed"));
    }
    let (path, anchor) = value.split_once('#').unwrap_or((value, ""));
    let path = path.split('?').next().unwrap_or_default();
    let target = match path {
        "" => page.to_owned(),
        path => match resolve(folder(page), path) {
            Some(target) => target,
            None => return Some(format!("`{value}` leaves the site")),
        },
    };
    if !names.contains(&target) {
        return Some(format!("`{value}`: no file `{target}`"));
    }
    // The console reads addresses behind the `#` of its page.
    let is_there = match pages.get(&target) {
        Some(_) if target.starts_with("simulator/") && anchor.starts_with('/') => true,
        Some(html) => anchor.is_empty() || html.anchors.contains(anchor),
        None => anchor.is_empty(),
    };
    (!is_there).then(|| format!("`{value}`: `{target}` has no anchor `{anchor}`"))
}

/// The tags of a page. Scripts in it have no tags.
fn read(text: &str) -> Html {
    let mut html = Html {
        attributes: Vec::new(),
        anchors: BTreeSet::new(),
    };
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('<') {
        rest = after;
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
            continue;
        }
        let name_end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '-')
            .unwrap_or(rest.len());
        let (name, inside) = rest.split_at(name_end);
        if name.is_empty() {
            continue;
        }
        rest = attributes(name, inside, &mut html);
        if name == "script" || name == "style" {
            let end = format!("</{name}");
            rest = rest.find(&end).map_or("", |place| &rest[place..]);
        }
    }
    html
}

/// Reads the attributes of a tag; returns what follows it.
fn attributes<'t>(element: &str, mut rest: &'t str, html: &mut Html) -> &'t str {
    loop {
        rest = rest.trim_start().trim_start_matches('/');
        if let Some(after) = rest.strip_prefix('>') {
            return after;
        }
        let end = rest
            .find(|c: char| c == '=' || c == '>' || c == '/' || c.is_whitespace())
            .unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if name.is_empty() {
            return after;
        }
        rest = after;
        let Some(value) = after.strip_prefix('=') else {
            continue;
        };
        let (value, after) = match value.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => {
                let end = value
                    .find(|c: char| c == '>' || c.is_whitespace())
                    .unwrap_or(value.len());
                value.split_at(end)
            }
        };
        rest = after;
        let value = value.replace("&amp;", "&").replace("&#39;", "'");
        if name == "id" {
            html.anchors.insert(value.clone());
        }
        html.attributes
            .push((element.to_owned(), name.to_owned(), value));
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use std::fs;

    fn mistakes(name: &str, page: &str) -> String {
        let site = std::env::current_exe()
            .unwrap()
            .with_file_name(format!("links-{name}"));
        fs::remove_dir_all(&site).ok();
        fs::create_dir_all(site.join("docs")).unwrap();
        fs::write(site.join("llms.txt"), "- [a](docs/a.md)").unwrap();
        fs::write(site.join("docs/a.md"), "").unwrap();
        fs::write(site.join("index.html"), "<h1 id=\"top\">x</h1>").unwrap();
        fs::write(site.join("docs/a.html"), page).unwrap();
        check(&site)
            .err()
            .map(|problem| problem.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn only_links_that_lead_somewhere_pass() {
        for good in [
            "<a href=\"../index.html#top\">x</a><a id=\"b\" href=\"#b\">x</a><a href=\"https://x.example/\">x</a>",
            "<script>a < b && '<a href=\"gone\">'</script><!-- <a href=\"gone\"> --><img alt=\"\" src=\"a.md\">",
            "<pre><code>&lt;a href=\"gone\"></code></pre>",
        ] {
            assert_eq!(mistakes("good", good), "", "{good}");
        }
        for (bad, why) in [
            ("<a href=\"b.html\">", "no file `docs/b.html`"),
            ("<a href=\"../index.html#gone\">", "no anchor `gone`"),
            ("<a href=\"/index.html\">", "is absolute"),
            ("<a href=\"../../x\">", "leaves the site"),
            ("<a href=\"javascript:x\">", "scheme"),
            ("<img src=\"https://x.example/a.png\">", "from outside"),
            (
                "<link rel=\"stylesheet\" href=\"//x.example/a\">",
                "absolute",
            ),
            ("<p style=\"color: red\">", "policy forbids"),
            ("<p onclick=\"x\">", "policy forbids"),
        ] {
            assert!(mistakes("bad", bad).contains(why), "{bad}");
        }
    }
}

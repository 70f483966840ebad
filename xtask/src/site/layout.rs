//! Puts what mdBook renders of a page into the frame of the site.

use super::summary::{HOME, Page, Summary, folder};
use std::fmt::Write;

/// The frame of a documentation page.
const PAGE: &str = include_str!("../../../site/page.html");
/// The frame of the first page of the documentation.
const HOME_PAGE: &str = include_str!("../../../site/home.html");
const HEAD: &str = include_str!("../../../site/head.html");
const BAR: &str = include_str!("../../../site/bar.html");
/// What pages may load: files of the site, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'none'; base-uri 'none'; form-action 'none'";
/// The first page, which also compiles its own WebAssembly.
const DOCTOR_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'none'; base-uri 'none'; form-action 'none'";

/// What every page of a build has in common.
pub(super) struct Site<'a> {
    pub(super) summary: &'a Summary,
    /// The address of the repository, for links to it.
    pub(super) repository: Option<&'a str>,
    /// Whether the console is in the folder `simulator`.
    pub(super) has_simulator: bool,
}

/// The page of the bar that is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Current {
    Doctor,
    Docs,
}

impl Site<'_> {
    /// The page of a Markdown file, from the title and the content that mdBook made of it.
    pub(super) fn page(&self, path: &str, rendered: &str) -> String {
        let (title, content) = rendered.split_once('\n').unwrap_or_default();
        let content = content_of(content);
        let root = root(path);
        let twin = path.rsplit('/').next().unwrap_or(path);
        let common = [
            ("head", self.head(&root, POLICY)),
            ("bar", self.bar(&root, Current::Docs)),
            ("foot", self.foot(&root, twin)),
            ("root", root.clone()),
            ("twin", twin.to_owned()),
        ];
        let own = if path == HOME {
            self.home(&root, &content)
        } else {
            self.article(path, &root, title, &content)
        };
        let frame = if path == HOME { HOME_PAGE } else { PAGE };
        fill(frame, &[own, common.to_vec()].concat())
    }

    /// The first page of the site, from its own file.
    pub(super) fn doctor(&self, frame: &str) -> String {
        let values = [
            ("head", self.head("", DOCTOR_POLICY)),
            ("bar", self.bar("", Current::Doctor)),
            ("root", String::new()),
            ("simulator", self.simulator()),
        ];
        fill(frame, &values)
    }

    /// The way from the claim doctor to the simulator.
    fn simulator(&self) -> String {
        if !self.has_simulator {
            return String::new();
        }
        "<section class=\"panel\"><h2>Try it with a policy</h2><p>See what the token above can do with an example policy or one that you import.</p>\
         <a href=\"simulator/index.html\" id=\"with-policy\">Use with a policy</a></section>"
            .to_owned()
    }

    fn article(
        &self,
        path: &str,
        root: &str,
        title: &str,
        content: &str,
    ) -> Vec<(&'static str, String)> {
        let pages = self.summary.pages();
        let place = pages.iter().position(|(_, page)| page.path == path);
        let part = place.map_or("Documentation", |place| pages[place].0.title.as_str());
        let mut crumbs = format!(
            "<ol class=\"crumbs\" aria-label=\"Breadcrumb\"><li><a href=\"{root}docs/index.html\">Documentation</a></li>"
        );
        if place.is_some() {
            let _ = write!(crumbs, "<li>{part}</li>");
        }
        crumbs.push_str("</ol>");
        let mut neighbors = String::new();
        if let Some(place) = place {
            let before = place
                .checked_sub(1)
                .and_then(|place| pages.get(place))
                .map(|(_, page)| (*page, "Previous"));
            let after = pages.get(place + 1).map(|(_, page)| (*page, "Next"));
            for (page, label) in before.into_iter().chain(after) {
                let href = html(&page.path);
                let _ = write!(
                    neighbors,
                    "<a class=\"panel\" href=\"{root}{href}\"><small>{label}</small>{}</a>",
                    page.title
                );
            }
            neighbors = format!(
                "<nav class=\"pn\" aria-label=\"Previous and next page\">{neighbors}</nav>"
            );
        }
        vec![
            ("title", title.to_owned()),
            ("part", part.to_owned()),
            ("nav", self.nav(path, root)),
            ("crumbs", crumbs),
            ("content", content.to_owned()),
            ("neighbors", neighbors),
            ("toc", toc(content)),
        ]
    }

    fn home(&self, root: &str, content: &str) -> Vec<(&'static str, String)> {
        let (intro, questions) = content
            .find("<h2")
            .map_or((content, ""), |place| content.split_at(place));
        let mut parts = String::new();
        for part in &self.summary.parts {
            let about = match part.title.as_str() {
                "Tutorial" => "Learn by doing",
                "Reference" => "Look it up",
                "Explanation" => "Understand it",
                _ => "Reach a goal",
            };
            let _ = write!(
                parts,
                "<section><h2>{}</h2><p class=\"quiet\">{about}</p><ul>{}</ul></section>",
                part.title,
                items(&part.pages, "", root)
            );
        }
        let first = (self.summary.pages().first()).map(|(_, page)| html(&page.path));
        let tutorial = first.map_or_else(String::new, |href| {
            format!(
                "<a class=\"panel\" href=\"{root}{href}\"><h2><svg class=\"i\" aria-hidden=\"true\"><use href=\"#book\"/></svg>Start the tutorial</h2>\
                 <p>From an access token to an applied change, in ten minutes.</p></a>"
            )
        });
        vec![
            ("intro", intro.to_owned()),
            ("tutorial", tutorial),
            ("questions", questions.to_owned()),
            ("parts", parts),
        ]
    }

    /// The tree of pages.
    fn nav(&self, path: &str, root: &str) -> String {
        let mut nav = String::new();
        for part in &self.summary.parts {
            let _ = write!(
                nav,
                "<section><h2>{}</h2><ul>{}</ul></section>",
                part.title,
                items(&part.pages, path, root)
            );
        }
        nav
    }

    fn head(&self, root: &str, policy: &str) -> String {
        fill(
            HEAD,
            &[("root", root.to_owned()), ("policy", policy.to_owned())],
        )
    }

    fn bar(&self, root: &str, current: Current) -> String {
        let mark = |page| {
            let is_current = page == current;
            if is_current {
                " aria-current=\"page\""
            } else {
                ""
            }
            .to_owned()
        };
        let simulator = if self.has_simulator {
            format!("<a href=\"{root}simulator/index.html\">Simulator</a>")
        } else {
            String::new()
        };
        let source = self.repository.map_or_else(String::new, |address| {
            format!("<a href=\"{}\">Source code</a>", escape(address))
        });
        let values = [
            ("root", root.to_owned()),
            ("in-docs", mark(Current::Docs)),
            ("in-doctor", mark(Current::Doctor)),
            ("simulator", simulator),
            ("source", source),
        ];
        fill(BAR, &values)
    }

    fn foot(&self, root: &str, twin: &str) -> String {
        let report = self.repository.map_or_else(String::new, |address| {
            format!(
                "<a href=\"{}/issues\">Report a mistake</a>",
                escape(address)
            )
        });
        format!(
            "<footer class=\"dfoot\"><a href=\"{twin}\">This page as Markdown</a><a href=\"{root}llms.txt\">llms.txt</a>{report}<span>Version {}</span></footer>\n",
            env!("CARGO_PKG_VERSION")
        )
    }
}

/// The pages of a part as a list.
fn items(pages: &[Page], current: &str, root: &str) -> String {
    let mut items = String::new();
    for page in pages {
        let mark = if page.path == current {
            " aria-current=\"page\""
        } else {
            ""
        };
        let _ = write!(
            items,
            "<li><a href=\"{root}{}\"{mark}>{}</a></li>",
            html(&page.path),
            page.title
        );
    }
    items
}

/// The headings of the second level.
fn toc(content: &str) -> String {
    let mut items = String::new();
    for heading in content.split("<h2 id=\"").skip(1) {
        let Some((id, rest)) = heading.split_once('"') else {
            continue;
        };
        let text = rest.split("</h2>").next().unwrap_or_default();
        let text = without_tags(text.split_once('>').map_or("", |(_, text)| text));
        let _ = write!(items, "<li><a href=\"#{id}\">{text}</a></li>");
    }
    if items.is_empty() {
        return items;
    }
    format!(
        "<nav class=\"toc\" aria-label=\"On this page\"><h2>On this page</h2><ul>{items}</ul></nav>"
    )
}

/// The text of HTML, still escaped.
fn without_tags(html: &str) -> String {
    let mut text = String::new();
    for piece in html.split('<') {
        text.push_str(piece.split_once('>').map_or(piece, |(_, text)| text));
    }
    text
}

/// What mdBook rendered, as the site shows it: without inline styles, which the pages' policy
/// forbids, with regions that scroll in the order of the keyboard, and commands apart from their
/// output.
fn content_of(rendered: &str) -> String {
    let content = rendered
        .replace(" style=\"text-align: right\"", " class=\"to-right\"")
        .replace(" style=\"text-align: center\"", " class=\"to-center\"")
        .replace(" style=\"text-align: left\"", "")
        .replace(
            "<div class=\"table-wrapper\">",
            "<div class=\"table-wrapper\" tabindex=\"0\">",
        );
    let mut pieces = content.split("<pre><code");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match block(piece) {
            Some((block, rest)) => {
                text.push_str(&block);
                text.push_str(rest);
            }
            None => {
                text.push_str("<pre><code");
                text.push_str(piece);
            }
        }
    }
    text
}

/// A block of code, from the attributes of its tag on, and what follows it.
fn block(piece: &str) -> Option<(String, &str)> {
    let (inside, rest) = piece.split_once("</code></pre>")?;
    let (_, code) = inside.split_once('>')?;
    let block = if code.starts_with("$ ") {
        terminal(code)
    } else {
        format!("<pre class=\"code\" tabindex=\"0\"><code>{code}</code></pre>")
    };
    Some((block, rest))
}

/// Commands, each with a button that copies it, and their output.
fn terminal(code: &str) -> String {
    let mut block = "<figure class=\"term\">".to_owned();
    let mut lines = code.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(first) = line.strip_prefix("$ ") {
            let mut command = first.to_owned();
            while command.ends_with('\\') {
                let Some(next) = lines.next() else { break };
                command.push('\n');
                command.push_str(next);
            }
            let label = command.replace("\\\n", " ").replace('"', "&quot;");
            let label = label.split_whitespace().collect::<Vec<_>>().join(" ");
            let copied = command.replace('"', "&quot;");
            let _ = write!(
                block,
                "<div class=\"cmdl\"><pre tabindex=\"0\"><code><span class=\"ps\" aria-hidden=\"true\">$ </span>{command}</code></pre>\
                 <button class=\"icon-btn\" type=\"button\" aria-label=\"Copy the command: {label}\" data-copy=\"{copied}\">\
                 <svg class=\"i\" aria-hidden=\"true\"><use href=\"#copy\"/></svg></button></div>"
            );
            continue;
        }
        let mut output = line.to_owned();
        while let Some(next) = lines.next_if(|next| !next.starts_with("$ ")) {
            output.push('\n');
            output.push_str(next);
        }
        let _ = write!(
            block,
            "<pre class=\"out\" tabindex=\"0\"><code>{output}</code></pre>"
        );
    }
    block + "</figure>"
}

/// The way from a page to the top folder of the site: `../` for each folder.
fn root(path: &str) -> String {
    let folder = folder(path);
    let depth = folder.split('/').filter(|part| !part.is_empty()).count();
    "../".repeat(depth)
}

/// The page of a Markdown file.
pub(super) fn html(path: &str) -> String {
    format!("{}.html", path.trim_end_matches(".md"))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
}

/// Puts values in the places of a frame. Values are not read for further places.
fn fill(frame: &str, values: &[(&str, String)]) -> String {
    let mut text = String::new();
    let mut pieces = frame.split("{{");
    text.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        for (_, value) in values.iter().filter(|(known, _)| *known == name) {
            text.push_str(value);
        }
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{content_of, fill, root, toc};

    #[test]
    fn commands_and_output_are_apart() {
        let text = content_of(
            "<pre><code class=\"language-console\">$ gbac a \\\n  b\nok\n$ c\n</code></pre>",
        );
        assert!(text.contains("data-copy=\"gbac a \\\n  b\""), "{text}");
        assert!(text.contains("Copy the command: gbac a b\""), "{text}");
        assert!(text.contains("<code>ok</code>"), "{text}");
        assert_eq!(text.matches("cmdl").count(), 2);
        let other = content_of("<pre><code class=\"language-json\">{}</code></pre>!");
        assert_eq!(
            other,
            "<pre class=\"code\" tabindex=\"0\"><code>{}</code></pre>!"
        );
    }

    #[test]
    fn the_table_of_contents_has_the_text_of_headings() {
        let content = "<h2 id=\"a\"><a class=\"header\" href=\"#a\">The <code>a</code> &amp; b</a></h2><p>x</p>";
        assert!(toc(content).contains("<a href=\"#a\">The a &amp; b</a>"));
        assert_eq!(toc("<p>x</p>"), "");
    }

    #[test]
    fn frames_are_filled() {
        let values = [("a", "{{b}}".to_owned()), ("b", "2".to_owned())];
        assert_eq!(fill("1 {{a}} {{b}} {{c}}.", &values), "1 {{b}} 2 .");
        assert_eq!(root("docs/how-to/a.md"), "../../");
        assert_eq!(root("README.md"), "");
    }
}

//! Creates the console's page from `console/index.html` and the files that it references, like
//! Trunk.
//!
//! A tag with `data-trunk` references a file of `console/`, or the program; the resulting page
//! references the files next to it.

use crate::fingerprint::Fingerprint;
use crate::problem::{Problem, Result};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// The name of the console's package and of its program's files.
pub(crate) const NAME: &str = "gbac-console";
/// The page itself.
pub(crate) const INDEX: &str = "index.html";
/// The mark of a tag to replace.
const MARK: &str = " data-trunk ";

/// Files by name.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// The naming of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// With a hash of their content, so that browsers can cache them.
    Hashed,
    /// Unchanged, so that a running service finds new files under the old names.
    Plain,
}

/// The compiled and bound console.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// The suffix of its file names; empty for plain names.
    pub(crate) suffix: String,
    /// Its files with their final names.
    pub(crate) files: Files,
    /// The part of the page before the script that starts it.
    pub(crate) head: String,
}

impl Names {
    /// The name of a file with this content.
    fn name(self, file: &Path, content: &[u8]) -> String {
        let part = |part: Option<&std::ffi::OsStr>| {
            part.unwrap_or_default().to_string_lossy().into_owned()
        };
        let (stem, ending) = (part(file.file_stem()), part(file.extension()));
        match self {
            Self::Hashed => format!(
                "{stem}-{}.{ending}",
                Fingerprint::new().bytes(content).finish()
            ),
            Self::Plain => format!("{stem}.{ending}"),
        }
    }
}

impl Program {
    /// The two files that a binding wrote into a folder.
    pub(crate) fn bound(folder: &Path, names: Names) -> io::Result<Self> {
        let script = fs::read(folder.join(format!("{NAME}.js")))?;
        let wasm = fs::read(folder.join(format!("{NAME}_bg.wasm")))?;
        let suffix = match names {
            Names::Hashed => format!(
                "-{}",
                Fingerprint::new().bytes(&script).bytes(&wasm).finish()
            ),
            Names::Plain => String::new(),
        };
        let files = Files::from([
            (format!("{NAME}{suffix}.js"), script),
            (format!("{NAME}{suffix}_bg.wasm"), wasm),
        ]);
        Ok(Self {
            suffix,
            files,
            head: String::new(),
        })
    }

    /// The script that starts it.
    fn start(&self) -> String {
        let Self { suffix, head, .. } = self;
        format!(
            "\n{head}<script type=\"module\">\n\
             import init, * as bindings from '/{NAME}{suffix}.js';\n\
             const wasm = await init({{ module_or_path: '/{NAME}{suffix}_bg.wasm' }});\n\n\n\
             window.wasmBindings = bindings;\n\n\n\
             dispatchEvent(new CustomEvent(\"TrunkApplicationStarted\", {{detail: {{wasm}}}}));\n\n\
             </script>"
        )
    }

    /// The tags that make browsers fetch it before the script runs.
    fn preload(&self) -> String {
        let suffix = &self.suffix;
        format!(
            "<link rel=\"modulepreload\" href=\"/{NAME}{suffix}.js\" crossorigin=\"anonymous\">\
             <link rel=\"preload\" href=\"/{NAME}{suffix}_bg.wasm\" crossorigin=\"anonymous\" as=\"fetch\" type=\"application/wasm\">"
        )
    }
}

/// Builds the page of the folder `console` with all referenced files.
pub(crate) fn build(console: &Path, names: Names, program: Program) -> Result<Files> {
    let page = read(console, INDEX)?;
    let page = String::from_utf8(page).map_err(|_| wrong("it is not UTF-8"))?;
    let mut text = String::new();
    let mut rest = page.as_str();
    let mut started = false;
    let mut files = Files::new();
    while let Some(mark) = rest.find(MARK) {
        let start = rest[..mark]
            .rfind('<')
            .ok_or_else(|| wrong("`data-trunk` stands in no tag"))?;
        let end = mark
            + rest[mark..]
                .find('>')
                .ok_or_else(|| wrong("a tag with `data-trunk` does not end"))?;
        let tag = &rest[start..end];
        let mut copy = |attribute: &str| {
            let source = value(tag, attribute)
                .ok_or_else(|| wrong(&format!("`{tag}>` has no `{attribute}`")))?;
            let content = read(console, source)?;
            let name = names.name(Path::new(source), &content);
            files.insert(name.clone(), content);
            Ok(name)
        };
        let new = match (tag.starts_with("<script"), value(tag, "rel")) {
            (true, _) => format!("<script src=\"/{}\">", copy("src")?),
            (false, Some("icon")) => format!("<link rel=\"icon\" href=\"/{}\"/>", copy("href")?),
            (false, Some("css")) => {
                format!("<link rel=\"stylesheet\" href=\"/{}\"/>", copy("href")?)
            }
            (false, Some("rust")) if !started => {
                started = true;
                program.start()
            }
            _ => {
                return Err(wrong(&format!(
                    "`{tag}>` is none of a script, an icon, a style sheet and one program"
                ))
                .hint("xtask/src/page.rs makes the page; teach it the new kind"));
            }
        };
        text.push_str(&rest[..start]);
        text.push_str(&new);
        rest = &rest[end + 1..];
    }
    text.push_str(rest);
    if !started {
        return Err(wrong(
            "no tag with `data-trunk` and `rel=\"rust\"` says where the program starts",
        ));
    }
    let (before, after) = text
        .split_once("</head>")
        .ok_or_else(|| wrong("it has no `</head>`"))?;
    files.insert(
        INDEX.to_owned(),
        format!("{before}{}</head>{after}", program.preload()).into_bytes(),
    );
    files.extend(program.files);
    Ok(files)
}

/// Replaces the contents of a folder with files. The page is written last, because it marks the
/// folder as a console.
pub(crate) fn replace(folder: &Path, files: &Files) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    write(folder, files)
}

/// Writes files into a folder, replacing those with the same names. The page is written last.
pub(crate) fn write(folder: &Path, files: &Files) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let is_page = |name: &str| name == INDEX;
    let in_order = files
        .iter()
        .filter(|(name, _)| !is_page(name))
        .chain(files.iter().filter(|(name, _)| is_page(name)));
    for (name, content) in in_order {
        fs::write(folder.join(name), content)?;
    }
    Ok(())
}

/// The value of an attribute of a tag.
fn value<'t>(tag: &'t str, attribute: &str) -> Option<&'t str> {
    let (_, rest) = tag.split_once(&format!(" {attribute}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

fn read(console: &Path, file: &str) -> Result<Vec<u8>> {
    fs::read(console.join(file))
        .map_err(|error| Problem::new(format!("cannot read `console/{file}`: {error}")))
}

fn wrong(message: &str) -> Problem {
    Problem::new(format!("`console/{INDEX}`: {message}"))
}

#[cfg(test)]
mod tests {
    use super::{Files, INDEX, Names, Program, build, replace};
    use std::fs;
    use std::path::PathBuf;

    const PAGE: &str = "<head>\n<link data-trunk rel=\"icon\" href=\"style/icon.svg\">\n\
        <script data-trunk src=\"style/theme.js\"></script>\n<link data-trunk rel=\"css\" href=\"style/look.css\">\n\
        <link data-trunk rel=\"rust\" data-bin=\"gbac-console\" data-wasm-opt=\"z\">\n</head>\n<body>\n</body>\n";

    /// A new folder for this test with a console in it.
    fn console(name: &str, page: &str) -> PathBuf {
        let folder = std::env::current_exe()
            .unwrap()
            .with_file_name(format!("page-{name}"));
        fs::remove_dir_all(&folder).ok();
        fs::create_dir_all(folder.join("style")).unwrap();
        fs::write(folder.join(INDEX), page).unwrap();
        for file in ["icon.svg", "theme.js", "look.css"] {
            fs::write(folder.join("style").join(file), file).unwrap();
        }
        folder
    }

    fn program(suffix: &str) -> Program {
        let files = Files::from([(format!("gbac-console{suffix}.js"), b"js".to_vec())]);
        Program {
            suffix: suffix.to_owned(),
            files,
            head: String::new(),
        }
    }

    fn page(files: &Files) -> &str {
        std::str::from_utf8(&files[INDEX]).unwrap()
    }

    #[test]
    fn the_page_names_the_files_beside_it() {
        let files = build(&console("plain", PAGE), Names::Plain, program("")).unwrap();
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            ["gbac-console.js", "icon.svg", INDEX, "look.css", "theme.js"]
        );
        assert_eq!(
            page(&files),
            "<head>\n<link rel=\"icon\" href=\"/icon.svg\"/>\n<script src=\"/theme.js\"></script>\n\
             <link rel=\"stylesheet\" href=\"/look.css\"/>\n\n<script type=\"module\">\n\
             import init, * as bindings from '/gbac-console.js';\n\
             const wasm = await init({ module_or_path: '/gbac-console_bg.wasm' });\n\n\nwindow.wasmBindings = bindings;\n\n\n\
             dispatchEvent(new CustomEvent(\"TrunkApplicationStarted\", {detail: {wasm}}));\n\n</script>\n\
             <link rel=\"modulepreload\" href=\"/gbac-console.js\" crossorigin=\"anonymous\">\
             <link rel=\"preload\" href=\"/gbac-console_bg.wasm\" crossorigin=\"anonymous\" as=\"fetch\" type=\"application/wasm\"></head>\n\
             <body>\n</body>\n"
        );
    }

    #[test]
    fn a_hashed_name_follows_the_content() {
        let folder = console("hashed", PAGE);
        let names = || {
            build(&folder, Names::Hashed, program("-12ab"))
                .unwrap()
                .into_keys()
                .collect::<Vec<_>>()
        };
        let before = names();
        assert!(
            before.contains(&"gbac-console-12ab.js".to_owned()),
            "{before:?}"
        );
        assert!(
            before
                .iter()
                .all(|name| name.contains('-') || name == INDEX),
            "{before:?}"
        );
        assert_eq!(before, names());
        fs::write(folder.join("style/look.css"), "new").unwrap();
        let after = names();
        assert_eq!(
            before.iter().filter(|name| !after.contains(name)).count(),
            1,
            "{before:?} {after:?}"
        );
    }

    #[test]
    fn unknown_tags_are_errors() {
        let problem = |name, page: &str| {
            build(&console(name, page), Names::Plain, program(""))
                .unwrap_err()
                .to_string()
        };
        let page = PAGE.replace("look.css", "gone.css");
        assert!(problem("gone", &page).contains("cannot read `console/style/gone.css`"));
        let page = PAGE.replace("rel=\"css\"", "rel=\"sass\"");
        assert!(
            problem("sass", &page)
                .contains("`<link data-trunk rel=\"sass\" href=\"style/look.css\">` is none of")
        );
        let page = PAGE.replace("rel=\"rust\"", "rel=\"icon\" href=\"style/icon.svg\"");
        assert!(problem("none", &page).contains("says where the program starts"));
    }

    #[test]
    fn a_folder_is_replaced() {
        let folder = console("replace", PAGE);
        replace(&folder, &Files::from([(INDEX.to_owned(), b"new".to_vec())])).unwrap();
        let entries: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(entries, [INDEX]);
    }
}

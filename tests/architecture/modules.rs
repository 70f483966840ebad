//! Reads the modules of a crate: their definitions, and their imports with the defining files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gbac_tests::vectors::root;
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Meta, UseTree, Visibility};

use super::crates::{self, below_root};

/// The names on the path from the root of a crate to a module.
pub(crate) type ModulePath = Vec<String>;

/// A module, inline or in a separate file.
#[derive(Default)]
pub(crate) struct Module {
    /// Its file below the root of the repository.
    pub(crate) file: String,
    pub(crate) is_public: bool,
    /// The types that it defines, and whether they are public.
    pub(crate) types: BTreeMap<String, bool>,
    /// Its other definitions.
    items: BTreeSet<String>,
    /// The names that it imports, with their paths and whether it re-exports them.
    pub(crate) imports: BTreeMap<String, Import>,
    /// The modules of its glob imports.
    pub(crate) globs: Vec<Import>,
    /// Every path with two or more parts in its code.
    paths: BTreeSet<Vec<String>>,
}

#[derive(Clone)]
pub(crate) struct Import {
    pub(crate) path: Vec<String>,
    /// Whether other modules can access it here.
    is_exported: bool,
    /// Whether other crates can access it here.
    pub(crate) is_public: bool,
}

/// One crate: its modules by path.
pub(crate) struct Tree {
    pub(crate) modules: BTreeMap<ModulePath, Module>,
    /// The files of only tests.
    pub(crate) test_files: Vec<String>,
}

/// A name of another module that a module uses.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Use {
    pub(crate) from: ModulePath,
    /// The module in the path.
    pub(crate) named: ModulePath,
    /// The module with the definition.
    pub(crate) defined: ModulePath,
    pub(crate) name: String,
}

/// The modules of each library, program and test of the workspace, by root file; read once.
pub(crate) fn trees() -> &'static BTreeMap<String, Tree> {
    static TREES: OnceLock<BTreeMap<String, Tree>> = OnceLock::new();
    let roots = || crates::all().into_iter().flat_map(|package| package.roots);
    TREES.get_or_init(|| {
        roots()
            .map(|root| (root.clone(), Tree::read(&root)))
            .collect()
    })
}

impl Tree {
    /// Reads the modules below a root file, without those that are compiled only for tests.
    fn read(file: &str) -> Self {
        let mut tree = Self {
            modules: BTreeMap::new(),
            test_files: Vec::new(),
        };
        let path = root().join(file);
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        tree.file(Vec::new(), &path, &folder, true);
        tree
    }

    /// Adds the module of a file; `folder` contains the files of its submodules.
    fn file(&mut self, path: ModulePath, file: &Path, folder: &Path, is_public: bool) {
        let text =
            fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed =
            syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.module(path, &parsed.items, &below_root(file), folder, is_public);
    }

    fn module(
        &mut self,
        path: ModulePath,
        items: &[Item],
        file: &str,
        folder: &Path,
        is_public: bool,
    ) {
        let mut module = Module {
            file: file.to_owned(),
            is_public,
            ..Module::default()
        };
        for item in items {
            let Item::Mod(inner) = item else {
                module.add(item);
                continue;
            };
            let name = inner.ident.to_string();
            let below = [path.clone(), vec![name.clone()]].concat();
            let is_test = is_only_for_tests(&inner.attrs);
            let is_public = is_public_outside(&inner.vis);
            match &inner.content {
                Some(_) if is_test => {}
                Some((_, items)) => self.module(below, items, file, &folder.join(&name), is_public),
                None => {
                    let (file, folder) = file_of(&inner.attrs, folder, &name);
                    if is_test {
                        self.test_file(&file, &folder);
                    } else {
                        self.file(below, &file, &folder, is_public);
                    }
                }
            }
        }
        self.modules.insert(path, module);
    }

    /// Adds the file of a test module, and those of the modules in it.
    fn test_file(&mut self, file: &Path, folder: &Path) {
        self.test_files.push(below_root(file));
        let text =
            fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed =
            syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for item in parsed.items {
            if let Item::Mod(inner) = item
                && inner.content.is_none()
            {
                let (file, folder) = file_of(&inner.attrs, folder, &inner.ident.to_string());
                self.test_file(&file, &folder);
            }
        }
    }

    /// The names that each module uses from other modules of this crate.
    pub(crate) fn uses(&self) -> BTreeSet<Use> {
        let mut uses = BTreeSet::new();
        for (from, module) in &self.modules {
            let globs = module.globs.iter().map(|glob| &glob.path);
            let exported = |path: &Vec<String>| {
                let all = module.imports.values().chain(&module.globs);
                all.filter(|import| import.is_exported)
                    .any(|import| import.path == *path)
            };
            for path in module.paths.iter().chain(globs) {
                let is_glob = !module.paths.contains(path);
                let Some((named, defined, whole)) = self.find(from, path, 0) else {
                    continue;
                };
                // Paths to whole modules are ignored, because paths through them count separately.
                // A parent that re-exports definitions of a child does not use the child.
                if (whole && !is_glob) || (exported(path) && defined.starts_with(from)) {
                    continue;
                }
                if self.modules[&defined].file != module.file {
                    uses.insert(Use {
                        from: from.clone(),
                        named,
                        defined,
                        name: path.join("::"),
                    });
                }
            }
        }
        uses
    }

    /// The module in a path, the module with its definition, and whether the path is the whole
    /// module.
    pub(crate) fn find(
        &self,
        from: &ModulePath,
        path: &[String],
        depth: usize,
    ) -> Option<(ModulePath, ModulePath, bool)> {
        let (first, mut rest) = path.split_first()?;
        let mut current = match first.as_str() {
            "crate" => Vec::new(),
            "self" => from.clone(),
            "super" => from.split_last()?.1.to_vec(),
            _ => {
                rest = path;
                from.clone()
            }
        };
        let is_relative = rest.len() == path.len();
        while let Some((_, more)) = rest.split_first().filter(|(next, _)| *next == "super") {
            current.pop()?;
            rest = more;
        }
        let mut is_first = true;
        while let Some((name, more)) = rest.split_first() {
            let child = [current.clone(), vec![name.clone()]].concat();
            if self.modules.contains_key(&child) {
                current = child;
                rest = more;
                is_first = false;
                continue;
            }
            let module = self.modules.get(&current)?;
            if let Some(import) = module
                .imports
                .get(name)
                .filter(|import| depth < 16 && import.path != path)
            {
                let full = [import.path.clone(), more.to_vec()].concat();
                let (_, defined, whole) = self.find(&current, &full, depth + 1)?;
                return Some((current, defined, whole));
            }
            if module.defines(name) {
                return Some((current.clone(), current, false));
            }
            for glob in module.globs.iter().filter(|_| depth < 16) {
                let full = [glob.path.clone(), rest.to_vec()].concat();
                let found = self.find(&current, &full, depth + 1);
                if let Some((_, defined, whole)) =
                    found.filter(|(_, defined, _)| self.modules[defined].defines(name))
                {
                    return Some((current, defined, whole));
                }
            }
            // Another crate, or a definition by a macro.
            return (!(is_first && is_relative)).then(|| (current.clone(), current, false));
        }
        Some((current.clone(), current, true))
    }
}

impl Module {
    fn defines(&self, name: &str) -> bool {
        self.types.contains_key(name) || self.items.contains(name)
    }

    fn add(&mut self, item: &Item) {
        let mut define = |name: &syn::Ident, vis: Option<&Visibility>| match vis {
            Some(vis) => {
                self.types.insert(name.to_string(), is_public_outside(vis));
            }
            None => {
                self.items.insert(name.to_string());
            }
        };
        match item {
            Item::Enum(item) => define(&item.ident, Some(&item.vis)),
            Item::Struct(item) => define(&item.ident, Some(&item.vis)),
            Item::Union(item) => define(&item.ident, Some(&item.vis)),
            Item::Trait(item) => define(&item.ident, Some(&item.vis)),
            Item::Type(item) => define(&item.ident, Some(&item.vis)),
            Item::Const(item) => define(&item.ident, None),
            Item::Static(item) => define(&item.ident, None),
            Item::Fn(item) => define(&item.sig.ident, None),
            Item::Macro(item) => self.types.extend(types_of_macro(&item.mac.tokens)),
            _ => {}
        }
        self.visit_item(item);
    }

    fn add_use(&mut self, tree: &UseTree, prefix: &[String], vis: &Visibility) {
        let is_exported = !matches!(vis, Visibility::Inherited);
        let is_public = is_public_outside(vis);
        let with = |name: &syn::Ident| [prefix.to_vec(), vec![name.to_string()]].concat();
        let mut add = |name: String, mut path: Vec<String>| {
            // `use a::b::{self}` imports `a::b`.
            if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                path.pop();
            }
            if path.len() > 1 {
                self.paths.insert(path.clone());
            }
            let name = if name == "self" {
                path.last().cloned().unwrap_or_default()
            } else {
                name
            };
            self.imports.insert(
                name,
                Import {
                    path,
                    is_exported,
                    is_public,
                },
            );
        };
        match tree {
            UseTree::Path(part) => self.add_use(&part.tree, &with(&part.ident), vis),
            UseTree::Name(name) => add(name.ident.to_string(), with(&name.ident)),
            UseTree::Rename(renamed) => add(renamed.rename.to_string(), with(&renamed.ident)),
            UseTree::Glob(_) => self.globs.push(Import {
                path: prefix.to_vec(),
                is_exported,
                is_public,
            }),
            UseTree::Group(group) => group
                .items
                .iter()
                .for_each(|tree| self.add_use(tree, prefix, vis)),
        }
    }

    /// Adds every `a::b` in the input of a macro or an attribute; for attributes also in strings:
    /// `#[serde(with = "a::b")]`.
    fn add_tokens(&mut self, tokens: &TokenStream, in_texts: bool) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens.clone() {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() => {
                    colons += 1;
                }
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.add_path(&mut path);
                    }
                    colons = 0;
                    path.push(ident.to_string());
                }
                other => {
                    self.add_path(&mut path);
                    colons = 0;
                    match other {
                        TokenTree::Group(group) => self.add_tokens(&group.stream(), in_texts),
                        TokenTree::Literal(literal) if in_texts => {
                            let text = literal.to_string();
                            if let Ok(named) = syn::parse_str::<syn::Path>(text.trim_matches('"')) {
                                path = named
                                    .segments
                                    .iter()
                                    .map(|part| part.ident.to_string())
                                    .collect();
                                self.add_path(&mut path);
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        self.add_path(&mut path);
    }

    fn add_path(&mut self, path: &mut Vec<String>) {
        if path.len() > 1 {
            self.paths.insert(std::mem::take(path));
        }
        path.clear();
    }
}

impl<'a> Visit<'a> for Module {
    fn visit_path(&mut self, path: &'a syn::Path) {
        self.add_path(
            &mut path
                .segments
                .iter()
                .map(|part| part.ident.to_string())
                .collect(),
        );
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        self.add_use(&item.tree, &[], &item.vis);
    }

    fn visit_macro(&mut self, macro_: &'a syn::Macro) {
        self.visit_path(&macro_.path);
        self.add_tokens(&macro_.tokens, false);
    }

    fn visit_attribute(&mut self, attribute: &'a Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.add_tokens(&list.tokens, true);
        }
    }

    /// `pub(in crate::a)` imports nothing.
    fn visit_vis_restricted(&mut self, _: &'a syn::VisRestricted) {}
}

/// The types that the input of a macro defines, as in `codes! { pub enum Operation { .. } }`.
fn types_of_macro(tokens: &TokenStream) -> BTreeMap<String, bool> {
    let words: Vec<String> = tokens
        .clone()
        .into_iter()
        .map(|token| token.to_string())
        .collect();
    let defines = |word: &str| ["enum", "struct", "type", "trait"].contains(&word);
    let definitions = words
        .windows(3)
        .filter(|words| defines(&words[1]) && syn::parse_str::<syn::Ident>(&words[2]).is_ok());
    definitions
        .map(|words| (words[2].clone(), words[0] == "pub"))
        .collect()
}

fn is_public_outside(vis: &Visibility) -> bool {
    matches!(vis, Visibility::Public(_))
}

/// Whether `cfg` limits an item to tests.
fn is_only_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string();
            condition == "test"
                || (condition.starts_with("all")
                    && condition.contains("test")
                    && !condition.contains("not"))
        }
        _ => false,
    })
}

/// The file of `mod name;`, and the folder of its submodules.
fn file_of(attributes: &[Attribute], folder: &Path, name: &str) -> (PathBuf, PathBuf) {
    for attribute in attributes {
        if let Meta::NameValue(meta) = &attribute.meta
            && meta.path.is_ident("path")
            && let syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) = &meta.value
        {
            let file = folder.join(text.value());
            return (
                file.clone(),
                file.parent().map(Path::to_path_buf).unwrap_or_default(),
            );
        }
    }
    let file = folder.join(format!("{name}.rs"));
    let file = if file.is_file() {
        file
    } else {
        folder.join(name).join("mod.rs")
    };
    (file, folder.join(name))
}

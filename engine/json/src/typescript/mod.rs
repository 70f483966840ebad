//! The TypeScript declarations of everything that the JavaScript package takes and gives (feature `typescript`).

mod layout;

pub use crate::code::Union;
pub use crate::decided::*;
pub use crate::input::*;
pub use crate::literal::{AclPrincipal, MemberPrincipal, OperationInput, Present, ResourceTypeInput, Short};

use std::collections::BTreeMap;

use gbac_engine::decide::{Reason, Source};
use ts_rs::{Config, TS, TypeVisitor};

use crate::{
    AnswerJson, Code, CollisionReportJson, ComparisonJson, DiffJson, DocumentJson, ExplanationJson, FaultCode,
    FindingJson, IdentityComparisonJson, LeastGrantJson, PatternJson, PermissionsJson, Problem, ResolvedIdentityJson,
    RevocationJson, WhatIfJson, WhoCanJson,
};

/// The first line of the declarations.
const HEADER: &str = "// Made from the Rust types of gbac-json by `cargo xtask types`. Do not edit.\n";

/// The declarations, in order of their names.
///
/// ```
/// let declarations = gbac_json::typescript::declarations();
/// assert!(declarations.contains("export type Outcome = 'deny' | 'allow';"));
/// ```
#[must_use]
pub fn declarations() -> String {
    let mut all = Declarations { config: Config::new(), found: BTreeMap::new() };
    // What goes in.
    all.visit::<PolicyDocumentInput>();
    all.visit::<RoleInput>();
    all.visit::<RoleMemberInput>();
    all.visit::<AclInput>();
    all.visit::<crate::HypotheticalChangeJson>();
    all.visit::<SubjectInput>();
    all.visit::<AccessInput>();
    all.visit::<QueryCircumstancesInput>();
    all.visit::<WithIdInput>();
    all.visit::<QueryInput>();
    all.visit::<RequestQueryInput>();
    // What comes out.
    all.visit::<Problem>();
    all.visit::<AnswerJson>();
    // What decisions name in parts.
    all.visit::<Code<Reason>>();
    all.visit::<Code<Source>>();
    all.visit::<ExplanationJson>();
    all.visit::<ResolvedIdentityJson>();
    all.visit::<DocumentJson<'static>>();
    all.visit::<WhoCanJson>();
    all.visit::<PatternJson>();
    all.visit::<PermissionsJson>();
    all.visit::<ComparisonJson>();
    all.visit::<IdentityComparisonJson>();
    all.visit::<WhatIfJson>();
    all.visit::<RevocationJson>();
    all.visit::<CollisionReportJson>();
    all.visit::<DiffJson>();
    all.visit::<LeastGrantJson>();
    all.visit::<FindingJson>();
    all.visit::<Code<FaultCode>>();
    let declarations = all.found.into_values();
    std::iter::once(HEADER.to_owned()).chain(declarations).collect::<Vec<_>>().join("\n")
}

/// What is declared so far.
struct Declarations {
    config: Config,
    found: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // A type of the language, or one that stands in another.
        if T::output_path().is_none() {
            return;
        }
        let name = T::ident(&self.config);
        if self.found.contains_key(&name) {
            return;
        }
        let docs = T::docs().unwrap_or_default();
        let declaration = layout::pretty(&format!("{docs}export {}", T::decl(&self.config)));
        self.found.insert(name, declaration);
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

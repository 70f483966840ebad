//! The TypeScript declarations of the arguments and results of the JavaScript package (feature
//! `typescript`).

mod layout;

pub use crate::decision_union::*;
pub use crate::input::*;
pub use crate::literal::{
    AclPrincipal, MemberPrincipal, OperationInput, Present, ResourceTypeInput, Short,
};

use std::collections::BTreeMap;

use gbac_engine::decide::{Reason, Source};
use ts_rs::{Config, TS, TypeVisitor};

use crate::{
    AnswerJson, Code, CollisionReportJson, ComparisonJson, DiffJson, DocumentJson, ExplanationJson,
    FaultCode, FindingJson, IdentityComparisonJson, LeastGrantJson, PatternJson, PermissionsJson,
    Problem, ResolvedIdentityJson, RevocationJson, WhatIfJson, WhoCanJson,
};

/// The first line of the declarations.
const HEADER: &str =
    "// Made from the Rust types of gbac-json by `cargo xtask types`. Do not edit.\n";

/// The declarations, sorted by name.
///
/// ```
/// let declarations = gbac_json::typescript::declarations();
/// assert!(declarations.contains("export type Outcome = 'deny' | 'allow';"));
/// ```
#[must_use]
pub fn declarations() -> String {
    let mut visitor = Declarations {
        config: Config::new(),
        declared: BTreeMap::new(),
    };
    // Arguments.
    visitor.visit::<PolicyDocumentInput>();
    visitor.visit::<RoleInput>();
    visitor.visit::<RoleMemberInput>();
    visitor.visit::<AclInput>();
    visitor.visit::<crate::HypotheticalChangeJson>();
    visitor.visit::<SubjectInput>();
    visitor.visit::<AccessInput>();
    visitor.visit::<QueryCircumstancesInput>();
    visitor.visit::<WithIdInput>();
    visitor.visit::<QueryInput>();
    visitor.visit::<RequestQueryInput>();
    // Results.
    visitor.visit::<Problem>();
    visitor.visit::<AnswerJson>();
    // Visiting decisions does not visit these, because they are tags of the union.
    visitor.visit::<Code<Reason>>();
    visitor.visit::<Code<Source>>();
    visitor.visit::<ExplanationJson>();
    visitor.visit::<ResolvedIdentityJson>();
    visitor.visit::<DocumentJson<'static>>();
    visitor.visit::<WhoCanJson>();
    visitor.visit::<PatternJson>();
    visitor.visit::<PermissionsJson>();
    visitor.visit::<ComparisonJson>();
    visitor.visit::<IdentityComparisonJson>();
    visitor.visit::<WhatIfJson>();
    visitor.visit::<RevocationJson>();
    visitor.visit::<CollisionReportJson>();
    visitor.visit::<DiffJson>();
    visitor.visit::<LeastGrantJson>();
    visitor.visit::<FindingJson>();
    visitor.visit::<Code<FaultCode>>();
    let declarations = visitor.declared.into_values();
    std::iter::once(HEADER.to_owned())
        .chain(declarations)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The declarations so far, by name.
struct Declarations {
    config: Config,
    declared: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Skips types of TypeScript itself and types that are inlined.
        if T::output_path().is_none() {
            return;
        }
        let name = T::ident(&self.config);
        if self.declared.contains_key(&name) {
            return;
        }
        let docs = T::docs().unwrap_or_default();
        let declaration = layout::pretty(&format!("{docs}export {}", T::decl(&self.config)));
        self.declared.insert(name, declaration);
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

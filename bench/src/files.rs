//! The workload in files, shared by Rust and Node: a policy document, and queries with their
//! results.

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::measure::Row;
use crate::reference::Reference;
use crate::workload::{GROUPS, Questions, Who, document, questions};

/// Queries of identities with one number of groups.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RecordedQueries {
    /// The number of groups of each identity.
    pub groups: usize,
    /// The identities.
    pub identities: Vec<Who>,
    /// The queries.
    pub queries: Vec<RecordedQuery>,
}

/// A query and its result, in the short spellings.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RecordedQuery {
    /// The index of the identity.
    pub identity: usize,
    /// The operation.
    pub operation: String,
    /// The resource's type.
    pub resource_type: String,
    /// The resource's name.
    pub name: String,
    /// The result of the plain loop.
    pub allowed: bool,
}

/// The results of one program.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Part {
    /// The rows.
    pub results: Vec<Row>,
    /// The versions of the measured programs, by name.
    #[serde(default)]
    pub versions: Vec<(String, String)>,
}

/// The folder of a run.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder at this path.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Generates the workload of one size with the reference's results.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn generate(&self, size: usize) -> Result<()> {
        let folder = self.0.join(size.to_string());
        fs::create_dir_all(&folder)?;
        let document = document(size, 10);
        fs::write(folder.join("policy.json"), serde_json::to_vec(&document)?)?;
        let reference = Reference::new(&document);
        for groups in GROUPS {
            let questions = questions(&document, groups);
            let answers = reference.answers(&questions);
            let text = serde_json::to_vec(&recorded(questions, &answers))?;
            fs::write(folder.join(format!("questions-{groups}.json")), text)?;
        }
        Ok(())
    }

    /// The text of a policy document.
    ///
    /// # Errors
    /// The file is missing.
    pub fn policy(&self, size: usize) -> Result<String> {
        Ok(fs::read_to_string(
            self.0.join(size.to_string()).join("policy.json"),
        )?)
    }

    /// The queries with their results.
    ///
    /// # Errors
    /// The file is missing.
    pub fn recorded(&self, size: usize, groups: usize) -> Result<RecordedQueries> {
        read(
            &self
                .0
                .join(size.to_string())
                .join(format!("questions-{groups}.json")),
        )
    }

    /// The path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The folder of criterion's samples.
    #[must_use]
    pub fn criterion(&self) -> PathBuf {
        self.0.join("criterion")
    }

    /// Writes the results of one program.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_part(&self, name: &str, part: &Part) -> Result<()> {
        let folder = self.0.join("parts");
        fs::create_dir_all(&folder)?;
        Ok(fs::write(
            folder.join(format!("{name}.json")),
            serde_json::to_vec_pretty(part)?,
        )?)
    }

    /// All results, in the order of the file names.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn parts(&self) -> Result<Vec<Part>> {
        let mut paths = Vec::new();
        for entry in fs::read_dir(self.0.join("parts"))? {
            paths.push(entry?.path());
        }
        paths.sort();
        paths.iter().map(|path| read(path)).collect()
    }
}

/// The queries of the workload with their results, for a file.
#[must_use]
pub fn recorded(questions: Questions, answers: &[bool]) -> RecordedQueries {
    let queries = questions
        .queries
        .into_iter()
        .zip(answers)
        .map(|(query, allowed)| RecordedQuery {
            identity: query.identity,
            operation: query.operation.short().to_owned(),
            resource_type: query.resource_type.short().to_owned(),
            name: query.name,
            allowed: *allowed,
        });
    RecordedQueries {
        groups: questions.groups,
        queries: queries.collect(),
        identities: questions.identities,
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs::read_to_string(path)
        .map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("`{}`: {error}", path.display()).into())
}

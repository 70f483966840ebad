//! The questions of a request with their distinct subjects.

use std::collections::HashMap;
use std::ptr;

use gbac_api::authzen::{Evaluations, Parts, Semantic};
use gbac_api::problem::DocumentFault;
use gbac_engine::Subject;
use serde_json::Value;

use super::subject::StatedSubject;
use crate::http::problem::Problem;

/// A question, or why it cannot be read.
pub(super) type ParsedQuestion<'v> = Result<Parts<'v>, Vec<DocumentFault>>;

/// The questions of a request.
pub(super) struct Batch {
    all: Evaluations,
    /// The distinct subjects; the first one is the default.
    subjects: Vec<StatedSubject>,
    /// The index of the subject of each question.
    subject_indexes: Vec<usize>,
}

impl Batch {
    /// Finds the distinct subjects of questions.
    ///
    /// # Errors
    /// 400 if the list of questions or the options cannot be read.
    pub(super) fn new(all: Evaluations) -> Result<Self, Problem> {
        let (list, _) = all.questions().map_err(Problem::question)?;
        let common = all.defaults.subject.as_ref();
        let (mut distinct, mut subject_indexes) = (vec![common], vec![0]);
        if let Some(list) = list {
            let mut indexes = HashMap::from([(common, 0)]);
            subject_indexes.clear();
            for question in list {
                let subject = all.question(question).ok().and_then(|parts| parts.subject);
                // The default subject may be large, so it is compared by address.
                if let (Some(own), Some(common)) = (subject, common)
                    && ptr::eq(own, common)
                {
                    subject_indexes.push(0);
                    continue;
                }
                let index = *indexes.entry(subject).or_insert(distinct.len());
                if index == distinct.len() {
                    distinct.push(subject);
                }
                subject_indexes.push(index);
            }
        }
        let mut subjects = Vec::with_capacity(distinct.len());
        for subject in distinct {
            let parts = Parts {
                subject,
                ..Parts::default()
            };
            subjects.push(parts.parse_subject());
        }
        Ok(Self {
            all,
            subjects,
            subject_indexes,
        })
    }

    /// The distinct subjects.
    pub(super) fn subjects(&self) -> &[StatedSubject] {
        &self.subjects
    }

    /// The index of the subject of each question.
    pub(super) fn subject_indexes(&self) -> &[usize] {
        &self.subject_indexes
    }

    /// The list of questions, `None` for a single one; and when a list ends.
    ///
    /// # Errors
    /// 400 if they cannot be read.
    pub(super) fn questions(&self) -> Result<(Option<&[Value]>, Semantic), Problem> {
        self.all.questions().map_err(Problem::question)
    }

    /// The questions of this list, each with the defaults; without a list, the defaults.
    pub(super) fn parts<'v>(
        &'v self,
        list: Option<&'v [Value]>,
    ) -> impl Iterator<Item = ParsedQuestion<'v>> {
        let single = list.is_none().then(|| Ok(self.all.defaults.parts()));
        single.into_iter().chain(
            list.into_iter()
                .flatten()
                .map(|question| self.all.question(question)),
        )
    }

    /// The number of names that the evaluation looks at, about: a question costs as much as some
    /// names of groups.
    pub(super) fn weight(&self) -> usize {
        const QUESTION: usize = 8;
        let mut weight: usize = 0;
        for subject in &self.subjects {
            if let Ok(Subject::Names { groups, .. }) = subject {
                weight = weight.saturating_add(groups.len());
            }
        }
        let list = match self.all.questions() {
            Ok((list, _)) => list,
            Err(_) => None,
        };
        for question in self.parts(list) {
            let resources = match question {
                Ok(parts) => resource_count(&parts),
                Err(_) => 0,
            };
            weight = weight.saturating_add(QUESTION * (1 + resources));
        }
        weight
    }
}

/// The number of resources that a question about an API request names.
fn resource_count(question: &Parts<'_>) -> usize {
    let Some(action) = question.action else {
        return 0;
    };
    let Some(Value::Object(resources)) = action.pointer("/properties/resources") else {
        return 0;
    };
    let mut count = 0;
    for names in resources.values() {
        count += match names {
            Value::Array(names) => names.len(),
            _ => 1,
        };
    }
    count
}

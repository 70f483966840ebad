//! The named resources of a request, by resource type.

/// Names by resource type, sorted by type. The keys are short names of types or, in a recipe,
/// parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourceNames(Vec<(String, Vec<String>)>);

impl ResourceNames {
    fn place(&self, kind: &str) -> Result<usize, usize> {
        self.0
            .binary_search_by(|(known, _)| known.as_str().cmp(kind))
    }

    /// Replaces the names of a type.
    pub fn insert(&mut self, kind: impl Into<String>, names: Vec<String>) {
        let kind = kind.into();
        match self.place(&kind) {
            Ok(place) => {
                if let Some((_, existing)) = self.0.get_mut(place) {
                    *existing = names;
                }
            }
            Err(place) => self.0.insert(place, (kind, names)),
        }
    }

    /// The names of a type; `None` if the type is absent.
    #[must_use]
    pub fn get(&self, kind: &str) -> Option<&[String]> {
        self.0
            .get(self.place(kind).ok()?)
            .map(|(_, names)| names.as_slice())
    }

    /// The types with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.0
            .iter()
            .map(|(kind, names)| (kind.as_str(), names.as_slice()))
    }
}

impl FromIterator<(String, Vec<String>)> for ResourceNames {
    fn from_iter<T: IntoIterator<Item = (String, Vec<String>)>>(pairs: T) -> Self {
        let mut resources = Self::default();
        for (kind, names) in pairs {
            resources.insert(kind, names);
        }
        resources
    }
}

impl<const N: usize> From<[(String, Vec<String>); N]> for ResourceNames {
    fn from(pairs: [(String, Vec<String>); N]) -> Self {
        pairs.into_iter().collect()
    }
}

//! Pages of sorted lists, and parsing of query parameters.

use std::fmt;

use gbac_engine::escape::escaped;

use crate::problem::FieldViolation;

/// The default number of entries of a page.
pub const DEFAULT_PAGE_SIZE: usize = 100;
/// The most entries of a page.
pub const MAX_PAGE_SIZE: usize = 1000;

/// The requested page of a sorted list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The number of entries: 1 to 1000, or -1 for all. `None` and 0 are 100.
    pub size: Option<i32>,
    /// The `next_page_token` of the previous page; empty for the first page.
    pub token: String,
}

impl Page {
    /// A page with all entries.
    #[must_use]
    pub fn all() -> Self {
        Self {
            size: Some(-1),
            token: String::new(),
        }
    }

    /// Whether it has all entries.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.size == Some(-1)
    }

    pub(crate) fn read(parameters: &mut Parameters<'_>) -> Self {
        let size = parameters.read("page_size", |text| match text.parse::<i32>() {
            Ok(size @ -1..=1000) => Ok(size),
            _ => Err(format!("`{}` is not -1 to {MAX_PAGE_SIZE}", escaped(text))),
        });
        Self {
            size,
            token: parameters.take("page_token").unwrap_or_default().to_owned(),
        }
    }

    pub(crate) fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        if let Some(size) = self.size {
            pairs.push(("page_size", size.to_string()));
        }
        if !self.token.is_empty() {
            pairs.push(("page_token", self.token.clone()));
        }
        pairs
    }

    /// Returns this page of sorted entries that begin after the token, and the token of the next
    /// page, which is empty if there is none.
    pub fn cut<T>(
        &self,
        entries: impl Iterator<Item = T>,
        token: impl Fn(&T) -> String,
    ) -> (Vec<T>, String) {
        let size = match self.size {
            _ if self.is_all() => usize::MAX,
            None | Some(0) => DEFAULT_PAGE_SIZE,
            Some(size) => usize::try_from(size).unwrap_or(DEFAULT_PAGE_SIZE),
        };
        let mut entries = entries.peekable();
        let page: Vec<T> = entries.by_ref().take(size).collect();
        let next = if entries.peek().is_some() {
            page.last().map(token).unwrap_or_default()
        } else {
            String::new()
        };
        (page, next)
    }
}

/// A list of words for a message, each in backquotes.
pub(crate) fn quoted(words: impl IntoIterator<Item = impl fmt::Display>) -> String {
    let mut list = String::new();
    for word in words {
        if !list.is_empty() {
            list.push_str(", ");
        }
        list.push_str(&format!("`{word}`"));
    }
    list
}

/// The parameters of a query. Collects all errors.
pub(crate) struct Parameters<'q> {
    pairs: &'q [(String, String)],
    known: Vec<&'static str>,
    violations: Vec<FieldViolation>,
}

impl<'q> Parameters<'q> {
    pub(crate) const fn from_pairs(pairs: &'q [(String, String)]) -> Self {
        Self {
            pairs,
            known: Vec::new(),
            violations: Vec::new(),
        }
    }

    /// The value of a parameter that must not be repeated.
    pub(crate) fn take(&mut self, name: &'static str) -> Option<&'q str> {
        self.known.push(name);
        let mut values = self.pairs.iter().filter(|(known, _)| known == name);
        let value = values.next();
        if values.next().is_some() {
            self.refuse(name, "is given more than once");
        }
        let (_, value) = value?;
        Some(value)
    }

    /// The value of a parameter that must not be repeated; one that cannot be read is refused.
    pub(crate) fn read<T, E: Into<String>>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        match read(self.take(name)?) {
            Ok(value) => Some(value),
            Err(text) => {
                self.refuse(name, text);
                None
            }
        }
    }

    pub(crate) fn refuse(&mut self, field: &'static str, description: impl Into<String>) {
        self.violations
            .push(FieldViolation::new(field, description));
    }

    fn unknown(&self, name: &str) -> FieldViolation {
        let known = quoted(&self.known);
        let text = match self.known.len() {
            0 => "is an unknown parameter; there are no parameters".to_owned(),
            1 => format!("is an unknown parameter; the parameter is {known}"),
            _ => format!("is an unknown parameter; the parameters are {known}"),
        };
        FieldViolation::new(escaped(name), text)
    }

    /// The value if there were no errors. Unknown filters are refused, because ignoring them would
    /// return, or delete, more entries than intended. Other unknown parameters are ignored.
    pub(crate) fn finish<T>(mut self, value: T) -> Result<T, Vec<FieldViolation>> {
        for (name, _) in self.pairs {
            if name.starts_with("filter") && !self.known.contains(&name.as_str()) {
                let fault = self.unknown(name);
                self.violations.push(fault);
            }
        }
        if self.violations.is_empty() {
            Ok(value)
        } else {
            Err(self.violations)
        }
    }
}

/// Refuses unknown and repeated parameters.
///
/// # Errors
/// All errors, by parameter.
pub fn only(pairs: &[(String, String)], known: &[&'static str]) -> Result<(), Vec<FieldViolation>> {
    let mut from = Parameters::from_pairs(pairs);
    for name in known {
        from.take(name);
    }
    let mut unknown: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
    unknown.retain(|name| !known.contains(name));
    unknown.sort_unstable();
    unknown.dedup();
    for name in unknown {
        let fault = from.unknown(name);
        from.violations.push(fault);
    }
    if from.violations.is_empty() {
        Ok(())
    } else {
        Err(from.violations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<Page, Vec<FieldViolation>> {
        let pairs = crate::encode::parse_query(query).unwrap();
        let mut parameters = Parameters::from_pairs(&pairs);
        let page = Page::read(&mut parameters);
        parameters.finish(page)
    }

    #[test]
    fn sizes_have_bounds() {
        assert_eq!(read("").unwrap(), Page::default());
        assert_eq!(read("page_size=-1").unwrap(), Page::all());
        for size in ["-2", "1001", "x", "", "1.5"] {
            assert_eq!(
                read(&format!("page_size={size}")).unwrap_err()[0].field,
                "page_size",
                "{size}"
            );
        }
        assert_eq!(
            read("page_size=1&page_size=2").unwrap_err()[0].description,
            "is given more than once"
        );
        assert_eq!(read("filter.nmae=x").unwrap_err()[0].field, "filter.nmae");
        assert_eq!(read("_=123").unwrap(), Page::default());
    }

    #[test]
    fn a_change_knows_its_parameters() {
        let faults = |query: &str, known: &[&'static str]| -> Vec<(String, String)> {
            let faults = only(&crate::encode::parse_query(query).unwrap(), known)
                .err()
                .unwrap_or_default();
            faults
                .into_iter()
                .map(|fault| (fault.field, fault.description))
                .collect()
        };
        let fault = |field: &str, text: &str| (field.to_owned(), text.to_owned());
        assert_eq!(faults("dry_run", &["dry_run"]), []);
        assert_eq!(
            faults("a=1&dry_run=1&b=2&a=2&dry_run=2", &["dry_run"]),
            [
                fault("dry_run", "is given more than once"),
                fault("a", "is an unknown parameter; the parameter is `dry_run`"),
                fault("b", "is an unknown parameter; the parameter is `dry_run`"),
            ]
        );
        assert_eq!(
            faults("x", &[]),
            [fault(
                "x",
                "is an unknown parameter; there are no parameters"
            )]
        );
        assert_eq!(
            faults("x", &["a", "b"]),
            [fault(
                "x",
                "is an unknown parameter; the parameters are `a`, `b`"
            )]
        );
    }

    #[test]
    fn a_page_says_where_the_next_begins() {
        let cut = |size, n: u32| {
            Page {
                size,
                token: String::new(),
            }
            .cut(0..n, ToString::to_string)
        };
        assert_eq!(cut(Some(2), 3), (vec![0, 1], "1".into()));
        assert_eq!(cut(Some(3), 3), (vec![0, 1, 2], String::new()));
        assert_eq!(cut(Some(-1), 2000).0.len(), 2000);
        assert_eq!(cut(None, 101), ((0..100).collect(), "99".into()));
        assert_eq!(cut(Some(0), 0), (vec![], String::new()));
    }
}

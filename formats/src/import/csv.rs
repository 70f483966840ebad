//! Imports ACLs as comma-separated values (RFC 4180), with the names of the columns in the first
//! line.

use csv::{ReaderBuilder, StringRecord};
use gbac_engine::escape::escaped;

use super::{Import, ImportedText, Kind, fields};
use crate::manifest::csv::COLUMNS;

/// The character between the columns, if the text begins with their names. Spreadsheets of some
/// languages write semicolons.
pub(super) fn delimiter(text: &str) -> Option<u8> {
    let head = text
        .lines()
        .find(|line| !line.trim().is_empty())?
        .to_ascii_lowercase();
    let has_columns = |delimiter: &u8| {
        let names: Vec<&str> = head.split(char::from(*delimiter)).map(bare).collect();
        names.len() > 1
            && names.first().is_some_and(|name| COLUMNS.contains(name))
            && names.contains(&"principal")
    };
    [b',', b';', b'\t'].into_iter().find(has_columns)
}

/// The name of a column without blanks and quotation marks around it.
fn bare(name: &str) -> &str {
    name.trim().trim_matches('"').trim()
}

impl Import {
    pub(super) fn read_csv(&mut self, text: &str, delimiter: u8) -> ImportedText {
        let mut read = ImportedText::new(Kind::Csv);
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .flexible(true)
            .from_reader(text.as_bytes());
        let heads: Vec<String> = match reader.headers() {
            Ok(heads) => heads
                .iter()
                .map(|name| bare(name).to_ascii_lowercase())
                .collect(),
            Err(error) => {
                read.refuse("line 1", "csv_syntax", error.to_string());
                return read;
            }
        };
        let places = COLUMNS.map(|name| heads.iter().position(|head| head == name));
        for (name, place) in COLUMNS.iter().zip(&places) {
            if place.is_none() {
                read.refuse(
                    "line 1",
                    "missing_member",
                    format!("the column `{name}` is missing"),
                );
            }
        }
        for (at, head) in heads.iter().enumerate() {
            if !COLUMNS.contains(&head.as_str()) {
                read.refuse(
                    "line 1",
                    "unknown_member",
                    format!("`{}` is an unknown column; remove it", escaped(head)),
                );
            } else if heads.iter().take(at).any(|other| other == head) {
                read.refuse(
                    "line 1",
                    "duplicate_member",
                    format!("the column `{head}` appears twice"),
                );
            }
        }
        if !read.unread.is_empty() {
            return read;
        }
        let mut lines = Lines {
            text,
            byte: 0,
            line: 1,
        };
        for record in reader.records() {
            match record {
                Ok(record) => {
                    let place = lines.place(record.position());
                    self.csv_row(&record, place, &places, heads.len(), &mut read);
                }
                Err(error) => read.refuse(
                    lines.place(error.position()),
                    "csv_syntax",
                    error.to_string(),
                ),
            }
        }
        // The reader takes everything after it into one value.
        if !text.matches('"').count().is_multiple_of(2) {
            read.refuse(
                "",
                "csv_syntax",
                "a quotation mark is not closed; a value with one is written in quotation marks, with it doubled",
            );
        }
        read
    }

    fn csv_row(
        &mut self,
        row: &StringRecord,
        place: String,
        places: &[Option<usize>; 7],
        columns: usize,
        read: &mut ImportedText,
    ) {
        // Spreadsheets write the empty rows below a table, too.
        if row.iter().all(str::is_empty) {
            return;
        }
        if row.len() != columns {
            let message = format!(
                "the row has {} values for {columns} columns; check its commas and quotation marks",
                row.len()
            );
            return read.refuse(place, "line_unreadable", message);
        }
        let [principal, host, kind, name, pattern, operation, permission] =
            places.map(|place| place.and_then(|place| row.get(place)).unwrap_or_default());
        self.take_acl(
            &fields([kind, name, pattern, principal, host, operation, permission]),
            place,
            read,
        );
    }
}

/// The lines of a text, counted up to a row.
struct Lines<'t> {
    text: &'t str,
    byte: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line on which a row begins. The reader's own count is that of the end of the row before,
    /// and ignores empty lines.
    fn place(&mut self, position: Option<&csv::Position>) -> String {
        let start = position
            .and_then(|position| usize::try_from(position.byte()).ok())
            .unwrap_or(self.byte);
        let rest = self.text.get(start..).unwrap_or_default();
        let start = self.text.len() - rest.trim_start_matches(['\r', '\n']).len();
        let passed = self.text.get(self.byte..start).unwrap_or_default();
        self.line += passed.matches('\n').count();
        self.byte = start.max(self.byte);
        format!("line {}", self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_faults_are_named_with_their_lines() {
        let mut import = Import::default();
        let text = "Resource_Type;\"principal\";host;resource_name;pattern_type;operation;permission\r\n\
                    topic;\"Group:a;\"\"b\"\"\";*;\"or\nders\";prefixed;read;deny\r\n\r\n\
                    TOPIC;User:x;*;orders;LITERAL;WRITE\r\n\
                    ;;;;;;\r\n\
                    TOPIC;User:x;*;orders;LITERAL;SPEAK;ALLOW\r\n\
                    TOPIC;User:x;*;\"orders;LITERAL;READ;ALLOW\r\nTOPIC;User:y;*;orders;LITERAL;READ;ALLOW\r\n";
        let seen = import.read(text, None);
        assert_eq!((seen.kind, seen.acls), (Kind::Csv, 1));
        let faults: Vec<_> = seen
            .unread
            .iter()
            .map(|fault| (fault.place.as_str(), fault.code))
            .collect();
        let expected = [
            ("line 5", "line_unreadable"),
            ("line 7", "unknown_value"),
            ("line 8", "line_unreadable"),
            ("", "csv_syntax"),
        ];
        assert_eq!(faults, expected);
        let policy = import.policy();
        let acl = policy.acls().next().expect("an ACL");
        assert_eq!(
            (acl.principal.name(), acl.resource_name.as_str()),
            ("a;\"b\"", "or\nders")
        );
    }

    #[test]
    fn a_value_that_is_not_closed_never_hides_the_rows_after_it() {
        let head = "principal,host,resource_type,pattern_type,operation,permission,resource_name";
        let text = format!(
            "{head}\nUser:x,*,topic,literal,read,allow,\"a\nUser:x,*,topic,literal,read,deny,b\n"
        );
        let seen = Import::default().read(&text, None);
        assert_eq!(
            seen.unread
                .iter()
                .map(|fault| fault.code)
                .collect::<Vec<_>>(),
            ["csv_syntax"]
        );
        let closed = Import::default().read(&text.replace("\"a", "\"a\""), None);
        assert_eq!((closed.acls, closed.unread), (2, Vec::new()));
    }

    #[test]
    fn a_missing_unknown_or_repeated_column_refuses_the_whole_text() {
        let mut import = Import::default();
        let seen = import.read("principal,host,host,condition\nUser:x,*,*,never\n", None);
        let faults: Vec<_> = seen
            .unread
            .iter()
            .map(|fault| (fault.place.as_str(), fault.code))
            .collect();
        assert_eq!(
            faults
                .iter()
                .filter(|(_, code)| *code == "missing_member")
                .count(),
            5
        );
        assert!(
            faults.contains(&("line 1", "duplicate_member"))
                && faults.contains(&("line 1", "unknown_member"))
        );
        assert_eq!(import.policy().acl_count(), 0);
    }
}

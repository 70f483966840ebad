//! ACLs as comma-separated values (RFC 4180), with the names of the columns in the first line.

use csv::{ReaderBuilder, StringRecord};
use gbac_engine::escape::escaped;

use crate::columns::{AclColumns, field_of};
use crate::export::{Export, Exported, Notes, Writer};
use crate::import::{Input, Reader, Reading};

/// The columns, in the order in which they are written.
const COLUMNS: [&str; 7] = [
    "principal",
    "host",
    "resource_type",
    "resource_name",
    "pattern_type",
    "operation",
    "permission",
];

pub(crate) struct Csv;

impl Reader for Csv {
    fn recognizes(&self, input: &Input<'_>) -> bool {
        matches!(input, Input::Text(text) if delimiter(text).is_some())
    }

    fn read(&self, input: &Input<'_>, reading: &mut Reading<'_>) {
        let Input::Text(text) = input else { return };
        let Some(delimiter) = delimiter(text) else {
            return;
        };
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .flexible(true)
            .from_reader(text.as_bytes());
        let heads: Vec<String> = match reader.headers() {
            Ok(heads) => heads.iter().map(|name| bare(name).to_owned()).collect(),
            Err(error) => return reading.refuse("line 1", "csv_syntax", error.to_string()),
        };
        let columns = AclColumns::from_names(&heads);
        check_heads(&heads, &columns, reading);
        if !reading.report.unread.is_empty() {
            return;
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
                    row(&record, place, &columns, heads.len(), reading);
                }
                Err(error) => {
                    let place = lines.place(error.position());
                    reading.refuse(place, "csv_syntax", error.to_string());
                }
            }
        }
        // The reader takes everything after it into one value.
        if !text.matches('"').count().is_multiple_of(2) {
            reading.refuse(
                "",
                "csv_syntax",
                "a quotation mark is not closed; a value with one is written in quotation marks, with it doubled",
            );
        }
    }
}

/// The names of the columns, and a line for each ACL.
impl Writer for Csv {
    fn write(&self, export: &Export<'_>) -> Exported {
        let mut notes = Notes::default();
        notes.of_roles(
            export.policy,
            "CSV has a line for each ACL and none for members",
        );
        let mut writer = csv::Writer::from_writer(Vec::new());
        let rows = export.policy.acls().map(|acl| {
            [
                acl.principal.to_string(),
                acl.host.to_string(),
                acl.resource_type.spelling().audit.to_ascii_uppercase(),
                acl.resource_name.clone(),
                acl.pattern_type.spelling().audit.to_ascii_uppercase(),
                acl.operation.spelling().audit.to_ascii_uppercase(),
                acl.permission.spelling().audit.to_ascii_uppercase(),
            ]
        });
        // Writing to memory cannot fail, and every row has as many values as the heading.
        let heads = COLUMNS.map(str::to_owned);
        for row in std::iter::once(heads).chain(rows) {
            if let Err(error) = writer.write_record(row) {
                notes.not_written("an ACL", &error.to_string());
            }
        }
        let bytes = writer.into_inner().unwrap_or_default();
        notes.of_settings(
            export.policy,
            "without the settings, which only a policy document has",
        );
        Exported {
            text: String::from_utf8(bytes).unwrap_or_default(),
            notes: notes.into_list(),
        }
    }
}

/// The character between the columns, if the text begins with their names. Spreadsheets of some
/// languages write semicolons.
fn delimiter(text: &str) -> Option<u8> {
    let head = text.lines().find(|line| !line.trim().is_empty())?;
    let has_columns = |delimiter: &u8| {
        let names = head.split(char::from(*delimiter)).map(bare);
        let fields: Vec<Option<&str>> = names.map(field_of).collect();
        fields.len() > 1
            && fields.first().is_some_and(Option::is_some)
            && fields.contains(&Some("principal"))
    };
    [b',', b';', b'\t'].into_iter().find(has_columns)
}

/// The name of a column without blanks and quotation marks around it.
fn bare(name: &str) -> &str {
    name.trim().trim_matches('"').trim()
}

/// Reports the columns that are missing, unknown or repeated.
fn check_heads(heads: &[String], columns: &AclColumns, reading: &mut Reading<'_>) {
    for name in columns.missing() {
        let message = format!("the column `{name}` is missing");
        reading.refuse("line 1", "missing_member", message);
    }
    let mut seen = Vec::new();
    for head in heads {
        match field_of(head) {
            None => {
                let message = format!(
                    "`{}` is an unknown column; the columns are `{}`",
                    escaped(head),
                    COLUMNS.join("`, `")
                );
                reading.refuse("line 1", "unknown_member", message);
            }
            Some(field) if seen.contains(&field) => {
                let message = format!("the column `{field}` appears twice");
                reading.refuse("line 1", "duplicate_member", message);
            }
            Some(field) => seen.push(field),
        }
    }
}

fn row(
    row: &StringRecord,
    place: String,
    columns: &AclColumns,
    width: usize,
    reading: &mut Reading<'_>,
) {
    // Spreadsheets write the empty rows below a table, too.
    if row.iter().all(str::is_empty) {
        return;
    }
    if row.len() != width {
        let message = format!(
            "the row has {} values for {width} columns; check its commas and quotation marks",
            row.len()
        );
        return reading.refuse(place, "line_unreadable", message);
    }
    let values = columns.values(|column| row.get(column).unwrap_or_default());
    reading.acl(values, place);
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
    use crate::format::Format;
    use crate::import::Import;

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
        assert_eq!((seen.format, seen.acls), (Some(Format::Csv), 1));
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
    fn the_columns_of_other_tools_are_read_in_any_order() {
        for text in [
            "KafkaPrincipal,ResourceType,PatternType,ResourceName,Operation,PermissionType,Host\n\
             User:bob,Group,PREFIXED,bar,Read,Deny,12.34.56.78\n",
            "Principal,ResourceType, PatternType, ResourceName,Operation,PermissionType,Host\n\
             User:bob,GROUP,PREFIXED,bar,READ,DENY,12.34.56.78\n",
            "principal;resource type;pattern type;resource name;operation;permission;host\n\
             User:bob;Group;prefixed;bar;Read;Deny;12.34.56.78\n",
            "principal\thost\tresource-type\tresource-name\tresource-pattern-type\toperation\tpermission\n\
             User:bob\t12.34.56.78\tgroup\tbar\tprefixed\tread\tdeny\n",
        ] {
            let mut import = Import::in_dialect(gbac_engine::model::Dialect::Kafka);
            let seen = import.read(text, None);
            assert_eq!((seen.acls, seen.unread), (1, Vec::new()), "{text}");
            let policy = import.policy();
            let acl = policy.acls().next().expect("an ACL").to_string();
            assert_eq!(
                acl,
                "Deny Read, consumer group bar prefixed, host 12.34.56.78, of User:bob"
            );
        }
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

//! Imports the tables of command lines: `rpk security acl list`, `rpk security role describe` and
//! `confluent kafka acl list`.
//!
//! The columns of `rpk` are aligned below their headings, two blanks apart; those of `confluent`
//! are separated by `|`. A row that is not aligned is refused, because its names could be cut in
//! the wrong place.

use std::collections::BTreeSet;

use gbac_engine::escape::escaped;
use gbac_engine::model::{Principal, PrincipalType};

use crate::columns::{AclColumns, field_of};
use crate::import::{Input, ROLE_UNNAMED, Reader, Reading, states_access};

/// The column of `rpk` with the reason why a row is no ACL.
const ERROR: &str = "ERROR";
/// The title of the section with what a list was asked for.
const FILTERS: &str = "FILTERS";
/// The titles of sections, which not every tool underlines.
const TITLES: [&str; 2] = [FILTERS, "MATCHES"];
/// What to do about a table that cannot be read.
const ADVICE: &str =
    "use the JSON of the command, `--format json` of rpk or `-o json` of confluent";

/// The columns of a table, from its heading.
enum Columns<'t> {
    /// Names and the character at which each begins.
    Aligned(Vec<(&'t str, usize)>),
    /// Names, and the characters at which a `|` stands.
    Ruled(Vec<&'t str>, Vec<usize>),
}

impl<'t> Columns<'t> {
    /// The columns of a heading, if the line is one. `next` is the line below it.
    fn from_heading(line: &'t str, next: Option<&str>) -> Option<Self> {
        if let Some(rule) = next.map(str::trim_end)
            && is_rule(rule)
        {
            let names: Vec<&str> = line.split('|').map(str::trim).collect();
            let mut bars = Vec::new();
            for (at, character) in rule.chars().enumerate() {
                if character == '+' {
                    bars.push(at);
                }
            }
            return (names.len() == bars.len() + 1).then_some(Self::Ruled(names, bars));
        }
        let (mut names, mut rest) = (Vec::new(), line.trim_end().trim_start_matches(' '));
        let mut at = line.trim_end().len() - rest.len();
        while !rest.is_empty() {
            let end = rest.find("  ").unwrap_or(rest.len());
            let (name, blanks) = rest.split_at(end);
            names.push((name, at));
            let next = blanks.trim_start_matches(' ');
            at += name.chars().count() + blanks.len() - next.len();
            rest = next;
        }
        Some(Self::Aligned(names))
    }

    fn names(&self) -> Vec<&'t str> {
        match self {
            Self::Aligned(columns) => columns.iter().map(|(name, _)| *name).collect(),
            Self::Ruled(names, _) => names.clone(),
        }
    }

    /// The values of a row, or nothing if it is not aligned.
    fn values<'r>(&self, row: &'r str) -> Option<Vec<&'r str>> {
        match self {
            Self::Aligned(columns) => {
                let (mut values, mut ends) =
                    (Vec::new(), columns.iter().skip(1).map(|(_, at)| Some(*at)));
                for (_, start) in columns {
                    let value = slice(row, *start, ends.next().flatten());
                    // Two blanks separate the columns, if there is another one.
                    let is_last = values.len() + 1 == columns.len();
                    let reaches = slice(row, *start, None).len() > value.len();
                    if !is_last && reaches && !value.ends_with("  ") {
                        return None;
                    }
                    values.push(value.trim_end_matches(' '));
                }
                Some(values)
            }
            Self::Ruled(names, bars) => {
                let chars: Vec<char> = row.chars().collect();
                // Wide characters move the later bars.
                if bars.iter().any(|at| chars.get(*at) != Some(&'|')) {
                    let values: Vec<&str> = row.split('|').map(str::trim).collect();
                    return (values.len() == names.len()).then_some(values);
                }
                let (mut values, mut start) = (Vec::with_capacity(names.len()), 0);
                for bar in bars {
                    values.push(slice(row, start, Some(*bar)).trim());
                    start = bar + 1;
                }
                values.push(slice(row, start, None).trim());
                Some(values)
            }
        }
    }
}

/// The characters of a line from one to before another.
fn slice(line: &str, start: usize, end: Option<usize>) -> &str {
    let end = match end {
        Some(end) => byte_of(line, end),
        None => line.len(),
    };
    line.get(byte_of(line, start)..end).unwrap_or_default()
}

/// Where a character begins; the end of the line if it has fewer.
fn byte_of(line: &str, character: usize) -> usize {
    match line.char_indices().nth(character) {
        Some((byte, _)) => byte,
        None => line.len(),
    }
}

/// `----+----`
fn is_rule(line: &str) -> bool {
    line.contains("-+-") && line.chars().all(|c| matches!(c, '-' | '+'))
}

/// `=======`, below the title of a section.
fn is_underline(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && line.chars().all(|c| c == '=')
}

/// What the rows of a table are.
enum Rows {
    /// The columns of the fields, and that of the error.
    Acls {
        columns: AclColumns,
        error: Option<usize>,
    },
    /// What a list was asked for, above the list, and the column of the error.
    Filters { error: Option<usize> },
    /// The members of a role: name and type.
    Members,
}

impl Rows {
    /// What the columns say; `None` if they are of no table that is known.
    fn from_names(names: &[&str]) -> Option<Self> {
        if names == ["NAME", "TYPE"] {
            return Some(Self::Members);
        }
        let columns = AclColumns::from_names(names);
        // The managed service of confluent has no hosts and no column for them.
        let is_complete = columns.missing().iter().all(|field| *field == "host");
        let error = names.iter().position(|name| *name == ERROR);
        let is_whole = is_complete
            && names
                .iter()
                .all(|name| *name == ERROR || field_of(name).is_some());
        let fields = 7 - columns.missing().len() + usize::from(error.is_some());
        // A column twice is no column that is known.
        (is_whole && fields == names.len()).then_some(Self::Acls { columns, error })
    }
}

fn heading<'t>(line: &'t str, next: Option<&str>) -> Option<(Columns<'t>, Rows)> {
    // Most lines are not.
    if !["PRINCIPAL", "Principal", "NAME"]
        .iter()
        .any(|word| line.contains(word))
    {
        return None;
    }
    let columns = Columns::from_heading(line, next)?;
    let rows = Rows::from_names(&columns.names())?;
    Some((columns, rows))
}

/// Whether a line is a heading of a table that is not known. `next` is the line below it.
fn is_other_heading(line: &str, next: Option<&str>) -> bool {
    next.is_some_and(|next| is_rule(next.trim_end()))
        || has_word(line, "principal") && has_word(line, "permission")
}

fn has_word(line: &str, wanted: &str) -> bool {
    line.split_whitespace()
        .any(|word| word.eq_ignore_ascii_case(wanted))
}

pub(crate) struct PrintedTable;

impl Reader for PrintedTable {
    fn recognizes(&self, input: &Input<'_>) -> bool {
        let Input::Text(text) = input else {
            return false;
        };
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            if heading(line, lines.peek().copied()).is_some() {
                return true;
            }
        }
        false
    }

    fn read(&self, input: &Input<'_>, reading: &mut Reading<'_>) {
        let Input::Text(text) = input else { return };
        let mut tables = Tables::default();
        let mut lines = text.lines().zip(1..).peekable();
        while let Some((line, number)) = lines.next() {
            let next = lines.peek().map(|(next, _)| *next);
            tables.line(line, next, &format!("line {number}"), reading);
        }
        tables.finish(reading);
    }
}

/// Reports a row in which the tool says that it failed.
fn refuse_row(error: &str, place: &str, reading: &mut Reading<'_>) {
    let message = format!("the list says: `{}`", escaped(error));
    reading.refuse(place, "row_refused", message);
}

/// Tables with the headings of their sections.
#[derive(Default)]
struct Tables<'t> {
    /// The table to which the next line belongs.
    current: Option<(Columns<'t>, Rows)>,
    has_begun: bool,
    /// The title of the section.
    section: &'t str,
    /// The roles that have ACLs.
    roles: BTreeSet<String>,
    /// The members with their places.
    members: Vec<(String, String)>,
    member_tables: usize,
}

impl<'t> Tables<'t> {
    /// Reads a line; `next` is the one below it.
    fn line(&mut self, line: &'t str, next: Option<&str>, place: &str, reading: &mut Reading<'_>) {
        if let Some((columns, rows)) = heading(line, next) {
            let rows = match rows {
                Rows::Acls { error, .. } if self.section == FILTERS => Rows::Filters { error },
                rows => rows,
            };
            self.member_tables += usize::from(matches!(rows, Rows::Members));
            (self.current, self.has_begun) = (Some((columns, rows)), true);
            return;
        }
        if line.trim().is_empty() || is_underline(line) || is_rule(line.trim_end()) {
            return;
        }
        let is_title =
            TITLES.contains(&line.trim()) || next.is_some_and(is_underline) && !states_access(line);
        if is_title || is_other_heading(line, next) {
            (self.current, self.has_begun) = (None, true);
        }
        if is_title {
            self.section = line.trim();
            return;
        }
        let Some((columns, rows)) = &self.current else {
            // Log lines before the first table.
            if self.has_begun || states_access(line) {
                let line = escaped(line);
                let message = format!("`{line}` is below no heading that is read; {ADVICE}");
                reading.refuse(place, "line_unreadable", message);
            } else {
                reading.report.skipped += 1;
            }
            return;
        };
        let Some(values) = columns.values(line) else {
            let message = format!("the row is not aligned with its heading; {ADVICE}");
            return reading.refuse(place, "line_unreadable", message);
        };
        let value = |column: usize| values.get(column).copied().unwrap_or_default();
        match rows {
            Rows::Filters { error } => {
                let error = error.map(value).unwrap_or_default();
                if error.is_empty() {
                    reading.ignore("filter".to_owned());
                } else {
                    refuse_row(error, place, reading);
                }
            }
            Rows::Acls { columns, error } => {
                let error = error.map(value).unwrap_or_default();
                if !error.is_empty() {
                    return refuse_row(error, place, reading);
                }
                let words = columns.values(value);
                let [_, _, _, principal, ..] = words;
                if let Ok(principal) = Principal::parse(principal)
                    && principal.kind() == PrincipalType::Role
                {
                    self.roles.insert(principal.name().to_owned());
                }
                reading.acl(words, place);
            }
            Rows::Members => {
                let member = format!("{}:{}", value(1), value(0));
                self.members.push((member, place.to_owned()));
            }
        }
    }

    /// Adds the members to their role. Their table does not name it; that of its ACLs does.
    fn finish(self, reading: &mut Reading<'_>) {
        if self.member_tables == 0 {
            return;
        }
        let named = match (reading.role, self.roles.first()) {
            (Some(role), _) => Some(role.to_owned()),
            (None, Some(role)) if self.roles.len() == 1 => Some(role.clone()),
            (None, _) => None,
        };
        if named.is_none() && self.members.is_empty() {
            return;
        }
        if self.member_tables > 1 {
            let message = "the members of several roles; import each role from a file of its own";
            return reading.refuse("", "role_unnamed", message);
        }
        let Some(role) = named else {
            return reading.refuse("", "role_unnamed", ROLE_UNNAMED);
        };
        if reading.role(&role, "") {
            for (member, place) in &self.members {
                reading.member(&role, member, place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::export::described;
    use crate::format::Format;
    use crate::import::{Import, ImportedText};

    fn read(text: &str, role: Option<&str>) -> (Import, ImportedText) {
        let mut import = Import::default();
        let read = import.read(text, role);
        (import, read)
    }

    fn acls(import: &Import) -> Vec<String> {
        import.policy().acls().map(|acl| described(&acl)).collect()
    }

    const RPK: &str = "\
PRINCIPAL        HOST      RESOURCE-TYPE  RESOURCE-NAME  RESOURCE-PATTERN-TYPE  OPERATION  PERMISSION  ERROR
Group:eng  ops   *         TOPIC          orders  é -    PREFIXED               READ       DENY
RedpandaRole:r   10.0.0.7  CLUSTER        kafka-cluster  LITERAL                ALTER      ALLOW
";

    #[test]
    fn the_table_of_rpk_is_read_by_its_columns() {
        let (import, seen) = read(&format!("WARN a log line\n{RPK}"), None);
        assert_eq!(
            (seen.unread, seen.skipped, seen.format),
            (Vec::new(), 1, Some(Format::Table))
        );
        assert_eq!(
            acls(&import),
            [
                "`Deny Read, topic \"orders  é -\" prefixed, of \"Group:eng  ops\"`",
                "`Allow Alter, cluster, host 10.0.0.7, of Role:r`",
            ]
        );
        assert_eq!(
            import.policy().role_count(),
            0,
            "a list of ACLs says nothing about members"
        );
    }

    #[test]
    fn a_described_role_has_its_members() {
        let permissions = RPK
            .lines()
            .filter(|line| !line.starts_with("Group"))
            .collect::<Vec<_>>()
            .join("\n");
        let text = format!(
            "PERMISSIONS\n===========\n{permissions}\n\nPRINCIPALS (2)\n==============\nNAME       TYPE\nMaya Khan  User\n/eng       Group\n"
        );
        let (import, seen) = read(&text, None);
        assert_eq!((seen.unread, seen.acls, seen.roles), (Vec::new(), 1, 1));
        let members = import.policy().role("r").expect("the role").members;
        assert_eq!(
            members.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["User:Maya Khan", "Group:/eng"]
        );
        let only_members = "NAME  TYPE\nmaya  User\n";
        assert_eq!(read(only_members, None).1.unread[0].code, "role_unnamed");
        assert!(read(only_members, Some("x")).0.policy().has_role("x"));
    }

    #[test]
    fn the_table_of_confluent_is_read_with_and_without_hosts() {
        let text = "\
    Principal    | Permission | Operation | Resource Type | Resource Name | Pattern Type
-----------------+------------+-----------+---------------+---------------+---------------
  User:sa-8wonyq | ALLOW      | READ      | TOPIC         | a|b           | LITERAL
  User:日本 | DENY      | DESCRIBE_CONFIGS | TOPIC         | *             | LITERAL
  User:x | ALLOW | READ | TOPIC | a|b | LITERAL
";
        let (import, seen) = read(text, None);
        assert_eq!(
            acls(&import),
            [
                "`Deny Describe Configs, topic * all names, of User:日本`",
                "`Allow Read, topic a|b literal, of User:sa-8wonyq`",
            ]
        );
        assert_eq!(
            seen.unread
                .iter()
                .map(|it| (it.place.as_str(), it.code))
                .collect::<Vec<_>>(),
            [("line 5", "line_unreadable")]
        );
        let hosts = text
            .replace("| Permission ", "| Host     | Permission ")
            .replace("-+------------+", "-+----------+------------+");
        let hosts = hosts
            .lines()
            .take(3)
            .collect::<Vec<_>>()
            .join("\n")
            .replace("| ALLOW ", "| 10.0.0.7 | ALLOW ");
        assert_eq!(
            acls(&read(&hosts, None).0),
            ["`Allow Read, topic a|b literal, host 10.0.0.7, of User:sa-8wonyq`"]
        );
    }

    #[test]
    fn the_tables_of_older_and_filtered_lists_are_read() {
        let old = "  PRINCIPAL     HOST  OPERATION  PERMISSION TYPE  RESOURCE TYPE  RESOURCE NAME    PATTERN  \n  \
                   User:test-ac  *     Read       Allow            Topic          my-test-topic-   prefixed \n";
        let expected = ["`Allow Read, topic my-test-topic- prefixed, of User:test-ac`"];
        let (import, seen) = read(old, None);
        assert_eq!(
            (acls(&import), seen.unread),
            (expected.map(str::to_owned).to_vec(), Vec::new())
        );
        let heading = "PRINCIPAL  HOST  RESOURCE-TYPE  RESOURCE-NAME  RESOURCE-PATTERN-TYPE  OPERATION  PERMISSION  ERROR";
        for rule in ["=======\n", ""] {
            let filtered = |error: &str| {
                format!(
                    "FILTERS\n{rule}{heading}\n                 ANY                           ANY                    ANY        ANY         {error}\n\n\
                     MATCHES\n{rule}{heading}\nUser:bar   *     TOPIC          foo            LITERAL                ALL        ALLOW\n"
                )
            };
            let (import, seen) = read(&filtered(""), None);
            assert_eq!(
                (import.policy().acl_count(), seen.notes(), seen.unread),
                (
                    1,
                    vec!["left out, not about access: 1 filter".to_owned()],
                    Vec::new()
                ),
                "{rule}"
            );
            let (_, seen) = read(&filtered("TIMED_OUT"), None);
            assert_eq!(seen.unread[0].code, "row_refused", "{rule}");
        }
    }

    #[test]
    fn a_row_that_is_not_aligned_or_failed_is_refused() {
        let text = format!(
            "{RPK}User:todo        *         TOPIC          todo-service-group LITERAL           READ       ALLOW\n\
             User:a           *         TOPIC          x              LITERAL                READ       ALLOW       TIMED_OUT\n"
        );
        let (import, seen) = read(&text, None);
        assert_eq!(import.policy().acl_count(), 2);
        assert_eq!(
            seen.unread
                .iter()
                .map(|it| (it.place.as_str(), it.code))
                .collect::<Vec<_>>(),
            [("line 4", "line_unreadable"), ("line 5", "row_refused")]
        );
        // A table with a column that is not known is no table of ACLs.
        assert_eq!(
            read(&RPK.replace("ERROR", "CONDITION"), None).1.format,
            None
        );
    }
}

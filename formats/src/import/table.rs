//! Imports the tables of command lines: `rpk security acl list`, `rpk security role describe` and
//! `confluent kafka acl list`.
//!
//! The columns of `rpk` are aligned below their headings, two blanks apart; those of `confluent`
//! are separated by `|`. A row that is not aligned is refused, because its names could be cut in
//! the wrong place.

use gbac_engine::escape::escaped;
use gbac_engine::model::{Principal, PrincipalType};

use super::{Import, ImportedText, Kind, fields, states_access};

/// The headings of a table of ACLs, each in every spelling; the first is that of `rpk`.
const ACL_COLUMNS: [(&str, &[&str]); 7] = [
    ("resource type", &["RESOURCE-TYPE", "Resource Type"]),
    ("resource name", &["RESOURCE-NAME", "Resource Name"]),
    ("pattern type", &["RESOURCE-PATTERN-TYPE", "Pattern Type"]),
    ("principal", &["PRINCIPAL", "Principal"]),
    ("host", &["HOST", "Host"]),
    ("operation", &["OPERATION", "Operation"]),
    ("permission", &["PERMISSION", "Permission"]),
];
/// The column of `rpk` with the reason why a row is no ACL.
const ERROR: &str = "ERROR";
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
        if let Some(rule) = next.map(str::trim_end).filter(|rule| is_rule(rule)) {
            let names: Vec<&str> = line.split('|').map(str::trim).collect();
            let bars: Vec<usize> = rule
                .chars()
                .enumerate()
                .filter(|(_, c)| *c == '+')
                .map(|(at, _)| at)
                .collect();
            return (names.len() == bars.len() + 1).then_some(Self::Ruled(names, bars));
        }
        let (mut names, mut at, mut rest) = (Vec::new(), 0, line.trim_end());
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
                let starts = std::iter::once(0).chain(bars.iter().map(|at| at + 1));
                let ends = bars.iter().map(|at| Some(*at)).chain(std::iter::once(None));
                Some(
                    starts
                        .zip(ends)
                        .map(|(start, end)| slice(row, start, end).trim())
                        .collect(),
                )
            }
        }
    }
}

/// The characters of a line from one to before another.
fn slice(line: &str, start: usize, end: Option<usize>) -> &str {
    let byte = |at: usize| {
        line.char_indices()
            .nth(at)
            .map_or(line.len(), |(byte, _)| byte)
    };
    line.get(byte(start)..end.map_or(line.len(), byte))
        .unwrap_or_default()
}

/// `----+----`
fn is_rule(line: &str) -> bool {
    line.contains("-+-") && line.chars().all(|c| matches!(c, '-' | '+'))
}

/// What the rows of a table are.
enum Rows {
    /// The place of each of the seven fields, and of the error.
    Acls {
        fields: [Option<usize>; 7],
        error: Option<usize>,
    },
    /// The members of a role: name and type.
    Members,
}

impl Rows {
    /// What the columns say; `None` if they are of no table that is known.
    fn from_names(names: &[&str]) -> Option<Self> {
        if names == ["NAME", "TYPE"] {
            return Some(Self::Members);
        }
        let place = |spellings: &[&str]| names.iter().position(|name| spellings.contains(name));
        let fields = ACL_COLUMNS.map(|(_, spellings)| place(spellings));
        // The managed service of confluent has no hosts and no column for them.
        let is_complete = ACL_COLUMNS
            .iter()
            .zip(&fields)
            .all(|((name, _), place)| place.is_some() || *name == "host");
        let error = place(&[ERROR]);
        let known = fields.iter().flatten().count() + usize::from(error.is_some());
        (is_complete && known == names.len()).then_some(Self::Acls { fields, error })
    }
}

/// The first line of a table, if the text has one.
pub(super) fn is_table(text: &str) -> bool {
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if heading(line, lines.peek().copied()).is_some() {
            return true;
        }
    }
    false
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
    let has = |name: &str| {
        line.split_whitespace()
            .any(|word| word.eq_ignore_ascii_case(name))
    };
    next.is_some_and(|next| is_rule(next.trim_end())) || (has("principal") && has("permission"))
}

impl Import {
    /// Tables, with the headings of their sections; `role` is the role that the members are of.
    pub(super) fn read_tables(&mut self, text: &str, role: Option<&str>) -> ImportedText {
        let mut read = ImportedText::new(Kind::Table);
        let mut table = None;
        let (mut roles, mut members, mut member_tables, mut has_begun) =
            (Vec::new(), Vec::new(), 0_usize, false);
        let mut lines = text.lines().zip(1..).peekable();
        while let Some((line, number)) = lines.next() {
            let place = format!("line {number}");
            let next = lines.peek().map(|(next, _)| *next);
            if let Some(found) = heading(line, next) {
                member_tables += usize::from(matches!(found.1, Rows::Members));
                (table, has_begun) = (Some(found), true);
                continue;
            }
            let is_section = |line: &str| !line.is_empty() && line.chars().all(|c| c == '=');
            if line.trim().is_empty() || is_section(line.trim()) || is_rule(line.trim_end()) {
                continue;
            }
            let is_title = next.is_some_and(|next| is_section(next.trim())) && !states_access(line);
            if is_title || is_other_heading(line, next) {
                (table, has_begun) = (None, true);
            }
            if is_title {
                continue;
            }
            let Some((columns, rows)) = &table else {
                // Log lines before the first table.
                if has_begun || states_access(line) {
                    let message = format!(
                        "`{}` is below no heading that is read; {ADVICE}",
                        escaped(line)
                    );
                    read.refuse(place, "line_unreadable", message);
                } else {
                    read.skipped += 1;
                }
                continue;
            };
            let Some(values) = columns.values(line) else {
                read.refuse(
                    place,
                    "line_unreadable",
                    format!("the row is not aligned with its heading; {ADVICE}"),
                );
                continue;
            };
            match rows {
                Rows::Acls {
                    fields: places,
                    error,
                } => {
                    let value =
                        |place: &Option<usize>| place.and_then(|place| values.get(place).copied());
                    if let Some(error) = value(error).filter(|error| !error.is_empty()) {
                        let message = format!("the list says: `{}`", escaped(error));
                        read.refuse(place, "row_refused", message);
                        continue;
                    }
                    let [kind, name, pattern, principal, host, operation, permission] =
                        places.map(|place| value(&place).unwrap_or("*"));
                    if let Ok(principal) = Principal::parse(principal)
                        && principal.kind() == PrincipalType::Role
                        && !roles.iter().any(|role| role == principal.name())
                    {
                        roles.push(principal.name().to_owned());
                    }
                    let acl = fields([kind, name, pattern, principal, host, operation, permission]);
                    self.take_acl(&acl, place, &mut read);
                }
                Rows::Members => {
                    let [name, kind] = [0, 1].map(|at| values.get(at).copied().unwrap_or_default());
                    members.push((format!("{kind}:{name}"), place));
                }
            }
        }
        // The table of a role's members does not name the role; that of its ACLs does.
        let named = role
            .map(str::to_owned)
            .or_else(|| (roles.len() == 1).then(|| roles.remove(0)));
        match named {
            None if members.is_empty() => {}
            _ if member_tables > 1 => {
                read.refuse(
                    "",
                    "role_unnamed",
                    "the members of several roles; import each role from a file of its own",
                );
            }
            None => read.refuse(
                "",
                "role_unnamed",
                "a role without its name; pass its name with --role",
            ),
            Some(role) if member_tables > 0 && self.take_role(&role, "", &mut read) => {
                for (member, place) in &members {
                    self.take_named_member(&role, member, place, &mut read);
                }
            }
            Some(_) => {}
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, role: Option<&str>) -> (Import, ImportedText) {
        let mut import = Import::default();
        let read = import.read(text, role);
        (import, read)
    }

    fn acls(import: &Import) -> Vec<String> {
        import
            .policy()
            .acls()
            .map(|acl| crate::script::acl_words(&acl, &[acl.operation]))
            .collect()
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
            (seen.unread, seen.skipped, seen.kind),
            (Vec::new(), 1, Kind::Table)
        );
        assert_eq!(
            acls(&import),
            [
                "Deny Read on Topic `orders  é -` prefixed for `Group:eng  ops` from *",
                "Allow Alter on Cluster `kafka-cluster` literal for `Role:r` from 10.0.0.7",
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
                "Deny Describe Configs on Topic `*` literal for `User:日本` from *",
                "Allow Read on Topic `a|b` literal for `User:sa-8wonyq` from *",
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
            ["Allow Read on Topic `a|b` literal for `User:sa-8wonyq` from 10.0.0.7"]
        );
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
            read(&RPK.replace("ERROR", "CONDITION"), None).1.kind,
            Kind::Unknown
        );
    }
}

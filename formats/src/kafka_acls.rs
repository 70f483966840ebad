//! Imports the text of `kafka-acls --list` and `--add`: a line for each resource, followed by a line
//! for each of its ACLs.

use gbac_engine::escape::escaped;

use crate::import::{Input, Reader, Reading, states_access};

/// The beginnings of the line of a resource: in the list, and above what `--add` added.
const RESOURCE: [&str; 2] = ["Current ACLs for resource `", "Adding ACLs for resource `"];
/// The beginning of a line above the resources of a principal.
const PRINCIPAL: &str = "ACLs for principal `";

/// The resource of the following lines: type, name and pattern.
type Resource<'a> = [&'a str; 3];

pub(crate) struct KafkaAcls;

impl Reader for KafkaAcls {
    fn recognizes(&self, input: &Input<'_>) -> bool {
        matches!(input, Input::Text(text) if text.lines().any(|line| resource_in(line).is_some()))
    }

    fn read(&self, input: &Input<'_>, reading: &mut Reading<'_>) {
        let Input::Text(text) = input else { return };
        // Java tools often print log warnings or their options before the list.
        let first = text.lines().position(is_head).unwrap_or_default();
        let mut resource = None;
        for (number, line) in text.lines().enumerate() {
            let (place, line) = (format!("line {}", number + 1), line.trim());
            if line.is_empty() || line.starts_with(PRINCIPAL) {
                continue;
            }
            // What says something about access is not a log line.
            if number < first && !states_access(line) {
                reading.report.skipped += 1;
                continue;
            }
            if let Some(rest) = resource_in(line) {
                resource = rest.strip_suffix("`:").and_then(resource_of);
                if resource.is_none() {
                    let message = format!(
                        "`{}` is not a resource line of `kafka-acls --list`",
                        escaped(line)
                    );
                    reading.refuse(place, "resource_unreadable", message);
                }
                continue;
            }
            match (rule_of(line), resource) {
                (Some([principal, host, operation, permission]), Some([kind, name, pattern])) => {
                    let words = [kind, name, pattern, principal, host, operation, permission];
                    reading.acl(words, place);
                }
                (Some(_), None) => {
                    let message = format!(
                        "`{}` is about a resource that could not be read",
                        escaped(line)
                    );
                    reading.refuse(place, "resource_unreadable", message);
                }
                (None, _) => {
                    let message = format!("`{}` is not a `kafka-acls --list` line", escaped(line));
                    reading.refuse(place, "line_unreadable", message);
                }
            }
        }
    }
}

/// Whether a line can be the first one of the list.
fn is_head(line: &str) -> bool {
    let line = line.trim();
    resource_in(line).is_some() || line.starts_with(PRINCIPAL)
}

/// What follows the beginning of the line of a resource.
fn resource_in(line: &str) -> Option<&str> {
    let line = line.trim();
    RESOURCE.iter().find_map(|start| line.strip_prefix(start))
}

/// `ResourcePattern(resourceType=TOPIC, name=x, patternType=LITERAL)`, or of older versions
/// `Topic:LITERAL:x` or `Topic:x`.
///
/// Names may contain any character, so the parser searches for the delimiters from both ends.
fn resource_of(text: &str) -> Option<Resource<'_>> {
    if let Some(rest) = text.strip_prefix("ResourcePattern(resourceType=") {
        let (resource_type, rest) = rest.strip_suffix(')')?.split_once(", name=")?;
        let (name, pattern) = rest.rsplit_once(", patternType=")?;
        return Some([resource_type, name, pattern]);
    }
    let (resource_type, rest) = text.split_once(':')?;
    match rest.split_once(':') {
        Some((pattern @ ("LITERAL" | "PREFIXED"), name)) => Some([resource_type, name, pattern]),
        _ => Some([resource_type, rest, "LITERAL"]),
    }
}

/// `(principal=User:a, host=*, operation=READ, permissionType=ALLOW)`, or of older versions `User:a
/// has Allow permission for operations: Read from hosts: *`: principal, host, operation and
/// permission.
fn rule_of(line: &str) -> Option<[&str; 4]> {
    if let Some(rest) = line.strip_prefix("(principal=") {
        let (rest, permission) = rest.strip_suffix(')')?.rsplit_once(", permissionType=")?;
        let (rest, operation) = rest.rsplit_once(", operation=")?;
        let (principal, host) = rest.rsplit_once(", host=")?;
        return Some([principal, host, operation, permission]);
    }
    let (rest, host) = line.rsplit_once(" from hosts: ")?;
    let (rest, operation) = rest.rsplit_once(" permission for operations: ")?;
    let (principal, permission) = rest.rsplit_once(" has ")?;
    Some([principal, host, operation, permission])
}

#[cfg(test)]
mod tests {
    use gbac_json::AclJson;

    use crate::format::Format;
    use crate::import::{Import, ImportedText};

    fn read(text: &str) -> (Vec<String>, ImportedText) {
        let mut import = Import::default();
        let read = import.read(text, None);
        let show = |acl| {
            let AclJson {
                resource_name,
                resource_pattern_type,
                principal,
                host,
                operation,
                permission_type,
                ..
            } = acl;
            let pattern = resource_pattern_type
                .as_str()
                .trim_start_matches("RESOURCE_PATTERN_TYPE_");
            let operation = operation.as_str().trim_start_matches("OPERATION_");
            let permission = permission_type
                .as_str()
                .trim_start_matches("PERMISSION_TYPE_");
            format!("{permission} {principal} {host} {operation} {pattern} {resource_name}")
        };
        (
            import
                .policy()
                .acls()
                .map(|acl| show(AclJson::from(&acl)))
                .collect(),
            read,
        )
    }

    #[test]
    fn every_version_of_the_text_is_read() {
        let (acls, seen) = read(
            "ACLs for principal `User:x`\r\n\
             Current ACLs for resource `ResourcePattern(resourceType=TOPIC, name=orders-, patternType=PREFIXED)`:\r\n\
             \u{20}\t(principal=User:CN=a, OU=b, host=10.0.0.7, operation=DESCRIBE_CONFIGS, permissionType=DENY)\r\n\n\
             Current ACLs for resource `Group:LITERAL:g, name=`: \n\
             \tUser:a has b has Allow permission for operations: Read from hosts: * \n\
             Current ACLs for resource `Cluster:kafka-cluster`:\n\
             \tUser:* has Deny permission for operations: IdempotentWrite from hosts: *\n",
        );
        assert_eq!(seen.unread, []);
        assert_eq!(
            acls,
            [
                "DENY User:CN=a, OU=b 10.0.0.7 DESCRIBE_CONFIGS PREFIXED orders-",
                "ALLOW User:a has b * READ LITERAL g, name=",
                "DENY User:* * IDEMPOTENT_WRITE LITERAL kafka-cluster"
            ]
        );
    }

    #[test]
    fn a_log_before_the_list_is_counted_and_never_hides_an_acl() {
        let list = "Current ACLs for resource `ResourcePattern(resourceType=TOPIC, name=a, patternType=LITERAL)`:\n\
                    \t(principal=User:a, host=*, operation=READ, permissionType=ALLOW)\n";
        let log = "[2026-01-01 10:00:00,000] WARN The configuration 'x' was supplied but isn't a known config.\n\n\
                   Picked up JAVA_TOOL_OPTIONS: -Xmx64m\n";
        let (acls, seen) = read(&format!("{log}{list}"));
        assert_eq!(
            (acls, seen.skipped, seen.format),
            (
                vec!["ALLOW User:a * READ LITERAL a".into()],
                2,
                Some(Format::KafkaAcls)
            )
        );
        assert_eq!(seen.unread, []);
        let (_, lost) = read(&format!(
            "(principal=User:a, host=*, operation=READ, permissionType=DENY)\n{list}"
        ));
        assert_eq!(
            (lost.skipped, lost.unread[0].code),
            (0, "resource_unreadable")
        );
        let (_, none) = read(log);
        assert_eq!((none.skipped, none.format), (0, None));
    }

    #[test]
    fn unreadable_lines_are_reported() {
        let (acls, seen) = read(
            "Current ACLs for resource `ResourcePattern(resourceType=TOPIC, name=a, patternType=LITERAL)`:\n\
             (principal=User:a, host=*, operation=READ, permissionType=ALLOW)\n\
             (principal=User:a, host=*, operation=READ, permissionType=ALLOW)\n\
             (principal=a, host=*, operation=READ, permissionType=ALLOW)\n\
             (principal=User:a, host=db.example, operation=SPEAK, permissionType=ALLOW)\n\
             WARN something else\n\
             Current ACLs for resource `ResourcePattern(resourceType=DELEGATION_TOKEN, name=t, patternType=LITERAL)`:\n\
             (principal=User:a, host=*, operation=DESCRIBE, permissionType=ALLOW)\n\
             Current ACLs for resource `ResourcePattern(resourceType=TOPIC, name=broken\n\
             name, patternType=LITERAL)`:\n\
             (principal=User:a, host=*, operation=READ, permissionType=DENY)\n",
        );
        assert_eq!(acls, ["ALLOW User:a * READ LITERAL a"]);
        assert_eq!((seen.acls, seen.again), (2, 1));
        let reported: Vec<(&str, &str)> = seen
            .unread
            .iter()
            .map(|unread| (unread.place.as_str(), unread.code))
            .collect();
        assert_eq!(
            reported,
            [
                ("line 4", "principal_without_type"),
                ("line 5", "host_invalid"),
                ("line 6", "line_unreadable"),
                ("line 8", "not_in_dialect"),
                ("line 9", "resource_unreadable"),
                ("line 10", "line_unreadable"),
                ("line 11", "resource_unreadable"),
            ]
        );
        assert!(
            seen.unread[1].message.contains("SPEAK"),
            "both faults: {}",
            seen.unread[1]
        );
        let (_, other) = read("hello\nworld\n");
        assert_eq!(
            (other.format, other.unread.len(), other.unread[0].code),
            (None, 1, "form_unknown")
        );
        assert_eq!(read("").1.unread[0].code, "form_unknown");
    }
}

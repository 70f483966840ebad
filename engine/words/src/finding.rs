//! Findings: what each kind is called, and what it means.

use gbac_analysis::FindingCode;

/// What a kind of finding is called, and what it means for those who are concerned, by its code.
pub const fn meaning(code: FindingCode) -> (&'static str, &'static str) {
    match code {
        FindingCode::UserClaimEditable => (
            "Superusers named by a claim that users can edit",
            "Anyone who can set this claim to a superuser's name is allowed everything.",
        ),
        FindingCode::SuperuserUnreachable => (
            "Superusers that no token names",
            "Nobody can sign in as such a superuser. Write the name as it is in tokens.",
        ),
        FindingCode::AccessGroupUnknown => (
            "Groups with access to the service that no role or ACL names",
            "No role and no ACL names the group, so its name is probably misspelled.",
        ),
        FindingCode::AclOpenToEveryone => (
            "Access for everyone",
            "The allow is for every user and every name, or for the cluster. Whoever signs in has it.",
        ),
        FindingCode::AclUnreachable => (
            "Allows that never allow",
            "A deny on the same or a broader name always overrides it, so it grants nothing.",
        ),
        FindingCode::AclBeginsToMatch => (
            "ACLs that begin to match",
            "Apache Kafka never matched them. With the GBAC plugin, they apply to the members of the group or role.",
        ),
        FindingCode::AclCovered => (
            "Redundant ACLs",
            "Another ACL covers it. Removing it changes no decision.",
        ),
        FindingCode::OperationUnsupported => (
            "Operations that don't apply to the resource",
            "No request needs this operation on this resource type.",
        ),
        FindingCode::RoleMissing => (
            "ACLs of a role that does not exist",
            "They have no effect now, and take effect when a role with that name is created.",
        ),
        FindingCode::RoleWithoutMembers => ("Roles without members", "Their ACLs apply to no one."),
        FindingCode::RoleWithoutAcls => ("Roles without ACLs", "Such a role grants nothing."),
        FindingCode::ConsumerGroupMissing => (
            "Consumers without a consumer group",
            "They can read topics, but joining a consumer group is denied. Another group of the same user may allow it.",
        ),
        FindingCode::SchemaReaderWithoutConfigs => (
            "Schema readers without configurations",
            "They can read schemas, but not the compatibility levels of the subjects and the registry.",
        ),
        FindingCode::SubjectContext => (
            "Subjects of contexts that are not reached",
            "A subject of a Schema Registry context is named :.context:subject, which is another name.",
        ),
        FindingCode::PrincipalLetterCase => (
            "Names that differ only in letter case",
            "Names are compared byte by byte, so these are different principals, and one of them is probably a typo.",
        ),
        FindingCode::PrincipalSlashes => (
            "Names that differ only in slashes",
            "These are different principals. Which one tokens produce depends on the identity provider's paths and the nested group behavior.",
        ),
        FindingCode::GroupPathWithSuffix => (
            "Group paths that no token produces",
            "With suffix, only the last segment of a path becomes a group, so a name with a slash never matches.",
        ),
        FindingCode::PrincipalWildcard => (
            "Asterisks that are not wildcards",
            "Only User:* means everyone. This is the name of a group or role.",
        ),
        FindingCode::PrincipalTypeTwice => (
            "User names that contain a principal type",
            "A user whose name starts with a principal type. A group was probably intended, and it gets nothing.",
        ),
        FindingCode::PrincipalEdgeWhitespace => (
            "Spaces around the names of principals",
            "The space is part of the name, so the name differs from what you see.",
        ),
        FindingCode::ResourceNameWildcard => (
            "Asterisks in resource names",
            "The asterisk is part of the name. Only the literal * means every name; the pattern type prefixed covers names that begin alike.",
        ),
        FindingCode::MemberIsEveryone => (
            "User:* as a member",
            "As a member, User:* is the single user named *, not everyone.",
        ),
        FindingCode::TopicName => (
            "Invalid topic names",
            "Topic names contain letters, digits, dots, underscores and hyphens. An asterisk within a name is not a wildcard.",
        ),
        FindingCode::ClusterName => (
            "Invalid cluster names",
            "The cluster has one name, so this ACL never matches.",
        ),
        FindingCode::RoleNameNotAscii => (
            "Role names with non-ASCII characters",
            "Brokers managed with rpk accept only ASCII role names, so they reject this policy.",
        ),
        FindingCode::PrincipalControlCharacter => (
            "Principals with control characters",
            "They are invisible and often pasted by accident, so the name differs from what you see.",
        ),
        FindingCode::ResourceNameControlCharacter => (
            "Resource names with control characters",
            "They are invisible and often pasted by accident, so the name differs from what you see.",
        ),
        FindingCode::HostName => (
            "Names of hosts, which never match",
            "Kafka compares hosts with the addresses of clients, so an ACL for a name never matches.",
        ),
        FindingCode::HostRangeUnsupported => (
            "Ranges of hosts that never match",
            "Kafka before 4.4 stores ACLs whose host is a range, but never matches them.",
        ),
        FindingCode::DuplicateAcl => (
            "ACLs that are in the document more than once",
            "Each of them counts once.",
        ),
        FindingCode::DuplicateMember => (
            "Members that are in the document more than once",
            "Each of them counts once.",
        ),
        FindingCode::DuplicateSuperuser => (
            "Superusers that are in the document more than once",
            "Each of them counts once.",
        ),
        FindingCode::MemberIsRole => (
            "Roles as members of roles",
            "Only users and groups can be members, so such a member gets nothing.",
        ),
        FindingCode::RoleNameEmpty
        | FindingCode::RoleNameTooLong
        | FindingCode::RoleNameCharacter => (
            "Role names that can't be created",
            "Such roles were stored by an earlier version or by another tool.",
        ),
        FindingCode::NameWithType
        | FindingCode::PrincipalNameEmpty
        | FindingCode::PrincipalNotIdentity
        | FindingCode::PrincipalTypeUnknown
        | FindingCode::PrincipalWithoutType => (
            "Principals that can't be created",
            "Their ACLs and memberships were stored by an earlier version or by another tool.",
        ),
        FindingCode::ResourceNameEmpty | FindingCode::ResourceNameTooLong => (
            "ACLs that can't be created",
            "They were stored by an earlier version or by another tool.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gbac_engine::Coded;
    use strum::VariantArray;

    use super::*;

    /// A text that is true of another finding only is worse than none: each kind of ACL, member,
    /// role or document has its own.
    #[test]
    fn every_finding_has_a_text_of_its_own_unless_it_cannot_be_created() {
        let mut titles: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for code in FindingCode::VARIANTS {
            titles
                .entry(meaning(*code).0)
                .or_default()
                .push(code.code());
        }
        titles.retain(|title, codes| codes.len() > 1 || title.contains("can't be created"));
        let shared: Vec<(&str, Vec<&str>)> = titles.into_iter().collect();
        assert_eq!(
            shared,
            [
                (
                    "ACLs that can't be created",
                    vec!["resource_name_empty", "resource_name_too_long"]
                ),
                (
                    "Principals that can't be created",
                    vec![
                        "name_with_type",
                        "principal_name_empty",
                        "principal_not_identity",
                        "principal_type_unknown",
                        "principal_without_type",
                    ]
                ),
                (
                    "Role names that can't be created",
                    vec![
                        "role_name_character",
                        "role_name_empty",
                        "role_name_too_long"
                    ]
                ),
            ]
        );
    }
}

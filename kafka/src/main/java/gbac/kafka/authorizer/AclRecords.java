package gbac.kafka.authorizer;

import gbac.kafka.engine.Records;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.metadata.authorizer.StandardAcl;

/** Writes Kafka's ACLs as records of the engine, whose numbers are those of Kafka's protocol. */
final class AclRecords {
    private static final int ADD = 1;
    private static final int REMOVE = 2;
    private static final String GROUP = "Group:";
    private static final String ROLE = "Role:";
    private static final String OTHER_ROLE = "RedpandaRole:";
    /** The group of everybody whose groups are not known. It has every deny of groups and roles, and no allow. */
    static final String UNKNOWN = "\0unknown";

    private AclRecords() {}

    /** Whether the principal of an ACL is a role. */
    static boolean isRole(StandardAcl acl) {
        return acl.principal().startsWith(ROLE) || acl.principal().startsWith(OTHER_ROLE);
    }

    /** What engines hold of an ACL: nothing, its rule, or in addition a deny for users whose groups are not known. */
    static List<StandardAcl> rules(Uuid id, StandardAcl acl) {
        StandardAcl rule = rule(id, acl);
        if (rule == null) {
            return List.of();
        }
        if (!deniesGroup(rule)) {
            return List.of(rule);
        }
        return List.of(rule, new StandardAcl(rule.resourceType(), rule.resourceName(), rule.patternType(), GROUP + UNKNOWN,
                rule.host(), rule.operation(), rule.permissionType()));
    }

    /** Whether an ACL denies something to a group or a role, so that a user's groups must be known. */
    private static boolean deniesGroup(StandardAcl rule) {
        return rule.permissionType() == AclPermissionType.DENY && (rule.principal().startsWith(GROUP) || isRole(rule));
    }

    /**
     * The rule of an ACL, which is the same for ACLs that are the same for the engine; null for an unknown type of resource.
     *
     * <p>What a newer controller writes and this version does not know never allows (D-76): an unknown permission denies, an
     * unknown kind of pattern denies like a prefix, and an ACL that matches nothing known still counts as an ACL of its
     * resource.
     */
    private static StandardAcl rule(Uuid id, StandardAcl acl) {
        if (acl.resourceType() == ResourceType.UNKNOWN || acl.resourceType() == ResourceType.ANY) {
            return null;
        }
        boolean denies = acl.permissionType() != AclPermissionType.ALLOW;
        boolean isLiteral = acl.patternType() == PatternType.LITERAL;
        boolean isPrefix = acl.patternType() == PatternType.PREFIXED;
        boolean isOperation = acl.operation() != AclOperation.UNKNOWN && acl.operation() != AclOperation.ANY;
        boolean matches = isOperation && acl.principal().indexOf(':') >= 0 && (denies || isLiteral || isPrefix);
        boolean isCluster = acl.resourceType() == ResourceType.CLUSTER && acl.resourceName().isEmpty();
        StandardAcl rule = new StandardAcl(
                acl.resourceType(),
                isCluster ? Resource.CLUSTER_NAME : acl.resourceName(),
                isLiteral ? PatternType.LITERAL : PatternType.PREFIXED,
                matches ? withOneName(acl.principal()) : "User:*",
                // No host has such a name.
                matches ? acl.host() : "unknown " + id,
                isOperation ? acl.operation() : AclOperation.ALL,
                denies ? AclPermissionType.DENY : AclPermissionType.ALLOW);
        return rule.equals(acl) ? acl : rule;
    }

    /** The principal of a role by the first of its two names. */
    private static String withOneName(String principal) {
        return principal.startsWith(OTHER_ROLE) ? ROLE + principal.substring(OTHER_ROLE.length()) : principal;
    }

    /** Adds a record that adds or removes a rule. */
    static void write(Records records, boolean adds, StandardAcl rule, boolean rolesAllow) {
        boolean isOutdated = !rolesAllow && isRole(rule) && rule.permissionType() == AclPermissionType.ALLOW;
        records.u8(adds ? ADD : REMOVE)
                .u8(rule.resourceType().code())
                .u8(rule.patternType().code())
                .u8(rule.operation().code())
                .u8(rule.permissionType().code())
                .text(rule.principal())
                .text(isOutdated ? "outdated " + rule.host() : rule.host())
                .text(rule.resourceName());
    }
}

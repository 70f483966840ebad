package gbac.kafka.authorizer;

import gbac.kafka.engine.Records;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.metadata.authorizer.StandardAcl;

/** Writes Kafka's ACLs as records of the engine, whose numbers are those of Kafka's protocol. */
final class AclRecords {
    private static final int ADD = 1;
    private static final int REMOVE = 2;

    private AclRecords() {}

    /** Whether ACLs of this type are about something that a request can name. */
    private static boolean isKnown(ResourceType type) {
        return type != ResourceType.UNKNOWN && type != ResourceType.ANY;
    }

    /** Whether the principal of an ACL is a role. */
    static boolean isRole(StandardAcl acl) {
        return acl.principal().startsWith("Role:") || acl.principal().startsWith("RedpandaRole:");
    }

    /** Whether two different ACLs of the log can be the same for the engine as this one. */
    static boolean isAmbiguous(StandardAcl acl) {
        return isRole(acl)
                || acl.resourceType() == ResourceType.CLUSTER
                || acl.permissionType() == AclPermissionType.UNKNOWN
                || acl.patternType() == PatternType.UNKNOWN;
    }

    /**
     * Adds a record that adds or removes an ACL; none for an unknown type of resource.
     *
     * <p>What a newer controller writes and this version does not know never allows (D-76): an unknown permission denies, an
     * unknown kind of pattern denies like a prefix, and an ACL that matches nothing known still counts as an ACL of its
     * resource.
     */
    static void write(Records records, boolean adds, Uuid id, StandardAcl acl, boolean rolesAllow) {
        if (!isKnown(acl.resourceType())) {
            return;
        }
        boolean denies = acl.permissionType() != AclPermissionType.ALLOW;
        boolean isLiteral = acl.patternType() == PatternType.LITERAL;
        boolean isPrefix = acl.patternType() == PatternType.PREFIXED;
        boolean isOperation = acl.operation() != AclOperation.UNKNOWN && acl.operation() != AclOperation.ANY;
        boolean matches = isOperation && acl.principal().indexOf(':') >= 0 && (denies || isLiteral || isPrefix);
        String host = acl.host();
        if (!matches) {
            // No host has such a name.
            host = "unknown " + id;
        } else if (!denies && !rolesAllow && isRole(acl)) {
            host = "outdated " + host;
        }
        records.u8(adds ? ADD : REMOVE)
                .u8(acl.resourceType().code())
                .u8(isLiteral ? PatternType.LITERAL.code() : PatternType.PREFIXED.code())
                .u8(isOperation ? acl.operation().code() : AclOperation.ALL.code())
                .u8(denies ? AclPermissionType.DENY.code() : AclPermissionType.ALLOW.code())
                .text(matches ? acl.principal() : "User:*")
                .text(host)
                .text(acl.resourceName());
    }
}

package gbac.kafka.authorizer;

import java.util.Locale;

/** Why a request is denied. */
enum DenialReason {
    /** An ACL denies it. */
    DENY,
    /** No ACL allows it. */
    NO_MATCH,
    /** No ACL allows it, and the connection has no groups. */
    NO_GROUPS,
    /** No ACL allows it from this address; one can from another. */
    HOST,
    /** The groups of the connection cannot be read, or are not known. */
    UNREADABLE,
    /** No ACL allows it to a member of roles while the members of all roles are too old. */
    MEMBERS_TOO_OLD,
    /** No engine works. */
    ENGINE_UNAVAILABLE;

    /** Its name in logs and metrics. */
    String code() {
        return name().toLowerCase(Locale.ROOT);
    }
}

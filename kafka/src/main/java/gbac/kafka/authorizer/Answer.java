package gbac.kafka.authorizer;

import gbac.kafka.engine.Engine;
import org.apache.kafka.common.acl.AclOperation;

/** What an engine answers about a resource, and why the operation that was denied last is denied. */
final class Answer {
    /** The mask without ACLs. */
    static final Answer NONE = new Answer(0, 0);

    private final int ofName;
    private final int mask;
    private volatile Denied denied;

    private record Denied(AclOperation operation, Denial denial) {}

    /** A mask that was found in this state of the name. */
    Answer(int ofName, int mask) {
        this.ofName = ofName;
        this.mask = mask;
    }

    /** The answer while no engine works, or to a question that it refuses. */
    static Answer unknown() {
        return new Answer(0, Engine.HAS_ACLS | Engine.HAS_DENIES);
    }

    /** Whether it was found in this state of the name. */
    boolean isOf(int state) {
        return ofName == state;
    }

    /** Whether no ACL is for the resource. */
    boolean isWithoutAcls() {
        return mask == 0;
    }

    /** Whether an operation is allowed. */
    boolean allows(AclOperation operation) {
        return (mask >> operation.code() & 1) == 1;
    }

    /** Whether an ACL denies any operation; otherwise what is not allowed is allowed by no ACL. */
    boolean hasDenies() {
        return (mask & Engine.HAS_DENIES) != 0;
    }

    /** Why an operation is denied; null if that was not looked up, or another one since. */
    Denial denial(AclOperation operation) {
        Denied last = denied;
        return last != null && last.operation() == operation ? last.denial() : null;
    }

    /** Stores why an operation is denied. */
    void denial(AclOperation operation, Denial denial) {
        denied = new Denied(operation, denial);
    }

    /** About how many bytes its texts have. */
    int textBytes() {
        Denied last = denied;
        return last == null || last.denial().detail().isEmpty() ? 0
                : last.denial().rule().length() + last.denial().detail().length();
    }
}

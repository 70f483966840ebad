package gbac.kafka.roles;

import gbac.kafka.engine.DocumentException;
import gbac.kafka.engine.Engine;
import gbac.kafka.engine.RoleMember;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Where the members of roles are read. Used by one thread at a time. */
interface RoleSource {
    /** A source that cannot be used; the message says which and why. */
    final class UnusableException extends Exception {
        private static final long serialVersionUID = 1;

        UnusableException(String message) {
            super(message);
        }
    }

    /** Members that were read when a node starts, and their age. */
    record Start(Set<RoleMember> members, Duration age) {}

    /** Reads the members when a node starts. */
    Start start() throws UnusableException;

    /** Reads the members again; empty if they did not change. */
    Optional<Set<RoleMember>> poll() throws UnusableException;

    /** How long to wait between two reads. */
    Duration interval();

    /** The members in a policy document, which the engine reads. */
    static Set<RoleMember> members(String place, byte[] document) throws UnusableException {
        if (document.length > Engine.MAX_BYTES) {
            throw new UnusableException(place + " has more than " + (Engine.MAX_BYTES >> 20) + " MiB");
        }
        boolean isInterrupted = Thread.interrupted();
        try {
            // An instance of its own, because the memory of an instance never shrinks.
            return Set.copyOf(new Engine().members(document));
        } catch (DocumentException wrong) {
            throw new UnusableException(place + " is not a policy document: " + wrong.getMessage());
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError failed) {
            throw new UnusableException(place + " cannot be read as a policy document: " + failed);
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The source of the settings; null if there is none. */
    static RoleSource of(RoleSettings settings) {
        if (settings.file() != null) {
            return new FileSource(settings.file());
        }
        return settings.url() == null ? null : new ServiceSource(settings);
    }
}

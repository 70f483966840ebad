package gbac.kafka.roles;

import gbac.kafka.engine.DocumentException;
import gbac.kafka.engine.Engine;
import gbac.kafka.engine.RoleMember;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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

    /** The members if they changed since the last answer, and how old they are. */
    record Answer(Optional<Set<RoleMember>> changed, Duration age) {
        /** An answer of now. */
        static Answer now(Optional<Set<RoleMember>> changed) {
            return new Answer(changed, Duration.ZERO);
        }
    }

    /** Reads the members. Nothing on disk changes. */
    Answer read() throws UnusableException;

    /** Reads the members when a node starts. */
    default Answer readAtStart() throws UnusableException {
        return read();
    }

    /** Keeps the last answer on disk, for the next start. */
    default void keep() {}

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
            throw new UnusableException(place + " is not a policy document with roles: " + wrong.getMessage());
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError failed) {
            throw new UnusableException(place + " cannot be read as a policy document: " + failed);
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Sends a request; the place is for the message if nobody answers. */
    static HttpResponse<InputStream> send(HttpClient client, HttpRequest request, String place) throws UnusableException {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException failed) {
            String why = failed.getMessage() == null ? failed.getClass().getSimpleName() : failed.getMessage();
            throw new UnusableException(place + " does not answer: " + why);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new UnusableException(place + " was not asked, because the node stops");
        }
    }

    /** Whether a text can be a token in a header. */
    static boolean isToken(String text) {
        return !text.isEmpty() && text.chars().allMatch(letter -> letter > ' ' && letter <= '~');
    }

    /** The source of the settings; null if there is none. */
    static RoleSource of(RoleSettings settings) {
        if (settings.file() != null) {
            return new FileSource(settings.file());
        }
        return settings.url() == null ? null : new ServiceSource(settings);
    }
}

package gbac.kafka.authorizer;

import gbac.kafka.engine.Records;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.security.auth.KafkaPrincipal;

/** A principal with its groups and its host, and the masks that were found for it in one state of the policy. */
final class Session {
    /** The number of resource types. Masks of any resource of a type are stored as those of this type plus the number. */
    static final int TYPES = 16;

    private static final int MAX_NAME = 256;
    /** What an engine stores besides names, in bytes. */
    private static final int OVERHEAD = 256;
    private static final int OF_A_GROUP = 8;

    /** What identifies a session; the address is null while no ACL names a host. */
    record Key(String type, String name, List<String> groups, InetAddress address) {
        /** Whether it is of a principal with these groups from this address. */
        boolean isOf(KafkaPrincipal principal, InetAddress other) {
            return Objects.equals(address, other)
                    && name.equals(principal.getName())
                    && type.equals(principal.getPrincipalType());
        }
    }

    private final Sessions owner;
    private final Key key;
    private final String host;
    private final int bytes;
    private volatile Masks masks = new Masks(-1);
    /** The last round of {@link Sessions} in which it was used. */
    private volatile int round;
    private volatile boolean closed;
    private volatile boolean isAnnounced;

    /** The masks by resource type and name, for one state. */
    private static final class Masks {
        private final long state;
        private final ConcurrentHashMap<?, ?>[] byType = new ConcurrentHashMap<?, ?>[2 * TYPES];

        Masks(long state) {
            this.state = state;
        }

        @SuppressWarnings("unchecked")
        ConcurrentHashMap<String, Answer> of(int type) {
            return (ConcurrentHashMap<String, Answer>) byType[type];
        }
    }

    Session(Sessions owner, Key key, int round) {
        this.owner = owner;
        this.key = key;
        this.round = round;
        host = key.address() == null ? null : key.address().getHostAddress();
        bytes = OVERHEAD + key.name().length() + key.groups().stream().mapToInt(group -> OF_A_GROUP + group.length()).sum();
    }

    /** Whether this is the first call. */
    boolean announce() {
        boolean isFirst = !isAnnounced;
        isAnnounced = true;
        return isFirst;
    }

    /** What identifies it. */
    Key key() {
        return key;
    }

    /** Whether it belongs to these sessions and is still one of them. */
    boolean isOpen(Sessions sessions) {
        return owner == sessions && !closed;
    }

    /** About as many bytes as an engine needs for its identity. */
    int bytes() {
        return bytes;
    }

    /** Whether it was ended. */
    boolean hasEnded() {
        return closed;
    }

    /** Ends it; engines then forget its identity. */
    void close() {
        closed = true;
        forget();
    }

    /** Forgets its masks. */
    void forget() {
        masks = new Masks(-1);
    }

    /** Notes that it is used. */
    void use(int now) {
        if (round != now) {
            round = now;
        }
    }

    /** The last round in which it was used. */
    int round() {
        return round;
    }

    /** The text of the client's address; null while no ACL names a host. */
    String host() {
        return host;
    }

    /** The identity as the engine reads it. */
    byte[] record() {
        return new Records().text(key.type() + ":" + key.name()).texts(key.groups()).toBytes();
    }

    /** What was found in this state and that of the name; null if nothing was. */
    Answer cached(long state, int ofName, int type, String name) {
        Masks current = masks;
        if (current.state != state) {
            return null;
        }
        ConcurrentHashMap<String, Answer> names = current.of(type);
        Answer known = names == null ? null : names.get(name);
        return known == null || !known.isOf(ofName) ? null : known;
    }

    /** Stores what was found in this state; returns whether there was nothing of the name. */
    boolean cache(long state, int type, String name, Answer found) {
        if (name.length() > MAX_NAME || closed) {
            return false;
        }
        Masks current = masks;
        if (current.state != state) {
            masks = current = new Masks(state);
        }
        ConcurrentHashMap<String, Answer> names = current.of(type);
        if (names == null) {
            // Of two threads that do this at once, one loses what it stores.
            current.byType[type] = names = new ConcurrentHashMap<>();
        }
        return names.put(name, found) == null;
    }
}

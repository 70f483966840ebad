package gbac.kafka.principal;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.security.auth.KafkaPrincipal;

/**
 * The groups of a principal, from the verified token that it was authenticated with.
 *
 * <p>They are not in a class of principals: Kafka asks the stored owner of a delegation token whether it equals the user, and a
 * plain principal equals no other class. So principals are plain, equal whatever their groups are (KIP-368 refuses a
 * re-authentication as another one), and their groups are found by the object itself, never by what it equals. Kafka passes the
 * object of a connection, or of a forwarded request, on to the authorizer. Other builders create a principal for each request;
 * its groups are found by the object of its token. Groups are forgotten with the object.
 */
public final class PrincipalGroups extends WeakReference<Object> {
    /** Each is its own key. {@link Query} finds the one of an object. */
    private static final ConcurrentHashMap<Object, PrincipalGroups> KNOWN = new ConcurrentHashMap<>();
    private static final ReferenceQueue<Object> UNUSED = new ReferenceQueue<>();
    /** Those of a principal that was authenticated without a token. */
    static final PrincipalGroups NONE = new PrincipalGroups(null, List.of(), null, null);

    private final List<String> names;
    private final Set<String> source;
    private final Refusal refusal;
    private final int hash;
    /** What the authorizer knows about this principal, so that it does not have to look it up for every request. */
    private volatile Object session;

    /**
     * Why a principal without known groups is denied everything.
     *
     * @param isMissing whether there are no groups where they should be; otherwise they cannot be read
     * @param why the reason, escaped for a log
     */
    public record Refusal(boolean isMissing, String why) {}

    /** A key that equals the groups of one object. */
    private record Query(Object holder) {
        @Override
        public boolean equals(Object other) {
            return other instanceof PrincipalGroups groups && groups.refersTo(holder);
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(holder);
        }
    }

    private PrincipalGroups(Object holder, List<String> names, Set<String> source, Refusal refusal) {
        super(holder, UNUSED);
        this.names = List.copyOf(names);
        this.source = source;
        this.refusal = refusal;
        hash = System.identityHashCode(holder);
    }

    /** Creates an equal principal with groups. */
    static KafkaPrincipal create(KafkaPrincipal plain, List<String> names) {
        return create(plain.getPrincipalType(), plain.getName(), plain.tokenAuthenticated(), names);
    }

    /** Creates a principal of a type, with a name and groups. */
    public static KafkaPrincipal create(String type, String name, boolean tokenAuthenticated, List<String> names) {
        KafkaPrincipal principal = new KafkaPrincipal(type, name, tokenAuthenticated);
        store(principal, names, null, null);
        return principal;
    }

    /** Stores the groups of an object that exists, with what they were read from. */
    static PrincipalGroups store(Object holder, List<String> names, Set<String> source, Refusal refusal) {
        for (Reference<?> unused = UNUSED.poll(); unused != null; unused = UNUSED.poll()) {
            KNOWN.remove(unused);
        }
        PrincipalGroups groups = new PrincipalGroups(holder, names, source, refusal);
        // Those of two threads that read the same object are equal.
        KNOWN.remove(new Query(holder));
        KNOWN.put(groups, groups);
        return groups;
    }

    /** The groups of an object, which can be none; null if they were not stored, so that they are not known. */
    public static PrincipalGroups of(Object holder) {
        return KNOWN.get(new Query(holder));
    }

    /** The number of objects whose groups are known. */
    static int count() {
        return KNOWN.size();
    }

    /** The names of the groups. */
    public List<String> names() {
        return names;
    }

    /** Why the principal is denied everything; null if it is not. */
    public Refusal refusal() {
        return refusal;
    }

    /** Whether they were read from equal groups. */
    boolean isFrom(Set<?> groups) {
        return Objects.equals(source, groups);
    }

    /** What the authorizer stored. */
    public Object session() {
        return session;
    }

    /** Stores what the authorizer knows. */
    public void session(Object known) {
        if (this != NONE) {
            session = known;
        }
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return hash;
    }
}

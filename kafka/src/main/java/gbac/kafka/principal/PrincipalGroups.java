package gbac.kafka.principal;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.security.auth.KafkaPrincipal;

/**
 * The groups of a principal, from the verified token that it was authenticated with.
 *
 * <p>They are not in a class of principals: Kafka asks the stored owner of a delegation token whether it equals the user, and a
 * plain principal equals no other class. So principals are plain, equal whatever their groups are (KIP-368 refuses a
 * re-authentication as another one), and their groups are found by the object itself. Kafka passes the object of a connection, or
 * of a forwarded request, on to the authorizer. Groups are forgotten with the object.
 */
public final class PrincipalGroups extends WeakReference<KafkaPrincipal> {
    /** Each is its own key. {@link Query} finds the one of a principal. */
    private static final ConcurrentHashMap<Object, PrincipalGroups> KNOWN = new ConcurrentHashMap<>();
    private static final ReferenceQueue<KafkaPrincipal> UNUSED = new ReferenceQueue<>();

    private final List<String> names;
    private final int hash;
    /** What the authorizer knows about this principal, so that it does not have to look it up for every request. */
    private volatile Object session;

    /** A key that equals the groups of one principal object. */
    private record Query(KafkaPrincipal principal) {
        @Override
        public boolean equals(Object other) {
            return other instanceof PrincipalGroups groups && groups.refersTo(principal);
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(principal);
        }
    }

    private PrincipalGroups(KafkaPrincipal principal, List<String> names) {
        super(principal, UNUSED);
        this.names = List.copyOf(names);
        hash = System.identityHashCode(principal);
    }

    /** Creates an equal principal with groups. */
    static KafkaPrincipal create(KafkaPrincipal plain, List<String> names) {
        return create(plain.getPrincipalType(), plain.getName(), plain.tokenAuthenticated(), names);
    }

    /** Creates a principal of a type, with a name and groups. */
    public static KafkaPrincipal create(String type, String name, boolean tokenAuthenticated, List<String> names) {
        for (Reference<?> unused = UNUSED.poll(); unused != null; unused = UNUSED.poll()) {
            KNOWN.remove(unused);
        }
        KafkaPrincipal principal = new KafkaPrincipal(type, name, tokenAuthenticated);
        PrincipalGroups groups = new PrincipalGroups(principal, names);
        KNOWN.put(groups, groups);
        return principal;
    }

    /** The groups of a principal, which can be none; null if it was not created here, so that its groups are not known. */
    public static PrincipalGroups of(KafkaPrincipal principal) {
        return KNOWN.get(new Query(principal));
    }

    /** The number of principals whose groups are known. */
    static int count() {
        return KNOWN.size();
    }

    /** The names of the groups. */
    public List<String> names() {
        return names;
    }

    /** What the authorizer stored. */
    public Object session() {
        return session;
    }

    /** Stores what the authorizer knows. */
    public void session(Object known) {
        session = known;
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

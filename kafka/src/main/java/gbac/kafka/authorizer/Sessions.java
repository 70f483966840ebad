package gbac.kafka.authorizer;

import gbac.kafka.principal.PrincipalGroups;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.security.auth.KafkaPrincipal;

/** The sessions of everybody who sends requests. Unused ones are forgotten, and so are all masks when there are too many. */
final class Sessions {
    /** The number of sessions from which on unused ones are forgotten. */
    private static final int LIMIT = 20_000;
    /** The number of masks of all sessions, at about 100 bytes each. */
    private static final int MAX_MASKS = 250_000;

    private final ConcurrentHashMap<Session.Key, Session> sessions = new ConcurrentHashMap<>();
    private final AtomicInteger masks = new AtomicInteger();
    private volatile int round;
    private volatile int sweepAt = LIMIT;

    /** The session of a principal from an address, which is null while no ACL names a host. */
    Session of(KafkaPrincipal principal, InetAddress address) {
        PrincipalGroups known = PrincipalGroups.of(principal);
        if (known != null
                && known.session() instanceof Session session
                && session.isOpen(this)
                && (address == null ? session.key().address() == null : address.equals(session.key().address()))) {
            session.use(round);
            return session;
        }
        List<String> groups = known == null ? List.of() : known.names();
        Session.Key key = new Session.Key(principal.getPrincipalType(), principal.getName(), groups, address);
        Session session = sessions.get(key);
        if (session == null) {
            session = sessions.computeIfAbsent(key, missing -> new Session(this, missing, round));
            if (sessions.size() > sweepAt) {
                sweep();
            }
        }
        session.use(round);
        if (known != null) {
            known.session(session);
        }
        return session;
    }

    /** Stores a mask. */
    void cache(Session session, long state, int type, String name, int mask) {
        if (session.cache(state, type, name, mask) && masks.incrementAndGet() > MAX_MASKS) {
            forgetMasks();
        }
    }

    /** The number of sessions. */
    int size() {
        return sessions.size();
    }

    /** Forgets the sessions that were not used since the last time, or all if most are used. */
    private synchronized void sweep() {
        if (sessions.size() <= sweepAt) {
            return;
        }
        boolean isCrowded = sweepAt > LIMIT;
        sessions.values().removeIf(session -> {
            boolean isUnused = isCrowded || session.round() != round;
            if (isUnused) {
                session.close();
            }
            return isUnused;
        });
        round++;
        sweepAt = Math.max(LIMIT, sessions.size() * 2);
    }

    private synchronized void forgetMasks() {
        if (masks.get() > MAX_MASKS) {
            masks.set(0);
            sessions.values().forEach(Session::forget);
        }
    }
}

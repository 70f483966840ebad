package gbac.kafka.authorizer;

import gbac.kafka.principal.PrincipalGroups;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.security.auth.KafkaPrincipal;

/** The sessions of everybody who sends requests, within limits: of more, unused ones are forgotten, or all if all are used. */
final class Sessions {
    private static final int MAX_SESSIONS = 40_000;
    /** The bytes of the names of all users and groups. */
    static final long MAX_BYTES = 64 << 20;
    /** The number of masks of all sessions, at about as many bytes each; longer texts count as several. */
    private static final int MAX_MASKS = 250_000;
    private static final int BYTES_OF_MASK = 100;

    private final ConcurrentHashMap<Session.Key, Session> sessions = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicInteger masks = new AtomicInteger();
    private final LongAdder forgotten = new LongAdder();
    private volatile int round;

    /** The session of a principal with groups, which are null if not known, from an address, which is null while no ACL names a host. */
    Session of(KafkaPrincipal principal, PrincipalGroups groups, InetAddress address) {
        if (groups != null
                && groups.session() instanceof Session session
                && session.isOpen(this)
                && session.key().isOf(principal, address)) {
            session.use(round);
            return session;
        }
        List<String> names = groups == null ? List.of(AclRecords.UNKNOWN) : groups.names();
        Session.Key key = new Session.Key(principal.getPrincipalType(), principal.getName(), names, address);
        Session session = sessions.get(key);
        if (session == null) {
            session = sessions.computeIfAbsent(key, this::create);
            if (isAbove(1)) {
                sweep();
            }
        }
        session.use(round);
        if (groups != null) {
            groups.session(session);
        }
        return session;
    }

    /** Stores a mask. */
    void cache(Session session, long state, int type, String name, Answer found) {
        if (session.cache(state, type, name, found)) {
            count(1);
        }
    }

    /** Stores why an operation is denied. */
    void cache(Answer answer, AclOperation operation, Denial denial) {
        int before = answer.textBytes();
        answer.denial(operation, denial);
        count((answer.textBytes() - before) / BYTES_OF_MASK);
    }

    private void count(int added) {
        if (masks.addAndGet(added) > MAX_MASKS) {
            forgetMasks();
        }
    }

    /** The number of sessions. */
    int size() {
        return sessions.size();
    }

    /** The number of sessions that were forgotten because there were too many. */
    long forgotten() {
        return forgotten.sum();
    }

    private Session create(Session.Key key) {
        Session created = new Session(this, key, round);
        bytes.addAndGet(created.bytes());
        return created;
    }

    /** Whether there is more than a part of the limits. */
    private boolean isAbove(int part) {
        return sessions.size() > MAX_SESSIONS / part || bytes.get() > MAX_BYTES / part;
    }

    private synchronized void sweep() {
        int before = sessions.size();
        if (isAbove(1)) {
            forgetUnused();
        }
        if (isAbove(2)) {
            sessions.values().forEach(this::end);
        }
        forgotten.add(Math.max(0, before - sessions.size()));
    }

    /** Forgets the sessions that were not used since the last time. */
    synchronized void forgetUnused() {
        for (Session session : sessions.values()) {
            if (session.round() != round) {
                end(session);
            }
        }
        round++;
    }

    private void end(Session session) {
        if (sessions.remove(session.key(), session)) {
            session.close();
            bytes.addAndGet(-session.bytes());
        }
    }

    private synchronized void forgetMasks() {
        if (masks.get() > MAX_MASKS) {
            masks.set(0);
            sessions.values().forEach(Session::forget);
        }
    }
}

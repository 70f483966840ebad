package gbac.kafka.authorizer;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Which denials become a line of the log, and which decisions an audit event: of a user and a resource the first one, and then one a minute; in all a limited number a
 * second. What is left out is counted in the next line. Its memory is limited, whatever names clients send.
 */
final class DenialLimiter {
    static final int MAX_KEYS = 4096;
    /** How many lines there can be at once, and then in a second. */
    static final int BURST = 200;
    private static final int PER_SECOND = 20;
    private static final long PAUSE = TimeUnit.MINUTES.toNanos(1);
    private static final int NAME_PART = 128;

    /**
     * What a line leaves out since the last one.
     *
     * @param same how many of the same user and resource
     * @param others how many of others, which have no line of their own
     * @param nanos how long ago the first one of the same was
     */
    record LeftOut(long same, long others, long nanos) {}

    /** Long names by their beginning and their hash. Names that share both share their lines, which loses none. */
    private record Key(String principal, int principalHash, int kind, String name, int nameHash) {}

    private static final class Count {
        private long next;
        private long leftOut;
        private long first;
    }

    private final LongSupplier nanoTime;
    private final int burst;
    private final long perLine;
    private final Map<Key, Count> counts;
    /** When the budget of lines would be full. */
    private long full;
    private long others;

    DenialLimiter(LongSupplier nanoTime) {
        this(nanoTime, MAX_KEYS, BURST, PER_SECOND);
    }

    DenialLimiter(LongSupplier nanoTime, int maxKeys, int burst, int perSecond) {
        this.nanoTime = nanoTime;
        this.burst = burst;
        perLine = TimeUnit.SECONDS.toNanos(1) / perSecond;
        full = nanoTime.getAsLong();
        counts = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Key, Count> eldest) {
                boolean isFull = size() > maxKeys;
                others += isFull ? eldest.getValue().leftOut : 0;
                return isFull;
            }
        };
    }

    /** What a line for this denial leaves out; null if there is no line for it. */
    synchronized LeftOut line(String principal, int kind, String name) {
        long now = nanoTime.getAsLong();
        Key key = new Key(start(principal), principal.hashCode(), kind, start(name), name.hashCode());
        Count count = counts.computeIfAbsent(key, created -> {
            Count fresh = new Count();
            fresh.next = now;
            return fresh;
        });
        boolean isInBudget = full - now <= perLine * (burst - 1);
        if (now - count.next < 0 || !isInBudget) {
            count.first = count.leftOut == 0 ? now : count.first;
            count.leftOut++;
            return null;
        }
        full = (full - now < 0 ? now : full) + perLine;
        LeftOut leftOut = new LeftOut(count.leftOut, others, count.leftOut == 0 ? 0 : now - count.first);
        count.next = now + PAUSE;
        count.leftOut = 0;
        others = 0;
        return leftOut;
    }

    /** The number of users and resources that it knows. */
    synchronized int size() {
        return counts.size();
    }

    private static String start(String text) {
        return text.length() <= NAME_PART ? text : text.substring(0, NAME_PART);
    }
}

package gbac.kafka.authorizer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts events that are worth a line in the log: the first one at once, and then at most one line a minute with their number. */
final class EventCount {
    private static final long PAUSE = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private final LongAdder events = new LongAdder();
    private final AtomicLong next;

    EventCount(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        next = new AtomicLong(nanoTime.getAsLong());
    }

    /** Adds events. */
    void add(long count) {
        events.add(count);
    }

    /** The number of events for a line of the log; 0 if there are none, or if the last line is less than a minute ago. */
    long due() {
        long now = nanoTime.getAsLong();
        long planned = next.get();
        if (now - planned < 0 || events.sum() == 0 || !next.compareAndSet(planned, now + PAUSE)) {
            return 0;
        }
        return events.sumThenReset();
    }
}

package gbac.kafka.authorizer;

import gbac.kafka.engine.Engine;
import gbac.kafka.engine.EngineException;
import gbac.kafka.engine.Records;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several engines with the same policy, each for one thread at a time.
 *
 * <p>An engine that fails is discarded and started again from the table. While none works, every call throws {@link
 * EngineUnavailableException}.
 */
final class Engines {
    private static final Logger LOG = LoggerFactory.getLogger(Engines.class);
    /** The bytes of the identities that an engine has open; of more, it closes those of ended sessions, or all. */
    static final long MAX_OPENED = 16 << 20;
    /** The unused bytes from which on an engine is started again. */
    private static final long MANY_UNUSED = 4 << 20;

    private final PolicyTable table;
    private final Supplier<Engine> start;
    private final Executor repairs;
    private final LongAdder failures = new LongAdder();
    private volatile Slot[] slots;
    /** Changes with every change of the policy, except for ACLs of one name. */
    private volatile long state;
    /** Change with the ACLs of one name, by the hash of its type and name. */
    private final AtomicIntegerArray names = new AtomicIntegerArray(1 << 10);

    /** An engine and the identities that it has open. */
    private static final class Slot {
        private final ReentrantLock lock = new ReentrantLock();
        private final Map<Session, Integer> open = new IdentityHashMap<>();
        /** Null after a failure. */
        private volatile Engine engine;
        /** The bytes of its memory when it had no identities. */
        private long loaded;
        /** The bytes of its identities. */
        private long opened;

        Slot(Engine engine) {
            replace(engine);
        }

        void replace(Engine other) {
            engine = other;
            loaded = other == null ? 0 : other.memoryBytes();
            open.clear();
            opened = 0;
        }

        /** The identity of a session; -1 without one. */
        int handle(Session session) {
            if (session == null) {
                return -1;
            }
            Integer known = open.get(session);
            if (known != null) {
                return known;
            }
            if (opened + session.bytes() > MAX_OPENED) {
                close(Session::hasEnded);
            }
            if (opened + session.bytes() > MAX_OPENED) {
                close(any -> true);
            }
            int handle = engine.open(session.record());
            open.put(session, handle);
            opened += session.bytes();
            return handle;
        }

        private void close(Predicate<Session> which) {
            open.entrySet().removeIf(entry -> {
                boolean closes = which.test(entry.getKey());
                if (closes) {
                    engine.close(entry.getValue());
                    opened -= entry.getKey().bytes();
                }
                return closes;
            });
        }

        /** Closes the identities of ended sessions; returns whether most of the memory is then unused. */
        boolean isMostlyUnused() {
            if (engine == null) {
                return false;
            }
            close(Session::hasEnded);
            long grown = engine.memoryBytes() - loaded;
            return grown > MANY_UNUSED && grown > 4 * opened;
        }
    }

    /** A question to an engine about an open identity. */
    interface Question<T> {
        T ask(Engine engine, int handle);
    }

    /** Starts the engines with an empty policy. The executor starts failed ones again. */
    Engines(PolicyTable table, int count, Supplier<Engine> start, Executor repairs) {
        this.table = table;
        this.start = start;
        this.repairs = repairs;
        slots = new Slot[count];
        Engine first = load();
        for (int index = 0; index < count; index++) {
            slots[index] = new Slot(index == 0 ? first : new Engine(first));
        }
    }

    /** The state of the policy, for caches: a result is of this state and that of its name, if they were the same before the question. */
    long state() {
        return state;
    }

    /** The state of the ACLs of a name of a type, or of all names of it: of {@link Session#TYPES} plus the type, and an empty name. */
    int state(int type, String name) {
        return names.get(place(type, name));
    }

    private int place(int type, String name) {
        return (name.hashCode() * 31 + type) & names.length() - 1;
    }

    /** How many engines failed. */
    long failures() {
        return failures.sum();
    }

    /** The number of engines that work. */
    int working() {
        int working = 0;
        for (Slot slot : slots) {
            working += slot.engine == null ? 0 : 1;
        }
        return working;
    }

    /** The bytes of memory of all engines. */
    long memoryBytes() {
        long bytes = 0;
        for (Slot slot : slots) {
            Engine engine = slot.engine;
            bytes += engine == null ? 0 : engine.memoryBytes();
        }
        return bytes;
    }

    /** Applies a change of the table to every engine. One that cannot apply it is started again. */
    void apply(Records records) {
        apply(records, () -> state++);
    }

    /** Applies the change of an ACL. Other names keep their results if it is for one name. */
    void apply(Records records, StandardAcl acl) {
        boolean isOfOneName = acl.patternType() == PatternType.LITERAL
                && acl.resourceType() != ResourceType.CLUSTER
                && !acl.resourceName().equals("*");
        int type = acl.resourceType().code();
        apply(records, isOfOneName ? () -> changeName(type, acl.resourceName()) : () -> state++);
    }

    private void changeName(int type, String name) {
        names.incrementAndGet(place(type, name));
        names.incrementAndGet(place(Session.TYPES + type, ""));
    }

    private synchronized void apply(Records records, Runnable changeState) {
        if (records.size() == 0) {
            return;
        }
        Engine.withoutInterruption(() -> {
            for (Slot slot : slots) {
                slot.lock.lock();
                try {
                    if (slot.engine != null) {
                        slot.engine.apply(records);
                    }
                } catch (RuntimeException | StackOverflowError | OutOfMemoryError failed) {
                    fail(slot, failed);
                } finally {
                    slot.lock.unlock();
                }
            }
            changeState.run();
            return null;
        });
    }

    /** Replaces every engine by one with the content of the table. */
    synchronized void reload() {
        Engine.withoutInterruption(() -> {
            replaceAll();
            state++;
            return null;
        });
    }

    private void replaceAll() {
        Slot[] old = slots;
        Slot[] fresh = new Slot[old.length];
        try {
            Engine first = load();
            for (int index = 0; index < fresh.length; index++) {
                fresh[index] = new Slot(index == 0 ? first : new Engine(first));
            }
            slots = fresh;
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError failed) {
            // The old engines have an old policy.
            for (Slot slot : old) {
                slot.lock.lock();
                try {
                    fail(slot, failed);
                } finally {
                    slot.lock.unlock();
                }
            }
        }
    }

    private Engine load() {
        Engine engine = start.get();
        table.writeAll(engine::apply);
        engine.trim();
        return engine;
    }

    /** Asks an engine about a session. */
    <T> T ask(Session session, Question<T> question) {
        Slot[] all = slots;
        int first = (int) (Thread.currentThread().getId() % all.length);
        return Engine.withoutInterruption(() -> {
            for (int round = 0; round < 2; round++) {
                for (int index = 0; index < all.length; index++) {
                    Slot slot = all[(first + index) % all.length];
                    // In the first round an engine that is in use is skipped; in the second it is waited for.
                    if (slot.engine == null || round == 0 && !slot.lock.tryLock()) {
                        continue;
                    }
                    if (round == 1) {
                        slot.lock.lock();
                    }
                    try {
                        if (slot.engine != null) {
                            return question.ask(slot.engine, slot.handle(session));
                        }
                    } catch (EngineException refused) {
                        if (refused.code() != EngineException.LIMIT) {
                            throw refused;
                        }
                        fail(slot, refused);
                    } catch (RuntimeException | StackOverflowError | OutOfMemoryError failed) {
                        fail(slot, failed);
                    } finally {
                        slot.lock.unlock();
                    }
                }
            }
            throw new EngineUnavailableException();
        });
    }

    /** Discards the engine of a locked slot. */
    private void fail(Slot slot, Throwable failed) {
        slot.replace(null);
        failures.increment();
        LOG.error("An engine failed and is started again; {} of {} work", working(), slots.length, failed);
        repairs.execute(this::repair);
    }

    /** Starts discarded engines again; those that fail once more stay discarded until the next call. */
    synchronized void repair() {
        for (Slot slot : slots) {
            if (slot.engine != null) {
                continue;
            }
            try {
                replace(slot, load());
                LOG.info("A failed engine works again; {} of {} work", working(), slots.length);
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError failed) {
                failures.increment();
                LOG.error("An engine cannot be started; {} of {} work, and if none does, only super users are allowed",
                        working(), slots.length, failed);
            }
        }
    }

    private static void replace(Slot slot, Engine engine) {
        slot.lock.lock();
        slot.replace(engine);
        slot.lock.unlock();
    }

    /** Gives the memory of ended sessions back: an engine never shrinks, so one of them is started again. */
    synchronized void giveMemoryBack() {
        Engine.withoutInterruption(() -> {
            for (Slot slot : slots) {
                if (isMostlyUnused(slot)) {
                    replace(slot, load());
                    return null;
                }
            }
            return null;
        });
    }

    private boolean isMostlyUnused(Slot slot) {
        slot.lock.lock();
        try {
            return slot.isMostlyUnused();
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError failed) {
            fail(slot, failed);
            return false;
        } finally {
            slot.lock.unlock();
        }
    }
}

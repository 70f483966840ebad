package gbac.kafka.roles;

import gbac.kafka.engine.RoleMember;
import gbac.kafka.roles.RoleSource.Answer;
import gbac.kafka.roles.RoleSource.UnusableException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.common.config.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows the members of roles, and how old they are.
 *
 * <p>One thread, the owner, changes everything here and passes on what is known as an immutable value. The source is read on
 * other threads; their answers come back to the owner, which drops those of a source that is no longer the source. So nothing
 * here takes a lock, and nobody waits for a source.
 */
public final class RoleWatch {
    private static final Logger LOG = LoggerFactory.getLogger(RoleWatch.class);

    /**
     * What is known at one time.
     *
     * @param members the last known members
     * @param isOutdated whether they are too old for ACLs of roles to allow anything
     */
    public record Roles(Set<RoleMember> members, boolean isOutdated) {}

    /**
     * What comes of a source that is followed.
     *
     * @param tried completed after the first attempt to read it, exceptionally if it cannot be read
     * @param read completed when it was read
     */
    public record Reading(CompletableFuture<Void> tried, CompletableFuture<Void> read) {
        Reading() {
            this(new CompletableFuture<>(), new CompletableFuture<>());
        }

        /** Completes the other one when this one is. */
        private void pass(Reading other) {
            read.thenAccept(other.read::complete);
            tried.whenComplete((done, failed) -> {
                if (failed == null) {
                    other.tried.complete(null);
                } else {
                    other.tried.completeExceptionally(failed);
                }
            });
        }

        private void succeed() {
            read.complete(null);
            tried.complete(null);
        }
    }

    private static final RoleSettings NO_SOURCE = new RoleSettings(null, null, RoleAccess.NONE, null, Duration.ZERO);

    /** Never jumps, unlike the time of day. */
    private final LongSupplier nanoTime;
    private final Executor owner;
    private final Executor readers;
    private final Consumer<Roles> listener;
    private volatile Roles known = new Roles(Set.of(), false);
    private volatile RoleSettings settings = NO_SOURCE;
    /** When the source last confirmed the members. */
    private volatile long confirmed;

    // Only the owner uses these.
    private Roles passedOn = known;
    private RoleSource source;
    private Future<?> reading = CompletableFuture.completedFuture(null);
    private long lastRead;
    private String problem = "";
    private Reading first = new Reading();

    /** A watch without a source; the owner runs one task at a time. */
    public RoleWatch(LongSupplier nanoTime, Executor owner, Executor readers, Consumer<Roles> listener) {
        this.nanoTime = nanoTime;
        this.owner = owner;
        this.readers = readers;
        this.listener = listener;
    }

    /** Reads the source of a node that starts, before the owner has tasks. One that cannot be used is an error. */
    public Reading begin(RoleSettings started) {
        settings = started;
        source = RoleSource.of(settings);
        lastRead = nanoTime.getAsLong();
        try {
            if (source != null) {
                take(source.readAtStart());
            }
        } catch (UnusableException unusable) {
            throw new ConfigException(unusable.getMessage());
        }
        first.succeed();
        return first;
    }

    /** Refuses a source that cannot be used, unless it already is the source. Reads it on this thread. */
    public void check(RoleSettings changed) {
        RoleSource other = changed.isSameSource(settings) ? null : RoleSource.of(changed);
        if (other == null) {
            return;
        }
        try {
            other.read();
        } catch (UnusableException unusable) {
            throw new ConfigException(unusable.getMessage());
        }
    }

    /** Changes the source. The members stay as they are until it was read, and get older. */
    public Reading follow(RoleSettings changed, boolean isStart) {
        Reading reading = new Reading();
        owner.execute(() -> follow(changed, isStart, reading));
        return reading;
    }

    /** The settings that are followed. */
    public RoleSettings settings() {
        return settings;
    }

    /** The age of the members in seconds: the time since the source last confirmed them. */
    public double age() {
        return settings.hasSource() ? (nanoTime.getAsLong() - confirmed) / 1e9 : 0;
    }

    // What the owner does.

    private void follow(RoleSettings changed, boolean isStart, Reading result) {
        boolean isSame = changed.isSameSource(settings);
        if (!isSame && !settings.hasSource()) {
            confirmed = nanoTime.getAsLong();
        }
        settings = changed;
        if (isSame) {
            first.pass(result);
            checkAge();
            return;
        }
        // Who waits for the source before waits for this one.
        result.pass(first);
        first = result;
        source = RoleSource.of(changed);
        problem = "";
        reading.cancel(true);
        if (source == null) {
            publish(new Roles(Set.of(), false));
            first.succeed();
        } else {
            read(isStart);
        }
    }

    /** Reads the members again if it is time to, and looks at their age, because a read can take long. Called every second. */
    public void tick() {
        checkAge();
        boolean isDue = source != null && nanoTime.getAsLong() - lastRead >= source.interval().toNanos();
        if (isDue && reading.isDone()) {
            read(false);
        }
    }

    private void read(boolean isStart) {
        RoleSource asked = source;
        lastRead = nanoTime.getAsLong();
        FutureTask<Void> read = new FutureTask<>(() -> {
            try {
                Answer answer = isStart ? asked.readAtStart() : asked.read();
                owner.execute(() -> answered(asked, answer));
            } catch (UnusableException unusable) {
                owner.execute(() -> failed(asked, unusable.getMessage()));
            } catch (RuntimeException | Error unforeseen) {
                owner.execute(() -> failed(asked, settings + " cannot be read: " + unforeseen));
            }
        }, null);
        reading = read;
        readers.execute(read);
    }

    private void answered(RoleSource asked, Answer answer) {
        if (asked != source) {
            return;
        }
        if (!problem.isEmpty()) {
            LOG.info("The members of roles can be read again");
            problem = "";
        }
        take(answer);
        first.succeed();
    }

    private void take(Answer answer) {
        confirmed = nanoTime.getAsLong() - answer.age().toNanos();
        publish(new Roles(answer.changed().orElse(known.members()), isTooOld()));
        source.keep();
    }

    /** The last members stay, and get older. */
    private void failed(RoleSource asked, String why) {
        if (asked != source) {
            return;
        }
        if (!problem.equals(why)) {
            problem = why;
            LOG.error("{}; the members of roles stay as they were", why);
        }
        checkAge();
        first.tried.completeExceptionally(new ConfigException(why));
    }

    private void checkAge() {
        publish(new Roles(known.members(), isTooOld()));
    }

    private boolean isTooOld() {
        Duration maxAge = settings.maxAge();
        return settings.hasSource() && !maxAge.isZero() && nanoTime.getAsLong() - confirmed > maxAge.toNanos();
    }

    private void publish(Roles current) {
        known = current;
        Roles before = passedOn;
        if (current.equals(before)) {
            return;
        }
        if (current.isOutdated() && !before.isOutdated()) {
            LOG.error("The members of roles are older than {} ({} seconds): ACLs of roles allow nothing until they can be "
                    + "read again", RoleSettings.MAX_AGE, settings.maxAge().toSeconds());
        } else if (before.isOutdated() && !current.isOutdated()) {
            LOG.info("ACLs of roles allow again");
        }
        // If this fails, the next tick passes it on.
        listener.accept(current);
        passedOn = current;
    }
}

package gbac.kafka.roles;

import gbac.kafka.engine.RoleMember;
import gbac.kafka.roles.RoleSource.Start;
import gbac.kafka.roles.RoleSource.UnusableException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.kafka.common.config.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the members of roles again and again, and knows how old they are. */
public final class RoleWatch {
    private static final Logger LOG = LoggerFactory.getLogger(RoleWatch.class);

    /** Who uses the members. */
    public interface Listener {
        /** Takes the current members. */
        void members(Set<RoleMember> members);

        /** Takes whether the members are too old for ACLs of roles to allow anything. */
        void outdated(boolean isOutdated);
    }

    private final RoleSource source;
    private final Duration maxAge;
    /** Never jumps, unlike the time of day. */
    private final LongSupplier nanoTime;
    private final Set<RoleMember> first;
    private volatile long confirmed;
    private String problem = "";
    private boolean isOutdated;

    private RoleWatch(RoleSource source, Duration maxAge, LongSupplier nanoTime, Start start) {
        this.source = source;
        this.maxAge = maxAge;
        this.nanoTime = nanoTime;
        first = start.members();
        confirmed = nanoTime.getAsLong() - start.age().toNanos();
    }

    /** Reads the members for the first time. A source that cannot be used is an error. */
    public static RoleWatch start(RoleSettings settings, LongSupplier nanoTime) {
        RoleSource source = RoleSource.of(settings);
        try {
            Start start = source == null ? new Start(Set.of(), Duration.ZERO) : source.start();
            return new RoleWatch(source, settings.maxAge(), nanoTime, start);
        } catch (UnusableException unusable) {
            throw new ConfigException(unusable.getMessage());
        }
    }

    /** Whether there is a source at all. */
    public boolean hasSource() {
        return source != null;
    }

    /** The age of the members in seconds: the time since the source last confirmed them. */
    public double age() {
        return source == null ? 0 : (nanoTime.getAsLong() - confirmed) / 1e9;
    }

    /** How long to wait between two reads. */
    public Duration interval() {
        return source == null ? Duration.ofSeconds(5) : source.interval();
    }

    /** Passes on what the first read found. */
    public void begin(Listener listener) {
        listener.members(first);
        checkAge(listener);
    }

    /** Reads the members again. If that is not possible, the last ones stay, and get older. */
    public void poll(Listener listener) {
        if (source == null) {
            return;
        }
        try {
            Optional<Set<RoleMember>> changed = source.poll();
            changed.ifPresent(listener::members);
            confirmed = nanoTime.getAsLong();
            if (!problem.isEmpty()) {
                LOG.info("The members of roles can be read again");
                problem = "";
            }
        } catch (UnusableException unusable) {
            if (!problem.equals(unusable.getMessage())) {
                problem = unusable.getMessage();
                LOG.error("{}; the members of roles stay as they were", problem);
            }
        }
        checkAge(listener);
    }

    /** Tells the listener whether the members are too old. Not only after reads, because one can take long. */
    public synchronized void checkAge(Listener listener) {
        boolean isTooOld = source != null && !maxAge.isZero() && nanoTime.getAsLong() - confirmed > maxAge.toNanos();
        if (isTooOld != isOutdated) {
            isOutdated = isTooOld;
            if (isTooOld) {
                LOG.error("The members of roles are older than {} ({} seconds): ACLs of roles allow nothing until they can be "
                        + "read again", RoleSettings.MAX_AGE, maxAge.toSeconds());
            } else {
                LOG.info("ACLs of roles allow again");
            }
        }
        listener.outdated(isOutdated);
    }
}

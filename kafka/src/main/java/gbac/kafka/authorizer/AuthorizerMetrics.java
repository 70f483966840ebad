package gbac.kafka.authorizer;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.metrics.stats.Rate;
import org.apache.kafka.common.metrics.stats.WindowedSum;

/** The metrics of the authorizer: those of StandardAuthorizer, and those of the cache, the engines and the roles. */
final class AuthorizerMetrics {
    private final LongAdder allowed = new LongAdder();
    private final LongAdder denied = new LongAdder();
    private final Map<DenialReason, LongAdder> reasons = new EnumMap<>(DenialReason.class);
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    /** Rates that are updated every second, because a sensor takes a lock for each value. */
    private final List<CountedRate> rates = new ArrayList<>();

    AuthorizerMetrics() {
        for (DenialReason reason : DenialReason.values()) {
            reasons.put(reason, new LongAdder());
        }
    }

    /** A rate per minute of a number that only grows. */
    private static final class CountedRate {
        private final MetricSink.Recorder recorder;
        private final Supplier<Long> total;
        private long recorded;

        CountedRate(MetricSink.Recorder recorder, Supplier<Long> total) {
            this.recorder = recorder;
            this.total = total;
            recorded = total.get();
        }

        void record() {
            long now = total.get();
            if (now > recorded) {
                recorder.record(now - recorded);
                recorded = now;
            }
        }
    }

    /** Counts a decision. */
    void decided(boolean isAllowed) {
        (isAllowed ? allowed : denied).increment();
    }

    /** Counts a request that is refused. */
    void denied(DenialReason reason) {
        reasons.get(reason).increment();
    }

    /** Counts a decision that was in the cache. */
    void hit() {
        hits.increment();
    }

    /** Counts a decision that was not in the cache. */
    void missed() {
        misses.increment();
    }

    /** Adds the metrics to those of the node. */
    synchronized void register(MetricSink metrics, PolicyTable table, Engines engines, Sessions sessions, DoubleSupplier roleAge) {
        rate(metrics, "authorizer-authorization-allowed", "authorization-allowed-rate-per-minute",
                "The number of authorization allowed per minute", allowed::sum);
        rate(metrics, "authorizer-authorization-denied", "authorization-denied-rate-per-minute",
                "The number of authorization denied per minute", denied::sum);
        rate(metrics, "authorizer-authorization-request", "authorization-request-rate-per-minute",
                "The number of authorization request per minute", () -> allowed.sum() + denied.sum());
        for (DenialReason reason : DenialReason.values()) {
            gauge(metrics, "denials-" + reason.code().replace('_', '-') + "-total",
                    "The number of refused requests for this reason", reasons.get(reason)::sum);
        }
        gauge(metrics, "acls-total-count", "The number of acls defined", table::size);
        gauge(metrics, "decision-cache-hits-total", "The number of decisions found in the cache", hits::sum);
        gauge(metrics, "decision-cache-misses-total", "The number of decisions made by an engine", misses::sum);
        gauge(metrics, "engines-working", "The number of engines that work; at 0 only super users are allowed",
                engines::working);
        gauge(metrics, "engine-failures-total", "The number of engines that failed", engines::failures);
        gauge(metrics, "engine-memory-bytes", "The memory of all engines", engines::memoryBytes);
        gauge(metrics, "principals-known", "The number of users whose groups are kept", sessions::size);
        gauge(metrics, "principals-forgotten-total", "The number of users that were forgotten because there were too many",
                sessions::forgotten);
        gauge(metrics, "role-members-age-seconds", "The time since the source of roles confirmed their members",
                roleAge::getAsDouble);
        gauge(metrics, "roles-allow", "1 if ACLs of roles allow, 0 if their members are too old",
                () -> table.rolesAllow() ? 1 : 0);
    }

    private void rate(MetricSink metrics, String sensorName, String name, String description, Supplier<Long> total) {
        MetricSink.Recorder recorder =
                metrics.recorder(sensorName, name, description, new Rate(TimeUnit.MINUTES, new WindowedSum()));
        rates.add(new CountedRate(recorder, total));
    }

    private static void gauge(MetricSink metrics, String name, String description, Supplier<Number> value) {
        metrics.gauge(name, description, (config, now) -> value.get());
    }

    /** Updates the rates; called every second. */
    synchronized void update() {
        rates.forEach(CountedRate::record);
    }
}

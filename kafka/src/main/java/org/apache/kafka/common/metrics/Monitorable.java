package org.apache.kafka.common.metrics;

/**
 * The interface of plugins with metrics (KIP-877), as Kafka has it since 4.1.
 *
 * <p>It is in the jar, so that one class is the authorizer for all versions: Kafka 3.9 and 4.0 do not have the interface, and
 * could not load a class that implements it.
 */
public interface Monitorable {
    /** Called by Kafka after {@code configure}. */
    void withPluginMetrics(PluginMetrics metrics);
}

package org.apache.kafka.common.metrics;

import java.util.LinkedHashMap;
import org.apache.kafka.common.MetricName;

/** The metrics of a plugin (KIP-877), as Kafka has them since 4.1. Only for the compiler: the jar does not contain it. */
public interface PluginMetrics {
    /** The name of a metric. */
    MetricName metricName(String name, String description, LinkedHashMap<String, String> tags);

    /** Adds a metric. */
    void addMetric(MetricName metricName, MetricValueProvider<?> metricValueProvider);

    /** Removes a metric. */
    void removeMetric(MetricName metricName);

    /** Adds a sensor. */
    Sensor addSensor(String name);

    /** Removes a sensor. */
    void removeSensor(String name);
}

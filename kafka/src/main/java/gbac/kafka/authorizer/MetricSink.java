package gbac.kafka.authorizer;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.JmxReporter;
import org.apache.kafka.common.metrics.KafkaMetricsContext;
import org.apache.kafka.common.metrics.MeasurableStat;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.metrics.PluginMetrics;

/** Where the authorizer's metrics go. */
interface MetricSink extends AutoCloseable {
    /** Adds a statistic of values that are recorded. */
    Recorder recorder(String sensor, String name, String description, MeasurableStat statistic);

    /** Adds a value that is read. */
    void gauge(String name, String description, Gauge<Number> value);

    @Override
    void close();

    /** Records a value. */
    interface Recorder {
        void record(double value);
    }

    /** Those of the node, since Kafka 4.1. */
    static MetricSink ofNode(PluginMetrics metrics) {
        return new MetricSink() {
            @Override
            public Recorder recorder(String sensor, String name, String description, MeasurableStat statistic) {
                var created = metrics.addSensor(sensor);
                created.add(metrics.metricName(name, description, new LinkedHashMap<>()), statistic);
                return created::record;
            }

            @Override
            public void gauge(String name, String description, Gauge<Number> value) {
                metrics.addMetric(metrics.metricName(name, description, new LinkedHashMap<>()), value);
            }

            @Override
            public void close() {
                // Kafka removes them.
            }
        };
    }

    /** JMX, under the names that the metrics have since Kafka 4.1. For older versions. */
    static MetricSink ofJmx(String role) {
        Metrics metrics = new Metrics();
        MetricsReporter reporter = new JmxReporter();
        reporter.contextChange(new KafkaMetricsContext("kafka.server"));
        metrics.addReporter(reporter);
        Map<String, String> tags = new LinkedHashMap<>();
        tags.put("config", "authorizer.class.name");
        tags.put("class", "GroupAuthorizer");
        tags.put("role", role);
        return new MetricSink() {
            @Override
            public Recorder recorder(String sensor, String name, String description, MeasurableStat statistic) {
                var created = metrics.sensor(sensor);
                created.add(metrics.metricName(name, "plugins", description, tags), statistic);
                return created::record;
            }

            @Override
            public void gauge(String name, String description, Gauge<Number> value) {
                metrics.addMetric(metrics.metricName(name, "plugins", description, tags), null, value);
            }

            @Override
            public void close() {
                metrics.close();
            }
        };
    }
}

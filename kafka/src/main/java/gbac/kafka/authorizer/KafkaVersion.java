package gbac.kafka.authorizer;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.security.auth.KafkaPrincipal;

/**
 * A version of Kafka.
 *
 * @param major its first number
 * @param minor its second number
 */
record KafkaVersion(int major, int minor) {
    /** The version that runs, from Kafka's own file, because the class that reads it moved between versions. */
    static KafkaVersion ofThisNode() {
        Properties properties = new Properties();
        try (InputStream file = KafkaPrincipal.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            if (file != null) {
                properties.load(file);
            }
        } catch (IOException unreadable) {
            // Refused as an unknown version.
        }
        String version = properties.getProperty("version", "unknown").trim();
        String[] parts = version.split("[.-]");
        try {
            return new KafkaVersion(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException unknown) {
            throw new ConfigException("the version of Kafka is `" + version
                    + "`, and gbac-kafka.jar cannot tell whether it matches ranges of hosts");
        }
    }

    /** Whether it is this version or a later one. */
    boolean isAtLeast(int otherMajor, int otherMinor) {
        return major > otherMajor || major == otherMajor && minor >= otherMinor;
    }

    /** Whether hosts of ACLs can be ranges (KIP-1276). */
    boolean matchesRanges() {
        return isAtLeast(4, 4);
    }
}

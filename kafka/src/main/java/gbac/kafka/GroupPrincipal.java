package gbac.kafka;

import java.util.Set;

/**
 * A principal that knows the groups of its user, for principal builders other than {@link GroupPrincipalBuilder}.
 *
 * <p>The authorizer accepts a builder whose methods {@code build} and {@code deserialize} both return a subclass of Kafka's
 * principal that implements this interface. The bytes of {@code serialize} must keep the groups, because the controller decides
 * about requests that brokers forward to it.
 */
public interface GroupPrincipal {
    /**
     * The groups, from an authenticated source. They must not change.
     *
     * @return an empty set if the user has none; null if they are not known
     */
    Set<String> groups();
}

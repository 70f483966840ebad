package gbac.kafka.authorizer;

import gbac.kafka.principal.PrincipalGroups;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricValueProvider;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.apache.kafka.server.authorizer.Authorizer;

/** A small world of names that collide, for random policies and questions, and what requests look like. */
final class World {
    static final List<ResourceType> TYPES = List.of(ResourceType.TOPIC, ResourceType.GROUP, ResourceType.CLUSTER,
            ResourceType.TRANSACTIONAL_ID, ResourceType.DELEGATION_TOKEN, ResourceType.USER);
    static final List<AclOperation> OPERATIONS = operations();
    private static final List<String> NAMES =
            List.of("a", "ab", "abc", "abcd", "b", "ba", "*", "hardcode", "a.b", "\u00e9t\u00e9", "kafka-cluster");
    private static final List<String> ADDRESSES =
            List.of("10.0.0.1", "10.0.0.2", "10.1.2.3", "192.168.1.1", "2001:db8:0:0:0:0:0:1", "0:0:0:0:0:0:0:1");
    private static final List<String> RANGES =
            List.of("10.0.0.0/8", "10.0.0.0/30", "192.168.1.1/32", "2001:db8:0:0:0:0:0:0/32", "0.0.0.0/0");

    private World() {}

    /** A request, as much of it as an authorizer reads. */
    record Request(KafkaPrincipal principal, InetAddress clientAddress, String listenerName)
            implements AuthorizableRequestContext {

        @Override
        public SecurityProtocol securityProtocol() {
            return SecurityProtocol.SASL_PLAINTEXT;
        }

        @Override
        public int requestType() {
            return ApiKeys.FETCH.id;
        }

        @Override
        public int requestVersion() {
            return 1;
        }

        @Override
        public String clientId() {
            return "client";
        }

        @Override
        public int correlationId() {
            return 1;
        }
    }

    static <T> T any(Random random, List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException wrong) {
            throw new IllegalArgumentException(text, wrong);
        }
    }

    static Request request(KafkaPrincipal principal, String address) {
        return new Request(principal, address(address), "SASL");
    }

    /** A request that a broker forwards to the controller. */
    static Request forwarded(KafkaPrincipal principal) {
        return new Request(principal, address("10.0.0.1"), "CONTROLLER");
    }

    static KafkaPrincipal user(String name) {
        return principal(KafkaPrincipal.USER_TYPE, name);
    }

    /** A principal that our builder has built, without groups. */
    static KafkaPrincipal principal(String type, String name) {
        return PrincipalGroups.create(type, name, false, List.of());
    }

    /** The session of a principal that our builder has built. */
    static Session session(Sessions sessions, KafkaPrincipal principal, InetAddress address) {
        return sessions.of(principal, PrincipalGroups.of(principal), address);
    }

    static Action action(AclOperation operation, ResourceType type, String name) {
        return new Action(operation, new ResourcePattern(type, name, PatternType.LITERAL), 1, true, true);
    }

    static boolean allows(Authorizer authorizer, AuthorizableRequestContext context, Action action) {
        return authorizer.authorize(context, List.of(action)).get(0) == AuthorizationResult.ALLOWED;
    }

    static StandardAcl acl(
            ResourceType type, String name, PatternType pattern, String principal, AclOperation operation, boolean allows) {
        return new StandardAcl(type, name, pattern, principal, "*", operation,
                allows ? AclPermissionType.ALLOW : AclPermissionType.DENY);
    }

    /** An allow of read on a topic. */
    static StandardAcl readAcl(String name, String principal) {
        return acl(ResourceType.TOPIC, name, PatternType.LITERAL, principal, AclOperation.READ, true);
    }

    static Map<String, Object> configs(String... pairs) {
        Map<String, Object> configs = new HashMap<>(Map.of(
                "node.id", "1", "gbac.engine.instances", "2",
                "principal.builder.class", "gbac.kafka.GroupPrincipalBuilder"));
        for (int index = 0; index < pairs.length; index += 2) {
            configs.put(pairs[index], pairs[index + 1]);
        }
        return configs;
    }

    static AclAuthorizer authorizer(Map<String, StandardAcl> acls, String... pairs) {
        AclAuthorizer authorizer = new AclAuthorizer();
        authorizer.configure(configs(pairs));
        Map<Uuid, StandardAcl> snapshot = new LinkedHashMap<>();
        acls.values().forEach(acl -> snapshot.put(Uuid.randomUuid(), acl));
        authorizer.loadSnapshot(snapshot);
        authorizer.completeInitialLoad();
        return authorizer;
    }

    static AclAuthorizer authorizer(List<StandardAcl> acls, String... pairs) {
        Map<String, StandardAcl> named = new LinkedHashMap<>();
        acls.forEach(acl -> named.put(acl.toString(), acl));
        return authorizer(named, pairs);
    }

    // Random ones.

    static String address(Random random) {
        return any(random, ADDRESSES);
    }

    static String name(Random random, ResourceType type) {
        return type == ResourceType.CLUSTER ? "kafka-cluster" : any(random, NAMES);
    }

    static String host(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> any(random, ADDRESSES);
            case 1 -> any(random, RANGES);
            default -> "*";
        };
    }

    static StandardAcl acl(Random random, List<String> principals) {
        ResourceType type = any(random, TYPES);
        PatternType pattern = random.nextInt(3) == 0 ? PatternType.PREFIXED : PatternType.LITERAL;
        String name = random.nextInt(4) == 0 ? "*" : name(random, type);
        AclPermissionType permission = random.nextInt(4) == 0 ? AclPermissionType.DENY : AclPermissionType.ALLOW;
        return new StandardAcl(
                type, name, pattern, any(random, principals), host(random), any(random, OPERATIONS), permission);
    }

    private static List<AclOperation> operations() {
        List<AclOperation> known = new ArrayList<>();
        for (AclOperation operation : AclOperation.values()) {
            if (operation != AclOperation.UNKNOWN && operation != AclOperation.ANY) {
                known.add(operation);
            }
        }
        return known;
    }

    // Numbers of cases, and metrics.

    /** The number of random cases: fewer in the short form. */
    static int cases(int shortForm, int longForm) {
        return System.getenv("GBAC_CASES") == null ? shortForm
                : (int) Math.min(longForm, Long.parseLong(System.getenv("GBAC_CASES")));
    }

    /** The seed of random cases. */
    static long seed() {
        String text = System.getenv("GBAC_SEED");
        return text == null ? 20_260_101L : Long.parseUnsignedLong(text);
    }

    /** The metrics of a node, as Kafka gives them to a plugin since 4.1. */
    record NodeMetrics(Metrics metrics) implements PluginMetrics {
        @Override
        public MetricName metricName(String name, String description, LinkedHashMap<String, String> tags) {
            return metrics.metricName(name, "plugins", description, tags);
        }

        @Override
        public void addMetric(MetricName name, MetricValueProvider<?> value) {
            metrics.addMetric(name, null, value);
        }

        @Override
        public void removeMetric(MetricName name) {
            metrics.removeMetric(name);
        }

        @Override
        public Sensor addSensor(String name) {
            return metrics.sensor(name);
        }

        @Override
        public void removeSensor(String name) {
            metrics.removeSensor(name);
        }

        double value(String name) {
            KafkaMetric metric = metrics.metric(metrics.metricName(name, "plugins", "", Map.of()));
            return ((Number) metric.metricValue()).doubleValue();
        }
    }

    /** Since 4.1, Kafka's authorizer only works with metrics. */
    static void giveMetrics(Authorizer kafka) {
        for (Method method : kafka.getClass().getMethods()) {
            if (method.getName().equals("withPluginMetrics")) {
                try {
                    method.invoke(kafka, new NodeMetrics(new Metrics()));
                } catch (ReflectiveOperationException failed) {
                    throw new AssertionError(failed);
                }
            }
        }
    }
}

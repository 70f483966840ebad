package gbac.kafka.authorizer;

import gbac.kafka.principal.ClaimRules;
import gbac.kafka.roles.RoleSettings;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.security.auth.KafkaPrincipal;

/**
 * The properties of the authorizer.
 *
 * @param node the number of the node, for logs
 * @param superUsers the principals that are allowed everything
 * @param allowsWithoutAcls whether requests for resources without any ACL are allowed
 * @param instances the number of engines
 * @param caches whether decisions are cached
 * @param claims where the groups are in tokens
 * @param roles where the members of roles come from
 * @param matchesRanges whether this version of Kafka matches hosts that are ranges
 */
record Settings(
        String node,
        Set<String> superUsers,
        boolean allowsWithoutAcls,
        int instances,
        boolean caches,
        ClaimRules claims,
        RoleSettings roles,
        boolean matchesRanges) {
    static final String BUILDER = "principal.builder.class";
    static final String SUPER_USERS = "super.users";
    static final String ALLOW_EVERYONE = "allow.everyone.if.no.acl.found";
    static final String INSTANCES = "gbac.engine.instances";
    static final String CACHE = "gbac.decision.cache";

    /** What can change while the node runs. */
    static final Set<String> CHANGEABLE = Set.of(ClaimRules.CLAIM, ClaimRules.NESTED, ClaimRules.UNREADABLE, ClaimRules.MISSING,
            RoleSettings.FILE, RoleSettings.URL, RoleSettings.TOKEN_FILE, RoleSettings.CACHE, RoleSettings.MAX_AGE);

    private static final String LISTENER_PREFIX = "listener.name.";
    private static final String LISTENERS = "listeners";
    private static final String PROTOCOLS = "listener.security.protocol.map";
    private static final String CONTROLLER_LISTENERS = "controller.listener.names";
    /** The listeners of Kafka's default for {@link #PROTOCOLS}. */
    private static final String DEFAULT_LISTENERS = "PLAINTEXT,SSL,SASL_PLAINTEXT,SASL_SSL";
    static final String OUR_BUILDER = "gbac.kafka.GroupPrincipalBuilder";
    private static final int MAX_INSTANCES = 64;
    private static final Set<String> KNOWN = known();

    /** Reads and checks the properties, except for what only the engine can check. */
    static Settings of(Map<String, ?> configs) {
        for (String property : new TreeSet<>(configs.keySet())) {
            if (property.startsWith("gbac.") && !KNOWN.contains(property)) {
                throw new ConfigException(
                        property + " is not a property of this version; the properties are " + String.join(", ", KNOWN));
            }
        }
        return new Settings(
                ClaimRules.node(configs),
                superUsers(configs.get(SUPER_USERS)),
                // As StandardAuthorizer: everything but `true` is false.
                Boolean.parseBoolean(text(configs, ALLOW_EVERYONE, "false")),
                instances(text(configs, INSTANCES, "")),
                caches(text(configs, CACHE, "true")),
                ClaimRules.of(configs),
                RoleSettings.of(configs),
                findsRanges());
    }

    /** Refuses every other principal builder, on any listener. Without groups in principals, denies of groups would have no effect. */
    static void checkBuilder(Map<String, ?> configs) {
        checkBuilder(configs, BUILDER, "set it to " + OUR_BUILDER);
        for (String property : new TreeSet<>(configs.keySet())) {
            // Also of listeners that do not exist: they can be added later.
            if (property.startsWith(LISTENER_PREFIX) && property.endsWith("." + BUILDER)) {
                checkBuilder(configs, property, "remove it");
            }
        }
    }

    private static void checkBuilder(Map<String, ?> configs, String property, String advice) {
        Object value = configs.get(property);
        String name = value instanceof Class<?> builder ? builder.getName() : text(configs, property, "");
        if (!name.equals(OUR_BUILDER)) {
            throw new ConfigException(property + " is " + (name.isEmpty() ? "not set" : "`" + name + "`")
                    + ", so no user would have groups, and denies of groups would have no effect; " + advice);
        }
    }

    /** The properties whose changes the authorizer checks: its own, and those that can give a listener another principal builder. */
    static Set<String> checked(Map<String, ?> configs) {
        Set<String> checked = new TreeSet<>(CHANGEABLE);
        checked.addAll(Set.of(BUILDER, LISTENERS, PROTOCOLS));
        String listeners = String.join(",", DEFAULT_LISTENERS, text(configs, LISTENERS, ""), text(configs, PROTOCOLS, ""),
                text(configs, CONTROLLER_LISTENERS, ""));
        // Kafka has some of them as lists, whose text has brackets.
        for (String listener : listeners.split("[,\\[\\]]+")) {
            // `NAME://HOST:PORT`, `NAME:PROTOCOL` or `NAME`.
            String name = listener.trim().split(":", 2)[0];
            checked.add(LISTENER_PREFIX + name.toLowerCase(Locale.ROOT) + "." + BUILDER);
        }
        return checked;
    }

    private static Set<String> known() {
        Set<String> known = new TreeSet<>(CHANGEABLE);
        known.addAll(Set.of(ClaimRules.MAPPING, INSTANCES, CACHE));
        return known;
    }

    private static String text(Map<String, ?> configs, String property, String unset) {
        Object value = configs.get(property);
        return value == null ? unset : value.toString().trim();
    }

    private static Set<String> superUsers(Object value) {
        Set<String> found = new LinkedHashSet<>();
        for (String part : value == null ? new String[0] : value.toString().split(";")) {
            String principal = part.trim();
            if (principal.isEmpty()) {
                continue;
            }
            if (principal.indexOf(':') < 1) {
                throw new ConfigException(
                        SUPER_USERS, principal, "write a type, a colon and a name, such as `User:admin`");
            }
            if (List.of("Group", "Role", "RedpandaRole").contains(principal.substring(0, principal.indexOf(':')))) {
                throw new ConfigException(
                        SUPER_USERS, principal, "groups and roles are never super users; name the users");
            }
            found.add(principal);
        }
        return Set.copyOf(found);
    }

    private static int instances(String value) {
        if (value.isEmpty()) {
            return Math.max(2, Math.min(8, Runtime.getRuntime().availableProcessors()));
        }
        try {
            int number = Integer.parseInt(value);
            if (number >= 1 && number <= MAX_INSTANCES) {
                return number;
            }
        } catch (NumberFormatException wrong) {
            // Refused below.
        }
        throw new ConfigException(INSTANCES, value, "write a number from 1 to " + MAX_INSTANCES);
    }

    private static boolean caches(String value) {
        if (value.equals("true") || value.equals("false")) {
            return value.equals("true");
        }
        throw new ConfigException(CACHE, value, "write `true` or `false`");
    }

    /** Kafka matches ranges since 4.4 (KIP-1276). */
    private static boolean findsRanges() {
        String version = kafkaVersion();
        String[] parts = version.split("[.-]");
        try {
            int major = Integer.parseInt(parts[0]);
            int minor = Integer.parseInt(parts[1]);
            return major > 4 || major == 4 && minor >= 4;
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException unknown) {
            throw new ConfigException("the version of Kafka is `" + version
                    + "`, and gbac-kafka.jar cannot tell whether it matches ranges of hosts");
        }
    }

    /** The version in Kafka's own file, because the class that reads it moved between versions. */
    private static String kafkaVersion() {
        Properties properties = new Properties();
        try (InputStream file = KafkaPrincipal.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            if (file != null) {
                properties.load(file);
            }
        } catch (IOException unreadable) {
            // Refused as an unknown version.
        }
        return properties.getProperty("version", "unknown").trim();
    }
}

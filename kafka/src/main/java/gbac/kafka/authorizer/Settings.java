package gbac.kafka.authorizer;

import gbac.kafka.principal.BuilderKind;
import gbac.kafka.principal.ClaimRules;
import gbac.kafka.roles.RoleSettings;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigException;

/**
 * The properties of the authorizer.
 *
 * @param node the number of the node, for logs
 * @param superUsers the principals that are allowed everything
 * @param allowsWithoutAcls whether requests for resources without any ACL are allowed
 * @param instances the number of engines
 * @param caches whether decisions are cached
 * @param builder who builds the principals
 * @param controllerListeners the listeners of controllers, in capitals
 * @param claims where the groups are in tokens
 * @param roles where the members of roles come from
 * @param denials how denials are written
 * @param audit where audit events go
 * @param version the version of Kafka
 */
record Settings(
        String node,
        Set<String> superUsers,
        boolean allowsWithoutAcls,
        int instances,
        boolean caches,
        BuilderKind builder,
        Set<String> controllerListeners,
        ClaimRules claims,
        RoleSettings roles,
        DenialSettings denials,
        AuditSettings audit,
        KafkaVersion version) {
    static final String SUPER_USERS = "super.users";
    static final String ALLOW_EVERYONE = "allow.everyone.if.no.acl.found";
    static final String INSTANCES = "gbac.engine.instances";
    static final String CACHE = "gbac.decision.cache";

    /** What can change while the node runs. */
    static final Set<String> CHANGEABLE = changeable();

    private static final String LISTENERS = "listeners";
    private static final String PROTOCOLS = "listener.security.protocol.map";
    private static final String CONTROLLER_LISTENERS = "controller.listener.names";
    /** The listeners of Kafka's default for {@link #PROTOCOLS}. */
    private static final String DEFAULT_LISTENERS = "PLAINTEXT,SSL,SASL_PLAINTEXT,SASL_SSL";
    private static final int MAX_INSTANCES = 64;
    private static final Set<String> KNOWN = known();

    /** Whether a listener is one of controllers, so that requests can be forwarded ones. */
    boolean isOfController(String listener) {
        return controllerListeners.contains(listener.toUpperCase(Locale.ROOT));
    }

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
                BuilderGuard.check(configs),
                controllerListeners(configs),
                ClaimRules.of(configs),
                RoleSettings.of(configs),
                DenialSettings.of(configs),
                AuditSettings.of(configs),
                KafkaVersion.ofThisNode());
    }

    /** The properties whose changes the authorizer checks: its own, and those that can give a listener another principal builder. */
    static Set<String> checked(Map<String, ?> configs) {
        Set<String> checked = new TreeSet<>(CHANGEABLE);
        checked.addAll(Set.of(BuilderGuard.BUILDER, LISTENERS, PROTOCOLS));
        String listeners = String.join(",", DEFAULT_LISTENERS, text(configs, LISTENERS, ""), text(configs, PROTOCOLS, ""),
                text(configs, CONTROLLER_LISTENERS, ""));
        // Kafka has some of them as lists, whose text has brackets.
        for (String listener : listeners.split("[,\\[\\]]+")) {
            // `NAME://HOST:PORT`, `NAME:PROTOCOL` or `NAME`.
            String name = listener.trim().split(":", 2)[0];
            checked.add(BuilderGuard.LISTENER_PREFIX + name.toLowerCase(Locale.ROOT) + "." + BuilderGuard.BUILDER);
        }
        return checked;
    }

    private static Set<String> controllerListeners(Map<String, ?> configs) {
        Set<String> names = new TreeSet<>();
        for (String name : text(configs, CONTROLLER_LISTENERS, "").split("[,\\[\\]]+")) {
            names.add(name.trim().toUpperCase(Locale.ROOT));
        }
        return Set.copyOf(names);
    }

    private static Set<String> changeable() {
        Set<String> changeable = new TreeSet<>(RoleSettings.PROPERTIES);
        changeable.addAll(Set.of(ClaimRules.CLAIM, ClaimRules.NESTED, ClaimRules.UNREADABLE, ClaimRules.MISSING));
        return Set.copyOf(changeable);
    }

    private static Set<String> known() {
        Set<String> known = new TreeSet<>(CHANGEABLE);
        known.addAll(Set.of(ClaimRules.MAPPING, INSTANCES, CACHE, DenialSettings.FORMAT, DenialSettings.CONSOLE,
                AuditSettings.FILE, AuditSettings.TOTAL));
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
}

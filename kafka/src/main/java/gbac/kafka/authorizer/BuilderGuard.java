package gbac.kafka.authorizer;

import gbac.kafka.GroupPrincipal;
import gbac.kafka.principal.BuilderKind;
import gbac.kafka.principal.ClaimRules;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.security.auth.AuthenticationContext;

/**
 * Refuses principal builders whose principals have no groups, because denies of groups would have no effect.
 *
 * <p>All listeners have the same builder: the controller reads forwarded principals with that of its own listener.
 */
final class BuilderGuard {
    static final String BUILDER = "principal.builder.class";
    static final String LISTENER_PREFIX = "listener.name.";
    static final String OURS = "gbac.kafka.GroupPrincipalBuilder";
    static final String STRIMZIS = "io.strimzi.kafka.oauth.server.OAuthKafkaPrincipalBuilder";

    private BuilderGuard() {}

    /** Checks the builder of every listener; returns which one it is. */
    static BuilderKind check(Map<String, ?> configs) {
        Object value = configs.get(BUILDER);
        String name = name(value);
        BuilderKind kind = kind(name, value);
        for (String property : new TreeSet<>(configs.keySet())) {
            // Also of listeners that do not exist: they can be added later.
            if (property.startsWith(LISTENER_PREFIX) && property.endsWith("." + BUILDER)) {
                checkListener(property, name(configs.get(property)), name);
            }
        }
        checkRules(configs, kind, name);
        return kind;
    }

    private static BuilderKind kind(String name, Object value) {
        if (name.equals(OURS)) {
            return BuilderKind.GBAC;
        }
        if (name.equals(STRIMZIS)) {
            return BuilderKind.STRIMZI;
        }
        Class<?> builder = value instanceof Class<?> found ? found : load(name);
        if (carriesGroups(builder)) {
            return BuilderKind.OTHER;
        }
        throw refusal(BUILDER, name, "set it to " + OURS);
    }

    private static void checkListener(String property, String name, String ofAll) {
        if (name.equals(ofAll)) {
            return;
        }
        if (!name.equals(OURS) && !name.equals(STRIMZIS) && !carriesGroups(load(name))) {
            throw refusal(property, name, "remove it");
        }
        throw new ConfigException(property + " is `" + name + "` and " + BUILDER + " is `" + ofAll
                + "`, so denies of groups would have no effect for forwarded requests; remove " + property);
    }

    private static ConfigException refusal(String property, String name, String advice) {
        return new ConfigException(property + " is " + (name.isEmpty() ? "not set" : "`" + name + "`")
                + ", so no user would have groups, and denies of groups would have no effect; " + advice);
    }

    /** Refuses rules that another builder does not follow. */
    private static void checkRules(Map<String, ?> configs, BuilderKind kind, String name) {
        if (kind != BuilderKind.GBAC && !name(configs.get(ClaimRules.MAPPING)).isEmpty()) {
            throw new ConfigException(
                    ClaimRules.MAPPING + " has no effect, because " + name + " names the users; remove it");
        }
        if (kind == BuilderKind.OTHER && configs.get(ClaimRules.CLAIM) != null) {
            throw new ConfigException(
                    ClaimRules.CLAIM + " has no effect, because " + name + " reads the groups; remove it");
        }
    }

    /** Whether every principal that a builder creates, also from bytes, implements our interface. */
    private static boolean carriesGroups(Class<?> builder) {
        try {
            return builder != null
                    && GroupPrincipal.class.isAssignableFrom(
                            builder.getMethod("build", AuthenticationContext.class).getReturnType())
                    && GroupPrincipal.class.isAssignableFrom(builder.getMethod("deserialize", byte[].class).getReturnType());
        } catch (NoSuchMethodException | LinkageError missing) {
            return false;
        }
    }

    /** A class by its name, without running its code; null if there is none. */
    private static Class<?> load(String name) {
        ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
        ClassLoader loader = ofThread == null ? BuilderGuard.class.getClassLoader() : ofThread;
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError missing) {
            return null;
        }
    }

    private static String name(Object value) {
        if (value instanceof Class<?> builder) {
            return builder.getName();
        }
        return value == null ? "" : value.toString().trim();
    }
}

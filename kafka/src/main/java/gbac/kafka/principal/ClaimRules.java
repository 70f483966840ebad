package gbac.kafka.principal;

import gbac.kafka.engine.Extraction;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.config.ConfigException;

/**
 * Where the groups and the user are in the claims of a token, and which tokens are refused.
 *
 * @param claimPath the JSON path of the groups
 * @param isClaimSet whether that path is set, so that it counts also where another validator has read groups
 * @param suffix whether only the last part of a nested group's name counts
 * @param mapping the claim that names the user; empty for the name that Kafka found
 * @param refusesUnreadable whether a token whose groups cannot be read is refused; otherwise it has none
 * @param refusesMissing whether a token without the claim of the groups is refused; otherwise it has none
 */
public record ClaimRules(
        String claimPath,
        boolean isClaimSet,
        boolean suffix,
        String mapping,
        boolean refusesUnreadable,
        boolean refusesMissing) {
    /** The property with the JSON path of the groups. */
    public static final String CLAIM = "gbac.groups.claim";
    /** The property that says how the names of nested groups are read. */
    public static final String NESTED = "gbac.groups.nested";
    /** The property that says what groups that cannot be read mean. */
    public static final String UNREADABLE = "gbac.groups.unreadable";
    /** The property that says what a token without the claim means. */
    public static final String MISSING = "gbac.groups.missing";
    /** The property with the claim that names the user. */
    public static final String MAPPING = "gbac.principal.mapping";

    /** Rules of nodes that were changed while they run. Kafka gives new properties to the authorizer only. */
    private static final Map<String, ClaimRules> CHANGED = new ConcurrentHashMap<>();

    /** Reads the properties. Whether the engine can use the paths is checked where tokens are read. */
    public static ClaimRules of(Map<String, ?> configs) {
        return new ClaimRules(
                text(configs, CLAIM, "$.groups"),
                configs.get(CLAIM) != null,
                oneOf(configs, NESTED, "none", "suffix").equals("suffix"),
                text(configs, MAPPING, ""),
                oneOf(configs, UNREADABLE, "refuse", "none").equals("refuse"),
                oneOf(configs, MISSING, "none", "refuse").equals("refuse"));
    }

    /** The same rules for groups, and Kafka's name of the user. */
    ClaimRules withoutMapping() {
        return new ClaimRules(claimPath, isClaimSet, suffix, "", refusesUnreadable, refusesMissing);
    }

    /** The same rules, with only the last part of a nested group's name. */
    ClaimRules withSuffix() {
        return new ClaimRules(claimPath, isClaimSet, true, mapping, refusesUnreadable, refusesMissing);
    }

    /** Whether somebody whose groups are found like this is refused. */
    boolean refuses(Extraction.Readability found) {
        return switch (found) {
            case READABLE -> false;
            case MISSING -> refusesMissing;
            case UNREADABLE -> refusesUnreadable;
        };
    }

    /** One of two values; the first one if the property is not set. */
    private static String oneOf(Map<String, ?> configs, String property, String unset, String other) {
        String value = text(configs, property, unset);
        if (!value.equals(unset) && !value.equals(other)) {
            throw new ConfigException(property, value, "write `" + unset + "` or `" + other + "`");
        }
        return value;
    }

    /** The current rules of a node: those of its properties, or those that replaced them. */
    ClaimRules current(String node) {
        return CHANGED.getOrDefault(node, this);
    }

    /** Replaces the rules of a node, for tokens that are read from now on. */
    public void replace(String node) {
        CHANGED.put(node, this);
    }

    /** The name of the node in its properties. */
    public static String node(Map<String, ?> configs) {
        return text(configs, "node.id", "");
    }

    /** For logs, in the words of the properties. */
    @Override
    public String toString() {
        return CLAIM + "=" + claimPath + ", " + NESTED + "=" + (suffix ? "suffix" : "none")
                + ", " + UNREADABLE + "=" + (refusesUnreadable ? "refuse" : "none")
                + ", " + MISSING + "=" + (refusesMissing ? "refuse" : "none")
                + (mapping.isEmpty() ? "" : ", " + MAPPING + "=" + mapping);
    }

    private static String text(Map<String, ?> configs, String property, String unset) {
        Object value = configs.get(property);
        return value == null ? unset : value.toString().trim();
    }
}

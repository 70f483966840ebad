package gbac.kafka.principal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.config.ConfigException;

/**
 * Where the groups and the user are in the claims of a token.
 *
 * @param claimPath the JSON path of the groups
 * @param suffix whether only the last part of a nested group's name counts
 * @param mapping the claim that names the user; empty for the name that Kafka found
 */
public record ClaimRules(String claimPath, boolean suffix, String mapping) {
    /** The property with the JSON path of the groups. */
    public static final String CLAIM = "gbac.groups.claim";
    /** The property that says how the names of nested groups are read. */
    public static final String NESTED = "gbac.groups.nested";
    /** The property with the claim that names the user. */
    public static final String MAPPING = "gbac.principal.mapping";

    /** Rules of nodes that were changed while they run. Kafka gives new properties to the authorizer only. */
    private static final Map<String, ClaimRules> CHANGED = new ConcurrentHashMap<>();

    /** Reads the properties. Whether the engine can use the paths is checked where tokens are read. */
    public static ClaimRules of(Map<String, ?> configs) {
        String nested = text(configs, NESTED, "none");
        if (!nested.equals("none") && !nested.equals("suffix")) {
            throw new ConfigException(NESTED, nested, "write `none` or `suffix`");
        }
        return new ClaimRules(text(configs, CLAIM, "$.groups"), nested.equals("suffix"), text(configs, MAPPING, ""));
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
                + (mapping.isEmpty() ? "" : ", " + MAPPING + "=" + mapping);
    }

    private static String text(Map<String, ?> configs, String property, String unset) {
        Object value = configs.get(property);
        return value == null ? unset : value.toString().trim();
    }
}

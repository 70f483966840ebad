package gbac.kafka.engine;

import java.util.List;

/**
 * The user and groups in the claims of a token.
 *
 * @param user the user that the principal mapping finds; null without a mapping
 * @param groups the names of the groups
 * @param warnings why groups are missing
 * @param readability whether the user can have other groups
 */
public record Extraction(String user, List<String> groups, List<String> warnings, Readability readability) {
    /** Whether the groups of a token are known, in the order of the module's numbers. */
    public enum Readability {
        /** The claim is readable. */
        READABLE,
        /** The token does not have the claim. */
        MISSING,
        /** The claim cannot be read, or the provider left it out because it is too long. */
        UNREADABLE
    }
}

package gbac.kafka.engine;

import java.util.List;

/**
 * The user and groups in the claims of a token.
 *
 * @param user the user that the principal mapping finds; null without a mapping
 * @param groups the names of the groups
 * @param warnings why groups are missing
 */
public record Extraction(String user, List<String> groups, List<String> warnings) {}

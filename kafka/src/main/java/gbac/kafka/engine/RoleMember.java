package gbac.kafka.engine;

/**
 * A member of a role.
 *
 * @param role the name of the role
 * @param member {@code User:name} or {@code Group:name}
 */
public record RoleMember(String role, String member) {}

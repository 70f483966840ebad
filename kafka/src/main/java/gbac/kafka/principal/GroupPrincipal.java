package gbac.kafka.principal;

import java.util.List;
import org.apache.kafka.common.security.auth.KafkaPrincipal;

/**
 * A user with the groups of its verified token.
 *
 * <p>Groups do not affect equality: Kafka refuses a re-authentication as another principal (KIP-368), and it compares owners of
 * delegation tokens with plain principals.
 */
public final class GroupPrincipal extends KafkaPrincipal {
    private final List<String> groups;
    /** What the authorizer knows about this principal, so that it does not have to look it up for every request. */
    private volatile Object session;

    /** Creates a principal of a type, with a name and groups. */
    public GroupPrincipal(String type, String name, boolean tokenAuthenticated, List<String> groups) {
        super(type, name, tokenAuthenticated);
        this.groups = List.copyOf(groups);
    }

    /** The names of the groups. */
    public List<String> groups() {
        return groups;
    }

    /** What the authorizer stored. */
    public Object session() {
        return session;
    }

    /** Stores what the authorizer knows. */
    public void session(Object known) {
        session = known;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KafkaPrincipal principal
                && getPrincipalType().equals(principal.getPrincipalType())
                && getName().equals(principal.getName());
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }
}

package gbac.kafka.principal;

import gbac.kafka.GroupPrincipal;
import gbac.kafka.engine.EngineException;
import gbac.kafka.engine.Extraction;
import gbac.kafka.engine.Extraction.Readability;
import gbac.kafka.engine.JsonText;
import gbac.kafka.engine.LogText;
import gbac.kafka.principal.PrincipalGroups.Refusal;
import gbac.kafka.principal.StrimziPrincipal.UnreadableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the groups of principals for the authorizer, whoever built them. */
public final class GroupReader {
    private static final Logger LOG = LoggerFactory.getLogger(GroupReader.class);
    private static final ClaimRules NESTED = ClaimRules.of(Map.of()).withSuffix();

    private final BuilderKind builder;
    private volatile ClaimRules rules;

    /** The builder of a node, and its rules. */
    public GroupReader(BuilderKind builder, ClaimRules rules) {
        this.builder = builder;
        this.rules = rules;
    }

    /** Replaces the rules, for tokens that are read from now on. */
    public void replace(ClaimRules changed) {
        rules = changed;
    }

    /**
     * The groups of a principal; null if they are not known.
     *
     * @param isForwarded whether the principal can be one that a broker has sent to the controller, so that it can have lost groups
     */
    public PrincipalGroups of(KafkaPrincipal principal, boolean isForwarded) {
        if (builder == BuilderKind.GBAC) {
            return PrincipalGroups.of(principal);
        }
        if (builder == BuilderKind.OTHER) {
            return principal instanceof GroupPrincipal carrier ? ofCarrier(principal, carrier, isForwarded) : null;
        }
        if (StrimziPrincipal.isOne(principal)) {
            return ofStrimzi(principal, isForwarded);
        }
        // A client certificate or a password. Of a token, Strimzi's builder creates no plain principal.
        boolean isWithoutToken = principal.getClass() == KafkaPrincipal.class && !isForwarded;
        return isWithoutToken ? PrincipalGroups.NONE : null;
    }

    private PrincipalGroups ofCarrier(KafkaPrincipal principal, GroupPrincipal carrier, boolean isForwarded) {
        Set<String> groups = null;
        Extraction found;
        try {
            groups = carrier.groups();
            PrincipalGroups known = PrincipalGroups.of(principal);
            if (known != null && known.isFrom(groups)) {
                return known;
            }
            found = groups == null ? unreadable("its principal does not know them") : named(groups);
        } catch (RuntimeException | StackOverflowError failed) {
            found = unreadable("its principal fails: " + failed);
        }
        note(principal, isForwarded, found);
        return store(principal, groups, found);
    }

    private PrincipalGroups ofStrimzi(KafkaPrincipal principal, boolean isForwarded) {
        Object holder = principal;
        Set<?> groups = null;
        Extraction found;
        try {
            StrimziPrincipal strimzi = StrimziPrincipal.of(principal);
            groups = strimzi.groups();
            // Strimzi's builder creates a principal for each request, with the token of the connection.
            holder = strimzi.token() == null ? principal : strimzi.token();
            PrincipalGroups known = PrincipalGroups.of(holder);
            if (known != null && known.isFrom(groups)) {
                return known;
            }
            found = read(principal, strimzi);
        } catch (UnreadableException unreadable) {
            found = unreadable(unreadable.getMessage());
        } catch (RuntimeException | StackOverflowError failed) {
            found = unreadable(failed.toString());
        }
        note(principal, isForwarded, found);
        return store(holder, groups, found);
    }

    private Extraction read(KafkaPrincipal principal, StrimziPrincipal strimzi) throws UnreadableException {
        ClaimRules current = rules;
        if (current.isClaimSet()) {
            try {
                return TokenReader.SHARED.readClaims(current, strimzi.claims(principal));
            } catch (EngineException refused) {
                return unreadable("the claims of its token are not a JSON object without duplicate members");
            }
        }
        if (strimzi.token() == null) {
            return unreadable("its principal has no token");
        }
        if (strimzi.groups() == null) {
            String why = "Strimzi found none; check oauth.groups.claim of the listener, or set " + ClaimRules.CLAIM;
            return new Extraction(null, List.of(), List.of(why), Readability.MISSING);
        }
        return named(strimzi.groups());
    }

    /** Groups that somebody else has read, with the rules for nested ones. */
    private Extraction named(Set<?> groups) {
        List<String> names = new ArrayList<>();
        long size = 0;
        for (Object group : groups) {
            if (!(group instanceof String name)) {
                return unreadable("one of them is not a text");
            }
            size += name.length();
            names.add(name);
        }
        if (size > PrincipalSerde.MAX_BYTES) {
            return unreadable("they have more than " + PrincipalSerde.MAX_BYTES + " characters");
        }
        if (!rules.suffix()) {
            return new Extraction(null, List.copyOf(new TreeSet<>(names)), List.of(), Readability.READABLE);
        }
        String claims = JsonText.quote(new StringBuilder("{\"groups\":"), names).append('}').toString();
        try {
            return TokenReader.SHARED.readClaims(NESTED, claims);
        } catch (EngineException refused) {
            return unreadable("their names are not valid texts");
        }
    }

    private static Extraction unreadable(String why) {
        return new Extraction(null, List.of(), List.of(why), Readability.UNREADABLE);
    }

    /** Says why somebody has no groups; on brokers only, because each forwarded request has a principal of its own. */
    private void note(KafkaPrincipal principal, boolean isForwarded, Extraction found) {
        boolean isWithout = found.groups().isEmpty() && !found.warnings().isEmpty() && !rules.refuses(found.readability());
        if (isWithout && !isForwarded) {
            LOG.info("User {} has no groups: {}", LogText.escape(principal.getName()), why(found));
        }
    }

    private static String why(Extraction found) {
        return LogText.escape(String.join("; ", found.warnings()));
    }

    private PrincipalGroups store(Object holder, Set<?> source, Extraction found) {
        Refusal refusal = rules.refuses(found.readability())
                ? new Refusal(found.readability() == Readability.MISSING, why(found)) : null;
        return PrincipalGroups.store(holder, found.groups(), copy(source), refusal);
    }

    /** A copy that does not change; null for a set that cannot be copied, which is then read again for every request. */
    private static Set<String> copy(Set<?> source) {
        Set<String> copy = new TreeSet<>();
        for (Object name : source == null ? Set.of() : source) {
            if (!(name instanceof String text)) {
                return null;
            }
            copy.add(text);
        }
        return source == null ? null : Set.copyOf(copy);
    }
}

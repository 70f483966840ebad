package gbac.kafka.principal;

import gbac.kafka.engine.EngineException;
import gbac.kafka.engine.Extraction;
import gbac.kafka.engine.LogText;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.sasl.SaslServer;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.security.auth.AuthenticationContext;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.KafkaPrincipalBuilder;
import org.apache.kafka.common.security.auth.KafkaPrincipalSerde;
import org.apache.kafka.common.security.auth.SaslAuthenticationContext;
import org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder;
import org.apache.kafka.common.security.kerberos.KerberosShortNamer;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerToken;
import org.apache.kafka.common.security.ssl.SslPrincipalMapper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds the principals of one connection: with the groups of an OAUTHBEARER token, otherwise as Kafka does and without groups.
 *
 * <p>{@link PrincipalGroups} knows every principal that is built here, so that the authorizer can tell those of other builders.
 */
public final class PrincipalBuilder implements KafkaPrincipalBuilder, KafkaPrincipalSerde, Configurable {
    private static final Logger LOG = LoggerFactory.getLogger(PrincipalBuilder.class);
    private static final String AUTHORIZER = "authorizer.class.name";
    private static final String OUR_AUTHORIZER = "gbac.kafka.GroupAuthorizer";
    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();
    private static final String MECHANISM = "OAUTHBEARER";
    private static final String TOKEN = "OAUTHBEARER.token";
    private static final String SSL_RULES = "ssl.principal.mapping.rules";
    private static final String KERBEROS_RULES = "sasl.kerberos.principal.to.local.rules";
    /** Kafka's own serde takes no longer name. */
    private static final int MAX_NAME = Short.MAX_VALUE;

    private final TokenReader tokens;
    private final PrincipalSerde serde = new PrincipalSerde(new DefaultKafkaPrincipalBuilder(null, null));
    private Map<String, ?> configs = Map.of();
    private String node = "";
    private ClaimRules rules = ClaimRules.of(Map.of());
    private ConfigException unusable;
    private DefaultKafkaPrincipalBuilder stock;
    private volatile Built last;

    /** The principal of an authentication; the server is null without SASL. Kafka can ask for it with every request. */
    private record Built(SaslServer server, KafkaPrincipal principal) {}

    /** Creates a builder with the shared engine. */
    public PrincipalBuilder() {
        this(TokenReader.SHARED);
    }

    PrincipalBuilder(TokenReader tokens) {
        this.tokens = tokens;
    }

    /** Never throws, because Kafka would retry the connection for ever. The authorizer refuses wrong properties at its start. */
    @Override
    public void configure(Map<String, ?> properties) {
        configs = properties;
        node = ClaimRules.node(properties);
        warnOfOtherAuthorizer(properties.get(AUTHORIZER));
        try {
            rules = ClaimRules.of(properties);
        } catch (ConfigException wrong) {
            unusable = wrong;
        }
    }

    /** Once for each authorizer class, because Kafka creates a builder for each connection. */
    private static void warnOfOtherAuthorizer(Object authorizer) {
        String name = authorizer == null ? "" : authorizer.toString();
        if (!name.equals(OUR_AUTHORIZER) && WARNED.add(name)) {
            LOG.warn("{} is {}, so ACLs of groups and roles have no effect; only {} enforces them", AUTHORIZER,
                    name.isEmpty() ? "not set" : name, OUR_AUTHORIZER);
        }
    }

    @Override
    public KafkaPrincipal build(AuthenticationContext context) {
        SaslServer server = context instanceof SaslAuthenticationContext sasl ? sasl.server() : null;
        Built known = last;
        if (server != null && known != null && known.server() == server) {
            return known.principal();
        }
        KafkaPrincipal principal;
        if (server != null && MECHANISM.equals(server.getMechanismName())) {
            principal = ofToken(server);
        } else {
            KafkaPrincipal plain = stock().build(context);
            if (server == null && known != null && known.principal().equals(plain)) {
                return known.principal();
            }
            principal = PrincipalGroups.create(plain, List.of());
        }
        last = new Built(server, principal);
        return principal;
    }

    private KafkaPrincipal ofToken(SaslServer server) {
        if (unusable != null) {
            throw new SaslAuthenticationException(unusable.getMessage());
        }
        String user = server.getAuthorizationID();
        if (!(server.getNegotiatedProperty(TOKEN) instanceof OAuthBearerToken token)) {
            throw refusal(user, "Kafka has no token of it, so its groups cannot be read");
        }
        ClaimRules current = rules.current(node);
        Extraction found = extract(current, token.value(), user);
        user = found.user() == null ? user : found.user();
        refuseUnknownGroups(current, found, user);
        KafkaPrincipal principal = PrincipalGroups.create(KafkaPrincipal.USER_TYPE, user, false, found.groups());
        refuseTooLarge(principal, found.groups().size());
        return principal;
    }

    /** Refuses a token that may have left out groups, if the rules say so. */
    private static void refuseUnknownGroups(ClaimRules rules, Extraction found, String user) {
        String warnings = LogText.escape(String.join("; ", found.warnings()));
        if (rules.refuses(found.readability())) {
            String property = found.readability() == Extraction.Readability.MISSING ? ClaimRules.MISSING : ClaimRules.UNREADABLE;
            throw refusal(user, "the groups of its token are not known, and " + property + " is `refuse`: " + warnings);
        }
        if (found.groups().isEmpty() && !warnings.isEmpty()) {
            LOG.info("User {} has no groups: {}", LogText.escape(user), warnings);
        }
    }

    private static SaslAuthenticationException refusal(String user, String why) {
        return new SaslAuthenticationException("The connection of " + LogText.escape(user) + " is refused: " + why);
    }

    private Extraction extract(ClaimRules current, String token, String user) {
        try {
            return tokens.read(current, token);
        } catch (EngineException refused) {
            throw refusal(user, switch (refused.code()) {
                case EngineException.CLAIMS -> "its token is not a JSON web token whose claims are a JSON object without "
                        + "duplicate members, so its groups cannot be read";
                case EngineException.USER -> "no claim of its token names the user that " + ClaimRules.MAPPING + " asks for";
                default -> ClaimRules.CLAIM + " or " + ClaimRules.MAPPING + " cannot be used";
            });
        } catch (RuntimeException | StackOverflowError failed) {
            // Without its groups, the connection would escape ACLs that deny them.
            throw new SaslAuthenticationException("The groups of " + LogText.escape(user) + " cannot be read", failed);
        }
    }

    private void refuseTooLarge(KafkaPrincipal principal, int groups) {
        int name = principal.getName().getBytes(StandardCharsets.UTF_8).length;
        if (name > MAX_NAME) {
            throw new SaslAuthenticationException(
                    "The connection is refused: the user's name has " + name + " bytes, more than " + MAX_NAME);
        }
        int size = serialize(principal).length;
        if (size > PrincipalSerde.MAX_BYTES) {
            throw refusal(principal.getName(), "its " + groups + " groups have " + size + " bytes, more than the "
                    + PrincipalSerde.MAX_BYTES + " that a forwarded request can carry");
        }
    }

    /** Kafka's builder, with the mapping rules that Kafka would give it. */
    private DefaultKafkaPrincipalBuilder stock() {
        if (stock == null) {
            Object ssl = configs.get(SSL_RULES);
            stock = new DefaultKafkaPrincipalBuilder(
                    kerberos(), ssl == null ? null : SslPrincipalMapper.fromRules(ssl.toString()));
        }
        return stock;
    }

    private KerberosShortNamer kerberos() {
        Object found = configs.get(KERBEROS_RULES);
        if (found == null) {
            return null;
        }
        List<String> names = found instanceof List<?> list
                ? list.stream().map(Object::toString).toList()
                : List.of(found.toString().split("\\s*,\\s*"));
        return KerberosShortNamer.fromUnparsedRules(realm(), names);
    }

    private static String realm() {
        try {
            return new KerberosPrincipal("name", KerberosPrincipal.KRB_NT_PRINCIPAL).getRealm();
        } catch (IllegalArgumentException none) {
            return "";
        }
    }

    @Override
    public byte[] serialize(KafkaPrincipal principal) {
        return serde.serialize(principal);
    }

    @Override
    public KafkaPrincipal deserialize(byte[] bytes) {
        return serde.deserialize(bytes);
    }
}

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

/** Builds the principals of one connection: with the groups of an OAUTHBEARER token, otherwise as Kafka does. */
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

    /** The principal of an authentication. Kafka asks for it with every request. */
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
        if (!(context instanceof SaslAuthenticationContext sasl) || !MECHANISM.equals(sasl.server().getMechanismName())) {
            return stock().build(context);
        }
        Built known = last;
        if (known != null && known.server() == sasl.server()) {
            return known.principal();
        }
        KafkaPrincipal principal = ofToken(sasl.server());
        last = new Built(sasl.server(), principal);
        return principal;
    }

    private KafkaPrincipal ofToken(SaslServer server) {
        if (unusable != null) {
            throw new SaslAuthenticationException(unusable.getMessage());
        }
        String user = server.getAuthorizationID();
        List<String> groups = List.of();
        if (server.getNegotiatedProperty(TOKEN) instanceof OAuthBearerToken token) {
            Extraction found = extract(token.value(), user);
            user = found.user() == null ? user : found.user();
            groups = found.groups();
            if (groups.isEmpty() && !found.warnings().isEmpty()) {
                LOG.info("User {} has no groups: {}", LogText.escape(user), String.join("; ", found.warnings()));
            }
        }
        KafkaPrincipal principal = PrincipalGroups.create(KafkaPrincipal.USER_TYPE, user, false, groups);
        refuseTooLarge(principal, groups.size());
        return principal;
    }

    private Extraction extract(String token, String user) {
        try {
            return tokens.read(rules.current(node), token);
        } catch (EngineException refused) {
            String why = refused.code() == EngineException.USER || refused.code() == EngineException.CLAIMS
                    ? "no claim of its token names the user that " + ClaimRules.MAPPING + " asks for"
                    : ClaimRules.CLAIM + " or " + ClaimRules.MAPPING + " cannot be used";
            throw new SaslAuthenticationException("The connection of " + LogText.escape(user) + " is refused: " + why);
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
            throw new SaslAuthenticationException("The connection of " + LogText.escape(principal.getName())
                    + " is refused: its " + groups + " groups have " + size
                    + " bytes, more than the " + PrincipalSerde.MAX_BYTES + " that a forwarded request can carry");
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

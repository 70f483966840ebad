package gbac.kafka;

import gbac.kafka.principal.PrincipalBuilder;
import java.util.Map;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.security.auth.AuthenticationContext;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.KafkaPrincipalBuilder;
import org.apache.kafka.common.security.auth.KafkaPrincipalSerde;

/** The {@code principal.builder.class} that adds the groups of OAUTHBEARER tokens to principals. */
public final class GroupPrincipalBuilder implements KafkaPrincipalBuilder, KafkaPrincipalSerde, Configurable {
    private final PrincipalBuilder builder;

    /** Creates a builder; Kafka does so for each connection. */
    public GroupPrincipalBuilder() {
        JavaVersion.check();
        builder = new PrincipalBuilder();
    }

    @Override
    public void configure(Map<String, ?> configs) {
        builder.configure(configs);
    }

    @Override
    public KafkaPrincipal build(AuthenticationContext context) {
        return builder.build(context);
    }

    @Override
    public byte[] serialize(KafkaPrincipal principal) {
        return builder.serialize(principal);
    }

    @Override
    public KafkaPrincipal deserialize(byte[] bytes) {
        return builder.deserialize(bytes);
    }
}

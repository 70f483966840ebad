package gbac.kafka.authorizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.metadata.authorizer.ClusterMetadataAuthorizer;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.apache.kafka.metadata.authorizer.StandardAuthorizer;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.junit.jupiter.api.Test;

/** Users without groups are decided as by Kafka's own authorizer, in small policies that change between questions. */
final class StandardAuthorizerTest {
    private static final List<String> PRINCIPALS = List.of(
            "User:u", "User:v", "User:w", "User:*", "Service:u", "User:u:v", "Group:g", "Role:r", "RedpandaRole:r");
    private static final List<KafkaPrincipal> CALLERS = List.of(World.user("u"), World.user("v"), World.user("w"),
            World.user("g"), World.user("u:v"), World.user("root"), World.principal("Service", "u"));
    private static final int QUESTIONS_OF_A_POLICY = 500;

    private final Random random = new Random(World.seed());
    private final Map<StandardAcl, Uuid> acls = new HashMap<>();

    @Test
    void usersAreDecidedAsByKafka() {
        int questions = World.cases(50_000, 1_000_000);
        int allowed = 0;
        for (int asked = 0; asked < questions; asked += QUESTIONS_OF_A_POLICY) {
            Map<String, Object> configs = World.configs();
            configs.put("allow.everyone.if.no.acl.found", String.valueOf(random.nextInt(3) == 0));
            configs.put("super.users", random.nextBoolean() ? "User:root; Service:u" : "");
            ClusterMetadataAuthorizer kafka = new StandardAuthorizer();
            kafka.configure(configs);
            World.giveMetrics(kafka);
            AclAuthorizer ours = new AclAuthorizer();
            ours.configure(configs);
            acls.clear();
            List.of(kafka, ours).forEach(authorizer -> {
                authorizer.loadSnapshot(Map.of());
                authorizer.completeInitialLoad();
            });
            for (int question = 0; question < QUESTIONS_OF_A_POLICY; question++) {
                change(kafka, ours);
                allowed += ask(kafka, ours) ? 1 : 0;
            }
            assertEquals(kafka.aclCount(), ours.aclCount());
            ours.close();
        }
        int most = questions / 20 * 19;
        assertEquals(true, allowed > questions / 20 && allowed < most, allowed + " of " + questions + " are allowed");
        System.out.println(questions + " questions are decided as by StandardAuthorizer, " + allowed + " allowed");
    }

    private void change(ClusterMetadataAuthorizer kafka, AclAuthorizer ours) {
        switch (random.nextInt(40)) {
            case 0 -> {
                Map<Uuid, StandardAcl> snapshot = new HashMap<>();
                acls.forEach((acl, id) -> snapshot.put(id, acl));
                kafka.loadSnapshot(snapshot);
                ours.loadSnapshot(snapshot);
            }
            case 1, 2, 3, 4, 5, 6, 7 -> {
                StandardAcl acl = World.acl(random, PRINCIPALS);
                Uuid id = Uuid.randomUuid();
                if (acls.putIfAbsent(acl, id) == null) {
                    kafka.addAcl(id, acl);
                    ours.addAcl(id, acl);
                }
            }
            case 8, 9, 10, 11 -> {
                if (!acls.isEmpty()) {
                    StandardAcl acl = World.any(random, new ArrayList<>(acls.keySet()));
                    Uuid id = acls.remove(acl);
                    kafka.removeAcl(id);
                    ours.removeAcl(id);
                }
            }
            default -> { }
        }
    }

    private boolean ask(ClusterMetadataAuthorizer kafka, AclAuthorizer ours) {
        AuthorizableRequestContext context = World.request(World.any(random, CALLERS), World.address(random));
        AclOperation operation = World.any(random, World.OPERATIONS);
        ResourceType type = World.any(random, World.TYPES);
        Supplier<String> seed =
                () -> "GBAC_SEED=" + World.seed() + ": " + context + " " + operation + " " + type + " in " + acls.keySet();
        if (random.nextInt(8) == 0) {
            assertEquals(kafka.authorizeByResourceType(context, operation, type),
                    ours.authorizeByResourceType(context, operation, type), () -> "any resource, " + seed.get());
        }
        List<Action> actions = new ArrayList<>();
        for (int count = random.nextInt(3); count >= 0; count--) {
            actions.add(World.action(operation, type, World.name(random, type)));
        }
        assertEquals(kafka.authorize(context, actions), ours.authorize(context, actions), () -> actions + ", " + seed.get());
        return World.allows(ours, context, actions.get(0));
    }
}

package gbac.kafka.authorizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.metadata.authorizer.ClusterMetadataAuthorizer;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.apache.kafka.metadata.authorizer.StandardAuthorizer;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.junit.jupiter.api.Test;

/** Users without groups are decided as by Kafka's own authorizer, in small policies that change between questions. */
final class StandardAuthorizerTest {
    private static final List<String> PRINCIPALS = List.of(
            "User:u", "User:v", "User:w", "User:*", "Service:u", "User:u:v", "Group:g", "Role:r", "RedpandaRole:r");
    private static final List<KafkaPrincipal> CALLERS = List.of(World.user("u"), World.user("v"), World.user("w"),
            World.user("g"), World.user("u:v"), World.user("root"), World.principal("Service", "u"));
    private static final List<String> TOPICS = List.of("a", "ab", "abc", "abcd", "b", "ba", "c");
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

    /** Every name with every pattern: also names that begin with an asterisk, which the literal `*` does not cover in Kafka. */
    @Test
    void namesMatchAsInKafka() {
        List<String> names = List.of("*", "**", "*a", "*ab", "a", "a*", "ab", "\u00e9", "");
        int allowed = 0;
        for (ResourceType type : World.TYPES) {
            for (PatternType pattern : List.of(PatternType.LITERAL, PatternType.PREFIXED)) {
                for (String named : names.subList(0, type == ResourceType.CLUSTER ? names.size() - 1 : names.size())) {
                    for (boolean allows : new boolean[] {true, false}) {
                        StandardAcl acl = World.acl(type, named, pattern, "User:u", AclOperation.READ, allows);
                        for (String everyone : List.of("true", "false")) {
                            allowed += compare(List.of(acl), Map.of("allow.everyone.if.no.acl.found", everyone), type, names,
                                    List.of("10.0.0.1"));
                        }
                    }
                }
            }
        }
        assertTrue(allowed > 0);
    }

    /** Every client with every host of an ACL: also addresses and zones that only some texts can have. */
    @Test
    void hostsMatchAsInKafka() {
        List<String> clients = List.of("0.0.0.0", "0.0.0.1", "10.0.0.1", "255.255.255.255", "0:0:0:0:0:0:0:0", "0:0:0:0:0:0:0:1",
                "fe80:0:0:0:0:0:0:1", "2001:db8:0:0:0:0:0:1");
        List<String> hosts = new ArrayList<>(clients);
        hosts.addAll(List.of("*", "", "::", "::1", "0.0.0.0/0", "0.0.0.0/8", "0.0.0.0/31", "0.0.0.0/32", "0.0.0.1/32", "10.0.0.0/8",
                "10.0.0.0%1/8", "255.255.255.255/32", "::/0", "::%0/0", "fe80::/10", "fe80::%1/10", "fe80::%01/10", "[fe80::%1]/10",
                "fe80::1%1/128", "fe80::%/10", "fe80::%1x/10", "fe80::%-1/10", "%1/10", "fe80::%1/10%1", "2001:db8::%7/32",
                "::ffff:10.0.0.0%1/104"));
        int allowed = 0;
        for (String host : hosts) {
            StandardAcl allow = new StandardAcl(ResourceType.TOPIC, "a", PatternType.LITERAL, "User:u", host, AclOperation.READ,
                    AclPermissionType.ALLOW);
            allowed += compare(List.of(allow), Map.of(), ResourceType.TOPIC, List.of("a"), clients);
            StandardAcl deny = new StandardAcl(ResourceType.TOPIC, "a", PatternType.LITERAL, "User:u", host, AclOperation.READ,
                    AclPermissionType.DENY);
            compare(List.of(World.readAcl("a", "User:u"), deny), Map.of(), ResourceType.TOPIC, List.of("a"), clients);
        }
        assertTrue(allowed > 0);
    }

    /** Any topic can be read if one of all topics can, from every client, whatever addresses and ranges ACLs are for. */
    @Test
    void anyResourceIsAllowedIfOneOfAllIs() {
        Map<String, Object> configs = World.configs("gbac.engine.instances", "1");
        ClusterMetadataAuthorizer kafka = new StandardAuthorizer();
        AclAuthorizer ours = new AclAuthorizer();
        kafka.configure(configs);
        ours.configure(configs);
        World.giveMetrics(kafka);
        int found = 0;
        int policies = World.cases(1_000, 20_000);
        for (int policy = 0; policy < policies; policy++) {
            Set<StandardAcl> readAcls = new HashSet<>();
            for (int count = random.nextInt(6); count >= 0; count--) {
                readAcls.add(readAcl());
            }
            Map<Uuid, StandardAcl> snapshot = new HashMap<>();
            readAcls.forEach(acl -> snapshot.put(Uuid.randomUuid(), acl));
            for (ClusterMetadataAuthorizer authorizer : List.of(kafka, ours)) {
                authorizer.loadSnapshot(snapshot);
                authorizer.completeInitialLoad();
            }
            AuthorizableRequestContext context = World.request(World.user("u"), World.address(random));
            // Every name that ACLs can name, for each prefix one that only it and shorter ones cover, and one without ACLs.
            boolean isOneAllowed = World.allows(ours, context, World.action(AclOperation.READ, ResourceType.TOPIC, "other"));
            for (String name : TOPICS) {
                isOneAllowed |= World.allows(ours, context, World.action(AclOperation.READ, ResourceType.TOPIC, name))
                        || World.allows(ours, context, World.action(AclOperation.READ, ResourceType.TOPIC, name + "~"));
            }
            AuthorizationResult any = ours.authorizeByResourceType(context, AclOperation.READ, ResourceType.TOPIC);
            Supplier<String> seed = () -> "GBAC_SEED=" + World.seed() + ": " + context + " in " + snapshot.values();
            assertEquals(isOneAllowed, any == AuthorizationResult.ALLOWED, seed);
            assertEquals(kafka.authorizeByResourceType(context, AclOperation.READ, ResourceType.TOPIC), any, seed);
            found += isOneAllowed ? 1 : 0;
        }
        ours.close();
        assertTrue(found > policies / 10 && found < policies / 10 * 9, found + " of " + policies);
    }

    private StandardAcl readAcl() {
        boolean isPrefix = random.nextBoolean();
        String name = !isPrefix && random.nextInt(8) == 0 ? "*" : World.any(random, TOPICS);
        return new StandardAcl(ResourceType.TOPIC, name, isPrefix ? PatternType.PREFIXED : PatternType.LITERAL,
                random.nextInt(4) == 0 ? "User:*" : "User:u", World.host(random), AclOperation.READ,
                random.nextBoolean() ? AclPermissionType.ALLOW : AclPermissionType.DENY);
    }

    /** Compares reading each name from each client; returns how many are allowed. */
    private static int compare(
            List<StandardAcl> policy, Map<String, Object> own, ResourceType type, List<String> names, List<String> clients) {
        Map<String, Object> configs = World.configs("gbac.engine.instances", "1");
        configs.putAll(own);
        Map<Uuid, StandardAcl> snapshot = new HashMap<>();
        policy.forEach(acl -> snapshot.put(Uuid.randomUuid(), acl));
        ClusterMetadataAuthorizer kafka = new StandardAuthorizer();
        AclAuthorizer ours = new AclAuthorizer();
        int allowed = 0;
        for (ClusterMetadataAuthorizer authorizer : List.of(kafka, ours)) {
            authorizer.configure(configs);
        }
        World.giveMetrics(kafka);
        for (ClusterMetadataAuthorizer authorizer : List.of(kafka, ours)) {
            authorizer.loadSnapshot(snapshot);
            authorizer.completeInitialLoad();
        }
        for (String client : clients) {
            for (String name : names) {
                AuthorizableRequestContext context = World.request(World.user("u"), client);
                Action action = World.action(AclOperation.READ, type, name);
                assertEquals(World.allows(kafka, context, action), World.allows(ours, context, action),
                        () -> client + " reads " + type + " `" + name + "` with " + policy + " and " + own);
                allowed += World.allows(ours, context, action) ? 1 : 0;
            }
        }
        ours.close();
        return allowed;
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

package gbac.kafka.authorizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import gbac.kafka.GroupPrincipal;
import gbac.kafka.principal.PrincipalGroups;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.AuthenticationContext;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.KafkaPrincipalBuilder;
import org.apache.kafka.common.security.auth.KafkaPrincipalSerde;
import org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.junit.jupiter.api.Test;

/** No listener can have another principal builder, whose users would escape ACLs that deny groups. */
final class BuilderGuardTest {
    private static final String OURS = "gbac.kafka.GroupPrincipalBuilder";
    private static final String KAFKAS = "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder";

    private static String refusal(Map<String, Object> configs) {
        AclAuthorizer authorizer = new AclAuthorizer();
        String message = assertThrows(ConfigException.class, () -> authorizer.configure(configs)).getMessage();
        authorizer.close();
        return message;
    }

    @Test
    void anotherBuilderOnAnyListenerStopsTheStart() {
        for (String listener : List.of("clients", "CLIENTS", "controller", "later", "with.dots", "clients.oauthbearer")) {
            String property = "listener.name." + listener + ".principal.builder.class";
            for (Object builder : List.of(KAFKAS, " " + KAFKAS + " ", DefaultKafkaPrincipalBuilder.class, "")) {
                Map<String, Object> configs = World.configs("listeners", "CLIENTS://:9092");
                configs.put(property, builder);
                String message = refusal(configs);
                assertTrue(message.contains(property) && message.contains("denies of groups would have no effect"), message);
            }
            AclAuthorizer authorizer = new AclAuthorizer();
            authorizer.configure(World.configs(property, OURS));
            authorizer.close();
        }
    }

    @Test
    void changesThatCouldGiveAListenerAnotherBuilderAreChecked() {
        AclAuthorizer authorizer = World.authorizer(List.of(),
                "listeners", "CLIENTS://:9092, Brokers://localhost:9094",
                "listener.security.protocol.map", "CLIENTS:SASL_SSL,Brokers:SSL,SPARE:SSL",
                "controller.listener.names", "CONTROLLER");
        for (String changed : List.of("principal.builder.class", "listeners", "listener.security.protocol.map",
                "listener.name.clients.principal.builder.class", "listener.name.brokers.principal.builder.class",
                "listener.name.spare.principal.builder.class", "listener.name.controller.principal.builder.class",
                "listener.name.plaintext.principal.builder.class", "gbac.groups.claim", "gbac.groups.unreadable",
                "gbac.groups.missing")) {
            assertTrue(authorizer.reconfigurableConfigs().contains(changed), changed);
        }
        for (String[] row : new String[][] {
            {"principal.builder.class", KAFKAS},
            {"listener.name.clients.principal.builder.class", KAFKAS},
            {"listener.name.added.principal.builder.class", KAFKAS},
        }) {
            Map<String, Object> changed = World.configs(row);
            assertThrows(ConfigException.class, () -> authorizer.validateReconfiguration(changed), row[0]);
        }
        authorizer.validateReconfiguration(World.configs("listener.name.clients.principal.builder.class", OURS));
        Map<String, Object> added = World.configs("listener.security.protocol.map", "LATE:SSL,LATER:SSL");
        added.put("listeners", List.of("LATEST://:9096"));
        authorizer.reconfigure(added);
        for (String listener : List.of("late", "later", "latest")) {
            assertTrue(authorizer.reconfigurableConfigs().contains("listener.name." + listener + ".principal.builder.class"));
        }
        authorizer.close();
    }

    @Test
    void aWrongValueOfThePropertiesForGroupsStopsTheStart() {
        for (String property : List.of("gbac.groups.unreadable", "gbac.groups.missing", "gbac.groups.nested")) {
            for (String value : List.of("", "Refuse", "false", "deny")) {
                String message = refusal(World.configs(property, value));
                assertTrue(message.contains(property) && message.contains("write `"), message);
            }
        }
    }

    private static World.Request from(KafkaPrincipal principal) {
        return World.request(principal, "10.0.0.1");
    }

    /** What the guard cannot see: of a principal that the builder did not build, every deny of a group counts, and no allow. */
    @Test
    void deniesOfGroupsHoldForAPrincipalOfAnotherBuilder() {
        KafkaPrincipal known = PrincipalGroups.create("User", "alice", false, List.of());
        KafkaPrincipal unknown = new KafkaPrincipal("User", "alice");
        KafkaPrincipal root = new KafkaPrincipal("User", "root");
        StandardAcl allow = World.readAcl("t", "User:alice");
        for (String denied : List.of("Group:contractors", "Role:contractors", "RedpandaRole:contractors")) {
            AclAuthorizer authorizer = World.authorizer(List.of(allow, World.readAcl("g", "Group:contractors")),
                    "super.users", "User:root", "allow.everyone.if.no.acl.found", "true");
            assertTrue(reads(authorizer, unknown, "t"), "no ACL denies a group");
            assertFalse(reads(authorizer, unknown, "g"), "no allow of a group counts");
            var ids = List.of(Uuid.randomUuid(), Uuid.randomUuid());
            StandardAcl deny = World.acl(ResourceType.TOPIC, "t", PatternType.LITERAL, denied, AclOperation.READ, false);
            for (Uuid id : ids) {
                authorizer.addAcl(id, World.acl(ResourceType.TOPIC, "t", PatternType.PREFIXED, denied + id,
                        AclOperation.READ, false));
            }
            assertFalse(reads(authorizer, unknown, "t"));
            assertTrue(reads(authorizer, unknown, "without-acls"));
            assertTrue(reads(authorizer, known, "t"));
            assertTrue(reads(authorizer, root, "t"));
            assertEquals(AuthorizationResult.DENIED,
                    authorizer.authorize(from(unknown), List.of(World.action(AclOperation.READ, ResourceType.TOPIC, "t-2"))).get(0),
                    "also by a prefix");
            authorizer.removeAcl(ids.get(0));
            assertFalse(reads(authorizer, unknown, "t"), "the other one still denies");
            authorizer.removeAcl(ids.get(1));
            assertTrue(reads(authorizer, unknown, "t"), "no ACL denies a group any more");
            authorizer.loadSnapshot(Map.of(ids.get(0), deny, ids.get(1), allow));
            assertFalse(reads(authorizer, unknown, "t"));
            authorizer.close();
        }
    }

    @Test
    void otherBuildersWhosePrincipalsHaveGroupsAreAccepted() {
        String strimzis = "io.strimzi.kafka.oauth.server.OAuthKafkaPrincipalBuilder";
        for (Object builder : List.of(strimzis, CarryingBuilder.class, CarryingBuilder.class.getName())) {
            Map<String, Object> configs = World.configs();
            configs.put("principal.builder.class", builder);
            configs.put("listener.name.clients.principal.builder.class", builder);
            AclAuthorizer authorizer = new AclAuthorizer();
            authorizer.configure(configs);
            authorizer.close();
            configs.put("listener.name.clients.principal.builder.class", OURS);
            assertTrue(refusal(configs).contains("denies of groups would have no effect for forwarded requests"));
            configs.remove("listener.name.clients.principal.builder.class");
            configs.put("gbac.principal.mapping", "$.email");
            assertTrue(refusal(configs).startsWith("gbac.principal.mapping has no effect"));
        }
        Map<String, Object> configs = World.configs("gbac.groups.claim", "$.roles");
        configs.put("principal.builder.class", CarryingBuilder.class.getName());
        assertTrue(refusal(configs).startsWith("gbac.groups.claim has no effect"));
        configs.put("principal.builder.class", LosingBuilder.class.getName());
        assertTrue(refusal(configs).contains("no user would have groups"), "bytes would lose the groups");
    }

    @Test
    void aPrincipalThatCarriesGroupsIsDecidedByThem() {
        Map<String, StandardAcl> acls = Map.of("allow", World.readAcl("t", "Group:eng"), "all", World.readAcl("t", "User:bob"),
                "deny", World.acl(ResourceType.TOPIC, "t", PatternType.LITERAL, "Group:ops", AclOperation.READ, false));
        for (String unreadable : List.of("refuse", "none")) {
            AclAuthorizer authorizer = World.authorizer(acls, "principal.builder.class", CarryingBuilder.class.getName(),
                    "gbac.groups.nested", "suffix", "gbac.groups.unreadable", unreadable);
            assertTrue(reads(authorizer, new Carrier("alice", Set.of("/a/eng")), "t"));
            assertFalse(reads(authorizer, new Carrier("alice", Set.of("eng", "ops")), "t"));
            assertFalse(reads(authorizer, new Carrier("alice", Set.of()), "t"));
            assertFalse(reads(authorizer, new Carrier("alice", null), "t"));
            assertEquals(unreadable.equals("none"), reads(authorizer, new Carrier("bob", null), "t"));
            assertFalse(reads(authorizer, new KafkaPrincipal("User", "bob"), "t"), "a deny of a group counts");
            authorizer.close();
        }
    }

    /** A principal of somebody else. */
    static final class Carrier extends KafkaPrincipal implements GroupPrincipal {
        private final Set<String> groups;

        Carrier(String name, Set<String> groups) {
            super(USER_TYPE, name);
            this.groups = groups;
        }

        @Override
        public Set<String> groups() {
            return groups;
        }
    }

    static final class CarryingBuilder implements KafkaPrincipalBuilder, KafkaPrincipalSerde {
        @Override
        public Carrier build(AuthenticationContext context) {
            return new Carrier("x", Set.of());
        }

        @Override
        public byte[] serialize(KafkaPrincipal principal) {
            return new byte[0];
        }

        @Override
        public Carrier deserialize(byte[] bytes) {
            return new Carrier("x", Set.of());
        }
    }

    static final class LosingBuilder implements KafkaPrincipalBuilder, KafkaPrincipalSerde {
        @Override
        public Carrier build(AuthenticationContext context) {
            return new Carrier("x", Set.of());
        }

        @Override
        public byte[] serialize(KafkaPrincipal principal) {
            return new byte[0];
        }

        @Override
        public KafkaPrincipal deserialize(byte[] bytes) {
            return new Carrier("x", Set.of());
        }
    }

    private static boolean reads(AclAuthorizer authorizer, KafkaPrincipal principal, String topic) {
        return World.allows(authorizer, from(principal), World.action(AclOperation.READ, ResourceType.TOPIC, topic));
    }
}

package gbac.kafka.authorizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import gbac.kafka.principal.PrincipalGroups;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
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

    /** What the guard cannot see: a principal that the builder did not build, while ACLs deny groups. */
    @Test
    void aPrincipalOfAnotherBuilderIsDeniedWhileGroupsAreDenied() {
        KafkaPrincipal known = PrincipalGroups.create("User", "alice", false, List.of());
        KafkaPrincipal unknown = new KafkaPrincipal("User", "alice");
        KafkaPrincipal root = new KafkaPrincipal("User", "root");
        StandardAcl allow = World.readAcl("t", "User:alice");
        for (String denied : List.of("Group:contractors", "Role:contractors", "RedpandaRole:contractors")) {
            AclAuthorizer authorizer = World.authorizer(
                    List.of(allow), "super.users", "User:root", "allow.everyone.if.no.acl.found", "true");
            assertTrue(reads(authorizer, unknown, "t"), "no ACL denies a group");
            StandardAcl deny = World.acl(
                    ResourceType.TOPIC, "other", PatternType.LITERAL, denied, AclOperation.READ, false);
            var one = org.apache.kafka.common.Uuid.randomUuid();
            authorizer.addAcl(one, deny);
            assertFalse(reads(authorizer, unknown, "t"));
            assertFalse(reads(authorizer, unknown, "without-acls"));
            assertEquals(AuthorizationResult.DENIED,
                    authorizer.authorizeByResourceType(from(unknown), AclOperation.READ, ResourceType.TOPIC));
            assertTrue(reads(authorizer, known, "t"));
            assertTrue(reads(authorizer, root, "t"));
            authorizer.removeAcl(one);
            assertTrue(reads(authorizer, unknown, "t"), "no ACL denies a group any more");
            authorizer.loadSnapshot(Map.of(one, deny));
            assertFalse(reads(authorizer, unknown, "without-acls"));
            authorizer.close();
        }
    }

    private static boolean reads(AclAuthorizer authorizer, KafkaPrincipal principal, String topic) {
        return World.allows(authorizer, from(principal), World.action(AclOperation.READ, ResourceType.TOPIC, topic));
    }
}

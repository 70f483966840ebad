package gbac.kafka.authorizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import gbac.kafka.principal.PrincipalGroups;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups, roles, metrics and changes of properties. */
final class AuthorizerTest {
    @TempDir
    private Path folder;

    private static World.Request alice(String... groups) {
        return World.request(PrincipalGroups.create("User", "alice", false, List.of(groups)), "10.0.0.1");
    }

    private static boolean reads(AclAuthorizer authorizer, World.Request request, String topic) {
        return World.allows(authorizer, request, World.action(AclOperation.READ, ResourceType.TOPIC, topic));
    }

    private String roles(String member) throws IOException {
        return Files.writeString(folder.resolve("roles.json"), "{\"version\":1,\"roles\":[{\"name\":\"dev\",\"members\":["
                + "{\"principal\":\"" + member + "\"}]}]}").toString();
    }

    private static StandardAcl deny(String name, String principal) {
        return World.acl(ResourceType.TOPIC, name, PatternType.LITERAL, principal, AclOperation.READ, false);
    }

    @Test
    void groupsAndRolesAllowAndDeny() throws IOException {
        AclAuthorizer authorizer = World.authorizer(List.of(
                World.readAcl("a", "Group:eng"), World.readAcl("b", "Role:dev"), World.readAcl("c", "User:*"),
                deny("c", "Group:ops"), World.readAcl("d", "RedpandaRole:dev"), deny("d", "Role:none")),
                "gbac.roles.file", roles("Group:eng"));
        assertTrue(reads(authorizer, alice("eng"), "a"));
        assertTrue(reads(authorizer, alice("eng"), "b"));
        assertTrue(reads(authorizer, alice("eng"), "c"));
        assertTrue(reads(authorizer, alice("eng"), "d"));
        assertFalse(reads(authorizer, alice("eng", "ops"), "c"));
        assertFalse(reads(authorizer, alice(), "a"));
        assertFalse(reads(authorizer, alice("Group:eng"), "a"));
        assertFalse(reads(authorizer, alice("*"), "a"));
        assertFalse(reads(authorizer, World.request(World.user("eng"), "10.0.0.1"), "a"));
        authorizer.close();
    }

    @Test
    void twoSpellingsOfARoleAreTwoAcls() throws IOException {
        AclAuthorizer authorizer = World.authorizer(List.of(World.readAcl("t", "User:*")),
                "gbac.roles.file", roles("Group:eng"));
        Uuid one = Uuid.randomUuid();
        Uuid two = Uuid.randomUuid();
        authorizer.addAcl(one, deny("t", "Role:dev"));
        authorizer.addAcl(two, deny("t", "RedpandaRole:dev"));
        authorizer.removeAcl(one);
        assertFalse(reads(authorizer, alice("eng"), "t"), "the other one still denies");
        authorizer.removeAcl(two);
        assertTrue(reads(authorizer, alice("eng"), "t"));
        authorizer.close();
    }

    @Test
    void outdatedMembersOnlyDeny() {
        PolicyTable table = new PolicyTable(true);
        AclAuthorizer authorizer = World.authorizer(List.of());
        authorizer.close();
        Map<Uuid, StandardAcl> acls = Map.of(
                Uuid.randomUuid(), World.readAcl("a", "Role:dev"), Uuid.randomUuid(), World.readAcl("b", "User:*"),
                Uuid.randomUuid(), deny("b", "Role:dev"), Uuid.randomUuid(), World.readAcl("c", "Group:eng"));
        table.replace(acls);
        table.replace(java.util.Set.of(new gbac.kafka.engine.RoleMember("dev", "Group:eng")), records -> { });
        Engines engines = new Engines(table, 2, gbac.kafka.engine.Engine::new, Runnable::run);
        Session session = World.session(new Sessions(), PrincipalGroups.create("User", "alice", false, List.of("eng")), null);
        for (int round = 0; round < 3; round++) {
            assertEquals("true false true", allowed(engines, session));
            table.allowRoles(false, engines::apply);
            assertEquals("false false true", allowed(engines, session));
            table.allowRoles(false, engines::apply);
            table.allowRoles(true, engines::apply);
        }
    }

    private static String allowed(Engines engines, Session session) {
        StringBuilder found = new StringBuilder();
        for (String name : List.of("a", "b", "c")) {
            int mask = engines.ask(session, (engine, handle) -> engine.mask(handle, 2, null, name));
            found.append(found.isEmpty() ? "" : " ").append((mask >> 3 & 1) == 1);
        }
        return found.toString();
    }

    @Test
    void anyResourceIsNotAResourceWithAnEmptyName() {
        AclAuthorizer authorizer = World.authorizer(List.of(World.readAcl("a", "Group:eng")));
        assertEquals(AuthorizationResult.ALLOWED,
                authorizer.authorizeByResourceType(alice("eng"), AclOperation.READ, ResourceType.TOPIC));
        assertEquals(AuthorizationResult.DENIED,
                authorizer.authorizeByResourceType(alice("eng"), AclOperation.WRITE, ResourceType.TOPIC));
        assertEquals(AuthorizationResult.DENIED,
                authorizer.authorizeByResourceType(alice(), AclOperation.READ, ResourceType.TOPIC));
        for (String name : List.of("", "\0any", "*", "hardcode")) {
            assertFalse(reads(authorizer, alice("eng"), name));
        }
        authorizer.close();
    }

    @Test
    void aclsAreListedAsTheyWereAdded() {
        List<StandardAcl> acls = List.of(World.readAcl("a", "Group:eng"), World.readAcl("b", "Role:dev"));
        AclAuthorizer authorizer = World.authorizer(acls);
        int found = 0;
        for (var binding : authorizer.acls(AclBindingFilter.ANY)) {
            assertTrue(acls.contains(StandardAcl.fromAclBinding(binding)));
            found++;
        }
        assertEquals(2, found);
        assertEquals(2, authorizer.aclCount());
        Uuid id = Uuid.randomUuid();
        authorizer.addAcl(id, deny("c", "User:x"));
        assertThrows(IllegalStateException.class, () -> authorizer.addAcl(id, deny("d", "User:x")));
        authorizer.removeAcl(id);
        assertThrows(IllegalStateException.class, () -> authorizer.removeAcl(id));
        authorizer.close();
    }

    @Test
    void onlyLiteralResourcesAreDecided() {
        AclAuthorizer authorizer = World.authorizer(List.of());
        var action = new org.apache.kafka.server.authorizer.Action(AclOperation.READ,
                new org.apache.kafka.common.resource.ResourcePattern(ResourceType.TOPIC, "a", PatternType.PREFIXED), 1, true,
                true);
        assertThrows(IllegalArgumentException.class, () -> authorizer.authorize(alice(), List.of(action)));
        assertThrows(IllegalArgumentException.class,
                () -> authorizer.authorizeByResourceType(alice(), AclOperation.ANY, ResourceType.TOPIC));
        assertThrows(IllegalArgumentException.class,
                () -> authorizer.authorizeByResourceType(alice(), AclOperation.READ, ResourceType.ANY));
        authorizer.close();
    }

    @Test
    void metricsAreThoseOfKafkaAndMore() {
        AclAuthorizer authorizer = World.authorizer(List.of(World.readAcl("a", "Group:eng")));
        World.NodeMetrics metrics = new World.NodeMetrics(new Metrics());
        authorizer.withMetrics(metrics);
        assertTrue(reads(authorizer, alice("eng"), "a"));
        assertTrue(reads(authorizer, alice("eng"), "a"));
        assertFalse(reads(authorizer, alice("eng"), "b"));
        authorizer.updateMetrics();
        assertTrue(metrics.value("authorization-allowed-rate-per-minute") > 0);
        assertTrue(metrics.value("authorization-denied-rate-per-minute") > 0);
        assertTrue(metrics.value("authorization-request-rate-per-minute")
                > metrics.value("authorization-allowed-rate-per-minute"));
        assertEquals(1, metrics.value("acls-total-count"));
        assertEquals(1, metrics.value("decision-cache-hits-total"));
        assertEquals(2, metrics.value("decision-cache-misses-total"));
        assertEquals(2, metrics.value("engines-working"));
        assertEquals(0, metrics.value("engine-failures-total"));
        assertTrue(metrics.value("engine-memory-bytes") > 1 << 19);
        assertEquals(0, metrics.value("role-members-age-seconds"));
        assertEquals(1, metrics.value("roles-allow"));
        authorizer.close();
    }

    private static double jmx(String name) throws JMException {
        ObjectName bean = new ObjectName(
                "kafka.server:type=plugins,config=authorizer.class.name,class=GroupAuthorizer,role=tested");
        return ((Number) ManagementFactory.getPlatformMBeanServer().getAttribute(bean, name)).doubleValue();
    }

    /** With Kafka 3.9 and 4.0, the metrics have a place of their own in JMX. */
    @Test
    void denialsAreCountedByReasonInJmx() throws IOException, JMException {
        StandardAcl fromAnother = new StandardAcl(ResourceType.TOPIC, "h", PatternType.LITERAL, "User:*", "10.9.9.9",
                AclOperation.READ, AclPermissionType.ALLOW);
        AclAuthorizer authorizer = World.authorizer(List.of(World.readAcl("a", "Group:eng"), deny("d", "Group:eng"), fromAnother,
                deny("u", "Group:ops"), World.readAcl("u", "User:*"), World.readAcl("r", "Role:dev")),
                "gbac.roles.file", roles("Group:eng"));
        authorizer.withJmx("tested");
        assertFalse(reads(authorizer, alice("eng"), "d"));
        assertFalse(reads(authorizer, alice("eng"), "nothing"));
        assertFalse(reads(authorizer, alice("other"), "a"));
        assertFalse(reads(authorizer, alice(), "a"));
        assertFalse(reads(authorizer, alice("eng"), "h"));
        assertFalse(reads(authorizer, World.request(new KafkaPrincipal("User", "x"), "10.0.0.1"), "u"));
        assertTrue(reads(authorizer, alice("eng"), "r"));
        // Kafka only asks; nothing is refused.
        World.allows(authorizer, alice(), new Action(AclOperation.READ,
                new ResourcePattern(ResourceType.TOPIC, "a", PatternType.LITERAL), 1, false, false));
        authorizer.updateMetrics();
        assertEquals(1, jmx("denials-deny-total"));
        assertEquals(2, jmx("denials-no-match-total"));
        assertEquals(1, jmx("denials-no-groups-total"));
        assertEquals(1, jmx("denials-host-total"));
        assertEquals(1, jmx("denials-unreadable-total"));
        assertEquals(0, jmx("denials-members-too-old-total"));
        assertEquals(0, jmx("denials-engine-unavailable-total"));
        assertEquals(6, jmx("acls-total-count"));
        assertTrue(jmx("authorization-denied-rate-per-minute") > 0);
        authorizer.close();
        assertThrows(InstanceNotFoundException.class, () -> jmx("acls-total-count"));
    }

    @Test
    void aMemberOfARoleWhoseMembersAreTooOldIsCountedAsSuch() {
        PolicyTable table = new PolicyTable(true);
        table.replace(java.util.Set.of(new gbac.kafka.engine.RoleMember("dev", "Group:eng")), records -> { });
        Session.Key eng = new Session.Key("User", "alice", List.of("ops", "eng"), null);
        assertTrue(table.hasMember(eng));
        assertFalse(table.hasMember(new Session.Key("User", "alice", List.of("ops"), null)));
        table.replace(java.util.Set.of(new gbac.kafka.engine.RoleMember("dev", "User:alice")), records -> { });
        assertTrue(table.hasMember(new Session.Key("User", "alice", List.of(), null)));
    }
}

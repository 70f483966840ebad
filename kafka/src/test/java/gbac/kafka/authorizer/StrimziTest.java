package gbac.kafka.authorizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import gbac.kafka.principal.PrincipalGroups;
import io.strimzi.kafka.oauth.common.BearerTokenWithPayload;
import io.strimzi.kafka.oauth.common.TokenInfo;
import io.strimzi.kafka.oauth.server.OAuthKafkaPrincipal;
import io.strimzi.kafka.oauth.server.OAuthKafkaPrincipalBuilder;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.junit.jupiter.api.Test;

/** Principals of Strimzi's library for OAuth, with the library itself. */
final class StrimziTest {
    private static final String BUILDER = OAuthKafkaPrincipalBuilder.class.getName();
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A token of a validator other than Strimzi's own ones; its bytes lose the groups. */
    private record Token(Set<String> getGroups, String claims) implements BearerTokenWithPayload {
        @Override
        public JsonNode getPayload() {
            return null;
        }

        @Override
        public void setPayload(JsonNode payload) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ObjectNode getClaimsJSON() {
            return json(claims);
        }

        @Override
        public String value() {
            return "x";
        }

        @Override
        public Set<String> scope() {
            return Set.of();
        }

        @Override
        public long lifetimeMs() {
            return 1;
        }

        @Override
        public String principalName() {
            return "alice";
        }

        @Override
        public Long startTimeMs() {
            return 1L;
        }
    }

    private static ObjectNode json(String claims) {
        try {
            return claims == null ? null : (ObjectNode) JSON.readTree(claims);
        } catch (JsonProcessingException wrong) {
            throw new IllegalArgumentException(claims, wrong);
        }
    }

    /** A token of Strimzi's own validators. */
    private static BearerTokenWithPayload verified(String claims, Set<String> groups) {
        ObjectNode content = json(claims);
        content.put("exp", 1);
        try {
            Constructor<?> create = Class.forName("io.strimzi.kafka.oauth.server.BearerTokenWithJsonPayload")
                    .getDeclaredConstructor(TokenInfo.class);
            create.setAccessible(true);
            return (BearerTokenWithPayload) create.newInstance(new TokenInfo(content, "x", "alice", groups));
        } catch (ReflectiveOperationException failed) {
            throw new AssertionError(failed);
        }
    }

    private static KafkaPrincipal alice(BearerTokenWithPayload token) {
        return new OAuthKafkaPrincipal("User", "alice", token);
    }

    private static KafkaPrincipal alice(Set<String> groups, String claims) {
        return alice(new Token(groups, claims));
    }

    private static StandardAcl acl(String topic, String principal, boolean allows) {
        return World.acl(ResourceType.TOPIC, topic, PatternType.LITERAL, principal, AclOperation.READ, allows);
    }

    private static AclAuthorizer authorizer(String... pairs) {
        String[] all = List.of(List.of("principal.builder.class", BUILDER, "controller.listener.names", "CONTROLLER"),
                List.of(pairs)).stream().flatMap(List::stream).toArray(String[]::new);
        return World.authorizer(List.of(acl("t", "Group:eng", true), acl("t", "Group:ops", false), acl("u", "User:alice", true),
                acl("u", "Group:ops", false), acl("v", "User:alice", true)), all);
    }

    private static boolean reads(AclAuthorizer authorizer, KafkaPrincipal principal, String topic) {
        return World.allows(authorizer, World.request(principal, "10.0.0.1"),
                World.action(AclOperation.READ, ResourceType.TOPIC, topic));
    }

    /** The listener of controllers, where requests are that brokers forward. */
    private static boolean readsForwarded(AclAuthorizer authorizer, KafkaPrincipal principal, String topic) {
        return World.allows(authorizer, World.forwarded(principal),
                World.action(AclOperation.READ, ResourceType.TOPIC, topic));
    }

    @Test
    void groupsAreThoseThatStrimziFound() {
        AclAuthorizer authorizer = authorizer();
        assertTrue(reads(authorizer, alice(Set.of("eng"), null), "t"));
        assertFalse(reads(authorizer, alice(Set.of("eng", "ops"), null), "t"));
        assertFalse(reads(authorizer, alice(Set.of("/a/eng"), null), "t"));
        assertFalse(reads(authorizer, alice(null, "{\"groups\":[\"eng\"]}"), "t"), "the claim is not set");
        assertTrue(reads(authorizer, alice(null, "{}"), "u"), "a token without groups");
        authorizer.close();
        AclAuthorizer suffix = authorizer("gbac.groups.nested", "suffix");
        assertTrue(reads(suffix, alice(Set.of("/a/eng"), null), "t"));
        suffix.close();
        AclAuthorizer refusing = authorizer("gbac.groups.missing", "refuse");
        World.NodeMetrics metrics = new World.NodeMetrics(new org.apache.kafka.common.metrics.Metrics());
        refusing.withMetrics(metrics);
        assertFalse(reads(refusing, alice(null, "{}"), "u"));
        assertEquals(1, metrics.value("denials-no-groups-total"));
        refusing.close();
    }

    @Test
    void aClaimThatIsSetIsReadFromTheToken() {
        AclAuthorizer authorizer = authorizer("gbac.groups.claim", "$.realm.roles");
        assertTrue(reads(authorizer, alice(null, "{\"realm\":{\"roles\":[\"eng\"]}}"), "t"));
        assertTrue(reads(authorizer, alice(Set.of("ops"), "{\"realm\":{\"roles\":\"eng\"}}"), "t"));
        assertFalse(reads(authorizer, alice(Set.of("eng"), "{}"), "t"));
        for (String unreadable : List.of("{\"realm\":{\"roles\":7}}", "{\"realm\":{\"roles\":[\"eng\",7]}}")) {
            assertFalse(reads(authorizer, alice(Set.of("eng"), unreadable), "u"), unreadable);
        }
        assertFalse(reads(authorizer, alice(Set.of("eng"), null), "u"), "a token without claims");
        authorizer.close();
    }

    @Test
    void whatCannotBeReadIsRefusedUnlessItIsToBeNone() {
        for (String unreadable : List.of("refuse", "none")) {
            AclAuthorizer authorizer = authorizer("gbac.groups.unreadable", unreadable, "super.users", "User:root");
            Set<String> withNull = new HashSet<>();
            withNull.add(null);
            for (KafkaPrincipal unknown : List.of(alice((BearerTokenWithPayload) null), alice(withNull, null))) {
                assertEquals(unreadable.equals("none"), reads(authorizer, unknown, "v"));
                assertFalse(reads(authorizer, unknown, "t"));
            }
            assertTrue(reads(authorizer, new OAuthKafkaPrincipal("User", "root", null), "t"));
            authorizer.close();
        }
    }

    @Test
    void aPlainPrincipalHasNoGroupsUnlessItCanHaveLostThemOnTheWay() {
        AclAuthorizer authorizer = authorizer();
        KafkaPrincipal certificate = new KafkaPrincipal("User", "alice");
        assertTrue(reads(authorizer, certificate, "u"));
        assertTrue(reads(authorizer, certificate, "v"));
        assertFalse(readsForwarded(authorizer, certificate, "u"), "a deny of a group counts");
        assertTrue(readsForwarded(authorizer, certificate, "v"));
        assertFalse(readsForwarded(authorizer, certificate, "t"), "an allow of a group does not");
        authorizer.close();
    }

    @Test
    void groupsSurviveTheBytesOfStrimzisBuilder() {
        OAuthKafkaPrincipalBuilder builder = new OAuthKafkaPrincipalBuilder();
        String claims = "{\"realm\":{\"roles\":[\"eng\",\"a,b\"]}}";
        for (AclAuthorizer authorizer : List.of(authorizer(), authorizer("gbac.groups.claim", "$.realm.roles"))) {
            KafkaPrincipal allowed = builder.deserialize(builder.serialize(alice(verified(claims, Set.of("eng", "a,b")))));
            assertTrue(readsForwarded(authorizer, allowed, "t"));
            assertTrue(readsForwarded(authorizer, allowed, "u"));
            KafkaPrincipal denied = builder.deserialize(builder.serialize(alice(
                    verified(claims.replace("a,b", "ops"), Set.of("eng", "ops")))));
            assertFalse(readsForwarded(authorizer, denied, "t"));
            assertFalse(readsForwarded(authorizer, denied, "u"));
            // Strimzi's builder writes the groups of its own tokens only.
            KafkaPrincipal lost = builder.deserialize(builder.serialize(alice(Set.of("eng"), claims)));
            assertFalse(readsForwarded(authorizer, lost, "t"));
            assertFalse(readsForwarded(authorizer, lost, "u"));
            assertTrue(readsForwarded(authorizer, lost, "v"));
            authorizer.close();
        }
    }

    @Test
    void ourBuilderDoesNotTakeStrimzisBytesForThoseOfAUserWithoutGroups() {
        byte[] bytes = new OAuthKafkaPrincipalBuilder().serialize(alice(verified("{}", Set.of("ops"))));
        KafkaPrincipal received = new gbac.kafka.principal.PrincipalBuilder().deserialize(bytes);
        assertEquals("User:alice", received.toString());
        assertEquals(null, PrincipalGroups.of(received));
    }

    /** Strimzi's principals are equal if their names are. The cache must not take one for the other. */
    @Test
    void equalPrincipalsWithOtherGroupsNeverShareADecision() {
        AclAuthorizer authorizer = authorizer("gbac.decision.cache", "true");
        KafkaPrincipal one = alice(Set.of("eng"), null);
        KafkaPrincipal two = alice(Set.of("ops", "eng"), null);
        assertEquals(one, two);
        for (int round = 0; round < 3; round++) {
            assertTrue(reads(authorizer, one, "t"));
            assertFalse(reads(authorizer, two, "t"));
        }
        authorizer.close();

        Random random = new Random(World.seed());
        List<String> names = List.of("a", "b", "c", "d");
        List<StandardAcl> acls = new ArrayList<>();
        for (int count = 0; count < 12; count++) {
            acls.add(acl(World.any(random, names), "Group:" + World.any(random, names), random.nextBoolean()));
        }
        AclAuthorizer cached = World.authorizer(acls, "principal.builder.class", BUILDER);
        for (int round = 0; round < World.cases(2_000, 200_000); round++) {
            Set<String> groups = new HashSet<>();
            names.forEach(name -> {
                if (random.nextBoolean()) {
                    groups.add(name);
                }
            });
            String topic = World.any(random, names);
            boolean denied = acls.stream().anyMatch(acl -> isFor(acl, topic, groups) && isDeny(acl));
            boolean allowed = acls.stream().anyMatch(acl -> isFor(acl, topic, groups) && !isDeny(acl));
            assertEquals(allowed && !denied, reads(cached, alice(groups, null), topic), groups + " " + topic + " " + acls);
        }
        cached.close();
    }

    /** A token whose groups change, as another library could have it, is read again. */
    @Test
    void groupsOfATokenAreReadAgainIfTheyChange() {
        AclAuthorizer authorizer = authorizer();
        Set<String> groups = new HashSet<>(Set.of("eng"));
        Token token = new Token(groups, null);
        assertTrue(reads(authorizer, alice(token), "t"));
        groups.add("ops");
        assertFalse(reads(authorizer, alice(token), "t"));
        assertNotNull(PrincipalGroups.of(token));
        authorizer.close();
    }

    private static boolean isFor(StandardAcl acl, String topic, Set<String> groups) {
        return acl.resourceName().equals(topic) && groups.contains(acl.principal().substring("Group:".length()));
    }

    private static boolean isDeny(StandardAcl acl) {
        return acl.permissionType() == org.apache.kafka.common.acl.AclPermissionType.DENY;
    }

    @Test
    void theBuilderIsConfiguredAsKafkaDoes() {
        new OAuthKafkaPrincipalBuilder().configure(Map.of());
    }
}

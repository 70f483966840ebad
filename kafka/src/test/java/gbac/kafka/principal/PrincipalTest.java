package gbac.kafka.principal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import javax.security.sasl.SaslServer;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.PlaintextAuthenticationContext;
import org.apache.kafka.common.security.auth.SaslAuthenticationContext;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerToken;
import org.apache.kafka.common.security.token.delegation.TokenInformation;
import org.junit.jupiter.api.Test;

/** Principals from tokens, and through the bytes of a forwarded request. */
final class PrincipalTest {
    private static final DefaultKafkaPrincipalBuilder STOCK = new DefaultKafkaPrincipalBuilder(null, null);

    /** A server after its exchange. */
    private record Server(String getMechanismName, String getAuthorizationID, Object token) implements SaslServer {
        @Override
        public byte[] evaluateResponse(byte[] response) {
            return response;
        }

        @Override
        public boolean isComplete() {
            return true;
        }

        @Override
        public byte[] unwrap(byte[] incoming, int offset, int length) {
            return incoming;
        }

        @Override
        public byte[] wrap(byte[] outgoing, int offset, int length) {
            return outgoing;
        }

        @Override
        public Object getNegotiatedProperty(String name) {
            return name.equals("OAUTHBEARER.token") ? token : null;
        }

        @Override
        public void dispose() {
            // It has nothing.
        }
    }

    /** A token that Kafka verified. */
    private record Token(String value) implements OAuthBearerToken {
        @Override
        public Set<String> scope() {
            return Set.of();
        }

        @Override
        public long lifetimeMs() {
            return Long.MAX_VALUE;
        }

        @Override
        public String principalName() {
            return "alice";
        }

        @Override
        public Long startTimeMs() {
            return null;
        }
    }

    private static String token(String claims) {
        String body = Base64.getUrlEncoder().withoutPadding().encodeToString(claims.getBytes(StandardCharsets.UTF_8));
        return "e30." + body + ".c2ln";
    }

    private static SaslAuthenticationContext context(SaslServer server) {
        return new SaslAuthenticationContext(
                server, SecurityProtocol.SASL_PLAINTEXT, InetAddress.getLoopbackAddress(), "SASL");
    }

    private static PrincipalBuilder builder(String... pairs) {
        Map<String, Object> configs = new HashMap<>();
        for (int index = 0; index < pairs.length; index += 2) {
            configs.put(pairs[index], pairs[index + 1]);
        }
        PrincipalBuilder builder = new PrincipalBuilder();
        builder.configure(configs);
        return builder;
    }

    private static KafkaPrincipal ofToken(PrincipalBuilder builder, String token) {
        return builder.build(context(new Server("OAUTHBEARER", "alice", new Token(token))));
    }

    private static List<String> groups(KafkaPrincipal principal) {
        return PrincipalGroups.of(principal).names();
    }

    @Test
    void groupsComeFromTheClaim() {
        assertEquals(List.of("eng", "ops"), groups(ofToken(builder(), token("{\"groups\":[\"eng\",\"ops\"]}"))));
        assertEquals(List.of("eng", "ops"), groups(ofToken(builder(), token("{\"groups\":\"eng, ops\"}"))));
        assertEquals(List.of("b"), groups(ofToken(
                builder("gbac.groups.claim", "$.realm.roles", "gbac.groups.nested", "suffix"),
                token("{\"realm\":{\"roles\":[\"/a/b\"]}}"))));
        assertEquals("User:ann", ofToken(
                builder("gbac.principal.mapping", "$.mail/([^@]+)@.*/$1/L"),
                token("{\"mail\":\"ANN@example.com\",\"groups\":[]}")).toString());
    }

    private static final List<String> NOT_TOKENS = List.of(token("[]"), token("{\"groups\":[\"a\"],\"groups\":[\"b\"]}"),
            token("{"), token("\"x\""), "opaque", "a.b", "a.!.c", "a.e30.c.d.e", "..", "",
            "e30." + Base64.getUrlEncoder().encodeToString(new byte[] {'{', '"', (byte) 0xff}) + ".x");
    private static final List<String> UNREADABLE = List.of(token("{\"groups\":7}"), token("{\"groups\":null}"),
            token("{\"groups\":{\"a\":1}}"), token("{\"groups\":[\"a\",7]}"), token("{\"hasgroups\":true}"),
            token("{\"_claim_names\":{\"groups\":\"src1\"},\"_claim_sources\":{\"src1\":{\"endpoint\":\"https://x\"}}}"));
    private static final List<String> MISSING = List.of(token("{}"), token("{\"roles\":[\"a\"]}"));

    @Test
    void aTokenThatCannotBeReadIsAlwaysRefused() {
        for (String token : NOT_TOKENS) {
            for (PrincipalBuilder builder : List.of(builder(), builder("gbac.groups.unreadable", "none"),
                    builder("gbac.groups.claim", "$.none"))) {
                var refused = assertThrows(SaslAuthenticationException.class, () -> ofToken(builder, token), token);
                assertTrue(refused.getMessage().contains("alice"), refused.getMessage());
                assertTrue(refused.getMessage().contains("is not a JSON web token"), refused.getMessage());
            }
        }
        assertThrows(SaslAuthenticationException.class,
                () -> builder().build(context(new Server("OAUTHBEARER", "alice", "another kind of token"))));
    }

    @Test
    void groupsThatCannotBeReadAreRefusedUnlessTheyAreToBeNone() {
        for (String token : UNREADABLE) {
            var refused = assertThrows(SaslAuthenticationException.class, () -> ofToken(builder(), token), token);
            assertTrue(refused.getMessage().contains("gbac.groups.unreadable is `refuse`"), refused.getMessage());
            assertEquals(List.of(), groups(ofToken(builder("gbac.groups.unreadable", "none"), token)), token);
            // The first round of an upgrade: no token has this claim.
            assertEquals(List.of(), groups(ofToken(builder("gbac.groups.claim", "$.none"), token)), token);
        }
    }

    @Test
    void aTokenWithoutTheClaimHasNoGroupsUnlessItIsToBeRefused() {
        for (String token : MISSING) {
            assertEquals(List.of(), groups(ofToken(builder(), token)), token);
            assertEquals(List.of(), groups(ofToken(builder("gbac.groups.unreadable", "none"), token)), token);
            var refused = assertThrows(
                    SaslAuthenticationException.class, () -> ofToken(builder("gbac.groups.missing", "refuse"), token));
            assertTrue(refused.getMessage().contains("gbac.groups.missing is `refuse`"), refused.getMessage());
        }
        assertEquals(List.of(), groups(ofToken(builder("gbac.groups.missing", "refuse"), token("{\"groups\":[]}"))));
    }

    @Test
    void aSecondTokenOfAConnectionIsCheckedToo() {
        PrincipalBuilder builder = builder();
        ofToken(builder, token("{\"groups\":[\"eng\"]}"));
        for (String token : List.of(NOT_TOKENS.get(0), UNREADABLE.get(0))) {
            assertThrows(SaslAuthenticationException.class, () -> ofToken(builder, token));
            assertThrows(SaslAuthenticationException.class, () -> ofToken(builder, token), "nothing is remembered of it");
        }
    }

    @Test
    void everyPrincipalOfTheBuilderIsKnown() {
        PrincipalBuilder builder = builder();
        KafkaPrincipal plain = new KafkaPrincipal("User", "bob", true);
        assertEquals(List.of(), groups(builder.deserialize(STOCK.serialize(plain))));
        Server scram = new Server("SCRAM-SHA-256", "bob", null);
        KafkaPrincipal bob = builder.build(context(scram));
        assertEquals(List.of(), groups(bob));
        assertSame(bob, builder.build(context(scram)));
        // Kafka marks the object of a delegation token, so another authentication needs another one.
        bob.tokenAuthenticated(true);
        assertFalse(builder.build(context(new Server("SCRAM-SHA-256", "bob", null))).tokenAuthenticated());
        PrincipalBuilder anonymous = builder();
        PlaintextAuthenticationContext context =
                new PlaintextAuthenticationContext(InetAddress.getLoopbackAddress(), "PLAINTEXT");
        assertEquals(List.of(), groups(anonymous.build(context)));
        assertSame(anonymous.build(context), anonymous.build(context), "Kafka asks for it with every request");
    }

    @Test
    void aTokenThatDoesNotNameTheUserIsRefused() {
        PrincipalBuilder builder = builder("gbac.principal.mapping", "$.email");
        for (String token : List.of(token("{\"groups\":[\"a\"]}"), token("{\"email\":7}"), "opaque", token("[]"))) {
            assertThrows(SaslAuthenticationException.class, () -> ofToken(builder, token), token);
        }
        assertThrows(SaslAuthenticationException.class, () -> ofToken(builder("gbac.groups.nested", "x"), token("{}")));
        assertThrows(SaslAuthenticationException.class, () -> ofToken(builder("gbac.groups.claim", "["), token("{}")));
    }

    @Test
    void otherMechanismsAreKafkas() {
        PrincipalBuilder builder = builder();
        KafkaPrincipal scram = builder.build(context(new Server("SCRAM-SHA-256", "bob", null)));
        assertEquals(new KafkaPrincipal("User", "bob"), scram);
        assertSame(KafkaPrincipal.class, scram.getClass());
        assertEquals(KafkaPrincipal.ANONYMOUS, builder.build(
                new PlaintextAuthenticationContext(InetAddress.getLoopbackAddress(), "PLAINTEXT")));
        PrincipalBuilder kerberos =
                builder("sasl.kerberos.principal.to.local.rules", "RULE:[1:$1@$0](.*@EXAMPLE.COM)s/@.*//, DEFAULT");
        KafkaPrincipal carol = kerberos.build(context(new Server("GSSAPI", "carol@EXAMPLE.COM", null)));
        assertEquals(new KafkaPrincipal("User", "carol"), carol);
    }

    @Test
    void aConnectionReadsItsTokenOnce() {
        PrincipalBuilder builder = builder();
        SaslServer server = new Server("OAUTHBEARER", "alice", new Token(token("{\"groups\":[\"eng\"]}")));
        KafkaPrincipal first = builder.build(context(server));
        assertSame(first, builder.build(context(server)));
        // A new authentication of the connection has a new server.
        SaslServer again = new Server("OAUTHBEARER", "alice", new Token(token("{\"groups\":[]}")));
        assertEquals(List.of(), groups(builder.build(context(again))));
        assertEquals(first, builder.build(context(again)), "Kafka refuses to re-authenticate as another principal");
    }

    @Test
    void groupsDoNotAffectEquality() {
        KafkaPrincipal plain = new KafkaPrincipal("User", "alice");
        KafkaPrincipal one = PrincipalGroups.create("User", "alice", false, List.of("a"));
        KafkaPrincipal two = PrincipalGroups.create("User", "alice", true, List.of());
        assertEquals(one, two);
        assertEquals(one.hashCode(), two.hashCode());
        assertEquals(one, plain);
        assertEquals(plain, one);
        assertEquals(one.hashCode(), plain.hashCode());
        assertNotEquals(one, PrincipalGroups.create("User", "bob", false, List.of("a")));
        assertNotEquals(one, new KafkaPrincipal("Service", "alice"));
    }

    @Test
    void kafkaTakesAUserWithGroupsForTheOwnerOfATokenAndForItsRenewer() {
        KafkaPrincipal plain = new KafkaPrincipal("User", "alice");
        KafkaPrincipal bob = new KafkaPrincipal("User", "bob");
        PrincipalBuilder builder = builder();
        KafkaPrincipal grouped = ofToken(builder, token("{\"groups\":[\"eng\"]}"));
        for (KafkaPrincipal alice : List.of(grouped, builder.deserialize(builder.serialize(grouped)))) {
            assertTrue(ofOwner(plain, bob, bob).ownerOrRenewer(alice), "owner");
            assertTrue(ofOwner(bob, plain, bob).ownerOrRenewer(alice), "requester");
            assertTrue(ofOwner(bob, bob, plain).ownerOrRenewer(alice), "renewer");
            assertFalse(ofOwner(bob, bob, bob).ownerOrRenewer(alice));
        }
    }

    private static TokenInformation ofOwner(KafkaPrincipal owner, KafkaPrincipal requester, KafkaPrincipal renewer) {
        return new TokenInformation("id", owner, requester, List.of(renewer), 0, 1, 1);
    }

    @Test
    void groupsAreOfOneObjectAndForgottenWithIt() {
        KafkaPrincipal one = PrincipalGroups.create("User", "alice", false, List.of("a"));
        KafkaPrincipal two = PrincipalGroups.create("User", "alice", false, List.of("b"));
        assertEquals(List.of("a"), groups(one));
        assertEquals(List.of("b"), groups(two));
        assertNull(PrincipalGroups.of(new KafkaPrincipal("User", "alice")));
        // What the garbage collector does when nothing refers to the principal.
        assertTrue(PrincipalGroups.of(one).enqueue());
        int count = PrincipalGroups.count();
        PrincipalGroups.create("User", "alice", false, List.of("c"));
        assertTrue(PrincipalGroups.count() <= count, "one was added and one forgotten");
        assertNull(PrincipalGroups.of(one));
        assertEquals(List.of("b"), groups(two));
    }

    @Test
    void groupsSurviveTheEnvelope() {
        PrincipalBuilder builder = builder();
        List<String> names = List.of("*", "User:x", "a,b", "a;b=c", "nul\0", "line\n", "\u00e9\ud83d\ude00", " ", "/a/b");
        for (boolean byToken : new boolean[] {true, false}) {
            KafkaPrincipal sent = PrincipalGroups.create("User", "alice", byToken, names);
            KafkaPrincipal received = builder.deserialize(builder.serialize(sent));
            assertEquals(sent, received);
            assertEquals(names, groups(received));
            assertEquals(byToken, received.tokenAuthenticated());
        }
        List<String> many = new ArrayList<>();
        for (int index = 0; index < 10_000; index++) {
            many.add("group-" + index);
        }
        KafkaPrincipal large = PrincipalGroups.create("User", "alice", false, many);
        assertEquals(many, groups(builder.deserialize(builder.serialize(large))));
    }

    @Test
    void kafkasOwnBytesAreReadAndWritten() {
        PrincipalBuilder builder = builder();
        KafkaPrincipal plain = new KafkaPrincipal("User", "bob", true);
        assertEquals(plain, builder.deserialize(STOCK.serialize(plain)));
        assertTrue(builder.deserialize(STOCK.serialize(plain)).tokenAuthenticated());
        KafkaPrincipal without = PrincipalGroups.create("User", "bob", true, List.of());
        assertEquals(plain, STOCK.deserialize(builder.serialize(without)), "a controller without the plugin reads it");
        byte[] with = builder.serialize(PrincipalGroups.create("User", "bob", false, List.of("eng")));
        assertThrows(SerializationException.class, () -> STOCK.deserialize(with), "it must not lose the groups");
    }

    @Test
    void damagedBytesAreRefused() {
        PrincipalBuilder builder = builder();
        byte[] whole = builder.serialize(PrincipalGroups.create("User", "bob", false, List.of("eng", "ops")));
        byte[] newer = whole.clone();
        newer[2] = 2;
        var refused = assertThrows(SerializationException.class, () -> builder.deserialize(newer));
        assertTrue(refused.getMessage().contains("the same version"), refused.getMessage());
        Random random = new Random(1);
        for (int length = 3; length < whole.length; length++) {
            byte[] part = java.util.Arrays.copyOf(whole, length);
            assertThrows(SerializationException.class, () -> builder.deserialize(part));
        }
        for (int round = 0; round < 10_000; round++) {
            byte[] damaged = whole.clone();
            damaged[2 + random.nextInt(damaged.length - 2)] = (byte) random.nextInt();
            try {
                builder.deserialize(damaged);
            } catch (SerializationException expected) {
                assertFalse(expected.getMessage().isEmpty());
            }
        }
    }

    @Test
    void tenThousandGroupsAreTaken() {
        StringBuilder claims = new StringBuilder("{\"groups\":[\"*\",\"User:x\",\"a,b\",\"n\\u0000l\"");
        for (int index = 0; index < 10_000; index++) {
            claims.append(",\"group-").append(index).append('"');
        }
        List<String> found = groups(ofToken(builder(), token(claims.append("]}").toString())));
        assertEquals(10_004, found.size());
        assertEquals(List.of("*", "User:x", "a,b", "n\0l"), found.subList(0, 4));
    }

    @Test
    void whatDoesNotFitIntoTheEnvelopeIsRefused() {
        StringBuilder claims = new StringBuilder("{\"groups\":[\"g\"");
        for (int index = 0; index < 60_000; index++) {
            claims.append(",\"a-group-with-a-long-name-").append(index).append('"');
        }
        String token = token(claims.append("]}").toString());
        var refused = assertThrows(SaslAuthenticationException.class, () -> ofToken(builder(), token));
        assertTrue(refused.getMessage().contains("60001 groups"), refused.getMessage());
        Server longName = new Server("OAUTHBEARER", "x".repeat(40_000), new Token(token("{}")));
        assertThrows(SaslAuthenticationException.class, () -> builder().build(context(longName)));
    }

    @Test
    void newRulesHoldForNewTokens() {
        PrincipalBuilder builder = builder("node.id", "principal-test");
        String token = token("{\"groups\":[\"a\"],\"teams\":[\"b\"]}");
        assertEquals(List.of("a"), groups(ofToken(builder, token)));
        ClaimRules.of(Map.of("gbac.groups.claim", "$.teams")).replace("principal-test");
        assertEquals(List.of("b"), groups(ofToken(builder, token)));
        assertEquals(List.of("a"), groups(ofToken(builder("node.id", "another"), token)));
    }
}

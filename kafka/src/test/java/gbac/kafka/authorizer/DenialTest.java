package gbac.kafka.authorizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import gbac.kafka.principal.PrincipalGroups;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.apache.kafka.server.authorizer.Action;
import org.junit.jupiter.api.Test;

/** Denials as JSON: their lines, their links, and how many there are. */
final class DenialTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final URI CONSOLE = URI.create("https://gbac.example.com/");
    /** Questions and their links, which a test of the console opens. */
    private static final Path LINKS = Path.of("src/test/resources/console-links.txt");

    private final AtomicLong now = new AtomicLong(1);
    private final DenialLimiter limiter = new DenialLimiter(now::get);

    private static Action read(String topic) {
        return World.action(AclOperation.DESCRIBE_CONFIGS, ResourceType.TOPIC, topic);
    }

    private String line(JsonDenials denials, String user, List<String> groups, String topic, Denial denial, String nearMiss) {
        KafkaPrincipal principal = PrincipalGroups.create("User", user, false, groups);
        Subject subject = new Subject(false, PrincipalGroups.of(principal), null);
        return denials.line(World.request(principal, "10.0.0.1"), subject, read(topic), denial, () -> nearMiss);
    }

    private static JsonNode json(String line) {
        try {
            return JSON.readTree(line);
        } catch (JsonProcessingException wrong) {
            throw new AssertionError(line, wrong);
        }
    }

    private static final Denial NO_MATCH = new Denial(DenialReason.NO_MATCH, "DefaultDeny", "");

    @Test
    void aLineHasTheQuestionAndWhy() {
        JsonDenials denials = new JsonDenials(limiter, "7", CONSOLE);
        JsonNode found = json(line(denials, "alice", List.of("eng"), "orders", NO_MATCH, "host: Allow Read, topic orders"));
        assertEquals("denied", found.get("event").asText());
        assertEquals("no_match", found.get("reason").asText());
        assertEquals("User:alice", found.get("principal").asText());
        assertEquals("[\"eng\"]", found.get("groups").toString());
        assertEquals("describe_configs", found.get("operation").asText());
        assertEquals("topic", found.get("resource_type").asText());
        assertEquals("orders", found.get("resource_name").asText());
        assertEquals("10.0.0.1", found.get("host").asText());
        assertEquals("Fetch", found.get("api").asText());
        assertEquals(1, found.get("api_key").asInt());
        assertEquals("7", found.get("node").asText());
        assertEquals("{\"differs\":\"host\",\"acl\":\"Allow Read, topic orders\"}", found.get("near_miss").toString());
        assertEquals(0, found.get("left_out").asInt());
        assertTrue(found.get("console").asText().startsWith("https://gbac.example.com/security/simulator#check=%7B%22user%22"));
        JsonNode denied = json(line(denials, "bob", List.of(), "orders",
                new Denial(DenialReason.DENY, "MatchingAcl(x)", "Deny Read, topic orders"), ""));
        assertEquals("Deny Read, topic orders", denied.get("acl").asText());
        assertNull(denied.get("near_miss"));
        assertNull(json(line(new JsonDenials(limiter, "7", null), "c", List.of(), "t", NO_MATCH, "")).get("console"));
    }

    @Test
    void namesCannotAddALineOrMembers() {
        JsonDenials denials = new JsonDenials(limiter, "7", CONSOLE);
        for (String name : List.of("a\nb", "\"},{\"", "\u2028\u2029", "\u202etxt", "\0", "\\", "\ud83d\ude00\ue0041", "x".repeat(5_000))) {
            List<String> groups = new ArrayList<>(List.of(name));
            for (int count = 0; count < 30; count++) {
                groups.add(name + count);
            }
            String line = line(denials, name, groups, name, NO_MATCH, "name_slashes: " + name);
            assertFalse(line.chars().anyMatch(letter -> letter < ' ' || letter == 0x2028 || letter == 0x202e), line);
            assertTrue(line.length() < 40_000, "bounded");
            JsonNode found = json(line);
            assertEquals(20, found.get("groups").size());
            assertEquals(11, found.get("groups_omitted").asInt());
            String expected = name.length() > 1024 ? name.substring(0, 1024) + "..." : name;
            assertEquals(expected, found.get("resource_name").asText());
        }
    }

    @Test
    void aUserAndAResourceHaveALineAMinuteThatCountsTheOthers() {
        assertEquals(new DenialLimiter.LeftOut(0, 0, 0), limiter.line("User:a", 2, "t"));
        for (int count = 0; count < 5; count++) {
            assertNull(limiter.line("User:a", 2, "t"));
        }
        assertNotNull(limiter.line("User:b", 2, "t"));
        assertNotNull(limiter.line("User:a", 3, "t"));
        assertNotNull(limiter.line("User:a", 2, "u"));
        now.addAndGet(TimeUnit.SECONDS.toNanos(59));
        assertNull(limiter.line("User:a", 2, "t"));
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertEquals(new DenialLimiter.LeftOut(6, 0, TimeUnit.MINUTES.toNanos(1)), limiter.line("User:a", 2, "t"));
        now.addAndGet(TimeUnit.MINUTES.toNanos(1));
        assertEquals(new DenialLimiter.LeftOut(0, 0, 0), limiter.line("User:a", 2, "t"));
    }

    @Test
    void aFloodOfNamesIsLimitedAndCounted() {
        int flood = 20_000;
        int lines = 0;
        for (int count = 0; count < flood; count++) {
            lines += limiter.line("User:" + "x".repeat(200) + count, 2, "t".repeat(200)) == null ? 0 : 1;
        }
        assertEquals(DenialLimiter.BURST, lines);
        assertEquals(DenialLimiter.MAX_KEYS, limiter.size());
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        DenialLimiter.LeftOut left = limiter.line("User:new", 2, "t");
        // One more is forgotten for the new one.
        assertEquals(flood - lines - DenialLimiter.MAX_KEYS + 1, left.others());
        int more = 1;
        for (int count = 0; count < 100; count++) {
            more += limiter.line("User:again" + count, 2, "t") == null ? 0 : 1;
        }
        assertEquals(20, more, "twenty a second");
    }

    /** The reason is in the cache with the decision, and is never one of other ACLs. */
    @Test
    void theReasonFollowsTheAcls() {
        AclAuthorizer authorizer = World.authorizer(List.of(World.readAcl("t", "User:other")));
        World.NodeMetrics metrics = new World.NodeMetrics(new Metrics());
        authorizer.withMetrics(metrics);
        KafkaPrincipal alice = PrincipalGroups.create("User", "alice", false, List.of("eng", "of-no-acl"));
        List<Uuid> added = new ArrayList<>();
        String[] denied = {"no-match", "deny", "no-match", "deny", "host", "no-match"};
        for (int step = 0; step < denied.length; step++) {
            String counter = "denials-" + denied[step] + "-total";
            double before = metrics.value(counter);
            for (int again = 0; again < 3; again++) {
                assertFalse(World.allows(authorizer, World.request(alice, "10.0.0.1"),
                        World.action(AclOperation.READ, ResourceType.TOPIC, "t")));
            }
            assertEquals(3, metrics.value(counter) - before, "step " + step);
            added.forEach(authorizer::removeAcl);
            added.clear();
            StandardAcl next = switch (step) {
                case 0 -> World.acl(ResourceType.TOPIC, "t", PatternType.LITERAL, "Group:eng", AclOperation.READ, false);
                case 2 -> World.acl(ResourceType.TOPIC, "t", PatternType.PREFIXED, "Group:of-no-acl", AclOperation.ALL, false);
                case 3 -> new StandardAcl(ResourceType.TOPIC, "t", PatternType.LITERAL, "Group:eng", "10.9.9.9",
                        AclOperation.READ, AclPermissionType.ALLOW);
                // A deny of another operation is none of this one.
                case 4 -> World.acl(ResourceType.TOPIC, "t", PatternType.LITERAL, "Group:eng", AclOperation.WRITE, false);
                default -> null;
            };
            if (next != null) {
                added.add(Uuid.randomUuid());
                authorizer.addAcl(added.get(0), next);
            }
        }
        authorizer.close();
    }

    private record Question(String user, List<String> groups, String name, String host) {}

    private static final List<Question> QUESTIONS = List.of(
            new Question("maya", List.of("/eng/a", "b,c", "\u65e5\u672c %"), "a#b &\u00fc", "10.0.0.1"),
            new Question("\"}\\#?&=+/%00", List.of(), "..", "2001:db8:0:0:0:0:0:1"),
            new Question("\u202e\u0007", List.of("\"", "'", "<script>", "\ud83d\ude00"), "\u2028", "0:0:0:0:0:0:0:1"));

    @Test
    void linksAreThoseThatTheConsoleOpens() throws IOException {
        ConsoleLink links = new ConsoleLink(CONSOLE);
        List<String> made = new ArrayList<>();
        for (Question asked : QUESTIONS) {
            made.add(links.of(asked.user, asked.groups, "describe_configs", "transactional_id", asked.name, asked.host));
        }
        assertEquals(Files.readAllLines(LINKS), made);
        assertNull(links.of("a", List.of("b\nc"), "read", "topic", "t", "10.0.0.1"));
        assertNull(links.of("a", List.of("x".repeat(9_000)), "read", "topic", "t", "10.0.0.1"));
    }

    @Test
    void wrongPropertiesStopTheStart() {
        for (String[] wrong : new String[][] {
            {"gbac.denials.format", "xml"}, {"gbac.denials.format", ""},
            {"gbac.console.url", "https://gbac.example.com"},
            {"gbac.denials.format", "json", "gbac.console.url", "gbac.example.com"},
            {"gbac.denials.format", "json", "gbac.console.url", "https://a:b@gbac.example.com"},
            {"gbac.denials.format", "json", "gbac.console.url", "https://gbac.example.com/#x"},
        }) {
            AclAuthorizer authorizer = new AclAuthorizer();
            String message = assertThrows(
                    ConfigException.class, () -> authorizer.configure(World.configs(wrong))).getMessage();
            assertTrue(message.contains(wrong[wrong.length - 2]), message);
            authorizer.close();
        }
    }
}

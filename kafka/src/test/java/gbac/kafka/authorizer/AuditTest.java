package gbac.kafka.authorizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import gbac.kafka.principal.PrincipalGroups;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Audit events: what the specification wants in them, and how large their files become. */
final class AuditTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private static void read(AclAuthorizer authorizer, String user, List<String> groups, String topic) {
        KafkaPrincipal principal = PrincipalGroups.create("User", user, false, groups);
        World.allows(authorizer, World.request(principal, "10.0.0.1"),
                World.action(AclOperation.READ, ResourceType.TOPIC, topic));
    }

    private List<JsonNode> events() throws IOException {
        List<JsonNode> events = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("audit.jsonl"))) {
            events.add(JSON.readTree(line));
        }
        return events;
    }

    @Test
    void eventsHaveTheGroupsOfTheUserAndTheGroupThatMatched() throws IOException {
        AclAuthorizer authorizer = World.authorizer(
                List.of(World.readAcl("orders", "Group:eng"), World.readAcl("all", "User:alice"),
                        World.acl(ResourceType.TOPIC, "secret", PatternType.LITERAL, "Group:ops", AclOperation.READ, false)),
                "gbac.audit.file", folder.resolve("audit.jsonl").toString(), "super.users", "User:root");
        List<String> groups = List.of("eng", "ops");
        read(authorizer, "alice", groups, "orders");
        read(authorizer, "alice", groups, "orders");
        read(authorizer, "alice", groups, "secret");
        read(authorizer, "alice", groups, "all");
        read(authorizer, "alice", groups, "none\n");
        read(authorizer, "root", List.of(), "orders");
        authorizer.close();
        List<JsonNode> events = events();
        assertEquals(6, events.size(), "equal ones are one event");
        JsonNode signIn = events.get(0);
        assertEquals(3002, signIn.get("class_uid").asInt());
        assertEquals("alice", signIn.get("user").get("name").asText());
        assertEquals("[{\"type\":\"idp_group\",\"name\":\"eng\"},{\"type\":\"idp_group\",\"name\":\"ops\"}]",
                signIn.get("user").get("groups").toString());
        assertTrue(signIn.get("is_cleartext").asBoolean());
        assertEquals(List.of("authorized", "denied", "authorized", "denied", "authorized"),
                events.stream().skip(1).map(event -> event.at("/actor/authorizations/0/decision").asText()).toList());
        JsonNode allowed = events.get(1);
        assertEquals(6003, allowed.get("class_uid").asInt());
        assertEquals("[{\"type\":\"idp_group\",\"name\":\"eng\"}]", allowed.at("/actor/user/groups").toString());
        assertEquals("orders", allowed.at("/resources/0/name").asText());
        assertEquals("read", allowed.at("/api/operation").asText());
        assertEquals("10.0.0.1", allowed.at("/src_endpoint/ip").asText());
        assertEquals("1", allowed.at("/metadata/product/uid").asText());
        assertEquals("[{\"type\":\"idp_group\",\"name\":\"ops\"}]", events.get(2).at("/actor/user/groups").toString());
        assertTrue(events.get(3).at("/actor/user/groups").isMissingNode(), "an ACL of the user");
        assertTrue(events.get(4).at("/actor/user/groups").isMissingNode(), "no ACL");
        assertEquals("superuser", events.get(5).at("/actor/authorizations/0/policy/desc").asText());
    }

    @Test
    void groupsThatAreNotKnownAreNotTheOnesThatMatched() throws IOException {
        AclAuthorizer authorizer = World.authorizer(List.of(
                World.acl(ResourceType.TOPIC, "secret", PatternType.LITERAL, "Group:ops", AclOperation.READ, false)),
                "gbac.audit.file", folder.resolve("audit.jsonl").toString());
        World.allows(authorizer, World.request(new KafkaPrincipal("User", "alice"), "10.0.0.1"),
                World.action(AclOperation.READ, ResourceType.TOPIC, "secret"));
        authorizer.close();
        JsonNode denied = events().get(0);
        assertEquals("denied", denied.at("/actor/authorizations/0/decision").asText());
        assertTrue(denied.at("/actor/user/groups").isMissingNode());
        assertEquals("UnknownGroups", denied.at("/actor/authorizations/0/policy/desc").asText());
    }

    @Test
    void filesAreReplacedAndTheOldestDeleted() throws IOException {
        Path path = folder.resolve("audit.jsonl");
        Files.writeString(folder.resolve("audit-0000000x.jsonl"), "another file");
        AuditSettings settings = new AuditSettings(path, 1 << 20);
        AuditFile file = AuditFile.of(settings, "1");
        AuditFile same = AuditFile.of(settings, "1");
        String line = "x".repeat(1023);
        for (int count = 0; count < 3000; count++) {
            file.write(line);
        }
        file.close();
        same.write("last");
        same.close();
        long total = 0;
        List<String> names = new ArrayList<>();
        try (var files = Files.newDirectoryStream(folder, "audit*.jsonl")) {
            for (Path each : files) {
                total += Files.size(each);
                names.add(each.getFileName().toString());
            }
        }
        assertTrue(total <= 1 << 20, total + " " + names);
        assertTrue(names.size() >= 4 && !names.contains("audit-00000001.jsonl"), names.toString());
        assertTrue(names.contains("audit-0000000x.jsonl"), "it is not a part");
        List<String> lines = Files.readAllLines(path);
        assertEquals("last", lines.get(lines.size() - 1));
        assertFalse(lines.stream().anyMatch(each -> !each.equals(line) && !each.equals("last")), "whole lines");
    }

    @Test
    void wrongPropertiesStopTheStart() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        for (String[] wrong : new String[][] {
            {"gbac.audit.total.mib", "1"},
            {"gbac.audit.total.mib", "-1", "gbac.audit.file", folder.resolve("a").toString()},
            {"gbac.audit.total.mib", "many", "gbac.audit.file", folder.resolve("a").toString()},
            {"gbac.audit.file", ""}, {"gbac.audit.file", folder.toString()},
            {"gbac.audit.file", folder.resolve("none/a").toString()}, {"gbac.audit.file", file.resolve("a").toString()},
            {"gbac.audit.file", link.toString()},
        }) {
            AclAuthorizer authorizer = new AclAuthorizer();
            String message = assertThrows(
                    ConfigException.class, () -> authorizer.configure(World.configs(wrong))).getMessage();
            assertTrue(message.contains(wrong[0]), message);
            authorizer.close();
        }
    }
}

package gbac.kafka.authorizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import gbac.kafka.principal.PrincipalGroups;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users with groups and roles are decided as by the native engine, which the command line asks. */
final class NativeEngineTest {
    private static final int QUESTIONS_OF_A_POLICY = 25_000;
    private static final List<String> GROUPS = List.of("g", "h", "/a/g", "*", "User:u", "x,y", "\u00e9");
    private static final List<String> ROLES = List.of("r", "s", "t");
    private static final List<String> USERS = List.of("u", "v", "root", "Service:x");
    private static final List<String> PRINCIPALS = principals();
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Random random = new Random(World.seed());
    @TempDir
    private Path folder;

    private static List<String> principals() {
        List<String> all = new ArrayList<>(List.of("User:*", "Service:x"));
        USERS.forEach(name -> all.add("User:" + name));
        GROUPS.forEach(name -> all.add("Group:" + name));
        ROLES.forEach(name -> all.add("Role:" + name));
        return all;
    }

    @Test
    void groupsAndRolesAreDecidedAsByTheNativeEngine() throws IOException, InterruptedException {
        String program = System.getenv("GBAC_BIN");
        assertNotNull(program, "GBAC_BIN is the built command line; `cargo xtask test --only kafka` sets it");
        int questions = World.cases(50_000, 1_000_000);
        int allowed = 0;
        for (int asked = 0; asked < questions; asked += QUESTIONS_OF_A_POLICY) {
            allowed += compare(program);
        }
        assertTrue(allowed > questions / 20 && allowed < questions / 20 * 19, allowed + " of " + questions);
        System.out.println(questions + " questions are decided as by the native engine, " + allowed + " allowed");
    }

    private int compare(String program) throws IOException, InterruptedException {
        Set<StandardAcl> acls = new LinkedHashSet<>();
        for (int count = 5 + random.nextInt(60); count > 0; count--) {
            acls.add(World.acl(random, PRINCIPALS));
        }
        Path policy = folder.resolve("policy.json");
        Files.writeString(policy, JSON.writeValueAsString(document(acls)));
        AclAuthorizer authorizer = World.authorizer(
                List.copyOf(acls), "gbac.roles.file", policy.toString(), "super.users", "User:root");
        List<String> lines = new ArrayList<>();
        List<String> answers = new ArrayList<>();
        for (int question = 0; question < QUESTIONS_OF_A_POLICY; question++) {
            ask(authorizer, lines, answers);
        }
        authorizer.close();
        Path requests = Files.write(folder.resolve("requests.jsonl"), lines);
        Path output = folder.resolve("answers.jsonl");
        Process process = new ProcessBuilder(program, "check", "--policy", policy.toString(), "--checks",
                requests.toString(), "--format", "json")
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertEquals(0, process.waitFor());
        List<String> expected = Files.readAllLines(output, StandardCharsets.UTF_8);
        assertEquals(lines.size(), expected.size());
        int allowed = 0;
        for (int index = 0; index < lines.size(); index++) {
            String outcome = JSON.readTree(expected.get(index)).get("outcome").asText();
            int line = index;
            assertEquals(outcome, answers.get(index),
                    () -> "GBAC_SEED=" + World.seed() + ": " + lines.get(line) + " in " + document(acls));
            allowed += outcome.equals("allow") ? 1 : 0;
        }
        return allowed;
    }

    private void ask(AclAuthorizer authorizer, List<String> lines, List<String> answers) throws IOException {
        Set<String> groups = new LinkedHashSet<>();
        for (int count = random.nextInt(4); count > 0; count--) {
            groups.add(World.any(random, GROUPS));
        }
        String user = World.any(random, USERS);
        ResourceType type = World.any(random, World.TYPES);
        AclOperation operation = World.any(random, World.OPERATIONS);
        String name = World.name(random, type);
        AuthorizableRequestContext context = World.request(
                PrincipalGroups.create("User", user, false, List.copyOf(groups)), World.address(random));
        boolean isAllowed = authorizer.authorize(context, List.of(World.action(operation, type, name))).get(0)
                == AuthorizationResult.ALLOWED;
        answers.add(isAllowed ? "allow" : "deny");
        Map<String, Object> check = new LinkedHashMap<>();
        check.put("identity", Map.of("user", user, "groups", groups));
        check.put("operation", "OPERATION_" + operation.name());
        check.put("resource_type", "RESOURCE_TYPE_" + type.name());
        check.put("resource_name", name);
        check.put("host", context.clientAddress().getHostAddress());
        lines.add(JSON.writeValueAsString(check));
    }

    private Map<String, Object> document(Set<StandardAcl> acls) {
        // The same for one policy: which members a role has depends on its ACLs.
        Random members = new Random(acls.toString().hashCode());
        List<Map<String, Object>> roles = new ArrayList<>();
        for (String role : ROLES) {
            Set<Map<String, String>> named = new LinkedHashSet<>();
            named.add(Map.of("principal", "Group:" + World.any(members, GROUPS.subList(0, 3))));
            named.add(Map.of("principal", "User:" + World.any(members, USERS)));
            roles.add(Map.of("name", role, "members", named));
        }
        List<Map<String, String>> rules = new ArrayList<>();
        for (StandardAcl acl : acls) {
            rules.add(Map.of(
                    "resource_type", "RESOURCE_TYPE_" + acl.resourceType().name(),
                    "resource_name", acl.resourceName(),
                    "resource_pattern_type", "RESOURCE_PATTERN_TYPE_" + acl.patternType().name(),
                    "principal", acl.principal(),
                    "host", acl.host(),
                    "operation", "OPERATION_" + acl.operation().name(),
                    "permission_type", "PERMISSION_TYPE_" + acl.permissionType().name()));
        }
        String version = KafkaVersion.ofThisNode().matchesRanges() ? "4.4" : "4.3";
        return Map.of("version", 1, "settings",
                Map.of("dialect", "kafka", "kafka_version", version, "superusers", List.of("root")),
                "roles", roles, "acls", rules);
    }
}

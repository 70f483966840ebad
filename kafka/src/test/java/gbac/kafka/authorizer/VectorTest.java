package gbac.kafka.authorizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import gbac.kafka.engine.EngineException;
import gbac.kafka.engine.Extraction;
import gbac.kafka.principal.ClaimRules;
import gbac.kafka.principal.PrincipalGroups;
import gbac.kafka.principal.TokenReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The project's vectors through the interfaces of Kafka, as far as a request of Kafka can be such a check. */
final class VectorTest {
    private static final Path VECTORS = Path.of("../tests/vectors");
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;
    private int compared;

    @Test
    void everyVectorHolds() throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.list(VECTORS)) {
            files = found.filter(file -> file.toString().endsWith(".json")).sorted().toList();
        }
        for (Path file : files) {
            JsonNode document = JSON.readTree(file.toFile());
            JsonNode settings = document.path("policy").path("settings");
            boolean needsRanges = settings.path("dialect").asText().equals("kafka");
            boolean matchesRanges = KafkaVersion.ofThisNode().matchesRanges();
            boolean isForRanges = settings.path("kafka_version").asText("4.4").compareTo("4.4") >= 0;
            if (!settings.has("sso") && (!needsRanges || matchesRanges == isForRanges)) {
                check(file, document);
            }
        }
        assertTrue(compared >= 300, compared + " vectors");
        System.out.println(compared + " vectors through the authorizer");
    }

    private void check(Path file, JsonNode document) throws IOException {
        ObjectNode policy = (ObjectNode) document.get("policy");
        // A source of members states its roles.
        policy.withArray("roles");
        JsonNode settings = policy.path("settings");
        Path roles = Files.writeString(folder.resolve("roles.json"), policy.toString());
        List<String> superUsers = new ArrayList<>();
        settings.path("superusers").forEach(name -> superUsers.add("User:" + name.asText()));
        List<StandardAcl> acls = new ArrayList<>();
        policy.path("acls").forEach(acl -> {
            if (type(acl.get("resource_type").asText()) != ResourceType.UNKNOWN) {
                acls.add(acl(acl));
            }
        });
        boolean namesHosts = acls.stream().anyMatch(acl -> !acl.host().equals("*"));
        AclAuthorizer authorizer = World.authorizer(acls, "gbac.roles.file", roles.toString(), "super.users",
                String.join(";", superUsers), "gbac.groups.claim",
                settings.path("oidc_group_claim_path").asText("$.groups"), "gbac.groups.nested",
                settings.path("nested_group_behavior").asText("none"), "gbac.principal.mapping",
                settings.path("oidc_principal_mapping").asText("$.sub"));
        for (JsonNode test : document.get("tests")) {
            JsonNode check = test.get("check");
            JsonNode expected = test.get("expect");
            ResourceType type = type(check.path("resource_type").asText());
            // A request of Kafka has an address, and the plugin does not know when a token expires.
            boolean isPossible = !expected.has("error") && check.has("operation") && type != ResourceType.UNKNOWN
                    && !expected.path("reason").asText().equals("expired") && (check.has("host") || !namesHosts);
            KafkaPrincipal principal = isPossible ? principal(settings, check, expected) : null;
            if (principal == null || principal.getName().isEmpty()) {
                continue;
            }
            String name = check.path("resource_name").asText("");
            boolean isAllowed = World.allows(authorizer,
                    World.request(principal, check.path("host").asText("192.0.2.1")),
                    World.action(operation(check.get("operation").asText()), type,
                            type == ResourceType.CLUSTER && name.isEmpty() ? "kafka-cluster" : name));
            String id = file.getFileName() + " " + test.get("id").asText();
            assertEquals(expected.get("outcome").asText(), isAllowed ? "allow" : "deny", id);
            compared++;
        }
        authorizer.close();
    }

    private static KafkaPrincipal principal(JsonNode settings, JsonNode check, JsonNode expected) {
        if (check.has("identity")) {
            JsonNode identity = check.get("identity");
            String text = identity.has("principal") ? identity.get("principal").asText() : "User:" + identity.get("user").asText();
            List<String> groups = new ArrayList<>();
            identity.path("groups").forEach(group -> groups.add(group.asText()));
            return PrincipalGroups.create(
                    text.substring(0, text.indexOf(':')), text.substring(text.indexOf(':') + 1), false, groups);
        }
        if (!check.has("claims")) {
            return null;
        }
        ClaimRules rules = ClaimRules.of(Map.of(
                ClaimRules.CLAIM, settings.path("oidc_group_claim_path").asText("$.groups"),
                ClaimRules.NESTED, settings.path("nested_group_behavior").asText("none"),
                ClaimRules.MAPPING, settings.path("oidc_principal_mapping").asText("$.sub")));
        String body = Base64.getUrlEncoder().withoutPadding()
                .encodeToString(check.get("claims").toString().getBytes(StandardCharsets.UTF_8));
        try {
            Extraction found = TokenReader.SHARED.read(rules, "e30." + body + ".c2ln");
            if (expected.has("groups")) {
                List<String> groups = new ArrayList<>();
                expected.get("groups").forEach(group -> groups.add(group.asText()));
                assertEquals(groups, found.groups());
            }
            return PrincipalGroups.create("User", found.user(), false, found.groups());
        } catch (EngineException refused) {
            return null;
        }
    }

    private static StandardAcl acl(JsonNode acl) {
        ResourceType type = type(acl.get("resource_type").asText());
        String host = acl.get("host").asText();
        // Documents compare addresses by their value, Kafka as Java writes them, and names as they are.
        if (!host.contains("/") && (host.contains(":") || host.matches("[0-9]+([.][0-9]+){3}"))) {
            host = World.address(host).getHostAddress();
        }
        String name = acl.path("resource_name").asText("");
        return new StandardAcl(type, type == ResourceType.CLUSTER && name.isEmpty() ? "kafka-cluster" : name,
                PatternType.fromString(acl.get("resource_pattern_type").asText().substring("RESOURCE_PATTERN_TYPE_".length())),
                acl.get("principal").asText(), host, operation(acl.get("operation").asText()),
                AclPermissionType.fromString(acl.get("permission_type").asText().substring("PERMISSION_TYPE_".length())));
    }

    private static AclOperation operation(String text) {
        String folded = fold(text.replace("OPERATION_", ""));
        return World.OPERATIONS.stream().filter(known -> fold(known.name()).equals(folded)).findFirst().orElseThrow();
    }

    private static ResourceType type(String text) {
        String folded = fold(text.replace("RESOURCE_TYPE_", ""));
        return World.TYPES.stream().filter(known -> fold(known.name()).equals(folded)).findFirst()
                .orElse(ResourceType.UNKNOWN);
    }

    private static String fold(String text) {
        return text.replaceAll("[_-]", "").toLowerCase(Locale.ROOT);
    }
}

package gbac.kafka.authorizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import gbac.kafka.engine.Engine;
import gbac.kafka.engine.Records;
import gbac.kafka.principal.PrincipalGroups;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthorizerNotReadyException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.junit.jupiter.api.Test;

/** Whatever fails or cannot be used, nobody is allowed more. */
final class FailureTest {
    private static final StandardAcl ALLOW = World.readAcl("orders", "Group:eng");

    /** An engine that fails while a switch is on. */
    private static final class Fragile extends Engine {
        private static volatile boolean isBroken;

        Fragile() {
            super();
            check();
        }

        private static void check() {
            if (isBroken) {
                throw new IllegalStateException("broken by the test");
            }
        }

        @Override
        public int mask(int handle, int resourceType, String host, String name) {
            check();
            return super.mask(handle, resourceType, host, name);
        }

        @Override
        public int apply(Records records) {
            check();
            return super.apply(records);
        }
    }

    private static World.Request alice() {
        return World.request(PrincipalGroups.create("User", "alice", false, List.of("eng")), "10.0.0.1");
    }

    private static boolean reads(AclAuthorizer authorizer, World.Request request, String topic) {
        return World.allows(authorizer, request, World.action(AclOperation.READ, ResourceType.TOPIC, topic));
    }

    @Test
    void aFailedEngineDeniesEverybodyButSuperUsersAndRecovers() {
        Queue<Runnable> repairs = new ArrayDeque<>();
        AclAuthorizer authorizer = new AclAuthorizer(Fragile::new, repairs::add);
        authorizer.configure(World.configs("super.users", "User:root", "allow.everyone.if.no.acl.found", "true",
                "gbac.engine.instances", "1"));
        authorizer.loadSnapshot(Map.of(Uuid.randomUuid(), ALLOW));
        authorizer.completeInitialLoad();
        World.Request root = World.request(World.user("root"), "10.0.0.1");
        assertTrue(reads(authorizer, alice(), "orders"));
        Fragile.isBroken = true;
        try {
            assertTrue(reads(authorizer, alice(), "orders"), "a cached decision holds, because nothing changed");
            assertFalse(reads(authorizer, alice(), "without-acls"));
            assertTrue(reads(authorizer, root, "without-acls"));
            Uuid deny = Uuid.randomUuid();
            authorizer.addAcl(deny, World.acl(
                    ResourceType.TOPIC, "orders", PatternType.LITERAL, "User:alice", AclOperation.READ, false));
            assertFalse(reads(authorizer, alice(), "orders"));
            assertTrue(reads(authorizer, root, "orders"));
            Runnable repair = repairs.remove();
            repair.run();
            assertFalse(reads(authorizer, alice(), "without-acls"), "a repair that fails changes nothing");
            Fragile.isBroken = false;
            repair.run();
            assertTrue(reads(authorizer, alice(), "without-acls"));
            assertFalse(reads(authorizer, alice(), "orders"), "the change during the failure was not lost");
            authorizer.removeAcl(deny);
            assertTrue(reads(authorizer, alice(), "orders"));
        } finally {
            Fragile.isBroken = false;
            authorizer.close();
        }
    }

    @Test
    void anInterruptedThreadIsAnsweredAndStaysInterrupted() {
        AclAuthorizer authorizer = World.authorizer(List.of(ALLOW), "gbac.decision.cache", "false");
        Thread.currentThread().interrupt();
        assertTrue(reads(authorizer, alice(), "orders"));
        assertFalse(reads(authorizer, alice(), "other"));
        Uuid id = Uuid.randomUuid();
        authorizer.addAcl(id, World.readAcl("other", "User:alice"));
        assertTrue(reads(authorizer, alice(), "other"));
        authorizer.removeAcl(id);
        assertTrue(Thread.interrupted());
        authorizer.close();
    }

    @Test
    void nothingIsDecidedBeforeTheInitialLoad() {
        AclAuthorizer authorizer = new AclAuthorizer();
        authorizer.configure(World.configs("super.users", "User:root"));
        assertThrows(AuthorizerNotReadyException.class, () -> reads(authorizer, alice(), "orders"));
        assertTrue(reads(authorizer, World.request(World.user("root"), "10.0.0.1"), "orders"));
        authorizer.close();
    }

    @Test
    void settingsThatCannotBeUsedAreNamedInOneSentence() {
        String[][] wrong = {
            {"gbac.groups.claim", "groups[", "gbac.groups.claim"},
            {"gbac.groups.nested", "sufix", "write `none` or `suffix`"},
            {"gbac.principal.mapping", "sub/(/", "gbac.principal.mapping"},
            {"gbac.engine.instances", "0", "from 1 to 64"},
            {"gbac.engine.instances", "many", "from 1 to 64"},
            {"gbac.decision.cache", "yes", "`true` or `false`"},
            {"gbac.role.file", "/roles.json", "gbac.roles.file"},
            {"gbac.roles.file", "/does/not/exist.json", "does not exist"},
            {"gbac.roles.file", "/", "is not a file"},
            {"gbac.roles.url", "http://roles.example.com/", "https"},
            {"gbac.roles.url", "https://user:secret@roles.example.com/", "without a password"},
            {"gbac.roles.cache", "/tmp/roles.json", "has no effect without gbac.roles.url"},
            {"gbac.roles.max.age", "-1", "seconds"},
            {"super.users", "admin", "User:admin"},
            {"super.users", "User:admin; Group:admins", "groups and roles are never super users"},
            {"super.users", "Role:admins", "groups and roles are never super users"},
            {"super.users", "RedpandaRole:admins", "groups and roles are never super users"},
            {"principal.builder.class", "", "is not set, so no user would have groups"},
            {"principal.builder.class", "com.example.Builder", "set it to gbac.kafka.GroupPrincipalBuilder"},
        };
        for (String[] row : wrong) {
            AclAuthorizer authorizer = new AclAuthorizer();
            ConfigException refused = assertThrows(
                    ConfigException.class, () -> authorizer.configure(World.configs(row[0], row[1])), row[0]);
            assertTrue(refused.getMessage().contains(row[2]), row[0] + ": " + refused.getMessage());
            assertFalse(refused.getMessage().contains("\n"), refused.getMessage());
            authorizer.close();
        }
    }

    @Test
    void anEngineThatDecidesWronglyIsNotUsed() {
        AclAuthorizer authorizer = new AclAuthorizer(() -> new Engine() {
            @Override
            public int mask(int handle, int resourceType, String host, String name) {
                return HAS_ACLS | 1 << 3;
            }
        }, Runnable::run);
        ConfigException refused = assertThrows(ConfigException.class, () -> authorizer.configure(World.configs()));
        assertTrue(refused.getMessage().contains("damaged"), refused.getMessage());
    }

    @Test
    void aclsOfANewerControllerNeverAllow() {
        AclAuthorizer authorizer = World.authorizer(List.of(), "allow.everyone.if.no.acl.found", "true");
        World.Request bob = World.request(World.user("bob"), "10.0.0.1");
        assertTrue(reads(authorizer, bob, "t"));
        List<StandardAcl> unknown = List.of(
                acl(ResourceType.TOPIC, "op", PatternType.LITERAL, AclOperation.UNKNOWN, AclPermissionType.ALLOW),
                acl(ResourceType.TOPIC, "pattern", PatternType.UNKNOWN, AclOperation.READ, AclPermissionType.ALLOW),
                acl(ResourceType.TOPIC, "denied", PatternType.UNKNOWN, AclOperation.READ, AclPermissionType.DENY),
                acl(ResourceType.TOPIC, "permission", PatternType.LITERAL, AclOperation.READ, AclPermissionType.UNKNOWN),
                acl(ResourceType.UNKNOWN, "t", PatternType.LITERAL, AclOperation.READ, AclPermissionType.DENY),
                new StandardAcl(ResourceType.TOPIC, "principal", PatternType.LITERAL, "bob", "*", AclOperation.READ,
                        AclPermissionType.ALLOW));
        List<Uuid> ids = unknown.stream().map(acl -> Uuid.randomUuid()).toList();
        for (int index = 0; index < ids.size(); index++) {
            authorizer.addAcl(ids.get(index), unknown.get(index));
        }
        for (String name : List.of("op", "pattern", "pattern-1", "denied", "denied-1", "permission", "principal")) {
            assertFalse(reads(authorizer, bob, name), name);
        }
        assertTrue(reads(authorizer, bob, "t"));
        assertEquals(unknown.size(), authorizer.aclCount());
        // The same deny twice, as this version reads it: it holds until both are gone.
        Uuid twin = Uuid.randomUuid();
        authorizer.addAcl(twin, unknown.get(3));
        ids.forEach(authorizer::removeAcl);
        assertFalse(reads(authorizer, bob, "permission"));
        authorizer.removeAcl(twin);
        assertTrue(reads(authorizer, bob, "permission"));
        assertTrue(reads(authorizer, bob, "op"));
        assertEquals(0, authorizer.aclCount());
        authorizer.close();
    }

    private static StandardAcl acl(
            ResourceType type, String name, PatternType pattern, AclOperation operation, AclPermissionType permission) {
        return new StandardAcl(type, name, pattern, "User:*", "*", operation, permission);
    }

    @Test
    void manySessionsAreForgotten() {
        AclAuthorizer authorizer = World.authorizer(List.of(World.readAcl("orders", "User:*")));
        for (int index = 0; index < 50_000; index++) {
            World.Request request =
                    World.request(PrincipalGroups.create("User", "u" + index, false, List.of("g" + index)), "10.0.0.1");
            assertTrue(reads(authorizer, request, "orders"));
        }
        assertTrue(authorizer.sessionCount() <= 40_001, authorizer.sessionCount() + " sessions");
        authorizer.close();
    }
}

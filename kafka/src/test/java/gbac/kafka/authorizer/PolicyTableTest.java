package gbac.kafka.authorizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.junit.jupiter.api.Test;

/** ACLs of the log that are the same rule, and lines of the log about them. */
final class PolicyTableTest {
    private static boolean reads(AclAuthorizer authorizer, String topic) {
        return World.allows(authorizer, World.request(World.user("alice"), "10.0.0.1"),
                World.action(AclOperation.READ, ResourceType.TOPIC, topic));
    }

    @Test
    void aRuleStaysUntilItsLastAclIsRemoved() {
        StandardAcl allow = World.readAcl("t", "User:alice");
        StandardAcl deny = World.acl(ResourceType.TOPIC, "d", PatternType.LITERAL, "User:alice", AclOperation.READ, false);
        Uuid first = Uuid.randomUuid();
        Uuid second = Uuid.randomUuid();
        Uuid firstDeny = Uuid.randomUuid();
        Uuid secondDeny = Uuid.randomUuid();
        AclAuthorizer authorizer = World.authorizer(List.of(World.readAcl("d", "User:*")));
        authorizer.addAcl(first, allow);
        authorizer.addAcl(second, allow);
        authorizer.addAcl(firstDeny, deny);
        authorizer.addAcl(secondDeny, deny);
        authorizer.removeAcl(second);
        authorizer.removeAcl(firstDeny);
        assertTrue(reads(authorizer, "t"));
        assertFalse(reads(authorizer, "d"));
        authorizer.removeAcl(first);
        authorizer.removeAcl(secondDeny);
        assertFalse(reads(authorizer, "t"));
        assertTrue(reads(authorizer, "d"));
        // The same from a snapshot.
        authorizer.loadSnapshot(Map.of(first, allow, second, allow));
        authorizer.removeAcl(first);
        assertTrue(reads(authorizer, "t"));
        assertEquals(1, authorizer.aclCount());
        authorizer.removeAcl(second);
        assertFalse(reads(authorizer, "t"));
        authorizer.close();
    }

    /** After any changes, the engines decide as engines that are loaded with what is left. */
    @Test
    void changesGiveThePolicyThatIsLeft() {
        Random random = new Random(World.seed());
        List<StandardAcl> known = new ArrayList<>();
        for (String principal : List.of("User:alice", "Role:dev", "RedpandaRole:dev", "alice")) {
            for (AclPermissionType permission : AclPermissionType.values()) {
                for (PatternType pattern : List.of(PatternType.LITERAL, PatternType.PREFIXED, PatternType.UNKNOWN)) {
                    for (AclOperation operation : List.of(AclOperation.READ, AclOperation.UNKNOWN)) {
                        known.add(new StandardAcl(
                                ResourceType.TOPIC, "t", pattern, principal, "*", operation, permission));
                    }
                }
            }
        }
        for (String cluster : List.of("", "kafka-cluster")) {
            known.add(new StandardAcl(ResourceType.CLUSTER, cluster, PatternType.LITERAL, "User:alice", "*", AclOperation.ALTER,
                    AclPermissionType.ALLOW));
        }
        known.add(new StandardAcl(ResourceType.UNKNOWN, "t", PatternType.LITERAL, "User:alice", "*", AclOperation.READ,
                AclPermissionType.DENY));
        for (int round = 0; round < 20; round++) {
            PolicyTable table = new PolicyTable(true);
            Engines engines = new Engines(table, 1, gbac.kafka.engine.Engine::new, Runnable::run);
            table.replace(java.util.Set.of(new gbac.kafka.engine.RoleMember("dev", "User:alice")), engines::apply);
            List<Uuid> ids = new ArrayList<>();
            for (int step = 0; step < 60; step++) {
                if (ids.isEmpty() || random.nextInt(5) < 3) {
                    ids.add(Uuid.randomUuid());
                    engines.apply(table.add(ids.get(ids.size() - 1), World.any(random, known)));
                } else {
                    engines.apply(table.remove(ids.remove(random.nextInt(ids.size()))));
                }
                if (random.nextInt(20) == 0) {
                    table.allowRoles(random.nextBoolean(), engines::apply);
                }
                Engines loaded = step % 10 == 0 ? new Engines(table, 1, gbac.kafka.engine.Engine::new, Runnable::run) : null;
                if (loaded != null) {
                    assertEquals(masks(loaded), masks(engines), "GBAC_SEED=" + World.seed());
                }
            }
            while (!ids.isEmpty()) {
                engines.apply(table.remove(ids.remove(0)));
            }
            assertEquals(List.of(0, 0, 0), masks(engines), "nothing is left");
        }
    }

    @Test
    void anAclOfOneNameForgetsOnlyDecisionsAboutIt() {
        AclAuthorizer authorizer = World.authorizer(List.of(World.readAcl("b", "User:alice")));
        World.NodeMetrics metrics = new World.NodeMetrics(new org.apache.kafka.common.metrics.Metrics());
        authorizer.withMetrics(metrics);
        assertFalse(reads(authorizer, "a"));
        assertTrue(reads(authorizer, "b"));
        Uuid id = Uuid.randomUuid();
        authorizer.addAcl(id, World.readAcl("a", "User:alice"));
        assertTrue(reads(authorizer, "b"));
        assertEquals(1, metrics.value("decision-cache-hits-total"));
        assertTrue(reads(authorizer, "a"));
        authorizer.removeAcl(id);
        assertFalse(reads(authorizer, "a"));
        assertEquals(1, metrics.value("decision-cache-hits-total"));
        // Every name.
        for (PatternType pattern : List.of(PatternType.LITERAL, PatternType.PREFIXED)) {
            authorizer.addAcl(id, World.acl(ResourceType.TOPIC, "*", pattern, "User:*", AclOperation.READ, false));
            assertEquals(pattern == PatternType.PREFIXED, reads(authorizer, "b"));
            authorizer.removeAcl(id);
            assertTrue(reads(authorizer, "b"));
        }
        assertEquals(1, metrics.value("decision-cache-hits-total"));
        authorizer.close();
    }

    private static List<Integer> masks(Engines engines) {
        Session session = World.session(new Sessions(), World.user("alice"), null);
        List<Integer> masks = new ArrayList<>();
        masks.add(engines.ask(session, (engine, handle) -> engine.mask(handle, 2, null, "t")));
        masks.add(engines.ask(session, (engine, handle) -> engine.mask(handle, 2, null, "ta")));
        masks.add(engines.ask(session, (engine, handle) -> engine.mask(handle, 4, null, "kafka-cluster")));
        return masks;
    }

    @Test
    void manyEventsAreOneLineAMinute() {
        AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
        EventCount events = new EventCount(now::get);
        assertEquals(0, events.due(), "there are none");
        events.add(1);
        assertEquals(1, events.due(), "the first one at once");
        for (int added = 0; added < 1000; added++) {
            events.add(1);
            assertEquals(0, events.due());
        }
        now.addAndGet(TimeUnit.SECONDS.toNanos(59));
        assertEquals(0, events.due());
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertEquals(1000, events.due(), "all that came meanwhile");
        now.addAndGet(TimeUnit.HOURS.toNanos(1));
        assertEquals(0, events.due());
        events.add(2);
        assertEquals(2, events.due());
    }
}

package gbac.kafka.authorizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import gbac.kafka.engine.Engine;
import gbac.kafka.principal.PrincipalGroups;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** Users with many groups take limited memory, which is given back. */
final class MemoryTest {
    private static final List<String> GROUPS = IntStream.range(0, 500).mapToObj(index -> "team-" + index).toList();
    private static final int USERS = 10_000;
    private static final int TOPIC = 2;
    private static final int READ = 3;

    private final PolicyTable table = new PolicyTable(true);
    private final Sessions sessions = new Sessions();
    private final Engines engines = engines();

    private Engines engines() {
        table.replace(Map.of(Uuid.randomUuid(), World.readAcl("orders", "Group:team-499")));
        return new Engines(table, 1, Engine::new, Runnable::run);
    }

    private Session session(int user) {
        return World.session(sessions, PrincipalGroups.create("User", "user-" + user, false, GROUPS), null);
    }

    private boolean reads(int user) {
        return (engines.ask(session(user), (engine, handle) -> engine.mask(handle, TOPIC, null, "orders")) >> READ & 1) == 1;
    }

    @Test
    void manyUsersWithManyGroupsTakeLimitedMemoryThatIsGivenBack() {
        long before = engines.memoryBytes();
        int bytes = session(0).bytes();
        assertTrue(USERS * (long) bytes > Sessions.MAX_BYTES, "more than the limit");
        for (int user = 0; user < USERS; user++) {
            assertTrue(reads(user));
            assertTrue(sessions.size() * (long) bytes <= Sessions.MAX_BYTES + 2 * bytes, sessions.size() + " sessions");
        }
        long most = engines.memoryBytes() - before;
        assertTrue(most < 4 * Engines.MAX_OPENED, most + " bytes for identities");
        assertEquals(USERS, sessions.size() + sessions.forgotten());

        engines.giveMemoryBack();
        assertTrue(reads(USERS - 1), "a user who was not forgotten");
        int remaining = sessions.size();
        sessions.forgetUnused();
        assertEquals(remaining, sessions.size(), "all were used since the last time");
        assertTrue(reads(USERS - 1));
        sessions.forgetUnused();
        assertEquals(1, sessions.size());
        engines.giveMemoryBack();
        assertTrue(engines.memoryBytes() < before + (1 << 20), engines.memoryBytes() + " bytes");
        assertTrue(reads(USERS - 1) && reads(0));
        assertEquals(0, engines.failures());
    }

    @Test
    void memoryThatIsUsedStays() {
        for (int user = 0; user < USERS / 8; user++) {
            assertTrue(reads(user));
        }
        long used = engines.memoryBytes();
        engines.giveMemoryBack();
        assertEquals(used, engines.memoryBytes());
    }
}

package gbac.kafka.authorizer;

import gbac.kafka.engine.Engine;
import gbac.kafka.engine.Records;
import java.util.List;
import java.util.function.Supplier;

/** Checks at the start that the engine allows and denies what it has to. */
final class SelfTest {
    private static final int TOPIC = 2;
    private static final int READ = 3;
    private static final int DESCRIBE = 8;

    private SelfTest() {}

    /** Decides about one prefix, one allow and one deny. */
    static void run(Supplier<Engine> start) {
        Engine engine = start.get();
        Records records = new Records().u8(5).u8(1).u16(4).u16(4);
        acl(records, 4, READ, 3, "Group:engineering", "orders-");
        acl(records, 3, READ, 2, "User:*", "orders-secret");
        engine.apply(records);
        int handle = engine.open(new Records().text("User:alice").texts(List.of("engineering")).toBytes());
        int allowed = engine.mask(handle, TOPIC, null, "orders-1");
        int denied = engine.mask(handle, TOPIC, "10.0.0.1", "orders-secret");
        int none = engine.mask(handle, TOPIC, null, "payments");
        if (allowed != (Engine.HAS_ACLS | 1 << READ | 1 << DESCRIBE)
                || denied != (Engine.HAS_ACLS | Engine.HAS_DENIES | 1 << DESCRIBE)
                || none != 0) {
            throw new IllegalStateException("it decides wrongly");
        }
    }

    private static void acl(Records records, int pattern, int operation, int permission, String principal, String name) {
        records.u8(1).u8(TOPIC).u8(pattern).u8(operation).u8(permission).text(principal).text("*").text(name);
    }
}

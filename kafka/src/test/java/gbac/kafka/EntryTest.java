package gbac.kafka;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.DataInputStream;
import java.io.IOException;
import org.apache.kafka.common.metrics.Monitorable;
import org.junit.jupiter.api.Test;

/** What Kafka loads first can be loaded by Java 8, and says which Java it needs. */
final class EntryTest {
    private static final int JAVA_8 = 52;

    @Test
    void entryClassesAreForJava8() throws IOException {
        for (Class<?> entry : new Class<?>[] {
            GroupAuthorizer.class, GroupPrincipalBuilder.class, JavaVersion.class, Monitorable.class
        }) {
            String file = "/" + entry.getName().replace('.', '/') + ".class";
            try (DataInputStream in = new DataInputStream(entry.getResourceAsStream(file))) {
                assertEquals(0xcafebabe, in.readInt());
                assertEquals(0, in.readUnsignedShort());
                assertEquals(JAVA_8, in.readUnsignedShort(), entry.getName());
            }
        }
    }

    @Test
    void anOldJavaIsRefusedWithASentence() {
        for (String version : new String[] {"1.8", "11", "16", "", "x"}) {
            var refused = assertThrows(UnsupportedOperationException.class, () -> JavaVersion.check(version));
            assertEquals("gbac-kafka.jar needs Java 17 or later, and this is Java " + version
                    + "; start Kafka with a newer one (JAVA_HOME)", refused.getMessage());
        }
        for (String version : new String[] {"17", "21", "25", "30"}) {
            assertDoesNotThrow(() -> JavaVersion.check(version));
        }
        assertDoesNotThrow(() -> JavaVersion.check());
        assertDoesNotThrow(GroupAuthorizer::new);
        assertDoesNotThrow(GroupPrincipalBuilder::new);
    }
}

package gbac.kafka.principal;

import gbac.kafka.engine.RecordReader;
import gbac.kafka.engine.Records;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.KafkaPrincipalSerde;

/**
 * The bytes of a principal in requests that brokers forward to the controller.
 *
 * <p>A principal without groups has the bytes of Kafka's own serde. One with groups begins with two bytes that no version of
 * Kafka's serde has, so that a node without this class refuses it: it would not know of the groups that are denied.
 */
final class PrincipalSerde implements KafkaPrincipalSerde {
    /** The largest principal, in bytes. */
    static final int MAX_BYTES = 1 << 20;

    private static final int FIRST = 'G';
    private static final int SECOND = 'B';
    private static final int VERSION = 1;

    private final KafkaPrincipalSerde stock;

    PrincipalSerde(KafkaPrincipalSerde stock) {
        this.stock = stock;
    }

    @Override
    public byte[] serialize(KafkaPrincipal principal) {
        byte[] plain = stock.serialize(new KafkaPrincipal(
                principal.getPrincipalType(), principal.getName(), principal.tokenAuthenticated()));
        PrincipalGroups groups = PrincipalGroups.of(principal);
        if (groups == null || groups.names().isEmpty()) {
            return plain;
        }
        Records records = new Records().u8(FIRST).u8(SECOND).u8(VERSION).u32(plain.length);
        for (byte part : plain) {
            records.u8(part);
        }
        return records.texts(groups.names()).toBytes();
    }

    @Override
    public KafkaPrincipal deserialize(byte[] bytes) {
        if (bytes.length < 3 || bytes[0] != FIRST || bytes[1] != SECOND) {
            KafkaPrincipal plain = stock.deserialize(bytes);
            // Bytes of another builder can hold groups that Kafka's serde skips. The authorizer then knows of none.
            return Arrays.equals(stock.serialize(plain), bytes) ? PrincipalGroups.create(plain, List.of()) : plain;
        }
        if (bytes[2] != VERSION) {
            throw new SerializationException("version " + bytes[2] + " of a principal with groups is newer than "
                    + VERSION + "; install the same version of gbac-kafka.jar on every node");
        }
        try {
            RecordReader reader = new RecordReader(bytes);
            reader.u8();
            reader.u8();
            reader.u8();
            KafkaPrincipal plain = stock.deserialize(reader.bytes());
            return PrincipalGroups.create(plain, reader.texts());
        } catch (SerializationException damaged) {
            throw damaged;
        } catch (RuntimeException damaged) {
            // Kafka's own reader throws exceptions of many kinds.
            throw new SerializationException("a principal with groups is damaged", damaged);
        }
    }
}

package gbac.kafka.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads the bytes of a result, or of other records in the same format. */
public final class RecordReader {
    private final ByteBuffer bytes;

    /** Reads from the first byte. */
    public RecordReader(byte[] bytes) {
        this.bytes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Whether bytes are left. */
    public boolean hasMore() {
        return bytes.hasRemaining();
    }

    /** Reads a number of one byte. */
    public int u8() {
        return bytes.get() & 0xff;
    }

    /** Reads the number of bytes or texts that follow. */
    public int count() {
        int count = bytes.getInt();
        if (count < 0 || count > bytes.remaining()) {
            throw new IllegalArgumentException("a record ends too early");
        }
        return count;
    }

    /** Reads bytes after their number. */
    public byte[] bytes() {
        byte[] found = new byte[count()];
        bytes.get(found);
        return found;
    }

    /** Reads a text. */
    public String text() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    /** Reads the number of texts, and each of them. */
    public List<String> texts() {
        int count = count();
        List<String> texts = new ArrayList<>(count);
        for (int read = 0; read < count; read++) {
            texts.add(text());
        }
        return texts;
    }
}

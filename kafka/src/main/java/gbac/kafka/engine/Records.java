package gbac.kafka.engine;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;

/** Bytes of a call: numbers with the lowest byte first, and texts after their length. */
public final class Records {
    private byte[] bytes = new byte[512];
    private int size;

    /** The number of bytes. */
    public int size() {
        return size;
    }

    /** Removes everything. */
    public void clear() {
        size = 0;
    }

    /** The bytes, of which the first {@link #size()} are valid. */
    byte[] array() {
        return bytes;
    }

    /** A copy of the bytes. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    /** Adds a number of one byte. */
    public Records u8(int value) {
        reserve(1);
        bytes[size++] = (byte) value;
        return this;
    }

    /** Adds a number of two bytes. */
    public Records u16(int value) {
        return u8(value).u8(value >> 8);
    }

    /** Adds a number of four bytes. */
    public Records u32(int value) {
        reserve(4);
        for (int shift = 0; shift < 32; shift += 8) {
            bytes[size++] = (byte) (value >> shift);
        }
        return this;
    }

    /** Adds a number of eight bytes. */
    public Records u64(long value) {
        return u32((int) value).u32((int) (value >> 32));
    }

    /** Adds a text. */
    public Records text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        u32(utf8.length);
        reserve(utf8.length);
        System.arraycopy(utf8, 0, bytes, size, utf8.length);
        size += utf8.length;
        return this;
    }

    /** Adds the number of texts, and each of them. */
    public Records texts(Collection<String> texts) {
        u32(texts.size());
        texts.forEach(this::text);
        return this;
    }

    private void reserve(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
        }
    }
}

package gbac.kafka.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import run.endive.runtime.ConstantEvaluators;
import run.endive.runtime.Instance;
import run.endive.runtime.Memory;
import run.endive.wasm.types.ActiveDataSegment;
import run.endive.wasm.types.DataSegment;
import run.endive.wasm.types.MemoryLimits;
import run.endive.wasm.types.PassiveDataSegment;

/** The memory of a module in one array, which the processor reads without a table of pages and which can be copied. */
final class FlatMemory implements Memory {
    private static final VarHandle SHORTS = view(short[].class);
    private static final VarHandle INTS = view(int[].class);
    private static final VarHandle LONGS = view(long[].class);
    private static final int PAGE_SHIFT = 16;
    /** 512 MiB: a module never needs as much, and no array has to be larger. */
    private static final int MAX_PAGES = 1 << 13;

    private final int initialPages;
    private final int maximumPages;
    private int pages;
    /** Has spare bytes behind the last page, because modules grow in small steps. */
    private byte[] bytes;
    private DataSegment[] segments = {};

    FlatMemory(MemoryLimits limits) {
        initialPages = limits.initialPages();
        maximumPages = Math.min(limits.maximumPages(), MAX_PAGES);
        pages = initialPages;
        bytes = new byte[pages << PAGE_SHIFT];
    }

    private static VarHandle view(Class<?> type) {
        return MethodHandles.byteArrayViewVarHandle(type, ByteOrder.LITTLE_ENDIAN);
    }

    /** The array itself, valid until the module grows. */
    byte[] array() {
        return bytes;
    }

    /** Takes over the content of another memory. */
    void copyFrom(FlatMemory other) {
        pages = other.pages;
        bytes = Arrays.copyOf(other.bytes, pages << PAGE_SHIFT);
    }

    /** Gives spare bytes back. */
    void trim() {
        if (bytes.length > pages << PAGE_SHIFT) {
            bytes = Arrays.copyOf(bytes, pages << PAGE_SHIFT);
        }
    }

    @Override
    public int pages() {
        return pages;
    }

    @Override
    public int grow(int more) {
        int before = pages;
        if (more < 0 || more > maximumPages - before) {
            return -1;
        }
        int needed = (before + more) << PAGE_SHIFT;
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, bytes.length + (bytes.length >> 2)));
        }
        pages += more;
        return before;
    }

    @Override
    public int initialPages() {
        return initialPages;
    }

    @Override
    public int maximumPages() {
        return maximumPages;
    }

    @Override
    public boolean shared() {
        return false;
    }

    @Override
    @Deprecated
    @SuppressWarnings("removal")
    public Object lock(int address) {
        throw new UnsupportedOperationException("the memory is not shared");
    }

    @Override
    @Deprecated
    @SuppressWarnings("removal")
    public int waitOn(int address, int expected, long timeout) {
        throw new UnsupportedOperationException("the memory is not shared");
    }

    @Override
    @Deprecated
    @SuppressWarnings("removal")
    public int waitOn(int address, long expected, long timeout) {
        throw new UnsupportedOperationException("the memory is not shared");
    }

    @Override
    @Deprecated
    @SuppressWarnings("removal")
    public int notify(int address, int maxThreads) {
        return 0;
    }

    @Override
    public void initialize(Instance instance, DataSegment[] dataSegments) {
        segments = dataSegments.clone();
        for (DataSegment segment : segments) {
            if (segment instanceof ActiveDataSegment active) {
                int at = (int) ConstantEvaluators.computeConstantValue(instance, active.offsetInstructions())[0];
                write(at, active.data());
            }
        }
    }

    @Override
    public void initPassiveSegment(int segment, int dest, int offset, int size) {
        write(dest, segments[segment].data(), offset, size);
    }

    @Override
    public void drop(int segment) {
        segments[segment] = PassiveDataSegment.EMPTY;
    }

    @Override
    public void write(int address, byte[] data, int offset, int size) {
        System.arraycopy(data, offset, bytes, address, size);
    }

    @Override
    public byte read(int address) {
        return bytes[address];
    }

    @Override
    public byte[] readBytes(int address, int length) {
        return Arrays.copyOfRange(bytes, address, address + length);
    }

    @Override
    public void writeI32(int address, int value) {
        INTS.set(bytes, address, value);
    }

    @Override
    public int readInt(int address) {
        return (int) INTS.get(bytes, address);
    }

    @Override
    public void writeLong(int address, long value) {
        LONGS.set(bytes, address, value);
    }

    @Override
    public long readLong(int address) {
        return (long) LONGS.get(bytes, address);
    }

    @Override
    public void writeShort(int address, short value) {
        SHORTS.set(bytes, address, value);
    }

    @Override
    public short readShort(int address) {
        return (short) SHORTS.get(bytes, address);
    }

    @Override
    public long readU16(int address) {
        return readShort(address) & 0xffffL;
    }

    @Override
    public void writeByte(int address, byte value) {
        bytes[address] = value;
    }

    @Override
    public void writeF32(int address, float value) {
        writeI32(address, Float.floatToRawIntBits(value));
    }

    @Override
    public long readF32(int address) {
        return readInt(address);
    }

    @Override
    public float readFloat(int address) {
        return Float.intBitsToFloat(readInt(address));
    }

    @Override
    public void writeF64(int address, double value) {
        writeLong(address, Double.doubleToRawLongBits(value));
    }

    @Override
    public double readDouble(int address) {
        return Double.longBitsToDouble(readLong(address));
    }

    @Override
    public long readF64(int address) {
        return readLong(address);
    }

    @Override
    public void zero() {
        Arrays.fill(bytes, (byte) 0);
    }

    @Override
    public void fill(byte value, int from, int to) {
        Arrays.fill(bytes, from, to, value);
    }

    @Override
    public void copy(int dest, int source, int size) {
        System.arraycopy(bytes, source, bytes, dest, size);
    }
}

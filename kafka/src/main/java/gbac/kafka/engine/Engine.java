package gbac.kafka.engine;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import run.endive.runtime.ExportFunction;
import run.endive.runtime.Instance;

/**
 * One instance of the engine's WebAssembly module, for one thread at a time.
 *
 * <p>After an exception other than {@link EngineException}, the instance must not be used again.
 */
public class Engine {
    /** The bit of a mask that is set if any ACL is for the resource. */
    public static final int HAS_ACLS = 1 << 30;
    /** The bit of a mask that is set if an ACL denies any operation on the resource. */
    public static final int HAS_DENIES = 1 << 29;
    /** The largest document, record or token that a call takes. */
    public static final int MAX_BYTES = 16 << 20;

    private static final int ABI = 1;
    private static final int LARGE_BUFFER = 1 << 20;

    private final FlatMemory memory;
    private final Instance instance;
    private final ExportFunction alloc;
    private final ExportFunction free;
    private final ExportFunction mask;
    private int buffer;
    private int capacity;

    /** Starts an instance with an empty policy. */
    public Engine() {
        FlatMemory[] created = new FlatMemory[1];
        instance = Instance.builder(Compiled.load())
                .withMachineFactory(Compiled::create)
                .withMemoryFactory(limits -> created[0] = new FlatMemory(limits))
                .build();
        memory = created[0];
        alloc = instance.export("gbac_alloc");
        free = instance.export("gbac_free");
        mask = instance.export("gbac_mask");
        int abi = call("gbac_abi");
        if (abi != ABI) {
            throw new IllegalStateException("the engine has version " + abi + " of the interface, not " + ABI);
        }
        reserve(1 << 12);
    }

    /** Starts an instance with the policy and the identities of another. */
    public Engine(Engine other) {
        this();
        memory.copyFrom(other.memory);
        buffer = other.buffer;
        capacity = other.capacity;
        // All other globals are constants: between calls, the stack is empty.
    }

    /** Makes calls while the thread is not interrupted, because an interruption would stop an instance within a call. */
    public static <T> T withoutInterruption(Supplier<T> calls) {
        boolean isInterrupted = Thread.interrupted();
        try {
            return calls.get();
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The bytes of its memory. */
    public long memoryBytes() {
        return memory.array().length;
    }

    /** Gives unused memory back. */
    public void trim() {
        memory.trim();
    }

    /** Applies records, all or none; returns how many changed something. */
    public int apply(Records records) {
        return checked("gbac_apply", call("gbac_apply", put(records.array(), records.size()), records.size()));
    }

    /** Opens an identity, which is a principal and its groups as records; returns its handle. */
    public int open(byte[] identity) {
        return checked("gbac_open", call("gbac_open", put(identity, identity.length), identity.length));
    }

    /** Closes an identity. */
    public void close(int handle) {
        checked("gbac_close", call("gbac_close", handle));
    }

    /** The operations that are allowed on a resource, one bit each, {@link #HAS_ACLS} and {@link #HAS_DENIES}; without a host, host is null. */
    public int mask(int handle, int resourceType, String host, String name) {
        int hostLength = -1;
        int length = 0;
        if (host != null) {
            length = hostLength = put(host, 0);
        }
        length = put(name, length);
        return checked("gbac_mask", (int) mask.apply(handle, resourceType, hostLength, buffer, length)[0]);
    }

    /** The operations that are allowed on at least one resource of a type, one bit each. */
    public int any(int handle, int resourceType, String host) {
        int length = host == null ? 0 : put(host, 0);
        int hostLength = host == null ? -1 : length;
        return checked("gbac_any", call("gbac_any", handle, resourceType, hostLength, buffer, length));
    }

    /** A decision and its ACL in one line. */
    public String explain(int handle, int operation, int resourceType, String host, String name) {
        return answer("gbac_explain", handle, operation, resourceType, host, name);
    }

    /** The field in which the nearest ACL differs, a colon and the ACL; an empty text if none is near. Reads every ACL. */
    public String nearMiss(int handle, int operation, int resourceType, String host, String name) {
        return answer("gbac_near_miss", handle, operation, resourceType, host, name);
    }

    /** The audit event of a sign-in or a decision as one line of JSON; the handle -1 is nobody whose ACLs decide. */
    public String event(int handle, Records event) {
        int result = call("gbac_event", handle, put(event.array(), event.size()), event.size());
        return new String(result("gbac_event", result), StandardCharsets.UTF_8);
    }

    private String answer(String function, int handle, int operation, int resourceType, String host, String name) {
        int hostLength = -1;
        int length = 0;
        if (host != null) {
            length = hostLength = put(host, 0);
        }
        length = put(name, length);
        int result = call(function, handle, operation, resourceType, hostLength, buffer, length);
        return new String(result(function, result), StandardCharsets.UTF_8);
    }

    /** Finds the user and the groups in claims, which are JSON text. */
    public Extraction extract(String claimPath, boolean suffix, String mapping, String claims) {
        Records rules = new Records().text(claimPath).u8(suffix ? 1 : 0).text(mapping).text(claims);
        int found = call("gbac_extract", put(rules.array(), rules.size()), rules.size());
        RecordReader reader = new RecordReader(result("gbac_extract", found));
        boolean isMapped = reader.u8() == 1;
        String user = reader.text();
        List<String> groups = reader.texts();
        List<String> warnings = reader.texts();
        return new Extraction(isMapped ? user : null, groups, warnings, Extraction.Readability.values()[reader.u8()]);
    }

    /** Reads the members of the roles of a policy document. */
    public List<RoleMember> members(byte[] document) throws DocumentException {
        int found = call("gbac_members", put(document, document.length), document.length);
        RecordReader reader = new RecordReader(result("gbac_members", found));
        if (reader.u8() == 0) {
            throw new DocumentException(reader.texts());
        }
        List<RoleMember> members = new ArrayList<>();
        while (reader.hasMore()) {
            reader.u8();
            members.add(new RoleMember(reader.text(), reader.text()));
        }
        return members;
    }

    private int call(String function, long... arguments) {
        return (int) instance.export(function).apply(arguments)[0];
    }

    private static int checked(String function, int result) {
        if (result < 0) {
            throw new EngineException(function, result);
        }
        return result;
    }

    private byte[] result(String function, int address) {
        checked(function, address);
        return memory.readBytes(address + 4, memory.readInt(address));
    }

    /** Copies bytes into the buffer and returns its address. */
    private int put(byte[] bytes, int length) {
        if (length < capacity && capacity > LARGE_BUFFER) {
            release();
        }
        reserve(length);
        memory.write(buffer, bytes, 0, length);
        return buffer;
    }

    /** Puts a text into the buffer behind as many bytes; returns the number of all bytes. */
    @SuppressWarnings("deprecation")
    private int put(String text, int at) {
        int length = text.length();
        if (at + length > capacity) {
            return putUtf8(text, at);
        }
        // Copies the lower half of each character, which is all of it in a text of ASCII.
        text.getBytes(0, length, memory.array(), buffer + at);
        for (int index = 0; index < length; index++) {
            if (text.charAt(index) >= 128) {
                return putUtf8(text, at);
            }
        }
        return at + length;
    }

    private int putUtf8(String text, int at) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        byte[] before = memory.readBytes(buffer, at);
        reserve(at + utf8.length);
        memory.write(buffer, before, 0, at);
        memory.write(buffer + at, utf8, 0, utf8.length);
        return at + utf8.length;
    }

    private void reserve(int length) {
        if (length > capacity) {
            release();
            int size = Math.max(length, 1 << 12);
            buffer = checked("gbac_alloc", (int) alloc.apply(size)[0]);
            capacity = size;
        }
    }

    private void release() {
        if (capacity > 0) {
            checked("gbac_free", (int) free.apply(buffer, capacity)[0]);
            capacity = 0;
        }
    }
}

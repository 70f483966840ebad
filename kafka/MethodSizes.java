import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Checks the methods of the compiled engine in the jar: {@code java MethodSizes.java gbac-kafka.jar}.
 *
 * <p>HotSpot never compiles a method of 8,000 bytecodes or more, and an interpreted one takes many times as long. The functions
 * that a decision or a change of the policy calls must stay below; those that only read documents and tokens need not.
 */
public final class MethodSizes {
    private static final int LIMIT = 7_900;
    private static final String ENGINE = "gbac/kafka/engine/Compiled";
    private static final String FUNCTION = "func_";
    private static final Set<String> HOT = Set.of("gbac_mask", "gbac_any", "gbac_open", "gbac_close", "gbac_apply");

    /** The length of each instruction; 0 for the three that say their length themselves. */
    private static final int[] LENGTHS = lengths();

    private final Map<Integer, Integer> sizes = new TreeMap<>();
    private final Map<Integer, Set<Integer>> calls = new HashMap<>();
    private final Map<String, Integer> exports = new HashMap<>();

    public static void main(String[] arguments) throws IOException {
        MethodSizes found = new MethodSizes();
        try (JarFile jar = new JarFile(arguments[0])) {
            for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements();) {
                JarEntry entry = entries.nextElement();
                if (entry.getName().startsWith(ENGINE)) {
                    try (InputStream stream = jar.getInputStream(entry)) {
                        found.read(entry.getName(), stream.readAllBytes());
                    }
                }
            }
        }
        System.exit(found.check() ? 0 : 1);
    }

    private void read(String name, byte[] bytes) throws IOException {
        if (name.endsWith(".class")) {
            readClass(new DataInputStream(new ByteArrayInputStream(bytes)));
        } else {
            readExports(ByteBuffer.wrap(bytes, 8, bytes.length - 8));
        }
    }

    /** Prints what is too long; returns whether none of it is called for a decision or a change. */
    private boolean check() {
        Deque<Integer> open = new ArrayDeque<>();
        for (String name : HOT) {
            Integer function = exports.get(name);
            if (function == null || !sizes.containsKey(function)) {
                System.out.println(name + " is not a function of the engine");
                return false;
            }
            open.push(function);
        }
        Set<Integer> hot = new HashSet<>();
        while (!open.isEmpty()) {
            int function = open.pop();
            if (hot.add(function)) {
                open.addAll(calls.getOrDefault(function, Set.of()));
            }
        }
        boolean isFine = true;
        int largest = 0;
        for (Map.Entry<Integer, Integer> method : sizes.entrySet()) {
            boolean isHot = hot.contains(method.getKey());
            largest = isHot ? Math.max(largest, method.getValue()) : largest;
            if (method.getValue() > LIMIT) {
                System.out.println(FUNCTION + method.getKey() + " has " + method.getValue() + " bytecodes"
                        + (isHot ? ", and a decision or a change calls it: at most " + LIMIT + " are compiled" : ""));
                isFine &= !isHot;
            }
        }
        System.out.println(sizes.size() + " functions, " + hot.size() + " of them for decisions and changes, the largest of these with "
                + largest + " bytecodes");
        return isFine;
    }

    private void readClass(DataInputStream in) throws IOException {
        in.skipBytes(8);
        int count = in.readUnsignedShort();
        Object[] constants = new Object[count];
        for (int index = 1; index < count; index++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1 -> constants[index] = in.readUTF();
                case 3, 4, 9, 11, 17, 18 -> in.skipBytes(4);
                case 10, 12 -> constants[index] = new int[] {in.readUnsignedShort(), in.readUnsignedShort()};
                case 5, 6 -> {
                    in.skipBytes(8);
                    index++;
                }
                case 15 -> in.skipBytes(3);
                case 7, 8, 16, 19, 20 -> in.skipBytes(2);
                default -> throw new IOException("unknown constant " + tag);
            }
        }
        in.skipBytes(6);
        in.skipBytes(2 * in.readUnsignedShort());
        readMembers(in, constants, false);
        readMembers(in, constants, true);
    }

    private void readMembers(DataInputStream in, Object[] constants, boolean areMethods) throws IOException {
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            in.skipBytes(2);
            int function = function((String) constants[in.readUnsignedShort()]);
            in.skipBytes(2);
            for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                String attribute = (String) constants[in.readUnsignedShort()];
                byte[] content = new byte[in.readInt()];
                in.readFully(content);
                if (areMethods && function >= 0 && attribute.equals("Code")) {
                    ByteBuffer code = ByteBuffer.wrap(content);
                    int length = code.getInt(4);
                    sizes.put(function, length);
                    calls.put(function, calls(code, 8, length, constants));
                }
            }
        }
    }

    private static int function(String method) {
        return method.matches(FUNCTION + "\\d+") ? Integer.parseInt(method.substring(FUNCTION.length())) : -1;
    }

    /** The functions that a method calls directly. */
    private static Set<Integer> calls(ByteBuffer code, int start, int length, Object[] constants) {
        Set<Integer> found = new HashSet<>();
        int at = start;
        while (at < start + length) {
            int instruction = code.get(at) & 0xff;
            if (instruction == 0xb8 && constants[code.getShort(at + 1) & 0xffff] instanceof int[] method) {
                int function = function((String) constants[((int[]) constants[method[1]])[0]]);
                if (function >= 0) {
                    found.add(function);
                }
            }
            at += size(code, at, start, instruction);
        }
        return found;
    }

    private static int size(ByteBuffer code, int at, int start, int instruction) {
        int operands = at + 4 - (at - start) % 4;
        return switch (instruction) {
            case 0xaa -> operands + 12 + 4 * (code.getInt(operands + 8) - code.getInt(operands + 4) + 1) - at;
            case 0xab -> operands + 8 + 8 * code.getInt(operands + 4) - at;
            case 0xc4 -> (code.get(at + 1) & 0xff) == 0x84 ? 6 : 4;
            default -> LENGTHS[instruction];
        };
    }

    private static int[] lengths() {
        int[] lengths = new int[256];
        java.util.Arrays.fill(lengths, 1);
        for (int two : new int[] {0x10, 0x12, 0x15, 0x16, 0x17, 0x18, 0x19, 0x36, 0x37, 0x38, 0x39, 0x3a, 0xa9, 0xbc}) {
            lengths[two] = 2;
        }
        for (int three : new int[] {0x11, 0x13, 0x14, 0x84, 0xbb, 0xbd, 0xc0, 0xc1, 0xc6, 0xc7}) {
            lengths[three] = 3;
        }
        java.util.Arrays.fill(lengths, 0x99, 0xa9, 3);
        java.util.Arrays.fill(lengths, 0xb2, 0xb9, 3);
        lengths[0xb9] = lengths[0xba] = lengths[0xc8] = lengths[0xc9] = 5;
        lengths[0xc5] = 4;
        lengths[0xaa] = lengths[0xab] = lengths[0xc4] = 0;
        return lengths;
    }

    /** Reads the section of a WebAssembly module with the names of its functions. */
    private void readExports(ByteBuffer module) {
        while (module.hasRemaining()) {
            int section = module.get();
            int end = number(module) + module.position();
            if (section == 7) {
                for (int left = number(module); left > 0; left--) {
                    byte[] name = new byte[number(module)];
                    module.get(name);
                    boolean isFunction = module.get() == 0;
                    int index = number(module);
                    if (isFunction) {
                        exports.put(new String(name, StandardCharsets.UTF_8), index);
                    }
                }
            }
            module.position(end);
        }
    }

    private static int number(ByteBuffer bytes) {
        int value = 0;
        for (int shift = 0;; shift += 7) {
            int next = bytes.get();
            value |= (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }
}

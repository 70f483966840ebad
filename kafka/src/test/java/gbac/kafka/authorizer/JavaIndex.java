package gbac.kafka.authorizer;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.metadata.authorizer.StandardAcl;

/** The structure of the engine's index in plain Java, for the benchmark: what WebAssembly costs. */
final class JavaIndex {
    private static final int DESCRIBE = 8;
    private static final int IMPLY_DESCRIBE = 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7;

    private final Map<String, int[][]> literals = new HashMap<>();
    private final Map<String, int[][]> prefixes = new HashMap<>();
    private final BitSet lengths = new BitSet();
    private final Map<String, Integer> principals = new HashMap<>();

    /** Adds an ACL of a topic for any host. */
    void add(StandardAcl acl) {
        boolean isPrefix = acl.patternType() == PatternType.PREFIXED;
        Map<String, int[][]> patterns = isPrefix ? prefixes : literals;
        if (isPrefix) {
            lengths.set(acl.resourceName().length());
        }
        int principal = principals.computeIfAbsent(acl.principal(), name -> principals.size());
        int bit = 1 << acl.operation().code();
        boolean denies = acl.permissionType() == AclPermissionType.DENY;
        int[] row = {principal, denies ? bit : 0, denies ? 0 : bit};
        int[][] rows = patterns.getOrDefault(acl.resourceName(), new int[0][]);
        int[][] more = Arrays.copyOf(rows, rows.length + 1);
        more[rows.length] = row;
        Arrays.sort(more, (one, other) -> Integer.compare(one[0], other[0]));
        patterns.put(acl.resourceName(), more);
    }

    /** The numbers of a user and its groups, sorted. */
    int[] open(String user, List<String> groups) {
        BitSet found = new BitSet();
        for (String name : List.of("User:" + user, "User:*")) {
            principals.computeIfPresent(name, (same, id) -> mark(found, id));
        }
        groups.forEach(group -> principals.computeIfPresent("Group:" + group, (same, id) -> mark(found, id)));
        return found.stream().toArray();
    }

    private static Integer mark(BitSet found, Integer id) {
        found.set(id);
        return id;
    }

    /** The operations that are allowed on a topic. */
    int mask(int[] caller, String name) {
        long rules = walk(literals.get(name), caller) | walk(literals.get("*"), caller);
        for (int length = lengths.nextSetBit(0); length >= 0 && length <= name.length();
                length = lengths.nextSetBit(length + 1)) {
            rules |= walk(prefixes.get(name.substring(0, length)), caller);
        }
        int allow = (int) rules;
        if ((allow & IMPLY_DESCRIBE) != 0) {
            allow |= 1 << DESCRIBE;
        }
        return allow & ~(int) (rules >>> 32);
    }

    private static long walk(int[][] rows, int[] caller) {
        long rules = 0;
        if (rows == null) {
            return rules;
        }
        for (int[] row : rows) {
            if (Arrays.binarySearch(caller, row[0]) >= 0) {
                rules |= (long) row[1] << 32 | row[2];
            }
        }
        return rules;
    }
}

package gbac.kafka.authorizer;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;

/**
 * Where audit events go.
 *
 * @param file the file; null for none
 * @param totalBytes how large it and its older parts can be together; 0 for no limit
 */
record AuditSettings(Path file, long totalBytes) {
    static final String FILE = "gbac.audit.file";
    static final String TOTAL = "gbac.audit.total.mib";
    private static final long DEFAULT_MIB = 1024;

    /** Reads and checks the properties. */
    static AuditSettings of(Map<String, ?> configs) {
        Object file = configs.get(FILE);
        Object total = configs.get(TOTAL);
        if (file == null && total != null) {
            throw new ConfigException(TOTAL + " has no effect without " + FILE);
        }
        return new AuditSettings(file == null ? null : path(file.toString().trim()), bytes(total));
    }

    private static Path path(String text) {
        try {
            Path file = Path.of(text).toAbsolutePath();
            if (!text.isEmpty() && file.getParent() != null && Files.isDirectory(file.getParent()) && !Files.isDirectory(file)) {
                return file;
            }
        } catch (InvalidPathException wrong) {
            // Refused below.
        }
        throw new ConfigException(FILE, text, "write the path of a file in a folder that exists");
    }

    private static long bytes(Object total) {
        if (total == null) {
            return DEFAULT_MIB << 20;
        }
        try {
            int mib = Integer.parseInt(total.toString().trim());
            if (mib >= 0) {
                return (long) mib << 20;
            }
        } catch (NumberFormatException wrong) {
            // Refused below.
        }
        throw new ConfigException(TOTAL, total, "write a number of MiB; 0 means no limit");
    }
}

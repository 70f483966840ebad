package gbac.kafka.roles;

import gbac.kafka.engine.Engine;
import gbac.kafka.engine.RoleMember;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** A policy document in a file. */
final class FileSource implements RoleSource {
    /** File systems round times, so a file is read again if it was written shortly before the last read. */
    private static final Duration ROUNDING = Duration.ofSeconds(3);

    private final Path file;
    private Stamp stamp;
    private byte[] content = {};

    /** What changes when a file is written or replaced. */
    private record Stamp(FileTime time, long size, Object key, boolean isSettled) {}

    FileSource(Path file) {
        this.file = file;
    }

    @Override
    public Duration interval() {
        return Duration.ofSeconds(1);
    }

    @Override
    public Answer read() throws UnusableException {
        return Answer.now(changed());
    }

    private Optional<Set<RoleMember>> changed() throws UnusableException {
        try {
            Stamp now = stamp();
            if (stamp != null && stamp.isSettled() && now.equals(stamp)) {
                return Optional.empty();
            }
            byte[] read = read(file);
            if (stamp != null && Arrays.equals(read, content)) {
                stamp = now;
                return Optional.empty();
            }
            Set<RoleMember> members = RoleSource.members(place(), read);
            stamp = now;
            content = read;
            return Optional.of(members);
        } catch (NoSuchFileException missing) {
            throw new UnusableException(place() + " does not exist");
        } catch (IOException failed) {
            throw new UnusableException(place() + " cannot be read: " + failed.getMessage());
        }
    }

    /** Reads a file, but not more than the engine takes. */
    static byte[] read(Path file) throws IOException {
        try (InputStream stream = Files.newInputStream(file)) {
            return stream.readNBytes(Engine.MAX_BYTES + 1);
        }
    }

    private Stamp stamp() throws IOException, UnusableException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        if (!attributes.isRegularFile()) {
            throw new UnusableException(place() + " is not a file");
        }
        FileTime time = attributes.lastModifiedTime();
        boolean isSettled = time.toMillis() < System.currentTimeMillis() - ROUNDING.toMillis();
        return new Stamp(time, attributes.size(), Objects.toString(attributes.fileKey()), isSettled);
    }

    private String place() {
        return RoleSettings.FILE + " `" + file + "`";
    }
}

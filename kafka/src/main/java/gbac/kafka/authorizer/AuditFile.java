package gbac.kafka.authorizer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.config.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of lines that one thread writes, so that no request waits for the disk.
 *
 * <p>It is renamed to {@code NAME-00000001.EXTENSION} and so on when it is full, and the oldest parts are deleted when all of them
 * together are too large. What the disk cannot take in time is lost and counted in the log of the node.
 */
final class AuditFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AuditFile.class);
    private static final long FILE_BYTES = 64 << 20;
    private static final int QUEUE = 4096;
    private static final int BATCH = 256;
    private static final int DIGITS = 8;

    private static final Map<Path, AuditFile> OPEN = new HashMap<>();

    private final Path file;
    private final long fileBytes;
    private final long totalBytes;
    private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(QUEUE);
    private final EventCount lost = new EventCount(System::nanoTime);
    private final Thread writer;
    private FileChannel channel;
    /** How many authorizers use it; guarded by {@link #OPEN}. */
    private int users;
    private volatile boolean ends;

    /** The file of these settings. The broker and the controller of one process share it. */
    static AuditFile of(AuditSettings settings, String node) {
        synchronized (OPEN) {
            AuditFile open = OPEN.get(settings.file());
            if (open == null) {
                open = new AuditFile(settings, node);
                OPEN.put(settings.file(), open);
            }
            open.users++;
            return open;
        }
    }

    /** Opens the file, or refuses the property that names it. */
    private AuditFile(AuditSettings settings, String node) {
        file = settings.file();
        totalBytes = settings.totalBytes();
        fileBytes = totalBytes == 0 ? FILE_BYTES : Math.min(FILE_BYTES, totalBytes / 4);
        try {
            open();
        } catch (IOException failed) {
            throw new ConfigException(AuditSettings.FILE + " `" + file + "` cannot be written: " + failed.getMessage());
        }
        writer = new Thread(this::run, "gbac-audit-" + node);
        writer.setDaemon(true);
        writer.start();
    }

    /** Adds a line, without its end. */
    void write(String line) {
        if (!lines.offer(line)) {
            lose(1);
        }
    }

    private void lose(int count) {
        lost.add(count);
        long due = lost.due();
        if (due > 0) {
            LOG.error("{} audit events are lost, because {} `{}` cannot be written in time", due, AuditSettings.FILE, file);
        }
    }

    private void run() {
        List<String> batch = new ArrayList<>();
        while (!ends || !lines.isEmpty()) {
            try {
                String first = lines.poll(1, TimeUnit.SECONDS);
                if (first != null) {
                    batch.add(first);
                    lines.drainTo(batch, BATCH);
                    write(batch);
                }
            } catch (InterruptedException stopped) {
                ends = true;
            } catch (IOException | RuntimeException failed) {
                LOG.error("{} `{}` cannot be written", AuditSettings.FILE, file, failed);
                lose(batch.size());
                closeChannel();
            }
            batch.clear();
        }
        closeChannel();
    }

    private void write(List<String> batch) throws IOException {
        if (channel == null) {
            open();
        }
        StringBuilder text = new StringBuilder();
        batch.forEach(line -> text.append(line).append('\n'));
        ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
        if (channel.size() > 0 && channel.size() + bytes.remaining() > fileBytes) {
            rotate();
        }
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private void open() throws IOException {
        // A link would let somebody else choose what is written to.
        Set<OpenOption> options =
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);
        boolean isPosix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        // Only its owner reads what users do.
        FileAttribute<?>[] owner = isPosix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))}
                : new FileAttribute<?>[0];
        channel = FileChannel.open(file, options, owner);
    }

    private void rotate() throws IOException {
        closeChannel();
        TreeMap<Long, Path> parts = parts();
        long next = parts.isEmpty() ? 1 : parts.lastKey() + 1;
        Path part = file.resolveSibling(partName(String.format("%0" + DIGITS + "d", next)));
        Files.move(file, part);
        parts.put(next, part);
        open();
        deleteOldest(parts);
    }

    /** Deletes the oldest parts until the others and a full file are within the limit. */
    private void deleteOldest(TreeMap<Long, Path> parts) throws IOException {
        long total = fileBytes;
        for (Path part : parts.values()) {
            total += Files.size(part);
        }
        while (totalBytes > 0 && total > totalBytes && !parts.isEmpty()) {
            Path oldest = parts.pollFirstEntry().getValue();
            total -= Files.size(oldest);
            Files.delete(oldest);
        }
    }

    private TreeMap<Long, Path> parts() throws IOException {
        TreeMap<Long, Path> parts = new TreeMap<>();
        int at = partName("").length() - extension().length();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(file.getParent())) {
            for (Path other : files) {
                String name = other.getFileName().toString();
                String digits = name.length() == partName("").length() + DIGITS ? name.substring(at, at + DIGITS) : "";
                if (digits.matches("[0-9]+") && name.equals(partName(digits))) {
                    parts.put(Long.parseLong(digits), other);
                }
            }
        }
        return parts;
    }

    private String partName(String digits) {
        String name = file.getFileName().toString();
        return name.substring(0, name.length() - extension().length()) + "-" + digits + extension();
    }

    private String extension() {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return dot <= 0 ? "" : name.substring(dot);
    }

    private void closeChannel() {
        FileChannel open = channel;
        channel = null;
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException failed) {
            LOG.warn("{} `{}` cannot be closed", AuditSettings.FILE, file, failed);
        }
    }

    /** Writes what is left and ends, if nobody else uses it. */
    @Override
    public void close() {
        synchronized (OPEN) {
            users--;
            if (users > 0) {
                return;
            }
            OPEN.remove(file);
        }
        ends = true;
        try {
            writer.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}

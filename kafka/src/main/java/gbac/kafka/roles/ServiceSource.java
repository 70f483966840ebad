package gbac.kafka.roles;

import gbac.kafka.engine.Engine;
import gbac.kafka.engine.RoleMember;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A policy document of a service. A copy on disk lets a node start while the service does not answer. */
final class ServiceSource implements RoleSource {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceSource.class);
    private static final Duration TIMEOUT = RoleClient.TIMEOUT;
    private static final int OK = 200;
    private static final int NOT_MODIFIED = 304;

    private final URI url;
    private final Path tokenFile;
    private final RoleClient client;
    /** Null without client credentials. */
    private final ClientCredentials credentials;
    private final Path cache;
    private String etag = "";
    private boolean hasAnswered;
    /** The last document, until the copy has it. */
    private byte[] unsaved;

    ServiceSource(RoleSettings settings) {
        url = settings.url();
        tokenFile = settings.access().tokenFile();
        client = new RoleClient(settings.access());
        credentials = settings.access().tokenUrl() == null ? null : new ClientCredentials(settings.access());
        cache = settings.cache();
    }

    @Override
    public Duration interval() {
        return Duration.ofSeconds(5);
    }

    @Override
    public Answer readAtStart() throws UnusableException {
        try {
            return read();
        } catch (UnusableException unusable) {
            if (cache == null || !Files.isRegularFile(cache)) {
                throw unusable;
            }
            return readCache(unusable.getMessage());
        }
    }

    private Answer readCache(String problem) throws UnusableException {
        try {
            Set<RoleMember> members = RoleSource.members(RoleSettings.CACHE + " `" + cache + "`", FileSource.read(cache));
            Duration age = Duration.between(Files.getLastModifiedTime(cache).toInstant(), Instant.now());
            LOG.warn("{}; the members of roles are those of {}, {} seconds old", problem, cache, age.toSeconds());
            return new Answer(Optional.of(members), age.isNegative() ? Duration.ZERO : age);
        } catch (IOException failed) {
            throw new UnusableException(problem + ", and the copy in " + cache + " cannot be read: " + failed.getMessage());
        } catch (UnusableException damaged) {
            throw new UnusableException(problem + ", and " + damaged.getMessage());
        }
    }

    @Override
    public Answer read() throws UnusableException {
        HttpResponse<InputStream> response = send();
        try (InputStream body = response.body()) {
            Optional<Set<RoleMember>> changed = Optional.empty();
            if (response.statusCode() != NOT_MODIFIED || etag.isEmpty()) {
                checkStatus(response.statusCode());
                byte[] document = read(body, Engine.MAX_BYTES);
                changed = Optional.of(RoleSource.members("the answer of " + place(), document));
                unsaved = document;
                etag = response.headers().firstValue("ETag").orElse("");
            }
            hasAnswered = true;
            return Answer.now(changed);
        } catch (IOException failed) {
            throw new UnusableException(place() + " did not answer completely: " + failed.getMessage());
        }
    }

    private void checkStatus(int status) throws UnusableException {
        if (status == OK) {
            return;
        }
        String advice = "";
        if (status == 401 || status == 403) {
            if (credentials == null) {
                advice = "; check the token in " + RoleSettings.TOKEN_FILE;
            } else {
                credentials.forget();
                advice = "; give the user of " + RoleSettings.CLIENT_ID + " the access read_only";
            }
        }
        throw new UnusableException(place() + " answered with status " + status + advice);
    }

    /** Reads a body in limited time: a service that stops in the middle does not stop this thread. */
    static byte[] read(InputStream body, int most) throws IOException {
        CompletableFuture<byte[]> read = new CompletableFuture<>();
        ForkJoinPool.commonPool().execute(() -> {
            try {
                read.complete(body.readNBytes(most + 1));
            } catch (IOException | OutOfMemoryError failed) {
                read.completeExceptionally(failed);
            }
        });
        try {
            return read.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException slow) {
            throw new IOException("its answer took longer than " + TIMEOUT.toSeconds() + " seconds", slow);
        } catch (ExecutionException failed) {
            throw new IOException(failed.getCause().getMessage(), failed);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IOException("the node stops", stopped);
        }
    }

    private HttpResponse<InputStream> send() throws UnusableException {
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .timeout(TIMEOUT)
                .header("Accept", "application/json");
        if (!etag.isEmpty()) {
            request.header("If-None-Match", etag);
        }
        HttpClient current = client.get();
        String token = credentials == null ? token() : credentials.token(current);
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return RoleSource.send(current, request.build(), place());
    }

    /** The access token. Its file is read each time, because it can be renewed. */
    private String token() throws UnusableException {
        if (tokenFile == null) {
            return null;
        }
        try {
            String token = Files.readString(tokenFile, StandardCharsets.UTF_8).strip();
            if (!RoleSource.isToken(token)) {
                throw new UnusableException(RoleSettings.TOKEN_FILE + " `" + tokenFile + "` does not contain a token");
            }
            return token;
        } catch (IOException failed) {
            throw new UnusableException(
                    RoleSettings.TOKEN_FILE + " `" + tokenFile + "` cannot be read: " + failed.getMessage());
        }
    }

    /** The copy is the current document from now on, unless it was the answer. */
    @Override
    public void keep() {
        if (cache == null || !hasAnswered) {
            return;
        }
        try {
            if (unsaved == null) {
                Files.setLastModifiedTime(cache, FileTime.from(Instant.now()));
            } else {
                replaceCache(unsaved);
                unsaved = null;
            }
        } catch (IOException failed) {
            LOG.warn("{} `{}` cannot be written, so this node cannot start while the service does not answer: {}",
                    RoleSettings.CACHE, cache, failed.toString());
        }
    }

    /** Replaces the copy at once, so that it is never half written. */
    private void replaceCache(byte[] document) throws IOException {
        Path fresh = Files.createTempFile(cache.toAbsolutePath().getParent(), "roles", ".new");
        try {
            Files.write(fresh, document);
            Files.move(fresh, cache, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private String place() {
        return RoleSettings.URL + " `" + url + "`";
    }
}

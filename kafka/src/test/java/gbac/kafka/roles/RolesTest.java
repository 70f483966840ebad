package gbac.kafka.roles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import gbac.kafka.engine.RoleMember;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members of roles from files and services that change, fail and come back. */
final class RolesTest {
    @TempDir
    private Path folder;
    private final AtomicLong time = new AtomicLong(Long.MAX_VALUE - 1_000_000_000L);
    private final Heard heard = new Heard();

    /** What an authorizer hears. */
    private static final class Heard implements RoleWatch.Listener {
        private final List<Set<RoleMember>> members = new ArrayList<>();
        private boolean isOutdated;

        @Override
        public void members(Set<RoleMember> current) {
            members.add(current);
        }

        @Override
        public void outdated(boolean isTooOld) {
            isOutdated = isTooOld;
        }

        Set<RoleMember> last() {
            return members.get(members.size() - 1);
        }
    }

    /** A service that answers as the test says. */
    private static final class Service implements AutoCloseable {
        private final HttpServer server;
        private volatile int status = 200;
        private volatile String body;
        private volatile String etag = "\"1\"";
        private volatile String lastToken;
        private volatile String lastKnown;

        Service(String body) throws IOException {
            this.body = body;
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", exchange -> {
                lastToken = exchange.getRequestHeaders().getFirst("Authorization");
                lastKnown = exchange.getRequestHeaders().getFirst("If-None-Match");
                boolean isKnown = status == 200 && etag.equals(lastKnown);
                byte[] bytes = this.body.getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("ETag", etag);
                exchange.sendResponseHeaders(isKnown ? 304 : status, isKnown ? -1 : bytes.length);
                if (!isKnown) {
                    exchange.getResponseBody().write(bytes);
                }
                exchange.close();
            });
            server.start();
        }

        String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort() + "/gbac/v1/policy";
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    private static String document(String... members) {
        List<String> quoted = new ArrayList<>();
        for (String member : members) {
            quoted.add("{\"principal\":\"" + member + "\"}");
        }
        return "{\"version\":1,\"roles\":[{\"name\":\"dev\",\"members\":[" + String.join(",", quoted) + "]}]}";
    }

    private static Set<RoleMember> dev(String... members) {
        Set<RoleMember> all = new java.util.HashSet<>();
        for (String member : members) {
            all.add(new RoleMember("dev", member));
        }
        return all;
    }

    private RoleWatch start(String... pairs) {
        Map<String, Object> configs = new HashMap<>();
        for (int index = 0; index < pairs.length; index += 2) {
            configs.put(pairs[index], pairs[index + 1]);
        }
        RoleWatch watch = RoleWatch.start(RoleSettings.of(configs), time::get);
        watch.begin(heard);
        return watch;
    }

    private void pass(Duration duration) {
        time.addAndGet(duration.toNanos());
    }

    private String refused(String... pairs) {
        return assertThrows(ConfigException.class, () -> start(pairs)).getMessage();
    }

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("roles.json"), text);
    }

    @Test
    void aFileIsReadAgainWhenItChanges() throws IOException {
        Path file = write(document("Group:eng"));
        RoleWatch watch = start(RoleSettings.FILE, file.toString());
        assertEquals(dev("Group:eng"), heard.last());
        watch.poll(heard);
        watch.poll(heard);
        assertEquals(1, heard.members.size(), "nothing changed");
        write(document("Group:ops"));
        watch.poll(heard);
        assertEquals(dev("Group:ops"), heard.last(), "also with the same size");
        Path other = Files.writeString(folder.resolve("other.json"), document("User:ana", "Group:ops"));
        Files.setLastModifiedTime(other, FileTime.from(Instant.now().minusSeconds(3600)));
        Files.move(other, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        watch.poll(heard);
        assertEquals(dev("User:ana", "Group:ops"), heard.last(), "also with an older time");
        watch.poll(heard);
        watch.poll(heard);
        assertEquals(3, heard.members.size());
    }

    @Test
    void whatCannotBeReadLaterChangesNothing() throws IOException {
        String whole = document("Group:eng");
        Path file = write(whole);
        RoleWatch watch = start(RoleSettings.FILE, file.toString(), RoleSettings.MAX_AGE, "60");
        for (int length = 0; length < whole.length(); length += 7) {
            write(whole.substring(0, length));
            watch.poll(heard);
        }
        write("{\"version\":1,\"roles\":[{\"name\":\"dev\",\"members\":[{\"principal\":\"Role:x\"}]}]}");
        watch.poll(heard);
        Files.write(file, new byte[(16 << 20) + 1]);
        watch.poll(heard);
        Files.delete(file);
        watch.poll(heard);
        Files.createDirectory(file);
        watch.poll(heard);
        assertEquals(List.of(dev("Group:eng")), heard.members);
        assertFalse(heard.isOutdated);
        pass(Duration.ofSeconds(61));
        watch.poll(heard);
        assertTrue(heard.isOutdated);
        assertEquals(61, watch.age(), 0.001);
        Files.delete(file);
        write(document("Group:ops"));
        watch.poll(heard);
        assertFalse(heard.isOutdated);
        assertEquals(dev("Group:ops"), heard.last());
        assertEquals(0, watch.age(), 0.001);
    }

    @Test
    void aFileThatCannotBeUsedStopsTheStart() throws IOException {
        String name = folder.resolve("roles.json").toString();
        assertTrue(refused(RoleSettings.FILE, name).endsWith("does not exist"));
        assertTrue(refused(RoleSettings.FILE, folder.toString()).endsWith("is not a file"));
        write("{\"version\":1,\"rolls\":[]}");
        assertTrue(refused(RoleSettings.FILE, name).contains("`rolls` is an unknown field"));
        write("");
        assertTrue(refused(RoleSettings.FILE, name).contains("is not a policy document"));
        Files.write(Path.of(name), new byte[(16 << 20) + 1]);
        assertTrue(refused(RoleSettings.FILE, name).contains("more than 16 MiB"));
        assertTrue(refused(RoleSettings.FILE, name, RoleSettings.URL, "https://roles.example.com").contains("two sources"));
    }

    @Test
    void aServiceIsAskedForChangesOnly() throws IOException {
        try (Service service = new Service(document("Group:eng"))) {
            Path token = Files.writeString(folder.resolve("token"), "one\n");
            RoleWatch watch = start(RoleSettings.URL, service.url(), RoleSettings.TOKEN_FILE, token.toString());
            assertEquals("Bearer one", service.lastToken);
            Files.writeString(token, "two\n");
            watch.poll(heard);
            assertEquals("Bearer two", service.lastToken, "the token was renewed");
            assertEquals("\"1\"", service.lastKnown);
            assertEquals(1, heard.members.size());
            service.body = document("Group:ops");
            service.etag = "\"2\"";
            watch.poll(heard);
            assertEquals(dev("Group:ops"), heard.last());
            for (int status : new int[] {401, 403, 404, 500, 204, 304, 301}) {
                service.status = status;
                service.etag = "\"3\"";
                watch.poll(heard);
            }
            service.status = 200;
            service.body = "<html>";
            watch.poll(heard);
            service.body = "x".repeat((16 << 20) + 1);
            watch.poll(heard);
            assertEquals(2, heard.members.size());
            service.body = document();
            watch.poll(heard);
            assertEquals(Set.of(), heard.last());
        }
    }

    @Test
    void aNodeStartsFromTheCopyOfTheLastAnswer() throws IOException {
        Path cache = folder.resolve("cache.json");
        String url;
        try (Service service = new Service(document("Group:eng"))) {
            url = service.url();
            start(RoleSettings.URL, url, RoleSettings.CACHE, cache.toString());
            assertEquals(document("Group:eng"), Files.readString(cache));
        }
        assertTrue(refused(RoleSettings.URL, url).contains("does not answer"));
        Files.setLastModifiedTime(cache, FileTime.from(Instant.now().minusSeconds(100)));
        RoleWatch watch = start(RoleSettings.URL, url, RoleSettings.CACHE, cache.toString(), RoleSettings.MAX_AGE, "60");
        assertEquals(dev("Group:eng"), heard.last());
        assertTrue(heard.isOutdated, "its age counts");
        assertTrue(watch.age() >= 100 && watch.age() < 200, watch.age() + " seconds");
        // A clock that was set back makes the copy not older than now.
        Files.setLastModifiedTime(cache, FileTime.from(Instant.now().plusSeconds(100_000)));
        watch = start(RoleSettings.URL, url, RoleSettings.CACHE, cache.toString(), RoleSettings.MAX_AGE, "60");
        assertEquals(0, watch.age(), 0.001);
        Files.writeString(cache, "{\"vers");
        String message = refused(RoleSettings.URL, url, RoleSettings.CACHE, cache.toString());
        assertTrue(message.contains("does not answer") && message.contains(RoleSettings.CACHE), message);
    }

    @Test
    void withoutASourceNobodyIsAMemberAndNothingGetsOld() {
        RoleWatch watch = start(RoleSettings.MAX_AGE, "1");
        pass(Duration.ofDays(400));
        watch.poll(heard);
        watch.checkAge(heard);
        assertEquals(List.of(Set.of()), heard.members);
        assertFalse(watch.hasSource());
        assertEquals(0, watch.age());
        assertFalse(heard.isOutdated);
    }
}

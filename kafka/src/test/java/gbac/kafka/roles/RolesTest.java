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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
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
    private static final class Heard implements Consumer<RoleWatch.Roles> {
        private final List<Set<RoleMember>> members = new ArrayList<>();
        private boolean isOutdated;

        @Override
        public void accept(RoleWatch.Roles current) {
            if (members.isEmpty() || !last().equals(current.members())) {
                members.add(current.members());
            }
            isOutdated = current.isOutdated();
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

    private static RoleSettings settings(String... pairs) {
        Map<String, Object> configs = new HashMap<>();
        for (int index = 0; index < pairs.length; index += 2) {
            configs.put(pairs[index], pairs[index + 1]);
        }
        return RoleSettings.of(configs);
    }

    /** A watch whose tasks run at once. */
    private RoleWatch start(String... pairs) {
        return start(Runnable::run, pairs);
    }

    private RoleWatch start(Executor owner, String... pairs) {
        RoleWatch watch = new RoleWatch(time::get, owner, Runnable::run, heard);
        watch.begin(settings(pairs));
        return watch;
    }

    /** Lets the time of the longest interval pass, and reads again. */
    private void poll(RoleWatch watch) {
        pass(Duration.ofSeconds(5));
        watch.tick();
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
        poll(watch);
        poll(watch);
        assertEquals(1, heard.members.size(), "nothing changed");
        write(document("Group:ops"));
        poll(watch);
        assertEquals(dev("Group:ops"), heard.last(), "also with the same size");
        Path other = Files.writeString(folder.resolve("other.json"), document("User:ana", "Group:ops"));
        Files.setLastModifiedTime(other, FileTime.from(Instant.now().minusSeconds(3600)));
        Files.move(other, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        poll(watch);
        assertEquals(dev("User:ana", "Group:ops"), heard.last(), "also with an older time");
        poll(watch);
        poll(watch);
        assertEquals(3, heard.members.size());
    }

    @Test
    void whatCannotBeReadLaterChangesNothing() throws IOException {
        String whole = document("Group:eng");
        Path file = write(whole);
        RoleWatch watch = start(RoleSettings.FILE, file.toString(), RoleSettings.MAX_AGE, "600");
        for (int length = 0; length < whole.length(); length += 7) {
            write(whole.substring(0, length));
            poll(watch);
        }
        write("{\"version\":1,\"roles\":[{\"name\":\"dev\",\"members\":[{\"principal\":\"Role:x\"}]}]}");
        poll(watch);
        write("{\"version\":1}");
        poll(watch);
        Files.write(file, new byte[(16 << 20) + 1]);
        poll(watch);
        Files.delete(file);
        poll(watch);
        Files.createDirectory(file);
        poll(watch);
        assertEquals(List.of(dev("Group:eng")), heard.members);
        assertFalse(heard.isOutdated);
        double age = watch.age();
        pass(Duration.ofSeconds(600));
        watch.tick();
        assertTrue(heard.isOutdated);
        assertEquals(age + 600, watch.age(), 0.001);
        Files.delete(file);
        write(document("Group:ops"));
        poll(watch);
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
        write("{\"version\":1,\"acls\":[]}");
        assertTrue(refused(RoleSettings.FILE, name).contains("`roles` is missing"));
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
            poll(watch);
            assertEquals("Bearer two", service.lastToken, "the token was renewed");
            assertEquals("\"1\"", service.lastKnown);
            assertEquals(1, heard.members.size());
            service.body = document("Group:ops");
            service.etag = "\"2\"";
            poll(watch);
            assertEquals(dev("Group:ops"), heard.last());
            for (int status : new int[] {401, 403, 404, 500, 204, 304, 301}) {
                service.status = status;
                service.etag = "\"3\"";
                poll(watch);
            }
            service.status = 200;
            service.body = "<html>";
            poll(watch);
            service.body = "x".repeat((16 << 20) + 1);
            poll(watch);
            assertEquals(2, heard.members.size());
            service.body = document();
            poll(watch);
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
        poll(watch);
        watch.tick();
        assertEquals(List.of(), heard.members);
        assertFalse(watch.settings().hasSource());
        assertEquals(0, watch.age());
        assertFalse(heard.isOutdated);
    }

    @Test
    void anAnswerOfTheSourceBeforeIsDropped() throws IOException {
        Path file = write(document("User:of-the-file"));
        Path cache = folder.resolve("cache.json");
        try (Service service = new Service(document("User:of-the-service"))) {
            Queue<Runnable> tasks = new ArrayDeque<>();
            RoleWatch watch = start(tasks::add);
            watch.follow(settings(RoleSettings.URL, service.url(), RoleSettings.CACHE, cache.toString()), false);
            RoleWatch.Reading reading = watch.follow(settings(RoleSettings.FILE, file.toString()), false);
            // The service answers while the second change already waits, and its answer waits behind that.
            tasks.remove().run();
            assertEquals(2, tasks.size());
            assertEquals(List.of(), heard.members);
            tasks.remove().run();
            tasks.remove().run();
            assertEquals(List.of(), heard.members, "the service is no longer the source");
            assertFalse(reading.read().isDone());
            tasks.remove().run();
            assertEquals(List.of(dev("User:of-the-file")), heard.members);
            assertTrue(reading.read().isDone());
            assertFalse(Files.exists(cache), "the next start does not find what was dropped");
        }
    }

    @Test
    void aFailureOfTheSourceBeforeIsDropped() throws IOException {
        Path file = write(document("Group:eng"));
        Queue<Runnable> tasks = new ArrayDeque<>();
        RoleWatch watch = start(tasks::add);
        RoleWatch.Reading first = watch.follow(settings(RoleSettings.FILE, folder.toString()), true);
        RoleWatch.Reading second = watch.follow(settings(RoleSettings.FILE, file.toString()), true);
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
        second.tried().join();
        first.tried().join();
        first.read().join();
        assertEquals(List.of(dev("Group:eng")), heard.members, "who waited for the first source waited for the second");
    }

    @Test
    void aSourceThatCannotBeReadYetLeavesTheMembersAndIsReadWhenItIsBack() throws IOException {
        Path file = write(document("Group:eng"));
        Path other = folder.resolve("other.json");
        RoleWatch watch = start(RoleSettings.FILE, file.toString());
        RoleWatch.Reading reading =
                watch.follow(settings(RoleSettings.FILE, other.toString(), RoleSettings.MAX_AGE, "60"), false);
        assertTrue(reading.tried().isCompletedExceptionally());
        write(document("Group:no-longer-read"));
        poll(watch);
        assertEquals(List.of(dev("Group:eng")), heard.members);
        assertEquals(5, watch.age(), 0.001);
        pass(Duration.ofSeconds(60));
        watch.tick();
        assertTrue(heard.isOutdated);
        Files.writeString(other, document("Group:ops"));
        poll(watch);
        assertEquals(List.of(dev("Group:eng"), dev("Group:ops")), heard.members);
        assertFalse(heard.isOutdated);
        reading.read().join();
        watch.follow(settings(), false).read().join();
        assertEquals(Set.of(), heard.last(), "without a source, nobody is a member");
        assertEquals(0, watch.age());
    }

    @Test
    void otherSettingsOfTheSameSourceDoNotReadItAgain() throws IOException {
        Path file = write(document("Group:eng"));
        RoleWatch watch = start(RoleSettings.FILE, file.toString());
        Files.delete(file);
        RoleSettings older = settings(RoleSettings.FILE, file.toString(), RoleSettings.MAX_AGE, "1");
        watch.check(older);
        watch.follow(older, false).read().join();
        pass(Duration.ofSeconds(2));
        watch.tick();
        assertTrue(heard.isOutdated);
        watch.follow(settings(RoleSettings.FILE, file.toString()), false).read().join();
        assertFalse(heard.isOutdated);
        assertThrows(ConfigException.class, () -> watch.check(settings(RoleSettings.FILE, folder.toString())));
    }

    @Test
    void aCheckWritesNoCopy() throws IOException {
        Path cache = Files.writeString(folder.resolve("cache.json"), document("User:kept"));
        try (Service service = new Service(document("User:checked"))) {
            RoleWatch watch = start();
            watch.check(settings(RoleSettings.URL, service.url(), RoleSettings.CACHE, cache.toString()));
            assertEquals(document("User:kept"), Files.readString(cache));
            watch.follow(settings(RoleSettings.URL, service.url(), RoleSettings.CACHE, cache.toString()), false).read().join();
            assertEquals(document("User:checked"), Files.readString(cache));
        }
    }

    @Test
    void membersThatCouldNotBeTakenArePassedOnAgain() throws IOException {
        List<Set<RoleMember>> taken = new ArrayList<>();
        boolean[] fails = {false};
        RoleWatch watch = new RoleWatch(time::get, Runnable::run, Runnable::run, current -> {
            if (fails[0]) {
                throw new IllegalStateException("an engine failed");
            }
            taken.add(current.members());
        });
        watch.begin(settings(RoleSettings.FILE, write(document("User:alice")).toString()));
        fails[0] = true;
        assertThrows(IllegalStateException.class, () -> watch.follow(settings(), false));
        fails[0] = false;
        watch.tick();
        assertEquals(2, taken.size());
        assertEquals(Set.of(), taken.get(1));
    }
}

package gbac.kafka.authorizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import gbac.kafka.principal.PrincipalGroups;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.Endpoint;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthorizerNotReadyException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.apache.kafka.server.authorizer.AuthorizerServerInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Properties that change while a node runs and while it starts. The thread of a test is that of the metadata log. */
final class ChangeTest {
    private static final long PATIENCE_SECONDS = 120;
    private static final Executor ANOTHER_THREAD = task -> new Thread(task).start();
    private static final Endpoint CLIENTS = new Endpoint("CLIENTS", SecurityProtocol.SASL_SSL, "localhost", 1);

    @TempDir
    private Path folder;

    /** A node with one listener. */
    private record Node(Set<String> earlyStartListeners) implements AuthorizerServerInfo {
        @Override
        public ClusterResource clusterResource() {
            return new ClusterResource("cluster");
        }

        @Override
        public int brokerId() {
            return 1;
        }

        @Override
        public List<Endpoint> endpoints() {
            return List.of(CLIENTS);
        }

        @Override
        public Endpoint interBrokerEndpoint() {
            return CLIENTS;
        }
    }

    private static World.Request alice() {
        return World.request(PrincipalGroups.create("User", "alice", false, List.of("eng")), "10.0.0.1");
    }

    private static boolean reads(AclAuthorizer authorizer, String topic) {
        return World.allows(authorizer, alice(), World.action(AclOperation.READ, ResourceType.TOPIC, topic));
    }

    private static StandardAcl deny(String name, String principal) {
        return World.acl(ResourceType.TOPIC, name, PatternType.LITERAL, principal, AclOperation.READ, false);
    }

    private static String document(String member) {
        return "{\"version\":1,\"roles\":[{\"name\":\"dev\",\"members\":[{\"principal\":\"" + member + "\"}]}]}";
    }

    private String write(String name, String member) throws IOException {
        return Files.writeString(folder.resolve(name), document(member)).toString();
    }

    /** An administrator's request, which Kafka checks on a thread of its own. */
    private static void validate(AclAuthorizer authorizer, String... pairs) {
        try {
            CompletableFuture.runAsync(() -> authorizer.validateReconfiguration(World.configs(pairs)), ANOTHER_THREAD).join();
        } catch (CompletionException failed) {
            throw (ConfigException) failed.getCause();
        }
    }

    /** What Kafka does with a change on the thread of the metadata log. */
    private static void change(AclAuthorizer authorizer, String... pairs) {
        authorizer.validateReconfiguration(World.configs(pairs));
        authorizer.reconfigure(World.configs(pairs));
    }

    private static void await(boolean expected, AclAuthorizer authorizer, String topic) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (reads(authorizer, topic) != expected) {
            assertTrue(System.nanoTime() < end, "still not " + expected);
            Thread.yield();
        }
    }

    @Test
    void aSourceOfRolesChangesWhileTheNodeRuns() throws IOException {
        AclAuthorizer authorizer = World.authorizer(List.of(World.readAcl("b", "Role:dev")));
        assertFalse(reads(authorizer, "b"));
        assertTrue(authorizer.reconfigurableConfigs().contains("gbac.roles.file"));
        String file = write("roles.json", "Group:eng");
        validate(authorizer, "gbac.roles.file", file);
        assertFalse(reads(authorizer, "b"), "a check changes nothing");
        change(authorizer, "gbac.roles.file", file);
        await(true, authorizer, "b");
        assertThrows(ConfigException.class, () -> validate(authorizer, "gbac.roles.file", "/does/not/exist"));
        assertThrows(ConfigException.class, () -> validate(authorizer, "gbac.groups.claim", "["));
        assertTrue(reads(authorizer, "b"));
        change(authorizer);
        await(false, authorizer, "b");
        authorizer.close();
    }

    /** The lock of the ACLs is held for as long as the test says, as while they are applied. */
    @Test
    void neitherAChangeNorAQuestionWaitsForTheAcls() throws Exception {
        String one = write("one.json", "Group:eng");
        String two = write("two.json", "User:nobody");
        AclAuthorizer authorizer =
                World.authorizer(List.of(World.readAcl("t", "Role:dev")), "gbac.roles.file", one);
        CountDownLatch isHeld = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Thread holder = new Thread(() -> {
            synchronized (authorizer) {
                isHeld.countDown();
                try {
                    release.await();
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            }
        });
        holder.start();
        isHeld.await();
        try {
            for (String file : List.of(two, one, two)) {
                CompletableFuture.runAsync(() -> change(authorizer, "gbac.roles.file", file), ANOTHER_THREAD)
                        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                boolean isAllowed = CompletableFuture.supplyAsync(() -> reads(authorizer, "t"), ANOTHER_THREAD)
                        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                assertTrue(isAllowed, "the members are not there yet");
            }
        } finally {
            release.countDown();
        }
        holder.join();
        await(false, authorizer, "t");
        authorizer.close();
    }

    @Test
    void aServiceThatDoesNotAnswerDelaysNeitherAclsNorChanges() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        HttpServer service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/", exchange -> {
            asked.countDown();
            try {
                release.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            byte[] body = document("Group:of-the-service").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        service.start();
        try {
            String url = "http://127.0.0.1:" + service.getAddress().getPort() + "/gbac/v1/policy";
            AclAuthorizer authorizer = World.authorizer(List.of(World.readAcl("t", "User:*")));
            change(authorizer, "gbac.roles.url", url);
            asked.await();
            Uuid id = Uuid.randomUuid();
            authorizer.addAcl(id, deny("t", "User:alice"));
            assertFalse(reads(authorizer, "t"));
            authorizer.removeAcl(id);
            authorizer.loadSnapshot(Map.of(id, World.readAcl("t", "Role:dev")));
            assertFalse(reads(authorizer, "t"));
            change(authorizer, "gbac.roles.file", write("roles.json", "Group:eng"));
            await(true, authorizer, "t");
            authorizer.close();
        } finally {
            release.countDown();
            service.stop(0);
        }
    }

    /** A node that starts with properties that were changed while it ran before: Kafka passes them on before the ACLs. */
    private static CompletableFuture<Void> startWith(AclAuthorizer authorizer, String... pairs) {
        authorizer.configure(World.configs());
        CompletableFuture<Void> ready = authorizer.start(new Node(Set.of())).get(CLIENTS).toCompletableFuture();
        try {
            change(authorizer, pairs);
        } catch (ConfigException wrong) {
            // Kafka logs it and goes on.
        }
        authorizer.loadSnapshot(Map.of(Uuid.randomUuid(), World.readAcl("t", "User:*"), Uuid.randomUuid(), deny("t", "Role:dev")));
        authorizer.completeInitialLoad();
        return ready;
    }

    @Test
    void aNodeStartsWithChangedProperties() throws Exception {
        AclAuthorizer authorizer = new AclAuthorizer();
        startWith(authorizer, "gbac.roles.file", write("roles.json", "Group:eng")).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertFalse(reads(authorizer, "t"), "the members of roles are there from the first question");
        authorizer.close();
    }

    @Test
    void changedPropertiesThatCannotBeUsedStopTheStart() throws Exception {
        String damaged = Files.writeString(folder.resolve("damaged.json"), "{\"vers").toString();
        HttpServer closed = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        String gone = "http://127.0.0.1:" + closed.getAddress().getPort() + "/";
        closed.stop(0);
        String[][] wrong = {
            {"gbac.roles.file", folder.resolve("missing.json").toString()},
            {"gbac.roles.file", damaged},
            {"gbac.roles.url", gone},
            {"gbac.roles.url", gone, "gbac.roles.file", damaged},
            {"gbac.groups.claim", "["},
        };
        for (String[] pairs : wrong) {
            AclAuthorizer authorizer = new AclAuthorizer();
            CompletableFuture<Void> ready = startWith(authorizer, pairs);
            Exception failed = assertThrows(Exception.class, () -> ready.get(PATIENCE_SECONDS, TimeUnit.SECONDS), pairs[0]);
            assertEquals(ConfigException.class, failed.getCause().getClass(), pairs[0]);
            assertTrue(failed.getMessage().contains(pairs[0]), failed.getMessage());
            assertThrows(AuthorizerNotReadyException.class, () -> reads(authorizer, "t"), pairs[0]);
            authorizer.close();
        }
    }

    @Test
    void aControllerDecidesWhenTheSourceIsBackOrAnotherOneIsNamed() throws Exception {
        Path missing = folder.resolve("missing.json");
        for (boolean isBack : new boolean[] {true, false}) {
            Files.deleteIfExists(missing);
            AclAuthorizer authorizer = new AclAuthorizer();
            CompletableFuture<Void> ready = startWith(authorizer, "gbac.roles.file", missing.toString());
            assertThrows(Exception.class, () -> ready.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
            if (isBack) {
                write("missing.json", "Group:eng");
            } else {
                change(authorizer, "gbac.roles.file", write("roles.json", "Group:eng"));
            }
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (true) {
                try {
                    assertFalse(reads(authorizer, "t"), "a deny of the role");
                    break;
                } catch (AuthorizerNotReadyException early) {
                    assertTrue(System.nanoTime() < end, "it does not decide");
                    Thread.yield();
                }
            }
            authorizer.close();
        }
    }

    @Test
    void aNodeThatIsClosedWhileItReadsDoesNotStart() throws Exception {
        AclAuthorizer authorizer = new AclAuthorizer();
        authorizer.configure(World.configs());
        CompletableFuture<Void> ready = authorizer.start(new Node(Set.of())).get(CLIENTS).toCompletableFuture();
        authorizer.close();
        change(authorizer, "gbac.roles.file", write("roles.json", "Group:eng"));
        authorizer.completeInitialLoad();
        assertThrows(Exception.class, () -> ready.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }
}

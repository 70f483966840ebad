package gbac.kafka.roles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import gbac.kafka.engine.RoleMember;
import gbac.kafka.roles.RoleSource.UnusableException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a node proves who it is to the service of the roles: client credentials, and client certificates. */
final class RoleAccessTest {
    private static final String DOCUMENT =
            "{\"version\":1,\"roles\":[{\"name\":\"dev\",\"members\":[{\"principal\":\"Group:eng\"}]}]}";
    private static final Set<RoleMember> MEMBERS = Set.of(new RoleMember("dev", "Group:eng"));
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    private Path folder;

    private static RoleSettings settings(String... pairs) {
        Map<String, Object> configs = new HashMap<>();
        for (int index = 0; index < pairs.length; index += 2) {
            configs.put(pairs[index], pairs[index + 1]);
        }
        return RoleSettings.of(configs);
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static String place(HttpServer server, String path) {
        String scheme = server instanceof HttpsServer ? "https://localhost:" : "http://127.0.0.1:";
        return scheme + server.getAddress().getPort() + path;
    }

    private String file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content).toString();
    }

    /** A service whose identity provider gives the tokens token-1, token-2, and so on. */
    private static final class Provider implements AutoCloseable {
        private final HttpServer server;
        private final List<String> asked = new ArrayList<>();
        private volatile String answer = "{\"access_token\":\"token-%d\",\"expires_in\":3600}";
        private volatile int status = 200;
        private volatile String accepted = "Bearer token-1";

        Provider() throws IOException {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/token", exchange -> {
                String form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                asked.add(exchange.getRequestHeaders().getFirst("Authorization") + " " + form);
                answer(exchange, status, String.format(answer, asked.size()));
            });
            server.createContext("/policy", exchange -> {
                boolean isAccepted = accepted.equals(exchange.getRequestHeaders().getFirst("Authorization"));
                answer(exchange, isAccepted ? 200 : 401, DOCUMENT);
            });
            server.start();
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    @Test
    void clientCredentialsGetATokenAndKeepIt() throws IOException, UnusableException {
        try (Provider provider = new Provider()) {
            String secret = file("secret", "s e+c/ret\n");
            RoleSource source = RoleSource.of(settings("gbac.roles.url", place(provider.server, "/policy"),
                    "gbac.roles.oauth.token.url", place(provider.server, "/token"), "gbac.roles.oauth.client.id", "kafka:roles",
                    "gbac.roles.oauth.client.secret.file", secret, "gbac.roles.oauth.scope", "gbac read"));
            assertEquals(Optional.of(MEMBERS), source.read().changed());
            source.read();
            String basic = Base64.getEncoder().encodeToString("kafka%3Aroles:s+e%2Bc%2Fret".getBytes(StandardCharsets.UTF_8));
            assertEquals(List.of("Basic " + basic + " grant_type=client_credentials&scope=gbac+read"), provider.asked);
            // The service refuses it: the next read gets another one.
            provider.accepted = "Bearer token-2";
            String message = assertThrows(UnusableException.class, source::read).getMessage();
            assertTrue(message.contains("status 401") && message.contains("gbac.roles.oauth.client.id"), message);
            source.read();
            assertEquals(2, provider.asked.size());
        }
    }

    @Test
    void aTokenIsRenewedBeforeItExpires() throws IOException, UnusableException {
        try (Provider provider = new Provider()) {
            provider.answer = "{\"access_token\":\"token-%d\",\"expires_in\":0}";
            RoleSource source = RoleSource.of(settings("gbac.roles.url", place(provider.server, "/policy"),
                    "gbac.roles.oauth.token.url", place(provider.server, "/token"), "gbac.roles.oauth.client.id", "kafka",
                    "gbac.roles.oauth.client.secret.file", file("secret", "x")));
            source.read();
            provider.accepted = "Bearer token-2";
            source.read();
            assertEquals(2, provider.asked.size());
        }
    }

    @Test
    void aProviderThatRefusesIsNamed() throws IOException {
        try (Provider provider = new Provider()) {
            RoleSource source = RoleSource.of(settings("gbac.roles.url", place(provider.server, "/policy"),
                    "gbac.roles.oauth.token.url", place(provider.server, "/token"), "gbac.roles.oauth.client.id", "kafka",
                    "gbac.roles.oauth.client.secret.file", file("secret", "secret-value")));
            provider.status = 401;
            provider.answer = "{\"error\":\"invalid_client\\n\"}";
            String refused = assertThrows(UnusableException.class, source::read).getMessage();
            assertTrue(refused.contains("status 401 and `invalid_client\\u{a}`; check gbac.roles.oauth.client.id"), refused);
            provider.status = 200;
            for (String wrong : List.of("{}", "[", "{\"access_token\":7}", "{\"access_token\":\"a b\"}")) {
                provider.answer = wrong;
                String message = assertThrows(UnusableException.class, source::read).getMessage();
                assertTrue(message.startsWith("gbac.roles.oauth.token.url `"), message);
            }
            Files.delete(folder.resolve("secret"));
            String missing = assertThrows(UnusableException.class, source::read).getMessage();
            assertTrue(missing.startsWith("gbac.roles.oauth.client.secret.file `"), missing);
        }
    }

    @Test
    void wrongPropertiesAreRefused() throws IOException {
        String url = "https://gbac.example.com";
        String pem = file("no.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        for (String[] wrong : new String[][] {
            {"gbac.roles.oauth.token.url", url},
            {"gbac.roles.tls.ca", pem},
            {"gbac.roles.oauth.client.id", "a", "gbac.roles.url", url},
            {"gbac.roles.oauth.client.id", "", "gbac.roles.url", url, "gbac.roles.oauth.token.url", url},
            {"gbac.roles.oauth.client.secret.file", "", "gbac.roles.url", url, "gbac.roles.oauth.token.url", url,
                "gbac.roles.oauth.client.id", "a"},
            {"gbac.roles.oauth.token.url", "http://idp.example.com", "gbac.roles.url", url},
            {"gbac.roles.token.file", "t", "gbac.roles.url", url, "gbac.roles.oauth.token.url", url},
            {"gbac.roles.tls.ca", pem, "gbac.roles.url", url},
            {"gbac.roles.tls.ca", file("empty.pem", ""), "gbac.roles.url", url},
            {"gbac.roles.tls.ca", folder.resolve("none.pem").toString(), "gbac.roles.url", url},
            {"gbac.roles.tls.keystore", file("key.pem", ""), "gbac.roles.url", url},
        }) {
            String message = assertThrows(ConfigException.class, () -> settings(wrong)).getMessage();
            assertTrue(message.contains(wrong[0]), wrong[0] + ": " + message);
        }
    }

    // Certificates, made with the JDK's own program.

    private KeyStore keys(String name, String subject) throws IOException, GeneralSecurityException, InterruptedException {
        Path store = folder.resolve(name + ".p12");
        Process made = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
                "-alias", "own", "-keyalg", "EC", "-dname", "CN=" + subject, "-ext", "san=dns:localhost", "-validity", "2",
                "-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", new String(PASSWORD))
                .redirectErrorStream(true).start();
        String said = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(made.waitFor(1, TimeUnit.MINUTES) && made.exitValue() == 0, said);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream file = Files.newInputStream(store)) {
            keys.load(file, PASSWORD);
        }
        return keys;
    }

    private static String block(String kind, byte[] bytes) {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n";
    }

    private static String certificate(KeyStore keys) throws GeneralSecurityException {
        return block("CERTIFICATE", keys.getCertificate("own").getEncoded());
    }

    private static String withKey(KeyStore keys) throws GeneralSecurityException {
        return block("PRIVATE KEY", keys.getKey("own", PASSWORD).getEncoded()) + certificate(keys);
    }

    /** A service that only answers clients with this certificate. */
    private HttpsServer service(KeyStore own, KeyStore client) throws IOException, GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, PASSWORD);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("client", client.getCertificate("own"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters needs = context.getDefaultSSLParameters();
                needs.setNeedClientAuth(true);
                parameters.setSSLParameters(needs);
            }
        });
        server.createContext("/policy", exchange -> answer(exchange, 200, DOCUMENT));
        server.createContext("/token", exchange -> {
            String form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            boolean isClient = form.equals("grant_type=client_credentials&client_id=kafka");
            answer(exchange, isClient ? 200 : 400, "{\"access_token\":\"t\"}");
        });
        server.start();
        return server;
    }

    @Test
    void aClientCertificateAndAnAuthorityOfOnesOwnAreUsed() throws Exception {
        KeyStore own = keys("service", "service");
        KeyStore client = keys("client", "client");
        KeyStore other = keys("other", "other");
        HttpsServer server = service(own, client);
        try {
            String url = place(server, "/policy");
            String authority = file("ca.pem", "# The company's\n" + certificate(other) + certificate(own));
            String keystore = file("client.pem", withKey(client));
            RoleSource source = RoleSource.of(settings("gbac.roles.url", url, "gbac.roles.tls.ca", authority,
                    "gbac.roles.tls.keystore", keystore, "gbac.roles.oauth.token.url", place(server, "/token"),
                    "gbac.roles.oauth.client.id", "kafka"));
            assertEquals(Optional.of(MEMBERS), source.read().changed());
            // A certificate that is replaced is used at once.
            Files.writeString(Path.of(keystore), withKey(other));
            Files.setLastModifiedTime(Path.of(keystore), FileTime.from(Instant.now().plusSeconds(5)));
            assertThrows(UnusableException.class, source::read);
            RoleSource withoutCertificate = RoleSource.of(settings("gbac.roles.url", url, "gbac.roles.tls.ca", authority));
            assertThrows(UnusableException.class, withoutCertificate::read);
            Files.writeString(Path.of(keystore), withKey(client));
            RoleSource withoutAuthority = RoleSource.of(settings("gbac.roles.url", url, "gbac.roles.tls.keystore", keystore));
            assertThrows(UnusableException.class, withoutAuthority::read);
        } finally {
            server.stop(0);
        }
    }
}

package gbac.kafka.roles;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import gbac.kafka.engine.LogText;
import gbac.kafka.roles.RoleSource.UnusableException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/** Gets access tokens with client credentials (RFC 6749, section 4.4), and keeps each for most of its lifetime. */
final class ClientCredentials {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_BYTES = 1 << 20;
    private static final long DEFAULT_LIFETIME = 60;
    private static final long LONGEST_LIFETIME = TimeUnit.DAYS.toSeconds(1);

    private final RoleAccess access;
    private String token;
    private long renewal;

    ClientCredentials(RoleAccess access) {
        this.access = access;
    }

    /** Forgets the token, because the service refuses it. */
    void forget() {
        token = null;
    }

    /** A token that is valid for a while. */
    String token(HttpClient client) throws UnusableException {
        if (token == null || System.nanoTime() - renewal >= 0) {
            JsonNode answer = ask(client);
            JsonNode found = answer.path("access_token");
            if (!found.isTextual() || !RoleSource.isToken(found.asText())) {
                throw new UnusableException(place() + " did not answer with an access token");
            }
            token = found.asText();
            long seconds = Math.min(LONGEST_LIFETIME, Math.max(0, answer.path("expires_in").asLong(DEFAULT_LIFETIME)));
            renewal = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds) / 5 * 4;
        }
        return token;
    }

    private JsonNode ask(HttpClient client) throws UnusableException {
        HttpRequest.Builder request = HttpRequest.newBuilder(access.tokenUrl())
                .timeout(RoleClient.TIMEOUT)
                .header("Accept", "application/json")
                .header("Content-Type", "application/x-www-form-urlencoded");
        StringBuilder form = new StringBuilder("grant_type=client_credentials");
        if (!access.scope().isEmpty()) {
            form.append("&scope=").append(encoded(access.scope()));
        }
        if (access.secretFile() == null) {
            // The certificate of the client proves who it is (RFC 8705).
            form.append("&client_id=").append(encoded(access.clientId()));
        } else {
            String pair = encoded(access.clientId()) + ":" + encoded(secret());
            request.header("Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
        }
        request.POST(HttpRequest.BodyPublishers.ofString(form.toString()));
        HttpResponse<InputStream> response = RoleSource.send(client, request.build(), place());
        try (InputStream body = response.body()) {
            JsonNode answer = parsed(ServiceSource.read(body, MAX_BYTES));
            if (response.statusCode() != 200) {
                String error = answer == null ? "" : answer.path("error").asText("");
                throw new UnusableException(place() + " answered with status " + response.statusCode()
                        + (error.isEmpty() ? "" : " and `" + LogText.escape(error) + "`") + "; check " + RoleSettings.CLIENT_ID
                        + " and " + RoleSettings.SECRET_FILE);
            }
            if (answer == null) {
                throw new UnusableException(place() + " did not answer with JSON");
            }
            return answer;
        } catch (IOException failed) {
            throw new UnusableException(place() + " did not answer completely: " + failed.getMessage());
        }
    }

    /** The JSON of a body; null if it is something else. */
    private static JsonNode parsed(byte[] body) {
        try {
            return JSON.readTree(body);
        } catch (IOException wrong) {
            return null;
        }
    }

    /** The secret. Its file is read each time, because it can be replaced. */
    private String secret() throws UnusableException {
        String place = RoleSettings.SECRET_FILE + " `" + access.secretFile() + "`";
        try {
            String secret = Files.readString(access.secretFile(), StandardCharsets.UTF_8).strip();
            if (secret.isEmpty()) {
                throw new UnusableException(place + " is empty");
            }
            return secret;
        } catch (IOException failed) {
            throw new UnusableException(place + " cannot be read: " + failed.getMessage());
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private String place() {
        return RoleSettings.TOKEN_URL + " `" + access.tokenUrl() + "`";
    }
}

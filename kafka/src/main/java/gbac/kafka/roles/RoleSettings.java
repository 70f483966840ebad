package gbac.kafka.roles;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigException;

/**
 * Where the members of roles come from.
 *
 * @param file a policy document, which is watched; or null
 * @param url the policy document of a service, which is asked again and again; or null
 * @param access what the service is shown, and who is trusted
 * @param cache the file that keeps the service's last document; or null
 * @param maxAge how old members can be before ACLs of roles allow nobody; zero for no limit
 */
public record RoleSettings(Path file, URI url, RoleAccess access, Path cache, Duration maxAge) {
    /** The property with the path of a policy document. */
    public static final String FILE = "gbac.roles.file";
    /** The property with the URL of a policy document. */
    public static final String URL = "gbac.roles.url";
    /** The property with the path of the access token for the URL. */
    public static final String TOKEN_FILE = "gbac.roles.token.file";
    /** The property with the address where a token is got with client credentials. */
    public static final String TOKEN_URL = "gbac.roles.oauth.token.url";
    /** The property with the name of the client. */
    public static final String CLIENT_ID = "gbac.roles.oauth.client.id";
    /** The property with the path of the client's secret. */
    public static final String SECRET_FILE = "gbac.roles.oauth.client.secret.file";
    /** The property with the scope of the token. */
    public static final String SCOPE = "gbac.roles.oauth.scope";
    /** The property with the path of a client certificate and its key. */
    public static final String KEYSTORE = "gbac.roles.tls.keystore";
    /** The property with the path of certificates of authorities. */
    public static final String AUTHORITIES = "gbac.roles.tls.ca";
    /** All properties, which can change while a node runs. */
    public static final Set<String> PROPERTIES = Set.of("gbac.roles.file", "gbac.roles.url", "gbac.roles.token.file",
            "gbac.roles.cache", "gbac.roles.max.age", TOKEN_URL, CLIENT_ID, SECRET_FILE, SCOPE, KEYSTORE, AUTHORITIES);
    /** The property with the path where the last document of the URL is kept. */
    public static final String CACHE = "gbac.roles.cache";
    /** The property with the seconds after which members are too old. */
    public static final String MAX_AGE = "gbac.roles.max.age";

    /** Reads and checks the properties. */
    public static RoleSettings of(Map<String, ?> configs) {
        RoleSettings settings =
                new RoleSettings(path(configs, FILE), url(configs, URL), access(configs), path(configs, CACHE), maxAge(configs));
        if (settings.file != null && settings.url != null) {
            throw new ConfigException(FILE + " and " + URL + " are two sources of roles; remove one of them");
        }
        if (settings.url == null) {
            for (String property : new TreeSet<>(PROPERTIES)) {
                boolean isOfUrl = !property.equals(FILE) && !property.equals(MAX_AGE);
                if (isOfUrl && !text(configs, property).isEmpty()) {
                    throw new ConfigException(property + " has no effect without " + URL);
                }
            }
        }
        return settings;
    }

    private static RoleAccess access(Map<String, ?> configs) {
        RoleAccess access = new RoleAccess(path(configs, TOKEN_FILE), url(configs, TOKEN_URL), text(configs, CLIENT_ID),
                path(configs, SECRET_FILE), text(configs, SCOPE), path(configs, KEYSTORE), path(configs, AUTHORITIES));
        if (access.tokenUrl() == null) {
            for (String property : List.of(CLIENT_ID, SECRET_FILE, SCOPE)) {
                if (!text(configs, property).isEmpty()) {
                    throw new ConfigException(property + " has no effect without " + TOKEN_URL);
                }
            }
        } else if (access.tokenFile() != null) {
            throw new ConfigException(TOKEN_FILE + " and " + TOKEN_URL + " are two sources of a token; remove one of them");
        } else if (access.clientId().isEmpty()) {
            throw new ConfigException(TOKEN_URL + " needs " + CLIENT_ID);
        } else if (access.secretFile() == null && access.keystore() == null) {
            throw new ConfigException(TOKEN_URL + " needs " + SECRET_FILE + ", or " + KEYSTORE);
        }
        try {
            RoleClient.context(access);
        } catch (RoleSource.UnusableException wrong) {
            throw new ConfigException(wrong.getMessage());
        }
        return access;
    }

    /** Whether there is a source. */
    public boolean hasSource() {
        return file != null || url != null;
    }

    /** Whether these are other settings of the same source. */
    boolean isSameSource(RoleSettings other) {
        return equals(new RoleSettings(other.file, other.url, other.access, other.cache, maxAge));
    }

    /** For logs: the source, and the properties that are set. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(file != null ? file.toString() : url != null ? url.toString() : "no source");
        append(text, TOKEN_FILE, access.tokenFile());
        append(text, TOKEN_URL, access.tokenUrl());
        append(text, CLIENT_ID, access.clientId().isEmpty() ? null : access.clientId());
        append(text, SECRET_FILE, access.secretFile());
        append(text, SCOPE, access.scope().isEmpty() ? null : access.scope());
        append(text, KEYSTORE, access.keystore());
        append(text, AUTHORITIES, access.authorities());
        append(text, CACHE, cache);
        append(text, MAX_AGE, maxAge.isZero() ? null : maxAge.toSeconds());
        return text.toString();
    }

    private static void append(StringBuilder text, String property, Object value) {
        if (value != null) {
            text.append(", ").append(property).append('=').append(value);
        }
    }

    private static String text(Map<String, ?> configs, String property) {
        Object value = configs.get(property);
        return value == null ? "" : value.toString().trim();
    }

    private static Path path(Map<String, ?> configs, String property) {
        String text = text(configs, property);
        try {
            return text.isEmpty() ? null : Path.of(text);
        } catch (InvalidPathException wrong) {
            throw new ConfigException(property, text, "write the path of a file");
        }
    }

    private static URI url(Map<String, ?> configs, String property) {
        String text = text(configs, property);
        if (text.isEmpty()) {
            return null;
        }
        try {
            URI url = URI.create(text);
            boolean isHttps = "https".equalsIgnoreCase(url.getScheme());
            boolean isHttp = "http".equalsIgnoreCase(url.getScheme());
            if (url.getHost() != null && url.getUserInfo() == null && (isHttps || isHttp && isLoopback(url.getHost()))) {
                return url;
            }
        } catch (IllegalArgumentException wrong) {
            // Refused below.
        }
        throw new ConfigException(property, text, "write a URL with https, or with http for this machine, and without a password");
    }

    private static boolean isLoopback(String host) {
        boolean isAddress = host.matches("[0-9.]+|\\[[0-9a-fA-F:]+\\]");
        try {
            return host.equals("localhost") || isAddress && InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException unknown) {
            return false;
        }
    }

    private static Duration maxAge(Map<String, ?> configs) {
        String text = text(configs, MAX_AGE);
        if (text.isEmpty()) {
            return Duration.ZERO;
        }
        try {
            int seconds = Integer.parseInt(text);
            if (seconds >= 0) {
                return Duration.ofSeconds(seconds);
            }
        } catch (NumberFormatException wrong) {
            // Refused below.
        }
        throw new ConfigException(MAX_AGE, text, "write a number of seconds; 0 means no limit");
    }
}

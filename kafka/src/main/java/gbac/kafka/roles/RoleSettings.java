package gbac.kafka.roles;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;

/**
 * Where the members of roles come from.
 *
 * @param file a policy document, which is watched; or null
 * @param url the policy document of a service, which is asked again and again; or null
 * @param tokenFile the file with the service's access token; or null
 * @param cache the file that keeps the service's last document; or null
 * @param maxAge how old members can be before ACLs of roles allow nobody; zero for no limit
 */
public record RoleSettings(Path file, URI url, Path tokenFile, Path cache, Duration maxAge) {
    /** The property with the path of a policy document. */
    public static final String FILE = "gbac.roles.file";
    /** The property with the URL of a policy document. */
    public static final String URL = "gbac.roles.url";
    /** The property with the path of the access token for the URL. */
    public static final String TOKEN_FILE = "gbac.roles.token.file";
    /** The property with the path where the last document of the URL is kept. */
    public static final String CACHE = "gbac.roles.cache";
    /** The property with the seconds after which members are too old. */
    public static final String MAX_AGE = "gbac.roles.max.age";

    /** Reads and checks the properties. */
    public static RoleSettings of(Map<String, ?> configs) {
        RoleSettings settings = new RoleSettings(
                path(configs, FILE), url(configs), path(configs, TOKEN_FILE), path(configs, CACHE), maxAge(configs));
        if (settings.file != null && settings.url != null) {
            throw new ConfigException(FILE + " and " + URL + " are two sources of roles; remove one of them");
        }
        if (settings.url == null && (settings.tokenFile != null || settings.cache != null)) {
            throw new ConfigException((settings.cache == null ? TOKEN_FILE : CACHE) + " has no effect without " + URL);
        }
        return settings;
    }

    /** Whether there is a source. */
    public boolean hasSource() {
        return file != null || url != null;
    }

    /** Whether these are other settings of the same source. */
    boolean isSameSource(RoleSettings other) {
        return equals(new RoleSettings(other.file, other.url, other.tokenFile, other.cache, maxAge));
    }

    /** For logs: the source, and the properties that are set. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(file != null ? file.toString() : url != null ? url.toString() : "no source");
        append(text, TOKEN_FILE, tokenFile);
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

    private static URI url(Map<String, ?> configs) {
        String text = text(configs, URL);
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
        throw new ConfigException(URL, text, "write a URL with https, or with http for this machine, and without a password");
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

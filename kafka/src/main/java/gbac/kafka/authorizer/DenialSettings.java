package gbac.kafka.authorizer;

import java.net.URI;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;

/**
 * How denials are written to the log.
 *
 * @param isJson whether as JSON; otherwise in Kafka's form
 * @param console the address of a console, for links; null if there is none
 */
record DenialSettings(boolean isJson, URI console) {
    static final String FORMAT = "gbac.denials.format";
    static final String CONSOLE = "gbac.console.url";

    /** Reads and checks the properties. */
    static DenialSettings of(Map<String, ?> configs) {
        Object set = configs.get(FORMAT);
        String format = set == null ? "kafka" : set.toString().trim();
        if (!format.equals("kafka") && !format.equals("json")) {
            throw new ConfigException(FORMAT, format, "write `kafka` or `json`");
        }
        URI console = console(configs.get(CONSOLE));
        if (console != null && format.equals("kafka")) {
            throw new ConfigException(CONSOLE + " has no effect without " + FORMAT + "=json");
        }
        return new DenialSettings(format.equals("json"), console);
    }

    private static URI console(Object value) {
        if (value == null) {
            return null;
        }
        String text = value.toString().trim();
        try {
            URI url = URI.create(text);
            boolean isWeb = "https".equalsIgnoreCase(url.getScheme()) || "http".equalsIgnoreCase(url.getScheme());
            if (isWeb && url.getHost() != null && url.getUserInfo() == null && url.getQuery() == null
                    && url.getFragment() == null) {
                return url;
            }
        } catch (IllegalArgumentException wrong) {
            // Refused below.
        }
        throw new ConfigException(CONSOLE, text, "write the address of the console, such as https://gbac.example.com");
    }
}

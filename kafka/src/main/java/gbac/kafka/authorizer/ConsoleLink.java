package gbac.kafka.authorizer;

import gbac.kafka.engine.JsonText;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Links to the simulator of a console with the question of a request filled in, as {@code simulator/link.rs} reads them. */
final class ConsoleLink {
    /** Beyond it, browsers and chat programs cut links. */
    private static final int LONGEST = 8000;
    private static final String UNRESERVED = "-._~";

    private final String simulator;

    /** Links to this console. */
    ConsoleLink(URI console) {
        simulator = console.toString().replaceAll("/+$", "") + "/security/simulator#check=";
    }

    /** The link of a question; null if the console could not read it, or if it would be too long. */
    String of(String user, List<String> groups, String operation, String type, String name, String host) {
        for (String group : groups) {
            // A group is a line of the console's field.
            if (group.indexOf('\n') >= 0 || group.indexOf('\r') >= 0) {
                return null;
            }
        }
        StringBuilder check = new StringBuilder("{\"user\":");
        JsonText.quote(check, user).append(",\"groups\":");
        JsonText.quote(check, groups).append(",\"operation\":");
        JsonText.quote(check, operation).append(",\"type\":");
        JsonText.quote(check, type).append(",\"name\":");
        JsonText.quote(check, name).append(",\"host\":");
        JsonText.quote(check, host).append('}');
        if (simulator.length() + check.length() > LONGEST) {
            return null;
        }
        StringBuilder link = new StringBuilder(simulator);
        for (byte part : check.toString().getBytes(StandardCharsets.UTF_8)) {
            char letter = (char) (part & 0xff);
            boolean isPlain = letter >= 'a' && letter <= 'z' || letter >= 'A' && letter <= 'Z'
                    || letter >= '0' && letter <= '9' || UNRESERVED.indexOf(letter) >= 0;
            if (isPlain) {
                link.append(letter);
            } else {
                link.append(String.format("%%%02X", (int) letter));
            }
        }
        return link.length() > LONGEST ? null : link.toString();
    }
}

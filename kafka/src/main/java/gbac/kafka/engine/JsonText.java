package gbac.kafka.engine;

/** Strings of JSON on one line: quotes, control characters and hidden characters are escaped. */
public final class JsonText {
    private JsonText() {}

    /** Appends a string with its quotes. */
    public static StringBuilder quote(StringBuilder json, String text) {
        json.append('"');
        for (int index = 0; index < text.length(); index++) {
            int point = text.codePointAt(index);
            if (point == '"' || point == '\\') {
                json.append('\\').append((char) point);
            } else if (LogText.isHidden(point)) {
                for (char unit : Character.toChars(point)) {
                    json.append(String.format("\\u%04x", (int) unit));
                }
            } else {
                json.appendCodePoint(point);
            }
            index += Character.charCount(point) - 1;
        }
        return json.append('"');
    }

    /** Appends an array of strings. */
    public static StringBuilder quote(StringBuilder json, Iterable<String> texts) {
        json.append('[');
        boolean isFirst = true;
        for (String text : texts) {
            quote(isFirst ? json : json.append(','), text);
            isFirst = false;
        }
        return json.append(']');
    }
}

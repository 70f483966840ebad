package gbac.kafka.engine;

/** Names in log lines. Clients choose them, so control characters are escaped. */
public final class LogText {
    /** The most characters of a name. */
    public static final int LONGEST = 256;

    private LogText() {}

    /** A name on one line, of limited length. */
    public static String escape(String name) {
        if (isPlain(name)) {
            return name;
        }
        StringBuilder text = new StringBuilder();
        name.codePoints().limit(LONGEST).forEach(point -> {
            if (isHidden(point)) {
                text.append(String.format("\\u{%x}", point));
            } else {
                text.appendCodePoint(point);
            }
        });
        if (name.codePointCount(0, name.length()) > LONGEST) {
            text.append("...");
        }
        return text.toString();
    }

    /** Whether nothing is escaped, as in almost every name. */
    private static boolean isPlain(String name) {
        boolean isPlain = name.length() <= LONGEST;
        for (int index = 0; isPlain && index < name.length(); index++) {
            isPlain = name.charAt(index) >= ' ' && name.charAt(index) <= '~';
        }
        return isPlain;
    }

    /** Whether a character cannot be seen, or changes how others are seen. */
    static boolean isHidden(int point) {
        return Character.isISOControl(point)
                || Character.getType(point) == Character.FORMAT
                || Character.getType(point) == Character.LINE_SEPARATOR
                || Character.getType(point) == Character.PARAGRAPH_SEPARATOR
                || Character.getType(point) == Character.SURROGATE;
    }
}

package gbac.kafka.engine;

/** Names in log lines. Clients choose them, so control characters are escaped. */
public final class LogText {
    private static final int LONGEST = 256;

    private LogText() {}

    /** A name on one line, of limited length. */
    public static String escape(String name) {
        StringBuilder text = new StringBuilder();
        name.codePoints().limit(LONGEST).forEach(point -> {
            boolean isHidden = Character.isISOControl(point)
                    || Character.getType(point) == Character.FORMAT
                    || Character.getType(point) == Character.LINE_SEPARATOR
                    || Character.getType(point) == Character.PARAGRAPH_SEPARATOR
                    || Character.getType(point) == Character.SURROGATE;
            if (isHidden) {
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
}

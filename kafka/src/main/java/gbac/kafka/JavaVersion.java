package gbac.kafka;

/** Checks that this Java is new enough. Compiled for Java 8, so that an older one can run it. */
final class JavaVersion {
    /** The oldest version that the plugin runs with. */
    static final int OLDEST = 17;

    private JavaVersion() {}

    /** Refuses a Java that is too old. */
    static void check() {
        check(System.getProperty("java.specification.version"));
    }

    /** Refuses a specification version that is too old: 1.8, 11, or one without a number. */
    static void check(String version) {
        String major = version == null ? "" : version.startsWith("1.") ? version.substring(2) : version;
        int number;
        try {
            number = Integer.parseInt(major);
        } catch (NumberFormatException unknown) {
            number = 0;
        }
        if (number < OLDEST) {
            throw new UnsupportedOperationException("gbac-kafka.jar needs Java " + OLDEST + " or later, and this is Java "
                    + version + "; start Kafka with a newer one (JAVA_HOME)");
        }
    }
}

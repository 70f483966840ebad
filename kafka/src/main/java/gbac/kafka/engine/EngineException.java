package gbac.kafka.engine;

/** A call that the engine refused, with the error number of the module; it changed nothing. */
public final class EngineException extends RuntimeException {
    /** A limit was reached, and the instance has to be replaced. */
    public static final int LIMIT = -11;
    /** A claim path or a principal mapping cannot be used. */
    public static final int PATH = -12;
    /** The claims are not a JSON object. */
    public static final int CLAIMS = -13;
    /** The claims do not name a user. */
    public static final int USER = -14;

    private static final long serialVersionUID = 1;

    private final int code;

    EngineException(String function, int code) {
        super(function + " returned " + code);
        this.code = code;
    }

    /** The error number. */
    public int code() {
        return code;
    }
}

package gbac.kafka.authorizer;

/** No engine works at the moment. */
final class EngineUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    EngineUnavailableException() {
        super("no engine works");
    }
}

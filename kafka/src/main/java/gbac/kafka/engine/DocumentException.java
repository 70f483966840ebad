package gbac.kafka.engine;

import java.util.List;

/** A policy document that cannot be read. */
public final class DocumentException extends Exception {
    private static final long serialVersionUID = 1;

    DocumentException(List<String> problems) {
        super(String.join("; ", problems));
    }
}

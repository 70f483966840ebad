package gbac.kafka.authorizer;

import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.FileAppender;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.layout.PatternLayout;

/** The log of the authorizers in a file, as Kafka's own configuration writes it, for the benchmark. */
final class AuthorizerLog {
    private static final String NAME = "kafka.authorizer.logger";

    private AuthorizerLog() {}

    /** Begins to write denials. */
    static void begin(Path file) {
        LoggerContext context = (LoggerContext) LogManager.getContext(false);
        Configuration configuration = context.getConfiguration();
        PatternLayout layout = PatternLayout.newBuilder().withPattern("[%d] %p %m (%c)%n").build();
        FileAppender appender = FileAppender.newBuilder().setName(NAME).withFileName(file.toString()).setLayout(layout).build();
        appender.start();
        LoggerConfig logger = new LoggerConfig(NAME, Level.INFO, false);
        logger.addAppender(appender, Level.INFO, null);
        configuration.addLogger(NAME, logger);
        context.updateLoggers();
    }

    /** Ends it. */
    static void end() {
        LoggerContext context = (LoggerContext) LogManager.getContext(false);
        LoggerConfig logger = context.getConfiguration().getLoggerConfig(NAME);
        logger.setLevel(Level.OFF);
        context.updateLoggers();
        logger.getAppenders().get(NAME).stop();
    }
}

package gbac.kafka.authorizer;

import gbac.kafka.engine.LogText;
import gbac.kafka.principal.PrincipalGroups;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes decisions to Kafka's log of its authorizer, in the same form and at the same levels as StandardAuthorizer. */
final class AuditLog {
    private static final Logger LOG = LoggerFactory.getLogger("kafka.authorizer.logger");
    private static final int MAX_GROUPS = 20;

    private static final Map<ResourceType, String> TYPES = new EnumMap<>(ResourceType.class);

    static {
        for (ResourceType type : ResourceType.values()) {
            TYPES.put(type, words(type.name()));
        }
    }

    private AuditLog() {}

    /** Whether an allowed action is written. */
    static boolean writesAllowed(Action action) {
        // Not every allowed action grants something: some only ask which operations would be allowed.
        return LOG.isDebugEnabled() && (action.logIfAllowed() || LOG.isTraceEnabled());
    }

    /** Whether denied actions are written that refuse nothing. */
    static boolean tracesDenied() {
        return LOG.isTraceEnabled();
    }

    /** Whether denials are written. */
    static boolean writesDenied() {
        return LOG.isInfoEnabled();
    }

    /** Writes the line of a denial; null is none. */
    static void writeDenied(String line) {
        if (line != null) {
            LOG.info(line);
        }
    }

    /** Writes a decision if its level is enabled. */
    static void write(AuthorizableRequestContext context, Subject subject, Action action, boolean isAllowed, String rule) {
        if (!LOG.isInfoEnabled()) {
            return;
        }
        if (isAllowed ? action.logIfAllowed() && LOG.isDebugEnabled() : action.logIfDenied()) {
            String text = message(context, subject, action, isAllowed, rule);
            if (isAllowed) {
                LOG.debug(text);
            } else {
                LOG.info(text);
            }
        } else if (LOG.isTraceEnabled()) {
            LOG.trace(message(context, subject, action, isAllowed, rule));
        }
    }

    private static String message(
            AuthorizableRequestContext context, Subject subject, Action action, boolean isAllowed, String rule) {
        KafkaPrincipal principal = context.principal();
        ResourcePattern resource = action.resourcePattern();
        StringBuilder text = new StringBuilder(256)
                .append("Principal = ")
                .append(LogText.escape(principal.getPrincipalType() + ":" + principal.getName()))
                .append(" is ")
                .append(isAllowed ? "Allowed" : "Denied")
                .append(" operation = ")
                .append(action.operation())
                .append(" from host = ")
                .append(context.clientAddress().getHostAddress())
                .append(" on resource = ")
                .append(TYPES.get(resource.resourceType()))
                .append(':')
                .append(resource.patternType())
                .append(':')
                .append(LogText.escape(resource.name()))
                .append(" for request = ")
                .append(ApiKeys.forId(context.requestType()).name)
                .append(" with resourceRefCount = ")
                .append(action.resourceReferenceCount())
                .append(" based on rule ")
                .append(rule);
        PrincipalGroups groups = subject.groups();
        if (groups != null) {
            appendGroups(text, groups.names());
        }
        return text.toString();
    }

    private static void appendGroups(StringBuilder text, List<String> groups) {
        text.append(" with groups = [");
        int shown = Math.min(groups.size(), MAX_GROUPS);
        for (int index = 0; index < shown; index++) {
            text.append(index == 0 ? "" : ", ").append(LogText.escape(groups.get(index)));
        }
        if (groups.size() > shown) {
            text.append(", and ").append(groups.size() - shown).append(" more");
        }
        text.append(']');
    }

    /** The name of a resource type as Kafka writes it: TRANSACTIONAL_ID is TransactionalId. */
    private static String words(String name) {
        StringBuilder words = new StringBuilder();
        for (String part : name.split("_")) {
            words.append(part.charAt(0)).append(part.substring(1).toLowerCase(Locale.ROOT));
        }
        return words.toString();
    }
}

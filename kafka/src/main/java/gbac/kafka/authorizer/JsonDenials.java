package gbac.kafka.authorizer;

import gbac.kafka.authorizer.DenialLimiter.LeftOut;
import gbac.kafka.engine.JsonText;
import gbac.kafka.engine.LogText;
import java.net.InetAddress;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;

/** Denials as one JSON object a line. */
final class JsonDenials {
    private static final int MAX_GROUPS = 20;

    private final DenialLimiter limiter;
    private final ConsoleLink links;
    private final String node;

    /** Denials of a node; the console is null if there is none. */
    JsonDenials(DenialLimiter limiter, String node, URI console) {
        this.limiter = limiter;
        this.node = node;
        links = console == null ? null : new ConsoleLink(console);
    }

    /** The line of a denial; null if it is only counted. The near miss is looked up for a line only. */
    String line(AuthorizableRequestContext context, Subject subject, Action action, Denial denial, Supplier<String> nearMiss) {
        KafkaPrincipal principal = context.principal();
        ResourcePattern resource = action.resourcePattern();
        String who = principal.getPrincipalType() + ":" + principal.getName();
        LeftOut leftOut = limiter.line(who, resource.resourceType().code(), resource.name());
        if (leftOut == null) {
            return null;
        }
        String operation = action.operation().name().toLowerCase(Locale.ROOT);
        String type = resource.resourceType().name().toLowerCase(Locale.ROOT);
        String host = host(context.clientAddress());
        StringBuilder json = new StringBuilder(512).append("{\"time\":\"").append(Instant.now()).append('"');
        text(json, "event", "denied");
        text(json, "reason", denial.reason().code());
        text(json, "principal", who);
        appendGroups(json, subject);
        text(json, "operation", operation);
        text(json, "resource_type", type);
        text(json, "resource_name", resource.name());
        text(json, "host", host);
        appendApi(json, context);
        text(json, "listener", context.listenerName());
        text(json, "node", node);
        if (!denial.detail().isEmpty()) {
            text(json, denial.reason() == DenialReason.DENY ? "acl" : "detail", denial.detail());
        }
        appendNearMiss(json, nearMiss.get());
        if (links != null && subject.groups() != null && principal.getPrincipalType().equals(KafkaPrincipal.USER_TYPE)) {
            String link = links.of(principal.getName(), subject.groups().names(), operation, type, resource.name(), host);
            if (link != null) {
                text(json, "console", link, link.length());
            }
        }
        json.append(",\"left_out\":").append(leftOut.same());
        if (leftOut.others() > 0) {
            json.append(",\"left_out_others\":").append(leftOut.others());
        }
        return json.append('}').toString();
    }

    private static void appendGroups(StringBuilder json, Subject subject) {
        if (subject.groups() == null) {
            return;
        }
        List<String> names = subject.groups().names();
        List<String> shown = names.stream().limit(MAX_GROUPS).map(JsonDenials::bounded).toList();
        JsonText.quote(json.append(",\"groups\":"), shown);
        if (names.size() > shown.size()) {
            json.append(",\"groups_omitted\":").append(names.size() - shown.size());
        }
    }

    private static void appendApi(StringBuilder json, AuthorizableRequestContext context) {
        int key = context.requestType();
        json.append(",\"api_key\":").append(key);
        if (ApiKeys.hasId(key)) {
            text(json, "api", ApiKeys.forId(key).name);
        }
    }

    /** The field in which an ACL differs from the request, and the ACL, as the engine writes them. */
    private static void appendNearMiss(StringBuilder json, String nearMiss) {
        int colon = nearMiss.indexOf(": ");
        if (colon > 0) {
            json.append(",\"near_miss\":{\"differs\":");
            JsonText.quote(json, nearMiss.substring(0, colon)).append(",\"acl\":");
            JsonText.quote(json, bounded(nearMiss.substring(colon + 2), 4 * LogText.LONGEST)).append('}');
        }
    }

    private static void text(StringBuilder json, String member, String value) {
        text(json, member, value, 4 * LogText.LONGEST);
    }

    private static void text(StringBuilder json, String member, String value, int longest) {
        JsonText.quote(json.append(",\"").append(member).append("\":"), bounded(value, longest));
    }

    private static String bounded(String text) {
        return bounded(text, LogText.LONGEST);
    }

    private static String bounded(String text, int longest) {
        return text.codePointCount(0, text.length()) <= longest ? text
                : text.substring(0, text.offsetByCodePoints(0, longest)) + "...";
    }

    /** The text of an address, without the interface of this machine. */
    static String host(InetAddress address) {
        String text = address.getHostAddress();
        int interfaceName = text.indexOf('%');
        return interfaceName < 0 ? text : text.substring(0, interfaceName);
    }
}

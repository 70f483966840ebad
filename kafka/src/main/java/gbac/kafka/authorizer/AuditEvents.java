package gbac.kafka.authorizer;

import gbac.kafka.authorizer.DenialLimiter.LeftOut;
import gbac.kafka.engine.EngineException;
import gbac.kafka.engine.Records;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Audit events of sign-ins and decisions, which the engine writes as the service does. Equal decisions within a minute are one event
 * with their number.
 */
final class AuditEvents implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AuditEvents.class);
    private static final int MAX_KEYS = 65_536;
    private static final int PER_SECOND = 1_000;
    private static final int SIGN_IN = 1;
    private static final int DECISION = 2;
    private static final int MAX_NAME = 1024;
    private static final String UNKNOWN_CLIENT = "0.0.0.0";

    /** Who decided: the ACLs, or another rule. The numbers are those of the module. */
    enum Rule {
        ACLS, OTHER_DENY, OTHER_ALLOW, SUPER_USER
    }

    private final AuditFile file;
    private final Engines engines;
    private final String node;
    private final DenialLimiter limiter;
    private final EventCount omitted = new EventCount(System::nanoTime);

    AuditEvents(AuditFile file, Engines engines, String node) {
        this.file = file;
        this.engines = engines;
        this.node = node;
        limiter = new DenialLimiter(System::nanoTime, MAX_KEYS, 10 * PER_SECOND, PER_SECOND);
    }

    /** The first request of a user with these groups. */
    void signedIn(AuthorizableRequestContext context, Session session) {
        LeftOut leftOut = limiter.line(name(context.principal()), -1, String.join(",", session.key().groups()));
        if (leftOut != null) {
            boolean isCleartext = context.securityProtocol() == SecurityProtocol.SASL_PLAINTEXT;
            write(session, begin(SIGN_IN, context, leftOut).u8(isCleartext ? 1 : 0));
        }
    }

    /** A decision that allows or refuses something. */
    void decided(
            AuthorizableRequestContext context, Subject subject, Action action, boolean isAllowed, Rule rule, String reason) {
        int type = action.resourcePattern().resourceType().code();
        int operation = action.operation().code();
        String name = action.resourcePattern().name();
        int kind = (type << 8 | operation) << 1 | (isAllowed ? 1 : 0);
        LeftOut leftOut = limiter.line(name(context.principal()), kind, name);
        if (leftOut == null) {
            return;
        }
        Records event = begin(DECISION, context, leftOut)
                .u8(operation).u8(type).text(bounded(name)).u8(rule.ordinal()).text(reason);
        write(rule == Rule.ACLS ? subject.session() : null, event);
    }

    private Records begin(int kind, AuthorizableRequestContext context, LeftOut leftOut) {
        noteOmitted(leftOut.others());
        long now = System.currentTimeMillis();
        KafkaPrincipal principal = context.principal();
        boolean isUser = principal.getPrincipalType().equals(KafkaPrincipal.USER_TYPE);
        String client = context.clientAddress() == null ? UNKNOWN_CLIENT : context.clientAddress().getHostAddress();
        String clientId = context.clientId();
        return new Records().u8(kind).text(node)
                .text(bounded(isUser ? principal.getName() : name(principal)))
                .text(client).text(clientId == null ? "" : bounded(clientId))
                .u64(now - TimeUnit.NANOSECONDS.toMillis(leftOut.nanos())).u64(now).u64(leftOut.same() + 1);
    }

    private void noteOmitted(long others) {
        omitted.add(others);
        long due = omitted.due();
        if (due > 0) {
            LOG.warn("{} decisions have no audit event, because there are too many different ones", due);
        }
    }

    private void write(Session session, Records event) {
        try {
            file.write(engines.ask(session, (engine, handle) -> engine.event(handle, event)));
        } catch (EngineException | EngineUnavailableException failed) {
            LOG.warn("An audit event cannot be written: {}", failed.toString());
        }
    }

    private static String name(KafkaPrincipal principal) {
        return principal.getPrincipalType() + ":" + principal.getName();
    }

    private static String bounded(String text) {
        return text.codePointCount(0, text.length()) <= MAX_NAME ? text
                : text.substring(0, text.offsetByCodePoints(0, MAX_NAME)) + "...";
    }

    @Override
    public void close() {
        file.close();
    }
}

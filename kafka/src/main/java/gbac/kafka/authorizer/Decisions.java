package gbac.kafka.authorizer;

import gbac.kafka.engine.Engine;
import gbac.kafka.engine.EngineException;
import gbac.kafka.engine.LogText;
import gbac.kafka.principal.PrincipalGroups;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.AuthorizerNotReadyException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides requests: super users first, then the mask of a resource from the cache or from an engine. */
final class Decisions {
    private static final Logger LOG = LoggerFactory.getLogger(Decisions.class);

    private final Settings settings;
    private final Set<KafkaPrincipal> superUsers = new HashSet<>();
    private final PolicyTable table;
    private final Engines engines;
    private final AuthorizerMetrics metrics;
    private final Sessions sessions = new Sessions();
    private final EventCount unknownGroups = new EventCount(System::nanoTime);
    private volatile boolean isLoaded;

    Decisions(Settings settings, PolicyTable table, Engines engines, AuthorizerMetrics metrics) {
        this.settings = settings;
        this.table = table;
        this.engines = engines;
        this.metrics = metrics;
        for (String text : settings.superUsers()) {
            int colon = text.indexOf(':');
            superUsers.add(new KafkaPrincipal(text.substring(0, colon), text.substring(colon + 1)));
        }
    }

    /** Begins to decide: the ACLs are loaded. */
    void begin() {
        isLoaded = true;
    }

    /** Whether it decides. */
    boolean hasBegun() {
        return isLoaded;
    }

    /** The sessions. */
    Sessions sessions() {
        return sessions;
    }

    /** Whether an action is allowed; writes the decision to the log. */
    boolean allows(AuthorizableRequestContext context, Action action) {
        ResourcePattern resource = action.resourcePattern();
        if (resource.patternType() != PatternType.LITERAL) {
            throw new IllegalArgumentException("Only literal resources are supported. Got: " + resource.patternType());
        }
        boolean isAllowed;
        if (isSuperUser(context.principal())) {
            isAllowed = true;
            AuditLog.write(context, action, true, () -> "SuperUser");
        } else if (hasUnknownGroups(context.principal())) {
            isAllowed = false;
            AuditLog.write(context, action, false, () -> "UnknownGroups");
            warnOfUnknownGroups(context.listenerName());
        } else {
            Session session = session(context);
            int mask = mask(session, resource.resourceType(), resource.name());
            isAllowed = mask == 0 ? settings.allowsWithoutAcls() : (mask >> action.operation().code() & 1) == 1;
            AuditLog.write(context, action, isAllowed, () -> rule(session, action, mask));
        }
        metrics.decided(isAllowed);
        return isAllowed;
    }

    private boolean isSuperUser(KafkaPrincipal principal) {
        if (superUsers.isEmpty()) {
            return false;
        }
        // Principals of other classes are not equal to plain ones.
        boolean isPlain = principal.getClass() == KafkaPrincipal.class;
        return superUsers.contains(isPlain
                ? principal : new KafkaPrincipal(principal.getPrincipalType(), principal.getName()));
    }

    /** Whether a deny of a group or role may be for a user whose principal another builder has built, without groups. */
    private boolean hasUnknownGroups(KafkaPrincipal principal) {
        return table.deniesGroups() && PrincipalGroups.of(principal) == null;
    }

    private void warnOfUnknownGroups(String listener) {
        unknownGroups.add(1);
        long denied = unknownGroups.due();
        if (denied > 0) {
            LOG.warn("{} denied because the principals are not of {}, and ACLs deny groups or roles; the last one is of the "
                    + "listener {}", denied == 1 ? "1 request is" : denied + " requests are", Settings.OUR_BUILDER, listener);
        }
    }

    private Session session(AuthorizableRequestContext context) {
        if (!isLoaded) {
            throw new AuthorizerNotReadyException();
        }
        return sessions.of(context.principal(), table.namesHosts() ? context.clientAddress() : null);
    }

    private int mask(Session session, ResourceType type, String name) {
        int code = type.code();
        return cached(session, code, name, (engine, handle) -> engine.mask(handle, code, session.host(), name));
    }

    private int maskOfAny(Session session, ResourceType type) {
        int code = type.code();
        return cached(session, Session.TYPES + code, "", (engine, handle) -> engine.any(handle, code, session.host()));
    }

    /** A mask from the cache or from an engine. Without an engine, and for what it does not know, everything is denied. */
    private int cached(Session session, int type, String name, Engines.Question<Integer> question) {
        // Before the question, so that a mask is never of an older state than it says.
        long state = engines.state();
        int ofName = engines.state(type, name);
        int cached = session.cached(state, ofName, type, name);
        if (cached >= 0) {
            metrics.hit();
            return cached;
        }
        metrics.missed();
        try {
            int mask = engines.ask(session, question);
            if (settings.caches()) {
                sessions.cache(session, state, ofName, type, name, mask);
            }
            return mask;
        } catch (EngineException refused) {
            LOG.debug("The engine refuses a request for {}", LogText.escape(name), refused);
            return Engine.HAS_ACLS;
        } catch (EngineUnavailableException broken) {
            return Engine.HAS_ACLS;
        }
    }

    /** The rule for the log: the ACL that decided. */
    private String rule(Session session, Action action, int mask) {
        if (mask == 0) {
            return settings.allowsWithoutAcls() ? "DefaultAllow" : "DefaultDeny";
        }
        ResourcePattern resource = action.resourcePattern();
        try {
            String text = engines.ask(session, (engine, handle) -> engine.explain(
                    handle, action.operation().code(), resource.resourceType().code(), session.host(), resource.name()));
            return text.endsWith("no ACL allows it") ? "DefaultDeny" : "MatchingAcl(" + text + ")";
        } catch (EngineException refused) {
            return "DefaultDeny";
        } catch (EngineUnavailableException broken) {
            return "EngineUnavailable";
        }
    }

    /** Whether any resource of a type is allowed, as Kafka decides it: one that has no ACL, then those of ACLs (D-73). */
    boolean allowsAny(AuthorizableRequestContext context, AclOperation operation, ResourceType type) {
        if (type == ResourceType.ANY || type == ResourceType.UNKNOWN) {
            throw new IllegalArgumentException("Must specify a non-filter resource type for authorizeByResourceType");
        }
        if (operation == AclOperation.ANY || operation == AclOperation.UNKNOWN) {
            throw new IllegalArgumentException("Must specify a non-filter operation type for authorizeByResourceType");
        }
        ResourcePattern unnamed = new ResourcePattern(type, "hardcode", PatternType.LITERAL);
        if (allows(context, new Action(operation, unnamed, 0, true, false))) {
            return true;
        }
        if (hasUnknownGroups(context.principal())) {
            return false;
        }
        int mask = maskOfAny(session(context), type);
        return (mask >> operation.code() & 1) == 1;
    }
}

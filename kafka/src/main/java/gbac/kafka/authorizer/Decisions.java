package gbac.kafka.authorizer;

import gbac.kafka.authorizer.AuditEvents.Rule;
import gbac.kafka.engine.EngineException;
import gbac.kafka.engine.LogText;
import gbac.kafka.principal.GroupReader;
import gbac.kafka.principal.PrincipalGroups;
import gbac.kafka.principal.PrincipalGroups.Refusal;
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
    /** The engine's text about what no ACL allows. */
    private static final String NOT_ALLOWED = "deny: no ACL allows it";

    private final Settings settings;
    private final Set<KafkaPrincipal> superUsers = new HashSet<>();
    private final PolicyTable table;
    private final Engines engines;
    private final AuthorizerMetrics metrics;
    private final GroupReader groups;
    /** Null for lines in Kafka's form. */
    private final JsonDenials denials;
    /** Null without a file. */
    private final AuditEvents audit;
    private final Sessions sessions = new Sessions();
    private final EventCount unknownGroups = new EventCount(System::nanoTime);
    private volatile boolean isLoaded;

    Decisions(Settings settings, PolicyTable table, Engines engines, AuthorizerMetrics metrics) {
        this.settings = settings;
        this.table = table;
        this.engines = engines;
        this.metrics = metrics;
        groups = new GroupReader(settings.builder(), settings.claims());
        denials = settings.denials().isJson()
                ? new JsonDenials(new DenialLimiter(System::nanoTime), settings.node(), settings.denials().console()) : null;
        audit = settings.audit().file() == null ? null
                : new AuditEvents(AuditFile.of(settings.audit(), settings.node()), engines, settings.node());
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

    /** Ends the writing of audit events. */
    void close() {
        if (audit != null) {
            audit.close();
        }
    }

    /** The sessions. */
    Sessions sessions() {
        return sessions;
    }

    /** The reader of the groups of principals. */
    GroupReader groups() {
        return groups;
    }

    /** Who sends a request. */
    Subject subject(AuthorizableRequestContext context) {
        KafkaPrincipal principal = context.principal();
        if (isSuperUser(principal)) {
            return Subject.SUPER_USER;
        }
        PrincipalGroups known = groups.of(principal, settings.isOfController(context.listenerName()));
        if (known != null && known.refusal() != null) {
            return new Subject(false, known, null);
        }
        if (!isLoaded) {
            throw new AuthorizerNotReadyException();
        }
        Session session = sessions.of(principal, known, table.namesHosts() ? context.clientAddress() : null);
        if (audit != null && known != null && !known.names().isEmpty() && session.announce()) {
            audit.signedIn(context, session);
        }
        return new Subject(false, known, session);
    }

    /** Whether an action is allowed; writes the decision to the log. */
    boolean allows(AuthorizableRequestContext context, Subject subject, Action action) {
        ResourcePattern resource = action.resourcePattern();
        if (resource.patternType() != PatternType.LITERAL) {
            throw new IllegalArgumentException("Only literal resources are supported. Got: " + resource.patternType());
        }
        Answer answer = Answer.NONE;
        boolean isAllowed = subject.isSuperUser();
        if (subject.session() != null) {
            answer = answer(subject.session(), resource.resourceType(), resource.name());
            isAllowed = answer.isWithoutAcls() ? settings.allowsWithoutAcls() : answer.allows(action.operation());
        }
        metrics.decided(isAllowed);
        if (isAllowed) {
            writeAllowed(context, subject, action, answer.isWithoutAcls());
        } else {
            writeDenied(context, subject, action, answer);
        }
        return isAllowed;
    }

    private void writeAllowed(AuthorizableRequestContext context, Subject subject, Action action, boolean isWithoutAcls) {
        if (AuditLog.writesAllowed(action)) {
            String rule = subject.isSuperUser() ? "SuperUser" : isWithoutAcls ? "DefaultAllow" : rule(explain(subject, action));
            AuditLog.write(context, subject, action, true, rule);
        }
        if (audit != null && action.logIfAllowed()) {
            if (subject.isSuperUser()) {
                audit.decided(context, subject, action, true, Rule.SUPER_USER, "superuser");
            } else {
                audit.decided(context, subject, action, true, isWithoutAcls ? Rule.OTHER_ALLOW : Rule.ACLS, "no ACL");
            }
        }
    }

    /** Looks up the reason of a request that is refused, and writes it to the log. What Kafka only asks is not looked up. */
    private void writeDenied(AuthorizableRequestContext context, Subject subject, Action action, Answer answer) {
        if (!action.logIfDenied() && !AuditLog.tracesDenied()) {
            return;
        }
        Denial denial = denial(subject, action, answer);
        if (action.logIfDenied()) {
            metrics.denied(denial.reason());
            if (subject.session() == null || denial.reason() == DenialReason.UNREADABLE) {
                warnOfUnknownGroups(context, subject);
            }
        }
        if (audit != null && action.logIfDenied()) {
            boolean isByAcls = subject.session() != null && denial.reason() != DenialReason.UNREADABLE
                    && denial.reason() != DenialReason.ENGINE_UNAVAILABLE;
            audit.decided(context, subject, action, false, isByAcls ? Rule.ACLS : Rule.OTHER_DENY, denial.rule());
        }
        if (denials == null || !action.logIfDenied()) {
            AuditLog.write(context, subject, action, false, denial.rule());
        } else if (AuditLog.writesDenied()) {
            AuditLog.writeDenied(denials.line(context, subject, action, denial, () -> nearMiss(subject, action, denial)));
        }
    }

    /** The ACL that would allow a request but for one field; an empty text if there is none. */
    private String nearMiss(Subject subject, Action action, Denial denial) {
        if (subject.session() == null || denial.reason() == DenialReason.DENY || denial.reason() == DenialReason.UNREADABLE) {
            return "";
        }
        ResourcePattern resource = action.resourcePattern();
        String host = subject.session().host();
        try {
            return engines.ask(subject.session(), (engine, handle) -> engine.nearMiss(
                    handle, action.operation().code(), resource.resourceType().code(), host, resource.name()));
        } catch (EngineException | EngineUnavailableException unknown) {
            return "";
        }
    }

    /** Why a request is denied. */
    private Denial denial(Subject subject, Action action, Answer answer) {
        if (subject.session() == null) {
            Refusal refusal = subject.groups().refusal();
            DenialReason reason = refusal.isMissing() ? DenialReason.NO_GROUPS : DenialReason.UNREADABLE;
            return new Denial(reason, "UnknownGroups(" + refusal.why() + ")", refusal.why());
        }
        if (answer.isWithoutAcls()) {
            return withoutMatch(subject);
        }
        Denial found = answer.hasDenies() || table.namesHosts() ? found(subject, action, answer) : withoutMatch(subject);
        boolean lacksRoles = found.rule().equals(Denial.DEFAULT_DENY) && !table.rolesAllow();
        return lacksRoles && table.hasMember(subject.session().key()) ? Denial.MEMBERS_TOO_OLD : found;
    }

    /** Why an operation is denied, from the cache or from an engine. */
    private Denial found(Subject subject, Action action, Answer answer) {
        Denial cached = answer.denial(action.operation());
        if (cached != null) {
            return cached;
        }
        Denial found = lookUp(subject, action, answer);
        if (found.reason() != DenialReason.ENGINE_UNAVAILABLE) {
            sessions.cache(answer, action.operation(), found);
        }
        return found;
    }

    private static Denial withoutMatch(Subject subject) {
        return subject.groups() != null && subject.groups().names().isEmpty() ? Denial.NO_GROUPS : Denial.NO_MATCH;
    }

    /** Looks up which ACL denies an operation, and whether one allows it from another address. */
    private Denial lookUp(Subject subject, Action action, Answer answer) {
        String text = answer.hasDenies() ? explain(subject, action) : NOT_ALLOWED;
        if (text == null) {
            return new Denial(DenialReason.ENGINE_UNAVAILABLE, "EngineUnavailable", "");
        }
        String rule = rule(text);
        if (rule.equals(Denial.DEFAULT_DENY)) {
            String fromAnywhere = table.namesHosts() ? explain(subject, action, null) : null;
            boolean isByHost = fromAnywhere != null && fromAnywhere.endsWith("the host is unknown");
            return isByHost ? Denial.HOST : withoutMatch(subject);
        }
        if (!text.startsWith("deny: ")) {
            // The ACLs have changed since the decision.
            return withoutMatch(subject);
        }
        // Of the groups of somebody whose groups are not known, ACLs only deny.
        boolean isOfUnknown = subject.groups() == null && text.contains(", of Group:");
        return isOfUnknown ? new Denial(DenialReason.UNREADABLE, "UnknownGroups", "an ACL denies it to a group or role")
                : new Denial(DenialReason.DENY, rule, text.substring(text.indexOf(' ') + 1));
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

    private void warnOfUnknownGroups(AuthorizableRequestContext context, Subject subject) {
        unknownGroups.add(1);
        long denied = unknownGroups.due();
        if (denied > 0) {
            PrincipalGroups known = subject.groups();
            LOG.warn("{} denied because the groups of the principal are not known; the last one is of {} on the listener {}: {}",
                    denied == 1 ? "1 request is" : denied + " requests are", LogText.escape(context.principal().getName()),
                    context.listenerName(), known == null ? "its principal has no groups of its builder, and an ACL denies a "
                            + "group or role" : known.refusal().why());
        }
    }

    private Answer answer(Session session, ResourceType type, String name) {
        int code = type.code();
        return cached(session, code, name, (engine, handle) -> engine.mask(handle, code, session.host(), name));
    }

    private Answer answerOfAny(Session session, ResourceType type) {
        int code = type.code();
        return cached(session, Session.TYPES + code, "", (engine, handle) -> engine.any(handle, code, session.host()));
    }

    /** An answer from the cache or from an engine. Without an engine, and for what it does not know, everything is denied. */
    private Answer cached(Session session, int type, String name, Engines.Question<Integer> question) {
        // Before the question, so that a mask is never of an older state than it says.
        long state = engines.state();
        int ofName = engines.state(type, name);
        Answer cached = session.cached(state, ofName, type, name);
        if (cached != null) {
            metrics.hit();
            return cached;
        }
        metrics.missed();
        try {
            Answer found = new Answer(ofName, engines.ask(session, question));
            if (settings.caches()) {
                sessions.cache(session, state, type, name, found);
            }
            return found;
        } catch (EngineException refused) {
            LOG.debug("The engine refuses a request for {}", LogText.escape(name), refused);
            return Answer.unknown();
        } catch (EngineUnavailableException broken) {
            return Answer.unknown();
        }
    }

    /** The rule for the log: the ACL that decides, in the engine's text. */
    private static String rule(String text) {
        if (text == null) {
            return "EngineUnavailable";
        }
        return text.equals(NOT_ALLOWED) ? Denial.DEFAULT_DENY : "MatchingAcl(" + text + ")";
    }

    private String explain(Subject subject, Action action) {
        return explain(subject, action, subject.session().host());
    }

    /** The engine's text; null if no engine works. */
    private String explain(Subject subject, Action action, String host) {
        ResourcePattern resource = action.resourcePattern();
        try {
            return engines.ask(subject.session(), (engine, handle) -> engine.explain(
                    handle, action.operation().code(), resource.resourceType().code(), host, resource.name()));
        } catch (EngineException refused) {
            return NOT_ALLOWED;
        } catch (EngineUnavailableException broken) {
            return null;
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
        Subject subject = subject(context);
        if (allows(context, subject, new Action(operation, unnamed, 0, true, false))) {
            return true;
        }
        if (subject.session() == null) {
            return false;
        }
        return answerOfAny(subject.session(), type).allows(operation);
    }
}

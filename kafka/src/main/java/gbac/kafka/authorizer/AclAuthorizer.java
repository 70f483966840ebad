package gbac.kafka.authorizer;

import gbac.kafka.engine.Engine;
import gbac.kafka.engine.RoleMember;
import gbac.kafka.principal.TokenReader;
import gbac.kafka.roles.RoleSettings;
import gbac.kafka.roles.RoleWatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.Endpoint;
import org.apache.kafka.common.Reconfigurable;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.NotControllerException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.metadata.authorizer.AclMutator;
import org.apache.kafka.metadata.authorizer.ClusterMetadataAuthorizer;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.apache.kafka.server.authorizer.AuthorizerServerInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides requests with the engine. ACLs come from the cluster's metadata log, as for StandardAuthorizer. */
public final class AclAuthorizer implements ClusterMetadataAuthorizer, Reconfigurable {
    private static final Logger LOG = LoggerFactory.getLogger(AclAuthorizer.class);

    private final CompletableFuture<Void> initialLoad = new CompletableFuture<>();
    private final AuthorizerMetrics metrics = new AuthorizerMetrics();
    /** Everything that an authorizer needs after {@code configure}. */
    private volatile Settings settings;
    private volatile PolicyTable table;
    private volatile Engines engines;
    private volatile Decisions decisions;
    private volatile RoleWatch roles;
    private volatile AclMutator mutator;
    private final Supplier<Engine> start;
    /** Where failed engines are started again; null for the background thread. */
    private final Executor repairs;
    private ScheduledExecutorService background;
    /** The properties whose changes are checked. */
    private volatile Set<String> checked = Settings.CHANGEABLE;
    /** ACLs of roles that were added without a source of members. */
    private final EventCount withoutMembers = new EventCount(System::nanoTime);
    /** The owner of the roles, and those who read their source. */
    private ScheduledExecutorService roleOwner;
    private ExecutorService roleReaders;
    /** The thread that brings ACLs and changed properties. It never waits for a source of roles. */
    private volatile Thread metadataThread;
    /** Why changed properties could not be used while the ACLs were loaded; null if they could. */
    private volatile ConfigException refused;
    /** The source of roles that was named last. */
    private volatile RoleWatch.Reading reading;
    private volatile boolean hasAcls;
    /** Where the metrics are; null if nowhere. */
    private volatile MetricSink sink;

    /** Creates an authorizer that Kafka then configures. */
    public AclAuthorizer() {
        this(Engine::new, null);
    }

    AclAuthorizer(Supplier<Engine> start, Executor repairs) {
        this.start = start;
        this.repairs = repairs;
    }

    @Override
    public void configure(Map<String, ?> configs) {
        checkEngine();
        Settings read = usable(configs);
        checked = Settings.checked(configs);
        background = Executors.newScheduledThreadPool(1, threads("gbac-authorizer-" + read.node()));
        roleOwner = new ScheduledThreadPoolExecutor(
                1, threads("gbac-roles-" + read.node()), new ThreadPoolExecutor.DiscardPolicy());
        roleReaders = Executors.newCachedThreadPool(threads("gbac-roles-reader-" + read.node()));
        PolicyTable empty = new PolicyTable(read.version().matchesRanges());
        engines = new Engines(empty, read.instances(), start, repairs == null ? background : repairs);
        table = empty;
        settings = read;
        decisions = new Decisions(read, empty, engines, metrics);
        roles = new RoleWatch(System::nanoTime, roleOwner, roleReaders, this::apply);
        reading = roles.begin(read.roles());
        background.scheduleWithFixedDelay(guarded(this::everySecond), 1, 1, TimeUnit.SECONDS);
        background.scheduleWithFixedDelay(guarded(decisions.sessions()::forgetUnused), 10, 10, TimeUnit.MINUTES);
        background.scheduleWithFixedDelay(guarded(engines::giveMemoryBack), 1, 1, TimeUnit.MINUTES);
        roleOwner.scheduleWithFixedDelay(guarded(roles::tick), 1, 1, TimeUnit.SECONDS);
        LOG.info("super.users={}, {}={}, {} engines, {}, roles from {}", String.join(",", read.superUsers()),
                Settings.ALLOW_EVERYONE, read.allowsWithoutAcls(), read.instances(), read.claims(), read.roles());
    }

    private static ThreadFactory threads(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    private void checkEngine() {
        try {
            SelfTest.run(start);
        } catch (RuntimeException | LinkageError | StackOverflowError failed) {
            throw damaged(failed);
        }
    }

    /** Reads the properties, and checks what only the engine can check. */
    private static Settings usable(Map<String, ?> configs) {
        Settings settings = Settings.of(configs);
        try {
            TokenReader.SHARED.check(settings.claims());
        } catch (ConfigException wrong) {
            throw wrong;
        } catch (RuntimeException | LinkageError | StackOverflowError failed) {
            throw damaged(failed);
        }
        return settings;
    }

    private static ConfigException damaged(Throwable failed) {
        return new ConfigException("gbac-kafka.jar is damaged, its engine does not work: " + failed);
    }

    /** Adds the metrics to those of the node. */
    public void withMetrics(PluginMetrics added) {
        addMetrics(MetricSink.ofNode(added));
    }

    /** Adds the metrics where Kafka has no place for those of an authorizer. */
    void withJmx(String role) {
        addMetrics(MetricSink.ofJmx(role));
    }

    private void addMetrics(MetricSink added) {
        sink = added;
        metrics.register(added, table, engines, decisions.sessions(), roles::age);
    }

    // What happens in the background.

    /** Updates the rates. */
    void updateMetrics() {
        metrics.update();
    }

    private void everySecond() {
        updateMetrics();
        warnOfRoles();
        if (repairs == null && engines.working() < settings.instances()) {
            engines.repair();
        }
    }

    /** A task that fails is logged and run again; an executor would give it up. */
    private static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError failed) {
                LOG.error("A task failed and is run again", failed);
            }
        };
    }

    /** Passes what is known about roles on to the engines. */
    private void apply(RoleWatch.Roles current) {
        synchronized (this) {
            table.replace(current.members(), engines::apply);
            table.allowRoles(!current.isOutdated(), engines::apply);
        }
        long count = current.members().stream().map(RoleMember::role).distinct().count();
        LOG.info("Roles with members: {}, members in all: {}", count, current.members().size());
    }

    // ACLs from the metadata log.

    @Override
    public void setAclMutator(AclMutator aclMutator) {
        mutator = aclMutator;
    }

    @Override
    public AclMutator aclMutatorOrException() {
        AclMutator current = mutator;
        if (current == null) {
            throw new NotControllerException("The current node is not the active controller.");
        }
        return current;
    }

    @Override
    public void completeInitialLoad() {
        metadataThread = Thread.currentThread();
        hasAcls = true;
        if (refused == null) {
            beginWithRoles();
        } else {
            completeInitialLoad(refused);
        }
    }

    /**
     * Begins to decide when the members of roles are there. Those of changed properties are read in the background.
     *
     * <p>A broker ends if they cannot be read. A controller does not, because its listener starts early; it allows super users
     * only until they can.
     */
    private void beginWithRoles() {
        reading.tried().whenComplete((done, unreadable) -> {
            if (unreadable != null) {
                completeInitialLoad(new ConfigException(unreadable.getMessage()));
            }
        });
        reading.read().thenRun(this::begin);
    }

    private void begin() {
        if (decisions.hasBegun()) {
            return;
        }
        decisions.begin();
        LOG.info("Completed initial ACL load process with {} ACLs.", table.size());
        noteRoles(table.roleAcls());
        initialLoad.complete(null);
    }

    @Override
    public void completeInitialLoad(Exception failed) {
        if (!initialLoad.isDone()) {
            LOG.error("Failed to complete initial ACL load process.", failed);
            initialLoad.completeExceptionally(failed);
        }
    }

    @Override
    public synchronized void loadSnapshot(Map<Uuid, StandardAcl> snapshot) {
        table.replace(snapshot);
        engines.reload();
        LOG.info("Initialized with {} acl(s).", snapshot.size());
    }

    @Override
    public synchronized void addAcl(Uuid id, StandardAcl acl) {
        engines.apply(table.add(id, acl), acl);
        if (initialLoad.isDone() && AclRecords.isRole(acl)) {
            noteRoles(1);
        }
    }

    @Override
    public synchronized void removeAcl(Uuid id) {
        StandardAcl acl = table.acl(id);
        engines.apply(table.remove(id), acl);
    }

    /** Notes that ACLs of roles were added; warns if nothing says who the members are. */
    private void noteRoles(long added) {
        if (!roles.settings().hasSource()) {
            withoutMembers.add(added);
            warnOfRoles();
        }
    }

    private void warnOfRoles() {
        long added = withoutMembers.due();
        if (added > 0) {
            LOG.warn("There are ACLs of roles, {} of them new, but neither {} nor {} says who their members are, so they allow "
                    + "and deny nobody", added, RoleSettings.FILE, RoleSettings.URL);
        }
    }

    @Override
    public Iterable<AclBinding> acls(AclBindingFilter filter) {
        return table.acls(filter);
    }

    @Override
    public int aclCount() {
        return table.size();
    }

    /** The number of sessions, for tests. */
    int sessionCount() {
        return decisions.sessions().size();
    }

    // Decisions.

    @Override
    public Map<Endpoint, ? extends CompletionStage<Void>> start(AuthorizerServerInfo server) {
        Map<Endpoint, CompletableFuture<Void>> ready = new HashMap<>();
        boolean isController = true;
        for (Endpoint endpoint : server.endpoints()) {
            isController &= settings.isOfController(endpoint.listenerName().orElse(""));
            boolean isEarly = server.earlyStartListeners().contains(endpoint.listenerName().orElse(""));
            ready.put(endpoint, isEarly ? CompletableFuture.completedFuture(null) : initialLoad);
        }
        if (!settings.version().isAtLeast(4, 1)) {
            withJmx(isController ? "controller" : "broker");
        }
        return ready;
    }

    @Override
    public List<AuthorizationResult> authorize(AuthorizableRequestContext context, List<Action> actions) {
        Subject subject = decisions.subject(context);
        if (actions.size() == 1) {
            return List.of(result(decisions.allows(context, subject, actions.get(0))));
        }
        List<AuthorizationResult> results = new ArrayList<>(actions.size());
        for (Action action : actions) {
            results.add(result(decisions.allows(context, subject, action)));
        }
        return results;
    }

    private static AuthorizationResult result(boolean isAllowed) {
        return isAllowed ? AuthorizationResult.ALLOWED : AuthorizationResult.DENIED;
    }

    @Override
    public AuthorizationResult authorizeByResourceType(
            AuthorizableRequestContext context, AclOperation operation, ResourceType type) {
        return result(decisions.allowsAny(context, operation, type));
    }

    // Changes of properties, and the end.

    @Override
    public Set<String> reconfigurableConfigs() {
        return checked;
    }

    /**
     * Kafka asks twice: on the thread of an administrator's request, where a source of roles that cannot be read refuses the
     * change; and on the thread of the metadata log just before {@link #reconfigure}, where ACLs would wait for the source.
     */
    @Override
    public void validateReconfiguration(Map<String, ?> configs) {
        try {
            Settings read = usable(configs);
            if (read.builder() != settings.builder()) {
                throw new ConfigException(BuilderGuard.BUILDER + " cannot change to that of another project while the node runs");
            }
            if (initialLoad.isDone() && Thread.currentThread() != metadataThread) {
                roles.check(read.roles());
            }
        } catch (ConfigException wrong) {
            // Kafka goes on with the old properties. A node that starts would not have those that it ran with.
            refused = wrong;
            throw wrong;
        }
    }

    @Override
    public void reconfigure(Map<String, ?> configs) {
        metadataThread = Thread.currentThread();
        Settings read = usable(configs);
        checked = Settings.checked(configs);
        refused = null;
        read.claims().replace(read.node());
        decisions.groups().replace(read.claims());
        reading = roles.follow(read.roles(), !initialLoad.isDone());
        if (hasAcls && !decisions.hasBegun()) {
            beginWithRoles();
        }
        LOG.info("Changed: {}, roles from {}", read.claims(), read.roles());
    }

    @Override
    public void close() {
        for (ExecutorService threads : new ExecutorService[] {background, roleOwner, roleReaders}) {
            if (threads != null) {
                threads.shutdownNow();
            }
        }
        if (decisions != null) {
            decisions.close();
        }
        MetricSink used = sink;
        if (used != null) {
            used.close();
        }
        initialLoad.completeExceptionally(
                new TimeoutException("The authorizer was closed before the initial load could complete."));
    }
}

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
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
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
    /** Where failed engines are started again; null for the background threads. */
    private final Executor repairs;
    private ScheduledExecutorService background;

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
        Settings read = Settings.of(configs);
        Settings.checkBuilder(configs);
        RoleWatch watch = usable(read);
        background = Executors.newScheduledThreadPool(2, task -> {
            Thread thread = new Thread(task, "gbac-authorizer-" + read.node());
            thread.setDaemon(true);
            return thread;
        });
        PolicyTable empty = new PolicyTable(read.matchesRanges());
        engines = new Engines(empty, read.instances(), start, repairs == null ? background : repairs);
        table = empty;
        settings = read;
        decisions = new Decisions(read, empty, engines, metrics);
        roles = watch;
        watch.begin(new Members());
        background.scheduleWithFixedDelay(this::everySecond, 1, 1, TimeUnit.SECONDS);
        pollRolesLater();
        LOG.info("super.users={}, {}={}, {} engines, {}, roles from {}", String.join(",", read.superUsers()),
                Settings.ALLOW_EVERYONE, read.allowsWithoutAcls(), read.instances(), read.claims(), read.roles());
    }

    /** Checks what only the engine and the source of roles can check. */
    private RoleWatch usable(Settings settings) {
        try {
            SelfTest.run(start);
            TokenReader.SHARED.check(settings.claims());
        } catch (ConfigException wrong) {
            throw wrong;
        } catch (RuntimeException | LinkageError | StackOverflowError failed) {
            throw new ConfigException("gbac-kafka.jar is damaged, its engine does not work: " + failed);
        }
        return RoleWatch.start(settings.roles(), System::nanoTime);
    }

    /** Adds the metrics to those of the node. */
    public void withMetrics(PluginMetrics added) {
        metrics.register(added, table, engines, () -> roles.age());
    }

    // What happens in the background.

    /** Updates the rates. */
    void updateMetrics() {
        metrics.update();
    }

    private void everySecond() {
        updateMetrics();
        roles.checkAge(new Members());
        if (repairs == null && engines.working() < settings.instances()) {
            engines.repair();
        }
    }

    private void pollRolesLater() {
        background.schedule(() -> {
            roles.poll(new Members());
            pollRolesLater();
        }, roles.interval().toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Passes the members of roles on to the engines. */
    private final class Members implements RoleWatch.Listener {
        @Override
        public void members(Set<RoleMember> members) {
            synchronized (AclAuthorizer.this) {
                table.replace(members, engines::apply);
            }
            if (roles.hasSource()) {
                long count = members.stream().map(RoleMember::role).distinct().count();
                LOG.info("Roles with members: {}, members in all: {}", count, members.size());
            }
        }

        @Override
        public void outdated(boolean isOutdated) {
            synchronized (AclAuthorizer.this) {
                table.allowRoles(!isOutdated, engines::apply);
            }
        }
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
        decisions.begin();
        LOG.info("Completed initial ACL load process with {} ACLs.", table.size());
        warnOfRoles(table.namesRoles());
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
        engines.apply(table.add(id, acl));
        if (initialLoad.isDone()) {
            warnOfRoles(AclRecords.isRole(acl));
        }
    }

    @Override
    public synchronized void removeAcl(Uuid id) {
        engines.apply(table.remove(id));
    }

    private void warnOfRoles(boolean namesRoles) {
        if (namesRoles && !roles.hasSource()) {
            LOG.warn("There are ACLs of roles, but neither {} nor {} says who their members are, so they allow and deny "
                    + "nobody", RoleSettings.FILE, RoleSettings.URL);
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
        return decisions.sessionCount();
    }

    // Decisions.

    @Override
    public Map<Endpoint, ? extends CompletionStage<Void>> start(AuthorizerServerInfo server) {
        Map<Endpoint, CompletableFuture<Void>> ready = new HashMap<>();
        for (Endpoint endpoint : server.endpoints()) {
            boolean isEarly = server.earlyStartListeners().contains(endpoint.listenerName().orElse(""));
            ready.put(endpoint, isEarly ? CompletableFuture.completedFuture(null) : initialLoad);
        }
        return ready;
    }

    @Override
    public List<AuthorizationResult> authorize(AuthorizableRequestContext context, List<Action> actions) {
        if (actions.size() == 1) {
            return List.of(authorize(context, actions.get(0)));
        }
        List<AuthorizationResult> results = new ArrayList<>(actions.size());
        for (Action action : actions) {
            results.add(authorize(context, action));
        }
        return results;
    }

    private AuthorizationResult authorize(AuthorizableRequestContext context, Action action) {
        return result(decisions.allows(context, action));
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
        return Settings.CHANGEABLE;
    }

    @Override
    public void validateReconfiguration(Map<String, ?> configs) {
        usable(Settings.of(configs));
    }

    @Override
    public synchronized void reconfigure(Map<String, ?> configs) {
        Settings read = Settings.of(configs);
        RoleWatch watch = usable(read);
        read.claims().replace(read.node());
        roles = watch;
        watch.begin(new Members());
        LOG.info("Changed: {}, roles from {}", read.claims(), read.roles());
    }

    @Override
    public void close() {
        if (background != null) {
            background.shutdownNow();
        }
        initialLoad.completeExceptionally(
                new TimeoutException("The authorizer was closed before the initial load could complete."));
    }
}

package gbac.kafka;

import gbac.kafka.authorizer.AclAuthorizer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.Endpoint;
import org.apache.kafka.common.Reconfigurable;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.metrics.Monitorable;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.metadata.authorizer.AclMutator;
import org.apache.kafka.metadata.authorizer.ClusterMetadataAuthorizer;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.apache.kafka.server.authorizer.AuthorizerServerInfo;

/** The {@code authorizer.class.name} that enforces ACLs of users, groups and roles. */
public final class GroupAuthorizer implements ClusterMetadataAuthorizer, Reconfigurable, Monitorable {
    private final AclAuthorizer authorizer;

    /** Creates an authorizer that Kafka then configures. */
    public GroupAuthorizer() {
        JavaVersion.check();
        authorizer = new AclAuthorizer();
    }

    @Override
    public void configure(Map<String, ?> configs) {
        authorizer.configure(configs);
    }

    @Override
    public void withPluginMetrics(PluginMetrics metrics) {
        authorizer.withMetrics(metrics);
    }

    @Override
    public Map<Endpoint, ? extends CompletionStage<Void>> start(AuthorizerServerInfo serverInfo) {
        return authorizer.start(serverInfo);
    }

    @Override
    public List<AuthorizationResult> authorize(AuthorizableRequestContext context, List<Action> actions) {
        return authorizer.authorize(context, actions);
    }

    @Override
    public AuthorizationResult authorizeByResourceType(
            AuthorizableRequestContext context, AclOperation operation, ResourceType type) {
        return authorizer.authorizeByResourceType(context, operation, type);
    }

    @Override
    public void setAclMutator(AclMutator mutator) {
        authorizer.setAclMutator(mutator);
    }

    @Override
    public AclMutator aclMutatorOrException() {
        return authorizer.aclMutatorOrException();
    }

    @Override
    public void completeInitialLoad() {
        authorizer.completeInitialLoad();
    }

    @Override
    public void completeInitialLoad(Exception failed) {
        authorizer.completeInitialLoad(failed);
    }

    @Override
    public void loadSnapshot(Map<Uuid, StandardAcl> acls) {
        authorizer.loadSnapshot(acls);
    }

    @Override
    public void addAcl(Uuid id, StandardAcl acl) {
        authorizer.addAcl(id, acl);
    }

    @Override
    public void removeAcl(Uuid id) {
        authorizer.removeAcl(id);
    }

    @Override
    public Iterable<AclBinding> acls(AclBindingFilter filter) {
        return authorizer.acls(filter);
    }

    @Override
    public int aclCount() {
        return authorizer.aclCount();
    }

    @Override
    public Set<String> reconfigurableConfigs() {
        return authorizer.reconfigurableConfigs();
    }

    @Override
    public void validateReconfiguration(Map<String, ?> configs) {
        authorizer.validateReconfiguration(configs);
    }

    @Override
    public void reconfigure(Map<String, ?> configs) {
        authorizer.reconfigure(configs);
    }

    @Override
    public void close() {
        authorizer.close();
    }
}

package gbac.kafka.roles;

import java.net.URI;
import java.nio.file.Path;

/**
 * What a node shows to the service of the roles, and whom it trusts.
 *
 * @param tokenFile the file with an access token; or null
 * @param tokenUrl where the node gets an access token with its client credentials; or null
 * @param clientId the name of that client
 * @param secretFile the file with the secret of that client; or null
 * @param scope the scope of that token; may be empty
 * @param keystore the file with a client certificate and its key in PEM; or null
 * @param authorities the file with certificates in PEM that are trusted besides Java's own; or null
 */
record RoleAccess(
        Path tokenFile, URI tokenUrl, String clientId, Path secretFile, String scope, Path keystore, Path authorities) {
    static final RoleAccess NONE = new RoleAccess(null, null, "", null, "", null, null);
}

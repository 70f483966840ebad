package gbac.kafka.principal;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.Set;
import org.apache.kafka.common.security.auth.KafkaPrincipal;

/**
 * What a principal of Strimzi's library for OAuth knows. It is read without the library, by public methods that are found once
 * for each class.
 *
 * @param groups the groups that the library found; null if it found none or did not look for them
 * @param token the token; null if there is none
 */
record StrimziPrincipal(Set<?> groups, Object token) {
    private static final String NAME = "io.strimzi.kafka.oauth.server.OAuthKafkaPrincipal";
    private static final ClassValue<Methods> METHODS = new ClassValue<>() {
        @Override
        protected Methods computeValue(Class<?> type) {
            return Methods.of(type);
        }
    };

    /** The methods of one class; null where this version of the library does not have them. */
    private record Methods(MethodHandle groups, MethodHandle token, MethodHandle claims) {
        static Methods of(Class<?> type) {
            try {
                Method token = type.getMethod("getJwt");
                MethodHandles.Lookup lookup = MethodHandles.publicLookup();
                return new Methods(
                        lookup.unreflect(type.getMethod("getGroups")),
                        lookup.unreflect(token),
                        lookup.unreflect(token.getReturnType().getMethod("getClaimsJSON")));
            } catch (ReflectiveOperationException | LinkageError missing) {
                return new Methods(null, null, null);
            }
        }
    }

    /** Whether a principal is of that library. */
    static boolean isOne(KafkaPrincipal principal) {
        return principal.getClass().getName().equals(NAME);
    }

    /** Reads a principal of that library. */
    static StrimziPrincipal of(KafkaPrincipal principal) throws UnreadableException {
        Methods methods = METHODS.get(principal.getClass());
        return new StrimziPrincipal((Set<?>) call(methods.groups, principal), call(methods.token, principal));
    }

    /** The claims of the token as JSON text, as the library verified them. */
    String claims(KafkaPrincipal principal) throws UnreadableException {
        Object claims = token == null ? null : call(METHODS.get(principal.getClass()).claims, token);
        if (claims == null) {
            throw new UnreadableException("the principal has no claims of a token");
        }
        return claims.toString();
    }

    private static Object call(MethodHandle method, Object of) throws UnreadableException {
        if (method == null) {
            throw new UnreadableException("this version of Strimzi's library for OAuth is not known");
        }
        try {
            return method.invoke(of);
        } catch (Throwable failed) {
            throw new UnreadableException("Strimzi's library for OAuth fails: " + failed);
        }
    }

    /** The groups cannot be read; the message says why. */
    static final class UnreadableException extends Exception {
        private static final long serialVersionUID = 1;

        UnreadableException(String message) {
            super(message);
        }
    }
}

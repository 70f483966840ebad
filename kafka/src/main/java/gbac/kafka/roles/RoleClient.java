package gbac.kafka.roles;

import gbac.kafka.roles.RoleSource.UnusableException;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** The HTTP client of a source of roles. Files of certificates are read again when they change. */
final class RoleClient {
    static final Duration TIMEOUT = Duration.ofSeconds(5);
    /** One for all sources without certificates of their own, because each has threads. */
    private static final HttpClient PLAIN = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private static final char[] NO_PASSWORD = {};

    private final RoleAccess access;
    private HttpClient client = PLAIN;
    private List<String> stamps = List.of();

    RoleClient(RoleAccess access) {
        this.access = access;
    }

    /** The client with the certificates that the files have now. */
    HttpClient get() throws UnusableException {
        if (access.keystore() == null && access.authorities() == null) {
            return PLAIN;
        }
        List<String> current = List.of(stamp(access.keystore()), stamp(access.authorities()));
        if (!current.equals(stamps)) {
            client = HttpClient.newBuilder().connectTimeout(TIMEOUT).sslContext(context(access)).build();
            stamps = current;
        }
        return client;
    }

    private static String stamp(Path file) {
        try {
            return file == null ? "" : Files.getLastModifiedTime(file) + " " + Files.size(file);
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }

    /** Reads the files. */
    static SSLContext context(RoleAccess access) throws UnusableException {
        try {
            KeyManager[] keys = access.keystore() == null ? null : keys(access.keystore());
            TrustManager[] trusted = access.authorities() == null ? null : trusted(access.authorities());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, trusted, null);
            return context;
        } catch (GeneralSecurityException failed) {
            throw new UnusableException("TLS cannot be used: " + failed.getMessage());
        }
    }

    private static Pem read(String property, Path file) throws UnusableException {
        try {
            return Pem.read(file);
        } catch (IOException failed) {
            throw new UnusableException(property + " `" + file + "` cannot be read: " + failed.getMessage());
        } catch (GeneralSecurityException wrong) {
            throw new UnusableException(property + " `" + file + "` has a key or certificate that cannot be used");
        }
    }

    private static KeyManager[] keys(Path file) throws UnusableException, GeneralSecurityException {
        Pem pem = read(RoleSettings.KEYSTORE, file);
        if (pem.key() == null || pem.certificates().isEmpty()) {
            throw new UnusableException(RoleSettings.KEYSTORE + " `" + file
                    + "` does not have a private key (`BEGIN PRIVATE KEY`) and its certificate in PEM");
        }
        KeyStore store = empty();
        store.setKeyEntry("client", pem.key(), NO_PASSWORD, pem.certificates().toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    /** Java's own authorities and those of a file. */
    private static TrustManager[] trusted(Path file) throws UnusableException, GeneralSecurityException {
        List<Certificate> all = new ArrayList<>(read(RoleSettings.AUTHORITIES, file).certificates());
        if (all.isEmpty()) {
            throw new UnusableException(RoleSettings.AUTHORITIES + " `" + file + "` does not have a certificate in PEM");
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init((KeyStore) null);
        for (TrustManager own : factory.getTrustManagers()) {
            if (own instanceof X509TrustManager known) {
                for (X509Certificate authority : known.getAcceptedIssuers()) {
                    all.add(authority);
                }
            }
        }
        KeyStore store = empty();
        for (int index = 0; index < all.size(); index++) {
            store.setCertificateEntry("authority-" + index, all.get(index));
        }
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyStore empty() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
        } catch (IOException impossible) {
            throw new GeneralSecurityException(impossible);
        }
        return store;
    }
}

package gbac.kafka.roles;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The content of a PEM file.
 *
 * @param key the private key; null if there is none
 * @param certificates the certificates, in the order of the file
 */
record Pem(PrivateKey key, List<Certificate> certificates) {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]*)-----END PRIVATE KEY-----");
    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\\s]*-----END CERTIFICATE-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519");

    /** Reads a file. */
    static Pem read(Path file) throws IOException, GeneralSecurityException {
        String text = new String(FileSource.read(file), StandardCharsets.UTF_8);
        StringBuilder certificates = new StringBuilder();
        for (Matcher found = CERTIFICATE.matcher(text); found.find();) {
            certificates.append(found.group()).append('\n');
        }
        byte[] bytes = certificates.toString().getBytes(StandardCharsets.UTF_8);
        List<Certificate> all = List.copyOf(
                CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(bytes)));
        Matcher key = KEY.matcher(text);
        return new Pem(key.find() ? key(key.group(1)) : null, all);
    }

    private static PrivateKey key(String base64) throws GeneralSecurityException {
        byte[] bytes;
        try {
            bytes = Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException wrong) {
            throw new InvalidKeySpecException(wrong);
        }
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
            } catch (InvalidKeySpecException other) {
                // Perhaps of the next algorithm.
            }
        }
        throw new InvalidKeySpecException("the key is none of " + ALGORITHMS);
    }
}

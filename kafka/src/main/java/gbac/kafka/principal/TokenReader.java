package gbac.kafka.principal;

import gbac.kafka.engine.Engine;
import gbac.kafka.engine.EngineException;
import gbac.kafka.engine.Extraction;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.function.Supplier;
import org.apache.kafka.common.config.ConfigException;

/** Reads the user and the groups of verified tokens with the engine. */
public final class TokenReader {
    /** The reader that all connections of this Java process share. */
    public static final TokenReader SHARED = new TokenReader(Engine::new);

    private static final int MAX_IDLE = 8;

    private final Supplier<Engine> start;
    /** Instances that no thread uses. */
    private final Deque<Engine> idle = new ArrayDeque<>();

    TokenReader(Supplier<Engine> start) {
        this.start = start;
    }

    /** Checks that the engine can use the rules. */
    public void check(ClaimRules rules) {
        check(ClaimRules.CLAIM, rules.claimPath(), rules.withoutMapping(),
                "is not the JSON path of a claim; write a path such as `$.groups`");
        check(ClaimRules.MAPPING, rules.mapping(), rules, "does not name a claim; write a path such as `$.sub`");
    }

    private void check(String property, String value, ClaimRules rules, String problem) {
        try {
            extract(rules, "{}");
        } catch (EngineException refused) {
            // No claim names the user, which is not the fault of the rules.
            if (refused.code() != EngineException.USER) {
                throw new ConfigException(property + ": `" + value + "` " + problem);
            }
        }
    }

    /**
     * Finds the user and the groups of a token that Kafka verified.
     *
     * @throws EngineException the token has no readable claims, which can be such that the validator of the broker accepts, or
     *     the claims do not name the user
     */
    public Extraction read(ClaimRules rules, String token) {
        return extract(rules, claims(token));
    }

    /** Finds the groups in claims that another validator has read, which are JSON text. */
    Extraction readClaims(ClaimRules rules, String claims) {
        return extract(rules.withoutMapping(), claims);
    }

    /** The claims of a compact token; an empty text, which the engine refuses, if it is another text. */
    private static String claims(String token) {
        String[] parts = token.split("\\.", -1);
        if (parts.length != 3) {
            return "";
        }
        try {
            byte[] utf8 = Base64.getUrlDecoder().decode(parts[1]);
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
        } catch (IllegalArgumentException | CharacterCodingException unreadable) {
            return "";
        }
    }

    /** Uses an idle instance. One that fails is not used again, and another one tries once more. */
    private Extraction extract(ClaimRules rules, String claims) {
        return Engine.withoutInterruption(() -> {
            try {
                return extractOnce(rules, claims);
            } catch (EngineException refused) {
                throw refused;
            } catch (RuntimeException | StackOverflowError failed) {
                Thread.interrupted();
                return extractOnce(rules, claims);
            }
        });
    }

    private Extraction extractOnce(ClaimRules rules, String claims) {
        Engine engine = take();
        Extraction found;
        try {
            found = engine.extract(rules.claimPath(), rules.suffix(), rules.mapping(), claims);
        } catch (EngineException refused) {
            give(engine);
            throw refused;
        }
        give(engine);
        return found;
    }

    private Engine take() {
        Engine engine;
        synchronized (idle) {
            engine = idle.poll();
        }
        return engine == null ? start.get() : engine;
    }

    private void give(Engine engine) {
        synchronized (idle) {
            if (idle.size() < MAX_IDLE) {
                idle.push(engine);
            }
        }
    }
}

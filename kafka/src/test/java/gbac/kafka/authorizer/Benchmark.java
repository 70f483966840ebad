package gbac.kafka.authorizer;

import com.sun.management.ThreadMXBean;
import gbac.kafka.engine.Engine;
import gbac.kafka.principal.PrincipalGroups;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.metadata.authorizer.ClusterMetadataAuthorizer;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.apache.kafka.metadata.authorizer.StandardAuthorizer;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.junit.jupiter.api.Test;

/**
 * The plugin beside Kafka's own authorizer in one Java process, run by `cargo xtask bench --kafka`.
 *
 * <p>Each measurement is a ratio. The two authorizers alternate, so that whatever else the machine does slows both.
 */
final class Benchmark {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int TOPIC = 2;
    /** The rounds before Java has compiled both, as it has in a broker that runs for days. */
    private static final int WARM_UP = 12;
    private static final int ROUNDS = 9;
    private static final int QUESTIONS = 20_000;
    private static final int CONNECTIONS = 200;
    /** Fewer, because clients connect much more rarely than they ask. */
    private static final int WARM_UP_OF_CONNECTIONS = 2;

    private final Map<String, Double> results = new TreeMap<>();
    private final Random random = new Random(7);

    @Test
    void measure() throws IOException {
        // First, while the Java process is cold.
        load("load_cold", 1);
        decisions(1_000);
        decisions(100_000);
        denials();
        connections();
        manyAclsOnEveryName();
        load("load_warm", ROUNDS);
        walkInJava();
        memory();
        StringBuilder text = new StringBuilder();
        results.forEach((name, value) -> text.append(name).append(' ').append(value).append('\n'));
        Files.writeString(Path.of(System.getenv("GBAC_BENCH")), text);
    }

    /** Processor time of this thread, because the machine may be busy. */
    private static long time(Runnable task) {
        long start = THREADS.getCurrentThreadCpuTime();
        task.run();
        return THREADS.getCurrentThreadCpuTime() - start;
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    /** ACLs as clusters have them: a user or group on a topic or a prefix. */
    private List<StandardAcl> acls(int count) {
        List<StandardAcl> acls = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            boolean isPrefix = index % 3 == 0;
            String name = "team-" + index % (count / 10) + (isPrefix ? "." : ".topic-" + index);
            // Others for each prefix that comes again, because Kafka refuses an ACL that is there.
            String principal = "User:u" + (index + index / (count / 5)) % (count / 5);
            acls.add(World.acl(ResourceType.TOPIC, name, isPrefix ? PatternType.PREFIXED : PatternType.LITERAL, principal,
                    index % 2 == 0 ? AclOperation.READ : AclOperation.WRITE, index % 20 != 0));
        }
        return acls;
    }

    private static ClusterMetadataAuthorizer[] both(List<StandardAcl> acls, boolean caches) {
        Map<Uuid, StandardAcl> snapshot = snapshot(acls);
        ClusterMetadataAuthorizer kafka = new StandardAuthorizer();
        AclAuthorizer ours = new AclAuthorizer();
        kafka.configure(World.configs());
        ours.configure(World.configs("gbac.decision.cache", String.valueOf(caches)));
        World.giveMetrics(kafka);
        ours.withMetrics(new World.NodeMetrics(new Metrics()));
        for (ClusterMetadataAuthorizer authorizer : List.of(kafka, ours)) {
            authorizer.loadSnapshot(snapshot);
            authorizer.completeInitialLoad();
        }
        return new ClusterMetadataAuthorizer[] {ours, kafka};
    }

    private static Map<Uuid, StandardAcl> snapshot(List<StandardAcl> acls) {
        Map<Uuid, StandardAcl> snapshot = new HashMap<>();
        acls.forEach(acl -> snapshot.put(Uuid.randomUuid(), acl));
        return snapshot;
    }

    private void decisions(int count) throws IOException {
        List<StandardAcl> acls = acls(count);
        ClusterMetadataAuthorizer[] both = both(acls, true);
        List<Double> cold = new ArrayList<>();
        List<Double> warm = new ArrayList<>();
        List<Double> bytes = new ArrayList<>();
        for (int round = 0; round < WARM_UP + ROUNDS; round++) {
            List<AuthorizableRequestContext> callers = new ArrayList<>();
            List<List<Action>> actions = new ArrayList<>();
            for (int question = 0; question < QUESTIONS; question++) {
                StandardAcl acl = World.any(random, acls);
                String user = "u" + random.nextInt(50) * 7 % Math.max(1, count / 5);
                callers.add(World.request(PrincipalGroups.create("User", user, false, List.of()), "10.0.0.1"));
                // Another name in each round, so that no decision is in the cache.
                actions.add(List.of(World.action(AclOperation.READ, ResourceType.TOPIC,
                        acl.resourceName() + (question % 2 == 0 ? "" : "-" + round + "-" + question))));
            }
            AuthorizableRequestContext[] from = shared(callers);
            // A change empties the cache: of a prefix, because one of a name leaves other names.
            Uuid id = Uuid.randomUuid();
            StandardAcl change = World.acl(ResourceType.TOPIC, "changed", PatternType.PREFIXED, "User:nobody" + round,
                    AclOperation.READ, true);
            for (ClusterMetadataAuthorizer authorizer : both) {
                authorizer.addAcl(id, change);
            }
            ask(both[0], new AuthorizableRequestContext[] {from[0]}, actions.subList(0, 1));
            double ours = time(() -> ask(both[0], from, actions));
            double kafka = time(() -> ask(both[1], from, actions));
            double again = time(() -> ask(both[0], from, actions));
            long allocated = THREADS.getCurrentThreadAllocatedBytes();
            ask(both[0], from, actions);
            allocated = THREADS.getCurrentThreadAllocatedBytes() - allocated;
            if (round >= WARM_UP) {
                cold.add(ours / kafka);
                warm.add(again / kafka);
                bytes.add((double) allocated / QUESTIONS);
            }
        }
        results.put("cold_" + count, median(cold));
        results.put("warm_" + count, median(warm));
        results.put("bytes_" + count, median(bytes));
        for (ClusterMetadataAuthorizer authorizer : both) {
            authorizer.close();
        }
    }

    /** One principal object for each user, as for the requests of a connection. */
    private static AuthorizableRequestContext[] shared(List<AuthorizableRequestContext> callers) {
        Map<String, AuthorizableRequestContext> first = new HashMap<>();
        return callers.stream()
                .map(caller -> first.computeIfAbsent(caller.principal().getName(), name -> caller))
                .toArray(AuthorizableRequestContext[]::new);
    }

    private static void ask(
            ClusterMetadataAuthorizer authorizer, AuthorizableRequestContext[] callers, List<List<Action>> actions) {
        for (int index = 0; index < actions.size(); index++) {
            authorizer.authorize(callers[index], actions.get(index));
        }
    }

    /** Denied questions in a log file of Kafka's form, asked for the first time and again. */
    private void denials() throws IOException {
        Path log = Files.createTempFile("gbac", ".log");
        AuthorizerLog.begin(log);
        List<StandardAcl> acls = acls(1_000);
        ClusterMetadataAuthorizer[] both = both(acls, true);
        List<Double> first = new ArrayList<>();
        List<Double> again = new ArrayList<>();
        for (int round = 0; round < WARM_UP + ROUNDS; round++) {
            List<AuthorizableRequestContext> callers = new ArrayList<>();
            List<List<Action>> actions = new ArrayList<>();
            for (int question = 0; question < QUESTIONS; question++) {
                String user = "u" + random.nextInt(50) * 7 % 200;
                callers.add(World.request(
                        PrincipalGroups.create("User", user, false, List.of("analysts", "developers", "payments")), "10.0.0.1"));
                actions.add(List.of(World.action(AclOperation.ALTER, ResourceType.TOPIC,
                        World.any(random, acls).resourceName() + "-" + round + "-" + question)));
            }
            AuthorizableRequestContext[] from = shared(callers);
            double ours = time(() -> ask(both[0], from, actions));
            double kafka = time(() -> ask(both[1], from, actions));
            double oursAgain = time(() -> ask(both[0], from, actions));
            double kafkaAgain = time(() -> ask(both[1], from, actions));
            if (round >= WARM_UP) {
                first.add(ours / kafka);
                again.add(oursAgain / kafkaAgain);
            }
        }
        AuthorizerLog.end();
        Files.delete(log);
        results.put("denied_first", median(first));
        results.put("denied_again", median(again));
        for (ClusterMetadataAuthorizer authorizer : both) {
            authorizer.close();
        }
    }

    /** The first question of a connection with 200 groups: of a user who is new, and of one who connects again. */
    private void connections() throws IOException {
        List<StandardAcl> acls = acls(1_000);
        for (int index = 0; index < 100; index++) {
            acls.add(World.readAcl("group-topic-" + index, "Group:company/department-" + index + "/team"));
        }
        ClusterMetadataAuthorizer[] both = both(acls, true);
        List<Double> first = new ArrayList<>();
        List<Double> again = new ArrayList<>();
        for (int round = 0; round < WARM_UP_OF_CONNECTIONS + ROUNDS; round++) {
            List<List<Action>> actions = new ArrayList<>();
            List<List<String>> groups = new ArrayList<>();
            for (int connection = 0; connection < CONNECTIONS; connection++) {
                List<String> names = new ArrayList<>();
                for (int group = 0; group < 200; group++) {
                    names.add("company/department-" + (connection + group) + "/team");
                }
                groups.add(names);
                actions.add(List.of(World.action(AclOperation.READ, ResourceType.TOPIC, World.any(random, acls).resourceName())));
            }
            int shift = round * CONNECTIONS;
            double ours = time(() -> connect(both[0], shift, groups, actions));
            double kafka = time(() -> connect(both[1], shift, null, actions));
            double oursAgain = time(() -> connect(both[0], shift, groups, actions));
            double kafkaAgain = time(() -> connect(both[1], shift, null, actions));
            if (round >= WARM_UP_OF_CONNECTIONS) {
                first.add(ours / kafka);
                again.add(oursAgain / kafkaAgain);
            }
        }
        results.put("connect_first", median(first));
        results.put("connect_again", median(again));
        for (ClusterMetadataAuthorizer authorizer : both) {
            authorizer.close();
        }
    }

    private static void connect(
            ClusterMetadataAuthorizer authorizer, int shift, List<List<String>> groups, List<List<Action>> actions) {
        InetAddress address = World.address("10.0.0.1");
        for (int index = 0; index < actions.size(); index++) {
            String user = "u" + (shift + index);
            KafkaPrincipal principal = groups == null ? new KafkaPrincipal("User", user)
                    : PrincipalGroups.create("User", user, false, groups.get(index));
            authorizer.authorize(new World.Request(principal, address, "SASL"), actions.get(index));
        }
    }

    /** 7,000 ACLs on the literal `*`, and one call for 504 topics. */
    private void manyAclsOnEveryName() throws IOException {
        List<StandardAcl> acls = new ArrayList<>();
        for (int index = 0; index < 7_000; index++) {
            acls.add(World.readAcl("*", "User:u" + index));
        }
        ClusterMetadataAuthorizer[] both = both(acls, true);
        AuthorizableRequestContext caller =
                World.request(PrincipalGroups.create("User", "u6999", false, List.of()), "10.0.0.1");
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < WARM_UP + ROUNDS; round++) {
            List<Action> actions = new ArrayList<>();
            for (int topic = 0; topic < 504; topic++) {
                actions.add(World.action(AclOperation.READ, ResourceType.TOPIC, "topic-" + round + "-" + topic));
            }
            double ours = time(() -> both[0].authorize(caller, actions));
            double kafka = time(() -> both[1].authorize(caller, actions));
            if (round >= WARM_UP) {
                ratios.add(ours / kafka);
            }
        }
        results.put("many_on_star", median(ratios));
        for (ClusterMetadataAuthorizer authorizer : both) {
            authorizer.close();
        }
    }

    private void load(String name, int rounds) throws IOException {
        Map<Uuid, StandardAcl> snapshot = snapshot(acls(100_000));
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            ClusterMetadataAuthorizer kafka = new StandardAuthorizer();
            kafka.configure(World.configs());
            AclAuthorizer ours = new AclAuthorizer();
            double theirs = time(() -> kafka.loadSnapshot(snapshot));
            double time = time(() -> {
                ours.configure(World.configs());
                ours.loadSnapshot(snapshot);
            });
            ratios.add(time / theirs);
            ours.close();
            kafka.close();
        }
        results.put(name, median(ratios));
    }

    private void walkInJava() {
        List<StandardAcl> acls = acls(1_000);
        PolicyTable table = new PolicyTable(true);
        table.replace(snapshot(acls));
        Engine engine = new Engine();
        table.writeAll(engine::apply);
        JavaIndex index = new JavaIndex();
        acls.forEach(index::add);
        int handle = engine.open(new gbac.kafka.engine.Records().text("User:u1").texts(List.of()).toBytes());
        int[] caller = index.open("u1", List.of());
        List<Double> ratios = new ArrayList<>();
        int[] sink = new int[1];
        for (int round = 0; round < WARM_UP + ROUNDS; round++) {
            double wasm = time(() -> {
                for (int question = 0; question < QUESTIONS; question++) {
                    sink[0] += engine.mask(handle, TOPIC, null, acls.get(question % acls.size()).resourceName());
                }
            });
            double java = time(() -> {
                for (int question = 0; question < QUESTIONS; question++) {
                    sink[0] += index.mask(caller, acls.get(question % acls.size()).resourceName());
                }
            });
            if (round >= WARM_UP) {
                ratios.add(wasm / java);
            }
        }
        results.put("walk_over_java", median(ratios));
    }

    private void memory() {
        PolicyTable table = new PolicyTable(true);
        table.replace(snapshot(acls(100_000)));
        Engine engine = new Engine();
        table.writeAll(engine::apply);
        engine.trim();
        results.put("memory_mib", engine.memoryBytes() / 1048576.0);
    }
}

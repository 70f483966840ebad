// A program with Kafka's own clients, driven by tests: reads one call as JSON from each line of its input, and writes its result.
//
// `java Client.java` compiles it. Calls about one client are made one after the other, as the tests do.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateDelegationTokenOptions;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.token.delegation.DelegationToken;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public final class Client {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** How long a call may take in all. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Open clients by their names. */
    private static final Map<String, AutoCloseable> OPEN = new ConcurrentHashMap<>();

    private Client() {}

    public static void main(String[] args) throws Exception {
        PrintStream results = System.out;
        // Only results go to the output.
        System.setOut(System.err);
        ExecutorService calls = Executors.newCachedThreadPool();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonNode call = JSON.readTree(line);
            calls.execute(() -> {
                Map<String, Object> result = new HashMap<>();
                result.put("id", call.get("id").asInt());
                try {
                    result.put("value", run(call));
                } catch (Throwable failure) {
                    Throwable cause = failure instanceof ExecutionException && failure.getCause() != null ? failure.getCause() : failure;
                    result.put("error", cause.getClass().getSimpleName());
                    result.put("message", String.valueOf(cause.getMessage()));
                }
                try {
                    String text = JSON.writeValueAsString(result);
                    synchronized (results) {
                        results.println(text);
                        results.flush();
                    }
                } catch (Exception failure) {
                    failure.printStackTrace();
                }
            });
        }
        System.exit(0);
    }

    private static Object run(JsonNode call) throws Exception {
        String name = call.get("client").asText();
        switch (call.get("call").asText()) {
            case "open": return open(name, call);
            case "close": return close(name);
            case "send": return send(producer(name), call);
            case "begin": return begin(producer(name));
            case "commit": return commit(producer(name));
            case "poll": return poll(name, call);
            case "metric": return metric(name, call.get("metric").asText());
            case "createTopics": return createTopics(admin(name), call);
            case "listTopics": return admin(name).listTopics().names().get();
            case "configure": return configure(admin(name), call);
            case "createAcls": return createAcls(admin(name), call);
            case "deleteAcls": return deleteAcls(admin(name), call);
            case "deleteAllAcls": return admin(name).deleteAcls(List.of(AclBindingFilter.ANY)).all().get().size();
            case "measure": return measure(admin(name), call);
            case "describeAcls": return admin(name).describeAcls(AclBindingFilter.ANY).values().get().size();
            case "operations": return operations(admin(name), call);
            case "createToken": return createToken(admin(name), call);
            case "describeTokens": return describeTokens(admin(name));
            case "renewToken": return admin(name).renewDelegationToken(hmac(call)).expiryTimestamp().get();
            case "expireToken": return admin(name).expireDelegationToken(hmac(call)).expiryTimestamp().get();
            default: throw new IllegalArgumentException("unknown call " + call.get("call"));
        }
    }

    private static Object open(String name, JsonNode call) {
        Properties properties = new Properties();
        call.get("properties").fields().forEachRemaining(field -> properties.put(field.getKey(), field.getValue().asText()));
        // The file or the address from which this client reads its tokens.
        String url = properties.getProperty("sasl.oauthbearer.token.endpoint.url");
        if (url != null) {
            allow(url);
        }
        AutoCloseable client;
        switch (call.get("kind").asText()) {
            case "producer": client = new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer()); break;
            case "consumer": client = new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer()); break;
            default: client = Admin.create(properties);
        }
        OPEN.put(name, client);
        return null;
    }

    private static synchronized void allow(String url) {
        String property = "org.apache.kafka.sasl.oauthbearer.allowed.urls";
        String allowed = System.getProperty(property);
        System.setProperty(property, allowed == null ? url : allowed + "," + url);
    }

    private static Object close(String name) throws Exception {
        AutoCloseable client = OPEN.remove(name);
        if (client instanceof KafkaProducer) {
            ((KafkaProducer<?, ?>) client).close(Duration.ZERO);
        } else if (client != null) {
            client.close();
        }
        return null;
    }

    private static Admin admin(String name) {
        return (Admin) OPEN.get(name);
    }

    @SuppressWarnings("unchecked")
    private static KafkaProducer<String, String> producer(String name) {
        return (KafkaProducer<String, String>) OPEN.get(name);
    }

    /** The offset of a record that the cluster acknowledged. */
    private static Object send(KafkaProducer<String, String> producer, JsonNode call) throws Exception {
        return producer.send(new ProducerRecord<>(call.get("topic").asText(), call.get("value").asText())).get().offset();
    }

    private static Object begin(KafkaProducer<String, String> producer) {
        producer.initTransactions();
        producer.beginTransaction();
        return null;
    }

    private static Object commit(KafkaProducer<String, String> producer) {
        producer.commitTransaction();
        return null;
    }

    /** The values of the first records of a topic; fewer if no more arrive in time. */
    @SuppressWarnings("unchecked")
    private static Object poll(String name, JsonNode call) {
        KafkaConsumer<String, String> consumer = (KafkaConsumer<String, String>) OPEN.get(name);
        consumer.subscribe(List.of(call.get("topic").asText()));
        List<String> values = new ArrayList<>();
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (values.size() < call.get("count").asInt() && System.nanoTime() < end) {
            for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                values.add(record.value());
            }
        }
        return values;
    }

    /** The sum of a metric over all of its tags. */
    private static Object metric(String name, String metric) {
        Map<MetricName, ? extends Metric> metrics = OPEN.get(name) instanceof KafkaProducer ? producer(name).metrics() : admin(name).metrics();
        return metrics.entrySet().stream().filter(entry -> entry.getKey().name().equals(metric) && entry.getKey().tags().size() == 1)
            .mapToDouble(entry -> ((Number) entry.getValue().metricValue()).doubleValue()).sum();
    }

    private static Object createTopics(Admin admin, JsonNode call) throws Exception {
        // The default of the cluster: a copy for each of its brokers, up to three.
        short copies = (short) call.path("copies").asInt(-1);
        List<NewTopic> topics = texts(call.get("topics")).stream().map(name -> new NewTopic(name, 1, copies)).toList();
        admin.createTopics(topics, new CreateTopicsOptions().validateOnly(call.path("validateOnly").asBoolean())).all().get();
        return null;
    }

    /** Sets properties of a topic, of one node, or of all; removes those that are null. */
    private static Object configure(Admin admin, JsonNode call) throws Exception {
        List<AlterConfigOp> changes = new ArrayList<>();
        call.get("properties").fields().forEachRemaining(field -> changes.add(field.getValue().isNull()
            ? new AlterConfigOp(new ConfigEntry(field.getKey(), ""), AlterConfigOp.OpType.DELETE)
            : new AlterConfigOp(new ConfigEntry(field.getKey(), field.getValue().asText()), AlterConfigOp.OpType.SET)));
        ConfigResource.Type type = call.has("topic") ? ConfigResource.Type.TOPIC : ConfigResource.Type.BROKER;
        String name = call.path(call.has("topic") ? "topic" : "node").asText("");
        admin.incrementalAlterConfigs(Map.of(new ConfigResource(type, name), changes)).all().get();
        return null;
    }

    /** ACLs as in a policy document. */
    private static Object createAcls(Admin admin, JsonNode call) throws Exception {
        admin.createAcls(bindings(call)).all().get();
        return null;
    }

    private static List<AclBinding> bindings(JsonNode call) {
        List<AclBinding> acls = new ArrayList<>();
        call.path("acls").forEach(acl -> acls.add(binding(acl)));
        return acls;
    }

    /** The nanoseconds that a call about ACLs takes. */
    private static Object measure(Admin admin, JsonNode call) throws Exception {
        List<AclBinding> acls = bindings(call);
        long begin = System.nanoTime();
        if (call.get("what").asText().equals("createAcls")) {
            admin.createAcls(acls).all().get();
        } else {
            admin.describeAcls(AclBindingFilter.ANY).values().get();
        }
        return System.nanoTime() - begin;
    }

    private static Object deleteAcls(Admin admin, JsonNode call) throws Exception {
        List<AclBindingFilter> filters = new ArrayList<>();
        call.get("acls").forEach(acl -> filters.add(binding(acl).toFilter()));
        return admin.deleteAcls(filters).all().get().size();
    }

    private static AclBinding binding(JsonNode acl) {
        ResourcePattern pattern = new ResourcePattern(
            ResourceType.fromString(word(acl, "resource_type", "RESOURCE_TYPE_")),
            acl.get("resource_name").asText(),
            PatternType.fromString(word(acl, "resource_pattern_type", "RESOURCE_PATTERN_TYPE_")));
        AccessControlEntry entry = new AccessControlEntry(
            acl.get("principal").asText(),
            acl.get("host").asText(),
            AclOperation.fromString(word(acl, "operation", "OPERATION_")),
            AclPermissionType.fromString(word(acl, "permission_type", "PERMISSION_TYPE_")));
        return new AclBinding(pattern, entry);
    }

    private static String word(JsonNode acl, String member, String prefix) {
        return acl.get(member).asText().substring(prefix.length());
    }

    /** The IDs of the tokens that the cluster shows. */
    private static Object describeTokens(Admin admin) throws Exception {
        return admin.describeDelegationToken().delegationTokens().get().stream().map(token -> token.tokenInfo().tokenId()).toList();
    }

    /** The operations that the cluster says are allowed on each topic; none if it may not even be described. */
    private static Object operations(Admin admin, JsonNode call) throws Exception {
        List<String> topics = texts(call.get("topics"));
        Map<String, Object> found = new TreeMap<>();
        Map<String, KafkaFuture<org.apache.kafka.clients.admin.TopicDescription>> described =
            admin.describeTopics(topics, new DescribeTopicsOptions().includeAuthorizedOperations(true)).topicNameValues();
        for (String topic : topics) {
            try {
                Collection<AclOperation> allowed = described.get(topic).get().authorizedOperations();
                found.put(topic, allowed.stream().map(operation -> operation.name().toLowerCase()).sorted().toList());
            } catch (ExecutionException failure) {
                if (!(failure.getCause() instanceof org.apache.kafka.common.errors.TopicAuthorizationException)) {
                    throw failure;
                }
                found.put(topic, List.of());
            }
        }
        return found;
    }

    private static Object createToken(Admin admin, JsonNode call) throws Exception {
        List<KafkaPrincipal> renewers = texts(call.get("renewers")).stream().map(name -> new KafkaPrincipal(KafkaPrincipal.USER_TYPE, name)).toList();
        DelegationToken token = admin.createDelegationToken(new CreateDelegationTokenOptions().renewers(renewers)).delegationToken().get();
        return Map.of("id", token.tokenInfo().tokenId(), "hmac", token.hmacAsBase64String(), "owner", token.tokenInfo().ownerAsString());
    }

    private static List<String> texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
    }

    private static byte[] hmac(JsonNode call) {
        return Base64.getDecoder().decode(call.get("hmac").asText());
    }
}

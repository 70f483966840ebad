//! Properties as administrators have them, and what is said about those that cannot be kept to.

use gbac_cluster::{ClientProperties, NoteReason};

const SASL: &str = "security.protocol=SASL_SSL\n";

fn problem(text: &str) -> String {
    match ClientProperties::parse(text) {
        Ok((properties, _)) => panic!("{properties:?}"),
        Err(error) => error.to_string(),
    }
}

fn notes(text: &str) -> Vec<String> {
    let (_, notes) = ClientProperties::parse(text).expect("properties");
    notes.iter().map(ToString::to_string).collect()
}

#[test]
fn a_file_of_an_administrator_is_read() {
    let text = "# for kafka-acls --command-config\n\
        bootstrap.servers = b-1.example.com:9096, \\\n    b-2.example.com:9096\n\
        security.protocol = sasl_ssl\n\
        sasl.mechanism=SCRAM-SHA-512\n\
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\\n  username=\"ann\" \\\n  password=\"p\\\\\\\\w \\\\\\\"x\";\n\
        ssl.truststore.location=/etc/kafka/ca.pem\n\
        ssl.truststore.type=PEM\n\
        request.timeout.ms=15000\n\
        group.id=ignored\n\
        retries=3\n";
    let (properties, notes) = ClientProperties::parse(text).expect("properties");
    assert_eq!(properties.servers.len(), 2);
    let unused: Vec<&str> = notes.iter().map(|note| note.key.as_str()).collect();
    assert_eq!(unused, ["group.id", "retries"]);
    assert!(
        notes
            .iter()
            .all(|note| note.reason == NoteReason::NotUsed && !note.is_warning())
    );
    // Only the way to the broker is shown.
    assert!(!format!("{properties:?}").contains("p\\"));
}

#[test]
fn what_changes_nothing_is_listed_with_its_line() {
    assert_eq!(
        notes(
            "acks=1\nsasl.mechanisms=PLAIN\nclient.id=a\nfoo=1\nclient.id=b\nssl.truststore.type=PEM"
        ),
        [
            "line 1: `acks` is not used here",
            "line 2: `sasl.mechanisms` is no property of Kafka's clients; `sasl.mechanism` is one",
            "line 3: `client.id` has no effect, because a later line sets it again",
            "line 4: `foo` is no property of Kafka's clients",
            "line 6: `ssl.truststore.type` is not used here",
        ]
    );
    let any_name = "security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location=/ca.pem\nssl.endpoint.identification.algorithm=";
    assert!(
        notes(any_name)[0]
            .starts_with("line 4: `ssl.endpoint.identification.algorithm`: whoever has")
    );
}

#[test]
fn contradictions_name_the_line_and_what_to_set() {
    assert_eq!(
        problem("\nsasl.mechanism=PLAIN"),
        "line 2: `sasl.mechanism`: it has no effect with `security.protocol=PLAINTEXT`: set SASL_PLAINTEXT or SASL_SSL, or remove it"
    );
    assert_eq!(
        problem("security.protocol=SSL\nsasl.jaas.config=x"),
        "line 2: `sasl.jaas.config`: it has no effect with `security.protocol=SSL`: set SASL_SSL, or remove it"
    );
    assert_eq!(
        problem("ssl.truststore.location=/ca.pem"),
        "line 1: `ssl.truststore.location`: it has no effect with `security.protocol=PLAINTEXT`: set SSL or SASL_SSL, or remove it"
    );
    assert_eq!(
        problem(&format!("{SASL}sasl.mechanism=PLAIN")),
        "`sasl.jaas.config`: it is missing: set it to the login module with `username` and `password`"
    );
    assert!(problem(SASL).starts_with("`sasl.mechanism`: it is missing, and means GSSAPI"));
    assert!(
        problem(&format!("{SASL}sasl.mechanism=AWS_MSK_IAM"))
            .starts_with("line 2: `sasl.mechanism`: this program does not have `AWS_MSK_IAM`")
    );
    assert_eq!(
        problem("security.protocol=TLS"),
        "line 1: `security.protocol`: `TLS` is not PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL"
    );
    assert_eq!(
        problem("bootstrap.servers=a"),
        "line 1: `bootstrap.servers`: `a` is not a list of HOST:PORT"
    );
    assert_eq!(
        problem("request.timeout.ms=0"),
        "line 1: `request.timeout.ms`: `0` is not a number of milliseconds"
    );
}

#[test]
fn stores_of_java_are_refused_with_the_command_that_makes_pem() {
    let said = problem("security.protocol=SSL\nssl.truststore.location=/t.jks");
    assert_eq!(
        said,
        "line 2: `ssl.truststore.location`: this program reads PEM and no store of Java: run \
         `keytool -list -rfc -keystore FILE > truststore.pem`, name its file, and set `ssl.truststore.type=PEM`"
    );
    let said =
        problem("security.protocol=SSL\nssl.keystore.type=PKCS12\nssl.keystore.location=/k.p12");
    assert!(said.contains("openssl pkcs12 -in FILE"), "{said}");
    let said = problem(
        "security.protocol=SSL\nssl.keystore.type=PEM\nssl.keystore.location=/k.pem\nssl.key.password=topsecret",
    );
    assert!(
        said.contains("openssl pkcs8") && !said.contains("topsecret"),
        "{said}"
    );
}

#[test]
fn no_message_contains_a_secret() {
    let plain = format!("{SASL}sasl.mechanism=PLAIN\nsasl.jaas.config=");
    let module = "org.apache.kafka.common.security.plain.PlainLoginModule";
    for jaas in [
        format!("{module} required username=\"a\" password=\"hunter2"),
        format!("{module} required username=\"a\" password=\"hunter2\""),
        format!("{module} required password=\"hunter2\";"),
        format!("{module} username=\"a\" password=\"hunter2\";"),
        "com.example.Module required username=\"a\" password=\"hunter2\";".into(),
        format!("{module} required username=\"a\" password=\"${{file:/hunter2:key}}\";"),
        format!("{module} required username=\"a\" password=\"h\u{fc}nter2 hunter2\";"),
    ] {
        let said = problem(&format!("{plain}{jaas}"));
        assert!(!said.contains("hunter2"), "{said}");
        assert!(said.starts_with("line 3: `sasl.jaas.config`: "), "{said}");
    }
    let said = problem(&format!(
        "{plain}{module} required username=\"a\" password=\"h\u{fc}\";"
    ));
    assert!(said.ends_with(r"write \u00fc"), "{said}");
    // Written as an escape, it is what Kafka reads.
    let escaped = format!("{plain}{module} required username=\"a\" password=\"h\\u00fc\";");
    assert!(ClientProperties::parse(&escaped).is_ok());
}

#[test]
fn tokens_have_a_source_that_can_be_trusted() {
    let bearer = format!("{SASL}sasl.mechanism=OAUTHBEARER\n");
    let endpoint = |url: &str| format!("{bearer}sasl.oauthbearer.token.endpoint.url={url}\n");
    let client = "sasl.oauthbearer.client.credentials.client.id=a\nsasl.oauthbearer.client.credentials.client.secret=b";
    assert!(ClientProperties::parse(&format!("{}{client}", endpoint("https://idp/token"))).is_ok());
    assert!(
        ClientProperties::parse(&format!("{}{client}", endpoint("http://localhost:1/token")))
            .is_ok()
    );
    assert!(ClientProperties::parse(&endpoint("file:///run/token")).is_ok());
    assert!(ClientProperties::parse(&bearer).is_ok());
    for url in [
        "http://idp/token",
        "http://localhost:x@idp/token",
        "http://localhost@idp/token",
        "ftp://x",
        "token",
    ] {
        let said = problem(&format!("{}{client}", endpoint(url)));
        assert!(
            said.starts_with("line 3: `sasl.oauthbearer.token.endpoint.url`: "),
            "{said}"
        );
    }
    assert!(problem(&endpoint("https://idp/token")).contains("the client has no credentials"));
    let jaas = "sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required clientId=\"a\" clientSecret=\"b\" scope=\"c\" other=\"d\";";
    assert_eq!(
        notes(&format!("{}{jaas}", endpoint("https://idp/token"))),
        ["line 4: `sasl.jaas.config other` is not used here"]
    );
    let handler =
        "sasl.login.callback.handler.class=software.amazon.msk.auth.iam.IAMClientCallbackHandler";
    assert!(problem(&format!("{bearer}{handler}")).contains("this program does not have"));
    let handler = "sasl.login.callback.handler.class=org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler";
    assert!(ClientProperties::parse(&format!("{bearer}{handler}")).is_ok());
    let unsecured = "sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub=\"a\";";
    assert!(problem(&format!("{bearer}{unsecured}")).contains("makes no unsecured tokens"));
}

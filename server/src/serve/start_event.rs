//! What the audit event of a start states: the options that decisions and access depend on (D-87).

use std::net::SocketAddr;

use serde_json::{Map, Value, json};

use super::options::{ServeMode, ServeOptions};

/// The options of a start by the names of their flags. Options that are not set are omitted. There
/// are no secrets among them.
pub(super) fn stated_options(options: &ServeOptions, address: SocketAddr) -> Value {
    let mut stated = Map::new();
    let mut state = |name: &str, value: Value| {
        let is_set = match &value {
            Value::Null | Value::Bool(false) => false,
            Value::Array(items) => !items.is_empty(),
            _ => true,
        };
        if is_set {
            stated.insert(name.to_owned(), value);
        }
    };
    state("listen", json!(address.to_string()));
    match &options.mode {
        ServeMode::Demo(_) => state("demo", json!(true)),
        ServeMode::Data(data) => {
            state("admin_user", json!(data.admin_user));
            state("oidc_discovery_url", json!(data.oidc_discovery_url));
            state("oidc_audience", json!(data.oidc_audience));
            state("oidc_issuer", json!(data.oidc_rules.issuer));
            state(
                "oidc_access_tokens_only",
                json!(data.oidc_rules.access_tokens_only),
            );
            state(
                "oidc_max_token_lifetime",
                json!(data.oidc_rules.max_lifetime),
            );
            state(
                "oidc_client_id",
                json!(data.oidc_client.as_ref().map(|client| &client.id)),
            );
            state("cluster", json!(data.clusters));
            state("cluster_config", json!(data.cluster_configs));
            state("cluster_identity", json!(data.cluster_identities));
            state(
                "tls_cert",
                json!(data.tls.as_ref().map(|tls| tls.cert.to_string_lossy())),
            );
            state("insecure_listen", json!(data.insecure_listen));
        }
    }
    state("license", json!(options.license));
    state("cluster_id", json!(options.endpoint.cluster_id));
    state("public_url", json!(options.endpoint.public_url));
    state("public_host", json!(options.endpoint.public_hosts));
    state("trusted_proxy", json!(options.trusted_proxies));
    state("upstream_admin", json!(options.upstream.admin));
    state("upstream_dataplane", json!(options.upstream.dataplane));
    state(
        "upstream_controlplane",
        json!(options.upstream.controlplane),
    );
    state(
        "relay_requires_sign_in",
        json!(options.upstream.requires_sign_in),
    );
    Value::Object(stated)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::serve::Server;
    use crate::serve::options::{DataOptions, DemoOptions, OidcClientOptions};

    #[tokio::test]
    async fn starts_and_stops_are_in_the_audit_log() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("audit.jsonl");
        let demo = DemoOptions {
            audit_file: Some(file.clone()),
            ..DemoOptions::default()
        };
        let options = ServeOptions {
            listen: "127.0.0.1:0".into(),
            mode: ServeMode::Demo(demo),
            ..ServeOptions::default()
        };
        let server = Server::bind(&options).unwrap();
        let address = server.address().to_string();
        server.run(async {}).await.unwrap();
        let text = fs::read_to_string(file.with_file_name("changes.jsonl")).unwrap();
        let events: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let [start, stop] = events.as_slice() else {
            panic!("{text}")
        };
        assert_eq!(
            (&start["message"], &stop["message"]),
            (&json!("gbac started"), &json!("gbac stopped"))
        );
        assert_eq!(
            (&start["type_uid"], &stop["type_uid"]),
            (&json!(600_203), &json!(600_204))
        );
        assert_eq!(
            start["unmapped"]["options"],
            json!({ "demo": true, "listen": address })
        );
    }

    #[test]
    fn only_set_options_are_stated_and_no_secret() {
        let client = OidcClientOptions {
            id: "console".into(),
            secret_file: Some("/etc/secret".into()),
            scope: None,
        };
        let data = DataOptions {
            oidc_client: Some(Box::new(client)),
            ..DataOptions::new("/data".into())
        };
        let options = ServeOptions {
            mode: ServeMode::Data(data),
            admin_password: Some("a password".into()),
            trusted_proxies: vec!["10.0.0.0/8".into()],
            ..ServeOptions::default()
        };
        let expected = json!({ "listen": "127.0.0.1:1", "oidc_client_id": "console", "trusted_proxy": ["10.0.0.0/8"] });
        assert_eq!(
            stated_options(&options, ([127, 0, 0, 1], 1).into()),
            expected
        );
    }
}

//! Opening a service: checking its options, and opening its data with the local account (D-30).

use std::fs::File;
use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gbac_api::address::address;
use gbac_api::license::LicenseStatus;
use gbac_api::paths;
use gbac_api::service::SignIn;
use gbac_engine::policy::Settings;

use super::cluster_acls::{OpenedCluster, cluster_notices, cluster_targets, open_clusters};
use super::error::ServeError;
use super::local_account::LocalAccount;
use super::options::{DataOptions, DemoOptions, OidcClientOptions, ServeMode, ServeOptions};
use crate::client_address::NetworkSlots;
use crate::client_address::TrustedProxies;
use crate::clock::{self, Clock};
use crate::console::Console;
use crate::demo::{self, DemoKey, IdentityProvider};
use crate::http::long_read::LongReads;
use crate::http::policy_copies::PolicyCopies;
use crate::identity::oidc::{Keys, Oidc};
use crate::identity::password::{Password, is_too_short};
use crate::identity::provider_sign_in::{OidcClient, ProviderSignIn};
use crate::identity::relayed_sign_in::RelayedSignIns;
use crate::identity::sign_in::{Admin, Authenticator};
use crate::logging::LogFormat;
use crate::metrics::Metrics;
use crate::private_file::secret_notice;
use crate::routes::app::{App, DemoAccess};
use crate::state::audit::{Audit, AuditFileLimits, AuditLog};
use crate::state::cluster::{ClusterLink, ClusterStorage};
use crate::state::config::Config;
use crate::state::log_levels::LogLevels;
use crate::state::public_endpoint::PublicEndpoint;
use crate::state::service::{Service, SharedParts};
use crate::state::store::{Store, StoreError, catch_panic};
use crate::upstream::Upstream;

/// Opens a service without a port.
///
/// # Errors
/// See [`ServeError`].
pub fn open(options: &ServeOptions) -> Result<App, ServeError> {
    let address = parse_address(&options.listen)?;
    let tls = matches!(&options.mode, ServeMode::Data(data) if data.tls.is_some());
    check(options, address, tls)?;
    open_at(options, address, tls)
}

/// Parses an address and a port; `localhost` is `127.0.0.1`.
pub(super) fn parse_address(text: &str) -> Result<SocketAddr, ServeError> {
    read_address(text).ok_or_else(|| ServeError::Address(text.into()))
}

fn read_address(text: &str) -> Option<SocketAddr> {
    if let Some((name, port)) = text.rsplit_once(':')
        && name.eq_ignore_ascii_case("localhost")
    {
        return Some((Ipv4Addr::LOCALHOST, port.parse().ok()?).into());
    }
    text.parse().ok()
}

/// Rejects invalid options before anything is opened.
pub(super) fn check(
    options: &ServeOptions,
    address: SocketAddr,
    tls: bool,
) -> Result<(), ServeError> {
    match faults(options, address, tls).into_iter().next() {
        Some(fault) => Err(fault),
        None => Ok(()),
    }
}

/// Every fault of the options that shows without opening anything.
pub(super) fn faults(options: &ServeOptions, address: SocketAddr, tls: bool) -> Vec<ServeError> {
    let mut faults = Vec::new();
    if let ServeMode::Data(data) = &options.mode {
        add_data_faults(data, &mut faults);
    }
    faults.extend(check_admin_password(options).err());
    add_fault(options.log.levels(), &mut faults);
    match PublicEndpoint::new(options.endpoint.clone(), address, tls) {
        Ok(endpoint) => {
            let signs_in = matches!(
                &options.mode,
                ServeMode::Data(DataOptions {
                    oidc_client: Some(_),
                    ..
                })
            );
            if signs_in && self::address(&endpoint.url).is_err() {
                faults.push(ServeError::SignInUrl(endpoint.url));
            }
        }
        Err(error) => faults.push(error.into()),
    }
    add_fault(TrustedProxies::parse(&options.trusted_proxies), &mut faults);
    add_fault(Upstream::new(&options.upstream), &mut faults);
    let AuditFileLimits {
        file_bytes,
        total_bytes,
        changes_total_bytes,
        ..
    } = options.audit_files;
    for (total_bytes, option) in [
        (total_bytes, "--audit-total-mib"),
        (changes_total_bytes, "--changes-total-mib"),
    ] {
        if total_bytes > 0 && (file_bytes == 0 || total_bytes < file_bytes) {
            faults.push(ServeError::AuditLimits(option));
        }
    }
    faults
}

/// Checks the password of the local account before anything is created: a folder with data has an
/// account, or the start finds that it has none.
fn check_admin_password(options: &ServeOptions) -> Result<(), ServeError> {
    let given = admin_password(options)?;
    match &options.mode {
        ServeMode::Data(data) if given.is_none() && !Store::is_in(&data.folder) => {
            needed_for_log(options)
        }
        ServeMode::Data(_) | ServeMode::Demo(_) => Ok(()),
    }
}

fn add_fault<T, E: Into<ServeError>>(checked: Result<T, E>, faults: &mut Vec<ServeError>) {
    if let Err(error) = checked {
        faults.push(error.into());
    }
}

fn add_data_faults(data: &DataOptions, faults: &mut Vec<ServeError>) {
    let admin_user = data.admin_user();
    match Settings::check_superuser(admin_user) {
        Err(error) => faults.push(ServeError::AdminUser(error)),
        Ok(()) if admin_user.contains(':') || admin_user.chars().any(char::is_control) => {
            faults.push(ServeError::AdminName(admin_user.to_owned()));
        }
        Ok(()) => {}
    }
    if let Some(url) = &data.oidc_discovery_url
        && let Err(error) = address(url)
    {
        faults.push(ServeError::DiscoveryUrl(error));
    }
    if data.oidc_rules.issuer.as_deref() == Some("") {
        faults.push(ServeError::EmptyIssuer);
    }
    if data.oidc_rules.max_lifetime == Some(0) {
        faults.push(ServeError::ZeroLifetime);
    }
    if let Some(client) = &data.oidc_client {
        faults.extend(oidc_client(client).err());
    }
    add_fault(cluster_targets(data), faults);
    if data.oidc_audience.as_deref() == Some("") {
        faults.push(ServeError::EmptyAudience);
    }
}

/// The password of the local account, if it is given.
fn admin_password(options: &ServeOptions) -> Result<Option<String>, ServeError> {
    let given = match (&options.admin_password, &options.admin_password_file) {
        (Some(_), Some(_)) => return Err(ServeError::TwoPasswords),
        (Some(password), None) if password.is_empty() => return Err(ServeError::EmptyPassword),
        (password, None) => password.clone(),
        (None, Some(file)) => match secret_of(file) {
            Ok(password) => Some(password),
            Err(reason) => {
                let file = file.clone();
                return Err(ServeError::AdminPassword { file, reason });
            }
        },
    };
    match (&options.mode, &given) {
        (ServeMode::Data(_), Some(password)) if is_too_short(password) => {
            Err(ServeError::ShortPassword)
        }
        (ServeMode::Data(_) | ServeMode::Demo(_), _) => Ok(given),
    }
}

/// Refuses to generate a password where it would be shown in a collected log: it is a text for
/// people.
fn needed_for_log(options: &ServeOptions) -> Result<(), ServeError> {
    if options.log.format == LogFormat::Json {
        Err(ServeError::PasswordNeeded)
    } else {
        Ok(())
    }
}

/// The longest secret in bytes.
const MAX_SECRET_BYTES: usize = 4096;

/// The client of the identity provider, with its secret.
fn oidc_client(options: &OidcClientOptions) -> Result<OidcClient, ServeError> {
    if options.id.is_empty() {
        return Err(ServeError::EmptyClientId);
    }
    let scope = options.scope.as_deref().unwrap_or(OPENID);
    if !scope.split(' ').any(|part| part == OPENID) {
        return Err(ServeError::Scope(scope.to_owned()));
    }
    let secret = match &options.secret_file {
        None => None,
        Some(file) => match secret_of(file) {
            Ok(secret) => Some(secret),
            Err(reason) => {
                let file = file.clone();
                return Err(ServeError::ClientSecret { file, reason });
            }
        },
    };
    Ok(OidcClient::new(
        options.id.clone(),
        secret,
        scope.to_owned(),
    ))
}

/// The scope of OpenID Connect.
const OPENID: &str = "openid";

/// The secret that is the only line of a file, or why there is none.
fn secret_of(file: &Path) -> Result<String, String> {
    let text = read_beginning(file).map_err(|error| error.to_string())?;
    let secret = text.trim_end_matches(['\r', '\n']);
    match secret {
        "" => Err("it is empty".to_owned()),
        _ if secret.len() > MAX_SECRET_BYTES => {
            Err(format!("it is longer than {MAX_SECRET_BYTES} bytes"))
        }
        _ if secret.chars().any(char::is_control) => Err("it has more than one line".to_owned()),
        _ => Ok(secret.to_owned()),
    }
}

fn read_beginning(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    // One byte more than is needed, so that a file without an end is too long.
    let limit = MAX_SECRET_BYTES as u64 + 3;
    File::open(file)?.take(limit).read_to_string(&mut text)?;
    Ok(text)
}

impl ServeOptions {
    fn clock(&self) -> Clock {
        self.clock.unwrap_or(clock::system)
    }
}

impl DataOptions {
    fn admin_user(&self) -> &str {
        self.admin_user.as_deref().unwrap_or(demo::ADMIN)
    }

    /// Overrides the configuration with the command line.
    fn pin(&self, config: &mut Config) {
        if let Some(url) = &self.oidc_discovery_url {
            config.oidc_discovery_url.clone_from(url);
            config.pinned.insert("oidc_discovery_url");
        }
        if let Some(audience) = &self.oidc_audience {
            config.oidc_token_audience.clone_from(audience);
            config.pinned.insert("oidc_token_audience");
        }
    }
}

fn pin_license(config: &mut Config, license: Option<LicenseStatus>) {
    if let Some(license) = license {
        config.license = license;
        config.pinned.insert("license");
    }
}

/// The parts that a demo and a service with data have in different ways.
struct Opened {
    store: Store,
    admin: Admin,
    generated_password: Option<String>,
    notices: Vec<String>,
    oidc: Oidc,
    demo: Option<DemoAccess>,
    oidc_client: Option<OidcClient>,
    clusters: Vec<OpenedCluster>,
    audit_log: AuditLog,
}

/// Opens a service with checked options that listens on this address.
pub(super) fn open_at(
    options: &ServeOptions,
    address: SocketAddr,
    tls: bool,
) -> Result<App, ServeError> {
    let opened = match &options.mode {
        ServeMode::Demo(demo) => open_demo(options, demo, address)?,
        ServeMode::Data(data) => open_data(options, data, address)?,
    };
    assemble(options, address, tls, opened)
}

fn assemble(
    options: &ServeOptions,
    address: SocketAddr,
    tls: bool,
    opened: Opened,
) -> Result<App, ServeError> {
    let endpoint = PublicEndpoint::new(options.endpoint.clone(), address, tls)?;
    let upstream = Upstream::new(&options.upstream)?;
    let trusted_proxies = TrustedProxies::parse(&options.trusted_proxies)?;
    let Opened {
        store,
        admin,
        generated_password,
        mut notices,
        oidc,
        demo,
        oidc_client,
        clusters,
        audit_log,
    } = opened;
    notices.extend(exposed_secrets(options));
    let redirect_uri = format!("{}{}", endpoint.url, paths::SIGN_IN_CALLBACK);
    let console = match &options.console {
        Some(folder) => Console::from_folder(folder).map_err(|source| ServeError::Console {
            folder: folder.clone(),
            source,
        })?,
        None => Console::embedded(options.embedded_console),
    };
    let (mut links, mut stores) = (Vec::new(), Vec::new());
    for OpenedCluster { target, store: own } in clusters {
        notices.extend(cluster_notices(&target));
        let storage = ClusterStorage {
            store: own.clone(),
            shared: store.clone(),
            audit_log: audit_log.clone(),
            address,
            clock: options.clock(),
        };
        links.push(ClusterLink::new(target, storage));
        stores.push(own);
    }
    let service = Service::new(SharedParts {
        store,
        audit_log,
        endpoint,
        trusted_proxies,
        address,
        is_demo: demo.is_some(),
        clock: options.clock(),
        metrics: Metrics::new(),
        log_levels: LogLevels::default(),
        clusters: links.clone(),
    });
    let mut other_clusters = Vec::new();
    for (link, own) in std::iter::zip(links, stores).skip(1) {
        other_clusters.push(service.of_cluster(own, link));
    }
    Ok(App {
        authenticator: Authenticator::new(service.clone(), admin, oidc),
        service,
        request_slots: NetworkSlots::new(options.connections.requests_per_address),
        long_reads: LongReads::default(),
        policy_copies: PolicyCopies::default(),
        upstream: Arc::new(upstream),
        relayed_sign_ins: Arc::new(RelayedSignIns::new()?),
        provider_sign_in: match oidc_client {
            Some(client) => Some(Arc::new(ProviderSignIn::new(client, redirect_uri)?)),
            None => None,
        },
        console: Arc::new(console),
        demo: demo.map(Arc::new),
        generated_password: generated_password.map(Into::into),
        notices: notices.into(),
        other_clusters: other_clusters.into(),
    })
}

/// Says so if others can read or change a file with a secret. It may be a link, and of another
/// user: programs that manage secrets write it.
fn exposed_secrets(options: &ServeOptions) -> Vec<String> {
    let mut files: Vec<&Path> = options.admin_password_file.as_deref().into_iter().collect();
    if let ServeMode::Data(data) = &options.mode {
        if let Some(tls) = &data.tls {
            files.push(&tls.key);
        }
        if let Some(client) = &data.oidc_client {
            files.extend(client.secret_file.as_deref());
        }
    }
    files.into_iter().filter_map(secret_notice).collect()
}

/// The audit log of this file; `None` only keeps events in memory.
fn open_audit_log(options: &ServeOptions, file: Option<PathBuf>) -> Result<AuditLog, ServeError> {
    match AuditLog::new(file.clone(), options.audit_files, options.clock()) {
        Ok(log) => Ok(log),
        Err(source) => {
            let file = file.unwrap_or_default();
            Err(ServeError::Audit { file, source })
        }
    }
}

/// A demo: in memory, with a small policy and its own identity provider.
fn open_demo(
    options: &ServeOptions,
    demo: &DemoOptions,
    address: SocketAddr,
) -> Result<Opened, ServeError> {
    let policy = demo::policy()?;
    let (password, sign_in) = match admin_password(options)? {
        Some(password) => (password, None),
        None => {
            let published = SignIn {
                user: demo::ADMIN.into(),
                password: demo::PASSWORD.into(),
            };
            (published.password.clone(), Some(published))
        }
    };
    let key = match &demo.key {
        Some(key) => key.clone(),
        None => DemoKey::new()?,
    };
    let provider = IdentityProvider::new(address, key)?;
    let mut config = Config {
        audit_enabled: true,
        local_account: demo::ADMIN.into(),
        oidc_discovery_url: provider.discovery_url(),
        oidc_token_audience: demo::AUDIENCE.into(),
        ..Config::default()
    };
    config
        .pinned
        .extend(["oidc_discovery_url", "oidc_token_audience"]);
    pin_license(&mut config, options.license);
    let password = Password::new(&password)?;
    Ok(Opened {
        store: Store::memory(policy, config)?.with_history(options.history),
        admin: Admin::new(demo::ADMIN.into(), password),
        generated_password: None,
        notices: Vec::new(),
        oidc: Oidc::with_keys(Keys::fixed(
            provider.issuer().to_owned(),
            provider.key_set().clone(),
            provider.jwks().to_owned(),
        )),
        demo: Some(DemoAccess { sign_in, provider }),
        oidc_client: None,
        clusters: Vec::new(),
        audit_log: open_audit_log(options, demo.audit_file.clone())?,
    })
}

/// A service with durable data, for a remote identity provider.
fn open_data(
    options: &ServeOptions,
    data: &DataOptions,
    address: SocketAddr,
) -> Result<Opened, ServeError> {
    // The database library panics on some damaged files: when it opens, reads, writes or closes
    // them.
    let opened = catch_panic(|| {
        let store = Store::open(&data.folder, |config| {
            data.pin(config);
            pin_license(config, options.license);
        })?
        .with_history(options.history);
        let audit_log = open_audit_log(options, Some(data.folder.join("audit.jsonl")))?;
        let now = options.clock()();
        let audit = Audit::new(&audit_log, store.read().config.audit_enabled, now, address);
        let given = admin_password(options)?;
        if given.is_none() && matches!(store.password(data.admin_user()), Ok(None)) {
            needed_for_log(options)?;
        }
        let account = LocalAccount::open(&store, &audit, data.admin_user(), given.as_deref())?;
        let clusters = open_clusters(data, options.history, &store, &audit)?;
        Ok::<_, ServeError>((store, audit_log, account, clusters))
    });
    let (store, audit_log, account, clusters) =
        opened.unwrap_or_else(|| Err(StoreError::unreadable().into()))?;
    let LocalAccount {
        password,
        generated: generated_password,
        notices,
    } = account;
    Ok(Opened {
        store,
        admin: Admin::new(data.admin_user().to_owned(), password),
        generated_password,
        notices,
        oidc: Oidc::remote(options.clock(), data.oidc_rules.clone()),
        demo: None,
        oidc_client: data.oidc_client.as_deref().map(oidc_client).transpose()?,
        clusters,
        audit_log,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;
    use std::time::Duration;

    use axum::body::{Body, to_bytes};
    use axum::extract::Request;
    use futures_util::FutureExt;
    use gbac_engine::policy::Change;
    use tokio::task::yield_now;
    use tokio::time::timeout;
    use tower::ServiceExt;

    use super::*;
    use crate::identity::oidc::OidcRules;
    use crate::routes::router;
    use crate::state::error::WriteError;
    use crate::state::store::StateChange;

    #[tokio::test]
    async fn a_full_disk_stops_writes_only_and_only_until_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let (store, faults) = Store::with_faults(folder.path(), Duration::ZERO);
        let audit_log = open_audit_log(&ServeOptions::default(), None).unwrap();
        let audit = Audit::new(&audit_log, false, 1.0, ([127, 0, 0, 1], 8420).into());
        let account = LocalAccount::open(&store, &audit, "admin", Some("demo")).unwrap();
        let opened = Opened {
            store: store.clone(),
            admin: Admin::new("admin".into(), account.password),
            generated_password: None,
            notices: Vec::new(),
            oidc: Oidc::remote(clock::system, OidcRules::DEFAULT),
            demo: None,
            oidc_client: None,
            clusters: Vec::new(),
            audit_log,
        };
        let router = router(
            assemble(
                &ServeOptions::default(),
                ([127, 0, 0, 1], 8420).into(),
                false,
                opened,
            )
            .unwrap(),
        );
        let ask = async |method: &str, path: &str, body: &'static str| {
            let request = Request::builder()
                .method(method)
                .uri(path)
                .header("host", "localhost");
            let request = request.header("authorization", "Basic YWRtaW46ZGVtbw==");
            let request = request
                .header("content-type", "application/json")
                .body(Body::from(body))
                .unwrap();
            let response = router.clone().oneshot(request).await.unwrap();
            let status = response.status().as_u16();
            (
                status,
                String::from_utf8_lossy(&to_bytes(response.into_body(), usize::MAX).await.unwrap())
                    .into_owned(),
            )
        };
        let metric = async |name: &str| {
            ask("GET", "/metrics", "")
                .await
                .1
                .contains(&format!("\n{name}\n"))
        };
        assert_eq!(
            ask("POST", "/v1/roles", r#"{"name":"before"}"#).await.0,
            201
        );
        assert!(
            metric("gbac_store_writable 1").await && metric("gbac_store_failures_total 0").await
        );
        faults.room.store(0, Relaxed);
        let (status, refusal) = ask("POST", "/v1/roles", r#"{"name":"refused"}"#).await;
        assert_eq!(status, 503, "{refusal}");
        assert!(
            refusal.contains("the change was not stored: the disk is full"),
            "{refusal}"
        );
        assert_eq!(
            ask("GET", "/readyz", "").await,
            (503, "the store does not accept writes\n".into())
        );
        assert_eq!(ask("GET", "/healthz", "").await.0, 200);
        assert!(
            metric("gbac_store_writable 0").await && metric("gbac_store_failures_total 1").await
        );
        let (status, roles) = ask("GET", "/v1/roles", "").await;
        assert!(
            status == 200 && roles.contains("before") && !roles.contains("refused"),
            "{status} {roles}"
        );
        faults.room.store(u64::MAX, Relaxed);
        let waiting = store.clone();
        tokio::task::spawn_blocking(move || waiting.wait_until_writable())
            .await
            .unwrap();
        assert_eq!(ask("GET", "/readyz", "").await, (200, "ready\n".into()));
        assert!(metric("gbac_store_writable 1").await);
        assert_eq!(ask("POST", "/v1/roles", r#"{"name":"after"}"#).await.0, 201);
        let (_, roles) = ask("GET", "/v1/roles", "").await;
        assert!(
            roles.contains("before") && roles.contains("after") && !roles.contains("refused"),
            "{roles}"
        );
    }

    #[tokio::test]
    async fn a_change_that_fails_after_its_client_has_gone_is_recorded_as_failed() {
        let folder = tempfile::tempdir().unwrap();
        let (store, faults) = Store::with_faults(folder.path(), Duration::ZERO);
        let config = Config {
            audit_enabled: true,
            ..(*store.read().config).clone()
        };
        store
            .change_unrecorded(StateChange::Configure(Vec::new(), config))
            .unwrap();
        let opened = Opened {
            store,
            admin: Admin::new("admin".into(), Password::new("demo").unwrap()),
            generated_password: None,
            notices: Vec::new(),
            oidc: Oidc::remote(clock::system, OidcRules::DEFAULT),
            demo: None,
            oidc_client: None,
            clusters: Vec::new(),
            audit_log: open_audit_log(&ServeOptions::default(), None).unwrap(),
        };
        let app = assemble(
            &ServeOptions::default(),
            ([127, 0, 0, 1], 8420).into(),
            false,
            opened,
        )
        .unwrap();
        faults.room.store(0, Relaxed);
        let create = StateChange::Changes(vec![Change::CreateRole("r".into())]);
        assert!(
            app.service
                .change(|_| Ok::<_, WriteError>((create, ())))
                .now_or_never()
                .is_none(),
            "it is dropped before it ends"
        );
        let failed = r#""message":"not done: gbac created the role r""#;
        let recorded = async {
            while !app
                .service
                .audit_log()
                .recent(9)
                .iter()
                .any(|line| line.contains(failed))
            {
                yield_now().await;
            }
        };
        timeout(Duration::from_secs(60), recorded)
            .await
            .expect("the failure is recorded");
    }

    #[test]
    fn addresses_are_parsed() {
        assert_eq!(
            parse_address("localhost:0").unwrap(),
            ([127, 0, 0, 1], 0).into()
        );
        assert_eq!(parse_address("[::1]:8420").unwrap().port(), 8420);
        for text in [
            "",
            "8420",
            "localhost",
            "localhost:x",
            "example.com:80",
            "127.0.0.1:70000",
            "http://127.0.0.1:1",
        ] {
            assert_eq!(
                parse_address(text).unwrap_err().code(),
                "listen_address",
                "{text}"
            );
        }
    }

    #[test]
    fn the_default_address_is_the_documented_one() {
        assert_eq!(
            parse_address(&ServeOptions::default().listen).unwrap(),
            ([127, 0, 0, 1], 8420).into()
        );
    }
}

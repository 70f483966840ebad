//! Which clusters, as the command line states them: `NAME=kafka://HOST:PORT,HOST:PORT`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use gbac_api::service::ClusterIdentity;
use gbac_cluster::{BrokerAddress, ClientProperties, MAX_PROPERTIES_BYTES};
use gbac_engine::escape::escaped;
use thiserror::Error;

/// The longest name.
const MAX_NAME: usize = 64;
/// The most clusters of a service.
const MAX_CLUSTERS: usize = 64;

/// A cluster and how to reach it.
#[derive(Debug)]
pub(crate) struct ClusterTarget {
    name: String,
    pub(super) properties: ClientProperties,
    /// As whom changes of ACLs are sent.
    pub(crate) identity: ClusterIdentity,
    /// The interval at which its ACLs are read.
    pub(super) interval: Duration,
    /// The file with its properties.
    pub(crate) file: Option<PathBuf>,
    /// What of the file is not used, in sentences.
    pub(crate) notes: Vec<String>,
}

/// Why the options of a cluster cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ClusterOptionError {
    /// The text is not a name with an address.
    #[error("`{}` is not `NAME=kafka://HOST:PORT`", escaped(.0))]
    Form(String),
    /// The name is not valid.
    #[error("`{}` is not a name of a cluster", escaped(.0))]
    Name(String),
    /// An address is not valid.
    #[error("`{}` is not an address of a broker", escaped(.0))]
    Address(String),
    /// Two clusters have names that are equal, or differ only in case.
    #[error("two clusters have the name `{}`", escaped(.0))]
    Duplicate(String),
    /// There are too many clusters.
    #[error("a service has at most {MAX_CLUSTERS} clusters, and {0} are given")]
    TooMany(usize),
    /// The text is not a name with a file.
    #[error("`--cluster-config`: `{}` is not `NAME=FILE`", escaped(.0))]
    ConfigForm(String),
    /// The file is for a cluster that is not given.
    #[error("`--cluster-config` is for the cluster `{}`, which `--cluster` does not name", escaped(.0))]
    ConfigName(String),
    /// The text is not a name with an identity.
    #[error("`--cluster-identity`: `{}` is not `NAME=service` or `NAME=caller`", escaped(.0))]
    IdentityForm(String),
    /// The identity is for a cluster that is not given.
    #[error("`--cluster-identity` is for the cluster `{}`, which `--cluster` does not name", escaped(.0))]
    IdentityName(String),
    /// The listener does not take tokens.
    #[error("`--cluster-identity {0}=caller` sends tokens to a listener that takes none")]
    IdentityMechanism(String),
    /// The file cannot be used.
    #[error("cannot use the properties of the cluster in `{}`: {reason}", escaped(&file.display().to_string()))]
    ConfigFile {
        /// The file.
        file: PathBuf,
        /// Why, without its values.
        reason: String,
    },
}

impl ClusterOptionError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Form(_) | Self::Name(_) | Self::Address(_) => "cluster_option",
            Self::Duplicate(_) => "cluster_duplicate",
            Self::TooMany(_) => "cluster_count",
            Self::ConfigForm(_) | Self::ConfigName(_) => "cluster_config_option",
            Self::ConfigFile { .. } => "cluster_config_file",
            Self::IdentityForm(_) | Self::IdentityName(_) | Self::IdentityMechanism(_) => {
                "cluster_identity_option"
            }
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Form(_) => {
                "name the cluster, such as `--cluster prod=kafka://broker-1:9092,broker-2:9092`"
            }
            Self::Name(_) => {
                "use at most 64 letters, digits, `-`, `_` and, inside of the name, `.`"
            }
            Self::Address(_) => {
                "use a name or an address with a port, such as `broker-1:9092` or `[::1]:9092`"
            }
            Self::Duplicate(_) => {
                "give each cluster a name of its own; names that differ only in case are the same"
            }
            Self::TooMany(_) => "run another `gbac serve` for the others, with a folder of its own",
            Self::ConfigForm(_) => {
                "use the name of the cluster and a file, such as `--cluster-config prod=client.properties`"
            }
            Self::IdentityForm(_) => {
                "`service` sends changes as the account of the service, `caller` as who makes them"
            }
            Self::IdentityMechanism(_) => {
                "set `sasl.mechanism=OAUTHBEARER` in its `--cluster-config`, for a listener with this mechanism"
            }
            Self::IdentityName(_) | Self::ConfigName(_) => {
                "use the name of a `--cluster`, once for each"
            }
            Self::ConfigFile { .. } => {
                "use a file that Kafka's own tools accept with `--command-config`"
            }
        }
    }
}

impl ClusterTarget {
    /// Reads the values of `--cluster`, `--cluster-config` and `--cluster-identity`, in the order of
    /// the first.
    ///
    /// # Errors
    /// The first fault.
    pub(crate) fn parse(
        clusters: &[String],
        configs: &[String],
        identities: &[String],
        interval: Duration,
    ) -> Result<Vec<Self>, ClusterOptionError> {
        let mut targets: Vec<Self> = Vec::new();
        let mut files = parse_configs(configs)?;
        let mut identities = parse_identities(identities)?;
        for cluster in clusters {
            let (name, servers) = parse_cluster(cluster)?;
            let is_same = |known: &Self| known.name.eq_ignore_ascii_case(&name);
            if targets.iter().any(is_same) {
                return Err(ClusterOptionError::Duplicate(name));
            }
            let file = files.remove(&name);
            let (properties, notes) = match &file {
                Some(file) => read_properties(file, servers)?,
                None => (ClientProperties::plain(servers), Vec::new()),
            };
            let identity = identities.remove(&name).unwrap_or_default();
            if identity == ClusterIdentity::Caller && !properties.signs_in_with_tokens() {
                return Err(ClusterOptionError::IdentityMechanism(name));
            }
            targets.push(Self {
                name,
                properties,
                identity,
                interval,
                file,
                notes,
            });
        }
        if let Some((name, _)) = files.pop_first() {
            return Err(ClusterOptionError::ConfigName(name));
        }
        if let Some((name, _)) = identities.pop_first() {
            return Err(ClusterOptionError::IdentityName(name));
        }
        if targets.len() > MAX_CLUSTERS {
            return Err(ClusterOptionError::TooMany(targets.len()));
        }
        Ok(targets)
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// The files of the values of `--cluster-config` by the name of their cluster.
fn parse_configs(configs: &[String]) -> Result<BTreeMap<String, PathBuf>, ClusterOptionError> {
    let mut files = BTreeMap::new();
    for config in configs {
        let Some((name, path)) = config.split_once('=').filter(|(_, path)| !path.is_empty()) else {
            return Err(ClusterOptionError::ConfigForm(config.clone()));
        };
        if files.insert(name.to_owned(), path.into()).is_some() {
            return Err(ClusterOptionError::ConfigName(name.to_owned()));
        }
    }
    Ok(files)
}

/// The values of `--cluster-identity` by the name of their cluster.
fn parse_identities(
    identities: &[String],
) -> Result<BTreeMap<String, ClusterIdentity>, ClusterOptionError> {
    let mut parsed = BTreeMap::new();
    for text in identities {
        let (name, identity) = match text.split_once('=') {
            Some((name, "service")) => (name, ClusterIdentity::Service),
            Some((name, "caller")) => (name, ClusterIdentity::Caller),
            Some(_) | None => return Err(ClusterOptionError::IdentityForm(text.clone())),
        };
        if parsed.insert(name.to_owned(), identity).is_some() {
            return Err(ClusterOptionError::IdentityName(name.to_owned()));
        }
    }
    Ok(parsed)
}

fn parse_cluster(text: &str) -> Result<(String, Vec<BrokerAddress>), ClusterOptionError> {
    let Some((name, url)) = text.split_once('=') else {
        return Err(ClusterOptionError::Form(text.to_owned()));
    };
    let Some(addresses) = url.strip_prefix("kafka://") else {
        return Err(ClusterOptionError::Form(text.to_owned()));
    };
    if !is_name(name) {
        return Err(ClusterOptionError::Name(name.to_owned()));
    }
    let mut servers = Vec::new();
    for address in addresses.split(',') {
        match BrokerAddress::parse(address) {
            Some(server) if !address.contains("://") => servers.push(server),
            Some(_) | None => return Err(ClusterOptionError::Address(address.to_owned())),
        }
    }
    Ok((name.to_owned(), servers))
}

/// Whether a text can be the name of a cluster, which is also that of its folder, and a part of
/// paths.
fn is_name(name: &str) -> bool {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let has_dot_outside = name.starts_with('.') || name.ends_with('.');
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_valid) && !has_dot_outside
}

/// The properties in a file, of a client of these brokers, and what of them is not used.
fn read_properties(
    file: &Path,
    servers: Vec<BrokerAddress>,
) -> Result<(ClientProperties, Vec<String>), ClusterOptionError> {
    let refused = |reason: String| ClusterOptionError::ConfigFile {
        file: file.to_owned(),
        reason,
    };
    let text = read_text(file).map_err(|error| refused(error.to_string()))?;
    let (mut properties, notes) =
        ClientProperties::parse(&text).map_err(|error| refused(error.to_string()))?;
    properties.servers = servers;
    let mut unused = Vec::with_capacity(notes.len());
    for note in notes {
        unused.push(format!("{}: {note}", escaped(&file.display().to_string())));
    }
    Ok((properties, unused))
}

fn read_text(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    // One byte more than is accepted, so that a file without an end is too long.
    let limit = MAX_PROPERTIES_BYTES as u64 + 1;
    File::open(file)?.take(limit).read_to_string(&mut text)?;
    if text.len() > MAX_PROPERTIES_BYTES {
        return Err(io::Error::other("it is too long"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(
        clusters: &[&str],
        configs: &[&str],
    ) -> Result<Vec<ClusterTarget>, ClusterOptionError> {
        let texts =
            |texts: &[&str]| -> Vec<String> { texts.iter().map(ToString::to_string).collect() };
        ClusterTarget::parse(
            &texts(clusters),
            &texts(configs),
            &[],
            Duration::from_secs(5),
        )
    }

    fn servers(target: &ClusterTarget) -> String {
        let servers = &target.properties.servers;
        let texts: Vec<String> = servers.iter().map(ToString::to_string).collect();
        texts.join(",")
    }

    #[test]
    fn a_cluster_has_a_name_and_brokers() {
        let targets = parse(
            &["prod=kafka://b-1:9092,[::1]:9093", "dev.eu=kafka://b-2:1"],
            &[],
        )
        .unwrap();
        let texts: Vec<_> = targets
            .iter()
            .map(|target| (target.name(), servers(target)))
            .collect();
        assert_eq!(
            texts,
            [
                ("prod", "b-1:9092,[::1]:9093".to_owned()),
                ("dev.eu", "b-2:1".to_owned())
            ]
        );
        assert!(parse(&[], &[]).unwrap().is_empty());
    }

    #[test]
    fn the_account_is_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("client.properties");
        std::fs::write(&file, "bootstrap.servers=other:1\nacks=all\n").unwrap();
        let config = format!("prod={}", file.display());
        let targets = parse(
            &["dev=kafka://b-2:9092", "prod=kafka://b-1:9092"],
            &[&config],
        )
        .unwrap();
        let files: Vec<bool> = targets.iter().map(|target| target.file.is_some()).collect();
        assert_eq!(files, [false, true]);
        assert_eq!(servers(&targets[1]), "b-1:9092");
        assert_eq!(targets[1].notes.len(), 1, "{:?}", targets[1].notes);
        std::fs::write(&file, "security.protocol=NO\n").unwrap();
        let error = parse(&["prod=kafka://b-1:9092"], &[&config]).unwrap_err();
        assert_eq!(error.code(), "cluster_config_file");
        assert!(error.to_string().contains("security.protocol"), "{error}");
    }

    #[test]
    fn faults_say_what_is_wrong() {
        for (clusters, configs, code) in [
            (&["prod"][..], &[][..], "cluster_option"),
            (&["prod=b:1"], &[], "cluster_option"),
            (&["a b=kafka://b:1"], &[], "cluster_option"),
            (&["prod=kafka://"], &[], "cluster_option"),
            (&["prod=kafka://SASL_SSL://b:1"], &[], "cluster_option"),
            (&["..=kafka://b:1"], &[], "cluster_option"),
            (
                &["a=kafka://b:1", "A=kafka://c:1"],
                &[],
                "cluster_duplicate",
            ),
            (&["a=kafka://b:1"], &["a"], "cluster_config_option"),
            (&["a=kafka://b:1"], &["b=file"], "cluster_config_option"),
            (&["a=kafka://b:1"], &["a=/no/file"], "cluster_config_file"),
            (&["a=kafka://b:1"], &["a=x", "a=y"], "cluster_config_option"),
        ] {
            let error = parse(clusters, configs).unwrap_err();
            assert_eq!(error.code(), code, "{error}; {}", error.hint());
        }
        let many: Vec<String> = (0..=MAX_CLUSTERS)
            .map(|n| format!("c{n}=kafka://b:1"))
            .collect();
        let error = ClusterTarget::parse(&many, &[], &[], Duration::ZERO).unwrap_err();
        assert_eq!(error.code(), "cluster_count");
    }

    #[test]
    fn changes_are_sent_as_the_caller_only_where_the_listener_takes_tokens() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("client.properties");
        let config = [format!("a={}", file.display())];
        let clusters = ["a=kafka://b:1".to_owned()];
        let parse = |identity: &str| {
            ClusterTarget::parse(&clusters, &config, &[identity.into()], Duration::ZERO)
        };
        let bearer = "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=OAUTHBEARER\n";
        std::fs::write(&file, bearer).unwrap();
        let targets = parse("a=caller").unwrap();
        assert_eq!(targets[0].identity, ClusterIdentity::Caller);
        for wrong in ["a", "a=me", "b=caller"] {
            assert_eq!(parse(wrong).unwrap_err().code(), "cluster_identity_option");
        }
        std::fs::write(&file, "").unwrap();
        let error = parse("a=caller").unwrap_err();
        assert!(error.to_string().contains("takes none"), "{error}");
        assert_eq!(
            parse("a=service").unwrap()[0].identity,
            ClusterIdentity::Service
        );
    }
}

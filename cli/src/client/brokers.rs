//! A Kafka cluster in place of a service: its brokers, and the policy that its ACLs are.

use std::path::{Path, PathBuf};

use clap::Args;
use gbac_analysis::brokers::{BrokerSetting, BrokerSettings, SettingValue};
use gbac_api::service::GroupAclMatching;
use gbac_cluster::{
    AclOutcome, BrokerAddress, ClientProperties, KafkaCluster, KafkaError, RawAcl, StoredAcls,
    read_properties,
};
use gbac_engine::model::{Acl, Dialect, PrincipalType, Role, RoleSpelling};
use gbac_engine::policy::{Change, Policy, Settings, StatedSettings};
use gbac_words::commands::cluster as words;
use gbac_words::{acl, settings_effect};
use tokio::runtime::Runtime;

use super::saved_profiles;
use crate::input;
use crate::output::{self, Failure, plain, sentence};
use crate::process::Process;
use crate::progress::Waiting;

/// A Kafka cluster in place of a service.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct BrokerArgs {
    /// Brokers of a Kafka cluster, instead of a service: HOST:PORT, comma-separated.
    #[arg(
        long,
        global = true,
        value_name = "HOST:PORT",
        help_heading = "Kafka cluster"
    )]
    pub(crate) bootstrap_servers: Option<String>,
    /// Client properties of Kafka for --bootstrap-servers: TLS, and the account to sign in with.
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        requires = "bootstrap_servers",
        help_heading = "Kafka cluster"
    )]
    pub(crate) command_config: Option<PathBuf>,
    /// Policy document with the members of roles, which a Kafka cluster does not have.
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        help_heading = "Kafka cluster"
    )]
    pub(crate) role_file: Option<PathBuf>,
    /// Properties file of a broker, such as server.properties, with the values that brokers hide:
    /// super.users and allow.everyone.if.no.acl.found decide access besides ACLs.
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        help_heading = "Kafka cluster"
    )]
    pub(crate) broker_properties: Option<PathBuf>,
}

/// Where a Kafka cluster is, and how to sign in.
#[derive(Debug, Clone)]
pub(crate) struct Brokers {
    /// The brokers as they were written.
    servers: String,
    command_config: Option<PathBuf>,
    role_file: Option<PathBuf>,
    broker_properties: Option<PathBuf>,
}

/// The Kafka cluster of the flags, or of the profile; `None` if they name a service.
pub(crate) fn selected(
    process: &Process,
    args: &BrokerArgs,
    url: Option<&str>,
    profile: Option<&str>,
) -> Result<Option<Brokers>, Failure> {
    let (role_file, broker_properties) = (args.role_file.clone(), args.broker_properties.clone());
    if let Some(servers) = &args.bootstrap_servers {
        if url.is_some() || profile.is_some() {
            return Err(Failure::usage(words::ONE_TARGET));
        }
        return Ok(Some(Brokers {
            servers: servers.clone(),
            command_config: args.command_config.clone(),
            role_file,
            broker_properties,
        }));
    }
    let is_service = url.is_some() || (profile.is_none() && process.variable("GBAC_URL").is_some());
    let found = match is_service {
        true => None,
        false => saved_profiles::selected(process, profile)?,
    };
    let brokers = found.and_then(|found| Some((found.bootstrap_servers?, found.command_config)));
    match brokers {
        Some((servers, command_config)) => Ok(Some(Brokers {
            servers,
            command_config,
            role_file,
            broker_properties,
        })),
        None if role_file.is_some() => Err(Failure::usage(words::ROLES_OF_SERVICE)),
        None if broker_properties.is_some() => Err(Failure::usage(words::PROPERTIES_OF_SERVICE)),
        None => Ok(None),
    }
}

/// Parses a list of brokers.
pub(crate) fn parse_servers(text: &str) -> Result<Vec<BrokerAddress>, Failure> {
    let mut servers = Vec::new();
    for server in text.split(',') {
        match BrokerAddress::parse(server.trim()) {
            Some(address) => servers.push(address),
            None => return Err(Failure::usage(words::invalid_server(&plain(server)))),
        }
    }
    Ok(servers)
}

/// A connection to a Kafka cluster.
pub(crate) struct Cluster {
    name: String,
    kafka: KafkaCluster,
    runtime: Runtime,
    role_file: Option<PathBuf>,
    broker_properties: Option<PathBuf>,
}

/// The ACLs of a cluster, and the policy that they are.
pub(crate) struct ClusterPolicy {
    pub(crate) policy: Policy,
    pub(crate) stored: StoredAcls,
    /// The ACLs that are not in the policy, because this version does not know what they say.
    pub(crate) unknown: Vec<String>,
    /// What decides besides ACLs.
    pub(crate) settings: BrokerSettings,
}

impl ClusterPolicy {
    /// Warns of ACLs that a verdict does not count.
    pub(crate) fn warn_of_unknown(&self, process: &Process) {
        if !self.unknown.is_empty() {
            output::problem(process, &words::unknown_acls(&self.unknown));
        }
    }

    /// Says what decides besides ACLs, and what of it is not known.
    pub(crate) fn note_settings(&self, process: &Process) {
        if let Some(stated) = settings_effect::stated(&self.settings) {
            output::note(process, &format!("note: {}", sentence(&stated)));
        }
        let hidden = settings_effect::hidden(&self.settings);
        for note in hidden
            .into_iter()
            .chain(settings_effect::unknown(&self.settings))
        {
            output::note(
                process,
                &format!("note: {note}; {}", words::PASS_PROPERTIES),
            );
        }
    }
}

fn failed(error: &KafkaError) -> Failure {
    Failure::new(error.code(), error.to_string())
}

impl Cluster {
    /// Connects and signs in.
    pub(crate) fn open(process: &Process, brokers: &Brokers) -> Result<Self, Failure> {
        let servers = parse_servers(&brokers.servers)?;
        let properties = match &brokers.command_config {
            Some(path) => client_properties(process, path, servers)?,
            None => ClientProperties::plain(servers),
        };
        // An error means that the same provider is already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::io("the runtime", &error))?;
        let kafka = runtime
            .block_on(KafkaCluster::connect(properties))
            .map_err(|error| failed(&error))?;
        Ok(Self {
            name: brokers.servers.clone(),
            kafka,
            runtime,
            role_file: brokers.role_file.clone(),
            broker_properties: brokers.broker_properties.clone(),
        })
    }

    /// The brokers, as they were written.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The ACLs.
    pub(crate) fn acls(&mut self, process: &Process) -> Result<StoredAcls, Failure> {
        let _waiting = Waiting::for_operation(process, words::READING.into());
        let Self { kafka, runtime, .. } = self;
        runtime
            .block_on(kafka.acls())
            .map_err(|error| failed(&error))
    }

    /// An ACL as this cluster has it; `None` if Kafka does not know its resource.
    pub(crate) fn raw(&self, acl: &Acl) -> Option<RawAcl> {
        self.kafka.raw(acl)
    }

    /// The prefix of role principals in this cluster.
    pub(crate) const fn roles(&self) -> RoleSpelling {
        self.kafka.roles()
    }

    /// Creates ACLs; returns what became of each.
    pub(crate) fn create(&mut self, acls: &[RawAcl]) -> Vec<AclOutcome> {
        let Self { kafka, runtime, .. } = self;
        runtime.block_on(kafka.create(acls))
    }

    /// Deletes ACLs; returns what became of each.
    pub(crate) fn delete(&mut self, acls: &[RawAcl]) -> Vec<AclOutcome> {
        let Self { kafka, runtime, .. } = self;
        runtime.block_on(kafka.delete(acls))
    }

    /// The policy that the ACLs are, and what a decision about it does not know.
    pub(crate) fn policy(&mut self, process: &Process) -> Result<ClusterPolicy, Failure> {
        let stored = self.acls(process)?;
        let mut policy = Policy::new(Settings {
            dialect: Dialect::Kafka,
            stated: StatedSettings {
                dialect: true,
                ..StatedSettings::NONE
            },
            ..Settings::default()
        });
        let mut unknown: Vec<String> = stored.unknown.iter().map(RawAcl::to_string).collect();
        for acl in &stored.known {
            if let Err(error) = policy.apply(Change::AddAcl(acl.clone())) {
                unknown.push(format!("{}: {error}", sentence(&acl::sentence(acl))));
            }
        }
        self.add_roles(process, &mut policy)?;
        let Self { kafka, runtime, .. } = self;
        let (matching, settings) = runtime.block_on(kafka.rules());
        note_groups(process, &policy, matching);
        Ok(ClusterPolicy {
            policy,
            stored,
            unknown,
            settings: self.with_properties(process, settings)?,
        })
    }

    /// The settings that the brokers show, with those of the file.
    fn with_properties(
        &self,
        process: &Process,
        mut settings: BrokerSettings,
    ) -> Result<BrokerSettings, Failure> {
        let Some(path) = &self.broker_properties else {
            return Ok(settings);
        };
        let file = plain(&path.display().to_string());
        let failed = |message: String| {
            Failure::new("broker_properties_invalid", format!("{file}: {message}"))
        };
        let text = input::secret(process, path)?;
        let properties = read_properties(&text).map_err(|error| failed(error.to_string()))?;
        for setting in BrokerSetting::ALL {
            if let Some(value) = properties.get(setting.name()) {
                let stated = settings.state(setting, value);
                stated.map_err(|error| failed(error.to_string()))?;
            } else if *settings.value(setting) == SettingValue::Unknown {
                settings.set_default(setting);
            }
        }
        Ok(settings)
    }

    /// The roles of the file; of the platform if there is no file.
    fn known_roles(&mut self, process: &Process) -> Result<Vec<Role>, Failure> {
        if let Some(path) = &self.role_file {
            return Ok(input::policy(process, path)?.roles().collect());
        }
        let Self { kafka, runtime, .. } = self;
        let roles = runtime.block_on(kafka.platform_roles());
        Ok(roles.map_err(|error| failed(&error))?.unwrap_or_default())
    }

    /// Adds the roles, and says which roles have no known members.
    fn add_roles(&mut self, process: &Process, policy: &mut Policy) -> Result<(), Failure> {
        for role in self.known_roles(process)? {
            let mut changes = vec![Change::CreateRole(role.name.clone())];
            for member in role.members {
                changes.push(Change::AddMember {
                    role: role.name.clone(),
                    member,
                });
            }
            for change in changes {
                policy
                    .apply(change)
                    .map_err(|error| Failure::new(error.code(), error.to_string()))?;
            }
        }
        let mut without_members = 0;
        for acl in policy.acls() {
            let of_role = acl.principal.kind() == PrincipalType::Role;
            without_members += usize::from(of_role && !policy.has_role(acl.principal.name()));
        }
        if without_members > 0 {
            let source = match self.role_file {
                Some(_) => Some("the document of --role-file"),
                None if self.kafka.is_platform() => Some("the platform"),
                None => None,
            };
            let note = words::roles_without_members(without_members, source);
            output::note(process, &format!("note: {note}"));
        }
        Ok(())
    }
}

/// Says whether ACLs of groups and roles count in the cluster.
fn note_groups(process: &Process, policy: &Policy, matching: GroupAclMatching) {
    let mut number = 0;
    for acl in policy.acls() {
        let kind = acl.principal.kind();
        number += usize::from(matches!(kind, PrincipalType::Group | PrincipalType::Role));
    }
    if number > 0 {
        let note = words::group_acls(number, matching);
        output::note(process, &format!("note: {note}"));
    }
}

/// Reads client properties; the brokers of the flag take precedence.
fn client_properties(
    process: &Process,
    path: &Path,
    servers: Vec<BrokerAddress>,
) -> Result<ClientProperties, Failure> {
    let file = plain(&path.display().to_string());
    let text = input::secret(process, path)?;
    let (mut properties, notes) = ClientProperties::parse(&text)
        .map_err(|error| Failure::new(error.code(), format!("{file}: {error}")))?;
    for note in notes {
        output::note(process, &format!("note: {file}: {note}"));
    }
    properties.servers = servers;
    Ok(properties)
}

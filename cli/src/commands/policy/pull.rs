//! `gbac policy pull`: a policy document from a running service or platform, with its documented
//! calls (specification 4).

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use gbac_api::clusters::GetCluster;
use gbac_api::paging::Page;
use gbac_api::paths;
use gbac_api::roles::{ListMembers, ListRoles, Member, MemberQuery, RoleQuery};
use gbac_api::service::ServiceInfo;
use gbac_api::target::{TargetApi, TargetReport};
use gbac_engine::model::Dialect;
use gbac_engine::policy::{Policy, Settings};
use gbac_formats::import::UnreadEntry;
use gbac_json::{policy_to_text, settings_from_value};
use gbac_words::commands::{cluster, policy as words};
use serde_json::{Map, Value, json};

use super::import::Imported;
use crate::client::brokers::{self, BrokerArgs, Brokers, Cluster};
use crate::client::connection::ConnectArgs;
use crate::client::{CallError, Client, HeldBytes, platform};
use crate::output::{Failure, Format, plain};
use crate::process::Process;
use crate::progress::Progress;

#[derive(Debug, Args)]
pub(crate) struct PullArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(flatten)]
    brokers: BrokerArgs,
    /// URL of the Admin API, if it differs from the URL of the Data Plane API.
    #[arg(long, value_name = "URL")]
    admin_url: Option<String>,
    /// Cluster ID. With it, --url is the Control Plane API, which returns the URL of the Data Plane
    /// API.
    #[arg(long, value_name = "ID")]
    cluster_id: Option<String>,
    /// Omit the settings; managed clouds have no cluster properties.
    #[arg(long, conflicts_with = "admin_url")]
    no_settings: bool,
    /// Write the document to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Skip entries that cannot be read, write the rest, and exit with 0.
    #[arg(long)]
    skip_unreadable: bool,
}

/// The cluster properties that a policy document contains.
pub(crate) const PROPERTIES: [&str; 4] = [
    "oidc_group_claim_path",
    "nested_group_behavior",
    "oidc_principal_mapping",
    "superusers",
];

pub(super) fn run(process: &Process, args: &PullArgs, format: Format) -> Result<bool, Failure> {
    let (url, profile) = (args.connect.url.as_deref(), args.connect.profile.as_deref());
    if let Some(brokers) = brokers::selected(process, &args.brokers, url, profile)? {
        return pull_cluster(process, &brokers, args, format);
    }
    let mut client = Client::open(process, &args.connect)?;
    if let Some(id) = &args.cluster_id {
        let cluster: GetCluster = client.get(&paths::cluster(id))?;
        client = client.with_url(words::DATAPLANE_API, cluster.cluster.dataplane_api.url())?;
    }
    // Before everything else, so that a list is not read in vain.
    client = check(process, client, args)?;
    let (mut imported, mut held) = (Imported::default(), HeldBytes::default());
    if args.cluster_id.is_none()
        && args.admin_url.is_none()
        && let Some(policy) = policy_of_kafka(&client)?
    {
        let text = as_pulled(&policy_to_text(&policy), args.no_settings);
        let read = imported.import.read(&text, None);
        imported.reads.push((paths::POLICY.to_owned(), read));
        let out = args.out.as_deref();
        return imported.finish(process, out, args.skip_unreadable, format);
    }
    read(&mut imported, &client, &mut held, paths::ACLS)?;
    let names = role_names(&client, &mut held)?;
    let mut progress = Progress::new(process, names.len(), "role");
    for name in &names {
        let members = members(&client, &mut held, name)?;
        let text = json!({ "role_name": name, "members": members }).to_string();
        let read = imported.import.read(&text, None);
        // Skipped otherwise, because a line for each of thousands of valid roles would hide the
        // notes.
        if !read.unread.is_empty() {
            imported.reads.push((format!("role {}", plain(name)), read));
        }
        progress.step();
    }
    if !args.no_settings {
        let admin = match &args.admin_url {
            Some(url) => client.with_url("--admin-url", url)?,
            None => client,
        };
        imported.import.set_settings(read_settings(&admin)?);
    }
    imported.finish(process, args.out.as_deref(), args.skip_unreadable, format)
}

/// The policy of a Kafka cluster: its ACLs, and the roles of the file.
fn pull_cluster(
    process: &Process,
    brokers: &Brokers,
    args: &PullArgs,
    format: Format,
) -> Result<bool, Failure> {
    if args.admin_url.is_some() || args.cluster_id.is_some() {
        return Err(Failure::usage(cluster::NO_ADMIN_API));
    }
    let mut cluster = Cluster::open(process, brokers)?;
    let of_cluster = cluster.policy(process)?;
    of_cluster.note_settings(process);
    let mut imported = Imported::default();
    let mut read = imported.import.read_policy(&of_cluster.policy);
    for message in of_cluster.unknown {
        read.unread.push(UnreadEntry {
            place: String::new(),
            code: "acl_unknown",
            message,
        });
    }
    imported.reads.push((cluster.name().to_owned(), read));
    imported.finish(process, args.out.as_deref(), args.skip_unreadable, format)
}

/// The policy of a service of this project in the dialect of Kafka: the documented calls of the
/// platform cannot say all of it, such as ranges of hosts.
fn policy_of_kafka(client: &Client) -> Result<Option<Policy>, Failure> {
    if client.get::<ServiceInfo>(paths::SERVICE).is_err() {
        return Ok(None);
    }
    let (policy, _) = client.policy()?;
    Ok((policy.settings().dialect == Dialect::Kafka).then_some(policy))
}

/// A document without the access to its service, or with settings that say only what it is for.
fn as_pulled(document: &str, is_without_settings: bool) -> String {
    let mut value: Value = serde_json::from_str(document).unwrap_or_default();
    if let Some(settings) = value["settings"].as_object_mut() {
        settings.retain(|name, _| match is_without_settings {
            true => matches!(name.as_str(), "dialect" | "kafka_version"),
            false => name != "access",
        });
    }
    value.to_string()
}

/// Finds out what there is, and says what is missing.
fn check(process: &Process, mut client: Client, args: &PullArgs) -> Result<Client, Failure> {
    let mut report = TargetReport::default();
    platform::require_data_plane(&client, &mut report)?;
    if !args.no_settings {
        let url = client.url().to_owned();
        if let Some(admin) = &args.admin_url {
            client = client.with_url("--admin-url", admin)?;
        }
        platform::discover(&client, TargetApi::Admin, &mut report)?;
        if report.is_without_admin() {
            let message = format!(
                "there is no Admin API at `{}`, which has the settings; pass its URL with --admin-url, or --no-settings",
                client.url()
            );
            return Err(Failure::new("no_admin_api", message));
        }
        client = client.with_url("the Data Plane API", &url)?;
    }
    platform::note_gaps(process, &report);
    Ok(client)
}

fn read(
    imported: &mut Imported,
    client: &Client,
    held: &mut HeldBytes,
    path: &str,
) -> Result<(), Failure> {
    let value: Value = client.get_within(held, path)?;
    let read = imported.import.read(&value.to_string(), None);
    imported.reads.push((path.to_owned(), read));
    Ok(())
}

/// Reads every page of 1000 entries, which together are limited.
fn pages<T>(
    mut page: impl FnMut(Page) -> Result<(Vec<T>, String), CallError>,
) -> Result<Vec<T>, CallError> {
    let (mut all, mut token) = (Vec::new(), String::new());
    loop {
        let (entries, next) = page(Page {
            size: Some(1000),
            token: token.clone(),
        })?;
        all.extend(entries);
        // A repeated page token would loop forever.
        if next.is_empty() || next == token {
            return Ok(all);
        }
        token = next;
    }
}

fn role_names(client: &Client, held: &mut HeldBytes) -> Result<Vec<String>, CallError> {
    pages(|page| {
        let query = RoleQuery {
            page,
            ..RoleQuery::default()
        };
        let listed: ListRoles = client.get_within(held, &paths::roles(&query))?;
        let names = listed.roles.into_iter().map(|role| role.name).collect();
        Ok((names, listed.next_page_token))
    })
}

fn members(client: &Client, held: &mut HeldBytes, role: &str) -> Result<Vec<Member>, CallError> {
    pages(|page| {
        let query = MemberQuery {
            page,
            ..MemberQuery::default()
        };
        let listed: ListMembers = client.get_within(held, &paths::role_members(role, &query))?;
        Ok((listed.members, listed.next_page_token))
    })
}

/// The settings, from the cluster properties; a property that the service does not have keeps its
/// default.
pub(crate) fn read_settings(client: &Client) -> Result<Settings, Failure> {
    let values: BTreeMap<String, Value> = client.get(paths::CLUSTER_CONFIG)?;
    let mut settings = Map::new();
    for (name, value) in values {
        if PROPERTIES.contains(&name.as_str()) && !value.is_null() {
            settings.insert(name, value);
        }
    }
    settings_from_value(&settings.into())
        .map_err(|problems| Failure::problems(paths::CLUSTER_CONFIG, problems))
}

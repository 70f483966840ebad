//! `gbac watch`: changes of the policy and denied decisions of a running service, as they happen.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use clap::Args;
use gbac_analysis::{Diff, Difference, diff};
use gbac_api::audit::{AuditEvents, AuditQuery, MAX_EVENTS};
use gbac_api::paths;
use gbac_engine::model::{Principal, PrincipalType, ResourceType};
use gbac_engine::policy::{Change, Policy};
use gbac_formats::script::changes_between;
use gbac_json::{ChangeJson, DiffJson};
use gbac_words::audit_event::{AuditEvent, EventKind};
use gbac_words::commands::service;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::args::question::{ResourceArgs, Resources};
use crate::client::connection::ConnectArgs;
use crate::client::{CallError, Client};
use crate::input;
use crate::output::{self, BAD, Failure, Format, paint, sentence};
use crate::process::Process;
use crate::render::{gains_and_losses, verdicts};

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    /// Show only what concerns this principal: User:NAME, Group:NAME or Role:NAME; without a type,
    /// a user.
    #[arg(long, value_name = "PRINCIPAL")]
    principal: Option<String>,
    #[command(flatten)]
    resources: ResourceArgs,
}

/// An event of `gbac watch`.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum WatchEvent<'a> {
    /// The policy changed.
    PolicyChanged {
        /// The state before.
        state_before: &'a str,
        /// The state after.
        policy_state: &'a str,
        /// The changes.
        changes: Vec<ChangeJson>,
        /// The difference of effective access.
        effect: Box<DiffJson>,
    },
    /// The service denied a request.
    Denied {
        /// When, as a date and time.
        time: String,
        /// The bare user name.
        user: &'a str,
        /// The group that decided.
        groups: &'a [String],
        /// The operation or the request.
        operation: &'a str,
        /// The resource's type; empty if the decision was not about one.
        resource_type: &'a str,
        /// The resource's name; empty if the decision was not about one.
        resource_name: &'a str,
        /// The client's address; empty if it is unknown.
        from: &'a str,
        /// The number of requests that the event stands for.
        times: usize,
        /// The reason, if no ACL decided.
        reason: &'a str,
        /// The ACL that decided; null if there is none.
        acl: Option<WatchedAcl<'a>>,
    },
}

/// An ACL in the words of the audit log.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct WatchedAcl<'a> {
    /// The principal; null if it is unknown.
    principal: Option<String>,
    /// `allow` or `deny`.
    permission: &'a str,
    /// The operation.
    operation: &'a str,
    /// The resource's type.
    resource_type: &'a str,
    /// The name or prefix.
    resource_name: &'a str,
    /// `literal` or `prefixed`.
    pattern: &'a str,
}

/// Interval between two looks at the service.
const INTERVAL: Duration = Duration::from_secs(2);

pub(crate) fn run(process: &Process, args: &WatchArgs, format: Format) -> Result<u8, Failure> {
    let filter = Filter::from_args(args)?;
    let client = Client::open(process, &args.connect)?;
    client.catch_interrupts();
    match watch(process, &client, &filter, format) {
        Err(End::Interrupted) => Ok(output::SUCCESS),
        Err(End::Failed(failure)) => Err(failure),
        Ok(never) => match never {},
    }
}

/// Why watching ends.
enum End {
    Interrupted,
    Failed(Failure),
}

impl From<CallError> for End {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Interrupted => Self::Interrupted,
            error => Self::Failed(error.into()),
        }
    }
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// A state that a service is in.
struct KnownState {
    policy: Policy,
    tag: String,
    /// The events of the last look, and how often each is there.
    events: HashMap<String, usize>,
    has_audit: bool,
    /// Whether the service records decisions, as far as is known.
    is_audited: bool,
}

fn watch(
    process: &Process,
    client: &Client,
    filter: &Filter,
    format: Format,
) -> Result<std::convert::Infallible, End> {
    let (policy, tag) = client.policy()?;
    let mut known = KnownState {
        policy,
        tag,
        events: HashMap::new(),
        has_audit: true,
        is_audited: true,
    };
    // Only later events are news.
    new_events(client, &mut known)?;
    known.is_audited = is_audited(client)?.unwrap_or(true);
    let state = known.tag.trim_matches('"');
    let watching = service::watching(client.url(), state, known.has_audit);
    output::note(process, &sentence(&watching));
    report_missing_audit(process, &known);
    let mut is_away = false;
    loop {
        client.pause(INTERVAL)?;
        match look(process, client, &mut known, filter, format) {
            Ok(()) if is_away => {
                is_away = false;
                output::note(process, service::RESPONDS_AGAIN);
            }
            Ok(()) => {}
            Err(Look::Call(error @ (CallError::Unreachable(..) | CallError::Timeout(..)))) => {
                if !is_away {
                    output::problem(process, &service::trying_again(&error.message()));
                }
                is_away = true;
            }
            Err(Look::Call(error)) => return Err(error.into()),
            Err(Look::Output(failure)) => return Err(failure.into()),
        }
    }
}

/// Why a look failed.
enum Look {
    Call(CallError),
    Output(Failure),
}

impl From<CallError> for Look {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

/// Prints what is new.
fn look(
    process: &Process,
    client: &Client,
    known: &mut KnownState,
    filter: &Filter,
    format: Format,
) -> Result<(), Look> {
    if let Some((policy, tag)) = client.policy_after(&known.tag)? {
        let before = std::mem::replace(&mut known.policy, policy);
        let earlier = std::mem::replace(&mut known.tag, tag);
        let change = PolicyChange::between(&before, &known.policy, filter);
        if !change.is_empty() {
            let states = [earlier.trim_matches('"'), known.tag.trim_matches('"')];
            match format {
                Format::Text => output::text(process, &change.render(process, states)),
                Format::Json | Format::Yaml => write_value(process, format, &change.value(states)),
            }
            .map_err(Look::Output)?;
        }
    }
    if known.has_audit {
        if let Some(is_audited) = is_audited(client)?
            && std::mem::replace(&mut known.is_audited, is_audited) != is_audited
        {
            let switched = match is_audited {
                true => service::AUDIT_ON,
                false => service::AUDIT_OFF,
            };
            output::note(process, switched);
        }
        for event in new_events(client, known)? {
            if let Some(row) = AuditEvent::read(&event)
                && row.kind == EventKind::Decision
                && !row.is_allowed
                && filter.matches_event(&row)
            {
                match format {
                    Format::Text => output::text(process, &render_event(&row)),
                    Format::Json | Format::Yaml => write_value(process, format, &event_value(&row)),
                }
                .map_err(Look::Output)?;
            }
        }
    }
    process
        .output()
        .flush()
        .map_err(|error| Look::Output(Failure::standard_output(&error)))
}

fn write_value(process: &Process, format: Format, event: &WatchEvent<'_>) -> Result<(), Failure> {
    output::stream_value(&mut process.output(), format, event)
}

/// The events since the last look, oldest first.
fn new_events(client: &Client, known: &mut KnownState) -> Result<Vec<Value>, CallError> {
    let read: Result<AuditEvents, _> = client.get(&paths::audit(AuditQuery { limit: MAX_EVENTS }));
    let events = match read {
        Ok(read) => read.events,
        Err(CallError::Refused(refusal)) if matches!(refusal.status, 403 | 404) => {
            known.has_audit = false;
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    let (mut counts, mut new) = (HashMap::new(), Vec::new());
    for event in events.into_iter().rev() {
        let text = event.to_string();
        let times: &mut usize = counts.entry(text.clone()).or_default();
        *times += 1;
        if *times > known.events.get(&text).copied().unwrap_or(0) {
            new.push(event);
        }
    }
    known.events = counts;
    Ok(new)
}

/// Whether the service records decisions; `None` if it does not say.
fn is_audited(client: &Client) -> Result<Option<bool>, CallError> {
    match client.get::<BTreeMap<String, Value>>(paths::CLUSTER_CONFIG) {
        Ok(properties) => Ok(properties.get("audit_enabled").and_then(Value::as_bool)),
        Err(CallError::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Says why no denied decision will be shown.
fn report_missing_audit(process: &Process, known: &KnownState) {
    if !known.has_audit {
        output::note(process, &format!("note: {}", service::NO_AUDIT_ACCESS));
    } else if !known.is_audited {
        output::note(process, &format!("note: {}", service::NO_AUDIT));
    }
}

/// What is shown.
struct Filter {
    principal: Option<Principal>,
    resources: Vec<(ResourceType, String)>,
}

impl Filter {
    fn from_args(args: &WatchArgs) -> Result<Self, Failure> {
        let principal = match &args.principal {
            Some(text) => Some(input::principal("--principal", text)?),
            None => None,
        };
        Ok(Self {
            principal,
            resources: Resources::from(&args.resources).all()?,
        })
    }

    fn is_open(&self) -> bool {
        self.principal.is_none() && self.resources.is_empty()
    }

    fn matches_principal(&self, principal: &Principal) -> bool {
        match &self.principal {
            Some(wanted) => wanted == principal,
            None => true,
        }
    }

    /// Whether no resources are wanted, or one of them.
    fn matches_resource(&self, is_it: impl Fn(ResourceType, &str) -> bool) -> bool {
        self.resources.is_empty() || self.resources.iter().any(|(kind, name)| is_it(*kind, name))
    }

    fn matches_change(&self, change: &Change) -> bool {
        match change {
            Change::AddAcl(acl) | Change::RemoveAcl(acl) => {
                self.matches_principal(&acl.principal)
                    && self.matches_resource(|kind, name| {
                        kind == acl.resource_type && acl.covers_name(name)
                    })
            }
            Change::CreateRole(name) | Change::DeleteRole { name, .. } => {
                self.resources.is_empty() && self.matches_principal(&Principal::role(name))
            }
            Change::AddMember { role, member } | Change::RemoveMember { role, member } => {
                self.resources.is_empty()
                    && (self.matches_principal(&Principal::role(role))
                        || self.matches_principal(member))
            }
            Change::Settings(_) => self.is_open(),
        }
    }

    /// The part of a difference that concerns the filter.
    fn of_difference(&self, mut difference: Difference) -> Option<Difference> {
        if let Some(wanted) = &self.principal
            && wanted.to_string() != difference.scope.to_string()
            && !difference.scope.is_everyone()
        {
            return None;
        }
        difference.regions.retain(|region| {
            self.matches_resource(|kind, name| {
                kind == region.resource_type
                    && region.pattern.covers(name)
                    && !region.except.iter().any(|except| except.covers(name))
            })
        });
        (!difference.regions.is_empty()).then_some(difference)
    }

    fn of_differences(&self, all: Vec<Difference>) -> Vec<Difference> {
        let shown = all.into_iter().filter_map(|one| self.of_difference(one));
        shown.collect()
    }

    fn of_diff(&self, mut diff: Diff) -> Diff {
        if !self.is_open() {
            diff.differences = self.of_differences(diff.differences);
            diff.roles = self.of_differences(diff.roles);
            (diff.groups, diff.users, diff.settings) = (Vec::new(), Vec::new(), Vec::new());
        }
        diff
    }

    fn matches_event(&self, row: &AuditEvent) -> bool {
        let of_principal = match &self.principal {
            None => true,
            Some(wanted) => match wanted.kind() {
                PrincipalType::Group => row.groups.iter().any(|group| group == wanted.name()),
                PrincipalType::Role => row.role.as_deref() == Some(wanted.name()),
                _ => row.user == wanted.name(),
            },
        };
        of_principal
            && self.matches_resource(|kind, name| match &row.resource {
                Some((of_event, named)) => named == name && of_event.parse() == Ok(kind),
                None => false,
            })
    }
}

/// A change of the policy, as far as the filter shows it.
struct PolicyChange {
    changes: Vec<Change>,
    effect: Diff,
}

impl PolicyChange {
    fn between(before: &Policy, after: &Policy, filter: &Filter) -> Self {
        let mut changes = changes_between(before, after);
        changes.retain(|change| filter.matches_change(change));
        Self {
            changes,
            effect: filter.of_diff(diff(before, after)),
        }
    }

    fn is_empty(&self) -> bool {
        self.changes.is_empty()
            && self.effect.differences.is_empty()
            && self.effect.roles.is_empty()
    }

    fn render(&self, process: &Process, [before, after]: [&str; 2]) -> String {
        let mut text = sentence(&service::policy_changed(before, after)) + "\n";
        for change in &self.changes {
            let _ = writeln!(text, "  {}", verdicts::change(change));
        }
        text.push_str(&gains_and_losses::render(process, &self.effect));
        text
    }

    fn value<'a>(&self, [state_before, policy_state]: [&'a str; 2]) -> WatchEvent<'a> {
        let changes = self.changes.iter().map(ChangeJson::from).collect();
        let effect = Box::new(DiffJson::from(&self.effect));
        WatchEvent::PolicyChanged {
            state_before,
            policy_state,
            changes,
            effect,
        }
    }
}

fn render_event(row: &AuditEvent) -> String {
    let denied = paint(BAD, "Denied:");
    format!(
        "{} {denied} {}\n",
        row.when(),
        sentence(&service::denied(row))
    )
}

fn event_value(row: &AuditEvent) -> WatchEvent<'_> {
    let (resource_type, resource_name) = match &row.resource {
        Some((kind, name)) => (kind.as_str(), name.as_str()),
        None => ("", ""),
    };
    WatchEvent::Denied {
        time: row.when(),
        user: &row.user,
        groups: &row.groups,
        operation: &row.what,
        resource_type,
        resource_name,
        from: &row.from,
        times: row.times,
        reason: &row.why,
        acl: row.matched.as_ref().map(|acl| WatchedAcl {
            principal: acl.principal.as_ref().map(ToString::to_string),
            permission: &acl.permission,
            operation: &acl.operation,
            resource_type: &acl.resource_type,
            resource_name: &acl.resource_name,
            pattern: &acl.pattern,
        }),
    }
}

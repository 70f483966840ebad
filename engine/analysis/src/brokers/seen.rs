//! Who called brokers, and what they asked for: from audit events and from lines of logs, from
//! tokens, or from the principals of a policy.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use gbac_engine::model::{Host, Operation, Principal, PrincipalType, ResourceType};
use gbac_engine::policy::Policy;
use gbac_engine::{Identity, Subject, json};
use serde_json::Value;

use crate::denial::{LineFault, LogLine, read_line};

/// The most bytes of a line: an event has every group of a token.
const MAX_LINE: usize = 4 << 20;
/// The most callers.
const MAX_CALLERS: usize = 100_000;
/// The most different requests of all callers.
const MAX_REQUESTS: usize = 1_000_000;
/// At most this number of groups of a caller is noted.
const MAX_GROUPS: usize = 10_000;
/// The class of events with sign-ins.
const SIGN_IN: u64 = 3002;
/// The class of events with decisions.
const DECISION: u64 = 6003;

/// A request that was seen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeenRequest {
    /// The operation.
    pub operation: Operation,
    /// The resource's type.
    pub resource_type: ResourceType,
    /// The resource's name.
    pub resource_name: String,
    /// The client's address, if it is known.
    pub host: Option<IpAddr>,
}

/// Who called.
#[derive(Debug, Clone, PartialEq)]
pub struct Caller {
    /// The principal. A group stands for a user who has only this group.
    pub principal: Principal,
    /// The groups that are known, at most 10,000.
    pub groups: BTreeSet<String>,
    /// The token or claims, if it was seen with one: other settings can read others from it.
    pub subject: Option<Subject>,
    /// What was asked for; empty if that is not known.
    pub requests: BTreeSet<SeenRequest>,
    /// When the sign-in was that the groups are from.
    signed_in: Option<i64>,
    /// Whether a line of a log has all groups.
    is_listed: bool,
}

impl Caller {
    fn new(principal: Principal) -> Self {
        Self {
            principal,
            groups: BTreeSet::new(),
            subject: None,
            requests: BTreeSet::new(),
            signed_in: None,
            is_listed: false,
        }
    }

    /// The identity of a caller without a token.
    #[must_use]
    pub fn identity(&self) -> Identity {
        if self.principal.kind() == PrincipalType::Group {
            return Identity::new("", [self.principal.name()]);
        }
        match Identity::of_principal(&self.principal, &self.groups) {
            Ok((identity, _)) => identity,
            // A role calls nobody: it has no access of its own.
            Err(_) => Identity::new("", [] as [&str; 0]),
        }
    }
}

/// The callers that were seen, with limits.
///
/// ```
/// use gbac_analysis::brokers::SeenCallers;
///
/// let mut seen = SeenCallers::default();
/// seen.add_line(br#"{"class_uid":3002,"status_id":1,"time":1,"user":{"name":"maya","groups":[{"type":"idp_group","name":"eng"}]}}"#)?;
/// seen.add_line(b"Principal = User:maya is Denied operation = READ from host = 10.0.0.7 on resource = \
///     Topic:LITERAL:orders for request = Fetch with resourceRefCount = 1 based on rule DefaultDeny")?;
/// let maya = seen.callers().next().expect("one caller");
/// assert!(maya.groups.contains("eng") && maya.requests.len() == 1);
/// # Ok::<(), gbac_analysis::denial::LineFault>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SeenCallers {
    by_principal: BTreeMap<Principal, Caller>,
    with_tokens: Vec<Caller>,
    requests: usize,
    other_lines: u64,
    omitted: u64,
}

impl SeenCallers {
    /// The callers, those with tokens last.
    pub fn callers(&self) -> impl Iterator<Item = &Caller> {
        self.by_principal.values().chain(&self.with_tokens)
    }

    /// The number of callers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_principal.len() + self.with_tokens.len()
    }

    /// Whether nobody was seen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there are callers with tokens.
    #[must_use]
    pub const fn has_tokens(&self) -> bool {
        !self.with_tokens.is_empty()
    }

    /// The number of callers with known requests, of whom not all groups are known.
    #[must_use]
    pub fn without_groups(&self) -> usize {
        let mut number = 0;
        for caller in self.by_principal.values() {
            let knows = caller.signed_in.is_some() || caller.is_listed;
            number += usize::from(!knows && !caller.requests.is_empty());
        }
        number
    }

    /// The number of different requests.
    #[must_use]
    pub const fn requests(&self) -> usize {
        self.requests
    }

    /// The number of lines that say nothing about a caller: other events, and lines whose names are
    /// shortened or escaped.
    #[must_use]
    pub const fn other_lines(&self) -> u64 {
        self.other_lines
    }

    /// The number of callers and requests beyond the limits.
    #[must_use]
    pub const fn omitted(&self) -> u64 {
        self.omitted
    }

    /// Adds what a line of a log or of an audit file says.
    ///
    /// # Errors
    /// It is not understood.
    pub fn add_line(&mut self, line: &[u8]) -> Result<(), LineFault> {
        if line.len() > MAX_LINE {
            return Err(LineFault::TooLong);
        }
        let text = str::from_utf8(line).map_err(|_| LineFault::NotText)?;
        if text.trim_start().starts_with('{') && text.contains("\"class_uid\"") {
            let event = json::parse(text).map_err(|error| LineFault::NotJson(error.to_string()))?;
            if self.add_event(&event).is_none() {
                self.other_lines += 1;
            }
            return Ok(());
        }
        match read_line(text)? {
            LogLine::Denied(denial) if !denial.question.is_inexact => {
                let asked = denial.question;
                let request = SeenRequest {
                    operation: asked.operation,
                    resource_type: asked.resource_type,
                    resource_name: asked.resource_name,
                    host: asked.host,
                };
                let is_listed = asked
                    .groups
                    .as_ref()
                    .is_some_and(|groups| groups.omitted == 0);
                let groups = asked.groups.map_or(Vec::new(), |groups| groups.names);
                if let Some(caller) = self.add_request(&asked.principal, groups, request) {
                    caller.is_listed |= is_listed;
                }
            }
            LogLine::Denied(_) | LogLine::Allowed => self.other_lines += 1,
            LogLine::Empty => {}
        }
        Ok(())
    }

    /// As [`Self::add_line`]; a line that is not understood counts as one that says nothing.
    pub fn note_line(&mut self, line: &[u8]) {
        if self.add_line(line).is_err() {
            self.other_lines += 1;
        }
    }

    /// Adds what an audit event says: a sign-in, or a decision about one operation. `None` for
    /// every other event.
    pub fn add_event(&mut self, event: &Value) -> Option<()> {
        let class = event["class_uid"].as_u64()?;
        if class == SIGN_IN && event["status_id"].as_u64() == Some(1) {
            let groups = idp_groups(&event["user"]);
            let principal = Principal::user(event["user"]["name"].as_str()?);
            let time = event["time"].as_i64().unwrap_or(0);
            if let Some(caller) = self.caller(principal)
                && caller.signed_in.is_none_or(|before| before <= time)
            {
                caller.groups = groups.into_iter().take(MAX_GROUPS).collect();
                caller.signed_in = Some(time);
            }
            return Some(());
        }
        if class != DECISION {
            return None;
        }
        let user = &event["actor"]["user"];
        let resource = event["resources"].as_array()?.last()?;
        let host = event["src_endpoint"]["ip"].as_str();
        let request = SeenRequest {
            operation: event["api"]["operation"].as_str()?.parse().ok()?,
            resource_type: resource["type"].as_str()?.parse().ok()?,
            resource_name: resource["name"].as_str()?.to_owned(),
            host: host.and_then(|host| Host::parse_address(host).ok()),
        };
        self.add_request(
            &Principal::user(user["name"].as_str()?),
            idp_groups(user),
            request,
        );
        Some(())
    }

    /// Leaves out who asked for nothing, such as the accounts that sign in to a service.
    pub fn retain_with_requests(&mut self) {
        self.by_principal
            .retain(|_, caller| !caller.requests.is_empty());
    }

    /// Adds a request, with the groups that are known of its caller.
    fn add_request(
        &mut self,
        principal: &Principal,
        groups: Vec<String>,
        request: SeenRequest,
    ) -> Option<&mut Caller> {
        let is_full = self.requests >= MAX_REQUESTS;
        let _ = self.caller(principal.clone())?;
        let caller = self.by_principal.get_mut(principal)?;
        // A sign-in has all groups, and a decision only the one that decided.
        if caller.signed_in.is_none() {
            for group in groups {
                if caller.groups.len() < MAX_GROUPS {
                    caller.groups.insert(group);
                } else if !caller.groups.contains(&group) {
                    self.omitted += 1;
                }
            }
        }
        if is_full {
            self.omitted += 1;
        } else if caller.requests.insert(request) {
            self.requests += 1;
        }
        Some(caller)
    }

    /// Adds the users and groups that a policy names in ACLs, in roles, and as superusers.
    pub fn add_policy(&mut self, policy: &Policy) {
        let mut named: BTreeSet<Principal> = policy.acls().map(|acl| acl.principal).collect();
        for role in policy.roles() {
            named.extend(role.members);
        }
        named.extend(policy.settings().superusers.iter().map(Principal::user));
        for principal in named {
            if principal.kind() != PrincipalType::Role && !principal.is_everyone() {
                let _ = self.caller(principal);
            }
        }
    }

    /// Adds a caller with a token or claims, whose user is `principal` by the present settings. What
    /// this user asked for was asked for with it.
    pub fn add_token(&mut self, principal: Principal, subject: Subject) {
        if self.len() == MAX_CALLERS {
            self.omitted += 1;
            return;
        }
        let requests = match self.by_principal.remove(&principal) {
            Some(caller) => caller.requests,
            None => BTreeSet::new(),
        };
        self.with_tokens.push(Caller {
            subject: Some(subject),
            requests,
            ..Caller::new(principal)
        });
    }

    fn caller(&mut self, principal: Principal) -> Option<&mut Caller> {
        if self.len() >= MAX_CALLERS && !self.by_principal.contains_key(&principal) {
            self.omitted += 1;
            return None;
        }
        let caller = self.by_principal.entry(principal);
        Some(caller.or_insert_with_key(|principal| Caller::new(principal.clone())))
    }
}

fn idp_groups(user: &Value) -> Vec<String> {
    let mut names = Vec::new();
    for group in user["groups"].as_array().into_iter().flatten() {
        if group["type"] == "idp_group" {
            names.extend(group["name"].as_str().map(str::to_owned));
        }
    }
    names
}

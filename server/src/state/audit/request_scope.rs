//! The request that a task works on, so that each change is recorded with the user who made it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use gbac_analysis::audit::AuditedResource;
use gbac_api::reason::ChangeReason;
use gbac_engine::model::{Acl, CLUSTER_NAME, ResourceType};

use super::request_head::RequestHead;
use super::sign_in_method::SignInMethod;
use crate::lock::Lock;

/// The most ACLs that the event of a request names; each change also has an event of its own.
pub(crate) const MAX_ACLS: usize = 100;

tokio::task_local! {
    static CURRENT: Arc<RequestScope>;
}

/// An authorized request that can change something.
pub(crate) struct RequestScope {
    /// The request.
    pub(crate) head: RequestHead,
    /// The superuser whose request it is.
    pub(crate) user: String,
    /// How the user signed in.
    pub(crate) method: SignInMethod,
    /// The verified token of the user, for a cluster to which changes are sent with it. It is
    /// neither stored nor logged.
    token: Option<Arc<str>>,
    /// Why the user makes the change; none if they do not say.
    reason: Lock<Option<ChangeReason>>,
    changed: AtomicBool,
    acls: Lock<Vec<AclChange>>,
}

/// An ACL that a request created or deleted.
#[derive(Clone)]
pub(crate) enum AclChange {
    Created(Acl),
    Deleted(Acl),
}

impl AclChange {
    const fn resource(&self) -> AuditedResource<'_> {
        match self {
            Self::Created(acl) => AuditedResource::created_acl(acl),
            Self::Deleted(acl) => AuditedResource::deleted_acl(acl),
        }
    }

    /// The resources of an event: the ACLs, then the cluster that they belong to.
    pub(super) fn resources(changes: &[Self]) -> Vec<AuditedResource<'_>> {
        let cluster = AuditedResource {
            name: CLUSTER_NAME,
            kind: ResourceType::Cluster.spelling().audit,
            acl: None,
        };
        let mut resources: Vec<_> = changes.iter().map(Self::resource).collect();
        if !changes.is_empty() {
            resources.push(cluster);
        }
        resources
    }
}

impl RequestScope {
    pub(crate) fn new(
        head: RequestHead,
        user: String,
        method: SignInMethod,
        token: Option<Arc<str>>,
        reason: Option<ChangeReason>,
    ) -> Arc<Self> {
        Arc::new(Self {
            head,
            user,
            method,
            token,
            reason: Lock::new(reason),
            changed: AtomicBool::new(false),
            acls: Lock::default(),
        })
    }

    /// Runs a request; everything that it changes is recorded as a change by its user.
    pub(crate) async fn run<F: Future>(self: Arc<Self>, request: F) -> F::Output {
        CURRENT.scope(self, request).await
    }

    /// The request that this task works on.
    pub(crate) fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }

    /// The verified token of the user, if a cluster needs it.
    pub(crate) fn token(&self) -> Option<Arc<str>> {
        self.token.clone()
    }

    /// Notes why the user makes the change.
    pub(crate) fn set_reason(&self, reason: ChangeReason) {
        self.reason.with(|known| *known = Some(reason));
    }

    /// Why the user makes the change.
    pub(super) fn reason(&self) -> Option<ChangeReason> {
        self.reason.with(|reason| reason.clone())
    }

    /// Notes that the request changed something.
    pub(crate) fn set_changed(&self) {
        self.changed.store(true, Relaxed);
    }

    /// Notes the ACLs that the request changed.
    pub(super) fn add_acls(&self, acls: &[AclChange]) {
        self.acls.with(|known| {
            let room = MAX_ACLS.saturating_sub(known.len());
            known.extend(acls.iter().take(room).cloned());
        });
    }

    /// The ACLs that the request changed; if there are many, the first of them.
    pub(super) fn acls(&self) -> Vec<AclChange> {
        self.acls.with(|acls| acls.clone())
    }

    /// Whether the request changed something.
    pub(crate) fn has_changed(&self) -> bool {
        self.changed.load(Relaxed)
    }
}

//! Builds a policy step by step and reports the first invalid part.

use super::{Change, ChangeError, Policy, Settings, SettingsError};
use crate::model::{Acl, AclError, Principal};

/// Builds a [`Policy`]; see [`Policy::builder`].
#[derive(Debug, Clone, Default)]
#[must_use = "call `build` to get the policy"]
pub struct PolicyBuilder {
    settings: Settings,
    roles: Vec<(String, Vec<Principal>)>,
    acls: Vec<Acl>,
}

impl PolicyBuilder {
    /// Replaces the settings.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Adds a superuser, whose requests are all allowed.
    pub fn superuser(mut self, name: impl Into<String>) -> Self {
        self.settings.superusers.insert(name.into());
        self
    }

    /// Adds a role with its members.
    pub fn role(
        mut self,
        name: impl Into<String>,
        members: impl IntoIterator<Item = Principal>,
    ) -> Self {
        self.roles
            .push((name.into(), members.into_iter().collect()));
        self
    }

    /// Adds an ACL.
    pub fn acl(mut self, acl: Acl) -> Self {
        self.acls.push(acl);
        self
    }

    /// Adds several ACLs.
    pub fn acls(mut self, acls: impl IntoIterator<Item = Acl>) -> Self {
        self.acls.extend(acls);
        self
    }

    /// Builds the policy.
    ///
    /// # Errors
    /// A superuser, a role, a member or an ACL is not valid.
    pub fn build(self) -> Result<Policy, PolicyError> {
        for name in self.settings.superusers.iter() {
            Settings::check_superuser(name).map_err(PolicyError::Settings)?;
        }
        let mut policy = Policy::new(self.settings);
        for (role, members) in self.roles {
            policy
                .apply(Change::CreateRole(role.clone()))
                .map_err(PolicyError::Change)?;
            for member in members {
                policy
                    .apply(Change::AddMember {
                        role: role.clone(),
                        member,
                    })
                    .map_err(PolicyError::Change)?;
            }
        }
        for acl in self.acls {
            if let Some(error) = acl.check_create().into_iter().next() {
                return Err(PolicyError::Acl(error));
            }
            policy
                .apply(Change::AddAcl(acl))
                .map_err(PolicyError::Change)?;
        }
        policy.shrink();
        Ok(policy)
    }
}

/// Why a policy cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A setting is not valid.
    #[error("{0}")]
    Settings(#[source] SettingsError),
    /// A role or a member is not valid.
    #[error("{0}")]
    Change(#[source] ChangeError),
    /// An ACL is not valid.
    #[error("{0}")]
    Acl(#[source] AclError),
}

codes! {
    pub PolicyError {} of {
        Self::Settings(error) => error: SettingsError,
        Self::Change(error) => error: ChangeError,
        Self::Acl(error) => error: AclError,
    }
}

//! The drafts that a tab's session storage keeps: whose they are, and their text.

use gbac_api::changes::PolicyChanges;
use gbac_api::service::ServiceInfo;
use gbac_engine::policy::{Change, Settings};
use gbac_json::changes_from_json;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::applied::AppliedDraft;
use crate::connection::{Connection, Credentials};
use crate::draft::Staged;

/// The largest number of drafts that are kept.
const MOST: usize = 20;

/// The owner of a draft: no other account sees it (D-69).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftOwner {
    /// The ID of the service's data; empty for a demo.
    pub data: String,
    /// The cluster behind the service, or the Kafka cluster of the service; empty for the service
    /// itself.
    pub cluster: String,
    /// The account; empty without a sign-in.
    pub account: String,
}

impl DraftOwner {
    /// The user with these credentials for a cluster.
    #[must_use]
    pub fn new(
        info: Option<&ServiceInfo>,
        connection: &Connection,
        credentials: Option<&Credentials>,
    ) -> Self {
        let kafka = info.and_then(|info| info.cluster.as_ref());
        Self {
            data: info.map(|info| info.data_id.clone()).unwrap_or_default(),
            cluster: match (connection, kafka) {
                (Connection::Service, Some(kafka)) => format!("kafka {}", kafka.name),
                _ => connection.id(),
            },
            account: credentials.map(Credentials::account).unwrap_or_default(),
        }
    }

    /// Nobody, at the same cluster.
    #[must_use]
    pub fn signed_out(&self) -> Self {
        Self {
            account: String::new(),
            ..self.clone()
        }
    }

    /// Whether it is about the same policy.
    pub fn has_policy_of(&self, other: &Self) -> bool {
        self.data == other.data && self.cluster == other.cluster
    }
}

/// A draft with its owner.
#[derive(Clone, PartialEq)]
pub struct StoredDraft {
    /// Whose it is.
    pub owner: DraftOwner,
    /// The changes.
    pub staged: Vec<Staged>,
    /// The settings from which staged settings were made.
    pub settings_base: Option<Settings>,
    /// What was applied last.
    pub applied: Option<AppliedDraft>,
}

impl StoredDraft {
    /// Whether there is nothing to keep.
    pub const fn is_empty(&self) -> bool {
        self.staged.is_empty() && self.applied.is_none()
    }
}

/// The drafts as text; none if there is nothing to keep. It has no credentials, and nothing of a
/// token.
pub fn to_text(drafts: &[StoredDraft]) -> Option<String> {
    let kept: Vec<Value> = drafts
        .iter()
        .filter(|draft| !draft.is_empty())
        .map(to_value)
        .collect();
    let first = kept.len().saturating_sub(MOST);
    (!kept.is_empty()).then(|| json!({ "drafts": kept.get(first..) }).to_string())
}

fn to_value(draft: &StoredDraft) -> Value {
    let changes = draft.staged.iter().map(|staged| &staged.change);
    let mut value = json!({ "owner": draft.owner, "changes": list(changes) });
    if let Some(members) = value.as_object_mut() {
        if let Some(base) = &draft.settings_base {
            members.insert("settings_base".into(), settings_to_value(base));
        }
        if let Some(applied) = &draft.applied {
            members.insert(
                "applied".into(),
                json!({
                    "changes": list(&applied.changes),
                    "undo": list(&applied.undo),
                    "settings": applied.settings.as_ref().map(settings_to_value),
                    "at_ms": applied.at_ms,
                }),
            );
        }
    }
    value
}

/// Reads the text of [`to_text`]; a draft that cannot be read is left out.
pub fn from_text(text: &str) -> Vec<StoredDraft> {
    let Ok(Value::Object(document)) = serde_json::from_str::<Value>(text) else {
        return Vec::new();
    };
    let drafts = document
        .get("drafts")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    drafts.filter_map(from_value).collect()
}

fn from_value(value: &Value) -> Option<StoredDraft> {
    let applied = value.get("applied").and_then(|applied| {
        Some(AppliedDraft {
            changes: changes(applied.get("changes")?)?,
            undo: changes(applied.get("undo")?)?,
            settings: applied.get("settings").and_then(settings_from),
            at_ms: applied.get("at_ms")?.as_f64()?,
            summary: None,
            request: None,
        })
    });
    Some(StoredDraft {
        owner: serde_json::from_value(value.get("owner")?.clone()).ok()?,
        staged: changes(value.get("changes")?)?
            .into_iter()
            .map(|change| Staged {
                change,
                failure: None,
            })
            .collect(),
        settings_base: value.get("settings_base").and_then(settings_from),
        applied,
    })
}

fn list<'c>(changes: impl IntoIterator<Item = &'c Change>) -> Value {
    json!(PolicyChanges::from_changes(changes).changes)
}

fn changes(list: &Value) -> Option<Vec<Change>> {
    let read = changes_from_json(&json!({ "changes": list }).to_string());
    Some(read.ok()?.changes)
}

/// Settings as the change that sets them, which is the format that every interface reads.
fn settings_to_value(settings: &Settings) -> Value {
    list([&Change::Settings(Box::new(settings.clone()))])
}

fn settings_from(value: &Value) -> Option<Settings> {
    changes(value)?.into_iter().find_map(|change| match change {
        Change::Settings(settings) => Some(*settings),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use gbac_api::service::SignIn;
    use gbac_engine::model::{
        Acl, Host, Operation, PatternType, Permission, Principal, ResourceType,
    };

    use super::*;
    use crate::failure::Failure;

    fn owner(account: &str) -> DraftOwner {
        DraftOwner {
            data: "d1".into(),
            cluster: String::new(),
            account: account.into(),
        }
    }

    fn draft(account: &str, changes: Vec<Change>) -> StoredDraft {
        let staged = changes
            .into_iter()
            .map(|change| Staged {
                change,
                failure: None,
            })
            .collect();
        StoredDraft {
            owner: owner(account),
            staged,
            settings_base: None,
            applied: None,
        }
    }

    #[test]
    fn every_kind_of_change_survives_the_text() {
        let mut settings = Settings::default();
        settings.superusers.insert("root".into());
        let acl = Acl {
            resource_type: ResourceType::Topic,
            resource_name: "a\u{202e}b / \"é\"".into(),
            pattern_type: PatternType::Prefixed,
            principal: Principal::group("/eng,x=y"),
            host: Host::Any,
            operation: Operation::Write,
            permission: Permission::Deny,
        };
        let member = Principal::user("Zoë 😀");
        let changes = vec![
            Change::CreateRole("R".into()),
            Change::AddMember {
                role: "R".into(),
                member: member.clone(),
            },
            Change::RemoveMember {
                role: "S".into(),
                member,
            },
            Change::AddAcl(acl.clone()),
            Change::RemoveAcl(acl),
            Change::DeleteRole {
                name: "Old".into(),
                delete_acls: true,
            },
            Change::Settings(Box::new(settings.clone())),
        ];
        let applied = AppliedDraft {
            changes: changes.clone(),
            undo: vec![Change::CreateRole("Old".into())],
            settings: Some(settings.clone()),
            at_ms: 1_800_000_000_000.0,
            summary: None,
            request: None,
        };
        let whole = StoredDraft {
            settings_base: Some(Settings::default()),
            applied: Some(applied),
            ..draft("local admin", changes)
        };
        let text = to_text(&[whole.clone(), draft("local nobody", Vec::new())]).unwrap();
        assert!(from_text(&text) == [whole]);
        assert_eq!(to_text(&[draft("local nobody", Vec::new())]), None);
    }

    #[test]
    fn why_a_change_failed_is_not_kept_and_old_drafts_go_first() {
        let failed = Staged {
            change: Change::CreateRole("R".into()),
            failure: Some(Failure::NoAnswer("x".into())),
        };
        let text = to_text(&[StoredDraft {
            staged: vec![failed],
            ..draft("a", Vec::new())
        }])
        .unwrap();
        assert_eq!(from_text(&text)[0].staged[0].failure, None);
        let many: Vec<StoredDraft> = (0..MOST + 5)
            .map(|number| draft(&number.to_string(), vec![Change::CreateRole("R".into())]))
            .collect();
        let kept = from_text(&to_text(&many).unwrap());
        assert!(kept.len() == MOST && kept[0].owner == owner("5"));
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let good = to_text(&[draft("a", vec![Change::CreateRole("R".into())])]).unwrap();
        for text in [
            "",
            "null",
            "{}",
            "{\"drafts\":7}",
            "{\"drafts\":[{}]}",
            &good.replace("create_role", "erase"),
        ] {
            assert!(from_text(text).is_empty(), "{text}");
        }
        assert_eq!(from_text(&good).len(), 1);
    }

    #[test]
    fn an_account_is_one_of_a_service_and_a_cluster() {
        let password = |user: &str| {
            Credentials::Password(SignIn {
                user: user.into(),
                password: "secret".into(),
            })
        };
        let own = DraftOwner::new(None, &Connection::Service, Some(&password("admin")));
        assert_eq!(own.account, "local admin");
        let of_cluster = |name: &str| {
            let about = serde_json::json!({
                "name": "s", "version": "1", "demo": false, "data_id": "d1",
                "cluster": { "name": name, "kind": "kafka", "group_acls": "plugin" },
            });
            let info: ServiceInfo = serde_json::from_value(about).unwrap();
            DraftOwner::new(Some(&info), &Connection::Service, Some(&password("admin")))
        };
        let (eu, dr) = (of_cluster("eu"), of_cluster("dr"));
        assert!(
            eu != dr && !eu.has_policy_of(&dr),
            "a draft of each cluster"
        );
        // The claims: {"iss":"https://idp","sub":"admin"}.
        let token = Credentials::Token(
            "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2lkcCIsInN1YiI6ImFkbWluIn0.c2ln".into(),
        );
        let of_token = DraftOwner::new(None, &Connection::Service, Some(&token));
        assert_eq!(of_token.account, "token https://idp admin");
        assert_ne!(
            own,
            DraftOwner::new(None, &Connection::SelfManaged, Some(&password("admin")))
        );
        assert!(own.has_policy_of(&of_token) && own.signed_out() == of_token.signed_out());
        let whole = format!("{own:?}{of_token:?}");
        assert!(
            !whole.contains("secret") && !whole.contains("eyJ"),
            "{whole}"
        );
    }
}

//! What a cluster has: its version, its APIs, ACLs of the Schema Registry and a license; what is
//! missing, and what follows from it. The command line and the relay send the [`PROBES`], which
//! change nothing, and read the answers here (D-98).

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::paths;
use crate::problem::Refusal;

/// An API with an address of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetApi {
    /// The Admin API.
    Admin,
    /// The Data Plane API.
    DataPlane,
}

/// What a probe asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Brokers,
    OwnRoles,
    SecurityService,
    License,
    RegistryAcls,
}

/// A request that changes nothing. Every API asks for credentials first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// The API.
    pub api: TargetApi,
    /// The path with its query.
    pub path: &'static str,
    /// The body of a POST; without one, it is a GET.
    pub body: Option<&'static str>,
    subject: Subject,
}

/// Every probe, in the order of sending.
pub const PROBES: [Probe; 5] = [
    Probe {
        api: TargetApi::DataPlane,
        path: "/v1/acls?filter.resource_type=RESOURCE_TYPE_REGISTRY",
        body: None,
        subject: Subject::RegistryAcls,
    },
    Probe {
        api: TargetApi::Admin,
        path: paths::BROKERS,
        body: None,
        subject: Subject::Brokers,
    },
    Probe {
        api: TargetApi::Admin,
        path: paths::ADMIN_OWN_ROLES,
        body: None,
        subject: Subject::OwnRoles,
    },
    Probe {
        api: TargetApi::Admin,
        path: "/redpanda.core.admin.v2.SecurityService/ListCurrentUserRoles",
        body: Some("{}"),
        subject: Subject::SecurityService,
    },
    Probe {
        api: TargetApi::Admin,
        path: paths::FEATURES_ENTERPRISE,
        body: None,
        subject: Subject::License,
    },
];

/// What a change needs of a cluster (D-99).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TargetNeed {
    /// The Data Plane API.
    DataPlane,
    /// The Admin API.
    AdminApi,
    /// ACLs of groups, and the settings of groups.
    Groups,
    /// Groups as members of roles.
    GroupMembers,
    /// ACLs of the Schema Registry.
    RegistryAcls,
    /// A license.
    License,
}

impl TargetNeed {
    /// The codes of the gaps that contradict it, and the probes that tell.
    const fn gaps_and_probes(self) -> (&'static [&'static str], &'static [Subject]) {
        match self {
            Self::DataPlane => (&["no_data_plane"], &[Subject::RegistryAcls]),
            Self::AdminApi => (
                &["no_admin_api"],
                &[
                    Subject::Brokers,
                    Subject::OwnRoles,
                    Subject::SecurityService,
                ],
            ),
            Self::Groups => (&["no_groups"], &[Subject::Brokers]),
            Self::GroupMembers => (
                &["no_groups", "no_admin_v2"],
                // All of them, because an Admin API that is elsewhere is not one without version 2.
                &[
                    Subject::Brokers,
                    Subject::OwnRoles,
                    Subject::SecurityService,
                ],
            ),
            Self::RegistryAcls => (&["no_registry_acls"], &[Subject::RegistryAcls]),
            Self::License => (&["no_license"], &[Subject::License]),
        }
    }
}

/// The probes that tell whether a cluster has what a change needs.
pub fn probes_for(needs: &[TargetNeed]) -> impl Iterator<Item = &'static Probe> {
    PROBES.iter().filter(|probe| {
        needs
            .iter()
            .any(|need| need.gaps_and_probes().1.contains(&probe.subject))
    })
}

/// Whether a cluster has something.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApiPresence {
    /// It has it.
    Present,
    /// It does not have it.
    Absent,
    /// It was not asked, or its answer does not say.
    #[default]
    Unknown,
}

/// What a cluster has.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TargetReport {
    /// The version of its brokers, such as `v26.1.1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Version 1 of the Admin API.
    pub admin_v1: ApiPresence,
    /// Version 2 of the Admin API, which has groups.
    pub admin_v2: ApiPresence,
    /// The Data Plane API.
    pub data_plane: ApiPresence,
    /// ACLs of the Schema Registry.
    pub registry_acls: ApiPresence,
    /// `valid`, `expired` or `not_present`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
}

/// Something that a cluster does not have.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetGap {
    /// A stable code.
    pub code: String,
    /// What is missing.
    pub missing: String,
    /// What follows from it.
    pub consequence: String,
}

/// The response of `/gbac/v1/upstream/target`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetAnswer {
    /// What the cluster has.
    pub target: TargetReport,
    /// What it does not have.
    pub gaps: Vec<TargetGap>,
}

impl From<TargetReport> for TargetAnswer {
    fn from(target: TargetReport) -> Self {
        Self {
            gaps: target.gaps(),
            target,
        }
    }
}

impl TargetReport {
    /// Reads the answer to a probe.
    pub fn read(&mut self, probe: &Probe, status: u16, body: &str) {
        let value = match status {
            200 => serde_json::from_str::<Value>(body).ok(),
            _ => None,
        };
        // A page, or an API of something else, says nothing about the cluster.
        let found = match status {
            200 if value.is_some() => ApiPresence::Present,
            404 => ApiPresence::Absent,
            _ => ApiPresence::Unknown,
        };
        match probe.subject {
            Subject::Brokers => {
                self.version = text_at(value.as_ref(), "/0/version")
                    .map(|version| version.split(" - ").next().unwrap_or_default().to_owned());
            }
            Subject::OwnRoles => self.admin_v1 = found,
            Subject::SecurityService => self.admin_v2 = present_if_refused(found, status, body),
            Subject::License => {
                self.license = text_at(value.as_ref(), "/license_status").map(str::to_owned);
            }
            Subject::RegistryAcls => {
                let without =
                    status == 400 && Refusal::read(status, body).code == "FAILED_PRECONDITION";
                self.data_plane = if without {
                    ApiPresence::Present
                } else {
                    present_if_refused(found, status, body)
                };
                self.registry_acls = match found {
                    ApiPresence::Present => ApiPresence::Present,
                    _ if without => ApiPresence::Absent,
                    ApiPresence::Absent | ApiPresence::Unknown => ApiPresence::Unknown,
                };
            }
        }
    }

    /// Whether the Admin API is certainly not at its address.
    #[must_use]
    pub fn is_without_admin(&self) -> bool {
        self.admin_v1 == ApiPresence::Absent
            && self.admin_v2 == ApiPresence::Absent
            && self.version.is_none()
    }

    /// What is missing of what a change needs.
    #[must_use]
    pub fn unmet(&self, needs: &[TargetNeed]) -> Vec<TargetGap> {
        let mut gaps = self.gaps();
        gaps.retain(|gap| {
            needs
                .iter()
                .any(|need| need.gaps_and_probes().0.contains(&gap.code.as_str()))
        });
        gaps
    }

    /// What is missing, and what follows.
    #[must_use]
    pub fn gaps(&self) -> Vec<TargetGap> {
        let mut gaps = Vec::new();
        if self.data_plane == ApiPresence::Absent {
            let follows = "its ACLs and roles cannot be read or changed there";
            gaps.push(gap(
                "no_data_plane",
                "there is no Data Plane API at this address".into(),
                follows,
            ));
        }
        let old = self
            .version
            .as_deref()
            .filter(|version| is_before_groups(version));
        if self.is_without_admin() {
            let follows = "its properties, log levels and license cannot be read or changed there";
            gaps.push(gap(
                "no_admin_api",
                "there is no Admin API at this address".into(),
                follows,
            ));
        } else if let Some(version) = old {
            let follows =
                "ACLs of groups, groups as members of roles and the settings of groups are refused";
            gaps.push(gap(
                "no_groups",
                format!("version {version} has no groups; they begin with v26.1"),
                follows,
            ));
        } else if self.admin_v2 == ApiPresence::Absent {
            let follows =
                "groups cannot be members of roles through the Admin API, which only takes users";
            gaps.push(gap(
                "no_admin_v2",
                "there is no version 2 of the Admin API".into(),
                follows,
            ));
        }
        if self.registry_acls == ApiPresence::Absent {
            let follows = "ACLs of subjects and of the registry are refused, and a list has only those of Kafka";
            gaps.push(gap(
                "no_registry_acls",
                "the Schema Registry has no ACLs".into(),
                follows,
            ));
        }
        let license = match self.license.as_deref() {
            Some("not_present") => Some("there is no license"),
            Some("expired") => Some("the license has expired"),
            _ => None,
        };
        if let Some(missing) = license {
            let follows = "roles, ACLs of roles and groups, and the settings of groups cannot be created or changed, and ACLs \
                           of the Schema Registry cannot be created or deleted; the others stay in effect and can be deleted";
            gaps.push(gap("no_license", missing.into(), follows));
        }
        gaps
    }
}

fn gap(code: &str, missing: String, consequence: &str) -> TargetGap {
    TargetGap {
        code: code.into(),
        missing,
        consequence: consequence.into(),
    }
}

fn text_at<'v>(value: Option<&'v Value>, pointer: &str) -> Option<&'v str> {
    value?.pointer(pointer)?.as_str()
}

/// An API that refuses in its own form is there. Its codes are words, unlike those of a path that
/// does not exist.
fn present_if_refused(found: ApiPresence, status: u16, body: &str) -> ApiPresence {
    let is_refusal =
        matches!(status, 400 | 401 | 403) && !Refusal::read(status, body).code.is_empty();
    if is_refusal {
        ApiPresence::Present
    } else {
        found
    }
}

/// Whether a version such as `v25.3.4` has no groups. Other texts name other programs.
fn is_before_groups(version: &str) -> bool {
    let mut numbers = version
        .strip_prefix('v')
        .unwrap_or_default()
        .split('.')
        .map(str::parse::<u32>);
    matches!((numbers.next(), numbers.next()), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) < (26, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(answers: [(u16, &str); 5]) -> (TargetReport, Vec<String>) {
        let mut report = TargetReport::default();
        for (probe, (status, body)) in PROBES.iter().zip(answers) {
            report.read(probe, status, body);
        }
        let codes = report.gaps().into_iter().map(|gap| gap.code).collect();
        (report, codes)
    }

    const BROKER: &str = r#"[{"node_id":0,"num_cores":1,"membership_status":"active","is_alive":true,"version":"v26.2.2 - 01ab"}]"#;
    const NOT_FOUND: (u16, &str) = (404, r#"{"message":"Not found","code":404}"#);

    #[test]
    fn a_complete_cluster_has_no_gaps() {
        let (report, gaps) = read([
            (200, "{}"),
            (200, BROKER),
            (200, "{}"),
            (200, "{}"),
            (200, r#"{"license_status":"valid"}"#),
        ]);
        assert_eq!(
            (report.version.as_deref(), gaps.len()),
            (Some("v26.2.2"), 0)
        );
        assert!(
            ![
                report.admin_v1,
                report.admin_v2,
                report.data_plane,
                report.registry_acls
            ]
            .iter()
            .any(|presence| *presence != ApiPresence::Present)
        );
    }

    #[test]
    fn each_missing_part_is_named() {
        let old = BROKER.replace("v26.2.2", "v25.3.4");
        let no_registry = (
            400,
            r#"{"code":"FAILED_PRECONDITION","message":"not supported","details":[]}"#,
        );
        let (_, gaps) = read([
            no_registry,
            (200, &old),
            (200, "{}"),
            NOT_FOUND,
            (200, r#"{"license_status":"expired"}"#),
        ]);
        assert_eq!(gaps, ["no_groups", "no_registry_acls", "no_license"]);
        let (_, gaps) = read([NOT_FOUND; 5]);
        assert_eq!(gaps, ["no_data_plane", "no_admin_api"]);
        let (_, gaps) = read([
            (200, "{}"),
            (200, BROKER),
            (200, "{}"),
            NOT_FOUND,
            NOT_FOUND,
        ]);
        assert_eq!(gaps, ["no_admin_v2"]);
    }

    #[test]
    fn a_change_is_asked_for_what_it_needs_only() {
        let paths = |needs: &[TargetNeed]| {
            probes_for(needs)
                .map(|probe| probe.path)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            paths(&[TargetNeed::DataPlane, TargetNeed::RegistryAcls]).len(),
            1
        );
        assert_eq!(
            paths(&[TargetNeed::Groups, TargetNeed::License]),
            [paths::BROKERS, paths::FEATURES_ENTERPRISE]
        );
        let old = BROKER.replace("v26.2.2", "v25.3.4");
        let (report, _) = read([
            (200, "{}"),
            (200, &old),
            (200, "{}"),
            NOT_FOUND,
            (200, r#"{"license_status":"expired"}"#),
        ]);
        let codes = |report: &TargetReport, needs: &[TargetNeed]| {
            report
                .unmet(needs)
                .into_iter()
                .map(|gap| gap.code)
                .collect::<Vec<_>>()
        };
        assert_eq!(codes(&report, &[TargetNeed::GroupMembers]), ["no_groups"]);
        assert_eq!(
            codes(&report, &[TargetNeed::License, TargetNeed::DataPlane]),
            ["no_license"]
        );
        assert!(codes(&report, &[TargetNeed::AdminApi, TargetNeed::RegistryAcls]).is_empty());
        // A Data Plane API without an Admin API beside it leaves open what only the latter tells.
        let (elsewhere, _) = read([(200, "{}"), NOT_FOUND, NOT_FOUND, NOT_FOUND, NOT_FOUND]);
        assert!(
            codes(
                &elsewhere,
                &[
                    TargetNeed::DataPlane,
                    TargetNeed::GroupMembers,
                    TargetNeed::License
                ]
            )
            .is_empty()
        );
        assert_eq!(codes(&elsewhere, &[TargetNeed::AdminApi]), ["no_admin_api"]);
    }

    #[test]
    fn a_refusal_or_a_page_says_nothing_is_missing() {
        let forbidden = (
            403,
            r#"{"message":"Forbidden (superuser role required)","code":403}"#,
        );
        let refused = (403, r#"{"code":"permission_denied","message":"no"}"#);
        let (report, gaps) = read([refused, forbidden, forbidden, refused, forbidden]);
        assert_eq!(
            (report.data_plane, report.admin_v2),
            (ApiPresence::Present, ApiPresence::Present)
        );
        assert_eq!(
            (report.admin_v1, report.registry_acls),
            (ApiPresence::Unknown, ApiPresence::Unknown)
        );
        assert!(gaps.is_empty());
        let (report, gaps) = read([
            (200, "<html>"),
            (502, ""),
            (302, ""),
            (200, ""),
            (500, "{}"),
        ]);
        assert_eq!((report, gaps.len()), (TargetReport::default(), 0));
    }
}

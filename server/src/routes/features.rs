//! `/v1/features`: the license and the enterprise features, as the platform's Admin API states them
//! (D-16, D-91).

use axum::Json;
use axum::extract::State;
use axum::routing::get;
use gbac_api::admin::{EnterpriseFeature, EnterpriseFeatures, FeatureLicense, LicenseDetails};
use gbac_api::license::LicenseStatus;
use gbac_api::paths;
use gbac_engine::model::PrincipalType;
use gbac_engine::policy::{Policy, Settings};

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::surface::Surface;
use crate::state::license::licensed_property;
use crate::state::service::Service;
use crate::state::store::Snapshot;

/// The end of the year 9999: the license of the service has no file and no date.
const NEVER: i64 = 253_402_300_799;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Admin)
        .prefix("/v1/features", Access::SUPERUSER)
        .route(paths::FEATURES_LICENSE, Access::SUPERUSER, get(license))
        .route(
            paths::FEATURES_ENTERPRISE,
            Access::SUPERUSER,
            get(enterprise),
        )
}

async fn license(State(service): State<Service>) -> Json<FeatureLicense> {
    let expires = match service.read().config.license {
        LicenseStatus::Valid => NEVER,
        LicenseStatus::Expired => 0,
        LicenseStatus::Missing => {
            return Json(FeatureLicense {
                loaded: false,
                license: None,
            });
        }
    };
    Json(FeatureLicense {
        loaded: true,
        license: Some(LicenseDetails {
            format_version: 0,
            org: "GBAC".into(),
            kind: "enterprise".into(),
            expires,
            sha256: String::new(),
        }),
    })
}

async fn enterprise(State(service): State<Service>) -> Json<EnterpriseFeatures> {
    let current = service.read();
    let features = features_in_use(&current);
    let is_used = features.iter().any(|feature| feature.enabled);
    let (license_status, is_valid) = match current.config.license {
        LicenseStatus::Valid => ("valid", true),
        LicenseStatus::Expired => ("expired", false),
        LicenseStatus::Missing => ("not_present", false),
    };
    Json(EnterpriseFeatures {
        license_status: license_status.into(),
        violation: is_used && !is_valid,
        features,
    })
}

/// The features that require a license here (D-16). Audit and sign-in with a token require none.
fn features_in_use(current: &Snapshot) -> Vec<EnterpriseFeature> {
    vec![
        EnterpriseFeature {
            name: "gbac".into(),
            enabled: uses_groups(&current.policy),
        },
        EnterpriseFeature {
            name: "rbac".into(),
            enabled: uses_roles(&current.policy),
        },
    ]
}

fn uses_groups(policy: &Policy) -> bool {
    licensed_property(&Settings::default(), policy.settings()).is_some()
        || policy
            .known_principals()
            .any(|principal| principal.kind() == PrincipalType::Group)
}

fn uses_roles(policy: &Policy) -> bool {
    policy.role_count() > 0
        || policy
            .known_principals()
            .any(|principal| principal.kind() == PrincipalType::Role)
}

//! The sentences around every page: the bar, banners, sign-in and dialogs.

use crate::phrases::{ago, list};

pub const MISSING_IN_POLICY: &str =
    "They are missing from members, counts, Who can and the simulator.";
pub const LEAVE_SETTINGS: &str = "Leave without saving the settings?";
pub const SETTINGS_ADDED: &str = "Settings added to the draft";
pub const CLAIM_PATH_INVALID: &str =
    "The claim path has an error, so it can't be added to the draft.";
pub const LOCAL_ACCOUNT: &str = "The local account is for the first start and for emergencies. The audit log marks sign-ins with a password.";
pub const TOKEN_INSTEAD_OF_PASSWORD: &str = "Instead of a user name and a password";
pub const SIMULATOR_WITHOUT_SIGN_IN: &str = "Use the simulator without signing in";
pub const SIGN_IN_TO_READ_POLICY: &str =
    "The simulator does not know the policy of the service. Sign in to read it.";

/// A failure of the console, at this place of its code.
pub fn console_failed(place: &str) -> String {
    format!("It stopped at {place}. No changes were sent. Reload the page.")
}

/// A connection to another cluster than that of the service.
pub fn shown_cluster(kind: &str, id: Option<&str>) -> String {
    match id {
        Some(id) => format!("These pages show a {kind} `{id}`."),
        None => format!("These pages show a {kind}."),
    }
}

/// The data that an unreachable service left, with its age in milliseconds.
pub fn data_without_service(age: Option<f64>) -> String {
    match age {
        Some(age) => format!(
            "Showing data from {}. You can't apply changes until the service is reachable.",
            ago(age)
        ),
        None => "No data has been read yet. The simulator works without it.".into(),
    }
}

pub const fn credentials_rejected(relay_requires_sign_in: bool) -> &'static str {
    match relay_requires_sign_in {
        true => {
            "Those of the cluster or of this service may be wrong or expired. Previously read data is still shown."
        }
        false => "They may be wrong or expired. Previously read data is still shown.",
    }
}

pub fn superuser_required(user: Option<&str>) -> String {
    match user {
        Some(user) => format!("Superuser access is required. You are connected as `{user}`."),
        None => "Superuser access is required. The access token has no permission for this.".into(),
    }
}

/// A demonstration, which signs `user` in.
pub fn demo_notice(user: Option<&str>) -> String {
    let access = match user {
        Some(user) => format!("You are signed in automatically as {user}."),
        None => "Reading needs no credentials.".into(),
    };
    format!("A demo in memory: its data is lost when the service stops. {access}")
}

pub fn settings_not_in_draft(names: &[&str]) -> String {
    format!("Changed, and not in the draft: {}.", list(names))
}

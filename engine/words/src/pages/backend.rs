//! Why the console cannot read or change something.

use crate::phrases::count;

pub const CODE_NOT_LOADED: &str = "the code for other clusters could not be loaded";
pub const ROLE_NAME_NOT_IN_PATH: &str = "this role name cannot be part of a Data Plane address";
pub const NO_ADMIN_API: &str = "the service has no upstream Admin API, which is required for this";
pub const NO_DATA_PLANE: &str =
    "the service has no upstream Data Plane, which is required for ACLs";
pub const TESTS_CHANGE: &str = "others change the tests at this moment; try again";
pub const POLICY_NOT_READ: &str = "the policy has not been read yet; refresh first";

pub fn no_group_access(cluster_type: &str) -> String {
    format!("this is a {cluster_type} cluster, which has no group-based access control")
}

pub fn properties_without_groups(number: usize) -> String {
    format!(
        "{}, but none for groups: the version is too old",
        count(number, "property")
    )
}

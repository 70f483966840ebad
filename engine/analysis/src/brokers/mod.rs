//! What decides access in a Kafka cluster besides ACLs: the settings of its brokers, decisions with
//! them, and the effect of other values on the principals that were seen.

mod effect;
mod rules;
mod seen;
mod settings;

pub use effect::{PrincipalEffect, SettingsEffect, settings_effect};
pub use rules::{BrokerRules, opens_resource};
pub use seen::{Caller, SeenCallers, SeenRequest};
pub use settings::{BrokerSetting, BrokerSettingError, BrokerSettings, SettingValue};

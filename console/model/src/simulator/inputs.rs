//! The inputs of the simulator, the problem of each field, and the parts of the page that are open.

use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::{Operation, ResourceType};
use gbac_engine::{Assumption, ResolveError};
use gbac_words::rich_text::RichText;

/// How the identity is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IdentityMode {
    /// By a token.
    #[default]
    Token,
    /// By a user name and groups.
    ByHand,
}

/// How the identity is entered, with the names of one by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnteredIdentity {
    /// By the token, which is not in here.
    Token,
    /// By hand: a user, and a group a line.
    Names {
        /// The user.
        user: String,
        /// The groups.
        groups: String,
    },
}

/// Whose settings turn claims into an identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SettingsSource {
    /// The service's.
    #[default]
    Service,
    /// Those entered here; the service keeps its own.
    WhatIf,
}

/// Settings to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhatIfSettings {
    /// `oidc_group_claim_path`, or `${context.userinfo.<path>}` (specification 2.2, 2.3).
    pub claim_path: String,
    /// `nested_group_behavior`.
    pub nested: NestedGroupBehavior,
    /// `oidc_principal_mapping` (D-13).
    pub mapping: String,
}

/// The defaults of specification 2.2 and D-13.
impl Default for WhatIfSettings {
    fn default() -> Self {
        Self {
            claim_path: "$.groups".into(),
            nested: NestedGroupBehavior::None,
            mapping: "$.sub".into(),
        }
    }
}

/// What is assumed about a token, entered here or elsewhere: what is not checked of it, and the
/// settings that read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenAssumption {
    /// A fact that was not checked, with the issuer or the audience that counted in place of the
    /// service's.
    Unchecked(Assumption, Option<String>),
    /// A claim path in place of the service's.
    ClaimPath(String),
    /// How nested names were read in place of the service's way.
    NestedNames(NestedGroupBehavior),
    /// The mapping of the user in place of the service's.
    UserClaim(String),
}

/// Everything that a person enters. It lives in this tab's memory and nowhere else; it has no
/// `Debug`, so that no log can hold a token by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct Inputs {
    /// How the identity is given.
    pub mode: IdentityMode,
    /// The token, as it was pasted.
    pub token: String,
    /// Whether a JSON object in the token field stands for the claims of a token.
    pub as_claims: bool,
    /// The user-info document, as it was pasted (D-25).
    pub userinfo: String,
    /// The user's name, by hand.
    pub user: String,
    /// The groups, by hand: one per line.
    pub groups: String,
    /// What the names by hand rest on; they came with a link.
    pub carried: Vec<TokenAssumption>,
    /// Whose settings are used.
    pub source: SettingsSource,
    /// The settings to try.
    pub what_if: WhatIfSettings,
    /// Whether settings were tried before, so that they are not replaced by the service's again.
    pub tried: bool,
    /// The requested operation.
    pub operation: Operation,
    /// The type of the resource.
    pub resource_type: ResourceType,
    /// The name of the resource.
    pub resource_name: String,
    /// The client's address; empty when it is not known (D-04).
    pub host: String,
    /// Whether an expired identity is answered for as if it had not expired.
    pub ignore_expiry: bool,
    /// Whether a token that the platform of today refuses is refused, too (D-29).
    pub platform: bool,
    /// The keys to verify with: a JWKS as it was pasted or fetched.
    pub keys: String,
    /// The issuer that the token has to name; empty to leave that check out.
    pub issuer: String,
    /// The audience that the token has to name; empty to leave that check out.
    pub audience: String,
}

impl Default for Inputs {
    fn default() -> Self {
        Self {
            mode: IdentityMode::Token,
            token: String::new(),
            as_claims: false,
            userinfo: String::new(),
            user: String::new(),
            groups: String::new(),
            carried: Vec::new(),
            source: SettingsSource::Service,
            what_if: WhatIfSettings::default(),
            tried: false,
            operation: Operation::Read,
            resource_type: ResourceType::Topic,
            resource_name: String::new(),
            host: String::new(),
            ignore_expiry: false,
            platform: false,
            keys: String::new(),
            issuer: String::new(),
            audience: String::new(),
        }
    }
}

impl Inputs {
    /// The token's text; empty by hand.
    pub fn token(&self) -> &str {
        self.of_token(&self.token)
    }

    /// The text of the keys; empty by hand.
    pub fn keys(&self) -> &str {
        self.of_token(&self.keys)
    }

    fn of_token<'a>(&self, text: &'a str) -> &'a str {
        match self.mode {
            IdentityMode::Token => text,
            IdentityMode::ByHand => "",
        }
    }

    /// The text of the user-info document; none by hand.
    pub fn userinfo(&self) -> Option<&str> {
        (self.mode == IdentityMode::Token).then_some(&self.userinfo)
    }

    /// The settings that are tried, if they are used.
    pub fn tried_settings(&self) -> Option<&WhatIfSettings> {
        (self.source == SettingsSource::WhatIf).then_some(&self.what_if)
    }

    /// How the identity is entered, with the names of one by hand.
    pub fn identity(&self) -> EnteredIdentity {
        match self.mode {
            IdentityMode::Token => EnteredIdentity::Token,
            IdentityMode::ByHand => EnteredIdentity::Names {
                user: self.user.clone(),
                groups: self.groups.clone(),
            },
        }
    }

    /// How the identity is entered; none while nothing is.
    pub fn entered(&self) -> Option<IdentityMode> {
        (!self.is_anonymous()).then_some(self.mode)
    }

    /// Whether neither a token nor a name is entered.
    pub fn is_anonymous(&self) -> bool {
        match self.mode {
            IdentityMode::Token => self.token.trim().is_empty(),
            IdentityMode::ByHand => self.user.is_empty() && self.groups.trim().is_empty(),
        }
    }

    /// Takes out the token and everything that came with it: the user-info document and the keys.
    pub fn clear_token(&mut self) {
        self.token.clear();
        self.userinfo.clear();
        self.keys.clear();
        self.issuer.clear();
        self.audience.clear();
        self.as_claims = false;
        self.ignore_expiry = false;
    }

    /// Puts another token in the place of the present one; what belonged to the old one goes.
    pub fn put_token(&mut self, token: &str) {
        self.mode = IdentityMode::Token;
        self.token = token.into();
        self.as_claims = false;
        self.ignore_expiry = false;
    }

    /// Tries settings; the first time they are those of the service, to start from.
    pub fn try_settings(&mut self, service: &WhatIfSettings) {
        self.source = SettingsSource::WhatIf;
        if !self.tried {
            self.what_if = service.clone();
            self.tried = true;
        }
    }

    /// Whether the resource type has one resource without a name of one's own.
    pub const fn is_nameless(resource_type: ResourceType) -> bool {
        matches!(
            resource_type,
            ResourceType::Cluster | ResourceType::Registry
        )
    }
}

/// A field of the page, for what is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InputField {
    /// The token.
    Token,
    /// The user-info document.
    UserInfo,
    /// The user's name.
    User,
    /// The groups by hand.
    Groups,
    /// The claim path to try.
    ClaimPath,
    /// The principal mapping to try.
    Mapping,
    /// The operation.
    Operation,
    /// The resource's name.
    ResourceName,
    /// The host.
    Host,
    /// The keys.
    Keys,
}

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Something to know; the input is used as it is.
    Info,
    /// Something to look at; the input is used as it is.
    Warning,
    /// Still to be entered; nothing is wrong yet.
    Missing,
    /// The input cannot be used.
    Error,
}

impl Weight {
    /// Whether the input cannot be used.
    pub const fn blocks_evaluation(self) -> bool {
        matches!(self, Self::Missing | Self::Error)
    }
}

/// What is wrong with a field, or worth knowing about it, and what can be done at once.
#[derive(Debug, Clone, PartialEq)]
pub struct InputProblem {
    /// The field.
    pub field: InputField,
    /// A stable name of the fault.
    pub code: &'static str,
    /// How much it matters.
    pub weight: Weight,
    /// What was found and what to do.
    pub words: RichText,
    /// What can be done at once.
    pub actions: Vec<Action>,
}

impl InputProblem {
    /// A problem without an action.
    #[must_use]
    pub fn new(
        field: InputField,
        code: &'static str,
        weight: Weight,
        words: impl Into<RichText>,
    ) -> Self {
        Self {
            field,
            code,
            weight,
            words: words.into(),
            actions: Vec::new(),
        }
    }

    /// A fault in the engine's words: what was found, then what to do.
    #[must_use]
    pub fn fault(field: InputField, code: &'static str, message: &str, hint: &str) -> Self {
        Self::new(
            field,
            code,
            Weight::Error,
            RichText::with_hint(message, hint),
        )
    }

    /// The same with a button.
    #[must_use]
    pub fn with(mut self, label: impl Into<String>, change: InputEdit) -> Self {
        self.actions.push(Action {
            label: label.into(),
            change,
        });
        self
    }
}

/// A button: its label and what it changes.
#[derive(Clone, PartialEq, Eq)]
pub struct Action {
    /// The label.
    pub label: String,
    /// What it does.
    pub change: InputEdit,
}

/// The label only: a change may hold a token.
impl std::fmt::Debug for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Action")
            .field("label", &self.label)
            .finish_non_exhaustive()
    }
}

/// A change of the inputs that the page offers.
#[derive(Clone, PartialEq, Eq)]
pub enum InputEdit {
    /// Puts this text into the token field.
    Token(String),
    /// Reads the JSON object in the token field as claims.
    ReadAsClaims,
    /// Tries this claim path.
    TryClaimPath(String),
    /// Starts again from the settings of the service.
    ServiceSettings,
    /// Puts this text into the groups field.
    Groups(String),
    /// Puts this text into the user field.
    User(String),
    /// Puts this text into the host field.
    Host(String),
    /// Puts this text into the name field.
    ResourceName(String),
    /// Answers for an expired identity as if it had not expired, or no longer.
    IgnoreExpiry(bool),
    /// Compares the token with this issuer and this audience, in place of the service's.
    Expect(String, String),
    /// Compares the token with this issuer; with the service's if it is empty.
    Issuer(String),
    /// Compares the token with this audience; with the service's if it is empty.
    Audience(String),
    /// Tries this way to read nested names.
    NestedNames(NestedGroupBehavior),
    /// Tries this mapping of the user.
    Mapping(String),
    /// Says that the names by hand rest on this, or no longer.
    Carry(TokenAssumption, bool),
}

impl InputEdit {
    /// Makes the change. `service` is what the settings to try start from.
    pub fn apply(self, inputs: &mut Inputs, service: &WhatIfSettings) {
        match self {
            Self::Token(text) => inputs.put_token(&text),
            Self::ReadAsClaims => inputs.as_claims = true,
            Self::TryClaimPath(path) => {
                inputs.try_settings(service);
                inputs.what_if.claim_path = path;
            }
            Self::ServiceSettings => inputs.what_if = service.clone(),
            Self::Groups(text) => inputs.groups = text,
            Self::User(text) => inputs.user = text,
            Self::Host(text) => inputs.host = text,
            Self::ResourceName(text) => inputs.resource_name = text,
            Self::IgnoreExpiry(ignore) => inputs.ignore_expiry = ignore,
            Self::Expect(issuer, audience) => {
                inputs.issuer = issuer;
                inputs.audience = audience;
            }
            Self::Issuer(issuer) => inputs.issuer = issuer,
            Self::Audience(audience) => inputs.audience = audience,
            Self::NestedNames(nested) => inputs.what_if.nested = nested,
            Self::Mapping(mapping) => inputs.what_if.mapping = mapping,
            Self::Carry(assumption, is_carried) => {
                inputs.carried.retain(|known| *known != assumption);
                inputs.carried.extend(is_carried.then_some(assumption));
            }
        }
    }
}

/// Why there is no identity, with what to do.
pub fn identity_error(error: &ResolveError) -> RichText {
    let hint = if let ResolveError::Identity(error) = error {
        error.hint()
    } else {
        ""
    };
    RichText::with_hint(&error.to_string(), hint)
}

/// A part that opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Panel {
    /// Hypothetical changes.
    WhatIf,
    /// The smallest change that allows or denies; in [`Panel::WhatIf`].
    SmallestChange,
    /// A whole API request.
    Request,
    /// A comparison with another user.
    Compare,
    /// Links to this check.
    Share,
    /// Saved tests.
    Tests,
    /// The steps of the extraction; above the path.
    Steps,
    /// Names that become one group; in the extraction.
    Collisions,
    /// The diagnosis of each step; in the extraction.
    Troubleshooting,
    /// The decoded token; in the token's pane.
    Decoded,
}

impl Panel {
    /// The panels that the actions of the verdict open, in order.
    pub const OF_VERDICT: [Self; 4] = [Self::WhatIf, Self::Request, Self::Compare, Self::Share];

    /// The id of its content.
    pub const fn id(self) -> &'static str {
        match self {
            Self::WhatIf => "part-what-if",
            Self::SmallestChange => "part-smallest-change",
            Self::Request => "part-request",
            Self::Compare => "part-compare",
            Self::Share => "part-share",
            Self::Tests => "part-tests",
            Self::Steps => "part-steps",
            Self::Collisions => "part-collisions",
            Self::Troubleshooting => "part-troubleshooting",
            Self::Decoded => "part-decoded",
        }
    }

    /// The id of what focus goes to when it opens.
    pub fn content_id(self) -> String {
        format!("{}-content", self.id())
    }

    /// Its title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::WhatIf => "Try a change",
            Self::SmallestChange => "Smallest change",
            Self::Request => "Whole request",
            Self::Compare => "Compare users",
            Self::Share => "Share",
            Self::Tests => "Tests",
            Self::Steps => "How groups are read",
            Self::Collisions => "Collisions",
            Self::Troubleshooting => "Troubleshoot",
            Self::Decoded => "Decoded token",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trying_a_path_starts_from_the_service() {
        let mut inputs = Inputs::default();
        let service = WhatIfSettings {
            claim_path: "$.roles".into(),
            nested: NestedGroupBehavior::Suffix,
            mapping: "$.email".into(),
        };
        InputEdit::TryClaimPath("$.x".into()).apply(&mut inputs, &service);
        assert!(
            inputs.source == SettingsSource::WhatIf
                && inputs.what_if.nested == NestedGroupBehavior::Suffix
        );
        assert_eq!(
            (
                inputs.what_if.claim_path.as_str(),
                inputs.what_if.mapping.as_str()
            ),
            ("$.x", "$.email")
        );
        inputs.what_if.mapping = "$.upn".into();
        InputEdit::TryClaimPath("$.y".into()).apply(&mut inputs, &service);
        assert_eq!(
            (
                inputs.what_if.claim_path.as_str(),
                inputs.what_if.mapping.as_str()
            ),
            ("$.y", "$.upn")
        );
        // What was tried is still there after a look at the service's own.
        inputs.source = SettingsSource::Service;
        inputs.try_settings(&service);
        assert_eq!(inputs.what_if.claim_path, "$.y");
        InputEdit::ServiceSettings.apply(&mut inputs, &service);
        assert!(inputs.what_if == service);
    }

    #[test]
    fn clearing_leaves_nothing_of_the_token() {
        let mut inputs = Inputs {
            token: "t".into(),
            userinfo: "u".into(),
            keys: "k".into(),
            issuer: "i".into(),
            audience: "a".into(),
            as_claims: true,
            ignore_expiry: true,
            host: "10.0.0.1".into(),
            ..Inputs::default()
        };
        inputs.clear_token();
        assert!(
            inputs
                == Inputs {
                    host: "10.0.0.1".into(),
                    ..Inputs::default()
                }
        );
    }
}

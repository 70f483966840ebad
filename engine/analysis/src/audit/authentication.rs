//! Authentication events (3002): the user who signed in, with every group of the token
//! (specification 6).

use super::event::{Class, Event, Node, status_id};
use super::{Context, Group, User, push_text, without_credentials};

/// The authentication protocol, with OCSF's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthProtocol<'a> {
    /// 0: unknown.
    Unknown,
    /// 2: Kerberos.
    Kerberos,
    /// 4: OpenID Connect.
    OpenId,
    /// 6: OAuth 2.0.
    Oauth2,
    /// 99 with its name, such as `SASL-SCRAM`.
    Named(&'a str),
}

impl AuthProtocol<'_> {
    /// A token of an OIDC identity provider over SASL, in the platform's terms.
    pub const OIDC: AuthProtocol<'static> = AuthProtocol::Named("SASL-OAUTHBEARER");

    const fn id(&self) -> i64 {
        match self {
            Self::Unknown => 0,
            Self::Kerberos => 2,
            Self::OpenId => 4,
            Self::Oauth2 => 6,
            Self::Named(_) => 99,
        }
    }

    /// Adds the name and the number to the members of an object.
    pub(super) fn push_members(&self, members: &mut Vec<(&'static str, Node)>) {
        if let Self::Named(name) = self {
            push_text(members, "auth_protocol", Some(name));
        }
        members.push(("auth_protocol_id", Node::Number(self.id())));
    }
}

/// The result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInResult<'a> {
    /// Signed in.
    Success {
        /// Every group of the identity, in token order (specification 6).
        groups: &'a [String],
    },
    /// Refused. Apart from the user's name, nothing from the credential is recorded.
    Failure {
        /// The reason, as text. Credentials are removed.
        detail: &'a str,
    },
}

/// The content of an authentication event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Authentication<'a> {
    /// Time, product and endpoints.
    pub context: Context<'a>,
    /// The user who signed in or tried to.
    pub user: User<'a>,
    /// The protocol.
    pub protocol: AuthProtocol<'a>,
    /// Whether the credential was sent without TLS.
    pub cleartext: bool,
    /// The result.
    pub result: SignInResult<'a>,
}

/// Creates the event of one sign-in.
///
/// ```
/// use gbac_analysis::audit::{AuthProtocol, Authentication, Context, Endpoint, Product, SignInResult, User, authentication, service};
/// let (product, groups) = (Product::default(), ["engineering".to_string()]);
/// let context = Context {
///     time_ms: 1_700_000_000_000,
///     product: &product,
///     service: service::KAFKA,
///     server: Endpoint::default(),
///     client: Endpoint::default(),
///     correlation_uid: None,
///     invoked_by: None,
/// };
/// let event = authentication(&Authentication {
///     context,
///     user: User { name: "alice", ..User::default() },
///     protocol: AuthProtocol::OIDC,
///     cleartext: false,
///     result: SignInResult::Success { groups: &groups },
/// });
/// assert_eq!(gbac_json::event_to_value(&event)["user"]["groups"][0]["type"], "idp_group");
/// ```
#[must_use]
pub fn authentication(input: &Authentication<'_>) -> Event {
    event(input, LOGON)
}

/// The event of the end of a session that began with a sign-in.
#[must_use]
pub fn sign_out(input: &Authentication<'_>) -> Event {
    event(input, LOGOFF)
}

fn event(input: &Authentication<'_>, activity_id: i64) -> Event {
    let mut body = Vec::new();
    if let Some(gateway) = input.context.invoked_by {
        body.push((
            "actor",
            Node::Object(vec![("invoked_by", Node::text(gateway))]),
        ));
    }
    input.protocol.push_members(&mut body);
    body.push(("dst_endpoint", input.context.dst_endpoint()));
    body.push(("is_cleartext", Node::Flag(input.cleartext)));
    body.push(("is_mfa", Node::Flag(false)));
    body.push(("service", input.context.service()));
    body.push(("src_endpoint", input.context.src_endpoint(None)));
    match input.result {
        SignInResult::Success { groups } => {
            let groups: Vec<Group<'_>> = groups.iter().map(|name| Group::Idp(name)).collect();
            body.push(("status_id", status_id(true)));
            body.push(("user", input.user.node(input.user.kind, &groups)));
        }
        SignInResult::Failure { detail } => {
            // A token that a user typed as a name must not be logged.
            let name = without_credentials(input.user.name);
            let user = User {
                name: &name,
                uid: None,
                domain: None,
                kind: input.user.kind,
            };
            body.push(("status_code", Node::text("credentials_rejected")));
            body.push(("status_id", status_id(false)));
            push_text(
                &mut body,
                "status_detail",
                Some(&without_credentials(detail)),
            );
            body.push(("user", user.node(user.kind, &[])));
        }
    }
    Event::new(Class::Authentication, activity_id, &input.context, body)
}

/// OCSF's activity "Logon".
const LOGON: i64 = 1;
/// OCSF's activity "Logoff".
const LOGOFF: i64 = 2;

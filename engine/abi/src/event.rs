//! Audit events (specification 6): a sign-in with its groups, and a decision with the group whose
//! ACL matched.

use gbac_analysis::audit::{
    ApiActivity, AuthProtocol, Authentication, Authorization, Context, Endpoint, Event, Product,
    SignInResult, User, UserKind, api_activity, authentication, service,
};
use gbac_engine::{Dialect, Identity, Outcome, Policy, PreparedIdentity};

use crate::records::Reader;
use crate::request::{client, request};
use crate::{AbiError, values};

/// What every event has.
struct Common<'b> {
    product: Product,
    user: User<'b>,
    client: Endpoint<'b>,
    start_ms: i64,
    end_ms: i64,
    count: u64,
}

impl<'b> Common<'b> {
    fn read(reader: &mut Reader<'b>, dialect: Dialect) -> Result<Self, AbiError> {
        let product = Product {
            uid: Some(reader.text()?.to_owned()),
            ..Product::default()
        };
        let user = User {
            name: reader.text()?,
            ..User::default()
        };
        let client = Endpoint {
            ip: Some(client(dialect, reader.text()?)?),
            port: None,
            name: Some(reader.text()?),
        };
        Ok(Self {
            product,
            user,
            client,
            start_ms: reader.time()?,
            end_ms: reader.time()?,
            count: reader.number()?,
        })
    }

    fn context(&self) -> Context<'_> {
        Context {
            time_ms: self.start_ms,
            product: &self.product,
            service: service::KAFKA,
            server: Endpoint::default(),
            client: self.client,
            correlation_uid: None,
            invoked_by: None,
        }
    }

    fn line(&self, event: Event) -> String {
        if self.count > 1 {
            event
                .repeated(self.count, self.start_ms, self.end_ms)
                .to_line()
        } else {
            event.to_line()
        }
    }
}

/// The event of a sign-in with a token. Behind what all events begin with is whether the token was
/// sent without TLS.
pub(crate) fn sign_in(
    policy: &Policy,
    identity: &Identity,
    bytes: &[u8],
) -> Result<String, AbiError> {
    let mut reader = Reader::new(bytes);
    let common = Common::read(&mut reader, policy.settings().dialect)?;
    let cleartext = reader.byte()? == 1;
    reader.end()?;
    Ok(common.line(authentication(&Authentication {
        context: common.context(),
        user: common.user,
        protocol: AuthProtocol::OIDC,
        cleartext,
        result: SignInResult::Success {
            groups: identity.groups(),
        },
    })))
}

/// The event of a decision. Behind what all events begin with are the operation, the type and the
/// name of the resource, and who decided: 0 the ACLs, 1 another rule that denies, 2 one that
/// allows, 3 that the user is a superuser; then the reason of such a rule.
pub(crate) fn decision(
    policy: &Policy,
    identity: Option<&mut PreparedIdentity>,
    bytes: &[u8],
) -> Result<String, AbiError> {
    let mut reader = Reader::new(bytes);
    let dialect = policy.settings().dialect;
    let mut common = Common::read(&mut reader, dialect)?;
    let operation = values::operation(i32::from(reader.byte()?), dialect)?;
    let resource_type = i32::from(reader.byte()?);
    let name = reader.text()?;
    let rule = reader.byte()?;
    let reason = reader.text()?;
    reader.end()?;
    let request =
        request(policy, operation, resource_type, -1, name.as_bytes())?.with_host(common.client.ip);
    let found;
    let authorization = match (rule, identity) {
        (0, Some(identity)) => {
            found = identity.decide(policy, &request);
            Authorization::Acl {
                request,
                decision: &found,
            }
        }
        (1, _) => Authorization::Service {
            outcome: Outcome::Deny,
            reason,
        },
        (2 | 3, _) => Authorization::Service {
            outcome: Outcome::Allow,
            reason,
        },
        _ => return Err(AbiError::Value),
    };
    if rule == 3 {
        common.user.kind = UserKind::Admin;
    }
    Ok(common.line(api_activity(&ApiActivity {
        context: common.context(),
        user: common.user,
        operation: operation.spelling().audit,
        authorization,
        http: None,
        resources: &[],
    })))
}

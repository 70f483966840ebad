//! A check that the service evaluates, for callers who can evaluate requests but not read the
//! policy.

use gbac_analysis::check::Query;
use gbac_api::paths;
use gbac_engine::Subject;
use gbac_engine::decide::Outcome;
use gbac_engine::model::CLUSTER_NAME;
use gbac_words::commands::access;
use reqwest::Method;
use serde_json::{Map, Value, json};

use super::explain::deny_refused;
use crate::args::{CheckArgs, Format};
use crate::client::{CallError, Client, stated_refusal};
use crate::output::{self, Failure, plain};
use crate::process::Process;
use crate::query;

/// Asks the service, and writes its decision, which has no explanation.
pub(crate) fn run(
    process: &Process,
    args: &CheckArgs,
    client: &Client,
    format: Format,
) -> Result<u8, Failure> {
    let local = [
        ("--requests", args.requests.is_some()),
        ("--principal", args.principal.principal.is_some()),
        ("--audit", args.audit.is_some()),
        ("--at", args.subject.at.is_some()),
        ("--jwks", args.subject.keys.jwks.is_some()),
        ("--userinfo", args.subject.userinfo.is_some()),
    ];
    if let Some((flag, _)) = local.into_iter().find(|(_, given)| *given) {
        let message =
            format!("{flag} with --online requires a superuser or the access `read_only`; omit it");
        return Err(Failure::new("access_missing", message));
    }
    let check = query::unresolved_check(process, args, false)?;
    let subject = match &check.subject {
        Subject::Names { user, groups } => {
            json!({ "type": "user", "id": user, "properties": { "groups": groups } })
        }
        Subject::UnverifiedToken { token, .. } | Subject::Token { token, .. } => {
            json!({ "type": "token", "id": token })
        }
        Subject::Principal { .. } | Subject::Claims { .. } => {
            return Err(Failure::usage(
                "the service evaluates users and tokens; pass --user or --token-file",
            ));
        }
    };
    let (action, resource) = match &check.query {
        Query::Access {
            operation,
            resource_type,
            resource_name,
        } => (
            json!({ "name": operation.spelling().cli }),
            json!({ "type": resource_type.spelling().cli, "id": resource_name }),
        ),
        Query::Api {
            api,
            name,
            resources,
        } => {
            let names: Map<String, Value> = resources
                .iter()
                .map(|(kind, names)| (kind.to_owned(), json!(names)))
                .collect();
            (
                json!({ "name": format!("{api}:{name}"), "properties": { "resources": names } }),
                json!({ "type": "cluster", "id": CLUSTER_NAME }),
            )
        }
    };
    let context = check
        .host
        .map_or_else(|| json!({}), |host| json!({ "host": host }));
    let body =
        json!({ "subject": subject, "action": action, "resource": resource, "context": context });
    let answer: Value = client.change(Method::POST, paths::ACCESS_EVALUATION, &body)?;
    let (Some(allowed), Some(reason)) = (answer["decision"].as_bool(), answer.get("context"))
    else {
        return Err(CallError::NotJson(paths::ACCESS_EVALUATION.into()).into());
    };
    if let Some(refusal) = stated_refusal(&answer) {
        return deny_refused(process, &refusal, None, format);
    }
    match format {
        Format::Json | Format::Yaml => output::value(process, format, reason)?,
        Format::Text => output::text(process, &render(client, allowed, reason))?,
    }
    Ok(if allowed {
        output::SUCCESS
    } else {
        output::DENIED
    })
}

fn render(client: &Client, allowed: bool, reason: &Value) -> String {
    let verdict = output::outcome(match allowed {
        true => Outcome::Allow,
        false => Outcome::Deny,
    });
    let named = [&reason["reason"], &reason["error"]["code"]]
        .into_iter()
        .find_map(Value::as_str);
    let because = named.map_or_else(String::new, |code| format!(": {}", plain(code)));
    let decided_by = access::evaluated_by(&plain(client.url()));
    format!("{verdict}{because}\n{decided_by}\n")
}

//! `gbac permissions`: what somebody may do.

use std::process::ExitCode;

use gbac_analysis::{Grant, GrantException, Permissions, Scope, permissions, permissions_of};
use gbac_engine::decide::At;
use gbac_engine::model::{Host, Principal};
use gbac_json::PermissionsJson;
use serde_json::{Value, json};

use super::explain::{expired, names, operations, token};
use crate::args::{Format, PermissionsArgs};
use crate::input::{self, Verifier};
use crate::output::{self, Failure, plain, table};
use crate::question;

pub(crate) fn run(args: &PermissionsArgs, format: Format) -> Result<ExitCode, Failure> {
    let policy = input::policy(&args.policy)?;
    let at = At::seconds(args.who.seconds());
    let (who, may, is_expired) = if let Some(principal) = &args.principal {
        let principal = Principal::parse(principal)
            .map_err(|error| Failure::usage(format!("--principal: {error}; {}", error.hint())))?;
        (format!("{}\n", plain(&principal.to_string())), permissions_of(&policy, &Scope::of(&principal)), false)
    } else {
        let opened = question::person(&args.who, &policy, Verifier::of(&args.who.keys, args.who.seconds())?.as_ref())?;
        let who = format!("User:{}\n{}{}", plain(opened.identity.user()), token(&opened), expired(&opened, at));
        (who, permissions(&policy, &opened.identity), opened.identity.is_expired(at))
    };
    match format {
        Format::Json | Format::Yaml => {
            let mut value = json!(PermissionsJson::from(&may));
            if let (Value::Object(members), true) = (&mut value, is_expired) {
                members.insert("expired".into(), true.into());
            }
            output::value(format, &value)?;
        }
        Format::Text => output::text(&format!("{who}{}", words(&may)))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn words(may: &Permissions) -> String {
    if may.superuser {
        return "May do everything: a superuser; no ACL is asked.\n".into();
    }
    if may.grants.is_empty() {
        return "May do nothing: no ACL allows anything.\n".into();
    }
    let rows: Vec<Vec<String>> = may.grants.iter().map(row).collect();
    format!("\n{}", table(&["RESOURCE", "OPERATIONS", "HOST", "EXCEPT"], &rows))
}

fn row(grant: &Grant) -> Vec<String> {
    let except: Vec<String> = grant.except.iter().map(|exception| excepted(grant, exception)).collect();
    vec![
        names(grant.resource_type, grant.pattern.pattern_type, &grant.pattern.name),
        operations(&grant.operations),
        grant.host.to_string(),
        except.join("; "),
    ]
}

fn excepted(grant: &Grant, exception: &GrantException) -> String {
    let names = names(grant.resource_type, exception.pattern.pattern_type, &exception.pattern.name);
    match exception.host {
        Host::Any => names,
        host @ Host::Address(_) => format!("{names} from {host}"),
    }
}

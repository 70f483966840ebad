//! `gbac policy what-if`: who is denied or allowed with other values of the settings that decide
//! access besides ACLs.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use gbac_analysis::brokers::{
    BrokerRules, BrokerSetting, BrokerSettings, PrincipalEffect, SeenCallers, SeenRequest,
    settings_effect,
};
use gbac_api::audit::AuditEvents;
use gbac_api::paths;
use gbac_api::what_if::{SeenIn, SettingsReport};
use gbac_engine::model::Dialect;
use gbac_words::commands::{access, cluster, denial};
use gbac_words::phrases::count;
use gbac_words::settings_effect as words;

use crate::args::policy_source::{self, LoadedPolicy, PolicySourceArgs};
use crate::args::question;
use crate::input;
use crate::output::{self, Failure, Format, plain, sentence};
use crate::process::Process;

/// How many principals and requests of each the text has, if no number is given.
const LISTED: usize = 20;

#[derive(Debug, Args)]
pub(crate) struct SettingsWhatIfArgs {
    /// Setting to try, such as allow.everyone.if.no.acl.found=false; an empty value is the default.
    #[arg(long, value_name = "NAME=VALUE", required = true)]
    set: Vec<String>,
    /// File with past requests to decide again, `-` for standard input: audit events of the plugin
    /// or of the service, or a log with denials. Can be repeated.
    #[arg(long, value_name = "FILE")]
    seen: Vec<PathBuf>,
    /// File with an access token of somebody who calls, for settings that read other groups or users
    /// from it. Can be repeated.
    #[arg(id = "seen_token", long = "token-file", value_name = "FILE")]
    tokens: Vec<PathBuf>,
    /// Maximum number of principals and of requests of each in the text; JSON has all.
    #[arg(long, value_name = "N", default_value_t = LISTED)]
    limit: usize,
    #[command(flatten)]
    policy: PolicySourceArgs,
}

/// The settings that are tried.
type Tried = Vec<(BrokerSetting, String)>;

pub(super) fn run(
    process: &Process,
    args: &SettingsWhatIfArgs,
    format: Format,
) -> Result<bool, Failure> {
    let standard = |path: &&PathBuf| path.as_path() == Path::new("-");
    if args
        .seen
        .iter()
        .chain(&args.tokens)
        .filter(standard)
        .count()
        > 1
    {
        return Err(input::shared_standard_input());
    }
    let loaded = policy_source::load(process, &args.policy)?;
    let is_of_brokers = loaded.settings.is_some();
    let mut settings = loaded.settings.clone().unwrap_or_default();
    settings.fill(loaded.policy.settings(), is_of_brokers);
    let (tried, after) = tried(&args.set, &settings)?;
    for (setting, _) in &tried {
        let is_kafka = loaded.policy.settings().dialect == Dialect::Kafka;
        if *setting == BrokerSetting::AllowEveryone && !is_kafka {
            return Err(Failure::usage(words::ONLY_KAFKA));
        }
        if is_of_brokers && !settings.value(*setting).is_known() {
            let unknown = words::present_unknown(*setting, cluster::PASS_PROPERTIES);
            return Err(Failure::new("setting_unknown", unknown));
        }
    }
    let (seen_in, seen) = seen(process, args, &loaded)?;
    let mut changed = loaded.policy.clone();
    let rules = BrokerRules::new(&mut changed, &after);
    let before = (&loaded.policy, &loaded.rules);
    let effect = settings_effect(before, (&changed, &rules), &seen);
    let most = match format {
        Format::Json | Format::Yaml => usize::MAX,
        Format::Text => args.limit,
    };
    let mut report = words::report(&settings, &tried, seen_in, &effect, most);
    report.notes = words::notes(&settings, &tried, &seen, is_of_brokers);
    match format {
        Format::Json | Format::Yaml => {
            policy_source::write_value(process, loaded.state.as_ref(), format, report)?;
        }
        Format::Text => {
            let origin = words::seen_in(seen_in, &effect);
            let mut text = format!("{}\n{origin}\n", plain(&report.summary));
            render(&mut text, &report, &effect.callers, args.limit);
            policy_source::write_text(process, loaded.state.as_ref(), &text)?;
        }
    }
    Ok(true)
}

/// The settings of the flags, and all settings with them.
fn tried(flags: &[String], present: &BrokerSettings) -> Result<(Tried, BrokerSettings), Failure> {
    let (mut tried, mut after) = (Tried::new(), present.clone());
    for flag in flags {
        let Some((name, value)) = flag.split_once('=') else {
            let shown = plain(flag);
            return Err(Failure::usage(format!(
                "--set: `{shown}` is not NAME=VALUE"
            )));
        };
        let (name, value) = (name.trim(), value.trim());
        match after.state_by_name(name, value) {
            Ok(setting) => tried.push((setting, value.to_owned())),
            Err(error) => return Err(Failure::usage(format!("--set: {error}"))),
        }
    }
    Ok((tried, after))
}

/// Who was seen: in the files, in the events of the service, or in the policy.
fn seen(
    process: &Process,
    args: &SettingsWhatIfArgs,
    loaded: &LoadedPolicy,
) -> Result<(SeenIn, SeenCallers), Failure> {
    let mut seen = SeenCallers::default();
    for path in &args.seen {
        read_lines(process, path, &mut seen)?;
    }
    for path in &args.tokens {
        let subject = question::by_token(process, Some(path), None, false)?;
        let resolved = question::resolve(&loaded.policy, &subject, None)?;
        seen.add_token(resolved.identity.principal(), subject);
    }
    if !args.seen.is_empty() || !args.tokens.is_empty() {
        return Ok((SeenIn::Lines, seen));
    }
    if let Some(state) = &loaded.state {
        let events: AuditEvents = state
            .client()
            .get(&format!("{}?limit=1000", paths::AUDIT))?;
        for event in &events.events {
            seen.add_event(event);
        }
        seen.retain_with_requests();
        if !seen.is_empty() {
            return Ok((SeenIn::Events, seen));
        }
    }
    seen.add_policy(&loaded.policy);
    Ok((SeenIn::Policy, seen))
}

fn read_lines(process: &Process, path: &Path, seen: &mut SeenCallers) -> Result<(), Failure> {
    let name = plain(&path.display().to_string());
    let mut lines = input::lines(process, path)?;
    let (mut number, mut faults, mut first) = (0_u64, 0_usize, None);
    loop {
        let next = input::next_line(&mut lines).map_err(|error| Failure::io(&name, &error))?;
        let Some(line) = next else { break };
        number += 1;
        if let Err(fault) = seen.add_line(&line) {
            faults += 1;
            first.get_or_insert((number, fault));
        }
    }
    if let Some((number, fault)) = first {
        let fault = sentence(&denial::fault_words(&fault));
        let lines = count(faults, "line");
        let note = format!(
            "note: {name}: {}",
            words::not_understood(&lines, number, &fault)
        );
        output::note(process, &note);
    }
    Ok(())
}

fn render(text: &mut String, report: &SettingsReport, callers: &[PrincipalEffect], limit: usize) {
    for note in &report.notes {
        let _ = writeln!(text, "note: {}", plain(note));
    }
    for (caller, effect) in report.callers.iter().zip(callers) {
        let _ = writeln!(text, "\n{}", plain(&caller.principal));
        for effect in words::effects(effect) {
            let _ = writeln!(text, "  {}", sentence(&effect));
        }
        for (what, requests) in [("Denied", &effect.denied), ("Allowed", &effect.allowed)] {
            for request in requests.iter().take(limit) {
                let _ = writeln!(text, "    {what}: {}", asked(request));
            }
            if requests.len() > limit {
                let _ = writeln!(text, "    and {} more", requests.len() - limit);
            }
        }
    }
    if report.omitted_callers > 0 {
        let more = count(report.omitted_callers, "more principal");
        let _ = writeln!(text, "\n{more}; --limit N lists them");
    }
}

fn asked(request: &SeenRequest) -> String {
    let (operation, kind) = (request.operation, request.resource_type);
    let asked = sentence(&access::request(
        operation,
        kind,
        Some(&request.resource_name),
    ));
    match request.host {
        Some(host) => format!("{asked} from {host}"),
        None => asked,
    }
}

//! Commands that change a cluster: what it lacks is said before anything is sent, and nothing that
//! it does not need is asked.

use crate::support::program::Run;
use crate::support::service::{Service, run};
use gbac_tests::platform::{BrokerVersion, Platform, PlatformApi, PlatformOptions, Recorded};
use tempfile::TempDir;

use super::self_managed;

fn old() -> Platform {
    let options = PlatformOptions {
        version: BrokerVersion::V25_3,
        license: false,
        registry_acls: false,
        ..PlatformOptions::default()
    };
    Platform::start(options)
}

fn command(folder: &TempDir, url: &str, line: &str) -> Run {
    let args: Vec<&str> = line.split(' ').collect();
    run(
        folder,
        &[
            ("GBAC_URL", url),
            ("GBAC_USER", "admin"),
            ("GBAC_PASSWORD", "secret"),
        ],
        &args,
    )
}

/// Whether a request changes nothing.
fn is_read(request: &Recorded) -> bool {
    request.method == "GET" || request.target.ends_with("/ListCurrentUserRoles")
}

const GROUPS: &str = "version v25.3.4 has no groups; they begin with v26.1: ";
const LICENSE: &str = "there is no license: ";
const REGISTRY: &str = "the Schema Registry has no ACLs: ";

#[test]
fn a_change_that_a_cluster_cannot_make_is_refused_before_it_is_sent() {
    let (folder, platform) = (tempfile::tempdir().expect("a folder"), old());
    let url = platform.url(PlatformApi::Both);
    let topic = "security acl create --operation read --topic t";
    for (line, code, says) in [
        (
            format!("{topic} --allow-principal Group:eng"),
            "no_groups",
            &[GROUPS, LICENSE][..],
        ),
        (format!("{topic} --deny-role r"), "no_license", &[LICENSE]),
        (
            "security acl create --operation read --registry-subject s --allow-principal bob"
                .into(),
            "no_registry_acls",
            &[REGISTRY, LICENSE],
        ),
        (
            "security acl delete --registry-global --no-confirm".into(),
            "no_registry_acls",
            &[REGISTRY, LICENSE],
        ),
        ("security role create r".into(), "no_license", &[LICENSE]),
        (
            "security role assign r --principal bob".into(),
            "no_license",
            &[LICENSE],
        ),
        (
            "security role assign r --principal Group:eng".into(),
            "no_groups",
            &[GROUPS, LICENSE],
        ),
        (
            "security role unassign r --principal Group:eng".into(),
            "no_groups",
            &[GROUPS, LICENSE],
        ),
        (
            "cluster config set nested_group_behavior suffix".into(),
            "no_groups",
            &[GROUPS, LICENSE],
        ),
        (
            "cluster config set audit_enabled=true superusers=admin".into(),
            "no_license",
            &[LICENSE],
        ),
        (
            "cluster license set valid".into(),
            "no_license_call",
            &["whose license is a file", "gbac whoami"],
        ),
        (
            "cluster license".into(),
            "no_license_call",
            &["whose license is a file"],
        ),
        (
            format!("{topic} --allow-principal bob --dry-run"),
            "no_whole_policy",
            &["no call for a whole policy"],
        ),
    ] {
        let text = command(&folder, &url, &format!("{line} --format json"));
        assert!(
            text.out.contains(&format!("\"code\":\"{code}\"")),
            "{line}: {}",
            text.out
        );
        assert_eq!(text.exit, 1, "{line}: {}", text.out);
        let text = text.err;
        for part in says {
            assert!(text.contains(part), "{line}: {text}");
        }
        let sent = platform.take_requests();
        let license_call = |request: &Recorded| request.target == "/gbac/v1/license";
        assert!(
            sent.iter()
                .all(|request| is_read(request) || license_call(request)),
            "{line}: {sent:?}"
        );
    }
    assert!(platform.state().roles.is_empty() && platform.state().acls.is_empty());
    assert_eq!(platform.state().config_version, 1);
}

#[test]
fn what_a_change_does_not_need_may_be_missing() {
    let (folder, platform) = (tempfile::tempdir().expect("a folder"), old());
    let url = platform.url(PlatformApi::Both);
    for (line, targets) in [
        (
            "security acl create --operation read --topic t --allow-principal bob",
            &[
                "/gbac/v1/service",
                "/v1/acls?filter.resource_type=RESOURCE_TYPE_REGISTRY",
                "/v1/acls",
            ][..],
        ),
        ("security acl list --topic t", &["/v1/acls?"]),
        ("security role list", &["/v1/roles?page_size=-1"]),
        (
            "security acl delete --topic t --no-confirm",
            &[
                "/v1/acls?",
                "/gbac/v1/service",
                "/v1/acls?filter.resource_type=RESOURCE_TYPE_REGISTRY",
                "/v1/acls?",
            ],
        ),
        (
            "cluster config set superusers admin,bob",
            &[
                "/gbac/v1/service",
                "/v1/brokers",
                "/v1/security/users/roles",
                "/redpanda.core.admin.v2.SecurityService/ListCurrentUserRoles",
                "/v1/cluster_config/schema",
                "/v1/cluster_config",
            ],
        ),
        (
            "cluster config get superusers",
            &["/v1/cluster_config?key=superusers"],
        ),
    ] {
        let done = command(&folder, &url, line);
        assert_eq!((done.exit, done.err.as_str()), (0, ""), "{line}");
        let sent: Vec<String> = platform
            .take_requests()
            .into_iter()
            .map(|request| request.target)
            .collect();
        let is_alike = |(sent, wanted): (&String, &&str)| {
            sent == wanted || wanted.ends_with('?') && sent.starts_with(wanted)
        };
        assert!(
            sent.len() == targets.len() && sent.iter().zip(targets).all(is_alike),
            "{line}: {sent:?}"
        );
    }
    assert_eq!(
        command(&folder, &url, "cluster loggers set security --level trace").exit,
        0
    );
    assert_eq!(platform.state().levels["security"], "trace");
}

#[test]
fn a_complete_cluster_is_changed() {
    let (folder, platform) = (tempfile::tempdir().expect("a folder"), self_managed());
    let url = platform.url(PlatformApi::Both);
    for line in [
        "security role create r",
        "security role assign r --principal Group:eng,User:bob",
        "security role unassign r --principal bob",
        "security acl create --operation read --topic t --registry-subject s --allow-role r --deny-principal Group:eng",
        "cluster config set nested_group_behavior=suffix audit_enabled=true",
    ] {
        let done = command(&folder, &url, line);
        assert_eq!(
            (done.exit, done.err.as_str()),
            (0, ""),
            "{line}: {}",
            done.out
        );
    }
    assert_eq!(platform.state().roles["r"], ["Group:eng".to_owned()].into());
    assert_eq!(platform.state().acls.len(), 4);
    assert_eq!(
        platform.state().properties["nested_group_behavior"],
        "suffix"
    );
    for line in [
        "security acl delete --deny-principal Group:eng --no-confirm",
        "security role delete r --no-confirm",
    ] {
        let done = command(&folder, &url, line);
        assert_eq!(
            (done.exit, done.err.as_str()),
            (0, ""),
            "{line}: {}",
            done.out
        );
    }
    assert!(platform.state().roles.is_empty() && platform.state().acls.is_empty());
}

#[test]
fn an_api_that_is_elsewhere_is_named_or_leaves_the_answer_to_the_platform() {
    let (folder, platform) = (tempfile::tempdir().expect("a folder"), old());
    let (admin, data) = (
        platform.url(PlatformApi::Admin),
        platform.url(PlatformApi::DataPlane),
    );
    let text = command(&folder, &admin, "security role create r").failed(1);
    assert_eq!(
        text,
        format!(
            "error: there is no Data Plane API at this address (`{admin}`); set its URL with --url or GBAC_URL\n"
        )
    );
    let text = command(&folder, &data, "cluster loggers set security").failed(1);
    assert_eq!(
        text,
        format!(
            "error: there is no Admin API at this address (`{data}`); set its URL with --url or GBAC_URL\n"
        )
    );
    assert!(platform.take_requests().iter().all(is_read));
    // Only the Admin API tells the version and the license.
    let done = command(
        &folder,
        &data,
        "security acl create --operation read --topic t --allow-principal Group:eng",
    );
    assert_eq!(done.exit, 1);
    assert!(done.out.contains("Invalid principal name"), "{}", done.out);
    assert!(
        platform
            .take_requests()
            .iter()
            .any(|request| request.method == "POST")
    );
}

#[test]
fn a_service_of_this_product_gets_one_request_more_and_none_for_reads() {
    let service = Service::start();
    for (line, count) in [
        ("security role create New", 2),
        ("security role assign New --principal Group:eng", 2),
        (
            "security acl create --operation read --registry-subject s --allow-principal Group:eng",
            2,
        ),
        ("security acl list --registry-subject s", 1),
        ("security acl delete --registry-subject s --no-confirm", 3),
        ("security role list", 1),
        ("cluster config set nested_group_behavior suffix", 3),
        ("cluster config get nested_group_behavior", 1),
        ("cluster license", 1),
    ] {
        let args: Vec<&str> = ["-v"].into_iter().chain(line.split(' ')).collect();
        let done = service.run(&args);
        assert_eq!(done.exit, 0, "{line}: {}", done.err);
        let sent = done.err.lines().filter(|line| line.contains(" ms")).count();
        assert_eq!(sent, count, "{line}: {}", done.err);
    }
}

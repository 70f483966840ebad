//! A platform that answers slowly, with a page, with a redirect, or half: the message is precise,
//! and nothing is half done.

use crate::support::service::run;
use gbac_tests::platform::{Mode, PlatformApi};
use serde_json::json;

use super::{ADMIN, ask, fill, relaying, self_managed};

const MODES: [(Mode, &str); 4] = [
    (Mode::Html, "is not the expected JSON"),
    (
        Mode::Redirect,
        "responded with status 302, and redirects are not followed",
    ),
    (Mode::Cut, "is incomplete"),
    (Mode::Silent, "did not respond within 1 s"),
];

#[test]
fn a_pull_says_what_is_wrong_and_writes_nothing() {
    let platform = self_managed();
    fill(&platform);
    let folder = tempfile::tempdir().expect("a folder");
    let data = platform.url(PlatformApi::DataPlane);
    for (mode, says) in MODES {
        // At the first request, and at the members of a role.
        for after in [0, 3] {
            platform.set_mode(mode, after);
            let environment = [
                ("GBAC_URL", data.as_str()),
                ("GBAC_TOKEN", "token-of-admin"),
            ];
            let args = [
                "policy",
                "pull",
                "--no-settings",
                "--out",
                "p.json",
                "--timeout",
                "1",
            ];
            let text = run(&folder, &environment, &args).failed(1);
            assert!(text.contains(says), "{mode:?} after {after}: {text}");
            assert!(!folder.path().join("p.json").exists(), "{mode:?}");
        }
    }
}

#[test]
fn the_relay_says_what_is_wrong() {
    let platform = self_managed();
    let service = relaying(&platform);
    for (mode, says) in [
        (
            Mode::Html,
            "responded with status 200 and a body that is not JSON",
        ),
        (
            Mode::Redirect,
            "responded with status 302; redirects are not followed",
        ),
        (Mode::Cut, "is incomplete"),
    ] {
        platform.set_mode(mode, 0);
        for path in ["dataplane/v1/roles", "admin/v1/cluster_config"] {
            let (status, answer) = ask(
                &service.url,
                "GET",
                &format!("/gbac/v1/upstream/{path}"),
                ADMIN,
                "",
            );
            assert_eq!(status, 502, "{mode:?} {path}: {answer}");
            assert!(
                answer.to_string().contains(says),
                "{mode:?} {path}: {answer}"
            );
            assert!(!answer.to_string().contains("login.example"), "{answer}");
        }
        let role = json!({ "name": "new" }).to_string();
        let (status, answer) = ask(
            &service.url,
            "POST",
            "/gbac/v1/upstream/dataplane/v1/roles",
            ADMIN,
            &role,
        );
        assert_eq!(status, 502, "{mode:?}: {answer}");
    }
}

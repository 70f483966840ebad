//! Tests of profiles, credentials, completions, YAML, colors and `doctor` on the command line.

use std::fs;

use crate::support::program::{self, Nobody, write_secret};
use crate::support::service::{Service, run};
use serde_json::{Value, json};
use tempfile::TempDir;

#[test]
fn a_profile_keeps_address_and_user_and_no_secret() {
    let service = Service::start();
    let alone =
        |environment: &[(&str, &str)], args: &[&str]| run(&service.folder, environment, args);
    let password = [("GBAC_PASSWORD", "demo")];
    let create = [
        "profile",
        "create",
        "local",
        "--url",
        &service.url,
        "--user",
        "admin",
    ];
    assert_eq!(alone(&password, &create).done(), "Created profile local\n");
    alone(
        &[],
        &[
            "profile",
            "create",
            "far",
            "--url",
            "https://gbac.example",
            "--role-spelling",
            "redpanda-role",
        ],
    )
    .done();
    let file = service.file("config/gbac/profiles.json");
    let text = fs::read_to_string(&file).expect("a file");
    assert!(
        !text.contains("demo") && text.contains("\"user\": \"admin\""),
        "{text}"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| {
            fs::metadata(path).expect("a file").permissions().mode() & 0o777
        };
        assert_eq!(
            (mode(&file), mode(file.parent().expect("a folder"))),
            (0o600, 0o700)
        );
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("rights");
        let used = alone(&[], &["profile", "use", "local"]);
        assert!(
            used.exit == 0 && used.err.contains("can be read by other users"),
            "{}",
            used.err
        );
        assert_eq!(
            mode(&file),
            0o600,
            "rights that were opened are closed again"
        );
    }
    assert_eq!(
        alone(&[], &["profile", "list"]).done(),
        format!(
            "NAME    URL{}  USER   ROLE-SPELLING\nfar     https://gbac.example{}         RedpandaRole\nlocal*  {}{}  admin\n",
            " ".repeat(20.max(service.url.len()) - 3),
            " ".repeat(20.max(service.url.len()) - 20),
            service.url,
            " ".repeat(20.max(service.url.len()) - service.url.len())
        )
    );
    // The first profile is the current one; the environment and flags override it.
    let get = ["cluster", "config", "get", "nested_group_behavior"];
    assert_eq!(alone(&password, &get).done(), "none\n");
    assert!(
        alone(&[], &["security", "role", "create", "x"])
            .failed(64)
            .contains("the user has no password")
    );
    let nobody = Nobody::there();
    let away = nobody.url();
    assert!(
        alone(&[("GBAC_URL", &away), password[0]], &get)
            .failed(1)
            .contains("cannot reach `")
    );
    assert_eq!(
        alone(
            &[("GBAC_URL", &away), password[0]],
            &[&get[..], &["--profile", "local"]].concat()
        )
        .done(),
        "none\n"
    );
    assert!(
        alone(&[("GBAC_PROFILE", "far"), ("GBAC_URL", &away)], &get)
            .failed(1)
            .contains(&away)
    );
    // A token suffices, although the profile contains a user.
    let token = service.token();
    assert_eq!(alone(&[("GBAC_TOKEN", &token)], &get).done(), "none\n");
    for (args, exit, says) in [
        (
            &["profile", "use", "nobody"][..],
            1,
            "there is no profile `nobody`",
        ),
        (
            &["cluster", "license", "--profile", "nobody"],
            1,
            "there is no profile `nobody`",
        ),
        (&create[..], 1, "replace it with --replace"),
        (
            &["profile", "create", "x", "--url", "http://gbac.example"],
            64,
            "plain HTTP to a remote host is not trusted",
        ),
        (
            &[
                "profile",
                "create",
                "x",
                "--url",
                "https://a:b@gbac.example",
            ],
            64,
            "the URL contains more",
        ),
        (
            &[
                "profile",
                "create",
                "x",
                "--url",
                "https://gbac.example",
                "--user",
                "a:b",
            ],
            64,
            "contains a colon",
        ),
    ] {
        let text = alone(&[], args).failed(exit);
        assert!(
            text.contains(says) && text.lines().count() == 1,
            "{args:?}: {text}"
        );
    }
    // What a profile holds does not stand for the flag: each command still needs it.
    alone(
        &[],
        &[
            "profile",
            "create",
            "plain",
            "--url",
            "http://gbac.invalid",
            "--insecure",
        ],
    )
    .done();
    let plain = alone(&[], &[&get[..], &["--profile", "plain"]].concat()).failed(64);
    assert!(plain.contains("--insecure"), "{plain}");
    alone(&[], &["profile", "delete", "plain"]).done();
    alone(&[], &["profile", "delete", "local"]).done();
    let remaining: Value =
        serde_json::from_str(&alone(&[], &["profile", "list", "--format", "json"]).done())
            .expect("JSON");
    assert_eq!(remaining["profiles"][0]["current"], false);
    fs::write(&file, "{\"profiles\":7}").expect("a file");
    assert!(alone(&[], &get).failed(1).contains("profiles.json: "));
}

/// A home in which nothing can be created, for every user: below a file.
#[test]
fn without_a_folder_for_profiles_one_line_says_so() {
    let folder = TempDir::new().expect("a folder");
    let home = folder.path().join("home");
    fs::write(&home, "").expect("a file");
    let create = ["profile", "create", "x", "--url", "https://gbac.example"];
    let below = home.join("config");
    let mut command = program::command();
    command.env("XDG_CONFIG_HOME", &below).args(create);
    let run = program::run(command, folder.path(), "");
    assert_eq!((run.exit, run.out.as_str()), (1, ""));
    assert!(
        run.err.starts_with("error: ") && run.err.contains("profiles.json"),
        "{}",
        run.err
    );
    assert_eq!(run.err.trim_end().lines().count(), 1, "{}", run.err);
    assert!(fs::read(&home).expect("a file").is_empty());
}

#[test]
fn credentials_come_from_files_too() {
    let service = Service::start();
    write_secret(&service.file("password"), "demo\n");
    write_secret(
        &service.file("token"),
        format!("Bearer {}\n", service.token()),
    );
    let set = [
        "cluster",
        "config",
        "set",
        "nested_group_behavior",
        "suffix",
    ];
    service
        .with(
            &[],
            &[
                &set[..],
                &["--user", "admin", "--password-file", "password"],
            ]
            .concat(),
        )
        .done();
    let refused = service
        .with(&[], &[&set[..], &["--token-file", "token"]].concat())
        .failed(1);
    assert!(refused.contains("superuser role required"), "{refused}");
    let missing = service
        .with(
            &[],
            &[&set[..], &["--user", "admin", "--password-file", "none"]].concat(),
        )
        .failed(1);
    assert!(missing.starts_with("error: none: "), "{missing}");
}

#[test]
fn roles_are_spelled_as_the_connection_says() {
    let service = Service::start();
    let spelled = ["--role-spelling", "redpanda-role"];
    let created = service.acl(
        &[
            &[
                "create",
                "--allow-role",
                "Auditors",
                "--operation",
                "read",
                "--topic",
                "x",
            ],
            &spelled[..],
        ]
        .concat(),
    );
    assert!(created.done().contains("\nRedpandaRole:Auditors  *"));
    let listed = service
        .acl(&[&["list", "--topic", "x"], &spelled[..]].concat())
        .done();
    assert!(listed.contains("\nRedpandaRole:Auditors  *"), "{listed}");
    assert!(
        service
            .acl(&["list", "--allow-principal", "RedpandaRole:Auditors"])
            .done()
            .contains("\nRole:Auditors  *")
    );
    let deleted = service
        .acl(
            &[
                &["delete", "--allow-role", "Auditors", "--no-confirm"],
                &spelled[..],
            ]
            .concat(),
        )
        .done();
    assert_eq!(
        deleted.matches("RedpandaRole:Auditors").count(),
        2,
        "{deleted}"
    );
    let described = service
        .role(&[&["describe", "PaymentsWriters", "-p"], &spelled[..]].concat())
        .done();
    assert!(
        described.contains("RedpandaRole:PaymentsWriters") && !described.contains(" Role:"),
        "{described}"
    );
}

/// The candidates for the last word of a command line, as the script of fish asks for them; flags
/// only after `--`.
fn completed(folder: &TempDir, environment: &[(&str, &str)], words: &[&str]) -> Vec<String> {
    let environment = [&[("GBAC_COMPLETE", "fish")], environment].concat();
    let out = run(folder, &environment, &[&["--", "gbac"], words].concat()).done();
    let is_flag = words.last().is_some_and(|last| last.starts_with("--"));
    let names = out
        .lines()
        .map(|line| line.split('\t').next().unwrap_or_default().to_owned());
    names
        .filter(|name| is_flag || !name.starts_with("--"))
        .collect()
}

#[test]
fn completions_know_every_command_and_the_names_of_the_policy() {
    let service = Service::start();
    let folder = &service.folder;
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = run(folder, &[], &["completions", shell]).done();
        assert!(
            text.contains("GBAC_COMPLETE") && text.contains("gbac"),
            "{shell}: {text}"
        );
    }
    assert!(completed(folder, &[], &["least"]).contains(&"least-grant".to_owned()));
    assert!(
        completed(folder, &[], &["policy", "import", "--skip"])
            .contains(&"--skip-unreadable".to_owned())
    );
    let policy = gbac_tests::vectors::root().join("examples/policy.json");
    let policy = policy.to_str().expect("a path");
    let with = |words: &[&str]| completed(folder, &[("GBAC_POLICY", policy)], words);
    assert_eq!(
        with(&["security", "role", "describe", ""]),
        ["AnalyticsReaders", "PaymentsWriters"]
    );
    assert_eq!(
        with(&["permissions", "--principal", "Group:p"]),
        ["Group:payments-team", "Group:platform-team"]
    );
    assert_eq!(
        with(&["check", "--user", "ana", "--group", "analytics,con"]),
        ["analytics,contractors"]
    );
    assert_eq!(
        with(&["who-can", "--operation", "describe-c"]),
        ["describe-configs"]
    );
    assert_eq!(
        completed(
            folder,
            &[],
            &[
                "who-can",
                "--policy",
                policy,
                "--operation",
                "read",
                "--topic",
                "x"
            ]
        ),
        [""; 0]
    );
    assert_eq!(
        with(&["cluster", "config", "get", "nested"]),
        ["nested_group_behavior"]
    );
    run(
        folder,
        &[],
        &[
            "profile",
            "create",
            "production",
            "--url",
            "https://gbac.example.com",
        ],
    )
    .done();
    assert_eq!(with(&["export", "--profile", "prod"]), ["production"]);
    assert_eq!(with(&["profile", "use", ""]), ["production"]);
    // Those of a service, unless somebody would have to type a password.
    let caller = [
        ("GBAC_URL", service.url.as_str()),
        ("GBAC_USER", "admin"),
        ("GBAC_PASSWORD", "demo"),
    ];
    assert!(
        completed(folder, &caller, &["security", "role", "describe", "Pay"])
            .contains(&"PaymentsWriters".to_owned())
    );
    assert!(
        completed(
            folder,
            &caller[..2],
            &["security", "role", "describe", "Pay"]
        )
        .is_empty()
    );
    // A service that is away is no error in the middle of a line.
    let nobody = crate::support::program::Nobody::there().url();
    let away = [
        ("GBAC_URL", nobody.as_str()),
        ("GBAC_USER", "admin"),
        ("GBAC_PASSWORD", "demo"),
    ];
    assert!(completed(folder, &away, &["security", "role", "describe", "Pay"]).is_empty());
}

#[test]
fn manual_pages_have_every_command_and_its_examples() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = run(&folder, &[], &["man", "pages"]).done();
    let page =
        |name: &str| fs::read_to_string(folder.path().join("pages").join(name)).expect("a page");
    assert!(
        page("gbac.1").contains("least\\-grant"),
        "{}",
        page("gbac.1")
    );
    let lint = page("gbac-policy-lint.1");
    assert!(
        lint.contains("Examples:") && lint.contains("Exit codes:"),
        "{lint}"
    );
    let number = fs::read_dir(folder.path().join("pages"))
        .expect("a folder")
        .count();
    assert!(
        number > 40 && written.contains(&format!("Wrote {number} pages")),
        "{number}: {written}"
    );
}

#[test]
fn yaml_says_what_json_says() {
    let service = Service::start();
    for args in [
        &[
            "security",
            "acl",
            "list",
            "--allow-principal",
            "Group:engineering",
        ][..],
        &["cluster", "config", "list"],
        &["security", "role", "describe", "PaymentsWriters"],
    ] {
        let yaml = service.run(&[&["--format", "yaml"], args].concat()).done();
        let lines = |text: &str| -> Vec<String> {
            text.lines()
                .map(|line| line.trim_start_matches(['-', ' ']).to_owned())
                .collect()
        };
        fn leaves(value: &Value, all: &mut usize) {
            match value {
                Value::Array(values) => values.iter().for_each(|value| leaves(value, all)),
                Value::Object(members) => members.values().for_each(|value| leaves(value, all)),
                _ => *all += 1,
            }
        }
        let mut count = 0;
        leaves(&service.json(args), &mut count);
        assert!(
            !yaml.starts_with('{') && lines(&yaml).len() >= count,
            "{args:?}: {yaml}"
        );
    }
    let rows = service
        .run(&[
            "--format",
            "yaml",
            "security",
            "acl",
            "list",
            "--allow-principal",
            "Group:engineering",
        ])
        .done();
    assert!(rows.contains("\n  resource_name: orders-\n"), "{rows}");
    let failed = service.run(&["--format", "yaml", "security", "role", "describe", "Nobody"]);
    assert_eq!(
        failed.out,
        "error:\n  code: not_found\n  message: role `Nobody` does not exist\n"
    );
    let checks = "{\"identity\":{\"user\":\"a\"},\"operation\":\"read\",\"resource_type\":\"topic\",\"resource_name\":\"x\"}\n";
    fs::write(service.file("checks.jsonl"), checks.repeat(2)).expect("a file");
    service.run(&["export", "--out", "policy.json"]).done();
    let many = service
        .run(&[
            "check",
            "--policy",
            "policy.json",
            "--checks",
            "checks.jsonl",
            "--format",
            "yaml",
        ])
        .done();
    assert_eq!(
        many,
        "---\noutcome: deny\nreason: no_match\nverified: false\n".repeat(2)
    );
}

#[test]
fn colours_are_for_terminals_and_never_under_no_color() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("policy.json"), "{\"version\":1}").expect("a file");
    let check = |environment: &[(&str, &str)]| {
        let mut command = program::command();
        command.args([
            "check",
            "--policy",
            "policy.json",
            "--user",
            "a",
            "--operation",
            "read",
            "--topic",
            "x",
        ]);
        command.envs(environment.iter().copied());
        program::run(command, folder.path(), "").out
    };
    let denied = "Denied, nothing allows it: User:a Read on topic x\n";
    assert!(check(&[]).starts_with(denied), "a pipe is no terminal");
    let coloured = check(&[("CLICOLOR_FORCE", "1")]);
    assert!(
        coloured.starts_with("\u{1b}[") && coloured.contains("Denied, nothing allows it"),
        "{coloured:?}"
    );
    assert!(check(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]).starts_with(denied));
}

#[test]
fn doctor_goes_through_the_four_steps() {
    let service = Service::start();
    let steps = |run: crate::support::program::Run, exit: i32| -> Vec<Value> {
        assert_eq!(run.exit, exit, "{}{}", run.out, run.err);
        let value: Value = serde_json::from_str(&run.out).expect("JSON");
        value["steps"].as_array().expect("steps").clone()
    };
    let states = |steps: &[Value]| -> Vec<Value> {
        steps.iter().map(|step| step["state"].clone()).collect()
    };
    fs::write(service.file("token.jwt"), service.token()).expect("a file");
    let doctor = ["--format", "json", "doctor", "token.jwt"];
    let online = steps(service.run(&[&doctor[..], &["--online"]].concat()), 0);
    assert_eq!(states(&online)[0], "passed");
    assert!(
        online[1]["findings"]
            .to_string()
            .contains("with the same groups"),
        "{online:?}"
    );
    assert!(
        online[3]["findings"]
            .to_string()
            .contains("the logger `security` is at `info`"),
        "{online:?}"
    );
    service
        .run(&[
            "cluster",
            "config",
            "set",
            "oidc_group_claim_path",
            "$.teams",
        ])
        .done();
    let wrong = steps(
        service.run(&[&doctor[..], &["--online", "--expect-group", "nobody"]].concat()),
        1,
    );
    assert_eq!(states(&wrong)[..3], ["failed", "failed", "failed"]);
    assert!(
        wrong[2]["next"][0]
            .as_str()
            .expect("text")
            .starts_with("set `oidc_group_claim_path` to `$."),
        "{wrong:?}"
    );
    let offline = steps(service.run(&doctor), 0);
    assert!(
        offline[1]["next"]
            .to_string()
            .contains("ResolveOidcIdentity"),
        "{offline:?}"
    );

    fs::write(
        service.file("claims.json"),
        json!({ "sub": "a", "groups": ["x"] }).to_string(),
    )
    .expect("a file");
    let text = service.run(&["doctor", "--claims", "claims.json", "--expect-group", "X"]);
    assert_eq!(text.exit, 1);
    let titles: Vec<&str> = text
        .out
        .lines()
        .filter(|line| !line.starts_with(' '))
        .collect();
    assert_eq!(
        titles,
        [
            "1. Decode the token and look for the group claim: OK",
            "2. See which groups the token produces: Failed",
            "3. Compare the two properties with the token: OK",
            "4. See all claims of the token that the service validated: Manual step",
        ]
    );
    assert!(
        text.out.contains(
            "   next: names are compared letter by letter: write `Group:x` in ACLs and roles\n"
        ),
        "{}",
        text.out
    );
    fs::write(service.file("token.jwt"), "hello").expect("a file");
    assert_eq!(
        states(&steps(service.run(&doctor), 1))[1..],
        ["not_done", "not_done", "not_done"]
    );
}

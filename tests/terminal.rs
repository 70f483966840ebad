//! Output for people: formats, tables on narrow terminals, colors, requests with `--verbose`,
//! silence with `--quiet`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::support::program::{self, Run};
use crate::support::service::Service;
use gbac::Terminal;
use gbac_tests::vectors::root;

/// Runs a command in a copy of the examples.
fn run(environment: &[(&str, &str)], args: &[&str]) -> Run {
    let mut command = program::command();
    command.args(args).envs(environment.iter().copied());
    program::run(command, &root().join("examples"), "")
}

/// Commands whose answers are tables.
const TABLES: [&[&str]; 8] = [
    &[
        "who-can",
        "--policy",
        "policy.json",
        "--operation",
        "write",
        "--topic",
        "payments-events",
    ],
    &[
        "permissions",
        "--policy",
        "policy.json",
        "--user",
        "ana",
        "--group",
        "payments-team,contractors",
    ],
    &[
        "check",
        "--policy",
        "policy.json",
        "--user",
        "ana",
        "--group",
        "payments-team",
        "--operation",
        "write",
        "--topic",
        "payments-events",
    ],
    &[
        "least-grant",
        "--policy",
        "policy.json",
        "--user",
        "ben",
        "--operation",
        "write",
        "--topic",
        "payments-events",
    ],
    &[
        "compare",
        "--policy",
        "policy.json",
        "--user",
        "ana",
        "--group",
        "payments-team",
        "--other-user",
        "ben",
    ],
    &["policy", "diff", "before.json", "policy.json"],
    &["token", "inspect", "token.jwt", "--policy", "policy.json"],
    &["test", "assertions.json"],
];

#[test]
fn a_narrow_terminal_loses_no_word_and_wide_output_is_that_of_a_pipe() {
    for command in TABLES {
        let piped = run(&[], command).done();
        for width in ["1", "20", "40", "80"] {
            let narrow = run(&[("COLUMNS", width)], command).done();
            let words: Vec<&str> = narrow
                .split_whitespace()
                .map(|word| word.trim_end_matches(':'))
                .collect();
            // The heading of an empty column need not be there.
            let heading = |word: &&str| word.chars().all(|letter| letter.is_ascii_uppercase());
            let all = piped
                .split_whitespace()
                .map(|word| word.trim_end_matches(':'));
            for word in all.filter(|word| !heading(word)) {
                assert!(
                    words.contains(&word),
                    "{command:?} at {width}: `{word}` is missing in\n{narrow}"
                );
            }
        }
        let wide = run(&[("COLUMNS", "20")], &[command, &["-o", "wide"]].concat()).done();
        assert_eq!(wide, piped, "{command:?}");
    }
    let diff = run(&[("COLUMNS", "20")], TABLES[5]).done();
    let of_table: Vec<&str> = diff
        .lines()
        .skip_while(|line| *line != "PRINCIPAL:")
        .filter(|line| line.starts_with("PRINCIPAL:") || line.starts_with("  "))
        .collect();
    assert!(
        of_table.len() > 3 && of_table.iter().all(|line| line.len() <= 20),
        "{diff}"
    );
}

#[test]
fn the_short_flag_is_the_long_one_in_every_place() {
    for (args, long) in [
        (
            &["version", "-o", "json"][..],
            &["version", "--format", "json"][..],
        ),
        (&["-o", "yaml", "version"], &["version", "--format=yaml"]),
        (&["version", "-ojson"], &["--format", "json", "version"]),
    ] {
        assert_eq!(run(&[], args).done(), run(&[], long).done(), "{args:?}");
    }
    for args in [
        &["check", "-o", "json", "--nonsense"][..],
        &["check", "-ojson", "--nonsense"],
    ] {
        let refused = run(&[], args);
        assert!(
            refused.exit == 64 && refused.out.starts_with("{\"error\":"),
            "{args:?}: {}",
            refused.out
        );
    }
    let refused = run(&[], &["version", "-v", "-q"]).failed(64);
    assert!(
        refused.contains("--quiet") && refused.contains("--verbose"),
        "{refused}"
    );
}

#[test]
fn colors_can_be_turned_off() {
    let forced = [("CLICOLOR_FORCE", "1")];
    let escapes = |run: Run| (run.out + &run.err).contains('\u{1b}');
    for args in [
        TABLES[0],
        &["check", "--nonsense"],
        &["check", "--help"],
        &["policy", "validate", "missing.json"],
    ] {
        assert!(!escapes(run(&[], args)), "{args:?}: a pipe has no colors");
        assert!(
            !escapes(run(&forced, &[args, &["--no-color"]].concat())),
            "{args:?}"
        );
    }
    assert!(escapes(run(&forced, TABLES[0])));
    assert!(!escapes(run(&[("NO_COLOR", "1")], TABLES[0])));
}

#[test]
fn a_terminal_shows_colors_and_limits_tables_unless_a_variable_says_otherwise() {
    let terminal = Terminal {
        output: true,
        error: true,
        width: Some(20),
        ..Terminal::default()
    };
    let on_terminal = |environment: &[(&str, &str)], args: &[&str]| {
        let mut command = program::command();
        command.args(args).envs(environment.iter().copied());
        program::run_on(terminal, command, &root().join("examples"), "")
    };
    for (environment, is_colored) in [
        (&[("TERM", "xterm")][..], true),
        (&[("TERM", "dumb"), ("CLICOLOR", "0")], false),
        (&[("TERM", "dumb"), ("CLICOLOR", "1")], true),
        (&[("TERM", "xterm"), ("CLICOLOR", "0")], false),
        (
            &[
                ("TERM", "xterm"),
                ("NO_COLOR", "1"),
                ("CLICOLOR_FORCE", "1"),
            ],
            false,
        ),
        (&[("TERM", "xterm"), ("NO_COLOR", "")], true),
    ] {
        let (out, err) = (
            on_terminal(environment, TABLES[0]).out,
            on_terminal(environment, &["nonsense"]).err,
        );
        assert_eq!(
            [&out, &err].map(|text| text.contains('\u{1b}')),
            [is_colored; 2],
            "{environment:?}: {out:?} {err:?}"
        );
    }
    let narrow = [("NO_COLOR", "1")];
    assert_eq!(
        on_terminal(&narrow, TABLES[0]).done(),
        run(&[("COLUMNS", "20")], TABLES[0]).done()
    );
    let stated = [("NO_COLOR", "1"), ("COLUMNS", "80")];
    assert_eq!(
        on_terminal(&stated, TABLES[0]).done(),
        run(&[("COLUMNS", "80")], TABLES[0]).done()
    );
}

#[test]
fn a_terminal_is_asked_before_something_is_removed() {
    let service = Service::start();
    fs::write(service.file("empty.json"), r#"{"version":1}"#).expect("a file");
    let terminal = Terminal {
        input: true,
        ..Terminal::default()
    };
    let import = |answer: &str| {
        let mut command = program::command();
        command
            .args(["import", "empty.json"])
            .env("GBAC_URL", &service.url);
        command
            .env("GBAC_USER", "admin")
            .env("GBAC_PASSWORD", "demo");
        program::run_on(terminal, command, service.folder.path(), answer)
    };
    let before = service.count(&[]);
    for answer in ["", "n\n", "\n"] {
        let refused = import(answer);
        assert_eq!(refused.exit, 1, "{}{}", refused.out, refused.err);
        assert!(
            refused
                .err
                .contains("Replace the policy of the service? [y/N] ")
                && refused.err.contains("not confirmed")
        );
        assert!(
            service.count(&[]) == before && before > 0,
            "{}",
            refused.err
        );
    }
    let done = import("y\n");
    assert_eq!(
        (done.exit, service.count(&[])),
        (0, 0),
        "{}{}",
        done.out,
        done.err
    );
}

#[test]
fn verbose_shows_each_request_and_no_secret_and_quiet_only_errors() {
    let service = Service::start();
    let shown = service.run(&["security", "role", "list", "-v"]);
    assert_eq!(shown.exit, 0, "{}", shown.err);
    let line = shown
        .err
        .strip_prefix(&format!("GET {}/v1/roles", service.url))
        .expect("the request");
    assert!(
        line.contains(": 200, ") && line.ends_with(" ms\n"),
        "{}",
        shown.err
    );
    for secret in ["demo", "YWRtaW46ZGVtbw", "Basic", "Bearer"] {
        assert!(!shown.err.contains(secret), "{secret}: {}", shown.err);
    }
    let token = service.token();
    let shown = service.with(
        &[("GBAC_TOKEN", &token)],
        &["security", "acl", "list", "--verbose"],
    );
    assert!(
        shown.err.starts_with("GET ") && !shown.err.contains("eyJ"),
        "{}",
        shown.err
    );
    // Also a request that is refused.
    let wrong = [("GBAC_USER", "admin"), ("GBAC_PASSWORD", "a wrong one")];
    let refused = service.with(&wrong, &["export", "-v"]);
    assert!(
        refused.exit == 1 && refused.err.contains(": 401, ") && !refused.err.contains("wrong one"),
        "{}",
        refused.err
    );

    fs::write(service.file("p.json"), r#"{ "version": 1 }"#).expect("a file");
    assert!(
        service
            .run(&["policy", "import", "p.json"])
            .err
            .contains("p.json: ")
    );
    assert_eq!(
        service.run(&["policy", "import", "p.json", "--quiet"]).err,
        ""
    );
    fs::write(service.file("bad.json"), "?").expect("a file");
    let failed = service.run(&["policy", "import", "bad.json", "-q"]);
    assert!(
        failed.exit == 1 && failed.err.contains("bad.json"),
        "{}",
        failed.err
    );
}

#[test]
fn a_check_on_standard_input_is_answered_before_the_next_one_comes() {
    let mut command = program::process();
    command
        .args(["check", "--policy", "policy.json", "--checks", "-"])
        .current_dir(root().join("examples"));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("gbac starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut answers = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let check = r#"{ "identity": { "user": "ana", "groups": [] }, "operation": "read", "resource_type": "topic", "resource_name": "x" }"#;
    for _ in 0..3 {
        writeln!(stdin, "{check}").expect("a line");
        let answer = answers.next().expect("an answer").expect("text");
        assert!(answer.contains("\"outcome\":\"deny\""), "{answer}");
    }
    drop(stdin);
    assert!(answers.next().is_none() && child.wait().expect("an end").success());
}

//! Snapshot tests of `--help` of every command.

use gbac_tests::program;

fn help(path: &[String]) -> String {
    let output = program::command().args(path).arg("--help").output().expect("gbac starts");
    assert!(output.status.success(), "{path:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// The subcommands in a help text.
fn below(text: &str) -> Vec<String> {
    let listed = text.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // A name is indented by two spaces; further indented lines continue a description.
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

/// Collects the help of a command and of all its subcommands.
fn collect(path: &mut Vec<String>, all: &mut String) {
    let text = help(path);
    all.push_str(&format!("$ gbac {} --help\n{text}\n", path.join(" ")));
    for name in below(&text) {
        path.push(name);
        collect(path, all);
        path.pop();
    }
}

#[test]
fn every_command_has_help() {
    let top = help(&[]);
    let commands = below(&top);
    assert!(commands.len() >= 13, "{commands:?}");
    insta::assert_snapshot!("gbac", top);
    for command in commands {
        let mut all = String::new();
        collect(&mut vec![command.clone()], &mut all);
        insta::assert_snapshot!(command, all);
    }
}

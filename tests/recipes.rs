//! The recipes of `packaging/` and the workflows: they parse, their options and files exist, and their
//! ports and paths agree.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::program;
use crate::support::service::Service;
use gbac_tests::vectors::root;

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn folder() -> PathBuf {
    root().join("packaging/container")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The documents of a YAML file.
fn documents(path: &Path) -> Vec<Value> {
    serde_saphyr::from_multiple(&read(path))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn one(name: &str) -> Value {
    documents(&folder().join(name)).remove(0)
}

fn texts(value: &Value) -> Vec<&str> {
    let entries = value.as_array().map(Vec::as_slice).unwrap_or_default();
    entries.iter().filter_map(Value::as_str).collect()
}

/// The value of an instruction of the Dockerfile.
fn instruction(name: &str) -> String {
    let text = read(&folder().join("Dockerfile"));
    let found = text.lines().find_map(|line| line.strip_prefix(name));
    found
        .unwrap_or_else(|| panic!("no {name}"))
        .trim()
        .to_owned()
}

/// Checks the options of a command line of the service, as `gbac serve --check-config` does.
fn check_options(words: &[&str]) {
    let home = tempfile::tempdir().expect("a folder");
    let password = home.path().join("password");
    fs::write(&password, "a long password of this test").expect("a file");
    let mut command = program::command();
    for word in words {
        match word.strip_prefix("--admin-password-file=") {
            Some(_) => command.arg(format!("--admin-password-file={}", password.display())),
            None => command.arg(word),
        };
    }
    command.args(["--listen", "0.0.0.0:8420", "--check-config", "--data"]);
    command.arg(home.path().join("data"));
    let said = program::run(command, home.path(), "").done();
    assert!(
        said.starts_with("The options are valid."),
        "{words:?}: {said}"
    );
}

#[test]
fn the_image_listens_and_stores_where_the_recipes_expect_it() {
    let environment = instruction("ENV ");
    let (port, data) = (instruction("EXPOSE "), instruction("VOLUME "));
    assert_eq!(
        environment,
        format!("GBAC_SERVE_DATA={data} GBAC_SERVE_LISTEN=0.0.0.0:{port}")
    );
    let user = instruction("USER ");
    let user = user.split(':').next().expect("a user");

    let compose = one("compose.yaml");
    let gbac = &compose["services"]["gbac"];
    assert_eq!(texts(&gbac["volumes"]), [format!("data:{data}")]);
    let ports = texts(&compose["services"]["identity-provider"]["ports"]);
    assert!(ports.contains(&format!("127.0.0.1:{port}:{port}").as_str()));

    let objects = documents(&folder().join("kubernetes.yaml"));
    let deployment = objects
        .iter()
        .find(|object| object["kind"] == "Deployment")
        .expect("a deployment");
    let pod = &deployment["spec"]["template"]["spec"];
    assert_eq!(pod["securityContext"]["runAsUser"].to_string(), user);
    let container = &pod["containers"][0];
    assert_eq!(container["ports"][0]["containerPort"].to_string(), port);
    assert_eq!(container["volumeMounts"][0]["mountPath"], data.as_str());
    let claim = &pod["volumes"][0]["persistentVolumeClaim"]["claimName"];
    assert_eq!(claim, &objects[0]["metadata"]["name"]);
    for image in [&gbac["image"], &container["image"]] {
        assert_eq!(image, &Value::from(format!("gbac:{VERSION}")));
    }
}

#[test]
fn the_recipes_start_the_service_with_options_that_it_has() {
    let compose = one("compose.yaml");
    let words = texts(&compose["services"]["gbac"]["command"]);
    check_options(&words);
    let objects = documents(&folder().join("kubernetes.yaml"));
    let container = &objects[1]["spec"]["template"]["spec"]["containers"][0];
    check_options(&texts(&container["args"]));

    // The provider of the recipe.
    let realm: Value = serde_json::from_str(&read(&folder().join("realm.json"))).expect("JSON");
    let option = |name: &str| words.iter().find_map(|word| word.strip_prefix(name));
    let client = &realm["clients"][0];
    assert_eq!(option("--oidc-client-id="), client["clientId"].as_str());
    let discovery = option("--oidc-discovery-url=").expect("a URL");
    let name = realm["realm"].as_str().expect("a name");
    assert!(discovery.contains(&format!("/realms/{name}/")));
    let public = option("--public-url=").expect("a URL");
    assert_eq!(
        texts(&client["redirectUris"]),
        [format!("{public}/gbac/v1/sign-in/callback")]
    );
}

#[test]
fn health_checks_call_what_exists() {
    let service = Service::start();
    let objects = documents(&folder().join("kubernetes.yaml"));
    let container = &objects[1]["spec"]["template"]["spec"]["containers"][0];
    for probe in ["startupProbe", "livenessProbe", "readinessProbe"] {
        let get = &container[probe]["httpGet"];
        assert_eq!(get["port"], container["ports"][0]["name"]);
        let _ = service.get(get["path"].as_str().expect("a path"));
    }
    let check = instruction("HEALTHCHECK ");
    let (_, command) = check.split_once(" CMD ").expect("a command");
    let command: Vec<String> = serde_json::from_str(command).expect("a list");
    let words: Vec<&str> = command.iter().skip(1).map(String::as_str).collect();
    service.with(&[("GBAC_URL", &service.url)], &words).done();
}

#[test]
fn kafka_gets_the_plugin_and_its_properties() {
    let compose = one("compose.kafka.yaml");
    for volume in texts(&compose["services"]["kafka"]["volumes"]) {
        let (source, _) = volume.split_once(':').expect("a source");
        if source.starts_with("./") {
            assert!(folder().join(source).is_file(), "{source}");
        } else if source.starts_with("../") {
            assert_eq!(source, format!("../kafka/gbac-kafka-{VERSION}.jar"));
        }
    }
    let manual = read(&root().join("docs/kafka.md"));
    let properties = read(&folder().join("kafka.properties"));
    let named = properties
        .lines()
        .filter(|line| line.starts_with("gbac."))
        .filter_map(|line| line.split('=').next());
    let named: Vec<&str> = named.collect();
    assert!(!named.is_empty());
    for name in named {
        assert!(manual.contains(&format!("| `{name}` |")), "{name}");
    }
    let mut policy = program::command();
    policy.args(["policy", "validate"]);
    policy.arg(folder().join("roles.json"));
    program::run(policy, Path::new("."), "").done();
}

/// The commands of the steps of a workflow.
fn commands(workflow: &Value) -> Vec<String> {
    let jobs = workflow["jobs"].as_object().expect("jobs");
    let mut commands = Vec::new();
    for job in jobs.values() {
        let steps = job["steps"].as_array().map(Vec::as_slice);
        for step in steps.unwrap_or_default() {
            commands.extend(step["run"].as_str().map(str::to_owned));
        }
    }
    commands
}

#[test]
fn workflows_name_jobs_and_files_that_exist() {
    for name in ["ci.yml", "nightly.yml", "release.yml"] {
        let workflow = documents(&root().join(".github/workflows").join(name)).remove(0);
        let jobs = workflow["jobs"].as_object().expect("jobs");
        for (job, content) in jobs {
            let needs = match &content["needs"] {
                Value::String(one) => vec![one.as_str()],
                many => texts(many),
            };
            for needed in needs {
                assert!(jobs.contains_key(needed), "{name}: {job} needs {needed}");
            }
        }
        for command in commands(&workflow) {
            for word in command.split_whitespace() {
                let word = word.trim_matches(['"', '\'']);
                let is_source = word.ends_with(".mjs") || word.ends_with(".sh");
                if is_source && !word.contains(['$', '*']) && !word.starts_with("target/") {
                    assert!(root().join(word).is_file(), "{name}: {word}");
                }
            }
        }
    }
}

#[test]
fn actions_are_pinned_to_commits() {
    let mut versions = BTreeSet::new();
    for name in ["ci.yml", "nightly.yml", "release.yml"] {
        let text = read(&root().join(".github/workflows").join(name));
        for line in text.lines() {
            let Some((_, action)) = line.split_once("uses: ") else {
                continue;
            };
            let (action, version) = action.split_once(" # v").unwrap_or((action, ""));
            let Some((action, commit)) = action.split_once('@') else {
                continue;
            };
            let is_commit = commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit());
            assert!(is_commit && !version.is_empty(), "{name}: {line}");
            versions.insert((action.to_owned(), commit.to_owned()));
        }
    }
    let actions: BTreeSet<&String> = versions.iter().map(|(action, _)| action).collect();
    assert_eq!(
        actions.len(),
        versions.len(),
        "one version of each: {versions:?}"
    );
}

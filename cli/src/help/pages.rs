//! The examples and exit codes of each command. The examples use the files in `examples/`; a test
//! runs them.

/// What the help of a command has in addition to its options.
pub(super) struct Page {
    /// The path of the command, such as `policy lint`.
    path: &'static str,
    /// Command lines, and comments about the next one.
    pub(super) examples: &'static [&'static str],
    /// The exit codes and their meaning.
    pub(super) exit_codes: ExitCodes,
}

/// Exit codes with their meaning.
type ExitCodes = &'static [(u8, &'static str)];

const USAGE: (u8, &str) = (64, "Invalid usage");
const DEFAULT: ExitCodes = &[(0, "Success"), (1, "Error"), USAGE];
const EVERY: ExitCodes = &[
    (0, "Success"),
    (1, "Error, or a result that the help of the command names"),
    (2, "`check`: denied"),
    USAGE,
];
const CHECK: ExitCodes = &[
    (0, "Allowed; with --checks, every line was evaluated"),
    (
        1,
        "Error; with --checks, also a line that cannot be evaluated",
    ),
    (2, "Denied, without --checks"),
    USAGE,
];
const WHAT_IF: ExitCodes = &[
    (0, "Success"),
    (1, "Error, or a change cannot be applied"),
    USAGE,
];
const VALIDATE: ExitCodes = &[
    (0, "Every document is valid"),
    (1, "Error, or a document has a problem"),
    USAGE,
];
const LINT: ExitCodes = &[
    (0, "No finding of the severity of --fail-on or above"),
    (1, "Error, or there is such a finding"),
    USAGE,
];
const FMT: ExitCodes = &[
    (0, "Success"),
    (
        1,
        "Error; with --check, also if a document is not canonical",
    ),
    USAGE,
];
const IMPORT_FILES: ExitCodes = &[
    (0, "Success"),
    (
        1,
        "Error, or an entry cannot be read, without --skip-unreadable",
    ),
    USAGE,
];
const CONVERT: ExitCodes = &[
    (0, "Success"),
    (1, "Error, or the target cannot express part of the policy"),
    USAGE,
];
const DIFF: ExitCodes = &[
    (0, "Success"),
    (
        1,
        "Error; with --exit-code, also if a decision or a setting differs",
    ),
    USAGE,
];
const INSPECT: ExitCodes = &[
    (0, "Success"),
    (1, "Error, or keys were given and the token failed a check"),
    USAGE,
];
const DOCTOR: ExitCodes = &[(0, "No step failed"), (1, "Error, or a step failed"), USAGE];
const DENIAL: ExitCodes = &[
    (0, "Every line was understood"),
    (1, "Error, or a line that is not understood"),
    USAGE,
];
const TEST: ExitCodes = &[
    (0, "Every test passed"),
    (1, "A test failed, or a file cannot be read"),
    USAGE,
];
const BACKUP: ExitCodes = &[
    (0, "Success"),
    (
        1,
        "Error, the file exists without --replace, or the data is damaged",
    ),
    USAGE,
];
const RESTORE: ExitCodes = &[
    (0, "Success"),
    (
        1,
        "Error, the folder is not empty or in use, or the backup is damaged",
    ),
    USAGE,
];
const AUDIT: ExitCodes = &[
    (0, "Every chain is intact"),
    (1, "Error, or a chain is broken"),
    USAGE,
];
const IMPORT: ExitCodes = &[
    (0, "Success"),
    (
        1,
        "Error; with --dry-run --exit-code, also if a decision or a setting differs",
    ),
    USAGE,
];
const ROWS: ExitCodes = &[
    (0, "Success, also without a match"),
    (1, "Error, or one of several ACLs was refused"),
    USAGE,
];

const WATCH: ExitCodes = &[
    (0, "Ctrl-C"),
    (
        1,
        "Error: the service cannot be reached at first, or refuses",
    ),
    USAGE,
];

/// The page of a command.
pub(super) fn page(path: &str) -> Option<&'static Page> {
    PAGES.iter().find(|page| page.path == path)
}

/// The commands that have a page.
#[cfg(test)]
pub(super) fn paths() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|page| page.path)
}

const PAGES: &[Page] = &[
    Page {
        path: "policy apply",
        examples: &[
            "gbac least-grant --online --user ana --operation read --topic orders-created --out grant.json",
            "gbac policy apply --changes grant.json --dry-run",
            "gbac policy apply --changes grant.json --no-confirm",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "profile current",
        examples: &[
            "gbac profile create local --url http://127.0.0.1:8420 --user admin",
            "gbac profile current",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "watch",
        examples: &[
            "# Until Ctrl-C",
            "gbac watch",
            "gbac watch --principal Group:payments-team",
            "gbac watch --topic payments-events --format json",
        ],
        exit_codes: WATCH,
    },
    Page {
        path: "ready",
        examples: &["gbac ready", "gbac ready --timeout 3"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "whoami",
        examples: &["gbac whoami", "gbac whoami --format json"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "version",
        examples: &["gbac version", "gbac version --format json"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "",
        examples: &[
            "gbac check --policy policy.json --user ana --group payments-team --operation write --topic payments-events",
            "gbac who-can --policy policy.json --operation write --topic payments-events",
            "gbac policy lint policy.json",
        ],
        exit_codes: EVERY,
    },
    Page {
        path: "check",
        examples: &[
            "# May a member of payments-team write?",
            "gbac check --policy policy.json --user ana --group payments-team --operation write --topic payments-events",
            "# Why is Maya denied? (exits with 2)",
            "gbac check --policy policy.json --token-file token.jwt --jwks keys.json --operation write --topic payments-events",
            "# One decision for each line of a file",
            "gbac check --policy policy.json --checks checks.jsonl",
        ],
        exit_codes: CHECK,
    },
    Page {
        path: "who-can",
        examples: &[
            "gbac who-can --policy policy.json --operation write --topic payments-events",
            "# On all topics that begin with a prefix, and on some of them",
            "gbac who-can --policy policy.json --operation write --topic payments- --prefixed",
            "# The policy of a running service",
            "gbac who-can --online --operation write --topic payments-events",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "requests",
        examples: &[
            "# What do clients need to commit offsets?",
            "gbac requests OffsetCommit",
            "gbac requests offset",
            "gbac requests --api schema_registry",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "permissions",
        examples: &[
            "gbac permissions --policy policy.json --token-file token.jwt",
            "gbac permissions --policy policy.json --user ana --group payments-team,contractors",
            "gbac permissions --online --principal Role:PaymentsWriters",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "least-grant",
        examples: &[
            "# What would allow Maya to write?",
            "gbac least-grant --policy policy.json --token-file token.jwt --operation write --topic payments-events",
            "gbac least-grant --policy policy.json --user ana --request Produce --topic payments-events --transactional-id payments-1",
            "# For a whole group",
            "gbac least-grant --policy policy.json --principal Group:analytics --operation write --topic payments-events",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "revoke",
        examples: &[
            "# What would stop Maya from reading orders?",
            "gbac revoke --policy policy.json --token-file token.jwt --operation read --topic orders-created",
            "gbac revoke --policy policy.json --user ana --group payments-team --operation write --topic payments-events",
            "# For a whole group",
            "gbac revoke --online --principal Group:payments-team --operation write --topic payments-events --out revoke.json",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "compare",
        examples: &[
            "gbac compare --policy policy.json --token-file token.jwt --other-user ana --other-group payments-team",
            "gbac compare --policy policy.json --user ana --group payments-team --other-user ben --operation read --topic payments-events",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "what-if",
        examples: &[
            "# What does Maya gain as a member of payments-team?",
            "gbac what-if --policy policy.json --token-file token.jwt --add-to-group payments-team",
            "gbac what-if --policy policy.json --user ana --group payments-team,contractors --remove-from-group contractors --operation write --topic payments-events",
        ],
        exit_codes: WHAT_IF,
    },
    Page {
        path: "collisions",
        examples: &[
            "gbac collisions --policy policy.json --nested suffix --name /eng/payments-team,/temp/contractors",
            "gbac collisions --policy policy.json --token-file token.jwt --nested suffix",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "policy",
        examples: &[
            "gbac policy validate policy.json",
            "gbac policy lint policy.json",
            "gbac policy diff before.json policy.json",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "policy validate",
        examples: &[
            "gbac policy validate policy.json before.json",
            "gbac policy validate --format json policy.json",
        ],
        exit_codes: VALIDATE,
    },
    Page {
        path: "policy lint",
        examples: &[
            "gbac policy lint policy.json",
            "gbac policy lint --online --fail-on never",
            "# Annotations in a pipeline of GitHub",
            "gbac policy lint --format github policy.json",
        ],
        exit_codes: LINT,
    },
    Page {
        path: "policy fmt",
        examples: &[
            "gbac policy fmt policy.json",
            "# In a pipeline (exits with 1)",
            "gbac policy fmt before.json --check",
            "gbac policy fmt - < policy.json",
        ],
        exit_codes: FMT,
    },
    Page {
        path: "policy import",
        examples: &[
            "gbac policy import before.json --out imported.json",
            "gbac policy import before.json --format yaml",
        ],
        exit_codes: IMPORT_FILES,
    },
    Page {
        path: "policy pull",
        examples: &["gbac policy pull --out pulled.json"],
        exit_codes: IMPORT_FILES,
    },
    Page {
        path: "policy what-if",
        examples: &[
            "gbac policy what-if --policy policy.json --token-file token.jwt --set 'oidc_group_claim_path=$.realm_access.roles'",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "policy convert",
        examples: &[
            "# A script that creates the policy in an empty cluster",
            "gbac policy convert policy.json --to rpk --out create.sh",
            "# A script that makes only the changes since before.json",
            "gbac policy convert policy.json --from before.json --to gbac",
        ],
        exit_codes: CONVERT,
    },
    Page {
        path: "policy diff",
        examples: &[
            "# What changed since before.json?",
            "gbac policy diff before.json policy.json",
            "# What would policy.json change in a running service? For pipelines (exits with 1)",
            "gbac policy diff --online policy.json --exit-code",
            "# What differs between two clusters, and the changes that make TO decide as FROM",
            "gbac policy diff --from before.json --to policy.json --converge changes.json",
        ],
        exit_codes: DIFF,
    },
    Page {
        path: "token",
        examples: &["gbac token inspect token.jwt --jwks keys.json"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "token inspect",
        examples: &[
            "gbac token inspect token.jwt",
            "gbac token inspect token.jwt --jwks keys.json --issuer https://idp.example.com --audience streams",
            "gbac token inspect token.jwt --policy policy.json",
        ],
        exit_codes: INSPECT,
    },
    Page {
        path: "doctor",
        examples: &[
            "gbac doctor token.jwt --policy policy.json",
            "# The token has no group payments-team (exits with 1)",
            "gbac doctor token.jwt --policy policy.json --expect-group payments-team",
        ],
        exit_codes: DOCTOR,
    },
    Page {
        path: "doctor denial",
        examples: &[
            "gbac doctor denial kafka-authorizer.log --policy policy.json",
            "# With the groups of the user, which Kafka's own log does not have",
            "gbac doctor denial kafka-authorizer.log --policy policy.json --group analytics",
            "# The changes that allow the denied requests, for `gbac policy apply`",
            "gbac doctor denial kafka-authorizer.log --policy policy.json --out changes.json",
        ],
        exit_codes: DENIAL,
    },
    Page {
        path: "test",
        examples: &[
            "gbac test assertions.json --junit report.xml",
            "# On another policy than that of the file (exits with 1)",
            "gbac test assertions.json --policy before.json",
        ],
        exit_codes: TEST,
    },
    Page {
        path: "serve",
        examples: &[
            "# A demonstration: in memory, with its own identity provider",
            "gbac serve --demo",
            "# A service that keeps its policy",
            "gbac serve --data ./data",
            "# The options of a file, checked",
            "gbac serve --config gbac.toml --check-config",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "backup",
        examples: &[
            "gbac backup gbac.backup",
            "gbac backup gbac.backup --replace",
        ],
        exit_codes: BACKUP,
    },
    Page {
        path: "restore",
        examples: &[
            "gbac backup gbac.backup",
            "gbac restore gbac.backup --data ./restored",
        ],
        exit_codes: RESTORE,
    },
    Page {
        path: "audit",
        examples: &[
            "gbac serve --data ./audited",
            "gbac audit verify --data ./audited",
            "gbac audit verify audited/*.jsonl",
        ],
        exit_codes: AUDIT,
    },
    Page {
        path: "audit verify",
        examples: &[
            "gbac serve --data ./audited",
            "gbac audit verify --data ./audited",
            "gbac audit verify audited/*.jsonl",
        ],
        exit_codes: AUDIT,
    },
    Page {
        path: "export",
        examples: &["gbac export", "gbac export --out exported.json"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "import",
        examples: &[
            "# Show who would gain or lose access",
            "gbac import policy.json --dry-run",
            "gbac import policy.json --no-confirm",
        ],
        exit_codes: IMPORT,
    },
    Page {
        path: "security",
        examples: &["gbac security acl list", "gbac security role list"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "security acl",
        examples: &[
            "gbac security acl list --topic orders-created --resource-pattern-type match",
            "gbac security acl create --allow-principal Group:engineering --operation read --topic orders- --resource-pattern-type prefixed",
        ],
        exit_codes: ROWS,
    },
    Page {
        path: "security acl create",
        examples: &[
            "# Show who would gain access",
            "gbac security acl create --allow-principal Group:analytics --operation read --topic orders- --resource-pattern-type prefixed --dry-run",
            "gbac security acl create --allow-principal Group:analytics --operation read,describe --topic orders- --resource-pattern-type prefixed",
            "gbac security acl create --deny-principal Group:contractors --operation write --topic payments- --resource-pattern-type prefixed",
        ],
        exit_codes: ROWS,
    },
    Page {
        path: "security acl list",
        examples: &[
            "gbac security acl list",
            "# Every ACL that applies to a topic",
            "gbac security acl list --topic orders-created --resource-pattern-type match",
            "gbac security acl list --allow-principal Group:engineering --format json",
        ],
        exit_codes: ROWS,
    },
    Page {
        path: "security acl delete",
        examples: &[
            "# Show the ACLs, and who would lose access",
            "gbac security acl delete --allow-principal Group:engineering --dry-run",
            "gbac security acl delete --allow-principal Group:engineering --topic orders- --no-confirm",
        ],
        exit_codes: ROWS,
    },
    Page {
        path: "security role",
        examples: &[
            "gbac security role list",
            "gbac security role describe PaymentsWriters",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "security role create",
        examples: &["gbac security role create OrdersReaders"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "security role assign",
        examples: &[
            "gbac security role assign PaymentsWriters --principal Group:payments-team",
            "gbac security role assign PaymentsWriters --principal User:ana,Group:analytics",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "security role unassign",
        examples: &["gbac security role unassign PaymentsWriters --principal Group:payments"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "security role describe",
        examples: &[
            "gbac security role describe PaymentsWriters",
            "gbac security role describe PaymentsWriters --print-members",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "security role list",
        examples: &[
            "gbac security role list",
            "gbac security role list --principal Group:engineering",
            "gbac security role list --prefix Payments",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "security role delete",
        examples: &[
            "gbac security role delete ReportingLegacy --no-confirm",
            "gbac security role delete PaymentsWriters --keep-acls --no-confirm",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "cluster",
        examples: &[
            "gbac cluster config list",
            "gbac cluster loggers list",
            "gbac cluster license",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "cluster config",
        examples: &[
            "gbac cluster config list",
            "gbac cluster config get oidc_group_claim_path",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "cluster config get",
        examples: &["gbac cluster config get oidc_group_claim_path"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "cluster config set",
        examples: &[
            "gbac cluster config set nested_group_behavior suffix",
            "gbac cluster config set oidc_group_claim_path=$.roles nested_group_behavior=none",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "cluster config list",
        examples: &[
            "gbac cluster config list",
            "gbac cluster config list --format json",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "cluster loggers",
        examples: &[
            "gbac cluster loggers list",
            "gbac cluster loggers set security",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "cluster loggers set",
        examples: &["gbac cluster loggers set security --level trace --expiry-seconds 60"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "cluster loggers list",
        examples: &["gbac cluster loggers list"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "cluster license",
        examples: &["gbac cluster license", "gbac cluster license set valid"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "cluster license set",
        examples: &["gbac cluster license set valid"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "profile",
        examples: &[
            "gbac profile create local --url http://127.0.0.1:8420 --user admin",
            "gbac profile list",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "profile create",
        examples: &[
            "gbac profile create local --url http://127.0.0.1:8420 --user admin",
            "gbac profile create production --url https://gbac.example.com --role-spelling redpanda-role",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "profile use",
        examples: &[
            "gbac profile create production --url https://gbac.example.com",
            "gbac profile use production",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "profile list",
        examples: &["gbac profile list", "gbac profile list --format json"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "profile delete",
        examples: &[
            "gbac profile create old --url https://gbac.example.com",
            "gbac profile delete old",
        ],
        exit_codes: DEFAULT,
    },
    Page {
        path: "completions",
        examples: &["gbac completions bash", "gbac completions zsh > _gbac"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "man",
        examples: &["gbac man ./man"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "admin",
        examples: &["gbac admin config log-level set security"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "admin config",
        examples: &["gbac admin config log-level set security"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "admin config log-level",
        examples: &["gbac admin config log-level set security"],
        exit_codes: DEFAULT,
    },
    Page {
        path: "admin config log-level set",
        examples: &["gbac admin config log-level set security --level debug"],
        exit_codes: DEFAULT,
    },
];

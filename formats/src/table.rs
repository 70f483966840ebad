//! The table of formats: what each is called, what an import reads of it, and what an export writes.
//! Documentation, `--help`, the console and errors list the formats from here.

use std::fmt;

use gbac_json::parse;

use crate::acl_list::AclList;
use crate::csv::Csv;
use crate::document::Document;
use crate::export::{Export, Exported, Writer};
use crate::format::Format;
use crate::import::{Import, ImportedText, Input, Reader, Reading, UnreadEntry};
use crate::kafka_acls::KafkaAcls;
use crate::kubernetes::operator::Operator;
use crate::kubernetes::strimzi::Strimzi;
use crate::kubernetes::{Kubernetes, is_resource};
use crate::printed_table::PrintedTable;
use crate::role_list::RoleList;
use crate::script::ScriptTarget;
use crate::terraform::Terraform;
use crate::yaml;

/// The media type of scripts.
const SHELL: &str = "text/x-shellscript";
/// What scripts are for.
const RUN: &str = "read it, and run it with `sh`";
/// What resources of Kubernetes are for.
const APPLY: &str = "the next command is `kubectl apply --dry-run=server -f` with this file";

/// A row of the table.
pub struct FormatRow {
    /// What an import reads.
    pub input: Option<InputFormat>,
    /// What an export writes.
    pub output: Option<OutputFormat>,
}

/// A format that an import reads.
pub struct InputFormat {
    /// The name.
    pub label: &'static str,
    /// What is read, in Markdown.
    pub content: &'static str,
    reader: &'static dyn Reader,
}

/// A format that an export writes.
pub struct OutputFormat {
    /// The word for it: that of `policy convert --to`.
    pub word: &'static str,
    /// The title.
    pub title: &'static str,
    /// What it is for, in sentences.
    pub about: &'static str,
    /// The name of a file.
    pub file: &'static str,
    /// The media type of the file.
    pub media_type: &'static str,
    /// What to do with the file.
    pub next: Option<&'static str>,
    /// The name that examples of the tool give the cluster's resource in Kubernetes.
    pub cluster: Option<&'static str>,
    writer: &'static dyn Writer,
}

impl fmt::Debug for OutputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word)
    }
}

impl Format {
    /// The row of the table.
    #[must_use]
    pub const fn row(self) -> &'static FormatRow {
        match self {
            Self::Document => &FormatRow {
                input: Some(InputFormat {
                    label: "policy document",
                    content: "the document of GBAC; settings that several documents state must agree",
                    reader: &Document,
                }),
                output: Some(OutputFormat {
                    word: "document",
                    title: "Policy document",
                    about: "The whole policy as one JSON document. The console and gbac import read it again.",
                    file: "policy.json",
                    media_type: "application/json",
                    next: None,
                    cluster: None,
                    writer: &Document,
                }),
            },
            Self::Gbac => &FormatRow {
                input: None,
                output: Some(OutputFormat {
                    word: "gbac",
                    title: "gbac script",
                    about: "A shell script of gbac commands. It can be run again.",
                    file: "policy.gbac.sh",
                    media_type: SHELL,
                    next: Some(RUN),
                    cluster: None,
                    writer: &ScriptTarget::Gbac,
                }),
            },
            Self::Rpk => &FormatRow {
                input: None,
                output: Some(OutputFormat {
                    word: "rpk",
                    title: "rpk script",
                    about: "A shell script of rpk commands, the platform's command line.",
                    file: "policy.rpk.sh",
                    media_type: SHELL,
                    next: Some(RUN),
                    cluster: None,
                    writer: &ScriptTarget::Platform,
                }),
            },
            Self::Curl => &FormatRow {
                input: None,
                output: Some(OutputFormat {
                    word: "curl",
                    title: "curl script",
                    about: "A shell script of curl requests. URLs and credentials come from environment variables.",
                    file: "policy.curl.sh",
                    media_type: SHELL,
                    next: Some(RUN),
                    cluster: None,
                    writer: &ScriptTarget::Curl,
                }),
            },
            Self::KafkaAcls => &FormatRow {
                input: Some(InputFormat {
                    label: "kafka-acls output",
                    content: "the text of `kafka-acls --list`, of every version, and of `kafka-acls --add`",
                    reader: &KafkaAcls,
                }),
                output: Some(OutputFormat {
                    word: "kafka-acls",
                    title: "kafka-acls script",
                    about: "A shell script of kafka-acls commands, for Apache Kafka. It has the ACLs; Kafka has no roles.",
                    file: "policy.kafka-acls.sh",
                    media_type: SHELL,
                    next: Some(RUN),
                    cluster: None,
                    writer: &ScriptTarget::Kafka,
                }),
            },
            Self::Terraform => &FormatRow {
                input: Some(InputFormat {
                    label: "Terraform state",
                    content: "the output of `terraform show -json`, of a state or a plan: `redpanda_acl`, \
                              `redpanda_schema_registry_acl`, `redpanda_role` and `redpanda_role_assignment` in every module",
                    reader: &Terraform,
                }),
                output: Some(OutputFormat {
                    word: "terraform",
                    title: "Terraform",
                    about: "Resources of the platform's Terraform provider, in HCL.",
                    file: "policy.tf",
                    media_type: "text/plain",
                    next: Some("the next command is `terraform plan`"),
                    cluster: None,
                    writer: &Terraform,
                }),
            },
            Self::Operator => &FormatRow {
                input: Some(InputFormat {
                    label: "resources of the operator",
                    content: "`Group`, `RedpandaRole` and `User` of the Kubernetes operator, as YAML or as \
                              `kubectl get -o json` prints them",
                    reader: &Kubernetes,
                }),
                output: Some(OutputFormat {
                    word: "operator",
                    title: "Kubernetes operator",
                    about: "Resources of the platform's Kubernetes operator, in YAML.",
                    file: "policy.operator.yaml",
                    media_type: "application/yaml",
                    next: Some(APPLY),
                    cluster: Some("redpanda"),
                    writer: &Operator,
                }),
            },
            Self::Strimzi => &FormatRow {
                input: Some(InputFormat {
                    label: "Strimzi users",
                    content: "`KafkaUser`, as YAML or JSON; the name of a user with a certificate begins with `CN=`",
                    reader: &Kubernetes,
                }),
                output: Some(OutputFormat {
                    word: "strimzi",
                    title: "Strimzi",
                    about: "Users of Strimzi with their ACLs, in YAML.",
                    file: "policy.strimzi.yaml",
                    media_type: "application/yaml",
                    next: Some(APPLY),
                    cluster: Some("my-cluster"),
                    writer: &Strimzi,
                }),
            },
            Self::Csv => &FormatRow {
                input: Some(InputFormat {
                    label: "CSV",
                    content: "a line for each ACL with the columns `principal`, `host`, `resource_type`, `resource_name`, \
                              `pattern_type`, `operation` and `permission`, in any order, separated by commas, semicolons or \
                              tabs, and with the headings of other tools, such as `ResourceType` and `KafkaPrincipal`",
                    reader: &Csv,
                }),
                output: Some(OutputFormat {
                    word: "csv",
                    title: "CSV",
                    about: "A table of the ACLs for spreadsheets. gbac policy import reads it again.",
                    file: "policy.csv",
                    media_type: "text/csv",
                    next: None,
                    cluster: None,
                    writer: &Csv,
                }),
            },
            Self::Table => &FormatRow {
                input: Some(InputFormat {
                    label: "table of ACLs or members",
                    content: "the tables of `security acl list` and `security role describe` of `rpk` and `gbac`, and of \
                              `confluent kafka acl list`",
                    reader: &PrintedTable,
                }),
                output: None,
            },
            Self::AclList => &FormatRow {
                input: Some(InputFormat {
                    label: "list of ACLs",
                    content: "JSON of `security acl list` and of `confluent kafka acl list`, and the responses of `/v1/acls` \
                              (Data Plane API), `/security/acls` (Schema Registry) and `/kafka/v3/clusters/ID/acls` \
                              (Confluent); members may be in camel case",
                    reader: &AclList,
                }),
                output: None,
            },
            Self::RoleList => &FormatRow {
                input: Some(InputFormat {
                    label: "roles",
                    content: "JSON of `security role describe` and `security role list`, and the responses of `/v1/roles`, \
                              `/v1/roles/NAME` and `/v1/roles/NAME/members` (Data Plane API), `ListRoles` and `GetRole` \
                              (Admin API)",
                    reader: &RoleList,
                }),
                output: None,
            },
        }
    }
}

impl ImportedText {
    /// The name of the format.
    #[must_use]
    pub fn label(&self) -> &'static str {
        let input = self.format.and_then(|format| format.row().input.as_ref());
        input.map_or("unrecognized", |input| input.label)
    }
}

impl InputFormat {
    /// Every format that an import reads.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        Format::ALL
            .iter()
            .filter_map(|format| format.row().input.as_ref())
    }

    /// The names of all, separated by commas.
    #[must_use]
    pub fn labels() -> String {
        Self::all()
            .map(|input| input.label)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl OutputFormat {
    /// Every format that an export writes.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        Format::ALL
            .iter()
            .filter_map(|format| format.row().output.as_ref())
    }

    /// Every format that a policy document is converted to.
    pub fn converted() -> impl Iterator<Item = &'static Self> {
        Self::all().filter(|output| output.word != "document")
    }

    /// The format with this word.
    #[must_use]
    pub fn find(word: &str) -> Option<&'static Self> {
        Self::all().find(|output| output.word == word)
    }

    /// Whether it is a script, which can make the changes of a draft alone.
    #[must_use]
    pub fn is_script(&self) -> bool {
        self.media_type == SHELL
    }

    /// Writes an export.
    #[must_use]
    pub fn write(&self, export: &Export<'_>) -> Exported {
        self.writer.write(&Export {
            cluster: export.cluster.or(self.cluster),
            ..*export
        })
    }
}

impl Import {
    /// Imports another text. Its format is found by its content;
    /// [`decode`](crate::encoding::decode) makes a text of the bytes of a file. `role` is the role's
    /// name if the text, like that of command lines, describes a role without it.
    pub fn read(&mut self, text: &str, role: Option<&str>) -> ImportedText {
        let mut reading = Reading::new(self, role);
        let text = text.trim_start_matches('\u{feff}');
        if text.trim().is_empty() {
            let message = "the text is empty; a cluster without ACLs lists nothing";
            reading.refuse("", "form_unknown", message);
            return reading.report;
        }
        // Log lines before a list may begin like JSON or YAML.
        let mut input = Input::Text(text);
        let mut found = format_of(&input);
        if found.is_none() {
            match parsed(text) {
                Ok(parsed) => input = parsed,
                Err(UnreadEntry {
                    place,
                    code,
                    message,
                }) => {
                    reading.refuse(place, code, message);
                    return reading.report;
                }
            }
            found = format_of(&input);
        }
        match found {
            Some((format, reader)) => {
                reading.report.format = Some(format);
                reader.read(&input, &mut reading);
            }
            None => {
                let message = format!("not in a format that is read: {}", InputFormat::labels());
                reading.refuse("", "form_unknown", message);
            }
        }
        reading.report
    }
}

/// The first format that has an input.
fn format_of(input: &Input<'_>) -> Option<(Format, &'static dyn Reader)> {
    Format::ALL.into_iter().find_map(|format| {
        let reader = format.row().input.as_ref()?.reader;
        reader.recognizes(input).then_some((format, reader))
    })
}

/// The values of a text of JSON or YAML; other texts stay what they are.
fn parsed(text: &str) -> Result<Input<'_>, UnreadEntry> {
    let start = text.trim_start();
    if start.starts_with(['{', '[']) {
        return parse(text).map(Input::Value).map_err(|error| UnreadEntry {
            place: String::new(),
            code: error.code(),
            message: error.to_string(),
        });
    }
    if !yaml::looks_like_yaml(start) {
        return Ok(Input::Text(text));
    }
    match yaml::documents(text) {
        Ok(documents) => Ok(match documents.as_slice() {
            [document] if !is_resource(document) => Input::Value(document.clone()),
            _ => Input::Stream(documents),
        }),
        Err(error) => {
            let (place, message) = yaml::fault(&error);
            Err(UnreadEntry {
                place,
                code: "yaml_syntax",
                message,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_format_has_names_of_its_own() {
        let labels: BTreeSet<&str> = InputFormat::all().map(|input| input.label).collect();
        let words: BTreeSet<&str> = OutputFormat::all().map(|output| output.word).collect();
        let files: BTreeSet<&str> = OutputFormat::all().map(|output| output.file).collect();
        assert_eq!((labels.len(), words.len(), files.len()), (9, 9, 9));
        assert!(words.iter().all(|word| OutputFormat::find(word).is_some()));
    }
}

//! Recipes of typical clients: lists of requests that share resources.

use super::Api::{self, Kafka, SchemaRegistry};
use super::{RequestError, RequestFault, RequestSpec, Requirement, ResourceNames, find, kind_name};
use gbac_engine::model::ResourceType::{self, Group, Subject, Topic, TransactionalId};

/// A parameter of a recipe: one or more names of resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecipeParameter {
    /// Its key, such as `topic` or `input_topic`.
    pub name: &'static str,
    /// The resource type.
    pub kind: ResourceType,
    /// Whether the client derives other names that begin with this one, so that a prefixed ACL is
    /// best.
    pub prefixed: bool,
    /// A short description.
    pub description: &'static str,
}

/// One request of a recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecipeStep {
    /// The API.
    pub api: Api,
    /// The request's ID.
    pub request: &'static str,
    /// The parameters with its resources.
    pub slots: &'static [&'static str],
}

/// The requests of one type of client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipe {
    /// A stable short name, such as `consume`.
    pub id: &'static str,
    /// A short description of the client.
    pub description: &'static str,
    /// The parameters, all required.
    pub slots: &'static [RecipeParameter],
    /// Its requests, in the order in which a client sends them.
    pub steps: &'static [RecipeStep],
}

/// Finds a recipe by its ID.
#[must_use]
pub fn recipe(id: &str) -> Option<&'static Recipe> {
    RECIPES
        .iter()
        .find(|recipe| recipe.id.eq_ignore_ascii_case(id))
}

impl Recipe {
    /// The requests with their resources for [`RequestSpec::expand`]. The keys of `names` are
    /// parameters.
    ///
    /// # Errors
    /// Missing, empty and unknown parameters, all at once.
    pub fn requests(
        &self,
        names: &ResourceNames,
    ) -> Result<Vec<(&'static RequestSpec, ResourceNames)>, RequestError> {
        let mut faults = Vec::new();
        for (key, list) in names.iter() {
            if !self.slots.iter().any(|slot| slot.name == key) {
                let accepts = self.slots.iter().map(|slot| slot.name).collect();
                faults.push(RequestFault::NotAccepted {
                    request: self.id,
                    kind: key.into(),
                    accepts,
                });
            } else if list.is_empty() {
                faults.push(RequestFault::EmptyList(key.into()));
            }
        }
        for slot in self
            .slots
            .iter()
            .filter(|slot| names.get(slot.name).is_none())
        {
            faults.push(RequestFault::Missing {
                request: self.id,
                kind: slot.name,
            });
        }
        if !faults.is_empty() {
            return Err(RequestError::new(faults));
        }
        let requests = self.steps.iter().filter_map(|step| {
            let mut resources = ResourceNames::default();
            for slot in self
                .slots
                .iter()
                .filter(|slot| step.slots.contains(&slot.name))
            {
                let kind = kind_name(slot.kind);
                let mut list = resources.get(kind).unwrap_or_default().to_vec();
                list.extend_from_slice(names.get(slot.name).unwrap_or_default());
                resources.insert(kind, list);
            }
            find(step.api, step.request).map(|row| (row, resources))
        });
        Ok(requests.collect())
    }

    /// The checks that all requests of the recipe require.
    ///
    /// # Errors
    /// The errors of [`Recipe::requests`].
    pub fn expand(&self, names: &ResourceNames) -> Result<Requirement, RequestError> {
        let needs = self
            .requests(names)?
            .into_iter()
            .map(|(row, resources)| row.expand(&resources));
        needs
            .collect::<Result<Vec<Requirement>, RequestError>>()
            .map(Requirement::all)
    }
}

const fn slot(
    name: &'static str,
    kind: ResourceType,
    description: &'static str,
) -> RecipeParameter {
    RecipeParameter {
        name,
        kind,
        prefixed: false,
        description,
    }
}

const fn kafka(request: &'static str, slots: &'static [&'static str]) -> RecipeStep {
    RecipeStep {
        api: Kafka,
        request,
        slots,
    }
}

const fn registry(request: &'static str, slots: &'static [&'static str]) -> RecipeStep {
    RecipeStep {
        api: SchemaRegistry,
        request,
        slots,
    }
}

/// Every recipe.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        id: "consume",
        description: "consume topics in a consumer group and commit offsets",
        slots: &[
            slot("topic", Topic, "the topics to read"),
            slot("group", Group, "the consumer group"),
        ],
        steps: &[
            kafka("metadata", &["topic"]),
            kafka("find-coordinator", &["group"]),
            kafka("join-group", &["group"]),
            kafka("sync-group", &["group"]),
            kafka("offset-fetch", &["group", "topic"]),
            kafka("list-offsets", &["topic"]),
            kafka("fetch", &["topic"]),
            kafka("heartbeat", &["group"]),
            kafka("offset-commit", &["group", "topic"]),
            kafka("leave-group", &["group"]),
        ],
    },
    Recipe {
        id: "produce",
        description: "produce to topics, with an idempotent producer as clients do by default",
        slots: &[slot("topic", Topic, "the topics to write")],
        steps: &[
            kafka("metadata", &["topic"]),
            kafka("init-producer-id", &["topic"]),
            kafka("produce", &["topic"]),
        ],
    },
    Recipe {
        id: "produce-transactional",
        description: "produce to topics in transactions",
        slots: &[
            slot("topic", Topic, "the topics to write"),
            slot(
                "transactional_id",
                TransactionalId,
                "the producer's transactional ID",
            ),
        ],
        steps: &[
            kafka("metadata", &["topic"]),
            kafka("find-coordinator", &["transactional_id"]),
            kafka("init-producer-id-transactional", &["transactional_id"]),
            kafka("add-partitions-to-txn", &["transactional_id", "topic"]),
            kafka("produce", &["topic", "transactional_id"]),
            kafka("end-txn", &["transactional_id"]),
        ],
    },
    Recipe {
        id: "streams",
        description: "run a streams application: consume, produce, and keep its internal topics",
        slots: &[
            slot("input_topic", Topic, "the topics to read"),
            slot("output_topic", Topic, "the topics to write"),
            slot(
                "group",
                Group,
                "the application id, which is its consumer group",
            ),
            RecipeParameter {
                name: "internal_topic",
                kind: Topic,
                prefixed: true,
                description: "internal topics such as `app-counts-changelog`; their names start with the application id",
            },
        ],
        steps: &[
            kafka(
                "metadata",
                &["input_topic", "output_topic", "internal_topic"],
            ),
            kafka("find-coordinator", &["group"]),
            kafka("join-group", &["group"]),
            kafka("create-topics", &["internal_topic"]),
            kafka("sync-group", &["group"]),
            kafka("offset-fetch", &["group", "input_topic", "internal_topic"]),
            kafka("list-offsets", &["input_topic", "internal_topic"]),
            kafka("fetch", &["input_topic", "internal_topic"]),
            kafka("init-producer-id", &["output_topic", "internal_topic"]),
            kafka("produce", &["output_topic", "internal_topic"]),
            kafka("heartbeat", &["group"]),
            kafka("offset-commit", &["group", "input_topic", "internal_topic"]),
            kafka("delete-records", &["internal_topic"]),
            kafka("leave-group", &["group"]),
            kafka("delete-topics", &["internal_topic"]),
        ],
    },
    Recipe {
        id: "schema-read",
        description: "read schemas, as a consumer's deserializer does",
        slots: &[slot(
            "subject",
            Subject,
            "the subjects, such as `orders-value`",
        )],
        steps: &[
            registry("get-schemas-ids-id", &["subject"]),
            registry("get-subject-versions", &["subject"]),
            registry("get-subject-versions-version", &["subject"]),
        ],
    },
    Recipe {
        id: "schema-write",
        description: "check and register schemas, as a producer's serializer does",
        slots: &[slot(
            "subject",
            Subject,
            "the subjects, such as `orders-value`",
        )],
        steps: &[
            registry("post-subject", &["subject"]),
            registry("compatibility-subject-version", &["subject"]),
            registry("post-subject-versions", &["subject"]),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_names_a_request_and_slots_of_its_recipe() {
        for recipe in RECIPES {
            for step in recipe.steps {
                let row =
                    find(step.api, step.request).unwrap_or_else(|| panic!("{}", step.request));
                assert_eq!(row.id, step.request);
                for name in step.slots {
                    let slot = recipe.slots.iter().find(|slot| slot.name == *name).unwrap();
                    assert!(
                        row.parameters
                            .iter()
                            .any(|parameter| parameter.kind == slot.kind),
                        "{} {name}",
                        step.request
                    );
                }
            }
            for slot in recipe.slots {
                assert!(
                    recipe
                        .steps
                        .iter()
                        .any(|step| step.slots.contains(&slot.name)),
                    "{}",
                    slot.name
                );
            }
        }
    }
}

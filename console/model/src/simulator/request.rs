//! Whole requests: the checks of one API request or of a client, and their outcomes.

use std::collections::BTreeMap;
use std::net::IpAddr;

use gbac_analysis::requests::{
    Api, Presence, RECIPES, RequiredCheck, Requirement, ResourceNames, catalog, find, kind_name,
    recipe,
};
use gbac_engine::Coded;
use gbac_engine::decide::{At, Outcome, PreparedIdentity};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Operation, ResourceType};
use gbac_engine::policy::Policy;
use gbac_words::request;
use gbac_words::rich_text::RichText;

use crate::names::entered;
use crate::simulator::hypothesis::Hypothesis;
use crate::simulator::question::AccessRequest;
use crate::simulator::verdict::{VerdictKind, kind};

/// Where a request is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RequestCatalog {
    /// What clients do: several requests.
    #[default]
    Recipes,
    /// One request of an API.
    Api(Api),
}

impl RequestCatalog {
    /// Every book.
    pub const ALL: [Self; 4] = [
        Self::Recipes,
        Self::Api(Api::Kafka),
        Self::Api(Api::SchemaRegistry),
        Self::Api(Api::HttpProxy),
    ];

    /// The value in a form.
    pub fn code(self) -> &'static str {
        match self {
            Self::Recipes => "recipes",
            Self::Api(api) => api.code(),
        }
    }

    /// The label of the choice.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Recipes => "Recipes",
            Self::Api(api) => api.title(),
        }
    }

    /// Reads the value of a form.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|book| book.code() == code)
    }

    /// What can be chosen: ids and words.
    pub fn entries(self) -> Vec<(&'static str, String)> {
        match self {
            Self::Recipes => RECIPES
                .iter()
                .map(|recipe| (recipe.id, capital(recipe.description)))
                .collect(),
            Self::Api(api) => catalog()
                .iter()
                .filter(|row| row.api == api)
                .map(|row| (row.id, format!("{}: {}", row.name, row.description)))
                .collect(),
        }
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// A field for names, one per line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Its key.
    pub key: &'static str,
    /// Its label.
    pub label: String,
    /// What to enter.
    pub help: String,
    /// The kind of resource.
    pub kind: ResourceType,
    /// Whether the request cannot be made without.
    pub required: bool,
}

/// What is entered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestForm {
    /// Where the request is taken from.
    pub book: RequestCatalog,
    /// Its id; the first one while empty.
    pub id: String,
    /// Names by key, one per line. They stay when another request is chosen.
    pub names: BTreeMap<&'static str, String>,
    /// The name that the form began with.
    begun: Option<String>,
}

impl RequestForm {
    /// The id that is chosen, the first one where none of this book is.
    pub fn chosen(&self) -> &'static str {
        let entries = self.book.entries();
        let known = entries
            .iter()
            .find(|(id, _)| *id == self.id)
            .or_else(|| entries.first());
        known.map_or("", |(id, _)| id)
    }

    /// The fields of what is chosen.
    pub fn slots(&self) -> Vec<Slot> {
        match self.book {
            RequestCatalog::Recipes => recipe(self.chosen())
                .map_or(&[][..], |recipe| recipe.slots)
                .iter()
                .map(|slot| Slot {
                    key: slot.name,
                    label: capital(&slot.name.replace('_', " ")),
                    help: format!("{}, one per line", capital(slot.description)),
                    kind: slot.kind,
                    required: true,
                })
                .collect(),
            RequestCatalog::Api(api) => find(api, self.chosen())
                .map_or(&[][..], |row| row.parameters)
                .iter()
                .map(|takes| Slot {
                    key: kind_name(takes.kind),
                    label: format!("{}s", capital(takes.kind.noun())),
                    help: match takes.presence {
                        Presence::Required => "One per line".into(),
                        Presence::Optional => "One per line; may be left empty".into(),
                        Presence::OneOf => "One per line; one of these fields is enough".into(),
                    },
                    kind: takes.kind,
                    required: takes.presence == Presence::Required,
                })
                .collect(),
        }
    }

    /// Begins with the question of the simulator, unless other names were entered: what a client
    /// does with such a resource, and its name.
    pub fn begin(&mut self, access: &AccessRequest) {
        let begun = self.begun.as_ref();
        let is_entered = self
            .names
            .values()
            .any(|names| !names.trim().is_empty() && Some(names) != begun);
        if access.resource_name.is_empty() || begun == Some(&access.resource_name) || is_entered {
            return;
        }
        let id = match (access.resource_type, access.operation) {
            (ResourceType::Topic, Operation::Write | Operation::IdempotentWrite) => "produce",
            (ResourceType::Topic | ResourceType::Group, _) => "consume",
            (ResourceType::TransactionalId, _) => "produce-transactional",
            (ResourceType::Subject, Operation::Write) => "schema-write",
            (ResourceType::Subject, _) => "schema-read",
            (
                ResourceType::Cluster
                | ResourceType::Registry
                | ResourceType::DelegationToken
                | ResourceType::User,
                _,
            ) => return,
        };
        self.book = RequestCatalog::Recipes;
        id.clone_into(&mut self.id);
        self.names.clear();
        self.begun = Some(access.resource_name.clone());
        if let Some(slot) = self
            .slots()
            .into_iter()
            .find(|slot| slot.kind == access.resource_type)
        {
            self.names.insert(slot.key, access.resource_name.clone());
        }
    }

    /// The labels of the fields that have to be filled in first.
    pub fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        for slot in self.slots() {
            let is_filled = match self.names.get(slot.key) {
                Some(names) => !names.trim().is_empty(),
                None => false,
            };
            if slot.required && !is_filled {
                missing.push(slot.label);
            }
        }
        missing
    }

    /// What to know about what is chosen; empty where there is nothing.
    pub fn notes(&self) -> &'static str {
        match self.book {
            RequestCatalog::Recipes => "",
            RequestCatalog::Api(api) => find(api, self.chosen()).map_or("", |row| row.notes),
        }
    }

    fn resources(&self) -> ResourceNames {
        let mut resources = ResourceNames::default();
        for slot in self.slots() {
            let names = match self.names.get(slot.key) {
                Some(text) => entered(text),
                None => Vec::new(),
            };
            if !names.is_empty() {
                resources.insert(slot.key, names);
            }
        }
        resources
    }

    /// The requests, each with what it needs.
    ///
    /// # Errors
    /// What is still missing or wrong.
    pub fn needs(&self) -> Result<Vec<(String, Requirement)>, Vec<RichText>> {
        let resources = self.resources();
        let requests = match self.book {
            RequestCatalog::Recipes => match recipe(self.chosen()) {
                Some(recipe) => recipe.requests(&resources),
                None => Ok(Vec::new()),
            },
            RequestCatalog::Api(api) => Ok(find(api, self.chosen())
                .map(|row| (row, resources))
                .into_iter()
                .collect()),
        };
        let needs = requests.and_then(|requests| {
            let expand = requests
                .into_iter()
                .map(|(row, names)| Ok((row.name.to_owned(), row.expand(&names)?)));
            expand.collect()
        });
        needs.map_err(|error| {
            error
                .faults()
                .iter()
                .map(|fault| RichText::with_hint(&fault.to_string(), &fault.hint()))
                .collect()
        })
    }
}

/// One check that something needs, and what becomes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestRow {
    /// The check.
    pub check: RequiredCheck,
    /// The client's address, when it was given.
    pub host: Option<IpAddr>,
    /// What becomes of it.
    pub kind: VerdictKind,
    /// The requests that need it.
    pub of: Vec<String>,
}

impl RequestRow {
    /// The check as a question of its own; none if it is about any resource of a type.
    pub fn access(&self) -> Option<AccessRequest> {
        Some(AccessRequest {
            operation: self.check.operation,
            resource_type: self.check.resource_type,
            resource_name: self.check.resource_name.clone()?,
            host: self.host,
        })
    }

    /// What is done, in a sentence: `write to topic ...`, `write to any topic`.
    pub fn deed(&self) -> RichText {
        request::check(&self.check)
    }
}

/// What becomes of requests.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestAnswer {
    /// Each request with its outcome.
    pub requests: Vec<(String, Outcome)>,
    /// Each check, once, in the order in which it is met.
    pub rows: Vec<RequestRow>,
    /// What all requests need, where one of several checks is enough.
    pub choice: Option<Requirement>,
}

impl RequestAnswer {
    /// Whether every request is allowed.
    pub fn outcome(&self) -> Outcome {
        let denied = self
            .requests
            .iter()
            .any(|(_, outcome)| *outcome == Outcome::Deny);
        if denied {
            Outcome::Deny
        } else {
            Outcome::Allow
        }
    }

    /// The checks for what would allow it; none where one of several is enough, so that not all are
    /// needed.
    pub fn all(&self) -> Option<Vec<AccessRequest>> {
        match self.choice {
            None => self.rows.iter().map(RequestRow::access).collect(),
            Some(_) => None,
        }
    }
}

/// Decides requests at an instant, with what that rests on.
pub fn answer(
    policy: &Policy,
    identity: &Identity,
    needs: &[(String, Requirement)],
    host: Option<IpAddr>,
    at: At,
    hypotheses: &[Hypothesis],
) -> RequestAnswer {
    let mut rows: Vec<RequestRow> = Vec::new();
    let mut requests = Vec::new();
    let mut prepared = PreparedIdentity::new(policy, identity.clone());
    for (name, need) in needs {
        let outcome = need.outcome(|check| {
            let decision = check.decide(policy, &mut prepared, host, at);
            match rows.iter_mut().find(|row| row.check == *check) {
                Some(row) if row.of.contains(name) => {}
                Some(row) => row.of.push(name.clone()),
                None => rows.push(RequestRow {
                    check: check.clone(),
                    host,
                    kind: kind(decision.reason).under(hypotheses),
                    of: vec![name.clone()],
                }),
            }
            decision.outcome
        });
        // A request that needs nothing is still none for an identity that has expired (D-20).
        let outcome = if identity.is_expired(at) {
            Outcome::Deny
        } else {
            outcome
        };
        requests.push((name.clone(), outcome));
    }
    let need = Requirement::all(needs.iter().map(|(_, need)| need.clone()).collect());
    let choice = need.has_choice().then_some(need);
    RequestAnswer {
        requests,
        rows,
        choice,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::tests::policy;

    fn form(book: RequestCatalog, id: &str, names: &[(&'static str, &str)]) -> RequestForm {
        let names = names
            .iter()
            .map(|(key, text)| (*key, (*text).to_owned()))
            .collect();
        RequestForm {
            book,
            id: id.into(),
            names,
            ..RequestForm::default()
        }
    }

    #[test]
    fn every_entry_can_be_filled() {
        for book in RequestCatalog::ALL {
            assert_eq!(RequestCatalog::from_code(book.code()), Some(book));
            for (id, words) in book.entries() {
                assert!(!words.is_empty());
                let mut form = form(book, id, &[]);
                form.names = form
                    .slots()
                    .iter()
                    .map(|slot| (slot.key, "a\nb".to_owned()))
                    .collect();
                // Some requests take one kind or the other, and say so; all others are filled.
                if let Err(faults) = form.needs() {
                    assert!(faults.iter().all(|fault| !fault.plain().is_empty()), "{id}");
                    assert!(
                        form.slots().iter().any(|slot| !slot.required),
                        "{id}: {faults:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_recipe_is_denied_where_one_of_its_checks_is() {
        let empty = form(RequestCatalog::Recipes, "consume", &[]);
        assert_eq!(empty.slots().len(), 2);
        assert_eq!(empty.needs().unwrap_err().len(), 2);
        let consume = form(
            RequestCatalog::Recipes,
            "consume",
            &[("topic", "payments-settled"), ("group", "app")],
        );
        let needs = consume.needs().unwrap();
        let identity = Identity::new("a", ["analysts"]);
        let found = answer(&policy(), &identity, &needs, None, At::seconds(0.0), &[]);
        assert_eq!(found.outcome(), Outcome::Deny);
        let denied: Vec<String> = found
            .rows
            .iter()
            .filter(|row| row.kind != VerdictKind::Allowed)
            .map(|row| row.deed().plain())
            .collect();
        assert!(
            denied
                .iter()
                .all(|deed| deed.ends_with("consumer group app")),
            "{denied:?}"
        );
        assert!(
            found
                .rows
                .iter()
                .any(|row| row.kind == VerdictKind::Allowed && row.of.len() > 1),
            "{:?}",
            found.rows
        );
        assert!(
            found
                .requests
                .iter()
                .any(|(name, outcome)| name == "Fetch" && *outcome == Outcome::Allow)
        );
    }

    #[test]
    fn the_question_is_where_a_request_begins() {
        let access = |operation, resource_type, name: &str| AccessRequest {
            operation,
            resource_type,
            resource_name: name.into(),
            host: None,
        };
        let mut form = RequestForm::default();
        assert_eq!(form.missing(), ["Topic", "Group"]);
        form.begin(&access(Operation::Read, ResourceType::Topic, ""));
        assert_eq!(form, RequestForm::default(), "nothing is known yet");
        form.begin(&access(Operation::Write, ResourceType::Topic, "orders"));
        assert_eq!(
            (form.chosen(), form.names.get("topic").map(String::as_str)),
            ("produce", Some("orders"))
        );
        assert!(form.missing().is_empty() && form.needs().is_ok());
        // It follows the question, until somebody enters names.
        form.begin(&access(Operation::Read, ResourceType::Group, "app"));
        assert_eq!(
            (form.chosen(), form.names.len(), form.missing()),
            ("consume", 1, vec!["Topic".to_owned()])
        );
        form.names.insert("topic", "refunds".into());
        form.begin(&access(Operation::Write, ResourceType::Topic, "orders"));
        assert_eq!(form.chosen(), "consume");
        let mut read = RequestForm::default();
        read.begin(&access(Operation::Read, ResourceType::Topic, "orders"));
        assert_eq!(
            (read.chosen(), read.missing()),
            ("consume", vec!["Group".to_owned()])
        );
        for resource_type in ResourceType::ALL {
            for operation in Operation::ALL {
                let mut form = RequestForm::default();
                form.begin(&access(*operation, *resource_type, "x"));
                let is_filled = form.names.values().any(|name| name == "x");
                let is_named = form.slots().iter().any(|slot| slot.kind == *resource_type);
                assert_eq!(is_filled, is_named, "{resource_type:?} {operation:?}");
            }
        }
    }

    #[test]
    fn one_request_is_taken_from_the_table() {
        let produce = form(
            RequestCatalog::Api(Api::Kafka),
            "produce",
            &[("topic", "payments-settled\npayments-new")],
        );
        let needs = produce.needs().unwrap();
        let found = answer(
            &policy(),
            &Identity::new("a", ["payments"]),
            &needs,
            None,
            At::seconds(0.0),
            &[],
        );
        assert_eq!(
            (found.outcome(), found.rows.len(), found.choice.clone()),
            (Outcome::Allow, 2, None)
        );
        assert_eq!(found.all().map(|all| all.len()), Some(2));
        // An unknown id is the first of its book.
        assert!(
            !form(RequestCatalog::Api(Api::HttpProxy), "nothing", &[])
                .chosen()
                .is_empty()
        );
    }
    #[test]
    fn a_choice_is_one_of_the_lines_that_are_all_required() {
        let produce = form(
            RequestCatalog::Recipes,
            "produce",
            &[("topic", "payments-events")],
        );
        let needs = produce.needs().unwrap();
        let identity = Identity::new("a", ["payments"]);
        let found = answer(&policy(), &identity, &needs, None, At::seconds(0.0), &[]);
        let (title, lines) = request::needs(found.choice.as_ref().unwrap());
        let lines: Vec<String> = lines.iter().map(RichText::plain).collect();
        assert_eq!(title, "All of these are required:");
        assert_eq!(
            lines,
            [
                "describe topic payments-events",
                "write idempotently to the cluster or write to topic payments-events",
                "write to topic payments-events",
            ]
        );
        assert_eq!(found.all(), None);
    }
}

//! Questions as they are typed: `can maya write orders`, `who can read payments-*`, `why can't maya
//! write orders` (D-67).

use gbac_engine::model::{Operation, ResourceType};

/// What a question is about: an operation on a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypedRequest {
    /// The operation.
    pub(super) operation: Operation,
    /// The type of the resource.
    pub(super) resource_type: ResourceType,
    /// The resource's name as it was typed; a `*` at its end stands for the rest of the name.
    pub(super) name: String,
}

/// A question as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypedQuestion {
    /// Whether a principal can perform an operation, and why.
    Can {
        /// Who, as it was typed.
        who: String,
        /// What.
        request: TypedRequest,
    },
    /// Who can do something.
    WhoCan(TypedRequest),
    /// The start of a question, with an example of a whole one.
    Incomplete(&'static str),
    /// Reads as a question, but is none of those that can be answered.
    Unknown,
}

/// The words that a question begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    Can,
    WhoCan,
    Why,
}

impl Opening {
    const fn example(self) -> &'static str {
        match self {
            Self::Can => "can maya write orders",
            Self::WhoCan => "who can read payments-*",
            Self::Why => "why can't maya write orders",
        }
    }
}

/// Words that begin what is asked or requested in English.
const ASKING: [&str; 22] = [
    "what", "which", "who", "whose", "whom", "how", "when", "where", "why", "is", "are", "do",
    "does", "did", "has", "have", "may", "could", "should", "will", "show", "tell",
];
/// Small words between operation and resource that say nothing.
const FILLERS: [&str; 7] = ["to", "from", "in", "on", "the", "of", "a"];
/// Other words for operations.
const SYNONYMS: [(&str, Operation); 5] = [
    ("consume", Operation::Read),
    ("produce", Operation::Write),
    ("join", Operation::Read),
    ("use", Operation::Write),
    ("register", Operation::Write),
];

/// The words of a text; what is in double quotes is one word.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let (mut is_quoted, mut is_begun) = (false, false);
    for letter in text.chars() {
        match letter {
            '"' => {
                is_quoted = !is_quoted;
                is_begun = true;
            }
            letter if letter.is_whitespace() && !is_quoted => {
                if is_begun {
                    words.push(std::mem::take(&mut word));
                }
                is_begun = false;
            }
            letter => {
                word.push(letter);
                is_begun = true;
            }
        }
    }
    if is_begun {
        words.push(word);
    }
    words
}

/// Reads a question; none where the text is a search.
pub(super) fn read(text: &str) -> Option<TypedQuestion> {
    let words = split(text.trim().trim_end_matches('?'));
    let lower: Vec<String> = words
        .iter()
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let (opening, begin) = match lower.as_slice() {
        ["who", "can", ..] => (Opening::WhoCan, 2),
        ["who"] => (Opening::WhoCan, 1),
        ["why", "can" | "can't" | "cant" | "cannot", ..] => (Opening::Why, 2),
        ["why", ..] => (Opening::Why, 1),
        ["can", ..] => (Opening::Can, 1),
        [first, _, ..] if ASKING.contains(first) => return Some(TypedQuestion::Unknown),
        _ if text.trim_end().ends_with('?') && !words.is_empty() => {
            return Some(TypedQuestion::Unknown);
        }
        _ => return None,
    };
    let incomplete = Some(TypedQuestion::Incomplete(opening.example()));
    // The principal precedes the operation and has at least one word.
    let first = if opening == Opening::WhoCan {
        begin
    } else {
        begin + 1
    };
    let Some((at, (operation, number))) =
        (first..lower.len()).find_map(|at| Some((at, operation(lower.get(at..)?)?)))
    else {
        return incomplete;
    };
    if opening == Opening::WhoCan && at != begin {
        return incomplete;
    }
    let who: Vec<&str> = words
        .get(begin..at)
        .unwrap_or_default()
        .iter()
        .map(String::as_str)
        .collect();
    let who = match who.as_slice() {
        // "why can maya not write orders"
        [who @ .., last] if !who.is_empty() && last.eq_ignore_ascii_case("not") => who.join(" "),
        who => who.join(" "),
    };
    let is_join = lower.get(at) == Some(&"join");
    let rest = at + number;
    let Some(request) = request(
        operation,
        is_join,
        words.get(rest..).unwrap_or_default(),
        lower.get(rest..).unwrap_or_default(),
    ) else {
        return incomplete;
    };
    Some(match opening {
        Opening::WhoCan => TypedQuestion::WhoCan(request),
        Opening::Can | Opening::Why => TypedQuestion::Can { who, request },
    })
}

/// An operation at the start of these words, and how many words it takes.
fn operation(words: &[&str]) -> Option<(Operation, usize)> {
    let of = |text: &str| text.parse::<Operation>().ok();
    if let [first, second, ..] = words
        && let Some(operation) = of(&format!("{first}_{second}"))
    {
        return Some((operation, 2));
    }
    let first = words.first()?;
    let synonym = || {
        SYNONYMS
            .iter()
            .find(|(word, _)| word == first)
            .map(|(_, operation)| *operation)
    };
    of(first).or_else(synonym).map(|operation| (operation, 1))
}

/// The resource of the words behind the operation; none while none is named.
fn request(
    operation: Operation,
    is_join: bool,
    words: &[String],
    lower: &[&str],
) -> Option<TypedRequest> {
    // A filler that is the last word is a name.
    let skip = lower
        .iter()
        .take(lower.len().saturating_sub(1))
        .take_while(|word| FILLERS.contains(word))
        .count();
    let (words, lower) = (words.get(skip..)?, lower.get(skip..)?);
    let named = |resource_type, from: usize| {
        let name = words.get(from..)?.join(" ");
        (!name.is_empty()).then_some(TypedRequest {
            operation,
            resource_type,
            name,
        })
    };
    let nameless = |resource_type| {
        Some(TypedRequest {
            operation,
            resource_type,
            name: String::new(),
        })
    };
    match lower {
        ["cluster"] => nameless(ResourceType::Cluster),
        ["registry"] | ["schema", "registry"] => nameless(ResourceType::Registry),
        ["topic" | "topics", _, ..] => named(ResourceType::Topic, 1),
        ["consumer", "group" | "groups", _, ..] => named(ResourceType::Group, 2),
        ["group" | "groups", _, ..] => named(ResourceType::Group, 1),
        ["subject" | "subjects", _, ..] => named(ResourceType::Subject, 1),
        ["transactional", "id" | "ids", _, ..] => named(ResourceType::TransactionalId, 2),
        // What only one type of resource has is about that type.
        _ if is_join => named(ResourceType::Group, 0),
        _ => named(ResourceType::Topic, 0),
    }
}

/// The words of a question that name something, for a search beside its answer.
pub(super) fn names(question: &TypedQuestion) -> Vec<&str> {
    match question {
        TypedQuestion::Can { who, request } => vec![bare(who), request.name.trim_end_matches('*')],
        TypedQuestion::WhoCan(request) => vec![request.name.trim_end_matches('*')],
        TypedQuestion::Incomplete(_) | TypedQuestion::Unknown => Vec::new(),
    }
}

/// The words of a text that is no whole question, without those that only ask.
pub(super) fn telling(text: &str) -> Vec<&str> {
    let mut telling = Vec::new();
    for word in text.trim_end_matches('?').split_whitespace() {
        let lower = word.to_lowercase();
        let lower = lower.as_str();
        let asks = ASKING.contains(&lower)
            || FILLERS.contains(&lower)
            || matches!(lower, "can" | "can't" | "can’t" | "cannot" | "not");
        if !asks {
            telling.push(word);
        }
    }
    telling
}

/// Whether a text has several words.
pub(super) fn has_several_words(text: &str) -> bool {
    text.split_whitespace().nth(1).is_some()
}

/// A name without its type.
fn bare(who: &str) -> &str {
    match who.split_once(':') {
        Some((kind, name))
            if ["user", "group", "role"]
                .iter()
                .any(|known| kind.eq_ignore_ascii_case(known)) =>
        {
            name
        }
        _ => who,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(operation: Operation, resource_type: ResourceType, name: &str) -> TypedRequest {
        TypedRequest {
            operation,
            resource_type,
            name: name.into(),
        }
    }

    fn can(
        who: &str,
        operation: Operation,
        resource_type: ResourceType,
        name: &str,
    ) -> Option<TypedQuestion> {
        Some(TypedQuestion::Can {
            who: who.into(),
            request: request(operation, resource_type, name),
        })
    }

    fn who_can(
        operation: Operation,
        resource_type: ResourceType,
        name: &str,
    ) -> Option<TypedQuestion> {
        Some(TypedQuestion::WhoCan(request(
            operation,
            resource_type,
            name,
        )))
    }

    #[test]
    fn questions_are_read_as_they_are_typed() {
        use Operation::{AlterConfigs, Create, Read, Write};
        use ResourceType::{Cluster, Group, Subject, Topic, TransactionalId};
        let maya = can("maya", Write, Topic, "orders");
        for text in [
            "can maya write orders",
            "Can maya write to orders?",
            "can maya produce to the topic orders",
            "why can't maya write orders",
            "why can’t maya write orders",
            "why cannot maya write to topic orders",
            "why can maya not write orders",
            "why maya write orders",
            "  can   maya write topic orders ? ",
        ] {
            assert_eq!(read(text), maya, "{text}");
        }
        assert_eq!(
            read("who can read payments-*"),
            who_can(Read, Topic, "payments-*")
        );
        assert_eq!(
            read("who can create on cluster"),
            who_can(Create, Cluster, "")
        );
        assert_eq!(
            read("who can alter configs of subject x"),
            who_can(AlterConfigs, Subject, "x")
        );
        assert_eq!(
            read("can Group:eng join billing"),
            can("Group:eng", Read, Group, "billing")
        );
        assert_eq!(
            read("can svc read consumer group billing"),
            can("svc", Read, Group, "billing")
        );
        assert_eq!(
            read("can svc use transactional id t1"),
            can("svc", Write, TransactionalId, "t1")
        );
        // Names that are words of the language, and names with blanks.
        assert_eq!(read("can read read read"), can("read", Read, Topic, "read"));
        assert_eq!(
            read("can \"ann lee\" read \"my topic\""),
            can("ann lee", Read, Topic, "my topic")
        );
        assert_eq!(
            read("can ann lee read the"),
            can("ann lee", Read, Topic, "the")
        );
        assert_eq!(read("can ann read topic"), can("ann", Read, Topic, "topic"));
    }

    #[test]
    fn a_search_is_no_question_and_a_start_is_incomplete() {
        for text in [
            "",
            "payments",
            "canary write",
            "orders can",
            "whose",
            "write orders",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        for text in [
            "can",
            "can maya",
            "can maya write",
            "who",
            "who can",
            "who can read",
            "why",
            "who can maya read x",
            "can write orders",
        ] {
            assert!(
                matches!(read(text), Some(TypedQuestion::Incomplete(_))),
                "{text}: {:?}",
                read(text)
            );
        }
        for text in [
            "what can maya read",
            "who reads orders",
            "Is maya allowed to write?",
            "maya write orders?",
            "orders?",
        ] {
            assert_eq!(read(text), Some(TypedQuestion::Unknown), "{text}");
        }
        assert_eq!(read("?"), None);
        assert_eq!(telling("What can maya read?"), ["maya", "read"]);
        let named = read("can Group:eng write orders-*").unwrap();
        assert_eq!(names(&named), ["eng", "orders-"]);
    }
}

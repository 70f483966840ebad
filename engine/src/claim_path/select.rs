//! Evaluates claim paths on documents, with a limit on the number of visited nodes (RFC 9535
//! sections 2.3 and 2.5, D-11).
//!
//! Without the limit, nested filters over the whole document would take time in the order of a power
//! of the document's size.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::filter::{Comparison, Filter, Operand, Query, Segment, Selector, Slice};
use super::spell::{Element, spell};
use super::{MAX_DOCUMENT_DEPTH, MAX_NODES, MAX_VISITS, Node, TooManyNodes};

/// The nodes that the segments select, in the order of RFC 9535.
pub(super) fn select<'a>(
    segments: &[Segment],
    root: &'a Value,
) -> Result<Vec<Node<'a>>, TooManyNodes> {
    let mut evaluation = Evaluation {
        root,
        visits: 0,
        trail: Vec::new(),
    };
    let nodes = evaluation.query(segments, root)?;
    Ok(nodes
        .iter()
        .map(|step| Node {
            location: evaluation.location(step.at),
            value: step.value,
        })
        .collect())
}

/// A node: its value, and the index of its last step in the trail; `None` for the start of a query.
#[derive(Clone, Copy)]
struct TrailNode<'a> {
    at: Option<usize>,
    value: &'a Value,
}

struct Evaluation<'a> {
    root: &'a Value,
    visits: usize,
    /// The steps to all nodes, each with the index of the step before it.
    trail: Vec<(Option<usize>, Element<'a>)>,
}

impl<'a> Evaluation<'a> {
    fn visit(&mut self) -> Result<(), TooManyNodes> {
        self.visits += 1;
        if self.visits > MAX_VISITS {
            Err(TooManyNodes(()))
        } else {
            Ok(())
        }
    }

    /// The location of the node whose last step has this index in the trail.
    fn location(&self, mut at: Option<usize>) -> String {
        let mut path = Vec::new();
        while let Some((before, element)) = at.and_then(|at| self.trail.get(at)) {
            path.push(*element);
            at = *before;
        }
        path.reverse();
        spell(&path)
    }

    /// The child of a node.
    fn step(
        &mut self,
        parent: TrailNode<'a>,
        element: Element<'a>,
        value: &'a Value,
    ) -> TrailNode<'a> {
        self.trail.push((parent.at, element));
        TrailNode {
            at: Some(self.trail.len() - 1),
            value,
        }
    }

    fn query(
        &mut self,
        segments: &[Segment],
        start: &'a Value,
    ) -> Result<Vec<TrailNode<'a>>, TooManyNodes> {
        let mut nodes = vec![TrailNode {
            at: None,
            value: start,
        }];
        for segment in segments {
            let mut next = Vec::new();
            for node in nodes {
                self.children(segment, node, &mut next)?;
            }
            nodes = next;
        }
        Ok(nodes)
    }

    fn children(
        &mut self,
        selectors: &[Selector],
        node: TrailNode<'a>,
        out: &mut Vec<TrailNode<'a>>,
    ) -> Result<(), TooManyNodes> {
        for selector in selectors {
            self.visit()?;
            let mut selected = Vec::new();
            match (selector, node.value) {
                (Selector::Name(name), Value::Object(members)) => {
                    if let Some((name, value)) = members.get_key_value(name) {
                        selected.push((Element::Name(name), value));
                    }
                }
                (Selector::Index(index), Value::Array(elements)) => {
                    if let Some((at, value)) = super::element(elements, *index) {
                        selected.push((Element::Index(at), value));
                    }
                }
                (Selector::Slice(slice), Value::Array(elements)) => {
                    selected = sliced(slice, elements);
                }
                (Selector::Wildcard | Selector::Filter(_), value) => selected = members(value),
                _ => {}
            }
            for (element, value) in selected {
                self.visit()?;
                if let Selector::Filter(filter) = selector {
                    let before = self.trail.len();
                    let holds = self.holds(filter, value)?;
                    // The locations of nodes inside the filter are not needed.
                    self.trail.truncate(before);
                    if !holds {
                        continue;
                    }
                }
                if out.len() >= MAX_NODES {
                    return Err(TooManyNodes(()));
                }
                let child = self.step(node, element, value);
                out.push(child);
            }
        }
        Ok(())
    }

    /// Whether a node passes a filter.
    fn holds(&mut self, filter: &Filter, node: &'a Value) -> Result<bool, TooManyNodes> {
        Ok(match filter {
            Filter::Any(parts) => {
                for part in parts {
                    if self.holds(part, node)? {
                        return Ok(true);
                    }
                }
                false
            }
            Filter::All(parts) => {
                for part in parts {
                    if !self.holds(part, node)? {
                        return Ok(false);
                    }
                }
                true
            }
            Filter::Not(inner) => !self.holds(inner, node)?,
            Filter::Exists(query) => !self.nodes(query, node)?.is_empty(),
            Filter::Compare(left, comparison, right) => {
                let (left, right) = (self.value(left, node)?, self.value(right, node)?);
                compare(left, *comparison, right)
            }
        })
    }

    /// The nodes that a query inside a filter selects.
    fn nodes(
        &mut self,
        query: &Query,
        node: &'a Value,
    ) -> Result<Vec<TrailNode<'a>>, TooManyNodes> {
        let nodes = self.query(
            &query.segments,
            if query.absolute { self.root } else { node },
        )?;
        // A comparison may read all of the selected values.
        nodes
            .iter()
            .try_for_each(|selected| self.weigh(selected.value, 0))?;
        Ok(nodes)
    }

    /// The value of an operand; `None` for a query that does not select exactly one node.
    fn value<'v>(
        &mut self,
        operand: &'v Operand,
        node: &'a Value,
    ) -> Result<Option<&'v Value>, TooManyNodes>
    where
        'a: 'v,
    {
        match operand {
            Operand::Literal(value) => Ok(Some(value)),
            Operand::Query(query) => match self.nodes(query, node)?.as_slice() {
                [node] => Ok(Some(node.value)),
                _ => Ok(None),
            },
        }
    }

    /// Counts the nodes of a value as visited, and long texts as several visits, because a
    /// comparison may read all of them.
    fn weigh(&mut self, value: &Value, depth: usize) -> Result<(), TooManyNodes> {
        if depth > MAX_DOCUMENT_DEPTH {
            return Err(TooManyNodes(()));
        }
        self.visit()?;
        if let Value::String(text) = value {
            self.visits = self.visits.saturating_add(text.len() / TEXT_PER_VISIT);
        }
        members(value)
            .into_iter()
            .try_for_each(|(_, member)| self.weigh(member, depth + 1))
    }
}

/// The number of bytes of a text that count as one visit.
const TEXT_PER_VISIT: usize = 64;

/// The children of a value.
fn members(value: &Value) -> Vec<(Element<'_>, &Value)> {
    match value {
        Value::Array(elements) => elements
            .iter()
            .enumerate()
            .map(|(at, value)| (Element::Index(at), value))
            .collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (Element::Name(name), value))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// The elements that a slice selects (RFC 9535 section 2.3.4.2.2). Its numbers are below 2^53, so
/// the sums cannot overflow.
fn sliced<'a>(slice: &Slice, elements: &'a [Value]) -> Vec<(Element<'a>, &'a Value)> {
    let len = i64::try_from(elements.len()).unwrap_or(i64::MAX);
    let step = slice.step.unwrap_or(1);
    let (lowest, highest) = if step < 0 { (-1, len - 1) } else { (0, len) };
    let bound = |bound: i64| if bound < 0 { len + bound } else { bound }.clamp(lowest, highest);
    let mut at = slice
        .start
        .map_or(if step < 0 { highest } else { lowest }, bound);
    let end = slice
        .end
        .map_or(if step < 0 { lowest } else { highest }, bound);
    let mut selected = Vec::new();
    while (step > 0 && at < end) || (step < 0 && at > end) {
        if let Some((at, value)) = super::element(elements, at) {
            selected.push((Element::Index(at), value));
        }
        at += step;
    }
    selected
}

/// Compares as in RFC 9535 section 2.3.5.2.2. Two absent values are equal.
fn compare(left: Option<&Value>, comparison: Comparison, right: Option<&Value>) -> bool {
    let equal = || match (left, right) {
        (Some(left), Some(right)) => equal(left, right),
        (left, right) => left.is_none() && right.is_none(),
    };
    match comparison {
        Comparison::Equal => equal(),
        Comparison::NotEqual => !equal(),
        Comparison::Less => less(left, right),
        Comparison::LessOrEqual => less(left, right) || equal(),
        Comparison::Greater => less(right, left),
        Comparison::GreaterOrEqual => less(right, left) || equal(),
    }
}

fn less(left: Option<&Value>, right: Option<&Value>) -> bool {
    match (left, right) {
        (Some(Value::Number(left)), Some(Value::Number(right))) => {
            order(left, right) == Some(Ordering::Less)
        }
        (Some(Value::String(left)), Some(Value::String(right))) => left < right,
        _ => false,
    }
}

/// Whether two values are equal. Numbers are compared by value, so `1` equals `1.0`.
fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => order(left, right) == Some(Ordering::Equal),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, value)| right.get(name).is_some_and(|other| equal(value, other)))
        }
        (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::String(left), Value::String(right)) => left == right,
        _ => false,
    }
}

fn order(left: &Number, right: &Number) -> Option<Ordering> {
    if let (Some(left), Some(right)) = (left.as_i64(), right.as_i64()) {
        return Some(left.cmp(&right));
    }
    if let (Some(left), Some(right)) = (left.as_u64(), right.as_u64()) {
        return Some(left.cmp(&right));
    }
    left.as_f64()?.partial_cmp(&right.as_f64()?)
}

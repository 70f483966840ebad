//! Bounds the work of a claim path on a document before the path is evaluated (D-11).
//!
//! `$..*..*..*..*` on a deep document, or filters that look at the whole document from each of its nodes, cost powers
//! of the document's size, and the crate that evaluates has no limit. This walk selects what the path selects, and more:
//! a filter passes every node, a slice every element. So it counts at least the nodes that an evaluation visits, and
//! stops at the limit; the evaluation that follows cannot cost more.

use serde_json::Value;

use super::scan::{Segment, Selector};
use super::{MAX_DOCUMENT_DEPTH, MAX_NODES, MAX_VISITS, TooManyNodes};

/// Refuses the evaluation of `segments` on `root` when it may visit too much.
pub(super) fn bound(segments: &[Segment], root: &Value) -> Result<(), TooManyNodes> {
    walked(segments, root).map(|_| ())
}

/// The nodes that the walk ends with: those that the path selects, and more.
pub(super) fn walked<'a>(segments: &[Segment], root: &'a Value) -> Result<Vec<&'a Value>, TooManyNodes> {
    Walk { root, visits: 0 }.query(segments, root)
}

struct Walk<'a> {
    root: &'a Value,
    visits: usize,
}

impl<'a> Walk<'a> {
    fn visit(&mut self) -> Result<(), TooManyNodes> {
        self.visits += 1;
        if self.visits > MAX_VISITS { Err(TooManyNodes(())) } else { Ok(()) }
    }

    fn push(&mut self, nodes: &mut Vec<&'a Value>, node: &'a Value) -> Result<(), TooManyNodes> {
        self.visit()?;
        if nodes.len() >= MAX_NODES {
            return Err(TooManyNodes(()));
        }
        nodes.push(node);
        Ok(())
    }

    fn query(&mut self, segments: &[Segment], start: &'a Value) -> Result<Vec<&'a Value>, TooManyNodes> {
        let mut nodes = vec![start];
        for segment in segments {
            let mut next = Vec::new();
            for node in nodes {
                if segment.descendant {
                    self.descend(&segment.selectors, node, 0, &mut next)?;
                } else {
                    self.children(&segment.selectors, node, &mut next)?;
                }
            }
            nodes = next;
        }
        Ok(nodes)
    }

    fn descend(
        &mut self,
        selectors: &[Selector],
        node: &'a Value,
        depth: usize,
        out: &mut Vec<&'a Value>,
    ) -> Result<(), TooManyNodes> {
        if depth > MAX_DOCUMENT_DEPTH {
            return Err(TooManyNodes(()));
        }
        self.visit()?;
        self.children(selectors, node, out)?;
        match node {
            Value::Array(elements) => {
                elements.iter().try_for_each(|child| self.descend(selectors, child, depth + 1, out))
            }
            Value::Object(members) => {
                members.values().try_for_each(|child| self.descend(selectors, child, depth + 1, out))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }

    fn children(
        &mut self,
        selectors: &[Selector],
        node: &'a Value,
        out: &mut Vec<&'a Value>,
    ) -> Result<(), TooManyNodes> {
        for selector in selectors {
            self.visit()?;
            match (selector, node) {
                (Selector::Name(name), Value::Object(members)) => {
                    if let Some(member) = members.get(name) {
                        self.push(out, member)?;
                    }
                }
                (Selector::Index(index), Value::Array(elements)) => {
                    if let Some(element) = super::element(elements, *index) {
                        self.push(out, element.1)?;
                    }
                }
                (Selector::Wildcard | Selector::Slice, Value::Array(elements)) => {
                    elements.iter().try_for_each(|element| self.push(out, element))?;
                }
                (Selector::Wildcard, Value::Object(members)) => {
                    members.values().try_for_each(|member| self.push(out, member))?;
                }
                (Selector::Filter(queries), Value::Array(elements)) => {
                    elements.iter().try_for_each(|element| self.candidate(queries, element, out))?;
                }
                (Selector::Filter(queries), Value::Object(members)) => {
                    members.values().try_for_each(|member| self.candidate(queries, member, out))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A node before a filter: each query inside it runs, and what it selects may be compared as a whole.
    fn candidate(
        &mut self,
        queries: &[super::scan::Query],
        node: &'a Value,
        out: &mut Vec<&'a Value>,
    ) -> Result<(), TooManyNodes> {
        for query in queries {
            let start = if query.absolute { self.root } else { node };
            for selected in self.query(&query.segments, start)? {
                self.weigh(selected, 0)?;
            }
        }
        self.push(out, node)
    }

    /// Counts what a comparison of a value may look at: its nodes, and its texts by the length.
    fn weigh(&mut self, value: &Value, depth: usize) -> Result<(), TooManyNodes> {
        if depth > MAX_DOCUMENT_DEPTH {
            return Err(TooManyNodes(()));
        }
        self.visit()?;
        match value {
            Value::String(text) => {
                self.visits = self.visits.saturating_add(text.len() / TEXT_PER_VISIT);
                Ok(())
            }
            Value::Array(elements) => elements.iter().try_for_each(|element| self.weigh(element, depth + 1)),
            Value::Object(members) => members.values().try_for_each(|member| self.weigh(member, depth + 1)),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        }
    }
}

/// How many bytes of a text are compared at the cost of one visit.
const TEXT_PER_VISIT: usize = 64;

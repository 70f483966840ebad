//! The parts of a claim path: segments, selectors and filters. Filters are parsed from tokens (RFC
//! 9535 section 2.3.5).

use std::iter::Peekable;
use std::vec::IntoIter;

use serde_json::Value;

use super::fault::Fault;

/// One step of a path: selectors that apply to each node.
pub(super) type Segment = Vec<Selector>;

/// One selector of a segment.
#[derive(Debug, Clone)]
pub(super) enum Selector {
    Name(String),
    Index(i64),
    Wildcard,
    Slice(Slice),
    Filter(Filter),
}

/// `[start:end:step]`
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slice {
    pub(super) start: Option<i64>,
    pub(super) end: Option<i64>,
    pub(super) step: Option<i64>,
}

/// The expression of a filter.
#[derive(Debug, Clone)]
pub(super) enum Filter {
    Any(Vec<Filter>),
    All(Vec<Filter>),
    Not(Box<Filter>),
    /// Whether the query selects at least one node.
    Exists(Query),
    Compare(Operand, Comparison, Operand),
}

/// A query inside a filter, from the node itself (`@`) or from the document (`$`).
#[derive(Debug, Clone)]
pub(super) struct Query {
    pub(super) absolute: bool,
    pub(super) segments: Vec<Segment>,
    /// Whether its brackets have no blanks, as required in comparisons.
    pub(super) tight: bool,
}

/// An operand of a comparison. It has one value, or none.
#[derive(Debug, Clone)]
pub(super) enum Operand {
    Literal(Value),
    /// A query. Comparisons require a singular one.
    Query(Query),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A token of a filter. Blanks are skipped.
#[derive(Debug)]
pub(super) enum Token {
    Query(Query),
    Literal(Value),
    Open,
    Close,
    Not,
    And,
    Or,
    Compare(Comparison),
}

/// The steps of a singular query (names and single indexes); `None` if the query is not singular.
pub(super) fn singular(segments: &[Segment]) -> Option<Vec<&Selector>> {
    let mut steps = Vec::new();
    for segment in segments {
        match segment.as_slice() {
            [selector @ (Selector::Name(_) | Selector::Index(_))] => steps.push(selector),
            _ => return None,
        }
    }
    Some(steps)
}

/// Parses a whole filter. The tokenizer limits the nesting of parentheses, and so the depth of the
/// recursion.
pub(super) fn read(tokens: Vec<Token>) -> Result<Filter, Fault> {
    let mut parser = Parser(tokens.into_iter().peekable());
    let filter = parser.any()?;
    match parser.0.next() {
        None => Ok(filter),
        Some(_) => Err(Fault::Filter),
    }
}

struct Parser(Peekable<IntoIter<Token>>);

impl Parser {
    /// rule: `logical-or-expr = logical-and-expr *(S "||" S logical-and-expr)`
    fn any(&mut self) -> Result<Filter, Fault> {
        let mut parts = vec![self.all()?];
        while self.0.next_if(|token| matches!(token, Token::Or)).is_some() {
            parts.push(self.all()?);
        }
        Ok(Filter::Any(parts))
    }

    /// rule: `logical-and-expr = basic-expr *(S "&&" S basic-expr)`
    fn all(&mut self) -> Result<Filter, Fault> {
        let mut parts = vec![self.basic()?];
        while self
            .0
            .next_if(|token| matches!(token, Token::And))
            .is_some()
        {
            parts.push(self.basic()?);
        }
        Ok(Filter::All(parts))
    }

    /// rule: `basic-expr = paren-expr / comparison-expr / test-expr`
    fn basic(&mut self) -> Result<Filter, Fault> {
        let negated = self
            .0
            .next_if(|token| matches!(token, Token::Not))
            .is_some();
        let filter = if self
            .0
            .next_if(|token| matches!(token, Token::Open))
            .is_some()
        {
            let inner = self.any()?;
            self.close()?;
            inner
        } else {
            let left = self.operand()?;
            match self
                .0
                .next_if(|token| !negated && matches!(token, Token::Compare(_)))
            {
                Some(Token::Compare(comparison)) => Filter::Compare(
                    left.comparable()?,
                    comparison,
                    self.operand()?.comparable()?,
                ),
                _ => match left {
                    Operand::Query(query) => Filter::Exists(query),
                    Operand::Literal(_) => return Err(Fault::Filter),
                },
            }
        };
        Ok(if negated {
            Filter::Not(Box::new(filter))
        } else {
            filter
        })
    }

    fn close(&mut self) -> Result<(), Fault> {
        match self.0.next() {
            Some(Token::Close) => Ok(()),
            _ => Err(Fault::Filter),
        }
    }

    /// rule: `comparable = literal / singular-query`, and non-singular queries.
    fn operand(&mut self) -> Result<Operand, Fault> {
        match self.0.next() {
            Some(Token::Literal(value)) => Ok(Operand::Literal(value)),
            Some(Token::Query(query)) => Ok(Operand::Query(query)),
            _ => Err(Fault::Filter),
        }
    }
}

impl Operand {
    /// The operand, if it may be compared.
    fn comparable(self) -> Result<Self, Fault> {
        match &self {
            Self::Query(query) if !query.tight || singular(&query.segments).is_none() => {
                Err(Fault::Filter)
            }
            _ => Ok(self),
        }
    }
}

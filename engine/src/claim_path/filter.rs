//! The parts of a claim path: segments, selectors and filters. Filters are parsed from tokens and
//! type-checked (RFC 9535 sections 2.3.5 and 2.4).

use std::iter::Peekable;
use std::vec::IntoIter;

use serde_json::Value;

use super::fault::Fault;

/// One step of a path. Its selectors apply to each node or, in a descendant segment, also to all
/// nodes below it.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) descendant: bool,
    pub(super) selectors: Vec<Selector>,
}

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

/// An operand of a comparison, or an argument of a function. It has one value, or none.
#[derive(Debug, Clone)]
pub(super) enum Operand {
    Literal(Value),
    /// A query. Comparisons require a singular one.
    Query(Query),
    Length(Box<Operand>),
    Count(Query),
    Value(Query),
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
    /// A function with its opening parenthesis.
    Function(Function),
    Open,
    Close,
    Not,
    And,
    Or,
    Compare(Comparison),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Function {
    Length,
    Count,
    Value,
}

impl Function {
    const fn name(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Count => "count",
            Self::Value => "value",
        }
    }
}

/// The steps of a singular query (names and single indexes); `None` if the query is not singular.
pub(super) fn singular(segments: &[Segment]) -> Option<Vec<&Selector>> {
    let mut steps = Vec::new();
    for segment in segments {
        match segment.selectors.as_slice() {
            [selector @ (Selector::Name(_) | Selector::Index(_))] if !segment.descendant => {
                steps.push(selector);
            }
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
                    Operand::Length(_) | Operand::Count(_) | Operand::Value(_) => {
                        return Err(ill_typed(RESULT_AS_TEST));
                    }
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

    /// rule: `comparable = literal / singular-query / function-expr`, and non-singular queries.
    fn operand(&mut self) -> Result<Operand, Fault> {
        match self.0.next() {
            Some(Token::Literal(value)) => Ok(Operand::Literal(value)),
            Some(Token::Query(query)) => Ok(Operand::Query(query)),
            Some(Token::Function(function)) => self.call(function),
            _ => Err(Fault::Filter),
        }
    }

    /// rule: `function-expr = function-name "(" S [function-argument] S ")"`, with the types of its
    /// argument and result.
    fn call(&mut self, function: Function) -> Result<Operand, Fault> {
        let argument = match self.0.peek() {
            Some(Token::Close) => {
                return Err(Fault::FilterType(format!(
                    "`{}` takes 1 argument",
                    function.name()
                )));
            }
            Some(Token::Open | Token::Not) => None,
            _ => Some(self.operand()?),
        };
        let logical = matches!(
            self.0.peek(),
            Some(Token::Compare(_) | Token::And | Token::Or)
        );
        let call = match (function, argument.filter(|_| !logical)) {
            (Function::Length, Some(Operand::Query(query)))
                if singular(&query.segments).is_none() =>
            {
                return Err(ill_typed(NODES_AS_VALUE));
            }
            (Function::Length, Some(value)) => Operand::Length(Box::new(value)),
            (Function::Length, None) => return Err(ill_typed(LOGICAL_AS_VALUE)),
            (Function::Count, Some(Operand::Query(query))) => Operand::Count(query),
            (Function::Value, Some(Operand::Query(query))) => Operand::Value(query),
            (Function::Count | Function::Value, _) => return Err(ill_typed(NOT_NODES)),
        };
        self.close()?;
        Ok(call)
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

const RESULT_AS_TEST: &str = "a ValueType function result cannot be used as a bare test";
const NODES_AS_VALUE: &str = "a non-singular query cannot be used where a ValueType is expected";
const LOGICAL_AS_VALUE: &str = "a logical expression cannot be used where a ValueType is expected";
const NOT_NODES: &str = "a NodesType argument must be a query";

fn ill_typed(message: &str) -> Fault {
    Fault::FilterType(message.to_owned())
}

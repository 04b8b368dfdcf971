//! Tokens as a tree, by recursive descent.
//!
//! Before it starts, parentheses without a partner and operators without an
//! operand are turned into text, so that what remains cannot be wrong and
//! nests no deeper than [`MAX_NESTING`].

use super::Node;
use super::notes::Notes;
use super::tokens::Token;

/// How deep parentheses may nest; deeper ones are read as text.
pub const MAX_NESTING: usize = 32;

const CATEGORY: &str = "syntax";

/// The tree that the tokens stand for; `None` when there is no operand.
pub(super) fn read_tree(tokens: Vec<Token>, notes: &mut Notes) -> Option<Node> {
    let tokens = drop_stray_parentheses(tokens, notes);
    let tokens = turn_stray_operators_into_words(tokens, notes);
    Descent {
        tokens: tokens.into_iter().peekable(),
    }
    .read_alternatives()
}

/// The tokens without parentheses that have no partner, nest too deep, or
/// hold nothing.
fn drop_stray_parentheses(tokens: Vec<Token>, notes: &mut Notes) -> Vec<Token> {
    let paired = mark_pairs(&tokens);
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    for (token, pairing) in tokens.into_iter().zip(paired) {
        match (&token, pairing) {
            (Token::Open | Token::Close, Pairing::Stray) => {
                notes.info(CATEGORY, "an unbalanced parenthesis is searched as text")
            }
            (Token::Open | Token::Close, Pairing::TooDeep) => notes.info(
                CATEGORY,
                format!("parentheses nested more than {MAX_NESTING} deep are searched as text"),
            ),
            (Token::Close, Pairing::Paired) if kept.last() == Some(&Token::Open) => {
                kept.pop();
                while matches!(kept.last(), Some(Token::Not | Token::Minus)) {
                    kept.pop();
                }
                notes.info(CATEGORY, "empty parentheses are ignored");
            }
            _ => kept.push(token),
        }
    }
    kept
}

#[derive(Clone, Copy, PartialEq)]
enum Pairing {
    Stray,
    TooDeep,
    Paired,
}

/// For each token that is a parenthesis, whether it has a partner.
fn mark_pairs(tokens: &[Token]) -> Vec<Pairing> {
    let mut pairings = vec![Pairing::Stray; tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Open => open.push(at),
            Token::Close => {
                let Some(partner) = open.pop() else {
                    continue;
                };
                // Those below it may turn out to be stray, so this errs on
                // the side of too deep; the tree stays within the limit.
                let pairing = if open.len() < MAX_NESTING {
                    Pairing::Paired
                } else {
                    Pairing::TooDeep
                };
                pairings[partner] = pairing;
                pairings[at] = pairing;
            }
            _ => {}
        }
    }
    pairings
}

/// Operators between two operands, as they must be for the descent: a run of
/// them that lacks an operand, or makes no sense, becomes words.
fn turn_stray_operators_into_words(tokens: Vec<Token>, notes: &mut Notes) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut run: Vec<Token> = Vec::new();
    for token in tokens {
        match token {
            Token::And | Token::Or | Token::Not | Token::Minus => run.push(token),
            Token::Operand(_) | Token::Open | Token::Close => {
                let operand_before = matches!(kept.last(), Some(Token::Operand(_) | Token::Close));
                let operand_after = token != Token::Close;
                place_run(&mut run, operand_before, operand_after, &mut kept, notes);
                kept.push(token);
            }
        }
    }
    place_run(&mut run, true, false, &mut kept, notes);
    kept
}

/// Moves a run of operators over: as it is when it reads as `[AND|OR] NOT…`,
/// else as words.
fn place_run(
    run: &mut Vec<Token>,
    operand_before: bool,
    operand_after: bool,
    kept: &mut Vec<Token>,
    notes: &mut Notes,
) {
    let joins = |token: &Token| matches!(token, Token::And | Token::Or);
    let first_joins = run.first().is_some_and(joins);
    let later_joins = run.iter().skip(1).any(joins);
    if operand_after && (operand_before || !first_joins) && !later_joins {
        kept.append(run);
        return;
    }
    for operator in run.drain(..) {
        let (written, word) = match operator {
            Token::And => ("AND", "and"),
            Token::Or => ("OR", "or"),
            Token::Not => ("NOT", "not"),
            _ => continue,
        };
        notes.info(
            CATEGORY,
            format!("`{written}` has no operand here and is searched as a word"),
        );
        kept.push(Token::Operand(Node::Word(word.to_owned())));
    }
}

struct Descent {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
}

impl Descent {
    /// `sequence OR sequence …`
    fn read_alternatives(&mut self) -> Option<Node> {
        let mut alternatives = Vec::new();
        loop {
            match self.read_sequence() {
                Some(Node::Or(inner)) => alternatives.extend(inner),
                other => alternatives.extend(other),
            }
            if self.tokens.next_if_eq(&Token::Or).is_none() {
                return one_or(alternatives, Node::Or);
            }
        }
    }

    /// Operands side by side. One AND makes all of them strict.
    fn read_sequence(&mut self) -> Option<Node> {
        let mut parts = Vec::new();
        let mut strict = false;
        loop {
            parts.extend(self.read_operand());
            match self.tokens.peek() {
                Some(Token::And) => {
                    strict = true;
                    self.tokens.next();
                }
                Some(Token::Or | Token::Close) | None => break,
                Some(_) => {}
            }
        }
        let parts = if strict {
            flatten(parts, |part| match part {
                Node::And(inner) => Ok(inner),
                other => Err(other),
            })
        } else {
            flatten(parts, |part| match part {
                Node::All(inner) => Ok(inner),
                other => Err(other),
            })
        };
        one_or(parts, if strict { Node::And } else { Node::All })
    }

    /// `NOT operand`, `-operand`, `(alternatives)` or one operand.
    fn read_operand(&mut self) -> Option<Node> {
        let mut negated = false;
        loop {
            match self.tokens.next()? {
                Token::Not | Token::Minus => negated = !negated,
                Token::Open => {
                    let group = self.read_alternatives();
                    self.tokens.next_if_eq(&Token::Close);
                    return group.map(|group| negate_if(negated, group));
                }
                Token::Operand(node) => return Some(negate_if(negated, node)),
                // Strays are gone by now; skipping keeps the promise never to
                // fail without relying on that.
                Token::And | Token::Or | Token::Close => {}
            }
        }
    }
}

fn negate_if(negated: bool, node: Node) -> Node {
    match node {
        Node::Not(inner) if negated => *inner,
        other if negated => Node::Not(Box::new(other)),
        other => other,
    }
}

/// The parts, with those that `open` takes apart replaced by what is in them.
fn flatten(parts: Vec<Node>, open: impl Fn(Node) -> Result<Vec<Node>, Node>) -> Vec<Node> {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match open(part) {
            Ok(inner) => flat.extend(inner),
            Err(part) => flat.push(part),
        }
    }
    flat
}

/// The only part, or all of them joined; `None` without any.
pub(super) fn one_or(mut parts: Vec<Node>, join: impl FnOnce(Vec<Node>) -> Node) -> Option<Node> {
    match parts.len() {
        0 | 1 => parts.pop(),
        _ => Some(join(parts)),
    }
}

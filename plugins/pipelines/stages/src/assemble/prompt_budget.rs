//! How the bytes of one prompt are shared between its parts: a statement, a
//! question, notes and sources.

/// Bytes that notes get at most.
const NOTES_AT_MOST: usize = 2_048;
/// Bytes that a statement gets before any other part, when it has as many.
const STATEMENT_AT_LEAST: usize = 128;

/// The parts of a prompt, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PromptParts {
    /// What surrounds the parts: headings and instructions.
    pub overhead: usize,
    /// The question.
    pub question: usize,
    /// The statement of the problem.
    pub statement: usize,
    /// Notes on it.
    pub notes: usize,
    /// All sources together.
    pub sources: usize,
}

/// How many bytes each part may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PromptBudgets {
    /// The question.
    pub question: usize,
    /// The statement of the problem.
    pub statement: usize,
    /// Notes on it.
    pub notes: usize,
    /// All sources together; they share evenly.
    pub sources: usize,
}

/// Shares a number of bytes: the overhead first, the question in full if it
/// fits, a fifth of the rest for notes, half of what is left for sources, the
/// remainder for the statement. What is left over tops up sources, notes and
/// statement. The statement is sure of 128 bytes, taken from notes, sources
/// and question in that order.
pub fn prompt_budgets(max_bytes: usize, parts: &PromptParts) -> PromptBudgets {
    let available = max_bytes.saturating_sub(parts.overhead);
    let question = parts.question.min(available);
    let after_question = available - question;
    let notes = parts.notes.min(after_question / 5).min(NOTES_AT_MOST);
    let after_notes = after_question - notes;
    let sources = parts.sources.min(after_notes / 2);
    let for_statement = after_notes - sources;
    let statement = parts.statement.min(for_statement);

    let mut budgets = PromptBudgets {
        question,
        statement,
        notes,
        sources,
    };
    let mut left_over = for_statement - statement;
    top_up(&mut budgets.sources, parts.sources, &mut left_over);
    top_up(&mut budgets.notes, parts.notes, &mut left_over);
    top_up(&mut budgets.statement, parts.statement, &mut left_over);

    let wanted = parts.statement.min(STATEMENT_AT_LEAST);
    let mut missing = wanted.saturating_sub(budgets.statement);
    for donor in [
        &mut budgets.notes,
        &mut budgets.sources,
        &mut budgets.question,
    ] {
        let given = missing.min(*donor);
        *donor -= given;
        budgets.statement += given;
        missing -= given;
    }
    budgets
}

fn top_up(budget: &mut usize, wanted: usize, left_over: &mut usize) {
    let more = wanted.saturating_sub(*budget).min(*left_over);
    *budget += more;
    *left_over -= more;
}

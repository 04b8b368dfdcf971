//! Running text: headings, paragraphs and rows of tables.

use crate::budget::Budget;
use crate::{Part, Place, Result};

/// Headings up to this level begin a section.
const LEVELS: usize = 2;
/// What stands between two cells of a row.
const BETWEEN_CELLS: &str = " | ";

enum Block {
    Heading(usize, String),
    Paragraph(String),
    Row(String),
}

/// The text of a document while it is read.
#[derive(Default)]
pub(crate) struct Flow {
    blocks: Vec<Block>,
    /// The rows of tables that are open, one in a cell of the other.
    rows: Vec<Vec<String>>,
    /// Their open cells.
    cells: Vec<String>,
}

impl Flow {
    pub(crate) fn heading(
        &mut self,
        level: usize,
        text: &str,
        budget: &mut Budget<'_>,
    ) -> Result<()> {
        match self.cells.is_empty() && !text.trim().is_empty() {
            true => {
                budget.take_text(text.len())?;
                self.blocks.push(Block::Heading(level, collapsed(text)));
                Ok(())
            }
            false => self.paragraph(text, budget),
        }
    }

    pub(crate) fn paragraph(&mut self, text: &str, budget: &mut Budget<'_>) -> Result<()> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(());
        }
        budget.take_text(text.len())?;
        match self.cells.last_mut() {
            Some(cell) => {
                if !cell.is_empty() {
                    cell.push(' ');
                }
                cell.push_str(&collapsed(text));
            }
            None => self.blocks.push(Block::Paragraph(text.to_owned())),
        }
        Ok(())
    }

    pub(crate) fn start_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(crate) fn start_cell(&mut self) {
        self.cells.push(String::new());
    }

    pub(crate) fn end_cell(&mut self) {
        if let (Some(cell), Some(row)) = (self.cells.pop(), self.rows.last_mut()) {
            row.push(cell);
        }
    }

    pub(crate) fn end_row(&mut self) {
        let Some(row) = self.rows.pop() else {
            return;
        };
        let row = joined(&row);
        match self.cells.last_mut() {
            _ if row.is_empty() => {}
            Some(cell) => {
                if !cell.is_empty() {
                    cell.push_str("; ");
                }
                cell.push_str(&row);
            }
            None => self.blocks.push(Block::Row(row)),
        }
    }

    /// All of it as one text.
    pub(crate) fn text(self) -> String {
        text_of(&self.blocks)
    }

    /// A section for each heading, or the whole where there are fewer than two.
    pub(crate) fn parts(self) -> Vec<Part> {
        let begins = |block: &Block| matches!(block, Block::Heading(level, _) if *level <= LEVELS);
        if self.blocks.iter().filter(|block| begins(block)).count() < 2 {
            return vec![Part {
                place: Place::Whole,
                title: String::new(),
                text: text_of(&self.blocks),
            }];
        }
        let mut sections: Vec<Vec<Block>> = vec![Vec::new()];
        for block in self.blocks {
            // A heading directly below another one stays with it.
            let has_text = |blocks: &Vec<Block>| !blocks.iter().all(begins);
            if begins(&block) && sections.last().is_some_and(has_text) {
                sections.push(Vec::new());
            }
            if let Some(last) = sections.last_mut() {
                last.push(block);
            }
        }
        let numbered = (1..).zip(&sections);
        numbered
            .map(|(number, blocks)| Part {
                place: Place::Section(number),
                title: title_of(blocks),
                text: text_of(blocks),
            })
            .collect()
    }
}

/// The filled cells of a row.
pub(crate) fn joined(cells: &[String]) -> String {
    let filled: Vec<&str> = cells
        .iter()
        .map(String::as_str)
        .filter(|cell| !cell.is_empty())
        .collect();
    filled.join(BETWEEN_CELLS)
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn title_of(blocks: &[Block]) -> String {
    match blocks.first() {
        Some(Block::Heading(_, title)) => title.clone(),
        _ => String::new(),
    }
}

fn text_of(blocks: &[Block]) -> String {
    let mut text = String::new();
    let mut after_row = false;
    for block in blocks {
        let (Block::Heading(_, own) | Block::Paragraph(own) | Block::Row(own)) = block;
        let is_row = matches!(block, Block::Row(_));
        if !text.is_empty() {
            text.push_str(if is_row && after_row { "\n" } else { "\n\n" });
        }
        text.push_str(own);
        after_row = is_row;
    }
    text
}

/// Adds a paragraph to a text of one line.
pub(crate) fn append(line: &mut String, paragraph: &str) {
    let paragraph = paragraph.trim();
    if !line.is_empty() && !paragraph.is_empty() {
        line.push(' ');
    }
    line.push_str(paragraph);
}

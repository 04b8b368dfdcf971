//! In order, each entry whole or cut at its own limit, until the room is
//! used up.

use super::{AssembleSettings, Assembled, Block, Unit};

/// Stands between two entries.
const SEPARATOR: &str = "\n---\n";
/// Follows a text that was cut.
const CUT: &str = "...";
/// An entry that does not fit is cut and kept if more than this is left.
const WORTH_CUTTING: usize = 100;

/// ARIEL's rule (reference values: 12,000 in all, 2,000 an entry), with the
/// difference that separators and markers count, so that the limit holds.
pub(super) fn assemble(blocks: &[Block], settings: &AssembleSettings) -> Assembled {
    let (unit, limit) = settings.unit.exact(settings.max_total);
    let mut assembled = Assembled::default();
    let mut used = 0;
    for block in blocks {
        let separator = if assembled.included.is_empty() {
            ""
        } else {
            SEPARATOR
        };
        let (text, is_cut) = limited(block, settings);
        let remaining = limit.saturating_sub(used);
        if unit.size(separator) + unit.size(&text) <= remaining {
            used += assembled.take(block, separator, &text, unit);
            if is_cut {
                assembled.cut.push(block.entry_id.clone());
            }
            continue;
        }
        assembled.truncated = true;
        if remaining > WORTH_CUTTING {
            let room = remaining - unit.size(separator) - unit.size(CUT);
            if room > unit.size(&block.header) {
                let kept = format!("{}{CUT}", unit.prefix(&text, room));
                assembled.take(block, separator, &kept, unit);
                assembled.cut.push(block.entry_id.clone());
            }
        }
        break;
    }
    assembled
}

/// The entry with its own text cut at the limit of an entry.
fn limited(block: &Block, settings: &AssembleSettings) -> (String, bool) {
    let Block { header, body, .. } = block;
    let kept = settings.unit.prefix(body, settings.max_per_entry);
    if kept.len() == body.len() {
        (format!("{header}{body}\n"), false)
    } else {
        (format!("{header}{kept}{CUT}\n"), true)
    }
}

impl Assembled {
    /// Adds a text and gives its size with the separator.
    fn take(&mut self, block: &Block, separator: &str, text: &str, unit: Unit) -> usize {
        self.text.push_str(separator);
        self.text.push_str(text);
        self.included.push(block.entry_id.clone());
        unit.size(separator) + unit.size(text)
    }
}

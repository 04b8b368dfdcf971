//! All entries at once, in even shares of one budget.

use super::{AssembleSettings, Assembled, Block, Unit};

/// Follows a text that was cut; counted inside the budget.
const TRUNCATED: &str = "\n(...truncated...)";
/// Stands between two entries.
const SEPARATOR: &str = "\n";

/// Cuts a text to a number of bytes, marker included. Where there is no room
/// for the whole marker, as much of it as fits stands alone.
///
/// ```
/// use gannet_stages::truncate_bytes;
///
/// assert_eq!(truncate_bytes("short", 10), "short");
/// assert_eq!(truncate_bytes("a text of some length", 20), "a \n(...truncated...)");
/// assert_eq!(truncate_bytes("short", 3), "\n(.");
/// ```
pub fn truncate_bytes(text: &str, max_bytes: usize) -> String {
    truncate(text, max_bytes, Unit::Bytes)
}

/// Parts of a whole that differ by one at most, the larger ones first.
pub fn even_shares(total: usize, parts: usize) -> Vec<usize> {
    if parts == 0 {
        return Vec::new();
    }
    let (share, left_over) = (total / parts, total % parts);
    (0..parts)
        .map(|part| share + usize::from(part < left_over))
        .collect()
}

/// As many entries as have room for their header and some text, each within
/// its share; what short ones leave over goes to the others.
pub(super) fn assemble(blocks: &[Block], settings: &AssembleSettings) -> Assembled {
    let (unit, limit) = settings.unit.exact(settings.max_total);
    let texts: Vec<String> = blocks
        .iter()
        .map(|block| format!("{}{}\n", block.header, block.body))
        .collect();
    let sizes: Vec<usize> = texts.iter().map(|text| unit.size(text)).collect();
    let least: Vec<usize> = blocks
        .iter()
        .zip(&sizes)
        .map(|(block, &size)| size.min(unit.size(&block.header) + unit.size(TRUNCATED) + 1))
        .collect();

    let mut assembled = Assembled::default();
    for count in (1..=blocks.len()).rev() {
        let separators = (count - 1) * unit.size(SEPARATOR);
        let Some(budget) = limit.checked_sub(separators) else {
            continue;
        };
        let shares = fair_shares(&sizes[..count], budget);
        let all_have_room = shares
            .iter()
            .zip(&least)
            .all(|(share, least)| share >= least);
        if !all_have_room {
            continue;
        }
        for ((block, text), &share) in blocks.iter().zip(&texts).zip(&shares) {
            assembled.take_share(block, text, share, unit);
        }
        break;
    }
    assembled.truncated = assembled.included.len() < blocks.len() || !assembled.cut.is_empty();
    assembled
}

impl Assembled {
    fn take_share(&mut self, block: &Block, text: &str, share: usize, unit: Unit) {
        if !self.included.is_empty() {
            self.text.push_str(SEPARATOR);
        }
        self.text.push_str(&truncate(text, share, unit));
        self.included.push(block.entry_id.clone());
        if unit.size(text) > share {
            self.cut.push(block.entry_id.clone());
        }
    }
}

/// Even shares; texts that need less than theirs take what they need, and
/// the others share the rest evenly again.
///
/// ```
/// use gannet_stages::fair_shares;
///
/// assert_eq!(fair_shares(&[500, 10, 500], 110), [50, 10, 50]);
/// ```
pub fn fair_shares(sizes: &[usize], budget: usize) -> Vec<usize> {
    let mut shares = vec![None; sizes.len()];
    loop {
        let open: Vec<usize> = (0..sizes.len()).filter(|&i| shares[i].is_none()).collect();
        let given: usize = shares.iter().flatten().sum();
        let even = even_shares(budget - given, open.len());
        let mut settled = false;
        for (&index, &share) in open.iter().zip(&even) {
            if sizes[index] <= share {
                shares[index] = Some(sizes[index]);
                settled = true;
            }
        }
        if !settled {
            for (&index, &share) in open.iter().zip(&even) {
                shares[index] = Some(share);
            }
            return shares.into_iter().flatten().collect();
        }
    }
}

fn truncate(text: &str, limit: usize, unit: Unit) -> String {
    if unit.size(text) <= limit {
        return text.to_owned();
    }
    match limit.checked_sub(unit.size(TRUNCATED)) {
        Some(room) => format!("{}{TRUNCATED}", unit.prefix(text, room)),
        None => unit.prefix(TRUNCATED, limit).to_owned(),
    }
}

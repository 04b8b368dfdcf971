//! Breaks what a server of models reads as one of its own signs: the tokens
//! of chat templates, which count even in the content of a message, and the
//! lines of a fence.

/// Names that are signs between `<` and `>`, with or without a slash.
const TAGS: [&str; 14] = [
    "s",
    "bos",
    "eos",
    "pad",
    "unk",
    "start_of_turn",
    "end_of_turn",
    "end_of_utterance",
    "think",
    "thinking",
    "tool_call",
    "tool_calls",
    "tool_response",
    "tools",
];
/// Names that are signs between `[` and `]`, with or without a slash.
const BRACKETED: [&str; 7] = [
    "inst",
    "sys",
    "system_prompt",
    "tool_calls",
    "tool_results",
    "tool_content",
    "available_tools",
];
/// Angle brackets in a row that make a line of a fence.
const FENCE_RUN: usize = 3;

/// Replaces the brackets of such signs, each by one character that looks
/// like it: `<|im_end|>` becomes `‹|im_end|›`, `[INST]` becomes `(INST)`.
pub(super) fn break_tokens(characters: &mut [char]) {
    break_runs(characters);
    for at in 0..characters.len() {
        let (before, rest) = characters.split_at_mut(at);
        match rest {
            ['<', bar, ..] if is_bar(*bar) => rest[0] = '‹',
            ['>', ..] if before.last().is_some_and(|last| is_bar(*last)) => rest[0] = '›',
            ['<', '<', after @ ..] => {
                if let Some(end) = sign(after, &["sys"], '>') {
                    rest[..2].fill('‹');
                    rest[2 + end] = '›';
                }
            }
            ['<', after @ ..] => {
                if let Some(end) = sign(after, &TAGS, '>') {
                    rest[0] = '‹';
                    rest[1 + end] = '›';
                }
            }
            ['[', after @ ..] => {
                if let Some(end) = sign(after, &BRACKETED, ']') {
                    rest[0] = '(';
                    rest[1 + end] = ')';
                }
            }
            _ => {}
        }
    }
}

/// Breaks three and more angle brackets in a row.
fn break_runs(characters: &mut [char]) {
    for (angle, instead) in [('<', '‹'), ('>', '›')] {
        for run in characters.split_mut(|&character| character != angle) {
            if run.len() >= FENCE_RUN {
                run.fill(instead);
            }
        }
    }
}

/// Where a sign ends that begins with one of the names, if one does.
fn sign(after: &[char], names: &[&str], closing: char) -> Option<usize> {
    let slash = usize::from(after.first() == Some(&'/'));
    let name = &after[slash..];
    let is_of_name = |c: &&char| c.is_ascii_alphanumeric() || **c == '_';
    let longest = names.iter().map(|name| name.len()).max().unwrap_or(0);
    let length = name.iter().take(longest + 1).take_while(is_of_name).count();
    let is_sign = name.get(length) == Some(&closing)
        && names.iter().any(|one| {
            let letters = name[..length].iter().map(char::to_ascii_lowercase);
            one.chars().eq(letters)
        });
    is_sign.then_some(slash + length)
}

/// The bar of a token; some models write it in full width.
fn is_bar(character: char) -> bool {
    matches!(character, '|' | '\u{FF5C}')
}

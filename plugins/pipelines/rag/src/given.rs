//! Assemble: what the answer is made from, and the prompt that holds it.

use gannet_plugin::prelude::Diagnostic;
use gannet_stages::{Policy, assemble, entry_block, fence, fence_mark};

use crate::ask_prompt::Ask;
use crate::prompts::{Prompt, PromptWriter};
use crate::ranking::Findings;
use crate::report::Report;
use crate::run::Run;

/// What the answer is made from.
pub(crate) struct Given {
    /// What a chat model is told; nothing where it does not fit its bytes, and
    /// where no model is asked.
    pub(crate) prompt: Option<Prompt>,
    /// Ids of the entries in it, in order.
    pub(crate) included: Vec<String>,
}

impl Run<'_> {
    /// Puts entries together, by the policy of the budget.
    pub(crate) fn give(&self, found: &Findings, report: &mut Report<'_>) -> Given {
        match self.settings.budget.policy {
            Policy::Proportional => self.give_in_shares(found, report),
            Policy::Sequential | Policy::TopN => self.give_in_order(found, report),
        }
    }

    fn writer<'w>(&'w self, mark: &'w str) -> PromptWriter<'w> {
        PromptWriter {
            setup: self.setup,
            style: self.settings.citation_style,
            nonce: mark,
        }
    }

    fn give_in_order(&self, found: &Findings, report: &mut Report<'_>) -> Given {
        let assembly = self.settings.assembly();
        let assembled = assemble(&found.entries, &assembly, &self.setup.timezone);
        let included = assembled.included.len();
        report.assembled(included, assembled.cut.len(), assembled.truncated);
        if assembled.truncated {
            let limit = match assembly.policy {
                Policy::TopN => format!("{} entries and ", assembly.top_n),
                _ => String::new(),
            };
            self.note_truncation(format!(
                "the context has {included} of {} entries; its limit is {limit}{} {}",
                found.entries.len(),
                assembly.max_total,
                assembly.unit.name(),
            ));
        }
        let prompt = self.asks_a_model().then(|| {
            let mark = fence_mark(&[&assembled.text, &self.request.query]);
            let context = fence(&assembled.text, &mark);
            self.writer(&mark).in_order(&context, &self.request.query)
        });
        Given {
            prompt,
            included: assembled.included,
        }
    }

    fn give_in_shares(&self, found: &Findings, report: &mut Report<'_>) -> Given {
        let max_bytes = self.settings.budget.max_prompt_bytes;
        let ask = Ask {
            question: &self.request.query,
            entries: &found.entries,
            pinned: found.pinned,
            max_bytes,
            timezone: &self.setup.timezone,
        };
        let mark = self.mark_of_shares(found);
        let Some(written) = ask.written_by(&self.writer(&mark)) else {
            report.assembled(0, 0, true);
            let message = format!(
                "the fixed part of the prompt exceeds {max_bytes} bytes; raise \
                 `budget.max_prompt_bytes`"
            );
            self.warn("assemble", message, "budget");
            return Given {
                prompt: None,
                included: Vec::new(),
            };
        };
        let cut = written.cut.len();
        let is_truncated = written.included < found.entries.len() || cut > 0;
        report.assembled(written.included, cut, is_truncated);
        if is_truncated {
            self.note_truncation(format!(
                "the prompt has {} of {} entries, {cut} of them truncated; its limit is \
                 {max_bytes} bytes",
                written.included,
                found.entries.len(),
            ));
        }
        let included = found.entries.iter().take(written.included);
        Given {
            prompt: Some(written.prompt),
            included: included.map(|entry| entry.entry_id.clone()).collect(),
        }
    }

    /// The mark of all that a proportional prompt can hold.
    fn mark_of_shares(&self, found: &Findings) -> String {
        let blocks = found.entries.iter();
        let blocks = blocks.map(|entry| entry_block(entry, &self.setup.timezone));
        let shown: Vec<String> = blocks.map(|block| block.header + &block.body).collect();
        let mut texts: Vec<&str> = shown.iter().map(String::as_str).collect();
        texts.push(&self.request.query);
        fence_mark(&texts)
    }

    /// Says what the context has no room for, where a model reads it.
    fn note_truncation(&self, message: String) {
        if !self.asks_a_model() {
            return;
        }
        self.context
            .diagnose(Diagnostic::info(self.source("assemble"), message));
    }
}

//! Assemble: what the answer is made from, and the prompt that holds it.

use gannet_plugin::Diagnostic;
use gannet_stages::{Policy, assemble, fence, new_nonce};

use crate::ask_prompt::Ask;
use crate::prompts::{Prompt, PromptWriter};
use crate::ranking::Findings;
use crate::report::Report;
use crate::run::Run;

/// What the answer is made from.
pub(crate) struct Given {
    /// What a chat model is told; nothing when it does not fit its bytes.
    pub(crate) prompt: Option<Prompt>,
    /// Ids of the entries in it, in order.
    pub(crate) included: Vec<String>,
}

impl Run<'_> {
    /// Puts entries together, by the policy of the budget.
    pub(crate) fn give(&self, found: &Findings, report: &mut Report<'_>) -> Given {
        let nonce = new_nonce(&self.context.call.request_id);
        let writer = PromptWriter {
            setup: self.setup,
            style: self.settings.citation_style,
            nonce: &nonce,
        };
        match self.settings.budget.policy {
            Policy::Proportional => self.give_in_shares(found, &writer, report),
            Policy::Sequential | Policy::TopN => self.give_in_order(found, &writer, report),
        }
    }

    fn give_in_order(
        &self,
        found: &Findings,
        writer: &PromptWriter<'_>,
        report: &mut Report<'_>,
    ) -> Given {
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
                "the context holds {included} of {} entries; its limit is {limit}{} {}",
                found.entries.len(),
                assembly.max_total,
                assembly.unit.name(),
            ));
        }
        let context = fence(&assembled.text, writer.nonce);
        Given {
            prompt: Some(writer.in_order(&context, &self.request.query)),
            included: assembled.included,
        }
    }

    fn give_in_shares(
        &self,
        found: &Findings,
        writer: &PromptWriter<'_>,
        report: &mut Report<'_>,
    ) -> Given {
        let max_bytes = self.settings.budget.max_prompt_bytes;
        let ask = Ask {
            question: &self.request.query,
            entries: &found.entries,
            pinned: found.pinned,
            max_bytes,
            timezone: &self.setup.timezone,
        };
        let Some(written) = ask.written_by(writer) else {
            report.assembled(0, 0, true);
            let message = format!(
                "the prompt's own words do not fit {max_bytes} bytes; raise \
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
                "the prompt holds {} of {} entries, {cut} of them in part; its limit is \
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

    fn note_truncation(&self, message: String) {
        self.context
            .diagnose(Diagnostic::info(self.source("assemble"), message));
    }
}

//! The run's conversation with the model.

use gannet_plugin::pipeline::Event;
use gannet_plugin::prelude::{Diagnostic, Error, Result};
use gannet_stages::Cited;

use crate::dialogue::{Dialogue, Manner, Step};
use crate::observation::Observation;
use crate::prompts;
use crate::run::{Run, name_of};
use crate::settings::ToolMode;
use crate::turn::{CALLS_AT_ONCE, Turn, collect_turn, too_long};

/// What an error says with which a provider refuses tools.
const REFUSAL_WORDS: [&str; 7] = [
    "400",
    "422",
    "501",
    "tool",
    "tools",
    "function",
    "functions",
];

/// How a conversation ended.
enum Ended {
    /// With an answer.
    Answered(Cited),
    /// At its first turn, because tools cannot be called so.
    WithoutTools(String),
}

impl<'a> Run<'a> {
    /// Lets the model search and answer, in the way in which it can.
    pub(crate) async fn ask_the_model(&mut self) -> Result<Cited> {
        let (manner, may_change) = match self.settings.tool_mode {
            ToolMode::Auto => (Manner::Native, true),
            ToolMode::Native => (Manner::Native, false),
            ToolMode::Text => (Manner::Text, false),
        };
        let mut ended = self.converse(manner, may_change).await?;
        if let Ended::WithoutTools(why) = &ended {
            let message = format!("the question was asked again with tools in text: {why}");
            let note = Diagnostic::info(name_of(self.setup), message);
            self.context.diagnose(note.category("tool_mode"));
            ended = self.converse(Manner::Text, false).await?;
        }
        match ended {
            Ended::Answered(_) if !self.found_out() && !self.failures.is_empty() => {
                self.context.emit(Event::Answer {
                    text: String::new(),
                });
                Err(Error::Unavailable {
                    message: "every tool that the model called failed".to_owned(),
                })
            }
            // Nothing was found and nothing was said before: it made this up.
            Ended::Answered(_) if !self.found_out() && self.request.history.is_empty() => {
                self.context.emit(Event::Answer {
                    text: String::new(),
                });
                Err(Error::Unavailable {
                    message: "the model answered without a search".to_owned(),
                })
            }
            Ended::Answered(cited) => Ok(cited),
            Ended::WithoutTools(why) => Err(Error::internal(why)),
        }
    }

    async fn converse(&mut self, manner: Manner, may_change: bool) -> Result<Ended> {
        let now = self
            .options
            .query
            .now
            .to_zoned(self.options.query.timezone.clone());
        let system = prompts::system(self.setup, &self.nonce, &now.date().to_string());
        let mut dialogue = Dialogue::open(
            manner,
            self.request,
            self.setup,
            self.settings,
            &self.toolbox,
            system,
        );
        for turn in 0..self.settings.max_iterations {
            let may_change = may_change && turn == 0;
            let mut said = match self.collect_turn(&dialogue, true).await {
                Err(error) if may_change && is_refusal(&error) => {
                    return Ok(Ended::WithoutTools(error.to_string()));
                }
                said => said?,
            };
            match dialogue.read(&mut said, &self.findings.ids()) {
                Ok(Step::Calls { thought, calls }) => {
                    said.take_back(&self.context);
                    self.trace.thought(&thought);
                    let mut results = self.call_tools(&calls).await;
                    self.note_calls_left_out(&said, &mut results);
                    dialogue.add_results(&thought, calls, results);
                }
                Ok(Step::Unreadable) => {
                    let wish = Observation::error(
                        "the reply is not a JSON object with `tool` and `arguments`, or with `final`",
                    );
                    dialogue.add_text(said.text, wish.text().to_owned());
                }
                Ok(Step::Answer(_)) | Err(_) if may_change => {
                    said.take_back(&self.context);
                    let why = "the model called no tool".to_owned();
                    return Ok(Ended::WithoutTools(why));
                }
                Ok(Step::Answer(cited)) => return Ok(self.ended(&said, cited)),
                Err(error) => return Err(error),
            }
        }
        self.last_turn(dialogue).await
    }

    /// The model has called tools as often as it may; it is asked for the
    /// answer.
    async fn last_turn(&mut self, mut dialogue: Dialogue<'a>) -> Result<Ended> {
        let turns = self.settings.max_iterations;
        let message = format!(
            "the model called tools in all {turns} rounds (`max_iterations`); the answer uses \
             what was found so far"
        );
        self.note("", &message, "limit");
        dialogue.ask_for_the_answer();
        let mut said = self.collect_turn(&dialogue, false).await?;
        match dialogue.read(&mut said, &self.findings.ids()) {
            Ok(Step::Answer(cited)) => Ok(self.ended(&said, cited)),
            Ok(Step::Calls { .. } | Step::Unreadable) => {
                said.take_back(&self.context);
                Err(dialogue.provider_failed("the model called a tool instead of answering"))
            }
            Err(error) => Err(error),
        }
    }

    async fn collect_turn(&self, dialogue: &Dialogue<'_>, with_tools: bool) -> Result<Turn> {
        let deadline = self.context.call.deadline;
        if deadline.has_passed() {
            return Err(too_long("the agent", self.time));
        }
        let is_shown = dialogue.manner == Manner::Native;
        let request = dialogue.request(with_tools);
        collect_turn(request, self.findings.ids(), is_shown, &self.context).await
    }

    /// Tells the model and the caller of calls that are not carried out.
    fn note_calls_left_out(&self, said: &Turn, results: &mut [String]) {
        let left_out = said.calls_left_out;
        if let (Some(last), 1..) = (results.last_mut(), left_out) {
            let message = format!(
                "only {CALLS_AT_ONCE} calls per round are executed; {left_out} more were not"
            );
            last.push_str(&format!("\n\nError: {message}"));
            self.note("", &message, "limit");
        }
    }

    /// An answer in text is shown when it is whole: it came within JSON.
    fn ended(&self, said: &Turn, cited: Cited) -> Ended {
        if said.is_cut {
            let message = "the answer of the model reached its limit and may be incomplete";
            self.note("", message, "truncated");
        }
        if !said.was_shown {
            self.context.emit(Event::Token {
                text: cited.text.clone(),
            });
        }
        Ended::Answered(cited)
    }
}

/// Whether a provider says that it takes no tools: it calls the request wrong
/// (400, 422) or more than it can do (501), or it speaks of tools. Any other
/// failure would come again without them.
fn is_refusal(error: &Error) -> bool {
    match error {
        Error::InvalidInput { .. } => true,
        Error::Provider {
            message,
            retryable: false,
            ..
        } => {
            let lower = message.to_lowercase();
            // Quotes stay: a key of JSON that is repeated is no word.
            let around = ['.', ',', ';', ':', '!', '(', ')', '`'];
            let mut words = lower
                .split_whitespace()
                .map(|word| word.trim_matches(around));
            words.any(|word| REFUSAL_WORDS.contains(&word))
        }
        _ => false,
    }
}

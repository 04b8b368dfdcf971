//! `gannet chat`: questions, answers and follow-ups until the end.

use gannet_core::api::{DEFAULT_TENANT, Events};
use gannet_core::{Gannet, HostError, SearchInput, SearchResult};
use tokio::sync::mpsc;

use super::search::{ASK_MODE, model_params, open_with_model};
use crate::arguments::{ChatArguments, Common, Format};
use crate::chat::{COMMANDS, Command, Conversation, Lines, Screen, Typed, print_sources};
use crate::failure::{Exit, Failure};
use crate::render::{ACCENT, Clock, DIM, print_entry, print_failure};
use crate::{output, signals};

/// The state of a chat.
struct Session {
    gannet: Gannet,
    mode: String,
    arguments: ChatArguments,
    conversation: Conversation,
}

/// Runs the chat until the input ends.
pub async fn run(common: &Common, arguments: ChatArguments) -> Result<Exit, Failure> {
    if common.format != Format::Table {
        return Err(Failure::usage(
            "chat has no JSON output; use `gannet ask --format json`",
        ));
    }
    let mode = arguments
        .mode
        .clone()
        .unwrap_or_else(|| ASK_MODE.to_owned());
    let gannet = open_with_model(common, &mode, &arguments.model).await?;
    gannet.mode(&mode)?;
    let mut session_state = Session {
        gannet,
        mode,
        arguments,
        conversation: Conversation::default(),
    };
    let mut lines = Lines::open()?;
    if lines.are_typed() {
        let mode = &session_state.mode;
        outln!("{DIM}Mode {mode}. Type a question, or /help for the commands.{DIM:#}");
    }
    loop {
        let typed;
        (lines, typed) = lines.next().await?;
        match typed {
            Typed::End => break,
            Typed::Dropped => {}
            Typed::Line(line) => {
                if !lines.are_typed() && !line.trim().is_empty() {
                    outln!("{ACCENT}>{ACCENT:#} {line}");
                }
                if !session_state.take(&line).await? || output::is_lost() {
                    break;
                }
            }
        }
    }
    session_state.gannet.close().await?;
    Ok(Exit::Done)
}

impl Session {
    /// Executes a line; false at the end.
    async fn take(&mut self, line: &str) -> Result<bool, Failure> {
        match Command::read(line) {
            Command::Blank => {}
            Command::Quit => return Ok(false),
            Command::Help => help(),
            Command::New => self.conversation = Conversation::default(),
            Command::Sources => self.sources(),
            Command::Open(which) => self.open(which).await?,
            Command::Mode(mode) => self.change_mode(mode),
            Command::Unknown(command) => {
                outln!("{DIM}unknown command `{command}`; /help lists the commands{DIM:#}");
            }
            Command::Question(question) => self.answer(question).await?,
        }
        Ok(true)
    }

    fn sources(&self) {
        match &self.conversation.last {
            Some(result) => print_sources(result, &Clock::of(&self.gannet)),
            None => outln!("{DIM}no question yet{DIM:#}"),
        }
    }

    /// Shows an entry of the last answer by its rank, or any entry by its id.
    async fn open(&self, which: &str) -> Result<(), Failure> {
        let last = self.conversation.last.as_ref();
        let place: Option<usize> = which.parse().ok();
        let hit = place.and_then(|place| last?.entries.get(place.checked_sub(1)?));
        let entry = match hit {
            Some(hit) => Some(hit.entry.clone()),
            None => self.gannet.entry(DEFAULT_TENANT, which).await?,
        };
        match entry {
            Some(entry) => print_entry(&entry, &Clock::of(&self.gannet)),
            None => outln!("{DIM}no entry `{which}`{DIM:#}"),
        }
        Ok(())
    }

    fn change_mode(&mut self, mode: &str) {
        match self.gannet.mode(mode) {
            Ok(_) => mode.clone_into(&mut self.mode),
            Err(error) => outln!("{DIM}{error}{DIM:#}"),
        }
    }

    /// Shows an answer as it arrives. Ctrl-C and errors end the answer, not the
    /// conversation.
    async fn answer(&mut self, question: &str) -> Result<(), Failure> {
        let (sender, mut events) = mpsc::unbounded_channel();
        let mut input = self.input(question)?;
        input.events = Events::to(move |event| {
            // The receiver is gone when the answer was canceled.
            let _ = sender.send(event);
        });
        self.conversation.add_question(question);
        let gannet = self.gannet.clone();
        let may_ask_model = gannet.may_ask_chat_model(&self.mode, &input.params);
        let mut screen = Screen::new(may_ask_model);
        let search = gannet.search(input);
        let interrupted = signals::interrupted();
        tokio::pin!(search, interrupted);
        let result: Result<SearchResult, HostError> = loop {
            tokio::select! {
                biased;
                Some(event) = events.recv() => screen.show(&event),
                result = &mut search => break result,
                () = &mut interrupted => {
                    screen.break_off();
                    outln!("{DIM}canceled{DIM:#}");
                    return Ok(());
                }
            }
        };
        while let Ok(event) = events.try_recv() {
            screen.show(&event);
        }
        match result {
            Ok(result) => {
                screen.end(&result, &Clock::of(&self.gannet));
                self.conversation.add_answer(result);
            }
            Err(error) => {
                screen.break_off();
                print_failure(&error.to_string());
            }
        }
        Ok(())
    }

    fn input(&self, question: &str) -> Result<SearchInput, Failure> {
        let mut input = SearchInput::new(question);
        input.mode = Some(self.mode.clone());
        input.max_results = self.arguments.max_results;
        input.filter = self.gannet.filter(&self.arguments.filters)?;
        // A mode without the parameter uses no model.
        let params = model_params(&self.gannet, &self.mode, &self.arguments.model);
        input.params = params.unwrap_or_default();
        input.history = self.conversation.history();
        Ok(input)
    }
}

fn help() {
    for (command, what) in COMMANDS {
        outln!("  {ACCENT}{command:<12}{ACCENT:#} {what}");
    }
}

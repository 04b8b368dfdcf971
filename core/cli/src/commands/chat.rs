//! `gannet chat`: questions, answers and follow-ups until the end.

use gannet_core::api::{DEFAULT_TENANT, Events};
use gannet_core::{Gannet, HostError, SearchInput, SearchResult};
use tokio::sync::mpsc;

use super::search::{ASK_MODE, model_params, open_with_model};
use crate::arguments::{ChatArguments, Common, Format};
use crate::chat::{Conversation, Lines, ORDERS, Order, Screen, Typed, print_sources};
use crate::failure::{Exit, Failure};
use crate::render::{ACCENT, Clock, DIM, print_entry, print_failure};
use crate::{output, signals};

/// What stays the same from question to question.
struct Table {
    gannet: Gannet,
    mode: String,
    asked: ChatArguments,
    conversation: Conversation,
}

/// Talks until the input ends.
pub async fn run(common: &Common, asked: ChatArguments) -> Result<Exit, Failure> {
    if common.format != Format::Table {
        return Err(Failure::usage(
            "chat has no JSON output; use `gannet ask --format json`",
        ));
    }
    let mode = asked.mode.clone().unwrap_or_else(|| ASK_MODE.to_owned());
    let gannet = open_with_model(common, &mode, &asked.model).await?;
    gannet.mode(&mode)?;
    let mut table = Table {
        gannet,
        mode,
        asked,
        conversation: Conversation::default(),
    };
    let mut lines = Lines::open()?;
    if lines.are_typed() {
        let mode = &table.mode;
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
                if !table.take(&line).await? || output::is_lost() {
                    break;
                }
            }
        }
    }
    table.gannet.close().await?;
    Ok(Exit::Done)
}

impl Table {
    /// Does what a line says; false at the end.
    async fn take(&mut self, line: &str) -> Result<bool, Failure> {
        match Order::read(line) {
            Order::Blank => {}
            Order::Quit => return Ok(false),
            Order::Help => help(),
            Order::New => self.conversation = Conversation::default(),
            Order::Sources => self.sources(),
            Order::Open(which) => self.open(which).await?,
            Order::Mode(mode) => self.change_mode(mode),
            Order::Unknown(order) => {
                outln!("{DIM}unknown command `{order}`; /help lists the commands{DIM:#}");
            }
            Order::Question(question) => self.answer(question).await?,
        }
        Ok(true)
    }

    fn sources(&self) {
        match &self.conversation.last {
            Some(result) => print_sources(result, &Clock::of(&self.gannet)),
            None => outln!("{DIM}no question yet{DIM:#}"),
        }
    }

    /// An entry of the last answer by its place, or any by its id.
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

    /// Shows an answer while it comes. Ctrl-C ends it and not the
    /// conversation; so does what goes wrong with one question.
    async fn answer(&mut self, question: &str) -> Result<(), Failure> {
        let (sender, mut events) = mpsc::unbounded_channel();
        let mut input = self.input(question)?;
        input.events = Events::to(move |event| {
            // Whoever listened is gone when the answer was broken off.
            let _ = sender.send(event);
        });
        self.conversation.asked(question);
        let gannet = self.gannet.clone();
        let mut screen = Screen::new();
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
                self.conversation.answered(result);
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
        input.max_results = self.asked.max_results;
        input.filter = self.gannet.filter(&self.asked.filters)?;
        // A mode that cannot be told asks no model in any case.
        let params = model_params(&self.gannet, &self.mode, &self.asked.model);
        input.params = params.unwrap_or_default();
        input.history = self.conversation.history();
        Ok(input)
    }
}

fn help() {
    for (order, what) in ORDERS {
        outln!("  {ACCENT}{order:<12}{ACCENT:#} {what}");
    }
}

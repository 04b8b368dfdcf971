//! `gannet feedback`: what users said of answers and entries.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use gannet_core::api::{DEFAULT_TENANT, Filter};
use gannet_core::eval::EvalSet;
use gannet_core::{Feedback, FeedbackSubject, Gannet, Verdict};
use serde_json::json;

use super::confirm::{confirm, refuse_without_terminal};
use crate::arguments::{AddFeedbackArguments, Common, FeedbackCommand, Format};
use crate::failure::{Exit, Failure};
use crate::render::{Clock, GOOD, number, print_json, print_json_list, safe_line, table};
use crate::{session, signals};

/// The caller: the user who starts the program, as over HTTP without keys.
const CALLER: &str = "local";

/// Lists, adds, exports and deletes.
pub async fn run(common: &Common, command: FeedbackCommand) -> Result<Exit, Failure> {
    let gannet = session::open_existing(common).await?;
    let done = match command {
        FeedbackCommand::List => list(&gannet, common.format).await,
        FeedbackCommand::Add(arguments) => add(&gannet, &arguments, common.format).await,
        FeedbackCommand::Export { folder } => export(&gannet, &folder, common.format).await,
        FeedbackCommand::Delete { yes } => delete(&gannet, yes, common.format).await,
    };
    gannet.close().await?;
    done
}

async fn list(gannet: &Gannet, format: Format) -> Result<Exit, Failure> {
    let feedback = gannet.feedback(DEFAULT_TENANT).await?;
    if format != Format::Table {
        print_json_list(&feedback, format)?;
        return Ok(Exit::Done);
    }
    let clock = Clock::of(gannet);
    match feedback.is_empty() {
        true => outln!("nothing was said of answers and entries yet"),
        false => outln!(
            "{}",
            table(
                &["time", "verdict", "of", "question"],
                feedback.iter().map(|one| row(one, &clock))
            )
        ),
    }
    Ok(Exit::Done)
}

fn row(feedback: &Feedback, clock: &Clock) -> Vec<String> {
    let subject = match &feedback.subject {
        FeedbackSubject::Entry { entry_id } => entry_id.clone(),
        FeedbackSubject::Answer { .. } => "the answer".to_owned(),
    };
    let verdict = match feedback.verdict {
        Verdict::Helpful => "helpful",
        Verdict::NotHelpful => "not helpful",
        Verdict::Opened => "opened",
    };
    vec![
        clock.minute(feedback.at),
        verdict.to_owned(),
        safe_line(&subject).into_owned(),
        safe_line(&feedback.question).into_owned(),
    ]
}

async fn add(
    gannet: &Gannet,
    arguments: &AddFeedbackArguments,
    format: Format,
) -> Result<Exit, Failure> {
    let verdict = match arguments.not_helpful {
        true => Verdict::NotHelpful,
        false => Verdict::Helpful,
    };
    let subject = FeedbackSubject::Entry {
        entry_id: arguments.entry.clone(),
    };
    let feedback = Feedback::new(&arguments.question, subject, verdict)
        .map_err(|error| Failure::usage(error.to_string()))?;
    gannet
        .add_feedback(DEFAULT_TENANT, CALLER, &feedback)
        .await?;
    match format {
        Format::Table => outln!("{GOOD}kept{GOOD:#}"),
        format => print_json(&feedback, format)?,
    }
    Ok(Exit::Done)
}

async fn export(gannet: &Gannet, folder: &Path, format: Format) -> Result<Exit, Failure> {
    let set = EvalSet::of_feedback(&gannet.feedback(DEFAULT_TENANT).await?);
    if set.questions.is_empty() {
        return Err(Failure::usage(
            "no question is judged yet; see `gannet feedback list`",
        ));
    }
    let files = ["corpus.jsonl", "queries.jsonl", "qrels.tsv"].map(|name| folder.join(name));
    if let Some(there) = files.iter().find(|file| file.exists()) {
        return Err(Failure::usage(format!(
            "{} is there already; name another folder",
            there.display()
        )));
    }
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let stop = signals::stop_after("this page");
    let [corpus, queries, qrels] = files;
    let file = File::create_new(&corpus).map_err(|error| failed(&corpus, &error))?;
    let mut out = BufWriter::new(file);
    let entries = gannet
        .export(DEFAULT_TENANT, Filter::default(), &mut out, &stop)
        .await?;
    out.flush().map_err(|error| failed(&corpus, &error))?;
    set.write(&queries, &qrels)?;
    match format {
        Format::Table => outln!(
            "{GOOD}exported{GOOD:#} {} and {} to {}",
            number::count(
                set.questions.len() as u64,
                "judged question",
                "judged questions"
            ),
            number::count(entries, "entry", "entries"),
            folder.display()
        ),
        format => print_json(
            &json!({ "questions": set.questions.len(), "entries": entries }),
            format,
        )?,
    }
    Ok(Exit::unless(&stop))
}

async fn delete(gannet: &Gannet, yes: bool, format: Format) -> Result<Exit, Failure> {
    if !yes {
        refuse_without_terminal()?;
        if !confirm("delete all that users said of answers and entries?")? {
            return Ok(Exit::Done);
        }
    }
    let deleted = gannet.delete_feedback(DEFAULT_TENANT).await?;
    match format {
        Format::Table => outln!("{GOOD}deleted{GOOD:#} {deleted}"),
        format => print_json(&json!({ "deleted": deleted }), format)?,
    }
    Ok(Exit::Done)
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::store(format!("{}: {error}", path.display()))
}

//! `gannet tune`: fits ranking weights and the threshold of answers on judged
//! questions.

use gannet_core::api::DEFAULT_TENANT;
use gannet_core::eval::EvalSet;
use gannet_core::tune::{Gain, RankingReport, ThresholdReport, TuneReport, TuneRequest, tune};
use gannet_core::{Gannet, config};

use super::config_file::rewrite;
use crate::arguments::{Common, Format, TuneArguments};
use crate::failure::{Exit, Failure};
use crate::progress::Bar;
use crate::render::{DIM, HEADING, print_json};
use crate::{session, signals};

/// Fits, shows the gain on the held-back half, and applies what gains.
pub async fn run(common: &Common, wanted: TuneArguments) -> Result<Exit, Failure> {
    let gannet = session::open_existing(common).await?;
    let request = request(&gannet, &wanted).await?;
    let stop = signals::stop_after("these settings");
    let bar = Bar::new("settings");
    let show = |step: gannet_core::tune::TuneStep| {
        bar.show("tried", step.done as u64, Some(step.total as u64))
    };
    let report = tune(&gannet, &request, &stop, show).await?;
    drop(bar);
    gannet.close().await?;
    if stop.is_raised() {
        return Ok(Exit::Stopped);
    }
    match common.format {
        Format::Table => print(&report),
        format => print_json(&report, format)?,
    }
    if wanted.apply {
        apply(common, &report)?;
    }
    Ok(Exit::Done)
}

async fn request(gannet: &Gannet, wanted: &TuneArguments) -> Result<TuneRequest, Failure> {
    let mode = wanted.mode.clone();
    let mode = mode.unwrap_or_else(|| gannet.default_mode().to_owned());
    let (questions, feedback) = match (&wanted.queries, &wanted.qrels) {
        (Some(queries), Some(qrels)) => (EvalSet::read(queries, qrels)?, Vec::new()),
        _ => {
            let feedback = gannet.feedback(DEFAULT_TENANT).await?;
            (EvalSet::of_feedback(&feedback), feedback)
        }
    };
    Ok(TuneRequest {
        mode,
        questions,
        feedback,
    })
}

fn print(report: &TuneReport) {
    if let Some(ranking) = &report.ranking {
        print_ranking(ranking);
    }
    if let Some(threshold) = &report.threshold {
        print_threshold(threshold);
    }
    for note in &report.notes {
        outln!("{note}");
    }
    let gaining = report.gaining();
    match gaining.is_empty() {
        true => outln!("{DIM}nothing gains on the held-back half; the settings stay{DIM:#}"),
        false => {
            for setting in gaining {
                outln!("{}: {} -> {}", setting.key, setting.before, setting.after);
            }
        }
    }
}

fn print_ranking(report: &RankingReport) {
    outln!("{HEADING}ranking, nDCG@10{HEADING:#}");
    print_gain("learned on", "questions", &report.learned);
    print_gain("held back", "questions", &report.held_back);
}

fn print_gain(half: &str, what: &str, gain: &Gain) {
    outln!(
        "  {half} {} {what}: {:.4} -> {:.4} ({:+.4}, 95 % between {:+.4} and {:+.4})",
        gain.questions,
        gain.before,
        gain.after,
        gain.mean(),
        gain.least,
        gain.most,
    );
}

fn print_threshold(report: &ThresholdReport) {
    outln!("{HEADING}answers that are grounded{HEADING:#}");
    outln!(
        "  held back {} answers: {} of {} helpful -> {} of {} helpful",
        report.held_back,
        report.before.helpful,
        report.before.grounded,
        report.after.helpful,
        report.after.grounded,
    );
    print_gain("worth on", "answers", &report.gain);
}

/// Writes the settings that gain into the configuration file.
fn apply(common: &Common, report: &TuneReport) -> Result<(), Failure> {
    let gaining = report.gaining();
    if gaining.is_empty() {
        return Ok(());
    }
    let lines = gaining
        .iter()
        .map(|setting| format!("{}: {}", setting.key, setting.after));
    let lines: Vec<String> = lines.collect();
    let by_hand = format!("set by hand:\n\n{}", lines.join("\n"));
    rewrite(common, "the settings", &by_hand, |text| {
        gaining.iter().try_fold(text, |text, setting| {
            config::with_number(&text, &setting.key, setting.after)
        })
    })
}

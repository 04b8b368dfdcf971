//! `gannet enhance`: runs enhancement modules on pending entries.

use gannet_core::{EnhanceReport, EnhanceRequest};

use crate::arguments::{Common, EnhanceArguments, Format};
use crate::failure::{Exit, Failure};
use crate::progress::Bar;
use crate::render::{DIM, GOOD, WARNING, number, print_json_list};
use crate::{session, signals};

/// Runs the named modules, or all.
pub async fn run(common: &Common, wanted: EnhanceArguments) -> Result<Exit, Failure> {
    let gannet = session::open_existing(common).await?;
    let stop = signals::stop_after("this batch");
    let request = EnhanceRequest {
        modules: wanted.modules,
        limit: wanted.limit,
        force: wanted.force,
        only_due: false,
    };
    let bar = Bar::new("entries");
    let reports = gannet
        .enhance(request, &stop, |step| bar.enhance(&step))
        .await?;
    drop(bar);
    match common.format {
        Format::Table => print_enhancement(&reports),
        format => print_json_list(&reports, format)?,
    }
    gannet.close().await?;
    refuse_useless_run(&reports)?;
    Ok(Exit::unless(&stop))
}

/// A module that fails with every entry is not set up, or its model is away.
pub fn refuse_useless_run(reports: &[EnhanceReport]) -> Result<(), Failure> {
    let fails_always = |report: &&EnhanceReport| report.failed > 0 && report.completed == 0;
    let Some(report) = reports.iter().find(fails_always) else {
        return Ok(());
    };
    Err(Failure::store(format!(
        "`{}` failed with {}; `gannet doctor` checks what it needs",
        report.module,
        number::count(report.failed, "entry", "entries")
    )))
}

/// Prints what each module did.
pub fn print_enhancement(reports: &[EnhanceReport]) {
    for report in reports {
        let seconds = report.elapsed.as_secs_f64();
        outln!(
            "{GOOD}{}{GOOD:#} {} {DIM}in {seconds:.1} s, {}{DIM:#}",
            report.module,
            number::count(report.completed, "entry", "entries"),
            number::rate(report.completed as f64 / seconds.max(0.001), "entries"),
        );
        if let Some(error) = &report.last_error {
            outln!(
                "{WARNING}failed{WARNING:#} {}, to be retried by the next run; last error: {error}",
                number::count(report.failed, "entry", "entries")
            );
        }
        if report.given_up {
            outln!("{WARNING}given up{WARNING:#} because every entry failed");
        }
        if report.stopped {
            outln!("{WARNING}stopped{WARNING:#} before the end; run the command again to continue");
        }
    }
}

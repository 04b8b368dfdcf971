//! Progress bars for long work; none without a terminal.

use std::fmt::Write;
use std::time::Duration;

use gannet_core::{EnhanceProgress, IngestProgress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::render::number;

/// A bar with the rate and the remaining time.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar that counts things of this name (in the plural).
    pub fn new(things: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let template = format!(
            "{{spinner}} {{prefix}} {{wide_bar:.cyan/dim}} {{human_pos}}/{{human_len}} {things} · \
             {{rate}} · {{eta}} left {{msg}}"
        );
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style.with_key("rate", write_rate(things)));
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Self(bar)
    }

    /// Shows ingestion progress.
    pub fn ingest(&self, progress: IngestProgress) {
        self.show("ingest", progress.read, progress.total);
        if progress.rejected > 0 {
            self.0
                .set_message(format!("· {} rejected", progress.rejected));
        }
    }

    /// Shows enhancement progress.
    pub fn enhance(&self, progress: &EnhanceProgress) {
        self.show(&progress.module, progress.done, Some(progress.total));
    }

    /// Shows the progress of a step.
    pub fn show(&self, prefix: &str, done: u64, total: Option<u64>) {
        if self.0.prefix() != prefix {
            self.0.reset();
            self.0.set_prefix(prefix.to_owned());
        }
        if let Some(total) = total {
            self.0.set_length(total);
        }
        self.0.set_position(done);
    }
}

/// Writes `2,791 entries/s`.
fn write_rate(things: &str) -> impl Fn(&ProgressState, &mut dyn Write) + Clone + use<> {
    let things = things.to_owned();
    move |state, line| {
        // The bar is redrawn; what cannot be written now is written then.
        let _ = line.write_str(&number::rate(state.per_sec(), &things));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

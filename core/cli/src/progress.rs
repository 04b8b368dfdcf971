//! Progress bars for long work; none without a terminal.

use std::time::Duration;

use gannet_core::{EnhanceProgress, IngestProgress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that shows a rate and the time that is left.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar for things of this name, hidden until it is told something.
    pub fn new(things: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let template = format!(
            "{{spinner}} {{prefix}} {{wide_bar:.cyan/dim}} {{pos}}/{{len}} {things} · \
             {{per_sec}} · {{eta}} left {{msg}}"
        );
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Self(bar)
    }

    /// Shows how far an ingestion is.
    pub fn ingest(&self, progress: IngestProgress) {
        self.show("ingest", progress.read, progress.total);
        if progress.rejected > 0 {
            self.0
                .set_message(format!("· {} kept aside", progress.rejected));
        }
    }

    /// Shows how far an enhancement is.
    pub fn enhance(&self, progress: &EnhanceProgress) {
        self.show(&progress.module, progress.done, Some(progress.total));
    }

    /// Shows how far anything is.
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

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

//! The author's `tracing` events on their way to the host's log.
//!
//! A dylib has its own `tracing` with its own dispatcher, in which nobody
//! listens. This subscriber does, and passes events on; spans are not kept.

use std::fmt::{Debug, Write};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};

use crate::vtable::LogObject;

/// Makes events of this image go to the host. A plugin that listens itself
/// keeps what it has.
pub(super) fn forward_to(log: LogObject) {
    let _ = tracing::subscriber::set_global_default(Forwarder(log));
}

struct Forwarder(LogObject);

impl Subscriber for Forwarder {
    fn register_callsite(&self, _metadata: &'static Metadata<'static>) -> Interest {
        // The host's level may change while it runs.
        Interest::sometimes()
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && self.0.is_enabled(number_of(metadata.level()))
    }

    fn event(&self, event: &Event<'_>) {
        let mut text = Text::default();
        event.record(&mut text);
        let metadata = event.metadata();
        self.0.log(
            number_of(metadata.level()),
            metadata.target().into(),
            text.whole().as_str().into(),
        );
    }

    fn new_span(&self, _span: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}

/// A level as it crosses: 1 error to 5 trace.
fn number_of(level: &Level) -> u8 {
    match *level {
        Level::ERROR => 1,
        Level::WARN => 2,
        Level::INFO => 3,
        Level::DEBUG => 4,
        Level::TRACE => 5,
    }
}

/// An event's message, and its fields behind it.
#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Text {
    fn whole(mut self) -> String {
        self.message.push_str(&self.fields);
        self.message
    }
}

impl Visit for Text {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.message.push_str(value),
            _ => self.record_debug(field, &value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing into a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

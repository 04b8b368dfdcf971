//! Log lines as JSON: one object per line, with the spans around it, the
//! outermost first.

use std::fmt;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

/// Writes the fields of a span as an object.
pub struct JsonFields;

/// Writes an event as a line.
pub struct JsonLines;

/// Collects fields.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl Fields {
    fn add(&mut self, field: &Field, value: Value) {
        self.0.insert(field.name().to_owned(), value);
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format!("{value:?}").into());
    }
}

impl<'w> FormatFields<'w> for JsonFields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut collected = Fields::default();
        fields.record(&mut collected);
        write!(writer, "{}", Value::Object(collected.0))
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> FormatEvent<S, JsonFields> for JsonLines {
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let scope = context.event_scope().into_iter();
        let spans = scope.flat_map(|scope| scope.from_root()).map(|span| {
            let extensions = span.extensions();
            let known = extensions.get::<FormattedFields<JsonFields>>();
            let known = known.map_or("{}", |known| known.fields.as_str());
            // Fields that were added later stand behind the first object.
            let known = serde_json::from_str(known);
            let mut object: Map<String, Value> = known.unwrap_or_default();
            object.insert("name".to_owned(), span.name().into());
            Value::Object(object)
        });
        let spans: Vec<Value> = spans.collect();
        let mut line = json!({
            "timestamp": Timestamp::now(),
            "level": event.metadata().level().as_str(),
            "target": event.metadata().target(),
            "spans": spans,
        });
        if let Value::Object(line) = &mut line {
            for (name, value) in fields.0 {
                line.entry(name).or_insert(value);
            }
        }
        writeln!(writer, "{line}")
    }
}

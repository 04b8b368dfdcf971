//! W3C Trace Context, level 1: the header `traceparent`.

use axum::http::{HeaderMap, HeaderName};

use crate::random;

/// Version, trace, parent and flags.
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// What the systems before this one added; passed on as it came.
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");
/// Hexadecimal digits of the ids.
const TRACE_DIGITS: usize = 32;
const SPAN_DIGITS: usize = 16;
/// Bytes of `tracestate` that a system has to pass on.
const LONGEST_STATE: usize = 512;

/// Where a span is: its trace, its own id and its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpanContext {
    /// 32 hexadecimal digits.
    pub trace_id: String,
    /// 16 hexadecimal digits.
    pub span_id: String,
    /// The id of the span above; `None` for the first one of a trace.
    pub parent_id: Option<String>,
    /// The header `tracestate`, or empty.
    pub state: String,
    /// Whether spans of this trace are kept.
    pub is_sampled: bool,
}

impl SpanContext {
    /// The first span of a new trace.
    pub fn root() -> Self {
        Self {
            trace_id: random::hex(TRACE_DIGITS),
            span_id: random::hex(SPAN_DIGITS),
            parent_id: None,
            state: String::new(),
            is_sampled: true,
        }
    }

    /// A span below the one that the headers name; `None` without a valid
    /// header, or with several.
    pub fn continued(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(TRACEPARENT).into_iter();
        let (value, None) = (values.next()?, values.next()) else {
            return None;
        };
        let (trace_id, parent_id, is_sampled) = parse(value.to_str().ok()?)?;
        let state = headers.get(TRACESTATE);
        let state = state.and_then(|state| state.to_str().ok());
        let state = state.filter(|state| state.len() <= LONGEST_STATE);
        Some(Self {
            trace_id: trace_id.to_owned(),
            span_id: random::hex(SPAN_DIGITS),
            parent_id: Some(parent_id.to_owned()),
            state: state.unwrap_or_default().to_owned(),
            is_sampled,
        })
    }

    /// A span below this one.
    pub fn child(&self) -> Self {
        Self {
            span_id: random::hex(SPAN_DIGITS),
            parent_id: Some(self.span_id.clone()),
            ..self.clone()
        }
    }
}

/// Trace, parent and whether the trace is sampled. A later version may add
/// fields at the end.
fn parse(header: &str) -> Option<(&str, &str, bool)> {
    let mut fields = header.trim().split('-');
    let version = hex(fields.next()?, 2)?;
    let trace_id = hex(fields.next()?, TRACE_DIGITS)?;
    let parent_id = hex(fields.next()?, SPAN_DIGITS)?;
    let flags = u8::from_str_radix(hex(fields.next()?, 2)?, 16).ok()?;
    let is_whole = version != "00" || fields.next().is_none();
    let is_named = [trace_id, parent_id]
        .iter()
        .all(|id| id.bytes().any(|digit| digit != b'0'));
    (version != "ff" && is_whole && is_named).then_some((trace_id, parent_id, flags & 1 == 1))
}

/// A field of so many hexadecimal digits in lower case.
fn hex(field: &str, digits: usize) -> Option<&str> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (field.len() == digits && field.bytes().all(is_digit)).then_some(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const PARENT: &str = "b7ad6b7169203331";

    #[test]
    fn a_valid_header_names_trace_parent_and_flag() {
        for (header, is_sampled) in [
            (format!("00-{TRACE}-{PARENT}-01"), true),
            (format!("00-{TRACE}-{PARENT}-00"), false),
            (format!("00-{TRACE}-{PARENT}-ff"), true),
            (format!("cc-{TRACE}-{PARENT}-01-more"), true),
        ] {
            assert_eq!(
                parse(&header),
                Some((TRACE, PARENT, is_sampled)),
                "{header}"
            );
        }
    }

    #[test]
    fn any_other_header_is_as_none() {
        let zeros = "0".repeat(TRACE_DIGITS);
        for header in [
            String::new(),
            "00".to_owned(),
            format!("00-{TRACE}-{PARENT}"),
            format!("00-{TRACE}-{PARENT}-1"),
            format!("00-{TRACE}-{PARENT}-01-more"),
            format!("ff-{TRACE}-{PARENT}-01"),
            format!("00-{}-{PARENT}-01", TRACE.to_uppercase()),
            format!("00-{zeros}-{PARENT}-01"),
            format!("00-{TRACE}-{}-01", &zeros[..SPAN_DIGITS]),
            format!("00-{PARENT}-{TRACE}-01"),
            "00-🦆-🦆-01".to_owned(),
        ] {
            assert_eq!(parse(&header), None, "{header}");
        }
    }

    #[test]
    fn a_child_is_of_the_same_trace() {
        let root = SpanContext::root();
        let child = root.child();
        assert_eq!(child.trace_id, root.trace_id);
        assert_eq!(child.parent_id, Some(root.span_id.clone()));
        assert_ne!(child.span_id, root.span_id);
        assert_eq!((root.trace_id.len(), child.span_id.len()), (32, 16));
    }
}

//! What the server is told to answer.

use serde_json::Value;

/// One answer of the script.
#[derive(Debug, Clone)]
pub struct Reply {
    pub(crate) what: What,
    pub(crate) ending: Ending,
    pub(crate) finish: Option<String>,
}

/// What an answer holds.
#[derive(Debug, Clone)]
pub(crate) enum What {
    /// A model's turn.
    Turn { text: String, calls: Vec<Called> },
    /// Vectors, one a text.
    Embeddings(Vec<Vec<f32>>),
    /// Scores, each with the index of its document.
    Scores(Vec<(usize, f64)>),
    /// Any JSON.
    Json(Value),
    /// Any text.
    Raw { content_type: String, body: String },
    /// An error.
    Status {
        code: u16,
        body: String,
        retry_after: Option<String>,
    },
}

/// A call of a tool.
#[derive(Debug, Clone)]
pub(crate) struct Called {
    pub(crate) name: String,
    /// As they stand in the answer: JSON in most cases.
    pub(crate) arguments: String,
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// As it should.
    Whole,
    /// With something that is no JSON.
    Malformed,
    /// The connection is closed before the end.
    Cut,
    /// No more comes, and the connection stays open.
    Hang,
}

impl Reply {
    /// The model says this.
    pub fn text(text: impl Into<String>) -> Self {
        Self::of(What::Turn {
            text: text.into(),
            calls: Vec::new(),
        })
    }

    /// The model calls a tool.
    pub fn tool_call(name: &str, arguments: Value) -> Self {
        Self::tool_calls([(name, arguments)])
    }

    /// The model calls several tools at once.
    pub fn tool_calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        Self::of(What::Turn {
            text: String::new(),
            calls: calls
                .into_iter()
                .map(|(name, arguments)| called(name, &arguments.to_string()))
                .collect(),
        })
    }

    /// The model calls a tool with arguments that are written as they stand
    /// here: they need not be JSON.
    pub fn raw_tool_call(name: &str, arguments: &str) -> Self {
        Self::of(What::Turn {
            text: String::new(),
            calls: vec![called(name, arguments)],
        })
    }

    /// The model says something and calls a tool.
    pub fn text_and_tool_call(text: &str, name: &str, arguments: Value) -> Self {
        Self::of(What::Turn {
            text: text.to_owned(),
            calls: vec![called(name, &arguments.to_string())],
        })
    }

    /// The server refuses with this status and body.
    pub fn status(code: u16, body: impl Into<String>) -> Self {
        Self::of(What::Status {
            code,
            body: body.into(),
            retry_after: None,
        })
    }

    /// The body is not valid JSON: it ends in the middle.
    pub fn malformed_json() -> Self {
        Self::raw("application/json", r#"{"choices": [{"message": {"#)
    }

    /// The model says this, then a line comes that cannot be read.
    pub fn malformed_line(text: &str) -> Self {
        Self::text(text).ending(Ending::Malformed)
    }

    /// The model says this, then the connection is closed.
    pub fn cut_after(text: &str) -> Self {
        Self::text(text).ending(Ending::Cut)
    }

    /// No answer ever comes.
    pub fn hang() -> Self {
        Self::hang_after("")
    }

    /// The model says this, then nothing more comes.
    pub fn hang_after(text: &str) -> Self {
        Self::text(text).ending(Ending::Hang)
    }

    /// Vectors, in the order of the texts.
    pub fn embeddings(vectors: impl IntoIterator<Item = Vec<f32>>) -> Self {
        Self::of(What::Embeddings(vectors.into_iter().collect()))
    }

    /// Scores: index of the document, and relevance.
    pub fn scores(scores: impl IntoIterator<Item = (usize, f64)>) -> Self {
        Self::of(What::Scores(scores.into_iter().collect()))
    }

    /// Any JSON, with status 200.
    pub fn json(body: Value) -> Self {
        Self::of(What::Json(body))
    }

    /// Any text, with status 200.
    pub fn raw(content_type: &str, body: impl Into<String>) -> Self {
        Self::of(What::Raw {
            content_type: content_type.to_owned(),
            body: body.into(),
        })
    }

    /// The same, and the header `Retry-After` of an error.
    #[must_use]
    pub fn retry_after(mut self, value: impl ToString) -> Self {
        if let What::Status { retry_after, .. } = &mut self.what {
            *retry_after = Some(value.to_string());
        }
        self
    }

    /// The same, and the reason that a model's turn ends with.
    #[must_use]
    pub fn finish(mut self, reason: &str) -> Self {
        self.finish = Some(reason.to_owned());
        self
    }

    fn of(what: What) -> Self {
        Self {
            what,
            ending: Ending::Whole,
            finish: None,
        }
    }

    fn ending(mut self, ending: Ending) -> Self {
        self.ending = ending;
        self
    }
}

fn called(name: &str, arguments: &str) -> Called {
    Called {
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    }
}

//! What can be typed besides a question.

/// A line that was typed.
#[derive(Debug, PartialEq, Eq)]
pub enum Order<'a> {
    /// Nothing.
    Blank,
    /// A question.
    Question(&'a str),
    /// What can be typed.
    Help,
    /// The entries of the last answer.
    Sources,
    /// One of them, whole: by its place or its id.
    Open(&'a str),
    /// Another mode.
    Mode(&'a str),
    /// A conversation from the start.
    New,
    /// The end.
    Quit,
    /// A slash and what is no order.
    Unknown(&'a str),
}

/// The orders with what they do, for `/help`.
pub const ORDERS: [(&str, &str); 6] = [
    ("/sources", "list the entries of the last answer"),
    (
        "/open N",
        "show entry N of the list, or the entry with this id",
    ),
    ("/mode NAME", "use another pipeline, such as rag or agent"),
    ("/new", "start a new conversation"),
    ("/help", "show the commands"),
    ("/quit", "leave (or Ctrl-D)"),
];

impl<'a> Order<'a> {
    /// Reads a line.
    pub fn read(line: &'a str) -> Self {
        let line = line.trim();
        if line.is_empty() {
            return Self::Blank;
        }
        let Some(order) = line.strip_prefix('/') else {
            return match line {
                "quit" | "exit" => Self::Quit,
                question => Self::Question(question),
            };
        };
        let (name, rest) = order.split_once(char::is_whitespace).unwrap_or((order, ""));
        match (name, rest.trim()) {
            ("help" | "?", _) => Self::Help,
            ("sources", _) => Self::Sources,
            ("open", which) if !which.is_empty() => Self::Open(which),
            ("mode", mode) if !mode.is_empty() => Self::Mode(mode),
            ("new", _) => Self::New,
            ("quit" | "exit" | "q", _) => Self::Quit,
            // A pattern such as /BPM[0-9]+/ is a question.
            _ if order.ends_with('/') => Self::Question(line),
            _ => Self::Unknown(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_questions_unless_they_begin_with_a_slash() {
        assert_eq!(
            Order::read("  what tripped? "),
            Order::Question("what tripped?")
        );
        assert_eq!(Order::read("/open 3"), Order::Open("3"));
        assert_eq!(Order::read("/open"), Order::Unknown("/open"));
        assert_eq!(Order::read("/BPM[0-9]+/"), Order::Question("/BPM[0-9]+/"));
        assert_eq!(Order::read("/sauces"), Order::Unknown("/sauces"));
        assert_eq!(Order::read("quit"), Order::Quit);
        assert_eq!(Order::read(""), Order::Blank);
    }
}

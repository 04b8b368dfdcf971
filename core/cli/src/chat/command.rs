//! The commands of a chat.

/// An input line.
#[derive(Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// Nothing.
    Blank,
    /// A question.
    Question(&'a str),
    /// Lists the commands.
    Help,
    /// The entries of the last answer.
    Sources,
    /// Shows one of them, by its rank or id.
    Open(&'a str),
    /// Changes the mode.
    Mode(&'a str),
    /// Starts a new conversation.
    New,
    /// Leaves the chat.
    Quit,
    /// A slash and an unknown command.
    Unknown(&'a str),
}

/// The commands and their descriptions, for `/help`.
pub const COMMANDS: [(&str, &str); 6] = [
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

impl<'a> Command<'a> {
    /// Reads a line.
    pub fn read(line: &'a str) -> Self {
        let line = line.trim();
        if line.is_empty() {
            return Self::Blank;
        }
        let Some(command) = line.strip_prefix('/') else {
            return match line {
                "quit" | "exit" => Self::Quit,
                question => Self::Question(question),
            };
        };
        let (name, rest) = command
            .split_once(char::is_whitespace)
            .unwrap_or((command, ""));
        match (name, rest.trim()) {
            ("help" | "?", _) => Self::Help,
            ("sources", _) => Self::Sources,
            ("open", which) if !which.is_empty() => Self::Open(which),
            ("mode", mode) if !mode.is_empty() => Self::Mode(mode),
            ("new", _) => Self::New,
            ("quit" | "exit" | "q", _) => Self::Quit,
            // A pattern such as /BPM[0-9]+/ is a question.
            _ if command.ends_with('/') => Self::Question(line),
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
            Command::read("  what tripped? "),
            Command::Question("what tripped?")
        );
        assert_eq!(Command::read("/open 3"), Command::Open("3"));
        assert_eq!(Command::read("/open"), Command::Unknown("/open"));
        assert_eq!(
            Command::read("/BPM[0-9]+/"),
            Command::Question("/BPM[0-9]+/")
        );
        assert_eq!(Command::read("/sauces"), Command::Unknown("/sauces"));
        assert_eq!(Command::read("quit"), Command::Quit);
        assert_eq!(Command::read(""), Command::Blank);
    }
}

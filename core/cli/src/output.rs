//! The standard streams. Everything that the command line prints goes through
//! here.
//!
//! A stream that cannot be written to ends no work that is under way: what is
//! printed after the first error is dropped, and [`failure`] tells of it in
//! the end.

use std::fmt::Arguments;
use std::io::{Error, ErrorKind, Result, Write};
use std::sync::OnceLock;

use crate::failure::Failure;

/// Why the standard output takes nothing more.
static LOST: OnceLock<Error> = OnceLock::new();

/// Prints a line on the standard output.
macro_rules! outln {
    () => { crate::output::print(format_args!("\n")) };
    ($($text:tt)*) => {
        crate::output::print(format_args!("{}\n", format_args!($($text)*)))
    };
}

/// Prints on the standard output, without a line end.
macro_rules! out {
    ($($text:tt)*) => { crate::output::print(format_args!($($text)*)) };
}

/// Prints a line on the standard error stream.
macro_rules! errln {
    ($($text:tt)*) => {
        crate::output::print_error(format_args!("{}\n", format_args!($($text)*)))
    };
}

/// Prints on the standard output; use `outln!` and `out!`.
pub fn print(text: Arguments<'_>) {
    note(anstream::stdout().lock().write_fmt(text));
}

/// Writes bytes to the standard output as they are.
pub fn write_all(bytes: &[u8]) {
    note(std::io::stdout().lock().write_all(bytes));
}

/// Shows what was printed without a line end.
pub fn flush() {
    note(std::io::stdout().lock().flush());
}

/// Prints on the standard error stream; use `errln!`. There is nobody left to
/// tell when that fails.
pub fn print_error(text: Arguments<'_>) {
    let _ = anstream::stderr().lock().write_fmt(text);
}

/// Whether the standard output takes nothing more.
pub fn is_lost() -> bool {
    LOST.get().is_some()
}

/// Why the output is incomplete, if it is. A reader that closed its end of a
/// pipe has read what it needed.
pub fn failure() -> Option<Failure> {
    flush();
    let error = LOST.get()?;
    match error.kind() {
        ErrorKind::BrokenPipe => None,
        _ => Some(Failure::output(error)),
    }
}

fn note(written: Result<()>) {
    if let Err(error) = written {
        // The first error is the one that is reported.
        let _ = LOST.set(error);
    }
}

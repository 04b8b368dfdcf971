//! Ctrl-C and SIGTERM end the process, whatever hangs in it.
#![cfg(unix)]
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use crate::facility::{Facility, code, stderr};
use gannet_tests::dylibs::file_name;

const RECORD: &str = r#"{"id":"S-1","title":"Pump","text":"Pump TP-3 was exchanged.","timestamp":"2025-03-01T08:00:00Z","author":"Lee"}"#;

/// What a child prints on its standard error stream, line by line.
struct Running {
    child: Child,
    said: BufReader<ChildStderr>,
}

impl Running {
    fn start(facility: &Facility, arguments: &[&str]) -> Self {
        let mut child = facility
            .command(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stderr.take().unwrap());
        Self { child, said }
    }

    /// Reads until a line has these words.
    fn wait_for(&mut self, words: &str) -> String {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            let read = self.said.read_line(&mut line).unwrap();
            assert_ne!(read, 0, "it ended before it said `{words}`");
        }
        line
    }

    fn signal(&self, name: &str) {
        let number = self.child.id().to_string();
        let sent = Command::new("kill").args([name, &number]).status().unwrap();
        assert!(sent.success());
    }

    /// The exit code, and what was said since the last line that was read.
    fn end(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

/// A facility with an entry, and so many modules that fail in one way.
fn failing(way: &str, modules: usize) -> Facility {
    let facility = configured(way, modules);
    facility.write("log.jsonl", RECORD);
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    facility
}

/// A facility without a store.
fn configured(way: &str, modules: usize) -> Facility {
    let facility = Facility::new();
    facility.plugins.put("gannet_test_inline");
    let load = format!("    - file: {}\n", file_name("gannet_test_inline"));
    let module = |number| {
        format!(
            "  failing{number}:\n    enabled: true\n    plugin: failing\n    \
             settings: {{ way: {way} }}\n"
        )
    };
    let names: Vec<String> = (0..modules)
        .map(|number| format!("failing{number}"))
        .collect();
    let more = format!(
        "search_modules:\n{}pipelines:\n  rag: {{ retrieval_modules: [{}] }}\n\
         ingestion:\n  adapters:\n    reading: {{ enabled: true }}\n",
        (0..modules).map(module).collect::<String>(),
        names.join(", "),
    );
    facility.configure(&load, &more);
    facility
}

#[test]
fn a_signal_ends_a_search_while_plugins_block_every_thread() {
    // The command line runs eight threads more than there are processors.
    let threads = available_parallelism().unwrap().get() + 8;
    let facility = failing("block", threads + 4);
    let question = ["search", "--mode", "rag", "pump"];
    let mut search = Running::start(&facility, &question);
    (0..threads).for_each(|_| drop(search.wait_for("about to fail")));

    search.signal("-TERM");

    assert_eq!(search.end().0, Some(143));
}

#[test]
fn a_destructor_that_never_ends_is_not_waited_for() {
    let facility = failing("block_drop", 1);

    for command in [
        &["search", "--mode", "failing0", "pump"][..],
        &["plugins", "list"],
    ] {
        let done = facility.gannet(command);

        assert_eq!(code(&done), 0, "{}", stderr(&done));
        let said = stderr(&done);
        assert!(
            said.contains("destructors did not end within 8 seconds"),
            "{said}"
        );
    }
}

#[test]
fn a_plugin_that_ends_the_process_is_named_and_the_exit_code_is_that_of_a_failure() {
    let facility = failing("exit", 1);

    let searched = facility.gannet(&["search", "--mode", "failing0", "pump"]);

    let said = stderr(&searched);
    assert_eq!(code(&searched), 3, "{said}");
    let named = "error: search module `failing0` ended the process";
    assert!(said.contains(named), "{said}");
}

#[test]
fn a_signal_ends_a_command_while_a_constructor_never_ends() {
    let facility = configured("construct", 1);
    let mut list = Running::start(&facility, &["plugins", "list"]);
    list.wait_for("constructing");

    list.signal("-TERM");

    assert_eq!(list.end().0, Some(143));
}

#[test]
fn a_plugin_that_changes_the_folder_does_not_change_where_the_store_is() {
    let facility = failing("change_folder", 1);

    let found = facility.done(&["search", "--mode", "failing0", "pump"]);

    assert!(found.contains("S-1"), "{found}");
}

#[test]
fn one_signal_stops_an_ingestion_whose_source_hangs() {
    let facility = Facility::new();
    let source = facility.folder.path().join("source.jsonl");
    let made = Command::new("mkfifo").arg(&source).status().unwrap();
    assert!(made.success());
    let arguments = ["ingest", "source.jsonl", "--no-enhance"];
    let ingestion = Running::start(&facility, &arguments);
    // Waits until the adapter reads, and writes nothing.
    let writer = std::fs::File::options().write(true).open(&source).unwrap();

    ingestion.signal("-INT");

    let (code, said) = ingestion.end();
    assert_eq!(code, Some(130), "{said}");
    drop(writer);
}

#[test]
fn one_signal_stops_an_ingestion_whose_adapter_blocks_its_thread() {
    let facility = failing("not", 1);
    let arguments = ["ingest", "one block", "--adapter", "reading"];
    let mut ingestion = Running::start(&facility, &arguments);
    ingestion.wait_for("blocking");

    ingestion.signal("-INT");

    let (code, said) = ingestion.end();
    assert_eq!(code, Some(130), "{said}");
}

/// An enhancement in a batch that never ends, and its facility.
fn blocked_enhancement() -> (Facility, Running) {
    let facility = Facility::new();
    facility.plugins.put("gannet_test_inline");
    let load = format!("    - file: {}\n", file_name("gannet_test_inline"));
    let more = "enhancement_modules:\n  counting: { enabled: true }\n";
    facility.configure(&load, more);
    facility.write(
        "log.jsonl",
        r#"{"id":"S-1","text":"block","timestamp":"2025-03-01T08:00:00Z"}"#,
    );
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    let arguments = ["enhance", "--module", "counting"];
    let mut enhancement = Running::start(&facility, &arguments);
    enhancement.wait_for("blocking");
    (facility, enhancement)
}

#[test]
fn the_second_signal_ends_work_that_does_not_stop() {
    let (_facility, mut enhancement) = blocked_enhancement();

    enhancement.signal("-INT");
    let message = enhancement.wait_for("stopping");
    assert!(message.contains("within 30 seconds"), "{message}");
    enhancement.signal("-TERM");

    assert_eq!(enhancement.end().0, Some(143));
}

/// In the full form of the fault suite only, since it takes as long as the
/// grace.
#[test]
fn work_that_does_not_stop_is_ended_within_thirty_seconds() {
    if std::env::var_os("GANNET_FAULT_POINTS").is_none() {
        eprintln!("skipped: GANNET_FAULT_POINTS is not set");
        return;
    }
    let (_facility, enhancement) = blocked_enhancement();
    let started = Instant::now();

    enhancement.signal("-TERM");
    let (code, said) = enhancement.end();

    assert_eq!(code, Some(143), "{said}");
    assert!(said.contains("did not end within 30 seconds"), "{said}");
    assert!(started.elapsed() < Duration::from_secs(35));
}

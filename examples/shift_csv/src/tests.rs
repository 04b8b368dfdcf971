#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::host::{Call, Deadline};
use gannet_plugin::prelude::{Adapter, Error, FetchRequest, Result, Setup};
use gannet_plugin::setup::Registration;
use gannet_plugin::testing::{self, Fetched};
use pollster::block_on;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::ShiftCsv;

fn adapter(settings: Value) -> Result<ShiftCsv> {
    let setup = Setup::default()
        .with_instance("shift_csv")
        .with_timezone("Europe/Berlin");
    ShiftCsv::new(testing::settings(settings)?, &setup)
}

fn fetch_with(file: &[u8], settings: Value, mut request: FetchRequest) -> Result<Fetched> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shift.csv");
    std::fs::write(&path, file).unwrap();
    request.source = Some(path.display().to_string());
    let adapter = adapter(settings)?;
    let mut context = testing::context();
    context.call = Call::new("test", "ring-2", Deadline::NEVER);
    block_on(async { Fetched::collect(adapter.fetch(request, &context).await?).await })
}

fn fetch(file: &str) -> Fetched {
    fetch_with(file.as_bytes(), json!({}), FetchRequest::default()).unwrap()
}

fn refused(file: &[u8], settings: Value) -> String {
    match fetch_with(file, settings, FetchRequest::default()) {
        Err(Error::InvalidInput { message }) => message,
        other => panic!("expected invalid input, got {other:?}"),
    }
}

#[test]
fn a_record_becomes_an_entry_with_the_rest_as_metadata() {
    let file = "id,time,author,title,text,shift,,beam current\n\
                A 7,2024-07-05 08:30, Lee ,RF trip,\"Said \"\"off\"\", then\nreset.\",Day,x,\n";

    let entry = fetch(file).entries.remove(0);

    assert_eq!(entry.entry_id, "A 7");
    assert_eq!(entry.tenant, "ring-2");
    assert_eq!(entry.source_system, "shift_csv");
    assert_eq!(entry.timestamp.to_string(), "2024-07-05T06:30:00Z");
    assert_eq!(entry.author, "Lee");
    assert_eq!(entry.raw_text, "RF trip\n\nSaid \"off\", then\nreset.");
    let metadata = json!({"title": "RF trip", "shift": "Day", "column_7": "x"});
    assert_eq!(Value::Object(entry.metadata), metadata);
}

#[test]
fn bad_records_are_kept_as_they_came_and_the_rest_is_read() {
    let file = "id,time,text\n\
                1,2024-01-05,good\n\
                2,soon,\"over\ntwo lines\"\n\
                ,2024-01-05,no id\n\
                \n\
                4,2024-01-05\n\
                5,2024-01-05,a,b\n\
                6,2024-01-05,\n\
                7,2024-01-06,good";

    let fetched = fetch(file);

    assert_eq!(fetched.ids(), ["1", "7"]);
    let rejected: Vec<(&str, &str)> = fetched
        .rejected
        .iter()
        .map(|one| (one.position.as_str(), one.raw.as_str()))
        .collect();
    let expected = [
        ("line 3", "2,soon,\"over\ntwo lines\""),
        ("line 5", ",2024-01-05,no id"),
        ("line 7", "4,2024-01-05"),
        ("line 8", "5,2024-01-05,a,b"),
        ("line 9", "6,2024-01-05,"),
    ];
    assert_eq!(rejected, expected);
    let reasons: Vec<&str> = fetched
        .rejected
        .iter()
        .map(|one| one.reason.as_str())
        .collect();
    assert!(reasons[0].starts_with("`time` \"soon\" is not a valid time"));
    assert_eq!(reasons[1], "no `id`");
    assert!(reasons[2].starts_with("2 fields where the header has 3"));
    assert!(reasons[3].starts_with("4 fields"));
    assert_eq!(reasons[4], "no text and no title");
    assert_eq!(fetched.rejected[0].entry_id.as_deref(), Some("2"));
}

#[test]
fn columns_delimiter_and_times_are_those_of_the_settings() {
    let settings = json!({
        "delimiter": "\t",
        "time_format": "%d.%m.%Y %H:%M",
        "source_system": "Schichtbuch",
        "columns": {"id": "Nr", "time": "Zeit", "text": "Text"},
    });
    let file = "Nr\tZeit\tText\n1\t05.07.2024 08:30\tÖl\n2\t2024-07-05\tÖl\n";

    let fetched = fetch_with(file.as_bytes(), settings, FetchRequest::default()).unwrap();

    let entry = &fetched.entries[0];
    assert_eq!(entry.timestamp.to_string(), "2024-07-05T06:30:00Z");
    assert_eq!(entry.source_system, "Schichtbuch");
    assert!(
        fetched.rejected[0]
            .reason
            .contains("is not a valid time of the format `%d.%m.%Y %H:%M`")
    );
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_no_part_of_the_text() {
    let fetched = fetch("\u{feff}id,time,text\r\n1,2024-01-05,good\r\n2,x,bad\r\n");

    assert_eq!(fetched.ids(), ["1"]);
    assert_eq!(fetched.entries[0].raw_text, "good");
    assert_eq!(fetched.rejected[0].raw, "2,x,bad");
    assert_eq!(fetched.rejected[0].position, "line 3");
}

#[test]
fn bytes_that_are_no_utf_8_are_rejected_with_their_column() {
    let file = b"id,time,text\n1,2024-01-05,\xd6l\n2,2024-01-05,fine\n";

    let fetched = fetch_with(file, json!({}), FetchRequest::default()).unwrap();

    assert_eq!(fetched.ids(), ["2"]);
    assert_eq!(
        fetched.rejected[0].reason,
        "`text` is not UTF-8; save the file as UTF-8"
    );
    assert_eq!(fetched.rejected[0].raw, "1,2024-01-05,\u{fffd}l");
}

#[test]
fn the_request_chooses_by_time_and_number() {
    let file = "id,time,text\n1,2024-01-01,a\n2,2024-01-02,b\n3,2024-01-03,c\n4,2024-01-04,d\n";
    let request = FetchRequest::default()
        .with_since("2024-01-01T12:00:00Z".parse::<jiff::Timestamp>().unwrap())
        .with_limit(2);

    let fetched = fetch_with(file.as_bytes(), json!({}), request).unwrap();

    assert_eq!(fetched.ids(), ["2", "3"]);
}

#[test]
fn a_header_that_does_not_fit_says_what_to_set() {
    let wrong = refused(b"Nr;time;text\n1;2024-01-05;x\n", json!({}));
    assert!(
        wrong.contains("no column `id`; it has Nr;time;text"),
        "{wrong}"
    );
    assert!(wrong.contains("`delimiter`"), "{wrong}");
    let twice = refused(b"id,time,text,text\n", json!({}));
    assert!(twice.contains("two columns `text`"), "{twice}");
    assert!(refused(b"", json!({})).contains("no column `id`"));
}

#[test]
fn a_quotation_mark_without_a_partner_cannot_fill_the_memory() {
    let mut file = "id,time,text\n1,2024-01-05,good\n2,2024-01-05,\"open\n".to_owned();
    file.push_str(&"x".repeat(100_000));

    let message = refused(file.as_bytes(), json!({"max_record_bytes": 20_000}));

    assert!(
        message.contains("quotation mark without a partner"),
        "{message}"
    );
    assert!(message.contains("after line 3"), "{message}");
}

#[test]
fn settings_that_cannot_be_used_are_refused() {
    for settings in [
        json!({"delimiter": "\""}),
        json!({"delimiter": "é"}),
        json!({"delimiter": "\n"}),
        json!({"max_record_bytes": 0}),
    ] {
        assert!(matches!(adapter(settings), Err(Error::Setting { .. })));
    }
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}

#[test]
fn the_adapter_is_registered_under_its_name() {
    let names: Vec<String> = Registration::linked()
        .map(|registration| (registration.describe)().name)
        .collect();

    assert_eq!(names, ["shift_csv"]);
}

proptest! {
    #[test]
    fn written_records_are_read_again(
        texts in proptest::collection::vec("[a-z\", \n;é]{0,20}x", 1..20),
    ) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["id", "time", "text"]).unwrap();
        for (id, text) in texts.iter().enumerate() {
            let id = id.to_string();
            writer.write_record([id.as_str(), "2024-01-05", text.as_str()]).unwrap();
        }
        let file = writer.into_inner().unwrap();

        let fetched = fetch_with(&file, json!({}), FetchRequest::default()).unwrap();

        prop_assert!(fetched.rejected.is_empty());
        let read: Vec<&str> = fetched.entries.iter().map(|e| e.raw_text.as_str()).collect();
        let expected: Vec<&str> = texts.iter().map(|text| text.trim()).collect();
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn of_any_file_every_line_is_in_an_entry_or_kept(rest in "[a-z0-9,\"\n -]{0,80}") {
        let file = format!("id,time,text\n{rest}");
        let fetched = fetch_with(file.as_bytes(), json!({}), FetchRequest::default()).unwrap();

        let mut left: String = rest.chars().filter(char::is_ascii_alphanumeric).collect();
        for rejected in &fetched.rejected {
            let kept: String =
                rejected.raw.chars().filter(char::is_ascii_alphanumeric).collect();
            let at = left.find(&kept);
            prop_assert!(at.is_some());
            left.replace_range(at.unwrap()..at.unwrap() + kept.len(), "");
        }
        prop_assert_eq!(left.is_empty(), fetched.entries.is_empty());
    }
}

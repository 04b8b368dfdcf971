//! What the adapter makes of tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use gannet_plugin::prelude::{Error, Result};
use gannet_plugin::testing::Fetched;
use proptest::prelude::*;
use serde_json::json;
use support::{fetch, fetch_source};

fn message_of(result: Result<Fetched>) -> String {
    match result {
        Err(Error::InvalidInput { message } | Error::Setting { message, .. }) => message,
        Err(other) => panic!("expected invalid input, got {other:?}"),
        Ok(fetched) => panic!("expected invalid input, got {:?}", fetched.ids()),
    }
}

#[test]
fn a_table_with_the_usual_names_needs_no_map() {
    let fetched = fetch(
        "id,timestamp,author,title,text,attachments,shift,note\n\
         7,2024-01-05 08:30,Lee,RF trip,\"Reset,\nbeam back\",https://log.lab.example/a/p.png; scope.csv,Day,\n",
        json!({}),
    )
    .unwrap();

    let entry = &fetched.entries[0];
    assert_eq!(entry.entry_id, "7");
    assert_eq!(entry.timestamp.to_string(), "2024-01-05T13:30:00Z");
    assert_eq!(entry.raw_text, "RF trip\n\nReset,\nbeam back");
    assert_eq!(entry.title(), Some("RF trip"));
    assert_eq!(
        (entry.author.as_str(), entry.tenant.as_str()),
        ("Lee", "ring-1")
    );
    assert_eq!(
        json!(entry.metadata),
        json!({"shift": "Day", "title": "RF trip"})
    );
    assert_eq!(
        entry.attachments[0].url.as_deref(),
        Some("https://log.lab.example/a/p.png")
    );
    assert_eq!(entry.attachments[0].filename.as_deref(), Some("p.png"));
    assert_eq!(entry.attachments[1].url, None);
    assert_eq!(entry.attachments[1].filename.as_deref(), Some("scope.csv"));
}

#[test]
fn a_map_names_the_columns_and_joins_several() {
    let settings = json!({
        "time_format": "%d.%m.%Y %H:%M",
        "kind": "shift",
        "columns": {
            "id": "Nr", "timestamp": ["Tag", "Zeit"], "text": ["Was", "Lösung"], "metadata": ["Ort"]
        }
    });
    let fetched = fetch(
        "Nr;Tag;Zeit;Was;Lösung;Ort;intern\n1;13.07.1999;17:17;Pumpe aus;Neustart;Halle 3;x\n",
        settings,
    )
    .unwrap();

    let entry = &fetched.entries[0];
    assert_eq!(entry.timestamp.to_string(), "1999-07-13T21:17:00Z");
    assert_eq!(entry.raw_text, "Pumpe aus\n\nNeustart");
    assert_eq!(entry.kind, "shift");
    assert_eq!(json!(entry.metadata), json!({"Ort": "Halle 3"}));
}

#[test]
fn a_table_of_any_encoding_gives_the_same_entries() {
    let text = "id;timestamp;text\r\n1;0;Öl nachgefüllt – 5 µm\r\n";
    let utf_16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let windows = text.replace('–', "\u{96}");
    let windows: Vec<u8> = windows
        .chars()
        .map(|one| u8::try_from(one).unwrap())
        .collect();
    let expected = fetch(text, json!({})).unwrap();

    assert_eq!(expected.entries[0].raw_text, "Öl nachgefüllt – 5 µm");
    for bytes in [
        [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        [b"\xff\xfe", &utf_16[..]].concat(),
        utf_16,
        windows,
    ] {
        assert_eq!(fetch(bytes, json!({})).unwrap(), expected);
    }
}

#[test]
fn an_encoding_that_is_named_counts_and_a_byte_outside_of_it_is_rejected() {
    let either = "id,timestamp,text\n1,0,Ã¶\n"
        .chars()
        .map(|one| u8::try_from(one).unwrap());
    let fetched = fetch(either.collect::<Vec<_>>(), json!({"encoding": "latin-1"})).unwrap();
    assert_eq!(fetched.entries[0].raw_text, "Ã¶");

    let bad = b"id,timestamp,text\n1,0,\xff\n2,0,good\n";
    let fetched = fetch(bad, json!({"encoding": "utf-8"})).unwrap();
    assert_eq!(fetched.ids(), ["2"]);
    assert!(fetched.rejected[0].reason.contains("set `encoding`"));

    assert!(message_of(fetch(bad, json!({"encoding": "klingon"}))).contains("`klingon`"));
    assert!(message_of(fetch(bad, json!({"delimiter": "\n"}))).contains("line end"));
}

#[test]
fn without_a_map_the_error_proposes_one_that_works() {
    let table =
        "Nr;Datum;Zeit;Name;Text\n17;05.01.2024;08:30;Lee;Reset\n18;06.01.2024;09:00;Ito;Ruhig\n";
    let message = message_of(fetch(table, json!({})));

    assert!(
        message.contains("no columns are configured for"),
        "{message}"
    );
    let (_, yaml) = message.split_once("\n\n").unwrap();
    assert!(yaml.starts_with("ingestion:\n  adapters:\n    shift_book:\n      settings:\n"));
    // What it proposes, as the settings that a host reads from the YAML.
    let settings = json!({
        "time_format": "%d.%m.%Y %H:%M",
        "columns": {
            "id": "Nr", "timestamp": ["Datum", "Zeit"], "author": "Name", "text": ["Text"], "metadata": []
        }
    });
    for line in [
        "time_format: \"%d.%m.%Y %H:%M\"",
        "timestamp: [\"Datum\", \"Zeit\"]",
    ] {
        assert!(yaml.contains(line), "{yaml}");
    }
    assert_eq!(fetch(table, settings).unwrap().ids(), ["17", "18"]);
}

#[test]
fn a_missing_id_is_rejected_or_made_from_the_content() {
    let table = "id,timestamp,text\n,0,Reset\nA,0,Quiet\n";
    let strict = fetch(table, json!({})).unwrap();
    assert_eq!(strict.ids(), ["A"]);
    assert_eq!(strict.rejected[0].reason, "no `id`");
    assert_eq!(strict.rejected[0].position, "line 2");

    let with_ids = fetch(table, json!({"id_from_content": true})).unwrap();
    let again = fetch(
        "text,id,timestamp,new\nReset,,0,\n",
        json!({"id_from_content": true}),
    );
    assert!(with_ids.ids()[0].starts_with("sha256-"));
    assert_eq!(with_ids.ids()[1], "A");
    assert_ne!(
        with_ids.ids()[0],
        again.unwrap().ids()[0],
        "the columns stand in another order"
    );
    let added = fetch(
        "id,timestamp,text,new\n,0,Reset,\n",
        json!({"id_from_content": true}),
    );
    assert_eq!(with_ids.ids()[0], added.unwrap().ids()[0]);
}

#[test]
fn bad_records_are_rejected_with_line_reason_and_text_and_the_rest_goes_on() {
    let fetched = fetch(
        "id,timestamp,text\n1,soon,x\n\n2,0\n3,0,\n\"4\",0,\"two\nlines\"\n5,never,\"a\nb\"\n,,\n",
        json!({}),
    )
    .unwrap();

    assert_eq!(fetched.ids(), ["4"]);
    let rejected: Vec<(&str, &str)> = fetched
        .rejected
        .iter()
        .map(|rejected| (rejected.position.as_str(), rejected.raw.as_str()))
        .collect();
    assert_eq!(
        rejected,
        [
            ("line 2", "1,soon,x"),
            ("line 4", "2,0"),
            ("line 5", "3,0,"),
            ("line 8", "5,never,\"a\nb\"")
        ]
    );
    assert!(
        fetched.rejected[0]
            .reason
            .starts_with("`timestamp` \"soon\"")
    );
    assert!(
        fetched.rejected[1]
            .reason
            .starts_with("2 fields where the header has 3")
    );
    assert!(fetched.rejected[2].reason.starts_with("no text"));
}

#[test]
fn a_stray_quotation_mark_is_rejected_and_not_made_a_text_of() {
    let open = fetch(
        "id,timestamp,text\n1,0,one\n2,0,\"two is 3\n3,0,three\n4,0,four\n",
        json!({}),
    )
    .unwrap();
    assert_eq!(open.ids(), ["1"]);
    let rejected = &open.rejected[0];
    assert_eq!(rejected.position, "line 3");
    assert!(rejected.raw.ends_with("4,0,four"), "{}", rejected.raw);
    // With an id, the entries of the records in it would count as missing.
    assert_eq!(rejected.entry_id, None);
    let reason = &rejected.reason;
    assert!(reason.contains("to the end of the file"), "{reason}");

    let within = fetch(
        "id;timestamp;text\n1;0;\"he said \"hi\" to me\n2;0;\"he said \"\"hi\"\"\"\n",
        json!({}),
    )
    .unwrap();
    assert_eq!(within.ids(), ["2"]);
    assert_eq!(within.entries[0].raw_text, "he said \"hi\"");
    let reason = &within.rejected[0].reason;
    assert!(reason.contains("within a field twice"), "{reason}");
}

#[test]
fn wrong_columns_are_errors_that_say_what_the_file_has() {
    let table = "id,timestamp,text\n1,0,x\n";
    let unknown = message_of(fetch(table, json!({"columns": {"author": "Who"}})));
    assert!(
        unknown.contains("no column `Who`; it has id, timestamp, text"),
        "{unknown}"
    );
    let twice = message_of(fetch("id,timestamp,text,text\n", json!({})));
    assert!(twice.contains("two columns `text`"), "{twice}");
    for (text, why) in [
        ("", "is empty"),
        ("\u{feff} \n\n", "is empty"),
        ("one line of words\n", "is not a table"),
    ] {
        let message = message_of(fetch(text, json!({})));
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn a_record_that_is_too_large_is_the_last_one_and_rejected() {
    let open = format!("id,timestamp,text\n1,0,x\n2,0,\"{}", "x\n".repeat(20_000));
    let fetched = fetch(open, json!({"max_record_bytes": 20_000})).unwrap();
    assert_eq!(fetched.ids(), ["1"]);
    assert_eq!(fetched.rejected.len(), 1);
    let rejected = &fetched.rejected[0];
    assert_eq!(rejected.position, "line 3");
    let reason = &rejected.reason;
    assert!(
        reason.contains("quotation mark without a partner"),
        "{reason}"
    );
    assert!(
        reason.ends_with("what follows it in the file is not read"),
        "{reason}"
    );
    assert!(rejected.raw.starts_with("2,0,\"x\nx\n"), "{}", rejected.raw);
}

#[test]
fn a_table_without_a_header_line_has_columns_named_by_their_numbers() {
    let table = "2024-01-05 08:30;Lee;RF trip\n2024-01-06 09:00;Kim;Reset of the klystron\n";
    let refused = message_of(fetch(table, json!({})));
    assert!(refused.contains("timestamp: [\"column_1\"]"), "{refused}");
    assert!(refused.contains("text: [\"column_3\"]"), "{refused}");
    assert!(refused.contains("its first line is a record"), "{refused}");
    let columns = json!({"timestamp": ["column_1"], "text": ["column_3"]});
    let settings = json!({"id_from_content": true, "columns": columns});
    let fetched = fetch(table, settings).unwrap();
    let texts = fetched.entries.iter().map(|entry| entry.raw_text.as_str());
    assert_eq!(
        texts.collect::<Vec<_>>(),
        ["RF trip", "Reset of the klystron"]
    );
    assert_eq!(fetched.entries[0].metadata["column_2"], "Lee");
    assert!(fetched.rejected.is_empty());
}

#[test]
fn a_folder_of_tables_is_read_in_the_order_of_names() {
    let folder = tempfile::tempdir().unwrap();
    for (name, id) in [("2024.csv", "B"), ("2023.csv", "A"), ("notes.txt", "N")] {
        let text = format!("id,timestamp,text\n{id},0,x\n{id},soon,x\n");
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let fetched = fetch_source(&folder.path().display().to_string(), json!({})).unwrap();
    assert_eq!(fetched.ids(), ["A", "B"]);
    assert_eq!(fetched.rejected[1].position, "2024.csv, line 3");
}

proptest! {
    #[test]
    fn what_is_written_as_a_table_is_read_back(
        texts in prop::collection::vec("[ -~\n\"äöü,;\t]{1,40}", 1..20),
    ) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["id", "timestamp", "text"]).unwrap();
        let mut expected = Vec::new();
        for (number, text) in texts.iter().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            writer.write_record([&number.to_string(), "0", text]).unwrap();
            expected.push(text.trim().to_owned());
        }
        let table = writer.into_inner().unwrap();
        let settings = json!({"delimiter": ",", "encoding": "utf-8"});
        let fetched = fetch(table, settings).unwrap();
        let read: Vec<String> = fetched.entries.into_iter().map(|entry| entry.raw_text).collect();
        prop_assert_eq!(read, expected);
    }
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}

//! `gannet quickstart` on somebody's own files.

use std::fs;

use crate::facility::{Facility, code, stderr};

#[test]
fn own_files_are_ingested_searched_and_the_next_commands_printed() {
    let facility = Facility::new();
    let folder = facility.folder.path().join("our logs");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("minutes.txt"), "The vacuum pump was exchanged.").unwrap();
    fs::write(
        folder.join("plan.md"),
        "# Vacuum pump\n\nExchange the bearing.\n",
    )
    .unwrap();
    let shifts = "Nr;Datum;Uhrzeit;Text\n17;05.01.2024;6:15;Klystron filament replaced\n\
                  18;06.01.2024;22:10;Klystron filament burnt\n";
    fs::write(folder.join("shifts.csv"), shifts).unwrap();

    let told = facility.done(&["quickstart", "our logs"]);
    assert!(told.contains("ingested 4 new"), "{told}");
    assert!(told.contains("csv reads 1 file: shifts.csv"), "{told}");
    let searches: Vec<&str> = told.lines().filter(|line| line.starts_with("? ")).collect();
    assert_eq!(searches.len(), 3, "{told}");
    assert!(searches.contains(&"? filament klystron"), "{told}");
    assert!(told.contains("Klystron filament burnt"), "{told}");
    assert!(told.contains("gannet ask 'what is known about "), "{told}");
    assert!(told.contains("gannet ingest 'our logs'"), "{told}");
    let config = fs::read_to_string(facility.folder.path().join("config.yml")).unwrap();
    assert!(
        config.contains("time_format: \"%d.%m.%Y %H:%M\""),
        "{config}"
    );

    let again = facility.done(&["quickstart", "our logs"]);
    assert!(
        again.contains("ingested 0 new, 0 changed, 4 unchanged"),
        "{again}"
    );
}

#[test]
fn a_configuration_is_written_where_there_is_none_and_a_wrong_path_is_named() {
    let facility = Facility::new();
    facility.write("notes.txt", "The circulator flow switch is worn.");
    let told = facility.done(&["quickstart", "notes.txt", "--data", "store"]);
    assert!(told.contains("wrote config.yml"), "{told}");
    assert!(told.contains("? circulator switch"), "{told}");
    assert!(told.contains("gannet --data store ask "), "{told}");
    let found = facility.done(&["search", "circulator", "--mode", "keyword"]);
    assert!(found.contains("notes.txt"), "{found}");

    let refused = facility.gannet(&["quickstart", "nowhere"]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("there is no file or folder `nowhere`"));
}

//! What sources call the time of a record.

/// Names of keys and columns in which the time of a record stands, the
/// likeliest first: in lower case, without anything but letters.
const TIME_NAMES: [&str; 34] = [
    "timestamp",
    "datetime",
    "dateandtime",
    "loggedat",
    "logtime",
    "logdate",
    "entrytime",
    "entrydate",
    "eventtime",
    "eventdate",
    "occurredat",
    "reportedat",
    "recordedat",
    "recordtime",
    "when",
    "created",
    "createdat",
    "createdon",
    "createddate",
    "createdtime",
    "creationdate",
    "creationtime",
    "datecreated",
    "timecreated",
    "postedat",
    "publishedat",
    "published",
    "date",
    "time",
    "ts",
    "datum",
    "zeitpunkt",
    "zeitstempel",
    "fecha",
];

/// How likely it is that a key or a column of this name has the time of a
/// record, 0 as the likeliest; `None` where the name does not say it. Case,
/// blanks and marks between words do not count.
///
/// ```
/// use gannet_api::time_name_rank;
///
/// assert_eq!(time_name_rank("Timestamp"), Some(0));
/// assert!(time_name_rank("logged_at") < time_name_rank("ts"));
/// assert_eq!(time_name_rank("createdAt"), time_name_rank("Created at"));
/// assert_eq!(time_name_rank("last update"), None);
/// ```
pub fn time_name_rank(name: &str) -> Option<usize> {
    let letters = name.chars().filter(|letter| letter.is_alphabetic());
    let name: String = letters.flat_map(char::to_lowercase).collect();
    TIME_NAMES.iter().position(|known| *known == name)
}

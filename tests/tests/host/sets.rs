//! Questions about a set of entries: what the store counts, with the values
//! and times that a question names.

use gannet_core::api::{AnswerStatus, SetOperation};
use gannet_core::{SearchInput, SearchResult};
use gannet_tests::{Host, StoreKind, over_both_stores};
use serde_json::{Value, json};

/// Alerts and leaks of two plants: three a year in `Alder` of the state OH, one
/// a year in `Birch` of VA, from 2003 to 2012. The alerts in `Alder` have a crew
/// and two tags.
pub fn records() -> Vec<Value> {
    let plants = [("Alder", "OH", 3), ("Birch", "VA", 1)];
    let years = 2003..2013;
    let of_year = |year: i32| {
        plants.into_iter().flat_map(move |(plant, state, number)| {
            (0..number).map(move |at| {
                let mut record = json!({
                    "id": format!("{plant}-{year}-{at}"),
                    "timestamp": format!("{year}-{:02}-05T08:00:00Z", 1 + 4 * at),
                    "author": plant,
                    "text": if at == 1 { "A valve was leaking." } else { "The unit was quiet." },
                    "metadata": {
                        "state": state,
                        "class": if at == 0 { "alert" } else { "routine" },
                    },
                });
                if plant == "Alder" && at == 0 {
                    record["metadata"]["crew"] = json!("red");
                    record["metadata"]["tags"] = json!(["one", "two"]);
                }
                record
            })
        })
    };
    years.flat_map(of_year).collect()
}

/// States of which there are codes enough to be known as such.
pub fn others() -> Vec<Value> {
    let states = ["PA", "NY", "FL", "NC"];
    let record = |(at, state): (usize, &&str)| {
        json!({
            "id": format!("other-{at}"),
            "timestamp": "2001-03-01T08:00:00Z",
            "author": "Cedar",
            "text": "The unit was quiet.",
            "metadata": { "state": state, "class": "routine" },
        })
    };
    states.iter().enumerate().map(record).collect()
}

async fn host(kind: StoreKind) -> Option<Host> {
    let host = Host::on(kind).await?;
    let mut all = records();
    all.extend(others());
    host.ingest_lines(&all).await;
    host.gannet.store().flush().await.unwrap();
    Some(host)
}

async fn asked(host: &Host, question: &str) -> SearchResult {
    let mut input = SearchInput::new(question);
    input.mode = Some("rag".to_owned());
    host.gannet.search(input).await.unwrap()
}

fn answer(result: &SearchResult) -> &str {
    result.answer.as_deref().unwrap_or_default()
}

async fn a_number_of_entries_is_counted_by_the_store(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    for (question, opening) in [
        ("how many alerts at Alder since 2005?", "8 entries:"),
        ("how many reports in Ohio", "30 entries; the newest 10:"),
        ("count of alerts between 2003 and 2005", "6 entries:"),
        ("alerts at Birch in 2006 and 2009", "2 entries:"),
        ("what did Birch report in 2009", "1 entry:"),
        ("how many alerts not at Birch", "10 entries:"),
        ("how many alerts not in 2005", "18 entries; the newest 10:"),
    ] {
        let result = asked(&host, question).await;
        assert!(
            answer(&result).starts_with(opening),
            "{question}: {}",
            answer(&result)
        );
        assert_eq!(
            result.answer_status,
            Some(AnswerStatus::Grounded),
            "{question}"
        );
        assert_eq!(result.answer_confidence, Some(1.0), "{question}");
    }
}

async fn the_last_ones_are_chosen_by_time(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = asked(&host, "the last three alerts at Alder").await;
    assert_eq!(
        result.citations,
        ["Alder-2012-0", "Alder-2011-0", "Alder-2010-0"]
    );
    let result = asked(&host, "earliest report from Alder in 2005").await;
    assert_eq!(result.citations, ["Alder-2005-0"]);
}

async fn an_empty_set_names_the_nearest_entry(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = asked(&host, "how many alerts at Birch in 2020?").await;
    let expected = "None in 2020; the last before was:\n- On 2012-01-05 (Birch): ";
    assert!(answer(&result).starts_with(expected), "{}", answer(&result));
}

/// What has another date is no answer.
async fn an_empty_set_of_times_alone_is_answered(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    for question in ["reports from 1950", "entries in 1950"] {
        let result = asked(&host, question).await;
        let text = answer(&result);
        let opening = "None in 1950; the first after was:\n- On 200";
        assert!(text.starts_with(opening), "{question}: {text}");
        let status = result.answer_status;
        assert_eq!(status, Some(AnswerStatus::Grounded), "{question}");
    }
}

async fn values_and_means_are_computed_from_the_rows(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    for (question, opening, measure) in [
        (
            "how many authors are there?",
            "3 values of author.\n44 entries, by author:\n- Alder: 30\n",
            ("values", json!(3)),
        ),
        (
            "how many states had an alert in 2005?",
            "2 values of state.\n2 entries, by state:\n- OH: 1\n- VA: 1\n",
            ("values", json!(2)),
        ),
        (
            "mean number of reports at Alder per year",
            "Mean: 3 entries a year, over 10 years.\n30 entries, by year:\n- 2003: 3\n",
            ("mean", json!(3.0)),
        ),
    ] {
        let result = asked(&host, question).await;
        let text = answer(&result);
        assert!(text.starts_with(opening), "{question}: {text}");
        let status = result.answer_status;
        assert_eq!(status, Some(AnswerStatus::Grounded), "{question}");
        let details = result.pipeline_details.unwrap();
        assert_eq!(details["set"][measure.0], measure.1, "{question}");
    }
}

/// Both numbers are given, and what is asked of them is named.
async fn a_comparison_is_not_answered_alone(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    for (question, opening) in [
        (
            "were there more alerts in 2005 than in 2006?",
            "Not answered of the question: `than in 2006`.\n4 entries, by year:\n- 2005: 2\n- \
             2006: 2\n",
        ),
        (
            "which authors wrote more than 10 entries?",
            "Not answered of the question: `more than 10`.\n44 entries, by author:\n- Alder: 30\n",
        ),
    ] {
        let result = asked(&host, question).await;
        let text = answer(&result);
        assert!(text.starts_with(opening), "{question}: {text}");
        let status = result.answer_status;
        assert_eq!(status, Some(AnswerStatus::Partial), "{question}");
    }
}

async fn entries_are_counted_by_year_and_field(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = asked(&host, "alerts per year at Alder since 2010").await;
    assert_eq!(
        rows(&result),
        [row("2010", 1), row("2011", 1), row("2012", 1)]
    );
    let result = asked(&host, "alerts by state in 2005").await;
    assert_eq!(rows(&result), [row("OH", 1), row("VA", 1)]);
    // Months without an entry are rows up to both ends of the time.
    let result = asked(&host, "alerts per month in 2005").await;
    let rows = rows(&result);
    let outermost = (rows.first().unwrap(), rows.last().unwrap());
    assert_eq!(rows.len(), 12, "{rows:?}");
    assert_eq!(outermost, (&row("2005-01", 2), &row("2005-12", 0)));
}

async fn entries_without_a_value_are_a_row(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = asked(&host, "alerts by crew in 2005").await;
    assert_eq!(rows(&result), [row("red", 1), row("(none)", 1)]);
    let opening = "2 entries, by crew:\n- red: 1\n- (none): 1\n";
    assert!(answer(&result).starts_with(opening), "{}", answer(&result));
}

async fn rows_of_a_field_with_several_values_say_why_they_are_more(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = asked(&host, "alerts by tag in 2005").await;
    assert_eq!(
        rows(&result),
        [row("one", 1), row("two", 1), row("(none)", 1)]
    );
    let opening = "2 entries, by tag; an entry may have several:\n";
    assert!(answer(&result).starts_with(opening), "{}", answer(&result));
}

/// The filter of a row, as a question in the query language.
async fn the_entries_of_a_row_are_found_by_its_filter(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    for question in [
        "alerts per year at Alder since 2010",
        "reports per month in 2006 and 2009",
        "alerts by state in 2005",
        "alerts by crew since 2005",
        "reports by author in 2006 and 2009",
    ] {
        let result = asked(&host, question).await;
        let set = &result.pipeline_details.as_ref().unwrap()["set"];
        let whole = (&set["filter"], &set["count"]);
        let rows = set["rows"].as_array().unwrap();
        assert!(rows.len() > 1, "{question}: {rows:?}");
        let rows = rows.iter().map(|row| (&row["filter"], &row["count"]));
        for (filter, count) in rows.chain([whole]) {
            let found = host.search("keyword", filter.as_str().unwrap()).await;
            let found = found.entries.len() as u64;
            assert_eq!(Some(found), count.as_u64(), "{question}: {filter}");
        }
    }
}

async fn many_months_are_counted_by_year(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let old = json!({
        "id": "old", "timestamp": "1960-03-01T08:00:00Z", "author": "Alder",
        "text": "The unit was quiet.", "metadata": { "state": "OH", "class": "alert" },
    });
    host.ingest_lines(&[old]).await;
    host.gannet.store().flush().await.unwrap();
    let result = asked(&host, "alerts per month at Alder").await;
    let set = &result.pipeline_details.as_ref().unwrap()["set"];
    assert_eq!(
        (&set["group_by"], &set["count"]),
        (&json!("year"), &json!(11))
    );
    assert_eq!(rows(&result).len(), 53);
    assert!(
        answer(&result).starts_with("11 entries, by year:\n"),
        "{}",
        answer(&result)
    );
}

async fn an_empty_day_is_named_with_on(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = asked(&host, "how many alerts at Birch on 3 May 2020?").await;
    assert!(
        answer(&result).starts_with("None on 3 May 2020; "),
        "{}",
        answer(&result)
    );
}

fn rows(result: &SearchResult) -> Vec<(String, u64)> {
    let rows = &result.pipeline_details.as_ref().unwrap()["set"]["rows"];
    let of = |row: &Value| Some((row["value"].as_str()?.to_owned(), row["count"].as_u64()?));
    rows.as_array().unwrap().iter().filter_map(of).collect()
}

fn row(value: &str, count: u64) -> (String, u64) {
    (value.to_owned(), count)
}

async fn how_often_is_the_interval_between_entries(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = asked(&host, "how often were alerts declared at Birch").await;
    let expected = "10 entries from 2003-01-05 to 2012-01-05, one in 365 days on average; the \
                    intervals are 365 to 366 days";
    assert!(answer(&result).starts_with(expected), "{}", answer(&result));
}

async fn a_topic_is_counted_by_relevance(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = asked(&host, "how many reports of leaking valves at Alder in 2004").await;
    assert!(
        answer(&result).starts_with("About 1 entry (0 certain):"),
        "{}",
        answer(&result)
    );
    assert_eq!(result.citations, ["Alder-2004-1"]);
    assert_eq!(result.answer_status, Some(AnswerStatus::Partial));
}

async fn where_no_entry_is_about_a_topic_the_few_others_are_shown(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = asked(&host, "list the alerts at Birch in 2005 about jellyfish").await;
    let opening = "None found: no entry is probably about `jellyfish`. One entry meets the other \
                   conditions:\n- On 2005-01-05 (Birch): ";
    assert!(answer(&result).starts_with(opening), "{}", answer(&result));
    assert_eq!(result.answer_status, Some(AnswerStatus::Insufficient));
    assert_eq!(result.citations, ["Birch-2005-0"]);
}

async fn a_phrase_of_conditions_that_no_entry_meets_is_answered(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let result = asked(&host, "alerts at Cedar").await;
    assert_eq!(answer(&result), "None: no entry has what is asked for.");
    assert!(result.entries.is_empty());
    assert_eq!(result.answer_status, Some(AnswerStatus::Grounded));
    assert_eq!(result.answer_confidence, Some(1.0));
}

async fn a_phrase_of_which_entries_meet_the_conditions_and_none_the_topic_has_none(
    kind: StoreKind,
) {
    let Some(host) = host(kind).await else { return };
    let none = asked(&host, "zebras at Birch in 2005").await;
    let opening = "None found: no entry is probably about `zebras`.";
    assert!(answer(&none).starts_with(opening), "{}", answer(&none));
    // No entry meets the conditions: others are searched for.
    let relaxed = asked(&host, "valves at Birch in 1950").await;
    assert!(!relaxed.entries.is_empty());
}

async fn the_plan_of_a_result_says_what_is_asked_of_the_set(kind: StoreKind) {
    let Some(host) = host(kind).await else { return };
    let set = asked(&host, "how many alerts at Alder since 2005?")
        .await
        .plan
        .set
        .clone();
    let set = set.unwrap();
    assert_eq!(set.operation, SetOperation::Count);
    assert_eq!((set.filter.clauses.len(), set.times.len()), (2, 1));
    let cause = asked(&host, "why was there an alert at Alder in 2005?").await;
    assert_eq!(cause.plan.set, None);
}

over_both_stores! {
    a_number_of_entries_is_counted_by_the_store,
    the_last_ones_are_chosen_by_time,
    an_empty_set_names_the_nearest_entry,
    an_empty_set_of_times_alone_is_answered,
    values_and_means_are_computed_from_the_rows,
    a_comparison_is_not_answered_alone,
    entries_are_counted_by_year_and_field,
    entries_without_a_value_are_a_row,
    rows_of_a_field_with_several_values_say_why_they_are_more,
    the_entries_of_a_row_are_found_by_its_filter,
    many_months_are_counted_by_year,
    an_empty_day_is_named_with_on,
    how_often_is_the_interval_between_entries,
    a_topic_is_counted_by_relevance,
    where_no_entry_is_about_a_topic_the_few_others_are_shown,
    a_phrase_of_conditions_that_no_entry_meets_is_answered,
    a_phrase_of_which_entries_meet_the_conditions_and_none_the_topic_has_none,
    the_plan_of_a_result_says_what_is_asked_of_the_set,
}

//! Small rules of ARIEL's, on its own cases.

use gannet_api::TimeRange;
use gannet_tests::cases;
use serde_json::Value;

#[test]
fn a_tools_range_of_time_stands_before_that_of_the_request() {
    for case in cases("ariel.jsonl", "time_range") {
        let input = &case["input"];
        let of_tool = range(&input["tool_start"], &input["tool_end"]);
        let of_request = range(&input["fallback"][0], &input["fallback"][1]);
        let expected = range(&case["expected"][0], &case["expected"][1]);
        assert_eq!(of_tool.or(of_request), expected, "{input}");
    }
}

fn range(from: &Value, until: &Value) -> TimeRange {
    let instant = |value: &Value| value.as_str().map(|text| text.parse().unwrap());
    TimeRange {
        from: instant(from),
        until: instant(until),
    }
}

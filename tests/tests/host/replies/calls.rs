//! A request can call modules so often and no more.

use gannet_api::limits;

use super::rogue::ask;

#[tokio::test]
async fn a_module_that_calls_itself_eight_times_over_is_refused_by_name() {
    let error = ask("rogue", "itself").await.unwrap_err().to_string();
    let limit = format!("more than {} times, `rogue` the last", limits::CALLS);
    assert!(error.contains(&limit), "{error}");
}

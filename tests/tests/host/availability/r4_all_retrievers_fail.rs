//! When all retrievers are down the request fails, and says that a later one
//! may not: what a server answers with 503.

use gannet_api::Error;
use gannet_core::HostError;

use super::sick::{ILLNESSES, ask, host};

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn r4_with_nothing_left_the_request_fails() {
    for (illness, _) in ILLNESSES {
        let error = ask(&host([illness; 3], &[]).await).await.unwrap_err();
        let HostError::Plugin(Error::Provider { message, .. }) = &error else {
            panic!("{illness:?}: {error}");
        };
        for name in ["one", "two", "three"] {
            assert!(message.contains(name), "{illness:?}: {message}");
        }
    }
}

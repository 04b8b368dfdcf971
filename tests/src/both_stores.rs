//! The same tests over both stores.

/// Runs each of these functions over both stores, as a test of its own. A
/// function takes the kind of store, for [`Host::on`](crate::Host::on).
#[macro_export]
macro_rules! over_both_stores {
    ($($test:ident),* $(,)?) => {
        mod embedded {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                super::$test($crate::StoreKind::Embedded).await;
            })*
        }

        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                super::$test($crate::StoreKind::Postgres).await;
            })*
        }
    };
}

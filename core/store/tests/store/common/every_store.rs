//! The same tests over every kind of store.

/// Runs each of these functions over every kind of store, as a test of its
/// own.
macro_rules! over_every_store {
    ($($test:ident),* $(,)?) => {
        mod embedded {
            $(#[tokio::test]
            async fn $test() {
                let (_folder, store) = $crate::common::fresh().await;
                super::$test(store).await;
            })*
        }

        mod postgres {
            $(#[tokio::test]
            async fn $test() {
                let Some(database) = $crate::common::postgres::Database::create().await else {
                    return;
                };
                let store = database.store().await;
                super::$test(store).await;
                database.drop_if_there().await;
            })*
        }

        mod mirrored {
            $(#[tokio::test]
            async fn $test() {
                let Some(database) = $crate::common::postgres::Database::create().await else {
                    return;
                };
                let folder = tempfile::tempdir().unwrap();
                let store = database.mirrored(folder.path()).await;
                super::$test(store).await;
                database.drop_if_there().await;
            })*
        }
    };
}

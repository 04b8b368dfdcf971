//! The store as the configuration has it.

use std::time::Duration;

use gannet_store::{EmbeddedOptions, FieldWeights, PostgresOptions, StoreOptions};

use crate::config::{Adopt, DatabaseUri, StoreConfig, StoreKind, Synchronous};

/// What the configuration says of the store, for the store.
pub(crate) fn store_options(store: &StoreConfig) -> StoreOptions {
    match (store.kind, store.adopt, store.cache) {
        (StoreKind::Embedded, ..) => StoreOptions::Embedded(folder(store)),
        (StoreKind::Postgres, Adopt::Ariel, _) => StoreOptions::Ariel {
            postgres: database(store),
            folder: folder(store),
        },
        (StoreKind::Postgres, Adopt::None, true) => StoreOptions::Mirrored {
            postgres: database(store),
            folder: folder(store),
        },
        (StoreKind::Postgres, Adopt::None, false) => StoreOptions::Postgres(database(store)),
    }
}

/// Host, port and name of the database, without user and password.
pub(crate) fn database_label(store: &StoreConfig) -> Option<String> {
    (store.kind == StoreKind::Postgres).then(|| database(store).database())
}

fn folder(store: &StoreConfig) -> EmbeddedOptions {
    let mut options = EmbeddedOptions::at(&store.path);
    options.synchronous_full = store.synchronous == Synchronous::Full;
    options.field_weights = weights(store);
    let parts = store.parts();
    (options.text_engine, options.vector_engine) = (parts.text, parts.vectors);
    options.vector_settings = store.vector_settings.clone();
    options
}

fn weights(store: &StoreConfig) -> FieldWeights {
    let weights = &store.field_weights;
    FieldWeights {
        text: weights.text as f32,
        title: weights.title as f32,
        keywords: weights.keywords as f32,
        author: weights.author as f32,
    }
}

fn database(store: &StoreConfig) -> PostgresOptions {
    let uri = |uri: &Option<DatabaseUri>| uri.as_ref().map(|uri| uri.reveal().to_owned());
    let mut options = PostgresOptions::at(uri(&store.uri).unwrap_or_default());
    options.read_url = uri(&store.read_uri);
    options.max_connections = store.max_connections;
    options.connect_timeout = Duration::from_secs(store.connect_timeout_seconds);
    options.statement_timeout = Duration::from_secs(store.statement_timeout_seconds);
    options.field_weights = weights(store);
    options
}

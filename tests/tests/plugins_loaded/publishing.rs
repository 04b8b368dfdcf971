//! A loaded adapter writes entries into a logbook like the same adapter linked
//! in.

use std::sync::Arc;

use gannet_api::{
    Credentials, DynAdapter, Error, PluginKind, PublishRequest, Published, Registration, Result,
};
use gannet_core::registry::Wanted;
use gannet_test_inline::Reading;
use serde_json::json;

use crate::{adapter, entry, from_dylib, host, linked, loaded};

#[tokio::test]
async fn an_entry_is_published_as_by_the_linked_one() {
    let there = adapter(from_dylib("reading", json!({})).unwrap());
    let here = adapter(linked(Registration::adapter::<Reading>("test", "1.0.0")));
    let ann = || Some(Credentials::new("ann", "s3cret"));
    let published = publish(&there, "Reset.", ann()).await.unwrap();
    assert_eq!(published.entry_id, "ann@default");
    for (details, credentials) in [("Reset.", ann()), ("Reset.", None), ("refused", ann())] {
        assert_eq!(
            publish(&there, details, credentials.clone()).await,
            publish(&here, details, credentials).await,
            "{details}"
        );
    }
    let panicked = publish(&there, "panic", ann()).await.unwrap_err();
    assert!(matches!(panicked, Error::Panicked { .. }));

    let registry = loaded();
    let plugin = registry.get(PluginKind::Adapter, "reading").unwrap();
    let spec = Wanted::new(PluginKind::Adapter, "reading");
    let writing = spec.describe(plugin).unwrap().writing.unwrap();
    assert_eq!(writing.source_system, "words");
    assert!(writing.needs_credentials);
}

async fn publish(
    adapter: &Arc<dyn DynAdapter>,
    details: &str,
    credentials: Option<Credentials>,
) -> Result<Published> {
    let entry = entry("L1", "ann", &format!("RF trip\n\n{details}"));
    let request = PublishRequest::new(entry).with_credentials(credentials);
    adapter.publish(request, &host().context()).await
}

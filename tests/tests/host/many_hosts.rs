//! Several hosts on one store do not do the same work twice.

use std::collections::BTreeMap;
use std::sync::Mutex;

use gannet_api::{
    Context, Descriptor, Enhanced, Enhancer, Entry, NoSettings, Patch, Registration, Result, Setup,
};
use gannet_core::{EnhanceReport, EnhanceRequest, Gannet, Stop};
use gannet_registry::Registry;
use gannet_tests::config;

static CALLS: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());

/// Counts how often it sees an entry, and lets others run meanwhile.
struct Once;

impl Enhancer for Once {
    const NAME: &'static str = "once";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::enhancer(Self::NAME, "Once", "Counts its calls.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn enhance(&self, entries: Vec<Entry>, _context: &Context) -> Result<Vec<Enhanced>> {
        for entry in &entries {
            *CALLS
                .lock()
                .unwrap()
                .entry(entry.entry_id.clone())
                .or_default() += 1;
        }
        tokio::task::yield_now().await;
        Ok(entries.into_iter().map(done).collect())
    }
}

fn done(entry: Entry) -> Enhanced {
    Enhanced::new(
        entry.entry_id,
        Ok(Patch::default().with_keywords(vec!["seen".to_owned()])),
    )
}

async fn host(folder: &std::path::Path) -> Gannet {
    let registry = Registry::of(
        Registration::linked()
            .copied()
            .chain([Registration::enhancer::<Once>("test", "1.0.0")]),
    )
    .unwrap();
    let config = config(folder, &[("enhancement_modules.once.enabled", "true")]);
    Gannet::open_with(config, &registry).await.unwrap()
}

async fn enhance(gannet: &Gannet) -> EnhanceReport {
    let request = EnhanceRequest {
        modules: vec!["once".to_owned()],
        ..EnhanceRequest::default()
    };
    let reports = gannet.enhance(request, &Stop::default(), |_| {}).await;
    reports.unwrap().remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hosts_that_enhance_at_once_see_each_entry_once() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (host(folder.path()).await, host(folder.path()).await);
    let entries = (0..300).map(|index| {
        let time = "2025-03-01T08:00:00Z".parse().unwrap();
        Entry::new(format!("A-{index}"), "test", time, "cavity tripped")
    });
    first.store().upsert(entries.collect()).await.unwrap();
    let (one, other) = tokio::join!(enhance(&first), enhance(&second));
    assert_eq!(one.completed + other.completed, 300);
    assert!(!one.stopped && !other.stopped);
    let calls = CALLS.lock().unwrap();
    assert_eq!(calls.len(), 300);
    assert!(calls.values().all(|&times| times == 1), "{calls:?}");
}

#[tokio::test]
async fn a_host_that_waits_for_another_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (host(folder.path()).await, host(folder.path()).await);
    let held = first.store().claim_enhancement("once").await.unwrap();
    assert!(held.is_some());
    let stop = Stop::default();
    let request = EnhanceRequest {
        modules: vec!["once".to_owned()],
        ..EnhanceRequest::default()
    };
    let waiting = second.enhance(request, &stop, |_| {});
    let (reports, ()) = tokio::join!(waiting, async { stop.raise() });
    assert!(reports.unwrap()[0].stopped);
}

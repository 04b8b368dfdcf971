//! Enhancers: a good one, and one bad one for each check.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::BoxFuture;
use serde_json::json;

use super::*;
use gannet_api::{
    Context, DynEnhancer, EmbedPurpose, EmbedRequest, Enhanced, Error, Example, PassageEmbedding,
    PassageEmbeddings, Patch,
};

/// An enhancer that is one function of the good outcomes.
struct Counts<F>(F);

impl<F> DynEnhancer for Counts<F>
where
    F: Fn(Vec<Entry>, Vec<Enhanced>) -> Result<Vec<Enhanced>> + Send + Sync,
{
    fn enhance<'a>(
        &'a self,
        entries: Vec<Entry>,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Vec<Enhanced>>> {
        Box::pin(async move {
            let wish = EmbedRequest::new(
                vec!["something of the host".to_owned()],
                EmbedPurpose::Document,
            );
            context.embed(wish).await?;
            let enhanced = entries.iter().map(counted).collect();
            (self.0)(entries, enhanced)
        })
    }
}

fn counted(entry: &Entry) -> Enhanced {
    let mut patch = Patch::default();
    let words = entry.raw_text.split_whitespace().count();
    patch.metadata.insert("words".to_owned(), json!(words));
    patch.metadata.insert("counted".to_owned(), json!(true));
    Enhanced::new(entry.entry_id.clone(), Ok(patch))
}

fn enhancer<F>(change: F) -> Specimen
where
    F: Fn(Vec<Entry>, Vec<Enhanced>) -> Result<Vec<Enhanced>> + Send + Sync + Clone + 'static,
{
    let example = Example::new("counts words", "")
        .with_entries([entry("E1", "Day", "RF tripped")])
        .adds("E1", json!({"metadata": {"words": 2}}));
    let descriptor = Descriptor::enhancer(
        "word_count",
        "Word count",
        "Adds how many words an entry has.",
    );
    specimen(descriptor.with_example(example), move || {
        Plugin::Enhancer(Arc::new(Counts(change.clone())))
    })
}

#[test]
fn a_good_enhancer_passes_in_any_order() {
    assert_passes(&enhancer(|_, enhanced| Ok(enhanced)));
    assert_passes(&enhancer(|_, mut enhanced| {
        enhanced.reverse();
        Ok(enhanced)
    }));
}

#[test]
fn a_patch_is_compared_in_the_keys_that_the_example_names() {
    let bad = enhancer(|_, mut enhanced| {
        for one in &mut enhanced {
            if let Ok(patch) = &mut one.outcome {
                patch.metadata.insert("words".to_owned(), json!(7));
            }
        }
        Ok(enhanced)
    });

    let reason = reason(&bad, "examples");

    assert!(
        reason.ends_with("entry \"E1\": `words` is 7 and not 2"),
        "{reason}"
    );
    assert_eq!(failed(&bad), ["examples"]);
}

#[test]
fn an_entry_without_an_outcome_or_with_two_is_caught() {
    let forgets = enhancer(|_, mut enhanced| {
        enhanced.truncate(1);
        Ok(enhanced)
    });
    let repeats = enhancer(|_, mut enhanced| {
        enhanced.extend(enhanced.first().cloned());
        Ok(enhanced)
    });
    let strays = enhancer(|_, mut enhanced| {
        enhanced.extend([counted(&entry("E9", "Day", ""))]);
        Ok(enhanced)
    });

    assert!(reason(&forgets, "batches").contains("has no outcome"));
    assert!(reason(&repeats, "batches").contains("has two outcomes"));
    assert!(reason(&strays, "empty_batch").contains("\"E9\" is not an entry of the batch"));
}

#[test]
fn an_empty_batch_must_not_fail() {
    let bad = enhancer(|entries, enhanced| {
        assert!(!entries.is_empty(), "nothing to do");
        Ok(enhanced)
    });

    assert_eq!(failed(&bad), ["empty_batch"]);
}

#[test]
fn a_text_that_fails_the_whole_batch_is_caught() {
    let bad = enhancer(|entries, enhanced| {
        match entries.iter().any(|entry| entry.raw_text.len() > 100_000) {
            true => Err(Error::invalid_input("too long")),
            false => Ok(enhanced),
        }
    });

    assert_eq!(failed(&bad), ["hostile_texts"]);
    let reason = reason(&bad, "hostile_texts");
    assert!(
        reason.contains("a text of a megabyte: the whole batch fails: too long"),
        "{reason}"
    );
}

#[test]
fn an_entry_that_fails_alone_is_good() {
    let careful = enhancer(|entries, mut enhanced| {
        for (entry, one) in entries.iter().zip(&mut enhanced) {
            if entry.raw_text.is_empty() {
                one.outcome = Err("there is no text".to_owned());
            }
        }
        Ok(enhanced)
    });

    assert_passes(&careful);
}

#[test]
fn a_patch_that_hangs_on_the_batch_is_caught() {
    let bad = enhancer(|entries, mut enhanced| {
        for one in &mut enhanced {
            if let Ok(patch) = &mut one.outcome {
                patch.summary = Some(format!("one of {}", entries.len()));
            }
        }
        Ok(enhanced)
    });

    assert_eq!(failed(&bad), ["batches"]);
}

#[test]
fn the_passages_of_an_example_are_the_texts_that_get_a_vector() {
    let embeds = |wanted: &str| {
        let mut specimen = enhancer(|entries, mut enhanced| {
            for (entry, one) in entries.iter().zip(&mut enhanced) {
                if let Ok(patch) = &mut one.outcome {
                    let passage = PassageEmbedding::new(
                        0..entry.raw_text.find(' ').unwrap_or_default(),
                        vec![1.0],
                    );
                    patch.embeddings = Some(PassageEmbeddings::new("m", vec![passage]));
                }
            }
            Ok(enhanced)
        });
        let example = Example::new("embeds the first word", "")
            .with_entries([entry("E1", "Day", "RF tripped")])
            .adds("E1", json!({ "passages": [wanted] }));
        specimen.descriptor.examples = vec![example];
        specimen
    };

    assert_passes(&embeds("RF"));
    let reason = reason(&embeds("RF tripped"), "examples");
    assert!(reason.contains(r#"`passages` is ["RF"]"#), "{reason}");
}

#[test]
fn passages_outside_of_the_text_are_caught() {
    let bad = enhancer(|_, mut enhanced| {
        for one in &mut enhanced {
            if let Ok(patch) = &mut one.outcome {
                patch.embeddings = Some(PassageEmbeddings::new(
                    "m",
                    vec![PassageEmbedding::new(0..9_999_999, vec![1.0])],
                ));
            }
        }
        Ok(enhanced)
    });

    assert!(reason(&bad, "examples").contains("the passage 0 to 9999999 is not part of its text"));
}

#[test]
fn a_memory_of_earlier_calls_is_caught() {
    let count = Arc::new(AtomicUsize::new(0));
    let bad = enhancer(move |_, mut enhanced| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        for one in &mut enhanced {
            if let Ok(patch) = &mut one.outcome {
                patch.keywords = Some(vec![number.to_string()]);
            }
        }
        Ok(enhanced)
    });

    let expected = ["batches", "repetition", "two_at_once", "cancellation"];
    assert_eq!(failed(&bad), expected);
}

#[test]
fn a_host_that_fails_must_not_lose_entries() {
    struct Forgets;
    impl DynEnhancer for Forgets {
        fn enhance<'a>(
            &'a self,
            entries: Vec<Entry>,
            context: &'a Context,
        ) -> BoxFuture<'a, Result<Vec<Enhanced>>> {
            Box::pin(async move {
                let held = context.entries(vec!["E1".to_owned()]).await;
                let left = held.map_or(0, |_| entries.len());
                Ok(entries.iter().take(left).map(counted).collect())
            })
        }
    }
    let good = enhancer(|_, enhanced| Ok(enhanced));
    let bad = specimen(good.descriptor, || Plugin::Enhancer(Arc::new(Forgets)));

    assert_eq!(failed(&bad), ["failing_host"]);
    assert!(reason(&bad, "failing_host").contains("has no outcome"));
}

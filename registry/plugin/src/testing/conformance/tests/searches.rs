//! Search modules: a good one, and one bad one for each check.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::BoxFuture;
use serde_json::json;

use super::*;
use gannet_api::{
    Context, DynSearchModule, Error, Example, FilterField, Hit, ParameterDescriptor, ParameterType,
    ScoreKind, SearchRequest, TextSearch,
};

/// A module that is one function.
struct Search<F>(F);

impl<F> DynSearchModule for Search<F>
where
    F: Fn(SearchRequest, Context) -> BoxFuture<'static, Result<Vec<Hit>>> + Send + Sync,
{
    fn search<'a>(
        &'a self,
        request: SearchRequest,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Vec<Hit>>> {
        Box::pin(async move { (self.0)(request, context.clone()).await })
    }
}

fn descriptor() -> Descriptor {
    let example = Example::new("finds the words", "rf")
        .with_entries([
            entry("E1", "Day", "RF tripped"),
            entry("E2", "Owl", "a quiet night"),
        ])
        .finds(["E1"]);
    let reversed = ParameterDescriptor::new(
        "reversed",
        "Reversed",
        "Whether the worst come first.",
        ParameterType::Bool,
        false,
    );
    Descriptor::search_module("words", "Words", "Finds entries by their words.")
        .with_parameters(vec![reversed])
        .with_example(example)
}

fn module<F>(search: F) -> Specimen
where
    F: Fn(SearchRequest, Context) -> BoxFuture<'static, Result<Vec<Hit>>>
        + Send
        + Sync
        + Clone
        + 'static,
{
    specimen(descriptor(), move || {
        Plugin::SearchModule(Arc::new(Search(search.clone())))
    })
}

/// What a good module does.
async fn good(request: SearchRequest, context: Context) -> Result<Vec<Hit>> {
    let reversed = request.param("reversed")?.unwrap_or(false);
    let mut search = TextSearch::new(request.query, request.limit);
    search.filter = request.filter;
    let mut hits = context.text_search(search).await?;
    if reversed {
        hits.reverse();
    }
    Ok(hits)
}

#[test]
fn a_good_module_passes() {
    assert_passes(&module(|request, context| Box::pin(good(request, context))));
}

#[test]
fn an_example_that_does_not_hold_is_told_with_what_came() {
    let nothing = module(|request, context| {
        Box::pin(async move {
            good(request, context).await?;
            Ok(Vec::new())
        })
    });

    let reason = reason(&nothing, "examples");

    assert_eq!(
        reason,
        "example `finds the words`: it finds [] and not [\"E1\"]"
    );
    assert_eq!(failed(&nothing), ["examples"]);
}

#[test]
fn a_plugin_without_an_example_fails() {
    let mut specimen = module(|request, context| Box::pin(good(request, context)));
    specimen.descriptor.examples.clear();

    assert_eq!(failed(&specimen), ["examples"]);
}

#[test]
fn a_blank_question_that_panics_is_caught_with_its_text() {
    let bad = module(|request, context| {
        Box::pin(async move {
            let first = request.query.split_whitespace().next();
            assert!(first.is_some(), "a question without words");
            good(request, context).await
        })
    });

    let reason = reason(&bad, "blank_questions");

    assert!(
        reason.contains("panicked: a question without words"),
        "{reason}"
    );
}

#[test]
fn a_question_that_is_no_pattern_is_refused_and_nothing_else() {
    let bad = module(|request, context| {
        Box::pin(async move {
            if request.query.matches('(').count() != request.query.matches(')').count() {
                return Err(Error::internal("unbalanced"));
            }
            good(request, context).await
        })
    });

    assert_eq!(failed(&bad), ["hostile_questions"]);
    let reason = reason(&bad, "hostile_questions");
    assert!(
        reason.contains("not as `Error::InvalidInput`: unbalanced"),
        "{reason}"
    );
}

#[test]
fn more_hits_than_wanted_are_caught() {
    let bad = module(|mut request, context| {
        request.limit = 100;
        Box::pin(good(request, context))
    });

    let reason = reason(&bad, "limit");

    assert!(reason.contains("3 hits, and the limit is 1"), "{reason}");
}

#[test]
fn a_filter_that_is_dropped_is_caught() {
    for dropped in [FilterField::Author, FilterField::Timestamp] {
        let bad = module(move |mut request, context| {
            request
                .filter
                .clauses
                .retain(|clause| clause.field != dropped);
            Box::pin(good(request, context))
        });

        let reason = reason(&bad, "filter");

        assert!(reason.contains("does not pass the filter"), "{reason}");
    }
}

#[test]
fn parameters_of_wrong_types_must_be_refused_and_defaults_taken() {
    let lenient = module(|mut request, context| {
        request.params.clear();
        Box::pin(good(request, context))
    });
    let strict = module(|request, context| {
        Box::pin(async move {
            if request.params.contains_key("reversed") {
                return Err(Error::invalid_input("no parameters, please"));
            }
            good(request, context).await
        })
    });

    assert_eq!(failed(&lenient), ["wrong_parameters"]);
    assert_eq!(failed(&strict), ["default_parameters"]);
}

#[test]
fn a_score_that_is_no_number_is_caught() {
    let bad = module(|request, context| {
        Box::pin(async move {
            let mut hits = good(request, context).await?;
            hits.iter_mut().for_each(|hit| hit.score = f64::NAN);
            Ok(hits)
        })
    });

    let reason = reason(&bad, "examples");

    assert!(reason.contains("a score that is not a number"), "{reason}");
}

#[test]
fn entries_that_the_host_does_not_hold_are_caught() {
    let bad = module(|request, context| {
        Box::pin(async move {
            let mut hits = good(request, context).await?;
            hits.push(Hit::new("E9", "logbook", 0.1, ScoreKind::Bm25));
            Ok(hits)
        })
    });

    let reason = reason(&bad, "examples");

    assert!(
        reason.contains("the host holds no entry \"E9\""),
        "{reason}"
    );
}

#[test]
fn an_entry_that_is_found_twice_is_caught() {
    let bad = module(|request, context| {
        Box::pin(async move {
            let hits = good(request, context).await?;
            Ok(hits.iter().chain(&hits).cloned().collect())
        })
    });

    assert!(reason(&bad, "examples").contains("entry \"E1\" is found twice"));
}

#[test]
fn answers_that_change_from_call_to_call_are_caught_unless_declared() {
    let count = Arc::new(AtomicUsize::new(0));
    let mut moody = module(move |request, context| {
        let score = count.fetch_add(1, Ordering::Relaxed) as f64;
        Box::pin(async move {
            let mut hits = good(request, context).await?;
            hits.iter_mut().for_each(|hit| hit.score = score);
            Ok(hits)
        })
    });

    assert_eq!(
        failed(&moody),
        ["repetition", "two_at_once", "cancellation"]
    );
    moody.descriptor.deterministic = false;
    assert_passes(&moody);
    let skipped = Outcome::Skipped("the descriptor says that it is not deterministic".to_owned());
    let checks = report(&moody).checks;
    assert!(checks.contains(&Check {
        name: "repetition",
        outcome: skipped
    }));
}

#[test]
fn a_call_that_sees_another_call_is_caught() {
    let running = Arc::new(AtomicUsize::new(0));
    let bad = module(move |request, context| {
        let running = running.clone();
        Box::pin(async move {
            let others = running.fetch_add(1, Ordering::Relaxed);
            let outcome = good(request, context).await;
            // Not reached when the call is dropped.
            running.fetch_sub(1, Ordering::Relaxed);
            let mut hits = outcome?;
            hits.truncate(if others > 0 { 0 } else { usize::MAX });
            Ok(hits)
        })
    });

    assert_eq!(failed(&bad), ["two_at_once", "cancellation"]);
}

#[test]
fn a_host_that_fails_must_not_be_a_panic() {
    let bad = module(|request, context| {
        Box::pin(async move {
            request.param::<bool>("reversed")?;
            Ok(good(request, context).await.expect("the host answers"))
        })
    });

    assert_eq!(failed(&bad), ["failing_host"]);
    assert!(reason(&bad, "failing_host").contains("panicked: the host answers"));
}

#[test]
fn a_panic_that_a_loaded_plugin_contains_is_one_all_the_same() {
    let bad = module(|request, context| {
        Box::pin(async move {
            if request.query.contains('\0') {
                return Err(Error::panicked("at lib.rs:7".to_owned()));
            }
            good(request, context).await
        })
    });

    assert!(reason(&bad, "hostile_questions").contains("panicked: at lib.rs:7"));
}

#[test]
fn the_examples_settings_are_used_where_settings_are_needed() {
    let make = |settings: Value| match settings["index"].as_str() {
        Some(_) => Ok(Plugin::SearchModule(Arc::new(Search(
            |request, context| {
                let future: BoxFuture<'static, _> = Box::pin(good(request, context));
                future
            },
        )))),
        None => Err(Error::configuration("words.index", "is needed")),
    };
    let mut needy = Specimen::new(descriptor(), move |settings, _| make(settings));
    let refused = reason(&needy, "construction");
    needy.descriptor.examples[0]
        .settings
        .insert("index".to_owned(), json!("a"));

    assert!(
        refused.contains("setting `words.index`: is needed"),
        "{refused}"
    );
    assert_passes(&needy);
}

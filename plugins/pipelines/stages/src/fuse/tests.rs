#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::search::{Matched, Passage};
use proptest::prelude::*;

use super::*;

fn hit(id: &str, score: f64) -> Hit {
    Hit::new(id, "logbook", score, ScoreKind::Bm25)
}

fn list(module: &str, ids: &[&str]) -> ModuleHits {
    ModuleHits::new(module, ids.iter().map(|id| hit(id, 1.0)).collect())
}

fn ids(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.entry_id.as_str()).collect()
}

/// A fraction, exact.
#[derive(Clone, Copy)]
struct Fraction {
    numerator: u128,
    denominator: u128,
}

impl Fraction {
    fn plus(self, numerator: u128, denominator: u128) -> Self {
        Self {
            numerator: self.numerator * denominator + numerator * self.denominator,
            denominator: self.denominator * denominator,
        }
    }

    fn compare(self, other: Self) -> std::cmp::Ordering {
        (self.numerator * other.denominator).cmp(&(other.numerator * self.denominator))
    }

    fn as_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

/// Reciprocal rank fusion in fractions, ordered by score, then id.
fn reference(lists: &[ModuleHits], k: u32, weights: &[u32]) -> Vec<(String, Fraction)> {
    let mut sums: BTreeMap<String, Fraction> = BTreeMap::new();
    for (list, &weight) in lists.iter().zip(weights) {
        let mut seen = Vec::new();
        for hit in &list.hits {
            let is_hit = hit.score.is_finite() && !hit.entry_id.is_empty();
            if !is_hit || seen.contains(&hit.entry_id) {
                continue;
            }
            seen.push(hit.entry_id.clone());
            let rank = u128::try_from(seen.len()).unwrap();
            let sum = sums.entry(hit.entry_id.clone()).or_insert(Fraction {
                numerator: 0,
                denominator: 1,
            });
            *sum = sum.plus(u128::from(weight), u128::from(k) + rank);
        }
    }
    let mut ranked: Vec<(String, Fraction)> = sums.into_iter().collect();
    ranked.sort_by(|a, b| b.1.compare(a.1).then_with(|| a.0.cmp(&b.0)));
    ranked
}

fn any_list() -> impl Strategy<Value = Vec<(usize, f64)>> {
    let score = prop_oneof![
        8 => 0.0..10.0_f64,
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
    ];
    prop::collection::vec((0_usize..9, score), 0..10)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// Promise C2: duplicates, ties, k 0, 1 and 60, scores that are no
    /// numbers, empty lists and empty ids.
    #[test]
    fn rrf_equals_a_reference_in_exact_fractions(
        raw in prop::collection::vec((any_list(), 0_u32..4), 0..5),
        k in prop_oneof![Just(0_u32), Just(1), Just(60)],
        weighted: bool,
    ) {
        let names = ["", "a", "b", "c", "d", "e", "f", "g", "h"];
        let mut lists = Vec::new();
        let mut weights = Vec::new();
        for (index, (entries, weight)) in raw.iter().enumerate() {
            let hits = entries.iter().map(|&(id, score)| hit(names[id], score)).collect();
            lists.push(ModuleHits::new(format!("m{index}"), hits));
            weights.push(if weighted { *weight } else { 1 });
        }
        let by_name = lists
            .iter()
            .zip(&weights)
            .map(|(list, &weight)| (list.module.clone(), f64::from(weight)))
            .collect();
        let fused = rrf(&lists, f64::from(k), &by_name);
        let expected = reference(&lists, k, &weights);
        let expected_ids: Vec<&str> = expected.iter().map(|(id, _)| id.as_str()).collect();
        prop_assert_eq!(ids(&fused), expected_ids);
        for (hit, (_, fraction)) in fused.iter().zip(&expected) {
            prop_assert!((hit.score - fraction.as_f64()).abs() <= 1e-15);
        }
    }
}

#[test]
fn an_entry_that_only_one_module_found_keeps_its_provenance() {
    let fused = rrf(
        &[list("k", &["a"]), list("s", &["b"])],
        60.0,
        &BTreeMap::new(),
    );
    assert_eq!(ids(&fused), ["a", "b"]);
    assert_eq!(fused[1].provenance[0].module, "s");
    assert_eq!(fused[1].provenance[0].rank, 1);
    assert_eq!(fused[1].score_kind, ScoreKind::Rrf);
}

#[test]
fn weights_change_the_order_and_the_kind() {
    let weights = BTreeMap::from([("s".to_owned(), 2.0)]);
    let fused = rrf(&[list("k", &["a"]), list("s", &["b"])], 60.0, &weights);
    assert_eq!(ids(&fused), ["b", "a"]);
    assert_eq!(fused[0].score_kind, ScoreKind::WeightedRrf);
}

#[test]
fn passages_of_one_entry_are_not_added_up() {
    let once = rrf(&[list("s", &["a", "b"])], 60.0, &BTreeMap::new());
    let twice = rrf(&[list("s", &["a", "a", "b"])], 60.0, &BTreeMap::new());
    assert_eq!(once, twice);
}

#[test]
fn a_partial_match_does_not_sink_below_a_worse_score() {
    let mut partial = list("k", &["a", "b"]);
    partial.hits[0].matched = Matched::Some;
    let mut fused = rrf(&[partial], 60.0, &BTreeMap::new());
    sort_hits(&mut fused);
    assert_eq!(ids(&fused), ["a", "b"]);
}

#[test]
fn the_passage_is_that_of_the_list_that_ranks_the_entry_best() {
    let with_passage = |text: &str, id: &str| {
        let mut hit = hit(id, 1.0);
        hit.passage = Some(Passage::new(0, 0..text.len(), text));
        hit
    };
    let worse = ModuleHits::new("x", vec![hit("z", 2.0), with_passage("far", "a")]);
    let better = ModuleHits::new("y", vec![with_passage("near", "a")]);
    let fused = rrf(&[worse, better], 60.0, &BTreeMap::new());
    assert_eq!(fused[0].passage.as_ref().unwrap().text, "near");
}

#[test]
fn linear_drops_nothing_and_counts_what_is_missing_as_0() {
    let words = ModuleHits::new("k", vec![hit("a", 8.0), hit("b", 4.0)]);
    let cosine = Hit::new("c", "logbook", 0.6, ScoreKind::Cosine);
    let fused = linear(&[words, ModuleHits::new("s", vec![cosine])], 0.5).unwrap();
    assert_eq!(ids(&fused), ["a", "c", "b"]);
    let scores: Vec<f64> = fused.iter().map(|hit| hit.score).collect();
    assert_eq!(scores, [0.5, 0.4, 0.0]);
}

#[test]
fn a_headline_gives_the_words_more_weight_where_meanings_stand_beside_them() {
    let words = list("keyword", &["a"]);
    let cosine = Hit::new("b", "logbook", 0.6, ScoreKind::Cosine);
    let lists = [words, ModuleHits::new("semantic", vec![cosine])];
    let settings = FusionSettings::default();
    let headline = settings.weights_for("LOSS OF OFFSITE POWER AT UNIT 2", &lists);
    assert_eq!(headline["keyword"], 2.0);
    assert_eq!(headline["semantic"], 1.0);
    let question = settings.weights_for("why was offsite power lost?", &lists);
    assert_eq!(question["keyword"], 1.0);
    let alone = settings.weights_for("LOSS OF OFFSITE POWER AT UNIT 2", &lists[..1]);
    assert_eq!(alone["keyword"], 1.0);
}

#[test]
fn numbers_out_of_range_are_refused() {
    let settings = FusionSettings {
        alpha: 1.5,
        ..FusionSettings::default()
    };
    assert_eq!(settings.check(), Err(StageError::AlphaOutOfRange(1.5)));
    let settings = FusionSettings {
        weights: BTreeMap::from([("k".to_owned(), f64::NAN)]),
        ..FusionSettings::default()
    };
    assert!(settings.check().is_err());
}

//! Measures how well the text search ranks: nDCG@10 over judged collections,
//! and for how many queries a relevant document is first.
//!
//! `cargo run --release -p gannet-store --example retrieval_quality -- FOLDER…`
//!
//! Each folder holds `corpus.jsonl` (`{"id", "title", "text", "author"}`) and
//! pairs of `queries*.jsonl` (`{"id", "text", "exclude"}`) and `qrels*.tsv`
//! (query, document, grade; with a header line) of the same name. Field
//! weights can be given as `WEIGHTS=title,keywords,author`;
//! `SYNTAX=plain` asks in plain mode; `POSTGRES=postgres://…` names a database
//! to measure in, where each folder is a tenant.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::time::Instant;

use gannet_api::query::{QueryOptions, parse};
use gannet_api::{Entry, Filter, QuerySyntax};
use gannet_store::{
    EmbeddedOptions, FieldWeights, PostgresOptions, Store, StoreOptions, TextRequest,
};
use serde_json::{Map, Value};
use {gannet_index_flat as _, gannet_index_tantivy as _};

type Grades = HashMap<String, HashMap<String, f64>>;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut figures = Vec::new();
    for folder in std::env::args().skip(1) {
        figures.extend(runtime.block_on(measure(Path::new(&folder))));
    }
    let mean = figures.iter().sum::<f64>() / figures.len() as f64;
    println!("mean of {}: {mean:.4}", figures.len());
}

async fn measure(folder: &Path) -> Vec<f64> {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(options(scratch.path())).await.unwrap();
    let tenant = folder.display().to_string();
    let entries = lines(&folder.join("corpus.jsonl"))
        .iter()
        .map(|line| {
            let mut entry = entry(line);
            entry.tenant.clone_from(&tenant);
            entry
        })
        .collect();
    store.upsert(entries).await.unwrap();
    store.flush().await.unwrap();
    let mut figures = Vec::new();
    let mut files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("queries"))
        .collect();
    files.sort();
    for file in files {
        let name = file
            .trim_start_matches("queries")
            .trim_end_matches(".jsonl");
        let grades = read_grades(&folder.join(format!("qrels{name}.tsv")));
        let queries = lines(&folder.join(&file));
        let begun = Instant::now();
        let quality = quality(&store, &tenant, &queries, &grades).await;
        let each = begun.elapsed().as_secs_f64() * 1e3 / queries.len() as f64;
        println!(
            "{}{name}: {:.4}  (first for {} of {}, {each:.2} ms a query)",
            folder.display(),
            quality.ndcg,
            quality.first,
            quality.judged
        );
        figures.push(quality.ndcg);
    }
    store.close().await.unwrap();
    figures
}

fn options(folder: &Path) -> StoreOptions {
    match std::env::var("POSTGRES") {
        Ok(url) => StoreOptions::Postgres(PostgresOptions {
            field_weights: weights(),
            ..PostgresOptions::at(url)
        }),
        Err(_) => StoreOptions::Embedded(EmbeddedOptions {
            field_weights: weights(),
            ..EmbeddedOptions::at(folder)
        }),
    }
}

/// How well the queries of one set are answered.
struct Quality {
    /// Mean nDCG@10.
    ndcg: f64,
    /// Queries whose first hit is relevant.
    first: usize,
    judged: usize,
}

async fn quality(store: &Store, tenant: &str, queries: &[Value], grades: &Grades) -> Quality {
    let syntax = match std::env::var("SYNTAX").as_deref() {
        Ok("plain") => QuerySyntax::Plain,
        _ => QuerySyntax::Operators,
    };
    let mut sum = 0.0;
    let (mut first, mut judged) = (0, 0);
    for query in queries {
        let Some(wanted) = grades.get(&text(query, "id")) else {
            continue;
        };
        let exclude: HashSet<String> = query["exclude"]
            .as_array()
            .map(|ids| {
                ids.iter()
                    .map(|id| id.as_str().unwrap().to_owned())
                    .collect()
            })
            .unwrap_or_default();
        let request = TextRequest {
            query: parse(&text(query, "text"), syntax, &QueryOptions::default()),
            filter: Filter::none(),
            limit: 10 + exclude.len(),
            fuzzy: true,
        };
        let found = store.text_search(tenant, request).await.unwrap();
        let ranking = found.hits.iter().map(|hit| hit.entry_id.as_str());
        let ranking: Vec<&str> = ranking
            .filter(|id| !exclude.contains(*id))
            .take(10)
            .collect();
        let best = ranking.first().and_then(|id| wanted.get(*id));
        first += usize::from(best.is_some_and(|grade| *grade > 0.0));
        sum += ndcg(ranking.into_iter(), wanted);
        judged += 1;
    }
    Quality {
        ndcg: sum / judged as f64,
        first,
        judged,
    }
}

/// As trec_eval computes it: linear gain, discounted by the logarithm of the rank.
fn ndcg<'a>(ranking: impl Iterator<Item = &'a str>, grades: &HashMap<String, f64>) -> f64 {
    let discount = |rank: usize| (rank as f64 + 2.0).log2();
    let gained: f64 = ranking
        .enumerate()
        .map(|(rank, id)| grades.get(id).copied().unwrap_or(0.0).max(0.0) / discount(rank))
        .sum();
    let mut ideal: Vec<f64> = grades
        .values()
        .copied()
        .filter(|grade| *grade > 0.0)
        .collect();
    ideal.sort_by(|a, b| b.total_cmp(a));
    let best: f64 = ideal
        .iter()
        .take(10)
        .enumerate()
        .map(|(rank, grade)| grade / discount(rank))
        .sum();
    if best > 0.0 { gained / best } else { 0.0 }
}

fn entry(document: &Value) -> Entry {
    let title = text(document, "title");
    let body = text(document, "text");
    let timestamp = text(document, "timestamp").parse().unwrap_or_default();
    let mut entry = Entry::new(
        text(document, "id"),
        "test",
        timestamp,
        format!("{title}\n{body}"),
    );
    entry.author = text(document, "author");
    entry.metadata = Map::from_iter([("title".to_owned(), Value::String(title))]);
    entry
}

fn text(object: &Value, key: &str) -> String {
    object[key].as_str().unwrap_or_default().to_owned()
}

fn lines(path: &Path) -> Vec<Value> {
    let content = fs::read_to_string(path).unwrap();
    content
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn read_grades(path: &Path) -> Grades {
    let mut grades = Grades::new();
    for line in fs::read_to_string(path).unwrap().lines().skip(1) {
        let mut columns = line.split('\t');
        let (query, document) = (columns.next().unwrap(), columns.next().unwrap());
        let grade: f64 = columns.next().unwrap().trim().parse().unwrap();
        grades
            .entry(query.to_owned())
            .or_default()
            .insert(document.to_owned(), grade);
    }
    grades
}

fn weights() -> FieldWeights {
    let given = std::env::var("WEIGHTS").unwrap_or_default();
    let mut numbers = given.split(',').map(|number| number.parse().unwrap_or(0.0));
    let mut next = || numbers.next().unwrap_or(0.0);
    if given.is_empty() {
        return FieldWeights::default();
    }
    FieldWeights {
        title: next(),
        keywords: next(),
        author: next(),
        ..FieldWeights::default()
    }
}

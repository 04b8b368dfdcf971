//! The checks of adapters.

use std::sync::Arc;

use futures::StreamExt;
use futures::future::join;

use super::bench::{Bench, Trial};
use super::guard::{Contained, abandoned_after, contained};
use super::hostile;
use super::report::{Report, Verdict};
use super::source::Source;
use super::troubled_host::{Trouble, host_errors};
use super::world::World;
use crate::testing::{FakeHost, Fetched};
use gannet_api::{
    Context, DynAdapter, Error, Example, Expected, FetchRequest, Plugin, Record, Result,
};

/// More records than any source of the test has.
const ENDLESS: usize = 1_000_000;

pub(super) async fn examine(bench: &Bench<'_>, report: &mut Report) {
    let Plugin::Adapter(adapter) = &bench.plugin else {
        let reason = "the constructor made another kind of plugin".to_owned();
        report.add("examples", Err(reason.into()));
        return;
    };
    report.add("examples", examples(bench).await);
    report.add("empty_source", empty_source(bench, adapter).await);
    report.add("missing_source", missing_source(bench, adapter).await);
    report.add("hostile_sources", hostile_sources(bench, adapter).await);
    report.add("limit", limit(bench).await);
    report.add("times", times(bench).await);
    report.add("repetition", repetition(bench).await);
    report.add("two_at_once", two_at_once(bench).await);
    report.add("cancellation", cancellation(bench).await);
    report.add("failing_host", failing_host(bench).await);
}

impl Trial {
    fn adapter(&self) -> std::result::Result<&Arc<dyn DynAdapter>, String> {
        match &self.plugin {
            Plugin::Adapter(adapter) => Ok(adapter),
            _ => Err("the constructor made another kind of plugin".to_owned()),
        }
    }

    /// The example's source, for as long as it is held.
    fn source(&self) -> std::result::Result<Source, String> {
        made(Source::of(&self.example))
    }

    /// Reads the example's source.
    async fn fetched(&self, wish: FetchRequest) -> std::result::Result<Fetched, String> {
        let source = self.source()?;
        let outcome = read(self.adapter()?, &source, wish).await;
        let of_example = |wrong: String| format!("example `{}`: {wrong}", self.example.description);
        outcome
            .map_err(of_example)?
            .map_err(|error| of_example(error.to_string()))
    }
}

fn made(source: std::io::Result<Source>) -> std::result::Result<Source, String> {
    source.map_err(|error| format!("no file could be written for the test: {error}"))
}

/// Reads a source to its end.
async fn read(
    adapter: &Arc<dyn DynAdapter>,
    source: &Source,
    wish: FetchRequest,
) -> Contained<Fetched> {
    read_in(adapter, source, wish, &source.context()).await
}

/// The same in another context.
async fn read_in(
    adapter: &Arc<dyn DynAdapter>,
    source: &Source,
    wish: FetchRequest,
    context: &Context,
) -> Contained<Fetched> {
    let request = source.request(wish);
    let is_whole = request.limit.is_none() && request.since.is_none() && request.until.is_none();
    match contained(collected(adapter, request, context)).await? {
        Ok(fetched) => check(&fetched, is_whole).map(|()| Ok(fetched)),
        Err(error) => Ok(Err(error)),
    }
}

async fn collected(
    adapter: &Arc<dyn DynAdapter>,
    request: FetchRequest,
    context: &Context,
) -> Result<Fetched> {
    let mut stream = adapter.fetch(request, context).await?;
    let endless = Error::internal(format!("the source has more than {ENDLESS} records"));
    let mut count = 0;
    stream.records = stream
        .records
        .map(move |record| {
            count += 1;
            if count > ENDLESS {
                return Err(endless.clone());
            }
            record
        })
        .boxed();
    Fetched::collect(stream).await
}

/// What must be true of whatever was read. A source that is read whole gives
/// as many records as it said: none is lost.
fn check(fetched: &Fetched, is_whole: bool) -> std::result::Result<(), String> {
    if fetched
        .entries
        .iter()
        .any(|entry| entry.entry_id.is_empty())
    {
        return Err("an entry has no id: reject it".to_owned());
    }
    for rejected in &fetched.rejected {
        if rejected.position.trim().is_empty() || rejected.reason.trim().is_empty() {
            return Err(format!(
                "a rejected record does not say where it stands and why: {rejected:?}"
            ));
        }
    }
    let records = (fetched.entries.len() + fetched.rejected.len()) as u64;
    match fetched.total {
        Some(total) if is_whole && total != records => Err(format!(
            "it said that there are {total} records, and gave {records}"
        )),
        _ => Ok(()),
    }
}

async fn examples(bench: &Bench<'_>) -> Verdict {
    for trial in bench.trials_to_check()? {
        let description = &trial.example.description;
        let Expected::Entries(expected) = &trial.example.expected else {
            return Err(format!(
                "example `{description}`: it says what is added; say what is read with \
                 `Example::finds`"
            )
            .into());
        };
        let fetched = trial.fetched(FetchRequest::default()).await?;
        if fetched.ids() != *expected {
            let reasons: Vec<&str> = fetched.rejected.iter().map(|r| r.reason.as_str()).collect();
            return Err(format!(
                "example `{description}`: it reads {:?} and not {expected:?}; rejected: {reasons:?}",
                fetched.ids()
            )
            .into());
        }
    }
    Ok(())
}

/// An example of the sort of source that the adapter reads.
fn sort_of_source(bench: &Bench<'_>) -> Example {
    let example = bench.descriptor.examples.first().cloned();
    example.unwrap_or_else(|| Example::new("reads a file", ""))
}

async fn empty_source(bench: &Bench<'_>, adapter: &Arc<dyn DynAdapter>) -> Verdict {
    let source = made(Source::with(&sort_of_source(bench), b""))?;
    match read(adapter, &source, FetchRequest::default()).await? {
        Ok(fetched) if !fetched.entries.is_empty() => {
            Err(format!("it reads {:?} from nothing", fetched.ids()).into())
        }
        // That a source cannot be empty is a good error too.
        Ok(_) | Err(_) => Ok(()),
    }
}

async fn missing_source(bench: &Bench<'_>, adapter: &Arc<dyn DynAdapter>) -> Verdict {
    let source = made(Source::missing(&sort_of_source(bench)))?;
    // The host names the server.
    let name = source.name().filter(|_| matches!(source, Source::File(_)));
    let name = name.unwrap_or_default();
    match read(adapter, &source, FetchRequest::default()).await? {
        Err(error) if error.to_string().contains(&name) => Ok(()),
        Err(error) => Err(format!("the error does not name the source: {error}").into()),
        Ok(_) => Err("a source that is not there is read without an error"
            .to_owned()
            .into()),
    }
}

async fn hostile_sources(bench: &Bench<'_>, adapter: &Arc<dyn DynAdapter>) -> Verdict {
    let example = sort_of_source(bench);
    let response = example.http_response.as_ref().map(ToString::to_string);
    let good = response.as_ref().unwrap_or(&example.input);
    for (what, bytes) in hostile::sources(good.as_bytes()) {
        let source = made(Source::with(&example, &bytes))?;
        let outcome = read(adapter, &source, FetchRequest::default()).await;
        outcome
            .map(drop)
            .map_err(|wrong| format!("a source {what}: {wrong}"))?;
    }
    Ok(())
}

/// A limit gives the first entries and no more.
async fn limit(bench: &Bench<'_>) -> Verdict {
    for trial in bench.trials()? {
        let all = trial.fetched(FetchRequest::default()).await?.entries;
        for limit in [0, 1, all.len(), all.len() + 1] {
            let wish = FetchRequest::default().with_limit(limit);
            let fetched = trial.fetched(wish).await?;
            if fetched.entries != all[..limit.min(all.len())] {
                return Err(format!("with the limit {limit} it reads {:?}", fetched.ids()).into());
            }
        }
    }
    Ok(())
}

/// `since` and `until` leave out what lies outside, themselves included.
async fn times(bench: &Bench<'_>) -> Verdict {
    for trial in bench.trials()? {
        let all = trial.fetched(FetchRequest::default()).await?.entries;
        for entry in &all {
            let since = FetchRequest::default().with_since(entry.timestamp);
            let until = FetchRequest::default().with_until(entry.timestamp);
            for wish in [since, until] {
                let mut wanted = all.clone();
                wanted.retain(|entry| wish.wants(entry.timestamp));
                let asked = format!("since {:?} until {:?}", wish.since, wish.until);
                let fetched = trial.fetched(wish).await?;
                if fetched.entries != wanted {
                    return Err(format!("{asked} it reads {:?}", fetched.ids()).into());
                }
            }
        }
    }
    Ok(())
}

async fn repetition(bench: &Bench<'_>) -> Verdict {
    bench.must_repeat()?;
    for trial in bench.trials()? {
        let source = trial.source()?;
        let adapter = trial.adapter()?;
        let wish = FetchRequest::default();
        let first = read(adapter, &source, wish.clone()).await?;
        if first != read(adapter, &source, wish).await? {
            return Err("the same source is read in two ways".to_owned().into());
        }
    }
    Ok(())
}

async fn two_at_once(bench: &Bench<'_>) -> Verdict {
    for trial in bench.trials()? {
        let adapter = trial.adapter()?;
        let empty = made(Source::with(&trial.example, b""))?;
        let sources = [trial.source()?, empty];
        let alone = [
            read(adapter, &sources[0], FetchRequest::default()).await?,
            read(adapter, &sources[1], FetchRequest::default()).await?,
        ];
        let together = join(
            read(adapter, &sources[0], FetchRequest::default()),
            read(adapter, &sources[1], FetchRequest::default()),
        );
        let (first, second) = together.await;
        if bench.descriptor.deterministic && alone != [first?, second?] {
            return Err("two sources at once are read in another way than alone"
                .to_owned()
                .into());
        }
    }
    Ok(())
}

/// A fetch is dropped while it opens the source, and while it reads.
async fn cancellation(bench: &Bench<'_>) -> Verdict {
    for trial in bench.trials()? {
        let before = trial.fetched(FetchRequest::default()).await?;
        let source = trial.source()?;
        let request = source.request(FetchRequest::default());
        let adapter = trial.adapter()?;
        let context = source.context();
        let one_record = async {
            let mut stream = adapter.fetch(request.clone(), &context).await?;
            stream.records.next().await.transpose().map(is_entry)
        };
        abandoned_after(1, adapter.fetch(request.clone(), &context))?;
        contained(one_record).await?.map_err(|e| e.to_string())?;
        let after = trial.fetched(FetchRequest::default()).await?;
        if bench.descriptor.deterministic && before != after {
            return Err("a fetch that was dropped changes the next one"
                .to_owned()
                .into());
        }
    }
    Ok(())
}

fn is_entry(record: Option<Record>) -> bool {
    matches!(record, Some(Record::Entry(_)))
}

async fn failing_host(bench: &Bench<'_>) -> Verdict {
    let world = World {
        entries: Vec::new(),
        host: FakeHost::default(),
    };
    for trial in bench.trials()? {
        for error in host_errors() {
            let source = trial.source()?;
            let context = world.troubled_context(Trouble::Fails(error));
            let wish = FetchRequest::default();
            read_in(trial.adapter()?, &source, wish, &context)
                .await
                .map(drop)
                .map_err(|wrong| format!("with a host that fails: {wrong}"))?;
        }
    }
    Ok(())
}

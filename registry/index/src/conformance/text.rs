//! The contract of a text index.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gannet_api::query::{QueryOptions, parse};
use gannet_api::{Condition, Entry, Filter, FilterField, QuerySyntax};

use super::{files_of, replace};
use crate::{
    Depth, EntryRow, FieldWeights, IndexError, MatchRequest, Position, TextChanges, TextEngine,
    TextIndex, TextRequest, VerifiedFiles,
};

/// Checks an engine of texts, with indexes in folders below this one.
///
/// # Panics
/// The engine does not keep the contract; the message says where.
pub fn check_text(engine: &dyn TextEngine, folder: &Path) {
    let case = |name: &str| Case {
        engine,
        folder: folder.join(name),
    };
    case("nothing").an_index_in_memory_finds_nothing();
    case("committed").changes_are_found_after_a_commit_and_kept();
    case("replaced").what_was_replaced_or_deleted_is_not_found();
    case("filtered").tenants_and_filters_hold();
    case("counted").matches_are_counted();
    case("again").an_index_that_is_made_again_is_empty();
    case("damaged").no_damage_passes_unnoticed();
}

struct Case<'e> {
    engine: &'e dyn TextEngine,
    folder: PathBuf,
}

fn row(doc: i64, author: &str, text: &str) -> EntryRow {
    let at = jiff::Timestamp::UNIX_EPOCH;
    let mut entry = Entry::new(format!("e{doc}"), "test", at, text);
    entry.author = author.to_owned();
    EntryRow {
        doc,
        created_seq: doc,
        entry,
    }
}

fn changes(changed: Vec<EntryRow>, deleted: Vec<i64>, reached: i64) -> TextChanges {
    TextChanges {
        bytes: changed.iter().map(|row| row.entry.raw_text.len()).sum(),
        changed,
        deleted,
        reached,
        mark: Some(reached * 7),
        more: false,
    }
}

fn request(query: &str) -> TextRequest {
    TextRequest {
        query: parse(query, QuerySyntax::Operators, &QueryOptions::default()),
        filter: Filter::none(),
        limit: 100,
        fuzzy: false,
    }
}

fn by_author(author: &str) -> Filter {
    Filter::none().and(FilterField::Author, Condition::Equals(author.to_owned()))
}

/// The ids that a query finds, sorted.
fn found(index: &dyn TextIndex, query: &str) -> Vec<String> {
    let hits = index.search("default", &request(query));
    let hits = hits.expect("words can be searched").hits;
    let mut ids: Vec<String> = hits.into_iter().map(|hit| hit.entry_id).collect();
    ids.sort_unstable();
    ids
}

const ORIGIN: &str = "records";

impl Case<'_> {
    fn create(&self) -> Arc<dyn TextIndex> {
        let created = self.engine.create(&self.folder, FieldWeights::default());
        created.expect("an index can be made")
    }

    fn open(&self) -> Result<Arc<dyn TextIndex>, IndexError> {
        let mut verified = VerifiedFiles::default();
        let weights = FieldWeights::default();
        self.engine.open(&self.folder, weights, &mut verified)
    }

    /// An index with three entries on disk.
    fn filled(&self) -> Arc<dyn TextIndex> {
        let index = self.create();
        let mut writer = index
            .writer(Position::begin(ORIGIN))
            .expect("the index can be written");
        let mut other = row(3, "Ann", "pump tripped");
        other.entry.tenant = "other".to_owned();
        let rows = vec![
            row(1, "Ann", "pump tripped"),
            row(2, "Bob", "pump repaired"),
            other,
        ];
        writer
            .apply(&changes(rows, Vec::new(), 3))
            .expect("changes are taken over");
        writer.commit().expect("the index can be committed");
        writer.finish().expect("the writer can end");
        index.reload().expect("the index can be read again");
        index
    }

    fn an_index_in_memory_finds_nothing(&self) {
        let index = self.engine.nothing(FieldWeights::default());
        let index = index.expect("the engine starts");
        assert_eq!(
            (index.entries(), found(index.as_ref(), "pump").len()),
            (0, 0)
        );
    }

    fn changes_are_found_after_a_commit_and_kept(&self) {
        let index = self.filled();
        assert_eq!(found(index.as_ref(), "pump"), ["e1", "e2"]);
        assert_eq!(found(index.as_ref(), "pump tripped")[0], "e1");
        let committed = Position {
            applied: 3,
            mark: Some(21),
            ..Position::begin(ORIGIN)
        };
        let position = || index.position().expect("the position can be read");
        assert_eq!(position().as_ref(), Some(&committed));
        let mut writer = index
            .writer(committed.clone())
            .expect("the index can be written");
        let more = changes(vec![row(4, "Ann", "pump new")], Vec::new(), 4);
        writer.apply(&more).expect("changes are taken over");
        assert_eq!(
            (writer.applied(), writer.committed(), writer.uncommitted()),
            (4, 3, 1)
        );
        // What was not committed is lost with the process.
        drop(writer);
        assert_eq!(position().as_ref(), Some(&committed));
        let recovered = self.engine.recover(
            &self.folder,
            FieldWeights::default(),
            &mut VerifiedFiles::default(),
        );
        let recovered = recovered.expect("the index can be opened");
        assert_eq!(
            (recovered.position, recovered.broken.len()),
            (Some(committed.clone()), 0)
        );
        assert_eq!(found(recovered.text.as_ref(), "pump"), ["e1", "e2"]);
        let text = recovered.text;
        let mut writer = text.writer(committed).expect("the index can be written");
        writer.apply(&more).expect("changes are taken over");
        writer.commit().expect("the index can be committed");
        assert_eq!((writer.committed(), writer.uncommitted()), (4, 0));
        let before = text.generation();
        text.reload().expect("the index can be read again");
        assert_ne!(text.generation(), before);
        assert_eq!(found(text.as_ref(), "pump"), ["e1", "e2", "e4"]);
    }

    fn what_was_replaced_or_deleted_is_not_found(&self) {
        let index = self.filled();
        let position = index.position().expect("the position can be read");
        let position = position.expect("it was committed");
        let mut writer = index.writer(position).expect("the index can be written");
        let again = changes(vec![row(1, "Ann", "valve stuck")], vec![2], 5);
        writer.apply(&again).expect("changes are taken over");
        writer.commit().expect("the index can be committed");
        index.reload().expect("the index can be read again");
        let opened = self.open().expect("the index can be opened");
        for index in [index, opened] {
            assert!(found(index.as_ref(), "pump").is_empty());
            assert_eq!(found(index.as_ref(), "valve"), ["e1"]);
            assert_eq!(index.entries(), 2, "that of the other tenant is there");
        }
        match self.engine.contents(&self.folder, Depth::Bytes, 10) {
            Err(IndexError::Unsupported { .. }) => {}
            contents => {
                let contents = contents.expect("the index can be read");
                assert_eq!(contents.rows.ones().collect::<Vec<_>>(), [1, 3]);
                assert_eq!((contents.repeated, contents.unknown), (0, 0));
            }
        }
    }

    fn tenants_and_filters_hold(&self) {
        let index = self.filled();
        let filtered = TextRequest {
            filter: by_author("Bob"),
            ..request("pump")
        };
        let hits = index
            .search("default", &filtered)
            .expect("a filter can be applied");
        assert_eq!((hits.hits.len(), hits.hits[0].entry_id.as_str()), (1, "e2"));
        let rows = |tenant: &str, filter: &Filter| {
            let rows = index.allowed_rows(tenant, filter);
            let rows = rows.expect("a filter can be applied");
            rows.map(|rows| rows.ones().collect::<Vec<_>>())
        };
        assert_eq!(rows("default", &Filter::none()), Some(vec![1, 2]));
        assert_eq!(rows("default", &by_author("ann")), Some(vec![1]));
        assert_eq!(rows("other", &by_author("Bob")), Some(Vec::new()));
    }

    fn matches_are_counted(&self) {
        let index = self.filled();
        let wanted = MatchRequest {
            query: request("pump").query,
            filter: Filter::none(),
            fuzzy: false,
            facets: Vec::new(),
            values: 10,
        };
        match index.matching("default", &wanted) {
            Err(IndexError::Unsupported { .. }) => {}
            matching => assert_eq!(matching.expect("matches can be counted").count, 2),
        }
        let words = ["pump".to_owned(), "tripped".to_owned(), "absent".to_owned()];
        let counts = index.document_counts(&words).expect("words can be counted");
        assert_eq!(counts, [3, 2, 0]);
        let idfs = index.idfs(&words).expect("words can be counted");
        assert!(idfs[0] < idfs[1] && idfs[1] < idfs[2], "{idfs:?}");
    }

    fn an_index_that_is_made_again_is_empty(&self) {
        drop(self.filled());
        let index = self.create();
        assert_eq!(
            (index.entries(), found(index.as_ref(), "pump").len()),
            (0, 0)
        );
        assert_eq!(index.position().expect("the position can be read"), None);
    }

    fn no_damage_passes_unnoticed(&self) {
        drop(self.filled());
        for file in files_of(&self.folder) {
            let intact = std::fs::read(&file).expect("a file of the index can be read");
            let mut flipped = intact.clone();
            flipped[intact.len() / 3] ^= 0x10;
            for bytes in [&flipped[..], &intact[..intact.len() / 2]] {
                replace(&file, bytes);
                let searched = self.open().and_then(|index| {
                    let hits = index.search("default", &request("pump"))?;
                    Ok(hits.hits.len())
                });
                match searched {
                    // A file that is of no matter, such as a lock.
                    Ok(hits) => assert_eq!(hits, 2, "{}", file.display()),
                    Err(error) => {
                        assert!(error.is_suspicious(), "{}: {error}", file.display());
                    }
                }
                replace(&file, &intact);
            }
        }
        assert_eq!(
            found(self.open().expect("it is sound").as_ref(), "pump").len(),
            2
        );
    }
}

//! Entries and records.

use abi_stable::StableAbi;
use abi_stable::std_types::{ROption, RResult, RString, RVec};
use gannet_api::{Entry, Error, FetchRequest, Record, RejectedRecord};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{AbiError, from_slot, option, read_slot, to_slot, unoption};

/// An [`Entry`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiEntry {
    /// Unique within the tenant.
    pub entry_id: RString,
    /// Whose entry it is.
    pub tenant: RString,
    /// What sort of text it is.
    pub kind: RString,
    /// The system that it came from.
    pub source_system: RString,
    /// When it was logged.
    pub time: AbiTime,
    /// Who wrote it.
    pub author: RString,
    /// The whole text.
    pub raw_text: RString,
    /// Everything else that the source knows.
    pub metadata_json: RString,
    /// Attachments, summary, keywords, how far enhancers got, and when the
    /// store got and wrote it.
    pub rest_json: RString,
    /// For what comes later.
    pub extra_json: RString,
}

/// An instant: seconds since 1970 in UTC, and nanoseconds of the same sign.
#[repr(C)]
#[derive(StableAbi, Debug, Clone, Copy)]
pub struct AbiTime {
    /// Whole seconds.
    pub seconds: i64,
    /// What is over.
    pub nanoseconds: i32,
}

/// A [`FetchRequest`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiFetchRequest {
    /// File or URL.
    pub source: ROption<RString>,
    /// Only records after this instant.
    pub since: ROption<AbiTime>,
    /// Only records before this instant.
    pub until: ROption<AbiTime>,
    /// Maximum number of entries.
    pub limit: ROption<u64>,
    /// How far an earlier call got.
    pub cursor: ROption<RString>,
    /// For what comes later.
    pub extra_json: RString,
}

/// A [`Record`]: an entry, or one of the others.
pub type AbiRecord = RResult<AbiEntry, AbiOtherRecord>;

/// A [`Record`] other than an entry.
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiOtherRecord {
    /// One of the constants below; others are of a younger plugin.
    pub kind: u8,
    /// Of a rejected record: where in the source.
    pub position: RString,
    /// The entry's id, where there is one.
    pub entry_id: ROption<RString>,
    /// Of a rejected record: why it cannot be used.
    pub reason: RString,
    /// Of a rejected record: as it came. Of a cursor: its text.
    pub raw: RString,
    /// For what comes later.
    pub extra_json: RString,
}

/// The kinds of an [`AbiOtherRecord`].
const REJECTED: u8 = 0;
const DELETED: u8 = 1;
const CURSOR: u8 = 2;

/// The next records of a source.
#[repr(C)]
#[derive(StableAbi, Debug)]
pub struct AbiRecordBatch {
    /// The records in order; may be empty at the end.
    pub records: RVec<AbiRecord>,
    /// What ended the stream, where an error did.
    pub error: ROption<AbiError>,
    /// Whether nothing more comes.
    pub is_last: bool,
}

/// The parts of an entry that few entries have.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Rest {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<gannet_api::Attachment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keywords: Vec<String>,
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    enhancement_status: std::collections::BTreeMap<String, gannet_api::EnhancementStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<Timestamp>,
}

/// The JSON of a fetch request's `extra_json`.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct FetchExtra {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_timestamp: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_kind: Option<String>,
}

impl From<Timestamp> for AbiTime {
    fn from(instant: Timestamp) -> Self {
        Self {
            seconds: instant.as_second(),
            nanoseconds: instant.subsec_nanosecond(),
        }
    }
}

impl TryFrom<AbiTime> for Timestamp {
    type Error = Error;

    fn try_from(time: AbiTime) -> Result<Self, Error> {
        Self::new(time.seconds, time.nanoseconds)
            .map_err(|error| Error::internal(format!("not a valid timestamp: {error}")))
    }
}

impl From<Entry> for AbiEntry {
    fn from(entry: Entry) -> Self {
        let rest = Rest {
            attachments: entry.attachments,
            summary: entry.summary,
            keywords: entry.keywords,
            enhancement_status: entry.enhancement_status,
            created_at: entry.created_at,
            updated_at: entry.updated_at,
        };
        Self {
            entry_id: entry.entry_id.into(),
            tenant: entry.tenant.into(),
            kind: entry.kind.into(),
            source_system: entry.source_system.into(),
            time: entry.timestamp.into(),
            author: entry.author.into(),
            raw_text: entry.raw_text.into(),
            metadata_json: to_slot(&entry.metadata),
            rest_json: to_slot(&rest),
            extra_json: RString::new(),
        }
    }
}

impl TryFrom<AbiEntry> for Entry {
    type Error = Error;

    fn try_from(entry: AbiEntry) -> Result<Self, Error> {
        let rest: Rest = read_slot("a part of an entry", &entry.rest_json)?;
        Ok(Entry::new(
            entry.entry_id,
            entry.source_system,
            entry.time.try_into()?,
            entry.raw_text,
        )
        .with_tenant(entry.tenant)
        .with_kind(entry.kind)
        .with_author(entry.author)
        .with_attachments(rest.attachments)
        .with_metadata(read_slot("an entry's metadata", &entry.metadata_json)?)
        .with_summary(rest.summary)
        .with_keywords(rest.keywords)
        .with_enhancement_status(rest.enhancement_status)
        .with_created_at(rest.created_at)
        .with_updated_at(rest.updated_at))
    }
}

impl From<FetchRequest> for AbiFetchRequest {
    fn from(request: FetchRequest) -> Self {
        Self {
            source: option(request.source),
            since: option(request.since),
            until: option(request.until),
            limit: request.limit.map(|limit| limit as u64).into(),
            cursor: option(request.cursor),
            extra_json: to_slot(&FetchExtra {
                files: request.files,
                default_timestamp: request.default_timestamp,
                default_kind: request.default_kind,
            }),
        }
    }
}

impl TryFrom<AbiFetchRequest> for FetchRequest {
    type Error = Error;

    fn try_from(request: AbiFetchRequest) -> Result<Self, Error> {
        let instant = |time: ROption<AbiTime>| time.into_option().map(Timestamp::try_from);
        let extra: FetchExtra = from_slot(&request.extra_json);
        Ok(FetchRequest::default()
            .with_source(unoption(request.source))
            .with_since(instant(request.since).transpose()?)
            .with_until(instant(request.until).transpose()?)
            .with_limit(request.limit.into_option().map(super::search::limit))
            .with_cursor(unoption(request.cursor))
            .with_files(extra.files)
            .with_default_timestamp(extra.default_timestamp)
            .with_default_kind(extra.default_kind))
    }
}

impl AbiOtherRecord {
    fn of(kind: u8) -> Self {
        Self {
            kind,
            position: RString::new(),
            entry_id: ROption::RNone,
            reason: RString::new(),
            raw: RString::new(),
            extra_json: RString::new(),
        }
    }
}

/// A record for the other side.
pub(crate) fn record_out(record: Record) -> AbiRecord {
    RResult::RErr(match record {
        Record::Entry(entry) => return RResult::ROk((*entry).into()),
        Record::Rejected(rejected) => AbiOtherRecord {
            position: rejected.position.into(),
            entry_id: option(rejected.entry_id),
            reason: rejected.reason.into(),
            raw: rejected.raw.into(),
            ..AbiOtherRecord::of(REJECTED)
        },
        Record::Deleted(id) => AbiOtherRecord {
            entry_id: ROption::RSome(id.into()),
            ..AbiOtherRecord::of(DELETED)
        },
        Record::Cursor(cursor) => AbiOtherRecord {
            raw: cursor.into(),
            ..AbiOtherRecord::of(CURSOR)
        },
    })
}

/// A record that crossed; `None` for one of a kind that is younger than this
/// side.
pub(crate) fn record_in(record: AbiRecord) -> Option<Result<Record, Error>> {
    let record = match record {
        RResult::ROk(entry) => {
            return Some(entry.try_into().map(|entry| Record::Entry(Box::new(entry))));
        }
        RResult::RErr(other) => other,
    };
    match record.kind {
        REJECTED => Some(Ok(Record::Rejected(
            RejectedRecord::new(record.position, record.reason, record.raw)
                .with_entry_id(unoption(record.entry_id)),
        ))),
        DELETED => {
            let id = unoption(record.entry_id).unwrap_or_default();
            Some(Ok(Record::Deleted(id)))
        }
        CURSOR => Some(Ok(Record::Cursor(record.raw.into()))),
        kind => {
            tracing::warn!(
                kind,
                "a record of an unknown kind was left out; the plugin is younger"
            );
            None
        }
    }
}

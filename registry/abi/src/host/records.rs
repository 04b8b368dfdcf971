//! The records of a dylib's adapter, one after another.

use std::collections::VecDeque;

use futures::stream::{BoxStream, StreamExt, unfold};
use gannet_api::{Error, Record, Result};

use crate::layout::{AbiRecord, record_in};
use crate::vtable::RecordsObject;

/// Records that are asked for at once: enough that the crossing costs little,
/// few enough that a stop is soon noticed.
const BATCH: u32 = 64;

struct Reader {
    records: RecordsObject,
    ready: VecDeque<AbiRecord>,
    error: Option<Error>,
    is_last: bool,
}

/// A stream over batches that cross the boundary. It ends with the error that
/// ended the plugin's, where one did.
pub(super) fn records_in(records: RecordsObject) -> BoxStream<'static, Result<Record>> {
    let reader = Reader {
        records,
        ready: VecDeque::new(),
        error: None,
        is_last: false,
    };
    unfold(reader, |mut reader| async move {
        let next = reader.next().await?;
        Some((next, reader))
    })
    .boxed()
}

impl Reader {
    async fn next(&mut self) -> Option<Result<Record>> {
        loop {
            while let Some(record) = self.ready.pop_front() {
                if let Some(record) = record_in(record) {
                    return Some(record);
                }
            }
            if self.is_last {
                return self.error.take().map(Err);
            }
            let batch = self.records.next(BATCH).await;
            self.ready = batch.records.into_iter().collect();
            self.error = batch.error.into_option().map(Error::from);
            self.is_last = batch.is_last;
        }
    }
}

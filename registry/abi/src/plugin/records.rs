//! The records of an adapter, a batch a call.

use std::sync::Arc;

use abi_stable::std_types::{ROption, RVec};
use async_ffi::{FfiFuture, FutureExt as _};
use futures::future::FutureExt as _;
use futures::lock::Mutex;
use futures::stream::{BoxStream, StreamExt};
use gannet_api::{Error, Record};

use super::runtime::{Owned, Workplace};
use crate::contain::Contained;
use crate::layout::{AbiRecordBatch, record_out};
use crate::vtable::AbiRecords;

type Records = BoxStream<'static, Result<Record, Error>>;

/// An adapter's stream. The lock is for the compiler: the host has one call
/// under way at a time.
pub(super) struct RecordsExport(Owned<Arc<Mutex<Records>>>);

impl RecordsExport {
    pub(super) fn new(records: Records, workplace: &Arc<Workplace>) -> Self {
        Self(Owned::new(Arc::new(Mutex::new(records)), workplace))
    }
}

impl AbiRecords for RecordsExport {
    fn next(&self, most: u32) -> FfiFuture<AbiRecordBatch> {
        let workplace = self.0.workplace().clone();
        let records = self.0.share();
        async move {
            let read = async { workplace.run(next_batch(records?, most)).await };
            read.await.unwrap_or_else(ended_by)
        }
        .into_ffi()
    }
}

/// Waits for one record and takes with it those that are ready. A panic ends
/// the stream after the records that came before it.
async fn next_batch(records: Arc<Mutex<Records>>, most: u32) -> Result<AbiRecordBatch, Error> {
    let mut batch = AbiRecordBatch {
        records: RVec::new(),
        error: ROption::RNone,
        is_last: false,
    };
    let mut next = next_record(records.clone()).await;
    loop {
        match next {
            Ok(Some(record)) => batch.records.push(record_out(record)),
            Ok(None) => batch.is_last = true,
            Err(error) => {
                let ended = ended_by(error);
                (batch.error, batch.is_last) = (ended.error, true);
            }
        }
        if batch.is_last || batch.records.len() >= most as usize {
            return Ok(batch);
        }
        match next_record(records.clone()).now_or_never() {
            Some(ready) => next = ready,
            None => return Ok(batch),
        }
    }
}

async fn next_record(records: Arc<Mutex<Records>>) -> Result<Option<Record>, Error> {
    let next = async move { records.lock().await.next().await };
    Contained::new(next).await?.transpose()
}

fn ended_by(error: Error) -> AbiRecordBatch {
    AbiRecordBatch {
        records: RVec::new(),
        error: ROption::RSome(error.into()),
        is_last: true,
    }
}

//! Who asks, and notes for the result.

use std::time::Duration;

use abi_stable::StableAbi;
use abi_stable::std_types::{ROption, RString};
use gannet_api::{Call, Deadline, Diagnostic, Level};
use serde::{Deserialize, Serialize};

use super::json::{from_slot, to_slot};
use super::{option, unoption};

/// The time that is left when there is no deadline.
const NEVER: u64 = u64::MAX;

/// A [`Call`]. Clocks are not compared: the time that is left crosses.
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiCall {
    /// Names the request.
    pub request_id: RString,
    /// Whose entries may be seen.
    pub tenant: RString,
    /// Nanoseconds until the deadline; `u64::MAX` without one.
    pub remaining_ns: u64,
    /// How many modules and pipelines are between the surface and this call.
    pub depth: u8,
    /// What a call gained after its struct was frozen, as JSON: `hops`.
    pub extra_json: RString,
}

/// The JSON of `extra_json`. A side that does not know a part of it reads the
/// rest.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct CallExtra {
    /// Gannets that the question came over.
    hops: u8,
}

impl From<&Call> for AbiCall {
    fn from(call: &Call) -> Self {
        Self {
            request_id: (&*call.request_id).into(),
            tenant: (&*call.tenant).into(),
            remaining_ns: call.deadline.remaining().map_or(NEVER, |left| {
                u64::try_from(left.as_nanos()).unwrap_or(NEVER)
            }),
            depth: call.depth,
            extra_json: to_slot(&CallExtra { hops: call.hops }),
        }
    }
}

impl From<AbiCall> for Call {
    fn from(call: AbiCall) -> Self {
        let deadline = match call.remaining_ns {
            NEVER => Deadline::NEVER,
            left => Deadline::after(Duration::from_nanos(left)),
        };
        let mut made = Self::new(&*call.request_id, &*call.tenant, deadline);
        made.depth = call.depth;
        made.hops = from_slot::<CallExtra>(&call.extra_json).hops;
        made
    }
}

/// A [`Diagnostic`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiDiagnostic {
    /// 0 info, 1 warning, 2 error; others read as error.
    pub level: u8,
    /// Where it comes from.
    pub source: RString,
    /// What happened.
    pub message: RString,
    /// What sort of thing it was.
    pub category: ROption<RString>,
    /// For what comes later.
    pub extra_json: RString,
}

impl From<Diagnostic> for AbiDiagnostic {
    fn from(diagnostic: Diagnostic) -> Self {
        Self {
            level: match diagnostic.level {
                Level::Info => 0,
                Level::Warning => 1,
                Level::Error => 2,
            },
            source: diagnostic.source.into(),
            message: diagnostic.message.into(),
            category: option(diagnostic.category),
            extra_json: RString::new(),
        }
    }
}

impl From<AbiDiagnostic> for Diagnostic {
    fn from(diagnostic: AbiDiagnostic) -> Self {
        let level = match diagnostic.level {
            0 => Level::Info,
            1 => Level::Warning,
            _ => Level::Error,
        };
        let mut made = Self::new(level, diagnostic.source, diagnostic.message);
        made.category = unoption(diagnostic.category);
        made
    }
}

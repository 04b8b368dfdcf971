//! Points in time as PostgreSQL sends them.

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef};
use sqlx::{Decode, Encode, Postgres, Type};

/// Microseconds from 1970 to 2000, where PostgreSQL begins to count.
const OFFSET: i64 = 946_684_800_000_000;
/// The first instant of `timestamptz`: 4714-11-24 BC.
const FIRST: i64 = -211_813_488_000_000_000;
/// The last whole day that fits: in the year 294276.
const LAST: i64 = 9_223_371_331_199_999_999;
// Object ids of `timestamptz` and its array (pg_type.dat); they never change.
const TIMESTAMPTZ: Oid = Oid(1184);
const TIMESTAMPTZ_ARRAY: Oid = Oid(1185);

/// A `timestamptz`, in microseconds since 1970. What lies beyond
/// PostgreSQL's calendar is sent as its first or last instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Instant(pub(super) i64);

impl Instant {
    /// Whether PostgreSQL can keep it.
    pub(super) fn fits(self) -> bool {
        (FIRST..=LAST).contains(&self.0.saturating_sub(OFFSET))
    }
}

impl Type<Postgres> for Instant {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(TIMESTAMPTZ)
    }
}

impl PgHasArrayType for Instant {
    fn array_type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(TIMESTAMPTZ_ARRAY)
    }
}

impl Encode<'_, Postgres> for Instant {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        let micros = self.0.saturating_sub(OFFSET).clamp(FIRST, LAST);
        <i64 as Encode<Postgres>>::encode_by_ref(&micros, buffer)
    }
}

impl Decode<'_, Postgres> for Instant {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        let micros = <i64 as Decode<Postgres>>::decode(value)?;
        Ok(Self(micros.saturating_add(OFFSET)))
    }
}

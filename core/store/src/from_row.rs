//! Reads a struct from a row whose columns have the names of its fields.
//!
//! sqlx's derive does the same, but its macros compile sqlx and SQLite a
//! second time, for the compiler.

/// `from_row!(Sqlite => Name { field, … })`, with all fields of the struct.
macro_rules! from_row {
    ($database:ident => $name:ident { $($field:ident),+ $(,)? }) => {
        impl<'r> sqlx::FromRow<'r, <sqlx::$database as sqlx::Database>::Row> for $name {
            fn from_row(
                row: &'r <sqlx::$database as sqlx::Database>::Row,
            ) -> Result<Self, sqlx::Error> {
                use sqlx::Row;
                Ok(Self {
                    $($field: row.try_get(stringify!($field))?),+
                })
            }
        }
    };
}

//! Plain tables.

use super::safe;
use super::wrap::columns;
use comfy_table::{ContentArrangement, Table, presets};

/// A table without lines, at most as wide as the terminal.
pub fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(columns())
        .set_header(header.to_vec());
    for row in rows {
        table.add_row(row.iter().map(|cell| safe(cell)));
    }
    table
}

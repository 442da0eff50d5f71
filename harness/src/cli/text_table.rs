//! Tables drawn with characters.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use crate::text::number::significant;

/// An empty table whose first column is text and whose others are numbers.
pub(super) fn table<'a>(header: impl IntoIterator<Item = &'a str>) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_BORDERS_ONLY);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

pub(super) fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".to_owned())
}

pub(super) fn millis(millis: f64) -> String {
    significant(millis)
}

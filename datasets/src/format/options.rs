//! How files are read.

use arrow::datatypes::SchemaRef;

use crate::file_format::FileFormat;

/// How the files of a [`Source`](crate::Source) are read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The format; `None` = by extension.
    pub format: Option<FileFormat>,
    /// Declared columns. For CSV and JSON lines they replace inference (a CSV
    /// header is matched by name, and may have more columns); a partition
    /// column may be among them. Of other formats, the columns that are declared are read
    /// as these types, and the others as their own.
    pub schema: Option<SchemaRef>,
    /// Most rows in a batch (default 65,536). Recorded Arrow batches are split,
    /// never joined.
    pub batch_rows: usize,
    /// CSV: the first line holds the column names (default); otherwise the
    /// columns are `_c0`, `_c1`, ... unless a schema is declared.
    pub header: bool,
    /// CSV: the delimiter (default `,`).
    pub delimiter: u8,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            format: None,
            schema: None,
            batch_rows: 65_536,
            header: true,
            delimiter: b',',
        }
    }
}

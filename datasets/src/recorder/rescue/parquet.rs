//! Row groups of Parquet.

use std::io;

use parquet::errors::Result;
use parquet::file::FOOTER_SIZE;
use parquet::file::metadata::{
    FileMetaData, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};

use super::cut::{Cut, damaged};
use crate::recorder::overflow::Overflow;

/// The footer of a whole file.
pub(super) struct Footer(ParquetMetaData);

impl Footer {
    pub(super) fn read(file: &Overflow) -> io::Result<Footer> {
        let none = || damaged("no footer");
        let end = file.len().checked_sub(FOOTER_SIZE as u64).ok_or_else(none)?;
        let last = file.read_at(end, FOOTER_SIZE)?;
        let len = match last.split_first_chunk::<4>() {
            Some((len, b"PAR1")) => u32::from_le_bytes(*len),
            _ => return Err(none()),
        };
        let start = end.checked_sub(len.into()).ok_or_else(none)?;
        let bytes = file.read_at(start, len as usize)?;
        ParquetMetaDataReader::decode_metadata(&bytes).map(Footer).map_err(damaged)
    }

    /// The ends of its row groups.
    pub(super) fn cuts(&self) -> Vec<Cut> {
        let mut rows = 0;
        let cut = |group: &RowGroupMetaData| {
            let ends = group.columns().iter().map(|column| {
                let (start, len) = column.byte_range();
                start + len
            });
            rows += group.num_rows() as u64;
            Cut { end: ends.max().unwrap_or(0), rows }
        };
        self.0.row_groups().iter().map(cut).collect()
    }

    /// The end of a file of the first `groups` row groups.
    pub(super) fn until(&self, groups: usize) -> io::Result<Vec<u8>> {
        let groups = self.0.row_groups()[..groups].iter().map(without_indexes);
        let groups = groups.collect::<Result<Vec<_>>>().map_err(damaged)?;
        let whole = self.0.file_metadata();
        let file = FileMetaData::new(
            whole.version(),
            groups.iter().map(RowGroupMetaData::num_rows).sum(),
            whole.created_by().map(str::to_owned),
            whole.key_value_metadata().cloned(),
            whole.schema_descr_ptr(),
            whole.column_orders().cloned(),
        );
        let mut bytes = Vec::new();
        let metadata = ParquetMetaData::new(file, groups);
        ParquetMetaDataWriter::new(&mut bytes, &metadata).finish().map_err(damaged)?;
        Ok(bytes)
    }
}

/// The page indexes stand after the last row group: they are cut off.
fn without_indexes(group: &RowGroupMetaData) -> Result<RowGroupMetaData> {
    let columns = group.columns().iter().map(|column| {
        let column = column.clone().into_builder();
        let column = column.set_column_index_offset(None).set_column_index_length(None);
        column.set_offset_index_offset(None).set_offset_index_length(None).build()
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    group.clone().into_builder().set_column_metadata(columns).build()
}

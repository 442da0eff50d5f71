//! A contender measured as callers use it: batches through the operator.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::{Array, AsArray};
use arrow::datatypes::Int64Type;
use rayon::ThreadPool;
use streamjoin_kernels::{
    ColumnRef, JoinType, KeyHasher, OutputColumn, TableSnapshot, stream_static,
};

use super::contender::Contender;
use super::data::Data;
use super::found::Found;
use crate::error::{Failure, Result};

/// The output of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The number of the probe row and all payload columns.
    Payload,
    /// The number of the probe row of each pair.
    Pairs,
    /// `d0`, added up.
    Sum,
    /// The number of each probe row that has a match.
    Exists,
}

/// A join with its table.
#[derive(Debug)]
pub(super) struct Operator<'a> {
    data: &'a Data,
    form: Form,
    join: stream_static::Join,
}

impl<'a> Operator<'a> {
    pub(super) fn new(
        data: &'a Data,
        contender: Contender,
        form: Form,
        pool: Option<Arc<ThreadPool>>,
    ) -> Result<Self> {
        let keys = data.workload.key.types().len();
        let join_type = if form == Form::Exists { JoinType::LeftSemi } else { JoinType::Inner };
        let (stream, table) = (&data.stream_schema, &data.table_schema);
        let mut spec = stream_static::Spec::on(
            Arc::clone(stream),
            Arc::clone(table),
            join_type,
            data.key_pairs(),
        )
        .map_err(Failure::run)?;
        let column = |source, name: &str| OutputColumn { source, name: name.to_owned() };
        let row = column(ColumnRef::Stream(keys), "row");
        let payload = (keys..table.fields().len())
            .map(|i| column(ColumnRef::Table(i), table.field(i).name()));
        spec.output = match form {
            Form::Payload => std::iter::once(row).chain(payload).collect(),
            Form::Pairs | Form::Exists => vec![row],
            Form::Sum => payload.take(1).collect(),
        };
        let options = stream_static::Options::default()
            .with_layout(contender.layout)
            .with_index(contender.index.choice())
            .with_hasher(KeyHasher::with_seed(contender.isa, 0x5eed))
            .with_pool(pool);
        let join = stream_static::Join::new(spec, options).map_err(Failure::run)?;
        Ok(Self { data, form, join })
    }

    /// Builds the table and returns the time.
    pub(super) fn build(&mut self) -> Result<Duration> {
        let start = Instant::now();
        let snapshot = self.join.build(&self.data.table, 0).map_err(Failure::run)?;
        let took = start.elapsed();
        self.join.swap(snapshot).map_err(Failure::run)?;
        Ok(took)
    }

    pub(super) fn snapshot(&self) -> Option<Arc<TableSnapshot>> {
        self.join.snapshot()
    }

    /// Joins a batch; returns the number of output rows, or their sum.
    pub(super) fn push(&self, batch: usize) -> Result<u64> {
        let mut total = 0_u64;
        let mut output = self.join.push(&self.data.stream[batch]).map_err(Failure::run)?;
        while let Some(rows) = output.next_batch().map_err(Failure::run)? {
            total = match self.form {
                Form::Sum => {
                    let values = rows.column(0).as_primitive::<Int64Type>().values();
                    values.iter().fold(total, |sum, &value| sum.wrapping_add(value as u64))
                }
                _ => total + std::hint::black_box(&rows).num_rows() as u64,
            };
        }
        Ok(total)
    }

    /// Compares the output of the first batches with the known answer.
    pub(super) fn verify(&self, contender: Contender) -> Result<()> {
        let batches = self.data.verified_batches();
        let mut found = Found::default();
        let mut expected = match self.form {
            Form::Exists => self.data.expected_rows(batches),
            _ => self.data.expected_pairs(batches),
        };
        for batch in &self.data.stream[..batches] {
            let mut output = self.join.push(batch).map_err(Failure::run)?;
            while let Some(rows) = output.next_batch().map_err(Failure::run)? {
                let column = |i: usize| rows.column(i).as_primitive::<Int64Type>().values();
                match self.form {
                    Form::Payload => {
                        let pairs = column(0).iter().zip(column(1));
                        pairs.for_each(|(&row, &build)| found.pair(row as u64, build as u64));
                    }
                    Form::Exists => column(0).iter().for_each(|&row| found.row(row as u64)),
                    // Only one side of the pairs is emitted.
                    Form::Pairs | Form::Sum => found.count += rows.column(0).len() as u64,
                }
            }
        }
        if matches!(self.form, Form::Pairs | Form::Sum) {
            expected.checksum = found.checksum;
        }
        if found != expected {
            return Err(Failure::wrong_result(format!(
                "{contender} gave {found} rows out, right is {expected}; {}",
                &self.data.workload
            )));
        }
        Ok(())
    }
}

//! A planned join: its specification, the plan made from it, and its options.

use std::sync::Arc;

use super::options::Options;
use super::plan::Plan;
use super::spec::Spec;
use crate::error::Result;
use crate::snapshot::BuiltFor;

/// What every part of a join reads and no part changes.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) spec: Spec,
    pub(super) plan: Plan,
    pub(super) options: Options,
    /// What versions of its table are built for.
    pub(super) built_for: Arc<BuiltFor>,
}

impl Planned {
    /// # Errors
    /// Those of [`Join::new`](super::Join::new).
    pub(super) fn new(spec: Spec, mut options: Options) -> Result<Self> {
        let plan = Plan::new(&spec)?;
        options.index = plan.index_for(options.index);
        options.check()?;
        let built_for = Arc::new(built_for(&spec, &plan, &options));
        Ok(Self { spec, plan, options, built_for })
    }

    /// Whether nobody looks at the hashes of keys.
    pub(super) fn is_without_hashes(&self) -> bool {
        self.built_for.hasher.is_none()
    }
}

fn built_for(spec: &Spec, plan: &Plan, options: &Options) -> BuiltFor {
    let fields = spec.table_schema.fields().iter();
    let is_hashed = !plan.is_nested_loop() && options.layout.has_index();
    BuiltFor {
        columns: fields.map(|field| field.data_type().clone()).collect(),
        keys: plan.table_keys.clone(),
        key_types: plan.keys.types().to_vec(),
        null_equality: spec.keys.iter().map(|key| key.null_equality).collect(),
        cast_mode: spec.cast_mode,
        filter: spec.table_filter.clone(),
        retained: plan.payload_columns.clone(),
        hasher: is_hashed.then(|| options.hasher.clone()),
    }
}

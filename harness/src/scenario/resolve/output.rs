//! `[output]`, resolved.

use std::path::PathBuf;

use super::context::{Clauses, Context};
use crate::scenario::located::Located;
use crate::scenario::sink_format::SinkFormat;
use crate::scenario::spec::OutputSpec;

/// What becomes of the joined rows.
#[derive(Clone, Debug)]
pub struct Output {
    /// The file to write; `-` is standard output.
    pub path: Option<Located<PathBuf>>,
    /// The form to write; by the path's extension where absent.
    pub format: Option<Located<SinkFormat>>,
    /// Which rows and columns are emitted.
    pub clauses: Clauses,
}

impl Context<'_> {
    pub(super) fn output(self, spec: OutputSpec) -> Output {
        let path = spec.path.map(|path| {
            let span = path.span();
            let path = path.into_inner();
            let path = if path == "-" { path.into() } else { self.text.resolve(&path) };
            self.at(path, span)
        });
        let clauses = self.clauses(spec.select, spec.r#where);
        Output { path, format: self.optional(spec.format), clauses }
    }
}

//! A join's condition as text.

use std::fmt::Write;

use streamjoin_datasets::type_text;
use streamjoin_kernels::{NullEquality, spark};

use streamjoin_sql::BoundExpr;

/// An equality between both sides.
pub(super) struct Key<'a> {
    pub(super) sides: [&'a BoundExpr; 2],
    pub(super) null_equality: NullEquality,
}

/// The columns of `USING`, and the keys with their types before and after coercion.
pub(super) fn describe_keys<'a>(
    text: &mut String,
    using: Option<&[String]>,
    keys: impl Iterator<Item = Key<'a>>,
) {
    if let Some(names) = using {
        let _ = writeln!(text, "  using: {}", names.join(", "));
    }
    for Key { sides: [one, other], null_equality } in keys {
        let sign = match null_equality {
            NullEquality::NullMatchesNothing => "=",
            NullEquality::NullSafe => "<=>",
        };
        let types = [one, other].map(BoundExpr::data_type);
        let compared = match spark::comparison_type(types[0], types[1]) {
            Ok(compared) => format!("compared as {}", type_text(&compared)),
            Err(error) => format!("refused: {error}"),
        };
        let _ = writeln!(
            text,
            "  key: {one} {sign} {other} ({} with {}, {compared})",
            type_text(types[0]),
            type_text(types[1])
        );
    }
}

/// What else rows must satisfy to match.
pub(super) fn describe_filters(
    text: &mut String,
    sides: [(&str, &Option<BoundExpr>); 2],
    residual: Option<&BoundExpr>,
) {
    for (side, filter) in sides {
        if let Some(filter) = filter {
            let _ = writeln!(text, "  {side} rows that can match: {filter}");
        }
    }
    if let Some(residual) = residual {
        let _ = writeln!(text, "  checked for each pair: {residual}");
    }
}
